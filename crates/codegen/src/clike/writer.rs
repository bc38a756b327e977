//! Lines with indentation, and where they come from.

use ir::SpanId;

use super::wrap::wrap;

#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    line: u32,
    depth: usize,
    lines: Vec<(u32, SpanId)>,
}

/// A place between two lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    offset: usize,
    line: u32,
}

impl Writer {
    /// Writes a line that comes from `span`.
    pub(crate) fn line(&mut self, span: SpanId, text: &str) {
        if span != SpanId::NONE && self.lines.last().is_none_or(|&(_, last)| last != span) {
            self.lines.push((self.line, span));
        }
        for part in text.split('\n').flat_map(|part| wrap(part, 4 * self.depth)) {
            if !part.is_empty() {
                self.text.extend(std::iter::repeat_n("    ", self.depth));
                self.text.push_str(&part);
            }
            self.text.push('\n');
            self.line += 1;
        }
    }

    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
            self.line += 1;
        }
    }

    pub(crate) fn open(&mut self) {
        self.line(SpanId::NONE, "{");
        self.depth += 1;
    }

    pub(crate) fn close(&mut self, end: &str) {
        self.depth -= 1;
        self.line(SpanId::NONE, end);
    }

    /// The place between what was written so far and what comes.
    pub(crate) fn mark(&self) -> Mark {
        Mark { offset: self.text.len(), line: self.line }
    }

    /// Puts whole lines at `mark`, before what was written after it. Marks after it are no longer good.
    pub(crate) fn insert(&mut self, mark: Mark, text: &str) {
        self.text.insert_str(mark.offset, text);
        let count = text.matches('\n').count() as u32;
        self.line += count;
        for (line, _) in &mut self.lines {
            if *line >= mark.line {
                *line += count;
            }
        }
    }

    pub(crate) fn finish(self) -> (String, Vec<(u32, SpanId)>) {
        (self.text, self.lines)
    }
}
