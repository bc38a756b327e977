//! The walk over a body: what is where, what is visible where, and how regions end. Operations are checked by
//! `op_types`.

use super::{MAX_REGION_DEPTH, Names, Rule, VerifyError, op_types, signature::contains_span, type_text};
use crate::{Func, FuncId, Module, Op, OpId, RegionId, Terminator, Type, TypeId, ValueDef, ValueId, print::ValueNames};

/// Errors of one function after which the rest is not reported: they follow from each other.
const MAX_ERRORS: usize = 50;

pub(super) struct BodyVerifier<'a> {
    pub(super) module: &'a Module,
    pub(super) func: &'a Func,
    id: FuncId,
    /// The op that errors are about.
    op: Option<OpId>,
    names: Names<'a>,
    visible: Vec<bool>,
    seen_ops: Vec<bool>,
    seen_regions: Vec<bool>,
    errors: &'a mut Vec<VerifyError>,
    first_error: usize,
}

/// What a region is to the op that has it.
#[derive(Clone, Copy)]
enum RegionUse {
    Body,
    /// Of an `if`, `switch` or `sum_match`.
    Arm(OpId),
    LoopCond,
    LoopBody(OpId),
}

#[derive(Clone, Copy)]
struct Frame {
    region: RegionId,
    next: usize,
    depth: usize,
    place: RegionUse,
    /// The loop that `break` leaves.
    inner_loop: Option<OpId>,
    /// Inside the condition of some loop.
    in_condition: bool,
}

pub(super) fn verify_body<'a>(module: &'a Module, id: FuncId, errors: &'a mut Vec<VerifyError>) {
    let func = &module.funcs[id];
    let Some(body) = func.body else { return };
    let first_error = errors.len();
    let mut verifier = BodyVerifier {
        module,
        func,
        id,
        op: None,
        names: Names { func, names: None::<ValueNames> },
        visible: vec![false; func.values.len()],
        seen_ops: vec![false; func.ops.len()],
        seen_regions: vec![false; func.regions.len()],
        errors,
        first_error,
    };
    if !ids_exist(&mut verifier, body) {
        return;
    }
    verifier.inputs(body);
    verifier.walk(body);
}

/// Checks the ids that everything else follows, over the whole arenas; whether all exist.
fn ids_exist(verifier: &mut BodyVerifier<'_>, body: RegionId) -> bool {
    let func = verifier.func;
    let has_value = |value: ValueId| (value.into_raw().into_u32() as usize) < func.values.len();
    let has_op = |op: OpId| (op.into_raw().into_u32() as usize) < func.ops.len();
    let has_region = |region: RegionId| (region.into_raw().into_u32() as usize) < func.regions.len();
    let mut missing = Vec::new();
    if !has_region(body) {
        missing.push((None, "the body".to_owned()));
    }
    for (_, value) in func.values.iter() {
        if !verifier.module.types.contains(value.ty) {
            missing.push((None, "a value's type".to_owned()));
        }
    }
    for (_, region) in func.regions.iter() {
        let values = region.params.iter().chain(region.terminator.values());
        if !values.copied().all(has_value) {
            missing.push((None, "a parameter or a value at the end of a region".to_owned()));
        }
        if !region.ops.iter().copied().all(has_op) {
            missing.push((None, "an op of a region".to_owned()));
        }
    }
    for (id, data) in func.ops.iter() {
        if !data.results.iter().copied().all(has_value) || !data.op.operands().into_iter().all(has_value) {
            missing.push((Some(id), "an operand or a result of an op".to_owned()));
        }
        if !data.op.regions().into_iter().all(has_region) {
            missing.push((Some(id), "a region of an op".to_owned()));
        }
        if !contains_span(verifier.module, data.span) {
            missing.push((Some(id), "the span of an op".to_owned()));
        }
    }
    let all = missing.is_empty();
    for (op, what) in missing {
        verifier.op = op;
        verifier.wrong(Rule::Id, format!("{what} does not exist"));
    }
    all
}

impl BodyVerifier<'_> {
    pub(super) fn wrong(&mut self, rule: Rule, message: String) {
        if self.errors.len() - self.first_error < MAX_ERRORS {
            self.errors.push(VerifyError { rule, func: Some(self.id), op: self.op, message });
        }
    }

    pub(super) fn name(&mut self, value: ValueId) -> String {
        self.names.get(value)
    }

    pub(super) fn type_of(&self, value: ValueId) -> Type {
        self.module.types.get(self.func.ty(value))
    }

    pub(super) fn type_text(&self, ty: TypeId) -> String {
        type_text(&self.module.types, ty)
    }

    fn inputs(&mut self, body: RegionId) {
        let func = self.func;
        let params = func.regions[body].params.iter().map(|&value| func.ty(value));
        if !params.eq(func.inputs.iter().map(|input| input.ty)) {
            self.wrong(Rule::Signature, "the parameters of the body are not the inputs".into());
        }
    }

    fn walk(&mut self, body: RegionId) {
        let func = self.func;
        let mut stack: Vec<Frame> = Vec::new();
        let body =
            Frame { region: body, next: 0, depth: 1, place: RegionUse::Body, inner_loop: None, in_condition: false };
        self.enter(body, &mut stack);
        while let Some(frame) = stack.last_mut() {
            let region = &func.regions[frame.region];
            if frame.next == 0 {
                for &param in &region.params {
                    self.visible[param.into_raw().into_u32() as usize] = true;
                }
            }
            if let Some(&done) = frame.next.checked_sub(1).and_then(|index| region.ops.get(index)) {
                // Results are not visible inside the op's own regions.
                for &result in &func.ops[done].results {
                    self.visible[result.into_raw().into_u32() as usize] = true;
                }
            }
            let Some(&op) = region.ops.get(frame.next) else {
                let frame = *frame;
                stack.pop();
                self.leave(frame);
                continue;
            };
            frame.next += 1;
            let frame = *frame;
            self.op(op, frame, &mut stack);
        }
    }

    fn enter(&mut self, frame: Frame, stack: &mut Vec<Frame>) {
        let region = frame.region;
        let seen = &mut self.seen_regions[region.into_raw().into_u32() as usize];
        if std::mem::replace(seen, true) {
            self.wrong(Rule::Tree, "a region is in the body twice".into());
            return;
        }
        if frame.depth > MAX_REGION_DEPTH {
            self.wrong(Rule::Depth, format!("regions nest more than {MAX_REGION_DEPTH} deep"));
            return;
        }
        for (index, &param) in self.func.regions[region].params.iter().enumerate() {
            if self.func.values[param].def != (ValueDef::Param { region, index: index as u32 }) {
                let name = self.name(param);
                self.wrong(Rule::Tree, format!("{name} is a parameter of a region, but its definition says otherwise"));
            }
        }
        stack.push(frame);
    }

    /// The end of a region: checks the terminator, then hides what the region has defined.
    fn leave(&mut self, frame: Frame) {
        let func = self.func;
        let region = &func.regions[frame.region];
        self.op = match frame.place {
            RegionUse::Body | RegionUse::LoopCond => None,
            RegionUse::Arm(op) | RegionUse::LoopBody(op) => Some(op),
        };
        for &value in region.terminator.values() {
            self.check_visible(value);
        }
        self.terminator(frame, &region.terminator);
        let results = region.ops.iter().flat_map(|&op| func.ops[op].results.iter());
        for &value in region.params.iter().chain(results) {
            self.visible[value.into_raw().into_u32() as usize] = false;
        }
    }

    fn op(&mut self, id: OpId, frame: Frame, stack: &mut Vec<Frame>) {
        self.op = Some(id);
        let seen = &mut self.seen_ops[id.into_raw().into_u32() as usize];
        if std::mem::replace(seen, true) {
            self.wrong(Rule::Tree, "an op is in the body twice".into());
            return;
        }
        let data = &self.func.ops[id];
        for (index, &result) in data.results.iter().enumerate() {
            if self.func.values[result].def != (ValueDef::Result { op: id, index: index as u32 }) {
                let name = self.name(result);
                self.wrong(Rule::Tree, format!("{name} is the result of an op, but its definition says otherwise"));
            }
        }
        for operand in data.op.operands() {
            self.check_visible(operand);
        }
        op_types::verify_op(self, data);
        self.op = Some(id);
        let arm = Frame { next: 0, depth: frame.depth + 1, place: RegionUse::Arm(id), ..frame };
        match &data.op {
            Op::Loop { cond, body, .. } => {
                self.enter(Frame { region: *body, place: RegionUse::LoopBody(id), inner_loop: Some(id), ..arm }, stack);
                let cond =
                    Frame { region: *cond, place: RegionUse::LoopCond, inner_loop: None, in_condition: true, ..arm };
                self.enter(cond, stack);
            }
            op => op.regions().into_iter().for_each(|region| self.enter(Frame { region, ..arm }, stack)),
        }
    }

    fn check_visible(&mut self, value: ValueId) {
        if !self.visible[value.into_raw().into_u32() as usize] {
            let name = self.name(value);
            self.wrong(Rule::Visible, format!("{name} is used where it is not defined"));
        }
    }

    fn terminator(&mut self, frame: Frame, terminator: &Terminator) {
        let func = self.func;
        let result_types = |op: OpId| func.ops[op].results.iter().map(|&value| func.ty(value)).collect::<Vec<TypeId>>();
        let wanted = match (terminator, frame.place) {
            (Terminator::Unreachable, _) => return,
            (Terminator::Yield(values), RegionUse::LoopCond) => {
                let fits = match values.as_slice() {
                    [value] => self.type_of(*value) == Type::Scalar(crate::Scalar::Bool),
                    _ => false,
                };
                if !fits {
                    self.wrong(Rule::Terminator, "a loop's condition does not yield one bool".into());
                }
                return;
            }
            (_, RegionUse::LoopCond) => {
                self.wrong(Rule::Terminator, "a loop's condition does not end in `yield`".into());
                return;
            }
            (Terminator::Yield(_), RegionUse::Arm(op) | RegionUse::LoopBody(op)) => result_types(op),
            (Terminator::Yield(_), RegionUse::Body) => {
                self.wrong(Rule::Terminator, "`yield` at the end of the function".into());
                return;
            }
            (Terminator::Return(_), _) if frame.in_condition => {
                self.wrong(Rule::Terminator, "`return` inside a loop's condition".into());
                return;
            }
            (Terminator::Return(_), _) => func.results.iter().map(|result| result.ty).collect(),
            (Terminator::Break(_) | Terminator::Continue(_), _) => match frame.inner_loop {
                Some(op) => result_types(op),
                None => {
                    self.wrong(Rule::Terminator, "`break` or `continue` outside a loop".into());
                    return;
                }
            },
        };
        let given: Vec<TypeId> = terminator.values().iter().map(|&value| func.ty(value)).collect();
        if given != wanted {
            let texts = |types: &[TypeId]| {
                types.iter().map(|&ty| type_text(&self.module.types, ty)).collect::<Vec<_>>().join(", ")
            };
            let message =
                format!("a region ends with values of types ({}), wanted are ({})", texts(&given), texts(&wanted));
            self.wrong(Rule::Terminator, message);
        }
    }
}
