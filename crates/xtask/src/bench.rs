//! `cargo xtask bench`: latency of the language server on a generated file, beside a peer's on request.
//!
//! Each figure is the time from the moment a message is sent to the moment the answer is read, over the real server's
//! standard streams, in milliseconds. With a peer both servers run at once and take turns edit by edit, so that what
//! else the machine does meets both.
//!
//! With `--plot FILE.svg` this is done at several sizes, and the figures are drawn over them for the manual.
//!
//! With `--scaling`, how the cost of checking and compiling grows with each axis of a program instead.

mod plot;
mod scaling;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use lexopt::prelude::*;
use serde_json::json;
use test_support::lsp_client::LspClient;

use crate::process::{cargo, check, root};

struct Options {
    /// How many lines the generated file has; several sizes are measured one after another.
    lines: Vec<usize>,
    edits: usize,
    /// Command of another server.
    compare: Option<String>,
    /// Where the figures are drawn over the sizes.
    plot: Option<PathBuf>,
    /// A server that is built already.
    binary: Option<PathBuf>,
}

/// The sizes of a plot, unless others are asked for.
const SIZES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

/// A server that takes longer for its edits of one size is asked no further ones there.
const LONGEST: Duration = Duration::from_secs(60);

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<()> {
    let mut options = Options { lines: Vec::new(), edits: 100, compare: None, plot: None, binary: None };
    let mut growth = scaling::Options::default();
    let mut asks_growth = false;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("lines") => options.lines.push(arguments.value()?.parse()?),
            Long("edits") => options.edits = arguments.value()?.parse()?,
            Long("compare") => options.compare = Some(arguments.value()?.string()?),
            Long("plot") => options.plot = Some(arguments.value()?.into()),
            Long("scaling") => asks_growth = true,
            Long("axis") => growth.axes.push(arguments.value()?.string()?),
            Long("times") => growth.times = arguments.value()?.parse()?,
            Long("write") => growth.write = Some(arguments.value()?.into()),
            Long("binary") => options.binary = Some(arguments.value()?.into()),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if asks_growth {
        growth.binary = options.binary;
        return scaling::run(growth);
    }
    ensure!(options.edits > 0, "--edits must be at least 1");
    if options.lines.is_empty() {
        options.lines = if options.plot.is_some() { SIZES.to_vec() } else { vec![10_000] };
    }
    let ours = match &options.binary {
        Some(binary) => binary.clone(),
        None => release_build()?,
    };
    let mut servers = vec![("slang-analyzer", ours.to_string_lossy().into_owned(), vec!["lsp"])];
    if let Some(peer) = &options.compare {
        servers.push(("peer", peer.clone(), Vec::new()));
    }
    let mut points = Vec::new();
    for &lines in &options.lines {
        points.extend(measure(&servers, lines, options.edits)?);
    }
    match &options.plot {
        Some(file) => plot::write(file, &points),
        None => Ok(()),
    }
}

/// What was measured of one server at one size, in milliseconds.
struct Point {
    server: String,
    lines: usize,
    open: f64,
    edit: f64,
    hover: f64,
}

/// Measures all servers at one size, prints what was found, and returns it.
fn measure(servers: &[(&str, String, Vec<&str>)], lines: usize, edits: usize) -> Result<Vec<Point>> {
    let program = Program::generate(lines);
    let mut sessions = Vec::new();
    for (name, command, arguments) in servers {
        sessions.push(Session::start(name, Path::new(command), arguments, &program)?);
    }
    for round in 0..edits {
        for session in &mut sessions {
            if session.edits.iter().sum::<Duration>() < LONGEST {
                session.edit(&program, round);
            }
        }
    }
    let lines = program.text.lines().count();
    println!("{lines} lines, up to {edits} edits in one body; milliseconds");
    println!(
        "{:<16}{:>12}{:>12}{:>8}{:>12}{:>12}{:>12}{:>12}",
        "server", "initialize", "open", "edits", "edit p50", "edit p99", "hover p50", "hover p99"
    );
    let mut points = Vec::new();
    for session in &mut sessions {
        let [edit, hover] = [&mut session.edits, &mut session.hovers].map(|times| milliseconds(percentile(times, 50)));
        println!(
            "{:<16}{:>12.2}{:>12.2}{:>8}{edit:>12.2}{:>12.2}{hover:>12.2}{:>12.2}",
            session.name,
            milliseconds(session.initialize),
            milliseconds(session.open),
            session.edits.len(),
            milliseconds(percentile(&mut session.edits, 99)),
            milliseconds(percentile(&mut session.hovers, 99)),
        );
        points.push(Point { server: session.name.clone(), lines, open: milliseconds(session.open), edit, hover });
    }
    Ok(points)
}

/// The optimised server.
fn release_build() -> Result<PathBuf> {
    check(&mut cargo(["build", "--release", "--quiet", "--package", "slang-analyzer"]))?;
    Ok(root().join("target/release/slang-analyzer"))
}

/// A generated file and the place in it that is edited.
struct Program {
    text: String,
    /// Line of the edited expression, from 0.
    line: u32,
    column: u32,
}

/// What stands at the edited place: without error, and with one that both servers report.
const FINE: &str = "1.25";
const WRONG: &str = "wrng";

impl Program {
    /// Differentiable functions with branches and loops, each calling the one before it; the edit is in the middle one.
    fn generate(lines: usize) -> Program {
        const LINES_PER_FUNCTION: usize = 14;
        let functions = (lines / LINES_PER_FUNCTION).max(2);
        let mut text = String::new();
        let mut line = 0;
        for index in 0..functions {
            let inner = if index == 0 { "x * y".to_owned() } else { format!("step_{}(x, y)", index - 1) };
            if index == functions / 2 {
                line = text.lines().count() as u32 + 3;
            }
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "// Step {index}.\n[Differentiable]\nfloat step_{index}(float x, float y)\n{{ float scale = {FINE};\n    float sum = 0.0;\n    [MaxIters(4)]\n    for (int i = 0; i < 4; i++)\n        sum += scale * x * float(i) + sin(y);\n    if (x > 0.5)\n        sum = sum * y + exp(-x);\n    else\n        sum = sum - {inner};\n    return sum;\n}}\n"
            );
        }
        let column = "{ float scale = ".len() as u32;
        Program { text, line, column }
    }
}

struct Session {
    name: String,
    client: LspClient,
    uri: String,
    version: i32,
    initialize: Duration,
    open: Duration,
    edits: Vec<Duration>,
    hovers: Vec<Duration>,
}

impl Session {
    fn start(name: &str, command: &Path, arguments: &[&str], program: &Program) -> Result<Session> {
        let folder = std::env::temp_dir().join(format!("slang-analyzer-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let uri = format!("file://{}/main.slang", folder.display());
        let begin = Instant::now();
        let mut client = LspClient::start_command(command, arguments, &folder);
        let initialize = begin.elapsed();
        let begin = Instant::now();
        let wrong = program.text.replacen(&format!("scale = {FINE}"), &format!("scale = {WRONG}"), 1);
        client.open(&uri, &wrong);
        client.wait_for_diagnostics(&uri, |found| !found.is_empty());
        let open = begin.elapsed();
        client.replace_all(&uri, 2, &program.text);
        client.wait_for_diagnostics(&uri, |found| found.is_empty());
        Ok(Session {
            name: name.to_owned(),
            client,
            uri,
            version: 2,
            initialize,
            open,
            edits: Vec::new(),
            hovers: Vec::new(),
        })
    }

    /// One edit to something wrong or back, hover at once, and the diagnostics that show the new state.
    fn edit(&mut self, program: &Program, round: usize) {
        let wrong = round.is_multiple_of(2);
        let (start, end) = ([program.line, program.column], [program.line, program.column + FINE.len() as u32]);
        self.version += 1;
        let begin = Instant::now();
        self.client.edit(&self.uri, self.version, start, end, if wrong { WRONG } else { FINE });
        self.client.request(
            "textDocument/hover",
            json!({"textDocument": {"uri": self.uri}, "position": {"line": program.line, "character": 9}}),
        );
        self.hovers.push(begin.elapsed());
        self.client.wait_for_diagnostics(&self.uri, |found| found.is_empty() != wrong);
        self.edits.push(begin.elapsed());
    }
}

fn percentile(durations: &mut [Duration], percent: usize) -> Duration {
    durations.sort();
    let index = (durations.len() * percent / 100).min(durations.len().saturating_sub(1));
    durations.get(index).copied().unwrap_or_default()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
