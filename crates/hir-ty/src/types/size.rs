//! `sizeof` and `alignof`: the natural layout, in which every member stands at the next multiple of its own alignment. It is
//! the same for all targets, whatever the layout of their buffers is.

use base_db::Db;
use hir_def::body::SizeOfKind;
use rustc_hash::FxHashMap;

use crate::{
    differential,
    generics::{env::Env, substitute},
    types::{
        bit_field::{self, Stored},
        conversion,
        ty::{BuiltinType, Const, ConstSize, Scalar, Ty},
    },
};

/// Bytes of a value in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// How many it takes.
    pub bytes: u64,
    /// What its address is a multiple of.
    pub align: u64,
}

/// Structs nested deeper than this have no size; one that contains itself does not either.
const MAX_DEPTH: u32 = ::diagnostics::limits::SIZES;

impl Size {
    /// A value that stands at multiples of its size.
    fn aligned(bytes: u64) -> Size {
        Size { bytes, align: bytes }
    }

    fn times(self, count: i64) -> Option<Size> {
        Some(Size { bytes: self.bytes.checked_mul(u64::try_from(count).ok()?)?, ..self })
    }

    fn padded(self) -> Option<Size> {
        Some(Size { bytes: self.bytes.checked_next_multiple_of(self.align)?, ..self })
    }
}

/// The value of `sizeof(ty)` or `alignof(ty)`; waits for the parameters in `ty` if there are any. `None` if only the target
/// says how large the type is.
pub fn measure(db: &dyn Db, env: Env, what: SizeOfKind, ty: Ty) -> Option<Const> {
    if ty.is_error() {
        return Some(Const::Error);
    }
    if !substitute::is_concrete(db, ty) {
        return Some(Const::Size(ConstSize::new(db, env, ty, what == SizeOfKind::Align)));
    }
    let size = size_of(db, env, ty)?;
    let bytes = match what {
        SizeOfKind::Size => size.bytes,
        SizeOfKind::Align => size.align,
        SizeOfKind::Count | SizeOfKind::Offset => return None,
    };
    i64::try_from(bytes).ok().map(Const::Value)
}

/// The natural size of a type without parameters.
pub fn size_of(db: &dyn Db, env: Env, ty: Ty) -> Option<Size> {
    Measuring { db, env, known: FxHashMap::default() }.size(ty, MAX_DEPTH)
}

/// The sizes found so far: a type that is in many places, as where each struct holds the one before twice, is measured once.
struct Measuring<'db> {
    db: &'db dyn Db,
    env: Env,
    known: FxHashMap<Ty, Option<Size>>,
}

impl Measuring<'_> {
    fn size(&mut self, ty: Ty, depth: u32) -> Option<Size> {
        if let Some(known) = self.known.get(&ty) {
            return *known;
        }
        let size = self.measured(ty, depth.checked_sub(1)?);
        self.known.insert(ty, size);
        size
    }

    fn measured(&mut self, ty: Ty, depth: u32) -> Option<Size> {
        let (db, env) = (self.db, self.env);
        match ty {
            Ty::Void => Some(Size { bytes: 0, align: 1 }),
            Ty::Scalar(scalar) => Some(Size::aligned(scalar_bytes(scalar))),
            Ty::NullLiteral => Some(Size::aligned(8)),
            Ty::Builtin(BuiltinType::Vector, _) => {
                let (element, len) = ty.as_vector(db)?;
                self.size(element, depth)?.times(len.value()?)
            }
            Ty::Builtin(BuiltinType::Matrix, _) => {
                let (element, rows, columns) = ty.as_matrix(db)?;
                self.size(element, depth)?.times(rows.value()?.checked_mul(columns.value()?)?)
            }
            Ty::Builtin(BuiltinType::Array, _) => {
                let (element, len) = ty.as_array(db)?;
                let element = self.size(element, depth)?;
                let Some(others) = len.value()?.checked_sub(1).filter(|others| *others >= 0) else {
                    return Some(Size { bytes: 0, ..element });
                };
                let before = element.padded()?.times(others)?;
                Some(Size { bytes: before.bytes.checked_add(element.bytes)?, ..element })
            }
            Ty::Builtin(BuiltinType::Tuple, _) => self.in_order(ty.as_tuple(db)?, depth),
            // slangc pads an `Optional`, and no other aggregate.
            Ty::Builtin(BuiltinType::Optional, _) => self.in_order([ty.first_type_arg(db)?, Ty::BOOL], depth)?.padded(),
            Ty::Builtin(BuiltinType::DifferentialPair, _) => {
                let primal = ty.first_type_arg(db)?;
                let differential = differential::of_type::differential_of(db, env, primal)?;
                self.in_order([primal, differential], depth)
            }
            Ty::Builtin(BuiltinType::Ptr | BuiltinType::DescriptorHandle, _) => Some(Size::aligned(8)),
            Ty::Builtin(BuiltinType::Atomic, _) => self.size(ty.first_type_arg(db)?, depth),
            Ty::Adt(..) if conversion::enum_integer(db, ty).is_some() => {
                self.size(conversion::enum_integer(db, ty)?, depth)
            }
            Ty::Adt(..) if crate::conformance::extension::is_interface(db, ty) => None,
            Ty::Closure(closure) => self.in_order(closure.captures(db).iter().map(|(_, ty)| *ty), depth),
            Ty::Adt(..) | Ty::SynthesizedDifferential(..) => {
                let fields = bit_field::stored(db, env, ty).iter().map(|stored| match stored {
                    Stored::Field(_, ty) => *ty,
                    Stored::Bits(storage, _) => Ty::Scalar(*storage),
                });
                self.in_order(fields, depth)
            }
            // Handles of resources are as large as the target makes them.
            Ty::Builtin(..)
            | Ty::Error
            | Ty::Param(_)
            | Ty::This(_)
            | Ty::Associated(_)
            | Ty::Function(_)
            | Ty::Expand(_)
            | Ty::PackQuery(_)
            | Ty::String
            | Ty::NoneLiteral => None,
        }
    }

    /// One member after the other, with nothing after the last: only the elements of an array are padded.
    fn in_order(&mut self, members: impl IntoIterator<Item = Ty>, depth: u32) -> Option<Size> {
        let mut whole = Size { bytes: 0, align: 1 };
        for member in members {
            let member = self.size(member, depth)?;
            let offset = whole.bytes.checked_next_multiple_of(member.align)?;
            whole = Size { bytes: offset.checked_add(member.bytes)?, align: whole.align.max(member.align) };
        }
        Some(whole)
    }
}

fn scalar_bytes(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool | Scalar::Int8 | Scalar::UInt8 => 1,
        Scalar::Int16 | Scalar::UInt16 | Scalar::Half => 2,
        Scalar::Int | Scalar::UInt | Scalar::Float => 4,
        Scalar::Int64 | Scalar::UInt64 | Scalar::Double | Scalar::IntPtr | Scalar::UIntPtr => 8,
    }
}
