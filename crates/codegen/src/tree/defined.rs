//! Verifies that declarations stand where they must: on every way from a local's declaration to a place that reads it,
//! it is written.
//!
//! A declaration inside a loop whose iterations hand the local's value on breaks this: each iteration declares it anew,
//! and reads it before it writes it. The same holds for one inside an arm that is read after it. Debug builds ask for
//! every function that becomes trees, before the marks are dropped that say where the IR leaves a value undefined.
//!
//! Without the marks the same walk tells which locals have no value on some way to where they are read: those that only what
//! two conditions have in common keeps from being read there. Some languages want a first value for these.

use ir::Module;
use rustc_hash::FxHashSet;

use super::build::{Param, signature};
use super::{Block, Direction, Expr, ExprKind, Function, LocalId, LocalKind, Stmt, StmtKind};

/// # Panics
/// If a local may be read before it is written.
pub(crate) fn verify(module: &Module, function: &Function) {
    let found = reads_before_writes(module, function, Parts::KeepTheRest, Loops::MayEndAtOnce);
    let names: Vec<&str> = found.iter().map(|&local| function.locals[local].name.as_str()).collect();
    assert!(names.is_empty(), "`{}` reads {names:?} before they are written", module.funcs[function.func].name);
}

/// Those of `locals` that are read somewhere with a way to there on which nothing of them is written. The marks are no more.
pub(super) fn without_value(
    module: &Module,
    function: &Function,
    locals: &FxHashSet<LocalId>,
    loops: Loops,
) -> Vec<LocalId> {
    if locals.is_empty() {
        return Vec::new();
    }
    let mut found = reads_before_writes(module, function, Parts::MakeTheWhole, loops);
    found.retain(|local| locals.contains(local));
    found
}

/// What writing a part of a local means for the rest of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// It is still needed.
    KeepTheRest,
    /// It has been written, or will be.
    MakeTheWhole,
}

/// Whether there is a way past a loop's body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loops {
    MayEndAtOnce,
    RunOnce,
}

/// Which locals are written, by their number; `None` where control does not come.
type State = Option<Vec<bool>>;

/// The locals that are read where they may not have been written since their declaration.
fn reads_before_writes(module: &Module, function: &Function, parts: Parts, loops: Loops) -> Vec<LocalId> {
    let nothing = vec![false; function.locals.len()];
    let mut start = nothing.clone();
    let mut declared = nothing;
    for &param in &function.params {
        declared[number(param)] = true;
        start[number(param)] =
            !matches!(function.locals[param].kind, LocalKind::Param { direction: Direction::Out, .. });
    }
    let mut checker = Checker { module, parts, loops, declared, breaks: Vec::new(), found: Vec::new() };
    checker.block(&function.body, Some(start));
    checker.found
}

fn number(local: LocalId) -> usize {
    local.into_raw().into_u32() as usize
}

/// What is written whichever of two ways was taken.
fn join(a: State, b: State) -> State {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.into_iter().zip(b).map(|(a, b)| a && b).collect()),
        (one, None) | (None, one) => one,
    }
}

struct Checker<'a> {
    module: &'a Module,
    parts: Parts,
    loops: Loops,
    /// Locals whose declaration was seen: what follows without a value is a mark.
    declared: Vec<bool>,
    /// For each loop around what is visited, what is written at its `break`s.
    breaks: Vec<State>,
    found: Vec<LocalId>,
}

impl Checker<'_> {
    fn block(&mut self, block: &Block, start: State) -> State {
        block.iter().fold(start, |state, stmt| self.statement(stmt, state))
    }

    fn statement(&mut self, stmt: &Stmt, state: State) -> State {
        let mut written = state?;
        match &stmt.kind {
            StmtKind::Declare { local, init } => {
                if let Some(init) = init {
                    self.expr(init, &mut written);
                }
                let is_mark = std::mem::replace(&mut self.declared[number(*local)], true);
                written[number(*local)] = init.is_some() || is_mark;
            }
            StmtKind::Assign { place, .. } => {
                self.exprs(stmt, &mut written);
                if !place.path.is_empty() && self.parts == Parts::KeepTheRest {
                    self.read(place.local, &written);
                }
                written[number(place.local)] = true;
            }
            StmtKind::Call { callee, args } => {
                self.args(&signature(&self.module.funcs[*callee]).params, args, &mut written);
            }
            StmtKind::Store { .. }
            | StmtKind::ByteStore { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Barrier { .. }
            | StmtKind::Print { .. } => self.exprs(stmt, &mut written),
            StmtKind::If { .. } | StmtKind::Switch { .. } => {
                self.exprs(stmt, &mut written);
                let arms = stmt.blocks().into_iter();
                return arms.fold(None, |end, arm| {
                    let own = self.block(arm, Some(written.clone()));
                    join(end, own)
                });
            }
            // Iterations after the first begin with no less than this: only declarations take away, and those in the
            // body concern locals that nothing outside of it reads.
            StmtKind::For { init, cond, step, body, .. } => {
                let mut written = self.statement(init, Some(written))?;
                self.expr(cond, &mut written);
                let (breaks, end) = self.loop_body(body, &written);
                self.statement(step, Some(written.clone()));
                return join(breaks, self.past_loop(written, end));
            }
            StmtKind::While { cond, body, .. } => {
                self.expr(cond, &mut written);
                let (breaks, end) = self.loop_body(body, &written);
                return join(breaks, self.past_loop(written, end));
            }
            StmtKind::Loop { body, .. } => return self.loop_body(body, &written).0,
            StmtKind::Break => {
                if let Some(end) = self.breaks.last_mut() {
                    *end = join(end.take(), Some(written));
                }
                return None;
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value, &mut written);
                }
                return None;
            }
            StmtKind::Continue => return None,
        }
        Some(written)
    }

    /// What is written where a `break` leaves the body, and at its end.
    fn loop_body(&mut self, body: &Block, written: &[bool]) -> (State, State) {
        self.breaks.push(None);
        let end = self.block(body, Some(written.to_vec()));
        (self.breaks.pop().flatten(), end)
    }

    /// What is written where the condition of a loop ends it.
    fn past_loop(&self, before: Vec<bool>, end: State) -> State {
        match self.loops {
            Loops::MayEndAtOnce => Some(before),
            Loops::RunOnce => end.or(Some(before)),
        }
    }

    fn exprs(&mut self, stmt: &Stmt, written: &mut [bool]) {
        stmt.for_each_expr(&mut |expr| self.expr(expr, written));
    }

    fn expr(&mut self, expr: &Expr, written: &mut [bool]) {
        match &expr.kind {
            ExprKind::Local(local) => self.read(*local, written),
            // Outside of the arguments of functions: a place for one of the values of an operation.
            ExprKind::Reference(local) => written[number(*local)] = true,
            ExprKind::Call { callee, args } => {
                self.args(&signature(&self.module.funcs[*callee]).params, args, written);
            }
            _ => expr.for_each_child(&mut |child| self.expr(child, written)),
        }
    }

    fn args(&mut self, params: &[Param], args: &[Expr], written: &mut [bool]) {
        for (param, arg) in params.iter().zip(args) {
            match arg.kind {
                ExprKind::Reference(local) if param.direction() == Direction::InOut => self.read(local, written),
                ExprKind::Reference(_) => {}
                _ => self.expr(arg, written),
            }
        }
        for arg in args {
            arg.for_each_reference(&mut |local| written[number(local)] = true);
        }
    }

    fn read(&mut self, local: LocalId, written: &[bool]) {
        if !written[number(local)] && !self.found.contains(&local) {
            self.found.push(local);
        }
    }
}

#[cfg(test)]
mod tests {
    use la_arena::Arena;
    use smol_str::SmolStr;

    use super::*;
    use crate::tree::names::Namer;
    use crate::tree::{Local, build::build};

    /// The trees of `@f`, as far as the printers see them, and its module.
    fn trees(text: &str) -> (ir::verify::VerifiedModule, Function) {
        let module = test_support::modules::module(text);
        let func = module.func_named("f").unwrap();
        let function = build(&module, func, Namer::default(), false).unwrap();
        (module, function)
    }

    fn names(locals: &Arena<Local>, found: &[LocalId]) -> Vec<SmolStr> {
        found.iter().map(|&local| locals[local].name.clone()).collect()
    }

    /// Moves the declaration without a value in front of the loop into its body.
    fn move_into_loop(function: &mut Function) {
        let is_bare = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare { init: None, .. });
        let at = function.body.iter().position(is_bare).expect("a declaration without a value");
        let declaration = function.body.remove(at);
        let body = function.body.iter_mut().find_map(|stmt| match &mut stmt.kind {
            StmtKind::For { body, .. } => Some(body),
            _ => None,
        });
        body.expect("a loop").insert(0, declaration);
    }

    const CARRIED: &str = "
        func @f(%x: f32) -> (return: f32) {
            %zero: i32 = const 0
            %one: i32 = const 1
            %four: i32 = const 4
            %start: f32 = const 0
            %undefined: f32 = undef
            %i: i32, %previous: f32, %sum: f32 = loop (%zero, %undefined, %start) cond (%i.1: i32, %previous.1: f32, %sum.1: f32) {
                %0: bool = lt %i.1, %four
                yield %0
            } body (%i.2: i32, %previous.2: f32, %sum.2: f32) {
                %1: bool = eq %i.2, %zero
                %2: f32 = if %1 {
                    yield %sum.2
                } else {
                    %3: f32 = mul %previous.2, %x
                    %4: f32 = add %sum.2, %3
                    yield %4
                }
                %5: i32 = add %i.2, %one
                %6: f32 = add %x, %2
                yield %5, %6, %2
            }
            return %sum
        }";

    #[test]
    fn a_declaration_inside_of_the_loop_that_carries_the_value_is_found() {
        let (module, mut function) = trees(CARRIED);
        move_into_loop(&mut function);
        let found = reads_before_writes(&module, &function, Parts::KeepTheRest, Loops::MayEndAtOnce);
        assert_eq!(names(&function.locals, &found), ["previous"]);
    }

    #[test]
    fn what_only_one_arm_writes_is_not_written_behind() {
        let (module, mut function) = trees(
            "func @f(%x: f32, %c: bool) -> (return: f32) {
                 %y: f32 = if %c {
                     %0: f32 = add %x, %x
                     yield %0
                 } else {
                     %1: f32 = mul %x, %x
                     yield %1
                 }
                 %z: f32 = neg %y
                 %w: f32 = add %z, %y
                 return %w
             }",
        );
        assert_eq!(reads_before_writes(&module, &function, Parts::KeepTheRest, Loops::MayEndAtOnce), []);
        for stmt in &mut function.body {
            if let StmtKind::If { otherwise, .. } = &mut stmt.kind {
                otherwise.clear();
            }
        }
        let found = reads_before_writes(&module, &function, Parts::KeepTheRest, Loops::MayEndAtOnce);
        assert_eq!(names(&function.locals, &found), ["y"]);
    }
}
