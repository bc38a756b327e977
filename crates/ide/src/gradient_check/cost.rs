//! What a function and its backward derivative cost, line by line, and what they would cost if something were marked
//! otherwise. All are estimates: operations of the IR after simplification, not instructions of a device.

use autodiff::tally::{Operations, Tally, tally};
use ir::{Callee, DerivativeKind, FuncId, Module, Op, func::CheckpointPreference, simplify, verify::VerifiedModule};

use super::{GradientCheck, OriginPlace, Subject, words};

/// Alternatives that are tried; each is a derivative to make.
const MOST_ALTERNATIVES: usize = 16;

/// The estimate for a function.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOutcome {
    /// The name of the function, for people.
    pub function: String,
    /// Why there is none: the function could not be compiled, or has no backward derivative.
    pub cost: Result<CostTable, Vec<String>>,
}

/// What a function and its backward derivative cost.
#[derive(Debug, Clone, PartialEq)]
pub struct CostTable {
    /// All together.
    pub total: Cost,
    /// Of some loop it is not known how often it runs: one iteration counts.
    pub has_unknown_loops: bool,
    /// The lines that cost something, in order of the source.
    pub lines: Vec<LineCost>,
    /// What changes if something is marked otherwise.
    pub alternatives: Vec<Alternative>,
}

/// What running something costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// What the function does.
    pub forward: Operations,
    /// What its backward derivative does, both sweeps together.
    pub reverse: Operations,
    /// What is kept between the sweeps.
    pub bytes: u64,
}

impl Cost {
    /// `forward 42 ops (2 transcendental), reverse 96 ops, keeps 24 B`
    pub fn words(&self) -> String {
        let Cost { forward, reverse, bytes } = self;
        let kept = if *bytes > 0 { format!(", keeps {bytes} B") } else { String::new() };
        format!("forward {}, reverse {}{kept}", operations_words(*forward), operations_words(*reverse))
    }

    /// `reverse -12 ops, keeps +16 B`: what is more than in another.
    pub fn change_from(&self, before: Cost) -> String {
        let difference = |now: u64, before: u64| i128::from(now) - i128::from(before);
        let changes = [
            ("forward", difference(self.forward.all(), before.forward.all()), "ops"),
            ("reverse", difference(self.reverse.all(), before.reverse.all()), "ops"),
            ("keeps", difference(self.bytes, before.bytes), "B"),
        ];
        let changed = changes.iter().filter(|(_, by, _)| *by != 0);
        let words: Vec<String> = changed.map(|(what, by, unit)| format!("{what} {by:+} {unit}")).collect();
        if words.is_empty() { "other operations, as many".to_owned() } else { words.join(", ") }
    }
}

fn operations_words(operations: Operations) -> String {
    let Operations { transcendental, atomics, .. } = operations;
    let parts = [(transcendental, "transcendental"), (atomics, "atomic")].into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    let all = operations.all();
    let unit = if all == 1 { "op" } else { "ops" };
    if parts.is_empty() { format!("{all} {unit}") } else { format!("{all} {unit} ({})", parts.join(", ")) }
}

/// What a line costs.
#[derive(Debug, Clone, PartialEq)]
pub struct LineCost {
    /// The first operation of the line, with the text of the whole line.
    pub place: OriginPlace,
    /// What its operations cost together.
    pub cost: Cost,
}

/// Another way to mark something, and what everything would cost then.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// What is marked, and how.
    pub what: String,
    /// What everything would cost.
    pub total: Cost,
}

impl GradientCheck {
    /// Counts what the function and its backward derivative do.
    pub fn cost(self) -> CostOutcome {
        let cost = self.subject.and_then(|subject| table(&subject));
        CostOutcome { function: self.function, cost }
    }
}

fn table(subject: &Subject) -> Result<CostTable, Vec<String>> {
    let (module, func) = (&subject.compiled.module, subject.compiled.root());
    let Counted { forward, reverse, kept } = count(module, func)?;
    let mut lines: Vec<LineCost> = Vec::new();
    let mut add = |spans: &[ir::SpanId], part: Cost| {
        let Some(place) = words::source_place(subject, spans) else { return };
        let same = |line: &&mut LineCost| (&line.place.path, line.place.line) == (&place.path, place.line);
        match lines.iter_mut().find(same) {
            Some(line) => {
                line.cost.forward += part.forward;
                line.cost.reverse += part.reverse;
                line.cost.bytes = line.cost.bytes.saturating_add(part.bytes);
                if place.column < line.place.column {
                    line.place = place;
                }
            }
            None => lines.push(LineCost { place, cost: part }),
        }
    };
    forward.by_place.iter().for_each(|&(span, forward)| add(&[span], Cost { forward, ..Cost::default() }));
    reverse.by_place.iter().for_each(|&(span, reverse)| add(&[span], Cost { reverse, ..Cost::default() }));
    kept.iter().for_each(|&(span, bytes)| add(&[span], Cost { bytes, ..Cost::default() }));
    for line in &mut lines {
        line.place.text = words::line_text(subject, &line.place).unwrap_or_default();
    }
    lines.sort_by(|a, b| (&a.place.path, a.place.line).cmp(&(&b.place.path, b.place.line)));
    let total = total(&forward, &reverse, &kept);
    let has_unknown_loops = forward.has_unknown_loops || reverse.has_unknown_loops;
    Ok(CostTable { total, has_unknown_loops, lines, alternatives: alternatives(subject, total) })
}

struct Counted {
    forward: Tally,
    reverse: Tally,
    /// Bytes between the sweeps, by the place of what is kept.
    kept: Vec<(ir::SpanId, u64)>,
}

fn count(module: &VerifiedModule, func: FuncId) -> Result<Counted, Vec<String>> {
    let mut primal = Module::clone(module);
    simplify::simplify_module(&mut primal);
    let mut expanded = module.clone();
    let made = autodiff::derivatives(&mut expanded, &[(DerivativeKind::Vjp, func)]);
    let written = |error: &autodiff::AutodiffError| words::as_written(&error.to_string());
    let made = made.map_err(|errors| errors.iter().map(written).collect::<Vec<_>>())?;
    let backward = made.first().copied().unwrap_or(func);
    let plan = autodiff::residual_plan(module, func).map_err(|error| vec![written(&error)])?;
    let kept = plan.items.iter().filter(|item| item.total_bytes > 0).map(|item| (item.span, item.total_bytes));
    Ok(Counted { forward: tally(&primal, func), reverse: tally(&expanded, backward), kept: kept.collect() })
}

fn total(forward: &Tally, reverse: &Tally, kept: &[(ir::SpanId, u64)]) -> Cost {
    let bytes = kept.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    Cost { forward: forward.total, reverse: reverse.total, bytes }
}

/// Callees of the user's with the other preferences, inputs without derivative: those that change something.
fn alternatives(subject: &Subject, now: Cost) -> Vec<Alternative> {
    let (module, func) = (&subject.compiled.module, subject.compiled.root());
    let mut found = Vec::new();
    let mut attempt = |what: String, change: &dyn Fn(&mut Module)| {
        let mut changed = Module::clone(module);
        change(&mut changed);
        let Ok(changed) = VerifiedModule::new(changed) else { return };
        let Ok(Counted { forward, reverse, kept }) = count(&changed, func) else { return };
        let total = total(&forward, &reverse, &kept);
        if total != now {
            found.push(Alternative { what, total });
        }
    };
    let data = &module.funcs[func];
    let mut callees: Vec<FuncId> = Vec::new();
    for (_, op) in data.ops.iter() {
        if let Op::Call { callee: Callee::Func(callee), .. } = op.op
            && !callees.contains(&callee)
            && callee != func
            && is_of_user(subject, callee)
        {
            callees.push(callee);
        }
    }
    let preferences = [
        (CheckpointPreference::Checkpoint, "[PreferCheckpoint]"),
        (CheckpointPreference::Recompute, "[PreferRecompute]"),
    ];
    for callee in callees.into_iter().take(MOST_ALTERNATIVES / 2) {
        let name = words::as_written(&module.funcs[callee].name);
        for (preference, word) in preferences {
            if module.funcs[callee].rules.checkpoint != preference {
                attempt(format!("{word} on `{name}`"), &|module| module.funcs[callee].rules.checkpoint = preference);
            }
        }
    }
    let inputs = (0u32..).zip(&data.inputs).filter(|(_, input)| input.differentiable);
    for (index, input) in inputs.take(MOST_ALTERNATIVES / 2) {
        attempt(format!("`no_diff` on `{}`", input.name), &|module| {
            let func = &mut module.funcs[func];
            func.inputs[index as usize].differentiable = false;
            func.rules.marked_inputs.push(index);
        });
    }
    found
}

/// Whether a function is in the user's files, which operations of its body tell.
fn is_of_user(subject: &Subject, func: FuncId) -> bool {
    let spans = subject.compiled.module.funcs[func].ops.iter().map(|(_, data)| data.span);
    spans.take(MOST_ALTERNATIVES).any(|span| words::source_place(subject, &[span]).is_some())
}
