//! `__first(pack)` and its like in expressions: of packs of values, of types, and of values whose types are packs.

use hir_def::{
    body::{Expr, ExprId, PackQuery},
    type_ref::GenericArgRef,
};

use super::{Infer, operand::Operand, result::Resolution};
use crate::{
    diagnostics::names,
    generics::packs::{self, Answer},
    types::{
        resolve::TypeNs,
        ty::{GenericArg, Ty},
    },
};

impl Infer<'_> {
    pub(super) fn pack_query(&mut self, id: ExprId, query: PackQuery, operands: &[GenericArgRef]) -> Operand {
        let found = match operands.first() {
            Some(GenericArgRef::Value(value)) if self.is_value(*value) => self.query_of_value(*value, query, operands),
            _ => self.with_lowering(|lowering| lowering.silently(|lowering| lowering.pack_query(query, operands))),
        };
        match found {
            Some(Answer::One(GenericArg::Value(value))) => {
                self.result.resolutions.insert(id, Resolution::Constant(value));
                Operand::Value(Ty::INT)
            }
            Some(Answer::One(GenericArg::Type(Ty::Error) | GenericArg::Pack(_))) => Operand::Value(Ty::Error),
            Some(Answer::One(GenericArg::Type(ty))) => match operands.first() {
                Some(GenericArgRef::Value(value)) if self.is_value(*value) => Operand::Value(ty),
                _ => self.type_operand(id, TypeNs::Type(ty)),
            },
            Some(Answer::Many(list)) => Operand::Value(match list.as_slice() {
                [GenericArg::Type(only @ Ty::Expand(_))] => *only,
                [GenericArg::Value(only)] if packs::is_expansion(GenericArg::Value(*only)) => {
                    let sources = packs::sources_of_element(self.db, GenericArg::Value(*only));
                    Ty::expand_over(self.db, Ty::INT, &sources)
                }
                list if list.iter().any(|arg| matches!(arg, GenericArg::Value(_))) => {
                    let ints: Vec<GenericArg> = list.iter().map(|_| GenericArg::Type(Ty::INT)).collect();
                    packs::tuple_of(self.db, &ints)
                }
                list => packs::tuple_of(self.db, list),
            }),
            None => {
                let place = self.expr_place(id);
                self.report(names::invalid_pack_query(place));
                Operand::Value(Ty::Error)
            }
        }
    }

    /// Whether an operand is a value at run time, no pack of constants or types.
    fn is_value(&mut self, expr: ExprId) -> bool {
        match &self.store.exprs[expr] {
            Expr::Path(path) => match path.segments.as_slice() {
                [segment] if self.local(&segment.name).is_some() => true,
                _ => self.with_lowering(|lowering| {
                    let arg = GenericArgRef::Value(expr);
                    lowering
                        .silently(|lowering| lowering.pack_elements(&arg))
                        .iter()
                        .all(|element| matches!(element, GenericArg::Value(crate::types::ty::Const::Error)))
                }),
            },
            Expr::Type(_) | Expr::PackQuery { .. } => false,
            Expr::Expand(_) => self.constant(expr).is_none_or(|value| value == crate::types::ty::Const::Error),
            _ => true,
        }
    }

    fn query_of_value(&mut self, value: ExprId, query: PackQuery, operands: &[GenericArgRef]) -> Option<Answer> {
        let ty = self.value(value, None);
        if ty.is_error() {
            return Some(Answer::One(GenericArg::Type(Ty::Error)));
        }
        let list = packs::elements_of_type(self.db, ty)?;
        let mut args = vec![GenericArg::Pack(list)];
        for operand in &operands[1..] {
            args.push(GenericArg::Type(match operand {
                GenericArgRef::Value(value) => self.value(*value, None),
                GenericArgRef::Type(ty) => self.type_ref(*ty),
            }));
        }
        packs::query(self.db, query, &args)
    }
}
