//! Semantic tokens: what each name means, over what the editor's grammar can guess.
//!
//! A file's tokens are found in chunks of neighbouring segments, relative to the chunk: an edit finds one chunk's again.

mod encoded;
mod items;
mod paths;

use base_db::{Db, Segment, SegmentKind, SourceFile, text::Part};
use hir_def::{
    expansion,
    item::{self, ItemId},
    position,
};
use syntax::{TextRange, TextSize};

use crate::chunk_text::ChunkText;

pub use encoded::{EncodedChunk, EncodedToken, encoded_chunks};

/// A token with its colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Where it is.
    pub range: TextRange,
    /// What it is.
    pub kind: TokenKind,
    /// What else is known of it.
    pub modifiers: Modifiers,
}

/// A set of modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modifiers(u32);

impl Modifiers {
    /// The set with one more, if there is one.
    #[must_use]
    pub fn and(self, modifier: Option<TokenModifier>) -> Modifiers {
        Modifiers(self.0 | modifier.map_or(0, |modifier| 1 << modifier.index()))
    }

    /// One bit for each of [`TokenModifier::ALL`].
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl TokenModifier {
    fn alone(self) -> Modifiers {
        Modifiers::default().and(Some(self))
    }

    fn and(self, other: Option<TokenModifier>) -> Modifiers {
        self.alone().and(other)
    }
}

macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// In the order of [`Self::index`].
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name that LSP knows it by, or one of our own.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// Its number in LSP's legend.
            pub fn index(self) -> u32 {
                self as u32
            }
        }
    };
}

named! {
    /// What a token is.
    TokenKind {
        Namespace => "namespace",
        Type => "type",
        Struct => "struct",
        Interface => "interface",
        Enum => "enum",
        EnumMember => "enumMember",
        TypeParameter => "typeParameter",
        Function => "function",
        Method => "method",
        Property => "property",
        Parameter => "parameter",
        Variable => "variable",
        Attribute => "decorator",
        Keyword => "keyword",
        Macro => "macro",
        Label => "label",
        /// Code that a condition of the preprocessor excludes: editors dim it like a comment.
        Comment => "comment",
    }
}

named! {
    /// What is known of a token besides.
    TokenModifier {
        Declaration => "declaration",
        Readonly => "readonly",
        Static => "static",
        DefaultLibrary => "defaultLibrary",
        /// Its type can carry a derivative.
        Differentiable => "differentiable",
    }
}

/// Top-level segments whose tokens are found together.
const CHUNK: usize = 16;

/// The tokens of a file in order, without overlaps.
pub fn semantic_tokens(db: &dyn Db, file: SourceFile) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = TextSize::new(0);
    for segments in file.segments(db).chunks(CHUNK) {
        let text = ChunkText::new(db, segments);
        let found = text.tokens(db, segments);
        tokens.extend(found.into_iter().map(|token| Token { range: token.range + start, ..token }));
        start += TextSize::of(text.text());
    }
    tokens
}

impl ChunkText {
    /// In order and without overlaps, relative to the text.
    fn tokens(&self, db: &dyn Db, segments: &[Segment]) -> Vec<Token> {
        let mut tokens = Vec::new();
        // What an `#include` brings in is written in another file.
        let written = segments.iter().filter(|segment| segment.kind(db) != SegmentKind::Directive);
        let mut waiting: Vec<ItemId> = written.flat_map(|segment| item::top_items(db, *segment)).copied().collect();
        while let Some(item) = waiting.pop() {
            waiting.extend(item::members(db, item));
            waiting.extend(item::local_items(db, item));
            for (location, kind, modifiers) in items::item_tokens(db, item) {
                // What a macro of another file spells is not in this text.
                let Some(start) = self.start(location) else { continue };
                let range = location.range + start;
                // Clients take tokens of one line only.
                let is_cut =
                    || self.text().get(std::ops::Range::<usize>::from(range)).is_some_and(|text| text.contains('\n'));
                if !range.is_empty() && !is_cut() {
                    tokens.push(Token { range, kind, modifiers });
                }
            }
        }
        for &segment in segments {
            self.add_inactive_lines(db, segment, &mut tokens);
            self.add_macros(db, segment, &mut tokens);
        }
        // What a macro spells begins where its name does.
        tokens.sort_by_key(|token| (token.range.start(), token.kind != TokenKind::Macro, token.range.end()));
        // Generated code (the synthesised names of an expansion) may stand at one place: the first wins.
        let mut end = TextSize::new(0);
        tokens.retain(|token| {
            let keep = token.range.start() >= end;
            if keep {
                end = token.range.end();
            }
            keep
        });
        tokens
    }

    /// The names of macros where they are used.
    fn add_macros(&self, db: &dyn Db, segment: Segment, tokens: &mut Vec<Token>) {
        let mut waiting = vec![segment];
        while let Some(segment) = waiting.pop() {
            waiting.extend(segment.members(db).iter());
            for part in [Part::Header, Part::Body] {
                for found in &expansion::expanded(db, segment, part).uses {
                    let Some(start) = self.start(position::Location { segment, part, range: found.range }) else {
                        continue;
                    };
                    let range = found.range + start;
                    tokens.push(Token { range, kind: TokenKind::Macro, modifiers: Modifiers::default() });
                }
            }
        }
    }

    /// The code that conditions exclude, line by line, because clients take tokens of one line only.
    fn add_inactive_lines(&self, db: &dyn Db, segment: Segment, tokens: &mut Vec<Token>) {
        for location in expansion::inactive(db, segment) {
            let Some(start) = self.start(location) else { continue };
            let range = location.range + start;
            let mut line_start = range.start();
            for line in self.text().get(std::ops::Range::<usize>::from(range)).unwrap_or_default().split_inclusive('\n')
            {
                let content = line.trim();
                if !content.is_empty() {
                    let indent = TextSize::of(line) - TextSize::of(line.trim_start());
                    let range = TextRange::at(line_start + indent, TextSize::of(content));
                    tokens.push(Token { range, kind: TokenKind::Comment, modifiers: Modifiers::default() });
                }
                line_start += TextSize::of(line);
            }
        }
    }
}
