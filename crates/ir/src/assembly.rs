//! How the stages between vertices and fragments take and give out triangles, lines, points and patches.

use crate::FuncId;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Each of them, for tables and tests.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word of the source and of the text form.
            pub fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            /// The one with this word.
            pub fn from_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.word() == word)
            }
        }
    };
}

words! {
    /// What a geometry shader is started for.
    InputPrimitive {
        /// One vertex.
        Point = "point";
        /// Two vertices.
        Line = "line";
        /// Three vertices.
        Triangle = "triangle";
        /// A line and the vertices before and after it.
        LineAdjacency = "lineadj";
        /// A triangle and those that share an edge with it.
        TriangleAdjacency = "triangleadj";
    }
}

words! {
    /// What geometry and mesh shaders give out.
    Topology {
        /// Single vertices.
        Point = "point";
        /// Lines; of a geometry shader each vertex goes on with the line before.
        Line = "line";
        /// Triangles; of a geometry shader each vertex makes one with the two before.
        Triangle = "triangle";
    }
}

words! {
    /// The shape of a patch.
    PatchDomain {
        /// A triangle, with three factors and one inside.
        Triangle = "tri";
        /// A rectangle, with four factors and two inside.
        Quad = "quad";
        /// Lines, with two factors.
        Isoline = "isoline";
    }
}

words! {
    /// How a factor says into how many parts an edge is cut.
    Partitioning {
        /// Rounded up.
        Integer = "integer";
        /// Rounded up to a power of two, for which Vulkan has no word.
        PowerOfTwo = "pow2";
        /// In between, to odd numbers.
        FractionalOdd = "fractional_odd";
        /// In between, to even numbers.
        FractionalEven = "fractional_even";
    }
}

words! {
    /// What a patch is cut into.
    PatchOutput {
        /// Vertices alone.
        Point = "point";
        /// Lines.
        Line = "line";
        /// Triangles whose vertices go around as the hands of a clock.
        TriangleClockwise = "triangle_cw";
        /// Triangles whose vertices go around against the hands of a clock.
        TriangleCounterClockwise = "triangle_ccw";
    }
}

/// What an entry point says of the primitives that it takes and gives out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Assembly {
    /// Nothing: its stage has none.
    #[default]
    None,
    /// Of a geometry shader.
    Geometry {
        /// What it is started for.
        input: InputPrimitive,
        /// What its stream is made of.
        output: Topology,
        /// How many vertices it gives out at most.
        max_vertices: u32,
        /// How often it is started for each primitive.
        instances: u32,
    },
    /// Of a mesh shader.
    Mesh {
        /// What it gives out.
        output: Topology,
        /// How many vertices a group gives out at most.
        max_vertices: u32,
        /// How many primitives a group gives out at most.
        max_primitives: u32,
    },
    /// Of a hull shader.
    Hull {
        /// The shape of the patch.
        domain: PatchDomain,
        /// How edges are cut.
        partitioning: Partitioning,
        /// Into what.
        output: PatchOutput,
        /// How many control points it gives out, each by an invocation.
        control_points: u32,
        /// No factor is larger, if the source says so.
        max_factor: Option<f32>,
        /// What runs once for the patch, when all of its control points are there: a function without inputs and results.
        patch_constants: FuncId,
    },
    /// Of a domain shader.
    Domain {
        /// The shape of the patch.
        domain: PatchDomain,
        /// How edges are cut, if the source says it here, too.
        partitioning: Option<Partitioning>,
        /// Into what, if the source says it here, too.
        output: Option<PatchOutput>,
    },
}

impl Assembly {
    /// The function that runs once for a patch.
    pub fn patch_constants(&self) -> Option<FuncId> {
        match self {
            Assembly::Hull { patch_constants, .. } => Some(*patch_constants),
            Assembly::None | Assembly::Geometry { .. } | Assembly::Mesh { .. } | Assembly::Domain { .. } => None,
        }
    }

    /// The same, with another function for the patch where there is one.
    pub fn with_patch_constants(self, with: impl FnOnce(FuncId) -> FuncId) -> Assembly {
        match self {
            Assembly::Hull { domain, partitioning, output, control_points, max_factor, patch_constants } => {
                let patch_constants = with(patch_constants);
                Assembly::Hull { domain, partitioning, output, control_points, max_factor, patch_constants }
            }
            other @ (Assembly::None | Assembly::Geometry { .. } | Assembly::Mesh { .. } | Assembly::Domain { .. }) => {
                other
            }
        }
    }
}
