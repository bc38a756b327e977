//! A type is for the targets and stages of its interfaces, and its methods for those of their requirements; neither asks
//! for more.

use diagnostics::{Code, codes};
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{
    conformance,
    diagnostics::{Diagnostic, Site},
    display::item_name,
    extension, generics,
    ty::{GenericArgs, Ty},
};

use super::{declared, names, required, set::Lack, undeclared};
use crate::{Declaration, requirements::own_implementation};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    if !matches!(declaration.data.kind, ItemKind::Struct { .. } | ItemKind::Extension { .. }) {
        return;
    }
    let Some(this) = generics::self_type(db, item).filter(|this| matches!(this, Ty::Adt(..))) else { return };
    for base in conformance::bases(db, item) {
        let Ty::Adt(interface, args) = *base else { continue };
        if !extension::is_interface(db, *base) {
            continue;
        }
        for requirement in item::members(db, interface) {
            if matches!(item::item_data(db, *requirement).kind, ItemKind::Function(_)) {
                method(declaration, this, args, *requirement);
            }
        }
        if matches!(declaration.data.kind, ItemKind::Struct { .. }) {
            compare(declaration, interface, item, [codes::CAPABILITY_BEYOND_BASE, codes::TYPE_NARROWER_THAN_BASE]);
        }
    }
}

fn method(declaration: &mut Declaration<'_>, this: Ty, args: GenericArgs, requirement: ItemId) {
    let db = declaration.db;
    let Some((_, found)) = own_implementation(declaration, this, args, requirement) else { return };
    // Where neither says anything, nobody minds.
    if declared(db, requirement).is_nothing() && declared(db, found.item).is_nothing() {
        return;
    }
    let codes = [codes::CAPABILITY_BEYOND_INTERFACE, codes::METHOD_NARROWER_THAN_REQUIREMENT];
    compare(declaration, requirement, found.item, codes);
}

/// What `found` needs, against what `promised` says; the codes for more than that and for less.
fn compare(declaration: &mut Declaration<'_>, promised: ItemId, found: ItemId, [more, narrower]: [Code; 2]) {
    let db = declaration.db;
    let diagnostic = match required(db, promised).lacks(required(db, found), true) {
        None => return,
        Some(Lack::More(missing)) => undeclared(db, found, &missing, more, "must not ask for: the interface does not"),
        Some(Lack::Narrower(missing)) => {
            let (name, what) = (item_name(db, found), names::show(&missing));
            let message = format!("'{name}' is not for {what}, for which the interface promises it");
            Diagnostic::new(narrower, Site::name(found), message)
        }
    };
    declaration.found.push(diagnostic.note("promised here", Some(Site::name(promised))));
}
