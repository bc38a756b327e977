//! Expressions.

use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, FloatSuffix, IntSuffix, Literal, SizeOfKind, SpirvResult},
    item::{ItemKind, item_data},
    type_ref::{GenericArgRef, Path, TypeRef, TypeRefId},
};

use super::{
    Infer,
    result::{Conversion, Resolution},
};
use crate::{
    conformance,
    diagnostics::{Node, Site, aggregates, constants, controls, conversions, names},
    types::{
        conversion,
        known::Known,
        parts,
        ty::{GenericArgs, Scalar, Ty},
    },
};

impl<'db> Infer<'db> {
    /// The type of an expression that must be a value. `expected` is what the context wants, for expressions whose
    /// meaning depends on it; the conversion to it is the caller's.
    pub(super) fn value(&mut self, id: ExprId, expected: Option<Ty>) -> Ty {
        let ty = self.nested(|infer| infer.value_inner(id, expected));
        self.result.expr_types.insert(id, ty);
        ty
    }

    fn value_inner(&mut self, id: ExprId, expected: Option<Ty>) -> Ty {
        let store = self.store;
        match &store.exprs[id] {
            // What is broken or not supported yet is reported where the body is lowered.
            Expr::Missing | Expr::Unsupported(_) => Ty::Error,
            Expr::Literal(literal) => literal_type(literal),
            Expr::Path(_) | Expr::Member { .. } | Expr::Type(_) | Expr::Derivative { .. } => {
                let operand = self.operand(id, expected);
                self.operand_value(id, operand, expected)
            }
            Expr::This => match self.this {
                Some(this) => {
                    self.result.resolutions.insert(id, Resolution::This);
                    self.capture_this();
                    this.ty
                }
                None => {
                    let place = self.expr_place(id);
                    let in_type = crate::types::signature::enclosing_type(self.db, self.owner).is_some();
                    self.report(names::this_outside_method(place, in_type));
                    Ty::Error
                }
            },
            Expr::Index { base, args } => self.index(id, *base, args),
            Expr::Call { callee, args } => self.call(id, *callee, args, expected),
            Expr::Prefix { op, operand } => self.prefix(id, *op, *operand),
            Expr::Postfix { op, operand } => self.postfix(id, *op, *operand),
            Expr::Binary { op, left, right } => self.binary(id, *op, *left, *right, expected),
            Expr::Assign { op, target, value } => self.assign(id, *op, *target, *value),
            Expr::Ternary { cond, then, otherwise } => self.ternary(id, *cond, *then, *otherwise),
            Expr::Cast { ty, operand } => {
                let to = self.type_ref(*ty);
                self.cast(id, *operand, to)
            }
            Expr::InitList(elements) => self.init_list(id, elements, expected),
            Expr::Tuple(elements) => self.tuple(elements, expected),
            Expr::Lambda { params, body } => self.lambda(id, params, *body),
            Expr::NoDiff(operand) => self.no_diff(*operand, expected),
            Expr::Is { operand, ty } => self.is_type(*operand, *ty),
            Expr::As { operand, ty } => {
                self.value(*operand, None);
                match self.type_ref(*ty) {
                    Ty::Error => Ty::Error,
                    ty => Ty::optional(self.db, ty),
                }
            }
            Expr::SizeOf { what, ty, operand, layout } => {
                let measured = self.size_of(id, *what, *ty, *operand);
                // The size in a layout that is named is for lowering to know.
                if let Some(layout) = layout {
                    self.layout(id, *layout);
                    self.result.resolutions.remove(&id);
                }
                measured
            }
            Expr::Comma(parts) => {
                let mut last = Ty::Void;
                for (index, part) in parts.iter().enumerate() {
                    let expected = expected.filter(|_| index + 1 == parts.len());
                    last = self.value(*part, expected);
                }
                last
            }
            Expr::SpirvAsm { operands, result } => {
                for operand in operands {
                    self.operand(*operand, None);
                }
                match result {
                    SpirvResult::Nothing => Ty::Void,
                    SpirvResult::Typed(ty) => match self.result.resolutions.get(ty) {
                        Some(Resolution::Type(ty)) => *ty,
                        _ => Ty::Error,
                    },
                    SpirvResult::Untyped => expected.unwrap_or(Ty::Error),
                }
            }
            Expr::Try(operand) => self.value(*operand, expected),
            Expr::New { ty, args } => {
                let ty = self.type_ref(*ty);
                // With arguments it is a call of the constructor, which slangc lets pass.
                if args.is_empty()
                    && let Ty::Adt(item, _) = ty
                    && let data = item_data(self.db, item)
                    && matches!(data.kind, ItemKind::Struct { .. } | ItemKind::Enum { .. })
                    && !data.modifiers.contains(Modifiers::CLASS)
                {
                    let (place, shown) = (self.expr_place(id), self.show(ty));
                    self.report(controls::new_of_no_class(place, &shown));
                }
                self.construct(id, ty, args, None)
            }
            Expr::PackQuery { .. } => {
                let operand = self.operand(id, expected);
                self.operand_value(id, operand, expected)
            }
            Expr::Expand(pattern) => self.expand(*pattern),
            Expr::Each(operand) => self.each(*operand),
        }
    }

    fn is_type(&mut self, operand: ExprId, ty: TypeRefId) -> Ty {
        // `T is float` asks about a type.
        match self.operand(operand, None) {
            super::operand::Operand::Type(_) => {
                self.result.expr_types.insert(operand, Ty::Void);
            }
            other => {
                let found = self.operand_value(operand, other, None);
                self.result.expr_types.insert(operand, found);
            }
        }
        self.type_ref(ty);
        Ty::BOOL
    }

    fn no_diff(&mut self, operand: ExprId, expected: Option<Ty>) -> Ty {
        let ty = self.value(operand, expected);
        if let Some(Resolution::Call(call)) = self.result.resolutions.get_mut(&operand) {
            call.no_diff = true;
        }
        ty
    }

    /// `(to)operand`.
    pub(super) fn cast(&mut self, id: ExprId, operand: ExprId, to: Ty) -> Ty {
        // `(S)0` makes an `S` of zeros.
        let zero = matches!(self.store.exprs[operand], Expr::Literal(Literal::Int { value: 0, .. }));
        let from = self.value(operand, Some(to));
        if from.is_error() || to.is_error() {
            return to;
        }
        if zero
            && matches!(to, Ty::Adt(..) | Ty::Builtin(..))
            && conversion::convert_explicitly(self.db, self.env, from, to).is_none()
        {
            if self.declares_constructors(to) {
                let (place, shown) = (self.expr_place(id), self.show(to));
                self.report(aggregates::zero_of_constructed(place, &shown));
            }
            self.result.resolutions.insert(id, Resolution::Conversion { to, conversion: Conversion::InitList });
            return to;
        }
        if to == Ty::Void {
            self.result.resolutions.insert(id, Resolution::Conversion { to, conversion: Conversion::Identity });
            return to;
        }
        match conversion::convert_explicitly(self.db, self.env, from, to) {
            Some(conversion) => {
                self.result.resolutions.insert(id, Resolution::Conversion { to, conversion });
                to
            }
            // A constructor that takes the operand.
            None => match self.construct_from(id, to, operand, from) {
                Some(ty) => ty,
                None => {
                    let place = self.expr_place(id);
                    let (wanted, got) = (self.show(to), self.show(from));
                    self.report(conversions::impossible_cast(place, &wanted, &got));
                    to
                }
            },
        }
    }

    /// `(a, b)` is a tuple where one is wanted; elsewhere it is C's comma operator, whose type is that of its last part.
    fn tuple(&mut self, elements: &[ExprId], expected: Option<Ty>) -> Ty {
        let wanted = expected.and_then(|ty| ty.as_tuple(self.db)).filter(|wanted| wanted.len() == elements.len());
        match wanted {
            Some(wanted) => {
                let types: Vec<Ty> =
                    elements.iter().zip(wanted).map(|(element, wanted)| self.coerced(*element, wanted)).collect();
                Ty::tuple(self.db, &types)
            }
            None => elements.iter().fold(Ty::Void, |_, element| self.value(*element, None)),
        }
    }

    /// E30086: the second argument of `sizeof` is a layout.
    fn layout(&mut self, id: ExprId, written: hir_def::type_ref::TypeRefId) {
        let ty = self.type_ref(written);
        let is_missing = matches!(self.store.type_refs[written], TypeRef::Missing);
        if is_missing
            || (!ty.is_error() && !conformance::conforms_to_known(self.db, self.env, ty, Known::IBufferDataLayout))
        {
            let node = if is_missing { Node::Expr(id) } else { Node::TypeRef(written) };
            let given = if is_missing { "a value".to_owned() } else { format!("'{}'", self.show(ty)) };
            let place = Site { item: self.owner, node };
            self.report(constants::not_a_layout(place, &given));
        }
    }

    fn size_of(
        &mut self,
        id: ExprId,
        what: SizeOfKind,
        ty: Option<hir_def::type_ref::TypeRefId>,
        operand: Option<ExprId>,
    ) -> Ty {
        let counted = match what {
            SizeOfKind::Count => self.with_lowering(|lowering| {
                let measured = ty.map(GenericArgRef::Type).or(operand.map(GenericArgRef::Value))?;
                lowering.silently(|lowering| lowering.query_list(&measured))
            }),
            SizeOfKind::Size | SizeOfKind::Align | SizeOfKind::Offset => None,
        };
        if let Some(list) = counted {
            let count = crate::generics::packs::count(self.db, GenericArgs::new(self.db, list.into_boxed_slice()));
            self.result.resolutions.insert(id, Resolution::Constant(count));
            return Ty::INT;
        }
        let measured = match (ty, operand) {
            (Some(ty), _) => match self.named_value_type(ty) {
                Some(value) => {
                    self.result.type_refs.insert(ty, value);
                    value
                }
                None => self.type_ref(ty),
            },
            (None, Some(operand)) => match self.operand(operand, None) {
                super::operand::Operand::Type(crate::types::resolve::TypeNs::Type(ty)) => {
                    self.result.expr_types.insert(operand, Ty::Void);
                    ty
                }
                other => {
                    let ty = self.operand_value(operand, other, None);
                    self.result.expr_types.insert(operand, ty);
                    ty
                }
            },
            (None, None) => return Ty::INT,
        };
        match what {
            SizeOfKind::Offset => {}
            SizeOfKind::Size | SizeOfKind::Align => {
                if let Some(size) = crate::types::size::measure(self.db, self.env, what, measured) {
                    self.result.resolutions.insert(id, Resolution::Constant(size));
                }
            }
            SizeOfKind::Count => match crate::types::consts::count_of(self.db, measured) {
                Some(count) => {
                    self.result.resolutions.insert(id, Resolution::Constant(count));
                }
                None => {
                    let place = self.expr_place(id);
                    self.report(constants::invalid_count_argument(place));
                }
            },
        }
        Ty::INT
    }
}

impl Infer<'_> {
    /// The type of the value that is written where the parser saw a type: `sizeof(x)`, `sizeof(x.y)`, `sizeof(x[i])`.
    fn named_value_type(&mut self, ty: hir_def::type_ref::TypeRefId) -> Option<Ty> {
        let path = match &self.store.type_refs[ty] {
            TypeRef::Path(path) => path,
            TypeRef::Array { element, len: Some(index) } => {
                let array = self.named_value_type(*element)?;
                let (element, index_ty) = parts::indexed(self.db, array)?;
                self.index_argument(*index, index_ty);
                return Some(element);
            }
            TypeRef::Member { base, member } => {
                let value = self.named_value_type(*base)?;
                return parts::member(self.db, self.env, value, &member.name);
            }
            _ => return None,
        };
        if let Some(whole) = self.value_type_of_path(path) {
            return Some(whole);
        }
        // The first word is a variable, and the others are parts of it.
        let (first, members) = path.segments.split_first()?;
        if members.is_empty() || path.segments.iter().any(|segment| segment.args.is_some()) {
            return None;
        }
        let first = Path { global: path.global, segments: vec![first.clone()] };
        let variable = self.value_type_of_path(&first)?;
        members.iter().try_fold(variable, |ty, member| parts::member(self.db, self.env, ty, &member.name))
    }

    /// The type of the variable that a path names.
    fn value_type_of_path(&mut self, path: &Path) -> Option<Ty> {
        if let [segment] = path.segments.as_slice()
            && let Some(local) = self.local(&segment.name)
        {
            return self.result.local_types.get(local).copied();
        }
        let found = self.with_lowering(|lowering| crate::types::resolve::path_as_value(lowering, path))?;
        match found {
            crate::types::resolve::ConstantName::Item(item) | crate::types::resolve::ConstantName::Member(_, item) => {
                Some(crate::types::signature::variable_type(self.db, item))
            }
            crate::types::resolve::ConstantName::Param(param) => {
                crate::generics::is_pack(self.db, param).then_some(Ty::Param(param))
            }
        }
    }
}

/// The type of a literal before anything converts it.
fn literal_type(literal: &Literal) -> Ty {
    match literal {
        Literal::Bool(_) => Ty::BOOL,
        Literal::Int { value, suffix, decimal } => Ty::Scalar(match suffix {
            // The first type that holds it; decimal literals are signed as long as a signed type holds them.
            IntSuffix::None => {
                if Scalar::Int.holds_literal(*value) {
                    Scalar::Int
                } else if !decimal && Scalar::UInt.holds_literal(*value) {
                    Scalar::UInt
                } else if Scalar::Int64.holds_literal(*value) {
                    Scalar::Int64
                } else {
                    Scalar::UInt64
                }
            }
            IntSuffix::U => {
                if Scalar::UInt.holds_literal(*value) {
                    Scalar::UInt
                } else {
                    Scalar::UInt64
                }
            }
            IntSuffix::L | IntSuffix::LL => Scalar::Int64,
            IntSuffix::UL | IntSuffix::ULL => Scalar::UInt64,
            IntSuffix::Z => Scalar::IntPtr,
            IntSuffix::UZ => Scalar::UIntPtr,
        }),
        Literal::Float { suffix, .. } => Ty::Scalar(match suffix {
            FloatSuffix::None | FloatSuffix::F => Scalar::Float,
            FloatSuffix::H => Scalar::Half,
            FloatSuffix::L => Scalar::Double,
        }),
        Literal::String(_) => Ty::String,
        Literal::NullPtr => Ty::NullLiteral,
        Literal::None => Ty::NoneLiteral,
    }
}
