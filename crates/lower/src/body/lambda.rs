//! Lambdas: making them, calling them, and their bodies.

use hir_def::body::{BodyRoot, Expr, ExprId, LambdaBody, LocalId};
use hir_ty::{
    closure::{Capture, ClosureCode},
    infer::result::CallResolution,
    ty::{ClosureTy, Ty},
};
use ir::{Func, PathStep, ValueId, builder::FuncBuilder};

use super::{Binding, BodyLowering, Returns, argument::Passed, place::Place};
use crate::{
    closures,
    error::{Lowering, Stop},
    front, globals,
    key::GlobalKey,
    mode::Mode,
    program::Program,
    scope::{Scope, ScopeKind},
    surface::Direction,
};

/// Fills in the function that runs when a lambda is called.
pub(crate) fn lower_lambda<'db>(program: &mut Program<'db>, b: FuncBuilder<'_>, closure: ClosureTy) -> Lowering<Func> {
    let db = program.db;
    let ClosureCode::Lambda { within, expr } = closure.code(db) else {
        return Err(Stop::broken("a function as a lambda"));
    };
    let mut b = b;
    let surface = closures::surface(program, closure)?;
    let scope = Scope::of_function(db, within, front::body(db, within.item));
    let Expr::Lambda { params, body } = &scope.store.exprs[expr] else { return Err(Stop::broken("no lambda")) };
    let mut inputs = b.func.input_values().to_vec().into_iter();
    let mut surface_params = surface.params.iter().peekable();
    let receiver = surface_params.next_if(|param| param.is_this).and_then(|_| inputs.next());
    b.span = b.func.span;
    let mut lowering = BodyLowering::new(program, b, scope);
    if let Some(ret) = &surface.ret {
        lowering.returns = Returns::Value(ret.ir_ty);
    }
    for (index, (capture, _)) in closure.captures(db).iter().enumerate() {
        let receiver = receiver.ok_or_else(|| Stop::broken("a lambda without its copies"))?;
        let value = lowering.b.extract(receiver, [PathStep::Const(index as u32)]);
        let name = front::capture_name(lowering.program, closure, index);
        let variable = lowering.env.declare(Some(name), value);
        match capture {
            Capture::Local(local) => {
                lowering.locals.insert(*local, Binding::Variable(variable));
            }
            Capture::This => lowering.this = Some(Binding::Variable(variable)),
        }
    }
    for (&local, param) in params.iter().zip(surface_params) {
        let variable = lowering.parameter(param, &mut inputs);
        lowering.locals.insert(local, Binding::Variable(variable));
    }
    lowering.root(match body {
        LambdaBody::Expr(expr) => BodyRoot::Expr(*expr),
        LambdaBody::Block(block) => BodyRoot::Block(*block),
    })?;
    Ok(lowering.b.finish())
}

impl BodyLowering<'_, '_> {
    /// A lambda, or a function's name, as a value: a struct of the copies.
    pub(super) fn closure_value(&mut self, expr: ExprId) -> Lowering<ValueId> {
        let ty = self.ty(expr)?;
        let Ty::Closure(closure) = ty else { return Err(Stop::unsupported("a method or derivative as a value")) };
        if self.scope.kind != ScopeKind::Body {
            return Err(Stop::unsupported("a lambda as a default argument"));
        }
        if !self.expansions.is_empty() {
            return Err(Stop::unsupported("a lambda in an expansion"));
        }
        let db = self.program.db;
        let mut copies = Vec::new();
        for (capture, ty) in closure.captures(db) {
            let place = match capture {
                Capture::Local(local) => match self.locals.get(*local) {
                    Some(&binding) => self.binding_place(binding),
                    None => return Err(Stop::broken("a copy of no variable")),
                },
                Capture::This => self.this_place()?,
            };
            let value = self.read(&place)?;
            if self.b.ty(value) != self.ir_type(*ty)? {
                return Err(Stop::unsupported("a lambda with a copy of a place"));
            }
            copies.push(value);
        }
        // In an analysis nothing but the bodies of lambdas is lowered besides the function itself.
        if let (Mode::Analysis, ClosureCode::Lambda { .. }) = (self.program.mode, closure.code(db)) {
            self.program.closure(closure)?;
        }
        let ty = self.ir_type(ty)?;
        Ok(self.b.make(&copies, ty))
    }

    /// A call of a value: a lambda, a function that a variable or parameter holds.
    pub(super) fn call_value(&mut self, callee: ExprId, call: &CallResolution) -> Lowering<Option<ValueId>> {
        let func = match self.adjusted_ty(callee)? {
            Ty::Closure(closure) => self.program.closure(closure)?,
            Ty::Function(function) => self.program.function_value(function)?,
            _ => return Err(Stop::broken("a call of what is not a function")),
        };
        let surface = self.program.surface(func)?;
        let value = self.value(callee)?;
        let mut params = surface.params.iter().peekable();
        let mut passed = Vec::new();
        if params.next_if(|param| param.is_this).is_some() {
            passed.push(Passed::Value(value));
        }
        let params: Vec<(Direction, Ty)> = params.map(|param| (param.direction, param.ty)).collect();
        passed.extend(self.pass_arguments(&call.args, &params, None)?);
        if passed.len() != surface.params.len() {
            return Err(Stop::broken("a call with the wrong number of arguments"));
        }
        self.call_function_marked(func, &passed, call.no_diff)
    }

    /// A `static` variable of the function around a lambda: a global, of which the lambda has no copy.
    pub(super) fn static_of_function_around(&mut self, local: LocalId) -> Lowering<Place> {
        let key = GlobalKey::Local(self.scope.item, self.scope.args, local);
        match self.program.globals.get(&key) {
            Some(&global) => {
                let handle = globals::handle(self.program, &mut self.b, global);
                Ok(self.memory(handle))
            }
            None => Err(Stop::unsupported("this variable of the function around a lambda")),
        }
    }
}
