//! Types as written to types.

use ::diagnostics::stack;
use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, ExprStore, Literal, PackQuery},
    item::{self, GenericParam, GenericParamKind, ItemId, ItemKind},
    name::Name,
    type_ref::{GenericArgRef, TypeRef, TypeRefId},
};

use crate::{
    diagnostics::{self, Diagnostic, Node, Site, names::WantedArgument},
    generics::{
        self,
        env::Env,
        packs::{self, Answer},
        substitute::{self, Substitution},
    },
    types::{
        const_arrays, consts, display,
        resolve::{self, TypeNs, TypePathError, Within},
        textures,
        ty::{
            BuiltinClass, BuiltinType, Const, GenericArg, GenericArgs, ParamDirection, ResourceClass, Scalar, Ty,
            TypeParam,
        },
    },
};

/// Types nested deeper than this are errors; the parser's own limit is far above what anybody writes.
const MAX_DEPTH: u32 = ::diagnostics::limits::TYPES_AS_WRITTEN;

/// A local variable as far as types may depend on it.
#[derive(Debug, Clone)]
pub struct LocalName {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
    /// Its value, if it is a constant.
    pub constant: Option<Const>,
    /// The values of its elements, if it is an array of constants.
    pub elements: Box<[Option<Const>]>,
}

/// Lowers the types of one signature or body. Reports only if asked to: signatures are lowered by many queries, and one
/// of them reports.
pub struct TypeLowering<'a> {
    /// Where declarations are asked for.
    pub db: &'a dyn Db,
    /// The declaration that the types are written in: where names are looked up.
    pub owner: ItemId,
    /// The nodes that the types are made of.
    pub store: &'a ExprStore,
    /// What generic parameters promise where the types stand.
    pub env: Env,
    /// The locals of the surrounding function body, innermost last: array sizes may use the constants among them, and all
    /// hide outer names.
    pub const_locals: &'a [LocalName],
    /// Where in the declaration the types stand.
    pub(crate) within: Within,
    depth: u32,
    diagnostics: Option<Vec<Diagnostic>>,
}

impl<'a> TypeLowering<'a> {
    /// For the signature of `owner`.
    pub fn new(db: &'a dyn Db, owner: ItemId, store: &'a ExprStore) -> TypeLowering<'a> {
        TypeLowering::with_env(db, owner, store, Env::of(db, owner))
    }

    /// In a given environment: for the bounds of `owner` itself, which are not all known yet.
    pub fn with_env(db: &'a dyn Db, owner: ItemId, store: &'a ExprStore, env: Env) -> TypeLowering<'a> {
        TypeLowering {
            db,
            owner,
            store,
            env,
            const_locals: &[],
            within: Within::Signature,
            depth: 0,
            diagnostics: None,
        }
    }

    /// For the bases of a type or the target of an extension, which decide what its members are.
    pub fn outside_members(mut self) -> Self {
        self.within = Within::Bases;
        self
    }

    /// For types and constants in a function body.
    pub fn in_body(mut self, const_locals: &'a [LocalName]) -> Self {
        self.const_locals = const_locals;
        self.within = Within::Body;
        self
    }

    /// For types that stand outside of all declarations: they see what the file of `owner` sees.
    pub fn outside_declarations(mut self) -> Self {
        self.within = Within::Global;
        self.env = Env::of_file(self.db, item::file_of(self.db, self.owner));
        self
    }

    /// Collects what is wrong with the types.
    pub fn reporting(mut self) -> Self {
        self.diagnostics = Some(Vec::new());
        self
    }

    /// What was wrong with the types; nothing unless it was collected.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.unwrap_or_default()
    }

    pub(crate) fn report(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if let Some(diagnostics) = &mut self.diagnostics {
            diagnostics.push(diagnostic());
        }
    }

    fn is_in_body(&self) -> bool {
        self.within == Within::Body
    }

    /// Runs `f` without reporting; used for attempts.
    pub(crate) fn silently<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let diagnostics = self.diagnostics.take();
        let result = f(self);
        self.diagnostics = diagnostics;
        result
    }

    pub(crate) fn place(&self, ty: TypeRefId) -> Site {
        let node = if self.is_in_body() { Node::TypeRef(ty) } else { Node::SignatureTypeRef(ty) };
        Site { item: self.owner, node }
    }

    pub(crate) fn expr_place(&self, expr: ExprId) -> Site {
        let node = if self.is_in_body() { Node::Expr(expr) } else { Node::SignatureExpr(expr) };
        Site { item: self.owner, node }
    }

    /// Runs `f` one level deeper; `None` past the limit.
    pub(crate) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let result = stack::deep(|| f(self));
        self.depth -= 1;
        Some(result)
    }

    /// The type that is written there.
    pub fn lower(&mut self, id: TypeRefId) -> Ty {
        self.nested(|lowering| lowering.lower_inner(id)).unwrap_or(Ty::Error)
    }

    fn lower_inner(&mut self, id: TypeRefId) -> Ty {
        let db = self.db;
        let store = self.store;
        match &store.type_refs[id] {
            TypeRef::Missing | TypeRef::Infer => Ty::Error,
            // Reported with the declaration that contains it.
            TypeRef::Unsupported(_) => Ty::Error,
            TypeRef::Path(path) => match resolve::type_path(self, path) {
                Ok(found) => {
                    let name = path.segments.last().map(|segment| segment.name.clone());
                    self.complete(id, name, found)
                }
                Err(error) => {
                    self.report_path_error(self.place(id), error);
                    Ty::Error
                }
            },
            TypeRef::Member { base, member } => {
                let base = self.lower(*base);
                match resolve::member_type_segment(self, base, member) {
                    Ok(found) => self.complete(id, Some(member.name.clone()), found),
                    Err(error) => {
                        self.report_path_error(self.place(id), error);
                        Ty::Error
                    }
                }
            }
            TypeRef::Array { element, len } => {
                let element = self.lower(*element);
                let len = match len {
                    None => Const::Unsized,
                    Some(len) => self.array_length(*len),
                };
                if element.is_error() || len == Const::Error { Ty::Error } else { Ty::array(db, element, len) }
            }
            TypeRef::Pointer(inner) => match self.lower(*inner) {
                Ty::Error => Ty::Error,
                inner => Ty::pointer(db, inner),
            },
            TypeRef::Optional(inner) => match self.lower(*inner) {
                Ty::Error => Ty::Error,
                inner => Ty::optional(db, inner),
            },
            TypeRef::Tuple(elements) => {
                let elements: Vec<Ty> = elements.iter().map(|element| self.lower(*element)).collect();
                Ty::tuple(db, &elements)
            }
            TypeRef::Function { params, ret } => {
                let params: Vec<_> =
                    params.iter().map(|(modifiers, ty)| (direction(*modifiers), self.lower(*ty))).collect();
                let ret = self.lower(*ret);
                Ty::function(db, &params, ret)
            }
            TypeRef::And(parts) => parts.first().map_or(Ty::Error, |first| self.lower(*first)),
            TypeRef::Expand(inner) => match self.expansion(*inner).as_slice() {
                [GenericArg::Type(only @ (Ty::Expand(_) | Ty::Error))] => *only,
                list => packs::tuple_of(db, list),
            },
            TypeRef::Each(inner) => match self.lower(*inner) {
                pack @ Ty::Param(_) => pack,
                ty => packs::elements_of_type(db, ty).map_or(ty, |list| packs::each_of(db, list)),
            },
            TypeRef::Some(inner) | TypeRef::Dyn(inner) | TypeRef::Modified(_, inner) => self.lower(*inner),
            TypeRef::PackQuery { query, operands } => match self.pack_query(*query, operands) {
                Some(Answer::One(GenericArg::Type(ty))) => ty,
                // Several types where one is wanted stand for a tuple, as a pack does.
                Some(Answer::Many(list)) => match list.as_slice() {
                    [GenericArg::Type(only @ Ty::Expand(_))] => *only,
                    _ => packs::tuple_of(db, &list),
                },
                Some(Answer::One(GenericArg::Value(_) | GenericArg::Pack(_))) | None => {
                    let place = self.place(id);
                    self.report(|| diagnostics::names::invalid_pack_query(place));
                    Ty::Error
                }
            },
            TypeRef::Declared(number) => self.declared(*number),
            TypeRef::Expr(_) => Ty::Error,
        }
    }

    /// The elements of `expand pattern`.
    fn expansion(&mut self, pattern: TypeRefId) -> Vec<GenericArg> {
        match self.lower(pattern) {
            Ty::Error => vec![GenericArg::Type(Ty::Error)],
            pattern => packs::expand(self.db, self.env, GenericArg::Type(pattern), &[], &Substitution::default()),
        }
    }

    /// The type that is declared where it is used.
    fn declared(&mut self, number: u32) -> Ty {
        let db = self.db;
        let item = if self.is_in_body() {
            item::local_items(db, self.owner).get(number as usize).copied()
        } else {
            Some(ItemId::new(db, self.owner.segment(db), number))
        };
        // The name behind one of GLSL's blocks has the block's fields.
        if let Some(block) = item
            && let ItemKind::ConstantBuffer { .. } = item::item_data(db, block).kind
        {
            return Ty::Adt(block, GenericArgs::empty(db));
        }
        let found = item.and_then(|item| resolve::item_type(db, item));
        match found {
            Some(TypeNs::Type(ty)) => ty,
            Some(TypeNs::Generic { .. } | TypeNs::BuiltinGeneric(_) | TypeNs::Namespace(_)) | None => Ty::Error,
        }
    }

    /// A name that was found, as a type: generic types need their arguments.
    fn complete(&mut self, id: TypeRefId, name: Option<Name>, found: TypeNs) -> Ty {
        let name = name.unwrap_or_else(|| Name::new("?"));
        self.complete_at(self.place(id), &name, found)
    }

    pub(crate) fn complete_at(&mut self, place: Site, name: &Name, found: TypeNs) -> Ty {
        match found {
            TypeNs::Type(ty) => ty,
            TypeNs::Generic { item, outer } => self.apply(item, outer, None, place).unwrap_or(Ty::Error),
            TypeNs::BuiltinGeneric(kind) => self.apply_builtin(kind, None, name, place).unwrap_or(Ty::Error),
            TypeNs::Namespace(_) => {
                self.report(|| diagnostics::names::expected_a_type(place, name));
                Ty::Error
            }
        }
    }

    pub(crate) fn report_path_error(&mut self, place: Site, error: TypePathError) {
        match error {
            TypePathError::Reported => {}
            TypePathError::Unknown(name) => {
                let suggestion = self.diagnostics.is_some().then(|| resolve::suggest_type(self, &name)).flatten();
                self.report(|| diagnostics::names::undefined_identifier(place, &name, suggestion.as_deref()));
            }
            TypePathError::NotAMember(base, name) => {
                let base = display::display(self.db, base);
                self.report(|| diagnostics::members::member_not_found(place, &name, &base, None));
            }
            TypePathError::NotAType(name) => {
                self.report(|| diagnostics::names::expected_a_type(place, &name));
            }
        }
    }

    /// The value of an expression where an integer is wanted.
    fn integer(&mut self, expr: ExprId) -> Option<Const> {
        if consts::cuts_off(self.store, expr) {
            let place = self.expr_place(expr);
            self.report(|| diagnostics::conversions::lossy_conversion(place, "int", "float"));
        }
        consts::integer(self, expr)
    }

    fn array_length(&mut self, len: ExprId) -> Const {
        match self.integer(len) {
            Some(Const::Value(value)) if value < 0 => {
                let place = self.expr_place(len);
                self.report(|| diagnostics::constants::invalid_array_size(place));
                Const::Error
            }
            Some(value) => value,
            None => {
                let place = self.expr_place(len);
                self.report(|| diagnostics::constants::not_a_constant(place));
                Const::Error
            }
        }
    }

    /// A program type, alias or associated type with the generic arguments that are written after its name; `None` if
    /// that does not work out, which is reported.
    pub(crate) fn apply(
        &mut self,
        item: ItemId,
        outer: GenericArgs,
        written: Option<&[GenericArgRef]>,
        place: Site,
    ) -> Option<Ty> {
        let db = self.db;
        let data = item::item_data(db, item);
        let args = self.generic_arguments(item, outer, written, place)?;
        let ty = match &data.kind {
            ItemKind::TypeAlias { .. } => {
                let target = resolve::alias_target(db, item);
                substitute::substitute(db, self.env, target, &Substitution::of_item(db, item, args))
            }
            _ => textures::declared_type(db, item, args),
        };
        Some(ty)
    }

    /// The arguments for all parameters in scope of `item`, given those of the declarations around it and those written.
    pub(crate) fn generic_arguments(
        &mut self,
        item: ItemId,
        outer: GenericArgs,
        written: Option<&[GenericArgRef]>,
        place: Site,
    ) -> Option<GenericArgs> {
        let db = self.db;
        let data = item::item_data(db, item);
        let params = &data.generics.params;
        let written_count = written.map_or(0, <[_]>::len);
        let name = data.name.clone().unwrap_or_else(|| Name::new("?"));
        let is_pack = |param: &hir_def::item::GenericParam| {
            matches!(param.kind, GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. })
        };
        let has_pack = params.iter().any(is_pack);
        if written_count > params.len() && !has_pack {
            self.report(|| diagnostics::names::too_many_generic_arguments(place, &name, params.len(), written_count));
            return None;
        }
        if params.is_empty() {
            return Some(outer);
        }
        let packs = params.iter().filter(|param| is_pack(param)).count();
        // A pack that is handed on may be of any length.
        let is_single = |arg: &GenericArgRef| match arg {
            GenericArgRef::Value(value) => matches!(self.store.exprs[*value], Expr::Literal(_)),
            GenericArgRef::Type(ty) => matches!(self.store.type_refs[*ty], TypeRef::Path(_)),
        };
        let shared = written_count.checked_sub(params.len() - packs);
        if packs > 1
            && shared.is_none_or(|shared| shared % packs != 0)
            && written.unwrap_or(&[]).iter().all(is_single)
            && !written.unwrap_or(&[]).iter().any(|arg| self.listed(arg).is_some())
        {
            self.report(|| diagnostics::names::unevenly_shared(place, &name, packs, written_count));
            return None;
        }
        let mut args: Vec<GenericArg> = outer.args(db).to_vec();
        let mut rest = written.unwrap_or(&[]);
        for (index, param) in params.iter().enumerate() {
            let after = params.len() - index - 1;
            let arg = match (&param.kind, rest) {
                (GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. }, _) => {
                    let values = matches!(param.kind, GenericParamKind::ValuePack { .. });
                    // Several packs share what is left evenly.
                    let packs = 1 + params[index + 1..].iter().filter(|param| is_pack(param)).count();
                    let len = rest.len().saturating_sub(after + 1 - packs) / packs;
                    let (pack, tail) = rest.split_at(len);
                    rest = tail;
                    GenericArg::Pack(GenericArgs::new(
                        db,
                        self.pack_arguments(pack, values, &param.name).into_boxed_slice(),
                    ))
                }
                (GenericParamKind::Type { .. }, [first, tail @ ..]) => {
                    rest = tail;
                    GenericArg::Type(self.type_argument(first, &param.name))
                }
                (GenericParamKind::Value { .. }, [first, tail @ ..]) => {
                    rest = tail;
                    GenericArg::Value(self.argument_of_value(first, item, param))
                }
                (GenericParamKind::Type { default, .. }, []) => match default {
                    Some(default) => {
                        let default = TypeLowering::new(db, item, &data.store).lower(*default);
                        let substitution = partial_substitution(db, item, &args);
                        GenericArg::Type(substitute::substitute(db, self.env, default, &substitution))
                    }
                    None => {
                        self.report(|| missing_arguments(place, &name, params, written_count));
                        return None;
                    }
                },
                (GenericParamKind::Value { default, .. }, []) => match default {
                    Some(default) => {
                        let mut lowering = TypeLowering::new(db, item, &data.store);
                        let value = consts::evaluate(&mut lowering, *default).unwrap_or(Const::Error);
                        let substitution = partial_substitution(db, item, &args);
                        GenericArg::Value(substitute::substitute_const(db, self.env, value, &substitution))
                    }
                    None => {
                        self.report(|| missing_arguments(place, &name, params, written_count));
                        return None;
                    }
                },
            };
            args.push(arg);
        }
        Some(GenericArgs::new(db, args.into_boxed_slice()))
    }

    /// A written argument for a type parameter.
    pub(crate) fn type_argument(&mut self, arg: &GenericArgRef, param: &Name) -> Ty {
        match arg {
            GenericArgRef::Type(ty) => self.lower(*ty),
            GenericArgRef::Value(expr) => {
                let place = self.expr_place(*expr);
                if !matches!(self.store.exprs[*expr], Expr::Missing) {
                    self.report(|| diagnostics::names::generic_argument_kind(place, param, WantedArgument::Type));
                }
                Ty::Error
            }
        }
    }

    /// The written elements of a pack of types or values. Another pack's name stands for all of its elements.
    pub(crate) fn pack_arguments(&mut self, args: &[GenericArgRef], values: bool, param: &Name) -> Vec<GenericArg> {
        let mut elements = Vec::new();
        for arg in args {
            if let Some(list) = self.listed(arg) {
                elements.extend(list);
            } else if values {
                elements.push(GenericArg::Value(self.value_argument(arg, param)));
            } else {
                elements.push(GenericArg::Type(self.type_argument(arg, param)));
            }
        }
        elements
    }

    /// What stands for several elements: the name of a pack, or a query that gives some of one.
    fn listed(&mut self, arg: &GenericArgRef) -> Option<Vec<GenericArg>> {
        let (db, store) = (self.db, self.store);
        match arg {
            GenericArgRef::Type(ty) => match &store.type_refs[*ty] {
                // No pack has arguments, and to lower a type twice that holds types that hold types costs ever more.
                TypeRef::Path(path) if path.segments.iter().any(|segment| segment.args.is_some()) => None,
                TypeRef::Path(_) => {
                    if let Some(pack) = self.named_value_pack(*ty) {
                        return Some(packs::whole_pack(db, pack).args(db).to_vec());
                    }
                    match self.silently(|lowering| lowering.lower(*ty)) {
                        Ty::Param(pack) if generics::is_pack(db, pack) => {
                            Some(packs::whole_pack(db, pack).args(db).to_vec())
                        }
                        _ => None,
                    }
                }
                TypeRef::PackQuery { query, operands } => match self.silently(|l| l.pack_query(*query, operands))? {
                    Answer::Many(list) => Some(list),
                    Answer::One(_) => None,
                },
                TypeRef::Expand(inner) => match self.silently(|lowering| lowering.expansion(*inner)).as_slice() {
                    [GenericArg::Type(Ty::Error)] => None,
                    list => Some(list.to_vec()),
                },
                // `(1, __first(N))`: values side by side.
                TypeRef::Tuple(parts) => {
                    let values = parts.iter().map(|part| self.constant_type_ref(*part).map(GenericArg::Value));
                    values.collect()
                }
                _ => None,
            },
            GenericArgRef::Value(expr) => match &store.exprs[*expr] {
                Expr::PackQuery { query, operands } => match self.silently(|l| l.pack_query(*query, operands))? {
                    Answer::Many(list) => Some(list),
                    Answer::One(_) => None,
                },
                Expr::Path(path) => match resolve::path_as_value(self, path) {
                    Some(resolve::ConstantName::Param(param)) if generics::is_pack(db, param) => {
                        Some(packs::whole_pack(db, param).args(db).to_vec())
                    }
                    _ => {
                        let ty = self.silently(|lowering| consts::type_of_expression(lowering, *expr))?;
                        Some(packs::elements_of_type(db, ty)?.args(db).to_vec())
                    }
                },
                Expr::Type(ty) => {
                    let ty = self.silently(|lowering| lowering.lower(*ty));
                    Some(packs::elements_of_type(db, ty)?.args(db).to_vec())
                }
                Expr::Tuple(parts) => {
                    let values = parts.iter().map(|part| consts::evaluate(self, *part).map(GenericArg::Value));
                    values.collect()
                }
                _ => None,
            },
        }
    }

    /// The list that a query of a pack gives.
    pub(crate) fn query_list(&mut self, arg: &GenericArgRef) -> Option<Vec<GenericArg>> {
        let store = self.store;
        let is_query = match arg {
            GenericArgRef::Type(ty) => matches!(store.type_refs[*ty], TypeRef::PackQuery { .. }),
            GenericArgRef::Value(expr) => matches!(store.exprs[*expr], Expr::PackQuery { .. }),
        };
        if is_query { self.listed(arg) } else { None }
    }

    /// The elements that an operand of `nonempty` or a query stands for: a pack, a tuple, an expansion.
    pub(crate) fn pack_elements(&mut self, arg: &GenericArgRef) -> Vec<GenericArg> {
        if let Some(list) = self.listed(arg) {
            return list;
        }
        match arg {
            GenericArgRef::Type(ty) => match self.constant_type_ref(*ty) {
                Some(value) => vec![GenericArg::Value(value)],
                None => {
                    let ty = self.lower(*ty);
                    match packs::elements_of_type(self.db, ty) {
                        Some(list) => list.args(self.db).to_vec(),
                        None => vec![GenericArg::Type(ty)],
                    }
                }
            },
            GenericArgRef::Value(expr) => {
                vec![GenericArg::Value(consts::evaluate(self, *expr).unwrap_or(Const::Error))]
            }
        }
    }

    /// The answer to a query; `None` if its operands are wrong.
    pub(crate) fn pack_query(&mut self, query: PackQuery, operands: &[GenericArgRef]) -> Option<Answer> {
        self.nested(|lowering| {
            let db = lowering.db;
            let (pack, rest) = operands.split_first()?;
            let pack = lowering.pack_elements(pack);
            let mut args = vec![GenericArg::Pack(GenericArgs::new(db, pack.into_boxed_slice()))];
            for operand in rest {
                let mut list = lowering.pack_elements(operand);
                let is_list = lowering.silently(|lowering| lowering.listed(operand)).is_some();
                args.push(match (is_list, list.pop()) {
                    (false, Some(only)) if list.is_empty() => only,
                    (_, last) => {
                        list.extend(last);
                        GenericArg::Pack(GenericArgs::new(db, list.into_boxed_slice()))
                    }
                });
            }
            packs::query(db, query, &args)
        })
        .flatten()
    }

    /// The pack of values that a type reference names: the parser cannot know that it is not a type.
    pub fn named_value_pack(&mut self, ty: TypeRefId) -> Option<TypeParam> {
        let TypeRef::Path(path) = &self.store.type_refs[ty] else { return None };
        match resolve::path_as_value(self, path)? {
            resolve::ConstantName::Param(param) if generics::is_value_pack(self.db, param) => Some(param),
            resolve::ConstantName::Param(_) | resolve::ConstantName::Item(_) | resolve::ConstantName::Member(..) => {
                None
            }
        }
    }

    /// The value that something stands for that the parser read as a type: `each N`, `expand each N`, `__first(N)`, `N`.
    pub(crate) fn constant_type_ref(&mut self, ty: TypeRefId) -> Option<Const> {
        let store = self.store;
        match &store.type_refs[ty] {
            TypeRef::Path(path) => resolve::constant_path(self, path),
            // `A<sizes[1]>`
            TypeRef::Array { element, len: Some(index) } => {
                let TypeRef::Path(path) = &store.type_refs[*element] else { return None };
                let index = usize::try_from(consts::evaluate(self, *index)?.value()?).ok()?;
                const_arrays::element_of_named(self, path, index)
            }
            TypeRef::Each(inner) => self.nested(|lowering| lowering.constant_type_ref(*inner)).flatten(),
            // `A & B` of two constants.
            TypeRef::And(parts) => {
                let mut values = parts.iter().map(|part| self.nested(|l| l.constant_type_ref(*part)).flatten());
                let first = values.next()??;
                let rest = values.collect::<Option<Vec<Const>>>()?;
                let and = hir_def::body::BinaryOp::BitAnd;
                Some(rest.into_iter().fold(first, |left, right| consts::binary(self.db, and, left, right)))
            }
            TypeRef::Expand(inner) => {
                let pattern = self.nested(|lowering| lowering.constant_type_ref(*inner)).flatten()?;
                Some(packs::expansion_of_value(self.db, pattern))
            }
            TypeRef::PackQuery { query, operands } => match self.silently(|l| l.pack_query(*query, operands))? {
                Answer::One(GenericArg::Value(value)) => Some(value),
                Answer::One(GenericArg::Type(_) | GenericArg::Pack(_)) | Answer::Many(_) => None,
            },
            _ => None,
        }
    }

    /// Whether a name that is written for a generic parameter is that of a constant.
    pub(crate) fn is_constant_argument(&mut self, arg: &GenericArgRef) -> bool {
        let GenericArgRef::Type(ty) = arg else { return false };
        self.silently(|lowering| lowering.constant_type_ref(*ty)).is_some()
    }

    /// Whether what is written for a generic parameter is a type, and no constant that the parser took for one.
    pub(crate) fn is_type_argument(&mut self, arg: &GenericArgRef) -> bool {
        let GenericArgRef::Type(ty) = arg else { return false };
        let exists = match &self.store.type_refs[*ty] {
            TypeRef::Path(path) => self.silently(|lowering| resolve::path_exists(lowering, path)),
            _ => true,
        };
        exists && !self.is_constant_argument(arg)
    }

    /// A written argument for the value parameter `param` of `item`: a number is no case of an enum.
    pub(crate) fn argument_of_value(&mut self, arg: &GenericArgRef, item: ItemId, param: &GenericParam) -> Const {
        let value = self.value_argument(arg, &param.name);
        let (GenericArgRef::Value(expr), GenericParamKind::Value { ty, .. }) = (arg, &param.kind) else { return value };
        if !matches!(self.store.exprs[*expr], Expr::Literal(Literal::Int { .. })) {
            return value;
        }
        let db = self.db;
        let wanted = TypeLowering::new(db, item, &item::item_data(db, item).store).lower(*ty);
        if matches!(wanted, Ty::Adt(of, _) if matches!(item::item_data(db, of).kind, ItemKind::Enum { .. })) {
            let place = self.expr_place(*expr);
            let wanted = display::display(db, wanted);
            self.report(|| diagnostics::conversions::needs_explicit_conversion(place, &wanted, "int"));
        }
        value
    }

    /// A written argument for a value parameter. A plain name may have been taken for a type by the parser.
    pub(crate) fn value_argument(&mut self, arg: &GenericArgRef, param: &Name) -> Const {
        match arg {
            GenericArgRef::Value(expr) => match self.integer(*expr) {
                Some(value) => value,
                None => {
                    let place = self.expr_place(*expr);
                    self.report(|| diagnostics::constants::not_a_constant(place));
                    Const::Error
                }
            },
            GenericArgRef::Type(ty) => {
                let store = self.store;
                let place = self.place(*ty);
                if let Some(value) = self.constant_type_ref(*ty) {
                    return value;
                }
                match &store.type_refs[*ty] {
                    TypeRef::Path(path) => {
                        let known = resolve::path_exists(self, path);
                        match path.segments.first() {
                            _ if resolve::names_variable(self, path) => {
                                self.report(|| diagnostics::constants::not_a_constant(place));
                            }
                            Some(first) if !known => {
                                self.report_path_error(place, TypePathError::Unknown(first.name.clone()));
                            }
                            _ => self.report(|| {
                                diagnostics::names::generic_argument_kind(place, param, WantedArgument::Value)
                            }),
                        }
                    }
                    _ => self.report(|| diagnostics::names::generic_argument_kind(place, param, WantedArgument::Value)),
                }
                Const::Error
            }
        }
    }

    /// A built-in generic type with the arguments that are written after its name.
    pub(crate) fn apply_builtin(
        &mut self,
        kind: BuiltinType,
        written: Option<&[GenericArgRef]>,
        name: &Name,
        place: Site,
    ) -> Option<Ty> {
        let db = self.db;
        let params = builtin_parameters(kind);
        let written = written.unwrap_or(&[]);
        if kind == BuiltinType::Tuple {
            let elements = self.pack_arguments(written, false, name);
            return Some(packs::tuple_of(db, &elements));
        }
        let layout = layout_arguments(kind);
        let most = layout.as_ref().map_or(params.len(), |layout| layout.most);
        if written.len() > most {
            self.report(|| diagnostics::names::too_many_generic_arguments(place, name, most, written.len()));
            return None;
        }
        if layout.is_some_and(|layout| layout.are_types) {
            written.iter().skip(params.len()).for_each(|arg| _ = self.type_argument(arg, name));
        }
        let mut args = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            let arg = match (param, written.get(index)) {
                (BuiltinParam::Type(_) | BuiltinParam::Float4, Some(arg)) => {
                    GenericArg::Type(self.type_argument(arg, name))
                }
                (BuiltinParam::Value(_), Some(arg)) => GenericArg::Value(self.value_argument(arg, name)),
                (BuiltinParam::Float, _) => GenericArg::Type(Ty::FLOAT),
                (BuiltinParam::Type(Some(default)), None) => GenericArg::Type(*default),
                (BuiltinParam::Float4, None) => GenericArg::Type(Ty::vector(db, Ty::FLOAT, Const::Value(4))),
                (BuiltinParam::Value(Some(default)), None) => GenericArg::Value(Const::Value(*default)),
                (BuiltinParam::Type(None) | BuiltinParam::Value(None), None) => {
                    self.report(|| {
                        diagnostics::names::generic_arguments_missing(place, name, params.len(), written.len())
                    });
                    return None;
                }
            };
            args.push(arg);
        }
        if args.iter().any(|arg| matches!(arg, GenericArg::Type(Ty::Error) | GenericArg::Value(Const::Error))) {
            return Some(Ty::Error);
        }
        match (args.as_slice(), kind, written.get(POINTER_LAYOUT)) {
            ([GenericArg::Type(pointee)], BuiltinType::Ptr, Some(layout)) => {
                let layout = self.type_argument(layout, name);
                Some(Ty::pointer_with_layout(db, *pointee, layout))
            }
            _ => Some(Ty::builtin(db, kind, args)),
        }
    }
}

fn missing_arguments(place: Site, name: &Name, params: &[hir_def::item::GenericParam], written: usize) -> Diagnostic {
    diagnostics::names::generic_arguments_missing(place, name, params.len(), written)
}

/// The arguments so far, for defaults that mention earlier parameters.
pub(crate) fn partial_substitution(db: &dyn Db, item: ItemId, args: &[GenericArg]) -> Substitution {
    let mut substitution = Substitution::default();
    for (param, arg) in generics::parameters(db, item).iter().zip(args) {
        substitution.push(*param, *arg);
    }
    substitution
}

/// A parameter of a built-in generic type, with its default.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BuiltinParam {
    Type(Option<Ty>),
    /// A type, `float4` if it is not written.
    Float4,
    /// `float`, which is not written.
    Float,
    Value(Option<i64>),
}

/// The arguments that may follow the counted ones and are about layout and access: `matrix<T, R, C, Layout>`,
/// `StructuredBuffer<T, Layout>`, `Ptr<T, Access, AddressSpace, Layout>`. They do not make another type here, but the layout
/// of a pointer does.
pub(crate) struct LayoutArguments {
    /// How many arguments there may be, the counted ones among them.
    most: usize,
    /// Whether they are types; else they are values, or of both kinds.
    are_types: bool,
}

/// Which argument of `Ptr` is the layout.
const POINTER_LAYOUT: usize = 3;

/// `None` if nothing follows the counted arguments.
pub(crate) fn layout_arguments(kind: BuiltinType) -> Option<LayoutArguments> {
    let (most, are_types) = match kind.class() {
        BuiltinClass::Pointer => (4, false),
        BuiltinClass::Numeric if kind == BuiltinType::Matrix => (4, false),
        BuiltinClass::Resource(class) => match class {
            ResourceClass::StructuredBuffer => (2, true),
            ResourceClass::Block if kind == BuiltinType::ConstantBuffer => (2, true),
            ResourceClass::TexelBuffer => (2, false),
            // The number of samples and the format.
            ResourceClass::Texture => (3, false),
            ResourceClass::Block | ResourceClass::ByteAddressBuffer | ResourceClass::Opaque => return None,
        },
        BuiltinClass::Numeric | BuiltinClass::Composite | BuiltinClass::Atomic | BuiltinClass::Descriptor => {
            return None;
        }
    };
    Some(LayoutArguments { most, are_types })
}

pub(crate) fn builtin_parameters(kind: BuiltinType) -> &'static [BuiltinParam] {
    const FLOAT: Ty = Ty::Scalar(Scalar::Float);
    match kind {
        BuiltinType::Vector => &[BuiltinParam::Type(Some(FLOAT)), BuiltinParam::Value(Some(4))],
        BuiltinType::Matrix => {
            &[BuiltinParam::Type(Some(FLOAT)), BuiltinParam::Value(Some(4)), BuiltinParam::Value(Some(4))]
        }
        BuiltinType::Array => &[BuiltinParam::Type(None), BuiltinParam::Value(None)],
        // The elements are one pack; handled before arguments are counted.
        BuiltinType::Tuple => &[],
        BuiltinType::Optional
        | BuiltinType::Ptr
        | BuiltinType::DifferentialPair
        | BuiltinType::DifferentialPtrPair
        | BuiltinType::StructuredBuffer
        | BuiltinType::RWStructuredBuffer
        | BuiltinType::AppendStructuredBuffer
        | BuiltinType::ConsumeStructuredBuffer
        | BuiltinType::RasterizerOrderedStructuredBuffer
        | BuiltinType::Buffer
        | BuiltinType::RWBuffer
        | BuiltinType::RasterizerOrderedBuffer
        | BuiltinType::ConstantBuffer
        | BuiltinType::ParameterBlock
        | BuiltinType::TextureBuffer
        | BuiltinType::Atomic
        | BuiltinType::DescriptorHandle => &[BuiltinParam::Type(None)],
        BuiltinType::ByteAddressBuffer
        | BuiltinType::RWByteAddressBuffer
        | BuiltinType::RasterizerOrderedByteAddressBuffer
        | BuiltinType::SamplerState
        | BuiltinType::SamplerComparisonState
        | BuiltinType::RaytracingAccelerationStructure => &[],
        BuiltinType::Texture(shape) if shape.is_depth() => &[BuiltinParam::Float],
        BuiltinType::Texture(_) => &[BuiltinParam::Float4],
    }
}

/// How a parameter with these modifiers is passed.
pub fn direction(modifiers: Modifiers) -> ParamDirection {
    if modifiers.contains(Modifiers::INOUT) || modifiers.contains(Modifiers::IN | Modifiers::OUT) {
        ParamDirection::InOut
    } else if modifiers.contains(Modifiers::OUT) {
        ParamDirection::Out
    } else if modifiers.contains(Modifiers::CONSTREF) {
        ParamDirection::ConstRef
    } else if modifiers.contains(Modifiers::BORROW) {
        if modifiers.contains(Modifiers::IN) { ParamDirection::ConstRef } else { ParamDirection::InOut }
    } else if modifiers.contains(Modifiers::REF) {
        ParamDirection::Ref
    } else {
        ParamDirection::In
    }
}
