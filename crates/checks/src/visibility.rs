//! `public`, `internal`, `private`: uses from where a declaration is not accessible, and signatures that promise more than
//! their types allow.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    attribute::Modifiers,
    body::ExprId,
    item::{self, ItemId, ItemKind},
    type_ref::TypeRef,
    visibility::{Visibility, visibility},
};
use hir_ty::{
    conformance::access::is_accessible,
    diagnostics::{Diagnostic, Node, Site},
    display::item_name,
    signature,
    ty::{GenericArg, GenericArgs, Ty},
};

use super::{CheckedBody, Declaration, used_item};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    higher_than_container(declaration);
    less_visible_types(declaration);
    let data = declaration.data;
    for (id, written) in data.store.type_refs.iter() {
        if let Some(hidden) = hidden_type(declaration.db, declaration.item, written, || declaration.lower(id)) {
            let place = Site { item: declaration.item, node: Node::SignatureTypeRef(id) };
            declaration.found.push(not_accessible(declaration.db, place, hidden));
        }
    }
}

/// E30600: names in a body that mean something hidden.
pub(super) fn check_body(body: &mut CheckedBody<'_>) {
    let (db, from) = (body.db, body.item);
    for (id, ty) in body.inferred.type_refs.iter() {
        let written = &body.body.store.type_refs[id];
        if let Some(hidden) = hidden_type(db, from, written, || *ty) {
            body.found.push(not_accessible(db, Site { item: from, node: Node::TypeRef(id) }, hidden));
        }
    }
    let hidden_in = |expr: ExprId| {
        let used = body.inferred.resolutions.get(&expr).and_then(used_item);
        used.filter(|used| !is_accessible(db, *used, from))
    };
    let mut found = Vec::new();
    for (expr, node) in body.body.store.exprs.iter() {
        let Some(hidden) = hidden_in(expr) else { continue };
        // A call means what its callee means: it is said once, where the name is.
        let mut said = false;
        node.for_each_operand(|operand| said |= hidden_in(operand) == Some(hidden));
        if !said {
            found.push(not_accessible(db, Site { item: from, node: Node::ExprName(expr) }, hidden));
        }
    }
    body.found.extend(found);
}

fn not_accessible(db: &dyn Db, place: Site, hidden: ItemId) -> Diagnostic {
    let name = item_name(db, hidden);
    Diagnostic::new(codes::NOT_ACCESSIBLE, place, format!("'{name}' is not accessible from here"))
        .note(format!("'{name}' is declared here"), Some(Site::name(hidden)))
}

/// The hidden declaration that a type names as written: not what an alias stands for.
fn hidden_type(db: &dyn Db, from: ItemId, written: &TypeRef, ty: impl FnOnce() -> Ty) -> Option<ItemId> {
    let TypeRef::Path(path) = written else { return None };
    let name = &path.segments.last()?.name;
    let Ty::Adt(item, _) = ty() else { return None };
    let same_name = item::item_data(db, item).name.as_ref() == Some(name);
    (same_name && !is_accessible(db, item, from)).then_some(item)
}

/// E30601: a member cannot be seen from further than its type.
fn higher_than_container(declaration: &mut Declaration<'_>) {
    let written = declaration.data.modifiers;
    let own = if written.contains(Modifiers::PUBLIC) {
        Visibility::Public
    } else if written.contains(Modifiers::INTERNAL) {
        Visibility::Internal
    } else {
        return;
    };
    let Some((container, kind)) = declaration.container() else { return };
    if matches!(
        kind,
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Enum { .. } | ItemKind::Extension { .. }
    ) && visibility(declaration.db, container) < own
    {
        let (name, outer) = (item_name(declaration.db, declaration.item), item_name(declaration.db, container));
        let outer =
            if matches!(kind, ItemKind::Extension { .. }) { "its extension".to_owned() } else { format!("'{outer}'") };
        let message = format!("'{name}' cannot have a higher visibility than {outer}");
        declaration.report(codes::VISIBILITY_ABOVE_CONTAINER, Node::Name, message);
    }
}

/// E30604: who sees the declaration must see its types.
fn less_visible_types(declaration: &mut Declaration<'_>) {
    let (db, item) = (declaration.db, declaration.item);
    if !is_public(db, item) {
        return;
    }
    let types: Vec<Ty> = match &declaration.data.kind {
        ItemKind::Function(_) | ItemKind::Constructor { .. } => {
            let signature = signature::signature(db, item);
            signature.params.iter().map(|param| param.ty).chain([signature.ret]).collect()
        }
        ItemKind::Variable { .. } | ItemKind::Property { .. } => vec![signature::variable_type(db, item)],
        ItemKind::TypeAlias { .. } => vec![hir_ty::resolve::alias_target(db, item)],
        _ => return,
    };
    // What cannot be used here at all is reported as such.
    let hidden = types.iter().find_map(|ty| Hidden { db, seen: Vec::new() }.within(*ty));
    if let Some(hidden) = hidden.filter(|hidden| is_accessible(db, *hidden, item)) {
        let (name, hidden_name) = (item_name(db, item), item_name(db, hidden));
        let message = format!("'{name}' references less visible type '{hidden_name}'");
        let note = format!("'{hidden_name}' is declared here");
        let diagnostic = Diagnostic::new(codes::LESS_VISIBLE_TYPE, Site::name(item), message);
        declaration.found.push(diagnostic.note(note, Some(Site::name(hidden))));
    }
}

/// Whether an item and all that it is in are public.
fn is_public(db: &dyn Db, item: ItemId) -> bool {
    let mut around = std::iter::successors(Some(item), |inner| item::container(db, *inner));
    around.all(|outer| match item::item_data(db, outer).kind {
        // What an extension adds is as visible as it says itself.
        ItemKind::Namespace | ItemKind::Extension { .. } => true,
        _ => visibility(db, outer) == Visibility::Public,
    })
}

/// Looks for a declaration that is not public in a type.
struct Hidden<'db> {
    db: &'db dyn Db,
    seen: Vec<Ty>,
}

impl Hidden<'_> {
    fn within(&mut self, ty: Ty) -> Option<ItemId> {
        // Types that are built of the same types again and again are visited once.
        if self.seen.contains(&ty) {
            return None;
        }
        self.seen.push(ty);
        match ty {
            Ty::Adt(item, _) if !is_public(self.db, item) => Some(item),
            Ty::Adt(_, args) | Ty::Builtin(_, args) => self.within_arguments(args),
            _ => None,
        }
    }

    fn within_arguments(&mut self, args: GenericArgs) -> Option<ItemId> {
        args.args(self.db).iter().find_map(|arg| match arg {
            GenericArg::Type(ty) => self.within(*ty),
            GenericArg::Pack(pack) => self.within_arguments(*pack),
            GenericArg::Value(_) => None,
        })
    }
}
