//! Branches: `if`, conditional expressions and whatever else splits control and joins it again.

use hir_def::{
    attribute::{AttributeId, AttributeKind},
    body::{Condition, Expr, ExprId, StmtId},
};
use ir::{Advice, Op, OpId, RegionId, Terminator, TypeId, ValueId};

use super::{
    BodyLowering,
    environment::{Arm, Environment, VariableId, join},
};
use crate::error::{Lowering, Stop};

impl BodyLowering<'_, '_> {
    /// Lowers one arm of a branch into a region of its own, starting from the variables `before`.
    pub(super) fn arm(
        &mut self,
        before: &Environment,
        params: &[TypeId],
        lower: impl FnOnce(&mut Self, &[ValueId]) -> Lowering<()>,
    ) -> Lowering<Arm> {
        let region = self.b.new_region(params);
        let outer = self.b.switch_to(region);
        self.env = before.clone();
        self.reachable = true;
        let params = self.b.params(region);
        let result = lower(self, &params);
        self.b.switch_to(outer);
        result?;
        let end = self.reachable.then(|| self.env.take());
        Ok(Arm { region, end })
    }

    /// Joins the arms of a branch: appends the op that `make` builds from their regions, whose results are the variables
    /// that the arms changed.
    pub(super) fn join_arms(
        &mut self,
        before: Environment,
        arms: &[Arm],
        make: impl FnOnce(&[RegionId]) -> Op,
    ) -> Lowering<()> {
        let regions: Vec<RegionId> = arms.iter().map(|arm| arm.region).collect();
        let joined = join(&mut self.b, &before, arms)?;
        self.env = before;
        match joined {
            Some(changed) => {
                // The types at the end of an arm: a variable keeps its type, but one that was declared without a value
                // may have been replaced.
                let types = self.variable_types(&changed)?;
                let op = self.b.op(make(&regions), &types);
                self.set_results(op, &changed)?;
                self.reachable = true;
            }
            None => {
                self.b.op(make(&regions), &[]);
                self.terminate(Terminator::Unreachable);
            }
        }
        Ok(())
    }

    fn variable_types(&self, variables: &[VariableId]) -> Lowering<Vec<TypeId>> {
        variables.iter().map(|&variable| Ok(self.b.ty(self.env.get(variable)?))).collect()
    }

    /// What the attributes of a statement ask of the target's compiler.
    pub(super) fn advice(&self, attributes: &[AttributeId]) -> Option<Advice> {
        attributes.iter().find_map(|id| match self.scope.store.attributes[*id].kind? {
            AttributeKind::Branch => Some(Advice::Branch),
            AttributeKind::Flatten => Some(Advice::Flatten),
            AttributeKind::Unroll => Some(Advice::Unroll),
            AttributeKind::Loop => Some(Advice::Loop),
            _ => None,
        })
    }

    /// Gives the choice that has just been made what its attributes ask for.
    pub(super) fn advise(&mut self, attributes: &[AttributeId]) {
        let Some(advice) = self.advice(attributes) else { return };
        let ops = &self.b.func.regions[self.b.current()].ops;
        let Some(&last) = ops.last() else { return };
        let data = &mut self.b.func.ops[last];
        if matches!(data.op, Op::If { .. } | Op::Switch { .. }) {
            data.advice = Some(advice);
        }
    }

    /// Gives each variable the op's result for it.
    pub(super) fn set_results(&mut self, op: OpId, variables: &[VariableId]) -> Lowering<()> {
        let results = self.b.results(op).to_vec();
        for (&variable, result) in variables.iter().zip(results) {
            self.env.set_named(&mut self.b, variable, result)?;
        }
        Ok(())
    }

    pub(super) fn branch(
        &mut self,
        cond: ValueId,
        then: impl FnOnce(&mut Self) -> Lowering<()>,
        otherwise: impl FnOnce(&mut Self) -> Lowering<()>,
    ) -> Lowering<()> {
        let before = self.env.clone();
        let arms = [self.arm(&before, &[], |this, _| then(this))?, self.arm(&before, &[], |this, _| otherwise(this))?];
        self.join_arms(before, &arms, |regions| Op::If { cond, then: regions[0], otherwise: regions[1] })
    }

    pub(super) fn if_statement(&mut self, cond: Condition, then: StmtId, otherwise: Option<StmtId>) -> Lowering<()> {
        // `if (T is IFoo)`: what would be done with another type need not make sense with this one.
        if let Condition::Expr(expr) = cond
            && let Expr::Is { operand, ty } = self.scope.store.exprs[expr]
            && let Some(answer) = self.known_type_test(operand, ty)?
        {
            let taken = if answer { Some(then) } else { otherwise };
            return taken.map_or(Ok(()), |taken| self.scoped_statement(taken));
        }
        let (cond, bound) = self.condition(cond)?;
        self.branch(
            cond,
            |this| {
                if let Some((local, value)) = bound {
                    this.bind(local, value)?;
                }
                this.scoped_statement(then)
            },
            |this| otherwise.map_or(Ok(()), |otherwise| this.scoped_statement(otherwise)),
        )
    }

    /// The condition as a `bool`, and what `if (let x = optional)` binds where it holds.
    pub(super) fn condition(
        &mut self,
        cond: Condition,
    ) -> Lowering<(ValueId, Option<(hir_def::body::LocalId, ValueId)>)> {
        match cond {
            Condition::Expr(expr) => Ok((self.truth(expr)?, None)),
            Condition::Let { local, init } => {
                let optional = self.value(init)?;
                let present = self.b.field(optional, crate::fields::OPTIONAL_HAS_VALUE);
                let value = self.b.field(optional, crate::fields::OPTIONAL_VALUE);
                Ok((present, Some((local, value))))
            }
        }
    }

    /// An expression as a `bool`.
    pub(super) fn truth(&mut self, expr: ExprId) -> Lowering<ValueId> {
        let value = self.value(expr)?;
        let bool = self.b.types.bool();
        self.coerce(value, bool)
    }

    /// `cond ? then : otherwise` with just one of them evaluated, or `&&` and `||`. Becomes a `select` when neither does
    /// anything.
    pub(super) fn lazy_choice(
        &mut self,
        cond: ValueId,
        then: impl FnOnce(&mut Self) -> Lowering<ValueId>,
        otherwise: impl FnOnce(&mut Self) -> Lowering<ValueId>,
    ) -> Lowering<ValueId> {
        let before = self.env.clone();
        let mut values = Vec::new();
        let mut arms = Vec::new();
        let then_arm = self.arm(&before, &[], |this, _| {
            values.push(then(this)?);
            Ok(())
        })?;
        arms.push(then_arm);
        let otherwise_arm = self.arm(&before, &[], |this, _| {
            let value = otherwise(this)?;
            values.push(value);
            Ok(())
        })?;
        arms.push(otherwise_arm);
        let (&[then_value, otherwise_value], [Some(_), Some(_)]) =
            (values.as_slice(), [&arms[0].end, &arms[1].end].map(Option::as_ref))
        else {
            return Err(Stop::broken("an expression that leaves the function"));
        };
        let ty = self.b.ty(then_value);
        if self.b.ty(otherwise_value) != ty {
            return Err(Stop::broken("a choice between values of different types"));
        }
        let unchanged = arms.iter().filter_map(|arm| arm.end.as_ref()).all(|end| before.changed_in(end).count() == 0);
        if unchanged && arms.iter().all(|arm| self.only_constants(arm.region)) {
            for arm in &arms {
                self.inline_region(arm.region);
            }
            self.env = before;
            return Ok(self.b.select(cond, then_value, otherwise_value));
        }
        let changed = join(&mut self.b, &before, &arms)?.unwrap_or_default();
        self.env = before;
        let mut types = vec![ty];
        types.extend(self.variable_types(&changed)?);
        for (arm, value) in arms.iter().zip([then_value, otherwise_value]) {
            let terminator = &mut self.b.func.regions[arm.region].terminator;
            if let Terminator::Yield(values) = terminator {
                values.insert(0, value);
            }
        }
        let op = self.b.op(Op::If { cond, then: arms[0].region, otherwise: arms[1].region }, &types);
        let results = self.b.results(op).to_vec();
        for (&variable, &result) in changed.iter().zip(&results[1..]) {
            self.env.set_named(&mut self.b, variable, result)?;
        }
        self.reachable = true;
        Ok(results[0])
    }

    /// Whether evaluating the region at any time costs and changes nothing.
    pub(super) fn only_constants(&self, region: RegionId) -> bool {
        let ops = &self.b.func.regions[region].ops;
        ops.iter().all(|&op| matches!(self.b.func.ops[op].op, Op::Const(_) | Op::Zero))
    }

    /// Moves the ops of a region without parameters to the cursor.
    pub(super) fn inline_region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.b.func.regions[region].ops);
        let current = self.b.current();
        self.b.func.regions[current].ops.extend(ops);
    }
}
