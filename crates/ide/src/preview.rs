//! The derivative preview: the generated code of `fwd_diff(f)` or `bwd_diff(f)`, as the back end would write it.

use base_db::Db;
use codegen::EmitOptions;
pub use codegen::Target;
use hir_def::{body::DerivativeOperator, item::ItemId};

use crate::{FilePosition, FileRange, compiled, driver::Problem};

/// Which derivative is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewOperator {
    /// Forward mode.
    Forward,
    /// Reverse mode.
    Backward,
}

/// The code of a derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The name of the function that is differentiated.
    pub function: String,
    /// What to show. Where there is no code, comments say why, so that a preview never goes blank while the user types.
    pub text: String,
    /// Lines of `text` (from 0) and where they come from.
    pub lines: Vec<(u32, FileRange)>,
}

/// The derivative of the function around a position, or of the one in the same file that is named. `None` if there is
/// no function there.
pub fn preview(
    db: &dyn Db,
    at: FilePosition,
    name: Option<&str>,
    operator: PreviewOperator,
    target: Target,
) -> Option<Preview> {
    let (function, name) = compiled::function_at(db, at, name)?;
    let operator = match operator {
        PreviewOperator::Forward => DerivativeOperator::Forward,
        PreviewOperator::Backward => DerivativeOperator::Backward,
    };
    let shown = generate(db, function, operator, target).unwrap_or_else(|problems| {
        let spelling = operator.spelling();
        let mut text = format!("// There is no code for {spelling}({name}) now:\n");
        for problem in problems {
            text.push_str(&format!("// - {problem}\n"));
        }
        Shown { text, lines: Vec::new() }
    });
    Some(Preview { function: name, text: shown.text, lines: shown.lines })
}

struct Shown {
    text: String,
    lines: Vec<(u32, FileRange)>,
}

fn generate(db: &dyn Db, function: ItemId, operator: DerivativeOperator, target: Target) -> Result<Shown, Vec<String>> {
    let mut program = compiled::compile(db, function, &[operator], &[operator])?;
    let messages = |problems: Vec<Problem>| problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>();
    program.differentiate().map_err(messages)?;
    if !target.is_text() {
        return Err(vec![format!("{} is a binary format: there is nothing to show", target.name())]);
    }
    let options = EmitOptions { functions: program.roots.clone(), without_library: true, ..EmitOptions::default() };
    let emitted = program.emit(target, &options).map_err(messages)?;
    let lines = emitted.lines.iter().filter_map(|&(line, span)| Some((line, program.place(span)?)));
    Ok(Shown { text: emitted.text().to_owned(), lines: lines.collect() })
}
