//! From ids to places in the text, and back.

use std::sync::Arc;

use base_db::{
    Db, Segment, SourceFile,
    text::{FileText, Part},
};
use syntax::{TextRange, TextSize};

use crate::{
    attribute::AttributeId,
    body::{self, ExprId, LocalId, StmtId},
    expansion::{self, Join},
    item::{self, ItemId},
    lower::StoreSources,
    position::Location,
    type_ref::TypeRefId,
};

/// Where an item is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemSource {
    /// The declaration without comments before it and without the text of a separately parsed body.
    pub range: Location,
    /// The name, where there is one.
    pub name: Option<Location>,
    /// The names of the parameters, in order.
    pub params: Vec<Option<Location>>,
    /// The names of the generic parameters, in order.
    pub generic_params: Vec<Location>,
    nodes: NodeMap,
}

/// Where the nodes of a body are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodySourceMap {
    nodes: NodeMap,
    /// Names of parameters, which stand in the header.
    params: Vec<Option<Location>>,
}

/// Places of the nodes of one [`crate::body::ExprStore`] in the spelled text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeMap {
    /// Segment and part; its range is that of the whole owner.
    owner: Location,
    sources: Arc<StoreSources>,
}

impl NodeMap {
    /// Where an expression of the header is.
    pub fn expr(&self, expr: ExprId) -> Location {
        self.at(self.sources.exprs.get(index(expr)))
    }

    /// What names an expression: the member after the dot, the operator, the parentheses of a call, or all of it.
    pub fn expr_name(&self, expr: ExprId) -> Location {
        self.at(self.sources.expr_names.get(index(expr)))
    }

    /// Where a type of the header is.
    pub fn type_ref(&self, ty: TypeRefId) -> Location {
        self.at(self.sources.type_refs.get(index(ty)))
    }

    /// Where an attribute is.
    pub fn attribute(&self, attribute: AttributeId) -> Location {
        self.at(self.sources.attributes.get(index(attribute)))
    }

    /// The innermost expression around an offset of the part that the owner is written in.
    pub fn expr_at(&self, offset: TextSize) -> Option<ExprId> {
        self.innermost(&self.sources.exprs, offset).map(id)
    }

    /// The innermost type of the header around an offset.
    pub fn type_ref_at(&self, offset: TextSize) -> Option<TypeRefId> {
        self.innermost(&self.sources.type_refs, offset).map(id)
    }

    fn at(&self, range: Option<&TextRange>) -> Location {
        range.map_or(self.owner, |range| Location { range: *range, ..self.owner })
    }

    /// The innermost node around an offset; of two equal ranges the later node, which is the outer one, loses.
    fn innermost(&self, ranges: &[TextRange], offset: TextSize) -> Option<u32> {
        let around = ranges.iter().enumerate().filter(|(_, range)| range.contains_inclusive(offset));
        let innermost = around.min_by_key(|(index, range)| (range.len(), *index))?;
        Some(innermost.0 as u32)
    }

    /// Turns ranges of the expanded text into ranges of the spelled text.
    fn spelled(db: &dyn Db, segment: Segment, part: Part, owner: Location, sources: &Arc<StoreSources>) -> NodeMap {
        if expansion::expanded(db, segment, part).map.is_identity() {
            return NodeMap { owner, sources: sources.clone() };
        }
        let spelled = |range: &TextRange| {
            let location = expansion::spelled(db, segment, part, *range);
            let same_text = location.segment == owner.segment && location.part == owner.part;
            if same_text { location.range } else { owner.range }
        };
        let map = |ranges: &[TextRange]| ranges.iter().map(spelled).collect();
        let sources = StoreSources {
            exprs: map(&sources.exprs),
            expr_names: map(&sources.expr_names),
            stmts: map(&sources.stmts),
            locals: map(&sources.locals),
            type_refs: map(&sources.type_refs),
            attributes: map(&sources.attributes),
        };
        NodeMap { owner, sources: Arc::new(sources) }
    }
}

impl ItemSource {
    /// The places of what the signature is made of.
    pub fn nodes(&self) -> &NodeMap {
        &self.nodes
    }

    /// Where an expression is.
    pub fn expr(&self, expr: ExprId) -> Location {
        self.nodes.expr(expr)
    }

    /// Where a type is.
    pub fn type_ref(&self, ty: TypeRefId) -> Location {
        self.nodes.type_ref(ty)
    }

    /// Where an attribute is.
    pub fn attribute(&self, attribute: AttributeId) -> Location {
        self.nodes.attribute(attribute)
    }

    /// The innermost expression of the signature around an offset of the part that the item is written in.
    pub fn expr_at(&self, offset: TextSize) -> Option<ExprId> {
        self.nodes.expr_at(offset)
    }

    /// The innermost type around an offset.
    pub fn type_ref_at(&self, offset: TextSize) -> Option<TypeRefId> {
        self.nodes.type_ref_at(offset)
    }
}

impl BodySourceMap {
    /// The places of what the body is made of.
    pub fn nodes(&self) -> &NodeMap {
        &self.nodes
    }

    /// Where an expression of the body is.
    pub fn expr(&self, expr: ExprId) -> Location {
        self.nodes.expr(expr)
    }

    /// What names an expression: the member after the dot, the operator, the parentheses of a call, or all of it.
    pub fn expr_name(&self, expr: ExprId) -> Location {
        self.nodes.expr_name(expr)
    }

    /// Where a statement is.
    pub fn stmt(&self, stmt: StmtId) -> Location {
        self.nodes.at(self.nodes.sources.stmts.get(index(stmt)))
    }

    /// Where a type is.
    pub fn type_ref(&self, ty: TypeRefId) -> Location {
        self.nodes.type_ref(ty)
    }

    /// The name of a local.
    pub fn local(&self, local: LocalId) -> Location {
        match self.params.get(index(local)) {
            Some(param) => param.unwrap_or(self.nodes.owner),
            None => self.nodes.at(self.nodes.sources.locals.get(index(local))),
        }
    }

    /// The segment and part that the body is written in, with the range of the whole body.
    pub fn owner(&self) -> Location {
        self.nodes.owner
    }

    /// The innermost expression around an offset of the part that the body is written in.
    pub fn expr_at(&self, offset: TextSize) -> Option<ExprId> {
        self.nodes.expr_at(offset)
    }

    /// The innermost statement around an offset.
    pub fn stmt_at(&self, offset: TextSize) -> Option<StmtId> {
        self.nodes.innermost(&self.nodes.sources.stmts, offset).map(id)
    }

    /// The innermost type around an offset.
    pub fn type_ref_at(&self, offset: TextSize) -> Option<TypeRefId> {
        self.nodes.type_ref_at(offset)
    }

    /// Where an attribute is.
    pub fn attribute(&self, attribute: AttributeId) -> Location {
        self.nodes.attribute(attribute)
    }

    /// The local whose name stands at an offset of the part that the body is written in.
    pub fn local_at(&self, offset: TextSize) -> Option<LocalId> {
        let locals = &self.nodes.sources.locals;
        let mut named = (self.params.len()..locals.len()).filter(|index| locals[*index].contains_inclusive(offset));
        named.next().map(|index| id(index as u32))
    }
}

fn index<T>(id: la_arena::Idx<T>) -> usize {
    id.into_raw().into_u32() as usize
}

fn id<T>(index: u32) -> la_arena::Idx<T> {
    la_arena::Idx::from_raw(index.into())
}

/// Where an item and the nodes of its signature are written; `None` for an id whose item is gone.
#[salsa::tracked]
pub fn item_source(db: &dyn Db, item: ItemId) -> Option<ItemSource> {
    let declaration = item::queries::declaration(db, item)?;
    let segment = item.segment(db);
    let part = declaration.part;
    let location = |range: TextRange| expansion::spelled(db, segment, part, range);
    let ranges = &declaration.ranges;
    let range = location(ranges.range);
    Some(ItemSource {
        range,
        name: ranges.name.map(location),
        params: ranges.params.iter().map(|name| name.map(location)).collect(),
        generic_params: ranges.generic_params.iter().copied().map(location).collect(),
        nodes: NodeMap::spelled(db, segment, part, range, &ranges.store),
    })
}

/// Where the nodes of a body are written.
#[salsa::tracked(lru = 512)]
pub fn body_source_map(db: &dyn Db, item: ItemId) -> BodySourceMap {
    let lowered = body::queries::lowered_body(db, item);
    let segment = item.segment(db);
    let part = lowered.part;
    let owner = expansion::spelled(db, segment, part, lowered.range);
    let names = |item| item_source(db, item).as_ref().map(|source| source.params.clone()).unwrap_or_default();
    // An accessor sees the parameters of its subscript before its own.
    let seen = body::queries::subscript_params(db, item).len();
    let mut params = if seen > 0 { item::container(db, item).map(names).unwrap_or_default() } else { Vec::new() };
    params.resize(seen, None);
    params.extend(names(item));
    params.resize(lowered.body.params.len(), None);
    BodySourceMap { nodes: NodeMap::spelled(db, segment, part, owner, &lowered.sources), params }
}

/// The item whose signature or body holds an offset of a segment's part, innermost first.
pub fn items_at(db: &dyn Db, segment: Segment, part: Part, offset: TextSize) -> Vec<ItemId> {
    let mut found: Vec<(TextSize, ItemId)> = Vec::new();
    let own = item::segment_items(db, segment);
    let declares = own.iter().any(|item| body::queries::body(db, *item).declared > 0);
    let local = if declares { item::segment_local_items(db, segment) } else { Vec::new() };
    for &item in own.iter().chain(&local) {
        let Some(source) = item_source(db, item) else { continue };
        let here = source.range.segment == segment && source.range.part == part;
        if here && source.range.range.contains_inclusive(offset) {
            found.push((source.range.range.len(), item));
        } else if part == Part::Body && item::queries::body_is_segment_body(db, item) {
            found.push((TextSize::new(u32::MAX), item));
        }
    }
    found.sort_by_key(|(length, _)| *length);
    found.into_iter().map(|(_, item)| item).collect()
}

/// The segment, part and relative offset of an absolute offset. Not tracked: for answers only.
pub fn segment_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Segment, Part, TextSize)> {
    let text = db.text(file)?;
    let (segment, part, inside) = text.part_at(offset.into())?;
    let (segment, part, inside) = match expansion::join(db, segment) {
        Join::Alone => (segment, part, inside),
        Join::First => from_start(text, segment, offset)?,
        Join::Within(first) => from_start(text, first, offset)?,
    };
    Some((segment, part, TextSize::new(inside as u32)))
}

/// The place of an offset in the run of segments that are expanded as one: that is the header of the first.
fn from_start(text: &FileText, first: Segment, offset: TextSize) -> Option<(Segment, Part, usize)> {
    let start = text.part_start(first, Part::Header)?;
    Some((first, Part::Header, usize::from(offset).checked_sub(start)?))
}
