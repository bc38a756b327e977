//! Refuses parameters that a host gives as the number of a resource: as the resource itself they would be bound otherwise
//! than the host expects.

use ir::{FuncId, Module, Op};

use super::for_each_op;
use crate::EmitError;

pub(super) fn refuse(module: &Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut errors = Vec::new();
    for &func in functions {
        let func = &module.funcs[func];
        for_each_op(func, |op| {
            let data = &func.ops[op];
            if let Op::Global(global) = data.op
                && module.globals[global].by_descriptor
            {
                let name = &module.globals[global].name;
                errors.push(EmitError::new(data.span, format!("the descriptor handle `{name}` is not supported yet")));
            }
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
