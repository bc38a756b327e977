//! What is known of one value.

use std::rc::Rc;

use super::interval::Interval;
use crate::{OpId, Scalar, Type, TypeId, ValueId, types::TypeTable};

/// Numbers in one value that are told apart.
pub(super) const MOST_PARTS: usize = 16;

/// Aggregates in aggregates that are looked into.
const DEEPEST_PART: u32 = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    /// An integer or a `bool` (0 or 1).
    Number(Number),
    /// A struct, a vector or a short array of such.
    Parts(Rc<[Known]>),
    /// Nothing, because the analysis has no words for such values.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub range: Interval,
    /// Always there but where a value is being made.
    pub relation: Option<Relation>,
}

/// What a number is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The number that a loop carries, as an iteration finds it: the index of the carried value and of the number in it.
    Carried {
        of: OpId,
        index: u32,
        leaf: u32,
    },
    Value {
        value: ValueId,
        leaf: u32,
    },
}

/// Where a number lies, seen from another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Relation {
    pub base: Base,
    /// The number less the base: in integers if `exact`, otherwise in the arithmetic of the type, which wraps.
    pub offset: Interval,
    pub exact: bool,
    /// The base is not negative, and the number at most the base divided by this, rounded down.
    pub shrinks: i128,
    /// The base is not negative, and the number at least the base times this.
    pub grows: i128,
}

impl Relation {
    pub(crate) fn same(base: Base) -> Relation {
        Relation { base, offset: Interval::ZERO, exact: true, shrinks: 1, grows: 1 }
    }

    /// What holds if either does.
    fn join(self, other: Relation) -> Option<Relation> {
        (self.base == other.base).then(|| Relation {
            base: self.base,
            offset: self.offset.hull(other.offset),
            exact: self.exact && other.exact,
            shrinks: self.shrinks.min(other.shrinks),
            grows: self.grows.min(other.grows),
        })
    }
}

impl Number {
    pub(crate) fn new(range: Interval) -> Number {
        Number { range, relation: None }
    }

    fn join(self, other: Number) -> Number {
        let relation = self.relation.zip(other.relation).and_then(|(a, b)| a.join(b));
        Number { range: self.range.hull(other.range), relation }
    }
}

impl Known {
    pub(crate) fn number(&self) -> Option<Number> {
        match self {
            Known::Number(number) => Some(*number),
            Known::Parts(_) | Known::Nothing => None,
        }
    }

    pub(crate) fn range(&self) -> Option<Interval> {
        self.number().map(|number| number.range)
    }

    /// What is known of any value of a type, if it has not more than so many numbers. `number` says what there is to know
    /// of a number of it.
    pub(crate) fn of_type(
        types: &TypeTable,
        ty: TypeId,
        most_parts: usize,
        number: &mut impl FnMut(Scalar) -> Option<Interval>,
    ) -> Known {
        let mut room = most_parts;
        Known::within(types, ty, number, DEEPEST_PART, &mut room).unwrap_or(Known::Nothing)
    }

    /// `None` if there are too many parts.
    fn within(
        types: &TypeTable,
        ty: TypeId,
        number: &mut impl FnMut(Scalar) -> Option<Interval>,
        depth: u32,
        room: &mut usize,
    ) -> Option<Known> {
        let parts: Vec<TypeId> = match types.get(ty) {
            Type::Scalar(scalar) => {
                *room = room.checked_sub(1)?;
                return Some(number(scalar).map_or(Known::Nothing, |range| Known::Number(Number::new(range))));
            }
            Type::Vector { scalar, len } => {
                *room = room.checked_sub(len.into())?;
                let part = number(scalar).map_or(Known::Nothing, |range| Known::Number(Number::new(range)));
                return Some(Known::Parts(vec![part; len.into()].into()));
            }
            Type::Array { element, len } if len as usize <= *room => vec![element; len as usize],
            Type::Struct(id) => types.structs[id].fields.iter().map(|field| field.ty).collect(),
            Type::Array { .. } | Type::Matrix { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => {
                return Some(Known::Nothing);
            }
        };
        let depth = depth.checked_sub(1)?;
        let parts = parts.into_iter().map(|part| Known::within(types, part, number, depth, room));
        Some(Known::Parts(parts.collect::<Option<_>>()?))
    }

    /// What holds if either does.
    pub(crate) fn join(&self, other: &Known) -> Known {
        match (self, other) {
            (Known::Number(a), Known::Number(b)) => Known::Number(a.join(*b)),
            (Known::Parts(a), Known::Parts(b)) if a.len() == b.len() => {
                Known::Parts(a.iter().zip(b.iter()).map(|(a, b)| a.join(b)).collect())
            }
            _ => Known::Nothing,
        }
    }

    /// What holds if both do; `None` if no value is so.
    pub(crate) fn meet(&self, other: &Known) -> Option<Known> {
        Some(match (self, other) {
            (Known::Number(a), Known::Number(b)) => {
                let relation = match (a.relation, b.relation) {
                    (Some(a), Some(b)) => Some(if b.exact && !a.exact { b } else { a }),
                    (a, b) => a.or(b),
                };
                Known::Number(Number { range: a.range.meet(b.range)?, relation })
            }
            (Known::Parts(a), Known::Parts(b)) if a.len() == b.len() => {
                Known::Parts(a.iter().zip(b.iter()).map(|(a, b)| a.meet(b)).collect::<Option<_>>()?)
            }
            (Known::Nothing, known) | (known, _) => known.clone(),
        })
    }

    /// Visits the numbers in order; their indices are the leaves of [`Base`].
    pub(crate) fn for_each_number(&mut self, visit: &mut impl FnMut(u32, &mut Number)) {
        fn walk(known: &mut Known, next: &mut u32, visit: &mut impl FnMut(u32, &mut Number)) {
            match known {
                Known::Number(number) => {
                    visit(*next, number);
                    *next += 1;
                }
                Known::Parts(parts) => {
                    let mut own: Vec<Known> = parts.to_vec();
                    own.iter_mut().for_each(|part| walk(part, next, visit));
                    *parts = own.into();
                }
                Known::Nothing => {}
            }
        }
        walk(self, &mut 0, visit);
    }

    /// The numbers in order.
    pub(crate) fn numbers(&self) -> Vec<Number> {
        fn walk(known: &Known, found: &mut Vec<Number>) {
            match known {
                Known::Number(number) => found.push(*number),
                Known::Parts(parts) => parts.iter().for_each(|part| walk(part, found)),
                Known::Nothing => {}
            }
        }
        let mut found = Vec::new();
        walk(self, &mut found);
        found
    }

    /// The part at a path; `None` as a step stands for any part.
    pub(crate) fn part(&self, path: &[Option<u32>]) -> Known {
        let ([step, rest @ ..], Known::Parts(parts)) = (path, self) else {
            return if path.is_empty() { self.clone() } else { Known::Nothing };
        };
        match step {
            Some(index) => parts.get(*index as usize).map_or(Known::Nothing, |part| part.part(rest)),
            None => {
                let parts = parts.iter().map(|part| part.part(rest));
                parts.reduce(|a, b| a.join(&b)).unwrap_or(Known::Nothing)
            }
        }
    }

    /// With the part at a path replaced; of an unknown step, any part may be the one.
    pub(crate) fn with_part(&self, path: &[Option<u32>], new: &Known) -> Known {
        let ([step, rest @ ..], Known::Parts(parts)) = (path, self) else {
            return if path.is_empty() { new.clone() } else { Known::Nothing };
        };
        let mut parts = parts.to_vec();
        match step {
            Some(index) => {
                if let Some(part) = parts.get_mut(*index as usize) {
                    *part = part.with_part(rest, new);
                }
            }
            None => parts.iter_mut().for_each(|part| *part = part.join(&part.with_part(rest, new))),
        }
        Known::Parts(parts.into())
    }
}
