//! 30311: a type conforms to both `IDifferentiable` (values with derivatives) and `IDifferentiablePtrType` (places with
//! derivatives).

use base_db::Db;
use diagnostics::codes;
use hir_def::item::ItemId;
use hir_ty::{conformance, env::Env, generics, known::Known};

use crate::{
    Finding,
    finding::{name_location, name_of},
};

pub(super) fn check(db: &dyn Db, item: ItemId, findings: &mut Vec<Finding>) {
    let Some(this) = generics::self_type(db, item) else { return };
    let env = Env::of(db, item);
    let conforms = |known| conformance::conforms_to_known(db, env, this, known);
    if conforms(Known::IDifferentiable)
        && conforms(Known::IDifferentiablePtrType)
        && let Some(location) = name_location(db, item)
    {
        let message = format!(
            "`{}` conforms to both IDifferentiable and IDifferentiablePtrType: it can stand for values or for places, \
             not for both",
            name_of(db, item)
        );
        findings.push(Finding::new(codes::TWO_DIFFERENTIALS, location, message));
    }
}
