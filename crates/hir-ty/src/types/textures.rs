//! `_Texture<T, Shape, isArray, …>`: every texture as one type, by numbers. Where the numbers that make another type are known,
//! it is the built-in type of that shape; else it is the declaration of the core library, so that generic code can use it.

use base_db::Db;
use hir_def::{
    item::{self, ItemId},
    name::Name,
    prelude_index::prelude_items,
};

use crate::types::{
    builtin_names,
    ty::{BuiltinType, Const, GenericArg, GenericArgs, TextureAccess, TextureKind, TextureSampling, TextureShape, Ty},
};

const SHAPES: [(&str, TextureKind); 4] = [
    ("__Shape1D", TextureKind::D1),
    ("__Shape2D", TextureKind::D2),
    ("__Shape3D", TextureKind::D3),
    ("__ShapeCube", TextureKind::Cube),
];

const ACCESS: [(i64, TextureAccess); 5] = [
    (0, TextureAccess::Read),
    (1, TextureAccess::ReadWrite),
    (2, TextureAccess::Write),
    (3, TextureAccess::RasterizerOrdered),
    (4, TextureAccess::Feedback),
];

/// The declaration of `_Texture`.
#[salsa::tracked(returns(copy))]
fn declaration(db: &dyn Db) -> Option<ItemId> {
    prelude_items(db, Name::new("_Texture")).first().copied()
}

/// A struct, enum or interface with arguments, as a type.
pub(crate) fn declared_type(db: &dyn Db, item: ItemId, args: GenericArgs) -> Ty {
    match args.args(db) {
        [GenericArg::Type(texel), GenericArg::Type(shape), rest @ ..]
            if rest.len() == 7 && declaration(db) == Some(item) =>
        {
            by_arguments(db, *texel, *shape, rest).unwrap_or(Ty::Adt(item, args))
        }
        _ => Ty::Adt(item, args),
    }
}

/// `None` if something is not known or there is not such a texture. The number of samples and the format do not matter.
fn by_arguments(db: &dyn Db, texel: Ty, shape: Ty, rest: &[GenericArg]) -> Option<Ty> {
    let number = |index: usize| match rest.get(index) {
        Some(GenericArg::Value(Const::Value(value))) => Some(*value),
        _ => None,
    };
    let Ty::Adt(shape, _) = shape else { return None };
    let name = item::item_data(db, shape).name.as_ref()?;
    let access = ACCESS.iter().find(|(own, _)| Some(*own) == number(3))?.1;
    let (is_depth, is_combined) = (number(4)? != 0, number(5)? != 0);
    if name.as_str() == "__ShapeBuffer" {
        let kind = match access {
            TextureAccess::Read => BuiltinType::Buffer,
            TextureAccess::ReadWrite => BuiltinType::RWBuffer,
            TextureAccess::RasterizerOrdered => BuiltinType::RasterizerOrderedBuffer,
            TextureAccess::Write | TextureAccess::Feedback => return None,
        };
        return Some(Ty::builtin(db, kind, [GenericArg::Type(texel)]));
    }
    let shape = TextureShape {
        kind: SHAPES.iter().find(|(own, _)| *own == name.as_str())?.1,
        array: number(0)? != 0,
        multisampled: number(1)? != 0,
        access,
        sampling: match (is_combined, is_depth) {
            (false, false) => TextureSampling::Apart,
            (false, true) if texel == Ty::FLOAT => TextureSampling::Depth,
            (true, false) => TextureSampling::Combined,
            (true, true) if texel == Ty::FLOAT => TextureSampling::CombinedDepth,
            (_, true) => return None,
        },
    };
    let has_name = builtin_names::builtin_name(&builtin_names::texture_spelling(shape));
    let exists = has_name == Some(builtin_names::BuiltinName::Generic(BuiltinType::Texture(shape)));
    exists.then(|| Ty::builtin(db, BuiltinType::Texture(shape), [GenericArg::Type(texel)]))
}

/// The arguments of `_Texture` that make the built-in type of a texture, and its declaration.
pub(crate) fn as_declared(db: &dyn Db, ty: Ty) -> Option<(ItemId, GenericArgs)> {
    let Ty::Builtin(BuiltinType::Texture(texture), args) = ty else { return None };
    let shape_name = SHAPES.iter().find(|(_, kind)| *kind == texture.kind)?.0;
    let shape = prelude_items(db, Name::new(shape_name)).first().copied()?;
    let access = ACCESS.iter().find(|(_, access)| *access == texture.access)?.0;
    let is_combined = matches!(texture.sampling, TextureSampling::Combined | TextureSampling::CombinedDepth);
    let [texel] = args.args(db) else { return None };
    let numbers = [
        texture.array.into(),
        texture.multisampled.into(),
        0,
        access,
        texture.is_depth().into(),
        is_combined.into(),
        0,
    ];
    let mut all = vec![*texel, GenericArg::Type(Ty::Adt(shape, GenericArgs::empty(db)))];
    all.extend(numbers.map(|number| GenericArg::Value(Const::Value(number))));
    Some((declaration(db)?, GenericArgs::new(db, all.into_boxed_slice())))
}
