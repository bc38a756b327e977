//! The intermediate representation of one function and all that it calls, for people who look at what a pass does.

use base_db::Db;
use ir::print::print_module;
use lower::Root;

use crate::{FilePosition, compiled, function_instances::instances_of, passes::Pass};

/// A function as a pass leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionIr {
    /// The name of the function.
    pub function: String,
    /// What `slang-analyzer ir` prints; where there is nothing to print, comments that say why.
    pub text: String,
}

/// What `pass` leaves of the function around a position, or of the one in the same file that is named. `None` if there is
/// no function there. A generic function stands for its first instance.
pub fn function_ir(db: &dyn Db, at: FilePosition, name: Option<&str>, pass: &Pass) -> Option<FunctionIr> {
    let (item, function) = compiled::function_at(db, at, name)?;
    let instances = instances_of(db, item);
    let text = match instances.found.first() {
        Some(instance) => {
            let root = Root::Function { function: instance.function, operators: Vec::new() };
            compiled::compile_root(db, root).and_then(|program| {
                let (_, after) = pass.apply(&program.module, &program.roots).map_err(|problem| vec![problem])?;
                Ok(print_module(&after))
            })
        }
        None => Err(instances.skipped.into_iter().map(|skipped| skipped.reason).collect()),
    };
    let text = text.unwrap_or_else(|problems| {
        let mut text = format!("// There is no intermediate representation of {function} now:\n");
        problems.iter().flat_map(|problem| problem.lines()).for_each(|line| text.push_str(&format!("// - {line}\n")));
        text
    });
    Some(FunctionIr { function, text })
}
