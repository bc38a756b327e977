//! Types that would be infinitely large.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{Function, ItemKind, item_data},
};
use hir_ty::{diagnostics::Node, env::Env, generics, ty::Ty};
use rustc_hash::FxHashSet;

use super::{Declaration, layout};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    match &declaration.data.kind {
        ItemKind::Struct { .. } => structure(declaration),
        ItemKind::Function(Function { params, ret, .. }) => {
            for ty in params.iter().map(|param| param.ty).chain([*ret]) {
                used_type(declaration, ty);
            }
        }
        ItemKind::Variable { ty, .. } if declaration.is_global() => used_type(declaration, *ty),
        _ => {}
    }
}

/// E41001, E39997: a struct that contains itself, or ever larger versions of itself.
fn structure(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    let Some(this) = generics::self_type(db, item) else { return };
    let env = Env::of(db, item);
    match size(db, env, this) {
        Size::Finite => {}
        Size::Cyclic => {
            let message = format!("type '{}' contains itself", declaration.show(this));
            declaration.report(codes::RECURSIVE_TYPE, Node::Name, message);
        }
        Size::Growing => {
            for field in hir_ty::aggregate::own_fields(db, item) {
                let ty = hir_ty::signature::variable_type(db, *field);
                if size(db, env, ty) != Size::Finite {
                    let place = hir_ty::diagnostics::Place::name(*field);
                    let diagnostic =
                        hir_ty::diagnostics::Diagnostic::new(codes::TYPE_NESTING_TOO_DEEP, place, TOO_DEEP);
                    declaration.found.push(diagnostic);
                }
            }
        }
    }
}

/// E39997: a struct from elsewhere that grows for ever with the arguments that it gets here.
fn used_type(declaration: &mut Declaration<'_>, ty: hir_def::type_ref::TypeRefId) {
    let lowered = declaration.lower(ty);
    if size(declaration.db, Env::of(declaration.db, declaration.item), lowered) == Size::Growing {
        declaration.report(codes::TYPE_NESTING_TOO_DEEP, Node::SignatureTypeRef(ty), TOO_DEEP);
    }
}

const TOO_DEEP: &str = "maximum type nesting level exceeded";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Finite,
    Cyclic,
    Growing,
}

/// Types inside of types inside of types: past this nobody wrote them.
const MAX_NESTING: usize = ::diagnostics::limits::TYPES_BY_VALUE as usize;

fn size(db: &dyn Db, env: Env, ty: Ty) -> Size {
    if !matches!(ty, Ty::Adt(..) | Ty::Builtin(..)) {
        return Size::Finite;
    }
    let mut walk = Walk { db, env, around: Vec::new(), finite: FxHashSet::default() };
    walk.visit(ty)
}

struct Walk<'db> {
    db: &'db dyn Db,
    env: Env,
    /// What is being looked into, outermost first.
    around: Vec<Ty>,
    /// What is known to end.
    finite: FxHashSet<Ty>,
}

impl Walk<'_> {
    fn visit(&mut self, ty: Ty) -> Size {
        if self.finite.contains(&ty) {
            return Size::Finite;
        }
        if let Some(position) = self.around.iter().position(|outer| *outer == ty) {
            // A cycle that the outermost type is no part of is reported where it is.
            return if position == 0 { Size::Cyclic } else { Size::Finite };
        }
        // A class is a reference to what it holds.
        if let Ty::Adt(item, _) = ty
            && item_data(self.db, item).modifiers.contains(Modifiers::CLASS)
        {
            return Size::Finite;
        }
        if self.around.len() >= MAX_NESTING {
            return Size::Growing;
        }
        self.around.push(ty);
        for part in layout::parts(self.db, self.env, ty) {
            match self.visit(part) {
                Size::Finite => {}
                other => {
                    self.around.pop();
                    return other;
                }
            }
        }
        self.around.pop();
        self.finite.insert(ty);
        Size::Finite
    }
}
