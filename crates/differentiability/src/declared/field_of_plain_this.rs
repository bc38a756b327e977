//! 31159 (warning): a differentiable method reads a differentiable field of a `this` whose type is not differentiable, so
//! that the field has no derivative. `[NoDiffThis]` on the method says that this is meant.

use base_db::Db;
use diagnostics::codes;
use hir_def::{item::ItemId, source_map};
use hir_ty::{
    differential::{differential_of, rules::derivative_rules},
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
    let Some(this) = signature::signature(db, item).this else { return };
    let env = Env::of(db, item);
    if this.no_diff || this.ty.is_error() || differential_of(db, env, this.ty).is_some() {
        return;
    }
    let inference = infer::infer(db, item);
    let map = source_map::body_source_map(db, item);
    let mut reads: Vec<_> = inference
        .resolutions
        .iter()
        .filter_map(|(expr, resolution)| match resolution {
            Resolution::Field { base, item: field } if is_this(inference, *base) => {
                let ty = inference.expr_types.get(expr).copied().unwrap_or(Ty::Error);
                differential_of(db, env, ty)?;
                Some((map.expr(expr), *field))
            }
            _ => None,
        })
        .collect();
    reads.sort_by_key(|(location, _)| (location.range.start(), location.range.end()));
    // Once per field: it is the declaration that decides, not the use.
    let mut said = FxHashSet::default();
    for (location, field) in reads {
        if !said.insert(field) {
            continue;
        }
        let message = format!(
            "`{}` has no derivative here, because the type of `this` is not differentiable",
            name_of(db, field)
        );
        let fix = add_attribute(db, item, "NoDiffThis", "Say that this is meant: add [NoDiffThis]".to_owned());
        findings.push(
            Finding::new(codes::FIELD_OF_PLAIN_THIS, location, message)
                .related(name_location(db, field), format!("`{}` is declared here", name_of(db, field)))
                .fix(fix),
        );
    }
}

fn is_this(inference: &InferenceResult, base: Base) -> bool {
    match base {
        Base::ImplicitThis => true,
        Base::Expr(expr) => matches!(inference.resolutions.get(&expr), Some(Resolution::This)),
    }
}
