//! A module: the functions, types, globals and source spans of one compilation.

use la_arena::{Arena, Idx};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::assembly::Assembly;
use crate::number::Precision;
use crate::provision::Provision;
use crate::{Callee, DerivativeKind, Effect, Func, FuncId, Op, RegionId, TypeId, types::TypeTable};

/// A parameter or variable of a [`Module`].
pub type GlobalId = Idx<Global>;

/// Index into [`Module::spans`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpanId(pub u32);

impl SpanId {
    /// Code without a place of its own in the source.
    pub const NONE: SpanId = SpanId(0);
}

/// A place in a source text. What `file` and the offsets mean is the front end's business (offsets may be relative to
/// an item); passes only carry them along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SourceSpan {
    /// The front end's number of a text.
    pub file: u32,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset behind the last byte.
    pub end: u32,
}

/// A program, or the part of one that an analysis asks for: types, functions, variables and where they are started.
#[derive(Debug, Clone)]
pub struct Module {
    /// The types of all values.
    pub types: TypeTable,
    /// The functions, in the order in which they were made.
    pub funcs: Arena<Func>,
    /// Parameters and variables of the module.
    pub globals: Arena<Global>,
    /// The functions that a machine starts.
    pub entry_points: Vec<EntryPoint>,
    /// Functions whose residual records the user holds in hand, with the struct types that stand for them: these, and
    /// their differentials, have no fields until `autodiff` puts them in.
    pub contexts: Vec<(FuncId, TypeId)>,
    /// `spans[0]` is "nowhere".
    pub spans: Vec<SourceSpan>,
    /// How constants are folded: as the program computes that the module is run in or written as.
    pub precision: Precision,
}

impl Default for Module {
    fn default() -> Self {
        Module {
            types: TypeTable::default(),
            funcs: Arena::new(),
            globals: Arena::new(),
            entry_points: Vec::new(),
            contexts: Vec::new(),
            spans: vec![SourceSpan::default()],
            precision: Precision::Declared,
        }
    }
}

/// A shader parameter or module-level variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// As the user wrote it, qualified; unique within the module.
    pub name: SmolStr,
    /// Of handle type.
    pub ty: TypeId,
    /// Who sets it, and who shares it.
    pub kind: GlobalKind,
    /// Where the host puts it, of a parameter.
    pub provision: Provision,
    /// A parameter that the host gives as the number of a resource, not as the resource (`T.Handle`).
    pub by_descriptor: bool,
}

/// Who sets a module-level variable, and who shares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobalKind {
    /// Bound from outside: buffers, textures, uniforms.
    Parameter,
    /// `static`: one per invocation. `init` gives its first value (no inputs, one result); zero without.
    /// `static`: one per invocation.
    Static {
        /// Gives its first value (no inputs, one result); zero without.
        init: Option<FuncId>,
    },
    /// `groupshared`: one per thread group.
    GroupShared,
}

/// A function that the GPU starts. Its inputs, in order, come from `arguments`.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryPoint {
    /// The name that the host starts it by.
    pub name: SmolStr,
    /// A function without inputs and results: the front end wraps the user's parameters into loads of builtins and
    /// uniforms.
    pub func: FuncId,
    /// Which part of a pipeline it is.
    pub stage: Stage,
    /// Threads per group in x, y and z; 1 where the source says nothing.
    pub group_size: [u32; 3],
    /// How many threads a wave has to have, if the source asks for a number.
    pub wave_size: Option<u32>,
    /// Whether fragments that are hidden are given up before they run, and not after.
    pub early_fragment_tests: bool,
    /// What it says of the primitives that it takes and gives out.
    pub assembly: Assembly,
}

impl EntryPoint {
    /// What the device runs for it, without inputs and results: of a hull shader that of the patch, and its function.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> {
        self.assembly.patch_constants().into_iter().chain([self.func])
    }
}

/// A part of a pipeline that runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A grid of threads in groups.
    Compute,
    /// Once for each vertex.
    Vertex,
    /// Once for each control point of a patch, and once for the patch.
    Hull,
    /// Once for each vertex that a patch is cut into.
    Domain,
    /// Once for each triangle, line or point.
    Geometry,
    /// Once for each fragment.
    Fragment,
    /// Groups that start groups of mesh shaders.
    Amplification,
    /// Groups that each give out some triangles, lines or points.
    Mesh,
    /// A grid of threads that trace rays.
    RayGeneration,
    /// Where a ray meets the box of what is not made of triangles.
    Intersection,
    /// At each hit of a ray that may not count.
    AnyHit,
    /// At the hit of a ray that counts.
    ClosestHit,
    /// For a ray without a hit.
    Miss,
    /// What shaders that rays start call by number.
    Callable,
}

impl Stage {
    /// The stage that `[shader("…")]` names so.
    pub fn of_source(word: &str) -> Option<Stage> {
        match word {
            "pixel" => Some(Stage::Fragment),
            "raygen" => Some(Stage::RayGeneration),
            word => Stage::from_word(word),
        }
    }

    /// Whether it is one of those that rays start, or that start rays.
    pub fn traces_rays(self) -> bool {
        match self {
            Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => true,
            Stage::Compute
            | Stage::Vertex
            | Stage::Hull
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Amplification
            | Stage::Mesh => false,
        }
    }
}

/// What is being looked at for its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Running {
    Function(FuncId),
    Derivative(DerivativeKind, FuncId),
}

impl Module {
    /// The function with this name, if there is one.
    pub fn func_named(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().find(|(_, func)| func.name == name).map(|(id, _)| id)
    }

    /// The number of a place, which is added where it is new.
    pub fn span(&mut self, span: SourceSpan) -> SpanId {
        if self.spans.last() == Some(&span) {
            return SpanId(self.spans.len() as u32 - 1);
        }
        self.spans.push(span);
        SpanId(self.spans.len() as u32 - 1)
    }

    /// The effect of `op` in `func`, with that of nested regions and callees. Calls of declarations count as
    /// [`Effect::Write`].
    pub fn effect_of(&self, func: FuncId, op: &Op) -> Effect {
        self.effect_of_op(func, op, &mut FxHashSet::default())
    }

    /// The effect of running `func`.
    pub fn func_effect(&self, func: FuncId) -> Effect {
        self.effect_of_func(func, &mut FxHashSet::default())
    }

    fn effect_of_func(&self, func: FuncId, seen: &mut FxHashSet<Running>) -> Effect {
        let Some(body) = self.funcs[func].body else {
            return Effect::Write;
        };
        // What a function does is counted once, however often and from wherever it is called.
        if !seen.insert(Running::Function(func)) {
            return Effect::Pure;
        }
        self.effect_of_region(func, body, seen)
    }

    fn effect_of_region(&self, func: FuncId, region: RegionId, seen: &mut FxHashSet<Running>) -> Effect {
        let ops = &self.funcs[func].regions[region].ops;
        let mut effect = Effect::Pure;
        for &op in ops {
            effect = effect.max(self.effect_of_op(func, &self.funcs[func].ops[op].op, seen));
            if effect == Effect::Write {
                break;
            }
        }
        effect
    }

    fn effect_of_op(&self, func: FuncId, op: &Op, seen: &mut FxHashSet<Running>) -> Effect {
        match op {
            Op::Call { callee: Callee::Func(callee), .. } => self.effect_of_func(*callee, seen),
            Op::Call { callee: Callee::Derivative(kind, callee), .. } => {
                self.effect_of_derivative(*kind, *callee, seen)
            }
            _ => op
                .regions()
                .into_iter()
                .map(|region| self.effect_of_region(func, region, seen))
                .fold(op.own_effect(), Effect::max),
        }
    }

    /// A derivative that is not made yet has the effects of the function and of the users' derivatives that take the
    /// place of its callees'.
    fn effect_of_derivative(&self, kind: DerivativeKind, id: FuncId, seen: &mut FxHashSet<Running>) -> Effect {
        let func = &self.funcs[id];
        let rule = match kind {
            DerivativeKind::Jvp => func.rules.forward,
            DerivativeKind::Vjp | DerivativeKind::Pullback | DerivativeKind::Propagate => func.rules.backward,
            DerivativeKind::Primal | DerivativeKind::Apply => None,
        };
        if !seen.insert(Running::Derivative(kind, id)) {
            return Effect::Pure;
        }
        match (func.rules.primal_substitute, rule) {
            (Some(substitute), _) if substitute != id => self.effect_of_derivative(kind, substitute, seen),
            (_, Some(rule)) => self.effect_of_func(rule, seen),
            (_, None) => {
                let mut effect = self.effect_of_func(id, seen);
                if !kind.gives_record() && effect != Effect::Write {
                    for (_, data) in func.ops.iter() {
                        if let Op::Call { callee: Callee::Func(callee), .. } = data.op {
                            effect = effect.max(self.effect_of_derivative(kind, callee, seen));
                        }
                    }
                }
                effect
            }
        }
    }

    /// The type of the derivatives of values of `ty`; `None` if they have none.
    pub fn differential_of(&mut self, ty: TypeId) -> Option<TypeId> {
        self.types.differential_of(ty)
    }
}
