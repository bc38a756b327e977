//! Types by what is written for them outside of a program: by host code, on a command line.

use crate::{
    body::ExprStore,
    lower::Lowering,
    type_ref::{Path, TypeRef, TypeRefId},
};

/// A type as written, with the nodes that it is made of.
#[derive(Debug, Clone)]
pub struct TypeAlone {
    /// The nodes that the type is made of.
    pub store: ExprStore,
    /// The type itself.
    pub ty: TypeRefId,
}

impl TypeAlone {
    /// `None` where the text is not a type, and nothing but one.
    pub fn parse(text: &str) -> Option<TypeAlone> {
        let parse = syntax::parse_type(text);
        if !parse.errors.is_empty() {
            return None;
        }
        let mut lowering = Lowering::default();
        let ty = lowering.ty(parse.ty()?);
        Some(TypeAlone { store: lowering.store, ty })
    }

    /// The path that it is: `A`, `Box<float, 3>.Inner`. Names of functions have the same form.
    pub fn path(&self) -> Option<&Path> {
        match &self.store.type_refs[self.ty] {
            TypeRef::Path(path) => Some(path),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_types_are_read() {
        let segments = |text: &str| {
            let alone = TypeAlone::parse(text)?;
            let path = alone.path()?;
            Some(path.segments.iter().map(|segment| segment.name.as_str().to_owned()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(segments(" Box<float, Pair<int, 3> > . eval").as_deref(), Some("Box eval"));
        assert_eq!(segments("Vec<3>::operator+").as_deref(), Some("Vec +"));
        assert!(TypeAlone::parse("float[3]").is_some_and(|alone| alone.path().is_none()));
        for broken in ["", "Box<", "Box<float", "Box>", "a b", "3", "A;", "a.", "struct A {}"] {
            assert_eq!(segments(broken), None, "{broken}");
        }
    }
}
