//! The requests under `slang-analyzer/`.

use base_db::{Db, SourceFile, memory::TableMemory};
use differentiability::{FlowState, WayPart};
use ide::{
    FileRange,
    code_lens::LensAction,
    gradient_check::{
        Alternative, Cases, Cost, CostOutcome, DescribedFinding, DescribedNonFinite, GradientCheck, LineCost,
        NonFiniteOutcome, Outcome, Verdict, stage_word,
    },
    passes::{PASSES, Pass},
    preview::{PreviewOperator, Target},
};
use interp::{
    Limits,
    gradcheck::{Finding, FindingKind, Options},
};
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{CodeLens, Command, Position, Range, TextDocumentIdentifier, Uri};

use super::{index::Stage, world::Snapshot};

/// `slang-analyzer/derivativePreview`: the derivative of the function at a position, or of the one that is named.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewParams {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    #[serde(default)]
    pub function: Option<String>,
    #[serde(default)]
    pub operator: Operator,
    /// A name of [`Target`]; Slang without one.
    #[serde(default)]
    pub target: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operator {
    Forward,
    #[default]
    Backward,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewResult {
    /// The function that is previewed; later requests name it to follow it through edits.
    pub function: String,
    pub text: String,
    /// For lines of `text` (from 0), the source they come from.
    pub lines: Vec<PreviewLine>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewLine {
    pub line: u32,
    pub uri: Uri,
    pub range: Range,
}

/// The target that a preview is asked for; the names of all if there is none of that name.
pub(crate) fn preview_target(params: &PreviewParams) -> Result<Target, String> {
    let Some(name) = &params.target else { return Ok(Target::Slang) };
    let texts = || Target::ALL.into_iter().filter(|target| target.is_text());
    texts().find(|target| target.name() == name).ok_or_else(|| {
        let names: Vec<&str> = texts().map(Target::name).collect();
        format!("a preview has no target `{name}`; the targets are {}", names.join(", "))
    })
}

pub(crate) fn derivative_preview(snapshot: &Snapshot, params: &PreviewParams, target: Target) -> Option<PreviewResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let operator = match params.operator {
        Operator::Forward => PreviewOperator::Forward,
        Operator::Backward => PreviewOperator::Backward,
    };
    let preview = ide::preview::preview(&snapshot.db, at, params.function.as_deref(), operator, target)?;
    let lines = preview
        .lines
        .iter()
        .filter_map(|&(line, source)| {
            let location = snapshot.location(source)?;
            Some(PreviewLine { line, uri: location.uri, range: location.range })
        })
        .collect();
    Some(PreviewResult { function: preview.function, text: preview.text, lines })
}

/// `slang-analyzer/derivativeFlow`: which names in the function at a position carry a derivative.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlowParams {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlowResult {
    pub function: String,
    pub values: Vec<FlowValue>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlowValue {
    pub range: Range,
    /// `active`: a derivative comes from a parameter and goes on to a result; `unused`: it comes, and nobody expects it;
    /// `ended`: it has ended on the way; `independent`: there is none that could come.
    pub state: &'static str,
}

pub(crate) fn derivative_flow(snapshot: &Snapshot, params: &FlowParams) -> Option<FlowResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let flow = ide::derivative_flow::derivative_flow(&snapshot.db, at)?;
    let value = |(range, state)| {
        let state = state_word(state);
        Some(FlowValue { range: snapshot.location(FileRange { file: at.file, range })?.range, state })
    };
    Some(FlowResult { function: flow.function, values: flow.values.into_iter().filter_map(value).collect() })
}

fn state_word(state: FlowState) -> &'static str {
    match state {
        FlowState::Active => "active",
        FlowState::Unused => "unused",
        FlowState::Ended => "ended",
        FlowState::Independent => "independent",
    }
}

/// `slang-analyzer/explainDerivative`: why the value at a position carries a derivative or not, with the places on its way.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainResult {
    pub name: String,
    /// As in [`FlowValue`].
    pub state: &'static str,
    /// Markdown.
    pub text: String,
    pub steps: Vec<ExplainStep>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainStep {
    /// `comes`: on the way to the value; `ends`: where the derivative ends; `goes`: from the value on.
    pub part: &'static str,
    /// Markdown.
    pub text: String,
    pub uri: Uri,
    pub range: Range,
}

pub(crate) fn explain_derivative(snapshot: &Snapshot, params: &FlowParams) -> Option<ExplainResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let explained = ide::derivative_flow::explained_value(&snapshot.db, at)?;
    let step = |step: ide::derivative_flow::PlacedStep| {
        let part = match step.part {
            WayPart::Comes => "comes",
            WayPart::Ends => "ends",
            WayPart::Goes => "goes",
        };
        let location = snapshot.location(step.at)?;
        Some(ExplainStep { part, text: step.text, uri: location.uri, range: location.range })
    };
    let steps = explained.way.into_iter().filter_map(step).collect();
    Some(ExplainResult { name: explained.name, state: state_word(explained.state), text: explained.text, steps })
}

/// A function: the one that is named, or the one at a position.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FunctionParams {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    #[serde(default)]
    pub function: Option<String>,
}

/// `slang-analyzer/residualPlan`: what reverse mode keeps of a function between its two sweeps.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResidualPlanResult {
    pub function: String,
    pub bytes: u64,
    pub items: Vec<ResidualPlanItem>,
    /// Why there is no plan; empty if there is one.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResidualPlanItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(rename = "type")]
    pub type_name: String,
    /// `stored`, `recomputed` or `inverted`.
    pub decision: String,
    pub reason: String,
    /// Of one value, and how many there are at most.
    pub bytes: u64,
    pub iterations: u64,
    /// Of all of them between the sweeps.
    pub total_bytes: u64,
}

pub(crate) fn residual_plan(snapshot: &Snapshot, params: &FunctionParams) -> Option<ResidualPlanResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let plan = ide::residual_plan::residual_plan(&snapshot.db, at, params.function.as_deref())?;
    let item = |placed: &ide::residual_plan::PlacedItem| {
        let location = placed.place.and_then(|place| snapshot.location(place));
        let (uri, range) = location.map_or((None, None), |location| (Some(location.uri), Some(location.range)));
        let item = &placed.item;
        ResidualPlanItem {
            uri,
            range,
            name: item.name.as_ref().map(ToString::to_string),
            type_name: item.type_name.to_string(),
            decision: item.decision.to_string(),
            reason: item.reason.to_string(),
            bytes: item.bytes,
            iterations: item.iterations,
            total_bytes: item.total_bytes,
        }
    };
    let bytes = plan.bytes();
    let (items, problems) = match &plan.items {
        Ok(items) => (items.iter().map(item).collect(), Vec::new()),
        Err(problems) => (Vec::new(), problems.clone()),
    };
    Some(ResidualPlanResult { function: plan.function, bytes, items, problems })
}

/// `slang-analyzer/ir`: what `slang-analyzer ir` prints of the function at a position, or of the one that is named.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IrParams {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    #[serde(default)]
    pub function: Option<String>,
    /// The pass that ran last, as in `--after`; `lower` without one.
    #[serde(default)]
    pub after: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IrResult {
    pub function: String,
    pub text: String,
    /// The names of all passes, in the order in which programs go through them.
    pub passes: Vec<&'static str>,
}

/// The pass that is asked for; the names of all if there is none of that name.
pub(crate) fn pass(params: &IrParams) -> Result<&'static Pass, String> {
    let name = params.after.as_deref().unwrap_or("lower");
    Pass::from_name(name)
        .ok_or_else(|| format!("no pass is called `{name}`; the passes are {}", pass_names().join(", ")))
}

fn pass_names() -> Vec<&'static str> {
    PASSES.iter().map(|pass| pass.name).collect()
}

pub(crate) fn function_ir(snapshot: &Snapshot, params: &IrParams, pass: &Pass) -> Option<IrResult> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let shown = ide::function_ir::function_ir(&snapshot.db, at, params.function.as_deref(), pass)?;
    Some(IrResult { function: shown.function, text: shown.text, passes: pass_names() })
}

/// `slang-analyzer/gradientCheck`: whether the derivative of a function agrees with it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GradientCheckResult {
    pub function: String,
    /// `ok`, `wrong`, or `notChecked` where nothing was compared, or not all parts were.
    pub verdict: &'static str,
    pub lines: Vec<String>,
    /// Each instance of the function, and each of its cases.
    pub outcomes: Vec<GradientOutcome>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct GradientOutcome {
    /// The function, behind it the case in brackets.
    pub name: String,
    /// `ok`, `wrong`, `skipped` where nothing is to compare, or `notChecked`.
    pub verdict: &'static str,
    pub lines: Vec<String>,
    pub findings: Vec<GradientFinding>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct GradientFinding {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<f64>,
}

/// What a check in the editor may take: people wait for it.
const CHECKED_SAMPLES: u32 = 4;
pub(crate) const CHECKED_EDGES: u32 = 8;
const CHECKED_STEPS: u64 = 1_000_000;

/// The name of a function and the checks of its instances, ready to be run without the database.
pub(crate) type GradientChecks = (String, Vec<GradientCheck>);

pub(crate) fn gradient_checks(
    snapshot: &Snapshot,
    params: &FunctionParams,
    edges: u32,
    cases: Cases,
) -> Option<GradientChecks> {
    let at = snapshot.file_position(&params.text_document.uri, params.position)?;
    let limits = Limits { steps: CHECKED_STEPS, ..Limits::default() };
    let options = Options { samples: CHECKED_SAMPLES, edges, limits, ..Options::default() };
    ide::gradient_check::gradient_checks(&snapshot.db, at, params.function.as_deref(), &options, cases)
}

/// Of several instances the worst verdict, and what is said of each under its name.
pub(crate) fn run_gradient_checks((function, checks): GradientChecks) -> GradientCheckResult {
    let outcomes: Vec<Outcome> = checks.into_iter().map(GradientCheck::run).collect();
    let has = |verdict| outcomes.iter().any(|outcome| outcome.verdict == verdict);
    let verdict = match (has(Verdict::Wrong), has(Verdict::NothingCompared) || has(Verdict::NotSettled)) {
        (true, _) => "wrong",
        (false, true) => "notChecked",
        (false, false) => "ok",
    };
    let lines = match outcomes.as_slice() {
        [outcome] => outcome.lines.clone(),
        outcomes => {
            let named = |outcome: &Outcome| {
                let lines: Vec<String> =
                    outcome.lines.iter().map(|line| format!("{}: {line}", outcome.function)).collect();
                lines
            };
            outcomes.iter().flat_map(named).collect()
        }
    };
    let outcomes = outcomes.iter().map(gradient_outcome).collect();
    GradientCheckResult { function, verdict, lines, outcomes }
}

fn gradient_outcome(outcome: &Outcome) -> GradientOutcome {
    let verdict = match outcome.verdict {
        Verdict::Ok => "ok",
        Verdict::Wrong => "wrong",
        Verdict::NothingCompared if outcome.is_skipped() => "skipped",
        Verdict::NothingCompared | Verdict::NotSettled => "notChecked",
    };
    let found = outcome.checked.iter().flat_map(|checked| &checked.report.findings);
    let finding = |(finding, described): (&Finding, &DescribedFinding)| {
        let numbers = match &finding.kind {
            FindingKind::Wrong { components, .. } => components.first().map(|wrong| (wrong.expected, wrong.found)),
            _ => None,
        };
        let (expected, got) = numbers.unzip();
        GradientFinding { message: described.message.clone(), expected, got }
    };
    GradientOutcome {
        name: outcome.function.clone(),
        verdict,
        lines: outcome.lines.clone(),
        findings: found.zip(&outcome.described).map(finding).collect(),
    }
}

/// `slang-analyzer/gradientTests`: the functions of a document, or of all files of the workspace, that can be checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GradientTestsParams {
    #[serde(default)]
    pub text_document: Option<TextDocumentIdentifier>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct GradientTest {
    pub uri: Uri,
    pub range: Range,
    /// The name that means this function alone among those of the file.
    pub function: String,
    /// Inputs that the source names, as they are written.
    pub cases: Vec<String>,
}

pub(crate) fn gradient_tests(snapshot: &Snapshot, params: &GradientTestsParams) -> Vec<GradientTest> {
    let db = &snapshot.db;
    let files: Vec<SourceFile> = match &params.text_document {
        Some(document) => snapshot.file(&document.uri).into_iter().collect(),
        None => {
            let known = base_db::Project::get(db).files(db);
            let mut paths: Vec<&String> = snapshot.indexed.iter().collect();
            paths.sort();
            paths.into_iter().filter_map(|path| known.get(path.as_str()).copied()).collect()
        }
    };
    let mut tests = Vec::new();
    for file in files {
        for lens in ide::code_lens::code_lenses(db, file) {
            if lens.action == LensAction::CheckGradient
                && let Some(location) = snapshot.location(FileRange { file, range: lens.range })
            {
                let (uri, range, function, cases) = (location.uri, location.range, lens.function, lens.cases);
                tests.push(GradientTest { uri, range, function, cases });
            }
        }
    }
    tests
}

/// `slang-analyzer/nonFinite`: where infinities and NaN come from, at the numbers `at` or at sampled inputs.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct NonFiniteParams {
    #[serde(flatten)]
    pub function: FunctionParams,
    #[serde(default)]
    pub at: Option<Vec<f64>>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NonFiniteResult {
    pub function: String,
    /// Inputs at which it was looked.
    pub points: u32,
    pub origins: Vec<NonFiniteOrigin>,
    pub problems: Vec<String>,
}

/// An operation that is to blame.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NonFiniteOrigin {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// What is not finite: `value`, `forward`, `backward`.
    pub stages: Vec<&'static str>,
    pub message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<&'static str>,
    /// The numbers of the inputs, in order.
    pub inputs: Vec<f64>,
}

/// The name of the function, what was found in its instances, and what could not be looked at.
pub(crate) fn find_non_finite(
    (function, checks): GradientChecks,
    at: Option<&[f64]>,
) -> (String, Vec<NonFiniteOutcome>) {
    (function, checks.into_iter().map(|check| check.find_non_finite(at)).collect())
}

pub(crate) fn non_finite(
    snapshot: &Snapshot,
    (function, outcomes): &(String, Vec<NonFiniteOutcome>),
) -> NonFiniteResult {
    let origin = |described: &DescribedNonFinite| {
        let location = described.place.as_ref().and_then(|place| snapshot.location(place.range));
        let (uri, range) = location.map_or((None, None), |location| (Some(location.uri), Some(location.range)));
        let found = &described.found;
        let cause = found.origin.as_ref().and_then(|origin| origin.cause.as_ref());
        NonFiniteOrigin {
            uri,
            range,
            stages: found.stages.iter().map(|stage| stage_word(*stage)).collect(),
            message: described.message.clone(),
            cure: cause.and_then(|cause| cause.pole).map(|pole| pole.cure),
            inputs: found.inputs.iter().flat_map(interp::Value::floats).collect(),
        }
    };
    NonFiniteResult {
        function: function.clone(),
        points: outcomes.iter().map(|outcome| outcome.points).sum(),
        origins: outcomes.iter().flat_map(|outcome| &outcome.found).map(origin).collect(),
        problems: outcomes.iter().flat_map(|outcome| outcome.problems.iter().cloned()).collect(),
    }
}

/// `slang-analyzer/cost`: what a function and its backward derivative do, line by line; an estimate.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostResult {
    pub function: String,
    /// All in words.
    pub summary: String,
    pub total: CostNumbers,
    /// Of some loop it is not known how often it runs: one iteration counts.
    pub has_unknown_loops: bool,
    pub lines: Vec<CostLine>,
    pub alternatives: Vec<CostAlternative>,
    /// Why there is no estimate.
    pub problems: Vec<String>,
}

/// Scalar operations.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostNumbers {
    pub forward: u64,
    pub reverse: u64,
    /// Those of `reverse` that are transcendental, and that are atomic.
    pub transcendental: u64,
    pub atomics: u64,
    /// Kept between the sweeps.
    pub bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostLine {
    pub uri: Uri,
    pub range: Range,
    pub text: String,
    pub summary: String,
    #[serde(flatten)]
    pub cost: CostNumbers,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CostAlternative {
    pub what: String,
    /// What changes, in words.
    pub change: String,
    #[serde(flatten)]
    pub cost: CostNumbers,
}

impl CostNumbers {
    fn of(cost: Cost) -> CostNumbers {
        CostNumbers {
            forward: cost.forward.all(),
            reverse: cost.reverse.all(),
            transcendental: cost.reverse.transcendental,
            atomics: cost.reverse.atomics,
            bytes: cost.bytes,
        }
    }
}

pub(crate) fn cost(snapshot: &Snapshot, outcome: &CostOutcome) -> CostResult {
    let function = outcome.function.clone();
    let table = match &outcome.cost {
        Ok(table) => table,
        Err(problems) => {
            let (lines, alternatives, total) = (Vec::new(), Vec::new(), CostNumbers::default());
            let (summary, problems) = ("no estimate".to_owned(), problems.clone());
            return CostResult { function, summary, total, has_unknown_loops: false, lines, alternatives, problems };
        }
    };
    let line = |line: &LineCost| {
        let location = snapshot.location(line.place.range)?;
        let (uri, range, text) = (location.uri, location.range, line.place.text.clone());
        Some(CostLine { uri, range, text, summary: line.cost.words(), cost: CostNumbers::of(line.cost) })
    };
    let alternative = |alternative: &Alternative| CostAlternative {
        what: alternative.what.clone(),
        change: alternative.total.change_from(table.total),
        cost: CostNumbers::of(alternative.total),
    };
    CostResult {
        function,
        summary: table.total.words(),
        total: CostNumbers::of(table.total),
        has_unknown_loops: table.has_unknown_loops,
        lines: table.lines.iter().filter_map(line).collect(),
        alternatives: table.alternatives.iter().map(alternative).collect(),
        problems: Vec::new(),
    }
}

/// The function that a lens is about whose title is the cost.
pub(crate) fn cost_lens(data: serde_json::Value) -> Option<FunctionParams> {
    let uri = data.get("uri")?.as_str()?.parse().ok()?;
    let function = data.get("function")?.as_str()?.to_owned();
    let text_document = TextDocumentIdentifier { uri };
    Some(FunctionParams { text_document, position: Position::default(), function: Some(function) })
}

pub(crate) fn resolved_cost_lens(mut lens: CodeLens, outcome: Option<&CostOutcome>) -> CodeLens {
    let title = match outcome.map(|outcome| &outcome.cost) {
        Some(Ok(table)) => format!("{} (estimate)", table.total.words()),
        Some(Err(_)) | None => "no estimate of the cost".to_owned(),
    };
    let arguments = lens.data.clone().map(|data| vec![data]);
    lens.command = Some(Command { title, command: "slang-analyzer.showCost".to_owned(), arguments });
    lens
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyntaxTreeParams {
    pub text_document: TextDocumentIdentifier,
}

/// `slang-analyzer/syntaxTree`: the lossless tree of a document, for people who work on the analyzer.
pub(crate) fn syntax_tree(snapshot: &Snapshot, params: &SyntaxTreeParams) -> Option<String> {
    let file = snapshot.file(&params.text_document.uri)?;
    Some(ide::syntax_tree::syntax_tree(&snapshot.db, file))
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    pub version: String,
    pub open_documents: usize,
    pub known_files: usize,
    /// Files of the workspace folders among them.
    pub indexed_files: usize,
    /// Whether the workspace is still searched for more.
    pub indexing: bool,
}

/// `slang-analyzer/status`: what the server holds.
pub(crate) fn status(snapshot: &Snapshot) -> Status {
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        open_documents: snapshot.open.len(),
        known_files: base_db::Project::get(&snapshot.db).files(&snapshot.db).len(),
        indexed_files: snapshot.indexed.len(),
        indexing: snapshot.stage < Stage::FilesKnown,
    }
}

/// `slang-analyzer/memory`: what the analysis holds, by table, the largest first.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MemoryReport {
    tables: Vec<MemoryOfTable>,
}

#[derive(Debug, Clone, Serialize)]
struct MemoryOfTable {
    table: &'static str,
    entries: usize,
    bytes: usize,
}

impl MemoryReport {
    pub(crate) fn new(tables: Vec<TableMemory>) -> MemoryReport {
        let tables = tables.into_iter();
        MemoryReport {
            tables: tables
                .map(|TableMemory { table, entries, bytes }| MemoryOfTable { table, entries, bytes })
                .collect(),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ContentParams {
    pub uri: Uri,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ContentResult {
    pub text: String,
}

/// `workspace/textDocumentContent` (LSP 3.18): the text of a document of the core library, which the client shows
/// read-only.
pub(crate) fn text_document_content(snapshot: &Snapshot, params: &ContentParams) -> Option<ContentResult> {
    let text = snapshot.db.text(snapshot.file(&params.uri)?)?;
    Some(ContentResult { text: text.rope().to_string() })
}
