//! Lines and columns, in the units that editors count columns in.

use ropey::{Rope, RopeSlice, str_utils};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnUnit {
    /// Bytes.
    Utf8,
    /// Code units of 16 bits.
    Utf16,
    /// Characters.
    Utf32,
}

/// Both count from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 0 on.
    pub line: u32,
    /// The column in the unit that was asked for, from 0 on.
    pub column: u32,
}

impl LineColumn {
    /// This place, which counts from another one.
    #[must_use]
    pub fn behind(self, start: LineColumn) -> LineColumn {
        let column = if self.line == 0 { start.column + self.column } else { self.column };
        LineColumn { line: start.line + self.line, column }
    }
}

pub(crate) fn line_column(rope: &Rope, offset: usize, unit: ColumnUnit) -> LineColumn {
    let offset = offset.min(rope.len_bytes());
    if let Some(place) = line_column_in_chunk(rope, offset, unit) {
        return place;
    }
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

/// The same with one descent into the rope, where the line begins in the piece of it that holds the offset: editors ask for
/// thousands of places.
fn line_column_in_chunk(rope: &Rope, offset: usize, unit: ColumnUnit) -> Option<LineColumn> {
    let (chunk, chunk_start, _, chunk_line) = rope.get_chunk_at_byte(offset)?;
    let in_chunk = offset - chunk_start;
    let line = str_utils::byte_to_line_idx(chunk, in_chunk);
    if line == 0 {
        return None;
    }
    let before = chunk.get(str_utils::line_to_byte_idx(chunk, line)..in_chunk)?;
    let column = match unit {
        ColumnUnit::Utf8 => before.len(),
        ColumnUnit::Utf16 => before.chars().map(char::len_utf16).sum(),
        ColumnUnit::Utf32 => before.chars().count(),
    };
    Some(LineColumn { line: (chunk_line + line) as u32, column: column as u32 })
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

/// Places in a text that are asked for in ascending order; each costs what lies between it and the one before. Lines end
/// where those of [`line_column`] do.
pub struct LineColumns<'t> {
    text: &'t str,
    unit: ColumnUnit,
    offset: usize,
    at: LineColumn,
}

impl<'t> LineColumns<'t> {
    /// Reads where the lines of a text begin.
    pub fn new(text: &'t str, unit: ColumnUnit) -> LineColumns<'t> {
        LineColumns { text, unit, offset: 0, at: LineColumn { line: 0, column: 0 } }
    }

    /// Offsets before the last one asked for, and those inside of a character, give the place reached so far.
    pub fn at(&mut self, offset: usize) -> LineColumn {
        let between = self.text.get(self.offset..offset).unwrap_or_default();
        for (index, character) in between.char_indices() {
            let is_before_line_feed = || self.text[self.offset + index + 1..].starts_with('\n');
            match character {
                '\n' => self.at = LineColumn { line: self.at.line + 1, column: 0 },
                '\r' if !is_before_line_feed() => self.at = LineColumn { line: self.at.line + 1, column: 0 },
                _ => {
                    self.at.column += match self.unit {
                        ColumnUnit::Utf8 => character.len_utf8() as u32,
                        ColumnUnit::Utf16 => character.len_utf16() as u32,
                        ColumnUnit::Utf32 => 1,
                    }
                }
            }
        }
        self.offset += between.len();
        self.at
    }
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
    fn places_in_order_are_those_that_are_asked_for_alone() {
        let text = "ab\r\n\té😀x\ry\n\nfin";
        let rope = Rope::from_str(text);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            let mut places = LineColumns::new(text, unit);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(places.at(offset), line_column(&rope, offset, unit), "{offset} in {unit:?}");
            }
        }
    }

    #[test]
    fn places_in_long_texts_are_counted_from_their_lines_beginnings() {
        let line = "float é = 1; // 😀";
        let text = format!("{line}\r\n").repeat(500);
        let rope = Rope::from_str(&text);
        for (offset, _) in text.char_indices() {
            let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
            let expected = LineColumn {
                line: text[..start].matches('\n').count() as u32,
                column: text[start..offset].encode_utf16().count() as u32,
            };
            assert_eq!(line_column(&rope, offset, ColumnUnit::Utf16), expected, "{offset}");
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
