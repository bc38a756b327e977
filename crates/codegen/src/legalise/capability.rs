//! What a target language can say by itself.

use ir::intrinsic::WaveOp;

use ir::provision::DataLayout;

use crate::memory::Rules;
use crate::{EmitOptions, Interface};

/// How the IR has values in byte-address buffers.
pub(super) const NATURAL: Rules = Rules::Data(DataLayout::Scalar);

/// Where a language has structs without fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyStructs {
    /// On each machine that the language is for.
    Anywhere,
    /// In what the host provides, where a field more would move others. DXC refuses them in lists, and some lists with them
    /// it never finishes.
    InMemory,
    /// Not at all.
    Nowhere,
}

/// Each flag that is false asks for a pass or an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Functions may call themselves.
    pub recursion: bool,
    /// An entry point may be a function of its own that calls the user's. Else the two are merged, where nothing stands
    /// against it, so that the text reads like the source.
    pub entry_wrappers: bool,
    /// Values may point to memory. Else all pointers must lead to known places.
    pub pointers: bool,
    /// Where values may not: memory may be known by its address, a number that the host gives.
    pub addresses: bool,
    /// What a descriptor handle holds is the resource itself, in values and in memory: a pointer and a length. Else it is a
    /// number, by which the host's table of resources has it.
    pub descriptors_are_resources: bool,
    /// Functions may have buffers and other handles as parameters. Else they are specialised for the globals that they
    /// are called with.
    pub handle_parameters: bool,
    /// A shader parameter may be an array of buffers, textures or samplers, of which one is chosen at run time.
    pub resource_arrays: bool,
    /// Indices out of bounds are left to the language's own rules. Else reads give zero and writes are dropped, as the IR
    /// says, by explicit tests; no language asks for that, but [`EmitOptions::checked`].
    pub unchecked_indices: bool,
    /// Compilers take constant indices out of bounds where no run comes by.
    pub impossible_indices: bool,
    /// A lookup between texels may be moved by a number that is computed, or the language's compiler finds out which it is.
    pub computed_offsets: bool,
    /// Functions may return arrays, also those that compute the first value of a global. Else they get `out` parameters.
    pub array_results: bool,
    /// `cond ? a : b` works on structs and arrays.
    pub aggregate_selects: bool,
    /// Matrices of all scalars and shapes, all functions of them, and vectors of one element. Else matrices are those of
    /// floats with two to four rows and columns, for which just products, transposition and determinants are there, and
    /// arithmetic as the next flag says.
    pub all_shapes: bool,
    /// Where `all_shapes` is false: `+`, `-`, `*` and `/` work on matrices component by component.
    pub matrix_arithmetic: bool,
    /// Where structs may be without fields.
    pub empty_structs: EmptyStructs,
    /// Arrays may be without elements.
    pub empty_arrays: bool,
    /// Atomic operations on floats.
    pub float_atomics: bool,
    /// Byte-address buffers give values of any type, which lie in them by these rules; what should lie otherwise is taken
    /// apart. Else all values are made of 32-bit words.
    pub typed_bytes: Option<Rules>,
    /// Where they do: values of less than 32 bits, too.
    pub narrow_bytes: bool,
    /// Where one of the two is false: another parameter may see the same buffer as numbers of another width.
    pub byte_views: bool,
    /// Where `unchecked_indices` is false: each read may say whether its index is tested, so that only writes are tested by
    /// explicit conditions.
    pub tested_reads: bool,
    /// The host may fix constants before it compiles the program. Else it provides them as it does other data.
    pub specialization_constants: bool,
    /// One place may be that of two parameters.
    pub shared_places: bool,
    /// Whether what shaders share may be of any type, and not of structs alone.
    pub plain_messages: bool,
    /// Inputs of fragments may have a value for each vertex of the triangle.
    pub vertex_attributes: bool,
    /// Resources say by their types that fragments of one pixel reach them one after the other. Else the shader says it of itself.
    pub ordered_resources: bool,
    /// Any function may begin and end a place where fragments of one pixel pass one after the other. Else it is the whole shader.
    pub interlocks_anywhere: bool,
    /// Overflow, division by zero and large counts of shifts mean on integers what they mean in the IR.
    pub defined_integers: bool,
    /// `nextafter`.
    pub next_after: bool,
    /// Bits of integers of all widths can be counted, searched and reversed, not only those of words of 32 bits.
    pub bits_of_all_integers: bool,
    /// Of a `double` it can be asked whether it is infinite or none.
    pub classes_of_doubles: bool,
    /// The operations between the invocations of a wave that have to be made of others.
    pub missing_wave_ops: &'static [WaveOp],
    /// The width in bits of the narrowest integers.
    pub smallest_integer: u32,
}

impl Capabilities {
    /// A language in which everything can be said.
    pub const ALL: Capabilities = Capabilities {
        recursion: true,
        entry_wrappers: true,
        pointers: true,
        addresses: false,
        descriptors_are_resources: false,
        handle_parameters: true,
        resource_arrays: true,
        unchecked_indices: true,
        impossible_indices: true,
        computed_offsets: true,
        array_results: true,
        aggregate_selects: true,
        all_shapes: true,
        matrix_arithmetic: true,
        empty_structs: EmptyStructs::Anywhere,
        empty_arrays: true,
        float_atomics: true,
        typed_bytes: Some(NATURAL),
        narrow_bytes: true,
        byte_views: true,
        tested_reads: false,
        specialization_constants: true,
        shared_places: true,
        plain_messages: true,
        vertex_attributes: false,
        ordered_resources: true,
        interlocks_anywhere: true,
        defined_integers: true,
        next_after: true,
        bits_of_all_integers: true,
        classes_of_doubles: true,
        missing_wave_ops: &[],
        smallest_integer: 8,
    };

    /// What of the language is left to use. For those who run the program: without a host, constants are what the source
    /// says, and places do not matter. They bind one thing at a place.
    pub fn for_options(self, options: &EmitOptions) -> Capabilities {
        let unchecked_indices = self.unchecked_indices && !options.checked;
        let tested_reads = self.tested_reads && !unchecked_indices;
        let asked = Capabilities { unchecked_indices, tested_reads, ..self };
        match options.interface {
            Interface::Host => asked,
            Interface::Memory => {
                let (byte_views, resource_arrays) = (false, false);
                let (specialization_constants, shared_places) = (true, true);
                Capabilities { specialization_constants, shared_places, resource_arrays, byte_views, ..asked }
            }
        }
    }
}
