//! Inlay hints: types that were deduced, and the parameters that arguments go to.

use base_db::{Db, SegmentKind, SourceFile};
use differentiability::{FlowState, value_flow};
use hir_def::{
    body::{Expr, ExprId, ExprStore, LocalKind, Stmt},
    item::{self, ItemId},
    position, source_map,
    type_ref::TypeRef,
};
use hir_ty::{
    differential::signature::{ParamRole, callable_signature},
    display,
    env::Env,
    infer::{
        self,
        result::{Argument, Callable, Resolution},
    },
    ty::{ParamDirection, Ty},
};
use rustc_hash::FxHashSet;
use syntax::{TextRange, TextSize};

use crate::touched;

/// Words that an editor shows between those of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// The byte in front of which it stands.
    pub offset: u32,
    /// `: float3` or `radius:`.
    pub label: String,
    /// What it tells.
    pub kind: InlayHintKind,
    /// Whether the words may be written where they are shown.
    pub can_be_written: bool,
}

/// What a hint tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InlayHintKind {
    /// After a name.
    Type,
    /// In front of an argument.
    Parameter,
    /// After the first mention of a name: what becomes of the derivative of its value.
    Derivative,
}

/// The hints of functions that a range of the file touches.
pub fn inlay_hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for item in items_touched(db, file, range) {
        types(db, item, &mut hints);
        parameters(db, item, &mut hints);
    }
    hints.retain(|hint| range.contains_inclusive(TextSize::new(hint.offset)));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

/// What becomes of the derivatives of the values in differentiable functions that a range of the file touches: `∂` behind
/// names whose values carry one, `∂ = 0` where it has ended on the way. Each name is marked where it first stands.
pub fn derivative_hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let mut hints = Vec::new();
    for item in items_touched(db, file, range) {
        let mut marked: FxHashSet<String> = FxHashSet::default();
        for value in value_flow(db, item) {
            let (of, name) = position::absolute(db, value.location);
            let label = match value.state {
                FlowState::Active => "∂",
                FlowState::Ended => "∂ = 0",
                FlowState::Unused | FlowState::Independent => continue,
            };
            if of == file && marked.insert(text.slice(name.into())) {
                let (offset, label) = (name.end().into(), label.to_owned());
                hints.push(InlayHint { offset, label, kind: InlayHintKind::Derivative, can_be_written: false });
            }
        }
    }
    hints.retain(|hint| range.contains_inclusive(TextSize::new(hint.offset)));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

/// The items whose bodies a range touches. What an `#include` brings in is written in another file.
fn items_touched(db: &dyn Db, file: SourceFile, range: TextRange) -> impl Iterator<Item = ItemId> {
    let segments = touched::segments(db, file, range).into_iter();
    let written = segments.filter(|segment| segment.kind(db) != SegmentKind::Directive);
    written.flat_map(|segment| item::segment_items(db, segment)).copied().filter(move |item| {
        let (of, around) = position::absolute(db, source_map::body_source_map(db, *item).owner());
        of == file && around.intersect(range).is_some()
    })
}

/// Of `let x = …` and `var x = …`.
fn types(db: &dyn Db, item: ItemId, hints: &mut Vec<InlayHint>) {
    let map = source_map::body_source_map(db, item);
    let body = hir_def::body::queries::body(db, item);
    let inferred = infer::infer(db, item);
    for (_, stmt) in body.store.stmts.iter() {
        let Stmt::Let { local, .. } = stmt else { continue };
        let data = &body.store.locals[*local];
        let is_deduced = data.ty.is_some_and(|ty| is_left_out(&body.store, ty));
        if !is_deduced || matches!(data.kind, LocalKind::Param { .. }) {
            continue;
        }
        let Some(&ty) = inferred.local_types.get(*local) else { continue };
        if !matches!(ty, Ty::Error | Ty::Void) {
            let (_, name) = position::absolute(db, map.local(*local));
            let label = format!(": {}", display::display_at(db, ty, item));
            let can_be_written = matches!(ty, Ty::Scalar(_) | Ty::Builtin(..) | Ty::Param(_) | Ty::Adt(..));
            let kind = InlayHintKind::Type;
            hints.push(InlayHint { offset: name.end().into(), label, kind, can_be_written });
        }
    }
}

fn is_left_out(store: &ExprStore, ty: hir_def::type_ref::TypeRefId) -> bool {
    match &store.type_refs[ty] {
        TypeRef::Infer => true,
        TypeRef::Modified(_, inner) => is_left_out(store, *inner),
        _ => false,
    }
}

fn parameters(db: &dyn Db, item: ItemId, hints: &mut Vec<InlayHint>) {
    let map = source_map::body_source_map(db, item);
    let body = hir_def::body::queries::body(db, item);
    let inferred = infer::infer(db, item);
    for (id, expr) in body.store.exprs.iter() {
        let Expr::Call { .. } = expr else { continue };
        // What the body of a macro calls is not written here.
        if !begins_with(db, map.expr_name(id), '(') {
            continue;
        }
        let Some(Resolution::Call(call)) = inferred.resolutions.get(&id) else { continue };
        let is_worth_naming = is_worth_naming(db, &call.callee);
        let Ok(signature) = callable_signature(db, Env::of(db, item), &call.callee) else { continue };
        // The receiver of a method stands in front of the dot.
        let is_method = matches!(call.callee, Callable::Function(_));
        let params = signature.params.iter().filter(|param| !is_method || param.role != ParamRole::This);
        let mut last_start = None;
        for (argument, param) in call.args.iter().zip(params) {
            let (Argument::Expr(value), name) = (argument, param.name.as_str()) else { continue };
            let (_, at) = position::absolute(db, map.expr(*value));
            // A macro may stand for several arguments.
            let is_apart = last_start.replace(at.start()) != Some(at.start());
            // Whatever the call is, it is not seen there that it changes what it is given.
            let direction = changes(param.direction);
            let is_named = is_worth_naming && name.len() > 1 && !says_the_same(&body.store, *value, name);
            if is_apart && (is_named || !direction.is_empty()) {
                let label = if is_named { format!("{direction}{name}:") } else { direction.trim_end().to_owned() };
                hints.push(InlayHint {
                    offset: at.start().into(),
                    label,
                    kind: InlayHintKind::Parameter,
                    can_be_written: false,
                });
            }
        }
    }
}

/// What the function does with a place that it is given.
fn changes(direction: ParamDirection) -> &'static str {
    match direction {
        ParamDirection::Out => "out ",
        ParamDirection::InOut => "inout ",
        ParamDirection::Ref => "ref ",
        ParamDirection::In | ParamDirection::ConstRef => "",
    }
}

fn begins_with(db: &dyn Db, location: position::Location, letter: char) -> bool {
    let (file, range) = position::absolute(db, location);
    let text = db.text(file).map(|text| text.rope());
    text.and_then(|text| text.get_byte_slice(usize::from(range.start())..)?.get_char(0)) == Some(letter)
}

/// Library functions are known, and functions of one parameter need no help.
fn is_worth_naming(db: &dyn Db, callable: &Callable) -> bool {
    match callable {
        Callable::Function(function) => {
            let count = hir_ty::signature::signature(db, function.item).params.len();
            let is_operator = item::item_data(db, function.item)
                .name
                .as_ref()
                .is_none_or(|name| !name.as_str().starts_with(|c: char| c == '_' || c.is_alphabetic()));
            count > 1 && !is_operator && !crate::semantics::in_prelude(db, function.item)
        }
        Callable::Derivative { .. } => true,
        Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => false,
    }
}

/// Whether the argument names the parameter already: `radius`, `light.radius`, `outerRadius`.
fn says_the_same(store: &ExprStore, value: ExprId, param: &str) -> bool {
    let ends_alike = |name: &str| {
        let (name, param) = (name.to_ascii_lowercase(), param.to_ascii_lowercase());
        name.ends_with(&param) || param.ends_with(&name)
    };
    match &store.exprs[value] {
        Expr::Path(path) => path.segments.last().is_some_and(|segment| ends_alike(segment.name.as_str())),
        Expr::Member { name, .. } => ends_alike(name.as_str()),
        Expr::NoDiff(inner) => says_the_same(store, *inner, param),
        _ => false,
    }
}
