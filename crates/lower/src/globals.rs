//! Module-level variables: shader parameters, `static`, `groupshared`, constants.

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{ExprId, LocalId},
    item::{self, ItemId, ItemKind},
};
use hir_ty::{
    display, glsl_globals,
    ty::{BuiltinType, Const, GenericArg, GenericArgs, Ty},
};
use ir::builder::FuncBuilder;
use ir::provision::{ParameterRole, Provision};
use ir::{FuncId, Global, GlobalId, GlobalKind, HandleType, Op, PathStep, StructDef, Type, TypeId, ValueId, op::Path};
use smallvec::SmallVec;

use crate::{
    core_function::CoreFunction,
    error::{Lowering, Stop},
    front,
    key::{FunctionKey, GlobalKey},
    mode::Mode,
    program::Program,
    scope::Scope,
    system_values,
};

/// What a name of a global variable gives.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    /// The variable is a handle itself: a buffer, a texture, a pointer.
    Handle(GlobalId),
    /// The variable is in the memory of a global.
    Memory { global: GlobalId, path: Path },
    /// A constant: the function that returns its value.
    Constant(FuncId),
    /// What the machine says of the invocation, of the type `ty`.
    Machine { op: Op, natural: TypeId, ty: Ty },
    /// In the editor's analysis: a constant that the type which conforms gives.
    Unknown,
    /// An integer constant whose value is known: loops that count to it have a bound.
    Number { value: i64, ty: Ty },
}

pub(crate) fn handle(program: &Program<'_>, b: &mut FuncBuilder<'_>, global: GlobalId) -> ValueId {
    let ty = program.module.globals[global].ty;
    b.value(Op::Global(global), ty)
}

/// Declares all shader parameters, used or not, in their order: each has its place among the others.
pub(crate) fn declare_parameters(program: &mut Program<'_>) {
    let db = program.db;
    for item in front::shader_parameters(db, program.root) {
        let declared = match item::item_data(db, item).kind {
            ItemKind::ConstantBuffer { .. } => constant_buffer(program, item).map(drop),
            // The name of a block, which is a parameter already.
            _ if block_of_variable(program, item).is_some() => continue,
            _ => lookup(program, item, None).map(drop),
        };
        // What cannot be declared is an error where it is used. Where it is not, its places are still taken.
        if declared.is_err() {
            let name = display::instance_name(db, item, GenericArgs::empty(db));
            let content = StructDef { name: name.as_str().into(), fields: Vec::new(), differential: None };
            let content = program.types.add_struct(content);
            let ty = program.types.intern(Type::Handle(HandleType::ConstantBuffer { content }));
            let provision = Provision::of_role(ParameterRole::Unknown);
            program.module.globals.alloc(Global {
                name: name.into(),
                ty,
                kind: GlobalKind::Parameter,
                provision,
                by_descriptor: false,
            });
        }
    }
}

/// The global that `item` (a member of `owner`, if it is a static member) means.
pub(crate) fn lookup(program: &mut Program<'_>, item: ItemId, owner: Option<Ty>) -> Lowering<Found> {
    let db = program.db;
    let Some((item, args)) = front::resolve_static(program, item, owner)? else { return Ok(Found::Unknown) };
    let item = linked(program, item, args)?;
    if let Some(buffer) = item::container(db, item)
        && let ItemKind::ConstantBuffer { .. } = item::item_data(db, buffer).kind
    {
        return constant_buffer_field(program, buffer, item);
    }
    let data = item::item_data(db, item);
    let is_static =
        data.modifiers.contains(Modifiers::STATIC) || owner.is_some() || glsl_globals::is_variable(db, item);
    if let Some(id) = front::specialization(db, item) {
        return specialization_constant(program, (item, args), id);
    }
    let is_const = data.modifiers.contains(Modifiers::CONST) || front::is_let(db, item);
    // Another module may give it another value than its default.
    if is_const && data.modifiers.contains(Modifiers::EXTERN) && program.mode == Mode::Analysis {
        return Ok(Found::Unknown);
    }
    if is_const && front::has_initializer(db, item) && !data.modifiers.contains(Modifiers::UNIFORM) {
        let ty = front::variable_type(program, item, args);
        if let (Ty::Scalar(scalar), Some(value)) = (ty, front::constant_item(db, item))
            && scalar.is_integer()
        {
            return Ok(Found::Number { value, ty });
        }
        return program.request(FunctionKey::Initializer { item, args }).map(Found::Constant);
    }
    if let Some(found) = machine_value(program, item, args) {
        return Ok(found);
    }
    if data.modifiers.intersects(Modifiers::IN | Modifiers::OUT | Modifiers::INOUT) {
        return Err(Stop::unsupported("a global variable that is an input or output of the shader"));
    }
    let key = GlobalKey::Item(item, args);
    let ty = front::variable_type(program, item, args);
    let kind = if data.modifiers.contains(Modifiers::GROUPSHARED) {
        GlobalKind::GroupShared
    } else if is_static {
        GlobalKind::Static { init: None }
    } else {
        GlobalKind::Parameter
    };
    let global = match program.globals.get(&key) {
        Some(&global) => global,
        None => {
            let kind = match kind {
                GlobalKind::Static { .. } if front::has_initializer(db, item) => {
                    let init = program.request(FunctionKey::Initializer { item, args })?;
                    GlobalKind::Static { init: Some(init) }
                }
                kind => kind,
            };
            if kind == GlobalKind::Parameter
                && let Some(layout) = front::written_layout(db, item)
            {
                front::check_data_layout(db, layout)?;
            }
            let name = display::instance_name(db, item, args);
            let mut provision = match kind {
                GlobalKind::Parameter => front::provision(program, item, ty)?,
                GlobalKind::Static { .. } | GlobalKind::GroupShared => Provision::default(),
            };
            let content = program.lower_type(ty)?;
            let is_data = !matches!(program.types.get(content), Type::Handle(_));
            if kind == GlobalKind::Parameter && is_data && provision.role == ParameterRole::Own {
                provision.role = ParameterRole::Uniform;
            }
            let global = declare(program, &name, ty, kind, provision)?;
            program.globals.insert(key, global);
            global
        }
    };
    Ok(match program.types.get(program.module.globals[global].ty) {
        Type::Handle(HandleType::Variable { .. }) => Found::Memory { global, path: Path::new() },
        Type::Handle(HandleType::ConstantBuffer { .. }) if !is_block(ty) => Found::Memory { global, path: Path::new() },
        _ => Found::Handle(global),
    })
}

/// An input that any function of any stage may ask for: `in uint3 gl_GlobalInvocationID : SV_DispatchThreadID`.
fn machine_value(program: &mut Program<'_>, item: ItemId, args: GenericArgs) -> Option<Found> {
    let data = item::item_data(program.db, item);
    let ItemKind::Variable { semantic, .. } = &data.kind else { return None };
    if !data.modifiers.contains(Modifiers::IN) || data.modifiers.contains(Modifiers::OUT) {
        return None;
    }
    let ty = front::variable_type(program, item, args);
    if let Some(CoreFunction::Intrinsic(intrinsic)) = front::core_function(program.db, item) {
        let natural = program.lower_type(ty).ok()?;
        return Some(Found::Machine { op: Op::Intrinsic { intrinsic, args: SmallVec::new() }, natural, ty });
    }
    let builtin = system_values::builtin_of(&semantic.as_ref()?.as_str().to_ascii_uppercase())?;
    let natural = system_values::natural_type(program.types, builtin);
    Some(Found::Machine { op: Op::Builtin(builtin), natural, ty })
}

/// What a variable that another module provides (`extern static const`) stands for: the one that a module of the program
/// exports by its name, else its own value.
fn linked(program: &mut Program<'_>, item: ItemId, args: GenericArgs) -> Lowering<ItemId> {
    let db = program.db;
    let data = item::item_data(db, item);
    if program.mode == Mode::Analysis || !data.modifiers.contains(Modifiers::EXTERN | Modifiers::STATIC) {
        return Ok(item);
    }
    let name = data.name.as_ref().map_or("", |name| name.as_str());
    match front::exported(db, program.root, name) {
        Some(other) if front::variable_type(program, item, args) == front::variable_type(program, other, args) => {
            Ok(other)
        }
        Some(_) => Err(Stop::unsupported(format!("`{name}`, which is exported with another type,"))),
        None if front::has_initializer(db, item) => Ok(item),
        None => Err(Stop::unsupported(format!("`{name}`, which no module exports,"))),
    }
}

/// Whether the type itself is a handle of constant data, rather than data that the target keeps in such memory.
fn is_block(ty: Ty) -> bool {
    matches!(ty, Ty::Builtin(BuiltinType::ConstantBuffer | BuiltinType::ParameterBlock | BuiltinType::TextureBuffer, _))
}

/// Whether values of the type are numbers of resources.
fn is_descriptor(ty: Ty) -> bool {
    matches!(ty, Ty::Builtin(BuiltinType::DescriptorHandle, _))
}

/// Adds a global of a source type.
pub(crate) fn declare(
    program: &mut Program<'_>,
    name: &str,
    ty: Ty,
    kind: GlobalKind,
    mut provision: Provision,
) -> Lowering<GlobalId> {
    if kind == GlobalKind::Parameter && !is_descriptor(ty) {
        program.check_memory(ty)?;
    }
    provision.is_ordered = kind == GlobalKind::Parameter && front::is_ordered(program, ty);
    provision.has_texture_buffer = kind == GlobalKind::Parameter && front::has_texture_buffer(program, ty);
    let content = program.lower_type(ty)?;
    let handle = match (kind, program.types.get(content)) {
        (GlobalKind::Parameter, Type::Handle(_)) => content,
        (GlobalKind::Parameter, _) => program.types.intern(Type::Handle(HandleType::ConstantBuffer { content })),
        (GlobalKind::Static { .. } | GlobalKind::GroupShared, _) => {
            program.types.intern(Type::Handle(HandleType::Variable { content }))
        }
    };
    let name = program.unique_name(name);
    let by_descriptor = is_descriptor(ty) && kind == GlobalKind::Parameter && handle == content;
    Ok(program.module.globals.alloc(Global { name, ty: handle, kind, provision, by_descriptor }))
}

pub(crate) fn static_local(
    program: &mut Program<'_>,
    scope: &Scope<'_>,
    (local, init): (LocalId, Option<ExprId>),
    ty: Ty,
) -> Lowering<GlobalId> {
    let key = GlobalKey::Local(scope.item, scope.args, local);
    if let Some(&global) = program.globals.get(&key) {
        return Ok(global);
    }
    let data = &scope.store.locals[local];
    let kind = if data.modifiers.contains(Modifiers::GROUPSHARED) {
        GlobalKind::GroupShared
    } else {
        let (item, args) = (scope.item, scope.args);
        let initializer = |init| FunctionKey::LocalInitializer { item, args, local, init, ty };
        GlobalKind::Static { init: init.map(|init| program.request(initializer(init))).transpose()? }
    };
    let global = declare(program, data.name.as_str(), ty, kind, Provision::default())?;
    program.globals.insert(key, global);
    Ok(global)
}

/// A local of the function that lives in memory because its address is taken: one per invocation, since nothing recurses.
pub(crate) fn local_in_memory(
    program: &mut Program<'_>,
    scope: &Scope<'_>,
    local: LocalId,
    ty: Ty,
) -> Lowering<GlobalId> {
    let key = GlobalKey::Local(scope.item, scope.args, local);
    if let Some(&global) = program.globals.get(&key) {
        return Ok(global);
    }
    let name = scope.store.locals[local].name.as_str();
    let global = declare(program, name, ty, GlobalKind::Static { init: None }, Provision::default())?;
    program.globals.insert(key, global);
    Ok(global)
}

/// The one global that the fields of a `cbuffer` make up.
fn constant_buffer(program: &mut Program<'_>, buffer: ItemId) -> Lowering<GlobalId> {
    let db = program.db;
    let args = GenericArgs::empty(db);
    let key = GlobalKey::Item(buffer, args);
    if let Some(&global) = program.globals.get(&key) {
        return Ok(global);
    }
    let name = match instance_of(program, buffer) {
        Some(instance) => display::instance_name(db, instance, args),
        None => display::instance_name(db, buffer, args),
    };
    let ty = Ty::Adt(buffer, args);
    let provision = front::provision(program, buffer, ty)?;
    let global = if is_storage(db, buffer) {
        storage_block(program, buffer, (&name, ty), provision)?
    } else {
        declare(program, &name, ty, GlobalKind::Parameter, provision)?
    };
    program.globals.insert(key, global);
    Ok(global)
}

/// Whether a variable is a field of a `cbuffer` or of one of GLSL's blocks.
pub(crate) fn is_of_block(db: &dyn Db, field: ItemId) -> bool {
    let container = item::container(db, field).map(|container| &item::item_data(db, container).kind);
    matches!(container, Some(ItemKind::ConstantBuffer { .. }))
}

/// The block whose name behind its fields a variable is: `uniform Name { … } variable;`.
fn block_of_variable(program: &mut Program<'_>, variable: ItemId) -> Option<ItemId> {
    let db = program.db;
    let mut ty = front::variable_type(program, variable, GenericArgs::empty(db));
    while let Ty::Builtin(BuiltinType::Array, _) = ty {
        ty = ty.first_type_arg(db)?;
    }
    let Ty::Adt(block, _) = ty else { return None };
    matches!(item::item_data(db, block).kind, ItemKind::ConstantBuffer { .. }).then_some(block)
}

/// The variable that names a block, if one does.
fn instance_of(program: &mut Program<'_>, block: ItemId) -> Option<ItemId> {
    let db = program.db;
    let items = item::segment_items(db, block.segment(db)).iter().copied();
    // It is written behind the block.
    let mut behind = items.skip_while(|item| *item != block).skip(1);
    let next = behind.find(|item| item::container(db, *item) != Some(block))?;
    let is_variable = matches!(item::item_data(db, next).kind, ItemKind::Variable { .. });
    (is_variable && block_of_variable(program, next) == Some(block)).then_some(next)
}

fn is_storage(db: &dyn Db, block: ItemId) -> bool {
    item::item_data(db, block).modifiers.contains(Modifiers::STORAGE_BLOCK)
}

/// The elements of the only field of a storage block, if it is an array without length.
fn elements_of_storage(program: &mut Program<'_>, block: ItemId) -> Lowering<Option<Ty>> {
    let db = program.db;
    let fields: Vec<ItemId> = front::variables_of(db, block).collect();
    let mut element = None;
    for field in &fields {
        let ty = front::variable_type(program, *field, GenericArgs::empty(db));
        if let Ty::Builtin(BuiltinType::Array, args) = ty
            && matches!(args.args(db).get(1), Some(GenericArg::Value(Const::Unsized)))
        {
            element = ty.first_type_arg(db);
        }
    }
    match fields.len() {
        1 => Ok(element),
        _ if element.is_none() => Ok(None),
        _ => Err(Stop::unsupported("a storage block with other fields beside an array without length")),
    }
}

/// GLSL's `buffer Name { … }`: a buffer of one element, which has the fields, or of the elements of its array.
fn storage_block(
    program: &mut Program<'_>,
    block: ItemId,
    (name, ty): (&str, Ty),
    provision: Provision,
) -> Lowering<GlobalId> {
    let content = match elements_of_storage(program, block)? {
        Some(element) => element,
        None => ty,
    };
    program.check_memory(content)?;
    let element = program.lower_type(content)?;
    let ty = program.types.intern(Type::Handle(HandleType::StructuredBuffer { element, writable: true }));
    let (name, kind) = (program.unique_name(name), GlobalKind::Parameter);
    Ok(program.module.globals.alloc(Global { name, ty, kind, provision, by_descriptor: false }))
}

/// A variable that the host may fix before the program is built; what is written is its value without the host.
fn specialization_constant(
    program: &mut Program<'_>,
    (item, args): (ItemId, GenericArgs),
    id: Option<u32>,
) -> Lowering<Found> {
    let db = program.db;
    let key = GlobalKey::Item(item, args);
    if let Some(&global) = program.globals.get(&key) {
        return Ok(Found::Memory { global, path: Path::new() });
    }
    let has_value = front::has_initializer(db, item);
    let init = has_value.then(|| program.request(FunctionKey::Initializer { item, args })).transpose()?;
    let (name, ty) = (display::instance_name(db, item, args), front::variable_type(program, item, args));
    let provision = Provision::of_role(ParameterRole::Specialization(id));
    let global = declare(program, &name, ty, GlobalKind::Static { init }, provision)?;
    program.globals.insert(key, global);
    Ok(Found::Memory { global, path: Path::new() })
}

/// A field of a `cbuffer`: a part of the one global that all its fields make up.
fn constant_buffer_field(program: &mut Program<'_>, buffer: ItemId, field: ItemId) -> Lowering<Found> {
    let global = constant_buffer(program, buffer)?;
    let index = program.field_index(Ty::Adt(buffer, GenericArgs::empty(program.db)), field)?;
    let field = PathStep::Const(index);
    Ok(match is_storage(program.db, buffer) {
        false => Found::Memory { global, path: [field].into_iter().collect() },
        // What has no length is the buffer itself.
        true if elements_of_storage(program, buffer)?.is_some() => Found::Handle(global),
        true => Found::Memory { global, path: [PathStep::Const(0), field].into_iter().collect() },
    })
}
