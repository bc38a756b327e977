//! The derivative preview: the generated code of `fwd_diff(f)` or `bwd_diff(f)`, as the back end would write it.

use autodiff::AutodiffError;
use base_db::{Db, SourceFile};
use codegen::{EmitOptions, Target, emit};
use hir_def::{
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    scope::all_file_items,
};
use hir_ty::{differential::rules::derivative_rules, generics, signature::FunctionRef};
use ir::{Module, SpanId};
use lower::{Lowered, Root, lower_program};
use syntax::{TextRange, TextSize};

use crate::{FilePosition, FileRange, semantics};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewOperator {
    Forward,
    Backward,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewTarget {
    Slang,
    Wgsl,
}

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
    target: PreviewTarget,
) -> Option<Preview> {
    let function =
        name.and_then(|name| function_named(db, at.file, name)).or_else(|| semantics::function_at(db, at))?;
    let name = item::item_data(db, function).name.as_ref()?.to_string();
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

fn function_named(db: &dyn Db, file: SourceFile, name: &str) -> Option<ItemId> {
    all_file_items(db, file).iter().copied().find(|&item| {
        let data = item::item_data(db, item);
        matches!(data.kind, ItemKind::Function(_)) && data.name.as_ref().is_some_and(|found| found.as_str() == name)
    })
}

fn generate(
    db: &dyn Db,
    function: ItemId,
    operator: DerivativeOperator,
    target: PreviewTarget,
) -> Result<Shown, Vec<String>> {
    if !derivative_rules(db, function).allows(operator) {
        return Err(vec!["the function is not differentiable: mark it [Differentiable]".to_owned()]);
    }
    if !item::item_data(db, function).generics.params.is_empty() {
        return Err(vec!["the function is generic: preview a function that calls it with types".to_owned()]);
    }
    let reference = FunctionRef { item: function, args: generics::identity_args(db, function), self_ty: None };
    let root = Root::Function { function: reference, operators: vec![operator] };
    let Lowered { mut module, roots, files, errors } = lower_program(db, &[root], &[]);
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| error.to_string()).collect());
    }
    let root = roots.first().copied().flatten().ok_or_else(|| vec!["the function has errors".to_owned()])?;
    autodiff::expand(&mut module, &[root])
        .map_err(|errors| errors.iter().map(AutodiffError::to_string).collect::<Vec<_>>())?;
    let target = match target {
        PreviewTarget::Slang => Target::Slang,
        PreviewTarget::Wgsl => Target::Wgsl,
    };
    let emitted = emit(&module, target, &EmitOptions { functions: vec![root], ..EmitOptions::default() })
        .map_err(|errors| errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>())?;
    let lines = emitted.lines.iter().filter_map(|&(line, span)| Some((line, place(&module, &files, span)?)));
    Ok(Shown { text: emitted.text().to_owned(), lines: lines.collect() })
}

fn place(module: &Module, files: &[SourceFile], span: SpanId) -> Option<FileRange> {
    if span == SpanId::NONE {
        return None;
    }
    let span = module.spans.get(span.0 as usize)?;
    let file = *files.get(span.file as usize)?;
    let range = TextRange::new(TextSize::new(span.start), TextSize::new(span.end.max(span.start)));
    Some(FileRange { file, range })
}
