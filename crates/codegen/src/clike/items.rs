//! Declarations: structs, globals, functions, entry points.

use std::cell::RefCell;

use ir::{
    Builtin, Callee, Func, FuncId, Global, GlobalId, GlobalKind, HandleType, Module, Op, SpanId, StructId, Type,
    TypeId,
    module::{EntryPoint, Stage},
};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::writer::Writer;
use super::{Dialect, Form, GlobalText};
use crate::legalise::{self, Legal, builtin_name, for_each_op};
use crate::requests::Request;
use crate::tree::names::Namer;
use crate::tree::{self, Direction, Expr, ExprKind, Function, LocalKind, Stmt, StmtKind};
use crate::{Binding, BindingKind, Code, EmitError, EmitOptions, Emitted, Export, ExportKind, Interface};
use ir::provision::{DataLayout, ParameterRole};
use ir::types::AS_MANY_AS_BOUND;

/// Writes what `legal` holds, within the frame of the dialect or without it.
pub fn print(legal: &Legal, dialect: &dyn Dialect, options: &EmitOptions) -> Result<Emitted, Vec<EmitError>> {
    let mut printer = Printer::new(legal, dialect, &options.exports);
    printer.interface = options.interface;
    printer.tested_reads = dialect.capabilities().for_options(options).tested_reads;
    printer.check_entries();
    let mut functions = Vec::new();
    // Each function avoids the names of all structs: they are put together once.
    let of_locals = printer.reserved.knowing(printer.struct_names.iter().map(|(_, name)| name));
    let with_body = legal.functions.iter().filter(|&&id| !printer.is_kernel_start(id));
    for &id in with_body.collect::<Vec<_>>() {
        match printer.trees(id, of_locals.clone()) {
            Ok(function) => functions.push(function),
            Err(error) => printer.errors.push(error),
        }
    }
    if printer.errors.is_empty() {
        // Helper functions and hoisted variables avoid the names of all locals.
        for (_, local) in functions.iter().flat_map(|function| function.locals.iter()) {
            printer.namer.reserve(&local.name);
        }
        printer.write(&functions);
    }
    if !printer.errors.is_empty() {
        return Err(printer.errors);
    }
    let bindings = printer.bindings();
    let (text, mut lines) = printer.out.finish();
    let (before, after) = if options.without_library { Default::default() } else { dialect.frame(&text) };
    let above = before.matches('\n').count() as u32;
    lines.iter_mut().for_each(|(line, _)| *line += above);
    Ok(Emitted { code: Code::Text(before + &text + &after), lines, bindings })
}

/// Writes a module in a dialect; what the dialect's hooks work with.
pub struct Printer<'a> {
    /// What is printed.
    pub module: &'a Module,
    pub(super) dialect: &'a dyn Dialect,
    pub(super) legal: &'a Legal,
    interface: Interface,
    /// Whether reads say at each index if it is tested.
    pub(super) tested_reads: bool,
    pub(super) out: Writer,
    pub(super) errors: Vec<EmitError>,
    pub(super) namer: Namer,
    /// Gives what means nothing in the language.
    reserved: Namer,
    /// The name of each function in the code.
    pub function_names: ArenaMap<FuncId, SmolStr>,
    /// The name of each struct in the code.
    pub struct_names: ArenaMap<StructId, SmolStr>,
    /// The names of the fields of each struct whose fields were asked for.
    field_names: RefCell<FxHashMap<StructId, Box<[SmolStr]>>>,
    /// The name of each parameter and variable in the code.
    pub global_names: ArenaMap<GlobalId, SmolStr>,
    /// Where each global is first used.
    global_spans: ArenaMap<GlobalId, SpanId>,
    /// Lines for the top of the text, in the order in which they were asked for.
    required: Vec<String>,
    /// Helper functions: what they are known by, their names and their texts.
    helpers: Vec<(String, SmolStr, String)>,
    /// Statements that must stand before the one that is being written.
    pub(super) hoisted: Vec<String>,
    /// The structs that are written, in the order in which they are.
    structs: Vec<StructId>,
    /// The structs whose packed form is declared.
    pub(super) packed: Vec<StructId>,
    pub(super) exports: &'a [Export],
    pub(super) globals: Vec<GlobalId>,
    /// What is in [`Printer::structs`] and [`Printer::globals`].
    listed: (FxHashSet<StructId>, FxHashSet<GlobalId>),
    /// The parameters of entry points of which there are several.
    pub(super) wholes: Vec<super::assembly::Whole>,
    /// Which of them functions get from their callers.
    pub(super) threaded: ArenaMap<FuncId, Vec<usize>>,
    /// The names of the parameters with builtin values of the entry point that is being written.
    pub(super) builtins: Vec<(Builtin, SmolStr)>,
}

impl<'a> Printer<'a> {
    fn new(legal: &'a Legal, dialect: &'a dyn Dialect, exports: &'a [Export]) -> Printer<'a> {
        let module = &legal.module;
        let reserved = dialect.namer();
        let mut printer = Printer {
            module,
            dialect,
            legal,
            interface: Interface::Host,
            tested_reads: false,
            out: Writer::default(),
            errors: Vec::new(),
            namer: reserved.clone(),
            reserved,
            function_names: ArenaMap::default(),
            struct_names: ArenaMap::default(),
            field_names: RefCell::default(),
            global_names: ArenaMap::default(),
            global_spans: ArenaMap::default(),
            required: Vec::new(),
            helpers: Vec::new(),
            hoisted: Vec::new(),
            structs: Vec::new(),
            packed: Vec::new(),
            exports,
            globals: Vec::new(),
            listed: Default::default(),
            wholes: Vec::new(),
            threaded: ArenaMap::default(),
            builtins: Vec::new(),
        };
        for &id in &legal.functions {
            printer.survey(id);
        }
        if dialect.is_compiled_again() && !printer.entries().is_empty() {
            printer.survey_parameters();
        }
        printer.survey_varyings();
        printer.globals.sort_by_key(|global| global.into_raw());
        for entry in printer.entries() {
            printer.name_entry(entry);
        }
        printer.name_exports();
        for global in printer.globals.clone() {
            let name = match printer.varying_name(global) {
                Some(name) => name,
                None => printer.namer.unique(&module.globals[global].name),
            };
            printer.global_names.insert(global, name);
        }
        let in_meshes = |entry: &&EntryPoint| matches!(entry.stage, Stage::Amplification | Stage::Mesh);
        if dialect.stages() == super::Stages::Variables && printer.entries().iter().any(in_meshes) {
            printer.require("#extension GL_EXT_mesh_shader : require");
        }
        printer.survey_wholes();
        for word in dialect.reserved_for_types() {
            printer.namer.reserve(word);
        }
        for &id in &printer.structs {
            let name = match printer.is_own_struct(id) {
                true => module.types.structs[id].name.clone(),
                false => printer.namer.unique(&module.types.structs[id].name),
            };
            printer.struct_names.insert(id, name);
        }
        for &id in &legal.functions {
            if !printer.function_names.contains_idx(id) {
                let name = printer.namer.unique(&module.funcs[id].name);
                printer.function_names.insert(id, name);
            }
        }
        printer
    }

    pub(super) fn entries(&self) -> Vec<&'a EntryPoint> {
        let written = |entry: &&EntryPoint| self.legal.functions.contains(&entry.func);
        self.module.entry_points.iter().filter(written).collect()
    }

    /// The host looks for an entry point by its name, so that it has just that or none.
    fn name_entry(&mut self, entry: &EntryPoint) {
        let called: SmolStr = self.dialect.entry_name(&entry.name).into();
        let (name, is_free) = match self.dialect.has_thread_struct() {
            // What the host calls stands beside the function.
            true => {
                let name = self.namer.unique(&entry.name);
                let is_free = name == called || self.namer.exact(&called);
                (name, is_free)
            }
            false if self.has_wrapper(entry.stage) => {
                let is_free = self.namer.exact(&called);
                (self.namer.unique(&format!("{called}_stage")), is_free)
            }
            false => (called.clone(), self.namer.exact(&called)),
        };
        if !is_free && !self.dialect.holds_one_entry() {
            let target = self.dialect.target().name();
            let message = format!("`{called}`: no entry point can have this name in target `{target}`");
            self.error(self.module.funcs[entry.func].span, message);
        }
        self.function_names.insert(entry.func, name);
    }

    /// Only shaders of stages that the language has, and no more of them than a text can hold.
    fn check_entries(&mut self) {
        let target = self.dialect.target();
        let entries = self.entries();
        for entry in &entries {
            if !self.has_stage(entry.stage) && !self.is_plain(entry) {
                let (name, stage, target) = (&entry.name, entry.stage.word(), target.name());
                let message = match self.dialect.runs_plain_stages() {
                    true => format!(
                        "`{name}`: only compute entry points and those without inputs and outputs are supported for target \
                         `{target}`"
                    ),
                    false => format!("`{name}`: {stage} entry points are not supported for target `{target}`"),
                };
                self.error(self.module.funcs[entry.func].span, message);
            }
        }
        if let (true, [first, second, ..]) = (self.dialect.holds_one_entry(), &entries[..]) {
            let message = format!(
                "a text for target `{}` holds one entry point: choose one of `{}`, `{}`… with `--entry`",
                target.name(),
                first.name,
                second.name
            );
            self.error(self.module.funcs[second.func].span, message);
        }
    }

    /// Asks for a line at the top of the text: an extension, a switch.
    pub fn require(&mut self, line: &str) {
        if !self.required.iter().any(|other| other == line) {
            self.required.push(line.into());
        }
    }

    /// The name of the helper function known by `key`. When it is first asked for, `write` gets its name, which is like
    /// `key`, and gives its text.
    pub fn helper(&mut self, key: &str, write: impl FnOnce(&mut Self, &str) -> String) -> SmolStr {
        if let Some((_, name, _)) = self.helpers.iter().find(|(other, ..)| other == key) {
            return name.clone();
        }
        let name = self.namer.unique(key);
        let text = write(self, &name);
        self.helpers.push((key.into(), name.clone(), text));
        name
    }

    /// A name for a variable that the source does not have.
    pub fn fresh_name(&mut self, wanted: &str) -> SmolStr {
        self.namer.unique(wanted)
    }

    /// Finds the structs and globals that a function uses.
    fn survey(&mut self, id: FuncId) {
        let func: &Func = &self.module.funcs[id];
        let slots = func.results.iter().map(|slot| slot.ty).chain(func.inputs.iter().map(|input| input.ty));
        for ty in func.values.iter().map(|(_, value)| value.ty).chain(slots) {
            self.survey_type(ty);
        }
        for_each_op(func, |op| {
            let data = &func.ops[op];
            match data.op {
                Op::Global(global) if self.list_global(global) => {
                    self.global_spans.insert(global, data.span);
                    self.survey_type(self.module.globals[global].ty);
                }
                // A variable named `length` is fine where nothing calls the function.
                Op::Math(function, _) => {
                    for word in self.dialect.math_words(function) {
                        self.namer.reserve(word);
                    }
                }
                _ => {}
            }
        });
    }

    /// Adds a global to those that are written; whether it is new.
    pub(super) fn list_global(&mut self, id: GlobalId) -> bool {
        let is_new = self.listed.1.insert(id);
        if is_new {
            self.globals.push(id);
        }
        is_new
    }

    /// Adds the parameters that no function uses.
    fn survey_parameters(&mut self) {
        for (id, global) in self.module.globals.iter() {
            let is_known = global.kind == GlobalKind::Parameter
                && !matches!(global.provision.role, ParameterRole::Unknown | ParameterRole::Heap);
            if is_known && self.list_global(id) {
                self.survey_type(global.ty);
            }
        }
    }

    pub(super) fn survey_type(&mut self, ty: TypeId) {
        match self.module.types.get(ty) {
            Type::Array { element, .. } => self.survey_type(element),
            Type::Handle(handle) => {
                if let Some(content) = handle.content() {
                    self.survey_type(content);
                }
            }
            Type::Struct(id) => {
                if self.listed.0.insert(id) {
                    for field in &self.module.types.structs[id].fields {
                        self.survey_type(field.ty);
                    }
                    self.structs.push(id);
                }
            }
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Sum(_) | Type::Opaque(_) => {}
        }
    }

    /// The trees of a function. Its locals may have the names of anything that it does not use and `namer` does not know.
    fn trees(&mut self, id: FuncId, mut namer: Namer) -> Result<Function, EmitError> {
        let func = &self.module.funcs[id];
        for_each_op(func, |op| match &func.ops[op].op {
            Op::Global(global) => namer.reserve(&self.global_names[*global]),
            Op::Call { callee: Callee::Func(callee), .. } => namer.reserve(&self.function_names[*callee]),
            Op::Math(function, _) => {
                for word in self.dialect.math_words(*function) {
                    namer.reserve(word);
                }
            }
            Op::Builtin(builtin) if self.is_entry(id) => {
                namer.reserve(builtin_name(*builtin));
                namer.reserve(&self.builtin_parameter(id, *builtin));
            }
            _ => {}
        });
        for name in self.names_of_wholes(id) {
            namer.reserve(&name);
        }
        tree::build::build(self.module, id, namer, self.tested_reads)
    }

    /// Whether a function is a declaration that only the dialect writes.
    fn is_kernel_start(&self, id: FuncId) -> bool {
        let starts = |export: &Export| matches!(export.kind, ExportKind::KernelStart(_)) && export.func == id;
        self.exports.iter().any(starts)
    }

    fn is_entry(&self, id: FuncId) -> bool {
        self.module.entry_points.iter().any(|entry| entry.functions().any(|func| func == id))
    }

    fn write(&mut self, functions: &[Function]) {
        let prologue = self.dialect.prologue();
        if !prologue.is_empty() {
            self.out.line(SpanId::NONE, prologue.trim_end());
        }
        if self.dialect.has_thread_struct()
            && functions.iter().any(|function| self.module.funcs[function.func].is_precise)
            && let Some(words) = Request::Precise.words(self.dialect.target())
        {
            self.out.line(SpanId::NONE, words);
        }
        let top = self.out.mark();
        self.out.blank();
        for id in self.structs.clone() {
            if !self.is_own_struct(id) {
                self.struct_(id);
            }
        }
        if self.dialect.has_thread_struct() {
            let after_structs = self.out.mark();
            self.plain_functions_and_thread(functions);
            return self.insert_helpers(after_structs);
        }
        let initialiser = |global: &GlobalId| match self.module.globals[*global].kind {
            GlobalKind::Static { init } => init.map(|init| (init, self.is_specialization(*global))),
            GlobalKind::Parameter | GlobalKind::GroupShared => None,
        };
        let initialisers: Vec<(FuncId, bool)> = self.globals.iter().filter_map(initialiser).collect();
        self.declare_wholes();
        let lines: String = self.entries().iter().map(|entry| self.dialect.assembly(self.module, entry)).collect();
        if !lines.is_empty() {
            self.out.blank();
            self.out.line(SpanId::NONE, lines.trim_end());
        }
        let after_structs = self.out.mark();
        // The values of constants that the host may fix stand at the constants.
        let written = functions.iter().filter(|function| !initialisers.contains(&(function.func, true)));
        let (before, after): (Vec<&Function>, Vec<&Function>) =
            written.partition(|function| initialisers.contains(&(function.func, false)));
        for function in before {
            self.function(function);
        }
        self.out.blank();
        for id in self.globals.clone() {
            if self.entry_of(id).is_none() && self.receiver(id).is_none() {
                self.global(id);
            }
        }
        self.out.blank();
        for function in after {
            self.function(function);
        }
        self.insert_helpers(after_structs);
        let mut required: String = self.required.iter().map(|line| format!("{line}\n")).collect();
        if self.dialect.prologue().is_empty() && !required.is_empty() {
            required.push('\n');
        }
        self.out.insert(top, &required);
    }

    fn insert_helpers(&mut self, mark: super::writer::Mark) {
        let helpers: String = self.helpers.iter().map(|(_, _, text)| format!("{}\n\n", text.trim_end())).collect();
        self.out.insert(mark, &helpers);
    }

    fn struct_(&mut self, id: StructId) {
        let fields = self.module.types.structs[id].fields.clone();
        let name = self.struct_names[id].clone();
        self.out.line(SpanId::NONE, &format!("struct {name}"));
        self.out.open();
        for (index, field) in fields.iter().enumerate() {
            let name = self.field(id, index);
            let text = self.declarator(field.ty, &name, SpanId::NONE);
            self.out.line(SpanId::NONE, &format!("{text};"));
        }
        self.out.close(self.dialect.struct_end());
        self.out.blank();
    }

    /// Whether the language has the struct itself, as the core library declares it.
    fn is_own_struct(&self, id: StructId) -> bool {
        self.dialect.own_structs().contains(&self.module.types.structs[id].name.as_str())
    }

    /// The name of a field: as in the source, unless two come out the same or it is a reserved word.
    pub fn field(&self, id: StructId, index: usize) -> SmolStr {
        let mut names = self.field_names.borrow_mut();
        let names = names.entry(id).or_insert_with(|| {
            let mut namer = self.reserved.clone();
            self.module.types.structs[id].fields.iter().map(|field| namer.unique(&field.name)).collect()
        });
        names[index].clone()
    }

    /// The number of the entry point at which a parameter is written.
    fn entry_of(&self, global: GlobalId) -> Option<u32> {
        match self.module.globals[global].provision.role {
            ParameterRole::Entry(entry) | ParameterRole::EntryOwn(entry) if self.dialect.is_compiled_again() => {
                Some(entry)
            }
            _ => None,
        }
    }

    /// Declares a parameter or variable of the module.
    pub fn global(&mut self, id: GlobalId) {
        if let Some(text) = self.global_text(id).filter(|text| !text.is_empty()) {
            self.out.line(SpanId::NONE, &text);
        }
    }

    /// The declaration of a global, `None` if it is written already or cannot be.
    fn global_text(&mut self, id: GlobalId) -> Option<String> {
        let Global { ty, kind, provision, .. } = self.module.globals[id].clone();
        let name = self.global_names[id].clone();
        let dialect = self.dialect;
        if let (ParameterRole::Specialization(id_of_constant), Interface::Host) = (provision.role, self.interface) {
            self.specialization_constant(id, &name, id_of_constant);
            return None;
        }
        if let Some(text) = dialect.global_declaration(self, id) {
            return Some(text.trim_end().to_owned());
        }
        // Where no host has rules of its own, arrays of resources are as other arrays.
        let array = self.module.types.resource_array(ty).filter(|_| self.legal.host.is_some());
        let ty = array.map_or(ty, |(element, _)| element);
        let Type::Handle(handle) = self.module.types.get(ty) else { return None };
        let (mut content, mut declarator, mut content_is_struct) = (String::new(), String::new(), false);
        if let Some(ty) = handle.content() {
            content = self.type_name(ty, SpanId::NONE);
            declarator = self.declarator(ty, &name, SpanId::NONE);
            content_is_struct = matches!(self.module.types.get(ty), Type::Struct(_));
        }
        let init = match kind {
            GlobalKind::Static { init: Some(init) } => Some(format!("{}()", self.function_names[init])),
            _ => None,
        };
        let block = match handle {
            HandleType::ConstantBuffer { .. } if !content_is_struct && array.is_none() => {
                self.fresh_name(&format!("{name}_buffer"))
            }
            _ => SmolStr::default(),
        };
        let text = GlobalText {
            name: &name,
            handle,
            kind,
            provision: &provision,
            place: self.binding_of(id),
            content: &content,
            content_is_struct,
            block: &block,
            declarator: &declarator,
            array: &array.map_or(String::new(), |(_, count)| resource_count(count)),
            init: init.as_deref(),
        };
        match self.dialect.global(&text) {
            Some(text) => Some(format!("{text};")),
            None => {
                let message = format!("`{}` is of a kind that cannot be emitted yet", self.module.globals[id].name);
                self.error(self.global_span(id), message);
                None
            }
        }
    }

    pub(super) fn is_specialization(&self, global: GlobalId) -> bool {
        let role = self.module.globals[global].provision.role;
        self.interface == Interface::Host && matches!(role, ParameterRole::Specialization(_))
    }

    /// A constant that the host may fix. Those without a number get the first that no other has.
    fn specialization_constant(&mut self, id: GlobalId, name: &str, number: Option<u32>) {
        let Global { ty, kind, .. } = self.module.globals[id].clone();
        let (span, original) = (self.global_span(id), &self.module.globals[id].name);
        let Type::Handle(HandleType::Variable { content }) = self.module.types.get(ty) else { return };
        let value = match kind {
            GlobalKind::Static { init: Some(init) } => legalise::constant_result(&self.module.funcs[init]),
            _ => legalise::zero_constant(self.module.types.get(content)),
        };
        let Some(value) = value else {
            return self.error(span, format!("`{original}`: a specialization constant without a constant value"));
        };
        let number = number.unwrap_or_else(|| legalise::constant_number(self.module, id));
        let declarator = self.declarator(content, name, span);
        let (value, _) = self.constant(value, content, span);
        match self.dialect.specialization_constant(number, &declarator, &value) {
            Some(text) => self.out.line(SpanId::NONE, &format!("{text};")),
            None => {
                let target = self.dialect.target().name();
                let message = format!("`{original}`: specialization constants are not supported for target `{target}`");
                self.error(span, message);
            }
        }
    }

    /// What the source calls a builtin value, if it is a parameter of the entry point there.
    fn builtin_parameter(&self, entry: FuncId, builtin: Builtin) -> SmolStr {
        let func = &self.module.funcs[entry];
        let named = func.ops.iter().find_map(|(_, data)| match data.op {
            Op::Builtin(other) if other == builtin => {
                data.results.first().and_then(|&result| func.values[result].name.clone())
            }
            _ => None,
        });
        let Some(named) = named else { return builtin_name(builtin).into() };
        let mut namer = self.reserved.clone();
        let (functions, structs) = (self.function_names.iter(), self.struct_names.iter());
        let names = functions.map(|(_, name)| name).chain(structs.map(|(_, name)| name));
        for name in names.chain(self.global_names.iter().map(|(_, name)| name)) {
            namer.reserve(name);
        }
        namer.unique(tree::names::variable(&named))
    }

    /// Where a global is first used.
    pub fn global_span(&self, id: GlobalId) -> SpanId {
        self.global_spans.get(id).copied().unwrap_or(SpanId::NONE)
    }

    /// How the memory of a global is laid out.
    pub fn layout_of(&self, id: GlobalId) -> DataLayout {
        self.legal.layout_of(id)
    }

    /// Where a shader parameter is bound: set and binding.
    pub fn binding_of(&self, id: GlobalId) -> Option<(u32, u32)> {
        self.legal.places.of(id)
    }

    pub(super) fn function(&mut self, function: &Function) {
        self.out.blank();
        let name = self.function_names[function.func].clone();
        let is_of = |(_, entry): &(usize, &EntryPoint)| entry.functions().any(|func| func == function.func);
        let entry = self.module.entry_points.iter().enumerate().find(is_of);
        let head = match entry {
            Some((number, entry)) => {
                self.builtins = used_builtins(&function.body);
                self.builtins.retain(|(builtin, _)| self.dialect.builtin_variable(*builtin).is_none());
                for at in 0..self.builtins.len() {
                    self.builtins[at].1 = self.builtin_parameter(function.func, self.builtins[at].0);
                }
                let mut params: Vec<String> = self
                    .builtins
                    .iter()
                    .map(|(builtin, name)| {
                        let ty = if *builtin == Builtin::GroupIndex { "uint" } else { "uint3" };
                        self.dialect.builtin(*builtin, name, ty)
                    })
                    .collect();
                for id in self.globals.clone() {
                    if self.entry_of(id) == Some(number as u32) {
                        params.extend(self.global_text(id).map(|text| text.trim_end_matches(';').to_owned()));
                    }
                }
                if self.is_whole(entry.stage) {
                    params.extend(self.signature(number as u32, function.func));
                }
                let patch = entry.assembly.patch_constants();
                match self.dialect.has_thread_struct() || self.is_whole(entry.stage) {
                    true if patch == Some(function.func) => format!("void {name}({})", params.join(", ")),
                    true => {
                        let patch = patch.and_then(|patch| self.function_names.get(patch).cloned());
                        let head = self.dialect.entry_point(&name, entry, patch.as_deref());
                        format!("{head}({})", params.join(", "))
                    }
                    false => {
                        let early = match self.has_wrapper(entry.stage) {
                            false => self.early_tests(entry),
                            true => String::new(),
                        };
                        format!("{early}void {name}()")
                    }
                }
            }
            None => self.head(function),
        };
        self.out.line(function.span, &head);
        self.out.open();
        self.block(function, &function.body);
        self.out.close("}");
        self.builtins.clear();
        if let Some((number, entry)) =
            entry.filter(|(_, entry)| entry.func == function.func && self.has_wrapper(entry.stage))
        {
            match entry.stage {
                Stage::Hull => self.hull_wrapper(entry),
                _ => self.stage_wrapper(number as u32, entry),
            }
        }
    }

    /// Result, name and parameters of a function that is not an entry point.
    pub fn head(&mut self, function: &Function) -> String {
        let name = self.function_names[function.func].clone();
        let result = function.result.map_or("void".into(), |ty| self.type_name(ty, function.span));
        let mut params = Vec::new();
        for &param in &function.params {
            let local = &function.locals[param];
            let LocalKind::Param { direction, .. } = local.kind else { continue };
            params.push(self.parameter(direction, local.ty, &local.name, function.span));
        }
        params.extend(self.stream_parameters(function.func));
        self.dialect.function(format!("{result} {name}({})", params.join(", ")))
    }

    fn parameter(&mut self, direction: Direction, ty: TypeId, name: &str, span: SpanId) -> String {
        let (element, dims) = self.element_and_dims(ty, span);
        let dialect = self.dialect;
        dialect.parameter(direction, &|name| dialect.declarator(&element, name, &dims), name)
    }

    /// `float a[4]`
    pub fn declarator(&mut self, ty: TypeId, name: &str, span: SpanId) -> String {
        let (element, dims) = self.element_and_dims(ty, span);
        self.dialect.declarator(&element, name, &dims)
    }

    /// `float a[]`
    pub fn declarator_of_many(&mut self, element: TypeId, name: &str, span: SpanId) -> String {
        let (element, dims) = self.element_and_dims(element, span);
        self.dialect.declarator(&element, &format!("{name}[]"), &dims)
    }

    fn element_and_dims(&mut self, mut ty: TypeId, span: SpanId) -> (String, Vec<u32>) {
        let mut dims = Vec::new();
        while let Type::Array { element, len } = self.module.types.get(ty) {
            dims.push(len);
            ty = element;
        }
        (self.type_name(ty, span), dims)
    }

    /// Asks for what the language needs where something of this type is written: a name of the type or a literal.
    pub(super) fn require_type(&mut self, ty: TypeId) {
        if let Some(line) = self.dialect.required_for(self.module.types.get(ty)) {
            self.require(line);
        }
    }

    /// The word for a type; an error where the language has none.
    pub fn type_name(&mut self, ty: TypeId, span: SpanId) -> String {
        self.require_type(ty);
        let name = match self.module.types.get(ty) {
            Type::Scalar(scalar) => self.dialect.scalar(scalar).map(String::from),
            Type::Vector { scalar, len } => self.dialect.vector(scalar, len),
            Type::Matrix { scalar, rows, cols } => self.dialect.matrix(scalar, rows, cols),
            Type::Array { element, len } => {
                let element = self.type_name(element, span);
                Some(self.dialect.array(&element, len))
            }
            Type::Struct(id) => self.struct_names.get(id).map(|name| name.to_string()),
            Type::Handle(handle) => {
                let content = handle.content().map_or(String::new(), |content| self.type_name(content, span));
                self.dialect.handle(handle, &content)
            }
            Type::Sum(_) | Type::Opaque(_) => None,
        };
        name.unwrap_or_else(|| {
            let text = self.describe(ty);
            let target = self.dialect.target().name();
            self.error(span, format!("{text} is not supported for target `{target}`"));
            "void".into()
        })
    }

    /// What a type is called in messages.
    fn describe(&self, ty: TypeId) -> String {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                format!("the type `{}`", ir::source_names::scalar_name(scalar))
            }
            Type::Sum(id) => format!("the interface type `{}`", self.module.types.sums[id].name),
            Type::Handle(HandleType::Pointer { .. }) => "a pointer".into(),
            Type::Handle(HandleType::Texture { .. }) => "this kind of texture".into(),
            Type::Handle(HandleType::TexelBuffer { .. }) => "a buffer of texels".into(),
            _ => "a type that is used here".into(),
        }
    }

    /// Notes that something cannot be written.
    pub fn error(&mut self, span: SpanId, message: String) {
        let error = EmitError::new(span, message);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// What sort of type it is.
    pub fn shape(&self, ty: TypeId) -> Form {
        match self.module.types.get(ty) {
            Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => Form::Scalar,
            Type::Vector { .. } => Form::Vector,
            Type::Matrix { .. } => Form::Matrix,
            Type::Array { .. } => Form::Array,
            Type::Struct(_) => Form::Struct,
        }
    }

    /// The parameters that are bound from outside.
    fn bindings(&self) -> Vec<Binding> {
        let mut shown = FxHashSet::default();
        self.globals
            .iter()
            .map(|&global| self.legal.seen(global))
            .filter(|&global| shown.insert(global))
            .filter_map(|global| {
                let (set, binding) = self.binding_of(global)?;
                let data = &self.module.globals[global];
                let ty = self.module.types.resource_array(data.ty).map_or(data.ty, |(element, _)| element);
                let kind = match self.module.types.get(ty) {
                    Type::Handle(HandleType::ConstantBuffer { .. }) => BindingKind::Uniform,
                    Type::Handle(
                        HandleType::StructuredBuffer { writable: false, .. }
                        | HandleType::ByteAddressBuffer { writable: false },
                    ) => BindingKind::ReadOnlyStorage,
                    Type::Handle(HandleType::Texture { .. }) => BindingKind::Texture,
                    Type::Handle(HandleType::Sampler { .. }) => BindingKind::Sampler,
                    _ => BindingKind::Storage,
                };
                Some(Binding { name: data.name.clone(), set, binding, kind })
            })
            .collect()
    }
}

/// What stands behind the name of an array of resources.
pub(crate) fn resource_count(count: u32) -> String {
    if count == AS_MANY_AS_BOUND { "[]".into() } else { format!("[{count}]") }
}

pub(crate) fn used_builtins(block: &[Stmt]) -> Vec<(Builtin, SmolStr)> {
    fn in_expr(expr: &Expr, found: &mut Vec<(Builtin, SmolStr)>) {
        if let ExprKind::Builtin(builtin) = expr.kind
            && !found.iter().any(|(other, _)| *other == builtin)
        {
            found.push((builtin, builtin_name(builtin).into()));
        }
        expr.for_each_child(&mut |child| in_expr(child, found));
    }
    fn in_block(block: &[Stmt], found: &mut Vec<(Builtin, SmolStr)>) {
        for stmt in block {
            stmt.for_each_expr(&mut |expr| in_expr(expr, found));
            if let StmtKind::For { init, step, .. } = &stmt.kind {
                in_block(&[(**init).clone(), (**step).clone()], found);
            }
            for nested in stmt.blocks() {
                in_block(nested, found);
            }
        }
    }
    let mut found = Vec::new();
    in_block(block, &mut found);
    found
}
