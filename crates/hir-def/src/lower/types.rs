//! Types and paths as written.

use syntax::{
    T, TextRange,
    ast::{self, AstNode},
};

use crate::{
    attribute::Modifiers,
    body::PackQuery,
    lower::{Lowering, name_ref, trimmed_range},
    name::Name,
    type_ref::{GenericArgRef, Path, PathSegment, TypeRef, TypeRefId},
};

impl Lowering {
    /// A type that the grammar requires; an absent one is the parser's error.
    pub(crate) fn type_or_missing(&mut self, ty: Option<ast::Type>, owner: TextRange) -> TypeRefId {
        match ty {
            Some(ty) => self.ty(ty),
            None => self.alloc_type(TypeRef::Missing, TextRange::empty(owner.start())),
        }
    }

    /// `let x`, `var x`: the initialiser's type.
    pub(crate) fn inferred_type(&mut self, range: TextRange) -> TypeRefId {
        self.alloc_type(TypeRef::Infer, range)
    }

    pub(crate) fn named_type(&mut self, name: &str, range: TextRange) -> TypeRefId {
        let segment = PathSegment { name: Name::new(name), args: None };
        self.alloc_type(TypeRef::Path(Path { global: false, segments: vec![segment] }), range)
    }

    pub(crate) fn ty(&mut self, ty: ast::Type) -> TypeRefId {
        let range = trimmed_range(ty.syntax());
        if let ast::Type::ParenType(paren) = ty {
            let inner = self.nested(|lower| lower.type_or_missing(paren.ty(), range));
            return inner.unwrap_or_else(|| self.too_deep_type(range));
        }
        let lowered = self.nested(|lower| lower.type_ref(ty, range));
        match lowered {
            Some(lowered) => self.alloc_type(lowered, range),
            None => self.too_deep_type(range),
        }
    }

    fn too_deep_type(&mut self, range: TextRange) -> TypeRefId {
        self.alloc_type(TypeRef::Unsupported(Name::new("a type nested this deeply")), range)
    }

    fn type_ref(&mut self, ty: ast::Type, range: TextRange) -> TypeRef {
        match ty {
            ast::Type::PathType(ty) => match ty.path().and_then(|path| self.path(path)) {
                Some(path) => TypeRef::Path(path),
                None => TypeRef::Missing,
            },
            ast::Type::MemberType(ty) => {
                let base = self.type_or_missing(ty.base(), range);
                let args = ty.generic_arg_list().map(|args| self.generic_args(args));
                match name_ref(ty.name_ref()) {
                    Some(name) => TypeRef::Member { base, member: PathSegment { name, args } },
                    None => TypeRef::Missing,
                }
            }
            ast::Type::ArrayType(ty) => {
                let element = self.type_or_missing(ty.element(), range);
                let len = ty.length().map(|length| self.expr(length));
                TypeRef::Array { element, len }
            }
            ast::Type::PointerType(ty) => {
                if ty.ampersand_token().is_some() {
                    return TypeRef::Unsupported(Name::new("a reference type"));
                }
                TypeRef::Pointer(self.type_or_missing(ty.pointee(), range))
            }
            ast::Type::ConjunctionType(ty) => {
                let mut parts = Vec::new();
                for part in [ty.left(), ty.right()] {
                    let part = self.type_or_missing(part, range);
                    match &self.store.type_refs[part] {
                        TypeRef::And(inner) => parts.extend(inner.iter().copied()),
                        _ => parts.push(part),
                    }
                }
                TypeRef::And(parts)
            }
            ast::Type::DeclType(_) if !self.in_body => {
                TypeRef::Unsupported(Name::new("a type declared where it is used"))
            }
            ast::Type::DeclType(_) => {
                let number = self.declared;
                self.declared += 1;
                TypeRef::Declared(number)
            }
            ast::Type::FuncType(ty) => {
                let params = ty.params().map(|param| {
                    let param = self.type_or_missing(param.ty(), range);
                    self.split_modifiers(param)
                });
                let params = params.collect();
                let ret = match ty.return_type() {
                    Some(ret) => self.type_or_missing(ret.ty(), range),
                    None => self.named_type("void", range),
                };
                TypeRef::Function { params, ret }
            }
            ast::Type::ModifiedType(ty) => {
                let modifiers = ty.modifier_list().map(|list| self.modifiers(&list)).unwrap_or_default();
                TypeRef::Modified(modifiers, self.type_or_missing(ty.ty(), range))
            }
            ast::Type::SomeType(ty) => {
                let inner = self.type_or_missing(ty.ty(), range);
                if ty.dyn_token().is_some() { TypeRef::Dyn(inner) } else { TypeRef::Some(inner) }
            }
            ast::Type::PackQueryType(ty) => match ty.pack_query().map(|query| self.pack_query(&query)) {
                Some((query, operands)) => TypeRef::PackQuery { query, operands },
                None => TypeRef::Missing,
            },
            ast::Type::PackType(ty) => {
                let inner = self.type_or_missing(ty.ty(), range);
                if ty.each_token().is_some() { TypeRef::Each(inner) } else { TypeRef::Expand(inner) }
            }
            ast::Type::ParenType(ty) => TypeRef::Tuple(ty.ty().map(|ty| self.ty(ty)).into_iter().collect()),
            ast::Type::TupleType(ty) => TypeRef::Tuple(ty.types().map(|ty| self.ty(ty)).collect()),
        }
    }

    /// Takes the modifiers off a `no_diff T`, `inout T`.
    pub(crate) fn split_modifiers(&mut self, ty: TypeRefId) -> (Modifiers, TypeRefId) {
        match self.store.type_refs[ty] {
            TypeRef::Modified(modifiers, inner) => (modifiers, inner),
            _ => (Modifiers::empty(), ty),
        }
    }

    /// The parts of a constraint `A & B` apart.
    pub(crate) fn bounds(&mut self, types: impl Iterator<Item = ast::Type>) -> Vec<TypeRefId> {
        let mut bounds = Vec::new();
        for ty in types {
            let bound = self.ty(ty);
            match &self.store.type_refs[bound] {
                TypeRef::And(parts) => bounds.extend(parts.iter().copied()),
                _ => bounds.push(bound),
            }
        }
        bounds
    }

    /// `None` if a name is missing.
    pub(crate) fn path(&mut self, path: ast::Path) -> Option<Path> {
        let mut nodes = vec![path];
        while let Some(qualifier) = nodes.last().and_then(|node| node.qualifier()) {
            nodes.push(qualifier);
        }
        let global = nodes.last().is_some_and(|first| first.colon_colon_token().is_some());
        let segments = nodes.into_iter().rev().map(|node| {
            let args = node.generic_arg_list().map(|args| self.generic_args(args));
            Some(PathSegment { name: name_ref(node.name_ref())?, args })
        });
        Some(Path { global, segments: segments.collect::<Option<_>>()? })
    }

    pub(crate) fn generic_args(&mut self, args: ast::GenericArgList) -> Vec<GenericArgRef> {
        let range = trimmed_range(args.syntax());
        args.args().map(|arg| self.generic_arg(arg, range)).collect()
    }

    pub(crate) fn pack_query(&mut self, query: &ast::PackQuery) -> (PackQuery, Vec<GenericArgRef>) {
        let keyword = query.syntax().children_with_tokens().find_map(|element| match element.kind() {
            T![__first] => Some(PackQuery::First),
            T![__last] => Some(PackQuery::Last),
            T![__trimFirst] => Some(PackQuery::TrimFirst),
            T![__trimLast] => Some(PackQuery::TrimLast),
            T![__packBranch] => Some(PackQuery::Branch),
            T![__shapeConcat] => Some(PackQuery::ShapeConcat),
            T![__shapePermute] => Some(PackQuery::ShapePermute),
            T![__shapeSwap] => Some(PackQuery::ShapeSwap),
            T![__shapeReduce] => Some(PackQuery::ShapeReduce),
            _ => None,
        });
        let operands = query.operands().map(|operand| self.generic_arg(operand, trimmed_range(query.syntax())));
        let operands = operands.collect();
        (keyword.unwrap_or(PackQuery::First), operands)
    }

    fn generic_arg(&mut self, arg: ast::GenericArg, owner: TextRange) -> GenericArgRef {
        match arg {
            ast::GenericArg::TypeArg(arg) => GenericArgRef::Type(self.type_or_missing(arg.ty(), owner)),
            ast::GenericArg::ExprArg(arg) => GenericArgRef::Value(self.expr_or_missing(arg.expr(), owner)),
        }
    }

    /// Adds a declarator's stars and array suffixes to the type in front of it: `int *p[4]`.
    pub(crate) fn declared_type(&mut self, base: TypeRefId, declarator: &ast::Declarator) -> TypeRefId {
        let range = trimmed_range(declarator.syntax());
        let tokens = declarator.syntax().children_with_tokens().filter_map(|element| element.into_token());
        let stars = tokens.filter(|token| token.kind() == syntax::T![*]).count();
        let mut ty = base;
        for _ in 0..stars.min(super::MAX_DEPTH as usize) {
            ty = self.alloc_type(TypeRef::Pointer(ty), range);
        }
        // `x[2][3]` is two arrays of three: the last suffix is the innermost.
        let suffixes: Vec<_> = declarator.array_suffixes().take(super::MAX_DEPTH as usize).collect();
        for suffix in suffixes.into_iter().rev() {
            let len = suffix.expr().map(|len| self.expr(len));
            ty = self.alloc_type(TypeRef::Array { element: ty, len }, range);
        }
        ty
    }
}
