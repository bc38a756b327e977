//! `switch`. A case that falls through goes on with the statements of the next one: they are lowered again there.

use hir_def::body::{CaseLabel, ExprId, LocalId, Stmt, StmtId, SwitchCase, SwitchSubject, TargetArm};
use ir::{Op, Scalar, Type, ValueId};
use smallvec::SmallVec;

use super::{
    BodyLowering,
    environment::{Arm, Environment},
    jump::{JumpTarget, TargetKind},
};
use crate::{
    error::{Lowering, Stop},
    front,
};

/// How a `switch` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `break` ends a case.
    Alone,
    /// `break` leaves a loop around it, which runs once.
    InLoop,
}

impl BodyLowering<'_, '_> {
    pub(super) fn switch(&mut self, selector: ExprId, cases: &[SwitchCase]) -> Lowering<()> {
        let mut value = self.value(selector)?;
        if let Type::Scalar(Scalar::Bool) = self.b.type_of(value) {
            let int = self.b.types.i32();
            value = self.coerce(value, int)?;
        }
        let text: Vec<StmtId> = cases.iter().flat_map(|case| case.body.iter().copied()).collect();
        if text.iter().any(|&statement| self.breaks_in_branch(statement, false)) {
            return self.run_once(&text, |this| this.switch_op(value, cases, Form::InLoop));
        }
        self.switch_op(value, cases, Form::Alone)
    }

    /// The arm of a `__target_switch` for the target that the program is for. The interpreter, and targets without an arm,
    /// have the one for C++, or the default. A stage switch is one for compute.
    pub(super) fn target_switch(&mut self, subject: SwitchSubject, arms: &[TargetArm]) -> Lowering<()> {
        let target = self.program.target;
        let labelled = |wanted: &str| {
            let is_wanted = |arm: &&TargetArm| {
                arm.labels.iter().filter_map(|label| label.name.as_ref()).any(|name| name.as_str() == wanted)
            };
            arms.iter().find(is_wanted)
        };
        let default = || arms.iter().find(|arm| arm.labels.iter().any(|label| label.name.is_none()));
        let arm = match subject {
            SwitchSubject::Stage => labelled("compute").or_else(default),
            SwitchSubject::Target => target.and_then(labelled).or_else(|| labelled("cpp")).or_else(default),
        };
        let Some(arm) = arm else {
            let message = match (subject, target) {
                (SwitchSubject::Stage, _) => "a `__stage_switch` without an arm for compute or by default".to_owned(),
                (SwitchSubject::Target, None) => "a `__target_switch` without an arm for C++ or by default".to_owned(),
                (SwitchSubject::Target, Some(target)) => {
                    format!("a `__target_switch` without an arm for `{target}`, C++ or by default")
                }
            };
            return Err(Stop::unsupported(message));
        };
        let statements = match arm.body.split_last() {
            Some((last, rest)) if matches!(self.scope.store.stmts[*last], Stmt::Break(None)) => rest,
            _ => &arm.body,
        };
        if statements.iter().any(|&statement| self.breaks_in_branch(statement, true)) {
            return self.run_once(statements, |this| {
                this.in_block(|this| statements.iter().try_for_each(|&statement| this.statement(statement)))
            });
        }
        self.in_block(|this| statements.iter().try_for_each(|&statement| this.statement(statement)))
    }

    /// The op itself.
    fn switch_op(&mut self, selector: ValueId, cases: &[SwitchCase], form: Form) -> Lowering<()> {
        let before = self.env.clone();
        let mut arms = Vec::new();
        let mut labels: Vec<SmallVec<[i64; 2]>> = Vec::new();
        let mut default = None;
        let mut declared = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let mut values = SmallVec::new();
            for label in &case.labels {
                match label {
                    CaseLabel::Default => default = Some(arms.len()),
                    CaseLabel::Value(expr) => match front::constant(self.program.db, &self.scope, *expr) {
                        Some(value) => values.push(value),
                        None => return Err(Stop::unsupported("a `case` label that is not a constant")),
                    },
                }
            }
            labels.push(values);
            arms.push(self.case(&before, &declared, &cases[index..], form)?);
            case.body.iter().for_each(|&statement| self.add_declared(statement, &mut declared));
        }
        let default = match default {
            Some(default) => default,
            None => {
                arms.push(self.arm(&before, &[], |_, _| Ok(()))?);
                labels.push(SmallVec::new());
                arms.len() - 1
            }
        };
        self.join_arms(before, &arms, |regions| {
            let cases = labels
                .iter()
                .zip(regions)
                .enumerate()
                .filter(|(index, _)| *index != default)
                .map(|(_, (values, &region))| (values.clone(), region))
                .collect();
            Op::Switch { selector, cases, default: regions[default] }
        })
    }

    /// One case with the statements that it falls through to, behind the declarations that control does not come by: all cases
    /// are one scope, so that a later one may name what an earlier one declares, which has no value yet.
    fn case(&mut self, before: &Environment, declared: &[LocalId], cases: &[SwitchCase], form: Form) -> Lowering<Arm> {
        let mut end = None;
        let mut arm = self.arm(before, &[], |this, _| {
            if form == Form::Alone {
                let kind = TargetKind::Switch { region: this.b.current(), end: None };
                this.jumps.push(JumpTarget { label: None, kind, defer_level: this.defers.len() });
            }
            let result = this.in_block(|this| {
                declared.iter().for_each(|&local| this.declare_without_value(local));
                cases.iter().flat_map(|case| &case.body).try_for_each(|&statement| this.statement(statement))
            });
            if form == Form::Alone
                && let Some(JumpTarget { kind: TargetKind::Switch { end: reached, .. }, .. }) = this.jumps.pop()
            {
                end = reached;
            }
            result
        })?;
        arm.end = arm.end.or(end);
        Ok(arm)
    }

    /// Adds what a statement declares for those behind it.
    fn add_declared(&self, statement: StmtId, declared: &mut Vec<LocalId>) {
        match &self.scope.store.stmts[statement] {
            Stmt::Let { local, .. } => declared.push(*local),
            Stmt::Sequence(statements) => {
                statements.iter().for_each(|&statement| self.add_declared(statement, declared));
            }
            Stmt::Labeled { body, .. } => self.add_declared(*body, declared),
            _ => {}
        }
    }

    /// Whether a `break` of the `switch` around is inside another statement than a block.
    fn breaks_in_branch(&self, statement: StmtId, in_branch: bool) -> bool {
        match &self.scope.store.stmts[statement] {
            Stmt::Break(None) => in_branch,
            Stmt::Block(statements) | Stmt::Sequence(statements) => {
                statements.iter().any(|&statement| self.breaks_in_branch(statement, in_branch))
            }
            // Inside, `break` means the inner statement, and it does not leave what is deferred.
            Stmt::For { .. }
            | Stmt::While { .. }
            | Stmt::DoWhile { .. }
            | Stmt::CompileTimeFor { .. }
            | Stmt::TargetSwitch { .. }
            | Stmt::Switch { .. }
            | Stmt::Defer(_) => false,
            branch => branch.any_inner(|statement| self.breaks_in_branch(statement, true)),
        }
    }
}
