//! Building types and taking them apart.

use base_db::Db;

use crate::types::{
    known,
    ty::{BuiltinType, Const, FunctionTy, GenericArg, GenericArgs, ParamDirection, Scalar, Ty},
};

impl Ty {
    /// `bool`
    pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);
    /// `int`
    pub const INT: Ty = Ty::Scalar(Scalar::Int);
    /// `uint`
    pub const UINT: Ty = Ty::Scalar(Scalar::UInt);
    /// `float`
    pub const FLOAT: Ty = Ty::Scalar(Scalar::Float);

    /// Whether it stands for an error that is already reported.
    pub fn is_error(self) -> bool {
        self == Ty::Error
    }

    /// A built-in type with arguments.
    pub fn builtin(db: &dyn Db, kind: BuiltinType, args: impl Into<Box<[GenericArg]>>) -> Ty {
        Ty::Builtin(kind, GenericArgs::new(db, args.into()))
    }

    /// `vector<element, len>`
    pub fn vector(db: &dyn Db, element: Ty, len: Const) -> Ty {
        Ty::builtin(db, BuiltinType::Vector, [GenericArg::Type(element), GenericArg::Value(len)])
    }

    /// `matrix<element, rows, columns>`
    pub fn matrix(db: &dyn Db, element: Ty, rows: Const, columns: Const) -> Ty {
        let args = [GenericArg::Type(element), GenericArg::Value(rows), GenericArg::Value(columns)];
        Ty::builtin(db, BuiltinType::Matrix, args)
    }

    /// `element[len]`
    pub fn array(db: &dyn Db, element: Ty, len: Const) -> Ty {
        Ty::builtin(db, BuiltinType::Array, [GenericArg::Type(element), GenericArg::Value(len)])
    }

    /// `Tuple<…>`
    pub fn tuple(db: &dyn Db, elements: &[Ty]) -> Ty {
        let elements: Box<[GenericArg]> = elements.iter().map(|&ty| GenericArg::Type(ty)).collect();
        Ty::builtin(db, BuiltinType::Tuple, [GenericArg::Pack(GenericArgs::new(db, elements))])
    }

    /// `Optional<ty>`
    pub fn optional(db: &dyn Db, ty: Ty) -> Ty {
        Ty::builtin(db, BuiltinType::Optional, [GenericArg::Type(ty)])
    }

    /// `Ptr<ty>`
    pub fn pointer(db: &dyn Db, ty: Ty) -> Ty {
        Ty::builtin(db, BuiltinType::Ptr, [GenericArg::Type(ty)])
    }

    /// `LayoutPtr<ty, layout>`. What memory has without a layout that is named makes no other type.
    pub fn pointer_with_layout(db: &dyn Db, ty: Ty, layout: Ty) -> Ty {
        match layout {
            Ty::Error => Ty::Error,
            layout if known::is_layout_of_pointers(db, layout) => Ty::pointer(db, ty),
            layout => Ty::builtin(db, BuiltinType::Ptr, [GenericArg::Type(ty), GenericArg::Type(layout)]),
        }
    }

    /// The layout that the type of a pointer names.
    pub fn layout_of_pointer(self, db: &dyn Db) -> Option<Ty> {
        match self {
            Ty::Builtin(BuiltinType::Ptr, args) => match args.args(db) {
                [_, GenericArg::Type(layout)] => Some(*layout),
                _ => None,
            },
            _ => None,
        }
    }

    /// `DifferentialPair<primal>`.
    pub fn pair(db: &dyn Db, primal: Ty) -> Ty {
        Ty::builtin(db, BuiltinType::DifferentialPair, [GenericArg::Type(primal)])
    }

    /// `functype (params) -> ret`
    pub fn function(db: &dyn Db, params: &[(ParamDirection, Ty)], ret: Ty) -> Ty {
        Ty::Function(FunctionTy::new(db, Box::from(params), ret))
    }

    /// The arguments, if this is the built-in type `kind`.
    pub fn builtin_args(self, db: &dyn Db, kind: BuiltinType) -> Option<&[GenericArg]> {
        match self {
            Ty::Builtin(found, args) if found == kind => Some(args.args(db)),
            _ => None,
        }
    }

    /// `(element, length)` of a vector.
    pub fn as_vector(self, db: &dyn Db) -> Option<(Ty, Const)> {
        match self.builtin_args(db, BuiltinType::Vector)? {
            [GenericArg::Type(element), GenericArg::Value(len)] => Some((*element, *len)),
            _ => None,
        }
    }

    /// `(element, rows, columns)` of a matrix.
    pub fn as_matrix(self, db: &dyn Db) -> Option<(Ty, Const, Const)> {
        match self.builtin_args(db, BuiltinType::Matrix)? {
            [GenericArg::Type(element), GenericArg::Value(rows), GenericArg::Value(columns)] => {
                Some((*element, *rows, *columns))
            }
            _ => None,
        }
    }

    /// `(element, length)` of an array.
    pub fn as_array(self, db: &dyn Db) -> Option<(Ty, Const)> {
        match self.builtin_args(db, BuiltinType::Array)? {
            [GenericArg::Type(element), GenericArg::Value(len)] => Some((*element, *len)),
            _ => None,
        }
    }

    /// The elements of a tuple, if they are known.
    pub fn as_tuple(self, db: &dyn Db) -> Option<Vec<Ty>> {
        match self.builtin_args(db, BuiltinType::Tuple)? {
            [GenericArg::Pack(pack)] => Some(pack.types(db).collect()),
            _ => None,
        }
    }

    /// The first type argument of a built-in type: the element of a buffer, the content of an optional or a pair.
    pub fn first_type_arg(self, db: &dyn Db) -> Option<Ty> {
        match self {
            Ty::Builtin(_, args) => match args.args(db).first() {
                Some(GenericArg::Type(ty)) => Some(*ty),
                _ => None,
            },
            _ => None,
        }
    }

    /// The content of an optional.
    pub fn as_optional(self, db: &dyn Db) -> Option<Ty> {
        match self {
            Ty::Builtin(BuiltinType::Optional, _) => self.first_type_arg(db),
            _ => None,
        }
    }

    /// The primal type of a `DifferentialPair`.
    pub fn as_pair(self, db: &dyn Db) -> Option<Ty> {
        match self {
            Ty::Builtin(BuiltinType::DifferentialPair, _) => self.first_type_arg(db),
            _ => None,
        }
    }

    /// What a member access or a read of a block, buffer or pointer goes through to: `ConstantBuffer<T>` to `T`.
    pub fn dereferenced(self, db: &dyn Db) -> Option<Ty> {
        match self {
            Ty::Builtin(
                BuiltinType::ConstantBuffer
                | BuiltinType::ParameterBlock
                | BuiltinType::TextureBuffer
                | BuiltinType::DescriptorHandle
                | BuiltinType::Ptr,
                _,
            ) => self.first_type_arg(db),
            _ => None,
        }
    }
}

impl GenericArgs {
    /// No arguments.
    pub fn empty(db: &dyn Db) -> GenericArgs {
        GenericArgs::new(db, Box::from([]))
    }

    /// The types of a pack.
    pub fn types(self, db: &dyn Db) -> impl Iterator<Item = Ty> {
        self.args(db).iter().map(|arg| match arg {
            GenericArg::Type(ty) => *ty,
            GenericArg::Value(_) | GenericArg::Pack(_) => Ty::Error,
        })
    }
}

impl Const {
    /// The value, if it does not depend on generic parameters.
    pub fn value(self) -> Option<i64> {
        match self {
            Const::Value(value) => Some(value),
            Const::Error
            | Const::Param(_)
            | Const::Unsized
            | Const::Operation(_)
            | Const::Choice(_)
            | Const::Count(_)
            | Const::Size(_)
            | Const::Member(_)
            | Const::Expand(_)
            | Const::PackQuery(_) => None,
        }
    }
}

/// The families of scalars, for conversion ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarKind {
    /// Truth values.
    Bool,
    /// Integers with a sign.
    Signed,
    /// Integers without a sign.
    Unsigned,
    /// Floats.
    Float,
}

impl Scalar {
    /// Each scalar, for tables and tests.
    pub const ALL: [Scalar; 14] = [
        Scalar::Bool,
        Scalar::Int8,
        Scalar::Int16,
        Scalar::Int,
        Scalar::Int64,
        Scalar::UInt8,
        Scalar::UInt16,
        Scalar::UInt,
        Scalar::UInt64,
        Scalar::Half,
        Scalar::Float,
        Scalar::Double,
        Scalar::IntPtr,
        Scalar::UIntPtr,
    ];

    /// The family that it is of.
    pub fn kind(self) -> ScalarKind {
        match self {
            Scalar::Bool => ScalarKind::Bool,
            Scalar::Int8 | Scalar::Int16 | Scalar::Int | Scalar::Int64 | Scalar::IntPtr => ScalarKind::Signed,
            Scalar::UInt8 | Scalar::UInt16 | Scalar::UInt | Scalar::UInt64 | Scalar::UIntPtr => ScalarKind::Unsigned,
            Scalar::Half | Scalar::Float | Scalar::Double => ScalarKind::Float,
        }
    }

    /// Whether it is a float of any width.
    pub fn is_float(self) -> bool {
        self.kind() == ScalarKind::Float
    }

    /// Whether it is an integer of any width; `bool` is none.
    pub fn is_integer(self) -> bool {
        matches!(self.kind(), ScalarKind::Signed | ScalarKind::Unsigned)
    }

    /// Order of size inside a kind.
    pub fn rank(self) -> u32 {
        match self {
            Scalar::Bool => 0,
            Scalar::Int8 | Scalar::UInt8 => 1,
            Scalar::Int16 | Scalar::UInt16 | Scalar::Half => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 3,
            Scalar::IntPtr | Scalar::UIntPtr => 4,
            Scalar::Int64 | Scalar::UInt64 | Scalar::Double => 5,
        }
    }

    /// The width in bits; pointers count as 64.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int8 | Scalar::UInt8 => 8,
            Scalar::Int16 | Scalar::UInt16 | Scalar::Half => 16,
            Scalar::Int | Scalar::UInt | Scalar::Float => 32,
            Scalar::Int64 | Scalar::UInt64 | Scalar::Double | Scalar::IntPtr | Scalar::UIntPtr => 64,
        }
    }

    /// An integer as this type holds it: sign- or zero-extended from the type's width. Floats hold it as it is.
    pub fn wrap(self, value: i64) -> i64 {
        let unused = 64 - self.bits();
        match self.kind() {
            ScalarKind::Bool => (value != 0).into(),
            ScalarKind::Signed => (value << unused) >> unused,
            ScalarKind::Unsigned => (((value as u64) << unused) >> unused) as i64,
            ScalarKind::Float => value,
        }
    }

    /// Whether an integer type can hold `value` exactly (`value` is a non-negative literal).
    pub fn holds_literal(self, value: u64) -> bool {
        match self.kind() {
            ScalarKind::Bool => value <= 1,
            ScalarKind::Signed => value < 1u64 << (self.bits() - 1),
            ScalarKind::Unsigned => self.bits() == 64 || value < 1u64 << self.bits(),
            ScalarKind::Float => true,
        }
    }

    /// Whether a constant loses nothing in this type. Of unsigned types, -1 means all bits.
    pub fn holds_constant(self, value: i64) -> bool {
        match (self.kind(), u64::try_from(value)) {
            (ScalarKind::Unsigned, Err(_)) => value == -1 || self.bits() == 64,
            (ScalarKind::Signed | ScalarKind::Unsigned, Ok(value)) => self.holds_literal(value),
            (ScalarKind::Signed, Err(_)) => value >= -1 << (self.bits() - 1),
            // Integers up to two to the power of the digits.
            (ScalarKind::Float, _) => self == Scalar::Half && value.unsigned_abs() <= 2048,
            (ScalarKind::Bool, _) => false,
        }
    }
}

/// A scalar, vector or matrix, whatever its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One element.
    Scalar,
    /// A vector of that length.
    Vector(Const),
    /// A matrix of so many rows and columns.
    Matrix(Const, Const),
}

impl Shape {
    /// The type of this shape over `element`.
    pub fn of(self, db: &dyn Db, element: Ty) -> Ty {
        match self {
            Shape::Scalar => element,
            Shape::Vector(len) => Ty::vector(db, element, len),
            Shape::Matrix(rows, columns) => Ty::matrix(db, element, rows, columns),
        }
    }
}

/// Takes a vector or matrix apart; anything else is a scalar of itself.
pub fn shape(db: &dyn Db, ty: Ty) -> (Shape, Ty) {
    if let Some((element, len)) = ty.as_vector(db) {
        (Shape::Vector(len), element)
    } else if let Some((element, rows, columns)) = ty.as_matrix(db) {
        (Shape::Matrix(rows, columns), element)
    } else {
        (Shape::Scalar, ty)
    }
}

/// A scalar, or vector or matrix of a known scalar.
pub fn numeric(db: &dyn Db, ty: Ty) -> Option<(Shape, Scalar)> {
    match shape(db, ty) {
        (shape, Ty::Scalar(scalar)) => Some((shape, scalar)),
        _ => None,
    }
}
