//! The declarations by their kinds: what each has beside attributes, modifiers and a name.

use syntax::ast::{self, AstNode};

use super::{At, Common, Declared, LoweredItems, module_path, placements, semantic};
use crate::{
    attribute::{AttributeKind, Modifiers},
    item::{Function, GenericConstraint, GenericParamKind, GenericParams, ItemKind},
    lower::{attributes::has_attribute, trimmed_range},
};

impl LoweredItems {
    pub(super) fn function(&mut self, item: ast::FuncDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        self.add(parent, common, |lower, modifiers| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let (params, names) = lower.params(item.param_list());
            let written = item.return_type().and_then(|ret| ret.ty()).or_else(|| item.ty());
            // A function whose result was left out gives what nobody knows; that of a `func` is `void`.
            let ret = match (&written, item.func_token()) {
                (None, None) => lower.type_or_missing(None, range),
                _ => lower.result_type(written, range),
            };
            let (ret_modifiers, ret) = lower.split_modifiers(ret);
            let ret_no_diff = (*modifiers | ret_modifiers).contains(Modifiers::NO_DIFF);
            let kind = ItemKind::Function(Function {
                params,
                ret,
                ret_no_diff,
                has_body: item.semicolon_token().is_none(),
                throws: item.throws_clause().map(|clause| lower.type_or_missing(clause.ty(), range)),
                semantic: semantic(item.semantics()),
                extends: None,
            });
            Declared { params: names, generics, ..Declared::new(kind) }
        });
    }

    pub(super) fn constructor(&mut self, item: ast::ConstructorDecl, at: At<'_>) {
        let At { node, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let (params, names) = lower.params(item.param_list());
            let name_range = item.uu_init_token().map(|token| token.text_range());
            let kind = ItemKind::Constructor { params, has_body: item.semicolon_token().is_none() };
            Declared { params: names, generics, name_range, ..Declared::named("__init", kind) }
        });
    }

    pub(super) fn subscript(&mut self, item: ast::SubscriptDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        let index = self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let (params, names) = lower.params(item.param_list());
            let ret = lower.result_type(item.return_type().and_then(|ret| ret.ty()), range);
            let name_range = item.uu_subscript_token().map(|token| token.text_range());
            let kind = ItemKind::Subscript { params, ret };
            Declared { params: names, generics, name_range, ..Declared::named("__subscript", kind) }
        });
        if let Some(list) = item.accessor_list() {
            self.accessors(list, Some(index));
        }
    }

    pub(super) fn property(&mut self, item: ast::PropertyDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        let index = self.add(parent, common, |lower, _| {
            let ty = lower.type_or_missing(item.ty(), range);
            Declared::new(ItemKind::Property { ty })
        });
        if let Some(list) = item.accessor_list() {
            self.accessors(list, Some(index));
        }
    }

    pub(super) fn interface(&mut self, item: ast::InterfaceDecl, at: At<'_>) {
        let At { node, parent, depth, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        let index = self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let bases = lower.inheritance(item.inheritance_clause());
            Declared { generics, ..Declared::new(ItemKind::Interface { bases }) }
        });
        self.item_list(item.item_list(), index, depth);
    }

    pub(super) fn extension(&mut self, item: ast::ExtensionDecl, at: At<'_>) {
        let At { node, range, parent, depth } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        let index = self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let target = lower.type_or_missing(item.ty(), range);
            let bases = lower.inheritance(item.inheritance_clause());
            let name_range = item.ty().map(|ty| trimmed_range(ty.syntax()));
            Declared { generics, name_range, ..Declared::new(ItemKind::Extension { target, bases }) }
        });
        self.item_list(item.item_list(), index, depth);
    }

    pub(super) fn enumeration(&mut self, item: ast::EnumDecl, at: At<'_>) {
        let At { node, parent, .. } = at;
        let declarators = item.declarator_list();
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        let index = self.add(parent, common, |lower, modifiers| {
            if item.declarator_list().is_some() || item.name().is_none() {
                // `static const enum { … } x;` is about the variable.
                *modifiers -= Modifiers::NOT_OF_TYPES;
            }
            modifiers.set(Modifiers::CLASS, item.class_token().is_some());
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let bases = lower.inheritance(item.inheritance_clause());
            // Slang's enums are scoped, with or without `class`, unless they say otherwise or have no name.
            let unscoped = item.name().is_none() || has_attribute(item.modifier_list(), AttributeKind::UnscopedEnum);
            Declared { generics, ..Declared::new(ItemKind::Enum { bases, scoped: !unscoped }) }
        });
        if let Some(list) = item.enum_case_list() {
            self.enum_cases(list, Some(index));
        }
        match item.typedef_token() {
            Some(_) => self.trailing_names(declarators, index, parent),
            None => self.trailing_declarators(declarators, Some(index), item.modifier_list(), parent),
        }
    }

    pub(super) fn type_alias(&mut self, item: ast::TypeAliasDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let ty = lower.type_or_missing(item.ty(), range);
            Declared { generics, ..Declared::new(ItemKind::TypeAlias { ty }) }
        });
    }

    pub(super) fn typedef(&mut self, item: ast::TypedefDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let declarator = item.declarator();
        let declared_name = declarator.as_ref().and_then(|declarator| declarator.name());
        let common = Common { node, modifier_list: item.modifier_list(), name: declared_name };
        self.add(parent, common, |lower, _| {
            let generics = lower.generic_params(item.generic_prefix(), None);
            let mut ty = lower.type_or_missing(item.ty(), range);
            if let Some(declarator) = &declarator {
                ty = lower.declared_type(ty, declarator);
            }
            Declared { generics, ..Declared::new(ItemKind::TypeAlias { ty }) }
        });
    }

    pub(super) fn associated_type(&mut self, item: ast::AssociatedTypeDecl, at: At<'_>) {
        let At { node, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        self.add(parent, common, |lower, _| {
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let bounds = lower.inheritance(item.inheritance_clause());
            let default = item.default().map(|ty| lower.ty(ty));
            Declared { generics, ..Declared::new(ItemKind::AssociatedType { bounds, default }) }
        });
    }

    pub(super) fn namespace(&mut self, item: ast::NamespaceDecl, at: At<'_>) {
        let At { node, parent, depth, .. } = at;
        let mut innermost = parent;
        for name in item.names() {
            let modifier_list = item.modifier_list();
            let common = Common { node, modifier_list, name: Some(name) };
            innermost = Some(self.add(innermost, common, |_, _| Declared::new(ItemKind::Namespace)));
        }
        if let Some(list) = item.item_list() {
            self.items(list.items(), innermost, depth + 1);
        }
    }

    pub(super) fn constant_buffer(&mut self, item: ast::CBufferDecl, at: At<'_>) {
        let At { node, parent, depth, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        let is_texture_buffer = item.tbuffer_token().is_some();
        let is_glsl_block = item.cbuffer_token().is_none() && !is_texture_buffer;
        let kind = ItemKind::ConstantBuffer { is_texture_buffer, is_glsl_block };
        let index = self
            .add(parent, common, |_, _| Declared { placements: placements(item.semantics()), ..Declared::new(kind) });
        self.item_list(item.item_list(), index, depth);
    }

    pub(super) fn import(&mut self, item: ast::ImportDecl, at: At<'_>) {
        let At { node, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        self.add(parent, common, |_, modifiers| {
            let exported = modifiers.contains(Modifiers::EXPORTED);
            let (path, name_range) = module_path(item.module_path());
            Declared { name_range, ..Declared::new(ItemKind::Import { path, exported }) }
        });
    }

    pub(super) fn using(&mut self, item: ast::UsingDecl, at: At<'_>) {
        let At { node, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        self.add(parent, common, |lower, _| {
            let name_range = item.path().map(|path| trimmed_range(path.syntax()));
            let kind = match item.path().and_then(|path| lower.path(path)) {
                Some(path) => ItemKind::Using { path },
                None => ItemKind::Empty,
            };
            Declared { name_range, ..Declared::new(kind) }
        });
    }

    pub(super) fn global_type_param(&mut self, item: ast::GlobalTypeParamDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        self.add(parent, common, |lower, _| {
            let bounds = lower.inheritance(item.inheritance_clause());
            let kind = GenericParamKind::Type { bounds, default: None };
            Declared::global_param(ItemKind::GlobalTypeParam, item.name(), kind, range)
        });
    }

    pub(super) fn global_value_param(&mut self, item: ast::GlobalValueParamDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        self.add(parent, common, |lower, _| {
            let ty = match item.ty() {
                Some(ty) => lower.ty(ty),
                None => lower.named_type("int", range),
            };
            let default = item.expr().map(|default| lower.expr(default));
            let kind = GenericParamKind::Value { ty, default };
            Declared::global_param(ItemKind::GlobalValueParam, item.name(), kind, range)
        });
    }

    pub(super) fn constraint(&mut self, item: ast::ConstraintDecl, at: At<'_>) {
        let At { node, range, parent, .. } = at;
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        self.add(parent, common, |lower, _| {
            let left = lower.type_or_missing(item.left(), range);
            let right = lower.type_or_missing(item.right(), range);
            let constraint = match item.eq_eq_token() {
                Some(_) => GenericConstraint::Equal { left, right },
                None => GenericConstraint::Conforms { subject: left, bounds: vec![right], optional: false },
            };
            let generics = GenericParams { params: Vec::new(), constraints: vec![constraint] };
            Declared { generics: (generics, Vec::new()), ..Declared::new(ItemKind::Constraint) }
        });
    }
}
