//! How far each line of a text is indented, and how far it should be: from the tokens alone, so that half-written code and
//! code that macros make whole is formatted as well.

use syntax::{SyntaxKind, lexer};

use super::FormatOptions;

/// A line, without what ends it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its indentation as it is and as it should be, in columns.
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) may_be_trimmed: bool,
}

pub(super) fn widths(text: &str, options: FormatOptions) -> Vec<Line> {
    let tab_width = options.tab_width.max(1) as usize;
    let mut lines: Vec<Line> = Vec::new();
    let mut start = 0;
    for full in text.split_inclusive('\n') {
        let end = start + full.trim_end_matches(['\n', '\r']).len();
        let old = column(&text[start..end], tab_width);
        lines.push(Line { start, end, old, new: old, may_be_trimmed: true });
        start += full.len();
    }
    let mut nesting = Nesting::new(lines, options.indent_width.max(1) as usize);
    let lexed = lexer::lex(text);
    for index in 0..lexed.len() {
        let range = lexed.range(index);
        nesting.token(lexed.kind(index), &text[range.clone()], range.start, range.end);
    }
    nesting.lines
}

fn column(line: &str, tab_size: usize) -> usize {
    let spaces = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    spaces.fold(0, |column, c| if c == '\t' { (column / tab_size + 1) * tab_size } else { column + 1 })
}

/// A line that a statement begins on: where it was, and where it goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Anchor {
    old: usize,
    new: usize,
}

impl Anchor {
    /// Where a line goes that goes on from this one.
    fn moved(self, old: usize) -> usize {
        (old + self.new).saturating_sub(self.old)
    }
}

/// A bracket that is open.
#[derive(Debug, Clone)]
struct Open {
    kind: OpenKind,
    /// The line that the bracket's statement begins on.
    opened: Anchor,
    /// Where statements stand inside; not known before the first one.
    content: Option<usize>,
    statement: Statement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    /// Braces around statements or declarations.
    Block,
    /// The same, whose content need not be indented.
    Namespace,
    /// The same, with labels.
    Switch {
        /// Where labels stand; not known before the first one.
        labels: Option<usize>,
    },
    /// Parentheses, brackets, braces of values.
    Values,
}

/// The statement or declaration that is being read.
#[derive(Debug, Clone, Default)]
struct Statement {
    /// How many tokens it has, attributes aside.
    tokens: usize,
    /// The line that it begins on.
    anchor: Anchor,
    /// Levels of control without braces around it.
    nested: usize,
    head: Head,
    last: Last,
}

impl Statement {
    /// The statement that this one's head controls.
    fn controlled(&self) -> Statement {
        Statement { nested: self.nested + 1, anchor: self.anchor, ..Statement::default() }
    }
}

/// What the statement's first word says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Head {
    #[default]
    Plain,
    /// `if (…)`, `for (…)`, `while (…)`: a statement follows the parentheses.
    Control,
    Switch,
    Namespace,
    /// `case`, `default`: ends with a colon.
    Label,
}

/// What the statement's last token says of a brace behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    /// It holds values: behind `=`, `,`, `return`, an operator.
    Value,
    /// It begins a body.
    Other,
}

/// An `#if` that is open.
struct Condition {
    /// What was open at its beginning, and what its first branch left open.
    before: Vec<Open>,
    behind_first: Option<Vec<Open>>,
}

struct Nesting {
    lines: Vec<Line>,
    level: usize,
    open: Vec<Open>,
    /// The line that is read, and whether anything of it is.
    line: usize,
    has_begun: bool,
    /// Comments on lines of their own, which go where the next line goes.
    comments: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Nesting {
    fn new(lines: Vec<Line>, level: usize) -> Nesting {
        let file = Open {
            kind: OpenKind::Block,
            opened: Anchor::default(),
            content: Some(0),
            statement: Statement::default(),
        };
        Nesting {
            lines,
            level,
            open: vec![file],
            line: 0,
            has_begun: false,
            comments: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str, start: usize, end: usize) {
        while self.lines.get(self.line + 1).is_some_and(|next| next.start <= start) {
            self.line += 1;
            self.has_begun = false;
        }
        let is_first = !self.has_begun;
        if kind == SyntaxKind::WHITESPACE {
            return;
        }
        self.has_begun = true;
        match kind {
            SyntaxKind::DIRECTIVE => self.directive(text),
            SyntaxKind::COMMENT if is_first => self.comments.push(self.line),
            SyntaxKind::COMMENT => {}
            _ => self.code(kind, text, is_first),
        }
        self.keep_inside(kind, end);
    }

    /// The lines that a token goes on in are as the user wrote them.
    fn keep_inside(&mut self, kind: SyntaxKind, end: usize) {
        let first = self.line;
        while self.lines.get(self.line + 1).is_some_and(|next| next.start < end) {
            self.line += 1;
        }
        let goes_on = self.line > first;
        if kind == SyntaxKind::DIRECTIVE || goes_on && kind != SyntaxKind::COMMENT {
            self.lines[first..=self.line].iter_mut().for_each(|line| line.may_be_trimmed = false);
        }
    }

    /// The branches of a condition begin alike; what is open behind them is what the first one leaves open.
    fn directive(&mut self, text: &str) {
        let word = text.trim_start_matches('#').trim_start();
        if word.starts_with("if") {
            self.conditions.push(Condition { before: self.open.clone(), behind_first: None });
        } else if word.starts_with("el") {
            if let Some(condition) = self.conditions.last_mut() {
                let behind = std::mem::replace(&mut self.open, condition.before.clone());
                condition.behind_first.get_or_insert(behind);
            }
        } else if word.starts_with("endif")
            && let Some(Condition { behind_first: Some(behind), .. }) = self.conditions.pop()
        {
            self.open = behind;
        }
    }

    fn code(&mut self, kind: SyntaxKind, text: &str, is_first: bool) {
        let is_closing = matches!(text, ")" | "]" | "}");
        if is_first {
            self.begin_line(text, is_closing);
        } else {
            self.begin_statement();
        }
        match text {
            "(" | "[" | "{" => self.open(text),
            ")" | "]" | "}" => self.close(text),
            _ => self.word(kind, text),
        }
    }

    fn innermost(&mut self) -> &mut Open {
        // The file is never closed.
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn begin_line(&mut self, text: &str, is_closing: bool) {
        let old = self.lines[self.line].old;
        let new = self.place(text, is_closing, old);
        self.lines[self.line].new = new;
        let anchor = Anchor { old, new };
        for comment in std::mem::take(&mut self.comments) {
            // Code that is commented out at the very left stays there.
            let line = &mut self.lines[comment];
            line.new = if line.old == 0 && old != 0 { 0 } else { anchor.moved(line.old) };
        }
        let innermost = self.innermost();
        if !is_closing && innermost.kind != OpenKind::Values && innermost.statement.tokens == 0 {
            innermost.statement.anchor = anchor;
        }
    }

    /// A statement that begins behind something else stands where its line does; what a head controls, where the head does.
    fn begin_statement(&mut self) {
        let line = self.lines[self.line];
        let statement = &mut self.innermost().statement;
        if statement.tokens == 0 && statement.nested == 0 {
            statement.anchor = Anchor { old: line.old, new: line.new };
        }
    }

    /// Where a line goes that begins with a token.
    fn place(&mut self, text: &str, is_closing: bool, old: usize) -> usize {
        let level = self.level;
        let innermost = self.innermost();
        let opened = innermost.opened;
        match innermost.kind {
            OpenKind::Values => return opened.moved(old),
            _ if text == "}" => return opened.new,
            // A bracket that nothing opened.
            _ if is_closing => return old,
            _ => {}
        }
        let is_label = matches!(text, "case" | "default");
        if let (OpenKind::Switch { labels }, true) = (&mut innermost.kind, is_label) {
            let indented = if old > opened.old { opened.new + level } else { opened.new };
            let labels = *labels.get_or_insert(indented);
            innermost.content = Some(labels + level);
            return labels;
        }
        let statement = &innermost.statement;
        if statement.tokens > 0 {
            // The braces of a body stand below its head, everything else where the user wants it.
            let is_body = text == "{" && statement.last == Last::Other;
            return if is_body { statement.anchor.new } else { statement.anchor.moved(old) };
        }
        let content = *innermost.content.get_or_insert(match innermost.kind {
            OpenKind::Namespace if old <= opened.old => opened.new,
            _ => opened.new + level,
        });
        if text == "{" {
            // Of a case, or of what is controlled: below the label or its statements, below the head.
            let nested = innermost.statement.nested.saturating_sub(1);
            let is_below = matches!(innermost.kind, OpenKind::Switch { .. }) && old < content;
            return (content + nested * level).saturating_sub(if is_below { level } else { 0 });
        }
        content + innermost.statement.nested * level
    }

    fn open(&mut self, bracket: &str) {
        let innermost = self.innermost();
        let statement = &mut innermost.statement;
        let is_block = bracket == "{" && innermost.kind != OpenKind::Values && statement.last != Last::Value;
        let kind = match statement.head {
            _ if !is_block => OpenKind::Values,
            Head::Switch => OpenKind::Switch { labels: None },
            Head::Namespace => OpenKind::Namespace,
            Head::Plain | Head::Control | Head::Label => OpenKind::Block,
        };
        // An attribute is no part of the statement that it stands before.
        let is_attribute = bracket == "[" && statement.tokens == 0;
        let opened = match innermost.kind {
            OpenKind::Values => innermost.opened,
            _ => {
                statement.tokens += usize::from(!is_attribute);
                statement.anchor
            }
        };
        self.open.push(Open { kind, opened, content: None, statement: Statement::default() });
    }

    fn close(&mut self, bracket: &str) {
        if self.open.len() == 1 {
            return;
        }
        let closed = self.open.pop();
        let Some(closed) = closed else { return };
        let innermost = self.innermost();
        if innermost.kind == OpenKind::Values {
            return;
        }
        let statement = &mut innermost.statement;
        match (closed.kind, bracket) {
            (OpenKind::Values, "]") if statement.tokens == 0 => {}
            (OpenKind::Values, ")") if statement.head == Head::Control && closed.opened == statement.anchor => {
                *statement = statement.controlled();
            }
            (OpenKind::Values, _) => {
                statement.last = Last::Other;
            }
            _ => *statement = Statement::default(),
        }
    }

    fn word(&mut self, kind: SyntaxKind, text: &str) {
        let innermost = self.innermost();
        if innermost.kind == OpenKind::Values {
            return;
        }
        let statement = &mut innermost.statement;
        if text == ";" {
            *statement = Statement::default();
            return;
        }
        if text == ":" && statement.head == Head::Label {
            *statement = Statement::default();
            return;
        }
        if statement.tokens == 0 {
            statement.head = match text {
                "if" | "for" | "while" => Head::Control,
                "switch" => Head::Switch,
                "namespace" => Head::Namespace,
                "case" | "default" => Head::Label,
                "else" | "do" => {
                    *statement = statement.controlled();
                    return;
                }
                _ => Head::Plain,
            };
        }
        statement.tokens += 1;
        let is_word = kind == SyntaxKind::IDENT && !matches!(text, "return" | "in");
        statement.last = if is_word || text == ">" { Last::Other } else { Last::Value };
    }
}
