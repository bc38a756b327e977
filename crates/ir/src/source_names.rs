//! Types as programs write them: for messages.

use crate::{Scalar, Type, TypeId, print::print_type, types::TypeTable};

/// A type as the source writes it. What the compiler makes for itself is said in words.
pub fn source_name(types: &TypeTable, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Scalar(scalar) => scalar_name(scalar).to_owned(),
        Type::Vector { scalar, len } => match short(scalar) {
            Some(name) => format!("{name}{len}"),
            None => format!("vector<{}, {len}>", scalar_name(scalar)),
        },
        Type::Matrix { scalar, rows, cols } => match short(scalar) {
            Some(name) => format!("{name}{rows}x{cols}"),
            None => format!("matrix<{}, {rows}, {cols}>", scalar_name(scalar)),
        },
        // The outermost length comes last: `float[3][2]` are two of `float[3]`.
        Type::Array { element, len } => format!("{}[{len}]", source_name(types, element)),
        Type::Struct(id) => {
            let name = &types.structs[id].name;
            match name.split_once(".Residuals") {
                Some((function, _)) => format!("what `{function}` keeps"),
                None => name.to_string(),
            }
        }
        Type::Sum(id) => types.sums[id].name.to_string(),
        // Nobody keeps a resource between two sweeps.
        Type::Handle(_) | Type::Opaque(_) => print_type(types, ty),
    }
}

/// The name in front of the number of components.
fn short(scalar: Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F16 | Scalar::F32 | Scalar::F64 => Some(scalar_name(scalar)),
        Scalar::I8 | Scalar::I16 | Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U64 => None,
    }
}

/// The name of a scalar type in the source.
pub fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int",
        Scalar::I64 => "int64_t",
        Scalar::U8 => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint",
        Scalar::U64 => "uint64_t",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_in_the_source() {
        let types = TypeTable::default();
        let float3 = types.vector(Scalar::F32, 3);
        let matrix = types.intern(Type::Matrix { scalar: Scalar::F16, rows: 2, cols: 4 });
        let array = types.array(types.array(float3, 5), 2);
        let named = [float3, matrix, array, types.vector(Scalar::I64, 2), types.scalar(Scalar::U32)];
        let names = named.map(|ty| source_name(&types, ty));
        assert_eq!(names, ["float3", "half2x4", "float3[5][2]", "vector<int64_t, 2>", "uint"]);
    }
}
