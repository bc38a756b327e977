//! How a function is differentiated, and what the attributes and keywords of differentiation do where they stand.

use base_db::Db;
use hir_def::{
    attribute::{Attribute, AttributeId, AttributeKind},
    body::DerivativeOperator,
    item::{self, ItemId, ItemKind},
    source_map,
};
use hir_ty::{
    aggregate, consts,
    differential::{
        aggregate::field_derivatives,
        association::{self, Choice},
        attribute::{AssociationKind, DerivativeAttribute, own_attributes},
        display::{param_text, signature_text},
        rules::{DerivativeRules, derivative_rules},
        signature::{CallableSignature, ParamRole, derivative_signature},
    },
    display,
    env::Env,
    generics,
    infer::result::Callable,
    lower_ty::TypeLowering,
    signature::{FunctionRef, signature},
    ty::Const,
};
use syntax::TextSize;

use super::{code, written::Token};
use crate::semantics::{self, in_prelude};

/// The derivative signatures of a function, where they exist, and where its rule comes from.
pub(super) fn of_function(db: &dyn Db, item: ItemId) -> String {
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

/// What an attribute of differentiation does to the declaration that it stands on; nothing for others.
pub(super) fn attribute_here(db: &dyn Db, item: ItemId, attribute: AttributeId) -> String {
    let data = item::item_data(db, item);
    if data.store.attributes[attribute].kind == Some(AttributeKind::DerivativeMember) {
        return derivative_member(db, item).map(|text| format!("\n\nhere: {text}")).unwrap_or_default();
    }
    if let Some(text) = of_entry_point(db, item, &data.store.attributes[attribute]) {
        return format!("\n\nhere: {text}");
    }
    let Some(written) = own_attributes(db, item).into_iter().find(|written| written.id == attribute) else {
        return String::new();
    };
    match written.attribute {
        DerivativeAttribute::Association(tie) => {
            let Choice::Found(chosen) = association::choose(db, written) else { return String::new() };
            let (primal, other) = if tie.reversed { (chosen.item, item) } else { (item, chosen.item) };
            let expected = association::expected_signature(db, tie.kind, association::identity(db, primal));
            let (primal, other) = (display::qualified_name(db, primal), display::qualified_name(db, other));
            let what = match tie.kind {
                AssociationKind::ForwardDerivative => format!("fwd_diff({primal})"),
                AssociationKind::BackwardDerivative => format!("bwd_diff({primal})"),
                AssociationKind::PrimalSubstitute => {
                    return format!("\n\nhere: differentiated code calls `{other}` in place of `{primal}`");
                }
            };
            format!("\n\nhere: `{other}` is\n\n{}", code(&signature_text(db, &what, &expected)))
        }
        DerivativeAttribute::Differentiable
        | DerivativeAttribute::ForwardDifferentiable
        | DerivativeAttribute::TreatAsDifferentiable
        | DerivativeAttribute::NoDiffThis
        | DerivativeAttribute::PreferRecompute
        | DerivativeAttribute::PreferCheckpoint => match data.kind {
            ItemKind::Function(_) => of_function(db, item),
            _ => String::new(),
        },
    }
}

/// What the attributes of an entry point say of it.
fn of_entry_point(db: &dyn Db, item: ItemId, attribute: &Attribute) -> Option<String> {
    let store = &item::item_data(db, item).store;
    match attribute.kind? {
        AttributeKind::Shader => Some(format!(
            "`{}` is an entry point of the stage `{}`",
            display::item_name(db, item),
            attribute.string(store, 0)?
        )),
        AttributeKind::NumThreads => {
            let mut lowering = TypeLowering::new(db, item, store);
            let sizes = attribute.args.iter().map(|arg| consts::integer(&mut lowering, *arg)?.value());
            let mut sizes: Vec<i64> = sizes.collect::<Option<_>>()?;
            sizes.resize(3, 1);
            let total = sizes.iter().try_fold(1i64, |total, size| total.checked_mul(*size))?;
            Some(format!("{} × {} × {} = {total} threads", sizes[0], sizes[1], sizes[2]))
        }
        _ => None,
    }
}

/// What an attribute of differentiation does to the loop that it stands on.
pub(super) fn statement_attribute_here(db: &dyn Db, owner: ItemId, attribute: &Attribute) -> String {
    let (body, _) = semantics::body_of(db, owner);
    let mut lowering = TypeLowering::new(db, owner, &body.store);
    let argument = attribute.args.first();
    let count = argument.and_then(|count| consts::integer(&mut lowering, *count)).and_then(Const::value);
    let name = display::qualified_name(db, owner);
    let rules = derivative_rules(db, owner);
    let here = match (attribute.kind, count) {
        (Some(AttributeKind::MaxIters | AttributeKind::ForceUnroll), _)
            if !rules.allows(DerivativeOperator::Backward) =>
        {
            format!("`{name}` has no backward derivative that would be made of this loop")
        }
        (Some(AttributeKind::MaxIters), Some(count)) => {
            format!("`bwd_diff({name})` keeps what the way back needs for up to {count} iterations")
        }
        (Some(AttributeKind::ForceUnroll), _) => {
            format!("`bwd_diff({name})` is made of the iterations one behind the other, and keeps nothing in arrays")
        }
        _ => return String::new(),
    };
    format!("\n\nhere: {here}")
}

fn derivative_member(db: &dyn Db, field: ItemId) -> Option<String> {
    let owner = generics::self_type(db, item::container(db, field)?)?;
    let derivatives = field_derivatives(db, Env::of(db, field), owner);
    let found = derivatives.iter().find(|derivative| derivative.field == field)?;
    let differential = hir_ty::differential::differential_of(db, Env::of(db, field), owner)?;
    Some(format!(
        "the derivative of `{}` is `{}` of `{}`",
        display::item_name(db, field),
        display::item_name(db, found.derivative?),
        display::display(db, differential)
    ))
}

/// The modifiers that change derivatives.
const MODIFIERS: [&str; 5] = ["no_diff", "in", "out", "inout", "constref"];

/// What a modifier does to the derivatives of the declaration that it stands in.
pub(super) fn keyword_here(db: &dyn Db, token: &Token<'_>) -> Option<String> {
    let item = MODIFIERS.contains(&token.word()).then(|| token.item(db)).flatten()?;
    modified(db, item, token.text, token.end())
}

/// What stands behind a modifier of a declaration: a parameter, the result, a field.
fn modified(db: &dyn Db, item: ItemId, text: &str, behind: usize) -> Option<String> {
    let source = source_map::item_source(db, item).as_ref()?;
    let behind = TextSize::new(u32::try_from(behind).ok()?);
    let name = display::item_name(db, item);
    match item::item_data(db, item).kind {
        ItemKind::Function(_) if source.name.is_some_and(|name| behind <= name.range.start()) => {
            let none = signature(db, item).ret_no_diff;
            none.then(|| format!("the result of `{name}` has no derivative: `bwd_diff({name})` takes none for it"))
        }
        ItemKind::Function(_) => {
            let next =
                source.params.iter().position(|param| param.is_some_and(|param| behind <= param.range.start()))?;
            // Not of a parameter without a name in between.
            let until = source.params[next]?.range.start();
            let between = text.get(behind.into()..until.into())?;
            let depth = |(depth, comma): (i32, bool), letter: char| match letter {
                '<' | '(' | '[' => (depth + 1, comma),
                '>' | ')' | ']' => (depth - 1, comma),
                ',' => (depth, comma || depth == 0),
                _ => (depth, comma),
            };
            let (_, is_other) = between.chars().fold((0, false), depth);
            (!is_other).then(|| parameter_in_derivatives(db, item, next)).flatten()
        }
        ItemKind::Variable { .. } if aggregate::is_field(db, item) => {
            let container = display::item_name(db, item::container(db, item)?);
            Some(format!("`{name}` is not part of the differential of `{container}`"))
        }
        _ => None,
    }
}

/// What becomes of a parameter in the derivatives of its function.
fn parameter_in_derivatives(db: &dyn Db, item: ItemId, index: usize) -> Option<String> {
    let rules = derivative_rules(db, item);
    let function = Callable::Function(association::identity(db, item));
    let own = hir_ty::differential::signature::callable_signature(db, Env::of(db, item), &function).ok()?;
    let receivers = own.params.iter().filter(|param| param.role == ParamRole::This).count();
    let name = display::qualified_name(db, item);
    let operators = [(DerivativeOperator::Forward, "fwd_diff"), (DerivativeOperator::Backward, "bwd_diff")];
    let sentences =
        operators.into_iter().filter(|(operator, _)| rules.allows(*operator)).filter_map(|(operator, word)| {
            let derived = derivative_signature(db, Env::of(db, item), &function, operator).ok()?;
            let is_meant = |role: ParamRole| match role {
                ParamRole::Pair(of) | ParamRole::Primal(of) | ParamRole::Cotangent(of) | ParamRole::Absent(of) => {
                    of == index + receivers
                }
                ParamRole::Written | ParamRole::This | ParamRole::ResultCotangent => false,
            };
            let params: Vec<String> =
                derived.params.iter().filter(|param| is_meant(param.role)).map(|param| param_text(db, param)).collect();
            Some(match params.as_slice() {
                [] => format!("`{word}({name})` does not have it"),
                params => format!("`{word}({name})` takes `{}`", params.join(", ")),
            })
        });
    let sentences: Vec<String> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}
