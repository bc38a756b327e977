//! What stands at an offset: the bridge from positions to definitions that the features share.

mod labels;
mod nodes;
mod paths;

pub(crate) use labels::{labels_around, place_of_label};
pub(crate) use paths::{definition_of_chain, parts as parts_of_path};

use base_db::{Db, text::Part};
use hir_def::{
    attribute::{Attribute, AttributeId, AttributeKind},
    body::{Body, Expr, ExprId, ExprStore, LocalId, StmtId},
    item::{self, ItemId, ItemKind},
    name::Name,
    position, scope, source_map,
    type_ref::{TypeRef, TypeRefId},
};
use hir_ty::{
    differential::{
        aggregate, association,
        attribute::{DerivativeAttribute, own_attributes},
    },
    env::Env,
    generics,
    infer::{
        self,
        result::{Base, Callable, InferenceResult, Resolution},
    },
    lower_ty::TypeLowering,
    members,
    ty::{Const, Ty},
};
use syntax::{TextRange, TextSize};

use crate::{
    FilePosition, FileRange,
    inclusions::{Inclusion, inclusions_of},
};

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Definition {
    Item(ItemId),
    /// What a name may mean that inference could not decide on: overloads, in the order of declaration.
    Candidates(Vec<ItemId>),
    /// A parameter or local variable of an item's body.
    Local {
        owner: ItemId,
        local: LocalId,
    },
    /// Generic parameter number `index` of an item.
    GenericParam {
        owner: ItemId,
        index: u32,
    },
    /// A type that the compiler knows, or one that is written out.
    Type(Ty),
    /// `fwd_diff(f)`, `bwd_diff(f)`: on the operator itself.
    Callable(Callable),
    /// An attribute, and the item it stands on.
    Attribute {
        item: ItemId,
        attribute: AttributeId,
    },
    /// An attribute of a statement in an item's body.
    StatementAttribute {
        owner: ItemId,
        attribute: AttributeId,
    },
    /// A part of a value that no declaration names, in words.
    Part(String),
    /// `no_diff` in front of an expression.
    NoDiff,
    /// The label of a statement in an item's body.
    Label {
        owner: ItemId,
        stmt: StmtId,
    },
}

/// A use or declaration of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub range: TextRange,
    pub definition: Definition,
    /// The item whose signature or body it stands in.
    pub context: ItemId,
    /// The type of the expression, if it is one.
    pub ty: Option<Ty>,
    /// The expression in the context's body.
    pub expr: Option<ExprId>,
    /// The type that it is a member of here, with its arguments.
    pub owner: Option<Ty>,
}

/// The innermost item around a position.
pub(crate) fn item_at(db: &dyn Db, at: FilePosition) -> Option<ItemId> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    source_map::items_at(db, segment, part, offset).first().copied()
}

/// The innermost function around a position.
pub(crate) fn function_at(db: &dyn Db, at: FilePosition) -> Option<ItemId> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    source_map::items_at(db, segment, part, offset).into_iter().find(|&item| {
        matches!(
            item::item_data(db, item).kind,
            ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }
        )
    })
}

/// What stands at a position.
pub(crate) fn find(db: &dyn Db, at: FilePosition) -> Option<Found> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    // At the end of a part, the name may belong to what ends here.
    source_map::items_at(db, segment, part, offset)
        .into_iter()
        .find_map(|item| find_in_header(db, item, part, offset).or_else(|| find_in_body(db, item, part, offset)))
        .map(|(location, found)| Found { range: position::absolute(db, location).1, ..found })
}

/// What stands at a position of a file that a segment includes, there.
pub(crate) fn find_included(db: &dyn Db, inclusion: Inclusion, offset: TextSize) -> Option<Found> {
    // What is included is located from the first segment of its file on.
    let first = *inclusion.file.segments(db).first()?;
    let items = item::segment_items(db, inclusion.segment).to_vec();
    let local = item::segment_local_items(db, inclusion.segment);
    let mut around: Vec<(TextSize, ItemId)> = items
        .into_iter()
        .chain(local)
        .filter_map(|item| {
            let source = source_map::item_source(db, item).as_ref()?;
            let here = source.range.segment == first && source.range.range.contains_inclusive(offset);
            here.then_some((source.range.range.len(), item))
        })
        .collect();
    around.sort_by_key(|(length, _)| *length);
    around
        .into_iter()
        .find_map(|(_, item)| {
            find_in_header(db, item, Part::Header, offset).or_else(|| find_in_body(db, item, Part::Header, offset))
        })
        .map(|(location, found)| Found { range: location.range, ..found })
}

/// What a position means: in a header, to each that includes it.
pub(crate) fn find_all(db: &dyn Db, at: FilePosition) -> Vec<Found> {
    let inclusions = inclusions_of(db, at.file).into_iter();
    let found: Vec<Found> =
        inclusions.filter_map(|inclusion| find_included(db, inclusion, TextSize::new(at.offset))).collect();
    if found.is_empty() { find(db, at).into_iter().collect() } else { found }
}

type FoundAt = (position::Location, Found);

fn found(definition: Definition, context: ItemId) -> Found {
    Found { range: TextRange::default(), definition, context, ty: None, expr: None, owner: None }
}

fn find_in_header(db: &dyn Db, item: ItemId, part: Part, offset: TextSize) -> Option<FoundAt> {
    let source = source_map::item_source(db, item).as_ref()?;
    let hit = |location: &position::Location| location.part == part && location.range.contains_inclusive(offset);
    let data = item::item_data(db, item);
    let name = source.name.filter(hit);
    match (&data.kind, name) {
        // They have no names of their own, and name others.
        (ItemKind::Using { path }, Some(name)) => {
            return paths::find_part(db, item, path, name, offset, || None);
        }
        (ItemKind::Extension { .. }, _) | (_, None) => {}
        (_, Some(name)) => return Some((name, found(Definition::Item(item), item))),
    }
    let owner = owner_of_parameters(db, item);
    let body = hir_def::body::queries::body(db, owner);
    for (index, name) in source.params.iter().enumerate() {
        if let (Some(name), Some(&local)) = (name.filter(hit), body.params.get(index)) {
            let ty = infer::infer(db, owner).local_types.get(local).copied();
            return Some((name, Found { ty, ..found(Definition::Local { owner, local }, item) }));
        }
    }
    for (index, &name) in source.generic_params.iter().enumerate() {
        if hit(&name) {
            return Some((name, found(Definition::GenericParam { owner: item, index: index as u32 }, item)));
        }
    }
    if source.range.part != part {
        return None;
    }
    let inferred = infer::infer_signature(db, item);
    if let Some(id) = source.expr_at(offset)
        && let Some(found) =
            derivative_member_at(db, item, source, id, offset).or_else(|| associated_at(db, item, source, id))
    {
        return Some(found);
    }
    if let Some(found) = nodes::find_in_nodes(db, item, &data.store, source.nodes(), inferred, offset) {
        return Some(found);
    }
    data.attributes().find_map(|(attribute, written)| {
        let location = source.attribute(attribute);
        let known = Definition::Attribute { item, attribute };
        hit(&location).then(|| attribute_found(db, item, written, location, known))
    })
}

/// The item whose body has the parameters of another: those of a subscript are its accessors'.
pub(crate) fn owner_of_parameters(db: &dyn Db, item: ItemId) -> ItemId {
    match item::item_data(db, item).kind {
        ItemKind::Subscript { .. } => item::members(db, item).first().copied().unwrap_or(item),
        _ => item,
    }
}

/// One of the language is all that is written; one of the program is its struct, by its name.
fn attribute_found(
    db: &dyn Db,
    item: ItemId,
    attribute: &Attribute,
    location: position::Location,
    known: Definition,
) -> FoundAt {
    let defined = if attribute.kind.is_none() { scope::user_attribute(db, item, &attribute.name) } else { None };
    match defined {
        Some(defined) => {
            let name = TextRange::at(location.range.start(), TextSize::of(attribute.name.as_str()));
            (position::Location { range: name, ..location }, found(Definition::Item(defined), item))
        }
        None => (location, found(known, item)),
    }
}

/// The overload that `[ForwardDerivative(f)]` and its relatives mean by a name alone.
fn associated_at(db: &dyn Db, item: ItemId, source: &source_map::ItemSource, id: ExprId) -> Option<FoundAt> {
    let written = own_attributes(db, item).into_iter().find(|written| written.argument == Some(id))?;
    let Expr::Path(path) = &item::item_data(db, item).store.exprs[id] else { return None };
    let DerivativeAttribute::Association(_) = written.attribute else { return None };
    let association::Choice::Found(chosen) = association::choose(db, written) else { return None };
    let is_plain = matches!(path.segments.as_slice(), [only] if only.args.is_none());
    is_plain.then(|| (source.expr(id), found(Definition::Item(chosen.item), item)))
}

/// The field that `[DerivativeMember(Differential.field)]` names: inference does not see it.
fn derivative_member_at(
    db: &dyn Db,
    item: ItemId,
    source: &source_map::ItemSource,
    id: ExprId,
    offset: TextSize,
) -> Option<FoundAt> {
    let attribute = item::item_data(db, item).attribute(AttributeKind::DerivativeMember)?;
    (attribute.args.first() == Some(&id)).then_some(())?;
    let name = aggregate::derivative_member(db, item)?;
    let owner = generics::self_type(db, item::container(db, item)?)?;
    let derivatives = aggregate::field_derivatives(db, Env::of(db, item), owner);
    let field = derivatives.iter().find(|derivative| derivative.field == item)?.derivative?;
    // The name ends the expression.
    let location = source.expr(id);
    let range = TextRange::new(location.range.end().checked_sub(TextSize::of(name.as_str()))?, location.range.end());
    let location = position::Location { range, ..location };
    range.contains_inclusive(offset).then(|| (location, found(Definition::Item(field), item)))
}

fn find_in_body(db: &dyn Db, item: ItemId, part: Part, offset: TextSize) -> Option<FoundAt> {
    let map = source_map::body_source_map(db, item);
    let owner = map.owner();
    if owner.part != part || !owner.range.contains_inclusive(offset) {
        return None;
    }
    let body = hir_def::body::queries::body(db, item);
    let inferred = infer::infer(db, item);
    if let Some(local) = map.local_at(offset) {
        let ty = inferred.local_types.get(local).copied();
        return Some((map.local(local), Found { ty, ..found(Definition::Local { owner: item, local }, item) }));
    }
    if let Some(label) = labels::label_at(db, item, body, map, offset) {
        return Some(label);
    }
    if let Some(local) = nodes::constant_local_at(db, item, body, map, inferred, offset) {
        return Some(local);
    }
    for (attribute, written) in body.store.attributes.iter() {
        let location = map.attribute(attribute);
        let is_argument =
            || map.expr_at(offset).is_some_and(|expr| location.range.contains_range(map.expr(expr).range));
        if location.range.contains_inclusive(offset) && !is_argument() {
            let known = Definition::StatementAttribute { owner: item, attribute };
            return Some(attribute_found(db, item, written, location, known));
        }
    }
    nodes::find_in_nodes(db, item, &body.store, map.nodes(), inferred, offset)
}

fn classify_type(
    db: &dyn Db,
    context: ItemId,
    store: &ExprStore,
    inferred: &InferenceResult,
    id: TypeRefId,
) -> Option<Found> {
    let TypeRef::Path(path) = &store.type_refs[id] else { return None };
    // Those of a declaration's parameters are not part of what is inferred.
    let inferred = inferred.type_refs.get(id).copied();
    match inferred.or_else(|| Some(TypeLowering::new(db, context, store).lower(id))) {
        Some(ty) if ty != Ty::Error => Some(Found { ty: Some(ty), ..found(definition_of_type(db, ty), context) }),
        // What stands between `<` and `>` may be a value, and is not a type of its own when it names a parameter of a call.
        _ => {
            let [segment] = path.segments.as_slice() else { return None };
            Some(found(definition_of_name(db, context, &segment.name)?, context))
        }
    }
}

/// What a name means at an item, without the help of inference.
fn definition_of_name(db: &dyn Db, context: ItemId, name: &Name) -> Option<Definition> {
    let params = generics::parameters(db, context);
    if let Some(param) = params.iter().rev().find(|param| generics::parameter_name(db, **param) == *name) {
        return Some(Definition::GenericParam { owner: param.owner(db), index: param.index(db) });
    }
    // What a body declares hides what is outside of it.
    let around = std::iter::successors(Some(context), |item| item::container(db, *item));
    let mut local = around.flat_map(|item| item::local_items(db, item));
    if let Some(local) = local.find(|item| item::item_data(db, **item).name.as_ref() == Some(name)) {
        return Some(Definition::Item(*local));
    }
    match scope::lookup(db, context, name).as_slice() {
        [] if name.as_str() == "This" => {
            let mut around = std::iter::successors(Some(context), |item| item::container(db, *item));
            Some(definition_of_type(db, around.find_map(|item| generics::self_type(db, item))?))
        }
        [] => None,
        [item] => Some(Definition::Item(*item)),
        items => Some(Definition::Candidates(items.to_vec())),
    }
}

/// Where a type is declared, if it is.
pub(crate) fn definition_of_type(db: &dyn Db, ty: Ty) -> Definition {
    match ty {
        Ty::Adt(item, _) => Definition::Item(item),
        Ty::Param(param) => Definition::GenericParam { owner: param.owner(db), index: param.index(db) },
        Ty::Associated(associated) => Definition::Item(associated.item(db)),
        Ty::This(interface) => Definition::Item(interface),
        _ => Definition::Type(ty),
    }
}

fn classify_expr(
    db: &dyn Db,
    context: ItemId,
    store: &ExprStore,
    inferred: &InferenceResult,
    id: ExprId,
) -> Option<Found> {
    let ty = inferred.expr_types.get(id).copied();
    let definition = match &store.exprs[id] {
        Expr::NoDiff(_) => Definition::NoDiff,
        _ => match resolution_at(db, store, inferred, id) {
            Some(Resolution::Constant(Const::Param(param))) => {
                Definition::GenericParam { owner: param.owner(db), index: param.index(db) }
            }
            Some(Resolution::Function(None)) | None => undecided(db, context, store, inferred, id)?,
            Some(resolution) => definition_of_resolution(db, context, resolution)?,
        },
    };
    let owner = match resolution_at(db, store, inferred, id) {
        Some(Resolution::Global { owner, .. }) => *owner,
        Some(Resolution::Field { base: Base::Expr(base), .. }) => {
            value_type(inferred, *base).map(|ty| ty.dereferenced(db).unwrap_or(ty))
        }
        Some(Resolution::Property { base: Base::Expr(base), get, set, .. }) => {
            let accessor = get.or(*set).map(|accessor| accessor.item);
            receiver(db, inferred, *base, accessor.and_then(|accessor| item::container(db, accessor)))
        }
        Some(
            Resolution::PairPrimal { base }
            | Resolution::PairDifferential { base }
            | Resolution::Swizzle { base, .. }
            | Resolution::MatrixSwizzle { base, .. }
            | Resolution::TupleElement { base, .. }
            | Resolution::TupleSwizzle { base, .. }
            | Resolution::OptionalValue { base }
            | Resolution::OptionalHasValue { base },
        ) => inferred.expr_types.get(*base).copied(),
        _ => match (&store.exprs[id], &definition) {
            (Expr::Member { base, .. }, Definition::Item(item)) => receiver(db, inferred, *base, Some(*item)),
            _ => None,
        },
    };
    Some(Found { ty, expr: Some(id), owner, ..found(definition, context) })
}

/// The type of a value, if it is what a member is declared in.
fn receiver(db: &dyn Db, inferred: &InferenceResult, base: ExprId, member: Option<ItemId>) -> Option<Ty> {
    let ty = value_type(inferred, base)?;
    let ty = ty.dereferenced(db).unwrap_or(ty);
    let is_own = matches!(ty, Ty::Adt(item, _) if item::container(db, member?) == Some(item));
    is_own.then_some(ty)
}

/// What a name may mean where inference had too little to choose by: a call with wrong or missing arguments, a function
/// that is only named.
fn undecided(
    db: &dyn Db,
    context: ItemId,
    store: &ExprStore,
    inferred: &InferenceResult,
    id: ExprId,
) -> Option<Definition> {
    if let Expr::Member { base, name, .. } = &store.exprs[id]
        && let Some(ty) = value_type(inferred, *base)
    {
        let members = members::lookup(db, Env::of(db, context), ty, name);
        let items: Vec<ItemId> = members.iter().map(|member| member.item).collect();
        if !items.is_empty() {
            return Some(Definition::Candidates(items));
        }
    }
    // Inference does not see the arguments of attributes and the sizes of arrays.
    let path = store.as_path(id)?;
    let names: Vec<&Name> = path.segments.iter().map(|segment| &segment.name).collect();
    definition_of_chain(db, context, &names)
}

/// The functions that an expression's name may mean: for signature help, whatever inference makes of the call.
pub(crate) fn functions_named(db: &dyn Db, context: ItemId, callee: ExprId) -> Vec<ItemId> {
    let (body, inferred) = body_of(db, context);
    let named = match undecided(db, context, &body.store, inferred, callee) {
        Some(Definition::Candidates(items)) => items,
        Some(Definition::Item(item)) => vec![item],
        _ => Vec::new(),
    };
    named.into_iter().filter(|item| matches!(item::item_data(db, *item).kind, ItemKind::Function(_))).collect()
}

/// The type whose members stand after a dot after this expression.
pub(crate) fn value_type(inferred: &InferenceResult, base: ExprId) -> Option<Ty> {
    match inferred.resolutions.get(&base) {
        Some(Resolution::Type(ty)) => Some(*ty),
        _ => inferred.expr_types.get(base).copied(),
    }
}

/// What is called where a function is named, also by a derivative: with its generic arguments, if they are known.
pub(crate) fn callable_at(db: &dyn Db, context: ItemId, expr: ExprId) -> Option<&Callable> {
    let (body, inferred) = body_of(db, context);
    match resolution_at(db, &body.store, inferred, expr) {
        Some(Resolution::Call(call)) => return Some(&call.callee),
        Some(Resolution::Function(Some(callable))) => return Some(callable),
        _ => {}
    }
    let around = body.store.exprs.iter().find_map(|(id, of)| match of {
        Expr::Derivative { function, .. } if *function == expr => Some(id),
        _ => None,
    });
    match callable_at(db, context, around?)? {
        Callable::Derivative { of, .. } => Some(of),
        Callable::Function(_) | Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}

/// The resolution of an expression; of the callee of a call, that of the call.
fn resolution_at<'a>(
    db: &dyn Db,
    store: &ExprStore,
    inferred: &'a InferenceResult,
    id: ExprId,
) -> Option<&'a Resolution> {
    // `bwd_diff(f)`: the argument names the function; what is called is the derivative.
    let own = inferred.resolutions.get(&id);
    if matches!(own, Some(Resolution::Function(Some(_)))) {
        return own;
    }
    let of_call = call_of(store, id).and_then(|call| inferred.resolutions.get(&call));
    match of_call {
        // `T(x)` is the constructor that it calls, if `T` declares one. That of a parameter is its interface's.
        Some(Resolution::Call(call)) if matches!(own, Some(Resolution::Type(_))) => match &call.callee {
            _ if matches!(own, Some(Resolution::Type(Ty::Param(_) | Ty::This(_) | Ty::Associated(_)))) => own,
            Callable::Function(function) if !in_prelude(db, function.item) => of_call,
            _ => own,
        },
        Some(Resolution::Conversion { .. }) if own.is_some() => own,
        // What holds a lambda or has a call operator is named, whether it is called or not.
        Some(Resolution::Call(_)) if own.is_some_and(is_value) => own,
        Some(Resolution::Call(_) | Resolution::Conversion { .. }) => of_call,
        _ => own,
    }
}

/// Whether a name means a value, which has a declaration of its own apart from what is called.
pub(crate) fn is_value(resolution: &Resolution) -> bool {
    match resolution {
        Resolution::Local(_)
        | Resolution::This
        | Resolution::Global { .. }
        | Resolution::Field { .. }
        | Resolution::PairPrimal { .. }
        | Resolution::PairDifferential { .. }
        | Resolution::Swizzle { .. }
        | Resolution::MatrixSwizzle { .. }
        | Resolution::TupleElement { .. }
        | Resolution::TupleSwizzle { .. }
        | Resolution::OptionalValue { .. }
        | Resolution::OptionalHasValue { .. }
        | Resolution::Element { .. }
        | Resolution::Property { .. }
        | Resolution::EnumCase(_) => true,
        Resolution::Constant(_)
        | Resolution::Type(_)
        | Resolution::Function(_)
        | Resolution::Call(_)
        | Resolution::BuiltinOperator { .. }
        | Resolution::Conversion { .. }
        | Resolution::Namespace(_) => false,
    }
}

/// Whether an item belongs to the core library.
pub(crate) fn in_prelude(db: &dyn Db, item: ItemId) -> bool {
    hir_def::modules::is_prelude(db, item::file_of(db, item))
}

/// The call that `id` is the callee of.
pub(crate) fn call_of(store: &ExprStore, id: ExprId) -> Option<ExprId> {
    store.exprs.iter().find_map(|(call, expr)| match expr {
        Expr::Call { callee, .. } if *callee == id => Some(call),
        _ => None,
    })
}

fn definition_of_resolution(db: &dyn Db, context: ItemId, resolution: &Resolution) -> Option<Definition> {
    Some(match resolution {
        Resolution::Local(local) => Definition::Local { owner: context, local: *local },
        Resolution::Global { item, .. } | Resolution::Field { item, .. } | Resolution::EnumCase(item) => {
            Definition::Item(*item)
        }
        Resolution::Namespace(item) => Definition::Item(*item),
        Resolution::Property { get, set, .. } => {
            let accessor = get.or(*set)?.item;
            Definition::Item(item::container(db, accessor).unwrap_or(accessor))
        }
        Resolution::Type(ty) => definition_of_type(db, *ty),
        Resolution::Conversion { to, .. } => definition_of_type(db, *to),
        Resolution::Function(callable) => definition_of_callable(db, callable.as_ref()?),
        Resolution::Call(call) => definition_of_callable(db, &call.callee),
        Resolution::PairPrimal { .. } => Definition::Part("the value of the pair".to_owned()),
        Resolution::PairDifferential { .. } => Definition::Part("the derivative of the pair".to_owned()),
        Resolution::Swizzle { components, .. } => {
            Definition::Part(parts("component", "components", components, u8::to_string))
        }
        Resolution::MatrixSwizzle { components, .. } => {
            Definition::Part(parts("element", "elements", components, |(row, column)| format!("[{row}][{column}]")))
        }
        Resolution::TupleElement { index, .. } => {
            Definition::Part(parts("element", "elements", &[*index], u32::to_string))
        }
        Resolution::TupleSwizzle { elements, .. } => {
            Definition::Part(parts("element", "elements", elements, u32::to_string))
        }
        Resolution::OptionalValue { .. } => Definition::Part("the value, if there is one".to_owned()),
        Resolution::OptionalHasValue { .. } => Definition::Part("whether there is a value".to_owned()),
        Resolution::This
        | Resolution::Element { .. }
        | Resolution::Constant(_)
        | Resolution::BuiltinOperator { .. } => return None,
    })
}

/// Parts of a value by their numbers: `components 0 and 2`.
fn parts<T>(one: &str, many: &str, numbers: &[T], shown: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = numbers.iter().map(shown).collect();
    match shown.as_slice() {
        [] => many.to_owned(),
        [number] => format!("{one} {number}"),
        [before @ .., last] => format!("{many} {} and {last}", before.join(", ")),
    }
}

pub(crate) fn definition_of_callable(db: &dyn Db, callable: &Callable) -> Definition {
    match callable {
        Callable::Function(function) => Definition::Item(function.item),
        Callable::Make(ty) => definition_of_type(db, *ty),
        Callable::Derivative { .. } | Callable::Value(_) | Callable::Synthesized { .. } => {
            Definition::Callable(callable.clone())
        }
    }
}

/// The places of the names in the declarations: several for overloads, none for what the compiler knows by itself.
pub(crate) fn declarations(db: &dyn Db, definition: &Definition) -> Vec<FileRange> {
    match definition {
        Definition::Candidates(items) => items.iter().filter_map(|&item| declaration_of_item(db, item)).collect(),
        definition => declaration(db, definition).into_iter().collect(),
    }
}

/// The place of the name in the declaration.
pub(crate) fn declaration(db: &dyn Db, definition: &Definition) -> Option<FileRange> {
    let location = match definition {
        Definition::Item(item) => return declaration_of_item(db, *item),
        Definition::Candidates(items) => return declaration_of_item(db, *items.first()?),
        Definition::Local { owner, local } => source_map::body_source_map(db, *owner).local(*local),
        Definition::GenericParam { owner, index } => {
            *source_map::item_source(db, *owner).as_ref()?.generic_params.get(*index as usize)?
        }
        Definition::Label { owner, stmt } => place_of_label(db, *owner, *stmt)?,
        Definition::Callable(callable) => {
            let mut innermost = callable;
            while let Callable::Derivative { of, .. } = innermost {
                innermost = of;
            }
            return match innermost {
                Callable::Function(function) => declaration_of_item(db, function.item),
                _ => None,
            };
        }
        Definition::Type(_)
        | Definition::Attribute { .. }
        | Definition::StatementAttribute { .. }
        | Definition::Part(_)
        | Definition::NoDiff => return None,
    };
    let (file, range) = position::absolute(db, location);
    Some(FileRange { file, range })
}

fn declaration_of_item(db: &dyn Db, item: ItemId) -> Option<FileRange> {
    let source = source_map::item_source(db, item).as_ref()?;
    let (file, range) = position::absolute(db, source.name.unwrap_or(source.range));
    Some(FileRange { file, range })
}

/// The body of an item with its inference.
pub(crate) fn body_of(db: &dyn Db, item: ItemId) -> (&Body, &InferenceResult) {
    (hir_def::body::queries::body(db, item), infer::infer(db, item))
}
