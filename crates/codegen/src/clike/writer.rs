//! Lines with indentation, and where they come from.

use ir::SpanId;

#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    line: u32,
    depth: usize,
    lines: Vec<(u32, SpanId)>,
}

impl Writer {
    /// Writes a line that comes from `span`.
    pub fn line(&mut self, span: SpanId, text: &str) {
        if span != SpanId::NONE && self.lines.last().is_none_or(|&(_, last)| last != span) {
            self.lines.push((self.line, span));
        }
        for part in text.split('\n') {
            if !part.is_empty() {
                self.text.extend(std::iter::repeat_n("    ", self.depth));
                self.text.push_str(part);
            }
            self.text.push('\n');
            self.line += 1;
        }
    }

    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
            self.line += 1;
        }
    }

    pub fn open(&mut self) {
        self.line(SpanId::NONE, "{");
        self.depth += 1;
    }

    pub fn close(&mut self, end: &str) {
        self.depth -= 1;
        self.line(SpanId::NONE, end);
    }

    pub fn finish(self) -> (String, Vec<(u32, SpanId)>) {
        (self.text, self.lines)
    }
}
