//! Queries about items: what a segment or file declares, and how items contain each other.

use std::sync::Arc;

use base_db::{Db, Segment, SegmentKind, SourceFile, chunks, text::Part};
use rustc_hash::FxHashMap;
use syntax::{
    SyntaxError, SyntaxKind,
    ast::{self, AstNode},
};

use crate::{
    expansion, heap,
    item::{AccessorKind, Item, ItemId, ItemKind},
    lower::items::{ItemRanges, LoweredItems, NodePointer, is_local_item},
    parse,
};

/// Everything that a segment declares, with ranges. Read it only to answer questions about positions: the other queries
/// hold what stays equal when text moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentDeclarations {
    pub(crate) declarations: Vec<Declaration>,
    /// What is wrong with the syntax of the header; `None` where it was not parsed.
    pub(crate) header_errors: Option<Box<[SyntaxError]>>,
}

impl SegmentDeclarations {
    fn nothing() -> SegmentDeclarations {
        SegmentDeclarations { declarations: Vec::new(), header_errors: None }
    }

    /// Whether the body of the segment is the block of one of them.
    pub(crate) fn has_block(&self) -> bool {
        self.declarations.iter().any(|declaration| declaration.body == BodyPlace::SegmentBody)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) item: Arc<Item>,
    pub(crate) ranges: ItemRanges,
    /// Where the declaration is written.
    pub(crate) part: Part,
    pub(crate) body: BodyPlace,
}

/// Where the syntax of an item's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyPlace {
    /// The body of the segment.
    SegmentBody,
    /// Inside the tree that holds the declaration.
    WithDeclaration,
}

#[salsa::tracked(heap_size = heap::declarations)]
pub(crate) fn segment_declarations(db: &dyn Db, segment: Segment) -> SegmentDeclarations {
    let mut declarations = Vec::new();
    let declares = match segment.kind(db) {
        _ if expansion::is_joined(db, segment) => true,
        SegmentKind::Trivia => false,
        SegmentKind::Directive => expansion::has_includes(db, segment),
        SegmentKind::Item | SegmentKind::Container | SegmentKind::Irregular => true,
    };
    if !declares || !expansion::is_active(db, segment) {
        return SegmentDeclarations::nothing();
    }
    let header = parse::header(db, segment);
    let mut lowered = LoweredItems::default();
    lowered.lower_all(&header.green.root());
    let in_header = lowered.items.len();
    let owner = lowered.items.iter().rposition(|(item, _)| item.parent.is_none()).map(|index| index as u32);
    // A body that is not a block declares something: enum cases, accessors, fields, variables of a type.
    let declares = expansion::has_body(db, segment) && !header.has_block();
    if let Some(body) = declares.then(|| parse::body(db, segment, &header)).flatten() {
        let header = header.green.root();
        lowered.lower_body(&body.green.root(), &header, owner);
    }
    for (index, (item, ranges)) in lowered.items.into_iter().enumerate() {
        let part = if index < in_header { Part::Header } else { Part::Body };
        let body = if header.has_block() && owner == Some(index as u32) {
            BodyPlace::SegmentBody
        } else {
            BodyPlace::WithDeclaration
        };
        declarations.push(Declaration { item: Arc::new(item), ranges, part, body });
    }
    SegmentDeclarations { declarations, header_errors: Some(header.errors.into()) }
}

/// Types and functions that function bodies declare are numbered from here on.
const FIRST_LOCAL: u32 = 1 << 20;

/// What the function bodies of a segment declare. Apart from the other declarations, which stay as they are while a body
/// is edited; asked only about bodies that declare something ([`crate::body::Body::declared`]).
#[salsa::tracked]
pub(crate) fn local_declarations(db: &dyn Db, segment: Segment) -> SegmentDeclarations {
    let outer = &segment_declarations(db, segment).declarations;
    let mut places: FxHashMap<(Part, NodePointer), u32> = FxHashMap::default();
    let mut owner = None;
    for (index, declaration) in outer.iter().enumerate() {
        match declaration.body {
            BodyPlace::SegmentBody => owner = Some(index as u32),
            BodyPlace::WithDeclaration => {
                places.insert((declaration.part, declaration.ranges.node), index as u32);
            }
        }
    }
    let mut declarations = Vec::new();
    if outer.is_empty() {
        return SegmentDeclarations::nothing();
    }
    let header = Some(parse::parse_header(db, segment));
    let body = if expansion::has_body(db, segment) { parse::parse_body(db, segment) } else { None };
    for (part, parse) in [(Part::Header, header), (Part::Body, body)] {
        let Some(parse) = parse else { continue };
        let root = parse.green.root();
        let statements =
            root.descendants().filter(|node| matches!(node.kind(), SyntaxKind::DECL_STMT | SyntaxKind::DECL_TYPE));
        for statement in statements {
            let Some(item) = statement.children().find_map(ast::Item::cast).filter(is_local_item) else { continue };
            let around = statement.ancestors().find_map(|node| places.get(&(part, NodePointer::new(&node))).copied());
            let parent = around.or(owner.filter(|_| part == Part::Body));
            let first = FIRST_LOCAL + declarations.len() as u32;
            let mut lowered = LoweredItems::inside_functions(first);
            lowered.lower_local(item, parent);
            for (index, (item, ranges)) in lowered.items.into_iter().enumerate() {
                places.insert((part, ranges.node), first + index as u32);
                let body = BodyPlace::WithDeclaration;
                declarations.push(Declaration { item: Arc::new(item), ranges, part, body });
            }
        }
    }
    SegmentDeclarations { declarations, header_errors: None }
}

/// The types and functions that the body of `item` declares, in order; members of those are not among them.
#[salsa::tracked(returns(deref))]
pub fn local_items(db: &dyn Db, item: ItemId) -> Box<[ItemId]> {
    if crate::body::queries::body(db, item).declared == 0 {
        return Box::default();
    }
    children(db, item.segment(db), item.index(db))
}

/// Everything that the function bodies of a segment declare, members included.
pub fn segment_local_items(db: &dyn Db, segment: Segment) -> Vec<ItemId> {
    let count = local_declarations(db, segment).declarations.len() as u32;
    (0..count).map(|index| ItemId::new(db, segment, FIRST_LOCAL + index)).collect()
}

/// All items of a segment, but not of its members, that may have bodies: what it declares and what its bodies declare.
pub fn segment_bodies(db: &dyn Db, segment: Segment) -> Vec<ItemId> {
    let own = segment_items(db, segment);
    let declares = own.iter().any(|item| crate::body::queries::body(db, *item).declared > 0);
    let local = if declares { segment_local_items(db, segment) } else { Vec::new() };
    own.iter().copied().chain(local).collect()
}

/// The local declarations directly inside the item of a number.
fn children(db: &dyn Db, segment: Segment, parent: u32) -> Box<[ItemId]> {
    let declarations = local_declarations(db, segment).declarations.iter().enumerate();
    let inside = declarations.filter(|(_, declaration)| declaration.item.parent == Some(parent));
    inside.map(|(index, _)| ItemId::new(db, segment, FIRST_LOCAL + index as u32)).collect()
}

pub(crate) fn declaration(db: &dyn Db, item: ItemId) -> Option<&Declaration> {
    let (segment, index) = (item.segment(db), item.index(db));
    match index.checked_sub(FIRST_LOCAL) {
        Some(local) => local_declarations(db, segment).declarations.get(local as usize),
        None => segment_declarations(db, segment).declarations.get(index as usize),
    }
}

/// Whether the body of the item is the body of its segment.
pub(crate) fn body_is_segment_body(db: &dyn Db, item: ItemId) -> bool {
    declaration(db, item).is_some_and(|declaration| declaration.body == BodyPlace::SegmentBody)
}

/// What an item declares. An id from an earlier revision whose item is gone gives an [`ItemKind::Empty`].
#[salsa::tracked(returns(deref))]
pub fn item_data(db: &dyn Db, item: ItemId) -> Arc<Item> {
    match declaration(db, item) {
        Some(declaration) => declaration.item.clone(),
        None => Arc::new(Item::empty()),
    }
}

/// The items of one segment, members after their container.
#[salsa::tracked(returns(deref))]
pub fn segment_items(db: &dyn Db, segment: Segment) -> Box<[ItemId]> {
    let count = segment_declarations(db, segment).declarations.len() as u32;
    (0..count).map(|index| ItemId::new(db, segment, index)).collect()
}

/// How the items of one segment contain each other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SegmentShape {
    /// Items without a parent in the segment.
    top: Box<[ItemId]>,
    parents: Box<[Option<u32>]>,
    /// The item that the member segments belong to.
    container: Option<ItemId>,
}

#[salsa::tracked]
fn segment_shape(db: &dyn Db, segment: Segment) -> SegmentShape {
    let declarations = &segment_declarations(db, segment).declarations;
    let parents: Box<[Option<u32>]> = declarations.iter().map(|declaration| declaration.item.parent).collect();
    let ids = segment_items(db, segment);
    let top = ids.iter().zip(&parents).filter(|(_, parent)| parent.is_none()).map(|(id, _)| *id).collect();
    // The innermost of `namespace a.b.c` is the last, and so is the type of a container.
    let container = declarations.iter().rposition(|declaration| declaration.item.kind.is_container());
    let has_members = segment.kind(db) == SegmentKind::Container && !expansion::is_joined(db, segment);
    let container = container.filter(|_| has_members).map(|index| ids[index]);
    SegmentShape { top, parents, container }
}

/// The items of a segment that no other item of it contains.
pub fn top_items(db: &dyn Db, segment: Segment) -> &[ItemId] {
    &segment_shape(db, segment).top
}

/// The items of a file that no other item contains.
#[salsa::tracked(returns(deref))]
pub fn file_items(db: &dyn Db, file: SourceFile) -> Box<[ItemId]> {
    (0..chunks::chunks(db, file)).flat_map(|chunk| chunk_items(db, file, chunk).iter().copied()).collect()
}

#[salsa::tracked(returns(deref))]
fn chunk_items(db: &dyn Db, file: SourceFile, chunk: u32) -> Box<[ItemId]> {
    chunks::chunk(db, file, chunk).iter().flat_map(|segment| top_items(db, *segment).iter().copied()).collect()
}

/// What an item contains: members of types and namespaces, cases of enums, accessors, fields of constant buffers.
#[salsa::tracked(returns(deref))]
pub fn members(db: &dyn Db, item: ItemId) -> Box<[ItemId]> {
    let segment = item.segment(db);
    let index = item.index(db);
    if index >= FIRST_LOCAL {
        // What a local function declares is found as its locals are.
        return match item_data(db, item).kind {
            ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. } => Box::default(),
            _ => children(db, segment, index),
        };
    }
    let shape = segment_shape(db, segment);
    let mut members: Vec<ItemId> = segment_items(db, segment)
        .iter()
        .zip(&shape.parents)
        .filter(|(_, parent)| **parent == Some(index))
        .map(|(id, _)| *id)
        .collect();
    if shape.container == Some(item) {
        for member in segment.members(db).iter() {
            members.extend(segment_shape(db, *member).top.iter().copied());
        }
    }
    members.into()
}

/// The accessor of this kind that a property or subscript declares.
pub fn accessor(db: &dyn Db, property: ItemId, wanted: AccessorKind) -> Option<ItemId> {
    let is_wanted =
        |item: &ItemId| matches!(item_data(db, *item).kind, ItemKind::Accessor { kind, .. } if kind == wanted);
    members(db, property).iter().copied().find(is_wanted)
}

/// The item that this one is a member of.
#[salsa::tracked(returns(copy))]
pub fn container(db: &dyn Db, item: ItemId) -> Option<ItemId> {
    let segment = item.segment(db);
    if item.index(db) >= FIRST_LOCAL {
        return item_data(db, item).parent.map(|parent| ItemId::new(db, segment, parent));
    }
    let shape = segment_shape(db, segment);
    match shape.parents.get(item.index(db) as usize)? {
        Some(parent) => Some(ItemId::new(db, segment, *parent)),
        None => segment_shape(db, segment.parent(db)?).container,
    }
}

/// The file that an item is written in.
pub fn file_of(db: &dyn Db, item: ItemId) -> SourceFile {
    item.segment(db).file(db)
}

impl Item {
    fn empty() -> Item {
        Item {
            name: None,
            kind: ItemKind::Empty,
            attributes: Vec::new(),
            modifiers: Default::default(),
            generics: Default::default(),
            store: Default::default(),
            placements: Vec::new(),
            doc: None,
            parent: None,
        }
    }
}

impl ItemKind {
    /// Whether members may be segments of their own.
    fn is_container(&self) -> bool {
        matches!(
            self,
            ItemKind::Struct { .. }
                | ItemKind::Interface { .. }
                | ItemKind::Extension { .. }
                | ItemKind::Namespace
                | ItemKind::ConstantBuffer { .. }
        )
    }
}
