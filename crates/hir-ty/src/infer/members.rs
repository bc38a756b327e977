//! Member access: fields, swizzles, properties, methods, static members.

use hir_def::{
    attribute::Modifiers,
    body::ExprId,
    item::{self, AccessorKind, ItemId, ItemKind},
    name::Name,
    type_ref::{GenericArgRef, PathSegment},
};

use super::{
    Infer,
    functions::{Candidate, FunctionSet, Receiver},
    operand::Operand,
    result::{Argument, Base, Resolution},
};
use crate::{
    conformance::{
        self,
        members::{self, Member},
    },
    diagnostics::{conformances, members as findings, suggest},
    differential,
    generics::{
        env::Env,
        substitute::{Substitution, substitute},
    },
    types::{
        aggregate,
        known::{self, Known},
        parts,
        resolve::{self, TypeNs},
        shapes::{Shape, shape},
        signature::{self, FunctionRef},
        ty::{BuiltinType, Const, GenericArgs, Ty},
    },
};

impl<'db> Infer<'db> {
    /// `base.name`. As the operand of `fwd_diff` and `bwd_diff`, a pair has the methods of its value.
    pub(super) fn member_operand(
        &mut self,
        id: ExprId,
        base: ExprId,
        name: &'db Name,
        generic_args: Option<&'db [GenericArgRef]>,
        is_differentiated: bool,
    ) -> Operand {
        let segment = PathSegment { name: name.clone(), args: generic_args.map(<[_]>::to_vec) };
        match self.operand(base, None) {
            Operand::Value(ty) => {
                self.result.expr_types.insert(base, ty);
                if ty.is_error() || name.as_str().is_empty() {
                    return Operand::Value(Ty::Error);
                }
                if is_differentiated && let Some(primal) = ty.as_pair(self.db) {
                    let members = self.members_of(primal, name);
                    if !members.is_empty() {
                        let receiver = Receiver::Expr(base);
                        return self.member_found(id, Base::Expr(base), receiver, primal, &segment, members);
                    }
                }
                self.value_member(id, base, ty, &segment)
            }
            Operand::Type(found) => {
                self.result.expr_types.insert(base, Ty::Void);
                if name.as_str().is_empty() {
                    return Operand::Value(Ty::Error);
                }
                self.static_member(id, found, &segment)
            }
            Operand::Functions(mut set) => {
                self.result.expr_types.insert(base, Ty::Void);
                // `f.fwd_diff(…)` is another spelling of `fwd_diff(f)(…)`.
                let operator = match name.as_str() {
                    "fwd_diff" => hir_def::body::DerivativeOperator::Forward,
                    "bwd_diff" => hir_def::body::DerivativeOperator::Backward,
                    "apply_bwd" => hir_def::body::DerivativeOperator::Apply,
                    "remat" => hir_def::body::DerivativeOperator::Remat,
                    "" => return Operand::Value(Ty::Error),
                    _ => {
                        let place = self.name_place(id);
                        self.report(findings::member_not_found(place, name, set.name.as_str(), None));
                        return Operand::Value(Ty::Error);
                    }
                };
                set.operators.push(operator);
                Operand::Functions(set)
            }
        }
    }

    /// A member of a value.
    fn value_member(&mut self, id: ExprId, base: ExprId, ty: Ty, segment: &PathSegment) -> Operand {
        let ty = self.dereference(base, ty);
        if ty.is_error() {
            return Operand::Value(Ty::Error);
        }
        if let Some(found) = self.builtin_member(id, base, ty, &segment.name) {
            return Operand::Value(found);
        }
        let mut ty = ty;
        let mut members = self.members_of(ty, &segment.name);
        if members.is_empty()
            && let Some(same) = self.env.promised_type(self.db, ty)
        {
            ty = same;
            members = self.members_of(ty, &segment.name);
        }
        if members.is_empty() {
            self.report_missing_member(id, ty, &segment.name);
            return Operand::Value(Ty::Error);
        }
        self.member_found(id, Base::Expr(base), Receiver::Expr(base), ty, segment, members)
    }

    fn report_missing_member(&mut self, id: ExprId, ty: Ty, name: &Name) {
        let place = self.name_place(id);
        let shown = self.show(ty);
        // What the declaration says may hold, and nobody has asked.
        let declared = Env::of(self.db, self.owner);
        if declared != self.env && !members::lookup(self.db, declared, ty, name).is_empty() {
            self.report(findings::unchecked_constraint(place, name, &shown));
            return;
        }
        // Its constraint may be of a file that is not found, which is reported where that is named.
        let is_generic = matches!(ty, Ty::Param(_) | Ty::Associated(_));
        if is_generic && hir_def::diagnostics::lacks_files(self.db, item::file_of(self.db, self.owner)) {
            return;
        }
        let known = members::names(self.db, self.env, ty);
        let suggestion = suggest::nearest(name.as_str(), known.iter().map(Name::as_str));
        self.report(findings::member_not_found(place, name, &shown, suggestion));
    }

    /// What a found member means: `members` is not empty.
    pub(super) fn member_found(
        &mut self,
        id: ExprId,
        base: Base,
        receiver: Receiver,
        this: Ty,
        segment: &PathSegment,
        members: Vec<Member>,
    ) -> Operand {
        let db = self.db;
        let Some(first) = members.first().copied() else { return Operand::Value(Ty::Error) };
        let data = item::item_data(db, first.item);
        match &data.kind {
            ItemKind::Function(_) | ItemKind::Constructor { .. } => {
                let candidates = members
                    .iter()
                    .enumerate()
                    .filter(|(_, member)| members::is_overloadable(db, member.item))
                    .map(|(index, member)| Candidate::of_member(*member, index))
                    .collect();
                Operand::Functions(FunctionSet {
                    name: segment.name.clone(),
                    candidates,
                    receiver,
                    explicit: segment.args.clone(),
                    operators: Vec::new(),
                })
            }
            ItemKind::Variable { .. } if !aggregate::is_field(db, first.item) => {
                let is_static = data.modifiers.contains(Modifiers::STATIC);
                self.result
                    .resolutions
                    .insert(id, Resolution::Global { item: first.item, owner: is_static.then_some(this) });
                let substitution = self.member_substitution(first, this);
                Operand::Value(substitute(db, self.env, signature::variable_type(db, first.item), &substitution))
            }
            ItemKind::Variable { .. } => {
                let can_read = match base {
                    Base::Expr(_) => true,
                    Base::ImplicitThis => {
                        let is_pair = self.this.is_some_and(|this| this.is_pair);
                        !is_pair && (self.this.is_some() || self.is_lambda_in_method())
                    }
                };
                if receiver_is_type(receiver) || !can_read {
                    let place = self.name_place(id);
                    let shown = self.show(this);
                    self.report(findings::not_static(place, &shown, &segment.name));
                    return Operand::Value(Ty::Error);
                }
                if base == Base::ImplicitThis {
                    self.capture_this();
                }
                self.result.resolutions.insert(id, Resolution::Field { base, item: first.item });
                Operand::Value(self.field_type(this, first.item))
            }
            ItemKind::EnumCase { .. } => {
                self.result.resolutions.insert(id, Resolution::EnumCase(first.item));
                Operand::Value(signature::variable_type(db, first.item))
            }
            ItemKind::Property { .. } => {
                let substitution = self.member_substitution(first, this);
                let ty = substitute(db, self.env, signature::variable_type(db, first.item), &substitution);
                let (get, set) = self.accessors(first);
                if base == Base::ImplicitThis {
                    self.capture_this();
                }
                self.result.resolutions.insert(id, Resolution::Property { base, get, set, args: Vec::new() });
                Operand::Value(ty)
            }
            _ => {
                let found = members
                    .iter()
                    .find_map(|member| resolve::declared_member_type(db, self.env, member.item, member.args, this));
                match found {
                    Some(found) => self.type_with_arguments(id, found, segment),
                    None => {
                        let found = resolve::member_type(db, self.env, this, &segment.name);
                        match found {
                            Some(found) => self.type_with_arguments(id, found, segment),
                            None => Operand::Value(Ty::Error),
                        }
                    }
                }
            }
        }
    }

    fn is_lambda_in_method(&self) -> bool {
        signature::signature(self.db, self.owner).this.is_some()
    }

    /// The type of a field of `this`, synthesised differentials included.
    pub(super) fn field_type(&self, this: Ty, field: ItemId) -> Ty {
        if let Ty::SynthesizedDifferential(..) = this {
            let position = aggregate::field_position(self.db, self.env, this, field);
            return position.map_or(Ty::Error, |index| aggregate::fields(self.db, self.env, this)[index].1);
        }
        aggregate::field_type(self.db, self.env, this, field)
    }

    fn member_substitution(&self, member: Member, this: Ty) -> Substitution {
        let container = item::container(self.db, member.item).unwrap_or(member.item);
        Substitution::of_item(self.db, container, member.args).with_this(member.self_ty.unwrap_or(this))
    }

    /// The getter and setter of a property or subscript. A `ref` accessor reads and writes.
    pub(super) fn accessors(&self, member: Member) -> (Option<FunctionRef>, Option<FunctionRef>) {
        let db = self.db;
        let find = |wanted: &[AccessorKind]| {
            wanted.iter().find_map(|wanted| {
                let accessor = item::accessor(db, member.item, *wanted)?;
                Some(FunctionRef { item: accessor, args: member.args, self_ty: member.self_ty })
            })
        };
        let get = find(&[AccessorKind::Get, AccessorKind::Ref, AccessorKind::Modify]);
        let set = find(&[AccessorKind::Set, AccessorKind::Ref, AccessorKind::Modify]);
        (get, set)
    }

    /// A member of a type or namespace.
    pub(super) fn static_member(&mut self, id: ExprId, base: TypeNs, segment: &PathSegment) -> Operand {
        let db = self.db;
        match base {
            TypeNs::Namespace(namespace) => {
                let items = resolve::namespace_items(db, self.owner, namespace, &segment.name);
                if items.is_empty() {
                    let place = self.name_place(id);
                    let shown = crate::types::display::item_name(db, namespace);
                    self.report(findings::member_not_found(place, &segment.name, &shown, None));
                    return Operand::Value(Ty::Error);
                }
                let outer = items.first().and_then(|item| crate::types::resolve::item_type(db, *item));
                match outer {
                    Some(found) => self.type_with_arguments(id, found, segment),
                    None => self.items_operand(id, segment, &items),
                }
            }
            TypeNs::Type(ty) => self.type_member(id, ty, segment),
            TypeNs::Generic { item, outer } => {
                let place = self.name_place(id);
                let ty = self.with_lowering(|lowering| lowering.apply(item, outer, None, place));
                match ty {
                    Some(ty) => self.type_member(id, ty, segment),
                    None => Operand::Value(Ty::Error),
                }
            }
            TypeNs::BuiltinGeneric(kind) => {
                let name = Name::new(&crate::types::builtin_names::builtin_spelling(kind));
                let place = self.name_place(id);
                let ty = self.with_lowering(|lowering| lowering.apply_builtin(kind, None, &name, place));
                match ty {
                    Some(ty) => self.type_member(id, ty, segment),
                    None => Operand::Value(Ty::Error),
                }
            }
        }
    }

    fn type_member(&mut self, id: ExprId, ty: Ty, segment: &PathSegment) -> Operand {
        if ty.is_error() {
            return Operand::Value(Ty::Error);
        }
        if let Some(found) = resolve::member_type(self.db, self.env, ty, &segment.name) {
            return self.type_with_arguments(id, found, segment);
        }
        let members = self.members_of(ty, &segment.name);
        if members.is_empty() {
            self.report_missing_member(id, ty, &segment.name);
            return Operand::Value(Ty::Error);
        }
        self.member_found(id, Base::ImplicitThis, Receiver::Type(ty), ty, segment, members)
    }

    fn type_with_arguments(&mut self, id: ExprId, found: TypeNs, segment: &PathSegment) -> Operand {
        let found = match (&segment.args, found) {
            (Some(args), TypeNs::Generic { item, outer }) => {
                let place = self.name_place(id);
                match self.with_lowering(|lowering| lowering.apply(item, outer, Some(args), place)) {
                    Some(ty) => TypeNs::Type(ty),
                    None => return Operand::Value(Ty::Error),
                }
            }
            (_, found) => found,
        };
        self.type_operand(id, found)
    }

    /// Members that no declaration spells out: swizzles, elements of tuples, halves of pairs.
    fn builtin_member(&mut self, id: ExprId, base: ExprId, ty: Ty, name: &Name) -> Option<Ty> {
        let db = self.db;
        match ty {
            Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _) => {
                let primal = ty.first_type_arg(db)?;
                match name.as_str() {
                    "p" | "v" => {
                        self.result.resolutions.insert(id, Resolution::PairPrimal { base });
                        Some(primal)
                    }
                    "d" => {
                        self.result.resolutions.insert(id, Resolution::PairDifferential { base });
                        Some(self.differential_or_error(primal))
                    }
                    _ => None,
                }
            }
            Ty::Builtin(BuiltinType::Optional, _) => match name.as_str() {
                "value" => {
                    self.result.resolutions.insert(id, Resolution::OptionalValue { base });
                    ty.first_type_arg(db)
                }
                "hasValue" => {
                    self.result.resolutions.insert(id, Resolution::OptionalHasValue { base });
                    Some(Ty::BOOL)
                }
                _ => None,
            },
            Ty::Builtin(BuiltinType::Tuple, _) => {
                let elements = ty.as_tuple(db)?;
                self.tuple_member(id, base, ty, &elements, name)
            }
            _ => self.swizzle(id, base, ty, name),
        }
    }

    /// The differential of a type, by either interface.
    pub(super) fn differential_or_error(&self, primal: Ty) -> Ty {
        match differential::of_type::differentiability(self.db, self.env, primal) {
            differential::of_type::Differentiability::Value(ty)
            | differential::of_type::Differentiability::Pointer(ty) => ty,
            differential::of_type::Differentiability::None => Ty::Error,
        }
    }

    /// `tuple._1`, `tuple._2_0`.
    fn tuple_member(&mut self, id: ExprId, base: ExprId, ty: Ty, elements: &[Ty], name: &Name) -> Option<Ty> {
        let digits = name.as_str().strip_prefix('_')?;
        let mut chosen = Vec::new();
        for part in digits.split('_') {
            let index: usize = part.parse().ok()?;
            match elements.get(index) {
                Some(element) => chosen.push((index, *element)),
                None => {
                    let place = self.name_place(id);
                    let shown = self.show(ty);
                    self.report(findings::invalid_swizzle(place, name, &shown));
                    return Some(Ty::Error);
                }
            }
        }
        match chosen.as_slice() {
            [(index, element)] => {
                self.result.resolutions.insert(id, Resolution::TupleElement { base, index: *index as u32 });
                Some(*element)
            }
            several => {
                let types: Vec<Ty> = several.iter().map(|(_, element)| *element).collect();
                let elements = several.iter().map(|(index, _)| *index as u32).collect();
                self.result.resolutions.insert(id, Resolution::TupleSwizzle { base, elements });
                Some(Ty::tuple(self.db, &types))
            }
        }
    }

    fn swizzle(&mut self, id: ExprId, base: ExprId, ty: Ty, name: &Name) -> Option<Ty> {
        let db = self.db;
        match shape(db, ty) {
            (Shape::Vector(len), element) => {
                let components = parts::swizzle_components(name.as_str())?;
                let len = len.value().unwrap_or(4);
                if components.iter().any(|component| i64::from(*component) >= len) {
                    return None;
                }
                Some(self.swizzled(id, base, components, element))
            }
            (Shape::Scalar, Ty::Scalar(_)) => {
                let components = parts::swizzle_components(name.as_str())?;
                if components.iter().any(|component| *component != 0) {
                    return None;
                }
                Some(self.swizzled(id, base, components, ty))
            }
            (Shape::Matrix(rows, columns), element) => {
                let components = parts::matrix_swizzle(name.as_str())?;
                let (rows, columns) = (rows.value().unwrap_or(4), columns.value().unwrap_or(4));
                if components.iter().any(|(row, column)| i64::from(*row) >= rows || i64::from(*column) >= columns) {
                    return None;
                }
                let count = components.len();
                self.result.resolutions.insert(id, Resolution::MatrixSwizzle { base, components });
                Some(if count == 1 { element } else { Ty::vector(db, element, Const::Value(count as i64)) })
            }
            _ => None,
        }
    }

    fn swizzled(&mut self, id: ExprId, base: ExprId, components: Vec<u8>, element: Ty) -> Ty {
        let count = components.len();
        self.result.resolutions.insert(id, Resolution::Swizzle { base, components });
        if count == 1 { element } else { Ty::vector(self.db, element, Const::Value(count as i64)) }
    }

    /// `base[args]`.
    pub(super) fn index(&mut self, id: ExprId, base: ExprId, args: &[ExprId]) -> Ty {
        let base_operand = self.operand(base, None);
        // `T[N]` where the parser could not know that it is a type.
        if let Operand::Type(TypeNs::Type(element)) = base_operand {
            return self.array_type(id, element, args);
        }
        let ty = self.operand_value(base, base_operand, None);
        self.result.expr_types.insert(base, ty);
        let ty = self.dereference_to_elements(base, ty);
        if ty.is_error() {
            for arg in args {
                self.value(*arg, None);
            }
            return Ty::Error;
        }
        // The second index is the sample; the prelude declares how.
        let of_samples = matches!(ty, Ty::Builtin(BuiltinType::Texture(shape), _) if shape.multisampled);
        match parts::element(self.db, ty).filter(|_| args.len() == 1 || !of_samples) {
            Some((element, index_ty)) => {
                let [index] = args else {
                    for arg in args {
                        self.value(*arg, None);
                    }
                    let place = self.name_place(id);
                    let shown = self.show(ty);
                    self.report(findings::wrong_index_count(place, &shown, args.len()));
                    return Ty::Error;
                };
                match ty {
                    Ty::Builtin(BuiltinType::Ptr, _) => self.pointer_index(*index, index_ty),
                    _ => self.index_argument(*index, index_ty),
                }
                self.result.resolutions.insert(id, Resolution::Element { base, index: *index });
                element
            }
            None => self.user_subscript(id, base, ty, args),
        }
    }

    fn array_type(&mut self, id: ExprId, element: Ty, args: &[ExprId]) -> Ty {
        let len = match args {
            [] => Some(Const::Unsized),
            [len] => self.constant(*len),
            _ => None,
        };
        let Some(len) = len else {
            let place = self.name_place(id);
            self.report(crate::diagnostics::constants::not_a_constant(place));
            return Ty::Error;
        };
        let ty = Ty::array(self.db, element, len);
        self.result.resolutions.insert(id, Resolution::Type(ty));
        ty
    }

    /// The index of a pointer: the subscript of pointers is generic over integers, so that nothing is converted.
    fn pointer_index(&mut self, index: ExprId, index_ty: Ty) {
        let found = self.value(index, Some(index_ty));
        let integer = known::interface_type(self.db, Known::BuiltinIntegerType);
        let is_known = matches!(found, Ty::Scalar(_) | Ty::Builtin(..) | Ty::Adt(..));
        match integer {
            Some(integer) if conformance::conforms(self.db, self.env, found, integer) => {}
            Some(integer) if is_known && found != Ty::BOOL => {
                let place = self.expr_place(index);
                let (shown, integer) = (self.show(found), self.show(integer));
                self.report(conformances::bound_not_met(place, &shown, &integer, None));
            }
            _ => _ = self.convert_expr(index, found, index_ty),
        }
    }

    /// The index of an element: any integer; anything else is converted to the index's type.
    pub(super) fn index_argument(&mut self, index: ExprId, index_ty: Ty) {
        let found = self.value(index, Some(index_ty));
        let (index, found) = self.enum_as_integer((index, found));
        let is_integer = matches!(found, Ty::Scalar(scalar) if scalar.is_integer());
        if !is_integer || !matches!(index_ty, Ty::Scalar(_)) {
            self.convert_expr(index, found, index_ty);
        }
    }

    /// A `__subscript` of the program.
    fn user_subscript(&mut self, id: ExprId, base: ExprId, ty: Ty, args: &[ExprId]) -> Ty {
        let db = self.db;
        let members = self.members_of(ty, &Name::new("__subscript"));
        let candidates: Vec<Candidate> = members
            .iter()
            .enumerate()
            .filter(|(_, member)| matches!(item::item_data(db, member.item).kind, ItemKind::Subscript { .. }))
            .map(|(index, member)| Candidate::of_member(*member, index))
            .collect();
        if candidates.is_empty() {
            for arg in args {
                self.value(*arg, None);
            }
            let place = self.name_place(id);
            let shown = self.show(ty);
            self.report(findings::no_subscript(place, &shown));
            return Ty::Error;
        }
        let set = FunctionSet {
            name: Name::new("[]"),
            candidates,
            receiver: Receiver::Expr(base),
            explicit: None,
            operators: Vec::new(),
        };
        let arguments = self.arguments(args);
        let Some(chosen) = self.resolve_overload(id, &set, &arguments) else { return Ty::Error };
        let accepted = self.accept_arguments(&chosen, &arguments);
        let member = Member {
            item: chosen.function.item,
            args: chosen.function.args,
            self_ty: chosen.function.self_ty,
            origin: members::Origin::Own,
        };
        let (get, set) = self.accessors(member);
        let args: Vec<Argument> = accepted;
        self.result.resolutions.insert(id, Resolution::Property { base: Base::Expr(base), get, set, args });
        chosen.signature.ret
    }

    /// The empty argument list, for members of no generic type.
    pub(super) fn no_args(&self) -> GenericArgs {
        GenericArgs::empty(self.db)
    }
}

fn receiver_is_type(receiver: Receiver) -> bool {
    matches!(receiver, Receiver::Type(_))
}
