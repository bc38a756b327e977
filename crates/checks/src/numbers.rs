//! Numbers that make no sense where they stand, as slangc finds them by folding: a division by zero, a shift by all bits,
//! a literal that its type does not hold.

use diagnostics::codes;
use hir_def::body::{BinaryOp, Expr, ExprId, ExprStore, FloatSuffix, Literal, PrefixOp};
use hir_ty::{consts, diagnostics::Node, display::display, shapes, ty::Ty};

use super::CheckedBody;

pub(super) fn check(body: &mut CheckedBody<'_>) {
    for (id, expr) in body.body.store.exprs.iter() {
        match *expr {
            Expr::Binary { op, left, right } => operation(body, id, op, left, right),
            Expr::Assign { op: Some(op), target, value } => operation(body, id, op, target, value),
            Expr::Literal(Literal::Float { bits, suffix }) => literal(body, id, f64::from_bits(bits), suffix),
            _ => {}
        }
    }
}

fn operation(body: &mut CheckedBody<'_>, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) {
    match op {
        BinaryOp::Div | BinaryOp::Rem => division(body, id, right),
        BinaryOp::Shl => shift(body, id, left, right),
        _ => {}
    }
}

/// E30002: an integer divided by what folds to zero has no value at all.
fn division(body: &mut CheckedBody<'_>, id: ExprId, divisor: ExprId) {
    let is_integer = matches!(type_of(body, id), Ty::Scalar(scalar) if scalar.is_integer());
    if is_integer && folded(&body.body.store, divisor) == Some(0) {
        body.report(codes::DIVISION_BY_ZERO, Node::ExprName(id), "division by zero");
    }
}

/// E41030, E41034 (warnings): nothing is left of what is shifted by all its bits; a narrow integer stays narrow.
fn shift(body: &mut CheckedBody<'_>, id: ExprId, left: ExprId, right: ExprId) {
    let element = |ty: Ty| shapes::numeric(body.db, ty).map(|(_, scalar)| scalar).filter(|scalar| scalar.is_integer());
    let (shifted, by) = (type_of(body, left), type_of(body, right));
    let (Some(scalar), Some(by_scalar)) = (element(shifted), element(by)) else { return };
    let shown = display(body.db, shifted);
    match folded(&body.body.store, right) {
        // What is constant altogether is computed, whatever comes out.
        Some(amount) if i64::from(scalar.bits()) <= amount && folded(&body.body.store, left).is_none() => {
            let message = format!("'{shown}' has no bits left when it is shifted by {amount}; the result is zero");
            body.report(codes::SHIFT_BY_ALL_BITS, Node::ExprName(id), message);
        }
        None if scalar.bits() < 32 && by_scalar.bits() > scalar.bits() && is_variable(body, right) => {
            let message = format!("the shifted value stays a '{shown}'; it is not made wider as in C");
            body.report(codes::SHIFT_IN_NARROW_TYPE, Node::ExprName(id), message);
        }
        Some(_) | None => {}
    }
}

/// E40009, E40010 (warnings): a literal beyond the largest or below the smallest number of the type that its suffix says.
fn literal(body: &mut CheckedBody<'_>, id: ExprId, value: f64, suffix: FloatSuffix) {
    // Halfway to what would be the next number, literals are rounded up.
    const HALF_INFINITE: f64 = 65520.0;
    const HALF_ZERO: f64 = 1.0 / 33_554_432.0;
    let (name, is_infinite, is_zero) = match suffix {
        FloatSuffix::H => ("half", value >= HALF_INFINITE, value <= HALF_ZERO),
        FloatSuffix::None | FloatSuffix::F => ("float", (value as f32).is_infinite(), value as f32 == 0.0),
        FloatSuffix::L => ("double", value.is_infinite(), false),
    };
    if is_infinite {
        body.report(
            codes::LITERAL_INFINITE,
            Node::Expr(id),
            format!("no '{name}' is that large: this literal is infinite"),
        );
    } else if is_zero && value != 0.0 {
        body.report(codes::LITERAL_ZERO, Node::Expr(id), format!("no '{name}' is that small: this literal is zero"));
    }
}

fn type_of(body: &CheckedBody<'_>, expr: ExprId) -> Ty {
    body.inferred.expr_types.get(expr).copied().unwrap_or(Ty::Error)
}

/// The value of an expression that is made of integer literals alone: that of a name may change where it is declared.
pub(super) fn folded(store: &ExprStore, expr: ExprId) -> Option<i64> {
    // Expressions of literals are short.
    fold(store, expr, 16)
}

fn fold(store: &ExprStore, expr: ExprId, depth: u32) -> Option<i64> {
    let depth = depth.checked_sub(1)?;
    match store.exprs[expr] {
        Expr::Literal(Literal::Int { value, .. }) => i64::try_from(value).ok(),
        Expr::Prefix { op: PrefixOp::Plus, operand } => fold(store, operand, depth),
        Expr::Prefix { op: PrefixOp::Neg, operand } => fold(store, operand, depth)?.checked_neg(),
        Expr::Binary { op, left, right } => consts::fold(op, fold(store, left, depth)?, fold(store, right, depth)?),
        _ => None,
    }
}

/// Whether the length of an array is a division by zero.
pub(super) fn divides_by_zero(store: &ExprStore, len: ExprId) -> bool {
    matches!(store.exprs[len], Expr::Binary { op: BinaryOp::Div | BinaryOp::Rem, right, .. } if folded(store, right) == Some(0))
}

/// Whether only running tells the value: constants elsewhere may be as small as they please.
fn is_variable(body: &CheckedBody<'_>, expr: ExprId) -> bool {
    use hir_ty::infer::result::Resolution;
    match body.inferred.resolutions.get(&expr) {
        Some(Resolution::Local(local)) => !super::statements::is_constant(body, *local),
        _ => false,
    }
}
