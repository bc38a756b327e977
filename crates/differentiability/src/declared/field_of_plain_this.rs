//! 31159 (warning): a differentiable method reads a differentiable field of a `this` whose type is not differentiable, so
//! that the field has no derivative. `[NoDiffThis]` on the method says that this is meant. A field that is a place
//! (`IDifferentiablePtrType`) has its place for derivatives in the differential of a type that is one, too, and nowhere else.

use base_db::Db;
use diagnostics::codes;
use hir_def::{body::ExprId, item::ItemId, source_map};
use hir_ty::{
    differential::{Differentiability, differentiability, differential_of, rules::derivative_rules},
    display::display,
    env::Env,
    infer::{
        self,
        result::{Base, InferenceResult, Resolution},
    },
    signature,
    ty::Ty,
};
use rustc_hash::FxHashSet;

use crate::{
    Finding,
    finding::{add_attribute, name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let rules = derivative_rules(db, item);
    if !rules.is_differentiable() || rules.no_diff_this || rules.treat_as_differentiable {
        return;
    }
    // The body is not differentiated at all.
    if rules.forward_derivative.is_some() && rules.backward_derivative.is_some() {
        return;
    }
    let env = Env::of(db, item);
    let this = signature::signature(db, item).this.filter(|this| !this.no_diff).map_or(Ty::Error, |this| this.ty);
    let of_this = differentiability(db, env, this);
    let inference = infer::infer(db, item);
    let map = source_map::body_source_map(db, item);
    let mut reads: Vec<_> = inference
        .resolutions
        .iter()
        .filter_map(|(expr, resolution)| match resolution {
            Resolution::Field { base, item: field } => {
                let ty = inference.expr_types.get(expr).copied().unwrap_or(Ty::Error);
                let holder = match base {
                    _ if is_this(inference, *base) => this,
                    Base::Expr(base) => inference.expr_types.get(*base).copied().unwrap_or(Ty::Error),
                    Base::ImplicitThis => this,
                };
                let is_lost = match differentiability(db, env, ty) {
                    Differentiability::None => false,
                    Differentiability::Value(_) => is_this(inference, *base) && of_this == Differentiability::None,
                    // What is read of the place itself carries nothing.
                    Differentiability::Pointer(_) => {
                        !matches!(differentiability(db, env, holder), Differentiability::Pointer(_))
                            && !is_base_of_field(inference, expr)
                    }
                };
                (is_lost && !holder.is_error()).then(|| (map.expr(expr), *field, holder))
            }
            _ => None,
        })
        .collect();
    reads.sort_by_key(|(location, ..)| (location.range.start(), location.range.end()));
    // Once per field: it is the declaration that decides, not the use.
    let mut said = FxHashSet::default();
    for (location, field, holder) in reads {
        if !said.insert(field) {
            continue;
        }
        let name = name_of(db, field);
        let message = match differential_of(db, env, holder) {
            None if holder == this => {
                format!("`{name}` has no derivative here, because the type of `this` is not differentiable")
            }
            _ => format!(
                "`{name}` has no place for its derivative here, because `{}` that holds it does not conform to \
                 `IDifferentiablePtrType`",
                display(db, holder)
            ),
        };
        let title = "Say that this is meant: add [NoDiffThis]".to_owned();
        let fix = if holder == this { add_attribute(db, item, "NoDiffThis", title) } else { None };
        findings.push(
            Finding::new(codes::FIELD_OF_PLAIN_THIS, location, message)
                .related(name_location(db, field), format!("`{}` is declared here", name_of(db, field)))
                .fix(fix),
        );
    }
}

fn is_base_of_field(inference: &InferenceResult, expr: ExprId) -> bool {
    let mut all = inference.resolutions.iter();
    all.any(|(_, resolution)| matches!(resolution, Resolution::Field { base: Base::Expr(base), .. } if *base == expr))
}

fn is_this(inference: &InferenceResult, base: Base) -> bool {
    match base {
        Base::ImplicitThis => true,
        Base::Expr(expr) => matches!(inference.resolutions.get(&expr), Some(Resolution::This)),
    }
}
