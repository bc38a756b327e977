//! Names of random programs, among them those that mean something to us or to a target.

use super::{Construct, Feature, Writer};

/// Names that generated code uses, and names of the builtin functions, types and keywords of the targets. All of them are
/// ordinary identifiers in Slang.
const COLLIDING: [&str; 64] = [
    "error",
    "failed",
    "self",
    "t",
    "result",
    "value",
    "x_tangent",
    "x_cotangent",
    "this_cotangent",
    "return_tangent",
    "residuals",
    "record",
    "primal",
    "running",
    "carried",
    "sum",
    "main_1",
    "shader",
    "rt",
    "Thread",
    "group",
    "thread",
    "mix",
    "fract",
    "inversesqrt",
    "vec3",
    "mat3",
    "gl_Position",
    "layout_",
    "buffer",
    "sampler2D",
    "highp",
    "f32",
    "i32",
    "u32",
    "ptr",
    "array",
    "loop",
    "fn",
    "let_",
    "override",
    "workgroup",
    "bitcast",
    "auto",
    "char",
    "short",
    "long",
    "signed",
    "union",
    "goto",
    "delete",
    "template",
    "typename",
    "friend",
    "std",
    "printf",
    "threadIdx",
    "blockDim",
    "__device",
    "make_float3",
    "lerp1",
    "cond",
    "p",
    "d",
];

impl Writer {
    /// A name that is not used in the function yet.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        if self.has(Feature::CollidingNames) && self.choices.chance(4) {
            let name = *self.choices.one(&COLLIDING);
            if self.taken.insert(name.to_owned()) {
                self.reach(Construct::CollidingName);
                return name.to_owned();
            }
        }
        // A prefix with a number may be one of the colliding names, such as `u32`.
        loop {
            self.names += 1;
            let name = format!("{prefix}{}", self.names);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The name of something at the top level, which is no other program's.
    pub(super) fn global(&self, name: &str) -> String {
        format!("{name}_{}", self.suffix)
    }
}
