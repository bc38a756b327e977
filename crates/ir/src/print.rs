//! The text form of a module: deterministic, readable, and read back by [`crate::parse`].
//!
//! ```text
//! struct $Ray { origin: f32x3, t: f32, flags: u32 no_diff } differential $Ray.D (0, 1, _) dadd @add dzero @zero
//! struct $Ray.D { origin: f32x3, t: f32 }
//! sum !IShape { 0: $Circle, 7: $Square } payload 16 differential !IShape.D
//! global @out: rwbuffer<f32> parameter binding 0, 1
//! global @cache: variable<[f32; 64]> groupshared
//! global @seed: variable<u32> static @seed_init
//!
//! func @square(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
//!   %y: f32 = mul %x, %x
//!   return %y
//! }
//!
//! func @sum(%n: i32) -> (return: i32) {
//!   %0: i32 = const 0
//!   %i: i32, %s: i32 = loop (%0, %0) max_iters 16 cond (%i.2: i32, %s.2: i32) {
//!     %1: bool = lt %i.2, %n
//!     yield %1
//!   } body (%i.3: i32, %s.3: i32) {
//!     %2: i32 = add %s.3, %i.3
//!     %3: i32 = const 1
//!     %4: i32 = add %i.3, %3
//!     yield %4, %2
//!   }
//!   return %s
//! }
//!
//! entry main @main compute 8, 1, 1
//! ```
//!
//! Types: scalars (`f32`), vectors (`f32x3`), matrices (`f32x3x4`: rows, columns), arrays (`[f32; 4]`), structs (`$S`),
//! sums (`!I`), handles (`buffer<T>`, `rwbuffer<T>`, `bytes`, `rwbytes`, `texels<T>`, `rwtexels<T>`, `constant<T>`,
//! `variable<T>`, `pointer<T>`, `texture<T, dims, flags…>`, `sampler`, `comparison_sampler`), and
//! `opaque<id>`, `opaque<id, differentiable>`.
//!
//! Values are `%name` where the user's name is known, else numbered in order of appearance; a name that occurs again
//! gets a suffix. Names that are not identifiers (with `.` and `'`) are quoted: `@"f<float, 3>"`. Paths are written
//! after what they start from: `extract %p[0][%i]`, `store %buffer[%i], %v`. Source spans are not part of the text.

use std::fmt::{self, Write as _};

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};

use crate::{
    Callee, Constant, Func, FuncId, GlobalKind, HandleType, Module, Op, OpId, PathStep, RegionId, Role, StructDef,
    SumDef, Terminator, Type, TypeId, ValueId,
    abi::LAST,
    assembly::Assembly,
    func::CheckpointPreference,
    op::LoopBound,
    provision::{
        DataLayout, Interpolation, Message, ParameterRole, Provision, Rate, Register, Sampling, Varying, VaryingPlace,
    },
    types::{Matrices, TypeTable},
};

fn print_provision(out: &mut String, provision: &Provision) {
    match provision.role {
        ParameterRole::Own => {}
        ParameterRole::Uniform => out.push_str(" uniform"),
        ParameterRole::Entry(entry) => {
            let _ = write!(out, " entry_data {entry}");
        }
        ParameterRole::EntryOwn(entry) => {
            let _ = write!(out, " entry_own {entry}");
        }
        ParameterRole::PushConstant => out.push_str(" push"),
        ParameterRole::ShaderRecord => out.push_str(" record"),
        ParameterRole::Specialization(None) => out.push_str(" specialization"),
        ParameterRole::Specialization(Some(id)) => {
            let _ = write!(out, " constant {id}");
        }
        ParameterRole::Heap => out.push_str(" heap"),
        ParameterRole::Unknown => out.push_str(" unknown"),
    }
    if let Some(varying) = &provision.varying {
        let Varying { is_output, semantic, place, interpolation, sampling, is_second_source, rate, whole } = varying;
        let _ = write!(out, " {} {}", if *is_output { "output" } else { "input" }, quoted(semantic));
        let _ = match place {
            VaryingPlace::Location(location) => write!(out, " location {location}"),
            VaryingPlace::System(value) => write!(out, " {}", value.word()),
            VaryingPlace::Message(Message::RayPayload(number)) => write!(out, " payload {number}"),
            VaryingPlace::Message(Message::CallableData(number)) => write!(out, " data {number}"),
            VaryingPlace::Message(Message::HitAttributes) => write!(out, " attributes"),
            VaryingPlace::Message(Message::MeshPayload) => write!(out, " mesh_payload"),
        };
        out.push_str(match interpolation {
            Interpolation::Perspective => "",
            Interpolation::Linear => " linear",
            Interpolation::Flat => " flat",
            Interpolation::Vertices => " vertices",
        });
        out.push_str(match sampling {
            Sampling::Center => "",
            Sampling::Centroid => " centroid",
            Sampling::Sample => " sample",
        });
        if *is_second_source {
            out.push_str(" second");
        }
        if *rate != Rate::Invocation {
            let _ = write!(out, " {}", rate.word());
        }
        if let Some(whole) = whole {
            let _ = write!(out, " of {}", quoted(whole));
        }
    }
    if provision.matrices != Matrices::AsUsual {
        let _ = write!(out, " {}", provision.matrices.word());
    }
    if provision.is_coherent {
        out.push_str(" coherent");
    }
    if provision.is_ordered {
        out.push_str(" ordered");
    }
    if provision.has_texture_buffer {
        out.push_str(" texture_buffer");
    }
    if let Some(format) = &provision.format {
        let _ = write!(out, " format {format}");
    }
    if let Some((binding, set)) = provision.binding {
        let _ = write!(out, " binding {binding}, {set}");
    }
    for Register { class, index, space } in &provision.registers {
        let _ = write!(out, " register {}, {index}, {space}", class.letter());
    }
    if let Some(space) = provision.space {
        let _ = write!(out, " space {space}");
    }
    for path in &provision.blocks {
        let steps: Vec<String> = path.iter().map(u32::to_string).collect();
        let _ = write!(out, " block {{{}}}", steps.join(", "));
    }
    match provision.layout {
        None => {}
        Some(DataLayout::Scalar) => out.push_str(" scalar"),
        Some(DataLayout::Std140) => out.push_str(" std140"),
        Some(DataLayout::Std430) => out.push_str(" std430"),
    }
}

/// The whole module.
pub fn print_module(module: &Module) -> String {
    let mut out = String::new();
    for (_, def) in module.types.structs.iter() {
        print_struct(&mut out, module, def);
    }
    for (_, def) in module.types.sums.iter() {
        print_sum(&mut out, module, def);
    }
    for (_, global) in module.globals.iter() {
        let _ = write!(out, "global @{}: {}", quoted(&global.name), TypeText(&module.types, global.ty));
        match global.kind {
            GlobalKind::Parameter => out.push_str(" parameter"),
            GlobalKind::GroupShared => out.push_str(" groupshared"),
            GlobalKind::Static { init } => {
                out.push_str(" static");
                if let Some(init) = init {
                    let _ = write!(out, " {}", FuncName(module, init));
                }
            }
        }
        print_provision(&mut out, &global.provision);
        if global.by_descriptor {
            out.push_str(" descriptor");
        }
        out.push('\n');
    }
    for (id, _) in module.funcs.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&print_func(module, id));
    }
    if !module.entry_points.is_empty() {
        out.push('\n');
    }
    for entry in &module.entry_points {
        let [x, y, z] = entry.group_size;
        let name = quoted(&entry.name);
        let func = FuncName(module, entry.func);
        let wave = entry.wave_size.map_or(String::new(), |size| format!(" wave {size}"));
        let early = if entry.early_fragment_tests { " early_tests" } else { "" };
        let _ = write!(out, "entry {name} {func} {} {x}, {y}, {z}{wave}{early}", entry.stage.word());
        print_assembly(&mut out, module, &entry.assembly);
        out.push('\n');
    }
    out
}

fn print_assembly(out: &mut String, module: &Module, assembly: &Assembly) {
    let _ = match assembly {
        Assembly::None => Ok(()),
        Assembly::Geometry { input, output, max_vertices, instances } => {
            write!(out, " geometry {} {} {max_vertices} {instances}", input.word(), output.word())
        }
        Assembly::Mesh { output, max_vertices, max_primitives } => {
            write!(out, " mesh {} {max_vertices} {max_primitives}", output.word())
        }
        Assembly::Hull { domain, partitioning, output, control_points, max_factor, patch_constants } => {
            let (domain, partitioning, output) = (domain.word(), partitioning.word(), output.word());
            let factor = max_factor.map_or(String::new(), |factor| format!(" factor_bits {}", factor.to_bits()));
            let func = FuncName(module, *patch_constants);
            write!(out, " hull {domain} {partitioning} {output} {control_points}{factor} {func}")
        }
        Assembly::Domain { domain, partitioning, output } => {
            let partitioning = partitioning.map_or(String::new(), |word| format!(" {}", word.word()));
            let output = output.map_or(String::new(), |word| format!(" {}", word.word()));
            write!(out, " domain {}{partitioning}{output}", domain.word())
        }
    };
}

/// One function of a module.
pub fn print_func(module: &Module, id: FuncId) -> String {
    let func = &module.funcs[id];
    let mut printer = Printer { module, func, names: ValueNames::of(func), out: String::new() };
    printer.header();
    match func.body {
        None => printer.out.push('\n'),
        Some(body) => {
            printer.out.push_str(" {\n");
            printer.regions(body);
            printer.out.push_str("}\n");
        }
    }
    printer.out
}

/// A type as the text form writes it.
pub fn print_type(types: &TypeTable, ty: TypeId) -> String {
    TypeText(types, ty).to_string()
}

/// The name of each value of a function in the text form, without `%`.
pub struct ValueNames {
    names: Vec<SmolStr>,
}

impl ValueNames {
    /// Names each value of a function, those that the user named by that name.
    pub fn of(func: &Func) -> ValueNames {
        let mut names = vec![SmolStr::default(); func.values.len()];
        let mut taken = FxHashSet::default();
        let mut next_number = 0;
        let mut give = |value: ValueId, wanted: Option<&SmolStr>| {
            let slot = &mut names[value_index(value)];
            if !slot.is_empty() {
                return;
            }
            *slot = match wanted {
                None => {
                    next_number += 1;
                    format_smolstr!("{}", next_number - 1)
                }
                Some(wanted) => quoted(&unique(wanted, &mut taken)),
            };
        };
        if let Some(body) = func.body {
            for (index, &value) in func.regions[body].params.iter().enumerate() {
                let name = func.inputs.get(index).map(|input| &input.name).or(func.values[value].name.as_ref());
                give(value, name);
            }
            visit_definitions(func, body, |value| give(value, func.values[value].name.as_ref()));
        }
        // What is used without a definition is an error that the verifier reports; it still has to print.
        for (index, (_, value)) in func.values.iter().enumerate() {
            if names[index].is_empty() {
                let wanted = value.name.as_deref().unwrap_or("undefined");
                names[index] = quoted(&unique(wanted, &mut taken));
            }
        }
        ValueNames { names }
    }

    /// The name without the `%` in front of it.
    pub fn get(&self, value: ValueId) -> &str {
        &self.names[value_index(value)]
    }
}

fn value_index(value: ValueId) -> usize {
    value.into_raw().into_u32() as usize
}

/// The body's values in the order in which the text defines them: results before what is nested in their op.
fn visit_definitions(func: &Func, body: RegionId, mut visit: impl FnMut(ValueId)) {
    let mut stack: Vec<(RegionId, usize)> = vec![(body, 0)];
    while let Some((region, next)) = stack.pop() {
        let data = &func.regions[region];
        if next == 0 {
            data.params.iter().copied().for_each(&mut visit);
        }
        let Some(&op) = data.ops.get(next) else { continue };
        stack.push((region, next + 1));
        func.ops[op].results.iter().copied().for_each(&mut visit);
        stack.extend(func.ops[op].op.regions().into_iter().rev().map(|region| (region, 0)));
    }
}

/// `wanted`, with a suffix if it is taken.
fn unique(wanted: &str, taken: &mut FxHashSet<SmolStr>) -> SmolStr {
    let mut name = SmolStr::new(wanted);
    let mut suffix = 2;
    while !taken.insert(name.clone()) {
        name = format_smolstr!("{wanted}.{suffix}");
        suffix += 1;
    }
    name
}

/// `name`, in quotes unless it is a word of the text form.
pub(crate) fn quoted(name: &str) -> SmolStr {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\''));
    if is_word { name.into() } else { format_smolstr!("{}", StringText(name)) }
}

/// A string literal of the text form.
struct StringText<'a>(&'a str);

impl std::fmt::Display for StringText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

struct FuncName<'a>(&'a Module, FuncId);

impl std::fmt::Display for FuncName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "@{}", quoted(&self.0.funcs[self.1].name))
    }
}

struct TypeText<'a>(&'a TypeTable, TypeId);

impl std::fmt::Display for TypeText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let types = self.0;
        match types.get(self.1) {
            Type::Scalar(scalar) => f.write_str(scalar.word()),
            Type::Vector { scalar, len } => write!(f, "{}x{len}", scalar.word()),
            Type::Matrix { scalar, rows, cols } => write!(f, "{}x{rows}x{cols}", scalar.word()),
            Type::Array { element, len } => write!(f, "[{}; {len}]", TypeText(types, element)),
            Type::Struct(id) => write!(f, "${}", quoted(&types.structs[id].name)),
            Type::Sum(id) => write!(f, "!{}", quoted(&types.sums[id].name)),
            Type::Opaque(opaque) if opaque.differentiable => write!(f, "opaque<{}, differentiable>", opaque.id),
            Type::Opaque(opaque) => write!(f, "opaque<{}>", opaque.id),
            Type::Handle(handle) => match handle {
                HandleType::StructuredBuffer { element, writable } => {
                    write!(f, "{}buffer<{}>", rw(writable), TypeText(types, element))
                }
                HandleType::ByteAddressBuffer { writable } => write!(f, "{}bytes", rw(writable)),
                HandleType::TexelBuffer { element, writable } => {
                    write!(f, "{}texels<{}>", rw(writable), TypeText(types, element))
                }
                HandleType::ConstantBuffer { content } => write!(f, "constant<{}>", TypeText(types, content)),
                HandleType::Variable { content } => write!(f, "variable<{}>", TypeText(types, content)),
                HandleType::Pointer { pointee } => write!(f, "pointer<{}>", TypeText(types, pointee)),
                HandleType::Address { pointee } => write!(f, "address<{}>", TypeText(types, pointee)),
                HandleType::Texture { element, dims, array, multisampled, cube, writable } => {
                    write!(f, "texture<{}, {dims}", TypeText(types, element))?;
                    for (set, word) in [
                        (array, ", array"),
                        (multisampled, ", multisampled"),
                        (cube, ", cube"),
                        (writable, ", writable"),
                    ] {
                        f.write_str(if set { word } else { "" })?;
                    }
                    f.write_char('>')
                }
                HandleType::Sampler { comparison: false } => f.write_str("sampler"),
                HandleType::Sampler { comparison: true } => f.write_str("comparison_sampler"),
                HandleType::AccelerationStructure => f.write_str("scene"),
                HandleType::RayQuery { flags } => write!(f, "ray_query<{flags}>"),
            },
        }
    }
}

fn rw(writable: bool) -> &'static str {
    if writable { "rw" } else { "" }
}

fn print_struct(out: &mut String, module: &Module, def: &StructDef) {
    let _ = write!(out, "struct ${} {{", quoted(&def.name));
    for (index, field) in def.fields.iter().enumerate() {
        out.push_str(if index == 0 { " " } else { ", " });
        let _ = write!(out, "{}: {}", quoted(&field.name), TypeText(&module.types, field.ty));
        if field.no_diff {
            out.push_str(" no_diff");
        }
        if field.matrices != Matrices::AsUsual {
            let _ = write!(out, " {}", field.matrices.word());
        }
        if field.is_gap {
            out.push_str(" gap");
        }
    }
    out.push_str(" }");
    if let Some(differential) = &def.differential {
        let _ = write!(out, " differential {} (", TypeText(&module.types, differential.ty));
        for (index, field) in differential.fields.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            match field {
                Some(field) => {
                    let _ = write!(out, "{field}");
                }
                None => out.push('_'),
            }
        }
        out.push(')');
        for (word, func) in [("dadd", differential.dadd), ("dzero", differential.dzero)] {
            if let Some(func) = func {
                let _ = write!(out, " {word} {}", FuncName(module, func));
            }
        }
    }
    out.push('\n');
}

fn print_sum(out: &mut String, module: &Module, def: &SumDef) {
    let _ = write!(out, "sum !{} {{", quoted(&def.name));
    for (index, variant) in def.variants.iter().enumerate() {
        out.push_str(if index == 0 { " " } else { ", " });
        let _ = write!(out, "{}: {}", variant.id, TypeText(&module.types, variant.ty));
    }
    out.push_str(" }");
    if let Some(bytes) = def.payload_bytes {
        let _ = write!(out, " payload {bytes}");
    }
    if let Some(differential) = def.differential {
        let _ = write!(out, " differential {}", TypeText(&module.types, differential));
    }
    out.push('\n');
}

struct Printer<'a> {
    module: &'a Module,
    func: &'a Func,
    names: ValueNames,
    out: String,
}

/// ` at 2`: where a parameter stands, if that is not where it usually does.
struct PlaceText {
    place: u32,
    usual: u32,
}

impl fmt::Display for PlaceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            place if place == self.usual => Ok(()),
            LAST => f.write_str(" at last"),
            place => write!(f, " at {place}"),
        }
    }
}

/// What is still to be printed; nested regions are printed from a stack, so that deep nesting needs no deep recursion.
enum Work {
    Region { region: RegionId, next: usize, depth: usize },
    Text(String),
}

impl Printer<'_> {
    fn header(&mut self) {
        let (module, func) = (self.module, self.func);
        let _ = write!(self.out, "func @{}(", quoted(&func.name));
        let mut taken = FxHashSet::default();
        let mut names = Vec::new();
        for (index, input) in func.inputs.iter().enumerate() {
            let name = match func.input_values().get(index) {
                Some(&value) => SmolStr::new(self.names.get(value)),
                None => quoted(&unique(&input.name, &mut taken)),
            };
            let comma = if index == 0 { "" } else { ", " };
            let diff = carrying_word(input.differentiable, &func.rules.marked_inputs, index);
            let place = PlaceText { place: input.place, usual: index as u32 };
            let _ = write!(self.out, "{comma}%{name}: {}{diff}{place}", TypeText(&module.types, input.ty));
            names.push(name);
        }
        self.out.push_str(") -> (");
        for (index, result) in func.results.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let diff = carrying_word(result.differentiable, &func.rules.marked_results, index);
            let ty = TypeText(&module.types, result.ty);
            let place = PlaceText { place: result.place, usual: LAST };
            let word = match result.role {
                Role::InOut(input) => {
                    let name = names.get(input as usize).map_or("?", SmolStr::as_str);
                    let _ = write!(self.out, "{comma}inout %{name}: {ty}{diff}");
                    continue;
                }
                Role::Return => {
                    let _ = write!(self.out, "{comma}return: {ty}{diff}{place}");
                    continue;
                }
                // Bare, it would be the return value.
                Role::Out if result.name == "return" => "out ".into(),
                Role::Out => String::new(),
                Role::Failed => "failed ".into(),
                Role::Error => "error ".into(),
                Role::Residuals => "residuals ".into(),
                Role::Tangent(result) => format!("tangent {result} "),
                Role::Cotangent(input) => format!("cotangent {input} "),
            };
            let _ = write!(self.out, "{comma}{word}{}: {ty}{diff}{place}", quoted(&result.name));
        }
        self.out.push(')');
        if func.is_precise {
            self.out.push_str(" precise");
        }
        let rules = &func.rules;
        for (word, callee) in
            [("primal_substitute", rules.primal_substitute), ("forward", rules.forward), ("backward", rules.backward)]
        {
            if let Some(callee) = callee {
                let _ = write!(self.out, " {word} {}", FuncName(module, callee));
            }
        }
        for (set, word) in [
            (rules.treat_as_differentiable, "treat_as_differentiable"),
            (rules.read_none, "read_none"),
            (rules.forward_differentiable, "forward_differentiable"),
            (rules.backward_differentiable, "backward_differentiable"),
            (rules.checkpoint != CheckpointPreference::None, rules.checkpoint.word()),
        ] {
            if set {
                let _ = write!(self.out, " {word}");
            }
        }
    }

    fn regions(&mut self, body: RegionId) {
        let mut stack = vec![Work::Region { region: body, next: 0, depth: 1 }];
        while let Some(work) = stack.pop() {
            match work {
                Work::Text(text) => self.out.push_str(&text),
                Work::Region { region, next, depth } => match self.func.regions[region].ops.get(next) {
                    None => {
                        self.indent(depth);
                        self.terminator(&self.func.regions[region].terminator);
                    }
                    Some(&op) => {
                        stack.push(Work::Region { region, next: next + 1, depth });
                        self.indent(depth);
                        self.op(op, depth, &mut stack);
                    }
                },
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    fn terminator(&mut self, terminator: &Terminator) {
        self.out.push_str(match terminator {
            Terminator::Yield(_) => "yield",
            Terminator::Return(_) => "return",
            Terminator::Break(_) => "break",
            Terminator::Continue(_) => "continue",
            Terminator::Unreachable => "unreachable",
        });
        for (index, &value) in terminator.values().iter().enumerate() {
            self.out.push_str(if index == 0 { " " } else { ", " });
            self.value(value);
        }
        self.out.push('\n');
    }

    fn value(&mut self, value: ValueId) {
        self.out.push('%');
        self.out.push_str(self.names.get(value));
    }

    /// `%a, %b`
    fn values(&mut self, values: &[ValueId]) {
        for (index, &value) in values.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.value(value);
        }
    }

    /// `%a: T, %b: U`
    fn typed_values(&mut self, values: &[ValueId]) {
        for (index, &value) in values.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.value(value);
            let _ = write!(self.out, ": {}", TypeText(&self.module.types, self.func.ty(value)));
        }
    }

    /// `word %a, %b`
    fn simple(&mut self, word: &str, operands: &[ValueId]) {
        self.out.push_str(word);
        self.out.push(' ');
        self.values(operands);
    }

    /// `word(%a, %b)`
    fn listed(&mut self, word: &str, operands: &[ValueId]) {
        self.out.push_str(word);
        self.out.push('(');
        self.values(operands);
        self.out.push(')');
    }

    /// `word %base[0][%i]`
    fn place(&mut self, word: &str, base: ValueId, path: &[PathStep]) {
        self.simple(word, &[base]);
        for &step in path {
            self.out.push('[');
            match step {
                PathStep::Const(index) => {
                    let _ = write!(self.out, "{index}");
                }
                PathStep::Dynamic(value) => self.value(value),
            }
            self.out.push(']');
        }
    }

    /// `, %a, %b`
    fn further(&mut self, operands: &[ValueId]) {
        for &operand in operands {
            self.out.push_str(", ");
            self.value(operand);
        }
    }

    /// ` advice unroll`
    fn advice(&mut self, id: OpId) {
        if let Some(advice) = self.func.ops[id].advice {
            let _ = write!(self.out, " advice {}", advice.word());
        }
    }

    fn op(&mut self, id: OpId, depth: usize, stack: &mut Vec<Work>) {
        let func = self.func;
        let data = &func.ops[id];
        if !data.results.is_empty() {
            self.typed_values(&data.results);
            self.out.push_str(" = ");
        }
        match &data.op {
            Op::Const(constant) => self.constant(*constant),
            Op::Zero => self.out.push_str("zero"),
            Op::Undef => self.out.push_str("undef"),
            Op::Unary(op, operand) => self.simple(op.word(), &[*operand]),
            Op::Binary(op, left, right) => self.simple(op.word(), &[*left, *right]),
            Op::Math(function, args) => self.listed(function.word(), args),
            Op::Convert(operand) => self.simple("convert", &[*operand]),
            Op::Bitcast(operand) => self.simple("bitcast", &[*operand]),
            Op::Select { cond, then, otherwise } => self.simple("select", &[*cond, *then, *otherwise]),
            Op::Detach(operand) => self.simple("detach", &[*operand]),
            Op::Forget(operand) => self.simple("forget", &[*operand]),
            Op::Make(parts) => self.listed("make", parts),
            Op::Splat(operand) => self.simple("splat", &[*operand]),
            Op::Extract { aggregate, path } => self.place("extract", *aggregate, path),
            Op::Insert { aggregate, path, value } => {
                self.place("insert", *aggregate, path);
                self.further(&[*value]);
            }
            Op::Swizzle { vector, components } => {
                self.simple("swizzle", &[*vector]);
                let components: Vec<String> = components.iter().map(u8::to_string).collect();
                let _ = write!(self.out, "[{}]", components.join(", "));
            }
            Op::Call { callee, args, no_diff } => self.call(*callee, args, *no_diff),
            Op::If { cond, then, otherwise } => {
                self.simple("if", &[*cond]);
                self.advice(id);
                self.out.push(' ');
                self.nested(vec![(String::new(), *then), (" else ".into(), *otherwise)], depth, stack);
                return;
            }
            Op::Switch { selector, cases, default } => {
                self.simple("switch", &[*selector]);
                self.advice(id);
                self.out.push(' ');
                self.nested(switch_regions(cases, *default), depth, stack);
                return;
            }
            Op::Loop { init, cond, body, bound } => {
                self.listed("loop ", init);
                let LoopBound { max_iters, force_unroll, inferred } = *bound;
                for (word, bound) in [("max_iters", max_iters), ("force_unroll", force_unroll), ("inferred", inferred)]
                {
                    if let Some(bound) = bound {
                        let _ = write!(self.out, " {word} {bound}");
                    }
                }
                self.advice(id);
                self.nested(vec![(" cond ".into(), *cond), (" body ".into(), *body)], depth, stack);
                return;
            }
            Op::Global(global) => {
                let _ = write!(self.out, "global @{}", quoted(&self.module.globals[*global].name));
            }
            Op::Builtin(builtin) => {
                let _ = write!(self.out, "builtin {}", builtin.word());
            }
            Op::Load { handle, path } => self.place("load", *handle, path),
            Op::Store { handle, path, value } => {
                self.place("store", *handle, path);
                self.further(&[*value]);
            }
            Op::Atomic { op, handle, path, operands } => {
                let _ = write!(self.out, "atomic {}", op.word());
                self.place("", *handle, path);
                self.further(operands);
            }
            Op::ByteLoad { handle, offset } => self.simple("byte_load", &[*handle, *offset]),
            Op::ByteStore { handle, offset, value } => self.simple("byte_store", &[*handle, *offset, *value]),
            Op::ByteAtomic { op, handle, offset, operands } => {
                let _ = write!(self.out, "byte_atomic {}", op.word());
                self.simple("", &[*handle, *offset]);
                self.further(operands);
            }
            Op::BufferLength { handle } => self.simple("buffer_length", &[*handle]),
            Op::Intrinsic { intrinsic, args } => {
                let _ = write!(self.out, "intrinsic {intrinsic}");
                self.listed("", args);
            }
            Op::Barrier { control: true } => self.out.push_str("barrier"),
            Op::Barrier { control: false } => self.out.push_str("memory_barrier"),
            Op::Print { format, args } => {
                let _ = write!(self.out, "print {}", StringText(format));
                self.listed("", args);
            }
            Op::SumMake { variant, value } => {
                let _ = write!(self.out, "sum_make {variant}");
                self.further(&[*value]);
            }
            Op::SumMatch { sum, variants, null } => {
                self.simple("sum_match", &[*sum]);
                self.out.push(' ');
                self.nested(variant_regions(variants, *null), depth, stack);
                return;
            }
            Op::SumTag(sum) => self.simple("sum_tag", &[*sum]),
        }
        self.out.push('\n');
    }

    fn call(&mut self, callee: Callee, args: &[ValueId], no_diff: bool) {
        self.out.push_str(if no_diff { "call no_diff " } else { "call " });
        let callee = match callee {
            Callee::Func(callee) => callee,
            Callee::Derivative(kind, callee) => {
                let _ = write!(self.out, "{} ", kind.word());
                callee
            }
        };
        let _ = write!(self.out, "{}", FuncName(self.module, callee));
        self.listed("", args);
    }

    fn constant(&mut self, constant: Constant) {
        let _ = match constant {
            Constant::Bool(value) => write!(self.out, "const {value}"),
            Constant::Int(value) => write!(self.out, "const {value}"),
            Constant::Float(value) if value.is_nan() => write!(self.out, "const nan"),
            Constant::Float(value) => write!(self.out, "const {value:?}"),
        };
    }

    /// Schedules `before (params) { … }` for each region, then the end of the line.
    fn nested(&mut self, regions: Vec<(String, RegionId)>, depth: usize, stack: &mut Vec<Work>) {
        let mut work = Vec::new();
        for (before, region) in regions {
            let mut head = std::mem::replace(&mut self.out, before);
            let params = &self.func.regions[region].params;
            if !params.is_empty() {
                self.out.push('(');
                self.typed_values(params);
                self.out.push_str(") ");
            }
            self.out.push_str("{\n");
            std::mem::swap(&mut head, &mut self.out);
            work.push(Work::Text(head));
            work.push(Work::Region { region, next: 0, depth: depth + 1 });
            work.push(Work::Text(format!("{}}}", "  ".repeat(depth))));
        }
        work.push(Work::Text("\n".into()));
        stack.extend(work.into_iter().rev());
    }
}

#[cfg(test)]
#[path = "tests/print.rs"]
mod tests;

/// What is said of an input or result after its type.
fn carrying_word(differentiable: bool, marked: &[u32], index: usize) -> &'static str {
    match (differentiable, marked.contains(&(index as u32))) {
        (true, _) => " diff",
        (false, true) => " no_diff",
        (false, false) => "",
    }
}

/// The regions of a `switch`, each with the words before it.
fn switch_regions(cases: &[(SmallVec<[i64; 2]>, RegionId)], default: RegionId) -> Vec<(String, RegionId)> {
    let mut regions: Vec<(String, RegionId)> = Vec::new();
    for (index, (values, region)) in cases.iter().enumerate() {
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        let space = if index == 0 { "" } else { " " };
        regions.push((format!("{space}case {} ", values.join(", ")), *region));
    }
    regions.push((format!("{}default ", if cases.is_empty() { "" } else { " " }), default));
    regions
}

/// The regions of a `sum_match`, each with the words before it.
fn variant_regions(variants: &[RegionId], null: Option<RegionId>) -> Vec<(String, RegionId)> {
    let mut regions: Vec<(String, RegionId)> = Vec::new();
    for (index, &region) in variants.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        regions.push((format!("{space}variant "), region));
    }
    if let Some(null) = null {
        regions.push((format!("{}null ", if variants.is_empty() { "" } else { " " }), null));
    }
    regions
}
