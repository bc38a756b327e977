//! Operations between the threads of a wave, which is called a subgroup here.

use ir::{
    Intrinsic, Scalar, Type, TypeId,
    intrinsic::{
        WaveOp, WaveSubsetOp,
        waves::{Extent, Fold},
    },
};
use spirv::{BuiltIn, Capability, GroupOperation, Op, Scope};

use super::arithmetic::{Kind, kind};
use super::function::FunctionWriter;
use super::words::Id;
use crate::EmitError;
use crate::tree::Expr;

/// How an operation is said.
enum Rule {
    /// Of all threads, or of those before this one: of truth values, signed and unsigned integers, and floats.
    Collective(GroupOperation, [Option<Op>; 4]),
    All(Op),
    /// The value of the first thread.
    First,
    /// That of the thread whose number is the second operand.
    At,
    /// That of a neighbour in the quad.
    Swap(u32),
    Input(BuiltIn),
    Ballot,
    /// How many threads, or how many before this one, have the truth value.
    Count(GroupOperation),
    IsFirst,
    AllEqual,
    /// The mask of those with the same value.
    Partition,
}

/// Of truth values, signed and unsigned integers, and floats.
fn instructions(combine: Fold) -> [Option<Op>; 4] {
    let numbers = |signed, unsigned, float| [None, Some(signed), Some(unsigned), Some(float)];
    let bits = |truth, bits| [Some(truth), Some(bits), Some(bits), None];
    match combine {
        Fold::Sum => numbers(Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd),
        Fold::Product => numbers(Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul),
        Fold::Min => numbers(Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin),
        Fold::Max => numbers(Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax),
        Fold::And => bits(Op::GroupNonUniformLogicalAnd, Op::GroupNonUniformBitwiseAnd),
        Fold::Or => bits(Op::GroupNonUniformLogicalOr, Op::GroupNonUniformBitwiseOr),
        Fold::Xor => bits(Op::GroupNonUniformLogicalXor, Op::GroupNonUniformBitwiseXor),
    }
}

fn rule(op: WaveOp) -> Option<Rule> {
    use GroupOperation::{ExclusiveScan, Reduce};
    let collective = |over, combine| Rule::Collective(over, instructions(combine));
    Some(match op {
        WaveOp::AllEqual => Rule::AllEqual,
        WaveOp::AllTrue => Rule::All(Op::GroupNonUniformAll),
        WaveOp::AnyTrue => Rule::All(Op::GroupNonUniformAny),
        WaveOp::Ballot => Rule::Ballot,
        WaveOp::BitAnd => collective(Reduce, Fold::And),
        WaveOp::BitOr => collective(Reduce, Fold::Or),
        WaveOp::BitXor => collective(Reduce, Fold::Xor),
        WaveOp::CountBits => Rule::Count(Reduce),
        WaveOp::IsFirstLane => Rule::IsFirst,
        WaveOp::LaneCount => Rule::Input(BuiltIn::SubgroupSize),
        WaveOp::LaneIndex => Rule::Input(BuiltIn::SubgroupLocalInvocationId),
        WaveOp::Match => Rule::Partition,
        WaveOp::Max => collective(Reduce, Fold::Max),
        WaveOp::Min => collective(Reduce, Fold::Min),
        WaveOp::PrefixBitAnd => collective(ExclusiveScan, Fold::And),
        WaveOp::PrefixBitOr => collective(ExclusiveScan, Fold::Or),
        WaveOp::PrefixBitXor => collective(ExclusiveScan, Fold::Xor),
        WaveOp::PrefixMax => collective(ExclusiveScan, Fold::Max),
        WaveOp::PrefixMin => collective(ExclusiveScan, Fold::Min),
        WaveOp::PrefixCountBits => Rule::Count(ExclusiveScan),
        WaveOp::PrefixProduct => collective(ExclusiveScan, Fold::Product),
        WaveOp::PrefixSum => collective(ExclusiveScan, Fold::Sum),
        WaveOp::Product => collective(Reduce, Fold::Product),
        WaveOp::QuadReadAcrossX => Rule::Swap(0),
        WaveOp::QuadReadAcrossY => Rule::Swap(1),
        WaveOp::QuadReadAcrossDiagonal => Rule::Swap(2),
        WaveOp::ReadLaneFirst => Rule::First,
        // A broadcast wants a number that is the same in all threads.
        WaveOp::ReadLaneAt | WaveOp::Broadcast | WaveOp::Shuffle => Rule::At,
        WaveOp::Sum => collective(Reduce, Fold::Sum),
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
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadLaneAt => return None,
    })
}

/// What a device must have for it.
fn capability(rule: &Rule) -> Capability {
    use GroupOperation::{
        ClusteredReduce, ExclusiveScan, InclusiveScan, PartitionedExclusiveScanEXT, PartitionedInclusiveScanEXT,
        PartitionedReduceEXT, Reduce,
    };
    match rule {
        Rule::Collective(Reduce | InclusiveScan | ExclusiveScan | ClusteredReduce, _) => {
            Capability::GroupNonUniformArithmetic
        }
        Rule::Collective(PartitionedReduceEXT | PartitionedInclusiveScanEXT | PartitionedExclusiveScanEXT, _) => {
            Capability::GroupNonUniformPartitionedNV
        }
        Rule::All(_) | Rule::AllEqual => Capability::GroupNonUniformVote,
        Rule::First | Rule::Ballot | Rule::Count(_) => Capability::GroupNonUniformBallot,
        Rule::At => Capability::GroupNonUniformShuffle,
        Rule::Swap(_) => Capability::GroupNonUniformQuad,
        Rule::Input(_) | Rule::IsFirst => Capability::GroupNonUniform,
        Rule::Partition => Capability::GroupNonUniformPartitionedNV,
    }
}

impl FunctionWriter<'_, '_> {
    pub(super) fn wave(&mut self, op: WaveOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::Wave(op));
        let rule = rule(op).ok_or_else(|| refused(self))?;
        self.require_for(&rule);
        if let Rule::Input(builtin) = rule {
            return self.input(builtin, ty);
        }
        let values = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let operand = args.first().map_or(ty, |arg| arg.ty);
        self.of_parts(&rule, &values, operand, args, ty).ok_or_else(|| refused(self))?
    }

    /// An operation between those that a partition puts together: the last operand is the mask of this one's part.
    pub(super) fn wave_part(&mut self, op: WaveSubsetOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::WaveSubset(op));
        let (Some((over, combine)), [value, _mask]) = (op.fold_of_part(), args) else {
            return Err(refused(self));
        };
        let over = match over {
            Extent::All => GroupOperation::PartitionedReduceEXT,
            Extent::UpToThis => GroupOperation::PartitionedInclusiveScanEXT,
            Extent::BeforeThis => GroupOperation::PartitionedExclusiveScanEXT,
        };
        let rule = Rule::Collective(over, instructions(combine));
        self.require_for(&rule);
        let values = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        self.of_parts(&rule, &values, value.ty, args, ty).ok_or_else(|| refused(self))?
    }

    fn require_for(&mut self, rule: &Rule) {
        let capability = capability(rule);
        self.module.out.require(Capability::GroupNonUniform);
        self.module.out.require(capability);
        if capability == Capability::GroupNonUniformPartitionedNV {
            self.module.out.require_extension("SPV_NV_shader_subgroup_partitioned");
        }
    }

    /// The operation of a scalar or vector, or of each row of a matrix: of matrices there is none, nor of the arrays that
    /// stand for others.
    fn of_parts(
        &mut self,
        rule: &Rule,
        values: &[Id],
        operand: TypeId,
        args: &[Expr],
        ty: TypeId,
    ) -> Option<Result<Id, EmitError>> {
        let (element, count) = match self.type_of(operand) {
            Type::Matrix { rows, .. } => (self.element_type(operand), u32::from(rows)),
            Type::Array { element, len } => (element, len),
            Type::Scalar(_) | Type::Vector { .. } => return self.of_vector(rule, values, operand, args, ty),
            Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return None,
        };
        // That would be a truth value of each row.
        if ty != operand || matches!(rule, Rule::AllEqual | Rule::Partition) {
            return None;
        }
        let element_type = match self.value_type(element) {
            Ok(element_type) => element_type,
            Err(error) => return Some(Err(error)),
        };
        let (mut parts, mut operands) = (Vec::new(), values.to_vec());
        for index in 0..count {
            operands[0] = self.extract(element_type, *values.first()?, &[index]);
            match self.of_parts(rule, &operands, element, args, element)? {
                Ok(part) => parts.push(part),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(self.make(ty, &parts))
    }

    fn of_vector(
        &mut self,
        rule: &Rule,
        values: &[Id],
        operand: TypeId,
        args: &[Expr],
        ty: TypeId,
    ) -> Option<Result<Id, EmitError>> {
        let result = match self.value_type(ty) {
            Ok(result) => result,
            Err(error) => return Some(Err(error)),
        };
        let (wave, bool_) = (self.u32(Scope::Subgroup as u32), self.module.scalar_type(Scalar::Bool));
        let (word, words) = (self.module.scalar_type(Scalar::U32), self.module.vector_type(Scalar::U32, 4));
        let is_truth = self.type_of(operand) == Type::Scalar(Scalar::Bool);
        Some(Ok(match (rule, values) {
            (Rule::Collective(over, ops), &[value, ref mask @ ..]) if ty == operand => {
                let op = match kind(self.scalar_of(ty)) {
                    Kind::Bool => ops[0],
                    Kind::Signed => ops[1],
                    Kind::Unsigned => ops[2],
                    Kind::Float => ops[3],
                }?;
                let mut words = vec![wave.0, *over as u32, value.0];
                words.extend(mask.iter().map(|mask| mask.0));
                self.value_with(op, result, &words)
            }
            (Rule::All(op), &[value]) if is_truth && result == bool_ => self.value(*op, bool_, &[wave, value]),
            (Rule::AllEqual, &[value]) if result == bool_ => {
                self.value(Op::GroupNonUniformAllEqual, bool_, &[wave, value])
            }
            (Rule::First, &[value]) if ty == operand => {
                self.value(Op::GroupNonUniformBroadcastFirst, result, &[wave, value])
            }
            (Rule::At, &[value, thread]) if ty == operand => {
                let scalar = self.scalar_of(args.last()?.ty);
                let thread = self.convert_scalar(thread, scalar, Scalar::U32, 1);
                self.value(Op::GroupNonUniformShuffle, result, &[wave, value, thread])
            }
            (Rule::Swap(direction), &[value]) if ty == operand => {
                let direction = self.u32(*direction);
                self.value(Op::GroupNonUniformQuadSwap, result, &[wave, value, direction])
            }
            (Rule::Ballot, &[value]) if is_truth && result == words => {
                self.value(Op::GroupNonUniformBallot, words, &[wave, value])
            }
            (Rule::Count(over), &[value]) if is_truth && result == word => {
                let ballot = self.value(Op::GroupNonUniformBallot, words, &[wave, value]);
                self.value_with(Op::GroupNonUniformBallotBitCount, word, &[wave.0, *over as u32, ballot.0])
            }
            (Rule::Partition, &[value]) if result == words => {
                self.value(Op::GroupNonUniformPartitionNV, words, &[value])
            }
            (Rule::IsFirst, []) if result == bool_ => self.value(Op::GroupNonUniformElect, bool_, &[wave]),
            _ => return None,
        }))
    }
}
