//! The core library, written in Slang: builtin types, functions and their documentation.
//!
//! Entry point: [`files`]. `base-db` makes a source file `prelude:/NAME.slang` of each, and the front end parses and checks
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
//!   `OP` is the snake-case name of an `ir::AtomicOp`, or `load`, `store`, `sub`, `increment`, `decrement`; of those that
//!   operators are made of, `atomic.new.OP` gives the new value.
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

#![warn(missing_docs)]

use std::ops::Range;

use syntax::segment::{
    Declared::{self, Extension, Nothing, Type, Unclear, Value},
    LibraryFile, Segment, SegmentKind,
};

/// A file of the core library.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Without `.slang`.
    pub name: &'static str,
    /// The text of the module.
    pub text: &'static str,
    /// Segments in order, members after their container: kind and flags, bytes of header and body, number of members.
    outline: &'static [[u32; 4]],
    /// What each top-level segment declares.
    declared: &'static [Declared<'static>],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of the core library.
pub fn files() -> impl Iterator<Item = LibraryFile> {
    FILES.iter().map(File::library_file)
}

/// The same of GLSL's library, which only those see who ask for it.
pub fn glsl_files() -> Vec<LibraryFile> {
    GLSL_FILES.iter().map(File::library_file).collect()
}

impl File {
    /// What [`LibraryFile::read`] says of the text.
    pub fn library_file(&self) -> LibraryFile {
        let File { name, text, outline: _, declared } = *self;
        LibraryFile { name, text, segments: self.segments(), declared: declared.to_vec() }
    }

    /// What `syntax::segment::segment` says of the text. It was asked when this crate was built: every process loads the
    /// core library, and to read all of it would take a good part of the time that a small program takes.
    fn segments(&self) -> Vec<Segment> {
        let mut rows = self.outline.iter();
        let mut segments = Vec::new();
        let mut start = 0;
        while !rows.as_slice().is_empty() {
            segments.extend(next_segment(&mut rows, &mut start));
        }
        segments
    }
}

/// The segment that the next rows describe, which begins at `start`.
fn next_segment(rows: &mut std::slice::Iter<'_, [u32; 4]>, start: &mut usize) -> Option<Segment> {
    let [kind, header, body, members] = *rows.next()?;
    let header = take(start, header);
    let members = (0..members).filter_map(|_| next_segment(rows, start)).collect();
    Some(Segment {
        kind: SegmentKind::ALL[(kind >> 2) as usize],
        header,
        members,
        body: take(start, body),
        has_directives: kind & 1 != 0,
        open_ended: kind & 2 != 0,
    })
}

fn take(start: &mut usize, length: u32) -> Range<usize> {
    let first = *start;
    *start += length as usize;
    first..*start
}
