//! What is known, without running the program, of values that hold handles.

use ir::{GlobalId, HandleType, PathStep, Type, TypeId, ValueId, types::TypeTable};
use rustc_hash::FxHashSet;

/// What the handles in a value refer to. The shapes of values that hold none are [`Shape::Nothing`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// No handle, the null handle, or one that is never made.
    Nothing,
    Place(Place),
    /// Handles that differ from run to run.
    Many,
    /// Of the fields of a struct, the variants of a sum; of an array the one shape that all elements share.
    Parts(Vec<Shape>),
}

/// The memory that a handle refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub global: GlobalId,
    /// The part of a parameter block in which the handle is, if it is in one.
    pub block: Vec<u32>,
    /// What a pointer points to, inside of the memory.
    pub path: Vec<PlaceStep>,
    pub which: Which,
}

/// Which of the handles at a place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Which {
    /// There is one.
    Only,
    /// Of an array of resources that which the handle's number says; it is the same for all threads that run together.
    Numbered,
    /// The same, where the source says that the number may differ between threads.
    NumberedByThread,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PlaceStep {
    Const(u32),
    /// The element that the pointer's number says; there is one such step at most.
    Index,
}

impl Place {
    /// The one place for two handles, whose numbers tell them apart.
    fn join(&self, other: &Place) -> Option<Place> {
        let which = match (self.which, other.which) {
            (Which::Only, Which::Only) => Which::Only,
            (Which::Only, _) | (_, Which::Only) => return None,
            (Which::Numbered, Which::Numbered) => Which::Numbered,
            (Which::NumberedByThread, _) | (_, Which::NumberedByThread) => Which::NumberedByThread,
        };
        let is_same = (self.global, &self.block, &self.path) == (other.global, &other.block, &other.path);
        is_same.then(|| Place { which, ..self.clone() })
    }

    /// Whether `p + 1` is the next element.
    pub(crate) fn can_move(&self) -> bool {
        self.path.last() == Some(&PlaceStep::Index)
    }
}

impl Shape {
    /// What is known where control flow joins, or of an array one element of which is replaced.
    pub(crate) fn join(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Nothing, shape) | (shape, Shape::Nothing) => shape.clone(),
            (Shape::Parts(left), Shape::Parts(right)) if left.len() == right.len() => {
                Shape::Parts(left.iter().zip(right).map(|(left, right)| left.join(right)).collect())
            }
            (Shape::Place(left), Shape::Place(right)) => left.join(right).map_or(Shape::Many, Shape::Place),
            _ => Shape::Many,
        }
    }

    /// The same handles, the numbers of which may differ between threads.
    pub(crate) fn by_thread(&self) -> Shape {
        match self {
            Shape::Place(place) if place.which == Which::Numbered => {
                Shape::Place(Place { which: Which::NumberedByThread, ..place.clone() })
            }
            Shape::Parts(parts) => Shape::Parts(parts.iter().map(Shape::by_thread).collect()),
            Shape::Nothing | Shape::Place(_) | Shape::Many => self.clone(),
        }
    }

    /// The shape of the part of a value of type `ty` that `path` leads to.
    pub(crate) fn part(&self, types: &TypeTable, ty: TypeId, path: &[PathStep]) -> Shape {
        let (mut shape, mut ty) = (self, ty);
        for step in path {
            let Shape::Parts(parts) = shape else { return shape.clone() };
            let (index, inner) = match (types.get(ty), step) {
                (Type::Struct(id), PathStep::Const(index)) => {
                    (*index as usize, types.structs[id].fields.get(*index as usize).map(|field| field.ty))
                }
                (Type::Array { element, .. }, _) => (0, Some(element)),
                _ => return Shape::Nothing,
            };
            let (Some(part), Some(inner)) = (parts.get(index), inner) else { return Shape::Nothing };
            (shape, ty) = (part, inner);
        }
        shape.clone()
    }

    /// The shape of a value of type `ty` after the part at `path` is replaced.
    pub(crate) fn with_part(&self, types: &TypeTable, ty: TypeId, path: &[PathStep], new: &Shape) -> Shape {
        let Some((step, rest)) = path.split_first() else { return new.clone() };
        if *self == Shape::Many || !types.holds_handles(ty) {
            return self.clone();
        }
        let mut parts = match self {
            Shape::Parts(parts) => parts.clone(),
            _ => vec![Shape::Nothing; part_count(types, ty)],
        };
        match (types.get(ty), step) {
            (Type::Struct(id), PathStep::Const(index)) => {
                let field = types.structs[id].fields.get(*index as usize).map(|field| field.ty);
                if let (Some(part), Some(field)) = (parts.get_mut(*index as usize), field) {
                    *part = part.with_part(types, field, rest, new);
                }
            }
            (Type::Array { element, .. }, _) => {
                if let Some(part) = parts.first_mut() {
                    *part = part.join(&part.with_part(types, element, rest, new));
                }
            }
            _ => {}
        }
        Shape::Parts(parts)
    }

    /// All handles in a value of type `ty` are unknown.
    pub(crate) fn unknown(types: &TypeTable, ty: TypeId) -> Shape {
        if types.holds_handles(ty) { Shape::Many } else { Shape::Nothing }
    }

    /// What a part of a parameter block holds. `numbered` are the handles that arrays of resources consist of.
    pub(crate) fn of_block(
        types: &TypeTable,
        numbered: &FxHashSet<TypeId>,
        global: GlobalId,
        block: Vec<u32>,
        ty: TypeId,
    ) -> Shape {
        match types.get(ty) {
            Type::Handle(handle) => Shape::Place(Place { global, block, path: start(handle), which: Which::Only }),
            Type::Array { element, .. } if numbered.contains(&element) => {
                let place = Place { global, block, path: Vec::new(), which: Which::Numbered };
                Shape::Parts(vec![Shape::Place(place)])
            }
            Type::Struct(id) if types.holds_handles(ty) => {
                let fields = types.structs[id].fields.iter().enumerate();
                Shape::Parts(
                    fields
                        .map(|(index, field)| {
                            let block = block.iter().copied().chain([index as u32]).collect();
                            Shape::of_block(types, numbered, global, block, field.ty)
                        })
                        .collect(),
                )
            }
            _ => Shape::unknown(types, ty),
        }
    }

    /// Calls `visit` on each place.
    pub(crate) fn for_each_place<'a>(&'a self, visit: &mut impl FnMut(&'a Place)) {
        match self {
            Shape::Nothing | Shape::Many => {}
            Shape::Place(place) => visit(place),
            Shape::Parts(parts) => parts.iter().for_each(|part| part.for_each_place(visit)),
        }
    }
}

/// Where a handle points to at first.
pub(crate) fn start(handle: HandleType) -> Vec<PlaceStep> {
    match handle {
        HandleType::Pointer { .. } => vec![PlaceStep::Index],
        _ => Vec::new(),
    }
}

/// How many shapes a value of the type consists of.
fn part_count(types: &TypeTable, ty: TypeId) -> usize {
    match types.get(ty) {
        Type::Struct(id) => types.structs[id].fields.len(),
        Type::Sum(id) => types.sums[id].variants.len(),
        _ => 1,
    }
}

/// The steps that address a part, of which one at most may be known only at run time.
pub(crate) fn static_steps(func: &ir::Func, steps: &[ValueId]) -> Option<(Vec<PlaceStep>, Option<ValueId>)> {
    let mut index = None;
    let mut path = Vec::new();
    for &step in steps {
        path.push(match func.defining_op(step).map(|data| &data.op) {
            Some(ir::Op::Const(ir::Constant::Int(step))) => PlaceStep::Const(u32::try_from(*step).ok()?),
            _ if index.is_none() => {
                index = Some(step);
                PlaceStep::Index
            }
            _ => return None,
        });
    }
    Some((path, index))
}
