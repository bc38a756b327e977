//! Random damage to texts, as a hurried user or a broken tool would do it: by bytes, words, lines and pieces of other
//! places.

use std::ops::Range;

use fastrand::Rng;

/// What is put in: what opens, closes and separates, keywords in wrong places, directives.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".",
    "::",
    ":",
    "=",
    "+",
    "-",
    "*",
    "&",
    "->",
    "=>",
    "#",
    "\"",
    "'",
    "\\",
    "@",
    "$",
    "?",
    "\n",
    " ",
    "/*",
    "*/",
    "//",
    "0",
    "1.5",
    "x",
    "missing",
    "float",
    "int",
    "float3",
    "struct S {",
    "interface I {",
    "extension",
    "namespace n {",
    "enum",
    "cbuffer c {",
    "void g() {",
    "return",
    "if (",
    "else",
    "for (",
    "while",
    "switch (",
    "case",
    "default:",
    "break;",
    "let",
    "var",
    "static",
    "const",
    "import",
    "no_diff ",
    "bwd_diff(",
    "fwd_diff(",
    "[Differentiable]\n",
    "__generic<",
    "each ",
    "expand ",
    "where T :",
    "operator",
    "property",
    "__subscript",
    "__init(",
    "typealias",
    "associatedtype",
    "this",
    "This",
    "T",
    "<T>",
    "<let N : int>",
    "\n#if 0\n",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define x y\n",
    "\n#define F(a) a##a\n",
    "\n#undef x\n",
    "\n#include \"main.slang\"\n",
    "\u{e9}",
    "\u{1F600}",
    "\0",
    "\r\n",
    "\t",
];

/// A range of the text, on character boundaries, and what to put there.
pub fn random_edit(text: &str, random: &mut Rng) -> (Range<usize>, String) {
    let at = boundary(text, random.usize(..=text.len()));
    match random.u8(..10) {
        // A few bytes go.
        0 => (at..boundary(text, at + 1 + random.usize(..4)), String::new()),
        // A long stretch goes.
        1 => (at..boundary(text, at + random.usize(..=text.len() / 2)), String::new()),
        2 | 3 => (at..at, random.choice(PIECES).copied().unwrap_or_default().to_owned()),
        4 => (word(text, at), random.choice(PIECES).copied().unwrap_or_default().to_owned()),
        5 => (word(text, at), String::new()),
        // A word of the text in place of another.
        6 => (word(text, at), {
            let other = boundary(text, random.usize(..=text.len()));
            text[word(text, other)].to_owned()
        }),
        7 => (line(text, at), String::new()),
        8 => {
            let other = boundary(text, random.usize(..=text.len()));
            let start = line(text, at).start;
            (start..start, text[line(text, other)].to_owned())
        }
        // A piece of another place.
        _ => {
            let from = boundary(text, random.usize(..=text.len()));
            let to = boundary(text, from + random.usize(..40));
            (at..boundary(text, at + random.usize(..20)), text[from..to].to_owned())
        }
    }
}

/// The character boundary at or before an offset.
fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|offset| text.is_char_boundary(*offset)).unwrap_or(0)
}

/// The word or the run of other characters around an offset.
fn word(text: &str, offset: usize) -> Range<usize> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let Some(first) = text[offset..].chars().next() else { return offset..offset };
    let alike = |c: char| is_word(c) == is_word(first) && c.is_whitespace() == first.is_whitespace();
    let before: usize = text[..offset].chars().rev().take_while(|c| alike(*c)).map(char::len_utf8).sum();
    let behind: usize = text[offset..].chars().take_while(|c| alike(*c)).map(char::len_utf8).sum();
    offset - before..offset + behind
}

/// The line around an offset with its end.
fn line(text: &str, offset: usize) -> Range<usize> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::{line, random_edit, word};

    #[test]
    fn words_and_lines_are_found() {
        let text = "ab + cd\nef";
        assert_eq!(&text[word(text, 1)], "ab");
        assert_eq!(&text[word(text, 3)], "+");
        assert_eq!(&text[line(text, 6)], "ab + cd\n");
        assert_eq!(&text[line(text, 9)], "ef");
    }

    #[test]
    fn edits_fit_the_text() {
        let mut random = Rng::with_seed(3);
        let mut text = String::from("float f(float é) { return é; }\n");
        for _ in 0..2000 {
            let (range, with) = random_edit(&text, &mut random);
            text.replace_range(range, &with);
            if text.len() > 500 {
                text = String::from("a");
            }
        }
    }
}
