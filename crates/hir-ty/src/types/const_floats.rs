//! The bits of numbers with a fraction that are known: `__floatAsInt(1.0)`.

use hir_def::body::{Expr, ExprId, FloatSuffix, Literal, PrefixOp};

use crate::types::{
    consts,
    lower_ty::TypeLowering,
    ty::{Const, Scalar, Ty},
};

/// The bits of a literal, a negated one, or one of these converted.
pub(super) fn bits(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<Const> {
    let (value, scalar) = number(lowering, expr)?;
    match scalar {
        Scalar::Float => Some(Const::Value(i64::from((value as f32).to_bits() as i32))),
        Scalar::Double => Some(Const::Value(value.to_bits() as i64)),
        // The front end does not round to this precision: the value is known, but not here.
        Scalar::Half => Some(Const::Error),
        _ => None,
    }
}

fn number(lowering: &mut TypeLowering<'_>, expr: ExprId) -> Option<(f64, Scalar)> {
    match &lowering.store.exprs[expr] {
        Expr::Literal(Literal::Float { bits, suffix }) => {
            let scalar = match suffix {
                FloatSuffix::H => Scalar::Half,
                FloatSuffix::L => Scalar::Double,
                FloatSuffix::None | FloatSuffix::F => Scalar::Float,
            };
            Some((f64::from_bits(*bits), scalar))
        }
        Expr::Prefix { op: PrefixOp::Neg, operand } => {
            number(lowering, *operand).map(|(value, scalar)| (-value, scalar))
        }
        Expr::Call { callee, args } => {
            let [argument] = args.as_slice() else { return None };
            let Ty::Scalar(to) = consts::type_of_expression(lowering, *callee)? else { return None };
            converted(lowering, argument.value, to)
        }
        Expr::Cast { ty, operand } => {
            let Ty::Scalar(to) = lowering.lower(*ty) else { return None };
            converted(lowering, *operand, to)
        }
        _ => None,
    }
}

fn converted(lowering: &mut TypeLowering<'_>, operand: ExprId, to: Scalar) -> Option<(f64, Scalar)> {
    if let Some((value, _)) = number(lowering, operand) {
        return Some((value, to));
    }
    match consts::evaluate(lowering, operand)? {
        Const::Value(value) => Some((value as f64, to)),
        _ => None,
    }
}
