//! What Python calls in a program for PyTorch: functions of the host, and kernels with the sizes of their grids.
//!
//! A tensor is a `torch::Tensor`, a vector, a struct and a tuple a `std::tuple`, a matrix a tuple of its rows, an array a
//! `std::array`, which takes any sequence. Kernels get what they take as slangc's hosts give it.

use ir::{Scalar, SpanId, StructId, Type, TypeId, tensor};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::items::Printer;
use crate::tree::{Direction, Function, LocalKind};
use crate::{Export, ExportKind, PythonKernel};

/// The function that tells Python what there is. What stands after the program calls it.
pub(super) const BIND: &str = "bind_functions";

/// How Python sees a type of the program.
struct Seen {
    /// The word for the type of what comes from Python.
    ty: String,
    /// What makes the program's value of the text of Python's.
    from: String,
}

impl Printer<'_> {
    /// The functions that start kernels, for which the program has declarations.
    pub(super) fn write_kernel_starts(&mut self) {
        for export in self.exports {
            let ExportKind::KernelStart(kernel) = &export.kind else { continue };
            let func = &self.module.funcs[export.func];
            let (name, inputs) = (self.function_names[export.func].clone(), func.inputs.clone());
            let mut namer = self.namer.clone();
            let names: Vec<SmolStr> = inputs.iter().map(|input| namer.unique(&input.name)).collect();
            let mut params = Vec::new();
            for (input, name) in inputs.iter().zip(&names) {
                params.push(self.declarator(input.ty, name, func.span));
            }
            let (symbol, names, params) = (&kernel.symbol, names.join(", "), params.join(", "));
            self.out.blank();
            self.out.line(
                func.span,
                &format!(
                    "extern \"C\" void {symbol}();\n\nstatic void {name}({params})\n{{\n    rt::start_kernel((const void*)\
                     &{symbol}, {names});\n}}"
                ),
            );
        }
    }

    /// What Python calls, and the function that tells it so.
    pub(super) fn write_python(&mut self, functions: &[Function]) {
        let mut defined = Vec::new();
        let mut described: Vec<(StructId, SmolStr)> = Vec::new();
        for export in self.exports {
            match &export.kind {
                ExportKind::HostFunction => {
                    let Some(function) = functions.iter().find(|function| function.func == export.func) else {
                        continue;
                    };
                    defined.push(self.host_function(export, function));
                }
                ExportKind::KernelStart(PythonKernel { in_python: true, derivatives, .. }) => {
                    defined.push(self.python_kernel(export));
                    if let Some(derivatives) = derivatives {
                        defined.push(self.function_info(export, derivatives, &mut described));
                    }
                }
                ExportKind::KernelStart(_) | ExportKind::Kernel | ExportKind::DeviceFunction => {}
            }
        }
        if defined.is_empty() {
            return self.error(
                SpanId::NONE,
                "there is nothing for Python: no function has `[TorchEntryPoint]` or `[AutoPyBindCUDA]`".to_owned(),
            );
        }
        let mut next = 0;
        while let Some((id, name)) = described.get(next).cloned() {
            defined.push(self.type_info(id, &name, &mut described));
            next += 1;
        }
        let calls: String = defined.iter().map(|text| format!("    module.def({text});\n")).collect();
        self.out.blank();
        self.out.line(SpanId::NONE, "/// Tells Python what there is.");
        self.out.line(SpanId::NONE, &format!("static void {BIND}(pybind11::module_& module)\n{{\n{calls}}}"));
    }

    /// The wrapper of a function of the host; what is told of it.
    fn host_function(&mut self, export: &Export, function: &Function) -> String {
        let span = function.span;
        let mut params = Vec::new();
        for &param in &function.params {
            let local = &function.locals[param];
            if let LocalKind::Param { direction: Direction::Out | Direction::InOut, .. } = local.kind {
                let message = format!("`{}`: Python cannot take what an `out` parameter returns", export.name);
                self.error(span, message);
            }
            params.push((local.name.clone(), local.ty));
        }
        let call = self.function_names[export.func].clone();
        let (result, body) = match function.result {
            None => ("void".to_owned(), format!("{call}(%)")),
            Some(ty) => {
                let name = self.type_name(ty, span);
                let (seen, value) = self.given_to_python(ty, "result", 0, span);
                (seen, format!("const {name} result = {call}(%);\n    return {value}"))
            }
        };
        self.wrapper(export, &result, &params, &body, span)
    }

    /// The wrapper of a kernel, with the sizes first, the block's in front as in slangc's.
    fn python_kernel(&mut self, export: &Export) -> String {
        let func = &self.module.funcs[export.func];
        let mut params: Vec<(SmolStr, TypeId)> =
            func.inputs.iter().map(|input| (input.name.clone(), input.ty)).collect();
        let (call, span) = (self.function_names[export.func].clone(), func.span);
        let names: Vec<SmolStr> = params.iter().map(|(name, _)| name.clone()).collect();
        params.swap(0, 1);
        // The arguments come in the order of the wrapper; the two sizes change places.
        let [_, _, rest @ ..] = &names[..] else { return String::new() };
        let body = match rest.is_empty() {
            true => format!("{call}(%1, %0)"),
            false => format!("{call}(%1, %0, %2…)"),
        };
        self.wrapper(export, "void", &params, &body, span)
    }

    /// Writes the function that Python calls. In `body`, `%` are the arguments, `%1` one of them and `%2…` those from a
    /// number on.
    fn wrapper(
        &mut self,
        export: &Export,
        result: &str,
        params: &[(SmolStr, TypeId)],
        body: &str,
        span: SpanId,
    ) -> String {
        let mut namer = self.namer.clone();
        let (mut declared, mut arguments, mut keywords) = (Vec::new(), Vec::new(), String::new());
        for (name, ty) in params {
            let in_code = namer.unique(name);
            let seen = self.taken_from_python(*ty, &in_code, name, 0, span);
            declared.push(format!("{} {in_code}", seen.ty));
            arguments.push(seen.from);
            keywords.push_str(&format!(", pybind11::arg(\"{name}\")"));
        }
        let mut text = body.to_owned();
        if text.contains('%') && !text.contains("%0") {
            text = text.replacen('%', &arguments.join(", "), 1);
        } else if let [first, second, rest @ ..] = &arguments[..] {
            text = text.replacen("%0", first, 1).replacen("%1", second, 1).replacen("%2…", &rest.join(", "), 1);
        }
        let name = self.namer.unique(&format!("python_{}", export.name));
        let declared = declared.join(", ");
        self.out.blank();
        self.out.line(
            span,
            &format!(
                "static {result} {name}({declared})\n{{\n    const rt::HeldTensors held_tensors;\n    {text};\n}}"
            ),
        );
        format!("\"{}\", &{name}{keywords}", export.name)
    }

    /// The type by which Python hands in a value, and what makes the program's value of `value`.
    fn taken_from_python(&mut self, ty: TypeId, value: &str, path: &str, depth: usize, span: SpanId) -> Seen {
        let name = self.type_name(ty, span);
        match self.module.types.get(ty) {
            Type::Scalar(scalar) => Seen { ty: python_scalar(scalar, &name), from: scalar_from(scalar, &name, value) },
            Type::Vector { scalar, len } => self.parts_from(&name, vec![scalar; len.into()], value),
            Type::Matrix { scalar, rows, cols } => {
                let row_type = self.dialect.vector(scalar, cols).unwrap_or_default();
                let row = |row: u8| {
                    let parts = vec![scalar; cols.into()];
                    self.parts_from(&row_type, parts, &format!("std::get<{row}>({value})"))
                };
                let (types, values): (Vec<String>, Vec<String>) =
                    (0..rows).map(row).map(|seen| (seen.ty, seen.from)).unzip();
                Seen { ty: format!("std::tuple<{}>", types.join(", ")), from: format!("{name}({})", values.join(", ")) }
            }
            Type::Array { element, len } => {
                let item = format!("element_{depth}");
                let seen = self.taken_from_python(element, &item, path, depth + 1, span);
                let ty = format!("std::array<{}, {len}>", seen.ty);
                let each = format!("[&](const auto& {item}) {{ return {}; }}", seen.from);
                Seen { ty, from: format!("rt::array_of<{name}, {len}>({value}, {each})") }
            }
            Type::Struct(id) => self.struct_from(id, &name, value, path, depth, span),
            Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                let message = format!("`{path}`: Python has no value of this type");
                self.error(span, message);
                Seen { ty: name, from: value.to_owned() }
            }
        }
    }

    fn parts_from(&self, name: &str, parts: Vec<Scalar>, value: &str) -> Seen {
        let word = |scalar: Scalar| self.dialect.scalar(scalar).unwrap_or_default();
        let types: Vec<String> = parts.iter().map(|&scalar| python_scalar(scalar, word(scalar))).collect();
        let part =
            |(at, &scalar): (usize, &Scalar)| scalar_from(scalar, word(scalar), &format!("std::get<{at}>({value})"));
        let values: Vec<String> = parts.iter().enumerate().map(part).collect();
        Seen { ty: format!("std::tuple<{}>", types.join(", ")), from: format!("{name}({})", values.join(", ")) }
    }

    fn struct_from(&mut self, id: StructId, name: &str, value: &str, path: &str, depth: usize, span: SpanId) -> Seen {
        let types = &self.module.types;
        if let Some(view) = tensor::tensor_view(types, id) {
            let kind = self.scalar_type(view.element, path, span);
            return Seen { ty: "torch::Tensor".into(), from: format!("rt::view<{name}>({value}, \"{path}\", {kind})") };
        }
        if tensor::torch_tensor(types, id).is_some() {
            return Seen { ty: "torch::Tensor".into(), from: format!("rt::remember<{name}>({value})") };
        }
        let fields = types.structs[id].fields.clone();
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for (at, field) in fields.iter().enumerate() {
            let path = format!("{path}.{}", field.name);
            let seen = self.taken_from_python(field.ty, &format!("std::get<{at}>({value})"), &path, depth, span);
            types.push(seen.ty);
            values.push(seen.from);
        }
        Seen { ty: format!("std::tuple<{}>", types.join(", ")), from: format!("{name}{{{}}}", values.join(", ")) }
    }

    /// The type by which Python gets a value, and what makes it of the program's `value`.
    fn given_to_python(&mut self, ty: TypeId, value: &str, depth: usize, span: SpanId) -> (String, String) {
        let name = self.type_name(ty, span);
        let tuple = |parts: Vec<(String, String)>| {
            let (types, values): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
            let ty = format!("std::tuple<{}>", types.join(", "));
            let text = format!("{ty}({})", values.join(", "));
            (ty, text)
        };
        let scalar_part = |scalar: Scalar, word: &str, value: String| {
            let ty = python_scalar(scalar, word);
            let value = if scalar == Scalar::F16 { format!("float({value})") } else { value };
            (ty, value)
        };
        match self.module.types.get(ty) {
            Type::Scalar(scalar) => scalar_part(scalar, &name, value.to_owned()),
            Type::Vector { scalar, len } => {
                let word = self.dialect.scalar(scalar).unwrap_or_default();
                tuple((0..len).map(|at| scalar_part(scalar, word, format!("{value}[{at}]"))).collect())
            }
            Type::Matrix { scalar, rows, cols } => {
                let word = self.dialect.scalar(scalar).unwrap_or_default();
                let row = |row: u8| {
                    tuple((0..cols).map(|col| scalar_part(scalar, word, format!("{value}[{row}][{col}]"))).collect())
                };
                tuple((0..rows).map(row).collect())
            }
            Type::Array { element, len } => {
                let item = format!("element_{depth}");
                let (element, each) = self.given_to_python(element, &item, depth + 1, span);
                let ty = format!("std::array<{element}, {len}>");
                let text = format!("rt::array_of<{ty}, {len}>({value}, [&](const auto& {item}) {{ return {each}; }})");
                (ty, text)
            }
            Type::Struct(id) if tensor::torch_tensor(&self.module.types, id).is_some() => {
                ("torch::Tensor".into(), format!("rt::tensor_of({value})"))
            }
            Type::Struct(id) if tensor::tensor_view(&self.module.types, id).is_none() => {
                let fields = self.module.types.structs[id].fields.clone();
                let mut parts = Vec::new();
                for (at, field) in fields.iter().enumerate() {
                    let place = format!("{value}.{}", self.field(id, at));
                    parts.push(self.given_to_python(field.ty, &place, depth, span));
                }
                tuple(parts)
            }
            Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                self.error(span, "Python has no value of the type that this returns".to_owned());
                (name, value.to_owned())
            }
        }
    }

    /// PyTorch's word for the type of a tensor's elements.
    pub(super) fn scalar_type(&mut self, element: TypeId, path: &str, span: SpanId) -> &'static str {
        let scalar = match self.module.types.get(element) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } => Some(scalar),
            Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Struct(_)
            | Type::Sum(_)
            | Type::Handle(_)
            | Type::Opaque(_) => None,
        };
        match scalar {
            Some(Scalar::Bool) => "torch::kBool",
            Some(Scalar::I8) => "torch::kInt8",
            Some(Scalar::U8) => "torch::kUInt8",
            // PyTorch's tensors of unsigned integers are recent: as with slangc, those of the signed ones stand for them.
            Some(Scalar::I16 | Scalar::U16) => "torch::kInt16",
            Some(Scalar::I32 | Scalar::U32) => "torch::kInt32",
            Some(Scalar::I64 | Scalar::U64) => "torch::kInt64",
            Some(Scalar::F16) => "torch::kFloat16",
            Some(Scalar::F32) => "torch::kFloat32",
            Some(Scalar::F64) => "torch::kFloat64",
            None => {
                self.error(span, format!("`{path}`: a tensor of PyTorch has numbers as its elements, or vectors"));
                "torch::kFloat32"
            }
        }
    }

    /// What slangtorch asks of a kernel: the names and types of its parameters, and what its derivatives are called.
    fn function_info(
        &mut self,
        export: &Export,
        derivatives: &[SmolStr; 2],
        described: &mut Vec<(StructId, SmolStr)>,
    ) -> String {
        let inputs = self.module.funcs[export.func].inputs.clone();
        let params = inputs.get(2..).unwrap_or_default();
        let names = ["__blockSize", "__gridSize"].into_iter().chain(params.iter().map(|input| input.name.as_str()));
        let names = quoted(names.map(str::to_owned));
        let types = quoted(params.iter().map(|input| self.described(input.ty, described)));
        let [forward, backward] = derivatives;
        format!(
            "\"__funcinfo__{}\", [] {{ return std::make_tuple({names}, {types}, \"{forward}\", \"{backward}\"); }}",
            export.name
        )
    }

    /// What slangtorch asks of a struct: the names and types of its fields.
    fn type_info(&mut self, id: StructId, name: &str, described: &mut Vec<(StructId, SmolStr)>) -> String {
        let fields = self.module.types.structs[id].fields.clone();
        let names = quoted(fields.iter().map(|field| field.name.to_string()));
        let types = quoted(fields.iter().map(|field| self.described(field.ty, described)));
        format!("\"__typeinfo__{name}\", [] {{ return std::make_tuple({names}, {types}); }}")
    }

    /// The name of a struct for Python, as the source has it without its arguments; empty for other types.
    fn described(&self, ty: TypeId, described: &mut Vec<(StructId, SmolStr)>) -> String {
        let Type::Struct(id) = self.module.types.get(ty) else { return String::new() };
        let types = &self.module.types;
        if tensor::tensor_view(types, id).is_some() || tensor::torch_tensor(types, id).is_some() {
            return String::new();
        }
        if let Some((_, name)) = described.iter().find(|(known, _)| *known == id) {
            return name.to_string();
        }
        let full = types.structs[id].name.as_str();
        let base = full.split('<').next().unwrap_or(full);
        let fields = |id: StructId| types.structs[id].fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        // Instances of one struct look the same to Python.
        let taken: FxHashSet<&str> = described
            .iter()
            .filter(|(other, name)| name == base && fields(*other) != fields(id))
            .map(|(_, name)| name.as_str())
            .collect();
        let name = if taken.is_empty() { SmolStr::new(base) } else { self.struct_names[id].clone() };
        if !described.iter().any(|(_, known)| *known == name) {
            described.push((id, name.clone()));
        }
        name.to_string()
    }
}

/// `std::make_tuple("a", "b")`
fn quoted(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.map(|text| format!("\"{text}\"")).collect();
    format!("std::make_tuple({})", texts.join(", "))
}

/// The type by which Python hands in a number: it has none of 16 bits.
fn python_scalar(scalar: Scalar, word: &str) -> String {
    if scalar == Scalar::F16 { "float".into() } else { word.to_owned() }
}

fn scalar_from(scalar: Scalar, word: &str, value: &str) -> String {
    if scalar == Scalar::F16 { format!("{word}({value})") } else { value.to_owned() }
}
