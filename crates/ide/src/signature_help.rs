//! Signature help: the parameters of the call around a position, derivatives included.

mod builtin;
mod written;

use std::ops::Range;

use base_db::{Db, text::Part};
use hir_def::{
    body::{BinaryOp, DerivativeOperator, Expr, ExprId},
    item::{self, ItemId, ItemKind},
    name::Name,
    position::{self, Location},
    source_map,
};
use hir_ty::{
    aggregate,
    closure::ClosureCode,
    differential::{
        display::{param_text, signature_text},
        signature::{CallableSignature, ParamRole, callable_signature, function_signature},
    },
    display,
    env::Env,
    generics,
    infer::{
        self,
        result::{Callable, Resolution},
    },
    members,
    signature::{FunctionRef, signature as signature_of},
    ty::{GenericArgs, Ty},
};
use syntax::{TextRange, TextSize};

use crate::{
    FilePosition,
    declaration_text::{declaration_text, default_text},
    documentation,
    hover::callable_name,
    semantics,
};

/// The functions that a call may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// One for each overload.
    pub signatures: Vec<Signature>,
    /// Index into `signatures`.
    pub active_signature: u32,
    /// The parameter that the cursor is at.
    pub active_parameter: Option<u32>,
}

/// A function as help shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The function with its parameters.
    pub label: String,
    /// Markdown.
    pub documentation: Option<String>,
    /// Where each parameter stands in the label, in bytes.
    pub parameters: Vec<Range<usize>>,
}

/// Help for the call around a position.
pub fn signature_help(db: &dyn Db, at: FilePosition) -> Option<SignatureHelp> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    let in_body = |item| in_body(db, item, part, offset);
    written::written(db, at).or_else(|| source_map::items_at(db, segment, part, offset).into_iter().find_map(in_body))
}

/// The call that a position is in the parentheses of, or what is indexed in brackets.
struct ActiveCall {
    call: ExprId,
    /// What is called or indexed.
    callee: ExprId,
    is_index: bool,
    /// The argument that the position is in.
    argument: usize,
}

fn in_body(db: &dyn Db, item: ItemId, part: Part, offset: TextSize) -> Option<SignatureHelp> {
    if source_map::body_source_map(db, item).owner().part != part {
        return None;
    }
    if let Some(help) = generic_arguments(db, item, offset) {
        return Some(help);
    }
    let ActiveCall { call, callee, is_index, argument: active } = active_call(db, item, part, offset)?;
    let signatures: Vec<Signature> = if is_index {
        subscripts(db, item, callee)
    } else {
        let callables = candidates(db, item, call, callee);
        let callables = callables.iter().filter_map(|callable| signature(db, item, callable));
        callables
            .chain(made_type(db, item, call, callee).into_iter().flat_map(|ty| builtin::constructors(db, ty)))
            .collect()
    };
    if signatures.is_empty() {
        return None;
    }
    let fits = |signature: &Signature| active < signature.parameters.len().max(1);
    let active_signature = signatures.iter().position(fits).unwrap_or(0);
    Some(SignatureHelp { signatures, active_signature: active_signature as u32, active_parameter: Some(active as u32) })
}

/// The type of the parameter that an argument at a position goes to.
pub(crate) fn parameter_type(db: &dyn Db, at: FilePosition) -> Option<Ty> {
    let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
    source_map::items_at(db, segment, part, offset).into_iter().find_map(|item| {
        let ActiveCall { call, callee, argument, .. } =
            active_call(db, item, part, offset).filter(|active| !active.is_index)?;
        let callables = candidates(db, item, call, callee);
        let params = callables.iter().filter_map(|callable| written_params(db, item, callable));
        params.filter_map(|signature| signature.params.get(argument).map(|param| param.ty)).next()
    })
}

fn active_call(db: &dyn Db, item: ItemId, part: Part, offset: TextSize) -> Option<ActiveCall> {
    let map = source_map::body_source_map(db, item);
    if map.owner().part != part {
        return None;
    }
    let body = hir_def::body::queries::body(db, item);
    // The innermost call whose parentheses hold the position.
    let calls = body.store.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::Call { callee, args } => Some((id, *callee, args.iter().map(|arg| arg.value).collect::<Vec<_>>())),
        Expr::Index { base, args } => Some((id, *base, args.clone())),
        _ => None,
    });
    let around = calls.filter(|(id, callee, _)| {
        let (whole, callee) = (map.expr(*id).range, map.expr(*callee).range);
        callee.end() < offset && offset <= whole.end()
    });
    let (call, callee, args) = around.min_by_key(|(id, ..)| map.expr(*id).range.len())?;
    let text = db.text(map.owner().segment.file(db))?;
    let (_, whole) = position::absolute(db, map.expr(call));
    let start = whole.start() + (offset - map.expr(call).range.start());
    let closed = text.slice(whole.into()).ends_with([')', ']']);
    if closed && start == whole.end() {
        return None;
    }
    // The argument that the position is in or behind of: commas are counted by arguments that end before.
    let active = args.iter().filter(|arg| map.expr(**arg).range.end() < offset).count();
    let behind_comma = args.get(active.wrapping_sub(1)).is_none_or(|last| {
        let (_, last) = position::absolute(db, map.expr(*last));
        text.slice(last.end().into()..start.into()).contains(',')
    });
    let argument = if behind_comma { active } else { active.saturating_sub(1) };
    let is_index = matches!(body.store.exprs[call], Expr::Index { .. });
    Some(ActiveCall { call, callee, is_index, argument })
}

/// What the brackets behind a value take, by the subscripts that its type declares.
fn subscripts(db: &dyn Db, context: ItemId, base: ExprId) -> Vec<Signature> {
    let Some(ty) = infer::infer(db, context).expr_types.get(base).copied() else { return Vec::new() };
    let ty = ty.dereferenced(db).unwrap_or(ty);
    let declared = members::lookup(db, Env::of(db, context), ty, &Name::new("__subscript")).into_iter();
    let shown = declared.map(|member| {
        let own = generics::identity_args(db, member.item);
        let own = own.args(db).iter().skip(member.args.args(db).len()).copied();
        let args = GenericArgs::new(db, member.args.args(db).iter().copied().chain(own).collect::<Box<[_]>>());
        let function = FunctionRef { item: member.item, args, self_ty: member.self_ty };
        let signature = function_signature(db, Env::of(db, context), function);
        let params = signature.params.iter().filter(|param| param.role != ParamRole::This);
        let name = format!("{} {}", display::display(db, signature.ret), display::display(db, ty));
        let documentation = item::item_data(db, member.item).doc.as_deref().map(documentation::markdown);
        written::in_brackets(&name, ["[", "]"], params.map(|param| param_text(db, param)), documentation)
    });
    let shown: Vec<Signature> = shown.collect();
    if shown.is_empty() { builtin::subscript(db, ty).into_iter().collect() } else { shown }
}

/// A signature as it is called: the receiver of a method stands in front of the dot.
fn written_params(db: &dyn Db, context: ItemId, callable: &Callable) -> Option<CallableSignature> {
    let mut signature = callable_signature(db, Env::of(db, context), callable).ok()?;
    if let Callable::Function(_) = callable {
        signature.params.retain(|param| param.role != ParamRole::This);
    }
    Some(signature)
}

/// Between the `<` and `>` of a call: the generic parameters of the functions that are named.
fn generic_arguments(db: &dyn Db, item: ItemId, offset: TextSize) -> Option<SignatureHelp> {
    let map = source_map::body_source_map(db, item);
    let body = hir_def::body::queries::body(db, item);
    let text = db.text(map.owner().segment.file(db))?;
    // How many commas of the brackets are in front, if what follows a name up to here opens them and does not close them.
    let commas = |begins: TextSize| {
        let location = Location { range: TextRange::new(begins, offset), ..map.owner() };
        open_arguments(&text.slice(position::absolute(db, location).1.into()))
    };
    let found = body.store.exprs.iter().filter_map(|(id, expr)| {
        let (named, begins) = match expr {
            // Half a comparison as long as nothing follows.
            Expr::Binary { op: BinaryOp::Less, left, .. } => (*left, map.expr(*left).range.end()),
            Expr::Member { base, .. } => (id, map.expr(*base).range.end()),
            Expr::Path(_) => (id, map.expr(id).range.start()),
            _ => return None,
        };
        let is_near = begins < offset && offset <= map.expr(id).range.end() + TextSize::new(1);
        is_near.then(|| Some((named, map.expr(id).range.len(), commas(begins)?))).flatten()
    });
    let (named, _, active) = found.min_by_key(|(_, length, _)| *length)?;
    let signatures = semantics::functions_named(db, item, named).into_iter().map(|function| {
        let label = declaration_text(db, function);
        let parameters = generic_parameters(&label);
        Signature {
            label,
            documentation: item::item_data(db, function).doc.as_deref().map(documentation::markdown),
            parameters,
        }
    });
    let signatures: Vec<Signature> = signatures.filter(|signature| !signature.parameters.is_empty()).collect();
    let active_parameter = Some(active as u32);
    (!signatures.is_empty()).then_some(SignatureHelp { signatures, active_signature: 0, active_parameter })
}

/// The commas in brackets that a name opens, `.name<a, `, and that are still open at the end.
fn open_arguments(text: &str) -> Option<usize> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '-'));
    let arguments =
        text.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric()).trim_start().strip_prefix('<')?;
    let (mut depth, mut commas) = (0usize, 0);
    for letter in arguments.chars() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => commas += 1,
            ';' | '{' | '}' => return None,
            _ => {}
        }
    }
    (depth == 0).then_some(commas)
}

/// Where the generic parameters stand in a declaration.
fn generic_parameters(label: &str) -> Vec<Range<usize>> {
    let head = label.find('(').map_or(label, |open| &label[..open]);
    let Some(last) = head.strip_suffix('>') else { return Vec::new() };
    let mut depth = 0usize;
    let mut parameters = Vec::new();
    let mut end = last.len();
    for (at, letter) in last.char_indices().rev() {
        match letter {
            '>' | ')' | ']' => depth += 1,
            '<' | '(' | '[' if depth > 0 => depth -= 1,
            ',' | '<' if depth == 0 => {
                let begins = at + 1;
                let start = begins + (label[begins..end].len() - label[begins..end].trim_start().len());
                parameters.push(start..end);
                end = at;
                if letter == '<' {
                    break;
                }
            }
            _ => {}
        }
    }
    parameters.reverse();
    parameters
}

/// What the call may mean: what inference chose first, then the other functions of the name.
fn candidates(db: &dyn Db, item: ItemId, call: ExprId, callee: ExprId) -> Vec<Callable> {
    let inferred = infer::infer(db, item);
    let mut callables = Vec::new();
    for id in [call, callee] {
        match inferred.resolutions.get(&id) {
            Some(Resolution::Call(resolved)) => callables.push(resolved.callee.clone()),
            Some(Resolution::Function(Some(callable))) => callables.push(callable.clone()),
            _ => {}
        }
    }
    if matches!(inferred.expr_types.get(callee), Some(Ty::Closure(_) | Ty::Function(_))) {
        callables.push(Callable::Value(callee));
    }
    callables.truncate(1);
    if let Some(ty @ Ty::Adt(..)) = inferred.expr_types.get(callee).copied() {
        let operators = members::lookup(db, Env::of(db, item), ty, &Name::new("()")).into_iter();
        callables.extend(operators.map(|member| {
            Callable::Function(FunctionRef { item: member.item, args: member.args, self_ty: member.self_ty })
        }));
    }
    if let Some(Resolution::Type(ty)) = inferred.resolutions.get(&callee) {
        callables.extend(constructors(db, *ty));
    }
    for found in named(db, item, callee) {
        callables.push(found);
    }
    let (mut seen, mut seen_other) = (Vec::new(), false);
    callables.retain(|callable| match declaration(callable) {
        Some(item) if seen.contains(&item) => false,
        Some(item) => {
            seen.push(item);
            true
        }
        // Values and types stand for themselves; what inference chose of one comes first.
        None => !std::mem::replace(&mut seen_other, true),
    });
    callables
}

/// The type that the compiler knows and whose value a call makes.
fn made_type(db: &dyn Db, item: ItemId, call: ExprId, callee: ExprId) -> Option<Ty> {
    let inferred = infer::infer(db, item);
    let ty = match inferred.resolutions.get(&callee) {
        Some(Resolution::Type(ty)) => *ty,
        _ => match (inferred.resolutions.get(&call), &hir_def::body::queries::body(db, item).store.exprs[callee]) {
            (Some(Resolution::Conversion { to, .. }), _) => *to,
            (_, Expr::Type(written)) => inferred.type_refs.get(*written).copied()?,
            _ => return None,
        },
    };
    matches!(ty, Ty::Builtin(..) | Ty::Scalar(_)).then_some(ty)
}

/// What makes a value of a type: what it declares for that, or else its fields.
fn constructors(db: &dyn Db, ty: Ty) -> Vec<Callable> {
    let Ty::Adt(item, args) = ty else { return Vec::new() };
    let members = item::members(db, item).iter().copied();
    let declared = members.filter(|member| matches!(item::item_data(db, *member).kind, ItemKind::Constructor { .. }));
    let declared = declared.map(|item| Callable::Function(FunctionRef { item, args, self_ty: None }));
    let declared: Vec<Callable> = declared.collect();
    if declared.is_empty() { vec![Callable::Make(ty)] } else { declared }
}

/// What an expression may name without the help of inference: functions, and derivatives of functions.
fn named(db: &dyn Db, item: ItemId, callee: ExprId) -> Vec<Callable> {
    let body = hir_def::body::queries::body(db, item);
    let function =
        |item| Callable::Function(FunctionRef { item, args: generics::identity_args(db, item), self_ty: None });
    // `bwd_diff(fwd_diff(f))`, innermost last.
    let (mut operators, mut innermost) = (Vec::new(), callee);
    loop {
        let (kind, function) = match &body.store.exprs[innermost] {
            Expr::Derivative { kind, function } => (*kind, *function),
            // `f.bwd_diff` is another spelling, unless it is a member.
            Expr::Member { base, name, .. } if !semantics::functions_named(db, item, *base).is_empty() => {
                let operators = [DerivativeOperator::Forward, DerivativeOperator::Backward];
                match operators.into_iter().find(|operator| operator.spelling() == name.as_str()) {
                    Some(operator) => (operator, *base),
                    None => break,
                }
            }
            _ => break,
        };
        operators.push(kind);
        innermost = function;
    }
    let derived = |callable| {
        let derive = |of, operator: &DerivativeOperator| Callable::Derivative { operator: *operator, of: Box::new(of) };
        operators.iter().rev().fold(callable, derive)
    };
    semantics::functions_named(db, item, innermost).into_iter().map(function).map(derived).collect()
}

/// The function that is called or differentiated.
fn declaration(callable: &Callable) -> Option<ItemId> {
    match callable {
        Callable::Function(function) => Some(function.item),
        Callable::Derivative { of, .. } => declaration(of),
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => None,
    }
}

fn signature(db: &dyn Db, context: ItemId, callable: &Callable) -> Option<Signature> {
    match callable {
        Callable::Make(ty) => return constructed(db, context, *ty),
        Callable::Value(value) => return function_value(db, context, *value),
        Callable::Function(_) | Callable::Derivative { .. } | Callable::Synthesized { .. } => {}
    }
    let signature = written_params(db, context, callable)?;
    let name = match constructed_by(db, callable) {
        Some(owner) => display::qualified_name(db, owner),
        None => {
            let nothing = CallableSignature { params: Vec::new(), ..signature.clone() };
            let head = signature_text(db, &callable_name(db, callable), &nothing);
            head.strip_suffix("()").unwrap_or(&head).to_owned()
        }
    };
    let documentation = match callable {
        Callable::Function(function) => item::item_data(db, function.item).doc.as_deref().map(documentation::markdown),
        _ => None,
    };
    let defaults = defaults(db, callable);
    let params = signature.params.iter().enumerate();
    // A pack is as many parameters as it has elements: then no default is told by its place.
    let is_told = defaults.len() == signature.params.len();
    let params = params.map(|(index, param)| {
        let default = defaults.get(index).filter(|_| is_told).and_then(Option::as_deref);
        format!("{}{}", param_text(db, param), default.unwrap_or_default())
    });
    Some(written::in_brackets(&name, ["(", ")"], params, documentation))
}

/// The default arguments of a function, as they are written; a derivative has none.
fn defaults(db: &dyn Db, callable: &Callable) -> Vec<Option<String>> {
    let Callable::Function(function) = callable else { return Vec::new() };
    let params = match &item::item_data(db, function.item).kind {
        ItemKind::Function(written) => &written.params,
        ItemKind::Constructor { params, .. } => params,
        _ => return Vec::new(),
    };
    params.iter().map(|param| default_text(db, function.item, param)).collect()
}

/// A lambda or another value that can be called; the names of the parameters are the lambda's.
fn function_value(db: &dyn Db, context: ItemId, value: ExprId) -> Option<Signature> {
    let (body, inferred) = semantics::body_of(db, context);
    let name = match &body.store.exprs[value] {
        Expr::Path(path) => path.segments.last()?.name.to_string(),
        Expr::Member { name, .. } => name.to_string(),
        _ => "(…)".to_owned(),
    };
    let (params, ret, names) = match inferred.expr_types.get(value).copied()? {
        Ty::Closure(closure) => {
            let names = match closure.code(db) {
                ClosureCode::Lambda { within, expr } => lambda_parameters(db, within.item, expr),
                ClosureCode::Function(function) => {
                    signature_of(db, function.item).params.iter().map(|param| param.name.clone()).collect()
                }
            };
            (closure.params(db), closure.ret(db), names)
        }
        Ty::Function(function) => (function.params(db), function.ret(db), Vec::new()),
        _ => return None,
    };
    let shown = params.iter().enumerate().map(|(index, (direction, ty))| {
        let ty = format!("{}{}", display::direction_prefix(*direction), display::display(db, *ty));
        names.get(index).map_or(ty.clone(), |name| format!("{ty} {name}"))
    });
    Some(written::in_brackets(&format!("{} {name}", display::display(db, ret)), ["(", ")"], shown, None))
}

fn lambda_parameters(db: &dyn Db, within: ItemId, lambda: ExprId) -> Vec<Name> {
    let (body, _) = semantics::body_of(db, within);
    match &body.store.exprs[lambda] {
        Expr::Lambda { params, .. } => params.iter().map(|param| body.store.locals[*param].name.clone()).collect(),
        _ => Vec::new(),
    }
}

/// The type that a constructor makes.
fn constructed_by(db: &dyn Db, callable: &Callable) -> Option<ItemId> {
    let item = declaration(callable)?;
    let is_constructor = matches!(item::item_data(db, item).kind, ItemKind::Constructor { .. });
    item::container(db, item).filter(|_| is_constructor)
}

/// `T(…)` of a type without constructor: its fields, in their order.
fn constructed(db: &dyn Db, context: ItemId, ty: Ty) -> Option<Signature> {
    let fields = aggregate::fields(db, Env::of(db, context), ty);
    if fields.is_empty() {
        return None;
    }
    let mut label = format!("{}(", display::display(db, ty));
    let mut parameters = Vec::new();
    for (index, (field, ty)) in fields.iter().enumerate() {
        if index > 0 {
            label.push_str(", ");
        }
        let start = label.len();
        label.push_str(&format!("{} {}", display::display(db, *ty), display::item_name(db, *field)));
        parameters.push(start..label.len());
    }
    label.push(')');
    Some(Signature { label, documentation: None, parameters })
}
