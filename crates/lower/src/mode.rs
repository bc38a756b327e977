//! What a lowering is for.

/// How calls are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Callees are lowered too, specialised for their arguments.
    Program,
    /// One function for the editor: callees stay declarations, type parameters become opaque.
    Analysis,
}
