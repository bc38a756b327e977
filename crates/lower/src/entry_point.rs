//! Entry points: a function without inputs around the user's, which reads what the GPU and the host provide, and writes what
//! the next stage takes.

mod assembly;
mod messages;
mod varyings;

use base_db::Db;
use hir_def::{
    attribute::{Attribute, AttributeKind, Modifiers},
    body::Expr,
    item::{self, ItemId, ItemKind},
};
use hir_ty::{signature::FunctionRef, ty::GenericArgs};
use ir::{
    Builtin, Callee, EntryPoint, Func, FuncId, GlobalKind, Op, Type, TypeId, ValueId,
    builder::FuncBuilder,
    module::Stage,
    op::Path,
    provision::{ParameterRole, Provision, Rate},
};

use crate::{
    error::{Lowering, Stop},
    front, globals,
    program::Program,
    surface::SurfaceParam,
    system_values,
};
use assembly::{Assembling, Role};
use messages::Messages;
use varyings::{Said, Several, Varyings};

/// Lowers the entry point `item` and enters it into the module.
pub(crate) fn lower(program: &mut Program<'_>, item: ItemId, stage: Option<Stage>) -> Lowering<FuncId> {
    let db = program.db;
    let ItemKind::Function(function) = &item::item_data(db, item).kind else {
        return Err(Stop::broken("an entry point that is not a function"));
    };
    let (stage, group_size) = self::stage(program, item, stage.unwrap_or(Stage::Compute))?;
    let data = item::item_data(db, item);
    let wave_size = data.attribute(AttributeKind::WaveSize).and_then(|attribute| attribute.args.first());
    let wave_size = wave_size.and_then(|arg| u32::try_from(front::signature_constant(db, item, *arg)?).ok());
    let early_fragment_tests = data.has_attribute(AttributeKind::EarlyDepthStencil);
    let user = program.function(FunctionRef { item, args: GenericArgs::empty(db), self_ty: None })?;
    let surface = program.surface(user)?;
    let span = program.module.funcs[user].span;
    let name = program.module.funcs[user].name.clone();
    let wrapper = program.unique_name(&format!("{name}.entry"));
    let mut b = FuncBuilder::new(program.types, wrapper, Vec::new(), Vec::new(), span);
    let mut args: Vec<Option<ValueId>> = vec![None; surface.params.len()];
    let mut varyings = Varyings::new(stage, program.module.entry_points.len() as u32);
    let mut messages = Messages::new(program.module.entry_points.len() as u32);
    let mut assembling = Assembling::default();
    let written: Vec<&item::Param> = function.params.iter().take(surface.params.len()).collect();
    for index in assembly::order(program, stage, &surface) {
        let (param, Some(written)) = (&surface.params[index], written.get(index)) else { continue };
        args[index] =
            argument(program, &mut b, (item, stage), (param, written), &mut varyings, &mut messages, &mut assembling)
                .map_err(|stop| stop.at(span))?;
    }
    let args: Vec<ValueId> = args.into_iter().flatten().collect();
    let results: Vec<TypeId> = surface.results().iter().map(|slot| slot.ty).collect();
    let values = b.call(Callee::Func(user), &args, &results);
    let gives_nothing = matches!(stage, Stage::Compute | Stage::Amplification | Stage::Mesh | Stage::Geometry);
    if surface.throws.is_some() || (gives_nothing && !results.is_empty()) {
        return Err(Stop::unsupported("an entry point with a result or `out` parameters").at(span));
    }
    let mut values = values.into_iter();
    let returned = surface.ret.as_ref().and_then(|_| values.next());
    if stage.traces_rays() {
        if returned.is_some() {
            return Err(Stop::unsupported("a shader that rays start with a result").at(span));
        }
        messages.give_back(&mut b, values);
    } else {
        // Locations are counted as slangc counts them: those of parameters come before that of the result.
        let outputs = surface.params.iter().zip(&function.params).filter(|(param, _)| param.direction.comes_out());
        let mut results = Vec::new();
        for ((param, written), value) in outputs.zip(values) {
            results.push((param.ty, value, said(program, item, param, written)?));
        }
        if let Some(ret) = &surface.ret
            && let Some(value) = returned
        {
            let semantic = function.semantic.as_ref().map(|semantic| semantic.as_str());
            let data = item::item_data(db, item);
            let said = Said::new(name.clone(), semantic, Modifiers::empty());
            results.push((ret.ty, value, said.located(program, item, |kind| data.attribute(kind))?));
        }
        for (ty, value, mut said) in results {
            let given = match stage {
                Stage::Hull => {
                    let count = assembly::number(program, item, AttributeKind::OutputControlPoints)?.unwrap_or(0);
                    assembling.control_point(program, &mut b, &mut varyings, (ty, value, said), count)
                }
                _ => varyings.write(program, &mut b, Some(ty), value, &mut said),
            };
            given.map_err(|stop| stop.at(span))?;
        }
    }
    let assembly = assembling.finish(program, item, stage, &mut varyings).map_err(|stop| stop.at(span))?;
    Ok(finish(
        program,
        b,
        EntryPoint { name, func: user, stage, group_size, wave_size, early_fragment_tests, assembly },
    ))
}

/// The value that goes into the user's function for a parameter, if one does.
fn argument(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    (item, stage): (ItemId, Stage),
    (param, written): (&SurfaceParam, &item::Param),
    varyings: &mut Varyings,
    messages: &mut Messages,
    assembling: &mut Assembling,
) -> Lowering<Option<ValueId>> {
    if param.direction.comes_out() && stage == Stage::Compute {
        return Err(Stop::unsupported("an entry point with a result or `out` parameters"));
    }
    let is_handle =
        matches!(program.types.get(param.ir_ty), Type::Handle(_)) || program.types.is_combined_texture(param.ir_ty);
    let semantic = written.semantic.as_ref().map(|semantic| semantic.as_str().to_ascii_uppercase());
    let builtin = semantic.as_deref().and_then(system_values::builtin_of);
    let in_groups = matches!(stage, Stage::Compute | Stage::Amplification | Stage::Mesh);
    let is_builtin = in_groups && builtin.is_some();
    if stage != Stage::Compute && !is_builtin && !is_handle && !written.modifiers.contains(Modifiers::UNIFORM) {
        return match assembly::role(program, stage, param, written)? {
            _ if stage.traces_rays() => messages.received(program, b, stage, param),
            Role::Payload => messages.received(program, b, stage, param),
            Role::Vertices => {
                let said = said(program, item, param, written)?;
                assembling.vertices(program, b, varyings, param, written, said).map(Some)
            }
            role @ (Role::Stream(_) | Role::Output(..)) => {
                let said = said(program, item, param, written)?;
                assembling.outputs(program, b, varyings, param, role, said).map(Some)
            }
            Role::Value if param.direction.goes_in() => {
                let mut said = said(program, item, param, written)?;
                if stage == Stage::Domain && written.semantic.is_none() {
                    said = said.of_several(Several { rate: Rate::Patch, ..Several::default() });
                }
                varyings.read(program, b, Some(param.ty), param.ir_ty, &mut said).map(Some)
            }
            Role::Value => Ok(None),
        };
    }
    let of_wave = semantic.as_deref().and_then(|word| system_values::of_wave(b, word, param.ir_ty));
    if of_wave.is_some() {
        return Ok(of_wave);
    }
    match (builtin, semantic) {
        (Some(builtin), _) => builtin_value(b, builtin, param.ir_ty),
        (None, Some(semantic)) if semantic == "REGISTER" => {
            Err(Stop::unsupported("`register` at a parameter of an entry point"))
        }
        (None, Some(semantic)) if !written.modifiers.contains(Modifiers::UNIFORM) => {
            Err(Stop::unsupported(format!("the semantic `{semantic}`")))
        }
        (None, _) => uniform(program, b, param),
    }
    .map(Some)
}

/// Adds the function around the user's, which is `entry.func` until then.
fn finish(program: &mut Program<'_>, mut b: FuncBuilder<'_>, entry: EntryPoint) -> FuncId {
    b.ret([]);
    let func: Func = b.finish();
    let func = program.module.funcs.alloc(func);
    program.module.entry_points.push(EntryPoint { func, ..entry });
    func
}

/// What the source says of a parameter that the pipeline fills or reads.
fn said(program: &Program<'_>, item: ItemId, param: &SurfaceParam, written: &item::Param) -> Lowering<Said> {
    let semantic = written.semantic.as_ref().map(|semantic| semantic.as_str());
    let store = &item::item_data(program.db, item).store;
    let attribute = |kind| store.attribute(&written.attributes, kind);
    Said::new(param.name.clone(), semantic, written.modifiers).located(program, item, attribute)
}

fn builtin_value(b: &mut FuncBuilder<'_>, builtin: Builtin, ty: TypeId) -> Lowering<ValueId> {
    let natural = system_values::natural_type(b.types, builtin);
    let value = b.value(Op::Builtin(builtin), natural);
    match (b.types.get(natural), b.types.get(ty)) {
        (Type::Vector { .. }, Type::Vector { len: 3, .. }) | (Type::Scalar(_), Type::Scalar(_)) => {
            Ok(b.convert(value, ty))
        }
        // Fewer components: the first ones.
        (Type::Vector { scalar, .. }, Type::Vector { len, .. }) => {
            let shorter = b.types.vector(scalar, len);
            let components = (0..len).collect();
            let value = b.value(Op::Swizzle { vector: value, components }, shorter);
            Ok(b.convert(value, ty))
        }
        (Type::Vector { .. }, Type::Scalar(_)) => {
            let value = b.field(value, 0);
            Ok(b.convert(value, ty))
        }
        _ => Err(Stop::unsupported("an entry-point parameter of this type")),
    }
}

/// A parameter that the host provides: a shader parameter of its name.
fn uniform(program: &mut Program<'_>, b: &mut FuncBuilder<'_>, param: &SurfaceParam) -> Lowering<ValueId> {
    let content = program.lower_type(param.ty)?;
    let entry = program.module.entry_points.len() as u32;
    let role = match b.types.get(content) {
        Type::Handle(_) => ParameterRole::EntryOwn(entry),
        _ => ParameterRole::Entry(entry),
    };
    let provision = Provision::of_role(role);
    let global = globals::declare(program, &param.name, param.ty, GlobalKind::Parameter, provision)?;
    let handle = globals::handle(program, b, global);
    if b.ty(handle) == param.ir_ty {
        return Ok(handle);
    }
    Ok(b.value(Op::Load { handle, path: Path::new() }, param.ir_ty))
}

/// The stage and the threads of a group.
fn stage(program: &Program<'_>, item: ItemId, without_word: Stage) -> Lowering<(Stage, [u32; 3])> {
    let db = program.db;
    let data = item::item_data(db, item);
    let (mut stage, mut group_size) = (without_word, [1; 3]);
    for (_, attribute) in data.attributes() {
        match attribute.kind {
            Some(AttributeKind::NumThreads) => group_size = size(db, item, attribute)?,
            Some(AttributeKind::Shader) => {
                stage = match attribute.string(&data.store, 0) {
                    None => Stage::Compute,
                    Some(word) => match Stage::of_source(word) {
                        Some(stage) => stage,
                        None => return Err(Stop::unsupported(format!("the stage `{word}`"))),
                    },
                };
            }
            _ => {}
        }
    }
    let has_size = data.attribute(AttributeKind::NumThreads).is_some();
    if let Some((item, layout)) = size_of_file(db, item).filter(|_| !has_size) {
        group_size = size(db, item, layout)?;
    }
    Ok((stage, group_size))
}

/// What GLSL's `layout(local_size_x = 8) in;` says of all entry points of a file.
fn size_of_file(db: &dyn Db, entry: ItemId) -> Option<(ItemId, &Attribute)> {
    let items = item::file_items(db, item::file_of(db, entry)).iter();
    let mut layouts = items.filter(|item| {
        let data = item::item_data(db, **item);
        matches!(data.kind, ItemKind::Empty) && data.modifiers.contains(Modifiers::IN)
    });
    layouts.find_map(|&item| Some((item, item::item_data(db, item).attribute(AttributeKind::NumThreads)?)))
}

fn size(db: &dyn Db, item: ItemId, attribute: &Attribute) -> Lowering<[u32; 3]> {
    let mut group_size = [1; 3];
    for (size, arg) in group_size.iter_mut().zip(&attribute.args) {
        let value = front::signature_constant(db, item, *arg).and_then(|value| u32::try_from(value).ok());
        let refused = || match &item::item_data(db, item).store.exprs[*arg] {
            Expr::Path(path) => {
                let name = path.segments.last().map_or("", |segment| segment.name.as_str());
                Stop::unsupported(format!("`{name}`, which only the host knows, as the size of a group"))
            }
            _ => Stop::unsupported("a group size that only the host knows"),
        };
        *size = value.ok_or_else(refused)?.max(1);
    }
    Ok(group_size)
}
