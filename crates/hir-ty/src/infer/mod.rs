//! Type inference of bodies, initialisers and the expressions in signatures.
//!
//! Entry points: [`infer`], [`infer_signature`], [`diagnostics`].
//!
//! Types flow both ways: an expression is inferred, knowing what its context wants where that matters (initializer lists,
//! overloaded names), and then converted to what the context wants. Every expression ends up with a type, and every name,
//! member, call and operator with a [`result::Resolution`]; where an error was reported the type is `Ty::Error` and nothing
//! that depends on it is reported.

mod arguments;
mod calls;
mod coerce;
mod constructor_calls;
pub mod expansion;
mod explicit;
pub mod expr_map;
mod expressions;
mod functions;
mod initializers;
mod lambdas;
mod members;
mod operand;
mod operators;
mod overload_index;
mod overloads;
mod packs;
mod places;
pub mod result;
mod statements;

use ::diagnostics::stack;
use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{Body, BodyRoot, ExprId, ExprStore, LocalId, StmtId},
    item::{self, Function, GenericParamKind, Item, ItemId, ItemKind, Param},
    name::Name,
    type_ref::TypeRef,
};
use rustc_hash::FxHashMap;

use self::result::InferenceResult;
use crate::{
    diagnostics::{Diagnostic, Node, Site, conversions},
    generics::env::Env,
    types::{
        aggregate, const_arrays, consts, cycles,
        display::display,
        lower_ty::{LocalName, TypeLowering},
        resolve,
        signature::{self, FunctionSignature, ThisParam},
        ty::{Const, Ty},
    },
};

/// What inference found, and what it has to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Inferred {
    result: InferenceResult,
    diagnostics: Vec<Diagnostic>,
}

fn heap_size(inferred: &Inferred) -> usize {
    inferred.result.heap_size() + size_of_val(&*inferred.diagnostics)
}

#[expect(clippy::borrowed_box, reason = "the library asks with what the query returns")]
fn boxed_heap_size(inferred: &Box<Inferred>) -> usize {
    size_of::<Inferred>() + heap_size(inferred)
}

/// Types and meanings of everything in the body of a function, constructor or accessor, or in the initialiser of a
/// variable or enum case. Nothing but the body's own diagnostics, its lowering and the editor may read this.
pub fn infer(db: &dyn Db, item: ItemId) -> &InferenceResult {
    &infer_body(db, item).result
}

/// What is wrong in a body.
pub fn diagnostics(db: &dyn Db, item: ItemId) -> &[Diagnostic] {
    &infer_body(db, item).diagnostics
}

/// Types and meanings of the expressions in a signature: default arguments.
pub fn infer_signature(db: &dyn Db, item: ItemId) -> &InferenceResult {
    &infer_signature_query(db, item).result
}

/// What is wrong with the expressions in a signature.
pub fn signature_diagnostics(db: &dyn Db, item: ItemId) -> &[Diagnostic] {
    &infer_signature_query(db, item).diagnostics
}

/// Of what was not asked for lately the result is dropped at the next edit; what follows from it stays. Nothing that is asked
/// for here asks for a body's types, so that this is in no cycle, and it must not be: the library takes a dropped result of
/// a query that knows cycles for one that failed.
///
/// Boxed, since what is left of a dropped result has its size.
#[salsa::tracked(returns(deref), lru = 512, heap_size = boxed_heap_size)]
fn infer_body(db: &dyn Db, item: ItemId) -> Box<Inferred> {
    let body = hir_def::body::queries::body(db, item);
    let mut infer = Infer::new(db, item, &body.store, StorePart::Body);
    infer.infer_root(body);
    Box::new(infer.finish())
}

#[salsa::tracked(returns(ref), heap_size = heap_size, cycle_initial = infer_initial, cycle_fn = infer_settle)]
fn infer_signature_query(db: &dyn Db, item: ItemId) -> Inferred {
    let data = item::item_data(db, item);
    let mut infer = Infer::new(db, item, &data.store, StorePart::Signature);
    infer.infer_defaults(data);
    infer.finish()
}

fn infer_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Inferred {
    Inferred::default()
}

fn infer_settle(_db: &dyn Db, cycle: &salsa::Cycle<'_>, last: &Inferred, value: Inferred, _item: ItemId) -> Inferred {
    cycles::settle(cycle, value, last.clone())
}

/// The type of a variable that takes it from its initialiser.
#[salsa::tracked(returns(copy), cycle_initial = initializer_initial, cycle_fn = cycles::settle_type)]
pub fn initializer_type(db: &dyn Db, item: ItemId) -> Ty {
    let body = hir_def::body::queries::body(db, item);
    let BodyRoot::Expr(root) = body.root else { return Ty::Error };
    let data = item::item_data(db, item);
    let ItemKind::Variable { ty, .. } = &data.kind else { return Ty::Error };
    let mut infer = Infer::new(db, item, &body.store, StorePart::Body);
    match data.store.type_refs[*ty] {
        TypeRef::Infer => infer.value(root, None),
        _ => {
            let declared = TypeLowering::new(db, item, &data.store).lower(*ty);
            infer.initialized(root, declared)
        }
    }
}

fn initializer_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Ty {
    Ty::Error
}

/// Which of an item's stores the expressions are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StorePart {
    Signature,
    Body,
}

/// What `return` must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returns {
    Type(Ty),
    /// In a constructor: nothing, or the whole value.
    Constructor(Ty),
    /// In a lambda: the first `return` decides.
    Infer(Option<Ty>),
    /// Not in a function.
    Nothing,
}

/// A name that a block introduces.
#[derive(Debug, Clone)]
struct Binding {
    name: Name,
    local: LocalId,
}

/// The state of inferring one body or signature.
struct Infer<'db> {
    db: &'db dyn Db,
    owner: ItemId,
    env: Env,
    store: &'db ExprStore,
    part: StorePart,
    this: Option<ThisParam>,
    result: InferenceResult,
    diagnostics: Vec<Diagnostic>,
    bindings: Vec<Binding>,
    /// Where the innermost block begins in `bindings`: names after it must differ.
    block_start: usize,
    /// The constants among the bindings, for array sizes; parallel to `bindings`.
    const_locals: Vec<LocalName>,
    returns: Returns,
    /// How many loops and switches are around.
    loops: u32,
    breakables: u32,
    /// How many statements are around that choose what runs: `if`, `switch`, `__target_switch`.
    choices: u32,
    /// The lambdas around, innermost last.
    lambdas: Vec<lambdas::Around>,
    /// The elements of initialiser lists that are inferred and not yet taken.
    listed: FxHashMap<ExprId, Ty>,
    /// How many members of structs have to be given: types hold each other many times.
    required_members: FxHashMap<Ty, usize>,
    depth: u32,
}

/// Expressions nested deeper than this are not inferred; the parser allows less.
const MAX_DEPTH: u32 = ::diagnostics::limits::INFERENCE;

impl<'db> Infer<'db> {
    fn new(db: &'db dyn Db, owner: ItemId, store: &'db ExprStore, part: StorePart) -> Infer<'db> {
        Infer {
            db,
            owner,
            env: Env::of(db, owner).unchecked(db),
            store,
            part,
            this: None,
            result: InferenceResult::default(),
            diagnostics: Vec::new(),
            bindings: Vec::new(),
            block_start: 0,
            const_locals: Vec::new(),
            returns: Returns::Nothing,
            loops: 0,
            breakables: 0,
            choices: 0,
            lambdas: Vec::new(),
            listed: FxHashMap::default(),
            required_members: FxHashMap::default(),
            depth: 0,
        }
    }

    fn finish(mut self) -> Inferred {
        self.result.shrink_to_fit();
        Inferred { result: self.result, diagnostics: self.diagnostics }
    }

    fn infer_root(&mut self, body: &'db Body) {
        let data = item::item_data(self.db, self.owner);
        match &data.kind {
            ItemKind::Variable { .. } | ItemKind::EnumCase { .. } => self.infer_initializer(data, body.root),
            ItemKind::Function(_)
            | ItemKind::Constructor { .. }
            | ItemKind::Accessor { .. }
            | ItemKind::Subscript { .. } => self.infer_function(signature::signature(self.db, self.owner), body),
            _ => {}
        }
    }

    fn infer_function(&mut self, signature: &FunctionSignature, body: &'db Body) {
        self.this = signature.this;
        // `[nonmutating]` says where a setter may be used; its body may assign to `this` all the same.
        if let (Some(this), ItemKind::Accessor { kind: item::AccessorKind::Set, .. }) =
            (&mut self.this, &item::item_data(self.db, self.owner).kind)
        {
            this.mutating = true;
        }
        // The index parameters of a subscript come first in the signature of its accessors.
        let skipped = signature.params.len().saturating_sub(body.params.len());
        for (index, local) in body.params.iter().enumerate() {
            let ty = signature.params.get(skipped + index).map_or(Ty::Error, |param| param.ty);
            let ty = self.with_promised_elements(ty);
            self.bind(*local, ty);
        }
        let constructor = matches!(item::item_data(self.db, self.owner).kind, ItemKind::Constructor { .. });
        let ret = if constructor { Ty::Void } else { signature.ret };
        self.returns = if constructor { Returns::Constructor(signature.ret) } else { Returns::Type(ret) };
        match body.root {
            BodyRoot::None => {}
            BodyRoot::Block(block) => {
                self.stmt(block);
                if ret != Ty::Void && !ret.is_error() && !self.leaves(block) && self.is_whole() {
                    let place = self.place(Node::Name);
                    let shown = display(self.db, ret);
                    self.diagnostics.push(crate::diagnostics::controls::missing_return(place, &shown));
                }
            }
            BodyRoot::Expr(root) => {
                if ret == Ty::Void {
                    self.value(root, None);
                } else {
                    self.coerced(root, ret);
                }
            }
        }
    }

    /// Whether the text of the body is Slang from end to end.
    fn is_whole(&self) -> bool {
        !hir_def::body::queries::has_syntax_errors(self.db, self.owner)
    }

    fn infer_initializer(&mut self, data: &'db Item, root: BodyRoot) {
        let BodyRoot::Expr(root) = root else { return };
        if aggregate::is_field(self.db, self.owner) {
            self.this = signature::enclosing_type(self.db, self.owner).map(|ty| ThisParam {
                ty,
                mutating: false,
                no_diff: false,
                is_pair: false,
            });
        }
        match &data.kind {
            ItemKind::Variable { ty, .. } => match data.store.type_refs[*ty] {
                TypeRef::Infer => {
                    self.value(root, None);
                }
                _ => {
                    let declared = TypeLowering::new(self.db, self.owner, &data.store).lower(*ty);
                    self.initialized(root, declared);
                }
            },
            ItemKind::EnumCase { .. } => {
                let underlying = item::container(self.db, self.owner)
                    .and_then(|container| crate::conformance::bases(self.db, container).first().copied())
                    .filter(|ty| matches!(ty, Ty::Scalar(_)))
                    .unwrap_or(Ty::INT);
                let ty = self.value(root, Some(underlying));
                // Another case of the same enum is a value as well: `B = A`.
                if !matches!(ty, Ty::Adt(..)) {
                    self.convert_expr(root, ty, underlying);
                }
            }
            _ => {}
        }
    }

    fn infer_defaults(&mut self, data: &'db Item) {
        let signature = signature::signature(self.db, self.owner);
        let params: &[Param] = match &data.kind {
            ItemKind::Function(Function { params, .. })
            | ItemKind::Constructor { params, .. }
            | ItemKind::Subscript { params, .. }
            | ItemKind::Accessor { params, .. } => params,
            _ => &[],
        };
        for (param, signature) in params.iter().zip(&signature.params) {
            if let Some(default) = param.default {
                self.coerced(default, signature.ty);
            }
        }
        for (index, param) in data.generics.params.iter().enumerate() {
            if let GenericParamKind::Value { default: Some(default), .. } = param.kind {
                let param = crate::types::ty::TypeParam::new(self.db, self.owner, index as u32);
                let ty = crate::generics::value_parameter_type(self.db, param);
                self.coerced(default, ty);
            }
        }
    }

    // Places and reports

    fn within(&self) -> resolve::Within {
        match self.part {
            StorePart::Body => resolve::Within::Body,
            StorePart::Signature => resolve::Within::Signature,
        }
    }

    fn place(&self, node: Node) -> Site {
        Site { item: self.owner, node }
    }

    fn expr_place(&self, expr: ExprId) -> Site {
        self.place(match self.part {
            StorePart::Body => Node::Expr(expr),
            StorePart::Signature => Node::SignatureExpr(expr),
        })
    }

    /// The part of an expression that is wrong by itself: the member's name, the operator.
    fn name_place(&self, expr: ExprId) -> Site {
        self.place(match self.part {
            StorePart::Body => Node::ExprName(expr),
            StorePart::Signature => Node::SignatureExpr(expr),
        })
    }

    fn stmt_place(&self, stmt: StmtId) -> Site {
        self.place(Node::Stmt(stmt))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // Conversions of one expression may be tried twice; one finding is enough.
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn show(&self, ty: Ty) -> String {
        display(self.db, ty)
    }

    // Types

    /// Runs a lowering of types in this body.
    fn with_lowering<T>(&mut self, f: impl FnOnce(&mut TypeLowering<'_>) -> T) -> T {
        let mut lowering = TypeLowering::with_env(self.db, self.owner, self.store, self.env).reporting();
        if self.part == StorePart::Body {
            lowering = lowering.in_body(&self.const_locals);
        }
        let result = f(&mut lowering);
        let found = lowering.into_diagnostics();
        self.diagnostics.extend(found);
        result
    }

    fn type_ref(&mut self, ty: hir_def::type_ref::TypeRefId) -> Ty {
        if let Some(known) = self.result.type_refs.get(ty) {
            return *known;
        }
        let lowered = self.with_lowering(|lowering| lowering.lower(ty));
        self.result.type_refs.insert(ty, lowered);
        lowered
    }

    // Names

    /// Makes a local visible.
    fn bind(&mut self, local: LocalId, ty: Ty) {
        self.bind_constant(local, ty, None, Box::default());
    }

    /// Makes a local visible that may be a constant or an array of them.
    fn bind_constant(&mut self, local: LocalId, ty: Ty, constant: Option<Const>, elements: Box<[Option<Const>]>) {
        let name = self.store.locals[local].name.clone();
        self.result.local_types.insert(local, ty);
        self.const_locals.push(LocalName { name: name.clone(), ty, constant, elements });
        self.bindings.push(Binding { name, local });
    }

    fn local(&self, name: &Name) -> Option<LocalId> {
        self.bindings.iter().rev().find(|binding| binding.name == *name).map(|binding| binding.local)
    }

    /// Runs `f` in a block of its own.
    fn block<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let bindings = self.bindings.len();
        let start = std::mem::replace(&mut self.block_start, bindings);
        let result = f(self);
        self.bindings.truncate(bindings);
        self.const_locals.truncate(bindings);
        self.block_start = start;
        result
    }

    /// The constant value of an expression of this body, if it has one.
    fn constant(&mut self, expr: ExprId) -> Option<Const> {
        consts::integer(&mut self.silent_lowering(), expr)
    }

    /// The constant elements of an array that begins with `init`.
    fn constant_elements(&mut self, init: ExprId) -> Box<[Option<Const>]> {
        const_arrays::written_elements(&mut self.silent_lowering(), init)
    }

    /// For what is lowered and reported elsewhere.
    fn silent_lowering(&self) -> TypeLowering<'_> {
        let lowering = TypeLowering::with_env(self.db, self.owner, self.store, self.env);
        match self.part {
            StorePart::Body => lowering.in_body(&self.const_locals),
            StorePart::Signature => lowering,
        }
    }

    /// Runs `f` one level deeper; past the limit the expression has no type.
    fn nested(&mut self, f: impl FnOnce(&mut Self) -> Ty) -> Ty {
        if self.depth >= MAX_DEPTH {
            return Ty::Error;
        }
        self.depth += 1;
        let ty = stack::deep(|| f(self));
        self.depth -= 1;
        ty
    }

    /// Declares a local of a type; `void` is none.
    fn check_variable_type(&mut self, local: LocalId, ty: Ty) -> Ty {
        if ty == Ty::Void {
            let place = self.place(Node::Local(local));
            self.report(conversions::void_variable(place));
            return Ty::Error;
        }
        ty
    }

    fn is_const_local(&self, local: LocalId) -> bool {
        self.store.locals[local].modifiers.contains(Modifiers::CONST)
    }
}
