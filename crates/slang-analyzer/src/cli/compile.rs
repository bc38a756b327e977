//! From a file to verified IR with its derivatives: what `run`, `emit` and `gradcheck` share.

use std::{path::Path, process::ExitCode, sync::Arc};

use base_db::{Db, SourceFile};
use hir_def::{
    attribute::AttributeKind,
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{display, generics, signature::FunctionRef, ty::GenericArgs};
use ide::{
    driver::{self, Mode, Problem, ProblemKind, Program},
    function_instances::instances_named,
};
use ir::module::Stage;
use serde_json::json;

use super::{
    arguments::{Format, ProjectArguments, ReportArguments},
    project::{CommandProject, display_path},
    report::{Reporter, has_errors},
    status::Status,
};

/// What of a file to compile.
#[derive(Clone, Copy)]
pub enum Roots<'a> {
    /// The stage is that of those that do not say it.
    EntryPoints { names: &'a [String], stage: Option<Stage> },
    /// Functions, or derivatives of them: `bwd_diff(f)`.
    Functions(&'a [String]),
    /// Compute entry points around functions, or around derivatives of them; those for backward derivatives write the
    /// results of the functions, too, if `with_primal` says so.
    Kernels { functions: &'a [String], with_primal: bool },
    /// The compute entry points; if there are none, all functions.
    Everything,
}

/// Why there is no program.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong, or a file cannot be read.
    Usage(String),
    /// What is wrong has been reported.
    Reported(Status),
    /// A feature that is not supported yet, without a place in the source.
    Unsupported(String),
    /// A mistake of ours.
    Internal(String),
}

impl Failure {
    pub fn internal(message: impl Into<String>) -> Failure {
        Failure::Internal(message.into())
    }

    /// Reports problems of the program on standard error.
    pub fn reported(project: &CommandProject, report: ReportArguments, problems: &[Problem]) -> Failure {
        let mut reporter = Reporter::on_error(report);
        reporter.problems(&project.db, problems);
        reporter.summary();
        let internal = problems.iter().any(|problem| problem.kind == ProblemKind::Internal);
        Failure::Reported(if internal { Status::Internal } else { Status::Unsupported })
    }

    /// Says what failed, if that was not done yet, in the format that was asked for, and returns the exit status.
    pub fn exit(self, format: Format) -> ExitCode {
        let (message, status) = match self {
            Failure::Reported(status) => return status.into(),
            Failure::Usage(message) => (message, Status::Usage),
            Failure::Unsupported(message) => (message, Status::Unsupported),
            Failure::Internal(message) => (format!("internal error: {message}"), Status::Internal),
        };
        match format {
            Format::Human => eprintln!("error: {message}"),
            Format::Json => eprintln!("{}", json!({"severity": "error", "code": "", "message": message})),
        }
        status.into()
    }
}

/// Runs `work` on a stack that deeply nested programs do not overflow.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(diagnostics::stack::SIZE).spawn_scoped(scope, work);
        match thread.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Failure::internal("the compiler panicked")),
            Err(error) => Err(Failure::internal(error.to_string())),
        }
    })
}

/// Checks a file, lowers the roots and expands their derivatives, for one target or for all.
pub fn compile(
    path: &Path,
    project: &ProjectArguments,
    report: ReportArguments,
    roots: Roots<'_>,
    conformances: &[lower::Conformance],
    target: Option<codegen::Target>,
) -> Result<(CommandProject, Program), Failure> {
    let (project, mut program) = lower(path, project, report, roots, conformances, target)?;
    program.differentiate().map_err(|problems| Failure::reported(&project, report, &problems))?;
    Ok((project, program))
}

/// Checks a file and lowers the roots; derivatives are still to be expanded.
pub fn lower(
    path: &Path,
    project: &ProjectArguments,
    report: ReportArguments,
    roots: Roots<'_>,
    conformances: &[lower::Conformance],
    target: Option<codegen::Target>,
) -> Result<(CommandProject, Program), Failure> {
    let flags = project.compiler_flags().map_err(Failure::Usage)?;
    let (project, file) = load(path, project, report)?;
    let reported = |problems: Vec<Problem>| Failure::reported(&project, report, &problems);
    let Found { roots, kernels } = find_roots(&project.db, file, roots, target)?;
    let setting = driver::Setting { target, matrices_by_columns: flags.matrices_by_columns };
    let mut program = driver::lower_for(&project.db, &roots, conformances, setting).map_err(reported)?;
    if !kernels.is_empty() {
        program.wrap_in_kernels(&kernels).map_err(reported)?;
    }
    Ok((project, program))
}

/// Reads and checks a file. Errors go to standard error.
pub fn load(
    path: &Path,
    arguments: &ProjectArguments,
    report: ReportArguments,
) -> Result<(CommandProject, SourceFile), Failure> {
    let mut project = CommandProject::new(arguments).map_err(Failure::Usage)?;
    let file = project.load(path).map_err(Failure::Usage)?;
    let mut diagnostics = ide::diagnostics::diagnostics(&project.db, file);
    diagnostics.extend(ide::import_failures::import_failures(&project.db, file));
    let mut severities = Arc::default();
    project.flags.add_to(&mut severities);
    severities.apply(&mut diagnostics);
    if has_errors(&diagnostics) {
        diagnostics.retain(|diagnostic| diagnostic.severity == ide::diagnostics::Severity::Error);
        let mut reporter = Reporter::on_error(report);
        reporter.report(&project.db, &diagnostics);
        reporter.summary();
        return Err(Failure::Reported(Status::Errors));
    }
    Ok((project, file))
}

/// The path, line and column of an offset, counted from 1.
pub fn position_in(db: &dyn Db, file: SourceFile, offset: usize) -> Option<(String, u32, u32)> {
    let text = db.text(file)?;
    let position = text.line_column(offset, base_db::line_column::ColumnUnit::Utf32);
    Some((file.path(db).to_string(), position.line + 1, position.column + 1))
}

/// What the command line names.
struct Found {
    roots: Vec<lower::Root>,
    /// What the kernel around each of them computes, if there are to be kernels.
    kernels: Vec<Mode>,
}

fn find_roots(
    db: &dyn Db,
    file: SourceFile,
    roots: Roots<'_>,
    target: Option<codegen::Target>,
) -> Result<Found, Failure> {
    let roots = match roots {
        Roots::EntryPoints { names, stage } => {
            let entry_point = |name: &String| match functions_named(db, file, name).first() {
                Some(&item) => Ok(lower::Root::EntryPoint { item, stage }),
                None => Err(Failure::Usage(no_entry_point(db, file, name))),
            };
            names.iter().map(entry_point).collect::<Result<_, _>>()?
        }
        Roots::Functions(expressions) => {
            let mut roots = Vec::new();
            for expression in expressions {
                let (instances, operators) = derivatives_named(db, file, expression)?;
                let root = |function| lower::Root::Function { function, operators: operators.clone() };
                roots.extend(instances.into_iter().map(root));
            }
            roots
        }
        Roots::Kernels { functions, with_primal } => return kernels(db, file, functions, with_primal),
        Roots::Everything => {
            let functions = all_functions(db, file);
            let mut called: Vec<lower::Root> = functions
                .iter()
                .filter(|item| is_entry_point(db, **item))
                .map(|item| lower::Root::EntryPoint { item: *item, stage: None })
                .collect();
            match target {
                Some(codegen::Target::Cuda) => {
                    let has_host = functions.iter().any(|item| is_for_host(db, *item));
                    called.extend(functions.iter().flat_map(|item| exported(db, *item, has_host)));
                }
                Some(codegen::Target::Torch) => {
                    called = functions.iter().flat_map(|item| called_from_python(db, *item)).collect();
                    if called.is_empty() {
                        return Err(Failure::Usage(format!(
                            "there is nothing for Python in {}: no function has `[TorchEntryPoint]` or \
                             `[AutoPyBindCUDA]`",
                            display_path(file.path(db))
                        )));
                    }
                }
                _ => {}
            }
            if called.is_empty() {
                let elsewhere = functions.into_iter().filter(|item| !is_for_host(db, *item));
                called.extend(elsewhere.map(|item| root_of(db, item, Vec::new())));
            }
            if called.is_empty() {
                return Err(Failure::Usage(format!(
                    "there is no entry point and no function in {}",
                    display_path(file.path(db))
                )));
            }
            called
        }
    };
    Ok(Found { roots, kernels: Vec::new() })
}

/// The functions that `f`, `S.f`, `cholesky<4>`, `f(float2)`, `bwd_diff(f)` or `fwd_diff(bwd_diff(f))` means, and the
/// operators around them.
fn derivatives_named(
    db: &dyn Db,
    file: SourceFile,
    expression: &str,
) -> Result<(Vec<FunctionRef>, Vec<DerivativeOperator>), Failure> {
    let (name, operators) = parse_derivative(expression);
    let instances = instances_named(db, file, name).map_err(Failure::Usage)?;
    Ok((instances.found.into_iter().map(|instance| instance.function).collect(), operators))
}

/// The functions without generic parameters at the top level of a file.
pub fn all_functions(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    item::file_items(db, file)
        .iter()
        .copied()
        .filter(|item| {
            matches!(&item::item_data(db, *item).kind, ItemKind::Function(function) if function.has_body)
                && generics::parameters(db, *item).is_empty()
        })
        .collect()
}

/// What is said of a name, with those that could be meant.
fn no_entry_point(db: &dyn Db, file: SourceFile, name: &str) -> String {
    let functions = all_functions(db, file).into_iter().filter(|item| is_entry_point(db, *item));
    let known: Vec<String> = functions.map(|item| format!("`{}`", display::item_name(db, item))).collect();
    match known.is_empty() {
        true => format!("there is no function `{name}`, and no entry point"),
        false => format!("there is no entry point `{name}`: the file has {}", known.join(", ")),
    }
}

fn is_entry_point(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    data.has_attribute(AttributeKind::NumThreads) || data.has_attribute(AttributeKind::Shader)
}

/// What CUDA programs call of a function: nothing, a function of the device, or a kernel, with its derivatives where Python
/// bindings are made, or functions of the host may start them.
fn exported(db: &dyn Db, item: ItemId, has_host: bool) -> Vec<lower::Root> {
    let data = item::item_data(db, item);
    let has = |kind| data.has_attribute(kind);
    if !has(AttributeKind::CudaKernel) && !has(AttributeKind::CudaDeviceExport) {
        return Vec::new();
    }
    let mut roots = vec![root_of(db, item, Vec::new())];
    if has(AttributeKind::AutoPyBindCuda) || has_host && has(AttributeKind::CudaKernel) {
        let operators = driver::python_derivatives(db, item).into_iter();
        roots.extend(operators.map(|operator| root_of(db, item, vec![operator])));
    }
    roots
}

/// What Python calls of a function: nothing, a function of the host, or what starts a kernel, with its derivatives.
fn called_from_python(db: &dyn Db, item: ItemId) -> Vec<lower::Root> {
    let data = item::item_data(db, item);
    let mut roots = Vec::new();
    if data.has_attribute(AttributeKind::TorchEntryPoint) {
        roots.push(root_of(db, item, Vec::new()));
    }
    if data.has_attribute(AttributeKind::AutoPyBindCuda) && data.has_attribute(AttributeKind::CudaKernel) {
        let start =
            |operators| lower::Root::KernelStart(lower::KernelRef { function: function_ref(db, item), operators });
        roots.push(start(Vec::new()));
        roots.extend(driver::python_derivatives(db, item).into_iter().map(|operator| start(vec![operator])));
    }
    roots
}

/// The functions of a program's file that run on the host and start kernels from there.
pub fn host_functions(db: &dyn Db, program: &Program) -> Vec<String> {
    let file = program.items.first().map(|&item| item::file_of(db, item));
    let functions = file.map_or_else(Vec::new, |file| all_functions(db, file));
    let functions = functions.into_iter().filter(|item| is_for_host(db, *item));
    functions.map(|item| display::item_name(db, item)).collect()
}

/// Whether a function runs on the host and starts kernels from there.
fn is_for_host(db: &dyn Db, item: ItemId) -> bool {
    let data = item::item_data(db, item);
    [AttributeKind::CudaHost, AttributeKind::TorchEntryPoint].into_iter().any(|kind| data.has_attribute(kind))
}

fn root_of(db: &dyn Db, item: ItemId, operators: Vec<DerivativeOperator>) -> lower::Root {
    lower::Root::Function { function: function_ref(db, item), operators }
}

fn function_ref(db: &dyn Db, item: ItemId) -> FunctionRef {
    let self_ty = generics::enclosing_aggregate(db, item).and_then(|aggregate| generics::self_type(db, aggregate));
    FunctionRef { item, args: GenericArgs::new(db, Box::default()), self_ty }
}

/// The functions around which kernels are made; the last operator is that of the kernel.
fn kernels(db: &dyn Db, file: SourceFile, expressions: &[String], with_primal: bool) -> Result<Found, Failure> {
    let mut wanted: Vec<(FunctionRef, Vec<DerivativeOperator>, Mode)> = Vec::new();
    for expression in expressions {
        let (functions, mut operators) = derivatives_named(db, file, expression)?;
        let mode = match operators.pop() {
            Some(DerivativeOperator::Backward) if with_primal => Mode::PrimalAndBackward,
            Some(DerivativeOperator::Backward) => Mode::Backward,
            Some(DerivativeOperator::Forward) => Mode::Forward,
            Some(DerivativeOperator::Apply | DerivativeOperator::Remat | DerivativeOperator::Propagate) | None => {
                Mode::Primal
            }
        };
        for function in functions {
            let kernel = (function, operators.clone(), mode);
            if !wanted.contains(&kernel) {
                wanted.push(kernel);
            }
        }
    }
    let root = |(function, operators, mode): &(FunctionRef, Vec<DerivativeOperator>, Mode)| match operators.is_empty()
        && *mode != Mode::Primal
    {
        true => lower::Root::Differentiated(*function),
        false => lower::Root::Function { function: *function, operators: operators.clone() },
    };
    let roots = wanted.iter().map(root).collect();
    Ok(Found { roots, kernels: wanted.into_iter().map(|(_, _, mode)| mode).collect() })
}

/// The name and the operators around it, innermost first.
pub fn parse_derivative(expression: &str) -> (&str, Vec<DerivativeOperator>) {
    let mut operators = Vec::new();
    let mut rest = expression.trim();
    loop {
        let stripped = [("fwd_diff(", DerivativeOperator::Forward), ("bwd_diff(", DerivativeOperator::Backward)]
            .into_iter()
            .find_map(|(prefix, operator)| {
                let inner = rest.trim_start_matches("__").strip_prefix(prefix)?.strip_suffix(')')?;
                Some((inner.trim(), operator))
            });
        match stripped {
            Some((inner, operator)) => {
                operators.insert(0, operator);
                rest = inner;
            }
            None => return (rest, operators),
        }
    }
}

/// The functions that a name (`f`, `S.f`) means at the top level of a file.
pub fn functions_named(db: &dyn Db, file: SourceFile, name: &str) -> Vec<ItemId> {
    let mut parts = name.split('.');
    let Some(first) = parts.next() else { return Vec::new() };
    let mut found = scope::lookup_in_file(db, file, &Name::new(first));
    for part in parts {
        let part = Name::new(part);
        found = found
            .iter()
            .flat_map(|container| item::members(db, *container))
            .copied()
            .filter(|member| item::item_data(db, *member).name.as_ref() == Some(&part))
            .collect();
    }
    found.retain(|item| matches!(item::item_data(db, *item).kind, ItemKind::Function(_)));
    // The one with a body comes before its forward declarations.
    found.sort_by_key(
        |item| !matches!(&item::item_data(db, *item).kind, ItemKind::Function(function) if function.has_body),
    );
    found
}
