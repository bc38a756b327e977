//! Places of a caller that parameters of a function stand for: what of them is in the function's code, and what goes in when it
//! runs. See [`crate::in_place`].

use ir::{GlobalId, TypeId};

/// A place that a parameter stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum KnownPlace {
    Memory {
        root: KnownRoot,
        path: Vec<KnownStep>,
    },
    /// A texel, with the types of what says where it is.
    Texel {
        texture: KnownRoot,
        location: Vec<TypeId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KnownRoot {
    Global(GlobalId),
    /// A handle of this type that goes in.
    Input(TypeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KnownStep {
    Const(u32),
    /// An index of this type that goes in.
    Dynamic(TypeId),
}

impl KnownPlace {
    /// The types of what goes in besides, in order.
    pub(crate) fn inputs(&self) -> Vec<TypeId> {
        let root = |root: &KnownRoot| match root {
            KnownRoot::Global(_) => None,
            KnownRoot::Input(ty) => Some(*ty),
        };
        match self {
            KnownPlace::Memory { root: handle, path } => {
                let steps = path.iter().filter_map(|step| match step {
                    KnownStep::Const(_) => None,
                    KnownStep::Dynamic(ty) => Some(*ty),
                });
                root(handle).into_iter().chain(steps).collect()
            }
            KnownPlace::Texel { texture, location } => {
                root(texture).into_iter().chain(location.iter().copied()).collect()
            }
        }
    }
}

/// A parameter, or the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Parameter {
    This,
    Numbered(usize),
}
