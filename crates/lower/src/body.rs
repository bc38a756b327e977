//! Lowering of one body: statements and expressions of the HIR to ops in regions.
//!
//! Local variables become SSA values: [`environment`] says which value each variable has at the cursor, branches yield
//! the variables that they change ([`control_flow`]), loops carry those that their text may assign ([`assigned`]).
//! Assignments to parts go through [`place`]s: a root (variable or memory) and a path.

mod address;
mod aggregate;
mod argument;
mod assigned;
mod atomic;
mod bits;
mod call;
mod called_in_place;
mod control_flow;
mod conversion;
mod dynamic_type;
pub(crate) mod environment;
mod exception;
mod expression;
mod intrinsic_asm;
mod jump;
mod kernel_start;
pub(crate) mod lambda;
mod literal;
mod loops;
mod moved_place;
mod operator;
mod pack;
mod place;
mod place_pair;
mod pointer;
mod size_of;
mod statement;
mod switch;
pub(crate) mod written_values;

use std::rc::Rc;

use ::diagnostics::stack;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, ExprId, LocalId, StmtId},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    display,
    signature::FunctionRef,
    ty::{GenericArgs, Ty},
};
use ir::{Func, GlobalId, Terminator, TypeId, ValueId, builder::FuncBuilder};
use la_arena::ArenaMap;
use rustc_hash::FxHashSet;

use crate::{
    error::{Lowering, Stop},
    front::{self, ParamGroup},
    known_place::KnownPlace,
    mode::Mode,
    program::Program,
    scope::Scope,
    spans::BodyPart,
    surface::SurfaceParam,
};
use environment::{Environment, VariableId};
use jump::JumpTarget;
use place::Place;

/// How deeply expressions and statements may nest; the parser limits the text, this limits what macros and generics
/// make of it.
const MAX_DEPTH: u32 = ::diagnostics::limits::LOWERED_CODE;

/// The state of lowering one body.
pub(crate) struct BodyLowering<'a, 'db> {
    pub program: &'a mut Program<'db>,
    pub b: FuncBuilder<'a>,
    /// The text that is being lowered; another one while a default argument is.
    pub scope: Scope<'db>,
    pub env: Environment,
    locals: ArenaMap<LocalId, Binding>,
    /// The locals that live in memory.
    addressed: Rc<FxHashSet<LocalId>>,
    this: Option<Binding>,
    /// The places of the caller that parameters stand for.
    places: Vec<Place>,
    /// The parameters that the function gives out, in order.
    out: Vec<VariableId>,
    returns: Returns,
    jumps: Vec<JumpTarget>,
    /// What catches errors around the cursor, innermost last.
    catches: Vec<exception::Catches>,
    /// The type of the errors that the function throws.
    throws: Option<TypeId>,
    /// The label of the statement that is lowered next.
    pending_label: Option<hir_def::name::Name>,
    /// Statements that run when their block is left, innermost block last.
    defers: Vec<Vec<StmtId>>,
    /// The elements of the expansions around the cursor, innermost last.
    expansions: Vec<pack::Step>,
    /// Whether control can be at the cursor.
    reachable: bool,
    depth: u32,
}

/// What a local of the HIR is.
#[derive(Debug, Clone, Copy)]
enum Binding {
    Variable(VariableId),
    /// `static` in a function, or a local whose address is taken.
    Global(GlobalId),
    /// A parameter that stands for a place of the caller, by its number in `places`.
    Place(usize),
}

/// What `return` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returns {
    Nothing,
    /// The operand, of this type.
    Value(TypeId),
    /// Constructors give what they have made.
    This,
}

/// Fills in the body of a function, method, accessor or constructor. `places` are those of the caller that parameters stand
/// for, receiver first.
pub(crate) fn lower_function<'db>(
    program: &mut Program<'db>,
    b: FuncBuilder<'_>,
    function: FunctionRef,
    places: &[Option<KnownPlace>],
) -> Lowering<Func> {
    let mut b = b;
    if let Some(known) = front::core_function(program.db, function.item) {
        crate::intrinsic::build_function(program, &mut b, function, known)?;
        return Ok(b.finish());
    }
    if !item::item_data(program.db, function.item).has_body() {
        // A function that only its derivatives have a body for stays a declaration.
        if front::has_derivative(program, function) {
            let func = b.finish();
            return Ok(Func::declaration(func.name, func.inputs, func.results, func.span));
        }
        let name = display::function_name(program.db, function);
        return Err(Stop::unsupported(format!("`{name}`, which has no body,")).at(b.span));
    }
    let db = program.db;
    if program.mode == Mode::Program {
        front::refused(item::item_data(db, function.item))?;
    }
    if let ItemKind::Function(declared) = &item::item_data(db, function.item).kind {
        b.func.is_precise = declared.params.iter().any(|param| param.modifiers.contains(Modifiers::PRECISE));
    }
    let body = front::body(db, function.item);
    let surface = front::surface(program, function)?;
    let scope = Scope::of_function(db, function, body);
    let mut lowering = BodyLowering::new(program, b, scope);
    if front::is_constructor(db, function.item) {
        lowering.returns = Returns::This;
        // The fields have their initial values before the constructor's own statements run.
        let value = match lowering.scope.this {
            Some(this) => lowering.initial_fields(this)?,
            None => return Err(Stop::broken("a constructor of nothing")),
        };
        lowering.this = Some(Binding::Variable(lowering.env.declare(Some("this".into()), value)));
    } else if let Some(ret) = &surface.ret {
        lowering.returns = Returns::Value(ret.ir_ty);
    }
    lowering.throws = surface.throws.map(|throws| throws.ir_ty);
    let groups = front::parameter_groups(lowering.program, function);
    lowering.parameters(&surface.params, &body.params, &groups, places)?;
    lowering.root(body.root)?;
    Ok(lowering.b.finish())
}

/// Fills in the function that returns the first value of a variable.
pub(crate) fn lower_initializer<'db>(
    program: &mut Program<'db>,
    b: FuncBuilder<'_>,
    item: ItemId,
    args: GenericArgs,
) -> Lowering<Func> {
    let db = program.db;
    let body = front::body(db, item);
    let scope = Scope::of_item(db, item, args, body);
    let mut lowering = BodyLowering::new(program, b, scope);
    lowering.returns = Returns::Value(lowering.b.func.results[0].ty);
    lowering.root(body.root)?;
    Ok(lowering.b.finish())
}

/// Fills in the function that returns the first value of a `static` variable in a function.
pub(crate) fn lower_local_initializer<'db>(
    program: &mut Program<'db>,
    b: FuncBuilder<'_>,
    (item, args): (ItemId, GenericArgs),
    init: ExprId,
) -> Lowering<Func> {
    let scope = Scope::of_item(program.db, item, args, front::body(program.db, item));
    let mut lowering = BodyLowering::new(program, b, scope);
    let ty = lowering.b.func.results[0].ty;
    lowering.returns = Returns::Value(ty);
    let value = lowering.value(init)?;
    let value = lowering.coerce(value, ty)?;
    lowering.leave_function(Some(value))?;
    Ok(lowering.b.finish())
}

/// Fills in the function that returns the default of the parameter `index` of `function`.
pub(crate) fn lower_default_argument<'db>(
    program: &mut Program<'db>,
    b: FuncBuilder<'_>,
    function: FunctionRef,
    index: u32,
) -> Lowering<Func> {
    let (scope, expr) = front::default_argument(program.db, function, index)
        .ok_or_else(|| Stop::broken("a default argument that is not there"))?;
    let mut lowering = BodyLowering::new(program, b, scope);
    let ty = lowering.b.func.results[0].ty;
    lowering.returns = Returns::Value(ty);
    let value = lowering.value(expr)?;
    let value = lowering.coerce(value, ty)?;
    lowering.leave_function(Some(value))?;
    Ok(lowering.b.finish())
}

impl<'a, 'db> BodyLowering<'a, 'db> {
    fn new(program: &'a mut Program<'db>, b: FuncBuilder<'a>, scope: Scope<'db>) -> Self {
        let addressed = program.addressed(&scope);
        BodyLowering {
            program,
            b,
            scope,
            addressed,
            env: Environment::default(),
            locals: ArenaMap::default(),
            this: None,
            places: Vec::new(),
            out: Vec::new(),
            returns: Returns::Nothing,
            jumps: Vec::new(),
            catches: Vec::new(),
            throws: None,
            pending_label: None,
            defers: vec![Vec::new()],
            expansions: Vec::new(),
            reachable: true,
            depth: 0,
        }
    }

    /// Declares the receiver and the parameters. A pack is one local with as many parameters as it has elements.
    fn parameters(
        &mut self,
        params: &[SurfaceParam],
        locals: &[LocalId],
        groups: &[ParamGroup],
        places: &[Option<KnownPlace>],
    ) -> Lowering<()> {
        let mut inputs = self.b.func.input_values().to_vec().into_iter();
        let values = params.iter().zip(places.iter().chain(std::iter::repeat(&None)));
        let goes_in =
            |(param, place): &(&SurfaceParam, &Option<KnownPlace>)| param.direction.goes_in() && place.is_none();
        let mut further = inputs.clone().skip(values.filter(goes_in).count());
        let mut places = places.iter().chain(std::iter::repeat(&None));
        let mut params = params.iter().peekable();
        if let Some(param) = params.next_if(|param| param.is_this) {
            self.this = Some(match places.next() {
                Some(Some(place)) => self.bind_place(place, &mut further),
                _ => Binding::Variable(self.parameter(param, &mut inputs)),
            });
        }
        for (&local, group) in locals.iter().zip(groups) {
            match group {
                ParamGroup::Nothing => {}
                ParamGroup::One => {
                    let Some(param) = params.next() else { break };
                    if let Some(Some(place)) = places.next() {
                        let binding = self.bind_place(place, &mut further);
                        self.locals.insert(local, binding);
                        continue;
                    }
                    let variable = self.parameter(param, &mut inputs);
                    if self.addressed.contains(&local) && !param.direction.comes_out() {
                        self.bind_in_memory(local, self.env.get(variable)?)?;
                    } else {
                        self.locals.insert(local, Binding::Variable(variable));
                    }
                }
                ParamGroup::Pack { tuple, len } => {
                    let mut elements = Vec::with_capacity(*len);
                    places.by_ref().take(*len).for_each(drop);
                    for param in params.by_ref().take(*len) {
                        if param.direction.comes_out() {
                            return Err(Stop::unsupported("a pack of `out` parameters"));
                        }
                        elements.extend(inputs.next());
                    }
                    let ty = self.ir_type(*tuple)?;
                    let whole = self.b.make(&elements, ty);
                    let name = self.scope.store.locals[local].name.0.clone();
                    let variable = self.env.declare(Some(name), whole);
                    self.locals.insert(local, Binding::Variable(variable));
                }
            }
        }
        Ok(())
    }

    fn parameter(&mut self, param: &SurfaceParam, inputs: &mut impl Iterator<Item = ValueId>) -> VariableId {
        let value = match if param.direction.goes_in() { inputs.next() } else { None } {
            Some(value) => value,
            None => self.b.undef(param.ir_ty),
        };
        let variable = self.env.declare(Some(param.name.clone()), value);
        if param.direction.comes_out() {
            self.out.push(variable);
        }
        variable
    }

    fn root(&mut self, root: BodyRoot) -> Lowering<()> {
        match root {
            BodyRoot::None => return Err(Stop::broken("no body")),
            BodyRoot::Block(block) => self.statement(block)?,
            BodyRoot::Expr(expr) => match self.returns {
                Returns::Value(ty) => {
                    let value = self.value(expr)?;
                    let value = self.coerce(value, ty)?;
                    self.leave_function(Some(value))?;
                }
                Returns::Nothing | Returns::This => {
                    self.effect(expr)?;
                }
            },
        }
        if self.reachable {
            let value = match self.returns {
                Returns::Nothing | Returns::This => None,
                // The end of a function with a result is reached only by programs that the front end warns about.
                Returns::Value(ty) => Some(self.b.undef(ty)),
            };
            self.leave_function(value)?;
        }
        Ok(())
    }

    /// `return`.
    fn leave_function(&mut self, value: Option<ValueId>) -> Lowering<()> {
        let mut values = self.results(value)?;
        if let Some(error) = self.throws {
            let no = self.b.bool(false);
            let error = self.b.undef(error);
            values.extend([no, error]);
        }
        self.terminate(Terminator::Return(values.into_iter().collect()));
        Ok(())
    }

    /// The result and what the parameters give out.
    fn results(&mut self, value: Option<ValueId>) -> Lowering<Vec<ValueId>> {
        let mut values = Vec::new();
        match (self.returns, value) {
            (Returns::Nothing, _) => {}
            (Returns::Value(_), Some(value)) => values.push(value),
            (Returns::Value(ty), None) => values.push(self.b.undef(ty)),
            (Returns::This, _) => {
                let this = self.this_place()?;
                values.push(self.read(&this)?);
            }
        }
        let out = self.out.iter().map(|&variable| self.env.get(variable));
        values.extend(out.collect::<Lowering<Vec<_>>>()?);
        Ok(values)
    }

    /// Ends the current region; what follows is not reachable.
    fn terminate(&mut self, terminator: Terminator) {
        self.b.terminate(terminator);
        self.reachable = false;
    }

    /// The type of an expression before adjustments.
    fn ty(&self, expr: ExprId) -> Lowering<Ty> {
        match self.scope.inference.expr_types.get(expr) {
            Some(&ty) => Ok(self.scope.ty(self.program.db, ty)),
            None => Err(Stop::broken("an expression without type")),
        }
    }

    fn ir_type(&mut self, ty: Ty) -> Lowering<TypeId> {
        self.program.lower_type(ty)
    }

    /// The IR type of an expression before adjustments.
    fn expr_type(&mut self, expr: ExprId) -> Lowering<TypeId> {
        let ty = self.ty(expr)?;
        self.ir_type(ty)
    }

    /// Runs `lower` with the span of an expression, one level deeper.
    fn at_expr<T>(&mut self, expr: ExprId, lower: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<T> {
        let span =
            self.program.spans.part(self.program.db, &mut self.program.module, &self.scope, BodyPart::Expr(expr));
        self.at_span(span, lower)
    }

    /// Runs `lower` with the span of a statement, one level deeper.
    fn at_stmt<T>(&mut self, stmt: StmtId, lower: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<T> {
        let span =
            self.program.spans.part(self.program.db, &mut self.program.module, &self.scope, BodyPart::Stmt(stmt));
        self.at_span(span, lower)
    }

    fn at_span<T>(&mut self, span: ir::SpanId, lower: impl FnOnce(&mut Self) -> Lowering<T>) -> Lowering<T> {
        let before = std::mem::replace(&mut self.b.span, span);
        self.depth += 1;
        let result = match self.depth > MAX_DEPTH {
            true => Err(Stop::unsupported("code nested this deeply")),
            false => stack::deep(|| lower(self)),
        };
        self.depth -= 1;
        self.b.span = before;
        result.map_err(|stop| stop.at(span))
    }
}
