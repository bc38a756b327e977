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
pub(super) enum Shape {
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
    shapes: Vec<Shape>,
    pub structs: Vec<Struct>,
    /// The name of the interface.
    pub interface: String,
}

impl Types {
    pub(super) fn intern(&mut self, shape: Shape) -> TypeId {
        let known = self.shapes.iter().position(|known| *known == shape);
        TypeId(known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        }))
    }

    pub(super) fn shape(&self, ty: TypeId) -> &Shape {
        &self.shapes[ty.0]
    }

    pub(super) fn float(&mut self) -> TypeId {
        self.intern(Shape::Scalar(Scalar::Float))
    }

    pub(super) fn int(&mut self) -> TypeId {
        self.intern(Shape::Int)
    }

    pub(super) fn numeric(&mut self, scalar: Scalar, len: u8) -> TypeId {
        self.intern(if len == 1 { Shape::Scalar(scalar) } else { Shape::Vector(scalar, len) })
    }

    /// `float`, `Record_1`, `float[4]`
    pub(super) fn spell(&self, ty: TypeId) -> String {
        match self.shape(ty) {
            Shape::Scalar(scalar) => scalar.name().to_owned(),
            Shape::Vector(scalar, len) => format!("{}{len}", scalar.name()),
            Shape::Matrix(scalar, rows, cols) => format!("{}{rows}x{cols}", scalar.name()),
            Shape::Int => "int".to_owned(),
            Shape::Bool => "bool".to_owned(),
            Shape::Array(element, len) => format!("{}[{len}]", self.spell(*element)),
            Shape::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|&part| self.spell(part)).collect();
                format!("Tuple<{}>", parts.join(", "))
            }
            Shape::Optional(content) => format!("Optional<{}>", self.spell(*content)),
            Shape::Struct(id) => self.structs[id.0].name.clone(),
            Shape::Interface => self.interface.clone(),
        }
    }

    /// `float w[4]`
    pub(super) fn declarator(&self, ty: TypeId, name: &str) -> String {
        match self.shape(ty) {
            Shape::Array(element, len) => format!("{}[{len}]", self.declarator(*element, name)),
            _ => format!("{} {name}", self.spell(ty)),
        }
    }

    /// Whether braces around numbers give a value of the type, part by part.
    pub(super) fn is_listed(&self, ty: TypeId) -> bool {
        match self.shape(ty) {
            Shape::Array(element, _) => self.is_listed(*element),
            Shape::Struct(id) => {
                let data = &self.structs[id.0];
                data.constructor.is_none() && data.fields.iter().all(|(_, ty)| self.is_listed(*ty))
            }
            _ => self.is_numeric(ty),
        }
    }

    /// Whether a value of the type is an expression like any other, so that a `return` or an argument can build it.
    pub(super) fn is_numeric(&self, ty: TypeId) -> bool {
        matches!(self.shape(ty), Shape::Scalar(_) | Shape::Vector(..) | Shape::Matrix(..) | Shape::Int | Shape::Bool)
    }
}
