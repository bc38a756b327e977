//! Which of its arguments a call writes.

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};
use hir_ty::{
    differential::signature::{ParamRole, callable_signature},
    env::Env,
    infer::result::{CallResolution, Callable},
    signature,
    ty::{ParamDirection, Ty},
};

use super::CheckedBody;

/// What a call does to what it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directions {
    pub writes_receiver: bool,
    arguments: Vec<ParamDirection>,
    /// The direction of the arguments that are not listed.
    others: ParamDirection,
}

impl Directions {
    pub(super) fn of(body: &CheckedBody<'_>, call: &CallResolution) -> Directions {
        let db = body.db;
        match &call.callee {
            Callable::Function(function) => {
                let declared = &signature::signature(db, function.item).params;
                let writes_receiver = mutates_this(db, function.item);
                let is_pack = declared.iter().any(|param| matches!(param.ty, Ty::Expand(_)));
                if is_pack {
                    // Which argument is whose is not plain to see then.
                    let unclear = declared.iter().any(|param| param.direction != ParamDirection::In);
                    let others = if unclear { ParamDirection::InOut } else { ParamDirection::In };
                    return Directions { writes_receiver, arguments: Vec::new(), others };
                }
                let arguments = declared.iter().map(|param| param.direction).collect();
                Directions { writes_receiver, arguments, others: ParamDirection::In }
            }
            Callable::Derivative { .. } => {
                let known = callable_signature(db, Env::of(db, body.item), &call.callee);
                let params = known.map(|known| known.params).unwrap_or_default();
                let receiver = params.first().filter(|first| first.role == ParamRole::This && call.this.is_some());
                Directions {
                    writes_receiver: receiver.is_none_or(|receiver| receiver.direction != ParamDirection::In),
                    arguments: params[usize::from(receiver.is_some())..].iter().map(|param| param.direction).collect(),
                    others: ParamDirection::InOut,
                }
            }
            Callable::Value(value) => match body.inferred.expr_types.get(*value) {
                Some(Ty::Function(function)) => Directions {
                    writes_receiver: false,
                    arguments: function.params(db).iter().map(|(direction, _)| *direction).collect(),
                    others: ParamDirection::In,
                },
                _ => Directions { writes_receiver: false, arguments: Vec::new(), others: ParamDirection::InOut },
            },
            Callable::Make(_) | Callable::Synthesized { .. } => {
                Directions { writes_receiver: false, arguments: Vec::new(), others: ParamDirection::In }
            }
        }
    }

    pub(super) fn argument(&self, index: usize) -> ParamDirection {
        self.arguments.get(index).copied().unwrap_or(self.others)
    }
}

/// Whether a call comes out with another receiver. A constructor has none.
pub(super) fn mutates_this(db: &dyn Db, item: ItemId) -> bool {
    !matches!(item::item_data(db, item).kind, ItemKind::Constructor { .. })
        && signature::signature(db, item).this.is_some_and(|this| this.mutating)
}
