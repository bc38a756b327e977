//! `use()` as the user writes it (SP #010): where a value of its type is used more than once, its backward derivative merges
//! the derivatives of the uses. Without one they are added component by component.

use base_db::{Db, SourceFile};
use hir_def::{
    item::{self, ItemId, ItemKind},
    name::Name,
};

use super::rules::derivative_rules_in;
use crate::{
    conformance::members::{self, Origin},
    generics::env::Env,
    types::{
        known,
        signature::{self, FunctionRef},
        ty::Ty,
    },
};

/// The name of the method.
pub const USE: &str = "use";

/// A `use` with a backward derivative of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergingUse {
    /// The method.
    pub function: FunctionRef,
    /// Its backward derivative: `this` with the derivative so far, and that of one more use.
    pub rule: ItemId,
}

/// What merges the derivatives of the uses of a value of type `ty`, as seen from `file`.
pub fn merging_use(db: &dyn Db, env: Env, file: SourceFile, ty: Ty) -> Option<MergingUse> {
    let Ty::Adt(..) = ty else { return None };
    members::lookup(db, env, ty, &Name::new(USE)).into_iter().find_map(|member| {
        if member.origin == Origin::Interface || known::is_in_prelude(db, member.item) || !is_use(db, member.item) {
            return None;
        }
        let rule = derivative_rules_in(db, member.item, file).backward_derivative?;
        let function = FunctionRef { item: member.item, args: member.args, self_ty: member.self_ty };
        Some(MergingUse { function, rule })
    })
}

/// Whether a function is a method `use()`.
pub fn is_use(db: &dyn Db, function: ItemId) -> bool {
    let data = item::item_data(db, function);
    let signature = || signature::signature(db, function);
    matches!(data.kind, ItemKind::Function(_))
        && data.name.as_ref().is_some_and(|name| name.as_str() == USE)
        && signature().this.is_some()
        && signature().params.is_empty()
}
