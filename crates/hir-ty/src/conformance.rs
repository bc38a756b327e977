//! Which types conform to which interfaces, and how they do it.

pub mod access;
pub mod extension;
pub mod members;

use ::diagnostics::stack;
use base_db::Db;
use hir_def::{
    body::PackQuery,
    item::{self, ItemId, ItemKind},
};

use crate::{
    generics::{
        self, associated,
        env::{Bound, Env},
        packs,
        substitute::{self, Substitution, substitute, substitute_args, substitute_const, substitute_many},
    },
    infer::result::SynthesizedOperation,
    types::{
        closure, conversion, cycles,
        known::{self, Known},
        lower_ty::TypeLowering,
        signature::{self, FunctionRef, FunctionSignature},
        ty::{Const, GenericArg, GenericArgs, PackQueryTy, ParamDirection, Ty},
    },
};

/// Whether `ty` conforms to `interface` in `env`.
pub fn conforms(db: &dyn Db, env: Env, ty: Ty, interface: Ty) -> bool {
    ty.is_error() || interface.is_error() || interfaces_of(db, env, ty).contains(&interface)
}

/// Whether the core library itself lets one of its types conform to one of its interfaces: no program fulfils the
/// requirements then, whatever its extensions add.
pub fn is_of_core_library(db: &dyn Db, ty: Ty, interface: Ty) -> bool {
    match (ty, interface) {
        (Ty::Scalar(_) | Ty::Builtin(..), Ty::Adt(item, _)) if known::is_in_prelude(db, item) => {
            conforms(db, Env::of(db, item), ty, interface)
        }
        _ => false,
    }
}

/// Whether `ty` conforms to an interface of the prelude without generic parameters.
pub fn conforms_to_known(db: &dyn Db, env: Env, ty: Ty, known: Known) -> bool {
    known::interface_type(db, known).is_some_and(|interface| conforms(db, env, ty, interface))
}

/// All interfaces that `ty` conforms to, by declaration, by extension, by bound, by inheritance.
pub fn interfaces_of(db: &dyn Db, env: Env, ty: Ty) -> &[Ty] {
    interfaces_query(db, env.about(db, ty), ty)
}

/// The interfaces of one type as far as they are known while they are being found: what an extension adds may depend on
/// what another one adds. Asking [`interfaces_of`] again would be a cycle, which costs far more than asking in rounds.
#[derive(Clone, Copy)]
pub(crate) struct PartialInterfaces<'a> {
    ty: Ty,
    interfaces: &'a [Ty],
}

/// The interfaces of `ty`, those known so far where they are just being found.
pub(crate) fn interfaces_so_far<'a>(
    db: &'a dyn Db,
    env: Env,
    ty: Ty,
    partial: Option<PartialInterfaces<'a>>,
) -> &'a [Ty] {
    match partial {
        Some(partial) if partial.ty == ty => partial.interfaces,
        _ => interfaces_of(db, env, ty),
    }
}

#[salsa::tracked(returns(deref), cycle_initial = interfaces_initial, cycle_fn = interfaces_settle)]
fn interfaces_query(db: &dyn Db, env: Env, ty: Ty) -> Box<[Ty]> {
    let mut found = Found { db, env, this: ty, interfaces: Vec::new() };
    for bound in env.bounds(db) {
        if let Bound::Conforms { subject, interface, .. } = *bound
            && subject == ty
        {
            found.add(interface);
        }
    }
    match ty {
        Ty::Error | Ty::Void | Ty::NoneLiteral | Ty::NullLiteral => {}
        Ty::This(interface) => found.add(Ty::Adt(interface, generics::identity_args(db, interface))),
        Ty::Associated(associated) => {
            for bound in associated::promised_bounds(db, env, associated) {
                if let Bound::Conforms { subject, interface, .. } = bound
                    && subject == ty
                {
                    found.add(interface);
                }
            }
            let item = associated.item(db);
            let data = item::item_data(db, item);
            if let ItemKind::AssociatedType { bounds, .. } = &data.kind {
                let substitution =
                    Substitution::of_item(db, item, associated.interface_args(db)).with_this(associated.base(db));
                for bound in bounds {
                    let bound = TypeLowering::new(db, item, &data.store).lower(*bound);
                    found.add(substitute(db, env, bound, &substitution));
                }
            }
        }
        Ty::SynthesizedDifferential(..) => {
            if let Some(interface) = known::interface_type(db, Known::IDifferentiable) {
                found.add(interface);
            }
        }
        Ty::Function(function) => {
            for interface in closure::function_interfaces(db, function.params(db), function.ret(db)) {
                found.add(interface);
            }
        }
        Ty::Closure(closure) => {
            for interface in closure::interfaces(db, env, closure) {
                found.add(interface);
            }
        }
        _ if extension::is_interface(db, ty) => found.add(ty),
        Ty::Adt(..) | Ty::Scalar(_) | Ty::Builtin(..) | Ty::String => {
            if let Some((declaration, args)) = known::declaration_of(db, ty) {
                let substitution = Substitution::of_item(db, declaration, args).with_this(ty);
                for base in bases(db, declaration) {
                    found.add(substitute(db, env, *base, &substitution));
                }
                if matches!(item::item_data(db, declaration).kind, ItemKind::Enum { .. })
                    && let Some(interface) = known::interface_type(db, Known::EnumType)
                {
                    found.add(interface);
                }
            }
        }
        // What is promised about a parameter of the whole program holds everywhere.
        Ty::Param(param) if matches!(item::item_data(db, param.owner(db)).kind, ItemKind::GlobalTypeParam) => {
            for bound in generics::own_bounds(db, param.owner(db)) {
                if let Bound::Conforms { interface, .. } = *bound {
                    found.add(interface);
                }
            }
        }
        Ty::Param(_) | Ty::Expand(_) => {}
        Ty::PackQuery(query) => {
            for interface in query_interfaces(db, env, query) {
                found.add(interface);
            }
        }
    }
    found.add_from_extensions();
    found.interfaces.into_boxed_slice()
}

/// What holds whatever a query of a pack turns out to give: the bounds of the pack's elements, or what both branches
/// conform to.
fn query_interfaces(db: &dyn Db, env: Env, query: PackQueryTy) -> Vec<Ty> {
    let of = |arg: &GenericArg| match packs::pattern_of(db, *arg) {
        GenericArg::Type(ty) => interfaces_of(db, env, ty).to_vec(),
        GenericArg::Value(_) | GenericArg::Pack(_) => Vec::new(),
    };
    let common = |args: &[GenericArg]| {
        let mut lists = args.iter().map(of);
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |common, list| common.into_iter().filter(|interface| list.contains(interface)).collect())
    };
    match (query.query(db), query.operands(db).args(db)) {
        (PackQuery::Branch, [_, branches @ ..]) => common(branches),
        (_, [GenericArg::Pack(pack), ..]) => common(pack.args(db)),
        _ => Vec::new(),
    }
}

struct Found<'a> {
    db: &'a dyn Db,
    env: Env,
    this: Ty,
    interfaces: Vec<Ty>,
}

impl Found<'_> {
    /// What extensions add, in rounds until none adds more.
    fn add_from_extensions(&mut self) {
        let (db, env, ty) = (self.db, self.env, self.this);
        let mut waiting: Vec<ItemId> = extension::conforming(db, env, ty).to_vec();
        loop {
            let before = waiting.len();
            waiting.retain(|extension| {
                let partial = PartialInterfaces { ty, interfaces: &self.interfaces };
                let Some(args) = extension::apply_given(db, env, *extension, ty, Some(partial)) else { return true };
                let substitution = Substitution::of_item(db, *extension, args).with_this(ty);
                for base in bases(db, *extension) {
                    self.add(substitute(db, env, *base, &substitution));
                }
                false
            });
            if waiting.len() == before {
                return;
            }
        }
    }

    /// Adds an interface and those that it inherits.
    fn add(&mut self, interface: Ty) {
        let Ty::Adt(item, args) = interface else { return };
        if self.interfaces.contains(&interface) || !extension::is_interface(self.db, interface) {
            return;
        }
        self.interfaces.push(interface);
        let substitution = Substitution::of_item(self.db, item, args).with_this(self.this);
        for base in bases(self.db, item) {
            let base = substitute(self.db, self.env, *base, &substitution);
            stack::deep(|| self.add(base));
        }
    }
}

fn interfaces_initial(_db: &dyn Db, _id: salsa::Id, _env: Env, _ty: Ty) -> Box<[Ty]> {
    Box::default()
}

fn interfaces_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Box<[Ty]>,
    value: Box<[Ty]>,
    _env: Env,
    _ty: Ty,
) -> Box<[Ty]> {
    cycles::settle(cycle, value, last.clone())
}

/// The bases that a struct, enum, interface or extension writes, in terms of its own parameters.
#[salsa::tracked(returns(deref), cycle_initial = bases_initial, cycle_fn = bases_settle)]
pub fn bases(db: &dyn Db, item: ItemId) -> Box<[Ty]> {
    let data = item::item_data(db, item);
    match &data.kind {
        ItemKind::Struct { bases }
        | ItemKind::Enum { bases, .. }
        | ItemKind::Interface { bases }
        | ItemKind::Extension { bases, .. } => {
            let mut lowering = TypeLowering::new(db, item, &data.store).outside_members();
            bases.iter().flat_map(|base| generics::bound_types(&mut lowering, *base)).collect()
        }
        _ => Box::default(),
    }
}

fn bases_initial(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> Box<[Ty]> {
    Box::default()
}

fn bases_settle(
    _db: &dyn Db,
    cycle: &salsa::Cycle<'_>,
    last: &Box<[Ty]>,
    value: Box<[Ty]>,
    _item: ItemId,
) -> Box<[Ty]> {
    cycles::settle(cycle, value, last.clone())
}

/// The first bound of `item`'s own generic parameters that `args` (for all parameters in scope) do not meet, with the
/// arguments put in.
pub fn first_unmet_bound(db: &dyn Db, env: Env, item: ItemId, args: GenericArgs, self_ty: Option<Ty>) -> Option<Bound> {
    first_unmet_bound_given(db, env, item, args, self_ty, None)
}

pub(crate) fn first_unmet_bound_given(
    db: &dyn Db,
    env: Env,
    item: ItemId,
    args: GenericArgs,
    self_ty: Option<Ty>,
    partial: Option<PartialInterfaces<'_>>,
) -> Option<Bound> {
    let conforms = |subject: Ty, interface: Ty| {
        let known = || interfaces_so_far(db, env, subject, partial);
        subject.is_error() || interface.is_error() || known().contains(&interface)
    };
    let bounds = generics::own_bounds(db, item);
    if bounds.is_empty() {
        return None;
    }
    let mut substitution = Substitution::of_item(db, item, args);
    if let Some(this) = self_ty {
        substitution = substitution.with_this(this);
    }
    // A bound of a pack is one of each of its elements.
    let steps = |tys: [Ty; 2]| {
        let mut sources = Vec::new();
        tys.into_iter().for_each(|ty| packs::find_sources(db, GenericArg::Type(ty), &mut sources));
        match packs::elements(db, env, &sources, &substitution) {
            Some(elements) => elements.into_iter().map(|element| element.substitution).collect(),
            None => vec![substitution.clone()],
        }
    };
    bounds.iter().find_map(|bound| match *bound {
        Bound::Conforms { optional: true, .. } => None,
        Bound::Conforms { subject, interface, optional } => steps([subject, interface]).into_iter().find_map(|step| {
            let (subject, interface) = (substitute(db, env, subject, &step), substitute(db, env, interface, &step));
            (!conforms(subject, interface)).then_some(Bound::Conforms { subject, interface, optional })
        }),
        Bound::Equal { left, right } => steps([left, right]).into_iter().find_map(|step| {
            let (left, right) = (substitute(db, env, left, &step), substitute(db, env, right, &step));
            let equal = left == right || left.is_error() || right.is_error() || promised_equal(db, env, left, right);
            (!equal).then_some(Bound::Equal { left, right })
        }),
        Bound::Coercible { from, to } => steps([from, to]).into_iter().find_map(|step| {
            let (from, to) = (substitute(db, env, from, &step), substitute(db, env, to, &step));
            let known = substitute::is_concrete(db, from) && substitute::is_concrete(db, to);
            let refused = known && !from.is_error() && !to.is_error() && !conversion::casts(db, env, from, to);
            refused.then_some(Bound::Coercible { from, to })
        }),
        Bound::NonEmpty { pack } => {
            let elements = substitute_args(db, env, pack, &substitution);
            let promised = |bound: &Bound| matches!(bound, Bound::NonEmpty { pack } if *pack == elements);
            let known = elements.args(db).iter().any(|arg| !packs::is_expansion(*arg));
            (!known && !env.bounds(db).iter().any(promised)).then_some(Bound::NonEmpty { pack: elements })
        }
        Bound::EqualValues { left, right } => {
            let left = substitute_const(db, env, left, &substitution);
            let right = substitute_const(db, env, right, &substitution);
            let differ = matches!((left, right), (Const::Value(left), Const::Value(right)) if left != right);
            differ.then_some(Bound::EqualValues { left, right })
        }
    })
}

/// Whether a `where` clause says that two types are one.
fn promised_equal(db: &dyn Db, env: Env, a: Ty, b: Ty) -> bool {
    env.bounds(db).iter().any(|bound| match *bound {
        Bound::Equal { left, right } => (left, right) == (a, b) || (left, right) == (b, a),
        Bound::Conforms { .. } | Bound::Coercible { .. } | Bound::NonEmpty { .. } | Bound::EqualValues { .. } => false,
    })
}

/// Whether `args` meet all bounds of `item`.
pub fn bounds_hold(db: &dyn Db, env: Env, item: ItemId, args: GenericArgs, self_ty: Option<Ty>) -> bool {
    first_unmet_bound(db, env, item, args, self_ty).is_none()
}

/// How a type fulfils a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Implementation {
    /// A function of its own, of an extension, or the interface's default body.
    Function(FunctionRef),
    /// A field that stands for a property's accessor.
    Field(ItemId),
    /// Made by the compiler.
    Synthesized(SynthesizedOperation),
}

/// What the type `requirement.self_ty` does for `requirement`, a function, constructor or accessor of an interface with
/// the arguments it is called with. `None` if the type leaves it out, or is a parameter or an interface value itself.
pub fn implementation(db: &dyn Db, env: Env, requirement: FunctionRef) -> Option<Implementation> {
    let this = requirement.self_ty?;
    if matches!(this, Ty::Param(_) | Ty::This(_) | Ty::Associated(_) | Ty::PackQuery(_) | Ty::Error)
        || extension::is_interface(db, this)
    {
        return None;
    }
    let data = item::item_data(db, requirement.item);
    if let ItemKind::Accessor { kind, .. } = data.kind {
        return accessor_implementation(db, env, requirement, this, kind);
    }
    if let Some(function) = matching_member(db, env, requirement, this) {
        return Some(Implementation::Function(function));
    }
    if data.has_body() {
        return Some(Implementation::Function(requirement));
    }
    synthesized(db, env, requirement.item, this).or_else(|| builtin_member(db, env, requirement, this))
}

/// What the core library's types have by the interfaces of the core library: `float.add` may be what an interface of the
/// program requires.
fn builtin_member(db: &dyn Db, env: Env, requirement: FunctionRef, this: Ty) -> Option<Implementation> {
    let name = item::item_data(db, requirement.item).name.as_ref()?;
    if known::is_in_prelude(db, requirement.item) || !matches!(this, Ty::Scalar(_) | Ty::Builtin(..)) {
        return None;
    }
    let wanted = parameter_types(db, env, requirement);
    let of_interfaces = members::lookup(db, env, this, name).into_iter().filter(|member| {
        member.origin == members::Origin::Interface
            && known::is_in_prelude(db, member.item)
            && members::is_overloadable(db, member.item)
            && item::item_data(db, member.item).generics.params.is_empty()
    });
    let functions =
        of_interfaces.map(|member| FunctionRef { item: member.item, args: member.args, self_ty: Some(this) });
    functions.into_iter().find(|function| parameter_types(db, env, *function) == wanted).map(Implementation::Function)
}

/// The member of the type whose parameters are those that the requirement has for this type; failing that, one to which
/// what a caller passes converts.
fn matching_member(db: &dyn Db, env: Env, requirement: FunctionRef, this: Ty) -> Option<FunctionRef> {
    let data = item::item_data(db, requirement.item);
    let name = data.name.as_ref()?;
    let wanted = signature::signature(db, requirement.item);
    let own_args = own_arguments(db, requirement);
    let mut second_best = None;
    for member in members::lookup_for(db, env, this, name, interface_of(db, requirement)?) {
        if member.origin == members::Origin::Interface || !members::is_overloadable(db, member.item) {
            continue;
        }
        let own_count = item::item_data(db, member.item).generics.params.len();
        if own_count != own_args.len() {
            continue;
        }
        let args: Box<[GenericArg]> = member.args.args(db).iter().copied().chain(own_args.iter().copied()).collect();
        let function = FunctionRef { item: member.item, args: GenericArgs::new(db, args), self_ty: member.self_ty };
        let offered = signature::signature(db, member.item);
        let (offered_types, wanted_types) = (parameter_types(db, env, function), parameter_types(db, env, requirement));
        // More parameters are fine where a call may leave them out.
        let has_default = |index: usize| offered.params.get(index).is_some_and(|param| param.has_default);
        let fits = wanted_types.len() <= offered_types.len()
            && (offered_types.len() == wanted_types.len()
                || (offered_types.len() == offered.params.len()
                    && (wanted_types.len()..offered_types.len()).all(has_default)));
        if !fits || (offered.this.is_some() && wanted.this.is_none()) {
            continue;
        }
        if offered_types == wanted_types {
            return Some(function);
        }
        let is_longer = offered_types.len() > wanted_types.len();
        if is_longer && !offered_types.starts_with(&wanted_types) {
            continue;
        }
        // A constructor from something else makes something else: `float(BFloat16)` does not fulfil `__init(float)`.
        if !matches!(data.kind, ItemKind::Constructor { .. })
            && takes_what_is_passed(db, env, (wanted, &wanted_types), &offered_types)
        {
            second_best.get_or_insert(function);
        }
    }
    second_best
}

/// Whether a call that passes what `wanted` asks for may go to a function with other types of parameters: what goes in
/// converts to them, and what comes out converts back.
fn takes_what_is_passed(
    db: &dyn Db,
    env: Env,
    (wanted, wanted_types): (&FunctionSignature, &[Ty]),
    offered_types: &[Ty],
) -> bool {
    // A pack stands for several parameters of one direction.
    let directions: Vec<ParamDirection> = match wanted.params.len() == wanted_types.len() {
        true => wanted.params.iter().map(|param| param.direction).collect(),
        false => vec![ParamDirection::In; wanted_types.len()],
    };
    let converts = |from: Ty, to: Ty| conversion::convert(db, env, from, to).is_some();
    directions.iter().zip(wanted_types.iter().zip(offered_types)).all(|(direction, (wanted, offered))| {
        if wanted == offered || !is_settled(db, *wanted) || !is_settled(db, *offered) {
            return true;
        }
        match direction {
            ParamDirection::In | ParamDirection::ConstRef => converts(*wanted, *offered),
            ParamDirection::Out => converts(*offered, *wanted),
            ParamDirection::InOut | ParamDirection::Ref => converts(*wanted, *offered) && converts(*offered, *wanted),
        }
    })
}

/// Whether two types that differ in this one are different: nothing in it may yet turn out to be another type.
pub fn is_settled(db: &dyn Db, ty: Ty) -> bool {
    let settled = |args: GenericArgs| {
        args.args(db).iter().all(|arg| match arg {
            GenericArg::Type(ty) => is_settled(db, *ty),
            GenericArg::Value(value) => matches!(value, Const::Value(_) | Const::Param(_) | Const::Unsized),
            GenericArg::Pack(_) => false,
        })
    };
    match ty {
        Ty::Void | Ty::Scalar(_) | Ty::String | Ty::Param(_) | Ty::This(_) => true,
        Ty::Builtin(_, args) | Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => settled(args),
        Ty::Function(function) => {
            function.params(db).iter().all(|(_, ty)| is_settled(db, *ty)) && is_settled(db, function.ret(db))
        }
        Ty::Error
        | Ty::Associated(_)
        | Ty::Closure(_)
        | Ty::Expand(_)
        | Ty::PackQuery(_)
        | Ty::NoneLiteral
        | Ty::NullLiteral => false,
    }
}

/// The types of a function's parameters with its arguments put in; packs taken apart.
fn parameter_types(db: &dyn Db, env: Env, function: FunctionRef) -> Vec<Ty> {
    let substitution = Substitution::of_function(db, function);
    let params = &signature::signature(db, function.item).params;
    params.iter().flat_map(|param| substitute_many(db, env, param.ty, &substitution)).collect()
}

/// The arguments for the requirement's own generic parameters.
fn own_arguments(db: &dyn Db, requirement: FunctionRef) -> &[GenericArg] {
    let own = item::item_data(db, requirement.item).generics.params.len();
    let args = requirement.args.args(db);
    &args[args.len().saturating_sub(own)..]
}

/// The interface, with its arguments, that a requirement is of.
fn interface_of(db: &dyn Db, requirement: FunctionRef) -> Option<Ty> {
    let args = requirement.args.args(db);
    let outer = args.len().saturating_sub(own_arguments(db, requirement).len());
    let args = GenericArgs::new(db, Box::from(&args[..outer]));
    item::container(db, requirement.item).map(|interface| Ty::Adt(interface, args))
}

fn accessor_implementation(
    db: &dyn Db,
    env: Env,
    requirement: FunctionRef,
    this: Ty,
    kind: hir_def::item::AccessorKind,
) -> Option<Implementation> {
    let property = item::container(db, requirement.item)?;
    let name = item::item_data(db, property).name.as_ref()?;
    let interface = interface_of(db, FunctionRef { item: property, ..requirement })?;
    for member in members::lookup_for(db, env, this, name, interface) {
        if member.origin == members::Origin::Interface {
            continue;
        }
        match &item::item_data(db, member.item).kind {
            ItemKind::Variable { .. } => return Some(Implementation::Field(member.item)),
            ItemKind::Property { .. } | ItemKind::Subscript { .. } => {
                if let Some(accessor) = item::accessor(db, member.item, kind) {
                    // The arguments for the generic parameters of the subscript itself come from the requirement.
                    let own = FunctionRef { item: property, ..requirement };
                    let args: Box<[GenericArg]> =
                        member.args.args(db).iter().chain(own_arguments(db, own)).copied().collect();
                    return Some(Implementation::Function(FunctionRef {
                        item: accessor,
                        args: GenericArgs::new(db, args),
                        self_ty: member.self_ty,
                    }));
                }
            }
            _ => {}
        }
    }
    item::item_data(db, requirement.item).has_body().then_some(Implementation::Function(requirement))
}

fn synthesized(db: &dyn Db, env: Env, requirement: ItemId, this: Ty) -> Option<Implementation> {
    let operation = [
        ("dzero", SynthesizedOperation::DZero),
        ("dadd", SynthesizedOperation::DAdd),
        ("dmul", SynthesizedOperation::DMul),
    ]
    .into_iter()
    .find(|(name, _)| known::is_member(db, requirement, Known::IDifferentiable, name))?
    .1;
    conforms_to_known(db, env, this, Known::IDifferentiable).then_some(Implementation::Synthesized(operation))
}

/// The types that `file` sees and that conform to `interface`, in order of declaration: what a value of the interface's
/// type can be. Generic types are not among them.
#[salsa::tracked(returns(deref))]
pub fn conforming_types(db: &dyn Db, file: base_db::SourceFile, interface: Ty) -> Box<[Ty]> {
    let env = Env::of_file(db, file);
    let mut found = Vec::new();
    let mut consider = |ty: Ty| {
        if !found.contains(&ty) && interfaces_of(db, env, ty).contains(&interface) {
            found.push(ty);
        }
    };
    for reachable in extension::reachable_files(db, file) {
        let is_prelude = hir_def::modules::is_prelude(db, *reachable);
        let mut pending: Vec<ItemId> = if is_prelude {
            hir_def::prelude_index::prelude_types(db, *reachable)
        } else {
            item::file_items(db, *reachable).to_vec()
        };
        pending.reverse();
        while let Some(item) = pending.pop() {
            match item::item_data(db, item).kind {
                ItemKind::Struct { .. } | ItemKind::Enum { .. } => {
                    if !is_prelude {
                        pending.extend(item::members(db, item).iter().rev());
                    }
                    if generics::parameters(db, item).is_empty()
                        && let Some(ty) = generics::self_type(db, item)
                    {
                        consider(ty);
                    }
                }
                ItemKind::Extension { .. } if generics::parameters(db, item).is_empty() => {
                    if let Some(ty) = generics::self_type(db, item) {
                        consider(ty);
                    }
                }
                ItemKind::Namespace => pending.extend(item::members(db, item).iter().rev()),
                _ => {}
            }
        }
    }
    found.retain(|ty| crate::generics::substitute::is_concrete(db, *ty));
    found.into_boxed_slice()
}
