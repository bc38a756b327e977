//! What the checker says of a program: rules that reject what parses and has types, one family per file.
//!
//! Entry point: [`diagnostics`], which adds to them what type inference found. Two tables of rules, each a function from
//! one item to its findings: one about declarations, one about bodies.
//!
//! # Invariants
//! - A rule of [`DECLARATION_RULES`] reads the declaration, the names around it and signatures, never a body other than
//!   the initialiser of a constant; a rule of [`BODY_RULES`] reads the item's own body and its inference result. So an
//!   edit in a body runs the rules of that body again and no others. What a function needs of its target ([`capabilities`])
//!   is asked of other bodies through a query, and in files with `[require(…)]` alone.
//! - Rules say nothing about what has an error already: they skip [`hir_ty::ty::Ty::Error`].
//! - The core library is not checked: it may do what programs may not.

#![warn(missing_docs)]

mod accessors;
mod aliases;
mod aliasing;
mod attributes;
mod bit_fields;
mod bounds;
mod capabilities;
mod conformances;
mod constant_arguments;
mod defers;
mod derivative_pairs;
mod duplicates;
mod entry_points;
mod enums;
mod for_loops;
mod generics;
mod inheritance;
mod initialization;
mod initializers;
mod input_parameters;
mod kernels;
mod known_values;
mod layout;
mod loop_attributes;
mod mesh_outputs;
mod modifiers;
mod nesting;
mod numbers;
mod opened_values;
mod output_arguments;
mod packs;
mod payload_access;
mod recursion;
mod registers;
mod requirements;
mod semantics;
mod signature_types;
mod stage_attributes;
mod statements;
mod static_assertions;
mod thrown_errors;
mod unused;
mod using;
mod visibility;
mod written_types;

pub use capabilities::{capability_description, capability_names, stage_names, target_names};
pub use semantics::{system_value_description, system_values};

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use base_db::Db;
use diagnostics::Code;
use hir_def::{
    body::{Body, BodyRoot},
    item::{self, Item, ItemId, ItemKind},
    type_ref::TypeRefId,
};
use hir_ty::{
    diagnostics::{Diagnostic, Node, Site},
    infer::{
        self,
        result::{Callable, InferenceResult, Resolution},
    },
    known,
    lower_ty::TypeLowering,
    ty::Ty,
};
use rustc_hash::FxHashMap;

/// Everything that the type checker has to say about `item`: its declaration, the expressions in its signature, its body.
pub fn diagnostics(db: &dyn Db, item: ItemId) -> impl Iterator<Item = &Diagnostic> {
    declaration_diagnostics(db, item)
        .iter()
        .chain(declaration_rules(db, item))
        .chain(body_rules(db, item))
        .chain(infer::signature_diagnostics(db, item))
        .chain(infer::diagnostics(db, item))
}

/// What is wrong with the types that a declaration writes.
#[salsa::tracked(returns(deref))]
fn declaration_diagnostics(db: &dyn Db, item: ItemId) -> Box<[Diagnostic]> {
    let mut found = signature_types::check(db, item);
    conformances::check(db, item, &mut found);
    found.into_boxed_slice()
}

/// What is wrong with a declaration, by the rules about declarations.
#[salsa::tracked(returns(deref))]
fn declaration_rules(db: &dyn Db, item: ItemId) -> Box<[Diagnostic]> {
    if known::is_in_prelude(db, item) {
        return Box::default();
    }
    let data = item::item_data(db, item);
    let mut declaration = Declaration { db, item, data, lowered: RefCell::default(), found: Vec::new() };
    for rule in DECLARATION_RULES {
        rule(&mut declaration);
    }
    declaration.found.into_boxed_slice()
}

/// What is wrong with a body or initialiser, by the rules about bodies.
#[salsa::tracked(returns(deref))]
fn body_rules(db: &dyn Db, item: ItemId) -> Box<[Diagnostic]> {
    if known::is_in_prelude(db, item) {
        return Box::default();
    }
    let body = hir_def::body::queries::body(db, item);
    if matches!(body.root, BodyRoot::None) {
        return Box::default();
    }
    let mut checked = CheckedBody { db, item, body, inferred: infer::infer(db, item), found: Vec::new() };
    for rule in BODY_RULES {
        rule(&mut checked);
    }
    checked.found.into_boxed_slice()
}

const DECLARATION_RULES: &[fn(&mut Declaration<'_>)] = &[
    nesting::check,
    using::check,
    inheritance::check,
    duplicates::check,
    initializers::check,
    modifiers::check,
    accessors::check,
    enums::check,
    attributes::check,
    bit_fields::check,
    capabilities::check,
    generics::check,
    layout::check,
    registers::check,
    payload_access::check,
    recursion::check,
    entry_points::check,
    stage_attributes::check,
    mesh_outputs::lengths,
    entry_points::differentiable_kernel,
    kernels::check,
    visibility::check,
    requirements::check,
    written_types::check,
    aliases::check,
    unused::deprecated_types,
    derivative_pairs::check,
];

const BODY_RULES: &[fn(&mut CheckedBody<'_>)] = &[
    initializers::check_constant,
    initializers::check_cycle,
    known_values::check_case,
    layout::check_locals,
    visibility::check_body,
    statements::check,
    static_assertions::check,
    numbers::check,
    attributes::check_body,
    modifiers::check_locals,
    packs::check,
    capabilities::check_body,
    thrown_errors::check,
    defers::check,
    for_loops::check,
    loop_attributes::check,
    bounds::check,
    written_types::check_body,
    written_types::check_expansions,
    derivative_pairs::check_body,
    aliasing::check,
    opened_values::check,
    output_arguments::check,
    input_parameters::check,
    mesh_outputs::check_reads,
    constant_arguments::check,
    unused::check,
    initialization::check,
];

/// The declaration that a resolved expression uses.
fn used_item(resolution: &Resolution) -> Option<ItemId> {
    match resolution {
        Resolution::Global { item, .. } | Resolution::Field { item, .. } | Resolution::EnumCase(item) => Some(*item),
        Resolution::Property { get, set, .. } => get.or(*set).map(|function| function.item),
        Resolution::Function(callable) => callable.as_ref().and_then(called_item),
        Resolution::Call(call) => called_item(&call.callee),
        _ => None,
    }
}

fn called_item(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => Some(function.item),
        Callable::Derivative { of, .. } => called_item(of),
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}

/// A declaration under examination.
struct Declaration<'db> {
    db: &'db dyn Db,
    item: ItemId,
    data: &'db Item,
    /// Types of the signature, which most rules ask for.
    lowered: RefCell<FxHashMap<TypeRefId, Ty>>,
    found: Vec<Diagnostic>,
}

impl<'db> Declaration<'db> {
    fn report(&mut self, code: Code, node: Node, message: impl Into<String>) {
        let place = Site { item: self.item, node };
        self.found.push(Diagnostic::new(code, place, message));
    }

    /// The item's name, or nothing for those without.
    fn name(&self) -> &'db str {
        self.data.name.as_ref().map_or("", |name| name.as_str())
    }

    /// What the item is declared in; `None` at the top level of a file.
    fn container(&self) -> Option<(ItemId, &'db ItemKind)> {
        let container = item::container(self.db, self.item)?;
        Some((container, &item::item_data(self.db, container).kind))
    }

    /// Whether the item is a global of the module or of a namespace.
    fn is_global(&self) -> bool {
        self.container().is_none_or(|(_, kind)| matches!(kind, ItemKind::Namespace))
    }

    /// A type of the signature.
    fn lower(&self, ty: TypeRefId) -> Ty {
        let lower = || TypeLowering::new(self.db, self.item, &self.data.store).lower(ty);
        *self.lowered.borrow_mut().entry(ty).or_insert_with(lower)
    }

    fn show(&self, ty: Ty) -> String {
        hir_ty::display::display(self.db, ty)
    }
}

/// A body under examination.
struct CheckedBody<'db> {
    db: &'db dyn Db,
    item: ItemId,
    body: &'db Body,
    inferred: &'db InferenceResult,
    found: Vec<Diagnostic>,
}

impl CheckedBody<'_> {
    fn report(&mut self, code: Code, node: Node, message: impl Into<String>) {
        let place = Site { item: self.item, node };
        self.found.push(Diagnostic::new(code, place, message));
    }
}
