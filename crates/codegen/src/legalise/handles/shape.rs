//! What is known, without running the program, of values that hold handles.

use ir::{GlobalId, HandleType, PathStep, Type, TypeId, ValueId, types::TypeTable};
use rustc_hash::FxHashSet;

/// What the handles in a value refer to. The shapes of values that hold none are [`HandleShape::Nothing`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum HandleShape {
    /// No handle, the null handle, or one that is never made.
    Nothing,
    Referent(Referent),
    /// Handles that differ from run to run.
    Many,
    /// Of the fields of a struct, the variants of a sum; of an array the one shape that all elements share.
    Parts(Vec<HandleShape>),
}

/// The memory that a handle refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Referent {
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

impl Referent {
    /// The one place for two handles, whose numbers tell them apart.
    fn join(&self, other: &Referent) -> Option<Referent> {
        let which = match (self.which, other.which) {
            (Which::Only, Which::Only) => Which::Only,
            (Which::Only, _) | (_, Which::Only) => return None,
            (Which::Numbered, Which::Numbered) => Which::Numbered,
            (Which::NumberedByThread, _) | (_, Which::NumberedByThread) => Which::NumberedByThread,
        };
        let is_same = (self.global, &self.block, &self.path) == (other.global, &other.block, &other.path);
        is_same.then(|| Referent { which, ..self.clone() })
    }

    /// Whether `p + 1` is the next element.
    pub(crate) fn can_move(&self) -> bool {
        self.path.last() == Some(&PlaceStep::Index)
    }
}

impl HandleShape {
    /// What is known where control flow joins, or of an array one element of which is replaced.
    pub(crate) fn join(&self, other: &HandleShape) -> HandleShape {
        match (self, other) {
            (HandleShape::Nothing, shape) | (shape, HandleShape::Nothing) => shape.clone(),
            (HandleShape::Parts(left), HandleShape::Parts(right)) if left.len() == right.len() => {
                HandleShape::Parts(left.iter().zip(right).map(|(left, right)| left.join(right)).collect())
            }
            (HandleShape::Referent(left), HandleShape::Referent(right)) => {
                left.join(right).map_or(HandleShape::Many, HandleShape::Referent)
            }
            _ => HandleShape::Many,
        }
    }

    /// The same handles, the numbers of which may differ between threads.
    pub(crate) fn by_thread(&self) -> HandleShape {
        match self {
            HandleShape::Referent(place) if place.which == Which::Numbered => {
                HandleShape::Referent(Referent { which: Which::NumberedByThread, ..place.clone() })
            }
            HandleShape::Parts(parts) => HandleShape::Parts(parts.iter().map(HandleShape::by_thread).collect()),
            HandleShape::Nothing | HandleShape::Referent(_) | HandleShape::Many => self.clone(),
        }
    }

    /// The shape of the part of a value of type `ty` that `path` leads to.
    pub(crate) fn part(&self, types: &TypeTable, ty: TypeId, path: &[PathStep]) -> HandleShape {
        let (mut shape, mut ty) = (self, ty);
        for step in path {
            let HandleShape::Parts(parts) = shape else { return shape.clone() };
            let (index, inner) = match (types.get(ty), step) {
                (Type::Struct(id), PathStep::Const(index)) => {
                    (*index as usize, types.structs[id].fields.get(*index as usize).map(|field| field.ty))
                }
                (Type::Array { element, .. }, _) => (0, Some(element)),
                _ => return HandleShape::Nothing,
            };
            let (Some(part), Some(inner)) = (parts.get(index), inner) else { return HandleShape::Nothing };
            (shape, ty) = (part, inner);
        }
        shape.clone()
    }

    /// The shape of a value of type `ty` after the part at `path` is replaced.
    pub(crate) fn with_part(&self, types: &TypeTable, ty: TypeId, path: &[PathStep], new: &HandleShape) -> HandleShape {
        let Some((step, rest)) = path.split_first() else { return new.clone() };
        if *self == HandleShape::Many || !types.holds_handles(ty) {
            return self.clone();
        }
        let mut parts = match self {
            HandleShape::Parts(parts) => parts.clone(),
            _ => vec![HandleShape::Nothing; part_count(types, ty)],
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
        HandleShape::Parts(parts)
    }

    /// All handles in a value of type `ty` are unknown.
    pub(crate) fn unknown(types: &TypeTable, ty: TypeId) -> HandleShape {
        if types.holds_handles(ty) { HandleShape::Many } else { HandleShape::Nothing }
    }

    /// What a part of a parameter block holds. `numbered` are the handles that arrays of resources consist of; `which` says
    /// whether the part is in an array already.
    pub(crate) fn of_block(
        types: &TypeTable,
        numbered: &FxHashSet<TypeId>,
        (global, block): (GlobalId, Vec<u32>),
        ty: TypeId,
        which: Which,
    ) -> HandleShape {
        match types.get(ty) {
            Type::Handle(_) if which != Which::Only && !numbered.contains(&ty) => HandleShape::Many,
            Type::Handle(handle) => HandleShape::Referent(Referent { global, block, path: start(handle), which }),
            // One array of an array is a number; of two it would be two.
            Type::Array { element, .. } if which == Which::Only && types.holds_handles(ty) => {
                let elements = HandleShape::of_block(types, numbered, (global, block), element, Which::Numbered);
                HandleShape::Parts(vec![elements])
            }
            Type::Struct(id) if types.holds_handles(ty) => {
                let fields = types.structs[id].fields.iter().enumerate();
                HandleShape::Parts(
                    fields
                        .map(|(index, field)| {
                            let block = block.iter().copied().chain([index as u32]).collect();
                            HandleShape::of_block(types, numbered, (global, block), field.ty, which)
                        })
                        .collect(),
                )
            }
            _ => HandleShape::unknown(types, ty),
        }
    }

    /// Calls `visit` on each place.
    pub(crate) fn for_each_place<'a>(&'a self, visit: &mut impl FnMut(&'a Referent)) {
        match self {
            HandleShape::Nothing | HandleShape::Many => {}
            HandleShape::Referent(place) => visit(place),
            HandleShape::Parts(parts) => parts.iter().for_each(|part| part.for_each_place(visit)),
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
