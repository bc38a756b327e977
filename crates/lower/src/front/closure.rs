//! What lambdas and interfaces of functions are to lowering.

use hir_def::{
    item::{self, ItemId},
    name::Name,
};
use hir_ty::{
    closure::{Capture, ClosureCode},
    display,
    known::{self, Known},
    ty::{ClosureTy, Ty},
};
use smol_str::SmolStr;

use crate::program::Program;

/// The name of `operator()`.
pub(crate) const CALL: &str = "()";

/// Whether derivatives go along with values of `ty` as parameters, whatever the function's declaration says.
pub(crate) fn goes_along(program: &Program<'_>, ty: Ty) -> bool {
    match ty {
        Ty::Closure(_) => true,
        ty => is_differentiable_interface(program, ty),
    }
}

/// Whether `ty` is an interface value that is called in differentiated code.
pub(crate) fn is_differentiable_interface(program: &Program<'_>, ty: Ty) -> bool {
    let Ty::Adt(item, _) = ty else { return false };
    let interfaces = [Known::IDifferentiableFunc, Known::IDifferentiableMutatingFunc];
    interfaces.into_iter().any(|known| Some(item) == known::interface(program.db, known))
}

/// Whether `item` is the `operator()` of an interface: what a closure fulfils.
pub(crate) fn is_call_requirement(program: &Program<'_>, item: ItemId) -> bool {
    item::item_data(program.db, item).name == Some(Name::new(CALL))
}

/// What a field of the closure's struct is called.
pub(crate) fn capture_name(program: &Program<'_>, closure: ClosureTy, index: usize) -> SmolStr {
    let local = match (closure.code(program.db), closure.captures(program.db).get(index)) {
        (ClosureCode::Lambda { within, .. }, Some((Capture::Local(local), _))) => Some((within, *local)),
        (_, Some((Capture::This, _)) | None) | (ClosureCode::Function(_), _) => None,
    };
    match local {
        Some((within, local)) => super::body(program.db, within.item).store.locals[local].name.0.clone(),
        None => "this".into(),
    }
}

/// What the struct or function of a closure is called.
pub(crate) fn closure_name(program: &Program<'_>, closure: ClosureTy) -> String {
    match closure.code(program.db) {
        ClosureCode::Lambda { within, .. } => format!("{}.lambda", display::function_name(program.db, within)),
        ClosureCode::Function(function) => display::function_name(program.db, function),
    }
}
