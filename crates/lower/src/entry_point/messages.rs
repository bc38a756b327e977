//! What shaders that rays start are given, all of it at once: the payload of the ray or of the call, which they may change, and
//! the attributes of the hit.

use ir::{
    Global, GlobalKind, HandleType, Op, Type, ValueId,
    builder::FuncBuilder,
    module::Stage,
    op::Path,
    provision::{Interpolation, Message, ParameterRole, Provision, Sampling, Varying, VaryingPlace},
};

use crate::{
    error::{Lowering, Stop},
    program::Program,
    surface::SurfaceParam,
};

/// What an entry point is given, as far as it is known by now.
pub(super) struct Messages {
    /// The number of the entry point.
    entry: u32,
    /// The variables that are given back, in the order of the parameters.
    changed: Vec<ValueId>,
    received: Vec<Message>,
}

impl Messages {
    pub(super) fn new(entry: u32) -> Messages {
        Messages { entry, changed: Vec::new(), received: Vec::new() }
    }

    /// The value of a parameter, if it goes in.
    pub(super) fn received(
        &mut self,
        program: &mut Program<'_>,
        b: &mut FuncBuilder<'_>,
        stage: Stage,
        param: &SurfaceParam,
    ) -> Lowering<Option<ValueId>> {
        let changes = param.direction.comes_out();
        let message = match (stage, changes) {
            (Stage::AnyHit | Stage::ClosestHit | Stage::Miss, true) => Message::RayPayload(0),
            (Stage::AnyHit | Stage::ClosestHit, false) => Message::HitAttributes,
            (Stage::Callable, true) => Message::CallableData(0),
            _ => {
                let feature = format!("the parameter `{}` of a shader of the {} stage", param.name, stage.word());
                return Err(Stop::unsupported(feature));
            }
        };
        if self.received.contains(&message) {
            return Err(Stop::unsupported("a shader with two payloads, or attributes of two hits"));
        }
        self.received.push(message);
        let varying = Varying {
            is_output: false,
            semantic: "".into(),
            place: VaryingPlace::Message(message),
            interpolation: Interpolation::default(),
            sampling: Sampling::default(),
            is_second_source: false,
        };
        let provision = Provision { varying: Some(varying), ..Provision::of_role(ParameterRole::EntryOwn(self.entry)) };
        let name = program.unique_name(&param.name);
        let ty = b.types.intern(Type::Handle(HandleType::Variable { content: param.ir_ty }));
        let global = Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false };
        let global = program.module.globals.alloc(global);
        let handle = b.value(Op::Global(global), ty);
        if changes {
            self.changed.push(handle);
        }
        Ok(param.direction.goes_in().then(|| b.value(Op::Load { handle, path: Path::new() }, param.ir_ty)))
    }

    /// Writes back what the user's function has made of them.
    pub(super) fn give_back(self, b: &mut FuncBuilder<'_>, values: impl Iterator<Item = ValueId>) {
        for (handle, value) in self.changed.into_iter().zip(values) {
            b.op(Op::Store { handle, path: Path::new(), value }, &[]);
        }
    }
}
