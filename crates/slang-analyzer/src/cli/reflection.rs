//! `emit --reflection`: what a host has to know to run the code, as JSON in the shape of slangc's `-reflection-json`.
//! `docs/src/using/reflection.md` is the contract.

mod varyings;

use codegen::{Bound, Emitted, ExportKind, KernelParameter, Parameter, Reflection, Target, memory::Rules};
use hir_def::body::DerivativeOperator;
use ide::driver::{ExportedRoot, Kernel, Mode, Program};
use ir::provision::{ParameterRole, RegisterClass, VaryingPlace};
use ir::types::Matrices;
use ir::{Builtin, EntryPoint, HandleType, Module, Op, Scalar, StructId, Type, TypeId, module::Stage};
use serde_json::{Map, Value, json};

/// The document for the code of a target.
///
/// # Errors
/// What the target cannot have.
pub fn document(program: &Program, target: Target, emitted: &Emitted) -> Result<Value, Vec<codegen::EmitError>> {
    let Reflection { module, parameters } = codegen::reflect(&program.module, target, emitted)?;
    let writer = Writer { module: &module };
    // What shaders share with those that they start, a host has no part in.
    let varying = |parameter: &Parameter| {
        let varying = module.globals[parameter.global].provision.varying.clone();
        varying.filter(|varying| !matches!(varying.place, VaryingPlace::Message(_)))
    };
    let of_entry = |entry: Option<u32>| -> Vec<Value> {
        let parameters = parameters.iter().filter(|parameter| parameter.entry == entry && varying(parameter).is_none());
        parameters.map(|parameter| writer.parameter(parameter)).collect()
    };
    let entry_points = module.entry_points.iter().enumerate().map(|(index, entry)| {
        let mut document = Map::new();
        document.insert("name".into(), entry.name.as_str().into());
        document.insert("stage".into(), entry.stage.word().into());
        let mut own = writer.thread_parameters(entry);
        let mut outputs = Vec::new();
        for parameter in parameters.iter().filter(|parameter| parameter.entry == Some(index as u32)) {
            match varying(parameter) {
                Some(varying) => {
                    let list = if varying.is_output { &mut outputs } else { &mut own };
                    list.push(writer.varying(entry, &module.globals[parameter.global], &varying));
                }
                None => own.push(writer.parameter(parameter)),
            }
        }
        if let Some(result) = Writer::result(outputs) {
            document.insert("result".into(), result);
        }
        document.insert("parameters".into(), own.into());
        if entry.stage == Stage::Compute {
            document.insert("threadGroupSize".into(), json!(entry.group_size));
        }
        let used = parameters.iter().filter(|parameter| parameter.entry.is_none()).map(|parameter| {
            let mut document = writer.bound(parameter);
            document["binding"]["used"] = u32::from(parameter.is_used).into();
            document
        });
        document.insert("bindings".into(), used.collect());
        match target {
            Target::Cpp => document.insert("symbol".into(), format!("run_{}", entry.name).into()),
            // No function of Metal has this name.
            Target::Metal if entry.name == "main" => document.insert("symbol".into(), "main_0".into()),
            _ => document.insert("symbol".into(), entry.name.as_str().into()),
        };
        if let Some(kernel) = program.kernels.iter().find(|kernel| kernel.func == entry.func) {
            document.insert("kernel".into(), writer.kernel(kernel));
        }
        Value::Object(document)
    });
    let entry_points: Vec<Value> = entry_points.collect();
    Ok(json!({"parameters": of_entry(None), "entryPoints": entry_points}))
}

/// The kernels with a name of their own that CUDA was written for. Their parameters are those of the source.
pub fn cuda_kernels(program: &Program) -> Vec<Value> {
    let writer = Writer { module: &program.module };
    let kernels = program.exports.iter().filter(|exported| exported.export.kind == ExportKind::Kernel);
    let kernels = kernels.map(|ExportedRoot { function, operators, export }| {
        let parameters = codegen::kernel_parameters(&program.module, export.func);
        let parameters = parameters.into_iter().map(
            |KernelParameter { name, ty }| json!({"name": name.as_str(), "type": writer.data_type(ty, Rules::Packed)}),
        );
        let mode = match operators.as_slice() {
            [] => Mode::Primal,
            [DerivativeOperator::Forward] => Mode::Forward,
            [DerivativeOperator::Backward] => Mode::Backward,
            // Nobody asks for others.
            _ => return None,
        };
        Some(json!({
            "name": function.as_str(),
            "mode": mode.name(),
            "symbol": export.name.as_str(),
            "parameters": parameters.collect::<Vec<_>>(),
        }))
    });
    kernels.flatten().collect()
}

struct Writer<'a> {
    module: &'a Module,
}

impl Writer<'_> {
    fn parameter(&self, parameter: &Parameter) -> Value {
        let mut document = self.bound(parameter);
        document["type"] = self.parameter_type(parameter);
        if self.module.globals[parameter.global].provision.is_ordered && document["type"]["kind"] == "resource" {
            document["type"]["access"] = "rasterOrdered".into();
        }
        document
    }

    /// The name of a parameter, and where it is.
    fn bound(&self, parameter: &Parameter) -> Value {
        let global = &self.module.globals[parameter.global];
        let mut document = json!({"name": global.name.as_str(), "binding": self.binding(parameter, parameter.bound)});
        let parts = parameter.parts.iter().filter_map(|(path, bound)| {
            Some(json!({"name": self.path_name(parameter, path)?, "binding": self.binding(parameter, *bound)}))
        });
        let parts: Vec<Value> = parts.collect();
        if !parts.is_empty() {
            document["parts"] = parts.into();
        }
        document
    }

    /// `block.field` without the block; `None` for what is no field.
    fn path_name(&self, parameter: &Parameter, path: &[u32]) -> Option<String> {
        let mut ty = self.module.globals[parameter.global].ty;
        let (mut names, mut path) = (Vec::new(), path.iter());
        loop {
            ty = match self.module.types.get(ty) {
                Type::Array { element, .. } => element,
                Type::Handle(HandleType::ConstantBuffer { content }) if !path.as_slice().is_empty() => content,
                Type::Struct(id) if !path.as_slice().is_empty() => {
                    let field = self.module.types.structs[id].fields.get(*path.next()? as usize)?.clone();
                    names.push(field.name.to_string());
                    field.ty
                }
                _ => break,
            };
        }
        (!names.is_empty()).then(|| names.join("."))
    }

    fn binding(&self, parameter: &Parameter, bound: Bound) -> Value {
        let global = &self.module.globals[parameter.global];
        let in_space = |kind: &str, space: u32, index: u32| match space {
            0 => json!({"kind": kind, "index": index}),
            _ => json!({"kind": kind, "space": space, "index": index}),
        };
        match bound {
            Bound::Register { class, space, index } => in_space(register(class), space, index),
            Bound::Descriptor { set, binding } => in_space("descriptorTableSlot", set, binding),
            Bound::Specialization { number } => json!({"kind": "specializationConstant", "index": number}),
            Bound::PushConstant => json!({"kind": "pushConstantBuffer", "index": 0}),
            Bound::ShaderRecord => json!({"kind": "shaderRecord", "index": 0}),
            Bound::Bytes { offset, size } => {
                let stride = content(self.module, global.ty).map_or(0, |ty| self.element_stride(ty, parameter.rules));
                json!({"kind": "uniform", "offset": offset, "size": size, "elementStride": stride})
            }
            Bound::Argument { index } => json!({"kind": "argument", "index": index}),
            Bound::Nowhere => json!({"kind": "none"}),
        }
    }

    fn parameter_type(&self, parameter: &Parameter) -> Value {
        let (ty, rules) = (self.module.globals[parameter.global].ty, parameter.rules);
        let is_data = matches!(
            self.module.globals[parameter.global].provision.role,
            ParameterRole::Uniform | ParameterRole::Entry(_)
        );
        let is_array = |ty| matches!(self.module.types.get(ty), Type::Array { .. });
        if let (Bound::Specialization { .. }, Type::Handle(HandleType::Variable { content })) =
            (parameter.bound, self.module.types.get(ty))
        {
            let mut document = self.data_type(content, rules);
            document.as_object_mut().map(|document| document.remove("sizes"));
            return document;
        }
        let matrices = self.module.globals[parameter.global].provision.matrices;
        let data_type = |ty, rules| as_in_source(self.data_type(ty, rules), matrices);
        match content(self.module, ty) {
            // An array of buffers or textures.
            Some(content) if is_array(content) && self.module.types.holds_handles(content) => data_type(content, rules),
            // Data that the target keeps in a buffer of its own making, or hands over by itself.
            Some(content) if is_data => data_type(content, rules),
            Some(content) => {
                let element = data_type(content, rules);
                let size = rules.layout(&self.module.types, content).map_or(0, |layout| layout.size);
                let binding = json!({"kind": "uniform", "offset": 0, "size": size, "elementStride": 0});
                json!({
                    "kind": if parameter.is_block { "parameterBlock" } else { "constantBuffer" },
                    "elementType": element.clone(),
                    "elementVarLayout": {"type": element, "binding": binding},
                })
            }
            None => data_type(ty, rules),
        }
    }

    /// A type, with its fields and sizes as they are in memory.
    fn data_type(&self, ty: TypeId, rules: Rules) -> Value {
        let types = &self.module.types;
        let mut document = match types.get(ty) {
            Type::Scalar(scalar) => json!({"kind": "scalar", "scalarType": scalar_name(scalar)}),
            Type::Vector { scalar, len } => {
                json!({"kind": "vector", "elementCount": len, "elementType": scalar_type(scalar)})
            }
            Type::Matrix { scalar, rows, cols } => {
                json!({"kind": "matrix", "rowCount": rows, "columnCount": cols, "elementType": scalar_type(scalar)})
            }
            Type::Array { element, len } => {
                let mut document =
                    json!({"kind": "array", "elementCount": len, "elementType": self.data_type(element, rules)});
                if let Some(element) = rules.layout(types, element) {
                    document["uniformStride"] = rules.stride(element).into();
                }
                document
            }
            Type::Struct(id) => self.structure(id, rules),
            Type::Sum(id) => json!({"kind": "interface", "name": types.sums[id].name.as_str()}),
            Type::Handle(handle) => return self.resource(handle, rules),
            Type::Opaque(_) => json!({"kind": "none"}),
        };
        if let Some(layout) = rules.layout(types, ty).filter(|layout| layout.size > 0) {
            document["sizes"] = json!([{"kind": "uniform", "value": layout.size, "alignment": layout.align}]);
        }
        document
    }

    fn structure(&self, id: StructId, rules: Rules) -> Value {
        let types = &self.module.types;
        let def = types.structs[id].clone();
        let fields = def.fields.iter().enumerate().filter(|(_, field)| !field.is_gap).map(|(index, field)| {
            let mut document = json!({"name": field.name.as_str(), "type": as_in_source(self.data_type(field.ty, rules), field.matrices)});
            if let (Some(offset), Some(layout)) =
                (rules.field_offset(types, id, index), rules.field(types, field.ty).filter(|field| field.size > 0))
            {
                let stride = self.element_stride(field.ty, rules);
                document["binding"] =
                    json!({"kind": "uniform", "offset": offset, "size": layout.size, "elementStride": stride});
            }
            document
        });
        let name = def.name.trim_end_matches(ir::columns::TWIN);
        json!({"kind": "struct", "name": name, "fields": fields.collect::<Vec<_>>()})
    }

    /// The distance of components or elements in memory, 0 of what has none.
    fn element_stride(&self, ty: TypeId, rules: Rules) -> u32 {
        match self.module.types.get(ty) {
            Type::Vector { scalar, .. } => scalar.bits() / 8,
            Type::Array { element, .. } => {
                rules.layout(&self.module.types, element).map_or(0, |element| rules.stride(element))
            }
            _ => 0,
        }
    }

    fn resource(&self, handle: HandleType, rules: Rules) -> Value {
        let resource = |shape: String, writable: bool, result: Option<Value>| {
            let mut document = json!({"kind": "resource", "baseShape": shape});
            if writable {
                document["access"] = "readWrite".into();
            }
            if let Some(result) = result {
                document["resultType"] = result;
            }
            document
        };
        match handle {
            HandleType::StructuredBuffer { element, writable } => {
                resource("structuredBuffer".into(), writable, Some(self.data_type(element, rules)))
            }
            HandleType::ByteAddressBuffer { writable } => resource("byteAddressBuffer".into(), writable, None),
            HandleType::TexelBuffer { element, writable } => {
                resource("textureBuffer".into(), writable, Some(self.data_type(element, rules)))
            }
            HandleType::Texture { element, dims, array, multisampled, cube, writable } => {
                let shape = if cube { "textureCube".to_owned() } else { format!("texture{dims}D") };
                // Texels are not in memory that has a layout.
                let mut texel = self.data_type(element, rules);
                texel.as_object_mut().map(|texel| texel.remove("sizes"));
                let mut document = resource(shape, writable, Some(texel));
                for (is_so, word) in [(array, "array"), (multisampled, "multisample")] {
                    if is_so {
                        document[word] = true.into();
                    }
                }
                document
            }
            HandleType::ConstantBuffer { content } | HandleType::Variable { content } => {
                json!({"kind": "constantBuffer", "elementType": self.data_type(content, rules)})
            }
            HandleType::Pointer { pointee } | HandleType::Address { pointee } => {
                let name = match self.module.types.get(pointee) {
                    Type::Struct(id) => json!(self.module.types.structs[id].name.trim_end_matches(ir::columns::TWIN)),
                    _ => self.data_type(pointee, rules.behind_pointers()),
                };
                json!({"kind": "pointer", "valueType": name,
                       "sizes": [{"kind": "uniform", "value": 8, "alignment": 8}]})
            }
            HandleType::Sampler { .. } => json!({"kind": "samplerState"}),
            HandleType::AccelerationStructure => resource("accelerationStructure".into(), false, None),
            HandleType::RayQuery { .. } => json!({"kind": "struct", "name": "RayQuery", "fields": []}),
        }
    }

    /// What an entry point is told about its thread. The names that the source has for these are not known here.
    fn thread_parameters(&self, entry: &EntryPoint) -> Vec<Value> {
        let ops = self.module.funcs[entry.func].ops.iter();
        let mut builtins: Vec<(Builtin, TypeId)> = Vec::new();
        for (_, data) in ops {
            if let (Op::Builtin(builtin), Some(&result)) = (&data.op, data.results.first())
                && !builtins.iter().any(|(known, _)| known == builtin)
            {
                builtins.push((*builtin, self.module.funcs[entry.func].ty(result)));
            }
        }
        let parameter = |(builtin, ty)| {
            let (name, semantic) = match builtin {
                Builtin::DispatchThreadId => ("dispatchThreadID", "SV_DISPATCHTHREADID"),
                Builtin::GroupThreadId => ("groupThreadID", "SV_GROUPTHREADID"),
                Builtin::GroupId => ("groupID", "SV_GROUPID"),
                Builtin::GroupIndex => ("groupIndex", "SV_GROUPINDEX"),
            };
            let mut ty = self.data_type(ty, Rules::Cpp);
            ty["sizes"] = json!([]);
            json!({"name": name, "semanticName": semantic, "type": ty})
        };
        builtins.into_iter().map(parameter).collect()
    }

    /// What a kernel computes, and which of its parameters is what.
    fn kernel(&self, kernel: &Kernel) -> Value {
        let parameters = kernel.parameters.iter().map(|parameter| {
            let direction = match (parameter.is_read, parameter.is_written) {
                (true, true) => "inout",
                (false, true) => "out",
                (_, false) => "in",
            };
            json!({
                "name": self.module.globals[parameter.global].name.as_str(),
                "of": parameter.of.as_ref().map(|of| of.as_str()),
                "part": parameter.part.name(),
                "direction": direction,
                "element": parameter.is_element,
            })
        });
        json!({
            "function": kernel.function.as_str(),
            "mode": kernel.mode.name(),
            "parameters": parameters.collect::<Vec<_>>(),
        })
    }
}

fn content(module: &Module, ty: TypeId) -> Option<TypeId> {
    match module.types.get(ty) {
        Type::Handle(HandleType::ConstantBuffer { content }) => Some(content),
        _ => None,
    }
}

fn register(class: RegisterClass) -> &'static str {
    match class {
        RegisterClass::Constant => "constantBuffer",
        RegisterClass::Read => "shaderResource",
        RegisterClass::Write => "unorderedAccess",
        RegisterClass::Sampler => "samplerState",
    }
}

fn scalar_type(scalar: Scalar) -> Value {
    json!({"kind": "scalar", "scalarType": scalar_name(scalar)})
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U8 => "uint8",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
        Scalar::F16 => "float16",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
    }
}

/// The type of a matrix as the source has it, where memory has the transposed one.
fn as_in_source(mut document: Value, matrices: Matrices) -> Value {
    if matrices != Matrices::Transposed {
        return document;
    }
    let mut part = &mut document;
    loop {
        let inner =
            ["elementType", "resultType"].into_iter().find(|key| part["kind"] != "matrix" && part.get(*key).is_some());
        match inner {
            Some(key) => part = &mut part[key],
            None => break,
        }
    }
    if part["kind"] == "matrix" {
        let (rows, columns) = (part["rowCount"].take(), part["columnCount"].take());
        (part["rowCount"], part["columnCount"]) = (columns, rows);
    }
    document
}
