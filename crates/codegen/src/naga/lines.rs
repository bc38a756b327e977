//! The source map of WGSL. naga's writer keeps the order of statements but not where they come from; each statement of
//! the trees is recognised by how its line begins.

use ir::SpanId;

use crate::tree::{Function, Stmt, StmtKind};

/// Lines of `text` that begin something of `functions`, in order.
pub(crate) fn align(text: &str, functions: &[Function]) -> Vec<(u32, SpanId)> {
    let mut lines: Vec<(u32, SpanId)> = Vec::new();
    let mut texts = text.lines().enumerate();
    for function in functions {
        let Some((head, _)) = texts.by_ref().find(|(_, line)| line.starts_with("fn ")) else { break };
        push(&mut lines, head as u32, function.span);
        let mut begins = Vec::new();
        collect(function, &function.body, &mut begins);
        let mut next = 0;
        for (number, line) in texts.by_ref() {
            if line.starts_with('}') {
                break;
            }
            // A statement that leaves no line of its own is passed over.
            let near = begins.iter().enumerate().skip(next).take(4);
            let found = near.clone().find(|(_, (begin, _))| begin.is_at(line.trim_start()));
            if let Some((index, (_, span))) = found {
                next = index + 1;
                push(&mut lines, number as u32, *span);
            }
        }
    }
    lines
}

fn push(lines: &mut Vec<(u32, SpanId)>, line: u32, span: SpanId) {
    if span != SpanId::NONE && lines.last().is_none_or(|&(_, last)| last != span) {
        lines.push((line, span));
    }
}

/// How the line of a statement begins.
enum Begin {
    Let(String),
    Assign(String),
    Word(&'static str),
}

impl Begin {
    fn is_at(&self, line: &str) -> bool {
        let name_follows = |rest: &str, name: &str, ends: &[char]| {
            // naga puts an underscore after names that end in a digit.
            rest.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches('_').starts_with(ends))
        };
        match self {
            Begin::Let(name) => line.strip_prefix("let ").is_some_and(|rest| name_follows(rest, name, &[' ', ':'])),
            Begin::Assign(name) => name_follows(line.trim_start_matches(['(', '*']), name, &[' ', '[', '.', ')']),
            Begin::Word(word) => line.starts_with(word),
        }
    }
}

fn collect(function: &Function, block: &[Stmt], begins: &mut Vec<(Begin, SpanId)>) {
    for stmt in block {
        let name = |local: crate::tree::LocalId| function.locals[local].name.to_string();
        let begin = match &stmt.kind {
            StmtKind::Declare { init: None, .. } => None,
            StmtKind::Declare { local, .. } => Some(match function.locals[*local].kind {
                crate::tree::LocalKind::Constant => Begin::Let(name(*local)),
                _ => Begin::Assign(name(*local)),
            }),
            StmtKind::Assign { place, .. } => Some(Begin::Assign(name(place.local))),
            StmtKind::If { .. } => Some(Begin::Word("if ")),
            StmtKind::Switch { .. } => Some(Begin::Word("switch ")),
            StmtKind::For { init, .. } => {
                collect(function, std::slice::from_ref(init), begins);
                Some(Begin::Word("loop "))
            }
            StmtKind::While { .. } | StmtKind::Loop { .. } => Some(Begin::Word("loop ")),
            StmtKind::Return(_) => Some(Begin::Word("return")),
            StmtKind::Barrier { .. } => Some(Begin::Word("storageBarrier")),
            StmtKind::Store { .. }
            | StmtKind::ByteStore { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Call { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Print { .. } => None,
        };
        begins.extend(begin.map(|begin| (begin, stmt.span)));
        match &stmt.kind {
            // A loop with a condition begins with a test of it.
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                begins.push((Begin::Word("if "), stmt.span));
                collect(function, body, begins);
                if let StmtKind::For { step, .. } = &stmt.kind {
                    collect(function, std::slice::from_ref(step), begins);
                }
            }
            _ => {
                for nested in stmt.blocks() {
                    collect(function, nested, begins);
                }
            }
        }
    }
}
