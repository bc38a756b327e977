//! A check in words: what was compared, what is wrong by how much and where, and which derivative disagrees with what.

use autodiff::AutodiffError;
use interp::{
    Value,
    gradcheck::{
        Agreement, Basis, Checked, Coordinate, Finding, FindingKind, Kink, Nothing, Origin, Provenance, Report, Sum,
        Wrong,
    },
};
use ir::DerivativeKind;
use smol_str::SmolStr;

use super::{DescribedFinding, OriginPlace, Outcome, Subject, verdict};

/// Places that are named one by one.
const MOST_NAMED: usize = 4;

/// Numbers of an input that are shown.
const MOST_NUMBERS: usize = 16;

pub(super) fn outcome(function: String, subject: &Subject, checked: Checked) -> Outcome {
    let report = &checked.report;
    let mut lines = vec![summary(report)];
    lines.extend(
        subject.chosen.as_ref().map(|chosen| format!("checked for {chosen}, which the file does not use itself")),
    );
    for (mode, error) in [("forward", &checked.jvp), ("backward", &checked.vjp)] {
        if let Some(error) = error {
            lines.push(format!("no {mode} derivative: {}", as_written(&error.to_string())));
        }
    }
    let described: Vec<DescribedFinding> = report.findings.iter().map(|finding| describe(subject, finding)).collect();
    let rules = if described.is_empty() { Vec::new() } else { rules(&function, &checked) };
    lines.extend(described.iter().map(|described| described.message.clone()));
    lines.extend(rules.iter().cloned());
    lines.extend(report.nothing.map(|nothing| why_nothing(nothing, &checked)));
    lines.extend(report.kink_places.iter().map(describe_kink));
    lines.extend(report.unsettled_places.iter().map(|(result, input)| {
        format!(
            "differences of `{result}` by `{input}` did not settle at some samples: it jumps there, or bends too much"
        )
    }));
    if report.beyond_bounds > 0 {
        lines.push(format!(
            "at {} samples a loop goes on beyond its [MaxIters], where derivatives mean nothing: not compared",
            report.beyond_bounds
        ));
    }
    lines.extend(untaken(subject, report, false));
    if !report.data_buffers.is_empty() {
        let named: Vec<String> = report.data_buffers.iter().map(|name| format!("`{name}`")).collect();
        lines.push(format!("taken as data, as nothing makes derivatives of their elements: {}", named.join(", ")));
    }
    if report.overflows > 0 {
        lines.push(format!(
            "in {} places the derivative is not finite because numbers on the way to the value are too large for 64 bits",
            report.overflows
        ));
    }
    let not_settled = not_settled(subject, report);
    lines.extend(not_settled.iter().cloned());
    let verdict = verdict(&checked);
    Outcome { function, verdict, lines, checked: Some(checked), described, rules, not_settled }
}

/// The parts of a function that were not compared, a line for each kind.
fn not_settled(subject: &Subject, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let names = |names: &[SmolStr]| -> String {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let pairs = |pairs: &[(Coordinate, Coordinate)]| -> String {
        let named: Vec<String> = pairs.iter().map(|(result, input)| derivative_of(result, input)).collect();
        let (first, others) = named.split_at(named.len().min(1));
        format!("{}{}", first.concat(), and_others(others.iter().cloned()))
    };
    if let Some(steps) = report.ended_after {
        lines.push(format!(
            "ended after {steps} steps, before all samples were compared: `--steps` allows more, `--samples` and `--edges` ask \
             for less"
        ));
    }
    if !report.unmoved_inputs.is_empty() {
        lines.push(format!("not moved, because of their types: {}", names(&report.unmoved_inputs)));
    }
    for (name, ty) in &report.own_tangents {
        lines.push(format!("not compared: `{name}`, whose type `{ty}` defines its own tangent space"));
    }
    if !report.through_own_tangents.is_empty() {
        lines.push(format!(
            "not compared: {}, by way of a type that defines its own tangent space",
            pairs(&report.through_own_tangents)
        ));
    }
    if !report.uncompared_buffers.is_empty() {
        let buffers = names(&report.uncompared_buffers);
        lines.push(format!("not compared: derivatives by the elements of {buffers}, for which no place is known"));
    }
    if !report.never_compared.is_empty() {
        lines.push(format!("not compared at any sample: {}", pairs(&report.never_compared)));
    }
    if subject.is_case && !report.with_other_mode.is_empty() {
        let pairs = pairs(&report.with_other_mode);
        lines.push(format!("not compared with differences, which settle at none of these inputs: {pairs}"));
    }
    lines.extend(untaken(subject, report, true));
    lines
}

/// The branches in the user's files that no sample took, a line for each function: those that rules written by hand depend
/// on, or the others.
fn untaken(subject: &Subject, report: &Report, of_rules: bool) -> Vec<String> {
    let mut by_function: Vec<(&str, Vec<u32>)> = Vec::new();
    for branch in report.untaken.iter().filter(|branch| branch.is_of_rule == of_rules) {
        let Some(place) = source_place(subject, &[branch.span]) else { continue };
        let function = branch.function.as_str();
        match by_function.iter_mut().find(|(known, _)| *known == function) {
            Some((_, lines)) if lines.contains(&place.line) => {}
            Some((_, lines)) => lines.push(place.line),
            None => by_function.push((function, vec![place.line])),
        }
    }
    let line = |(function, lines): (&str, Vec<u32>)| {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        let (what, were) = if lines.len() == 1 { ("a branch in line", "was") } else { ("branches in lines", "were") };
        let function = as_written(function);
        format!("{what} {} of `{function}` {were} never taken: nothing is known of it", lines.join(", "))
    };
    by_function.into_iter().map(line).collect()
}

/// Names as the source has them, without the numbers that tell functions of one name apart.
pub(super) fn as_written(text: &str) -> String {
    let mut pieces = text.split('#');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.trim_start_matches(|c: char| c.is_ascii_digit()))
}

fn summary(report: &Report) -> String {
    format!(
        "{} samples and {} at edges, {} derivatives compared, {} outside of the domain, {} at kinks, {} unsettled, {} \
         overflowed",
        report.samples,
        report.edges,
        report.compared(),
        report.outside_domain,
        report.kinks,
        report.unsettled,
        report.overflows
    )
}

fn why_nothing(nothing: Nothing, checked: &Checked) -> String {
    let because = |error: &Option<AutodiffError>| {
        error.as_ref().map_or(String::new(), |error| format!(": {}", as_written(&error.to_string())))
    };
    match nothing {
        Nothing::ZeroByWord => "[TreatAsDifferentiable] declares its derivative to be zero".to_owned(),
        Nothing::NoDerivative => format!("nothing compared: it has no derivative{}", because(&checked.jvp)),
        Nothing::Failed => "nothing compared: it does not run".to_owned(),
        Nothing::Discarded => "nothing compared: it discards the pixel at each input that was tried; give domains, as \
                               `--domain x=0.5..2` or `/// @domain x = 0.5..2`"
            .to_owned(),
        Nothing::OutsideDomain => {
            "nothing compared: its value is not finite at any input that was tried; give domains, as `--domain x=0.5..2` or \
             `/// @domain x = 0.5..2`"
                .to_owned()
        }
        Nothing::BeyondBounds => {
            "nothing compared: at each input that was tried a loop goes on beyond its [MaxIters], where derivatives mean \
             nothing; give domains, as `--domain n=0..4` or `/// @domain n = 0..4`"
                .to_owned()
        }
        Nothing::Constant => "it takes nothing, so that there is nothing to derive it by".to_owned(),
        Nothing::NoInput => "nothing compared: it takes nothing that carries a derivative and can be moved, neither as an \
                             input nor in a buffer with a place for derivatives"
            .to_owned(),
        Nothing::NoResult => "nothing compared: nothing that carries a derivative comes out of it, neither as a result nor \
                              in a buffer with a place for derivatives"
            .to_owned(),
        Nothing::TooManySteps => "nothing compared: the first sample takes more steps than all samples may".to_owned(),
        Nothing::Unsettled => "nothing compared: differences did not settle at any input that was tried".to_owned(),
    }
}

/// A number with as many digits as people look at.
pub(super) fn number(number: f64) -> String {
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    // No minus in front of zero.
    let rounded = rounded + 0.0;
    let is_plain = rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) || !rounded.is_finite();
    if is_plain { format!("{rounded}") } else { format!("{rounded:e}") }
}

fn value_text(value: &Value, left: &mut usize) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => number(*value),
        Value::Aggregate(_) if has_handle(value) => "buffers".to_owned(),
        Value::Aggregate(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                if *left == 0 {
                    texts.push("…".to_owned());
                    break;
                }
                *left = left.saturating_sub(usize::from(!matches!(part, Value::Aggregate(_))));
                texts.push(value_text(part, left));
            }
            format!("({})", texts.join(", "))
        }
        Value::Sum(Some((_, payload))) => value_text(payload, left),
        Value::Sum(None) => "null".to_owned(),
        Value::Handle(_) => "a buffer".to_owned(),
    }
}

fn has_handle(value: &Value) -> bool {
    match value {
        Value::Handle(_) => true,
        Value::Aggregate(parts) => parts.iter().any(has_handle),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Sum(_) => false,
    }
}

/// `, at x = 1.5, v = (1, 2)`.
pub(super) fn at(subject: &Subject, values: &[Value]) -> String {
    let inputs = &subject.compiled.module.funcs[subject.compiled.root()].inputs;
    let texts: Vec<String> = inputs
        .iter()
        .zip(values)
        .map(|(input, value)| format!("{} = {}", input.name, value_text(value, &mut { MOST_NUMBERS })))
        .collect();
    if texts.is_empty() { String::new() } else { format!(", at {}", texts.join(", ")) }
}

pub(super) fn derivative_of(result: &Coordinate, input: &Coordinate) -> String {
    format!("d {result} / d {input}")
}

fn mode_word(mode: DerivativeKind) -> &'static str {
    match mode {
        DerivativeKind::Jvp => "forward",
        DerivativeKind::Vjp
        | DerivativeKind::Primal
        | DerivativeKind::Pullback
        | DerivativeKind::Apply
        | DerivativeKind::Propagate => "backward",
    }
}

/// `; likewise a, b, c and 5 more`.
fn and_others(others: impl ExactSizeIterator<Item = String>) -> String {
    let count = others.len();
    let named: Vec<String> = others.take(MOST_NAMED).collect();
    match count {
        0 => String::new(),
        _ if count > MOST_NAMED => format!("; likewise {} and {} more", named.join(", "), count - MOST_NAMED),
        _ => format!("; likewise {}", named.join(", ")),
    }
}

/// What is wrong, in one sentence.
fn describe(subject: &Subject, finding: &Finding) -> DescribedFinding {
    let at = at(subject, &finding.inputs);
    let mut origin = None;
    let message = match &finding.kind {
        FindingKind::Wrong { mode, basis, components, ratio } => {
            let Some((first, others)) = components.split_first() else {
                return DescribedFinding { message: at, origin };
            };
            let Wrong { result, input, found, expected } = first;
            let own = found / expected;
            let ratio = match ratio {
                Some(ratio) => format!("ratio {} at every sample", number(*ratio)),
                None if own.is_finite() => format!("ratio {} here", number(own)),
                None => format!("off by {}", number(found - expected)),
            };
            let expected = match basis {
                Basis::Differences => format!("differences say {}, {ratio}", number(*expected)),
                Basis::Forward => format!("the forward derivative says {}, {ratio}", number(*expected)),
                Basis::Kink { left, right } => {
                    format!(
                        "beyond both slopes of a kink, {} to the left and {} to the right",
                        number(*left),
                        number(*right)
                    )
                }
            };
            let others = and_others(others.iter().map(|wrong| derivative_of(&wrong.result, &wrong.input)));
            format!(
                "{}: {} is {}, {expected}{at}{others}",
                mode_word(*mode),
                derivative_of(result, input),
                number(*found),
            )
        }
        FindingKind::NotFinite { modes, components, found, origin: from } => {
            origin = from.as_ref().and_then(|from| origin_place(subject, from));
            let mut components = components.iter().map(|(result, input)| derivative_of(result, input));
            let first = components.next().unwrap_or_default();
            let others = and_others(components);
            let from = match (from, &origin) {
                (Some(from), Some(place)) => format!(": {}", describe_origin(from, place, true)),
                _ => String::new(),
            };
            let modes = modes.iter().map(|mode| mode_word(*mode)).collect::<Vec<_>>().join(" and ");
            format!("{modes}: {first} is {}, although the value is finite{at}{from}{others}", number(*found))
        }
        FindingKind::NotLinear { mode, place, found, expected } => {
            let what = match mode {
                DerivativeKind::Jvp => "all tangents at once make the tangent of",
                DerivativeKind::Vjp
                | DerivativeKind::Primal
                | DerivativeKind::Pullback
                | DerivativeKind::Apply
                | DerivativeKind::Propagate => "all cotangents at once make the cotangent of",
            };
            let (found, expected) = (number(*found), number(*expected));
            format!("{}: {what} `{place}` {found}, one by one they make {expected}{at}", mode_word(*mode))
        }
        FindingKind::PrimalChanged { result, found, expected } => {
            let (found, expected) = (number(*found), number(*expected));
            format!("forward: it returns {found} for the value of `{result}`, the function returns {expected}{at}")
        }
        FindingKind::NotRestored { input, found, expected } => {
            let (found, expected) = (number(*found), number(*expected));
            format!(
                "backward: the [BackwardDerivative] written by hand changes the value of `{input}`: it returns {found} back \
                 instead of {expected}; pairs go back with the `.p` that they came with{at}"
            )
        }
        FindingKind::UsesIncoming { input, found, expected } => {
            let (found, expected) = (number(*found), number(*expected));
            format!(
                "backward: the [BackwardDerivative] written by hand uses what was in the `.d` of `{input}` before: it makes \
                 {found} instead of {expected}; derivatives replace what was there{at}"
            )
        }
        FindingKind::NoSum { sum, place, found, expected } => {
            let (found, expected) = (number(*found), number(*expected));
            let says = match sum {
                Sum::Add => "a `dadd` adds each number of the one to that of the other",
                Sum::Zero => "a `dzero` is zero in every number",
            };
            format!("{says}, but here `{place}` is {found} instead of {expected}{at}")
        }
        FindingKind::StateChanged { kind, variable } => {
            format!("the {} derivative leaves another value in `{variable}` than the function{at}", mode_word(*kind))
        }
        FindingKind::Failed { kind, error } => {
            let what =
                kind.map_or_else(|| "the function".to_owned(), |kind| format!("the {} derivative", mode_word(kind)));
            format!("{what} does not run: {error}{at}")
        }
    };
    DescribedFinding { message, origin }
}

pub(super) fn describe_origin(origin: &Origin, place: &OriginPlace, is_derivative: bool) -> String {
    let operands: Vec<String> = origin.operands.iter().take(MOST_NUMBERS).map(|operand| number(*operand)).collect();
    let OriginPlace { line, text, .. } = place;
    let of = if operands.is_empty() { String::new() } else { format!(" of ({})", operands.join(", ")) };
    let made = number(origin.value);
    let of_what = if is_derivative { "the derivative of " } else { "" };
    format!("{of_what}`{text}` in line {line} makes {made} ({}{of}){}", origin.op, cause(origin))
}

/// `; sqrt of (0) has an infinite slope at 0: clamp the argument …`
pub(super) fn cause(origin: &Origin) -> String {
    let Some((cause, pole)) = origin.cause.as_ref().and_then(|cause| Some((cause, cause.pole?))) else {
        return String::new();
    };
    let operands: Vec<String> = cause.operands.iter().take(MOST_NUMBERS).map(|operand| number(*operand)).collect();
    format!("; `{}` of ({}) {}: {}", cause.op, operands.join(", "), pole.what, pole.cure)
}

/// The innermost place of an origin that is in the program rather than in the core library.
pub(super) fn origin_place(subject: &Subject, origin: &Origin) -> Option<OriginPlace> {
    source_place(subject, &origin.spans)
}

/// The innermost of some spans that is in the user's files.
pub(super) fn source_place(subject: &Subject, spans: &[ir::SpanId]) -> Option<OriginPlace> {
    let module = &subject.compiled.module;
    let places = spans.iter().rev().filter(|span| **span != ir::SpanId::NONE).filter_map(|span| {
        let id = span;
        let span = module.spans.get(id.0 as usize)?;
        Some((subject.sources.get(span.file as usize)?, span, id))
    });
    let mut places = places.filter(|(source, ..)| !source.is_library);
    let (source, span, id) = places.next()?;
    let position = source.text.line_column(span.start as usize, base_db::line_column::ColumnUnit::Utf8);
    let rope = source.text.rope();
    let end = (span.end as usize).min(rope.len_bytes());
    let written = rope.get_byte_slice((span.start as usize).min(end)..end)?.to_string();
    let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let range = subject.compiled.place(*id)?;
    Some(OriginPlace { path: source.path.clone(), line: position.line + 1, column: position.column + 1, text, range })
}

/// The line that a place is in, without the space around it.
pub(super) fn line_text(subject: &Subject, place: &OriginPlace) -> Option<String> {
    let source = subject.sources.iter().find(|source| source.path == place.path)?;
    let rope = source.text.rope();
    let start = (u32::from(place.range.range.start()) as usize).checked_sub(place.column as usize - 1)?;
    let rest = rope.get_byte_slice(start.min(rope.len_bytes())..)?;
    Some(rest.lines().next()?.to_string().trim().to_owned())
}

fn describe_kink(kink: &Kink) -> String {
    let Kink { result, input, left, right, found } = kink;
    format!(
        "`{result}` has a kink in `{input}`: the slope is {} to the left and {} to the right, the derivative says {}",
        number(*left),
        number(*right),
        number(*found)
    )
}

/// Which derivative is wrong against which, and who wrote it.
fn rules(function: &str, checked: &Checked) -> Vec<String> {
    let (forward, backward) = (checked.report.forward, checked.report.backward);
    let mut lines = Vec::new();
    let of_forward = provenance_words("forward", checked.forward, "[ForwardDerivative]");
    let of_backward = provenance_words("backward", checked.backward, "[BackwardDerivative]");
    let body = format!("differences of the body of `{function}`");
    let state = |agreement: Agreement| match agreement {
        Agreement { compared: 0, .. } => "was not compared",
        Agreement { wrong: 0, not_finite: 0, .. } => "agrees",
        Agreement { wrong: 0, .. } => "agrees where it is finite",
        _ => "disagrees",
    };
    match (forward.wrong > 0, backward.wrong > 0) {
        (false, false) => {}
        (true, false) => lines.push(format!("{of_forward} disagrees with {body}; {of_backward} {}", state(backward))),
        (false, true) => lines.push(format!("{of_backward} disagrees with {body}; {of_forward} {}", state(forward))),
        (true, true) => {
            let by_hand = checked.forward == Provenance::Written && checked.backward == Provenance::Written;
            let together = match (agree_with_each_other(&checked.report), by_hand) {
                (true, true) => ", but they agree with each other: the body may be what is wrong",
                (true, false) => ", and they agree with each other: a derivative is lost or wrong on the way",
                (false, _) => "",
            };
            lines.push(format!("{of_forward} and {of_backward} disagree with {body}{together}"));
        }
    }
    let is_other = |finding: &Finding| matches!(finding.kind, FindingKind::PrimalChanged { .. });
    if let Some(substitute) = checked.substitute.as_ref().filter(|_| checked.report.findings.iter().any(is_other)) {
        lines.push(format!(
            "its derivatives are those of its [PrimalSubstitute] `{substitute}`, which has other values than `{function}`"
        ));
    }
    let written = |mode: &str, agreement: Agreement, provenance: Provenance| {
        (agreement.not_finite > 0 && provenance == Provenance::Written)
            .then(|| format!("the {mode} derivative that is not finite is the one written by hand"))
    };
    lines.extend(written("forward", forward, checked.forward));
    lines.extend(written("backward", backward, checked.backward));
    let generated = |provenance: Provenance| matches!(provenance, Provenance::Body | Provenance::Substitute);
    let of_callees = |mode: DerivativeKind| {
        let used =
            checked.written_rules.iter().filter(move |rule| rule.mode == mode || rule.mode == DerivativeKind::Jvp);
        used.map(|rule| format!("`{}` ({})", as_written(&rule.function), mode_word(rule.mode))).collect::<Vec<_>>()
    };
    let mut used = Vec::new();
    if forward.wrong + forward.not_finite > 0 && generated(checked.forward) {
        used.extend(of_callees(DerivativeKind::Jvp));
    }
    if backward.wrong + backward.not_finite > 0 && generated(checked.backward) {
        used.extend(of_callees(DerivativeKind::Vjp));
    }
    used.dedup();
    if !used.is_empty() {
        lines.push(format!("it uses derivatives written by hand: {}", used.join(", ")));
    }
    lines
}

fn provenance_words(mode: &str, provenance: Provenance, attribute: &str) -> String {
    match provenance {
        Provenance::Body => format!("the {mode} derivative made from the body"),
        Provenance::Substitute => format!("the {mode} derivative made from the body of the [PrimalSubstitute]"),
        Provenance::Written => format!("the {attribute} written by hand"),
        Provenance::Transposed => "the [ForwardDerivative] written by hand, transposed,".to_owned(),
    }
}

/// Whether what is wrong in one mode is wrong by the same in the other.
fn agree_with_each_other(report: &Report) -> bool {
    let of = |wanted: DerivativeKind| {
        report.findings.iter().filter_map(move |finding| match &finding.kind {
            FindingKind::Wrong { mode, components, ratio: Some(ratio), .. } if *mode == wanted => {
                Some((components.first()?, *ratio))
            }
            _ => None,
        })
    };
    let same = |(a, of_a): (&Wrong, f64), (b, of_b): (&Wrong, f64)| {
        (&a.result, &a.input) == (&b.result, &b.input) && (of_a - of_b).abs() <= 1e-3 * of_a.abs().max(1.0)
    };
    of(DerivativeKind::Jvp).any(|forward| of(DerivativeKind::Vjp).any(|backward| same(forward, backward)))
}
