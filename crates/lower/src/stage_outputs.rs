//! What mesh and geometry shaders give out while they run (`OutputVertices<V, N>`, `TriangleStream<V>`).
//!
//! An output is a struct of handles of variables: one for each scalar and vector of an element, in order. Writing an
//! element, or a part of one, is a store to each of them.

use ir::{
    Field, HandleType, Op, PathStep, Type, TypeId, ValueId,
    builder::FuncBuilder,
    op::Path,
    types::{Matrices, TypeTable},
};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;

use crate::error::{Lowering, Stop};

/// The types of outputs.
#[derive(Default)]
pub(crate) struct Known {
    /// By the type of an element, and how many there are; of streams none.
    pub types: FxHashMap<(TypeId, Option<u32>), TypeId>,
    pub elements: FxHashMap<TypeId, TypeId>,
}

/// A scalar or vector of a value, and where it is in it.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub path: Vec<u32>,
    pub ty: TypeId,
}

/// The scalars and vectors that values of a type consist of, in order; `None` if there is something else in them.
pub(crate) fn leaves(types: &TypeTable, ty: TypeId) -> Option<Vec<Leaf>> {
    fn walk(types: &TypeTable, ty: TypeId, path: &mut Vec<u32>, found: &mut Vec<Leaf>) -> Option<()> {
        let parts: Vec<TypeId> = match types.get(ty) {
            Type::Scalar(_) | Type::Vector { .. } => {
                found.push(Leaf { path: path.clone(), ty });
                return Some(());
            }
            Type::Matrix { scalar, rows, cols } => vec![types.vector(scalar, cols); usize::from(rows)],
            Type::Array { element, len } if matches!(types.get(element), Type::Scalar(_) | Type::Vector { .. }) => {
                vec![element; len.min(MOST_LEAVES + 1) as usize]
            }
            Type::Struct(id) => types.structs[id].fields.iter().map(|field| field.ty).collect(),
            Type::Array { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => return None,
        };
        for (part, index) in parts.into_iter().zip(0..) {
            path.push(index);
            walk(types, part, path, found)?;
            path.pop();
            if found.len() > MOST_LEAVES as usize {
                return None;
            }
        }
        Some(())
    }
    let mut found = Vec::new();
    walk(types, ty, &mut Vec::new(), &mut found)?;
    Some(found)
}

/// No device takes more from one stage to the next.
const MOST_LEAVES: u32 = 1024;

/// The fields of an output of `count` elements, or of a stream of elements.
pub(crate) fn fields(types: &TypeTable, element: TypeId, count: Option<u32>) -> Lowering<Vec<Field>> {
    let leaves = leaves(types, element).filter(|leaves| !leaves.is_empty());
    let leaves = leaves.ok_or_else(|| Stop::unsupported("an output of a stage of this type"))?;
    let fields = leaves.into_iter().zip(0..).map(|(leaf, index)| {
        let content = count.map_or(leaf.ty, |count| types.array(leaf.ty, count));
        let ty = types.intern(Type::Handle(HandleType::Variable { content }));
        Field { name: format_smolstr!("part_{index}"), ty, no_diff: true, matrices: Matrices::default(), is_gap: false }
    });
    Ok(fields.collect())
}

/// Writes `value`, which is the part of an element that `path` leads to; `index` is the number of the element, of a stream
/// nothing.
pub(crate) fn write(
    b: &mut FuncBuilder<'_>,
    output: ValueId,
    element: TypeId,
    index: Option<PathStep>,
    path: &Path,
    value: ValueId,
) -> Lowering<()> {
    let refused = || Stop::unsupported("an output of a stage of this type");
    let leaves = leaves(b.types, element).ok_or_else(refused)?;
    let mut is_written = false;
    for (leaf, field) in leaves.iter().zip(0..) {
        let common = leaf.path.len().min(path.len());
        let mut agrees = true;
        for (step, index) in path.iter().zip(&leaf.path) {
            match step {
                PathStep::Const(step) => agrees &= step == index,
                PathStep::Dynamic(_) => {
                    return Err(Stop::unsupported(
                        "an element, by an index that is not a constant, of a part of an output",
                    ));
                }
            }
        }
        if !agrees {
            continue;
        }
        let part = leaf.path[common..].iter().map(|&index| PathStep::Const(index));
        let value = b.extract(value, part);
        let handle = b.field(output, field);
        let path = index.into_iter().chain(path[common..].iter().copied()).collect();
        b.op(Op::Store { handle, path, value }, &[]);
        is_written = true;
    }
    if is_written { Ok(()) } else { Err(refused()) }
}
