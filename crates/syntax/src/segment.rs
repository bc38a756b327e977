//! Cuts a file into segments, one per declaration, so that an edit concerns only few of them.
//!
//! A segment has a *header* (leading trivia, attributes, signature) and a *body*. The members of namespaces, structs,
//! classes, interfaces and extensions are segments of their own: the header of such a container goes through its `{`,
//! its body begins with its `}`. Headers, members and bodies in this order are the file, byte for byte.
//!
//! This is also where errors are contained: which declaration a brace belongs to is decided here alone, and a
//! declaration that is left open ends where the next one clearly begins. Parsing sees one header or body at a time.
//!
//! # Invariants
//! - Local: where a segment ends depends on its own text and the first tokens of the one after it, unless some segment
//!   is [`Segment::open_ended`] or [`SegmentKind::Irregular`], or braces do not match. So a window of neighbours can be
//!   cut anew by itself, and is right if its outermost segments come out as they were.
//! - Linear time: no token is looked at more than a bounded number of times.

mod boundary;
mod declared_name;
mod header;
mod scan;

use std::ops::Range;

use crate::lexer::lex;
pub use declared_name::{Declared, declared_name};
use scan::Scanner;

/// How deep containers may nest and still have members that are segments.
pub(crate) const MAX_CONTAINER_DEPTH: usize = ::diagnostics::limits::CONTAINERS as usize;

/// What a top-level declaration is, as far as its first words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// One preprocessor line.
    Directive,
    /// A declaration, whose body (if any) is one block.
    Item,
    /// A declaration whose members are segments.
    Container,
    /// Whitespace and comments at the end of a file.
    Trivia,
    /// Code whose braces or declarations cross conditional directives. It is all header, is parsed as a whole and may
    /// hold several declarations.
    Irregular,
}

impl SegmentKind {
    /// Each kind, for tables and tests.
    pub const ALL: [SegmentKind; 5] = [
        SegmentKind::Directive,
        SegmentKind::Item,
        SegmentKind::Container,
        SegmentKind::Trivia,
        SegmentKind::Irregular,
    ];
}

/// A file of a library of our own, with what was found out about it beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFile {
    /// Without the ending, such as `math`.
    pub name: &'static str,
    /// All of it.
    pub text: &'static str,
    /// What [`segment`] says.
    pub segments: Vec<Segment>,
    /// What each of the segments declares.
    pub declared: Vec<Declared<'static>>,
}

impl LibraryFile {
    /// Finds it out.
    pub fn read(name: &'static str, text: &'static str) -> LibraryFile {
        let segments = segment(text);
        let declared = segments.iter().map(|segment| declared_name(&text[segment.header.clone()])).collect();
        LibraryFile { name, text, segments, declared }
    }
}

/// A piece of a file. The ranges are bytes of the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// The bytes of the header.
    pub header: Range<usize>,
    /// Empty unless this is a container.
    pub members: Vec<Segment>,
    /// The block with its braces; for a container what follows its members: trivia, `}`, and perhaps `;`. Empty if
    /// there is none.
    pub body: Range<usize>,
    /// Whether header or body (but not the members) contain preprocessor lines.
    pub has_directives: bool,
    /// The end was only found by reading to the end of the file: a brace is missing.
    pub open_ended: bool,
}

impl Segment {
    /// All bytes of the segment.
    pub fn range(&self) -> Range<usize> {
        self.header.start..self.body.end
    }
}

/// Cuts a file into segments.
pub fn segment(text: &str) -> Vec<Segment> {
    let lexed = lex(text);
    Scanner::new(text, &lexed).file()
}

#[cfg(test)]
mod tests {
    use super::segment;

    /// The lexer cuts some of them, and a `=` or `<` in a symbol is no initializer and opens no generic arguments.
    #[test]
    fn a_function_that_is_an_operator_is_one_segment() {
        const SYMBOLS: [&str; 34] = [
            "+", "-", "*", "/", "%", "!", "~", "<", ">", "<=", ">=", "==", "!=", "<<", ">>", "&", "|", "^", "&&", "||",
            "++", "--", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "()", "[]",
        ];
        for symbol in SYMBOLS {
            for space in ["", " "] {
                for generic in ["", " <T : I<int>, let N : int = 3>"] {
                    let text = format!("bool operator{space}{symbol}{generic}(T a, T b) {{ return a; }}\nint after;\n");
                    assert_eq!(segment(&text).len(), 3, "{text}");
                }
            }
        }
    }

    /// Whatever is typed first of a declaration, what follows on the next lines is a segment of its own.
    #[test]
    fn a_begun_declaration_takes_nothing_of_the_next() {
        const NEXT: [&str; 5] = [
            "Quat operator*(Quat a, Quat b) { return a; }\n",
            "float next(float x) { return x; }\n",
            "[Differentiable]\nfloat3 next<T>(T x) where T : I { return 0; }\n",
            "struct Next { float x; }\n",
            "import next;\n",
        ];
        const BEGUN: [&str; 14] = [
            "flo",
            "float",
            "float f",
            "float f(",
            "float f(float x",
            "float f(float x,",
            "struct",
            "struct S",
            "extension",
            "import",
            "vector<float",
            "[Differentiable",
            "[BackwardDerivative(f",
            "static const float k = g(",
        ];
        for next in NEXT {
            for begun in BEGUN {
                // Types are declared inside of groups, too, and the symbol of an operator looks like an expression.
                let is_certain = !next.starts_with("struct") && !next.contains("operator");
                let opens_group = begun.contains(['(', '[', '<']);
                if opens_group && !is_certain {
                    continue;
                }
                let text = format!("{begun}\n{next}");
                let segments = segment(&text);
                let last = segments.iter().rev().find(|segment| !text[segment.range()].trim().is_empty());
                let last = last.map(|segment| text[segment.range()].trim());
                assert_eq!(last, Some(next.trim()), "{text}");
            }
        }
        // But a type may stand on a line of its own.
        for whole in [
            "pushConstant\nConstantBuffer<int> c;\n",
            "float\nf(float x) { return x; }\n",
            "Pair<int,\nfloat>\nf(int x) { }\n",
            "typedef\nfloat T;\n",
        ] {
            let texts: Vec<_> = segment(whole).into_iter().map(|segment| whole[segment.range()].to_owned()).collect();
            assert_eq!(texts.iter().filter(|text| !text.trim().is_empty()).count(), 1, "{whole}");
        }
    }
}
