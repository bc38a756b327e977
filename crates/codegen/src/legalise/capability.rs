//! What a target language can say by itself.

/// Each flag that is false asks for a pass or an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Functions may call themselves.
    pub recursion: bool,
    /// Functions may have buffers and other handles as parameters. Else they are specialised for the globals that they
    /// are called with.
    pub handle_parameters: bool,
    /// An index out of bounds of a local array, vector or matrix may be left to the language's own rules. Else reads
    /// give zero and writes are dropped, as the IR says, by explicit tests.
    pub unchecked_indices: bool,
}

impl Capabilities {
    /// A language in which everything can be said.
    pub const ALL: Capabilities = Capabilities { recursion: true, handle_parameters: true, unchecked_indices: true };
}
