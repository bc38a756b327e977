//! Statements, and the blocks that control flow consists of.

use ir::intrinsic::{FragmentOp, RayOp, RayQueryOp, TextureOp};
use ir::{Advice, Intrinsic, Scalar, SpanId, Type};
use spirv::{LoopControl, MemorySemantics, Op, SelectionControl};

use super::constants;
use super::function::{FunctionWriter, LoopLabels, Slot};
use super::words::Id;
use crate::EmitError;
use crate::tree::{Block, Expr, ExprKind, Start, Stmt, StmtKind};

/// Scopes of execution and memory.
pub(super) const DEVICE: u32 = spirv::Scope::Device as u32;
pub(super) const GROUP: u32 = spirv::Scope::Workgroup as u32;

impl FunctionWriter<'_, '_> {
    pub(super) fn statements(&mut self, block: &[Stmt]) -> Result<(), EmitError> {
        for stmt in block {
            if self.is_terminated {
                // What stands behind the end of a block is never reached.
                break;
            }
            if stmt.span != SpanId::NONE {
                self.span = stmt.span;
            }
            self.statement(stmt)?;
        }
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), EmitError> {
        match &stmt.kind {
            StmtKind::Declare { local, init: None } => {
                // Where a way to a read writes nothing, zero is read.
                let data = &self.tree.locals[*local];
                if matches!(data.start, Start::Value | Start::Storage)
                    && let Some(Slot::Pointer(pointer)) = self.known_slot(*local)
                {
                    let ty = self.value_type(data.ty)?;
                    let zero = self.module.null(ty);
                    self.store_pointer(pointer, zero);
                }
            }
            StmtKind::Declare { local, init: Some(init) } => {
                let value = self.expr(init)?;
                match self.known_slot(*local) {
                    Some(Slot::Pointer(pointer)) => self.store_pointer(pointer, value),
                    Some(Slot::Value(_)) | None => self.set_value(*local, value),
                }
            }
            StmtKind::Assign { place, value } => {
                let value = self.expr(value)?;
                let place = self.local_place(place)?;
                self.store_place(&place, value)?;
            }
            StmtKind::Store { handle, path, value } => self.store(handle, path, value)?,
            StmtKind::ByteStore { handle, offset, value } => self.store_bytes(handle, offset, value)?,
            StmtKind::Evaluate(expr) => self.evaluate(expr)?,
            StmtKind::Call { callee, args } => {
                self.call(*callee, args)?;
            }
            StmtKind::If { advice, cond, then, otherwise } => {
                let cond = self.expr(cond)?;
                self.selection(
                    cond,
                    *advice,
                    |f| f.statements(then),
                    |f| f.statements(otherwise),
                    otherwise.is_empty(),
                )?;
            }
            StmtKind::Switch { advice, selector, cases, default } => self.switch(*advice, selector, cases, default)?,
            StmtKind::For { advice, init, cond, step, body } => {
                self.statement(init)?;
                self.cycle(*advice, Some(cond), body, Some(step))?;
            }
            StmtKind::While { advice, cond, body } => self.cycle(*advice, Some(cond), body, None)?,
            StmtKind::Loop { advice, body } => self.cycle(*advice, None, body, None)?,
            StmtKind::Break => {
                let labels = self.innermost()?;
                self.terminate(Op::Branch, &[labels.merge.0]);
            }
            StmtKind::Continue => {
                let labels = self.innermost()?;
                self.terminate(Op::Branch, &[labels.continuing.0]);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.expr(value)?;
                self.terminate(Op::ReturnValue, &[value.0]);
            }
            StmtKind::Return(None) => self.terminate(Op::Return, &[]),
            StmtKind::Barrier { control } => {
                let semantics = MemorySemantics::ACQUIRE_RELEASE
                    | MemorySemantics::UNIFORM_MEMORY
                    | MemorySemantics::WORKGROUP_MEMORY
                    | MemorySemantics::IMAGE_MEMORY;
                let (group, device) = (self.u32(GROUP), self.u32(DEVICE));
                let semantics = self.u32(semantics.bits());
                match control {
                    true => self.push(Op::ControlBarrier, &[group.0, device.0, semantics.0]),
                    false => self.push(Op::MemoryBarrier, &[device.0, semantics.0]),
                }
            }
            StmtKind::Print { format, args } => self.print(format, args)?,
        }
        Ok(())
    }

    /// An expression for its effect.
    fn evaluate(&mut self, expr: &Expr) -> Result<(), EmitError> {
        let ExprKind::Intrinsic { intrinsic, args } = &expr.kind else { return self.expr(expr).map(|_| ()) };
        match intrinsic {
            Intrinsic::Fragment(FragmentOp::Clip) => self.clip(args),
            Intrinsic::Fragment(FragmentOp::Discard) => self.discard(),
            Intrinsic::Texture(TextureOp::Store) => self.store_texel(args),
            Intrinsic::Texture(TextureOp::Dimensions) => self.dimensions(args),
            Intrinsic::Texture(op) if op.atomic().is_some() => self.texel_atomic(*op, args).map(|_| ()),
            Intrinsic::Fragment(op @ (FragmentOp::BeginInterlock | FragmentOp::EndInterlock)) => self.interlock(*op),
            Intrinsic::Stage(op) => self.stage_statement(*op, args),
            Intrinsic::Ray(op) if *op != RayOp::ReportHit => self.ray_statement(*op, args),
            Intrinsic::RayQuery(op) if *op != RayQueryOp::Proceed => self.query_statement(*op, args),
            _ => self.expr(expr).map(|_| ()),
        }
    }

    fn innermost(&self) -> Result<LoopLabels, EmitError> {
        self.loops.last().copied().ok_or_else(|| self.error("a loop is left outside of one"))
    }

    /// Goes on in another block, if this one has not ended.
    fn branch_to(&mut self, label: Id) -> bool {
        let goes_on = !self.is_terminated;
        if goes_on {
            self.terminate(Op::Branch, &[label.0]);
        }
        goes_on
    }

    /// Begins the block where the ways of a choice or loop meet, if any comes there.
    fn merge(&mut self, label: Id, is_reached: bool) {
        self.label(label);
        match self.loops.last() {
            _ if is_reached => {}
            // There are devices whose compilers do not end where a block in a loop leads nowhere.
            Some(&LoopLabels { continuing, .. }) => self.terminate(Op::Branch, &[continuing.0]),
            None => self.terminate(Op::Unreachable, &[]),
        }
    }

    pub(super) fn selection(
        &mut self,
        cond: Id,
        advice: Option<Advice>,
        then: impl FnOnce(&mut Self) -> Result<(), EmitError>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), EmitError>,
        has_no_otherwise: bool,
    ) -> Result<(), EmitError> {
        let (accept, merge) = (self.module.out.fresh(), self.module.out.fresh());
        let reject = if has_no_otherwise { merge } else { self.module.out.fresh() };
        self.push(Op::SelectionMerge, &[merge.0, selection_control(advice).bits()]);
        self.terminate(Op::BranchConditional, &[cond.0, accept.0, reject.0]);
        self.label(accept);
        then(self)?;
        let mut is_reached = self.branch_to(merge) | has_no_otherwise;
        if !has_no_otherwise {
            self.label(reject);
            otherwise(self)?;
            is_reached |= self.branch_to(merge);
        }
        self.merge(merge, is_reached);
        Ok(())
    }

    fn switch(
        &mut self,
        advice: Option<Advice>,
        selector: &Expr,
        cases: &[(Vec<i64>, Block)],
        default: &Block,
    ) -> Result<(), EmitError> {
        let scalar = match self.type_of(selector.ty) {
            Type::Scalar(scalar) if scalar.is_integer() => scalar,
            _ => return Err(self.error("a `switch` over this type is not supported for target `spirv`")),
        };
        let value = self.expr(selector)?;
        let (merge, other) = (self.module.out.fresh(), self.module.out.fresh());
        let labels: Vec<Id> = cases.iter().map(|_| self.module.out.fresh()).collect();
        let mut operands = vec![value.0, other.0];
        for ((numbers, _), label) in cases.iter().zip(&labels) {
            for &number in numbers {
                operands.extend(constants::words(ir::Constant::Int(number), scalar));
                operands.push(label.0);
            }
        }
        self.push(Op::SelectionMerge, &[merge.0, selection_control(advice).bits()]);
        self.terminate(Op::Switch, &operands);
        let mut is_reached = false;
        for ((_, block), label) in cases.iter().zip(&labels) {
            self.label(*label);
            self.statements(block)?;
            is_reached |= self.branch_to(merge);
        }
        self.label(other);
        self.statements(default)?;
        is_reached |= self.branch_to(merge);
        self.merge(merge, is_reached);
        Ok(())
    }

    fn cycle(
        &mut self,
        advice: Option<Advice>,
        cond: Option<&Expr>,
        body: &Block,
        step: Option<&Stmt>,
    ) -> Result<(), EmitError> {
        let control = match advice {
            Some(Advice::Unroll) => LoopControl::UNROLL,
            Some(Advice::Loop) => LoopControl::DONT_UNROLL,
            Some(Advice::Branch | Advice::Flatten) | None => LoopControl::NONE,
        };
        let is_endless = cond.is_none_or(|cond| cond.kind == ExprKind::Const(ir::Constant::Bool(true)));
        let test = cond.filter(|_| !is_endless);
        let is_left = !is_endless || leaves(body);
        self.repeat(
            control,
            is_left,
            |f, merge| {
                if let Some(test) = test {
                    let (cond, inside) = (f.expr(test)?, f.module.out.fresh());
                    f.terminate(Op::BranchConditional, &[cond.0, inside.0, merge.0]);
                    f.label(inside);
                }
                f.statements(body)
            },
            |f| step.map_or(Ok(()), |step| f.statement(step)),
        )
    }

    /// A loop. `body` begins in a block of its own, and may branch to where the loop ends.
    pub(super) fn repeat(
        &mut self,
        control: LoopControl,
        is_left: bool,
        body: impl FnOnce(&mut Self, Id) -> Result<(), EmitError>,
        step: impl FnOnce(&mut Self) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let [header, first, continuing, merge] = [(); 4].map(|()| self.module.out.fresh());
        self.terminate(Op::Branch, &[header.0]);
        self.label(header);
        self.push(Op::LoopMerge, &[merge.0, continuing.0, control.bits()]);
        self.terminate(Op::Branch, &[first.0]);
        self.label(first);
        self.loops.push(LoopLabels { merge, continuing });
        let written = body(self, merge);
        self.loops.pop();
        written?;
        self.branch_to(continuing);
        self.label(continuing);
        step(self)?;
        self.branch_to(header);
        self.merge(merge, is_left);
        Ok(())
    }

    /// `printf`, by the instructions that validation layers know.
    fn print(&mut self, format: &str, args: &[Expr]) -> Result<(), EmitError> {
        self.module.out.require_extension("SPV_KHR_non_semantic_info");
        let (set, text) = (self.module.out.import("NonSemantic.DebugPrintf"), self.module.out.string(format));
        let mut operands = vec![set.0, 1, text.0];
        for arg in args {
            operands.push(self.expr(arg)?.0);
        }
        let void = self.module.void();
        self.value_with(Op::ExtInst, void, &operands);
        Ok(())
    }

    /// The words of a type's numbers, if it is one of them.
    pub(super) fn scalar_of(&self, ty: ir::TypeId) -> Scalar {
        match self.type_of(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar,
            _ => Scalar::F32,
        }
    }
}

fn selection_control(advice: Option<Advice>) -> SelectionControl {
    match advice {
        Some(Advice::Flatten) => SelectionControl::FLATTEN,
        Some(Advice::Branch) => SelectionControl::DONT_FLATTEN,
        Some(Advice::Unroll | Advice::Loop) | None => SelectionControl::NONE,
    }
}

/// Whether a `break` leaves the loop whose body this is.
fn leaves(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Loop { .. } => false,
        _ => stmt.blocks().into_iter().any(|block| leaves(block)),
    })
}
