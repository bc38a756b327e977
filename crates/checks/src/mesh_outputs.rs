//! What mesh and geometry shaders give out: its types, and that it is written and never read.

use ::diagnostics::codes;
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    body::{BodyRoot, Expr, ExprId, LocalKind},
    item::{self, Function, ItemKind, Param},
    type_ref::{TypeRef, TypeRefId},
};
use hir_ty::{
    diagnostics::Node,
    infer::result::{Argument, Base, Callable, Resolution},
    known,
    shapes::{self, Shape},
    signature,
    ty::{Const, GenericArg, ParamDirection, Scalar, Ty},
};
use rustc_hash::FxHashSet;

use super::{CheckedBody, Declaration, semantics::Stages};

/// What a mesh shader gives out, by the name of its type.
const MESH_OUTPUTS: &[(&str, Output)] = &[
    ("OutputVertices", Output::Vertices),
    ("OutputIndices", Output::Indices),
    ("OutputPrimitives", Output::Primitives),
];
const STREAMS: &[(&str, Output)] =
    &[("PointStream", Output::Stream), ("LineStream", Output::Stream), ("TriangleStream", Output::Stream)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Vertices,
    Indices,
    Primitives,
    /// What a geometry shader appends to.
    Stream,
}

/// The output that a parameter stands for, with the type of its elements: `out vertices V v[3]`, `OutputVertices<V, 3>`, or a
/// stream.
pub(super) fn output(declaration: &Declaration<'_>, param: &Param) -> Option<(Output, Ty)> {
    let ty = declaration.lower(param.ty);
    let by_modifier = of_modifiers(param.modifiers);
    if let Some(output) = by_modifier {
        return Some((output, ty.as_array(declaration.db).map_or(ty, |(element, _)| element)));
    }
    let (output, element) = of_type(declaration.db, ty)?;
    Some((output, element))
}

fn of_modifiers(modifiers: Modifiers) -> Option<Output> {
    let outputs = [
        (Modifiers::VERTICES, Output::Vertices),
        (Modifiers::INDICES, Output::Indices),
        (Modifiers::PRIMITIVES, Output::Primitives),
    ];
    outputs.into_iter().find(|(modifier, _)| modifiers.contains(*modifier)).map(|(_, output)| output)
}

fn of_type(db: &dyn base_db::Db, ty: Ty) -> Option<(Output, Ty)> {
    let Ty::Adt(item, args) = ty else { return None };
    if !known::is_in_prelude(db, item) {
        return None;
    }
    let name = item::item_data(db, item).name.as_ref()?;
    let (_, output) = MESH_OUTPUTS.iter().chain(STREAMS).find(|(known, _)| *known == name.as_str())?;
    match args.args(db).first() {
        Some(GenericArg::Type(element)) => Some((*output, *element)),
        _ => None,
    }
}

/// What is asked of the outputs of an entry point of this stage.
pub(super) fn check_entry_point(declaration: &mut Declaration<'_>, function: &Function, stage: Stages) {
    if stage == Stages::MESH {
        mesh(declaration, function);
        indices(declaration, function);
    }
    if stage == Stages::GEOMETRY {
        geometry(declaration, function);
    }
    outputs_of_other_stages(declaration, function, stage);
}

/// E38050: outputs that only mesh and geometry shaders have.
fn outputs_of_other_stages(declaration: &mut Declaration<'_>, function: &Function, stage: Stages) {
    let params = function.params.iter().enumerate().map(|(index, param)| (param.ty, Node::Param(index as u32)));
    for (ty, node) in params.chain([(function.ret, Node::Name)]) {
        let foreign = if stage != Stages::MESH && is_named(declaration, ty, MESH_OUTPUTS) {
            "mesh"
        } else if stage != Stages::GEOMETRY && is_named(declaration, ty, STREAMS) {
            "geometry"
        } else {
            continue;
        };
        let shown = declaration.show(declaration.lower(ty));
        let message = format!("type '{shown}' is only valid on a {foreign} shader entry point");
        declaration.report(codes::INVALID_VARYING_TYPE, node, message);
    }
}

/// E38045, E38046: what a geometry shader writes, and how much of it.
fn geometry(declaration: &mut Declaration<'_>, function: &Function) {
    let name = declaration.name();
    if !function.params.iter().any(|param| is_named(declaration, param.ty, STREAMS)) {
        let message = format!("geometry shader entry point '{name}' must have an output stream parameter");
        declaration.report(codes::GEOMETRY_SHADER_WITHOUT_STREAM, Node::Name, message);
    }
    if !declaration.data.has_attribute(AttributeKind::MaxVertexCount) {
        let message = format!("geometry shader entry point '{name}' must have a '[maxvertexcount(n)]' attribute");
        declaration.report(codes::GEOMETRY_SHADER_WITHOUT_MAX_VERTEX_COUNT, Node::Name, message);
    }
}

/// E38047, E38048: what a mesh shader must write.
fn mesh(declaration: &mut Declaration<'_>, function: &Function) {
    let name = declaration.name();
    if !declaration.data.has_attribute(AttributeKind::OutputTopology) {
        let message = format!(
            "mesh shader entry point '{name}' must have an '[outputtopology(\"point\"|\"line\"|\"triangle\")]' attribute"
        );
        declaration.report(codes::MESH_SHADER_WITHOUT_TOPOLOGY, Node::Name, message);
    }
    let has = |wanted: Output, type_name: (&'static str, Output)| {
        let is = |param: &Param| {
            of_modifiers(param.modifiers) == Some(wanted) || is_named(declaration, param.ty, &[type_name])
        };
        function.params.iter().any(is)
    };
    if !has(Output::Vertices, MESH_OUTPUTS[0]) || !has(Output::Indices, MESH_OUTPUTS[1]) {
        let message = format!(
            "mesh shader entry point '{name}' must declare both an 'OutputVertices' and an 'OutputIndices' output"
        );
        declaration.report(codes::MESH_SHADER_WITHOUT_OUTPUTS, Node::Name, message);
    }
}

/// E38050: the vertices of a point, a line or a triangle are whole numbers without sign.
fn indices(declaration: &mut Declaration<'_>, function: &Function) {
    for (index, param) in function.params.iter().enumerate() {
        let Some((Output::Indices, element)) = output(declaration, param) else { continue };
        let is_index = match shapes::numeric(declaration.db, element) {
            Some((Shape::Scalar, scalar)) => scalar == Scalar::UInt,
            Some((Shape::Vector(len), scalar)) => {
                scalar == Scalar::UInt && !matches!(len, Const::Value(len) if len != 2 && len != 3)
            }
            Some((Shape::Matrix(..), _)) => false,
            None => matches!(element, Ty::Error | Ty::Param(_)),
        };
        if !is_index {
            let shown = declaration.show(element);
            let message = format!("the indices of a primitive must be 'uint', 'uint2' or 'uint3', not '{shown}'");
            declaration.report(codes::INVALID_VARYING_TYPE, Node::Param(index as u32), message);
        }
    }
}

/// Whether a type is written with one of these names, known to the core library or not.
fn is_named(declaration: &Declaration<'_>, ty: TypeRefId, names: &[(&str, Output)]) -> bool {
    match &declaration.data.store.type_refs[ty] {
        TypeRef::Path(path) => {
            let last = path.segments.last().map(|segment| segment.name.as_str());
            last.is_some_and(|last| names.iter().any(|(name, _)| *name == last))
        }
        _ => false,
    }
}

/// E54002, E54003: what a mesh shader writes is arrays, and they have a length.
pub(super) fn lengths(declaration: &mut Declaration<'_>) {
    let ItemKind::Function(function) = &declaration.data.kind else { return };
    for (index, param) in function.params.iter().enumerate() {
        let ty = declaration.lower(param.ty);
        if of_modifiers(param.modifiers).is_none() || ty.is_error() {
            continue;
        }
        match ty.as_array(declaration.db) {
            None => {
                let message = "an output of a mesh shader must be an array";
                declaration.report(codes::MESH_OUTPUT_NOT_ARRAY, Node::Param(index as u32), message);
            }
            Some((_, Const::Unsized)) => {
                let message = "an output array of a mesh shader must have a length";
                declaration.report(codes::MESH_OUTPUT_WITHOUT_LENGTH, Node::Param(index as u32), message);
            }
            Some(_) => {}
        }
    }
}

/// E54005: what a mesh shader gives out cannot be read again.
pub(super) fn check_reads(body: &mut CheckedBody<'_>) {
    if matches!(body.body.root, BodyRoot::None) {
        return;
    }
    let elements: Vec<ExprId> = body
        .inferred
        .resolutions
        .iter()
        .filter(|(_, resolution)| match resolution {
            Resolution::Element { base, .. } | Resolution::Property { base: Base::Expr(base), .. } => {
                is_mesh_output(body, *base)
            }
            _ => false,
        })
        .map(|(id, _)| id)
        .collect();
    if elements.is_empty() {
        return;
    }
    let written = written(body);
    let mut read: Vec<ExprId> = elements.into_iter().filter(|id| !written.contains(id)).collect();
    read.sort();
    for id in read {
        let message = "what a mesh shader gives out can be written, but not read: keep a copy in a variable";
        body.report(codes::MESH_OUTPUT_READ, Node::Expr(id), message);
    }
}

fn is_mesh_output(body: &CheckedBody<'_>, id: ExprId) -> bool {
    let ty = body.inferred.expr_types.get(id).copied().unwrap_or(Ty::Error);
    if let Some((output, _)) = of_type(body.db, ty) {
        return output != Output::Stream;
    }
    let Some(Resolution::Local(local)) = body.inferred.resolutions.get(&id) else { return false };
    let LocalKind::Param { index } = body.body.store.locals[*local].kind else { return false };
    let params = match &item::item_data(body.db, body.item).kind {
        ItemKind::Function(function) => &function.params,
        _ => return false,
    };
    params.get(index as usize).is_some_and(|param| of_modifiers(param.modifiers).is_some())
}

/// The places that get a value without being asked for the one that they have, and what they are parts of.
fn written(body: &CheckedBody<'_>) -> FxHashSet<ExprId> {
    let mut written = FxHashSet::default();
    let mut mark = |place: ExprId| {
        let mut next = Some(place);
        while let Some(id) = next {
            written.insert(id);
            next = match body.inferred.resolutions.get(&id) {
                Some(
                    Resolution::Field { base: Base::Expr(base), .. }
                    | Resolution::Swizzle { base, .. }
                    | Resolution::MatrixSwizzle { base, .. }
                    | Resolution::TupleElement { base, .. }
                    | Resolution::Element { base, .. },
                ) => Some(*base),
                _ => None,
            };
        }
    };
    for (id, expr) in body.body.store.exprs.iter() {
        match (expr, body.inferred.resolutions.get(&id)) {
            (Expr::Assign { op: None, target, .. }, _) => mark(*target),
            (_, Some(Resolution::Call(call))) => {
                let Callable::Function(function) = &call.callee else { continue };
                let params = &signature::signature(body.db, function.item).params;
                for (arg, param) in call.args.iter().zip(params) {
                    if let (Argument::Expr(arg), ParamDirection::Out) = (arg, param.direction) {
                        mark(*arg);
                    }
                }
            }
            _ => {}
        }
    }
    written
}
