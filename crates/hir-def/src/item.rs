//! Items: what a segment declares.

#![expect(missing_docs, reason = "salsa makes constructors without documentation")]

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
    /// The piece of the file that it is in.
    #[returns(copy)]
    pub segment: Segment,
    /// Its number in the item list of the segment.
    #[returns(copy)]
    pub index: u32,
}

/// A declaration without body and positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// `None` if the name is missing; constructors are named `__init`, subscripts `__subscript`, operators by token.
    pub name: Option<Name>,
    /// What is declared.
    pub kind: ItemKind,
    /// The attributes in front of it.
    pub attributes: Vec<AttributeId>,
    /// The modifiers in front of it.
    pub modifiers: Modifiers,
    /// The generic parameters, and what they have to fulfil.
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

    /// Whether an attribute of this kind stands on it.
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

/// Where the host finds a variable, or how the fields of a block lie in memory: `register(u7, space1)`,
/// `packoffset(c0.y)`, `layout(std430)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// `register`, `packoffset`, or the word of a [`Packing`].
    pub word: Name,
    /// The texts of the arguments.
    pub args: Vec<String>,
}

impl Placement {
    /// How the fields of a block lie in memory, if this says that.
    pub fn packing(&self) -> Option<Packing> {
        Packing::from_word(self.word.as_str())
    }
}

/// GLSL's rules for the fields of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Arrays and structs are aligned to 16 bytes.
    Std140,
    /// Each type has its own alignment; a vector of three has that of four.
    Std430,
    /// Each type has the alignment of its scalars.
    Scalar,
}

impl Packing {
    /// The rules that `word` names in `layout(…)`.
    pub fn from_word(word: &str) -> Option<Packing> {
        match word {
            "std140" => Some(Packing::Std140),
            "std430" => Some(Packing::Std430),
            "scalar" => Some(Packing::Scalar),
            _ => None,
        }
    }
}

/// What a declaration declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// A function or method.
    Function(Function),
    /// `__init`. `this` is mutable inside.
    Constructor {
        /// The parameters.
        params: Vec<Param>,
        /// Whether the body is written.
        has_body: bool,
    },
    /// `__subscript(params) -> ret`; accessors are items inside.
    Subscript {
        /// What the brackets take.
        params: Vec<Param>,
        /// The type of an element.
        ret: TypeRefId,
    },
    /// `property name : ty`; accessors are items inside.
    Property {
        /// The type of the value.
        ty: TypeRefId,
    },
    /// `get`, `set`, `ref`, `modify` of a property or subscript; `set`'s parameter is named `newValue` unless written.
    Accessor {
        /// Which accessor.
        kind: AccessorKind,
        /// The parameters.
        params: Vec<Param>,
        /// Whether the body is written.
        has_body: bool,
    },
    /// `struct`, `class`; `bases` are interfaces (and a base struct in old code).
    Struct {
        /// The interfaces.
        bases: Vec<TypeRefId>,
    },
    /// An interface.
    Interface {
        /// The interfaces that it inherits.
        bases: Vec<TypeRefId>,
    },
    /// `extension target : bases`
    Extension {
        /// The type that gets members.
        target: TypeRefId,
        /// The interfaces that it fulfils.
        bases: Vec<TypeRefId>,
    },
    /// An enumeration.
    Enum {
        /// What is written behind its name: the type of its numbers, if it is there, and the interfaces that it fulfils.
        bases: Vec<TypeRefId>,
        /// Whether its cases are found through its name alone.
        scoped: bool,
    },
    /// A case of an enumeration.
    EnumCase {
        /// Whether its number is written.
        has_value: bool,
    },
    /// `typealias name = ty;`, `typedef`.
    TypeAlias {
        /// What the name stands for.
        ty: TypeRefId,
    },
    /// `associatedtype name : bounds;`
    AssociatedType {
        /// What the type has to fulfil.
        bounds: Vec<TypeRefId>,
        /// The type where a conforming type says nothing.
        default: Option<TypeRefId>,
    },
    /// Global, field or static member; `ty` is `Infer` for `let`/`var` without a type.
    Variable {
        /// The type; [`crate::type_ref::TypeRef::Infer`] where the value tells it.
        ty: TypeRefId,
        /// Whether a value is written.
        has_init: bool,
        /// Whether it is declared with `let`.
        is_let: bool,
        /// `: SV_Position` behind the name.
        semantic: Option<Name>,
        /// `: 3` after a field: how many bits it has.
        bit_width: Option<u32>,
    },
    /// `namespace name { … }`
    Namespace,
    /// `cbuffer`, `tbuffer`: fields are items inside and visible outside.
    ConstantBuffer {
        /// `tbuffer`.
        is_texture_buffer: bool,
        /// `uniform Name { … }` as in GLSL.
        is_glsl_block: bool,
    },
    /// `import path;`
    Import {
        /// What is imported.
        path: ModulePath,
        /// Whether importers of this module get it, too.
        exported: bool,
    },
    /// `__include`.
    Include {
        /// The file of the same module.
        path: ModulePath,
    },
    /// `module name;`
    Module {
        /// The name of the module.
        name: ModulePath,
    },
    /// `implementing name;`
    Implementing {
        /// The name of the module.
        name: ModulePath,
    },
    /// `using path;`
    Using {
        /// The namespace.
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
    /// `a.b`, as its names joined by points.
    Dotted(String),
    /// `"a/b"`, without the quotes.
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

/// A function or method without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The parameters, without the receiver.
    pub params: Vec<Param>,
    /// `Infer` never occurs: no written type means `void`.
    pub ret: TypeRefId,
    /// `no_diff` in front of the return type.
    pub ret_no_diff: bool,
    /// Whether the body is written.
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
    /// Which function is given.
    pub operator: ExtensionOperator,
    /// What stands in the parentheses.
    pub function: ExprId,
}

/// What a `__func_extension` gives to a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtensionOperator {
    /// `fwd_diff(f)`
    Forward,
    /// `bwd_diff(f)`
    Backward,
    /// `__apply(f)`: the value of `f` together with a context, whose `operator()` propagates derivatives backward.
    Apply,
    /// Nothing that can be given: just a name.
    Unknown,
}

/// A parameter of a function, constructor, subscript or accessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its type.
    pub ty: TypeRefId,
    /// `in`/`out`/`inout`/`ref`/`constref`/`borrow`, `no_diff`, `uniform`, ….
    pub modifiers: Modifiers,
    /// The attributes in front of it.
    pub attributes: Vec<AttributeId>,
    /// The value where a call says nothing.
    pub default: Option<ExprId>,
    /// `: SV_Position` behind the name.
    pub semantic: Option<Name>,
}

/// What an accessor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessorKind {
    /// Gives the value.
    Get,
    /// Takes a value.
    Set,
    /// Gives a place that may be read and written.
    Ref,
    /// Takes the value, changes it and puts it back.
    Modify,
}

impl AccessorKind {
    /// The word as programs write it.
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

/// The generic parameters of a declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GenericParams {
    /// The parameters, in order.
    pub params: Vec<GenericParam>,
    /// `where` clauses.
    pub constraints: Vec<GenericConstraint>,
}

/// A generic parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericParam {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub kind: GenericParamKind,
}

/// What a generic parameter stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericParamKind {
    /// A type: `T : I = Default`.
    Type {
        /// What the type has to fulfil.
        bounds: Vec<TypeRefId>,
        /// The type where arguments say nothing.
        default: Option<TypeRefId>,
    },
    /// `let N : int = 4`.
    Value {
        /// The type of the value.
        ty: TypeRefId,
        /// The value where arguments say nothing.
        default: Option<ExprId>,
    },
    /// `each T : I`.
    Pack {
        /// What each type has to fulfil.
        bounds: Vec<TypeRefId>,
    },
    /// `let each N : int`.
    ValuePack {
        /// The type of each value.
        ty: TypeRefId,
    },
}

/// What generic arguments have to fulfil.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericConstraint {
    /// `where T : I`; `optional` for `where optional T : I`.
    Conforms {
        /// What has to conform.
        subject: TypeRefId,
        /// The interfaces.
        bounds: Vec<TypeRefId>,
        /// Whether a type that does not conform is taken, too.
        optional: bool,
    },
    /// `where A == B`.
    Equal {
        /// One of the two.
        left: TypeRefId,
        /// The other one.
        right: TypeRefId,
    },
    /// `where T(int)`-like coercion constraints.
    Coercible {
        /// The type of the argument.
        from: TypeRefId,
        /// The type that it has to convert to.
        to: TypeRefId,
    },
    /// `where nonempty(T)`.
    NonEmpty {
        /// The pack.
        pack: GenericArgRef,
    },
    /// `where countof(T) == N`.
    EqualValues {
        /// One of the two.
        left: ExprId,
        /// The other one.
        right: ExprId,
    },
}
