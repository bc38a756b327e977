//! Hover: what a name is, what its type is, and how it is differentiated.

use base_db::Db;
use hir_def::{
    attribute::{Attribute, AttributeKind},
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    differential::{
        self,
        display::signature_text,
        rules::{DerivativeRules, derivative_rules},
        signature::{CallableSignature, ParamRole, callable_signature, derivative_signature},
    },
    display,
    env::Env,
    generics,
    infer::result::Callable,
    signature::FunctionRef,
    ty::{Ty, TypeParam},
};
use syntax::TextRange;

use crate::{
    FilePosition,
    declaration_text::declaration_text_as,
    derivative_flow,
    macros::{self, Macro},
    semantics::{self, Definition, Found, in_prelude},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: TextRange,
    pub markdown: String,
}

pub fn hover(db: &dyn Db, at: FilePosition) -> Option<Hover> {
    if let Some((range, found)) = macros::macro_at(db, at) {
        return Some(Hover { range, markdown: macro_markdown(db, at, &found) });
    }
    let found = semantics::find(db, at)?;
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
            let body = hir_def::body::lower::body(db, *owner);
            let name = &body.store.locals[*local].name;
            let ty = found.ty.or_else(|| semantics::body_of(db, *owner).1.local_types.get(*local).copied())?;
            let text = format!("{} {name}", display::display(db, ty));
            [code(&text), derivative_of_value(db, &found, ty)].concat()
        }
        Definition::GenericParam { owner, index } => {
            item::item_data(db, *owner).generics.params.get(*index as usize)?;
            code(&display::display_generic_parameter(db, TypeParam::new(db, *owner, *index)))
        }
        Definition::Type(ty) => code(&display::display(db, *ty)),
        Definition::Callable(callable) => callable_markdown(db, callable, &found)?,
        Definition::Attribute { item, attribute } => {
            attribute_markdown(&item::item_data(db, *item).store.attributes[*attribute])
        }
        Definition::StatementAttribute { owner, attribute } => {
            attribute_markdown(&semantics::body_of(db, *owner).0.store.attributes[*attribute])
        }
        Definition::Part(what) => {
            let name = db.text(at.file)?.slice(found.range.into());
            format!("{}\n\n{what}", code(&format!("{} {name}", display::display(db, found.ty?))))
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
        | Definition::NoDiff => false,
    };
    if is_value && let Some(explanation) = derivative_flow::explanation(db, at.file, &found) {
        markdown.push_str(&format!("\n\n{explanation}"));
    }
    Some(Hover { range: found.range, markdown })
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
        Some(info) => format!("{}\n\n{}", code(&format!("[{}]", info.signature())), info.documentation),
        None => code(&format!("[{}]", attribute.name)),
    }
}

fn code(text: &str) -> String {
    format!("```slang\n{text}\n```")
}

fn item_markdown(db: &dyn Db, item: ItemId, found: &Found) -> Option<String> {
    let data = item::item_data(db, item);
    let mut text = code(&declaration_text_as(db, item, found.ty));
    let container = item::container(db, item).and_then(|container| item::item_data(db, container).name.clone());
    match (container, found.owner) {
        // With its arguments, where it is used.
        (Some(_), Some(owner)) => text.push_str(&format!("\n\nin `{}`", display::display(db, owner))),
        (Some(name), None) => text.push_str(&format!("\n\nin `{name}`")),
        (None, _) => {}
    }
    if let ItemKind::Function(_) = data.kind {
        text.push_str(&derivatives_of_function(db, item));
    }
    if let (ItemKind::Variable { .. }, Some(ty)) = (&data.kind, found.ty) {
        text.push_str(&derivative_of_value(db, found, ty));
    }
    if let Some(doc) = &data.doc {
        text.push_str(&format!("\n\n---\n\n{doc}"));
    }
    Some(text)
}

/// The derivative signatures of a function, where they exist, and where its rule comes from.
fn derivatives_of_function(db: &dyn Db, item: ItemId) -> String {
    let rules = derivative_rules(db, item);
    let function = Callable::Function(FunctionRef { item, args: generics::identity_args(db, item), self_ty: None });
    let name = display::qualified_name(db, item);
    let mut text = String::new();
    let operators = [(DerivativeOperator::Forward, "fwd_diff"), (DerivativeOperator::Backward, "bwd_diff")];
    for (operator, spelling) in operators {
        if rules.allows(operator)
            && let Ok(signature) = derivative_signature(db, Env::of(db, item), &function, operator)
            // What a generic function of the library carries is decided by its arguments: without them there is nothing to show.
            && !(in_prelude(db, item) && carries_nothing(&signature))
        {
            text.push_str(&format!("\n\n{}", code(&signature_text(db, &format!("{spelling}({name})"), &signature))));
        }
    }
    text.push_str(&format!("\n\n{}", origin_of_derivative(db, item, rules)));
    text
}

/// Whether no parameter of a derivative is a pair or a derivative.
fn carries_nothing(signature: &CallableSignature) -> bool {
    let is_plain = |role| matches!(role, ParamRole::Written | ParamRole::This | ParamRole::Primal(_));
    signature.params.iter().all(|param| is_plain(param.role))
}

/// How a function is differentiated, in one line.
fn origin_of_derivative(db: &dyn Db, item: ItemId, rules: &DerivativeRules) -> String {
    let data = item::item_data(db, item);
    let name_of = |item: ItemId| display::item_name(db, item);
    let mut origins = Vec::new();
    if let Some(substitute) = rules.primal_substitute {
        origins.push(format!("differentiated code calls `{}` instead", name_of(substitute)));
    }
    if let Some(custom) = rules.forward_derivative {
        origins.push(format!("`fwd_diff` is given by `{}`", name_of(custom)));
    }
    if let Some(custom) = rules.backward_derivative {
        origins.push(format!("`bwd_diff` is given by `{}`", name_of(custom)));
    }
    if rules.treat_as_differentiable {
        origins.push("`[TreatAsDifferentiable]`: its derivative is declared to be zero".to_owned());
    }
    if origins.is_empty() && rules.is_differentiable() {
        let is_intrinsic = data.has_attribute(AttributeKind::Intrinsic);
        let has_body = matches!(&data.kind, ItemKind::Function(function) if function.has_body);
        origins.push(match (is_intrinsic, has_body) {
            (true, _) => "the compiler's table of rules has its derivative".to_owned(),
            (false, true) => "its derivative is made from its body".to_owned(),
            (false, false) => "its derivative is that of the function that implements it".to_owned(),
        });
    }
    match origins.as_slice() {
        [] => "not differentiable".to_owned(),
        origins if rules.is_differentiable() => format!("differentiable: {}", origins.join("; ")),
        origins => origins.join("; "),
    }
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
        text.push_str(&format!("\n\n---\n\n{doc}"));
    }
    Some(text)
}

/// `bwd_diff(f)` as the user writes it.
pub(crate) fn callable_name(db: &dyn Db, callable: &Callable) -> String {
    match callable {
        Callable::Function(function) => display::qualified_name(db, function.item),
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
