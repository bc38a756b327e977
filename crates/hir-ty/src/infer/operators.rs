//! Operators: built-in arithmetic on numbers, and operators that the program declares.

use hir_def::{
    attribute::Modifiers,
    body::{BinaryOp, Expr, ExprId, IntSuffix, Literal, PostfixOp, PrefixOp},
    item::{self, ItemId, ItemKind},
    modules,
    name::Name,
};
use rustc_hash::FxHashSet;

use super::{
    Infer,
    arguments::ArgumentType,
    functions::{Candidate, FunctionSet, Receiver},
    operand::Operand,
    overload_index,
    result::Resolution,
};
use crate::{
    conformance::{
        extension,
        members::{self, Origin},
    },
    diagnostics::{calls, conversions},
    generics::solve,
    types::{
        conversion,
        display::binary_spelling,
        known::{self, Known},
        resolve::{self, Lexical},
        shapes::{Shape, shape},
        signature,
        ty::{BuiltinType, GenericArgs, Scalar, Ty},
    },
};

impl<'db> Infer<'db> {
    pub(super) fn prefix(&mut self, id: ExprId, op: PrefixOp, operand: ExprId) -> Ty {
        let ty = match self.negated_literal(op, operand).and_then(least_integer) {
            Some(least) => {
                self.value(operand, None);
                self.result.expr_types.insert(operand, least);
                least
            }
            None => self.value(operand, None),
        };
        if ty.is_error() {
            return Ty::Error;
        }
        match op {
            PrefixOp::Increment | PrefixOp::Decrement => {
                return self.increment(id, prefix_spelling(op), Modifiers::PREFIX, (operand, ty));
            }
            PrefixOp::Deref => {
                let ty = match ty {
                    // A handle is a reference itself.
                    Ty::Builtin(BuiltinType::DescriptorHandle, _) => ty,
                    _ => self.dereference_to_elements(operand, ty),
                };
                let refers = matches!(ty, Ty::Builtin(BuiltinType::Ptr | BuiltinType::DescriptorHandle, _));
                let Some(content) = ty.first_type_arg(self.db).filter(|_| refers) else {
                    return self.no_prefix_operator(id, "*", ty);
                };
                self.result.resolutions.insert(
                    id,
                    Resolution::Conversion { to: content, conversion: super::result::Conversion::Dereference },
                );
                return content;
            }
            PrefixOp::AddressOf => {
                // What is stored is a value of some type that conforms, and no pointer says which.
                if extension::is_interface(self.db, ty) {
                    let (place, shown) = (self.expr_place(id), self.show(ty));
                    self.report(conversions::address_of_interface(place, &shown));
                    return Ty::Error;
                }
                return Ty::pointer(self.db, ty);
            }
            PrefixOp::Neg | PrefixOp::Plus | PrefixOp::Not | PrefixOp::BitNot => {}
        }
        // An enum turns into its integer to be negated, and for no other operator of one operand.
        let (operand, ty) = if op == PrefixOp::Neg && !self.has_user_operator(ty, prefix_spelling(op)) {
            self.enum_as_integer((operand, ty))
        } else {
            (operand, ty)
        };
        let (operand_shape, element) = shape(self.db, ty);
        let element_fits = match (op, element) {
            (PrefixOp::Not, Ty::Scalar(_)) => true,
            (PrefixOp::BitNot, Ty::Scalar(scalar)) => !scalar.is_float(),
            (_, Ty::Scalar(_)) => true,
            (PrefixOp::Neg | PrefixOp::Plus, _) => self.is_arithmetic(element),
            (PrefixOp::BitNot | PrefixOp::Not, _) => {
                self.conforms(element, Known::BuiltinLogicalType) || self.conforms(element, Known::ILogical)
            }
            _ => false,
        };
        if op == PrefixOp::Not && matches!(ty, Ty::Builtin(BuiltinType::Ptr, _)) {
            self.convert_expr(operand, ty, Ty::BOOL);
            self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted: Ty::BOOL });
            return Ty::BOOL;
        }
        if element_fits && !self.has_user_operator(ty, prefix_spelling(op)) {
            let converted = match (op, element) {
                // Logic is done on truth values (whose bits are their opposite), arithmetic is not.
                (PrefixOp::Not, Ty::Scalar(_)) => operand_shape.of(self.db, Ty::BOOL),
                (PrefixOp::Neg | PrefixOp::Plus, Ty::Scalar(Scalar::Bool)) => operand_shape.of(self.db, Ty::INT),
                _ => ty,
            };
            match (op, element) {
                // `!n` asks whether a number is zero.
                (PrefixOp::Not, Ty::Scalar(scalar)) if scalar.is_integer() => {
                    self.convert_quietly(operand, ty, converted);
                }
                _ => {
                    self.convert_expr(operand, ty, converted);
                }
            }
            self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted });
            return converted;
        }
        let spelling = prefix_spelling(op);
        if op == PrefixOp::BitNot
            && let Some(float) = self.fraction_among_numbers(&[ty])
        {
            return self.no_bits(id, spelling, float);
        }
        let arguments = vec![ArgumentType::typed(operand, ty)];
        match self.user_operator(id, spelling, &arguments) {
            Some(ret) => ret,
            None => self.no_prefix_operator(id, spelling, ty),
        }
    }

    fn no_prefix_operator(&mut self, id: ExprId, spelling: &str, ty: Ty) -> Ty {
        let place = self.name_place(id);
        let shown = self.show(ty);
        self.report(calls::no_applicable_overload(place, spelling, &shown, &[]));
        Ty::Error
    }

    pub(super) fn postfix(&mut self, id: ExprId, op: PostfixOp, operand: ExprId) -> Ty {
        let ty = self.value(operand, None);
        if ty.is_error() {
            return Ty::Error;
        }
        let spelling = match op {
            PostfixOp::Increment => "++",
            PostfixOp::Decrement => "--",
        };
        self.increment(id, spelling, Modifiers::POSTFIX, (operand, ty))
    }

    /// `++` and `--` on the side that `side` says. The core library has them for its own numbers alone, and so for no type of
    /// which only an interface like `IInteger` is known.
    fn increment(&mut self, id: ExprId, spelling: &str, side: Modifiers, (operand, ty): (ExprId, Ty)) -> Ty {
        let (_, element) = shape(self.db, ty);
        let is_pointer = matches!(ty, Ty::Builtin(BuiltinType::Ptr, _));
        let counts = match element {
            Ty::Scalar(scalar) => scalar != Scalar::Bool,
            _ => self.conforms(element, Known::BuiltinArithmeticType),
        };
        if !counts && !is_pointer {
            let arguments = [ArgumentType::typed(operand, ty)];
            return match self.user_operator_with(id, spelling, side, &arguments) {
                Some(ret) => ret,
                None => self.no_prefix_operator(id, spelling, ty),
            };
        }
        self.check_assignable(operand, id, spelling);
        self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted: ty });
        ty
    }

    /// Whether built-in arithmetic works on values of this type once it is known.
    pub(super) fn is_arithmetic(&self, ty: Ty) -> bool {
        match ty {
            Ty::Scalar(_) => true,
            Ty::Param(_) | Ty::Associated(_) | Ty::This(_) => {
                self.conforms(ty, Known::BuiltinArithmeticType)
                    || self.conforms(ty, Known::IArithmetic)
                    || self.conforms(ty, Known::BuiltinLogicalType)
                    || self.conforms(ty, Known::ILogical)
            }
            _ => false,
        }
    }

    pub(super) fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        _expected: Option<Ty>,
    ) -> Ty {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.logical(id, op, left, right);
        }
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) && self.store.parenthesized_names.contains(&left) {
            return self.sum_or_signed_cast(id, op, left, right);
        }
        let left_ty = self.value(left, None);
        let right_ty = self.value(right, None);
        self.operation(id, op, (left, left_ty), (right, right_ty))
    }

    /// `(T) + x` and `(T) - x`, which are casts if `T` is a type.
    fn sum_or_signed_cast(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Ty {
        // In `(T) - a * b` only `- a` would be cast; the tree does not say so.
        let is_product =
            matches!(self.store.exprs[right], Expr::Binary { op: BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, .. });
        let left_ty = match self.operand(left, None) {
            Operand::Type(found) if !is_product => {
                self.result.expr_types.insert(left, Ty::Void);
                let to = self.complete_type(left, found);
                return self.cast(id, right, to);
            }
            operand => self.operand_value(left, operand, None),
        };
        self.result.expr_types.insert(left, left_ty);
        let right_ty = self.value(right, None);
        self.operation(id, op, (left, left_ty), (right, right_ty))
    }

    /// `left op right` on inferred operands.
    fn operation(&mut self, id: ExprId, op: BinaryOp, left: (ExprId, Ty), right: (ExprId, Ty)) -> Ty {
        if left.1.is_error() || right.1.is_error() {
            return Ty::Error;
        }
        let (left, right) = (self.unwrapped(left), self.unwrapped(right));
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && (left.1.as_optional(self.db).is_some() && right.1 == Ty::NoneLiteral
                || right.1.as_optional(self.db).is_some() && left.1 == Ty::NoneLiteral)
        {
            let converted = if left.1 == Ty::NoneLiteral { right.1 } else { left.1 };
            self.convert_expr(left.0, left.1, converted);
            self.convert_expr(right.0, right.1, converted);
            self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted });
            return Ty::BOOL;
        }
        if is_comparison(op) && left.1 == right.1 && self.is_comparable_tuple(left.1) {
            self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted: left.1 });
            return Ty::BOOL;
        }
        if let Some(ret) = self.operator_on_enums(id, op, left, right) {
            return ret;
        }
        // Shifts alone take no enum.
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let (left, right) =
            if is_shift { (left, right) } else { (self.enum_as_integer(left), self.enum_as_integer(right)) };
        if works_on_bits(op)
            && let Some(float) = self.fraction_among_numbers(&[left.1, right.1])
        {
            return self.no_bits(id, binary_spelling(op), float);
        }
        let arguments = vec![ArgumentType::typed(left.0, left.1), ArgumentType::typed(right.0, right.1)];
        if self.is_glsl_operation(op, left.1, right.1)
            && let Some(ret) = self.user_operator(id, binary_spelling(op), &arguments)
        {
            return ret;
        }
        if let Some(converted) = self.builtin_operand_type(op, left, right) {
            return self.builtin_operation(id, op, left, right, converted);
        }
        // The generic shift of the core library would take an enum as its integer.
        let is_enum_shifted = is_shift
            && [left.1, right.1].into_iter().any(|ty| conversion::enum_integer(self.db, ty).is_some())
            && !self.has_free_operator(left.1, binary_spelling(op));
        let declared = match is_enum_shifted {
            true => None,
            false => self.user_operator(id, binary_spelling(op), &arguments),
        };
        match declared {
            Some(ret) => ret,
            None => {
                let place = self.name_place(id);
                let shown = format!("{}, {}", self.show(left.1), self.show(right.1));
                self.report(calls::no_applicable_overload(place, binary_spelling(op), &shown, &[]));
                Ty::Error
            }
        }
    }

    /// Whether GLSL gives an operator another meaning than Slang where its library is seen: products with matrices are those
    /// of algebra, and vectors are equal or not as a whole.
    fn is_glsl_operation(&self, op: BinaryOp, left: Ty, right: Ty) -> bool {
        let shapes = (shape(self.db, left).0, shape(self.db, right).0);
        let differs = match op {
            BinaryOp::Mul => matches!(
                shapes,
                (Shape::Matrix(..), Shape::Matrix(..) | Shape::Vector(_)) | (Shape::Vector(_), Shape::Matrix(..))
            ),
            BinaryOp::Equal | BinaryOp::NotEqual => matches!(shapes, (Shape::Vector(_), Shape::Vector(_))),
            _ => false,
        };
        differs
            && modules::sees_glsl(self.db, item::file_of(self.db, self.owner))
            && !known::is_in_prelude(self.db, self.owner)
    }

    /// The first type of floating-point numbers among types that are all built-in numbers. No operator that is declared
    /// for integers by an interface would be meant by it: it would convert the number.
    fn fraction_among_numbers(&self, types: &[Ty]) -> Option<Ty> {
        let scalar = |ty: Ty| match shape(self.db, ty).1 {
            Ty::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        let are_numbers = types.iter().all(|ty| scalar(*ty).is_some());
        types.iter().copied().find(|ty| are_numbers && scalar(*ty).is_some_and(Scalar::is_float))
    }

    fn no_bits(&mut self, id: ExprId, spelling: &str, ty: Ty) -> Ty {
        let (place, shown) = (self.name_place(id), self.show(ty));
        self.report(calls::operator_needs_integers(place, spelling, &shown));
        Ty::Error
    }

    /// A tuple of numbers, or of such tuples: compared element by element, the first ones first.
    fn is_comparable_tuple(&self, ty: Ty) -> bool {
        let elements = ty.as_tuple(self.db);
        elements.is_some_and(|elements| {
            elements.iter().all(|element| matches!(element, Ty::Scalar(_)) || self.is_comparable_tuple(*element))
        })
    }

    /// The content of blocks and constant buffers.
    fn unwrapped(&mut self, operand: (ExprId, Ty)) -> (ExprId, Ty) {
        match operand.1 {
            Ty::Builtin(BuiltinType::Ptr, _) => operand,
            _ => (operand.0, self.dereference(operand.0, operand.1)),
        }
    }

    fn builtin_operation(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: (ExprId, Ty),
        right: (ExprId, Ty),
        converted: Ty,
    ) -> Ty {
        let (converted_shape, _) = shape(self.db, converted);
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        for (expr, ty) in [left, right] {
            let (operand_shape, _) = shape(self.db, ty);
            // A scalar operand of a vector operation stays a scalar: the operation splats it.
            let wanted = if operand_shape == Shape::Scalar && converted_shape != Shape::Scalar {
                shape(self.db, converted).1
            } else {
                converted
            };
            // Pointers move by integers.
            if matches!(converted, Ty::Builtin(BuiltinType::Ptr, _)) {
                continue;
            }
            // The count of a shift may be of any integer type.
            if is_shift && expr == right.0 && matches!(shape(self.db, ty).1, Ty::Scalar(scalar) if scalar.is_integer())
            {
                continue;
            }
            self.convert_argument(expr, ty, wanted);
        }
        self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted });
        if is_comparison(op) {
            converted_shape.of(self.db, Ty::BOOL)
        } else if matches!(right.1, Ty::Builtin(BuiltinType::Ptr, _)) {
            // The distance of two pointers.
            Ty::Scalar(Scalar::Int64)
        } else {
            converted
        }
    }

    /// The type in which a built-in operation is done, if the operands have one.
    fn builtin_operand_type(&mut self, op: BinaryOp, left: (ExprId, Ty), right: (ExprId, Ty)) -> Option<Ty> {
        let db = self.db;
        let ((left_shape, left_element), (right_shape, right_element)) = (shape(db, left.1), shape(db, right.1));
        let result_shape = match (left_shape, right_shape) {
            (Shape::Scalar, shape) | (shape, Shape::Scalar) => shape,
            (Shape::Vector(a), Shape::Vector(b)) if crate::types::consts::may_be_equal(a, b) => Shape::Vector(a),
            (Shape::Matrix(a, b), Shape::Matrix(c, d))
                if crate::types::consts::may_be_equal(a, c) && crate::types::consts::may_be_equal(b, d) =>
            {
                Shape::Matrix(a, b)
            }
            _ => return None,
        };
        let element = match (left_element, right_element) {
            (Ty::Scalar(a), Ty::Scalar(b)) => Ty::Scalar(Self::operand_scalar(op, a, b)?),
            // The core library shifts its own integers alone.
            (a, b)
                if a == b
                    && matches!(op, BinaryOp::Shl | BinaryOp::Shr)
                    && !self.conforms(a, Known::BuiltinIntegerType) =>
            {
                return None;
            }
            (a, b) if a == b && self.is_arithmetic(a) && !self.has_user_operator(a, binary_spelling(op)) => a,
            _ => return Self::pointer_operand_type(op, left.1, right.1),
        };
        Some(result_shape.of(db, element))
    }

    fn pointer_operand_type(op: BinaryOp, left: Ty, right: Ty) -> Option<Ty> {
        let is_pointer = |ty: Ty| matches!(ty, Ty::Builtin(BuiltinType::Ptr, _));
        let is_integer = |ty: Ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_integer());
        match op {
            // Addresses can be the same, whatever is found there.
            BinaryOp::Equal | BinaryOp::NotEqual
                if is_pointer(left) && (is_pointer(right) || right == Ty::NullLiteral) =>
            {
                Some(left)
            }
            BinaryOp::Equal | BinaryOp::NotEqual if is_pointer(right) && left == Ty::NullLiteral => Some(right),
            // Nothing makes a pointer of a number, but both are true or false: `p == 0`.
            BinaryOp::Equal | BinaryOp::NotEqual
                if is_pointer(left) && matches!(right, Ty::Scalar(_))
                    || is_pointer(right) && matches!(left, Ty::Scalar(_)) =>
            {
                Some(Ty::BOOL)
            }
            BinaryOp::Sub if is_pointer(left) && left == right => Some(left),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
                if is_pointer(left) && (left == right || right == Ty::NullLiteral) =>
            {
                Some(left)
            }
            BinaryOp::Add | BinaryOp::Sub if is_pointer(left) && is_integer(right) => Some(left),
            _ => None,
        }
    }

    /// The scalar type of an operation on two scalars.
    fn operand_scalar(op: BinaryOp, left: Scalar, right: Scalar) -> Option<Scalar> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let scalar = if left == Scalar::Bool { Scalar::Int } else { left };
            return (!scalar.is_float() && !right.is_float()).then_some(scalar);
        }
        let mut common = conversion::common_scalar(left, right);
        let is_bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        // There is no arithmetic on truth values.
        if common == Scalar::Bool && !is_bitwise && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            common = Scalar::Int;
        }
        (!is_bitwise || !common.is_float()).then_some(common)
    }

    /// Comparisons and bit operations of enums are done on their integers.
    fn operator_on_enums(&mut self, id: ExprId, op: BinaryOp, left: (ExprId, Ty), right: (ExprId, Ty)) -> Option<Ty> {
        if left.1 != right.1 || conversion::enum_integer(self.db, left.1).is_none() {
            return None;
        }
        let allowed = is_comparison(op) || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if !allowed || self.has_free_operator(left.1, binary_spelling(op)) {
            return None;
        }
        self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted: left.1 });
        Some(if is_comparison(op) { Ty::BOOL } else { left.1 })
    }

    /// An enum in arithmetic is its integer, unless the program declares operators for it.
    pub(super) fn enum_as_integer(&mut self, operand: (ExprId, Ty)) -> (ExprId, Ty) {
        let Some(integer) = conversion::enum_integer(self.db, operand.1) else { return operand };
        let step = super::result::Adjustment { conversion: super::result::Conversion::Identity, to: integer };
        self.adjust(operand.0, vec![step]);
        (operand.0, integer)
    }

    fn negated_literal(&self, op: PrefixOp, operand: ExprId) -> Option<&'db Literal> {
        match (op, &self.store.exprs[operand]) {
            (PrefixOp::Neg, Expr::Literal(literal)) => Some(literal),
            _ => None,
        }
    }

    /// Whether an operator of this name takes a value of this type as its first operand.
    fn has_free_operator(&self, ty: Ty, spelling: &str) -> bool {
        let name = Name::new(spelling);
        resolve::walk(self.db, self.owner, &name, self.within(), &mut |hit| {
            let Lexical::Items(items) = hit else { return None };
            let takes = items.into_iter().any(|item| {
                crate::types::signature::signature(self.db, item).params.first().is_some_and(|param| param.ty == ty)
            });
            takes.then_some(())
        })
        .is_some()
    }

    /// `&&`, `||`: on truth values; on vectors component by component.
    fn logical(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Ty {
        let left_ty = self.value(left, None);
        let right_ty = self.value(right, None);
        if left_ty.is_error() || right_ty.is_error() {
            return Ty::BOOL;
        }
        let ((left_shape, left_element), (right_shape, right_element)) =
            (shape(self.db, left_ty), shape(self.db, right_ty));
        let converted = match (left_shape, right_shape) {
            (Shape::Scalar, shape) | (shape, Shape::Scalar) => shape.of(self.db, Ty::BOOL),
            (a, b) if a == b => a.of(self.db, Ty::BOOL),
            _ => return self.operation(id, op, (left, left_ty), (right, right_ty)),
        };
        if !matches!((left_element, right_element), (Ty::Scalar(_), Ty::Scalar(_))) {
            let arguments = vec![ArgumentType::typed(left, left_ty), ArgumentType::typed(right, right_ty)];
            if let Some(ret) = self.user_operator(id, binary_spelling(op), &arguments) {
                return ret;
            }
        }
        for (expr, ty, own_shape) in [(left, left_ty, left_shape), (right, right_ty, right_shape)] {
            let wanted = if own_shape == Shape::Scalar { Ty::BOOL } else { converted };
            let is_integer = matches!(shape(self.db, ty).1, Ty::Scalar(scalar) if scalar.is_integer());
            match (left_shape, right_shape) {
                (Shape::Scalar, Shape::Scalar) => {
                    self.convert_expr(expr, ty, wanted);
                }
                // Vectors of integers have the operators of their own.
                _ if is_integer => self.convert_quietly(expr, ty, wanted),
                _ => {
                    self.convert_expr(expr, ty, wanted);
                }
            }
        }
        self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted });
        converted
    }

    pub(super) fn ternary(&mut self, id: ExprId, cond: ExprId, then: ExprId, otherwise: ExprId) -> Ty {
        let cond_ty = self.value(cond, None);
        let (cond_shape, _) = shape(self.db, cond_ty);
        let wanted_cond = cond_shape.of(self.db, Ty::BOOL);
        self.convert_expr(cond, cond_ty, wanted_cond);
        // Neither arm knows what the other one is, or what the result is for.
        let then_ty = self.value(then, None);
        let otherwise_ty = self.value(otherwise, None);
        if then_ty.is_error() || otherwise_ty.is_error() {
            return if then_ty.is_error() { otherwise_ty } else { then_ty };
        }
        let arms = [(then, then_ty), (otherwise, otherwise_ty)];
        let mut joined = match self.joined_arms(arms) {
            Ok(joined) => joined,
            Err(Some((arm, number))) => {
                self.report_mismatch(arms[arm].0, arms[arm].1, number);
                return number;
            }
            Err(None) => {
                self.no_choice(id, [cond_ty, then_ty, otherwise_ty]);
                return then_ty;
            }
        };
        // A condition of several components chooses component by component; numbers become vectors for it, not matrices.
        match (cond_shape, shape(self.db, joined).0) {
            (Shape::Scalar, _) => {}
            (Shape::Vector(_), Shape::Scalar) if !matches!(joined, Ty::Adt(..) | Ty::Builtin(..)) => {
                joined = cond_shape.of(self.db, joined);
            }
            (Shape::Vector(_), Shape::Scalar | Shape::Matrix(..))
            | (Shape::Matrix(..), Shape::Scalar | Shape::Vector(_)) => {
                self.no_choice(id, [cond_ty, then_ty, otherwise_ty]);
                return joined;
            }
            (Shape::Vector(_), chosen @ Shape::Vector(_)) | (Shape::Matrix(..), chosen @ Shape::Matrix(..)) => {
                let wanted = chosen.of(self.db, Ty::BOOL);
                if self.implicit_conversion(cond, wanted_cond, wanted).is_none() {
                    self.report_mismatch(cond, wanted_cond, wanted);
                    return joined;
                }
            }
        }
        self.convert_argument(then, then_ty, joined);
        self.convert_argument(otherwise, otherwise_ty, joined);
        joined
    }

    fn no_choice(&mut self, id: ExprId, types: [Ty; 3]) {
        let place = self.name_place(id);
        let shown = types.map(|ty| self.show(ty)).join(", ");
        self.report(calls::no_applicable_overload(place, "?:", &shown, &[]));
    }

    /// The type that both arms of `?:` become: only numbers are joined, all else must be of one type. The error has the
    /// arm that is no number where the other one is, and the type of that.
    fn joined_arms(&mut self, arms: [(ExprId, Ty); 2]) -> Result<Ty, Option<(usize, Ty)>> {
        let [(then, then_ty), (otherwise, otherwise_ty)] = arms;
        if then_ty == otherwise_ty {
            // What implements the interface may be another type in each.
            let opened = extension::is_interface(self.db, then_ty);
            let same = !opened || self.result.resolutions.get(&then) == self.result.resolutions.get(&otherwise);
            return if same { Ok(then_ty) } else { Err(None) };
        }
        let elements = arms.map(|(_, ty)| shape(self.db, ty).1);
        let is_number = elements.map(|element| matches!(element, Ty::Scalar(_)));
        if is_number == [true, true] || elements[0] == elements[1] {
            let joined = solve::join(self.db, self.env, then_ty, otherwise_ty).ok_or(None)?;
            let fits = arms.into_iter().all(|(arm, ty)| self.implicit_conversion(arm, ty, joined).is_some());
            return if fits { Ok(joined) } else { Err(None) };
        }
        let number = is_number.iter().position(|is_number| *is_number).ok_or(None)?;
        let (other, number) = (1 - number, arms[number].1);
        match self.implicit_conversion(arms[other].0, arms[other].1, number) {
            Some(_) => Ok(number),
            None => Err(Some((other, number))),
        }
    }

    pub(super) fn assign(&mut self, id: ExprId, op: Option<BinaryOp>, target: ExprId, value: ExprId) -> Ty {
        let target_ty = self.value(target, None);
        let Some(op) = op else {
            self.check_assignable(target, id, "=");
            self.coerced(value, target_ty);
            return target_ty;
        };
        let value_ty = self.value(value, None);
        if target_ty.is_error() || value_ty.is_error() {
            return target_ty;
        }
        let spelling = format!("{}=", binary_spelling(op));
        self.check_assignable(target, id, &spelling);
        // Operators that assign take no enum for a number.
        let value_operand = self.unwrapped((value, value_ty));
        let arguments =
            vec![ArgumentType::typed(target, target_ty), ArgumentType::typed(value_operand.0, value_operand.1)];
        if self.is_glsl_operation(op, target_ty, value_operand.1)
            && let Some(ret) = self.user_operator(id, &spelling, &arguments)
        {
            return ret;
        }
        let elements = (shape(self.db, target_ty).1, shape(self.db, value_operand.1).1);
        let applicable = match elements {
            (Ty::Scalar(target_scalar), Ty::Scalar(value_scalar)) => {
                match operates_in_place(op, target_scalar, value_scalar) {
                    true => return self.assign_operated(id, op, (target, target_ty), value_operand),
                    false => false,
                }
            }
            (element, other) => element == other && self.is_assigned_by_operators(op, element),
        };
        if applicable && self.builtin_operand_type(op, (target, target_ty), value_operand).is_some() {
            return self.assign_operated(id, op, (target, target_ty), value_operand);
        }
        if let Some(ret) = self.user_operator(id, &spelling, &arguments) {
            return ret;
        }
        if self.operator_on_enums(id, op, (target, target_ty), value_operand).is_some() {
            return target_ty;
        }
        // A generic integer is shifted by a number of any type.
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr)
            && self.conforms(target_ty, Known::BuiltinIntegerType)
            && matches!(elements.1, Ty::Scalar(scalar) if scalar.is_integer())
            && self.user_operator(id, binary_spelling(op), &arguments).is_some()
        {
            return target_ty;
        }
        let place = self.name_place(id);
        let shown = format!("{}, {}", self.show(target_ty), self.show(value_ty));
        let mut diagnostic = calls::no_applicable_overload(place, &spelling, &shown, &[]);
        if let Some(integer) = conversion::enum_integer(self.db, value_operand.1) {
            let note = format!("operators that assign take no enum: convert it, as in `{}(…)`", self.show(integer));
            diagnostic = diagnostic.note(note, None);
        }
        let is_declared = !matches!(elements.0, Ty::Scalar(_));
        if is_declared && self.user_operator(id, binary_spelling(op), &arguments).is_some() {
            let note = format!("'{}' does not make a '{spelling}': write it out, or declare one", binary_spelling(op));
            diagnostic = diagnostic.note(note, None);
        }
        self.report(diagnostic);
        target_ty
    }

    /// A compound assignment of the core library. It takes its second operand in the type of the first, so that
    /// `int x; x *= 2.5` multiplies by 2; numbers by which something is shifted keep their type.
    fn assign_operated(&mut self, id: ExprId, op: BinaryOp, target: (ExprId, Ty), value: (ExprId, Ty)) -> Ty {
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let ((target_shape, element), (value_shape, value_element)) =
            (shape(self.db, target.1), shape(self.db, value.1));
        let taken = if is_shift { value_element } else { element };
        let wanted = if value_shape == Shape::Scalar { taken } else { target_shape.of(self.db, taken) };
        if self.implicit_conversion(value.0, value.1, wanted).is_none() {
            self.report_mismatch(value.0, value.1, target.1);
            return target.1;
        }
        self.convert_argument(value.0, value.1, wanted);
        self.result.resolutions.insert(id, Resolution::BuiltinOperator { converted: target.1 });
        target.1
    }

    /// Whether a type that is generic has the assignments that do an operation in place: the core library gives them to
    /// the compiler's own types alone.
    fn is_assigned_by_operators(&self, op: BinaryOp, element: Ty) -> bool {
        let is_bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        let conforms = |interface| self.conforms(element, interface);
        conforms(Known::BuiltinArithmeticType)
            || is_bitwise && (conforms(Known::BuiltinLogicalType) || conforms(Known::ILogical))
    }

    /// An operator that the program declares: `Complex operator+(Complex a, Complex b)`, free or as a member.
    fn user_operator(&mut self, id: ExprId, spelling: &str, arguments: &[ArgumentType]) -> Option<Ty> {
        self.user_operator_with(id, spelling, Modifiers::empty(), arguments)
    }

    /// An operator that the program declares with these modifiers.
    fn user_operator_with(
        &mut self,
        id: ExprId,
        spelling: &str,
        modifiers: Modifiers,
        arguments: &[ArgumentType],
    ) -> Option<Ty> {
        let name = Name::new(spelling);
        let db = self.db;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut seen: FxHashSet<ItemId> = FxHashSet::default();
        let mut collect = |item: ItemId, args: GenericArgs, self_ty: Option<Ty>, origin: Origin| {
            if item::item_data(db, item).modifiers.contains(modifiers) && seen.insert(item) {
                let distance = candidates.len() as u32;
                candidates.push(Candidate { item, args, self_ty, origin, distance });
            }
        };
        let empty = self.no_args();
        resolve::walk::<()>(db, self.owner, &name, self.within(), &mut |hit| {
            match hit {
                Lexical::Items(items) => {
                    for function in overload_index::functions(db, &items) {
                        collect(function.item, empty, None, Origin::Own);
                    }
                }
                Lexical::Param(_) | Lexical::Members { .. } => {}
            }
            None
        });
        for argument in arguments {
            for member in members::lookup(db, self.env, argument.ty, &name) {
                if matches!(item::item_data(db, member.item).kind, ItemKind::Function(_)) {
                    collect(member.item, member.args, member.self_ty, member.origin);
                }
            }
        }
        let set = FunctionSet { name, candidates, receiver: Receiver::None, explicit: None, operators: Vec::new() };
        let Some(chosen) = self.best_overload(&set, arguments) else {
            return self.method_operator(id, set.name, arguments);
        };
        let args = self.accept_arguments(&chosen, arguments);
        self.record_call(id, &set, &chosen, None, args);
        Some(chosen.signature.ret)
    }

    /// An operator that is a method of its first operand, as SP #010 writes `Site operator+(uint steps)`; slangc has no such.
    fn method_operator(&mut self, id: ExprId, name: Name, arguments: &[ArgumentType]) -> Option<Ty> {
        let (first, rest) = arguments.split_first()?;
        let methods = members::lookup(self.db, self.env, first.ty, &name).into_iter().filter(|member| {
            matches!(item::item_data(self.db, member.item).kind, ItemKind::Function(_))
                && signature::signature(self.db, member.item).this.is_some()
        });
        let candidates: Vec<Candidate> =
            methods.enumerate().map(|(index, member)| Candidate::of_member(member, index)).collect();
        let receiver = Receiver::Expr(first.expr);
        let set = FunctionSet { name, candidates, receiver, explicit: None, operators: Vec::new() };
        let chosen = self.best_overload(&set, rest)?;
        let args = self.accept_arguments(&chosen, rest);
        let this = self.receiver_of(id, &set, &chosen);
        self.record_call(id, &set, &chosen, this, args);
        Some(chosen.signature.ret)
    }

    /// Whether a generic type declares an operator of its own, which then wins over built-in arithmetic.
    fn has_user_operator(&self, ty: Ty, spelling: &str) -> bool {
        matches!(ty, Ty::Adt(..)) && !members::lookup(self.db, self.env, ty, &Name::new(spelling)).is_empty()
    }
}

/// Whether the core library has the assignment of an operation for scalars: no arithmetic on truth values, no bits of
/// floating-point numbers, and shifts by integers only.
fn operates_in_place(op: BinaryOp, target: Scalar, value: Scalar) -> bool {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => target.is_integer() && target != Scalar::Bool && !value.is_float(),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => !target.is_float(),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => target != Scalar::Bool,
    }
}

/// Operators of which floating-point numbers have none.
fn works_on_bits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr)
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => true,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => false,
    }
}

/// The type of `-2147483648` and `-9223372036854775808`: that of the least integer, though the literal without its sign is
/// one too large for it.
fn least_integer(literal: &Literal) -> Option<Ty> {
    let Literal::Int { value, suffix: IntSuffix::None, decimal: true } = literal else { return None };
    [Scalar::Int, Scalar::Int64].into_iter().find(|scalar| *value == 1 << (scalar.bits() - 1)).map(Ty::Scalar)
}

fn prefix_spelling(op: PrefixOp) -> &'static str {
    match op {
        PrefixOp::Neg => "-",
        PrefixOp::Plus => "+",
        PrefixOp::Not => "!",
        PrefixOp::BitNot => "~",
        PrefixOp::Increment => "++",
        PrefixOp::Decrement => "--",
        PrefixOp::AddressOf => "&",
        PrefixOp::Deref => "*",
    }
}
