//! One printer for all languages that look like C, with a [`Dialect`] for what each spells differently.
//!
//! `items` writes declarations, `statements` and `expressions` what is inside of functions, `writer` keeps lines and
//! the source map. A new language is a new file with a [`Dialect`].

mod assembly;
mod c_printf;
pub mod cpp;
pub mod cpp_family;
pub mod cuda;
mod exports;
mod expressions;
pub mod glsl;
pub mod hlsl;
mod intrinsics;
mod items;
pub mod metal;
mod python;
mod runtime;
pub mod slang;
mod stages;
mod statements;
mod thread;
pub mod torch;
mod wrap;
mod writer;

use ir::provision::Provision;
use ir::{AtomicOp, BinaryOp, Builtin, GlobalId, GlobalKind, HandleType, Intrinsic, MathFn, Scalar, SpanId, Type};

pub use expressions::{ADDITIVE, MULTIPLICATIVE, PRIMARY, Precedence, TERNARY, UNARY};
pub use items::{Printer, print};

use smol_str::SmolStr;

use crate::legalise::Capabilities;
use crate::tree::names::{Namer, is_vector_type};
use crate::tree::{Direction, Expr, Function, Start, Stmt};
use crate::{ExportKind, Target};

/// What a C-like language spells in its own way. Types and values come in as text that the dialect has spelled before. What
/// stands here is as Slang and HLSL have it.
///
/// The hooks `expression`, `statement` and `global_declaration` come first and may write anything in a way of its own;
/// what they leave alone is written as all languages write it, with the small methods. Hooks use the printer for parts
/// ([`Printer::expr`]), helper functions ([`Printer::helper`]) and lines at the top ([`Printer::require`]).
pub trait Dialect {
    /// The target that it writes.
    fn target(&self) -> Target;

    /// The text of an expression that the language writes in a way of its own.
    fn expression(
        &self,
        _printer: &mut Printer<'_>,
        _f: &Function,
        _expr: &Expr,
        _span: SpanId,
    ) -> Option<(String, Precedence)> {
        None
    }

    /// The text of an intrinsic; `None` for those that the language does not have.
    fn intrinsic(
        &self,
        printer: &mut Printer<'_>,
        f: &Function,
        intrinsic: Intrinsic,
        args: &[Expr],
        span: SpanId,
    ) -> Option<(String, Precedence)>;

    /// The address of a place in memory, in a language with pointers.
    fn address_of(&self, _place: &str) -> Option<(String, Precedence)> {
        None
    }

    /// Writes a statement that the language writes in a way of its own; whether it did.
    fn statement(&self, _printer: &mut Printer<'_>, _f: &Function, _stmt: &Stmt) -> bool {
        false
    }

    /// Whether a compiler of ours or slangc's reads the text, which gives parameters their places: then it has all of them,
    /// those of entry points at these.
    fn is_compiled_again(&self) -> bool {
        false
    }

    /// The declaration of a constant that the host may fix, with its number and its value without the host.
    fn specialization_constant(&self, _number: u32, _declarator: &str, _value: &str) -> Option<String> {
        None
    }

    /// The declaration of a global that the language writes in a way of its own, as whole lines.
    fn global_declaration(&self, _printer: &mut Printer<'_>, _global: GlobalId) -> Option<String> {
        None
    }

    /// The content of a block of constants that is not named by its global, in a language where that is a pointer.
    fn content_of_block(&self, block: String) -> String {
        block
    }

    /// What the language can say.
    fn capabilities(&self) -> Capabilities;

    /// Words that are not identifiers, or that mean something everywhere.
    fn reserved(&self) -> &'static [&'static str];

    /// Kinds of words for which the same holds.
    fn is_reserved(&self) -> fn(&str) -> bool {
        is_vector_type
    }

    /// Words that are fine for variables, but not for types and functions.
    fn reserved_for_types(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Gives names that mean nothing in the language.
    fn namer(&self) -> Namer {
        Namer::new(self.reserved(), self.is_reserved())
    }

    /// Structs of the core library that the language has itself.
    fn own_structs(&self) -> &'static [&'static str] {
        &[]
    }

    /// What stands at the top of the text.
    fn prologue(&self) -> &'static str {
        ""
    }

    /// What stands before and after the declarations, which are given.
    fn frame(&self, _declarations: &str) -> (String, String) {
        (String::new(), String::new())
    }

    /// A line that the top of the text must have where a scalar, vector or matrix of this type is named.
    fn required_for(&self, _ty: Type) -> Option<&'static str> {
        None
    }

    /// The word for a scalar type; `None` if there is none.
    fn scalar(&self, scalar: Scalar) -> Option<&'static str>;

    /// The word for a vector type; `None` if there is none.
    fn vector(&self, scalar: Scalar, len: u8) -> Option<String> {
        let scalar = self.scalar(scalar)?;
        Some(if len == 1 { format!("vector<{scalar}, 1>") } else { format!("{scalar}{len}") })
    }

    /// The word for a matrix type; `None` if there is none.
    fn matrix(&self, scalar: Scalar, rows: u8, cols: u8) -> Option<String> {
        let scalar = self.scalar(scalar)?;
        Some(match rows == 1 || cols == 1 {
            true => format!("matrix<{scalar}, {rows}, {cols}>"),
            false => format!("{scalar}{rows}x{cols}"),
        })
    }

    /// The name of an array type where no variable is declared.
    fn array(&self, element: &str, len: u32) -> String;

    /// `float a[4]`; `dims` from the outside in.
    fn declarator(&self, element: &str, name: &str, dims: &[u32]) -> String {
        let dims: String = dims.iter().map(|len| format!("[{len}]")).collect();
        format!("{element} {name}{dims}")
    }

    /// `in`, `out` and `inout` parameters, given the declarator for a plain one.
    fn parameter(&self, direction: Direction, declare: &dyn Fn(&str) -> String, name: &str) -> String {
        match direction {
            Direction::In => declare(name),
            Direction::Out => format!("out {}", declare(name)),
            Direction::InOut => format!("inout {}", declare(name)),
        }
    }

    /// The keyword that declares a local whose type follows from its first value, if there is one.
    fn inferred_local(&self, constant: bool) -> Option<&'static str>;

    /// Where `{ a, b }` may stand for an array.
    fn braces(&self) -> Braces {
        Braces::RightSides
    }

    /// Whether an operand of vector arithmetic may be a scalar.
    fn scalar_operands(&self) -> bool {
        false
    }

    /// Whether `x op= y` means `x = x op y` for values of this type.
    fn has_compound(&self, _op: BinaryOp, _ty: Type) -> bool {
        true
    }

    /// What gives a local its first value where some way to a read of it gives none; `zero` is that of its type.
    fn no_value(&self, _start: Start, _zero: &str) -> String {
        String::new()
    }

    /// A finite float.
    fn float(&self, value: f64, scalar: Scalar) -> String;

    /// An integer that fits the type and is not negative.
    fn integer(&self, value: u64, scalar: Scalar) -> String {
        match scalar {
            Scalar::U32 => format!("{value}u"),
            Scalar::I64 => format!("{value}ll"),
            Scalar::U64 => format!("{value}ull"),
            _ => value.to_string(),
        }
    }

    /// A value of type `ty` from its parts, in an expression.
    fn make(&self, _shape: Form, ty: &str, parts: &str) -> String {
        format!("{ty}({parts})")
    }

    /// Zero of a type, whose word is `ty`.
    fn zero(&self, shape: Form, ty: &str) -> String;

    /// How a mathematical function is written.
    fn math(&self, function: MathFn) -> Spelling;

    /// The names that `function` is written with, which nothing else may have where it is used.
    fn math_words(&self, function: MathFn) -> Vec<&'static str> {
        match self.math(function) {
            Spelling::Call(name) => vec![name],
            Spelling::None => Vec::new(),
        }
    }

    /// Whether operators make `int` of narrower integers.
    fn promotes_integers(&self) -> bool {
        false
    }

    /// `cond ? a : b` element by element.
    fn vector_select(&self) -> &'static str;

    /// Reinterprets bits of a value of type `from` as the type spelled `to`.
    fn bitcast(&self, from: Scalar, to: Scalar, target: &str) -> String;

    /// The declaration of a global without the `;`, `None` if the language has no such thing.
    fn global(&self, global: &GlobalText<'_>) -> Option<String>;

    /// The type of a parameter that is a handle.
    fn handle(&self, handle: HandleType, content: &str) -> Option<String>;

    /// Whether the globals and the functions that use them are members of a struct, one for each thread. Then
    /// [`Dialect::kernel`] is what starts the threads.
    fn has_thread_struct(&self) -> bool {
        false
    }

    /// Whether shaders of the other stages that take nothing and hand on nothing are started as kernels are.
    fn runs_plain_stages(&self) -> bool {
        false
    }

    /// A parameter of the function that [`Dialect::kernel`] writes, by which the host hands over a shader parameter.
    fn kernel_parameter(&self, _printer: &mut Printer<'_>, _global: GlobalId) -> Option<String> {
        None
    }

    /// What a thread has to be told to do an operation: a variable of the thread's, which nothing else may be called.
    fn told_for(&self, _intrinsic: Intrinsic) -> Option<Told> {
        None
    }

    /// What the device or the host calls to run an entry point.
    fn kernel(&self, _kernel: &Kernel<'_>) -> String {
        String::new()
    }

    /// What others call where they call a function of the program, `None` where nobody can.
    fn exported(&self, _exported: &Exported<'_>) -> Option<String> {
        None
    }

    /// The head of a function that is not an entry point.
    fn function(&self, head: String) -> String {
        head
    }

    /// The attributes and the head of an entry point, up to its parameters. Of a hull shader with the name of the function
    /// that runs once for a patch.
    fn entry_point(&self, name: &str, entry: &ir::module::EntryPoint, patch_constants: Option<&str>) -> String;

    /// What stands in front of all functions about the primitives that an entry point takes and gives out, as whole lines.
    fn assembly(&self, _module: &ir::Module, _entry: &ir::module::EntryPoint) -> String {
        String::new()
    }

    /// The name by which the host finds the entry point that the source calls `name`.
    fn entry_name(&self, name: &str) -> String {
        name.into()
    }

    /// How the language has the values that stages hand to each other.
    fn stages(&self) -> Stages {
        Stages::ComputeOnly
    }

    /// Whether a text holds one entry point, always of the same name.
    fn holds_one_entry(&self) -> bool {
        false
    }

    /// The variable that holds a builtin value everywhere, if it is not a parameter of the entry point.
    fn builtin_variable(&self, _builtin: Builtin) -> Option<&'static str> {
        None
    }

    /// A parameter of an entry point that brings a builtin value.
    fn builtin(&self, builtin: Builtin, name: &str, ty: &str) -> String {
        let semantic = match builtin {
            Builtin::DispatchThreadId => "SV_DispatchThreadID",
            Builtin::GroupThreadId => "SV_GroupThreadID",
            Builtin::GroupId => "SV_GroupID",
            Builtin::GroupIndex => "SV_GroupIndex",
        };
        format!("{ty} {name} : {semantic}")
    }

    /// The function that does `op` and takes the place, the operands and, where the old value is wanted, its variable.
    fn atomic(&self, op: AtomicOp) -> Option<&'static str> {
        Some(match op {
            AtomicOp::Add => "InterlockedAdd",
            AtomicOp::And => "InterlockedAnd",
            AtomicOp::Or => "InterlockedOr",
            AtomicOp::Xor => "InterlockedXor",
            AtomicOp::Min => "InterlockedMin",
            AtomicOp::Max => "InterlockedMax",
            AtomicOp::Exchange => "InterlockedExchange",
            AtomicOp::CompareExchange => "InterlockedCompareExchange",
        })
    }

    /// Statements that declare `count` as the length of a buffer; those of structures say the size of one, too.
    fn buffer_length(&self, buffer: &str, count: &str, has_stride: bool) -> Option<String> {
        Some(match has_stride {
            true => format!("uint {count};\nuint {count}_stride;\n{buffer}.GetDimensions({count}, {count}_stride);"),
            false => format!("uint {count};\n{buffer}.GetDimensions({count});"),
        })
    }

    /// The statement that waits for a group; `None` if there is none.
    fn barrier(&self, control: bool) -> Option<&'static str>;

    /// The end of a struct declaration.
    fn struct_end(&self) -> &'static str {
        "};"
    }
}

/// How a language has the values that one stage hands to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stages {
    /// There are none.
    ComputeOnly,
    /// They are variables, those of the pipeline with names of their own.
    Variables,
    /// They are parameters of the entry point and fields of its result.
    Signature,
    /// Those of vertices and fragments are members of a thread's struct; [`Dialect::kernel`] fills them and gives them out. There
    /// are no other stages.
    Members,
}

/// What kind of type a value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One number or truth value.
    Scalar,
    /// A vector.
    Vector,
    /// A matrix.
    Matrix,
    /// An array.
    Array,
    /// A struct.
    Struct,
}

/// Where `{ a, b }` may stand for an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Braces {
    /// On the right of declarations and assignments.
    RightSides,
    /// On the right of declarations, for structs too.
    Declarations,
    /// It cannot be written.
    Nowhere,
}

/// How a function of the IR is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// A call of a function by this name.
    Call(&'static str),
    /// Not to be had in the language.
    None,
}

/// What a dialect needs to declare a global.
pub struct GlobalText<'a> {
    /// Its name in the code.
    pub name: &'a str,
    /// What it refers to.
    pub handle: HandleType,
    /// Who sets it, and who shares it.
    pub kind: GlobalKind,
    /// What the source says about its place.
    pub provision: &'a Provision,
    /// Where a parameter is bound in the end: set and binding.
    pub place: Option<(u32, u32)>,
    /// The type of the content or of an element.
    pub content: &'a str,
    /// Whether the content is a struct.
    pub content_is_struct: bool,
    /// A name for a block around the content that nothing else has.
    pub block: &'a str,
    /// `float a[4]` for the content.
    pub declarator: &'a str,
    /// Of an array of resources what stands behind the name; else nothing.
    pub array: &'a str,
    /// The call that returns the first value.
    pub init: Option<&'a str>,
}

/// A type between angle brackets: where it ends with one itself, a blank keeps them apart, since HLSL reads `>>` as a shift.
fn template_argument(ty: &str) -> String {
    if ty.ends_with('>') { format!("{ty} ") } else { ty.to_owned() }
}

/// The type of an array in languages that write the outermost length first.
fn outer_array(element: &str, len: u32) -> String {
    match element.split_once('[') {
        Some((element, inner)) => format!("{element}[{len}][{inner}"),
        None => format!("{element}[{len}]"),
    }
}

/// A function for [`Dialect::exported`].
pub struct Exported<'a> {
    /// How host code calls it.
    pub kind: ExportKind,
    /// What others call.
    pub name: &'a str,
    /// The word for the type of its result.
    pub result: String,
    /// Its parameters, in order.
    pub params: Vec<ExportedParam<'a>>,
    /// The function, and the struct that it is a member of, if it is one.
    pub function: &'a str,
    /// The struct of the thread's numbers, if the function wants them.
    pub thread_struct: Option<&'a str>,
    /// The declarators of the variables that a group shares, and their names: what the struct begins with.
    pub shared: Vec<(String, &'a str)>,
    /// A name that means nothing else, for a thread.
    pub thread: String,
}

/// A parameter of an exported function.
pub struct ExportedParam<'a> {
    /// Its name in the code.
    pub name: &'a str,
    /// The word for its type.
    pub ty: String,
    /// How it is passed.
    pub direction: Direction,
    /// Whether there are vectors in it, so that the host's layout may be another than the type's.
    pub holds_vectors: bool,
}

/// An entry point for [`Dialect::kernel`].
pub struct Kernel<'a> {
    /// What the host calls.
    pub entry: String,
    /// Threads per group in x, y and z.
    pub group_size: [u32; 3],
    /// What the host hands in.
    pub params: Vec<KernelParam<'a>>,
    /// The declarators of the variables that a group shares, and their names.
    pub shared: Vec<(String, &'a str)>,
    /// The names of the variables of a thread, and their first values, which may be calls of members.
    pub statics: Vec<Static<'a>>,
    /// What the thread is told beside `builtins`.
    pub told: Vec<Told>,
    /// The stage of the entry point.
    pub stage: ir::module::Stage,
    /// Whether depth and stencil are tested before a fragment's shader runs.
    pub early_tests: bool,
    /// The values that stages hand to each other.
    pub varyings: Vec<KernelVarying>,
    /// Names that mean nothing else: of the structs of what comes in and what goes out, and of their variables.
    pub stage_names: [String; 4],
    /// The member function and, in its parameters' order, what the thread is told.
    pub function: &'a str,
    /// The numbers of threads and groups that it reads.
    pub builtins: Vec<Builtin>,
    /// The struct whose members are what `params` bring, then what is shared.
    pub thread_struct: &'a str,
    /// Names that mean nothing else: the number of the group, of the thread in it, the size of a group, and a thread.
    pub locals: [String; 4],
}

/// A variable of a thread.
pub struct Static<'a> {
    /// Its name in the code.
    pub name: &'a str,
    /// Its first value.
    pub value: String,
    /// Whether the value is a call of a function that is a member of the thread's struct.
    pub calls_member: bool,
}

/// A value that an entry point gets from the stage before it, or hands on.
pub struct KernelVarying {
    /// Its name in the code.
    pub name: SmolStr,
    /// The word for its type.
    pub ty: String,
    /// Whether it is of integers.
    pub is_integer: bool,
    /// What it is.
    pub varying: ir::provision::Varying,
}

/// Something that the machine tells a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// The name of the variable.
    pub name: &'static str,
    /// The word for its type.
    pub ty: &'static str,
    /// By what the machine has it.
    pub attribute: &'static str,
}

/// How a host hands over a uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniforms {
    /// As an address.
    ByPointer,
    /// As it is.
    ByValue,
}

impl Kernel<'_> {
    /// The parameters by which the host hands over what the shader's parameters bring, and the values of the members of the
    /// thread's struct.
    pub fn handed_over(&self, uniforms: Uniforms) -> (Vec<String>, Vec<String>) {
        let handed_over = |param: &KernelParam<'_>| {
            let (name, count) = (param.name, &param.count);
            let constant = |writable: bool| if writable { "" } else { "const " };
            let counted = format!("{{{name}, {count}}}");
            match (&param.kind, uniforms) {
                (KernelParamKind::Elements { ty, writable }, _) => {
                    (format!("{}{ty}* {name}, uint {count}", constant(*writable)), counted)
                }
                (KernelParamKind::Bytes { writable }, _) => {
                    (format!("{}unsigned char* {name}, uint {count}", constant(*writable)), counted)
                }
                (KernelParamKind::Pointer { ty }, _) => (format!("{ty}* {name}"), name.to_owned()),
                (KernelParamKind::Uniform { ty }, Uniforms::ByPointer) => {
                    (format!("const {ty}* {name}"), format!("*{name}"))
                }
                (KernelParamKind::Uniform { ty }, Uniforms::ByValue) => (format!("{ty} {name}"), name.to_owned()),
            }
        };
        let (params, mut values): (Vec<String>, Vec<String>) = self.params.iter().map(handed_over).unzip();
        values.extend(self.shared.iter().map(|(_, name)| (*name).to_owned()));
        (params, values)
    }
}

/// A shader parameter as a parameter of a kernel.
pub struct KernelParam<'a> {
    /// Its name in the code.
    pub name: &'a str,
    /// The parameter that brings the number of elements or bytes.
    pub count: String,
    /// What it holds.
    pub kind: KernelParamKind,
    /// How it is declared, where the language does that in a way of its own.
    pub declaration: String,
}

/// What a parameter of a kernel holds.
pub enum KernelParamKind {
    /// A buffer of elements.
    Elements {
        /// The word for the type of an element.
        ty: String,
        /// Whether the kernel writes it.
        writable: bool,
    },
    /// A buffer of bytes.
    Bytes {
        /// Whether the kernel writes it.
        writable: bool,
    },
    /// One value.
    Uniform {
        /// The word for its type.
        ty: String,
    },
    /// A uniform that is a pointer to values of the type.
    Pointer {
        /// The word for its type.
        ty: String,
    },
}
