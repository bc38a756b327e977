//! What shaders that rays start are given, all of it at once: the payload of the ray or of the call, which they may change, and
//! the attributes of the hit.

use ir::{
    Global, GlobalKind, HandleType, Op, PathStep, Type, TypeId, ValueId,
    builder::FuncBuilder,
    module::Stage,
    op::Path,
    provision::{Message, ParameterRole, Provision, Varying},
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
            (Stage::Mesh, false) => Message::MeshPayload,
            _ => {
                let feature = format!("the parameter `{}` of a shader of the {} stage", param.name, stage.word());
                return Err(Stop::unsupported(feature));
            }
        };
        if self.received.contains(&message) {
            return Err(Stop::unsupported("a shader with two payloads, or attributes of two hits"));
        }
        self.received.push(message);
        let varying = Some(Varying::message(message, false));
        let provision = Provision { varying, ..Provision::of_role(ParameterRole::EntryOwn(self.entry)) };
        let name = program.unique_name(&param.name);
        let ty = b.types.intern(Type::Handle(HandleType::Variable { content: param.ir_ty }));
        let global = Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false };
        let global = program.module.globals.alloc(global);
        let handle = b.value(Op::Global(global), ty);
        if changes {
            self.changed.push(handle);
        }
        Ok(param.direction.goes_in().then(|| match message {
            // DXC fails at arrays that are copied from there as a whole.
            Message::MeshPayload => parts(b, handle, param.ir_ty, Path::new()),
            Message::RayPayload(_) | Message::CallableData(_) | Message::HitAttributes => {
                b.value(Op::Load { handle, path: Path::new() }, param.ir_ty)
            }
        }))
    }

    /// Writes back what the user's function has made of them.
    pub(super) fn give_back(self, b: &mut FuncBuilder<'_>, values: impl Iterator<Item = ValueId>) {
        for (handle, value) in self.changed.into_iter().zip(values) {
            b.op(Op::Store { handle, path: Path::new(), value }, &[]);
        }
    }
}

/// Arrays with more elements are read as a whole.
const MOST_ELEMENTS: u32 = 256;

/// What a variable holds, of which the elements of arrays are read one by one.
fn parts(b: &mut FuncBuilder<'_>, handle: ValueId, ty: TypeId, path: Path) -> ValueId {
    let types: Vec<TypeId> = match b.types.get(ty) {
        Type::Array { element, len } if len <= MOST_ELEMENTS => vec![element; len as usize],
        Type::Struct(id) => b.types.structs[id].fields.iter().map(|field| field.ty).collect(),
        Type::Array { .. }
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => return b.value(Op::Load { handle, path }, ty),
    };
    let mut values = Vec::new();
    for (ty, index) in types.into_iter().zip(0..) {
        let path = path.iter().copied().chain([PathStep::Const(index)]).collect();
        values.push(parts(b, handle, ty, path));
    }
    b.make(&values, ty)
}
