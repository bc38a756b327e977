//! Lines and columns, in the units that editors count columns in.

use ropey::{Rope, RopeSlice};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUnit {
    Utf8,
    Utf16,
    Utf32,
}

/// Both count from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

pub(crate) fn line_column(rope: &Rope, offset: usize, unit: ColumnUnit) -> LineColumn {
    let offset = offset.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    let line_start = rope.line_to_byte(line);
    let column = match unit {
        ColumnUnit::Utf8 => offset - line_start,
        ColumnUnit::Utf16 => {
            let (start, end) = (rope.byte_to_char(line_start), rope.byte_to_char(offset));
            rope.char_to_utf16_cu(end) - rope.char_to_utf16_cu(start)
        }
        ColumnUnit::Utf32 => rope.byte_to_char(offset) - rope.byte_to_char(line_start),
    };
    LineColumn { line: line as u32, column: column as u32 }
}

pub(crate) fn offset(rope: &Rope, position: LineColumn, unit: ColumnUnit) -> usize {
    let line = position.line as usize;
    if line >= rope.len_lines() {
        return rope.len_bytes();
    }
    let line_start = rope.line_to_byte(line);
    let text = without_line_break(rope.line(line));
    let column = position.column as usize;
    let in_line = match unit {
        // A column inside a character goes to the character's start.
        ColumnUnit::Utf8 => text.char_to_byte(text.byte_to_char(column.min(text.len_bytes()))),
        ColumnUnit::Utf16 => text.char_to_byte(text.utf16_cu_to_char(column.min(text.len_utf16_cu()))),
        ColumnUnit::Utf32 => text.char_to_byte(column.min(text.len_chars())),
    };
    line_start + in_line
}

fn without_line_break(line: RopeSlice<'_>) -> RopeSlice<'_> {
    let mut end = line.len_chars();
    while end > 0 && matches!(line.char(end - 1), '\n' | '\r') {
        end -= 1;
    }
    line.slice(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_in_each_unit() {
        // `é` is 2 bytes and 1 UTF-16 unit, the emoji 4 bytes and 2 units.
        let rope = Rope::from_str("ab\r\né😀x\n");
        let x = "ab\r\né😀".len();
        let at = |column| LineColumn { line: 1, column };
        assert_eq!(line_column(&rope, x, ColumnUnit::Utf8), at(6));
        assert_eq!(line_column(&rope, x, ColumnUnit::Utf16), at(3));
        assert_eq!(line_column(&rope, x, ColumnUnit::Utf32), at(2));
        for (unit, column) in [(ColumnUnit::Utf8, 6), (ColumnUnit::Utf16, 3), (ColumnUnit::Utf32, 2)] {
            assert_eq!(offset(&rope, at(column), unit), x);
        }
    }

    #[test]
    fn positions_outside_the_text_are_clipped() {
        let rope = Rope::from_str("ab\ncd");
        assert_eq!(offset(&rope, LineColumn { line: 0, column: 99 }, ColumnUnit::Utf16), 2);
        assert_eq!(offset(&rope, LineColumn { line: 9, column: 0 }, ColumnUnit::Utf16), 5);
        assert_eq!(line_column(&rope, 99, ColumnUnit::Utf8), LineColumn { line: 1, column: 2 });
        assert_eq!(line_column(&Rope::new(), 0, ColumnUnit::Utf8), LineColumn { line: 0, column: 0 });
    }
}
