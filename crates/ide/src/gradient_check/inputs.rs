//! The inputs of a function from numbers: all scalars in them, in order.

use interp::Value;
use ir::{FuncId, Module, source_names::source_name};

use super::{GradientCheck, Subject};

/// The inputs of a function, from numbers of which none may be left.
pub fn inputs_of(module: &Module, func: FuncId, at: &[f64]) -> Option<Vec<Value>> {
    let mut rest = at.iter().copied();
    let inputs = module.funcs[func].inputs.iter().map(|input| Value::from_numbers(&module.types, input.ty, &mut rest));
    let inputs = inputs.collect::<Option<Vec<Value>>>()?;
    rest.next().is_none().then_some(inputs)
}

/// `` `f` takes `x` (float), `y` (float) ``
pub fn what_is_taken(module: &Module, func: FuncId) -> String {
    let func = &module.funcs[func];
    let inputs = func.inputs.iter().map(|input| format!("`{}` ({})", input.name, source_name(&module.types, input.ty)));
    let inputs = Vec::from_iter(inputs);
    format!("`{}` takes {}", func.name, if inputs.is_empty() { "nothing".to_owned() } else { inputs.join(", ") })
}

impl GradientCheck {
    /// What the function takes, if that is not so many numbers; `None` as well for what could not be compiled.
    pub fn takes_instead(&self, at: &[f64]) -> Option<String> {
        let Ok(Subject { compiled, .. }) = &self.subject else { return None };
        let (module, func) = (&compiled.module, compiled.root());
        inputs_of(module, func, at).is_none().then(|| what_is_taken(module, func))
    }
}
