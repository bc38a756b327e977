//! What shaders send to those that they start goes through variables: languages name these where they trace a ray, call a
//! shader or report a hit.
//!
//! `payload' = ray.trace(…, payload)` becomes a store, the operation with the variable in the place of the value, and a load.
//! What ends a shader before its end writes the payload back that the ray came with.

use ir::intrinsic::{RayExtensionOp, RayOp, StageOp};
use ir::provision::{Message, Provision, Varying, VaryingPlace};
use ir::{
    Callee, Field, FuncId, Global, GlobalId, GlobalKind, HandleType, Intrinsic, Module, Op, PathStep, StructDef, Type,
    TypeId, ValueDef, ValueId, module::Stage, op::Path,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    for_each_op,
    rewrite::{Rewriter, rewrite},
    unused_global_name,
};
use crate::EmitError;

/// The variables through which a program sends, by what they hold.
#[derive(Default)]
struct Sent {
    variables: Vec<(Kind, TypeId, GlobalId)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    RayPayload,
    CallableData,
    HitAttributes,
    MeshPayload,
}

/// What an operation sends, and which operand that is.
fn sent(op: &Op) -> Option<(Kind, usize)> {
    let Op::Intrinsic { intrinsic, args } = op else { return None };
    match intrinsic {
        Intrinsic::Stage(StageOp::MeshDispatch) => Some((Kind::MeshPayload, 3)),
        Intrinsic::Ray(RayOp::Trace) => Some((Kind::RayPayload, 7)),
        Intrinsic::RayExtension(RayExtensionOp::TraceMotion) => Some((Kind::RayPayload, 8)),
        Intrinsic::Ray(RayOp::CallShader) => Some((Kind::CallableData, 1)),
        Intrinsic::Ray(RayOp::ReportHit) if args.len() == 3 => Some((Kind::HitAttributes, 2)),
        _ => None,
    }
}

pub(crate) fn through_variables(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut sent_before = Sent::default();
    for &id in functions {
        let mut sends = false;
        for_each_op(&module.funcs[id], |op| sends |= sent(&module.funcs[id].ops[op].op).is_some());
        if !sends {
            continue;
        }
        rewrite(module, id, &mut |w, op| {
            let Some((kind, number)) = sent(&w.func.ops[op].op) else { return w.keep(op) };
            let Op::Intrinsic { intrinsic, mut args } = w.func.ops[op].op.clone() else { return w.keep(op) };
            let (value, ty) = (args[number], w.ty(args[number]));
            // What threads share is a variable already.
            if let Type::Handle(HandleType::Variable { .. }) = w.module.types.get(ty) {
                return w.keep(op);
            }
            let global = sent_before.variable(w.module, kind, ty);
            let handle_type = w.module.globals[global].ty;
            let handle = w.add(Op::Global(global), handle_type);
            match kind {
                // DXC fails at arrays that are copied there as a whole.
                Kind::MeshPayload => store_parts(w, handle, value, Path::new()),
                Kind::RayPayload | Kind::CallableData | Kind::HitAttributes => {
                    w.add_many(Op::Store { handle, path: Path::new(), value }, &[]);
                }
            }
            args[number] = handle;
            match kind {
                Kind::RayPayload | Kind::CallableData if w.func.ops[op].results.is_empty() => {
                    w.replace(op, Op::Intrinsic { intrinsic, args });
                }
                Kind::RayPayload | Kind::CallableData => {
                    w.add_many(Op::Intrinsic { intrinsic, args }, &[]);
                    w.replace(op, Op::Load { handle, path: Default::default() });
                }
                Kind::HitAttributes | Kind::MeshPayload => w.replace(op, Op::Intrinsic { intrinsic, args }),
            }
        });
    }
    write_back_where_shaders_end(module, functions)
}

/// Arrays with more elements are stored as a whole.
const MOST_ELEMENTS: u32 = 256;

/// Stores the elements of arrays one by one.
fn store_parts(w: &mut Rewriter<'_>, handle: ValueId, value: ValueId, path: Path) {
    let parts: Vec<TypeId> = match w.type_of(value) {
        Type::Array { element, len } if len <= MOST_ELEMENTS => vec![element; len as usize],
        Type::Struct(id) => w.module.types.structs[id].fields.iter().map(|field| field.ty).collect(),
        Type::Array { .. }
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => {
            w.add_many(Op::Store { handle, path, value }, &[]);
            return;
        }
    };
    for (ty, index) in parts.into_iter().zip(0..) {
        let step = PathStep::Const(index);
        let part = w.add(Op::Extract { aggregate: value, path: [step].into_iter().collect() }, ty);
        store_parts(w, handle, part, path.iter().copied().chain([step]).collect());
    }
}

impl Sent {
    fn variable(&mut self, module: &mut Module, kind: Kind, content: TypeId) -> GlobalId {
        let known = self.variables.iter().find(|(other, ty, _)| (*other, *ty) == (kind, content));
        if let Some((_, _, global)) = known {
            return *global;
        }
        let number = self.variables.iter().filter(|(other, ..)| *other == kind).count() as u32;
        let (message, name) = match kind {
            Kind::RayPayload => (Message::RayPayload(number), "payload"),
            Kind::CallableData => (Message::CallableData(number), "data"),
            Kind::HitAttributes => (Message::HitAttributes, "attributes"),
            Kind::MeshPayload => (Message::MeshPayload, "mesh_payload"),
        };
        let varying = Varying::message(message, true);
        let name = unused_global_name(module, &format!("sent_{name}"));
        let ty = module.types.intern(Type::Handle(HandleType::Variable { content }));
        let provision = Provision { varying: Some(varying), ..Provision::default() };
        // A whole group sends one, whichever of its threads has written it.
        let kind_of_global = match kind {
            Kind::MeshPayload => GlobalKind::GroupShared,
            Kind::RayPayload | Kind::CallableData | Kind::HitAttributes => GlobalKind::Static { init: None },
        };
        let global = Global { name, ty, kind: kind_of_global, provision, by_descriptor: false };
        let global = module.globals.alloc(global);
        self.variables.push((kind, content, global));
        global
    }
}

/// `IgnoreHit()` and the like never return: what the shader has made of its payload by then goes where its end would put it.
fn write_back_where_shaders_end(module: &mut Module, functions: &[FuncId]) -> Result<(), Vec<EmitError>> {
    let mut targets: FxHashMap<FuncId, Vec<(usize, GlobalId)>> = FxHashMap::default();
    let entries = module.entry_points.iter().filter(|entry| entry.stage == Stage::AnyHit);
    for entry in entries.filter(|entry| functions.contains(&entry.func)) {
        let func = &module.funcs[entry.func];
        for (_, data) in func.ops.iter() {
            let Op::Store { handle, value, .. } = data.op else { continue };
            let Some(Op::Global(global)) = func.defining_op(handle).map(|data| &data.op) else { continue };
            let ValueDef::Result { op, index } = func.values[value].def else { continue };
            if let Op::Call { callee: Callee::Func(user), .. } = func.ops[op].op {
                targets.entry(user).or_default().push((index as usize, *global));
            }
        }
    }
    let mut errors = Vec::new();
    for &id in functions {
        let ends = |op: &Op| {
            matches!(op, Op::Intrinsic { intrinsic: Intrinsic::Ray(RayOp::AcceptHit | RayOp::IgnoreHit), .. })
        };
        let mut found = None;
        for_each_op(&module.funcs[id], |op| {
            let data = &module.funcs[id].ops[op];
            found = found.or(ends(&data.op).then_some(data.span));
        });
        let Some(span) = found else { continue };
        let Some(stores) = targets.get(&id).cloned() else {
            let message = "ending an any-hit shader in a function that it calls is not supported for this target";
            errors.push(EmitError::new(span, message));
            continue;
        };
        rewrite(module, id, &mut |w, op| {
            if !ends(&w.func.ops[op].op) {
                return w.keep(op);
            }
            let Op::Intrinsic { intrinsic, args } = w.func.ops[op].op.clone() else { return w.keep(op) };
            for &(index, global) in &stores {
                let Some(&value) = args.get(index) else { continue };
                let ty = w.module.globals[global].ty;
                let handle = w.add(Op::Global(global), ty);
                w.add_many(Op::Store { handle, path: Default::default(), value }, &[]);
            }
            w.replace(op, Op::Intrinsic { intrinsic, args: Default::default() });
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Puts what shaders share into structs, for languages that ask for these.
pub(crate) fn wrap(module: &mut Module, functions: &[FuncId]) {
    let mut wrapped: FxHashMap<GlobalId, TypeId> = FxHashMap::default();
    let globals: Vec<GlobalId> = module.globals.iter().map(|(id, _)| id).collect();
    for id in globals {
        let varying = module.globals[id].provision.varying.as_ref();
        let is_message = varying.is_some_and(|varying| matches!(varying.place, VaryingPlace::Message(_)));
        let Type::Handle(HandleType::Variable { content }) = module.types.get(module.globals[id].ty) else { continue };
        if !is_message || matches!(module.types.get(content), Type::Struct(_)) {
            continue;
        }
        let name = super::sums::unused_name(module, "Message");
        let field =
            Field { name: "value".into(), ty: content, no_diff: true, matrices: Default::default(), is_gap: false };
        let content = module.types.add_struct(StructDef { name, fields: vec![field], differential: None });
        let ty = module.types.intern(Type::Handle(HandleType::Variable { content }));
        module.globals[id].ty = ty;
        wrapped.insert(id, ty);
    }
    for &id in functions {
        if wrapped.is_empty() {
            return;
        }
        let func = &mut module.funcs[id];
        let mut handles = FxHashSet::default();
        for (_, data) in func.ops.iter() {
            if let (Op::Global(global), Some(&result)) = (&data.op, data.results.first())
                && let Some(&ty) = wrapped.get(global)
            {
                func.values[result].ty = ty;
                handles.insert(result);
            }
        }
        for (_, data) in func.ops.iter_mut() {
            if let Op::Load { handle, path } | Op::Store { handle, path, .. } = &mut data.op
                && handles.contains(handle)
            {
                path.insert(0, PathStep::Const(0));
            }
        }
    }
}
