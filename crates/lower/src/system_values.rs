//! What the machine says of an invocation.

use ir::{Builtin, Scalar, TypeId, types::TypeTable};

/// What the machine says under a semantic, in capital letters.
pub(crate) fn builtin_of(semantic: &str) -> Option<Builtin> {
    match semantic {
        "SV_DISPATCHTHREADID" => Some(Builtin::DispatchThreadId),
        "SV_GROUPTHREADID" => Some(Builtin::GroupThreadId),
        "SV_GROUPID" => Some(Builtin::GroupId),
        "SV_GROUPINDEX" => Some(Builtin::GroupIndex),
        _ => None,
    }
}

/// The type in which the machine says it.
pub(crate) fn natural_type(types: &TypeTable, builtin: Builtin) -> TypeId {
    match builtin {
        Builtin::GroupIndex => types.scalar(Scalar::U32),
        Builtin::DispatchThreadId | Builtin::GroupThreadId | Builtin::GroupId => types.vector(Scalar::U32, 3),
    }
}
