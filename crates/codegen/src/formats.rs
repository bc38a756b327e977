//! What images keep of texels: one answer for all languages that say it.

use ir::Scalar;

/// The numbers that images give and take for texels of `scalar`: those of 16 bits are converted where they are read and
/// written. `None` for what no image has.
pub(crate) fn held(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::F16 | Scalar::F32 => Some(Scalar::F32),
        Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => Some(scalar),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::F64 => None,
    }
}

/// The format of an image that is written and has no `[format]`, as slangc has it: that of its texels, of one, two or
/// four components.
pub(crate) fn implied(scalar: Scalar, len: u8) -> Option<&'static str> {
    let [one, two, four] = match scalar {
        Scalar::F32 => ["r32f", "rg32f", "rgba32f"],
        Scalar::F16 => ["r16f", "rg16f", "rgba16f"],
        Scalar::I32 => ["r32i", "rg32i", "rgba32i"],
        Scalar::U32 => ["r32ui", "rg32ui", "rgba32ui"],
        Scalar::I64 => return (len == 1).then_some("r64i"),
        Scalar::U64 => return (len == 1).then_some("r64ui"),
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::F64 => return None,
    };
    Some(match len {
        1 => one,
        2 => two,
        _ => four,
    })
}
