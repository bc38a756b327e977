//! What the source says of how the host provides variables: registers, bindings, push and specialisation constants.

use base_db::{Db, SourceFile};
use hir_def::{
    attribute::{Attribute, AttributeKind, InCode, MODIFIERS, Modifiers},
    item::{self, Item, ItemId, ItemKind, Packing, Placement},
    modules,
};
use hir_ty::{
    consts, display, glsl_globals,
    ty::{BuiltinType, TextureAccess, Ty},
};
use ir::provision::{DataLayout, ParameterRole, Provision, Register, RegisterClass};
use ir::types::Matrices;
use smol_str::SmolStr;

use super::{has_initializer, is_let, signature_constant, written_layout};
use crate::{
    error::{Lowering, Stop},
    program::Program,
};

/// Types nested deeper than this are not searched for parameter blocks.
const MAX_DEPTH: usize = ::diagnostics::limits::PARAMETER_BLOCKS as usize;

/// The byte in a constant buffer that `packoffset(c1.y)` says.
pub(crate) fn packed_offset(placement: &Placement) -> Option<u32> {
    let [place] = &placement.args[..] else { return None };
    if placement.word.as_str() != "packoffset" {
        return None;
    }
    let (row, component) = place.split_once('.').unwrap_or((place.as_str(), "x"));
    let row: u32 = row.strip_prefix('c')?.parse().ok()?;
    let component =
        ["xr", "yg", "zb", "wa"].iter().position(|names| component.len() == 1 && names.contains(component))?;
    row.checked_mul(16)?.checked_add(component as u32 * 4)
}

/// What is written at a shader parameter of type `ty`.
pub(crate) fn provision(program: &mut Program<'_>, item: ItemId, ty: Ty) -> Lowering<Provision> {
    let db = program.db;
    let data = item::item_data(db, item);
    let mut provision = Provision { blocks: blocks(program, ty), ..Provision::default() };
    refused(data)?;
    provision.matrices = written_order(db, item);
    provision.is_coherent = data.modifiers.contains(Modifiers::GLOBALLY_COHERENT);
    let mut packing = None;
    for placement in &data.placements {
        if let Some(rules) = placement.packing() {
            packing = Some(match rules {
                Packing::Std140 => DataLayout::Std140,
                Packing::Std430 => DataLayout::Std430,
                Packing::Scalar => DataLayout::Scalar,
            });
            continue;
        }
        if placement.word.as_str() == "packoffset" {
            return Err(Stop::unsupported("`packoffset`"));
        }
        if let [space] = &placement.args[..]
            && let Some(space) = space.strip_prefix("space").and_then(|number| number.parse().ok())
        {
            provision.space = Some(space);
            continue;
        }
        let register = register(&placement.args);
        provision
            .registers
            .push(register.ok_or_else(|| Stop::unsupported(format!("`register({})`", placement.args.join(", "))))?);
    }
    for (_, attribute) in data.attributes() {
        match attribute.kind {
            Some(AttributeKind::Binding | AttributeKind::GlBinding) => {
                let binding = number(db, item, attribute, 0);
                let set = if attribute.args.len() > 1 { number(db, item, attribute, 1) } else { Some(0) };
                let place = binding.zip(set);
                provision.binding = Some(place.ok_or_else(|| Stop::unsupported("a binding that is not a number"))?);
            }
            Some(AttributeKind::PushConstant) => provision.role = ParameterRole::PushConstant,
            Some(AttributeKind::ShaderRecord) => provision.role = ParameterRole::ShaderRecord,
            Some(AttributeKind::Format) => {
                let format = attribute.string(&data.store, 0);
                provision.format = format.map(SmolStr::new);
            }
            _ => {}
        }
    }
    provision.layout = match written_layout(db, item) {
        Some(Ty::Adt(layout, args)) if display::instance_name(db, layout, args) == "ScalarDataLayout" => {
            Some(DataLayout::Scalar)
        }
        _ => packing,
    };
    Ok(provision)
}

/// How the source says that the matrices of a variable lie in memory.
pub(crate) fn written_order(db: &dyn Db, variable: ItemId) -> Matrices {
    let modifiers = item::item_data(db, variable).modifiers;
    match () {
        () if modifiers.contains(Modifiers::COLUMN_MAJOR) => Matrices::ByColumns,
        () if modifiers.contains(Modifiers::ROW_MAJOR) => Matrices::ByRows,
        () => Matrices::AsUsual,
    }
}

/// Refuses a declaration with an attribute or modifier whose meaning the code would not have.
pub(crate) fn refused(data: &Item) -> Lowering<()> {
    let is_refused = |kind: AttributeKind| kind.in_code() == InCode::Refused;
    if let Some(kind) = data.attributes().filter_map(|(_, attribute)| attribute.kind).find(|kind| is_refused(*kind)) {
        return Err(Stop::unsupported(format!("`[{}]`", kind.name())));
    }
    let is_variable = matches!(data.kind, ItemKind::Variable { .. });
    match MODIFIERS.iter().find(|info| info.in_code == InCode::Refused && data.modifiers.contains(info.modifier)) {
        Some(info) if is_variable => Err(Stop::unsupported(format!("`{}` here", info.word))),
        // Who computes the value does not know where it goes.
        _ if is_variable && data.modifiers.contains(Modifiers::PRECISE) => {
            Err(Stop::unsupported("`precise` at a field or shader parameter"))
        }
        _ => Ok(()),
    }
}

/// The number of a specialisation constant, `None` for one without, if the variable is one.
pub(crate) fn specialization(db: &dyn Db, item: ItemId) -> Option<Option<u32>> {
    let attribute = consts::specialization(item::item_data(db, item))?;
    Some(number(db, item, attribute, 0))
}

/// The shader parameters and specialisation constants that the module of `root` and those that it imports declare, in the
/// order in which the host counts them.
pub(crate) fn shader_parameters(db: &dyn Db, root: ItemId) -> Vec<ItemId> {
    let mut found = Vec::new();
    for file in program_files(db, root) {
        let mut pending: Vec<ItemId> = item::file_items(db, file).iter().rev().copied().collect();
        while let Some(item) = pending.pop() {
            match item::item_data(db, item).kind {
                ItemKind::Namespace => pending.extend(item::members(db, item).iter().rev()),
                ItemKind::ConstantBuffer { .. } => found.push(item),
                ItemKind::Variable { .. } if is_parameter(db, item) => found.push(item),
                _ => {}
            }
        }
    }
    found
}

/// The files of the module of `root` and of those that it imports.
pub(crate) fn program_files(db: &dyn Db, root: ItemId) -> Vec<SourceFile> {
    let view = modules::module_view(db, root.segment(db).file(db));
    let files = view.files.iter().chain(view.imported.iter()).copied();
    files.filter(|file| !modules::is_prelude(db, *file)).collect()
}

/// The variable that a module of the program exports by this name (`export static const`).
pub(crate) fn exported(db: &dyn Db, root: ItemId, name: &str) -> Option<ItemId> {
    let items = program_files(db, root).into_iter().flat_map(|file| item::file_items(db, file).iter().copied());
    items.into_iter().find(|item| {
        let data = item::item_data(db, *item);
        data.modifiers.contains(Modifiers::EXPORT | Modifiers::STATIC)
            && matches!(data.kind, ItemKind::Variable { .. })
            && data.name.as_ref().is_some_and(|own| own.as_str() == name)
    })
}

/// Whether the host provides a variable of global scope.
fn is_parameter(db: &dyn Db, item: ItemId) -> bool {
    let modifiers = item::item_data(db, item).modifiers;
    let other = Modifiers::STATIC | Modifiers::GROUPSHARED | Modifiers::IN | Modifiers::OUT | Modifiers::INOUT;
    let is_constant = (modifiers.contains(Modifiers::CONST) || is_let(db, item))
        && has_initializer(db, item)
        && !modifiers.contains(Modifiers::UNIFORM);
    consts::is_specialization(db, item)
        || !(is_constant || modifiers.intersects(other) || glsl_globals::is_variable(db, item))
}

fn number(db: &dyn Db, item: ItemId, attribute: &Attribute, index: usize) -> Option<u32> {
    u32::try_from(signature_constant(db, item, *attribute.args.get(index)?)?).ok()
}

/// `u7`, `space1`
fn register(args: &[String]) -> Option<Register> {
    let (name, space) = match args {
        [name] => (name, 0),
        [name, space] => (name, space.strip_prefix("space")?.parse().ok()?),
        _ => return None,
    };
    let class = RegisterClass::from_letter(name.chars().next()?)?;
    Some(Register { class, index: name.get(1..)?.parse().ok()?, space })
}

/// Whether fragments of one pixel reach a resource one after the other, or one of those that are in a value.
pub(crate) fn is_ordered(program: &mut Program<'_>, ty: Ty) -> bool {
    holds(program, ty, 0, &|_, ty| match ty {
        Ty::Builtin(
            BuiltinType::RasterizerOrderedBuffer
            | BuiltinType::RasterizerOrderedByteAddressBuffer
            | BuiltinType::RasterizerOrderedStructuredBuffer,
            _,
        ) => true,
        Ty::Builtin(BuiltinType::Texture(shape), _) => shape.access == TextureAccess::RasterizerOrdered,
        _ => false,
    })
}

/// Whether constants are read as a texture is, or some of those that are in a value.
pub(crate) fn has_texture_buffer(program: &mut Program<'_>, ty: Ty) -> bool {
    holds(program, ty, 0, &|db, ty| match ty {
        Ty::Builtin(BuiltinType::TextureBuffer, _) => true,
        Ty::Adt(item, _) => {
            matches!(item::item_data(db, item).kind, ItemKind::ConstantBuffer { is_texture_buffer: true, .. })
        }
        _ => false,
    })
}

/// Whether `test` holds for a type or one of those that resources in it have.
fn holds(program: &mut Program<'_>, ty: Ty, depth: usize, test: &dyn Fn(&dyn Db, Ty) -> bool) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if test(program.db, ty) {
        return true;
    }
    let content = match ty {
        Ty::Builtin(BuiltinType::ParameterBlock | BuiltinType::ConstantBuffer | BuiltinType::Array, _) => {
            ty.first_type_arg(program.db)
        }
        Ty::Adt(..) => Some(ty),
        _ => None,
    };
    match content {
        Some(Ty::Adt(..)) => {
            let members = content.map(|content| program.member_types(content).unwrap_or_default());
            members.into_iter().flatten().any(|(_, member)| holds(program, member, depth + 1, test))
        }
        Some(inner) => holds(program, inner, depth + 1, test),
        None => false,
    }
}

/// The parts of a parameter that are parameter blocks.
fn blocks(program: &mut Program<'_>, ty: Ty) -> Vec<Vec<u32>> {
    fn search(program: &mut Program<'_>, ty: Ty, path: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
        let content = match ty {
            _ if path.len() > MAX_DEPTH => return,
            Ty::Builtin(BuiltinType::ParameterBlock, _) => {
                found.push(path.clone());
                ty.first_type_arg(program.db)
            }
            Ty::Builtin(BuiltinType::ConstantBuffer, _) => ty.first_type_arg(program.db),
            Ty::Adt(..) => Some(ty),
            _ => None,
        };
        let Some(content @ Ty::Adt(..)) = content else { return };
        for (index, (_, member)) in program.member_types(content).unwrap_or_default().into_iter().enumerate() {
            path.push(index as u32);
            search(program, member, path, found);
            path.pop();
        }
    }
    let mut found = Vec::new();
    search(program, ty, &mut Vec::new(), &mut found);
    found
}
