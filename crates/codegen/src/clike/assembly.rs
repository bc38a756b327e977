//! Entry points of geometry, mesh, hull and domain shaders in languages where what they take and give is in their signature:
//! the variables that are parts of one parameter are the fields of a struct, of which there are several.

use ir::assembly::{Assembly, InputPrimitive, Topology};
use ir::module::Stage;
use ir::provision::{Message, ParameterRole, Rate, SystemValue, Varying, VaryingPlace};
use ir::{Callee, FuncId, GlobalId, HandleType, Op, SpanId, Type, TypeId};
use smol_str::{SmolStr, format_smolstr};

use super::Stages;
use super::items::Printer;
use super::stages::{is_unknown_to_direct3d, modifiers};
use crate::legalise::for_each_op;
use crate::tree::{Expr, ExprKind, Function, Step};

/// A parameter of an entry point of which there are several, or that vertices are appended to.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    /// The number of the entry point.
    entry: u32,
    /// What the source calls the parameter, and what the code does.
    of: SmolStr,
    name: SmolStr,
    /// The struct of its elements.
    element: SmolStr,
    /// The variable that holds the next vertex of a stream.
    vertex: SmolStr,
    rate: Rate,
    is_output: bool,
    /// The variables that it consists of, each with the name of its field.
    parts: Vec<(GlobalId, SmolStr)>,
}

impl Whole {
    /// Whether its elements are numbers of vertices, which are no structs.
    fn holds_numbers(&self, p: &Printer<'_>) -> bool {
        let [(only, _)] = &self.parts[..] else { return false };
        let varying = p.module.globals[*only].provision.varying.as_ref();
        varying.is_some_and(|varying| varying.place == VaryingPlace::System(SystemValue::PrimitiveVertices))
    }
}

impl Printer<'_> {
    /// Finds the parameters of which there are several, and names them.
    pub(super) fn survey_wholes(&mut self) {
        if self.dialect.stages() != Stages::Signature {
            return;
        }
        for id in self.globals.clone() {
            let provision = &self.module.globals[id].provision;
            let (Some(Varying { whole: Some(of), rate, is_output, .. }), ParameterRole::EntryOwn(entry)) =
                (&provision.varying, provision.role)
            else {
                continue;
            };
            let known = |whole: &Whole| whole.entry == entry && whole.of == *of && whole.is_output == *is_output;
            let at = match self.wholes.iter().position(known) {
                Some(at) => at,
                None => {
                    let name = self.namer.unique(of);
                    let element = self.namer.unique(&format!("{name}_Element"));
                    let vertex = self.namer.unique(&format!("{name}_vertex"));
                    let (of, rate, is_output) = (of.clone(), *rate, *is_output);
                    let parts = Vec::new();
                    self.wholes.push(Whole { entry, of, name, element, vertex, rate, is_output, parts });
                    self.wholes.len() - 1
                }
            };
            let original = &self.module.globals[id].name;
            let field = original.strip_prefix(self.wholes[at].of.as_str()).and_then(|rest| rest.strip_prefix('_'));
            let mut namer = self.dialect.namer();
            self.wholes[at].parts.iter().for_each(|(_, field)| namer.reserve(field));
            let field = namer.unique(field.filter(|field| !field.is_empty()).unwrap_or(original));
            self.wholes[at].parts.push((id, field));
        }
        self.survey_threaded();
    }

    /// Which functions append to a stream, themselves or through others: it is a parameter of theirs.
    fn survey_threaded(&mut self) {
        for &id in &self.legal.functions {
            let func = &self.module.funcs[id];
            let mut found: Vec<usize> = Vec::new();
            for_each_op(func, |op| match &func.ops[op].op {
                Op::Global(global) => found.extend(self.whole_of(*global)),
                Op::Call { callee: Callee::Func(callee), .. } => {
                    found.extend(self.threaded.get(*callee).into_iter().flatten());
                }
                _ => {}
            });
            found.sort_unstable();
            found.dedup();
            let is_entry = self.module.entry_points.iter().any(|entry| entry.functions().any(|func| func == id));
            if !is_entry && let Some(&at) = found.iter().find(|at| self.wholes[**at].rate != Rate::Appended) {
                let (of, target) = (&self.wholes[at].of, self.dialect.target().name());
                let message =
                    format!("`{of}`: only the entry point itself can write what it gives out in target `{target}`");
                self.error(func.span, message);
            }
            if !found.is_empty() {
                self.threaded.insert(id, found);
            }
        }
    }

    fn whole_of(&self, global: GlobalId) -> Option<usize> {
        self.wholes.iter().position(|whole| whole.parts.iter().any(|(part, _)| *part == global))
    }

    /// The streams that a function is given, as its parameters or as arguments of a call.
    fn streams(&self, func: FuncId) -> impl Iterator<Item = &Whole> {
        self.threaded.get(func).into_iter().flatten().map(|&at| &self.wholes[at])
    }

    /// What a function must have no other meaning for.
    pub(super) fn names_of_wholes(&self, func: FuncId) -> Vec<SmolStr> {
        let names = |whole: &Whole| [whole.name.clone(), whole.element.clone(), whole.vertex.clone()];
        self.streams(func).flat_map(names).collect()
    }

    pub(super) fn stream_parameters(&mut self, func: FuncId) -> Vec<String> {
        let streams: Vec<Whole> = self.streams(func).cloned().collect();
        streams.iter().map(|stream| self.stream_parameter(stream)).collect()
    }

    pub(super) fn stream_arguments(&self, func: FuncId) -> Vec<String> {
        self.streams(func).map(|stream| stream.name.to_string()).collect()
    }

    fn stream_parameter(&self, whole: &Whole) -> String {
        let ty = match self.module.entry_points[whole.entry as usize].assembly {
            Assembly::Geometry { output: Topology::Point, .. } => "PointStream",
            Assembly::Geometry { output: Topology::Line, .. } => "LineStream",
            Assembly::Geometry { output: Topology::Triangle, .. }
            | Assembly::None
            | Assembly::Mesh { .. }
            | Assembly::Hull { .. }
            | Assembly::Domain { .. } => "TriangleStream",
        };
        format!("inout {ty}<{} > {}", whole.element, whole.name)
    }

    /// Declares the structs of elements, and the variables that hold the next vertex of a stream.
    pub(super) fn declare_wholes(&mut self) {
        for whole in self.wholes.clone() {
            if whole.holds_numbers(self) {
                continue;
            }
            let mut fields = String::new();
            for (id, field) in &whole.parts {
                let (text, semantic) = self.varying_text(*id, field, whole.rate.is_several());
                fields.push_str(&format!("    {text} : {semantic};\n"));
            }
            self.out.blank();
            self.out.line(SpanId::NONE, &format!("struct {}\n{{\n{fields}}};", whole.element));
            if whole.rate == Rate::Appended {
                self.out.blank();
                self.out.line(SpanId::NONE, &format!("static {} {};", whole.element, whole.vertex));
            }
        }
    }

    /// `nointerpolation uint field`, and the semantic; of what there are several of, of one of them.
    fn varying_text(&mut self, id: GlobalId, name: &str, is_one_of_several: bool) -> (String, SmolStr) {
        let global = &self.module.globals[id];
        let (Some(varying), Type::Handle(HandleType::Variable { content })) =
            (global.provision.varying.clone(), self.module.types.get(global.ty))
        else {
            return Default::default();
        };
        if let (VaryingPlace::System(value), ParameterRole::EntryOwn(entry)) = (varying.place, global.provision.role)
            && is_unknown_to_direct3d(value)
        {
            let entry = &self.module.entry_points[entry as usize];
            let span = self.module.funcs[entry.func].span;
            let message = format!("`{}`: the semantic `{}` is not supported", entry.name, varying.semantic);
            self.error(span, format!("{message} for target `{}`", self.dialect.target().name()));
        }
        let content = if is_one_of_several { self.element_of(content) } else { content };
        let declarator = self.declarator(content, name, SpanId::NONE);
        (format!("{}{declarator}", modifiers(&varying)), varying.semantic)
    }

    fn element_of(&self, ty: TypeId) -> TypeId {
        match self.module.types.get(ty) {
            Type::Array { element, .. } => element,
            _ => ty,
        }
    }

    /// What brings and takes the values of an entry point: the parameters of the function that the host calls or, of a hull
    /// shader, of that which runs once for a patch.
    pub(super) fn signature(&mut self, number: u32, func: FuncId) -> Vec<String> {
        let entry = &self.module.entry_points[number as usize];
        let is_of_patch = func != entry.func;
        let (mut params, mut done) = (Vec::new(), Vec::new());
        for id in self.globals.clone() {
            if self.receiver(id) != Some(number) {
                continue;
            }
            let Some(varying) = self.module.globals[id].provision.varying.clone() else { continue };
            let name = self.global_names[id].clone();
            if let Some(at) = self.whole_of(id) {
                let whole = self.wholes[at].clone();
                let made_by_each = entry.stage == Stage::Hull && whole.is_output && !is_of_patch;
                if made_by_each {
                    let (text, semantic) = self.varying_text(id, &name, true);
                    params.push(format!("out {text} : {semantic}"));
                } else if !done.contains(&at) && (!is_of_patch || self.uses_any(func, &whole)) {
                    done.push(at);
                    params.push(self.whole_parameter(&whole, &entry.assembly));
                }
                continue;
            }
            let Type::Handle(HandleType::Variable { content }) = self.module.types.get(self.module.globals[id].ty)
            else {
                continue;
            };
            if let VaryingPlace::Message(message) = varying.place {
                let declarator = self.declarator(content, &name, SpanId::NONE);
                let before = match message {
                    Message::RayPayload(_) | Message::CallableData(_) => "inout ",
                    Message::HitAttributes => "",
                    Message::MeshPayload => "in payload ",
                };
                params.push(format!("{before}{declarator}"));
                continue;
            }
            let is_declared = match (entry.stage, varying.rate, varying.is_output) {
                (Stage::Hull, Rate::Patch, true) => is_of_patch,
                // The two functions have what each of them reads.
                (Stage::Hull, _, false) => self.uses(func, id),
                _ => true,
            };
            if is_declared {
                let (text, semantic) = self.varying_text(id, &name, false);
                params.push(format!("{}{text} : {semantic}", if varying.is_output { "out " } else { "" }));
            }
        }
        // DXC asks for attributes where a shader does not look at them, too.
        let is_at_hit = matches!(entry.stage, Stage::AnyHit | Stage::ClosestHit);
        if is_at_hit && !self.receives(number, Message::HitAttributes) {
            let name = self.fresh_name("attributes");
            params.push(format!("BuiltInTriangleIntersectionAttributes {name}"));
        }
        params
    }

    fn receives(&self, number: u32, wanted: Message) -> bool {
        self.globals.iter().any(|&id| {
            let varying = self.module.globals[id].provision.varying.as_ref();
            self.receiver(id) == Some(number)
                && varying.is_some_and(|varying| varying.place == VaryingPlace::Message(wanted))
        })
    }

    fn uses(&self, func: FuncId, wanted: GlobalId) -> bool {
        let func = &self.module.funcs[func];
        let mut found = false;
        for_each_op(func, |op| found |= func.ops[op].op == Op::Global(wanted));
        found
    }

    fn uses_any(&self, func: FuncId, whole: &Whole) -> bool {
        whole.parts.iter().any(|(part, _)| self.uses(func, *part))
    }

    fn whole_parameter(&mut self, whole: &Whole, assembly: &Assembly) -> String {
        let Whole { name, element, .. } = whole;
        let content = whole.parts.first().map(|(part, _)| self.module.globals[*part].ty);
        let content = content.map(|ty| self.module.types.get(ty));
        let Some(Type::Handle(HandleType::Variable { content })) = content else { return String::new() };
        let count = match self.module.types.get(content) {
            Type::Array { len, .. } => len,
            _ => 0,
        };
        match (assembly, whole.is_output, whole.rate) {
            (_, _, Rate::Appended) => self.stream_parameter(whole),
            (Assembly::Geometry { input, .. }, ..) => {
                let word = match input {
                    InputPrimitive::Point => "point",
                    InputPrimitive::Line => "line",
                    InputPrimitive::Triangle => "triangle",
                    InputPrimitive::LineAdjacency => "lineadj",
                    InputPrimitive::TriangleAdjacency => "triangleadj",
                };
                format!("{word} {element} {name}[{count}]")
            }
            (Assembly::Hull { .. }, false, _) => format!("InputPatch<{element}, {count}> {name}"),
            (Assembly::Hull { .. } | Assembly::Domain { .. }, ..) => {
                format!("const OutputPatch<{element}, {count}> {name}")
            }
            (Assembly::Mesh { .. }, _, _) if whole.holds_numbers(self) => {
                let declarator = self.declarator(content, name, SpanId::NONE);
                format!("out indices {declarator}")
            }
            (Assembly::Mesh { .. }, _, Rate::Primitive) => format!("out primitives {element} {name}[{count}]"),
            (Assembly::Mesh { .. } | Assembly::None, ..) => format!("out vertices {element} {name}[{count}]"),
        }
    }

    /// The text of a place in a variable that is a part of something else, and how many steps of the path are in it.
    pub(super) fn part_of_whole(
        &mut self,
        f: &Function,
        handle: &Expr,
        path: &[Step],
        span: SpanId,
    ) -> Option<(String, usize)> {
        let ExprKind::Global(global) = handle.kind else { return None };
        let varying = self.module.globals[global].provision.varying.clone()?;
        if self.dialect.stages() == Stages::Variables {
            // Of those of the pipeline there are structs.
            let (stage, func) = self.entry_of_varying(global).map(|entry| (entry.stage, entry.func))?;
            let (is_several, name) = (varying.rate.is_several(), self.global_names[global].clone());
            // The language asks for this very word.
            let own = stage == Stage::Hull && varying.is_output && is_several && f.func == func;
            let (VaryingPlace::System(value), true) = (varying.place, is_several) else {
                return own.then(|| (format!("{name}[gl_InvocationID]"), 1));
            };
            if own {
                return Some((format!("gl_out[gl_InvocationID].{name}"), 1));
            }
            let block = match (stage, varying.is_output, varying.rate) {
                _ if value == SystemValue::PrimitiveVertices => return None,
                (_, false, _) => "gl_in",
                (Stage::Mesh, true, Rate::Primitive) => "gl_MeshPrimitivesEXT",
                (Stage::Mesh, true, _) => "gl_MeshVerticesEXT",
                (_, true, _) => "gl_out",
            };
            let index = self.step_text(f, path.first()?, span);
            return Some((format!("{block}[{index}].{name}"), 1));
        }
        let at = self.whole_of(global)?;
        let whole = self.wholes[at].clone();
        let field = whole.parts.iter().find(|(part, _)| *part == global).map(|(_, field)| field)?;
        if whole.rate == Rate::Appended {
            return Some((format!("{}.{field}", whole.vertex), 0));
        }
        let entry = &self.module.entry_points[whole.entry as usize];
        if entry.stage == Stage::Hull && whole.is_output && f.func == entry.func {
            // Each invocation makes its own.
            return Some((self.global_names[global].to_string(), 1));
        }
        let index = self.step_text(f, path.first()?, span);
        if whole.holds_numbers(self) && path.len() > 1 {
            let target = self.dialect.target().name();
            let message = format!("`{}`: a part of an element is not written by itself in target `{target}`", whole.of);
            self.error(span, message);
        }
        let member = if whole.holds_numbers(self) { String::new() } else { format!(".{field}") };
        Some((format!("{}[{index}]{member}", whole.name), 1))
    }

    fn step_text(&mut self, f: &Function, step: &Step, span: SpanId) -> String {
        match step {
            Step::Const(index) => index.to_string(),
            Step::Dynamic(index) | Step::Tested(index) => self.expr(f, index, span),
        }
    }

    /// The stage that a variable is of.
    pub(super) fn stage_of(&self, global: GlobalId) -> Option<Stage> {
        self.entry_of_varying(global).map(|entry| entry.stage)
    }

    fn entry_of_varying(&self, global: GlobalId) -> Option<&ir::EntryPoint> {
        match self.module.globals[global].provision.role {
            ParameterRole::EntryOwn(entry) => self.module.entry_points.get(entry as usize),
            _ => None,
        }
    }

    /// The stream and the variable with its next vertex, by one of the variables that it consists of.
    pub(super) fn stream(&self, part: &Expr) -> Option<(SmolStr, SmolStr)> {
        let ExprKind::Global(global) = part.kind else { return None };
        let whole = &self.wholes[self.whole_of(global)?];
        Some((whole.name.clone(), whole.vertex.clone()))
    }

    /// What the host calls for a hull shader, where one function makes a control point and another what the patch has.
    pub(super) fn hull_wrapper(&mut self, entry: &ir::EntryPoint) {
        let Some(patch) = entry.assembly.patch_constants() else { return };
        let name = self.dialect.entry_name(&entry.name);
        let (point, patch) = (self.function_names[entry.func].clone(), self.function_names[patch].clone());
        let head = self.dialect.entry_point(&name, entry, None);
        let text = format_smolstr!(
            "{head}()\n{{\n    {point}();\n    barrier();\n    if (gl_InvocationID == 0)\n    {{\n        {patch}();\n    }}\n}}"
        );
        self.out.blank();
        self.out.line(SpanId::NONE, &text);
    }
}
