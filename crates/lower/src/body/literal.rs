//! Literals.

use hir_def::body::{ExprId, Literal};
use hir_ty::ty::Ty;
use ir::{Constant, Scalar, Type, TypeId, ValueId};

use super::BodyLowering;
use crate::error::{Lowering, Stop};

/// The number that stands for a text, by which slangc's hosts know it.
fn string_hash(text: &str) -> u32 {
    let next = |hash: u32, byte: &u8| hash.wrapping_mul(65599).wrapping_add_signed((*byte as i8).into());
    text.as_bytes().iter().fold(0, next)
}

impl BodyLowering<'_, '_> {
    pub(super) fn literal(&mut self, expr: ExprId, literal: &Literal) -> Lowering<ValueId> {
        let constant = match literal {
            Literal::Bool(value) => Constant::Bool(*value),
            Literal::Int { value, .. } => Constant::Int(*value as i64),
            Literal::Float { bits, .. } => Constant::Float(f64::from_bits(*bits)),
            Literal::String(text) => Constant::Int(string_hash(text).into()),
            // Compared with a pointer: null has one address, whatever it could point to.
            Literal::NullPtr => {
                let ty = self.ir_type(Ty::pointer(self.program.db, Ty::Void))?;
                return Ok(self.b.zero(ty));
            }
            Literal::None => {
                let ty = self.ir_type(Ty::NoneLiteral)?;
                return Ok(self.b.make(&[], ty));
            }
        };
        let ty = self.expr_type(expr)?;
        let constant = match (constant, self.b.types.get(ty)) {
            (Constant::Float(value), Type::Scalar(Scalar::F32)) => Constant::Float(of_single(value)),
            _ => constant,
        };
        self.constant_value(constant, ty)
    }

    /// A constant of type `ty`, converted where its kind is another one.
    pub(super) fn constant_value(&mut self, constant: Constant, ty: TypeId) -> Lowering<ValueId> {
        let Type::Scalar(scalar) = self.b.types.get(ty) else {
            return Err(Stop::broken("a constant of a type that is not a scalar"));
        };
        let constant = match (constant, scalar) {
            (Constant::Bool(value), Scalar::Bool) => Constant::Bool(value),
            (Constant::Bool(value), _) if scalar.is_float() => Constant::Float(f64::from(u8::from(value))),
            (Constant::Bool(value), _) => Constant::Int(value.into()),
            (Constant::Int(value), Scalar::Bool) => Constant::Bool(value != 0),
            (Constant::Int(value), _) if scalar.is_float() => Constant::Float(value as f64),
            (Constant::Int(value), _) => Constant::Int(super::conversion::wrap(value, scalar)),
            (Constant::Float(value), Scalar::Bool) => Constant::Bool(value != 0.0),
            (Constant::Float(value), _) if scalar.is_float() => Constant::Float(value),
            (Constant::Float(value), _) => Constant::Int(value as i64),
        };
        Ok(self.b.constant(constant, ty))
    }
}

/// The number that a literal is as a `float`: a loop by steps of `0.1` counts with that, however exactly it is added up.
fn of_single(value: f64) -> f64 {
    let single = f64::from(value as f32);
    if single.is_finite() { single } else { value }
}

#[cfg(test)]
mod tests {
    use super::string_hash;

    /// As slangc has it.
    #[test]
    fn texts_have_the_numbers_that_hosts_know() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("a"), 97);
        assert_eq!(string_hash("ab"), 6_363_201);
        assert_eq!(string_hash("Hello World!"), 1_840_786_589);
        assert_eq!(string_hash("é~\n\"xA"), 3_212_916_153);
    }
}
