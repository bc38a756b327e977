//! `value is T` and `value as T`.

use hir_def::{body::ExprId, type_ref::TypeRefId};
use hir_ty::{infer::result::Resolution, substitute};
use ir::{BinaryOp, Constant, Op, Scalar, Type, TypeId, ValueId};

use super::BodyLowering;
use crate::{
    error::{Lowering, Stop},
    fields,
    mode::Mode,
};

impl BodyLowering<'_, '_> {
    pub(super) fn is_type(&mut self, operand: ExprId, ty: TypeRefId) -> Lowering<ValueId> {
        if let Some(answer) = self.known_type_test(operand, ty)? {
            return Ok(self.b.bool(answer));
        }
        if let Some(Resolution::Type(_)) = self.scope.inference.resolutions.get(&operand) {
            let bool = self.b.types.bool();
            return Ok(self.b.undef(bool));
        }
        let value = self.value(operand)?;
        let wanted = self.written_type(ty)?;
        let Type::Sum(sum) = self.b.type_of(value) else {
            let same = self.b.ty(value) == wanted;
            return Ok(self.b.bool(same));
        };
        let Some(variant) = self.variant(sum, wanted) else { return Ok(self.b.bool(false)) };
        let uint = self.b.types.scalar(Scalar::U32);
        let tag = self.b.value(Op::SumTag(value), uint);
        let wanted = self.b.constant(Constant::Int(variant.into()), uint);
        Ok(self.b.binary(BinaryOp::Equal, tag, wanted))
    }

    /// `T is float`, `T is IFoo`: the answer to a question about a type, known once the function is specialised.
    pub(super) fn known_type_test(&self, operand: ExprId, ty: TypeRefId) -> Lowering<Option<bool>> {
        let db = self.program.db;
        let Some(Resolution::Type(asked)) = self.scope.inference.resolutions.get(&operand) else { return Ok(None) };
        let Some(&wanted) = self.scope.inference.type_refs.get(ty) else {
            return Err(Stop::broken("a type without meaning"));
        };
        let (asked, wanted) = (self.scope.ty(db, *asked), self.scope.ty(db, wanted));
        let conforms = || hir_ty::conformance::conforms(db, self.program.env(), asked, wanted);
        let answer = asked == wanted || (hir_ty::extension::is_interface(db, wanted) && conforms());
        // In an analysis a generic type may turn out to be either.
        let is_open = self.program.mode == Mode::Analysis && !substitute::is_concrete(db, asked);
        Ok((!is_open).then_some(answer))
    }

    /// The optional that `as` gives has the type of the whole expression.
    pub(super) fn as_type(&mut self, expr: ExprId, operand: ExprId, ty: TypeRefId) -> Lowering<ValueId> {
        let value = self.value(operand)?;
        let wanted = self.written_type(ty)?;
        let optional = self.expr_type(expr)?;
        let Type::Sum(sum) = self.b.type_of(value) else {
            if self.b.ty(value) == wanted {
                return Ok(fields::optional_of(&mut self.b, value, optional));
            }
            return Ok(self.b.zero(optional));
        };
        let found = self.variant(sum, wanted);
        let payloads: Vec<TypeId> = self.b.types.sums[sum].variants.iter().map(|variant| variant.ty).collect();
        let mut regions = Vec::new();
        for (index, payload) in payloads.into_iter().enumerate() {
            let region = self.b.new_region(&[payload]);
            self.b.within(region, |b| {
                let result = if found == Some(index as u32) {
                    let payload = b.params(region)[0];
                    fields::optional_of(b, payload, optional)
                } else {
                    b.zero(optional)
                };
                b.yield_([result]);
            });
            regions.push(region);
        }
        Ok(self.b.value(Op::SumMatch { sum: value, variants: regions, null: None }, optional))
    }

    fn written_type(&mut self, ty: TypeRefId) -> Lowering<TypeId> {
        let Some(&ty) = self.scope.inference.type_refs.get(ty) else {
            return Err(Stop::broken("a type without meaning"));
        };
        let ty = self.scope.ty(self.program.db, ty);
        self.ir_type(ty)
    }

    fn variant(&self, sum: ir::SumId, ty: TypeId) -> Option<u32> {
        let variants = &self.b.types.sums[sum].variants;
        variants.iter().position(|variant| variant.ty == ty).map(|index| index as u32)
    }
}
