//! Calls of functions that change memory of their caller where it is: see [`crate::in_place`].

use hir_ty::differential::rules::derivative_rules_in;
use ir::{FuncId, GlobalKind, Op, PathStep, Type, ValueId, op::Path};

use super::{Binding, BodyLowering, argument::Passed, place::Place};
use crate::{
    error::Lowering,
    globals,
    key::FunctionKey,
    known_place::{KnownPlace, KnownRoot, KnownStep, Parameter},
    mode::Mode,
};

/// More parts on the way to a place are a chain of calls that follows links: each of them would be a function of its own.
const MOST_STEPS: usize = 16;

/// A call whose arguments are partly places of its own.
pub(super) struct CalledInPlace {
    pub func: FuncId,
    /// The arguments that are values, in order.
    pub args: Vec<Passed>,
    /// What the places need besides.
    pub further: Vec<ValueId>,
}

impl BodyLowering<'_, '_> {
    /// The form of `func` for the places that it is called with, if it has to change them where they are.
    pub(super) fn called_in_place(&mut self, func: FuncId, args: &[Passed]) -> Lowering<Option<CalledInPlace>> {
        let in_memory = |arg: &Passed| matches!(arg, Passed::Place(Place::Memory { .. } | Place::Texel { .. }));
        if self.program.mode != Mode::Program || !args.iter().any(in_memory) {
            return Ok(None);
        }
        let Some(FunctionKey::Source(function)) = self.program.key(func) else { return Ok(None) };
        let changed = self.program.changed_in_place(function);
        let keeps_values = self.has_derivatives(function.item) && self.has_derivatives(self.scope.item);
        let surface = self.program.surface(func)?;
        let receivers = usize::from(surface.params.first().is_some_and(|param| param.is_this));
        let (mut places, mut values, mut further) = (Vec::new(), Vec::new(), Vec::new());
        for (index, arg) in args.iter().enumerate() {
            let parameter = index.checked_sub(receivers).map_or(Parameter::This, Parameter::Numbered);
            let comes_out = surface.params.get(index).is_some_and(|param| param.direction.comes_out());
            let known = match arg {
                Passed::Place(place)
                    if changed.contains(&parameter)
                        || (comes_out && !keeps_values && self.is_shared_aggregate(place)?) =>
                {
                    self.known_place(place, &mut further)
                }
                _ => None,
            };
            if known.is_none() {
                values.push(arg.clone());
            }
            places.push(known);
        }
        if places.iter().all(Option::is_none) {
            return Ok(None);
        }
        let func = self.program.request(FunctionKey::InPlace { function, places })?;
        Ok(Some(CalledInPlace { func, args: values, further }))
    }

    fn has_derivatives(&self, item: hir_def::item::ItemId) -> bool {
        let file = hir_def::item::file_of(self.program.db, self.program.root);
        derivative_rules_in(self.program.db, item, file).is_differentiable()
    }

    /// Whether other threads may write to parts of this place: what came out of a call would overwrite them with what went
    /// in. `static` variables are a thread's own, and numbers and vectors are written as a whole in any case.
    fn is_shared_aggregate(&mut self, place: &Place) -> Lowering<bool> {
        let Place::Memory { handle, path } = place else { return Ok(false) };
        let is_own = match self.b.func.defining_op(*handle).map(|data| &data.op) {
            Some(Op::Global(global)) => match self.program.module.globals[*global].kind {
                GlobalKind::Static { .. } => true,
                GlobalKind::Parameter | GlobalKind::GroupShared => false,
            },
            _ => false,
        };
        if is_own || path.len() > MOST_STEPS {
            return Ok(false);
        }
        let ty = self.place_type(place)?;
        Ok(matches!(self.b.types.get(ty), Type::Array { .. } | Type::Struct(_)))
    }

    fn known_place(&self, place: &Place, further: &mut Vec<ValueId>) -> Option<KnownPlace> {
        match place {
            Place::Memory { handle, path } => {
                let root = self.known_root(*handle, further);
                let step = |step: &PathStep| match step {
                    PathStep::Const(index) => KnownStep::Const(*index),
                    PathStep::Dynamic(index) => {
                        further.push(*index);
                        KnownStep::Dynamic(self.b.ty(*index))
                    }
                };
                Some(KnownPlace::Memory { root, path: path.iter().map(step).collect() })
            }
            Place::Texel { texture, location } => {
                let texture = self.known_root(*texture, further);
                further.extend(location);
                Some(KnownPlace::Texel { texture, location: location.iter().map(|value| self.b.ty(*value)).collect() })
            }
            _ => None,
        }
    }

    fn known_root(&self, handle: ValueId, further: &mut Vec<ValueId>) -> KnownRoot {
        match self.b.func.defining_op(handle).map(|data| &data.op) {
            Some(Op::Global(global)) => KnownRoot::Global(*global),
            _ => {
                further.push(handle);
                KnownRoot::Input(self.b.ty(handle))
            }
        }
    }

    /// The place that a parameter of the function stands for; `inputs` are what the places need besides.
    pub(super) fn bind_place(&mut self, known: &KnownPlace, inputs: &mut impl Iterator<Item = ValueId>) -> Binding {
        let place = match known {
            KnownPlace::Memory { root, path } => {
                let handle = self.root_value(*root, inputs);
                let step = |step: &KnownStep| match step {
                    KnownStep::Const(index) => Some(PathStep::Const(*index)),
                    KnownStep::Dynamic(_) => inputs.next().map(PathStep::Dynamic),
                };
                let path: Path = path.iter().filter_map(step).collect();
                handle.map(|handle| Place::Memory { handle, path })
            }
            KnownPlace::Texel { texture, location } => self
                .root_value(*texture, inputs)
                .map(|texture| Place::Texel { texture, location: inputs.take(location.len()).collect() }),
        };
        self.places.extend(place);
        Binding::Place(self.places.len() - 1)
    }

    fn root_value(&mut self, root: KnownRoot, inputs: &mut impl Iterator<Item = ValueId>) -> Option<ValueId> {
        match root {
            KnownRoot::Global(global) => Some(globals::handle(self.program, &mut self.b, global)),
            KnownRoot::Input(_) => inputs.next(),
        }
    }
}
