//! Declarations.

mod kinds;

use std::sync::Arc;

use ::diagnostics::stack;
use syntax::{
    NodeOrToken, SyntaxKind, SyntaxNode, TextRange,
    ast::{self, AstChildren, AstNode},
};

use super::layouts::{has_layout, packings};
use crate::{
    attribute::{AttributeId, AttributeTargets, Modifiers},
    body::{Expr, Literal, SizeOfKind},
    item::{
        AccessorKind, ExtensionOperator, Function, FunctionExtension, GenericConstraint, GenericParam,
        GenericParamKind, GenericParams, Item, ItemKind, ModulePath, Param, Placement,
    },
    lower::{Lowering, StoreSources, attributes::attribute_target, docs, literals, name, name_ref, trimmed_range},
    name::Name,
    type_ref::{GenericArgRef, TypeRef, TypeRefId},
};

/// Where a declaration is written, in the expanded text of its part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ItemRanges {
    /// The declaration from its attributes on, without leading comments. For a variable, its whole declaration.
    pub range: TextRange,
    pub name: Option<TextRange>,
    /// Where the syntax of the body or initialiser is: in the declaration's node, or the declarator's.
    pub node: NodePointer,
    /// Names of parameters, in order.
    pub params: Vec<Option<TextRange>>,
    pub generic_params: Vec<TextRange>,
    pub store: Arc<StoreSources>,
}

/// A node of a tree, to find it again in the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NodePointer {
    kind: SyntaxKind,
    range: TextRange,
}

impl NodePointer {
    pub(crate) fn new(node: &SyntaxNode) -> NodePointer {
        NodePointer { kind: node.kind(), range: node.text_range() }
    }

    pub(crate) fn node(&self, root: &SyntaxNode) -> Option<SyntaxNode> {
        let mut node = Some(root.clone());
        while let Some(current) = node {
            if current.kind() == self.kind && current.text_range() == self.range {
                return Some(current);
            }
            node = match self.range.is_empty() {
                // Several children meet where nothing stands.
                true => current.children().find(|child| child.text_range().contains_range(self.range)),
                // An enum has thousands of cases, and each is looked for.
                false => current.child_or_token_at_range(self.range).and_then(NodeOrToken::into_node),
            };
        }
        None
    }
}

/// The declarations of a tree, each with its ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LoweredItems {
    pub items: Vec<(Item, ItemRanges)>,
    /// The number of the first of them.
    first: u32,
    /// Inside a function: variables after a type are locals, no items.
    local: bool,
}

/// Where a declaration stands.
#[derive(Clone, Copy)]
struct At<'a> {
    node: &'a SyntaxNode,
    /// Without leading comments.
    range: TextRange,
    /// The number of the declaration around it.
    parent: Option<u32>,
    /// How many declarations are around it.
    depth: u32,
}

/// What all declarations have around their kind.
struct Common<'a> {
    node: &'a SyntaxNode,
    modifier_list: Option<ast::ModifierList>,
    name: Option<ast::Name>,
}

impl LoweredItems {
    /// Every declaration of a parsed file or header, members after their container.
    pub(crate) fn lower_all(&mut self, root: &SyntaxNode) {
        for item in root.children().filter_map(ast::Item::cast) {
            self.item(item, None, 0);
        }
    }

    /// For what function bodies declare, numbered from `first` on.
    pub(crate) fn inside_functions(first: u32) -> LoweredItems {
        LoweredItems { items: Vec::new(), first, local: true }
    }

    /// A type or function that a function body declares, with its members.
    pub(crate) fn lower_local(&mut self, item: ast::Item, parent: Option<u32>) {
        self.item(item, parent, 0);
    }

    /// What a body parsed on its own declares: members, cases or accessors of `owner`, which ends `header`, and variables of its
    /// type.
    pub(crate) fn lower_body(&mut self, root: &SyntaxNode, header: &SyntaxNode, owner: Option<u32>) {
        let Some(body) = ast::Body::cast(root.clone()) else { return };
        if let Some(list) = body.item_list() {
            self.items(list.items(), owner, 0);
        }
        if let Some(list) = body.enum_case_list() {
            self.enum_cases(list, owner);
        }
        if let Some(list) = body.accessor_list() {
            self.accessors(list, owner);
        }
        let Some(declarators) = body.declarator_list() else { return };
        // What is written in front of the type is about the variables.
        let (modifiers, typedef) = match header.children().filter_map(ast::Item::cast).last() {
            Some(ast::Item::StructDecl(item)) => (item.modifier_list(), item.typedef_token()),
            Some(ast::Item::EnumDecl(item)) => (item.modifier_list(), item.typedef_token()),
            _ => (None, None),
        };
        if let (Some(_), Some(owner)) = (typedef, owner) {
            return self.trailing_names(Some(declarators), owner, None);
        }
        if let Some((owner, _)) = owner.and_then(|owner| self.items.get_mut(owner as usize)) {
            // Of a block it is about the block.
            if !matches!(owner.kind, ItemKind::ConstantBuffer { .. }) {
                owner.modifiers -= Modifiers::NOT_OF_TYPES;
            }
        }
        self.trailing_declarators(Some(declarators), owner, modifiers, None);
    }

    fn items(&mut self, items: AstChildren<ast::Item>, parent: Option<u32>, depth: u32) {
        for item in items {
            stack::deep(|| self.item(item, parent, depth));
        }
    }

    /// Adds a declaration and gives its number.
    fn add(
        &mut self,
        parent: Option<u32>,
        common: Common<'_>,
        lower: impl FnOnce(&mut Lowering, &mut Modifiers) -> Declared,
    ) -> u32 {
        let mut lowering = Lowering::default();
        let mut modifiers = common.modifier_list.as_ref().map(|list| lowering.modifiers(list)).unwrap_or_default();
        let name_range = common.name.as_ref().map(|name| trimmed_range(name.syntax()));
        let declared = lower(&mut lowering, &mut modifiers);
        let target = attribute_target(&declared.kind);
        let mut attributes =
            common.modifier_list.as_ref().map(|list| lowering.attributes(list, target)).unwrap_or_default();
        attributes.extend(declared.attributes);
        let item = Item {
            name: declared.name.or_else(|| name(common.name)),
            kind: declared.kind,
            attributes,
            modifiers,
            generics: declared.generics.0,
            store: lowering.store,
            doc: docs::doc_comment(common.node),
            placements: [declared.placements, packings(common.modifier_list.as_ref())].concat(),
            parent,
        };
        let range = trimmed_range(common.node);
        let ranges = ItemRanges {
            range,
            name: declared.name_range.or(name_range),
            node: declared.node.unwrap_or_else(|| NodePointer::new(common.node)),
            params: declared.params,
            generic_params: declared.generics.1,
            store: Arc::new(lowering.sources),
        };
        self.items.push((item, ranges));
        self.first + self.items.len() as u32 - 1
    }

    fn item(&mut self, item: ast::Item, parent: Option<u32>, depth: u32) {
        // The parser limits the nesting; this keeps a tree from elsewhere from overflowing the stack.
        if depth > super::MAX_DEPTH {
            return;
        }
        let node = item.syntax().clone();
        let at = At { node: &node, range: trimmed_range(&node), parent, depth };
        match item {
            ast::Item::FuncDecl(item) => self.function(item, at),
            ast::Item::ConstructorDecl(item) => self.constructor(item, at),
            ast::Item::SubscriptDecl(item) => self.subscript(item, at),
            ast::Item::PropertyDecl(item) => self.property(item, at),
            ast::Item::StructDecl(item) => self.structure(item, &node, parent, depth),
            ast::Item::InterfaceDecl(item) => self.interface(item, at),
            ast::Item::ExtensionDecl(item) => self.extension(item, at),
            ast::Item::EnumDecl(item) => self.enumeration(item, at),
            ast::Item::TypeAliasDecl(item) => self.type_alias(item, at),
            ast::Item::TypedefDecl(item) => self.typedef(item, at),
            ast::Item::AssociatedTypeDecl(item) => self.associated_type(item, at),
            ast::Item::VarDecl(item) => {
                for declarator in item.declarators() {
                    self.variable(&node, &item, &declarator, parent);
                }
            }
            ast::Item::NamespaceDecl(item) => self.namespace(item, at),
            ast::Item::CBufferDecl(item) => self.constant_buffer(item, at),
            ast::Item::ImportDecl(item) => self.import(item, at),
            ast::Item::IncludeDecl(item) => {
                self.module_item(&node, item.modifier_list(), item.module_path(), parent, |path| ItemKind::Include {
                    path,
                });
            }
            ast::Item::ModuleDecl(item) => {
                self.module_item(&node, item.modifier_list(), item.module_path(), parent, |name| ItemKind::Module {
                    name,
                });
            }
            ast::Item::ImplementingDecl(item) => {
                self.module_item(&node, item.modifier_list(), item.module_path(), parent, |name| {
                    ItemKind::Implementing { name }
                });
            }
            ast::Item::UsingDecl(item) => self.using(item, at),
            ast::Item::FuncExtensionDecl(item) => self.function_extension(&item, &node, parent),
            ast::Item::GlobalTypeParamDecl(item) => self.global_type_param(item, at),
            ast::Item::GlobalValueParamDecl(item) => self.global_value_param(item, at),
            ast::Item::ConstraintDecl(item) => self.constraint(item, at),
            ast::Item::AssociatedFuncDecl(item) => {
                self.unsupported(&node, item.modifier_list(), item.name(), "`__associatedfunc`", parent);
            }
            ast::Item::BlockDecl(item) => {
                let list = item.item_list().filter(|_| item.uu_ignored_block_token().is_none());
                if let Some(list) = list {
                    self.items(list.items(), parent, depth + 1);
                }
            }
            // `layout(local_size_x = 8) in;` says something about the entry points.
            ast::Item::EmptyDecl(item) => {
                let modifier_list = item.modifier_list();
                if has_layout(modifier_list.as_ref()) {
                    let common = Common { node: &node, modifier_list, name: None };
                    self.add(parent, common, |_, _| Declared::new(ItemKind::Empty));
                }
            }
            // They declare nothing that this or a later layer asks for.
            ast::Item::RequireCapabilityDecl(_)
            | ast::Item::StaticAssertDecl(_)
            | ast::Item::SyntaxDecl(_)
            | ast::Item::AttributeSyntaxDecl(_) => {}
        }
    }

    fn item_list(&mut self, list: Option<ast::ItemList>, parent: u32, depth: u32) {
        if let Some(list) = list {
            self.items(list.items(), Some(parent), depth + 1);
        }
    }

    fn unsupported(
        &mut self,
        node: &SyntaxNode,
        modifier_list: Option<ast::ModifierList>,
        name: Option<ast::Name>,
        what: &str,
        parent: Option<u32>,
    ) {
        let common = Common { node, modifier_list, name };
        self.add(parent, common, |_, _| Declared::new(ItemKind::Unsupported(Name::new(what))));
    }

    fn module_item(
        &mut self,
        node: &SyntaxNode,
        modifier_list: Option<ast::ModifierList>,
        path: Option<ast::ModulePath>,
        parent: Option<u32>,
        kind: impl FnOnce(ModulePath) -> ItemKind,
    ) {
        let common = Common { node, modifier_list, name: None };
        self.add(parent, common, |_, _| {
            let (path, name_range) = module_path(path);
            Declared { name_range, ..Declared::new(kind(path)) }
        });
    }

    fn function_extension(&mut self, item: &ast::FuncExtensionDecl, node: &SyntaxNode, parent: Option<u32>) {
        let common = Common { node, modifier_list: item.modifier_list(), name: None };
        self.add(parent, common, |lower, _| {
            let generics = lower.generics(None, item.generic_param_list(), item.where_clauses());
            let (params, names) = lower.params(item.param_list());
            let range = trimmed_range(node);
            let ret = lower.result_type(item.return_type().and_then(|ret| ret.ty()), range);
            let (ret_modifiers, ret) = lower.split_modifiers(ret);
            let name_range = item.target().map(|target| trimmed_range(target.syntax()));
            let (operator, function) = match item.target() {
                Some(ast::Expr::DerivativeExpr(target)) => (extension_operator(&target), target.function()),
                target => (ExtensionOperator::Unknown, target),
            };
            let function = lower.expr_or_missing(function, name_range.unwrap_or(range));
            let kind = ItemKind::Function(Function {
                params,
                ret,
                ret_no_diff: ret_modifiers.contains(Modifiers::NO_DIFF),
                has_body: item.semicolon_token().is_none(),
                throws: item.throws_clause().map(|clause| lower.type_or_missing(clause.ty(), range)),
                semantic: None,
                extends: Some(FunctionExtension { operator, function }),
            });
            Declared { params: names, generics, name_range, ..Declared::new(kind) }
        });
    }

    fn structure(&mut self, item: ast::StructDecl, node: &SyntaxNode, parent: Option<u32>, depth: u32) {
        let range = trimmed_range(node);
        let common = Common { node, modifier_list: item.modifier_list(), name: item.name() };
        let index = self.add(parent, common, |lower, modifiers| {
            if item.declarator_list().is_some() || item.name().is_none() {
                // `static const struct { … } x;` is about the variable.
                *modifiers -= Modifiers::NOT_OF_TYPES;
            }
            modifiers.set(Modifiers::CLASS, item.class_token().is_some());
            let late = item.late_modifiers().into_iter().flat_map(|late| late.attribute_lists());
            let attributes = late.flat_map(|list| lower.attribute_list(&list, AttributeTargets::STRUCT)).collect();
            let generics = lower.generics(item.generic_prefix(), item.generic_param_list(), item.where_clauses());
            let kind = match item.eq_token() {
                Some(_) => ItemKind::TypeAlias { ty: lower.type_or_missing(item.alias(), range) },
                None => ItemKind::Struct { bases: lower.inheritance(item.inheritance_clause()) },
            };
            Declared { generics, attributes, ..Declared::new(kind) }
        });
        self.item_list(item.item_list(), index, depth);
        match item.typedef_token() {
            Some(_) => self.trailing_names(item.declarator_list(), index, parent),
            None => self.trailing_declarators(item.declarator_list(), Some(index), item.modifier_list(), parent),
        }
    }

    /// The types of `typedef struct S { … } A, B;`.
    fn trailing_names(&mut self, declarators: Option<ast::DeclaratorList>, declared: u32, parent: Option<u32>) {
        for declarator in declarators.into_iter().flat_map(|list| list.declarators()) {
            let node = declarator.syntax().clone();
            let common = Common { node: &node, modifier_list: None, name: declarator.name() };
            self.add(parent, common, |lower, _| {
                let at = TextRange::empty(trimmed_range(&node).start());
                let base = lower.alloc_type(TypeRef::Declared(declared), at);
                let ty = lower.declared_type(base, &declarator);
                Declared::new(ItemKind::TypeAlias { ty })
            });
        }
    }

    /// The variables of `struct S { … } a, b;`.
    fn trailing_declarators(
        &mut self,
        declarators: Option<ast::DeclaratorList>,
        declared: Option<u32>,
        modifier_list: Option<ast::ModifierList>,
        parent: Option<u32>,
    ) {
        if self.local {
            return;
        }
        for declarator in declarators.into_iter().flat_map(|list| list.declarators()) {
            let node = declarator.syntax().clone();
            let common = Common { node: &node, modifier_list: modifier_list.clone(), name: declarator.name() };
            self.add(parent, common, |lower, _| {
                let range = trimmed_range(&node);
                let written = declared.map_or(TypeRef::Missing, TypeRef::Declared);
                let base = lower.alloc_type(written, TextRange::empty(range.start()));
                let ty = lower.declared_type(base, &declarator);
                let kind = ItemKind::Variable {
                    ty,
                    has_init: declarator.initializer().is_some(),
                    is_let: false,
                    semantic: semantic(declarator.semantics()),
                    bit_width: bit_width(declarator.semantics()),
                };
                Declared { placements: placements(declarator.semantics()), ..Declared::new(kind) }
            });
        }
    }

    fn variable(&mut self, node: &SyntaxNode, item: &ast::VarDecl, declarator: &ast::Declarator, parent: Option<u32>) {
        let common = Common { node, modifier_list: item.modifier_list(), name: declarator.name() };
        self.add(parent, common, |lower, modifiers| {
            let generics = lower.generic_params(item.generic_prefix(), None);
            let base = match item.ty().or_else(|| declarator.ty()) {
                Some(ty) => lower.ty(ty),
                None => lower.inferred_type(TextRange::empty(trimmed_range(node).start())),
            };
            let (type_modifiers, base) = lower.split_modifiers(base);
            *modifiers |= type_modifiers;
            let ty = lower.declared_type(base, declarator);
            let kind = ItemKind::Variable {
                ty,
                has_init: declarator.initializer().is_some(),
                is_let: item.let_token().is_some(),
                semantic: semantic(declarator.semantics()),
                bit_width: bit_width(declarator.semantics()),
            };
            let node = Some(NodePointer::new(declarator.syntax()));
            Declared { generics, node, placements: placements(declarator.semantics()), ..Declared::new(kind) }
        });
    }

    fn enum_cases(&mut self, list: ast::EnumCaseList, parent: Option<u32>) {
        for case in list.cases() {
            let node = case.syntax().clone();
            let common = Common { node: &node, modifier_list: case.modifier_list(), name: case.name() };
            self.add(parent, common, |_, _| Declared::new(ItemKind::EnumCase { has_value: case.value().is_some() }));
        }
    }

    fn accessors(&mut self, list: ast::AccessorList, parent: Option<u32>) {
        for accessor in list.accessors() {
            let node = accessor.syntax().clone();
            let common = Common { node: &node, modifier_list: accessor.modifier_list(), name: None };
            self.add(parent, common, |lower, _| {
                let (kind, token) = if let Some(token) = accessor.set_token() {
                    (AccessorKind::Set, Some(token))
                } else if let Some(token) = accessor.ref_token() {
                    (AccessorKind::Ref, Some(token))
                } else if let Some(token) = accessor.modify_token() {
                    (AccessorKind::Modify, Some(token))
                } else {
                    (AccessorKind::Get, accessor.get_token())
                };
                let (mut params, mut names) = lower.params(accessor.param_list());
                if kind == AccessorKind::Set {
                    lower.name_only_params(&mut params, &mut names);
                }
                let has_body = accessor.semicolon_token().is_none();
                let name_range = token.as_ref().map(|token| token.text_range());
                let declared_name = token.map(|token| Name::new(token.text()));
                Declared {
                    name: declared_name,
                    name_range,
                    params: names,
                    ..Declared::new(ItemKind::Accessor { kind, params, has_body })
                }
            });
        }
    }
}

/// What a kind of declaration adds to the common part.
struct Declared {
    kind: ItemKind,
    name: Option<Name>,
    name_range: Option<TextRange>,
    params: Vec<Option<TextRange>>,
    generics: (GenericParams, Vec<TextRange>),
    attributes: Vec<AttributeId>,
    node: Option<NodePointer>,
    placements: Vec<Placement>,
}

impl Declared {
    fn new(kind: ItemKind) -> Declared {
        Declared {
            kind,
            name: None,
            name_range: None,
            params: Vec::new(),
            generics: Default::default(),
            attributes: Vec::new(),
            node: None,
            placements: Vec::new(),
        }
    }

    /// A parameter of the whole program: the item's only generic parameter.
    fn global_param(
        kind: ItemKind,
        param: Option<ast::Name>,
        param_kind: GenericParamKind,
        range: TextRange,
    ) -> Declared {
        let name_range = param.as_ref().map_or(range, |name| trimmed_range(name.syntax()));
        let param = GenericParam { name: name(param).unwrap_or_else(|| Name::new("")), kind: param_kind };
        let generics = GenericParams { params: vec![param], constraints: Vec::new() };
        Declared { generics: (generics, vec![name_range]), ..Declared::new(kind) }
    }

    fn named(name: &str, kind: ItemKind) -> Declared {
        Declared { name: Some(Name::new(name)), ..Declared::new(kind) }
    }
}

impl Lowering {
    /// No written result means `void`.
    fn result_type(&mut self, ty: Option<ast::Type>, range: TextRange) -> TypeRefId {
        match ty {
            Some(ty) => self.ty(ty),
            None => self.named_type("void", TextRange::empty(range.start())),
        }
    }

    fn inheritance(&mut self, clause: Option<ast::InheritanceClause>) -> Vec<TypeRefId> {
        clause.map(|clause| self.bounds(clause.types())).unwrap_or_default()
    }

    fn params(&mut self, list: Option<ast::ParamList>) -> (Vec<Param>, Vec<Option<TextRange>>) {
        let params: Vec<ast::Param> = list.into_iter().flat_map(|list| list.params()).collect();
        match params.as_slice() {
            [only] if is_void(only) => Default::default(),
            _ => params.into_iter().map(|param| self.param(param)).unzip(),
        }
    }

    /// `set(value)`: a parameter that is nothing but a name takes the type of the property.
    fn name_only_params(&mut self, params: &mut [Param], names: &mut [Option<TextRange>]) {
        for (param, name_range) in params.iter_mut().zip(names) {
            let TypeRef::Path(path) = &self.store.type_refs[param.ty] else { continue };
            let [segment] = path.segments.as_slice() else { continue };
            if param.name.is_none() && segment.args.is_none() {
                param.name = Some(segment.name.clone());
                *name_range = self.sources.type_refs.get(param.ty.into_raw().into_u32() as usize).copied();
                self.store.type_refs[param.ty] = TypeRef::Missing;
            }
        }
    }

    /// A parameter and the range of its name.
    pub(crate) fn param(&mut self, param: ast::Param) -> (Param, Option<TextRange>) {
        let range = trimmed_range(param.syntax());
        let list = param.modifier_list();
        let modifiers = list.as_ref().map(|list| self.modifiers(list)).unwrap_or_default();
        let attributes =
            list.as_ref().map(|list| self.attributes(list, AttributeTargets::PARAMETER)).unwrap_or_default();
        let declarator = param.declarator();
        let written = param.ty().or_else(|| declarator.as_ref().and_then(|declarator| declarator.ty()));
        let ty = self.type_or_missing(written, range);
        let (type_modifiers, ty) = self.split_modifiers(ty);
        let mut modifiers = modifiers | type_modifiers;
        if modifiers.contains(Modifiers::IN | Modifiers::OUT) {
            modifiers -= Modifiers::IN | Modifiers::OUT;
            modifiers |= Modifiers::INOUT;
        }
        let ty = match &declarator {
            Some(declarator) => self.declared_type(ty, declarator),
            None => ty,
        };
        let name_node = declarator.as_ref().and_then(|declarator| declarator.name());
        let name_range = name_node.as_ref().map(|name| trimmed_range(name.syntax()));
        let param = Param {
            name: name(name_node),
            ty,
            modifiers,
            attributes,
            default: declarator.as_ref().and_then(|d| d.initializer()).map(|value| self.expr(value)),
            semantic: declarator.as_ref().and_then(|declarator| param_semantic(declarator.semantics())),
        };
        (param, name_range)
    }

    fn generics(
        &mut self,
        prefix: Option<ast::GenericPrefix>,
        list: Option<ast::GenericParamList>,
        where_clauses: AstChildren<ast::WhereClause>,
    ) -> (GenericParams, Vec<TextRange>) {
        let (mut generics, ranges) = self.generic_params(prefix, list);
        generics.constraints = where_clauses.filter_map(|clause| self.constraint(&clause)).collect();
        (generics, ranges)
    }

    fn generic_params(
        &mut self,
        prefix: Option<ast::GenericPrefix>,
        list: Option<ast::GenericParamList>,
    ) -> (GenericParams, Vec<TextRange>) {
        let lists = prefix.and_then(|prefix| prefix.generic_param_list()).into_iter().chain(list);
        let params = lists.flat_map(|list| list.params()).filter_map(|param| self.generic_param(param));
        let (params, ranges) = params.unzip();
        (GenericParams { params, constraints: Vec::new() }, ranges)
    }

    fn generic_param(&mut self, param: ast::GenericParam) -> Option<(GenericParam, TextRange)> {
        match param {
            ast::GenericParam::TypeParam(param) => {
                let range = trimmed_range(param.name()?.syntax());
                let param_name = name(param.name())?;
                let bounds = self.bounds(param.bound().into_iter());
                let kind = if param.each_token().is_some() {
                    GenericParamKind::Pack { bounds }
                } else {
                    let default = param.default().map(|default| self.type_or_missing(default.ty(), range));
                    GenericParamKind::Type { bounds, default }
                };
                Some((GenericParam { name: param_name, kind }, range))
            }
            ast::GenericParam::ValueParam(param) => {
                let range = trimmed_range(param.name()?.syntax());
                let param_name = name(param.name())?;
                // `let N` without a type is an `int`.
                let ty = match param.ty() {
                    Some(ty) => self.ty(ty),
                    None => self.named_type("int", range),
                };
                let default = param.expr().map(|default| self.expr(default));
                let kind = match param.each_token() {
                    Some(_) => GenericParamKind::ValuePack { ty },
                    None => GenericParamKind::Value { ty, default },
                };
                Some((GenericParam { name: param_name, kind }, range))
            }
        }
    }

    fn constraint(&mut self, clause: &ast::WhereClause) -> Option<GenericConstraint> {
        let range = trimmed_range(clause.syntax());
        if let Some(operand) = clause.operand() {
            match plain_name(clause.left()).as_ref().map(Name::as_str) {
                Some("nonempty") => {
                    return Some(GenericConstraint::NonEmpty {
                        pack: GenericArgRef::Type(self.type_or_missing(operand.ty(), range)),
                    });
                }
                Some("countof") => {
                    let ty = Some(self.type_or_missing(operand.ty(), range));
                    let count = Expr::SizeOf { what: SizeOfKind::Count, ty, operand: None, layout: None };
                    let left = self.alloc_expr(count, range);
                    let right = match (clause.bounds().next(), clause.expr()) {
                        (_, Some(value)) => self.expr(value),
                        (Some(ast::Type::PathType(ty)), None) => match ty.path().and_then(|path| self.path(path)) {
                            Some(path) => {
                                let path = self.path_expr(path);
                                self.alloc_expr(path, range)
                            }
                            None => self.alloc_expr(Expr::Missing, range),
                        },
                        _ => self.alloc_expr(Expr::Missing, range),
                    };
                    return Some(GenericConstraint::EqualValues { left, right });
                }
                _ => {}
            }
        }
        let left = self.type_or_missing(clause.left(), range);
        if let Some(operand) = clause.operand() {
            let from = self.type_or_missing(operand.ty(), range);
            return Some(GenericConstraint::Coercible { from, to: left });
        }
        if clause.eq_eq_token().is_some() {
            let right = self.type_or_missing(clause.bounds().next(), range);
            return Some(GenericConstraint::Equal { left, right });
        }
        clause.colon_token()?;
        let bounds = self.bounds(clause.bounds());
        Some(GenericConstraint::Conforms { subject: left, bounds, optional: clause.optional_token().is_some() })
    }
}

fn extension_operator(target: &ast::DerivativeExpr) -> ExtensionOperator {
    if target.fwd_diff_token().or(target.uu_fwd_diff_token()).is_some() {
        ExtensionOperator::Forward
    } else if target.bwd_diff_token().or(target.uu_bwd_diff_token()).is_some() {
        ExtensionOperator::Backward
    } else {
        ExtensionOperator::Apply
    }
}

/// Whether an item inside a function is a declaration of its own, no statement.
pub(crate) fn is_local_item(item: &ast::Item) -> bool {
    matches!(
        item,
        ast::Item::StructDecl(_)
            | ast::Item::EnumDecl(_)
            | ast::Item::InterfaceDecl(_)
            | ast::Item::TypedefDecl(_)
            | ast::Item::TypeAliasDecl(_)
            | ast::Item::UsingDecl(_)
            | ast::Item::FuncDecl(_)
    )
}

/// The name of a type that is nothing but a name.
fn plain_name(ty: Option<ast::Type>) -> Option<Name> {
    match ty? {
        ast::Type::PathType(ty) => name_ref(ty.path()?.name_ref()),
        _ => None,
    }
}

/// The first semantic that is not a place (`register`, `packoffset`).
fn semantic(mut semantics: AstChildren<ast::Semantic>) -> Option<Name> {
    semantics.find_map(|semantic| name_ref(semantic.name_ref()).filter(|name| !is_place(name)))
}

/// The first semantic of a parameter. One that says its place has no other.
fn param_semantic(mut semantics: AstChildren<ast::Semantic>) -> Option<Name> {
    semantics.find_map(|semantic| name_ref(semantic.name_ref()))
}

/// The places that a variable asks for.
fn placements(semantics: AstChildren<ast::Semantic>) -> Vec<Placement> {
    semantics
        .filter_map(|semantic| {
            let word = name_ref(semantic.name_ref()).filter(is_place)?;
            let args = semantic.arg_list().into_iter().flat_map(|list| list.args());
            Some(Placement { word, args: args.map(|arg| arg.syntax().text().to_string().trim().to_owned()).collect() })
        })
        .collect()
}

/// What looks like a semantic, but says where a variable lies or who has access to it.
fn is_place(name: &Name) -> bool {
    matches!(name.as_str(), "register" | "packoffset" | "read" | "write")
}

/// The width of a bit field. One that is no number of bits counts as the largest, which no type can hold.
fn bit_width(mut semantics: AstChildren<ast::Semantic>) -> Option<u32> {
    let width = semantics.find_map(|semantic| semantic.width())?;
    match literals::literal(&width) {
        Some(Literal::Int { value, .. }) => Some(u32::try_from(value).unwrap_or(u32::MAX)),
        _ => Some(u32::MAX),
    }
}

fn module_path(path: Option<ast::ModulePath>) -> (ModulePath, Option<TextRange>) {
    let Some(path) = path else {
        return (ModulePath::Dotted(String::new()), None);
    };
    let range = Some(trimmed_range(path.syntax()));
    if let Some(string) = path.string_token() {
        return (ModulePath::Quoted(literals::string(string.text())), range);
    }
    let names: Vec<String> =
        path.segments().filter_map(|segment| name_ref(Some(segment))).map(|name| name.0.to_string()).collect();
    (ModulePath::Dotted(names.join(".")), range)
}

/// `f(void)`, as C writes a list without parameters.
fn is_void(param: &ast::Param) -> bool {
    let is_alone = param.declarator().is_none() && param.modifier_list().is_none();
    is_alone && plain_name(param.ty()).is_some_and(|name| name.as_str() == "void")
}
