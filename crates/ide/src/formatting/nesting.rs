//! How far each line of a text is indented, and how far it should be: from the tokens alone, so that half-written code and
//! code that macros make whole is formatted as well.

use syntax::{SyntaxKind, lexer};

use super::{FormatOptions, spacing::switched_off};

/// A line, without what ends it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its indentation as it is and as it should be, in columns.
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) may_be_trimmed: bool,
    /// Whether it begins with code or a comment, and not inside of a token or with a directive.
    pub(super) is_placed: bool,
    /// Whether the user switched formatting off around it.
    pub(super) is_off: bool,
}

pub(super) fn widths(text: &str, options: FormatOptions) -> Vec<Line> {
    let tab_width = options.tab_width.max(1) as usize;
    let mut lines: Vec<Line> = Vec::new();
    let off = switched_off(text);
    let mut start = 0;
    for full in text.split_inclusive('\n') {
        let end = start + full.trim_end_matches(['\n', '\r']).len();
        let old = column(&text[start..end], tab_width);
        let first = end - text[start..end].trim_start_matches([' ', '\t']).len();
        let is_off = off.iter().any(|off| off.start < first && first < off.end);
        lines.push(Line { start, end, old, new: old, may_be_trimmed: true, is_placed: false, is_off });
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
    /// Where the first of them stood.
    content_was: Option<usize>,
    statement: Statement,
    /// Levels of control that the statement before ended: an `else` goes on from the last `if`.
    ended: Vec<Control>,
    /// The body of a lambda, which is a part of a statement.
    is_lambda: bool,
}

impl Open {
    fn new(kind: OpenKind, opened: Anchor) -> Open {
        Open {
            kind,
            opened,
            content: None,
            content_was: None,
            statement: Statement::default(),
            ended: Vec::new(),
            is_lambda: false,
        }
    }

    /// Ends the statement that is read.
    fn end_statement(&mut self) {
        self.ended = std::mem::take(&mut self.statement).controls;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    /// Braces around statements or declarations.
    Block,
    /// The same, whose content need not be indented.
    Namespace,
    /// Braces around the cases of an enumeration, each of which is a statement that ends with a comma.
    Cases,
    /// The same as a block, with labels.
    Switch {
        /// Where labels stand; not known before the first one.
        labels: Option<usize>,
    },
    /// Parentheses, brackets, braces of values.
    Values,
}

/// The statement or declaration that is being read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Statement {
    /// How many tokens it has, attributes aside.
    tokens: usize,
    /// The line that it begins on.
    anchor: Anchor,
    /// Levels of control without braces around it, from the outermost in.
    controls: Vec<Control>,
    head: Head,
    last: Last,
}

/// What a statement without braces around it is controlled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Control {
    If,
    Else,
    Loop,
}

impl Statement {
    /// The statement that this one's head controls.
    fn controlled(&self, by: Control) -> Statement {
        let controls = self.controls.iter().copied().chain([by]).collect();
        Statement { controls, anchor: self.anchor, ..Statement::default() }
    }
}

/// What the statement's first word says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Head {
    #[default]
    Plain,
    /// `if (…)`, `for (…)`, `while (…)`: a statement follows the parentheses.
    Control(Control),
    Switch,
    Namespace,
    Enum,
    /// `case`, `default`: ends with a colon.
    Label,
}

/// What the statement's last token says of a brace behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    /// It holds values, and the statement goes on: behind `=`, `,`, `return`, an operator.
    Value,
    /// It begins the body of a lambda: behind `=>`.
    Arrow,
    /// It begins a body.
    Other,
}

/// What is read of a line.
#[derive(Debug, Clone, Copy)]
enum Begun {
    Nothing,
    /// Comments alone, the first of which begins on this line.
    Comments(usize),
    /// Code, or a comment behind code.
    Code,
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
    /// The line that is read, and what of it is.
    line: usize,
    begun: Begun,
    /// Comments on lines of their own, which go where the next line goes.
    comments: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Nesting {
    fn new(lines: Vec<Line>, level: usize) -> Nesting {
        let file = Open { content: Some(0), ..Open::new(OpenKind::Block, Anchor::default()) };
        Nesting {
            lines,
            level,
            open: vec![file],
            line: 0,
            begun: Begun::Nothing,
            comments: Vec::new(),
            conditions: Vec::new(),
        }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str, start: usize, end: usize) {
        while self.lines.get(self.line + 1).is_some_and(|next| next.start <= start) {
            self.line += 1;
            self.begun = Begun::Nothing;
        }
        match (kind, self.begun) {
            (SyntaxKind::WHITESPACE, _) => return,
            (SyntaxKind::COMMENT, Begun::Nothing) => {
                self.lines[self.line].is_placed = true;
                self.comments.push(self.line);
                self.begun = Begun::Comments(self.line);
            }
            (SyntaxKind::COMMENT, Begun::Comments(_) | Begun::Code) => {}
            (SyntaxKind::DIRECTIVE, _) => {
                self.directive(text);
                self.begun = Begun::Code;
            }
            (_, begun) => {
                let begins = match begun {
                    Begun::Nothing => Some(self.line),
                    // The comment is a part of the line, and not one of those in front of it.
                    Begun::Comments(first) => {
                        self.comments.pop();
                        Some(first)
                    }
                    Begun::Code => None,
                };
                self.begun = Begun::Code;
                self.code(kind, text, begins);
            }
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

    /// A token of code, and the line that it begins, if it does.
    fn code(&mut self, kind: SyntaxKind, text: &str, begins: Option<usize>) {
        let is_closing = matches!(text, ")" | "]" | "}");
        self.follow_if(text);
        match begins {
            Some(line) => self.begin_line(line, text, is_closing),
            None => self.begin_statement(),
        }
        match text {
            "(" | "[" | "{" => self.open(text),
            ")" | "]" | "}" => self.close(text),
            _ => self.word(kind, text, begins.is_some()),
        }
    }

    /// An `else` belongs to the last `if` that has none.
    fn follow_if(&mut self, text: &str) {
        let innermost = self.innermost();
        if innermost.kind == OpenKind::Values || innermost.statement != Statement::default() {
            return;
        }
        let ended = std::mem::take(&mut innermost.ended);
        if text == "else"
            && let Some(last) = ended.iter().rposition(|control| *control == Control::If)
        {
            innermost.statement.controls = ended[..last].to_vec();
        }
    }

    fn innermost(&mut self) -> &mut Open {
        // The file is never closed.
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn begin_line(&mut self, line: usize, text: &str, is_closing: bool) {
        let Line { old, is_off, .. } = self.lines[line];
        self.lines[line].is_placed = true;
        if is_off {
            self.leave_line(old, text, is_closing);
            return;
        }
        let new = self.place(text, is_closing, old);
        self.lines[line].new = new;
        let anchor = Anchor { old, new };
        let comments = self.take_comments();
        let innermost = self.innermost();
        // Behind the last statement of a block, comments stand where statements do.
        let content = match (innermost.content_was, innermost.content) {
            (Some(old), Some(new)) if is_closing && innermost.kind != OpenKind::Values => Some(Anchor { old, new }),
            _ => None,
        };
        for comment in comments {
            let line = &mut self.lines[comment];
            line.new = match content.filter(|content| line.old >= content.old) {
                Some(content) => content.moved(line.old),
                // Code that is commented out at the very left stays there.
                None if line.old == 0 && old != 0 => 0,
                None => anchor.moved(line.old),
            };
        }
        let innermost = self.innermost();
        if !is_closing && innermost.kind != OpenKind::Values && innermost.statement.tokens == 0 {
            innermost.statement.anchor = anchor;
        }
    }

    /// A line that stays where it is; what the comments in front of it are indented by is how deep they are nested.
    fn leave_line(&mut self, old: usize, text: &str, is_closing: bool) {
        let innermost = self.innermost();
        let (opened, content_was) = (innermost.opened, innermost.content_was);
        // Whether it is indented, it says of where its bracket goes.
        let indented = (old + opened.old).saturating_sub(opened.new);
        self.place(text, is_closing, indented);
        let innermost = self.innermost();
        innermost.content_was = content_was.or(innermost.content);
        if !is_closing && innermost.kind != OpenKind::Values && innermost.statement.tokens == 0 {
            innermost.statement.anchor = Anchor { old, new: old };
        }
        for comment in self.take_comments() {
            let written = self.lines[comment].old;
            let new = if written == 0 && old != 0 { 0 } else { self.place("", false, written) };
            self.lines[comment].new = new;
        }
    }

    /// The comments in front of a line that may move.
    fn take_comments(&mut self) -> Vec<usize> {
        let mut comments = std::mem::take(&mut self.comments);
        comments.retain(|comment| !self.lines[*comment].is_off);
        comments
    }

    /// A statement that begins behind something else stands where its line does; what a head controls, where the head does.
    fn begin_statement(&mut self) {
        let line = self.lines[self.line];
        let statement = &mut self.innermost().statement;
        if statement.tokens == 0 && (statement.controls.is_empty() || statement.anchor == Anchor::default()) {
            statement.anchor = Anchor { old: line.old, new: line.new };
        }
    }

    /// Where a line goes that begins with a token.
    fn place(&mut self, text: &str, is_closing: bool, old: usize) -> usize {
        let level = self.level;
        let innermost = self.innermost();
        let opened = innermost.opened;
        match innermost.kind {
            // What is not indented is no part of what is aligned.
            OpenKind::Values if old <= opened.old => return opened.new + if is_closing { 0 } else { level },
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
            let is_body = text == "{" && matches!(statement.last, Last::Other | Last::Arrow);
            let goes_on = CONTINUES.contains(&text) || statement.last == Last::Value;
            return match is_body {
                true => statement.anchor.new,
                false if goes_on && old <= statement.anchor.old => statement.anchor.new + level,
                false => statement.anchor.moved(old).max(statement.anchor.new),
            };
        }
        innermost.content_was.get_or_insert(old);
        let content = *innermost.content.get_or_insert(match innermost.kind {
            OpenKind::Namespace if old <= opened.old => opened.new,
            _ => opened.new + level,
        });
        if text == "{" {
            // Of a case, or of what is controlled: below the label or its statements, below the head.
            let nested = innermost.statement.controls.len().saturating_sub(1);
            let is_below = matches!(innermost.kind, OpenKind::Switch { .. }) && old < content;
            return (content + nested * level).saturating_sub(if is_below { level } else { 0 });
        }
        content + innermost.statement.controls.len() * level
    }

    fn open(&mut self, bracket: &str) {
        let innermost = self.innermost();
        let statement = &mut innermost.statement;
        let is_lambda = bracket == "{" && statement.last == Last::Arrow;
        let is_block =
            bracket == "{" && innermost.kind != OpenKind::Values && statement.last != Last::Value || is_lambda;
        let kind = match statement.head {
            _ if !is_block => OpenKind::Values,
            _ if is_lambda => OpenKind::Block,
            Head::Switch => OpenKind::Switch { labels: None },
            Head::Namespace => OpenKind::Namespace,
            Head::Enum => OpenKind::Cases,
            Head::Plain | Head::Control(_) | Head::Label => OpenKind::Block,
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
        self.open.push(Open { is_lambda, ..Open::new(kind, opened) });
    }

    fn close(&mut self, bracket: &str) {
        if self.open.len() == 1 {
            return;
        }
        let closed = self.open.pop();
        let Some(closed) = closed else { return };
        let innermost = self.innermost();
        if innermost.kind == OpenKind::Values {
            innermost.statement.last = Last::Value;
            return;
        }
        let statement = &mut innermost.statement;
        match (closed.kind, bracket, statement.head) {
            (OpenKind::Values, "]", _) if statement.tokens == 0 => {}
            (OpenKind::Values, ")", Head::Control(by)) if closed.opened == statement.anchor => {
                *statement = statement.controlled(by);
            }
            (OpenKind::Values, _, _) => statement.last = Last::Other,
            _ if closed.is_lambda => statement.last = Last::Other,
            _ => innermost.end_statement(),
        }
    }

    fn word(&mut self, kind: SyntaxKind, text: &str, is_first: bool) {
        let innermost = self.innermost();
        let statement = &mut innermost.statement;
        if innermost.kind == OpenKind::Values {
            statement.last = if text == "=>" { Last::Arrow } else { Last::Value };
            return;
        }
        if text == ";" || text == "," && innermost.kind == OpenKind::Cases {
            innermost.end_statement();
            return;
        }
        if text == ":" && statement.head == Head::Label {
            *statement = Statement::default();
            return;
        }
        if statement.tokens == 0 {
            statement.head = match text {
                "if" => {
                    // `else if` is one level.
                    if !is_first && statement.controls.last() == Some(&Control::Else) {
                        statement.controls.pop();
                    }
                    Head::Control(Control::If)
                }
                "for" | "while" => Head::Control(Control::Loop),
                "switch" => Head::Switch,
                "namespace" => Head::Namespace,
                "case" | "default" => Head::Label,
                "else" | "do" => {
                    *statement = statement.controlled(if text == "else" { Control::Else } else { Control::Loop });
                    return;
                }
                _ => Head::Plain,
            };
        }
        // Modifiers may stand in front of it.
        if text == "enum" {
            statement.head = Head::Enum;
        }
        statement.tokens += 1;
        statement.last = match (kind, text) {
            (_, "=>") => Last::Arrow,
            (_, "return" | "in") => Last::Value,
            // The end of a type, of a value.
            (_, ">" | "++" | "--") => Last::Other,
            // The label of a statement, and not what is in front of a base or a branch.
            (_, ":") if statement.tokens == 2 => Last::Other,
            (SyntaxKind::IDENT | SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER, _) => Last::Other,
            (SyntaxKind::STRING | SyntaxKind::CHAR, _) => Last::Other,
            _ => Last::Value,
        };
    }
}

/// What a line begins with that goes on from the one before. Not what a statement may begin with: `*p = 1;`.
const CONTINUES: [&str; 14] = ["?", ":", ".", "->", "+", "-", "/", "%", "&&", "||", "==", "!=", "|", "^"];
