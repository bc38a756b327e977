//! The functions to write, in the order in which they can be written.

use ir::{Callee, Func, FuncId, GlobalKind, Module, Op, OpId, RegionId};
use la_arena::ArenaMap;

use crate::{EmitError, EmitOptions};

/// The functions that the options ask for.
pub fn roots(module: &Module, options: &EmitOptions) -> Vec<FuncId> {
    if !options.functions.is_empty() {
        return options.functions.clone();
    }
    if !module.entry_points.is_empty() {
        return module.entry_points.iter().flat_map(ir::EntryPoint::functions).collect();
    }
    module.funcs.iter().filter(|(_, func)| func.body.is_some()).map(|(id, _)| id).collect()
}

/// All functions that the roots call, callees first. Where recursion is not allowed it is an error (naga's validator
/// does not survive it).
pub(crate) fn functions(module: &Module, roots: &[FuncId], recursion: bool) -> Result<Vec<FuncId>, Vec<EmitError>> {
    let mut search = Search { module, recursion, states: ArenaMap::default(), order: Vec::new(), errors: Vec::new() };
    for &root in roots {
        search.visit(root);
    }
    if search.errors.is_empty() { Ok(search.order) } else { Err(search.errors) }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Done,
}

struct Search<'a> {
    module: &'a Module,
    recursion: bool,
    states: ArenaMap<FuncId, State>,
    order: Vec<FuncId>,
    errors: Vec<EmitError>,
}

impl Search<'_> {
    fn visit(&mut self, root: FuncId) {
        if self.states.contains_idx(root) {
            return;
        }
        // An explicit stack: call chains may be longer than the machine's stack.
        let mut stack = vec![(root, self.callees(root), 0)];
        self.states.insert(root, State::Open);
        while let Some((func, callees, next)) = stack.last_mut() {
            let Some(&(callee, span)) = callees.get(*next) else {
                self.states.insert(*func, State::Done);
                self.order.push(*func);
                stack.pop();
                continue;
            };
            *next += 1;
            match self.states.get(callee) {
                Some(State::Open) if !self.recursion => {
                    let name = &self.module.funcs[callee].name;
                    self.errors.push(EmitError::new(span, format!("`{name}` calls itself, which GPU code cannot do")));
                }
                Some(State::Open | State::Done) => {}
                None => {
                    self.states.insert(callee, State::Open);
                    stack.push((callee, self.callees(callee), 0));
                }
            }
        }
    }

    fn callees(&self, func: FuncId) -> Vec<(FuncId, ir::SpanId)> {
        let data = &self.module.funcs[func];
        let mut callees = Vec::new();
        for_each_op(data, |op| match &data.ops[op].op {
            Op::Call { callee: Callee::Func(callee), .. } => callees.push((*callee, data.ops[op].span)),
            Op::Global(global) => {
                if let GlobalKind::Static { init: Some(init) } = self.module.globals[*global].kind {
                    callees.push((init, data.ops[op].span));
                }
            }
            _ => {}
        });
        callees
    }
}

/// Calls `visit` on each op of the function's body, nested ones after the op that holds them.
pub fn for_each_op(func: &Func, mut visit: impl FnMut(OpId)) {
    fn walk(func: &Func, region: RegionId, visit: &mut impl FnMut(OpId)) {
        for &op in &func.regions[region].ops {
            visit(op);
            for nested in func.ops[op].op.regions() {
                walk(func, nested, visit);
            }
        }
    }
    if let Some(body) = func.body {
        walk(func, body, &mut visit);
    }
}
