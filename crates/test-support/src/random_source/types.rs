//! The types of random programs.

/// A type of the program: an index into its [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TypeId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Float,
    Half,
    Double,
}

impl Scalar {
    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Float => "float",
            Scalar::Half => "half",
            Scalar::Double => "double",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeShape {
    Scalar(Scalar),
    Vector(Scalar, u8),
    Matrix(Scalar, u8, u8),
    /// Never negative.
    Int,
    Bool,
    Array(TypeId, u8),
    Tuple(Vec<TypeId>),
    Optional(TypeId),
    Struct(StructId),
    /// A value of the program's interface.
    Interface,
}

/// A struct of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StructId(pub usize);

#[derive(Debug, Clone)]
pub(super) struct Struct {
    /// As it is written where it is used, with generic arguments.
    pub name: String,
    pub fields: Vec<(String, TypeId)>,
    /// What the constructor takes, if there is one besides the synthesised one.
    pub constructor: Option<Vec<TypeId>>,
    /// `float NAME(float t)`
    pub methods: Vec<String>,
    /// `void NAME(float t)`, which changes the value.
    pub mutating: Vec<String>,
    /// `This NAME(float t)`
    pub makers: Vec<String>,
    /// Properties of type `float`, which can be written.
    pub properties: Vec<String>,
    /// The length of a `float` subscript.
    pub subscript: Option<u8>,
    /// Operators between two values: `+`.
    pub operators: Vec<&'static str>,
}

/// All types of a program, each once.
#[derive(Debug, Default)]
pub(super) struct Types {
    shapes: Vec<TypeShape>,
    pub structs: Vec<Struct>,
    /// The name of the interface.
    pub interface: String,
}

impl Types {
    pub(super) fn intern(&mut self, shape: TypeShape) -> TypeId {
        let known = self.shapes.iter().position(|known| *known == shape);
        TypeId(known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        }))
    }

    pub(super) fn shape(&self, ty: TypeId) -> &TypeShape {
        &self.shapes[ty.0]
    }

    pub(super) fn float(&mut self) -> TypeId {
        self.intern(TypeShape::Scalar(Scalar::Float))
    }

    pub(super) fn int(&mut self) -> TypeId {
        self.intern(TypeShape::Int)
    }

    pub(super) fn numeric(&mut self, scalar: Scalar, len: u8) -> TypeId {
        self.intern(if len == 1 { TypeShape::Scalar(scalar) } else { TypeShape::Vector(scalar, len) })
    }

    /// `float`, `Record_1`, `float[4]`
    pub(super) fn spell(&self, ty: TypeId) -> String {
        match self.shape(ty) {
            TypeShape::Scalar(scalar) => scalar.name().to_owned(),
            TypeShape::Vector(scalar, len) => format!("{}{len}", scalar.name()),
            TypeShape::Matrix(scalar, rows, cols) => format!("{}{rows}x{cols}", scalar.name()),
            TypeShape::Int => "int".to_owned(),
            TypeShape::Bool => "bool".to_owned(),
            TypeShape::Array(element, len) => format!("{}[{len}]", self.spell(*element)),
            TypeShape::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|&part| self.spell(part)).collect();
                format!("Tuple<{}>", parts.join(", "))
            }
            TypeShape::Optional(content) => format!("Optional<{}>", self.spell(*content)),
            TypeShape::Struct(id) => self.structs[id.0].name.clone(),
            TypeShape::Interface => self.interface.clone(),
        }
    }

    /// `float w[4]`
    pub(super) fn declarator(&self, ty: TypeId, name: &str) -> String {
        match self.shape(ty) {
            TypeShape::Array(element, len) => format!("{}[{len}]", self.declarator(*element, name)),
            _ => format!("{} {name}", self.spell(ty)),
        }
    }

    /// Whether braces around numbers give a value of the type, part by part.
    pub(super) fn is_listed(&self, ty: TypeId) -> bool {
        match self.shape(ty) {
            TypeShape::Array(element, _) => self.is_listed(*element),
            TypeShape::Struct(id) => {
                let data = &self.structs[id.0];
                data.constructor.is_none() && data.fields.iter().all(|(_, ty)| self.is_listed(*ty))
            }
            _ => self.is_numeric(ty),
        }
    }

    /// Whether a value of the type is an expression like any other, so that a `return` or an argument can build it.
    pub(super) fn is_numeric(&self, ty: TypeId) -> bool {
        matches!(
            self.shape(ty),
            TypeShape::Scalar(_) | TypeShape::Vector(..) | TypeShape::Matrix(..) | TypeShape::Int | TypeShape::Bool
        )
    }
}
