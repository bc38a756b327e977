//! Interface values as sums over the types that conform to the interface in the program.

use hir_ty::{display, ty::Ty};
use ir::{
    Type, TypeId,
    types::{SumDef, SumVariant, TypeTable},
};
use smol_str::SmolStr;

use crate::{error::Lowering, front, program::Program};

/// The sum for the interface type `ty`: first the types that the caller has given numbers (`conformances`), then all
/// others of the program.
pub(crate) fn lower(program: &mut Program<'_>, types: &mut TypeTable, ty: Ty) -> Lowering<TypeId> {
    let conforming = front::conforming_types(program, ty);
    let interface = display::display(program.db, ty);
    let mut numbered: Vec<(u32, Ty)> = Vec::new();
    let mut others = Vec::new();
    for candidate in conforming {
        let name = display::display(program.db, candidate);
        let number = program
            .conformances
            .iter()
            .find(|conformance| conformance.interface == interface && conformance.ty == name)
            .map(|conformance| conformance.id);
        match number {
            Some(id) => numbered.push((id, candidate)),
            None => others.push(candidate),
        }
    }
    numbered.sort_by_key(|(id, _)| *id);
    let next = numbered.last().map_or(0, |(id, _)| id + 1);
    numbered.extend((next..).zip(others));

    let name = program.unique_name(&interface);
    let sum = types.sums.alloc(SumDef { name: name.clone(), variants: Vec::new(), differential: None });
    let id = types.intern(Type::Sum(sum));
    program.types.insert(ty, id);
    let mut variants: Vec<SumVariant> = Vec::new();
    for (number, candidate) in numbered {
        let variant = program.lower_type(types, candidate)?;
        // Types that are one in the IR (enums of one integer type) are one variant.
        if !variants.iter().any(|known| known.ty == variant) {
            variants.push(SumVariant { ty: variant, id: number });
        }
    }
    types.sums[sum].variants = variants.clone();
    if front::is_differentiable(program, ty) {
        types.sums[sum].differential = Some(differential(program, types, &name, &variants));
    }
    Ok(id)
}

/// The sum of the differentials of the variants, in their order, and null. A type of its own even where all variants are
/// their own differentials, because a value of the interface is never null. Its own differential is itself.
fn differential(program: &mut Program<'_>, types: &mut TypeTable, name: &SmolStr, variants: &[SumVariant]) -> TypeId {
    let differentials: Vec<Option<TypeId>> = variants.iter().map(|variant| types.differential_of(variant.ty)).collect();
    let mut distinct: Vec<SumVariant> = Vec::new();
    for (differential, variant) in differentials.iter().zip(variants) {
        if let Some(ty) = *differential
            && !distinct.iter().any(|known| known.ty == ty)
        {
            distinct.push(SumVariant { ty, id: variant.id });
        }
    }
    let name = program.unique_name(&format!("{name}.Differential"));
    let sum = types.sums.alloc(SumDef { name, variants: distinct, differential: None });
    let id = types.intern(Type::Sum(sum));
    types.sums[sum].differential = Some(id);
    id
}
