//! Interface values as sums over the types that conform to the interface in the program: those that the caller names, the
//! types without generic parameters that declare it, and instances of generic types once a value of one becomes an
//! interface value. Functions that were lowered before a sum grew are lowered again ([`Program::grow_sum`]).

use hir_ty::{
    alone, display,
    ty::{AssociatedTy, Ty},
};
use ir::{
    Op, SumId, Type, TypeId, ValueId,
    builder::FuncBuilder,
    types::{SumDef, SumVariant, TypeTable},
};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use crate::{
    error::{Lowering, Stop},
    front,
    program::Program,
};

/// The sum for the interface type `ty`: first the types that the caller has given numbers (`conformances`), then all
/// others of the program.
pub(crate) fn lower(program: &mut Program<'_>, ty: Ty) -> Lowering<TypeId> {
    let interface = display::display(program.db, ty);
    let mut conforming = front::conforming_types(program, ty);
    // What the compiler builds in becomes one of them once a value of it is made an interface value: `double` is in a program
    // only where its source has it.
    if conforming.iter().any(|candidate| !is_built_in(*candidate)) {
        conforming.retain(|candidate| !is_built_in(*candidate));
    }
    let named = program.conformances.iter().filter(|conformance| conformance.interface == interface);
    let file = hir_def::item::file_of(program.db, program.root);
    for found in named.filter_map(|conformance| alone::type_named(program.db, file, &conformance.ty)) {
        if !conforming.contains(&found) {
            conforming.push(found);
        }
    }
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
    let sum = program.types.sums.add(SumDef {
        name: name.clone(),
        variants: Vec::new(),
        payload_bytes: None,
        differential: None,
    });
    let id = program.types.intern(Type::Sum(sum));
    program.lowered_types.insert(ty, id);
    let mut variants: Vec<SumVariant> = Vec::new();
    let mut sources = Vec::new();
    for (number, candidate) in numbered {
        let variant = program.lower_type(candidate)?;
        // Types that are one in the IR (enums of one integer type) are one variant.
        if !variants.iter().any(|known| known.ty == variant) {
            variants.push(SumVariant { ty: variant, id: number });
            sources.push(candidate);
        }
    }
    for variant in &variants {
        check_finite(program.types, sum, variant.ty)?;
    }
    let payload_bytes = front::any_value_size(program.db, ty);
    program.types.sums.revise(sum, |def| def.payload_bytes = payload_bytes);
    for source in &sources {
        check_fits(program, sum, *source)?;
    }
    program.variants.insert(sum, sources);
    program.types.sums.revise(sum, |def| def.variants.clone_from(&variants));
    if front::is_differentiable(program, ty) || front::is_differentiable_interface(program, ty) {
        let differential = differential(program, &name, &variants);
        program.types.sums.revise(sum, |def| def.differential = Some(differential));
    }
    Ok(id)
}

/// An associated type of an interface value that no interface bounds: the sum of what it is in the types that the value may
/// have. All that a program can do with its values is to hand them back to the one that they come from.
pub(crate) fn of_associated(program: &mut Program<'_>, ty: Ty, associated: AssociatedTy) -> Lowering<TypeId> {
    let db = program.db;
    let base = associated.base(db);
    if !hir_ty::extension::is_interface(db, base) {
        return Err(Stop::broken("an associated type of no type"));
    }
    let name = program.unique_name(&display::display(db, ty));
    let sum = SumDef { name, variants: Vec::new(), payload_bytes: None, differential: None };
    let sum = program.types.sums.add(sum);
    let id = program.types.intern(Type::Sum(sum));
    program.lowered_types.insert(ty, id);
    let env = program.env();
    for (number, owner) in (0..).zip(front::conforming_types(program, base)) {
        let (item, args) = (associated.item(db), associated.interface_args(db));
        let source = hir_ty::associated::associated_type(db, env, owner, item, args);
        let variant = program.lower_type(source)?;
        check_finite(program.types, sum, variant)?;
        if position(program.types, sum, variant).is_none() {
            program.types.sums.revise(sum, |def| def.variants.push(SumVariant { ty: variant, id: number }));
            program.variants.entry(sum).or_default().push(source);
        }
    }
    Ok(id)
}

fn is_built_in(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(_) | Ty::Builtin(..))
}

/// E41019 of the reference compiler: the interface says how large its values are.
fn check_fits(program: &Program<'_>, sum: SumId, source: Ty) -> Lowering<()> {
    let def = &program.types.sums[sum];
    match (def.payload_bytes, front::size_of(program, source)) {
        (Some(most), Some(size)) if size.bytes > most.into() => {
            let bytes = size.bytes;
            let (name, interface) = (display::display(program.db, source), &def.name);
            Err(Stop::broken(format!("`{name}`, which takes {bytes} bytes where `{interface}` leaves {most},")))
        }
        _ => Ok(()),
    }
}

/// A type that holds, by value, a value of the interface that it conforms to has no size.
fn check_finite(types: &TypeTable, sum: SumId, variant: TypeId) -> Lowering<()> {
    let mut pending = vec![variant];
    let mut seen = FxHashSet::default();
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match types.get(ty) {
            Type::Sum(found) if found == sum => {
                let interface = &types.sums[sum].name;
                return Err(Stop::broken(format!("a type that conforms to `{interface}` and contains one that does")));
            }
            Type::Sum(other) => pending.extend(types.sums[other].variants.iter().map(|variant| variant.ty)),
            Type::Struct(id) => pending.extend(types.structs[id].fields.iter().map(|field| field.ty)),
            Type::Array { element, .. } => pending.push(element),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => {}
        }
    }
    Ok(())
}

/// The sum of the differentials of the variants, in their order, and null. A type of its own even where all variants are
/// their own differentials, because a value of the interface is never null. Its own differential is itself.
fn differential(program: &mut Program<'_>, name: &SmolStr, variants: &[SumVariant]) -> TypeId {
    let differentials: Vec<Option<TypeId>> =
        variants.iter().map(|variant| program.types.differential_of(variant.ty)).collect();
    let mut distinct: Vec<SumVariant> = Vec::new();
    for (differential, variant) in differentials.iter().zip(variants) {
        if let Some(ty) = *differential
            && !distinct.iter().any(|known| known.ty == ty)
        {
            distinct.push(SumVariant { ty, id: variant.id });
        }
    }
    let name = program.unique_name(&format!("{name}.Differential"));
    let sum = program.types.sums.add(SumDef { name, variants: distinct, payload_bytes: None, differential: None });
    let id = program.types.intern(Type::Sum(sum));
    program.types.sums.revise(sum, |def| def.differential = Some(id));
    id
}

impl Program<'_> {
    /// Adds `ty` to the types that a value of the sum can hold. All functions that match on sums are lowered again.
    pub(crate) fn grow_sum(&mut self, sum: SumId, ty: Ty) -> Lowering<u32> {
        let variant = self.lower_type(ty)?;
        check_finite(self.types, sum, variant)?;
        check_fits(self, sum, ty)?;
        let def = &self.types.sums[sum];
        let id = def.variants.iter().map(|variant| variant.id + 1).max().unwrap_or(0);
        let number = def.variants.len() as u32;
        let differential = def.differential;
        self.types.sums.revise(sum, |def| def.variants.push(SumVariant { ty: variant, id }));
        self.variants.entry(sum).or_default().push(ty);
        if let (Some(differential), Some(ty)) = (differential, self.types.differential_of(variant))
            && let Type::Sum(of) = self.types.get(differential)
            && !self.types.sums[of].variants.iter().any(|known| known.ty == ty)
        {
            self.types.sums.revise(of, |def| def.variants.push(SumVariant { ty, id }));
        }
        self.lower_again();
        Ok(number)
    }
}

/// `value` as a value of the sum `ty`: one of its variants, or whatever another interface value holds.
pub(crate) fn convert(
    program: &mut Program<'_>,
    b: &mut FuncBuilder<'_>,
    value: ValueId,
    ty: TypeId,
) -> Lowering<ValueId> {
    let from = b.ty(value);
    let Type::Sum(to) = b.types.get(ty) else { return Err(Stop::broken("an interface that is not a sum")) };
    if from == ty {
        return Ok(value);
    }
    let Type::Sum(source) = b.types.get(from) else {
        let variant = variant(program, to, from)?;
        return Ok(b.value(Op::SumMake { variant, value }, ty));
    };
    // From one interface to another: every type that conforms to the one conforms to the other.
    let payloads: Vec<TypeId> = b.types.sums[source].variants.iter().map(|variant| variant.ty).collect();
    let mut regions = Vec::new();
    for payload in payloads {
        let number = match position(b.types, to, payload) {
            // A differential stays that of the types that conform to its interface: no value of it holds another one.
            None if b.types.sum_has_null(to) => None,
            _ => Some(variant(program, to, payload)?),
        };
        let region = b.new_region(&[payload]);
        b.within(region, |b| {
            let value = b.params(region)[0];
            let value = match number {
                Some(variant) => b.value(Op::SumMake { variant, value }, ty),
                None => b.zero(ty),
            };
            b.yield_([value]);
        });
        regions.push(region);
    }
    let null = b.types.sum_has_null(source).then(|| {
        let region = b.new_region(&[]);
        b.within(region, |b| {
            let value = b.zero(ty);
            b.yield_([value]);
        });
        region
    });
    Ok(b.value(Op::SumMatch { sum: value, variants: regions, null }, ty))
}

fn position(types: &TypeTable, sum: SumId, ty: TypeId) -> Option<u32> {
    types.sums[sum].variants.iter().position(|variant| variant.ty == ty).map(|index| index as u32)
}

/// The number of the variant `ty` of a sum; a type that only now turns out to be one of those that the interface stands
/// for becomes one.
fn variant(program: &mut Program<'_>, sum: SumId, ty: TypeId) -> Lowering<u32> {
    if let Some(index) = position(program.types, sum, ty) {
        return Ok(index);
    }
    if program.types.sum_has_null(sum) {
        return Err(Stop::unsupported("a derivative of another type than the values of the interface have"));
    }
    let found = program.source_type(ty);
    let source = found.ok_or_else(|| Stop::broken("a value of a type that does not conform to the interface"))?;
    program.grow_sum(sum, source)
}
