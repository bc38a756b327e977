//! Operations between the threads of a wave, which is called a subgroup here.

use ir::{Intrinsic, Scalar, Type, TypeId, intrinsic::WaveOp};
use naga::{
    BinaryOperator, BuiltIn, CollectiveOperation, Direction, Expression, GatherMode, GlobalVariable, Handle,
    RelationalFunction, Statement, SubgroupOperation, TypeInner,
};

use super::ModuleWriter;
use super::expressions::Value;
use super::function::FunctionWriter;
use crate::EmitError;
use crate::tree::Expr;

/// How an operation is said.
enum Rule {
    /// Of all threads, or of those before this one.
    Collective(SubgroupOperation, CollectiveOperation),
    /// The value of the first thread.
    First,
    /// That of the thread whose number is the second operand.
    At,
    Swap(Direction),
    Input(BuiltIn),
    Ballot,
    /// How many threads, or how many before this one, have the truth value.
    Count(CollectiveOperation),
    IsFirst,
    AllEqual,
}

fn rule(op: WaveOp) -> Option<Rule> {
    use CollectiveOperation::{ExclusiveScan, Reduce};
    use SubgroupOperation as Sub;
    Some(match op {
        WaveOp::AllEqual => Rule::AllEqual,
        WaveOp::AllTrue => Rule::Collective(Sub::All, Reduce),
        WaveOp::AnyTrue => Rule::Collective(Sub::Any, Reduce),
        WaveOp::Ballot => Rule::Ballot,
        WaveOp::BitAnd => Rule::Collective(Sub::And, Reduce),
        WaveOp::BitOr => Rule::Collective(Sub::Or, Reduce),
        WaveOp::BitXor => Rule::Collective(Sub::Xor, Reduce),
        WaveOp::CountBits => Rule::Count(Reduce),
        WaveOp::IsFirstLane => Rule::IsFirst,
        WaveOp::LaneCount => Rule::Input(BuiltIn::SubgroupSize),
        WaveOp::LaneIndex => Rule::Input(BuiltIn::SubgroupInvocationId),
        WaveOp::Max => Rule::Collective(Sub::Max, Reduce),
        WaveOp::Min => Rule::Collective(Sub::Min, Reduce),
        WaveOp::PrefixCountBits => Rule::Count(ExclusiveScan),
        WaveOp::PrefixProduct => Rule::Collective(Sub::Mul, ExclusiveScan),
        WaveOp::PrefixSum => Rule::Collective(Sub::Add, ExclusiveScan),
        WaveOp::Product => Rule::Collective(Sub::Mul, Reduce),
        WaveOp::QuadReadAcrossDiagonal => Rule::Swap(Direction::Diagonal),
        WaveOp::QuadReadAcrossX => Rule::Swap(Direction::X),
        WaveOp::QuadReadAcrossY => Rule::Swap(Direction::Y),
        WaveOp::ReadLaneFirst => Rule::First,
        // A broadcast wants a constant.
        WaveOp::ReadLaneAt | WaveOp::Broadcast | WaveOp::Shuffle => Rule::At,
        WaveOp::Sum => Rule::Collective(Sub::Add, Reduce),
        WaveOp::WaveCount => Rule::Input(BuiltIn::NumSubgroups),
        WaveOp::WaveIndex => Rule::Input(BuiltIn::SubgroupId),
        WaveOp::ActiveMask
        | WaveOp::ActiveMulti
        | WaveOp::ClusteredRotate
        | WaveOp::ConvergedMask
        | WaveOp::ConvergedMulti
        | WaveOp::LaneEqMask
        | WaveOp::LaneGeMask
        | WaveOp::LaneGtMask
        | WaveOp::LaneLeMask
        | WaveOp::LaneLtMask
        | WaveOp::Match
        | WaveOp::PrefixBitAnd
        | WaveOp::PrefixBitOr
        | WaveOp::PrefixBitXor
        | WaveOp::PrefixMax
        | WaveOp::PrefixMin
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadLaneAt
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation => return None,
    })
}

fn input_name(builtin: BuiltIn) -> &'static str {
    match builtin {
        BuiltIn::SubgroupSize => "lane_count",
        BuiltIn::SubgroupInvocationId => "lane_index",
        BuiltIn::NumSubgroups => "wave_count",
        _ => "wave_index",
    }
}

impl ModuleWriter<'_> {
    /// The variable through which functions that are no entry points see a number of the wave.
    fn wave_variable(&mut self, builtin: BuiltIn) -> Result<Handle<GlobalVariable>, String> {
        if let Some(&(_, variable)) = self.wave_inputs.iter().find(|(other, _)| *other == builtin) {
            return Ok(variable);
        }
        let ty = self.add_type(None, TypeInner::Scalar(naga::Scalar::U32))?;
        let variable = GlobalVariable {
            name: Some(format!("this_{}", input_name(builtin))),
            space: naga::AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variable = self.out.global_variables.append(variable, naga::Span::UNDEFINED);
        self.wave_inputs.push((builtin, variable));
        Ok(variable)
    }
}

impl FunctionWriter<'_, '_> {
    pub(super) fn wave(&mut self, op: WaveOp, args: &[Expr], ty: TypeId) -> Result<Value, EmitError> {
        let refused = |f: &Self| f.refused(Intrinsic::Wave(op));
        let rule = rule(op).ok_or_else(|| refused(self))?;
        let is_value = |arg: &Expr| matches!(self.type_of(arg.ty), Type::Scalar(_) | Type::Vector { .. });
        if !args.iter().all(is_value) || !self.fits(&rule, args, ty) {
            return Err(refused(self));
        }
        self.module.has_waves = true;
        match (rule, args) {
            (Rule::Collective(op, over), [value]) => {
                let argument = self.expr(value)?;
                self.collective(op, over, argument, ty)
            }
            (Rule::First, [value]) => {
                let argument = self.expr(value)?;
                self.gathered(GatherMode::BroadcastFirst, argument, ty)
            }
            (Rule::At, [value, thread]) => {
                let argument = self.expr(value)?;
                let thread = self.index(thread)?;
                self.gathered(GatherMode::Shuffle(thread), argument, ty)
            }
            (Rule::Swap(direction), [value]) => {
                let argument = self.expr(value)?;
                self.gathered(GatherMode::QuadSwap(direction), argument, ty)
            }
            (Rule::Input(builtin), []) => self.wave_input(builtin),
            (Rule::Ballot, [value]) => {
                let predicate = Some(self.expr(value)?);
                let result = self.add(Expression::SubgroupBallotResult);
                self.push(Statement::SubgroupBallot { result, predicate });
                Ok(result)
            }
            (Rule::Count(over), [value]) => {
                let condition = self.expr(value)?;
                let (accept, reject) = (self.u32(1), self.u32(0));
                let argument = self.add(Expression::Select { condition, accept, reject });
                self.collective(SubgroupOperation::Add, over, argument, ty)
            }
            (Rule::IsFirst, []) => {
                // No active thread comes before the first.
                let one = self.u32(1);
                let u32 = self.naga_type(TypeInner::Scalar(naga::Scalar::U32))?;
                let argument = self.add_local("one", u32, Some(one));
                let argument = self.add(Expression::Load { pointer: argument });
                let before =
                    self.collective_of(SubgroupOperation::Add, CollectiveOperation::ExclusiveScan, argument, u32);
                let zero = self.u32(0);
                Ok(self.binary(BinaryOperator::Equal, before, zero))
            }
            (Rule::AllEqual, [value]) if self.scalar_of(value.ty) != Scalar::Bool => {
                let argument = self.expr(value)?;
                let first = self.gathered(GatherMode::BroadcastFirst, argument, value.ty)?;
                let mut is_first = self.binary(BinaryOperator::Equal, argument, first);
                if let Type::Vector { .. } = self.type_of(value.ty) {
                    is_first = self.add(Expression::Relational { fun: RelationalFunction::All, argument: is_first });
                }
                self.collective(SubgroupOperation::All, CollectiveOperation::Reduce, is_first, ty)
            }
            _ => Err(refused(self)),
        }
    }

    /// Whether operands and result have the types that the target knows for the operation.
    fn fits(&self, rule: &Rule, args: &[Expr], ty: TypeId) -> bool {
        let result = self.type_of(ty);
        let is_truth = |ty: Type| ty == Type::Scalar(Scalar::Bool);
        let is_number = |ty: Type| ty == Type::Scalar(Scalar::U32);
        let first = args.first().map(|arg| self.type_of(arg.ty));
        match rule {
            Rule::Collective(SubgroupOperation::All | SubgroupOperation::Any, _) => {
                is_truth(result) && first.is_some_and(is_truth)
            }
            Rule::Collective(SubgroupOperation::And | SubgroupOperation::Or | SubgroupOperation::Xor, _) => {
                first == Some(result) && self.scalar_of(ty).is_integer()
            }
            Rule::Collective(..) | Rule::First | Rule::At | Rule::Swap(_) => first == Some(result),
            Rule::Input(_) => is_number(result),
            Rule::Ballot => result == Type::Vector { scalar: Scalar::U32, len: 4 } && first.is_some_and(is_truth),
            Rule::Count(_) => is_number(result) && first.is_some_and(is_truth),
            Rule::IsFirst | Rule::AllEqual => is_truth(result),
        }
    }

    /// A number of the wave: an argument of the entry point, and elsewhere what the entry point has stored.
    fn wave_input(&mut self, builtin: BuiltIn) -> Result<Value, EmitError> {
        if self.takes_inputs {
            return self.wave_argument(builtin);
        }
        let variable = self.module.wave_variable(builtin).map_err(|message| self.error(message))?;
        let pointer = self.add(Expression::GlobalVariable(variable));
        Ok(self.add(Expression::Load { pointer }))
    }

    fn wave_argument(&mut self, builtin: BuiltIn) -> Result<Value, EmitError> {
        if let Some(&(_, argument)) = self.wave_inputs.iter().find(|(other, _)| *other == builtin) {
            return Ok(argument);
        }
        let ty = self.naga_type(TypeInner::Scalar(naga::Scalar::U32))?;
        let index = self.out.arguments.len() as u32;
        let binding = Some(naga::Binding::BuiltIn(builtin));
        self.out.arguments.push(naga::FunctionArgument { name: Some(input_name(builtin).into()), ty, binding });
        let argument = self.add(Expression::FunctionArgument(index));
        self.wave_inputs.push((builtin, argument));
        Ok(argument)
    }

    /// For the functions that are called, all of which are written before their callers.
    pub(super) fn store_wave_inputs(&mut self) -> Result<(), EmitError> {
        for (builtin, variable) in self.module.wave_inputs.clone() {
            let value = self.wave_argument(builtin)?;
            let pointer = self.add(Expression::GlobalVariable(variable));
            self.push(Statement::Store { pointer, value });
        }
        Ok(())
    }

    fn collective(
        &mut self,
        op: SubgroupOperation,
        over: CollectiveOperation,
        argument: Value,
        ty: TypeId,
    ) -> Result<Value, EmitError> {
        let ty = self.value_type(ty)?;
        Ok(self.collective_of(op, over, argument, ty))
    }

    fn collective_of(
        &mut self,
        op: SubgroupOperation,
        collective_op: CollectiveOperation,
        argument: Value,
        ty: naga::Handle<naga::Type>,
    ) -> Value {
        let result = self.add(Expression::SubgroupOperationResult { ty });
        self.push(Statement::SubgroupCollectiveOperation { op, collective_op, argument, result });
        result
    }

    fn gathered(&mut self, mode: GatherMode, argument: Value, ty: TypeId) -> Result<Value, EmitError> {
        if self.scalar_of(ty) != Scalar::Bool {
            return self.gathered_numbers(mode, argument, ty);
        }
        // Truth values go as numbers.
        let words = match self.type_of(ty) {
            Type::Vector { len, .. } => self.module.module.types.vector(Scalar::U32, len),
            _ => self.module.module.types.scalar(Scalar::U32),
        };
        let argument = self.add(Expression::As { expr: argument, kind: naga::ScalarKind::Uint, convert: Some(4) });
        let gathered = self.gathered_numbers(mode, argument, words)?;
        let words = self.value_type(words)?;
        let zero = self.add(Expression::ZeroValue(words));
        Ok(self.binary(BinaryOperator::NotEqual, gathered, zero))
    }

    fn gathered_numbers(&mut self, mode: GatherMode, argument: Value, ty: TypeId) -> Result<Value, EmitError> {
        let ty = self.value_type(ty)?;
        let result = self.add(Expression::SubgroupOperationResult { ty });
        self.push(Statement::SubgroupGather { mode, argument, result });
        Ok(result)
    }
}
