//! From HIR to IR: bodies with their inferred types become functions on values and regions.
//!
//! Entry points: [`lower_program`] for everything that given functions and entry points need, specialised;
//! [`lower_for_analysis`] for one function as the editor sees it, with callees as declarations.
//!
//! # Invariants
//! - Functions are specialised: in a program no type parameter, requirement or associated type is left. In an analysis
//!   they become types without representation ([`ir::Type::Opaque`]) and declarations.
//! - Interface values are sums over the types of the program; what depends on the type that one holds is a match on it
//!   ([`dispatch`], [`opening`]), which is differentiated like any branch.
//! - An analysis reads signatures, attributes and rules of other functions, never their bodies, and its spans are
//!   relative to the item: an edit elsewhere leaves its result equal.
//! - `fwd_diff(f)` and `bwd_diff(f)` are ordinary functions with their source signatures around the derivative of `f`
//!   ([`derivative`]), so that they can be called and differentiated like any other.
//! - What cannot be lowered is an error by name or, where the front end has reported something, nothing at all: never a
//!   panic, never wrong code. The function stays a declaration.
//! - Deliberately absent: derivatives themselves (`autodiff`), simplification, targets.

#![warn(missing_docs)]

mod analysis;
mod body;
mod closures;
mod core_function;
mod derivative;
mod dispatch;
mod entry_point;
mod error;
mod fields;
mod front;
mod functions;
mod globals;
mod in_place;
mod intrinsic;
mod kernel_start;
mod key;
mod known_place;
mod link_constants;
mod lost_copies;
mod mode;
mod opening;
mod packing;
mod places;
mod program;
mod receiver_types;
mod scope;
mod spans;
mod stage_outputs;
mod sums;
mod surface;
mod synthesized;
mod system_values;
mod types;
mod written_values;

#[cfg(test)]
mod tests;

use base_db::{Db, SourceFile};
use hir_def::{body::DerivativeOperator, item::ItemId};
use hir_ty::signature::FunctionRef;
use ir::{FuncId, Module, columns::Order, module::Stage, types::TypeTable};

pub use analysis::{LoweredFunction, lower_for_analysis};
pub use error::{Cause, LowerError};
pub use kernel_start::name as kernel_name;
pub use key::KernelRef;
use mode::Mode;
pub use places::moves_place;
use program::Program;
pub use types::lower_scalar;
pub use written_values::WrittenValue;

/// What a program is lowered for.
#[derive(Debug, Clone)]
pub enum Root {
    /// An entry point. Of one without `[shader]`, the caller may know the stage; else it is compute.
    EntryPoint {
        /// The function.
        item: ItemId,
        /// The stage to start it in, where the declaration says none.
        stage: Option<Stage>,
    },
    /// A function, or derivatives of it: `operators` from the innermost to the outermost.
    Function {
        /// The function, with its generic arguments.
        function: FunctionRef,
        /// What is applied to it, innermost first, nothing for the function itself.
        operators: Vec<DerivativeOperator>,
    },
    /// A function in the form that its derivatives are made of: places for derivatives (`IDifferentiablePtrType`) come in
    /// pairs.
    Differentiated(FunctionRef),
    /// The function that starts a kernel from the host.
    KernelStart(KernelRef),
}

/// A type that interface values can hold, with the number by which host code names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conformance {
    /// The type, as the source writes it.
    pub ty: String,
    /// The interface that the type is registered for.
    pub interface: String,
    /// The id that host code names it by.
    pub id: u32,
}

/// What a program is compiled for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting {
    /// The target of which the `__target_switch`es have the arms, by its name.
    pub target: Option<&'static str>,
    /// Whether matrices lie column by column in memory where the source says nothing.
    pub matrices_by_columns: bool,
}

/// A lowered program.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The program in the IR.
    pub module: Module,
    /// The function of each root, in order; `None` for one that could not be declared.
    pub roots: Vec<Option<FuncId>>,
    /// The functions of the source that were lowered, each with the generic arguments that it was lowered for.
    pub functions: Vec<FunctionRef>,
    /// The declarations of functions that start kernels, each with its kernel.
    pub kernel_starts: Vec<(FuncId, KernelRef)>,
    /// The files of the module's spans: a span's file number is an index into it.
    pub files: Vec<SourceFile>,
    /// What could not be lowered: the functions stay declarations.
    pub errors: Vec<LowerError>,
}

/// Lowers everything that `roots` need; `target` is what it is lowered for, if not for all of them, by the name that
/// `__target_switch` has for it.
pub fn lower_program(db: &dyn Db, roots: &[Root], conformances: &[Conformance], setting: Setting) -> Lowered {
    let item_of = |root: &Root| match root {
        Root::EntryPoint { item, .. } => *item,
        Root::Function { function, .. }
        | Root::Differentiated(function)
        | Root::KernelStart(KernelRef { function, .. }) => function.item,
    };
    let Some(first) = roots.first().map(item_of) else {
        return Lowered::default();
    };
    let types = TypeTable::default();
    let mut program = Program::new(db, &types, Mode::Program, first, conformances);
    program.target = setting.target;
    if roots.iter().any(|root| matches!(root, Root::EntryPoint { .. })) {
        globals::declare_parameters(&mut program);
    }
    let mut funcs = Vec::new();
    for root in roots {
        let lowered = match root {
            Root::EntryPoint { item, stage } => entry_point::lower(&mut program, *item, *stage),
            Root::Function { function, operators } => program
                .function(*function)
                .and_then(|func| operators.iter().try_fold(func, |func, operator| program.derivative(*operator, func))),
            Root::Differentiated(function) => program.differentiated(*function),
            Root::KernelStart(kernel) => program.request(key::FunctionKey::KernelStart(kernel.clone())),
        };
        funcs.push(match lowered {
            Ok(func) => Some(func),
            Err(stop) => {
                let root = program.spans.item(db, &mut program.module, item_of(root));
                let stop = stop.at(root);
                let span = program.module.spans.get(stop.span.0 as usize).copied().unwrap_or_default();
                program.error(span, stop.cause);
                None
            }
        });
    }
    program.drain();
    link_constants::report(&mut program);
    link_constants::name_unknown(&mut program);
    lost_copies::report(&mut program);
    let functions = program.lowered_functions();
    let kernel_starts = program.kernel_starts();
    let Program { mut module, spans, mut errors, .. } = program;
    module.types = types;
    let by_default = if setting.matrices_by_columns { Order::Columns } else { Order::Rows };
    if let Err(refusals) = ir::columns::lay_out(&mut module, by_default) {
        errors.extend(refusals.into_iter().map(|(span, what)| {
            let span = module.spans.get(span.0 as usize).copied().unwrap_or_default();
            LowerError { span, cause: Cause::Unsupported(what.to_owned()) }
        }));
    }
    Lowered { module, roots: funcs, functions, kernel_starts, files: spans.files, errors }
}
