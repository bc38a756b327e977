//! The core library, written in Slang: builtin types, functions and their documentation.
//!
//! Entry point: [`FILES`]. `base-db` makes a source file `prelude:/NAME.slang` of each, and the front end parses and checks
//! them like any other file, once, on first use.
//!
//! # How the text ties in with the compiler
//! - `[__intrinsic("word")]` on a function without a body: lowering knows it (`lower`'s `CoreFunction`, and the table
//!   `ir::intrinsic` for operations of their own). A method's receiver is the first operand.
//! - `[__builtin_type("name")]` on a struct: the name means the type that `hir-ty` knows (`Ty::Scalar`, `Ty::Builtin`,
//!   `Ty::String`), its generic parameters are that type's arguments, and its members are found by ordinary member lookup
//!   in this declaration with these arguments. Its bases, and the extensions of it here, say which builtin interfaces the
//!   type conforms to; `hir-ty` may answer from a table of its own instead, and a test keeps the two equal.
//! - `[Differentiable]` on an intrinsic: `autodiff` has its rule. Without it, its derivative is lost like that of any other
//!   function without the attribute.
//!
//! # Words of intrinsics
//! - `math.NAME`: `ir::Op::Math`, with `NAME` the snake-case name of an `ir::MathFn`. Where the declared result type is not
//!   the operand's (`sign`, `countbits`), the result is converted.
//! - `op.mul`, `op.and`, `op.or`: `ir::Op::Binary`, a scalar operand splatted to the other's shape; `op.select`.
//! - `convert` to the result's type, `bitcast`, `detach`, `make` (aggregate of the arguments), `splat`, `count` (number of elements of the receiver's type).
//! - `pair.make` (differential zero if there is one argument), `pair.primal`, `pair.differential`; `optional.has_value`,
//!   `optional.value`.
//! - `buffer.load(this, index)`, `buffer.length(this)`, `buffer.dimensions(this, out count, out stride)`.
//! - `byte_buffer.load(this, offset)` of the result's type, `byte_buffer.store(this, offset, value)`; a last argument
//!   `alignment` is a hint. `byte_buffer.dimensions(this, out bytes)`.
//! - `atomic.OP(place, operands…)`: `place` is the `ref` parameter, or the receiver of a method of `Atomic<T>`; `in`
//!   operands follow (a `MemoryOrder` is ignored); the old value is the result, or the `out` parameter if there is one.
//!   `OP` is the snake-case name of an `ir::AtomicOp`, or `load`, `store`, `sub`, `increment`, `decrement`.
//!   `byte_atomic.OP(this, offset, operands…)` likewise.
//! - `barrier.group`, `barrier.device`, `barrier.all`, each also with `_sync`: `ir::Op::Barrier`, `control` for `_sync`.
//! - `print(format, args…)`: `ir::Op::Print`.
//! - `type.QUESTION` about the type of the argument, or the first generic argument: `size`, `alignment`, `is_float`, ….
//! - `sum.create(type id, payload)`: an interface value whose variant is chosen at run time.
//! - All others (`texture.…`, `wave.…`, `screen.…`, …): `ir::Op::Intrinsic`; `out` parameters are further results.
//!
//! # Invariants
//! - Every declaration has a doc comment of one line, which says what happens at kinks if it is differentiable.
//! - A function either has a body or an `[__intrinsic]`.
//! - Deliberately absent: the names of vector and matrix types (`float3`, `int2x4`), which `hir-ty` reads off their
//!   spelling; indexing and operators of builtin types, which inference knows; any knowledge of the compiler's types.

/// The files: name without `.slang`, and text.
pub const FILES: &[(&str, &str)] = &[
    ("types", include_str!("../slang/types.slang")),
    ("interfaces", include_str!("../slang/interfaces.slang")),
    ("operators", include_str!("../slang/operators.slang")),
    ("autodiff", include_str!("../slang/autodiff.slang")),
    ("math_unary", include_str!("../slang/math_unary.slang")),
    ("math_several", include_str!("../slang/math_several.slang")),
    ("vector", include_str!("../slang/vector.slang")),
    ("matrix", include_str!("../slang/matrix.slang")),
    ("bits", include_str!("../slang/bits.slang")),
    ("packing", include_str!("../slang/packing.slang")),
    ("buffers", include_str!("../slang/buffers.slang")),
    ("resources", include_str!("../slang/resources.slang")),
    ("textures", include_str!(concat!(env!("OUT_DIR"), "/textures.slang"))),
    ("samplers", include_str!(concat!(env!("OUT_DIR"), "/samplers.slang"))),
    ("textures_writable", include_str!(concat!(env!("OUT_DIR"), "/textures_writable.slang"))),
    ("atomics", include_str!("../slang/atomics.slang")),
    ("wave", include_str!("../slang/wave.slang")),
    ("ray_tracing", include_str!("../slang/ray_tracing.slang")),
    ("ray_query", include_str!("../slang/ray_query.slang")),
    ("hit_object", include_str!("../slang/hit_object.slang")),
    ("geometry", include_str!("../slang/geometry.slang")),
    ("wave_mask", include_str!("../slang/wave_mask.slang")),
    ("wave_multi", include_str!("../slang/wave_multi.slang")),
    ("casts", include_str!("../slang/casts.slang")),
    ("pointers", include_str!("../slang/pointers.slang")),
    ("stages", include_str!("../slang/stages.slang")),
    ("torch", include_str!("../slang/torch.slang")),
    ("descriptors", include_str!("../slang/descriptors.slang")),
    ("coop_vec", include_str!("../slang/coop_vec.slang")),
    ("coop_mat", include_str!("../slang/coop_mat.slang")),
    ("linalg", include_str!("../slang/linalg.slang")),
    ("pipeline", include_str!("../slang/pipeline.slang")),
];
