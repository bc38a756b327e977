//! Hover: what a name is, what its type is, and how it is differentiated.

mod differentiation;
mod keywords;
mod written;

use base_db::Db;
use hir_def::{
    attribute::{Attribute, AttributeKind, Modifiers},
    body::{Expr, ExprId, ExprStore, Literal, LocalId, LocalKind, Stmt},
    item::{self, ItemId, ItemKind, ModulePath},
    modules,
};
use hir_ty::{
    aggregate, consts,
    differential::{
        self,
        aggregate::field_derivatives as aggregate_derivatives,
        display::signature_text,
        signature::{CallableSignature, ParamRole, callable_signature},
    },
    display,
    env::Env,
    generics,
    infer::result::Callable,
    known,
    lower_ty::TypeLowering,
    substitute::{Substitution, substitute},
    ty::{Scalar, Ty, TypeParam},
};
use syntax::TextRange;

use crate::{
    FilePosition,
    declaration_text::{constant_of_type, declaration_text_as},
    derivative_flow, documentation,
    macros::{self, Macro},
    memory_layout,
    semantics::{self, Definition, Found, in_prelude},
};

/// What is shown for a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// Markdown.
    pub markdown: String,
}

/// What is known of what is at a position.
pub fn hover(db: &dyn Db, at: FilePosition) -> Option<Hover> {
    if let Some((range, found)) = macros::macro_at(db, at) {
        return Some(Hover { range, markdown: macro_markdown(db, at, &found) });
    }
    // All of an attribute means the attribute, but for what it requires.
    if let Some(required) = written::required(db, at) {
        return Some(required);
    }
    let Some(found) = semantics::find(db, at) else { return written::written(db, at) };
    let mut markdown = match &found.definition {
        Definition::Item(item) => item_markdown(db, *item, &found)?,
        Definition::Candidates(items) => {
            let first = item_markdown(db, *items.first()?, &found)?;
            match items.len() - 1 {
                0 => first,
                1 => format!("{first}\n\n1 more overload"),
                more => format!("{first}\n\n{more} more overloads"),
            }
        }
        Definition::Local { owner, local } => {
            let body = hir_def::body::queries::body(db, *owner);
            let ty = found.ty.or_else(|| semantics::body_of(db, *owner).1.local_types.get(*local).copied())?;
            let text = local_text(db, *owner, &body.store, *local, ty);
            [code(&text), derivative_of_value(db, &found, ty)].concat()
        }
        Definition::GenericParam { owner, index } => {
            item::item_data(db, *owner).generics.params.get(*index as usize)?;
            code(&display::display_generic_parameter(db, TypeParam::new(db, *owner, *index)))
        }
        Definition::Type(ty) => {
            let declared = known::declaration_of(db, *ty).and_then(|(item, _)| item::item_data(db, item).doc.as_ref());
            let doc = declared.map(|doc| format!("\n\n---\n\n{}", documentation::markdown(doc))).unwrap_or_default();
            let (shown, written) = (display::display(db, *ty), db.text(at.file)?.slice(found.range.into()));
            // An older or longer name, as it is written.
            let is_name = written.chars().all(|c| c == '_' || c.is_alphanumeric());
            let text = if is_name && !shown.starts_with(&written) { format!("{written} = {shown}") } else { shown };
            format!("{}{doc}", code(&text))
        }
        Definition::Callable(callable) => callable_markdown(db, callable, &found)?,
        Definition::Attribute { item, attribute } => {
            let general = attribute_markdown(&item::item_data(db, *item).store.attributes[*attribute]);
            [general, differentiation::attribute_here(db, *item, *attribute)].concat()
        }
        Definition::StatementAttribute { owner, attribute } => {
            let written = &semantics::body_of(db, *owner).0.store.attributes[*attribute];
            [attribute_markdown(written), differentiation::statement_attribute_here(db, *owner, written)].concat()
        }
        Definition::Part(what) => {
            let name = db.text(at.file)?.slice(found.range.into());
            let text = code(&format!("{} {name}", display::display(db, found.ty?)));
            match found.owner {
                Some(owner) => format!("{text}\n\n{what} (`{}`)", display::display(db, owner)),
                None => format!("{text}\n\n{what}"),
            }
        }
        Definition::Label { .. } => {
            let name = db.text(at.file)?.slice(found.range.into());
            format!(
                "{}\n\n`break {name};` goes on behind the statement that has this label.",
                code(&format!("{name}:"))
            )
        }
        Definition::NoDiff => {
            let ty = found.ty.map(|ty| code(&display::display(db, ty))).unwrap_or_default();
            format!("{ty}\n\n`no_diff`: the value is used here and its derivative is dropped on purpose.")
        }
    };
    let is_value = match &found.definition {
        Definition::Local { .. } => true,
        Definition::Item(item) => matches!(item::item_data(db, *item).kind, ItemKind::Variable { .. }),
        Definition::Candidates(_)
        | Definition::GenericParam { .. }
        | Definition::Type(_)
        | Definition::Callable(_)
        | Definition::Attribute { .. }
        | Definition::StatementAttribute { .. }
        | Definition::Part(_)
        | Definition::NoDiff
        | Definition::Label { .. } => false,
    };
    if is_value && let Some(explanation) = derivative_flow::explanation(db, at.file, &found) {
        markdown.push_str(&format!("\n\n{explanation}"));
    }
    Some(Hover { range: found.range, markdown })
}

/// A local as it is declared; what cannot change with its value, where that is told by the declaration.
fn local_text(db: &dyn Db, owner: ItemId, store: &ExprStore, id: LocalId, ty: Ty) -> String {
    let local = &store.locals[id];
    let is_constant = local.modifiers.contains(Modifiers::CONST);
    let words = match local.kind {
        LocalKind::Static if is_constant => "static const ",
        LocalKind::Static => "static ",
        LocalKind::Let => "let ",
        LocalKind::Variable | LocalKind::Param { .. } if is_constant => "const ",
        LocalKind::Variable | LocalKind::Param { .. } => "",
    };
    let mut text = format!("{words}{} {}", display::display(db, ty), local.name);
    let init = store.stmts.iter().find_map(|(_, stmt)| match stmt {
        Stmt::Let { local, init } if *local == id => *init,
        _ => None,
    });
    if !words.is_empty()
        && (local.kind != LocalKind::Static || is_constant)
        && let Some(init) = init
        && let Some(value) = constant_text(db, owner, store, init, ty)
    {
        text.push_str(&format!(" = {value}"));
    }
    text
}

fn constant_text(db: &dyn Db, owner: ItemId, store: &ExprStore, init: ExprId, ty: Ty) -> Option<String> {
    if let Expr::Literal(Literal::Float { bits, .. }) = store.exprs[init] {
        return matches!(ty, Ty::Scalar(Scalar::Half | Scalar::Float | Scalar::Double))
            .then(|| format!("{:?}", f64::from_bits(bits)));
    }
    let is_number =
        matches!(ty, Ty::Scalar(scalar) if !matches!(scalar, Scalar::Half | Scalar::Float | Scalar::Double));
    let value = consts::integer(&mut TypeLowering::new(db, owner, store), init)?.value().filter(|_| is_number)?;
    Some(constant_of_type(value, ty))
}

/// The definition of a macro, and what becomes of it here.
fn macro_markdown(db: &dyn Db, at: FilePosition, found: &Macro) -> String {
    match macros::expansion_at(db, at) {
        Some(expansion) => format!("{}\n\nhere it is\n\n{}", code(&found.text), code(&expansion)),
        None => code(&found.text),
    }
}

fn attribute_markdown(attribute: &Attribute) -> String {
    match attribute.kind.map(AttributeKind::info) {
        Some(info) => {
            let plain = |name: &str| name.trim_start_matches("vk::").to_owned();
            let other = match plain(attribute.name.as_str()) == plain(info.name()) {
                true => String::new(),
                false => format!("\n\n`[{}]` is another spelling of this.", attribute.name),
            };
            format!("{}\n\n{}{other}", code(&format!("[{}]", info.signature())), info.documentation)
        }
        None => code(&format!("[{}]", attribute.name)),
    }
}

fn code(text: &str) -> String {
    format!("```slang\n{text}\n```")
}

fn item_markdown(db: &dyn Db, item: ItemId, found: &Found) -> Option<String> {
    let data = item::item_data(db, item);
    if let Some(path) = modules::path_of(db, item) {
        return Some(file_markdown(db, found, path));
    }
    let mut text = code(&declaration_text_as(db, item, found.ty));
    let container = item::container(db, item).and_then(|container| item::item_data(db, container).name.clone());
    match (container, found.owner) {
        // With its arguments, where it is used.
        (Some(_), Some(owner)) => text.push_str(&format!("\n\nin `{}`", display::display(db, owner))),
        (Some(name), None) => text.push_str(&format!("\n\nin `{name}`")),
        (None, _) => {}
    }
    if let ItemKind::Function(_) = data.kind {
        text.push_str(&instance(db, found).unwrap_or_default());
        text.push_str(&differentiation::of_function(db, item));
    }
    if let ItemKind::Variable { .. } = data.kind
        && aggregate::is_field(db, item)
    {
        text.push_str(&field_markdown(db, item, found).unwrap_or_default());
    } else if let ItemKind::Variable { .. } = data.kind
        && let Some(layout) = memory_layout::in_constant_buffer(db, item)
    {
        text.push_str(&format!("\n\n{layout}"));
    } else if let (ItemKind::Variable { .. }, Some(ty)) = (&data.kind, found.ty) {
        text.push_str(&derivative_of_value(db, found, ty));
    }
    if let ItemKind::Struct { .. } = data.kind
        && !in_prelude(db, item)
        && let Some(ty) = found.ty.or_else(|| generics::self_type(db, item))
    {
        text.push_str(&derivative_of_value(db, found, ty));
        let layout = memory_layout::of_struct(db, Env::of(db, found.context), ty);
        text.push_str(&layout.map(|layout| format!("\n\n{layout}")).unwrap_or_default());
    }
    if let Some(doc) = &data.doc {
        text.push_str(&format!("\n\n---\n\n{}", documentation::markdown(doc)));
    }
    Some(text)
}

/// A module or another file that is named, and where it is.
fn file_markdown(db: &dyn Db, found: &Found, path: &ModulePath) -> String {
    let (ModulePath::Dotted(name) | ModulePath::Quoted(name)) = path;
    let named = code(&format!("module {name}"));
    match modules::resolve(db, item::file_of(db, found.context), path) {
        Some(file) => format!("{named}\n\n`{}`", file.path(db)),
        None => named,
    }
}

/// The signature of a generic function with the arguments that it has here.
fn instance(db: &dyn Db, found: &Found) -> Option<String> {
    let callable = semantics::callable_at(db, found.context, found.expr?)?;
    let Callable::Function(function) = callable else { return None };
    let identity = generics::identity_args(db, function.item);
    if function.args == identity || function.args.args(db).is_empty() {
        return None;
    }
    let signature = callable_signature(db, Env::of(db, found.context), callable).ok()?;
    let written = signature.params.iter().filter(|param| param.role != ParamRole::This).cloned();
    let signature = CallableSignature { params: written.collect(), ..signature.clone() };
    let text = signature_text(db, &display::function_name(db, *function), &signature);
    Some(format!("\n\nhere it is\n\n{}", code(&text)))
}

/// Where the derivative of a field is, and how the field lies in memory.
fn field_markdown(db: &dyn Db, field: ItemId, found: &Found) -> Option<String> {
    let container = item::container(db, field)?;
    let owner = found.owner.or_else(|| generics::self_type(db, container))?;
    let env = Env::of(db, found.context);
    let mut text = String::new();
    let derivatives = aggregate_derivatives(db, env, owner);
    if let Some(of_field) = derivatives.iter().find(|derivative| derivative.field == field) {
        text.push_str("\n\n");
        text.push_str(&match (of_field.derivative, of_field.differential) {
            (Some(derivative), Some(ty)) => {
                let differential = differential::differential_of(db, env, owner).unwrap_or(owner);
                let (ty, whole) = (display::display(db, ty), display::display(db, differential));
                let name = display::item_name(db, derivative);
                format!("differentiable: its derivative is a `{ty}`, `{name}` of `{whole}`")
            }
            (None, Some(_)) => "its derivative is dropped: the differential type has no field for it".to_owned(),
            (_, None) => "not part of the differential type".to_owned(),
        });
    }
    if let Some(layout) = memory_layout::of_field(db, env, owner, field) {
        text.push_str(&format!("\n\n{layout}"));
    }
    Some(text)
}

fn callable_markdown(db: &dyn Db, callable: &Callable, found: &Found) -> Option<String> {
    let signature = callable_signature(db, Env::of(db, found.context), callable).ok()?;
    let mut text = code(&signature_text(db, &callable_name(db, callable), &signature));
    let mut innermost = callable;
    while let Callable::Derivative { of, .. } = innermost {
        innermost = of;
    }
    if let Callable::Function(function) = innermost
        && let Some(doc) = &item::item_data(db, function.item).doc
    {
        text.push_str(&format!("\n\n---\n\n{}", documentation::markdown(doc)));
    }
    Some(text)
}

/// `bwd_diff(f)` as the user writes it.
pub(crate) fn callable_name(db: &dyn Db, callable: &Callable) -> String {
    match callable {
        Callable::Function(function) => {
            let aggregate = generics::enclosing_aggregate(db, function.item);
            match aggregate.and_then(|aggregate| generics::self_type(db, aggregate)) {
                // With the arguments that its type has here.
                Some(owner) if !matches!(owner, Ty::This(_)) => {
                    let env = Env::of(db, function.item);
                    let owner = substitute(db, env, owner, &Substitution::of_function(db, *function));
                    format!("{}.{}", display::display(db, owner), display::declared_name(db, function.item))
                }
                _ => display::qualified_name(db, function.item),
            }
        }
        Callable::Derivative { operator, of } => {
            format!("{}({})", operator.spelling(), callable_name(db, of))
        }
        Callable::Make(ty) => display::display(db, *ty),
        Callable::Value(_) => "?".to_owned(),
        Callable::Synthesized { operation, ty } => {
            let operation = match operation {
                hir_ty::infer::result::SynthesizedOperation::DZero => "dzero",
                hir_ty::infer::result::SynthesizedOperation::DAdd => "dadd",
                hir_ty::infer::result::SynthesizedOperation::DMul => "dmul",
            };
            format!("{}.{operation}", display::display(db, *ty))
        }
    }
}

fn derivative_of_value(db: &dyn Db, found: &Found, ty: Ty) -> String {
    match differential::differential_of(db, Env::of(db, found.context), ty) {
        Some(differential) => {
            format!("\n\ndifferentiable: its derivative is a `{}`", display::display(db, differential))
        }
        None => String::new(),
    }
}
