//! What an expression is before it is clear that it is a value: names of types, namespaces and functions stand in places
//! where a value may follow.

use hir_def::{
    body::{Expr, ExprId},
    item::{self, AccessorKind, GenericParamKind, ItemId, ItemKind},
    name::Name,
    type_ref::{Path, PathSegment},
};

use super::{
    Infer,
    functions::{Candidate, FunctionSet, Receiver},
    overload_index,
    result::{Base, Resolution},
};
use crate::{
    conformance::members::{self, Member, Origin},
    diagnostics::{names, suggest},
    generics,
    types::{
        resolve::{self, Lexical, TypeNs, TypePathError},
        signature,
        ty::{Const, Ty},
    },
};

/// The meaning of an expression.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Value(Ty),
    Type(TypeNs),
    Functions(FunctionSet),
}

impl<'db> Infer<'db> {
    /// The meaning of an expression that may name a type or a function.
    pub(super) fn operand(&mut self, id: ExprId, expected: Option<Ty>) -> Operand {
        let store = self.store;
        match &store.exprs[id] {
            Expr::Path(path) => self.path_operand(id, path),
            Expr::Member { base, name, generic_args, arrow: _ } => {
                self.member_operand(id, *base, name, generic_args.as_deref(), false)
            }
            Expr::Type(ty) => {
                let ty = self.type_ref(*ty);
                self.type_operand(id, TypeNs::Type(ty))
            }
            Expr::PackQuery { query, operands } => self.pack_query(id, *query, operands),
            Expr::Derivative { kind, function } => self.derivative_operand(*kind, *function),
            // `float[3](0.0)`: a type where the base of the index is one.
            Expr::Index { .. } => {
                let ty = self.value(id, expected);
                match self.result.resolutions.get(&id) {
                    Some(Resolution::Type(array)) => Operand::Type(TypeNs::Type(*array)),
                    _ => Operand::Value(ty),
                }
            }
            // `(each T).Size`: the type of an element.
            Expr::Each(inner) => match self.element_of_type_pack(*inner) {
                Some(element) => self.type_operand(id, TypeNs::Type(element)),
                None => Operand::Value(self.value(id, expected)),
            },
            _ => Operand::Value(self.value(id, expected)),
        }
    }

    /// Records a type in expression position.
    pub(super) fn type_operand(&mut self, id: ExprId, found: TypeNs) -> Operand {
        match found {
            TypeNs::Type(Ty::Error) => Operand::Value(Ty::Error),
            TypeNs::Type(ty) => {
                self.result.resolutions.insert(id, Resolution::Type(ty));
                Operand::Type(found)
            }
            TypeNs::Namespace(item) => {
                self.result.resolutions.insert(id, Resolution::Namespace(item));
                Operand::Type(found)
            }
            TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) => Operand::Type(found),
        }
    }

    fn path_operand(&mut self, id: ExprId, path: &'db Path) -> Operand {
        let [segment] = path.segments.as_slice() else { return self.qualified_operand(id, path) };
        let name = &segment.name;
        if segment.args.is_none() && !path.global {
            if let Some(local) = self.local(name) {
                self.result.resolutions.insert(id, Resolution::Local(local));
                self.capture_local(local);
                let ty = self.result.local_types.get(local).copied().unwrap_or(Ty::Error);
                return Operand::Value(ty);
            }
            match name.as_str() {
                "" => return Operand::Value(Ty::Error),
                "This" => {
                    if let Some(ty) = signature::enclosing_type(self.db, self.owner) {
                        return self.type_operand(id, TypeNs::Type(ty));
                    }
                }
                _ => {}
            }
        }
        match self.lexical(segment, self.within().first_of(path)) {
            Some(Found::Member { this, members }) => self.implicit_member(id, this, segment, members),
            Some(Found::Param(param)) => match generics::parameter_kind(self.db, param) {
                Some(GenericParamKind::Value { .. }) => {
                    self.result.resolutions.insert(id, Resolution::Constant(Const::Param(param)));
                    Operand::Value(generics::value_parameter_type(self.db, param))
                }
                Some(GenericParamKind::ValuePack { .. }) => {
                    self.result.resolutions.insert(id, Resolution::Constant(Const::Param(param)));
                    let element = generics::value_parameter_type(self.db, param);
                    let pack = crate::types::ty::GenericArg::Value(Const::Param(param));
                    Operand::Value(Ty::expand_over(self.db, element, &[pack]))
                }
                Some(GenericParamKind::Pack { .. }) => self.type_operand(id, TypeNs::Type(Ty::Param(param))),
                _ => {
                    let ty = self.env.parameter(self.db, param);
                    self.type_operand(id, TypeNs::Type(ty))
                }
            },
            Some(Found::Items(items)) => self.items_operand(id, segment, &items),
            None => self.type_or_unknown(id, path, name),
        }
    }

    /// A name that is not a value: a type, or nothing.
    fn type_or_unknown(&mut self, id: ExprId, path: &Path, name: &Name) -> Operand {
        let found = self.with_lowering(|lowering| {
            if resolve::path_exists(lowering, path) || path.segments.len() > 1 {
                resolve::type_path(lowering, path).map_err(|error| error == TypePathError::Reported)
            } else {
                resolve::path_as_type(lowering, path).ok_or(false)
            }
        });
        match found {
            Ok(found) => self.type_operand(id, found),
            Err(true) => Operand::Value(Ty::Error),
            Err(false) => {
                let place = self.expr_place(id);
                let suggestion = self.suggest(name).filter(|suggestion| self.may_stand_for(id, suggestion));
                self.report(names::undefined_identifier(place, name, suggestion.as_deref()));
                Operand::Value(Ty::Error)
            }
        }
    }

    fn suggest(&mut self, name: &Name) -> Option<String> {
        let members = signature::enclosing_type(self.db, self.owner)
            .map(|this| members::names(self.db, self.env, this))
            .unwrap_or_default();
        let visible = self.bindings.iter().map(|binding| &binding.name).chain(&members);
        let mistakes = suggest::most_mistakes(name.as_str());
        let visible = visible.chain(hir_def::scope::names_like(self.db, self.owner, name.as_str(), mistakes));
        suggest::nearest(name.as_str(), visible.map(Name::as_str)).map(str::to_owned)
    }

    /// Whether a name can stand for a value here: a type is only called, or asked for its members.
    fn may_stand_for(&self, id: ExprId, name: &str) -> bool {
        let items = hir_def::scope::lookup(self.db, self.owner, &Name::new(name));
        let is_type = !items.is_empty() && items.iter().all(|item| resolve::item_type(self.db, *item).is_some());
        let is_asked = |expr: &Expr| match expr {
            Expr::Call { callee: asked, .. } | Expr::Member { base: asked, .. } => *asked == id,
            _ => false,
        };
        !is_type || self.store.exprs.iter().any(|(_, expr)| is_asked(expr))
    }

    /// What a name means outside of the body. Functions of one name are collected over all scopes: those further in win
    /// ties.
    fn lexical(&mut self, segment: &PathSegment, within: resolve::Within) -> Option<Found> {
        let db = self.db;
        let mut functions: Vec<ItemId> = Vec::new();
        let env = self.env;
        let name = &segment.name;
        let mut outer_this = None;
        let found = resolve::walk(db, self.owner, name, within, &mut |hit| match hit {
            Lexical::Param(param) => Some(Found::Param(param)),
            Lexical::Members { container, .. } => {
                let this = generics::self_type(db, container)?;
                let members = members_in(db, env, container, this, name);
                (!members.is_empty()).then_some(Found::Member { this, members })
            }
            Lexical::Items(items) => {
                let (callable, other) = overload_index::partition(db, items);
                if callable.is_empty() && functions.is_empty() {
                    return Some(Found::Items(other));
                }
                functions.extend(callable);
                None
            }
        });
        // Members that are inherited, or added by extensions, come after what the type itself declares and before what the
        // file declares.
        let global = within == resolve::Within::Global;
        if !global && !matches!(found, Some(Found::Member { .. } | Found::Param(_))) {
            outer_this = self.inherited_member(name);
        }
        if let Some((this, members)) = outer_this {
            return Some(Found::Member { this, members });
        }
        match found {
            Some(Found::Items(items)) if !functions.is_empty() => {
                functions.extend(overload_index::partition(db, items).0);
                Some(Found::Items(functions))
            }
            None if !functions.is_empty() => Some(Found::Items(functions)),
            found => found,
        }
    }

    fn inherited_member(&self, name: &Name) -> Option<(Ty, Vec<Member>)> {
        let mut current = generics::enclosing_aggregate(self.db, self.owner);
        while let Some(container) = current {
            let this = generics::self_type(self.db, container)?;
            let members = self.members_of(this, name);
            if !members.is_empty() {
                return Some((this, members));
            }
            current = generics::enclosing_aggregate(self.db, container);
        }
        None
    }

    /// Members by name, through base structs as well.
    pub(super) fn members_of(&self, ty: Ty, name: &Name) -> Vec<Member> {
        let mut current = ty;
        for _ in 0..16 {
            let found = members::lookup(self.db, self.env, current, name);
            if !found.is_empty() {
                return found;
            }
            match crate::types::aggregate::base_struct(self.db, self.env, current) {
                Some(base) => current = base,
                None => break,
            }
        }
        Vec::new()
    }

    /// A member whose `this.` is left out.
    fn implicit_member(&mut self, id: ExprId, this: Ty, segment: &PathSegment, members: Vec<Member>) -> Operand {
        let receiver = Receiver::Implicit;
        let mut operand = self.member_found(id, Base::ImplicitThis, receiver, this, segment, members);
        // `clamp(x, 0, 1)` in a method that is called `clamp`, too: functions of one name are overloads of each other.
        if let Operand::Functions(set) = &mut operand {
            let before = set.candidates.len();
            let outer = self.functions_outside_of_types(&segment.name).into_iter().enumerate();
            set.candidates.extend(outer.map(|(index, item)| Candidate {
                origin: Origin::Interface,
                ..overload_index::free_candidate(self.db, item, before + index)
            }));
        }
        operand
    }

    /// The functions of a name that are visible here and are not members.
    fn functions_outside_of_types(&self, name: &Name) -> Vec<ItemId> {
        let mut functions = Vec::new();
        resolve::walk(self.db, self.owner, name, self.within(), &mut |hit| -> Option<()> {
            if let Lexical::Items(items) = hit {
                let is_function =
                    |item: &&ItemId| matches!(item::item_data(self.db, **item).kind, ItemKind::Function(_));
                functions.extend(items.iter().filter(is_function));
            }
            None
        });
        functions
    }

    fn qualified_operand(&mut self, id: ExprId, path: &'db Path) -> Operand {
        let Some((last, qualifier)) = path.segments.split_last() else { return Operand::Value(Ty::Error) };
        if let Some(accessors) = self.accessor_operand(path.global, qualifier, &last.name) {
            return accessors;
        }
        let qualifier = Path { global: path.global, segments: qualifier.to_vec() };
        let base = self.with_lowering(|lowering| match resolve::type_path(lowering, &qualifier) {
            Ok(found) => Some(found),
            Err(error) => {
                let place = lowering.expr_place(id);
                lowering.report_path_error(place, error);
                None
            }
        });
        match base {
            Some(base) => self.static_member(id, base, last),
            None => Operand::Value(Ty::Error),
        }
    }

    /// `S::__subscript::get`, `S::property::set`: what `fwd_diff` and `bwd_diff` take like a method.
    fn accessor_operand(&mut self, global: bool, qualifier: &'db [PathSegment], name: &Name) -> Option<Operand> {
        let db = self.db;
        let kind = AccessorKind::from_name(name)?;
        let (property, owner) = qualifier.split_last().filter(|(_, owner)| !owner.is_empty())?;
        let owner = Path { global, segments: owner.to_vec() };
        let found = self.with_lowering(|lowering| resolve::path_as_type(lowering, &owner));
        let Some(TypeNs::Type(ty)) = found else { return None };
        let members = self.members_of(ty, &property.name);
        let candidates: Vec<Candidate> = members
            .into_iter()
            .enumerate()
            .filter(|(_, member)| {
                matches!(item::item_data(db, member.item).kind, ItemKind::Property { .. } | ItemKind::Subscript { .. })
            })
            .flat_map(|(index, member)| {
                let accessor = item::accessor(db, member.item, kind)?;
                Some(Candidate { item: accessor, ..Candidate::of_member(member, index) })
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let receiver = Receiver::Type(ty);
        Some(Operand::Functions(FunctionSet {
            name: name.clone(),
            candidates,
            receiver,
            explicit: None,
            operators: Vec::new(),
        }))
    }

    /// Declarations that a name means, outside of types.
    pub(super) fn items_operand(&mut self, id: ExprId, segment: &PathSegment, items: &[ItemId]) -> Operand {
        let db = self.db;
        let functions = overload_index::functions(db, items);
        if !functions.is_empty() {
            return Operand::Functions(FunctionSet {
                name: segment.name.clone(),
                candidates: functions,
                receiver: Receiver::None,
                explicit: segment.args.clone(),
                operators: Vec::new(),
            });
        }
        for item in items {
            match item::item_data(db, *item).kind {
                ItemKind::Variable { .. } => {
                    self.result.resolutions.insert(id, Resolution::Global { item: *item, owner: None });
                    return Operand::Value(signature::variable_type(db, *item));
                }
                ItemKind::GlobalValueParam => {
                    let param = crate::types::ty::TypeParam::new(db, *item, 0);
                    self.result.resolutions.insert(id, Resolution::Constant(Const::Param(param)));
                    return Operand::Value(generics::value_parameter_type(db, param));
                }
                ItemKind::EnumCase { .. } => {
                    self.result.resolutions.insert(id, Resolution::EnumCase(*item));
                    return Operand::Value(signature::variable_type(db, *item));
                }
                _ => {}
            }
        }
        let path = Path { global: false, segments: vec![segment.clone()] };
        self.type_or_unknown(id, &path, &segment.name)
    }

    /// An operand where a value is wanted.
    pub(super) fn operand_value(&mut self, id: ExprId, operand: Operand, expected: Option<Ty>) -> Ty {
        match operand {
            Operand::Value(ty) => ty,
            Operand::Functions(set) => self.function_value(id, set, expected),
            Operand::Type(found) => {
                let shown = match found {
                    TypeNs::Type(ty) => self.show(ty),
                    TypeNs::Generic { item, .. } | TypeNs::Namespace(item) => {
                        crate::types::display::item_name(self.db, item)
                    }
                    TypeNs::BuiltinGeneric(kind) => crate::types::builtin_names::builtin_spelling(kind),
                };
                let place = self.expr_place(id);
                self.report(names::expected_a_value(place, &shown));
                Ty::Error
            }
        }
    }
}

/// What a name was found to be outside of the body.
enum Found {
    Param(crate::types::ty::TypeParam),
    Member { this: Ty, members: Vec<Member> },
    Items(Vec<ItemId>),
}

/// The members called `name` that code inside `container` sees without a receiver: those of the container itself and all
/// others of the type.
fn members_in(
    db: &dyn base_db::Db,
    env: crate::generics::env::Env,
    container: ItemId,
    this: Ty,
    name: &Name,
) -> Vec<Member> {
    let mut found = members::lookup(db, env, this, name);
    // Members of an extension whose conditions are not known to hold here are still visible inside it.
    for item in members::declared(db, container, name) {
        if !found.iter().any(|member| member.item == *item) {
            let self_ty = matches!(this, Ty::This(_)).then_some(this);
            let args = generics::identity_args(db, container);
            found.push(Member { item: *item, args, self_ty, origin: Origin::Own });
        }
    }
    found
}
