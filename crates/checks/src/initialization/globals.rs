//! E41017 (warning): `static` and `groupshared` variables that are read although nothing is ever assigned to them.
//!
//! The order in which functions run is not known, so anything in the module that may assign to the variable settles it. One
//! thing differs from slangc: what the module that declares the variable assigns counts where another module reads it, too.
//! As there, values that a struct declares for its fields give a global none, a constructor without parameters does.
//!
//! What a body does with such variables is a query of its own and what those of a chunk of segments assign to is one more:
//! an edit that changes neither leaves the answer of the module as it is. Modules are asked only where a body reads such
//! a variable.

use base_db::{
    Db, SourceFile,
    chunks::{self, chunks},
};
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::{BodyRoot, Expr, ExprId, LocalId, LocalKind, PostfixOp, PrefixOp, Stmt},
    item::{self, ItemId, ItemKind},
    modules::module_view,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    display::item_name,
    env::Env,
    infer::{
        self,
        result::{Argument, Base, Resolution},
    },
    known, signature,
    ty::ParamDirection,
};
use rustc_hash::FxHashSet;

use super::{
    cells::needs_value,
    directions::{Directions, mutates_this},
    is_broken,
};
use crate::CheckedBody;

/// A variable that lives as long as the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Variable {
    Global(ItemId),
    /// A `static` local, which only its own body sees.
    Local(LocalId),
}

/// What a body does with variables of no value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Uses {
    /// Sorted.
    assigned: Box<[Variable]>,
    /// In the order of the expressions; without those that the body assigns to.
    read: Box<[(Variable, ExprId)]>,
    /// It may assign to anything.
    anything: bool,
}

pub(super) fn check(body: &mut CheckedBody<'_>) {
    let (db, item) = (body.db, body.item);
    for &(variable, expr) in &uses(db, item).read {
        let (name, declared) = match variable {
            Variable::Global(global) if is_assigned(db, item, global) => continue,
            Variable::Global(global) => (item_name(db, global), Site::name(global)),
            Variable::Local(local) => {
                let name = body.body.store.locals[local].name.to_string();
                (name, Site { item, node: Node::Local(local) })
            }
        };
        let message = format!("use of uninitialized global variable '{name}': nothing is assigned to it anywhere");
        let diagnostic = Diagnostic::new(codes::UNINITIALIZED_GLOBAL, Site { item, node: Node::Expr(expr) }, message);
        body.found.push(diagnostic.note(format!("'{name}' is declared here"), Some(declared)));
    }
}

/// Whether the module that declares a global, or that of the item which reads it, assigns to it.
fn is_assigned(db: &dyn Db, reader: ItemId, global: ItemId) -> bool {
    let modules = [item::file_of(db, reader), item::file_of(db, global)].map(|file| module_view(db, file));
    let distinct = if modules[0].root == modules[1].root { 1 } else { 2 };
    modules[..distinct].iter().flat_map(|module| module.files.iter()).any(|&file| {
        (0..chunks(db, file)).any(|chunk| {
            let assigned = chunk_assigned(db, file, chunk);
            assigned.anything || assigned.globals.binary_search(&global).is_ok()
        })
    })
}

/// What the bodies of some segments assign to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Assigned {
    /// Sorted.
    globals: Box<[ItemId]>,
    anything: bool,
}

#[salsa::tracked(returns(ref))]
fn chunk_assigned(db: &dyn Db, file: SourceFile, chunk: u32) -> Assigned {
    let (mut globals, mut anything) = (Vec::new(), false);
    for segment in chunks::with_members(db, file, chunk) {
        for item in item::segment_bodies(db, segment) {
            let uses = uses(db, item);
            anything |= uses.anything;
            globals.extend(uses.assigned.iter().filter_map(|variable| match variable {
                Variable::Global(global) => Some(*global),
                Variable::Local(_) => None,
            }));
        }
    }
    globals.sort_unstable();
    globals.dedup();
    Assigned { globals: globals.into(), anything }
}

#[salsa::tracked(returns(ref))]
fn uses(db: &dyn Db, item: ItemId) -> Uses {
    let body = hir_def::body::queries::body(db, item);
    if matches!(body.root, BodyRoot::None) || known::is_in_prelude(db, item) {
        return Uses::default();
    }
    let body = CheckedBody { db, item, body, inferred: infer::infer(db, item), found: Vec::new() };
    let store = &body.body.store;
    // Assembly is not looked into, and what is written in broken code is not known.
    if is_broken(&body) || store.exprs.iter().any(|(_, expr)| matches!(expr, Expr::SpirvAsm { .. })) {
        return Uses { anything: true, ..Uses::default() };
    }
    let without_value: FxHashSet<LocalId> =
        store.stmts.iter().filter_map(|(_, stmt)| static_local(&body, stmt)).collect();
    let variable = |expr: ExprId| match body.inferred.resolutions.get(&expr)? {
        Resolution::Global { item, .. } => has_no_value(db, *item).then_some(Variable::Global(*item)),
        Resolution::Local(local) => without_value.contains(local).then_some(Variable::Local(*local)),
        _ => None,
    };
    let mut read: Vec<(Variable, ExprId)> =
        store.exprs.iter().filter_map(|(expr, _)| Some((variable(expr)?, expr))).collect();
    if read.is_empty() {
        return Uses::default();
    }
    let mut assigned: Vec<Variable> =
        written_places(&body).into_iter().filter_map(|place| variable(root_of(&body, place))).collect();
    assigned.sort_unstable();
    assigned.dedup();
    read.retain(|(variable, _)| assigned.binary_search(variable).is_err());
    Uses { assigned: assigned.into(), read: read.into(), anything: false }
}

/// Whether a global is the program's own and is declared without a value: those of the host, of other modules and of the
/// stages of the pipeline get theirs from there.
fn has_no_value(db: &dyn Db, global: ItemId) -> bool {
    let data = item::item_data(db, global);
    let elsewhere = Modifiers::CONST | Modifiers::EXTERN | Modifiers::UNIFORM | Modifiers::IN | Modifiers::OUT;
    matches!(data.kind, ItemKind::Variable { has_init: false, semantic: None, .. })
        && data.modifiers.intersects(Modifiers::STATIC | Modifiers::GROUPSHARED)
        && !data.modifiers.intersects(elsewhere)
        && data.attributes().next().is_none()
        && !known::is_in_prelude(db, global)
        && needs_value(db, Env::of(db, global), signature::variable_type(db, global))
}

fn static_local(body: &CheckedBody<'_>, stmt: &Stmt) -> Option<LocalId> {
    let Stmt::Let { local, init: None } = stmt else { return None };
    let data = &body.body.store.locals[*local];
    let ty = *body.inferred.local_types.get(*local)?;
    let is_static = data.kind == LocalKind::Static || data.modifiers.intersects(Modifiers::GROUPSHARED);
    let constant = data.modifiers.intersects(Modifiers::CONST | Modifiers::EXTERN);
    (is_static && !constant && needs_value(body.db, Env::of(body.db, body.item), ty)).then_some(*local)
}

/// The expressions that a body may assign to.
fn written_places(body: &CheckedBody<'_>) -> Vec<ExprId> {
    let store = &body.body.store;
    let mut written = Vec::new();
    for (_, expr) in store.exprs.iter() {
        match expr {
            Expr::Assign { target, .. } => written.push(*target),
            Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement | PrefixOp::AddressOf, operand }
            | Expr::Postfix { op: PostfixOp::Increment | PostfixOp::Decrement, operand } => written.push(*operand),
            _ => {}
        }
    }
    let mut by_call =
        |receiver: Option<Base>, writes_receiver: bool, args: &[Argument], directions: &[ParamDirection]| {
            if let (Some(Base::Expr(receiver)), true) = (receiver, writes_receiver) {
                written.push(receiver);
            }
            for (arg, direction) in args.iter().zip(directions) {
                match (arg, direction) {
                    (Argument::Default { .. }, _) | (_, ParamDirection::In) => {}
                    // What is taken by reference may be assigned to by way of its address.
                    (Argument::Expr(expr), ParamDirection::ConstRef | ParamDirection::Ref)
                    | (Argument::Expr(expr), ParamDirection::Out | ParamDirection::InOut) => written.push(*expr),
                }
            }
        };
    for resolution in body.inferred.resolutions.values() {
        match resolution {
            Resolution::Call(call) => {
                let known = Directions::of(body, call);
                let directions: Vec<ParamDirection> = (0..call.args.len()).map(|index| known.argument(index)).collect();
                by_call(call.this, known.writes_receiver, &call.args, &directions);
            }
            Resolution::Property { base, get, set, .. } => {
                let mutating = get.iter().chain(set).any(|accessor| mutates_this(body.db, accessor.item));
                by_call(Some(*base), mutating, &[], &[]);
            }
            _ => {}
        }
    }
    // A tuple of places.
    let mut index = 0;
    while let Some(place) = written.get(index).copied() {
        index += 1;
        match &store.exprs[place] {
            Expr::Tuple(parts) => written.extend(parts.iter().copied()),
            Expr::Cast { operand, .. } | Expr::Each(operand) | Expr::Expand(operand) => written.push(*operand),
            _ => {}
        }
    }
    written
}

/// What a place is a part of.
fn root_of(body: &CheckedBody<'_>, place: ExprId) -> ExprId {
    let mut root = place;
    // From the outside in; each step leads to an operand.
    loop {
        root = match body.inferred.resolutions.get(&root) {
            Some(
                Resolution::Field { base: Base::Expr(base), .. }
                | Resolution::Property { base: Base::Expr(base), .. }
                | Resolution::Swizzle { base, .. }
                | Resolution::MatrixSwizzle { base, .. }
                | Resolution::TupleElement { base, .. }
                | Resolution::TupleSwizzle { base, .. }
                | Resolution::PairPrimal { base }
                | Resolution::PairDifferential { base }
                | Resolution::OptionalValue { base }
                | Resolution::OptionalHasValue { base }
                | Resolution::Element { base, .. },
            ) => *base,
            _ => return root,
        };
    }
}
