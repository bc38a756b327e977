//! Everything at the top level of a module, and function headers.

use smol_str::SmolStr;

use super::{
    Parsed, Parser,
    lexer::{TokenKind, ValueName},
};
use crate::{
    Differential, EntryPoint, Field, Func, FuncId, FuncRules, Global, GlobalKind, HandleType, Input, OpaqueType,
    ResultSlot, Role, Scalar, SpanId, StructDef, SumDef, Type,
    abi::LAST,
    assembly::{Assembly, InputPrimitive, Partitioning, PatchDomain, PatchOutput, Topology},
    func::CheckpointPreference,
    module::Stage,
    provision::{
        DataLayout, Interpolation, Message, ParameterRole, Provision, Rate, Register, RegisterClass, Sampling,
        SystemValue, Varying, VaryingPlace,
    },
    types::{Matrices, SumVariant},
};

/// `f32`, `f32x3`, `f32x3x4`.
pub(super) fn numeric_type(word: &str) -> Option<Type> {
    let mut parts = word.split('x');
    let scalar = Scalar::from_word(parts.next()?)?;
    let mut side = || match parts.next() {
        None => Some(None),
        Some(digits) => digits.parse::<u8>().ok().map(Some),
    };
    match (side()?, side()?) {
        (None, _) => Some(Type::Scalar(scalar)),
        (Some(len), None) => Some(Type::Vector { scalar, len }),
        (Some(rows), Some(cols)) => Some(Type::Matrix { scalar, rows, cols }),
    }
    .filter(|_| parts.next().is_none())
}

impl Parser<'_> {
    /// Makes an empty struct, sum or function for each declaration, so that items can name later ones.
    pub(super) fn declare(&mut self) -> Parsed<()> {
        let mut depth = 0;
        for index in 0..self.tokens.len() {
            let token = &self.tokens[index].kind;
            match token {
                TokenKind::Punctuation("{") => depth += 1,
                TokenKind::Punctuation("}") => depth -= 1,
                _ => {}
            }
            let TokenKind::Word(word) = token else { continue };
            if depth != 0 {
                continue;
            }
            let new = match (word.as_str(), self.tokens.get(index + 1).map(|token| &token.kind)) {
                ("struct", Some(TokenKind::Struct(name))) => {
                    let def = StructDef { name: name.clone(), fields: Vec::new(), differential: None };
                    let Type::Struct(id) = ({
                        let ty = self.module.types.add_struct(def);
                        self.module.types.get(ty)
                    }) else {
                        continue;
                    };
                    self.structs.insert(name.clone(), id).is_none()
                }
                ("sum", Some(TokenKind::Sum(name))) => {
                    let def =
                        SumDef { name: name.clone(), variants: Vec::new(), payload_bytes: None, differential: None };
                    let id = self.module.types.sums.add(def);
                    self.sums.insert(name.clone(), id).is_none()
                }
                ("func", Some(TokenKind::At(name))) => {
                    let func = Func::declaration(name.clone(), Vec::new(), Vec::new(), SpanId::NONE);
                    let id = self.module.funcs.alloc(func);
                    self.funcs.insert(name.clone(), id).is_none()
                }
                _ => true,
            };
            if !new {
                return self.error_at(index + 1, "the name is declared twice");
            }
        }
        Ok(())
    }

    /// Reads all items but the bodies of functions; returns the tokens at which those start.
    pub(super) fn items(&mut self) -> Parsed<Vec<(FuncId, usize)>> {
        let mut bodies = Vec::new();
        while *self.peek() != TokenKind::End {
            let word = self.word()?;
            match word.as_str() {
                "struct" => self.struct_item()?,
                "sum" => self.sum_item()?,
                "global" => self.global_item()?,
                "func" => {
                    let func = self.func_header()?;
                    if self.at("{") {
                        bodies.push((func, self.next));
                        self.skip_braces()?;
                    }
                }
                "entry" => self.entry_item()?,
                _ => return self.error_before("`struct`, `sum`, `global`, `func` or `entry` expected"),
            }
        }
        Ok(bodies)
    }

    fn skip_braces(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            match self.advance() {
                TokenKind::Punctuation("{") => depth += 1,
                TokenKind::Punctuation("}") => depth -= 1,
                TokenKind::End => return self.error("`}` expected"),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn matrices(&mut self) -> Matrices {
        let said =
            Matrices::ALL.into_iter().find(|matrices| *matrices != Matrices::AsUsual && self.eat_word(matrices.word()));
        said.unwrap_or_default()
    }

    fn struct_item(&mut self) -> Parsed<()> {
        let id = match self.advance() {
            TokenKind::Struct(name) => self.structs[&name],
            _ => return self.error_before("`$` and the name of a struct expected"),
        };
        self.expect("{")?;
        let fields = self.list("}", |p| {
            let name = p.name()?;
            p.expect(":")?;
            let ty = p.ty()?;
            let no_diff = p.eat_word("no_diff");
            Ok(Field { name, ty, no_diff, matrices: p.matrices(), is_gap: p.eat_word("gap") })
        })?;
        self.module.types.structs[id].fields = fields;
        if self.eat_word("differential") {
            let ty = self.ty()?;
            self.expect("(")?;
            let fields = self.list(")", |p| if p.eat_word("_") { Ok(None) } else { p.unsigned().map(Some) })?;
            let dadd = if self.eat_word("dadd") { Some(self.func_ref()?) } else { None };
            let dzero = if self.eat_word("dzero") { Some(self.func_ref()?) } else { None };
            self.module.types.structs[id].differential = Some(Differential { ty, fields, dadd, dzero });
        }
        Ok(())
    }

    fn sum_item(&mut self) -> Parsed<()> {
        let id = match self.advance() {
            TokenKind::Sum(name) => self.sums[&name],
            _ => return self.error_before("`!` and the name of a sum expected"),
        };
        self.expect("{")?;
        let variants = self.list("}", |p| {
            let id = p.unsigned()?;
            p.expect(":")?;
            Ok(SumVariant { ty: p.ty()?, id })
        })?;
        self.module.types.sums[id].variants = variants;
        if self.eat_word("payload") {
            self.module.types.sums[id].payload_bytes = Some(self.unsigned()?);
        }
        if self.eat_word("differential") {
            self.module.types.sums[id].differential = Some(self.ty()?);
        }
        Ok(())
    }

    fn global_item(&mut self) -> Parsed<()> {
        let name = match self.advance() {
            TokenKind::At(name) => name,
            _ => return self.error_before("`@` and the name of a global expected"),
        };
        let name_token = self.next - 1;
        self.expect(":")?;
        let ty = self.ty()?;
        let word = self.word()?;
        let kind = match word.as_str() {
            "parameter" => GlobalKind::Parameter,
            "groupshared" => GlobalKind::GroupShared,
            "static" => {
                let has_init = matches!(self.peek(), TokenKind::At(_));
                GlobalKind::Static { init: if has_init { Some(self.func_ref()?) } else { None } }
            }
            _ => return self.error_before("`parameter`, `static` or `groupshared` expected"),
        };
        let provision = self.provision()?;
        let by_descriptor = self.eat_word("descriptor");
        let id = self.module.globals.alloc(Global { name: name.clone(), ty, kind, provision, by_descriptor });
        if self.globals.insert(name, id).is_some() {
            return self.error_at(name_token, "the name is declared twice");
        }
        Ok(())
    }

    fn provision(&mut self) -> Parsed<Provision> {
        let mut provision = Provision::default();
        if self.eat_word("uniform") {
            provision.role = ParameterRole::Uniform;
        } else if self.eat_word("entry_data") {
            provision.role = ParameterRole::Entry(self.unsigned()?);
        } else if self.eat_word("entry_own") {
            provision.role = ParameterRole::EntryOwn(self.unsigned()?);
        } else if self.eat_word("push") {
            provision.role = ParameterRole::PushConstant;
        } else if self.eat_word("record") {
            provision.role = ParameterRole::ShaderRecord;
        } else if self.eat_word("specialization") {
            provision.role = ParameterRole::Specialization(None);
        } else if self.eat_word("constant") {
            provision.role = ParameterRole::Specialization(Some(self.unsigned()?));
        } else if self.eat_word("heap") {
            provision.role = ParameterRole::Heap;
        } else if self.eat_word("unknown") {
            provision.role = ParameterRole::Unknown;
        }
        provision.varying = self.varying()?;
        provision.matrices = self.matrices();
        provision.is_coherent = self.eat_word("coherent");
        provision.is_ordered = self.eat_word("ordered");
        provision.has_texture_buffer = self.eat_word("texture_buffer");
        if self.eat_word("format") {
            provision.format = Some(self.word()?);
        }
        if self.eat_word("binding") {
            let binding = self.unsigned()?;
            self.expect(",")?;
            provision.binding = Some((binding, self.unsigned()?));
        }
        while self.eat_word("register") {
            let class = self.word()?.chars().next().and_then(RegisterClass::from_letter);
            let Some(class) = class else { return self.error_before("`b`, `t`, `u` or `s` expected") };
            self.expect(",")?;
            let index = self.unsigned()?;
            self.expect(",")?;
            provision.registers.push(Register { class, index, space: self.unsigned()? });
        }
        if self.eat_word("space") {
            provision.space = Some(self.unsigned()?);
        }
        while self.eat_word("block") {
            self.expect("{")?;
            provision.blocks.push(self.list("}", |p| p.unsigned())?);
        }
        for (word, layout) in
            [("scalar", DataLayout::Scalar), ("std140", DataLayout::Std140), ("std430", DataLayout::Std430)]
        {
            if self.eat_word(word) {
                provision.layout = Some(layout);
            }
        }
        Ok(provision)
    }

    fn varying(&mut self) -> Parsed<Option<Varying>> {
        let is_output = self.eat_word("output");
        if !is_output && !self.eat_word("input") {
            return Ok(None);
        }
        let semantic = self.name()?;
        let place = match self.eat_word("location") {
            true => VaryingPlace::Location(self.unsigned()?),
            false if self.eat_word("payload") => VaryingPlace::Message(Message::RayPayload(self.unsigned()?)),
            false if self.eat_word("data") => VaryingPlace::Message(Message::CallableData(self.unsigned()?)),
            false if self.eat_word("mesh_payload") => VaryingPlace::Message(Message::MeshPayload),
            false if self.eat_word("attributes") => VaryingPlace::Message(Message::HitAttributes),
            false => {
                let word = self.word()?;
                match SystemValue::ALL.iter().copied().find(|value| value.word() == word) {
                    Some(value) => VaryingPlace::System(value),
                    None => return self.error_before("`location` or a value of the pipeline expected"),
                }
            }
        };
        let interpolation = match () {
            () if self.eat_word("linear") => Interpolation::Linear,
            () if self.eat_word("flat") => Interpolation::Flat,
            () if self.eat_word("vertices") => Interpolation::Vertices,
            () => Interpolation::Perspective,
        };
        let sampling = match () {
            () if self.eat_word("centroid") => Sampling::Centroid,
            () if self.eat_word("sample") => Sampling::Sample,
            () => Sampling::Center,
        };
        let is_second_source = self.eat_word("second");
        let rate = Rate::ALL.into_iter().find(|rate| self.eat_word(rate.word())).unwrap_or_default();
        let whole = if self.eat_word("of") { Some(self.name()?) } else { None };
        Ok(Some(Varying { is_output, semantic, place, interpolation, sampling, is_second_source, rate, whole }))
    }

    fn entry_item(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let func = self.func_ref()?;
        let Some(stage) = Stage::from_word(&self.word()?) else {
            return self.error_before("a shader stage expected");
        };
        let mut group_size = [1; 3];
        for (index, size) in group_size.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *size = self.unsigned()?;
        }
        let wave_size = if self.eat_word("wave") { Some(self.unsigned()?) } else { None };
        let early_fragment_tests = self.eat_word("early_tests");
        let assembly = self.assembly()?;
        let entry = EntryPoint { name, func, stage, group_size, wave_size, early_fragment_tests, assembly };
        self.module.entry_points.push(entry);
        Ok(())
    }

    fn assembly(&mut self) -> Parsed<Assembly> {
        Ok(match () {
            () if self.eat_word("geometry") => Assembly::Geometry {
                input: self.known(InputPrimitive::from_word)?,
                output: self.known(Topology::from_word)?,
                max_vertices: self.unsigned()?,
                instances: self.unsigned()?,
            },
            () if self.eat_word("mesh") => Assembly::Mesh {
                output: self.known(Topology::from_word)?,
                max_vertices: self.unsigned()?,
                max_primitives: self.unsigned()?,
            },
            () if self.eat_word("hull") => Assembly::Hull {
                domain: self.known(PatchDomain::from_word)?,
                partitioning: self.known(Partitioning::from_word)?,
                output: self.known(PatchOutput::from_word)?,
                control_points: self.unsigned()?,
                max_factor: match self.eat_word("factor_bits") {
                    true => Some(f32::from_bits(self.unsigned()?)),
                    false => None,
                },
                patch_constants: self.func_ref()?,
            },
            () if self.eat_word("domain") => Assembly::Domain {
                domain: self.known(PatchDomain::from_word)?,
                partitioning: Partitioning::ALL.iter().copied().find(|known| self.eat_word(known.word())),
                output: PatchOutput::ALL.iter().copied().find(|known| self.eat_word(known.word())),
            },
            () => Assembly::None,
        })
    }

    /// A word that means something.
    fn known<T>(&mut self, from_word: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        match from_word(&self.word()?) {
            Some(known) => Ok(known),
            None => self.error_before("a word of a pipeline's stage expected"),
        }
    }

    fn func_header(&mut self) -> Parsed<FuncId> {
        let id = self.func_ref()?;
        self.expect("(")?;
        let mut number = 0;
        let inputs = self.list(")", |p| {
            let name = match p.advance() {
                TokenKind::Value(ValueName::Number(name) | ValueName::Text(name)) => name,
                _ => return p.error_before("`%` and the name of an input expected"),
            };
            p.expect(":")?;
            let ty = p.ty()?;
            let differentiable = p.eat_word("diff");
            let marked = p.eat_word("no_diff");
            let place = p.place_of_param(number)?;
            number += 1;
            Ok((Input { name, ty, differentiable, place, span: SpanId::NONE }, marked))
        })?;
        let (inputs, marked_inputs) = with_marks(inputs);
        self.expect("->")?;
        self.expect("(")?;
        let results = self.list(")", |p| {
            let (role, name) = p.role(&inputs)?;
            p.expect(":")?;
            let ty = p.ty()?;
            let differentiable = p.eat_word("diff");
            let marked = p.eat_word("no_diff");
            let place = match role {
                Role::InOut(input) => inputs[input as usize].place,
                _ => p.place_of_param(LAST)?,
            };
            Ok((ResultSlot { name, ty, differentiable, role, place }, marked))
        })?;
        let is_precise = self.eat_word("precise");
        let mut rules = self.rules()?;
        let (results, marked_results) = with_marks(results);
        (rules.marked_inputs, rules.marked_results) = (marked_inputs, marked_results);
        let func = &mut self.module.funcs[id];
        (func.inputs, func.results, func.rules, func.is_precise) = (inputs, results, rules, is_precise);
        Ok(id)
    }

    /// What a result is, and its name: `return`, the bare name of an `out` parameter, or a word in front of the name.
    fn role(&mut self, inputs: &[Input]) -> Parsed<(Role, SmolStr)> {
        let word: SmolStr = self.name()?;
        if matches!(self.peek(), TokenKind::Punctuation(":")) {
            return Ok((if word == "return" { Role::Return } else { Role::Out }, word));
        }
        let role = match word.as_str() {
            "inout" => {
                let TokenKind::Value(ValueName::Number(name) | ValueName::Text(name)) = self.advance() else {
                    return self.error_before("`%` and the name of an input expected");
                };
                return match inputs.iter().position(|input| input.name == name) {
                    Some(input) => Ok((Role::InOut(input as u32), name)),
                    None => self.error_before("the name of an input expected"),
                };
            }
            "out" => Role::Out,
            "failed" => Role::Failed,
            "error" => Role::Error,
            "residuals" => Role::Residuals,
            "tangent" => Role::Tangent(self.unsigned()?),
            "cotangent" => Role::Cotangent(self.unsigned()?),
            _ => return self.error_before("`:` or what the result is expected"),
        };
        Ok((role, self.name()?))
    }

    /// Where a parameter stands: `at 2`, `at last`, or where it usually does.
    fn place_of_param(&mut self, usual: u32) -> Parsed<u32> {
        if !self.eat_word("at") {
            return Ok(usual);
        }
        if self.eat_word("last") { Ok(LAST) } else { self.unsigned() }
    }

    fn rules(&mut self) -> Parsed<FuncRules> {
        let mut rules = FuncRules::default();
        loop {
            let TokenKind::Word(word) = self.peek().clone() else { return Ok(rules) };
            let known = match word.as_str() {
                "primal_substitute" | "forward" | "backward" => {
                    self.advance();
                    let func = Some(self.func_ref()?);
                    match word.as_str() {
                        "primal_substitute" => rules.primal_substitute = func,
                        "forward" => rules.forward = func,
                        _ => rules.backward = func,
                    }
                    continue;
                }
                "treat_as_differentiable" => &mut rules.treat_as_differentiable,
                "read_none" => &mut rules.read_none,
                "forward_differentiable" => &mut rules.forward_differentiable,
                "backward_differentiable" => &mut rules.backward_differentiable,
                word => match CheckpointPreference::from_word(word) {
                    Some(preference) => {
                        rules.checkpoint = preference;
                        self.advance();
                        continue;
                    }
                    // The next item.
                    None => return Ok(rules),
                },
            };
            *known = true;
            self.advance();
        }
    }

    /// A type that is not a number: handles and opaque types.
    pub(super) fn named_type(&mut self, word: &str) -> Parsed<Type> {
        let handle = match word {
            "buffer" | "rwbuffer" => {
                HandleType::StructuredBuffer { element: self.type_argument()?, writable: word == "rwbuffer" }
            }
            "bytes" | "rwbytes" => HandleType::ByteAddressBuffer { writable: word == "rwbytes" },
            "texels" | "rwtexels" => {
                HandleType::TexelBuffer { element: self.type_argument()?, writable: word == "rwtexels" }
            }
            "constant" => HandleType::ConstantBuffer { content: self.type_argument()? },
            "variable" => HandleType::Variable { content: self.type_argument()? },
            "pointer" => HandleType::Pointer { pointee: self.type_argument()? },
            "address" => HandleType::Address { pointee: self.type_argument()? },
            "texture" => self.texture_type()?,
            "sampler" => HandleType::Sampler { comparison: false },
            "comparison_sampler" => HandleType::Sampler { comparison: true },
            "scene" => HandleType::AccelerationStructure,
            "ray_query" => {
                self.expect("<")?;
                let flags = self.unsigned()?;
                self.expect(">")?;
                HandleType::RayQuery { flags }
            }
            "opaque" => {
                self.expect("<")?;
                let id = self.unsigned()?;
                let differentiable = self.eat(",");
                if differentiable {
                    self.expect_word("differentiable")?;
                }
                self.expect(">")?;
                return Ok(Type::Opaque(OpaqueType { id, differentiable }));
            }
            _ => return self.error_before(format!("there is no type `{word}`")),
        };
        Ok(Type::Handle(handle))
    }

    fn type_argument(&mut self) -> Parsed<crate::TypeId> {
        self.expect("<")?;
        let ty = self.ty()?;
        self.expect(">")?;
        Ok(ty)
    }

    fn texture_type(&mut self) -> Parsed<HandleType> {
        self.expect("<")?;
        let element = self.ty()?;
        self.expect(",")?;
        let dims = self.unsigned()?;
        let (mut array, mut multisampled, mut cube, mut writable) = (false, false, false, false);
        while self.eat(",") {
            let word = self.word()?;
            *match word.as_str() {
                "array" => &mut array,
                "multisampled" => &mut multisampled,
                "cube" => &mut cube,
                "writable" => &mut writable,
                _ => return self.error_before("`array`, `multisampled`, `cube` or `writable` expected"),
            } = true;
        }
        self.expect(">")?;
        Ok(HandleType::Texture { element, dims, array, multisampled, cube, writable })
    }
}

/// Inputs or results, and the numbers of those that are marked.
fn with_marks<T>(slots: Vec<(T, bool)>) -> (Vec<T>, Vec<u32>) {
    let marked = (0..).zip(&slots).filter(|(_, (_, marked))| *marked).map(|(index, _)| index).collect();
    (slots.into_iter().map(|(slot, _)| slot).collect(), marked)
}
