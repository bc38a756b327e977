//! Programs of languages in which globals are members: functions that use none stand by themselves, the others are
//! members of a struct that holds what one thread sees.

use ir::provision::ParameterRole;
use ir::{Builtin, Callee, FuncId, GlobalId, GlobalKind, HandleType, Op, SpanId, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::items::{Printer, used_builtins};
use super::{Kernel, KernelParam, KernelParamKind, KernelVarying, Static, Told};
use crate::legalise::for_each_op;
use crate::tree::Function;

impl Printer<'_> {
    pub(super) fn plain_functions_and_thread(&mut self, functions: &[Function]) {
        // Constants that the host may fix stand by themselves.
        let fixed: Vec<GlobalId> =
            self.globals.iter().copied().filter(|&global| self.is_specialization(global)).collect();
        for &global in &fixed {
            self.global(global);
        }
        // Their values stand at them.
        let is_value = |function: &&Function| {
            fixed.iter().any(|&global| {
                matches!(self.module.globals[global].kind, GlobalKind::Static { init: Some(init) } if init == function.func)
            })
        };
        let functions: Vec<Function> = functions.iter().filter(|function| !is_value(function)).cloned().collect();
        let functions = &functions[..];
        let members = self.users_of_globals();
        let (members, plain): (Vec<&Function>, Vec<&Function>) =
            functions.iter().partition(|function| members.contains(&function.func));
        self.write_kernel_starts();
        self.declare_before_calls(&plain);
        for function in plain {
            self.function(function);
        }
        let (parameters, shared, statics) = self.sorted_globals();
        let told = self.told(&members);
        if members.is_empty() {
            return self.write_exports(functions, &parameters, &shared, None);
        }
        if !self.can_be_bound(&parameters) {
            return;
        }
        self.out.blank();
        let thread_struct = self.namer.unique("Thread");
        self.out.line(SpanId::NONE, "/// What one thread sees.");
        self.out.line(SpanId::NONE, &format!("struct {thread_struct}"));
        self.out.open();
        let varyings = self.varyings();
        for &global in parameters.iter().chain(&shared).chain(&statics).chain(&varyings) {
            self.global(global);
        }
        for told in &told {
            self.out.line(SpanId::NONE, &format!("{} {};", told.ty, told.name));
        }
        for &function in &members {
            self.function(function);
        }
        self.out.close("};");
        let globals = ThreadGlobals { parameters, shared, statics, told };
        for function in &members {
            self.kernel(function, &thread_struct, &globals, &members);
        }
        let ThreadGlobals { parameters, shared, .. } = globals;
        self.write_exports(functions, &parameters, &shared, Some((&thread_struct, &members)));
    }

    /// How the variables that a group shares are declared, with their names.
    pub(super) fn shared_declarators<'n>(
        &mut self,
        shared: &[GlobalId],
        names: &'n [SmolStr],
    ) -> Vec<(String, &'n str)> {
        let mut variables = Vec::new();
        for (&global, name) in shared.iter().zip(names) {
            let Type::Handle(HandleType::Variable { content }) = self.module.types.get(self.module.globals[global].ty)
            else {
                continue;
            };
            variables.push((self.declarator(content, name, SpanId::NONE), name.as_str()));
        }
        variables
    }

    /// The functions that need a thread: entry points and all that use globals, be it in what they call.
    fn users_of_globals(&self) -> FxHashSet<FuncId> {
        let mut users: FxHashSet<FuncId> = FxHashSet::default();
        // Once is enough where callees stand before their callers, which recursion does not allow for.
        loop {
            let before = users.len();
            for &id in &self.legal.functions {
                let func = &self.module.funcs[id];
                let mut uses = self.module.entry_points.iter().any(|entry| entry.func == id);
                for_each_op(func, |op| match func.ops[op].op {
                    Op::Global(_) => uses = true,
                    Op::Intrinsic { intrinsic, .. } => uses |= self.dialect.told_for(intrinsic).is_some(),
                    Op::Call { callee: Callee::Func(callee), .. } => uses |= users.contains(&callee),
                    _ => {}
                });
                if uses {
                    users.insert(id);
                }
            }
            if users.len() == before {
                return users;
            }
        }
    }

    /// What the machine tells the threads that run these functions.
    fn told(&self, functions: &[&Function]) -> Vec<Told> {
        let mut found: Vec<Told> = Vec::new();
        for function in functions {
            let func = &self.module.funcs[function.func];
            for_each_op(func, |op| {
                if let Op::Intrinsic { intrinsic, .. } = func.ops[op].op
                    && let Some(told) = self.dialect.told_for(intrinsic)
                    && !found.contains(&told)
                {
                    found.push(told);
                }
            });
        }
        found
    }

    /// Functions that call one another stand in no order in which each is known before it is called.
    fn declare_before_calls(&mut self, functions: &[&Function]) {
        let places: FxHashMap<FuncId, usize> =
            functions.iter().enumerate().map(|(at, function)| (function.func, at)).collect();
        let mut early: FxHashSet<FuncId> = FxHashSet::default();
        for (at, function) in functions.iter().enumerate() {
            let func = &self.module.funcs[function.func];
            for_each_op(func, |op| {
                if let Op::Call { callee: Callee::Func(callee), .. } = func.ops[op].op
                    && places.get(&callee).is_some_and(|callee| *callee > at)
                {
                    early.insert(callee);
                }
            });
        }
        for function in functions.iter().filter(|function| early.contains(&function.func)) {
            let head = self.head(function);
            self.out.line(SpanId::NONE, &format!("{head};"));
        }
    }

    /// Parameters, variables of a group, variables of a thread.
    fn sorted_globals(&self) -> (Vec<GlobalId>, Vec<GlobalId>, Vec<GlobalId>) {
        let of = |wanted: fn(GlobalKind) -> bool| {
            let is_varying = |global: GlobalId| self.module.globals[global].provision.varying.is_some();
            let is_other = |global: &GlobalId| !self.is_specialization(*global) && !is_varying(*global);
            let globals = self.globals.iter().copied().filter(is_other);
            globals.filter(|&global| wanted(self.module.globals[global].kind)).collect()
        };
        (
            of(|kind| kind == GlobalKind::Parameter),
            of(|kind| kind == GlobalKind::GroupShared),
            of(|kind| matches!(kind, GlobalKind::Static { .. })),
        )
    }

    /// What stages hand to each other, of all entry points.
    fn varyings(&self) -> Vec<GlobalId> {
        let is_varying = |global: &GlobalId| self.module.globals[*global].provision.varying.is_some();
        self.globals.iter().copied().filter(is_varying).collect()
    }

    /// What an entry point gets from the stage before it, and what it hands on.
    fn varyings_of(&mut self, number: usize) -> Vec<KernelVarying> {
        let mut found = Vec::new();
        for id in self.varyings() {
            let global = &self.module.globals[id];
            let is_own = matches!(global.provision.role, ParameterRole::EntryOwn(entry) if entry as usize == number);
            let (Some(varying), Type::Handle(HandleType::Variable { content }), true) =
                (global.provision.varying.clone(), self.module.types.get(global.ty), is_own)
            else {
                continue;
            };
            let (name, ty) = (self.global_names[id].clone(), self.type_name(content, SpanId::NONE));
            let is_integer = self.scalar_of(content).is_some_and(ir::Scalar::is_integer);
            found.push(KernelVarying { name, ty, is_integer, varying });
        }
        found
    }

    /// Reports parameters that no pointer can bring.
    fn can_be_bound(&mut self, parameters: &[GlobalId]) -> bool {
        for &global in parameters {
            let Type::Handle(handle) = self.module.types.get(self.module.globals[global].ty) else { continue };
            let name = &self.module.globals[global].name;
            let reason = match handle {
                _ if handle.content().is_some_and(|content| self.holds_buffers(content)) => continue,
                _ => match handle.content() {
                    Some(content) if !self.has_natural_layout(content) => {
                        format!("`{name}` holds values of a type that is not supported in memory for this target")
                    }
                    _ => continue,
                },
            };
            self.error(self.global_span(global), reason);
        }
        self.errors.is_empty()
    }

    /// Whether the type has resources as parts, buffers as a pointer and a number of elements, which a host can give in a value,
    /// and nothing that it cannot.
    fn holds_buffers(&self, ty: TypeId) -> bool {
        fn find(types: &ir::types::TypeTable, ty: TypeId, buffers: &mut bool) -> bool {
            match types.get(ty) {
                Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => true,
                Type::Array { element, .. } => find(types, element, buffers),
                Type::Struct(id) => types.structs[id].fields.iter().all(|field| find(types, field.ty, buffers)),
                Type::Handle(
                    HandleType::StructuredBuffer { .. }
                    | HandleType::ByteAddressBuffer { .. }
                    | HandleType::TexelBuffer { .. }
                    | HandleType::Texture { .. }
                    | HandleType::Sampler { .. }
                    | HandleType::AccelerationStructure,
                ) => {
                    *buffers = true;
                    true
                }
                Type::Handle(HandleType::ConstantBuffer { content }) => {
                    *buffers = true;
                    find(types, content, &mut true)
                }
                Type::Handle(HandleType::Pointer { .. }) => true,
                Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => false,
            }
        }
        let mut buffers = false;
        find(&self.module.types, ty, &mut buffers) && buffers
    }

    /// Whether the language's layout of the type is the natural one: it is but for what takes no space.
    fn has_natural_layout(&self, ty: TypeId) -> bool {
        let has_size = ir::layout::layout(&self.module.types, ty).is_some_and(|layout| layout.size > 0);
        has_size
            && match self.module.types.get(ty) {
                Type::Array { element, .. } => self.has_natural_layout(element),
                Type::Struct(id) => {
                    self.module.types.structs[id].fields.iter().all(|field| self.has_natural_layout(field.ty))
                }
                Type::Scalar(_)
                | Type::Vector { .. }
                | Type::Matrix { .. }
                | Type::Sum(_)
                | Type::Handle(_)
                | Type::Opaque(_) => true,
            }
    }

    /// What runs a member function that is an entry point.
    fn kernel(&mut self, function: &Function, thread_struct: &str, globals: &ThreadGlobals, members: &[&Function]) {
        let entries = &self.module.entry_points;
        let found = entries.iter().enumerate().find(|(_, entry)| entry.func == function.func);
        let Some((number, entry)) = found else { return };
        let varyings = self.varyings_of(number);
        let called = self.dialect.entry_name(&entry.name);
        let structs = [
            ("Input", !varyings.iter().all(|part| part.varying.is_output)),
            ("Output", varyings.iter().any(|part| part.varying.is_output)),
        ];
        let [input, output] = structs.map(|(word, is_there)| match is_there {
            true => self.namer.unique(&format!("{called}_{word}")).to_string(),
            false => String::new(),
        });
        let mut namer = self.namer.clone();
        let mut params = Vec::new();
        let ThreadGlobals { parameters, shared, statics, told } = globals;
        let names: Vec<_> = parameters.iter().map(|&global| self.global_names[global].clone()).collect();
        for (&global, name) in parameters.iter().zip(&names) {
            let Type::Handle(handle) = self.module.types.get(self.module.globals[global].ty) else { continue };
            let declaration = self.dialect.kernel_parameter(self, global).unwrap_or_default();
            let ty = handle.content().map_or(String::new(), |content| self.type_name(content, SpanId::NONE));
            let kind = match handle {
                HandleType::StructuredBuffer { writable, .. } | HandleType::TexelBuffer { writable, .. } => {
                    KernelParamKind::Elements { ty, writable }
                }
                HandleType::ByteAddressBuffer { writable } => KernelParamKind::Bytes { writable },
                HandleType::Pointer { .. } => KernelParamKind::Pointer { ty },
                _ if !declaration.is_empty() => KernelParamKind::Uniform { ty },
                HandleType::Texture { .. } | HandleType::Sampler { .. } | HandleType::AccelerationStructure => {
                    KernelParamKind::Uniform { ty: self.type_name(self.module.globals[global].ty, SpanId::NONE) }
                }
                _ => KernelParamKind::Uniform { ty },
            };
            params.push(KernelParam {
                name,
                count: namer.unique(&format!("{name}_count")).to_string(),
                kind,
                declaration,
            });
        }
        let shared_names: Vec<_> = shared.iter().map(|&global| self.global_names[global].clone()).collect();
        let variables = self.shared_declarators(shared, &shared_names);
        let static_names: Vec<_> = statics.iter().map(|&global| self.global_names[global].clone()).collect();
        let mut first_values = Vec::new();
        for (&global, name) in statics.iter().zip(&static_names) {
            first_values.push(self.first_value(global, name, members));
        }
        let builtins: Vec<Builtin> = used_builtins(&function.body).into_iter().map(|(builtin, _)| builtin).collect();
        let name = self.function_names[function.func].clone();
        let text = self.dialect.kernel(&Kernel {
            entry: self.dialect.entry_name(&entry.name),
            group_size: entry.group_size,
            params,
            shared: variables,
            statics: first_values,
            told: told.clone(),
            stage: entry.stage,
            early_tests: entry.early_fragment_tests,
            varyings,
            stage_names: [input, output, namer.unique("input").to_string(), namer.unique("output").to_string()],
            function: &name,
            builtins,
            thread_struct,
            locals: ["group", "thread", "size", "self"].map(|name| namer.unique(name).to_string()),
        });
        self.out.blank();
        self.out.line(SpanId::NONE, text.trim_end());
    }

    /// What a variable of a thread is at first.
    fn first_value<'n>(&mut self, global: GlobalId, name: &'n str, members: &[&Function]) -> Static<'n> {
        let data = &self.module.globals[global];
        let (value, calls_member) = match (data.kind, self.module.types.get(data.ty)) {
            (GlobalKind::Static { init: Some(init) }, _) => {
                let is_member = members.iter().any(|member| member.func == init);
                (format!("{}()", self.function_names[init]), is_member)
            }
            (_, Type::Handle(HandleType::Variable { content })) => (self.zero(content, SpanId::NONE), false),
            _ => (String::new(), false),
        };
        Static { name, value, calls_member }
    }
}

/// What the struct of a thread begins with.
struct ThreadGlobals {
    parameters: Vec<GlobalId>,
    shared: Vec<GlobalId>,
    statics: Vec<GlobalId>,
    told: Vec<Told>,
}
