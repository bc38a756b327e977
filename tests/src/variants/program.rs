//! A program whose text is to be changed: its tree, and what the types of its expressions are.

use std::collections::{HashMap, HashSet};

use base_db::{RootDatabase, SourceFile, documents::Documents};
use hir_def::{
    body::LocalKind,
    item::{self, ItemId, ItemKind},
    name::Name,
    position, scope, source_map,
};
use hir_ty::{
    differential::{
        of_type::{Differentiability, differentiability},
        rules::derivative_rules,
    },
    display,
    env::Env,
    infer::{self, result::Resolution},
    ty::{BuiltinType, Const, GenericArg, Scalar, Ty},
};
use syntax::{
    SyntaxNode, TextRange,
    ast::{self, AstNode},
};
use test_support::database::with_core_library;

use super::sites;

/// A file as it is before it is changed.
pub(crate) struct Program {
    pub tree: SyntaxNode,
    types: HashMap<TextRange, TypeOf>,
    /// Where variables of functions are named, parameters included.
    locals: HashSet<TextRange>,
    /// The bodies that are differentiated in both modes as they stand, and those that never are because their derivatives
    /// are given.
    differentiated: Vec<TextRange>,
    by_hand: Vec<TextRange>,
    /// The bodies that are not marked: they may hold what has no derivative, as an accessor without one.
    plain: Vec<TextRange>,
    /// The bodies that are differentiated in place of those of other functions.
    substitutes: Vec<TextRange>,
    /// The names of fields that are marked `no_diff`: storing there is another thing than storing elsewhere.
    no_diff: HashSet<String>,
    /// The names in the text that the core library declares.
    core_names: HashSet<String>,
}

/// The type of an expression or variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeOf {
    pub spelled: String,
    /// That is what it is called in the whole file.
    pub can_be_written: bool,
    /// Means the same at the top level of the file.
    pub is_global: bool,
    pub is_differentiable: bool,
    /// The value is converted where it stands.
    pub is_converted: bool,
    pub kind: Kind,
}

/// What can be done with values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Integer,
    Float,
    /// A vector or matrix of floats.
    Floats,
    Other,
}

impl Program {
    /// Reads what inference knows of a file.
    pub(crate) fn new(db: &RootDatabase, file: SourceFile, text: &str) -> Program {
        let tree = syntax::parse_file(text).syntax_node();
        let core = scope::prelude_names(db);
        let core_names = sites::names(&tree).map(|token| token.text().to_owned());
        let core_names = core_names.filter(|name| !core.get(&Name::new(name)).is_empty()).collect();
        let no_diff = sites::nodes::<ast::VarDecl>(&tree)
            .filter(|decl| decl.modifier_list().is_some_and(|list| sites::text(list.syntax()).contains("no_diff")))
            .flat_map(|decl| decl.declarators())
            .filter_map(|declarator| Some(sites::text(declarator.name()?.syntax())))
            .collect();
        let (types, locals, differentiated, by_hand, plain, substitutes) = Default::default();
        let mut program =
            Program { tree, types, locals, differentiated, by_hand, plain, substitutes, no_diff, core_names };
        for &item in scope::all_file_items(db, file) {
            program.add_types(db, item);
            if let Some(substitute) = derivative_rules(db, item).primal_substitute {
                let map = source_map::body_source_map(db, substitute);
                program.substitutes.push(position::absolute(db, map.owner()).1);
            }
        }
        program
    }

    /// The type of what stands exactly in a range.
    pub(crate) fn type_of(&self, range: TextRange) -> Option<&TypeOf> {
        self.types.get(&range)
    }

    /// Whether a name at this place is that of a variable of its function.
    pub(crate) fn is_local(&self, range: TextRange) -> bool {
        self.locals.contains(&range)
    }

    /// Whether an expression is a variable of its function, or a part of one that is not in memory and keeps derivatives.
    pub(crate) fn is_place(&self, expr: &ast::Expr) -> bool {
        match expr {
            ast::Expr::PathExpr(path) => self.is_local(sites::range(path.syntax())),
            ast::Expr::FieldExpr(field) => {
                let is_value = field.receiver().is_some_and(|receiver| self.is_place_of_values(&receiver));
                is_value && field.name_ref().is_some_and(|name| !self.no_diff.contains(&sites::text(name.syntax())))
            }
            ast::Expr::IndexExpr(index) => {
                let is_value = index.base().is_some_and(|base| self.is_place_of_values(&base));
                is_value && index.index_args().is_some_and(|args| sites::is_pure(args.syntax()))
            }
            _ => false,
        }
    }

    fn is_place_of_values(&self, expr: &ast::Expr) -> bool {
        let is_value = |ty: &TypeOf| ty.is_global && ty.is_differentiable;
        self.is_place(expr) && self.type_of(sites::range(expr.syntax())).is_some_and(is_value)
    }

    /// Whether a range is differentiated as it stands.
    pub(crate) fn is_differentiated(&self, range: TextRange) -> bool {
        self.differentiated.iter().any(|body| body.contains_range(range))
    }

    /// Whether a range is differentiated in place of another function, whose values differences see.
    pub(crate) fn is_of_substitute(&self, range: TextRange) -> bool {
        self.substitutes.iter().any(|body| body.contains_range(range))
    }

    /// The attribute of a function that computes what stood in a range.
    pub(crate) fn attribute(&self, range: TextRange) -> &'static str {
        let is_never = self.by_hand.iter().chain(&self.plain).any(|body| body.contains_range(range));
        if is_never { "" } else { "[Differentiable] " }
    }

    /// Whether the core library declares a name, so that it may mean more than what this file says.
    pub(crate) fn is_core(&self, name: &str) -> bool {
        self.core_names.contains(name)
    }

    fn add_types(&mut self, db: &RootDatabase, item: ItemId) {
        let has_body = matches!(
            item::item_data(db, item).kind,
            ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }
        );
        if !has_body {
            return;
        }
        let body = hir_def::body::queries::body(db, item);
        let (inferred, map) = (infer::infer(db, item), source_map::body_source_map(db, item));
        let rules = derivative_rules(db, item);
        let given = [rules.forward_derivative, rules.backward_derivative];
        let is_zero = rules.primal_substitute.is_some() || rules.treat_as_differentiable;
        let (_, around) = position::absolute(db, map.owner());
        if is_zero || given.iter().all(Option::is_some) {
            self.by_hand.push(around);
        } else if !rules.is_differentiable() {
            self.plain.push(around);
        } else if given.iter().all(Option::is_none) {
            self.differentiated.push(around);
        }
        for (id, _) in body.store.exprs.iter() {
            let Some(&ty) = inferred.expr_types.get(id) else { continue };
            let (_, range) = position::absolute(db, map.expr(id));
            let is_converted = inferred.adjustments.get(&id).is_some_and(|adjustments| !adjustments.is_empty());
            self.types.insert(range, TypeOf { is_converted, ..type_of(db, item, ty) });
            if let Some(Resolution::Local(local)) = inferred.resolutions.get(&id)
                && body.store.locals[*local].kind != LocalKind::Static
            {
                self.locals.insert(range);
            }
        }
        for (id, local) in body.store.locals.iter() {
            let Some(&ty) = inferred.local_types.get(id) else { continue };
            if matches!(local.kind, LocalKind::Variable | LocalKind::Let) {
                let (_, range) = position::absolute(db, map.local(id));
                self.types.insert(range, type_of(db, item, ty));
            }
        }
    }
}

fn type_of(db: &RootDatabase, item: ItemId, ty: Ty) -> TypeOf {
    let differentiability = differentiability(db, Env::of(db, item), ty);
    let spelled = display::display(db, ty);
    TypeOf {
        can_be_written: can_be_written(db, item, &spelled),
        spelled,
        is_global: is_global(db, ty) && !matches!(differentiability, Differentiability::Pointer(_)),
        is_differentiable: matches!(differentiability, Differentiability::Value(_)),
        is_converted: false,
        kind: kind(db, ty),
    }
}

/// Types of functions cannot be written, and those that are declared in others are shown without these.
fn can_be_written(db: &RootDatabase, item: ItemId, spelled: &str) -> bool {
    let file = item::file_of(db, item);
    let is_known = |name: &str| !scope::lookup_in_file(db, file, &Name::new(name)).is_empty();
    let mut words = spelled.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    !spelled.contains(['?', '(', ' ', '…', '.'])
        && words.all(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_known(word))
}

fn kind(db: &RootDatabase, ty: Ty) -> Kind {
    match ty {
        Ty::Scalar(Scalar::Bool) => Kind::Bool,
        Ty::Scalar(Scalar::Half | Scalar::Float | Scalar::Double) => Kind::Float,
        Ty::Scalar(_) => Kind::Integer,
        Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, args) => match args.args(db).first() {
            Some(GenericArg::Type(Ty::Scalar(Scalar::Half | Scalar::Float | Scalar::Double))) => Kind::Floats,
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

/// Whether the type can be named at the top level and has values that can be copied.
fn is_global(db: &RootDatabase, ty: Ty) -> bool {
    let is_global_arg = |arg: &GenericArg| match arg {
        GenericArg::Type(ty) => is_global(db, *ty),
        GenericArg::Value(value) => matches!(value, Const::Value(_)),
        GenericArg::Pack(_) => false,
    };
    match ty {
        Ty::Scalar(_) => true,
        Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix | BuiltinType::Array, args) => {
            args.args(db).iter().all(is_global_arg)
        }
        Ty::Adt(item, args) => {
            item::container(db, item).is_none()
                && matches!(item::item_data(db, item).kind, ItemKind::Struct { .. })
                && args.args(db).iter().all(is_global_arg)
        }
        _ => false,
    }
}

/// The front end, over texts one after the other.
pub(crate) struct Front {
    pub db: RootDatabase,
    documents: Documents,
    opened: usize,
}

/// Texts that share a database; each leaves a little memory behind.
const TEXTS_PER_DATABASE: usize = 200;

impl Default for Front {
    fn default() -> Front {
        Front::new()
    }
}

impl Front {
    pub(crate) fn new() -> Front {
        let (db, documents) = with_core_library();
        Front { db, documents, opened: 0 }
    }

    /// Takes a text for that of the file at `path`, whose neighbours it may import.
    pub(crate) fn open(&mut self, path: &str, text: &str) -> SourceFile {
        self.opened += 1;
        if self.opened.is_multiple_of(TEXTS_PER_DATABASE) {
            *self = Front::new();
        }
        let file = self.documents.open(&mut self.db, path, text);
        hir_def::loading::load_dependencies(&mut self.db, &mut self.documents, file, |path| std::fs::read(path).ok());
        file
    }
}
