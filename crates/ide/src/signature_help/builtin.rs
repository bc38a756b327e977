//! What makes and what indexes values of types that the compiler knows: no declaration says it.

use base_db::Db;
use hir_ty::{
    display,
    ty::{BuiltinType, Const, GenericArg, Scalar, Ty},
};

use super::{Signature, written::in_brackets};

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// In how many components the arguments of a constructor may come: those of each of its parameters.
const SPLITS: [&[&[usize]]; 3] = [
    &[&[1, 1], &[2]],
    &[&[1, 1, 1], &[2, 1], &[1, 2], &[3]],
    &[&[1, 1, 1, 1], &[2, 1, 1], &[1, 2, 1], &[1, 1, 2], &[2, 2], &[3, 1], &[1, 3], &[4]],
];

/// The constructors of a type; of vectors, from one value and from scalars and vectors with all components.
pub(super) fn constructors(db: &dyn Db, ty: Ty) -> Vec<Signature> {
    let name = display::display(db, ty);
    let shown = |ty: Ty| display::display(db, ty);
    let from = |params: Vec<String>| in_brackets(&name, ["(", ")"], params.into_iter(), None);
    if let Some((element, len)) = ty.as_vector(db) {
        let part = |start: usize, count: usize| match count {
            1 => format!("{} {}", shown(element), COMPONENTS[start]),
            _ => {
                let ty = Ty::vector(db, element, Const::Value(count as i64));
                format!("{} {}", shown(ty), COMPONENTS[start..start + count].concat())
            }
        };
        let parameters = |sizes: &&[usize]| {
            let mut start = 0;
            let parts = sizes.iter().map(|count| {
                start += count;
                part(start - count, *count)
            });
            parts.collect::<Vec<_>>()
        };
        let count = len.value().and_then(|count| usize::try_from(count).ok());
        let splits = count.and_then(|count| SPLITS.get(count.checked_sub(2)?)).copied().unwrap_or_default();
        let whole = splits.iter().map(|sizes| from(parameters(sizes)));
        return whole.chain([from(vec![format!("{} value", shown(element))])]).collect();
    }
    if let Ty::Scalar(_) = ty {
        return vec![from(vec!["value".to_owned()])];
    }
    if let Some((element, rows, columns)) = ty.as_matrix(db) {
        let row = shown(Ty::vector(db, element, columns));
        let count = rows.value().and_then(|count| usize::try_from(count).ok()).filter(|count| (1..=4).contains(count));
        let whole = count.map(|count| from((0..count).map(|index| format!("{row} row{index}")).collect()));
        return whole.into_iter().chain([from(vec![format!("{} value", shown(element))])]).collect();
    }
    let Ty::Builtin(kind, args) = ty else { return Vec::new() };
    match (kind, args.args(db)) {
        (BuiltinType::DifferentialPair, [GenericArg::Type(value), ..]) => {
            let value = shown(*value);
            vec![from(vec![format!("{value} primal"), format!("{value}.Differential differential")])]
        }
        (BuiltinType::Optional, [GenericArg::Type(value), ..]) => vec![from(vec![format!("{} value", shown(*value))])],
        _ => Vec::new(),
    }
}

/// The brackets behind a value of a type.
pub(super) fn subscript(db: &dyn Db, ty: Ty) -> Option<Signature> {
    let element = match (ty.as_matrix(db), ty) {
        (Some((element, _, columns)), _) => Ty::vector(db, element, columns),
        (None, Ty::Builtin(BuiltinType::Vector | BuiltinType::Array | BuiltinType::Ptr, args)) => match args.args(db) {
            [GenericArg::Type(element), ..] => *element,
            _ => return None,
        },
        (None, _) => return None,
    };
    let name = format!("{} {}", display::display(db, element), display::display(db, ty));
    let index = format!("{} index", display::display(db, Ty::Scalar(Scalar::Int)));
    Some(in_brackets(&name, ["[", "]"], std::iter::once(index), None))
}
