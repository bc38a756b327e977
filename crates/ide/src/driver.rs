//! The compile driver: from functions of the source to verified IR, to their derivatives, to code.
//!
//! The command line and the features of the editor that show generated code go through here, so that both compile the
//! same and say the same: [`lower`] → [`Program::differentiate`] → [`Program::emit`], the verifier after each pass. Every
//! stage reports all its problems, each with its place in the source.

pub use autodiff::kernel::{self, Kernel, Mode};
use autodiff::{AutodiffError, ErrorKind, kernel::NoKernel};
use base_db::{Db, SourceFile};
use codegen::{EmitOptions, Emitted, Export, ExportKind, PythonKernel, Target};
use hir_def::{
    attribute::AttributeKind,
    body::DerivativeOperator,
    item::{self, ItemId},
};
use hir_ty::signature::FunctionRef;
use ir::{
    Callee, FuncId, Op, SourceSpan, SpanId,
    verify::{VerifiedModule, VerifyError},
};
use lower::{Conformance, Lowered, Root, lower_program};
use smol_str::SmolStr;
use syntax::{TextRange, TextSize};

use crate::FileRange;

/// Functions with all that they call.
pub struct Program {
    /// The functions in the IR.
    pub module: VerifiedModule,
    /// The function of each root.
    pub roots: Vec<FuncId>,
    /// The declaration of each root.
    pub items: Vec<ItemId>,
    /// The files of the module's spans.
    pub files: Vec<SourceFile>,
    /// Roots that CUDA programs beside this one call.
    pub exports: Vec<ExportedRoot>,
    /// What [`Program::wrap_in_kernels`] made.
    pub kernels: Vec<Kernel>,
}

/// A root that CUDA programs beside this one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedRoot {
    /// The function of the source.
    pub function: SmolStr,
    /// Which derivative of it, innermost first.
    pub operators: Vec<DerivativeOperator>,
    /// What it is for the others.
    pub export: Export,
}

/// Why there is no program, no derivative or no code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether the user or the compiler is to blame.
    pub kind: ProblemKind,
    /// A short sentence that stands alone.
    pub message: String,
    /// `None` where no place in the source is to blame.
    pub at: Option<FileRange>,
}

/// Who is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// Something that the compiler, or the target, does not support.
    Unsupported,
    /// A mistake of the compiler: the verifier rejects what a pass made.
    Internal,
}

/// Lowers `roots` and all that they call. Derivatives are still operations on functions: see [`Program::differentiate`].
///
/// # Errors
/// What could not be lowered: features that are not supported yet, and code with errors.
pub fn lower(db: &dyn Db, roots: &[Root], conformances: &[Conformance]) -> Result<Program, Vec<Problem>> {
    lower_for(db, roots, conformances, Setting::default())
}

/// What a program is compiled for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting {
    /// The target of which the `__target_switch`es have the arms.
    pub target: Option<Target>,
    /// Whether matrices lie column by column in memory where the source says nothing.
    pub matrices_by_columns: bool,
}

/// [`lower`] for a setting.
///
/// # Errors
/// As those of [`lower`].
pub fn lower_for(
    db: &dyn Db,
    roots: &[Root],
    conformances: &[Conformance],
    setting: Setting,
) -> Result<Program, Vec<Problem>> {
    let Setting { target, matrices_by_columns } = setting;
    let setting = lower::Setting { target: target.map(Target::name), matrices_by_columns };
    verified(db, roots, lower_program(db, roots, conformances, setting))
}

/// [`lower`] for the backward derivative of a function, as if it were marked as differentiable.
pub(crate) fn lower_as_marked(db: &dyn Db, function: FunctionRef) -> Result<Program, Vec<Problem>> {
    let roots = [Root::Function { function, operators: vec![DerivativeOperator::Backward] }];
    let mut lowered = lower_program(db, &roots, &[], lower::Setting::default());
    let funcs = &mut lowered.module.funcs;
    let calls = lowered.roots.iter().flatten().flat_map(|root| funcs[*root].ops.iter());
    let operands = calls.filter_map(|(_, data)| match data.op {
        Op::Call { callee: Callee::Derivative(_, operand), .. } => Some(operand),
        _ => None,
    });
    for operand in operands.collect::<Vec<FuncId>>() {
        funcs[operand].rules.backward_differentiable = true;
    }
    verified(db, &roots, lowered)
}

fn verified(db: &dyn Db, roots: &[Root], lowered: Lowered) -> Result<Program, Vec<Problem>> {
    let Lowered { module, roots: funcs, files, errors, kernel_starts, .. } = lowered;
    if !errors.is_empty() {
        let problem = |error: &lower::LowerError| Problem::unsupported(error.to_string(), range_of(&files, error.span));
        return Err(errors.iter().map(problem).collect());
    }
    let module = VerifiedModule::new(module).map_err(|rejected| {
        rejected.errors.iter().map(|error| Problem::internal("lowering", error)).collect::<Vec<_>>()
    })?;
    let items = roots.iter().map(|root| match root {
        Root::EntryPoint { item, .. } => *item,
        Root::Function { function, .. }
        | Root::Differentiated(function)
        | Root::KernelStart(lower::KernelRef { function, .. }) => function.item,
    });
    let exported = roots.iter().zip(&funcs).filter_map(|(root, func)| exported(db, root, (*func)?));
    let starts = kernel_starts.iter().filter_map(|(func, kernel)| kernel_start(db, kernel, *func));
    let exports = exported.chain(starts).collect();
    let (roots, items): (Vec<FuncId>, Vec<ItemId>) =
        funcs.iter().zip(items).filter_map(|(func, item)| Some(((*func)?, item))).unzip();
    if roots.is_empty() {
        return Err(vec![Problem::unsupported("the function has errors".to_owned(), None)]);
    }
    Ok(Program { module, roots, items, files, exports, kernels: Vec::new() })
}

/// What others call a root, if the source says that they call it: the names are slangc's.
fn exported(db: &dyn Db, root: &Root, func: FuncId) -> Option<ExportedRoot> {
    let Root::Function { function, operators } = root else { return None };
    let data = item::item_data(db, function.item);
    let name = data.name.as_ref()?.as_str();
    let kind = match () {
        () if data.has_attribute(AttributeKind::CudaKernel) => ExportKind::Kernel,
        () if data.has_attribute(AttributeKind::CudaDeviceExport) => ExportKind::DeviceFunction,
        () if data.has_attribute(AttributeKind::TorchEntryPoint) && operators.is_empty() => ExportKind::HostFunction,
        () => return None,
    };
    let called = match kind {
        ExportKind::Kernel | ExportKind::DeviceFunction => {
            lower::kernel_name(db, &lower::KernelRef { function: *function, operators: operators.clone() })
        }
        ExportKind::HostFunction | ExportKind::KernelStart(_) => name.to_owned(),
    };
    let export = Export { func, name: called.into(), kind };
    Some(ExportedRoot { function: name.into(), operators: operators.clone(), export })
}

/// How the host starts a kernel.
fn kernel_start(db: &dyn Db, kernel: &lower::KernelRef, func: FuncId) -> Option<ExportedRoot> {
    let data = item::item_data(db, kernel.function.item);
    let function = data.name.as_ref()?.as_str();
    let symbol = lower::kernel_name(db, kernel);
    let in_python = data.has_attribute(AttributeKind::AutoPyBindCuda);
    let name = symbol.strip_prefix("__kernel__").filter(|_| in_python).unwrap_or(&symbol);
    let operators = python_derivatives(db, kernel.function.item);
    let derivative = |wanted: DerivativeOperator, suffix: &str| match operators.contains(&wanted) {
        true => format!("{name}{suffix}").into(),
        false => SmolStr::default(),
    };
    let derivatives = kernel.operators.is_empty().then(|| {
        [derivative(DerivativeOperator::Forward, "_fwd_diff"), derivative(DerivativeOperator::Backward, "_bwd_diff")]
    });
    let kind = ExportKind::KernelStart(PythonKernel { symbol: symbol.as_str().into(), in_python, derivatives });
    let export = Export { func, name: name.into(), kind };
    Some(ExportedRoot { function: function.into(), operators: kernel.operators.clone(), export })
}

/// The derivatives of a kernel that Python is given beside it.
pub fn python_derivatives(db: &dyn Db, kernel: ItemId) -> Vec<DerivativeOperator> {
    let data = item::item_data(db, kernel);
    let both = data.has_attribute(AttributeKind::Differentiable);
    let mut operators = Vec::new();
    if both || data.has_attribute(AttributeKind::ForwardDifferentiable) {
        operators.push(DerivativeOperator::Forward);
    }
    if both {
        operators.push(DerivativeOperator::Backward);
    }
    operators
}

impl Program {
    /// The first root, which every program has.
    pub fn root(&self) -> FuncId {
        self.roots[0]
    }

    /// Puts a compute entry point around each root, in place of which the entry points are the roots then. `modes` are what
    /// they compute, one for each root.
    ///
    /// # Errors
    /// The functions around which there can be none.
    pub fn wrap_in_kernels(&mut self, modes: &[Mode]) -> Result<(), Vec<Problem>> {
        let roots = std::mem::take(&mut self.roots);
        let wrapped = self.module.change(|module| {
            let kernels = roots.iter().zip(modes).map(|(&root, &mode)| kernel::wrap(module, root, mode));
            kernels.collect::<Vec<Result<Kernel, NoKernel>>>()
        });
        let wrapped = wrapped.map_err(|rejected| {
            rejected.errors.iter().map(|error| Problem::internal("making kernels", error)).collect::<Vec<_>>()
        })?;
        let mut problems = Vec::new();
        for kernel in wrapped {
            match kernel {
                Ok(kernel) => self.kernels.push(kernel),
                Err(error) => problems.push(Problem::unsupported(error.message, self.place(error.span))),
            }
        }
        self.roots = self.kernels.iter().map(|kernel| kernel.func).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Makes every derivative that the roots reach.
    ///
    /// # Errors
    /// Each function's first reason why it has no derivative.
    pub fn differentiate(&mut self) -> Result<(), Vec<Problem>> {
        autodiff::expand(&mut self.module, &self.roots)
            .map_err(|errors| errors.iter().map(|error| self.no_derivative(error)).collect())
    }

    /// The code of a target.
    ///
    /// # Errors
    /// What the target cannot express.
    pub fn emit(&self, target: Target, options: &EmitOptions) -> Result<Emitted, Vec<Problem>> {
        let mut options = options.clone();
        let exports = self.exports.iter().map(|exported| &exported.export);
        let is_written = |export: &&Export| {
            let starts = matches!(export.kind, ExportKind::KernelStart(_));
            export.kind.target() == target && (starts || options.functions.contains(&export.func))
        };
        options.exports = exports.filter(is_written).cloned().collect();
        codegen::emit(&self.module, target, &options).map_err(|errors| self.refused(&errors))
    }

    /// Why a target cannot have the code.
    pub fn refused(&self, errors: &[codegen::EmitError]) -> Vec<Problem> {
        errors.iter().map(|error| Problem::unsupported(error.message.clone(), self.place(error.span))).collect()
    }

    /// Where something stands in the source.
    pub fn place(&self, span: SpanId) -> Option<FileRange> {
        if span == SpanId::NONE {
            return None;
        }
        range_of(&self.files, *self.module.spans.get(span.0 as usize)?)
    }

    fn no_derivative(&self, error: &AutodiffError) -> Problem {
        match &error.kind {
            ErrorKind::BreaksRule { error } => Problem::internal("differentiation", error),
            _ => Problem::unsupported(error.to_string(), self.place(error.span)),
        }
    }
}

impl Problem {
    fn unsupported(message: String, at: Option<FileRange>) -> Problem {
        Problem { kind: ProblemKind::Unsupported, message, at }
    }

    fn internal(pass: &str, error: &VerifyError) -> Problem {
        Problem { kind: ProblemKind::Internal, message: format!("after {pass}: {error}"), at: None }
    }
}

fn range_of(files: &[SourceFile], span: SourceSpan) -> Option<FileRange> {
    let file = *files.get(span.file as usize)?;
    let range = TextRange::new(TextSize::new(span.start), TextSize::new(span.end.max(span.start)));
    Some(FileRange { file, range })
}
