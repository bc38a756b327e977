//! Items: what a segment declares.

pub(crate) mod queries;

use base_db::Segment;

use crate::{
    attribute::{Attribute, AttributeId, AttributeKind, Modifiers},
    body::{ExprId, ExprStore},
    name::Name,
    type_ref::{GenericArgRef, Path, TypeRefId},
};

pub use queries::{
    accessor, container, file_items, file_of, item_data, local_items, members, segment_bodies, segment_items,
    segment_local_items, top_items,
};

/// One declaration: number `index` in the item list of its segment. Stable while the segment lives and its earlier items
/// stay; positions, names and contents are asked by queries.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX)]
#[derive(Debug, PartialOrd, Ord)]
pub struct ItemId {
    #[returns(copy)]
    pub segment: Segment,
    #[returns(copy)]
    pub index: u32,
}

/// A declaration without body and positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// `None` if the name is missing; constructors are named `__init`, subscripts `__subscript`, operators by token.
    pub name: Option<Name>,
    pub kind: ItemKind,
    pub attributes: Vec<AttributeId>,
    pub modifiers: Modifiers,
    pub generics: GenericParams,
    /// Expressions and types of the signature: the ids in this item refer to it.
    pub store: ExprStore,
    /// Text of the doc comment before the item (`///`, `/** */`, or plain `//` lines directly above), without markers.
    pub doc: Option<String>,
    /// `register(…)` and `packoffset(…)` of a variable or constant buffer.
    pub placements: Vec<Placement>,
    /// Index in the segment's item list of the item this one is declared inside of (enum of a case, property of an
    /// accessor, cbuffer of a field); `None` for the items of the segment itself.
    pub parent: Option<u32>,
}

impl Item {
    /// The attributes with their ids, in order.
    pub fn attributes(&self) -> impl Iterator<Item = (AttributeId, &Attribute)> {
        self.attributes.iter().map(|id| (*id, &self.store.attributes[*id]))
    }

    /// The first attribute of this kind.
    pub fn attribute(&self, kind: AttributeKind) -> Option<&Attribute> {
        self.store.attribute(&self.attributes, kind)
    }

    pub fn has_attribute(&self, kind: AttributeKind) -> bool {
        self.attribute(kind).is_some()
    }

    /// Whether this is a function, constructor or accessor that is written with its body.
    pub fn has_body(&self) -> bool {
        match self.kind {
            ItemKind::Function(Function { has_body, .. })
            | ItemKind::Constructor { has_body, .. }
            | ItemKind::Accessor { has_body, .. } => has_body,
            _ => false,
        }
    }
}

/// Where the host finds a variable: `register(u7, space1)`, `packoffset(c0.y)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub word: Name,
    /// The texts of the arguments.
    pub args: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    Function(Function),
    /// `__init`. `this` is mutable inside.
    Constructor {
        params: Vec<Param>,
        has_body: bool,
    },
    /// `__subscript(params) -> ret`; accessors are items inside.
    Subscript {
        params: Vec<Param>,
        ret: TypeRefId,
    },
    /// `property name : ty`; accessors are items inside.
    Property {
        ty: TypeRefId,
    },
    /// `get`, `set`, `ref`, `modify` of a property or subscript; `set`'s parameter is named `newValue` unless written.
    Accessor {
        kind: AccessorKind,
        params: Vec<Param>,
        has_body: bool,
    },
    /// `struct`, `class`; `bases` are interfaces (and a base struct in old code).
    Struct {
        bases: Vec<TypeRefId>,
    },
    Interface {
        bases: Vec<TypeRefId>,
    },
    Extension {
        target: TypeRefId,
        bases: Vec<TypeRefId>,
    },
    Enum {
        underlying: Option<TypeRefId>,
        scoped: bool,
    },
    EnumCase {
        has_value: bool,
    },
    TypeAlias {
        ty: TypeRefId,
    },
    AssociatedType {
        bounds: Vec<TypeRefId>,
        default: Option<TypeRefId>,
    },
    /// Global, field or static member; `ty` is `Infer` for `let`/`var` without a type.
    Variable {
        ty: TypeRefId,
        has_init: bool,
        is_let: bool,
        semantic: Option<Name>,
        /// `: 3` after a field: how many bits it has.
        bit_width: Option<u32>,
    },
    Namespace,
    /// `cbuffer`, `tbuffer`: fields are items inside and visible outside.
    ConstantBuffer {
        /// `tbuffer`.
        is_texture_buffer: bool,
    },
    Import {
        path: ModulePath,
        exported: bool,
    },
    /// `__include`.
    Include {
        path: ModulePath,
    },
    /// `module name;`
    Module {
        name: ModulePath,
    },
    /// `implementing name;`
    Implementing {
        name: ModulePath,
    },
    Using {
        path: Path,
    },
    /// `__generic`-less syntax pieces without meaning (`;`).
    Empty,
    /// `type_param T : I;`: its one generic parameter is the type.
    GlobalTypeParam,
    /// `__generic_value_param N : int;`: its one generic parameter is the value.
    GlobalValueParam,
    /// `__constraint A : B` or `__constraint A == B` in an interface: the constraint is among the generics.
    Constraint,
    /// Not supported yet, by the name to report.
    Unsupported(Name),
}

/// How a file is named: `a.b_c`, `"a/b-c.slang"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModulePath {
    Dotted(String),
    Quoted(String),
}

impl ModulePath {
    /// What the module is called in either spelling: `a/b-c.slang` is `a.b_c`.
    pub fn module_name(&self) -> String {
        match self {
            ModulePath::Dotted(name) => name.clone(),
            ModulePath::Quoted(path) => path.trim_end_matches(".slang").replace('/', ".").replace('-', "_"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub params: Vec<Param>,
    /// `Infer` never occurs: no written type means `void`.
    pub ret: TypeRefId,
    /// `no_diff` in front of the return type.
    pub ret_no_diff: bool,
    pub has_body: bool,
    /// `throws E`.
    pub throws: Option<TypeRefId>,
    /// Semantic of the result (`: SV_Target`).
    pub semantic: Option<Name>,
    /// What a `__func_extension` is for. Such a function has no name: it is found through the one that it extends.
    pub extends: Option<FunctionExtension>,
}

/// `fwd_diff(f)` and its relatives after `__func_extension`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionExtension {
    pub operator: ExtensionOperator,
    /// What stands in the parentheses.
    pub function: ExprId,
}

/// What a `__func_extension` gives to a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtensionOperator {
    Forward,
    Backward,
    /// `__apply(f)`: the value of `f` together with a context, whose `operator()` propagates derivatives backward.
    Apply,
    /// Nothing that can be given: just a name.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    pub name: Option<Name>,
    pub ty: TypeRefId,
    /// `in`/`out`/`inout`/`ref`/`constref`/`borrow`, `no_diff`, `uniform`, ….
    pub modifiers: Modifiers,
    pub attributes: Vec<AttributeId>,
    pub default: Option<ExprId>,
    pub semantic: Option<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessorKind {
    Get,
    Set,
    Ref,
    Modify,
}

impl AccessorKind {
    pub fn name(self) -> &'static str {
        match self {
            AccessorKind::Get => "get",
            AccessorKind::Set => "set",
            AccessorKind::Ref => "ref",
            AccessorKind::Modify => "modify",
        }
    }

    /// The accessor that is written as `name`.
    pub fn from_name(name: &Name) -> Option<AccessorKind> {
        Some(match name.as_str() {
            "get" => AccessorKind::Get,
            "set" => AccessorKind::Set,
            "ref" => AccessorKind::Ref,
            "modify" => AccessorKind::Modify,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GenericParams {
    pub params: Vec<GenericParam>,
    /// `where` clauses.
    pub constraints: Vec<GenericConstraint>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericParam {
    pub name: Name,
    pub kind: GenericParamKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericParamKind {
    Type {
        bounds: Vec<TypeRefId>,
        default: Option<TypeRefId>,
    },
    /// `let N : int = 4`.
    Value {
        ty: TypeRefId,
        default: Option<ExprId>,
    },
    /// `each T : I`.
    Pack {
        bounds: Vec<TypeRefId>,
    },
    /// `let each N : int`.
    ValuePack {
        ty: TypeRefId,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericConstraint {
    /// `where T : I`; `optional` for `where optional T : I`.
    Conforms { subject: TypeRefId, bounds: Vec<TypeRefId>, optional: bool },
    /// `where A == B`.
    Equal { left: TypeRefId, right: TypeRefId },
    /// `where T(int)`-like coercion constraints.
    Coercible { from: TypeRefId, to: TypeRefId },
    /// `where nonempty(T)`.
    NonEmpty { pack: GenericArgRef },
    /// `where countof(T) == N`.
    EqualValues { left: ExprId, right: ExprId },
}
