//! Data of global scope, and data among the parameters of an entry point, for hosts that fill one buffer with all of it:
//! `uniform float a; uniform float3 b;` become the fields of one constant buffer, used or not.

use ir::provision::{ParameterRole, Provision};
use ir::{
    Field, FuncId, Global, GlobalId, GlobalKind, HandleType, Module, Op, OpId, PathStep, StructDef, Type, TypeId,
    ValueId, op::Path,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bindings::{Host, Places, holds_data};
use super::sums::unused_name;

/// Removes names of globals that nothing uses: of blocks of which only the buffers inside are used.
pub(crate) fn drop_unused_names(module: &mut Module, functions: &[FuncId]) {
    for &id in functions {
        let func = &module.funcs[id];
        let mut used: FxHashSet<ValueId> = FxHashSet::default();
        super::for_each_op(func, |op| {
            func.ops[op].op.for_each_operand(|operand| {
                used.insert(operand);
            });
        });
        for (_, region) in func.regions.iter() {
            used.extend(region.terminator.values().iter().copied());
        }
        let func = &mut module.funcs[id];
        let ops = &func.ops;
        let is_used = |op: &OpId| match &ops[*op].op {
            Op::Global(_) => ops[*op].results.iter().any(|result| used.contains(result)),
            _ => true,
        };
        for (_, region) in func.regions.iter_mut() {
            region.ops.retain(is_used);
        }
    }
}

/// Puts the data into groups, whose places are entered.
pub(crate) fn gather(module: &mut Module, functions: &[FuncId], host: Host, places: &mut Places) {
    let mut groups: Vec<ParameterRole> = Vec::new();
    for (_, global) in module.globals.iter() {
        let role = global.provision.role;
        if matches!(role, ParameterRole::Uniform | ParameterRole::Entry(_)) && !groups.contains(&role) {
            groups.push(role);
        }
    }
    for role in groups {
        let members: Vec<(GlobalId, TypeId)> = module
            .globals
            .iter()
            .filter(|(_, global)| global.provision.role == role && global.kind == GlobalKind::Parameter)
            .filter_map(|(id, global)| match module.types.get(global.ty) {
                Type::Handle(HandleType::ConstantBuffer { content }) => Some((id, content)),
                _ => None,
            })
            .collect();
        let mut with_data = Vec::new();
        for (id, content) in members {
            if holds_data(&module.types, content) {
                with_data.push((id, data_of(module, content)));
            }
        }
        let members = with_data;
        if !members.is_empty() {
            group(module, functions, host, places, role, &members);
        }
    }
}

fn group(
    module: &mut Module,
    functions: &[FuncId],
    host: Host,
    places: &mut Places,
    role: ParameterRole,
    members: &[(GlobalId, TypeId)],
) {
    let (ty, name, place) = match role {
        ParameterRole::Entry(entry) => ("EntryPointParams", "entryPointParams", places.entries.get(&entry).copied()),
        _ => ("GlobalParams", "globalParams", places.uniforms),
    };
    let fields: Vec<Field> = members
        .iter()
        .map(|&(id, ty)| Field {
            name: module.globals[id].name.clone(),
            ty,
            no_diff: true,
            matrices: ir::types::Matrices::AsUsual,
            is_gap: false,
        })
        .collect();
    let name_of_type = unused_name(module, ty);
    let content = module.types.add_struct(StructDef { name: name_of_type, fields, differential: None });
    let ty = module.types.intern(Type::Handle(HandleType::ConstantBuffer { content }));
    let role = match role {
        ParameterRole::Entry(_) if host.has_push_constants() => ParameterRole::PushConstant,
        _ => ParameterRole::Own,
    };
    let name = super::unused_global_name(module, name);
    let provision = Provision::of_role(role);
    let global =
        module.globals.alloc(Global { name, ty, kind: GlobalKind::Parameter, provision, by_descriptor: false });
    if let Some(place) = place {
        places.places.insert((global, Vec::new()), place);
    }
    for &id in functions {
        let func = &mut module.funcs[id];
        let mut handles: FxHashMap<ValueId, u32> = FxHashMap::default();
        for (_, data) in func.ops.iter_mut() {
            if let Op::Global(used) = &mut data.op
                && let Some(index) = members.iter().position(|(member, _)| member == used)
            {
                *used = global;
                handles.extend(data.results.iter().map(|&result| (result, index as u32)));
            }
        }
        for &value in handles.keys() {
            func.values[value].ty = ty;
        }
        for (_, data) in func.ops.iter_mut() {
            if let Op::Load { handle, path } = &mut data.op
                && let Some(&index) = handles.get(handle)
            {
                *path = [PathStep::Const(index)].into_iter().chain(path.iter().copied()).collect::<Path>();
            }
        }
    }
}

/// The type without handles, as it lies in the buffer. An address takes two words there.
fn data_of(module: &mut Module, ty: TypeId) -> TypeId {
    match module.types.get(ty) {
        Type::Handle(HandleType::Pointer { .. }) => module.types.scalar(ir::Scalar::U64),
        Type::Array { element, len } => {
            let element = data_of(module, element);
            module.types.array(element, len)
        }
        Type::Struct(id) if module.types.holds_handles(ty) => {
            let def = module.types.structs[id].clone();
            let mut fields = Vec::new();
            for field in def.fields {
                if holds_data(&module.types, field.ty) {
                    fields.push(Field { ty: data_of(module, field.ty), ..field });
                }
            }
            let name = unused_name(module, &def.name);
            module.types.add_struct(StructDef { name, fields, differential: None })
        }
        _ => ty,
    }
}
