//! From texts to trees: whole files, and the headers and bodies of segments.
//!
//! A file's tree is put together from the trees of its segments' parts, so parsing only what an edit touched gives the
//! same tree by construction.

use diagnostics::stack;
use rowan::NodeOrToken;

use crate::ast::{AstNode, Body, SourceFile, Type, TypeArg};
use crate::lexer::{Lexed, lex};
use crate::parser::{self, BodyKind, Input, Parser};
use crate::segment::{self, Segment, SegmentKind};
use crate::{GreenNode, SyntaxError, SyntaxKind, SyntaxNode, TextSize, Tree};

/// A tree and what was wrong with its text. Ranges are relative to the text that was parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    /// The tree without parents and positions.
    pub green: Tree,
    /// What is wrong with the text.
    pub errors: Vec<SyntaxError>,
}

impl Parse {
    /// The root of the tree.
    pub fn syntax_node(&self) -> SyntaxNode {
        self.green.root()
    }

    /// The file, if this is the tree of one (or of declarations, see [`parse_items`]).
    pub fn file(&self) -> Option<SourceFile> {
        SourceFile::cast(self.syntax_node())
    }

    /// The body, if this is the tree of one.
    pub fn body(&self) -> Option<Body> {
        Body::cast(self.syntax_node())
    }

    /// The type, if this is the tree of one (see [`parse_type`]).
    pub fn ty(&self) -> Option<Type> {
        TypeArg::cast(self.syntax_node())?.ty()
    }
}

/// The tree of a segment's header: a `SourceFile`, usually of one item, whose body is a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderParse {
    /// The tree of the header.
    pub parse: Parse,
    /// What belongs in the hole, and so how to parse the body.
    pub body_kind: Option<BodyKind>,
}

/// What follows a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeaderShape {
    /// Nothing: directives, declarations that end with a semicolon, irregular segments.
    Whole,
    /// A body in braces.
    BeforeBody,
    /// Members: the header's last token is the `{`, which its tree leaves to the member list.
    Container,
}

impl HeaderShape {
    /// What follows the header of a segment.
    pub fn of(segment: &Segment) -> HeaderShape {
        match segment.kind {
            SegmentKind::Container => HeaderShape::Container,
            _ if segment.body.is_empty() => HeaderShape::Whole,
            _ => HeaderShape::BeforeBody,
        }
    }
}

/// Parses a whole file.
pub fn parse_file(text: &str) -> Parse {
    assemble(text, &segment::segment(text))
}

/// Parses a run of declarations without cutting it into segments. For irregular segments and expanded texts.
pub fn parse_items(text: &str) -> Parse {
    parse_header(text, HeaderShape::Whole).parse
}

/// Parses the header of a segment.
pub fn parse_header(text: &str, shape: HeaderShape) -> HeaderParse {
    let (text, has_hole) = match shape {
        HeaderShape::Whole => (text, false),
        HeaderShape::BeforeBody => (text, true),
        HeaderShape::Container => (text.strip_suffix('{').unwrap_or(text), true),
    };
    let lexed = lex(text);
    let hole = has_hole.then_some(lexed.len());
    let (parse, body_kind) = run(text, &lexed, hole, parser::source_file);
    HeaderParse { parse, body_kind }
}

/// Parses the body of a segment that is not a container. The root is a `Body`.
pub fn parse_body(text: &str, kind: BodyKind) -> Parse {
    run(text, &lex(text), None, |p| parser::body(p, kind)).0
}

/// Parses the body of a container: what follows its members. The root is a `Body`.
pub fn parse_container_end(text: &str) -> Parse {
    run(text, &lex(text), None, parser::container_end).0
}

/// Parses a type that stands alone, as on a command line. The root is a `TypeArg`.
pub fn parse_type(text: &str) -> Parse {
    run(text, &lex(text), None, parser::type_alone).0
}

fn run(
    text: &str,
    lexed: &Lexed,
    hole: Option<usize>,
    grammar: impl FnOnce(&mut Parser<'_>),
) -> (Parse, Option<BodyKind>) {
    let input = Input::new(text, lexed, hole);
    let mut parser = Parser::new(&input);
    grammar(&mut parser);
    let output = parser.finish();
    let body_kind = output.hole;
    // Nodes are looked up among those that were made before, by recursion.
    let (green, errors) = stack::roomy(text.len(), || parser::build(text, lexed, hole, output));
    (Parse { green: Tree::new(green), errors }, body_kind)
}

/// A node or token of a green tree.
pub type GreenElement = NodeOrToken<GreenNode, rowan::GreenToken>;

/// Parses all segments of a text and puts their trees together.
fn assemble(text: &str, segments: &[Segment]) -> Parse {
    let mut errors = Vec::new();
    let elements = assemble_segments(text, segments, &mut errors);
    Parse { green: Tree::new(file_tree(elements)), errors }
}

fn assemble_segments(text: &str, segments: &[Segment], errors: &mut Vec<SyntaxError>) -> Vec<GreenElement> {
    let mut elements = Vec::new();
    for segment in segments {
        let header = parse_header(&text[segment.header.clone()], HeaderShape::of(segment));
        keep_errors(header.parse.errors, segment.header.start, errors);
        match segment.kind {
            SegmentKind::Container => {
                let members = stack::deep(|| assemble_segments(text, &segment.members, errors));
                let end = parse_container_end(&text[segment.body.clone()]);
                keep_errors(end.errors, segment.body.start, errors);
                elements.extend(stitch_container(&header.parse.green, members, &end.green));
            }
            _ => match header.body_kind {
                Some(kind) => {
                    let body = parse_body(&text[segment.body.clone()], kind);
                    keep_errors(body.errors, segment.body.start, errors);
                    elements.extend(stitch_body(&header.parse.green, &body.green));
                }
                None => elements.extend(children(&header.parse.green)),
            },
        }
    }
    elements
}

fn keep_errors(part: Vec<SyntaxError>, start: usize, errors: &mut Vec<SyntaxError>) {
    errors.extend(part.iter().map(|error| error.shifted(TextSize::new(start as u32))));
}

/// The tree of a file from the elements of its segments.
pub fn file_tree(elements: Vec<GreenElement>) -> GreenNode {
    GreenNode::new(SyntaxKind::SOURCE_FILE.into(), elements)
}

/// A header's elements with the body in their hole.
pub fn stitch_body(header: &GreenNode, body: &GreenNode) -> Vec<GreenElement> {
    children(&fill_hole(header, &mut Some(children(body))))
}

/// A container's elements: header, member list (with the braces), and what follows it.
pub fn stitch_container(header: &GreenNode, members: Vec<GreenElement>, end: &GreenNode) -> Vec<GreenElement> {
    let mut list: Vec<GreenElement> = vec![NodeOrToken::Token(rowan::GreenToken::new(SyntaxKind::L_BRACE.into(), "{"))];
    list.extend(members);
    let mut rest = children(end).into_iter();
    // Everything through the closing brace belongs to the list; without one, all of it does.
    for element in rest.by_ref() {
        let is_brace = element.kind() == SyntaxKind::R_BRACE.into();
        list.push(element);
        if is_brace {
            break;
        }
    }
    let list = GreenNode::new(SyntaxKind::ITEM_LIST.into(), list);
    let body = std::iter::once(NodeOrToken::Node(list)).chain(rest).collect();
    children(&fill_hole(header, &mut Some(body)))
}

/// The node with `body` in place of its hole, which is the last token of the tree.
fn fill_hole(node: &GreenNode, body: &mut Option<Vec<GreenElement>>) -> GreenNode {
    let mut reversed: Vec<Vec<GreenElement>> = Vec::new();
    for element in children(node).into_iter().rev() {
        reversed.push(match element {
            NodeOrToken::Token(token) if token.kind() == SyntaxKind::BODY_HOLE.into() => {
                body.take().unwrap_or_default()
            }
            NodeOrToken::Node(child) if body.is_some() => vec![NodeOrToken::Node(fill_hole(&child, body))],
            element => vec![element],
        });
    }
    GreenNode::new(node.kind(), reversed.into_iter().rev().flatten().collect::<Vec<_>>())
}

fn children(node: &GreenNode) -> Vec<GreenElement> {
    node.children().map(|child| child.to_owned()).collect()
}
