//! Types that would be infinitely large.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    item::{self, Function, ItemKind, item_data},
    type_ref::TypeRefId,
};
use hir_ty::{
    aggregate,
    diagnostics::{Diagnostic, Node, Site},
    env::Env,
    generics,
    ty::{BuiltinType, Ty},
};
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
            for field in aggregate::own_fields(db, item) {
                let ty = hir_ty::signature::variable_type(db, *field);
                if size(db, env, ty) != Size::Finite {
                    let place = Site::name(*field);
                    let diagnostic = Diagnostic::new(codes::TYPE_NESTING_TOO_DEEP, place, TOO_DEEP);
                    declaration.found.push(diagnostic);
                }
            }
        }
    }
}

/// E39997: a struct from elsewhere that grows for ever with the arguments that it gets here.
fn used_type(declaration: &mut Declaration<'_>, ty: TypeRefId) {
    let lowered = declaration.lower(ty);
    let (db, env) = (declaration.db, Env::of(declaration.db, declaration.item));
    if size(db, env, lowered) == Size::Growing {
        declaration.report(codes::TYPE_NESTING_TOO_DEEP, Node::SignatureTypeRef(ty), TOO_DEEP);
    }
    if declaration.is_global() && matches!(declaration.data.kind, ItemKind::Variable { .. }) {
        block(declaration, env, lowered, ty);
    }
}

/// E39997: a block is laid out where it is declared, with its arguments. A struct that is generic over a pack may turn out
/// to be endless only then; the field that makes it so is named, where it is in the same file.
fn block(declaration: &mut Declaration<'_>, env: Env, ty: Ty, written: TypeRefId) {
    let db = declaration.db;
    let Ty::Builtin(BuiltinType::ParameterBlock | BuiltinType::ConstantBuffer, _) = ty else { return };
    let mut around = Vec::new();
    let mut current = ty.first_type_arg(db);
    // Down to the struct that begins again.
    while let Some(Ty::Adt(item, _)) = current.filter(|ty| !around.contains(ty) && around.len() < MAX_NESTING) {
        let outer = current.unwrap_or(Ty::Error);
        around.push(outer);
        let mut fields = aggregate::fields(db, env, outer).iter();
        let Some((field, inner)) = fields.find(|(_, ty)| size(db, env, *ty) != Size::Finite) else { return };
        current = Some(*inner);
        let begins_again = around.contains(inner);
        // What is endless whatever its arguments are is reported there.
        let always = generics::self_type(db, item).is_none_or(|this| size(db, env, this) != Size::Finite);
        if !begins_again || always {
            continue;
        }
        let same_file = item::file_of(db, *field) == item::file_of(db, declaration.item);
        let here = Site { item: declaration.item, node: Node::SignatureTypeRef(written) };
        let place = if same_file { Site::name(*field) } else { here };
        let found = Diagnostic::new(codes::TYPE_NESTING_TOO_DEEP, place, TOO_DEEP);
        declaration.found.push(found.related(same_file.then_some(here), "for this block"));
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
    let mut walk = CallWalk { db, env, around: Vec::new(), finite: FxHashSet::default() };
    walk.visit(ty)
}

struct CallWalk<'db> {
    db: &'db dyn Db,
    env: Env,
    /// What is being looked into, outermost first.
    around: Vec<Ty>,
    /// What is known to end.
    finite: FxHashSet<Ty>,
}

impl CallWalk<'_> {
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
