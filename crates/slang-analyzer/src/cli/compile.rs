//! From a file to verified IR with its derivatives: what `run`, `emit` and `gradcheck` share.

use std::{path::Path, process::ExitCode};

use base_db::{Db, SourceFile};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{generics, signature::FunctionRef, ty::GenericArgs};
use ide::function_instances::instances_named;
use ir::{FuncId, Module};

use super::{
    project::{CommandProject, ProjectOptions},
    report::{self, Format},
    usage_error,
};

/// The stack of the thread that compiles: recursion follows the nesting of the program.
const STACK_SIZE: usize = 256 << 20;

/// What of a file to compile.
pub enum Roots {
    EntryPoints(Vec<String>),
    /// Functions, or derivatives of them: `bwd_diff(f)`.
    Functions(Vec<String>),
    /// The compute entry points; if there are none, all functions.
    Everything,
}

/// Why there is no module.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong, or a file cannot be read.
    Usage(String),
    /// The program has errors, which are on standard output.
    Errors,
    /// A feature that is not supported yet.
    Unsupported(String),
    /// A mistake of ours.
    Internal(String),
}

/// The exit status of a mistake of ours: that of a panic.
const INTERNAL_ERROR: u8 = 101;

impl Failure {
    pub fn internal(message: impl Into<String>) -> Failure {
        Failure::Internal(message.into())
    }

    /// Says what failed and gives the exit status.
    pub fn exit(self) -> ExitCode {
        match self {
            Failure::Usage(message) => usage_error(&message),
            Failure::Errors => ExitCode::from(1),
            Failure::Unsupported(message) => {
                eprintln!("slang-analyzer: {message}");
                ExitCode::from(3)
            }
            Failure::Internal(message) => {
                eprintln!("slang-analyzer: internal error: {message}");
                ExitCode::from(INTERNAL_ERROR)
            }
        }
    }
}

/// A compiled file.
pub struct Compiled {
    pub project: CommandProject,
    pub module: Module,
    /// The functions of the roots.
    pub roots: Vec<FuncId>,
    /// The declaration of each.
    pub items: Vec<ItemId>,
    /// The files of the module's spans.
    pub files: Vec<SourceFile>,
}

/// Runs `work` on a stack that deeply nested programs do not overflow.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        match thread.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Failure::internal("the compiler panicked")),
            Err(error) => Err(Failure::internal(error.to_string())),
        }
    })
}

/// Checks a file, lowers the roots, expands their derivatives and verifies the result.
pub fn compile(
    path: &Path,
    options: &ProjectOptions,
    roots: &Roots,
    conformances: &[lower::Conformance],
) -> Result<Compiled, Failure> {
    let mut compiled = lower(path, options, roots, conformances)?;
    if let Err(errors) = autodiff::expand(&mut compiled.module, &compiled.roots)
        && let Some(error) = errors.first()
    {
        let span = compiled.module.spans.get(error.span.0 as usize).copied().unwrap_or_default();
        let place = place(&compiled.project.db, &compiled.files, span);
        return Err(Failure::Unsupported(format!("{place}{error}")));
    }
    verify(&compiled.module, "differentiation")?;
    Ok(compiled)
}

/// Checks a file, lowers the roots and verifies the result; derivatives are still to be expanded.
pub fn lower(
    path: &Path,
    options: &ProjectOptions,
    roots: &Roots,
    conformances: &[lower::Conformance],
) -> Result<Compiled, Failure> {
    let (project, file) = load(path, options)?;
    let db = &project.db;
    let roots = find_roots(db, file, roots)?;
    let lowered = lower::lower_program(db, &roots, conformances);
    if let Some(error) = lowered.errors.first() {
        return Err(Failure::Unsupported(format!("{}{error}", place(db, &lowered.files, error.span))));
    }
    verify(&lowered.module, "lowering")?;
    let items = roots.iter().map(|root| match root {
        lower::Root::EntryPoint(item) => *item,
        lower::Root::Function { function, .. } => function.item,
    });
    let (roots, items) = lowered.roots.iter().zip(items).filter_map(|(root, item)| Some(((*root)?, item))).unzip();
    Ok(Compiled { project, module: lowered.module, roots, items, files: lowered.files })
}

/// Reads and checks a file. Errors go to standard output.
pub fn load(path: &Path, options: &ProjectOptions) -> Result<(CommandProject, SourceFile), Failure> {
    let mut project = CommandProject::new(options);
    let file = project.load(path).map_err(Failure::Usage)?;
    let diagnostics = ide::diagnostics::diagnostics(&project.db, file);
    if report::has_errors(&diagnostics) {
        report::report(&project.db, &diagnostics, Format::Json);
        return Err(Failure::Errors);
    }
    Ok((project, file))
}

fn verify(module: &Module, pass: &str) -> Result<(), Failure> {
    match ir::verify::verify(module) {
        Ok(()) => Ok(()),
        Err(errors) => {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            Err(Failure::internal(format!("after {pass}: {first}")))
        }
    }
}

/// Why the target cannot have the code.
pub fn refused(compiled: &Compiled, errors: &[codegen::EmitError]) -> Failure {
    let Some(error) = errors.first() else { return Failure::internal("no code and no reason") };
    let span = compiled.module.spans.get(error.span.0 as usize).copied().unwrap_or_default();
    Failure::Unsupported(format!("{}{error}", place(&compiled.project.db, &compiled.files, span)))
}

/// `file:line:column: ` of a span.
pub fn place(db: &dyn Db, files: &[SourceFile], span: ir::SourceSpan) -> String {
    position(db, files, span).map_or_else(String::new, |(path, line, column)| {
        format!("{}:{line}:{column}: ", super::project::display_path(&path))
    })
}

/// The path, line and column of a span, counted from 1.
pub fn position(db: &dyn Db, files: &[SourceFile], span: ir::SourceSpan) -> Option<(String, u32, u32)> {
    position_in(db, *files.get(span.file as usize)?, span.start as usize)
}

/// The path, line and column of an offset, counted from 1.
pub fn position_in(db: &dyn Db, file: SourceFile, offset: usize) -> Option<(String, u32, u32)> {
    let text = db.text(file)?;
    let position = text.line_column(offset, base_db::line_column::ColumnUnit::Utf8);
    Some((file.path(db).to_string(), position.line + 1, position.column + 1))
}

fn find_roots(db: &dyn Db, file: SourceFile, roots: &Roots) -> Result<Vec<lower::Root>, Failure> {
    match roots {
        Roots::EntryPoints(names) => names
            .iter()
            .map(|name| match functions_named(db, file, name).first() {
                Some(&item) => Ok(lower::Root::EntryPoint(item)),
                None => Err(Failure::Usage(format!("there is no function `{name}`"))),
            })
            .collect(),
        Roots::Functions(expressions) => {
            expressions.iter().map(|expression| function_root(db, file, expression)).collect()
        }
        Roots::Everything => {
            let functions = all_functions(db, file);
            let entry_points: Vec<lower::Root> = functions
                .iter()
                .filter(|item| is_entry_point(db, **item))
                .map(|item| lower::Root::EntryPoint(*item))
                .collect();
            if !entry_points.is_empty() {
                return Ok(entry_points);
            }
            Ok(functions.into_iter().map(|item| root_of(db, item, Vec::new())).collect())
        }
    }
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

fn is_entry_point(db: &dyn Db, item: ItemId) -> bool {
    let attributes = &item::item_data(db, item).attributes;
    attributes.iter().any(|attribute| matches!(attribute.name.as_str(), "numthreads" | "shader" | "Shader"))
}

fn root_of(db: &dyn Db, item: ItemId, operators: Vec<DerivativeOperator>) -> lower::Root {
    let self_ty = generics::enclosing_aggregate(db, item).and_then(|aggregate| generics::self_type(db, aggregate));
    let function = FunctionRef { item, args: GenericArgs::new(db, Box::default()), self_ty };
    lower::Root::Function { function, operators }
}

/// The function that `f`, `S.f`, `cholesky<4>`, `bwd_diff(f)` or `fwd_diff(bwd_diff(f))` means.
pub fn function_root(db: &dyn Db, file: SourceFile, expression: &str) -> Result<lower::Root, Failure> {
    let (name, operators) = parse_derivative(expression);
    let instances = instances_named(db, file, name).map_err(Failure::Usage)?;
    match instances.found.first() {
        Some(instance) => Ok(lower::Root::Function { function: instance.function, operators }),
        None => Err(Failure::Usage(format!("there is no function `{name}`"))),
    }
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
