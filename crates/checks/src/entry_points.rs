//! Entry points: what they take and give, under which system values.

use ::diagnostics::{Code, codes};
use hir_def::{
    attribute::{AttributeKind, Modifiers},
    item::{self, Function, ItemId, ItemKind, Param},
    name::Name,
};
use hir_ty::{
    aggregate,
    diagnostics::{Diagnostic, Node, Site, suggest},
    env::Env,
    ty::{BuiltinType, Const, Ty},
};

use super::{
    Declaration, layout,
    mesh_outputs::{self, Output},
    semantics::{self, Stages},
};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let ItemKind::Function(function) = &declaration.data.kind else { return };
    if !function.has_body {
        return;
    }
    thread_ids(declaration, function);
    let Some(name) = stage_name(declaration) else { return };
    let Some(stage) = Stages::named(name) else { return };
    if stage == Stages::RAY_TRACING {
        ray_tracing(declaration, function, name);
    } else {
        varying(declaration, function);
        treated_as_uniform(declaration, function, stage);
    }
    let mut walk = EntryPointWalk { declaration, stage, stage_name: name, depth_output: None };
    walk.function(function);
    mesh_outputs::check_entry_point(declaration, function, stage);
}

/// E31214: what calls a kernel has no derivatives to give.
pub(super) fn differentiable_kernel(declaration: &mut Declaration<'_>) {
    let ItemKind::Function(function) = &declaration.data.kind else { return };
    let has = |kind| declaration.data.has_attribute(kind);
    if !has(AttributeKind::CudaKernel) || !has(AttributeKind::Differentiable) {
        return;
    }
    let (db, env) = (declaration.db, Env::of(declaration.db, declaration.item));
    for (index, param) in function.params.iter().enumerate() {
        let ty = declaration.lower(param.ty);
        if !param.modifiers.contains(Modifiers::NO_DIFF)
            && matches!(ty, Ty::Scalar(_) | Ty::Adt(..) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _))
            && hir_ty::differential::differential_of(db, env, ty).is_some()
        {
            let message = "a differentiable kernel entry point cannot have differentiable parameters";
            declaration.report(codes::DIFFERENTIABLE_KERNEL_PARAMETER, Node::Param(index as u32), message);
        }
    }
}

/// The stage in `[shader("…")]`. What has a number of threads is a compute shader without that, too, and a mesh shader if
/// it has a topology beside.
fn stage_name<'db>(declaration: &Declaration<'db>) -> Option<&'db str> {
    let data = declaration.data;
    match data.attribute(AttributeKind::Shader) {
        Some(shader) => shader.string(&data.store, 0),
        None if !data.has_attribute(AttributeKind::NumThreads) => None,
        None if data.has_attribute(AttributeKind::OutputTopology) => Some("mesh"),
        None => Some("compute"),
    }
}

/// E38024: the number of a thread is a whole one. A function with `[numthreads]` alone is an entry point as well.
fn thread_ids(declaration: &mut Declaration<'_>, function: &Function) {
    let has = |kind| declaration.data.has_attribute(kind);
    let is_entry = has(AttributeKind::NumThreads) || has(AttributeKind::Shader);
    for (index, param) in function.params.iter().enumerate().filter(|_| is_entry) {
        let Some(row) = param.semantic.as_ref().and_then(|semantic| semantics::system_value(semantic.as_str())) else {
            continue;
        };
        let ty = declaration.lower(param.ty);
        if row.name == "SV_DispatchThreadID" && !ty.is_error() && !row.accepts.takes(declaration.db, ty) {
            let (wanted, got) = (row.accepts.describe(), declaration.show(ty));
            let message = format!("a parameter with SV_DispatchThreadID must be {wanted}, but is '{got}'");
            declaration.report(codes::INVALID_DISPATCH_THREAD_ID_TYPE, Node::Param(index as u32), message);
        }
    }
}

/// E39017, E39018: what the stages of ray tracing exchange goes in and out of payloads.
fn ray_tracing(declaration: &mut Declaration<'_>, function: &Function, stage: &str) {
    if matches!(stage, "raygeneration" | "raygen" | "intersection")
        && is_data(declaration.db, declaration.lower(function.ret))
    {
        let message = format!("the '{stage}' stage has no outputs, so that its entry point returns nothing");
        declaration.report(codes::STAGE_WITHOUT_OUTPUTS, Node::Name, message);
    }
    for (index, param) in function.params.iter().enumerate() {
        let is_input = is_varying(param)
            && !param.modifiers.intersects(Modifiers::OUT | Modifiers::INOUT)
            && param.semantic.is_none()
            && is_data(declaration.db, declaration.lower(param.ty));
        if is_input && matches!(stage, "miss" | "callable") {
            let message = format!("the '{stage}' stage has no inputs: its payload is an 'inout' parameter");
            declaration.report(codes::STAGE_WITHOUT_INPUTS, Node::Param(index as u32), message);
        }
    }
}

/// E38050, E38012, E38011: types that cannot be handed from one stage to the next.
fn varying(declaration: &mut Declaration<'_>, function: &Function) {
    let (db, env) = (declaration.db, Env::of(declaration.db, declaration.item));
    for (index, param) in function.params.iter().enumerate() {
        if !is_varying(param) {
            continue;
        }
        let ty = mesh_outputs::output(declaration, param)
            .map_or_else(|| declaration.lower(param.ty), |(_, element)| element);
        if let Some((part, why)) = not_varying(db, env, ty) {
            let name = param.name.as_ref().map_or("", |name| name.as_str());
            let shown = declaration.show(part);
            let message = format!("type '{shown}' cannot be used as the varying parameter '{name}': {why}");
            declaration.report(codes::INVALID_VARYING_TYPE, Node::Param(index as u32), message);
        }
    }
    let ret = declaration.lower(function.ret);
    if let Some((part, why)) = not_varying(db, env, ret) {
        let message = format!("type '{}' cannot be the result of an entry point: {why}", declaration.show(part));
        declaration.report(codes::INVALID_VARYING_TYPE, Node::Name, message);
    } else if ret.as_array(db).is_some() {
        let message =
            format!("entry point '{}' cannot return array type '{}'", declaration.name(), declaration.show(ret));
        declaration.report(codes::ENTRY_POINT_RETURNS_ARRAY, Node::Name, message);
    } else if layout::holds_resource(db, env, ret) {
        let message = format!(
            "entry point '{}' cannot return type '{}', which contains resource types",
            declaration.name(),
            declaration.show(ret)
        );
        declaration.report(codes::ENTRY_POINT_RETURNS_RESOURCE, Node::Name, message);
    }
}

/// E38040 (warning): nothing comes from an earlier stage to these, so that a parameter without a system value is the host's.
fn treated_as_uniform(declaration: &mut Declaration<'_>, function: &Function, stage: Stages) {
    if !Stages::COMPUTE.union(Stages::AMPLIFICATION).contains(stage) {
        return;
    }
    let (db, env) = (declaration.db, Env::of(declaration.db, declaration.item));
    for (index, param) in function.params.iter().enumerate() {
        let ty = declaration.lower(param.ty);
        if !is_varying(param) || param.semantic.is_some() || !is_data(db, ty) || has_semantics(db, env, ty, 0) {
            continue;
        }
        let name = param.name.as_ref().map_or("", |name| name.as_str());
        let message = format!("parameter '{name}' is treated as 'uniform', since it has no system-value semantic");
        let place = Site { item: declaration.item, node: Node::Param(index as u32) };
        declaration.found.push(Diagnostic::new(codes::TREATED_AS_UNIFORM, place, message));
    }
}

/// Whether values of the type may come from an earlier stage: resources never do.
fn is_data(db: &dyn base_db::Db, ty: Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix, _) => true,
        Ty::Builtin(BuiltinType::Array, _) => ty.as_array(db).is_some_and(|(element, _)| is_data(db, element)),
        Ty::Adt(item, _) => !hir_ty::known::is_in_prelude(db, item),
        _ => false,
    }
}

/// Whether each field of a struct, or of a struct in it, has a semantic.
fn has_semantics(db: &dyn base_db::Db, env: Env, ty: Ty, depth: u32) -> bool {
    let Ty::Adt(item, _) = ty else { return false };
    if depth > 8 || !matches!(item::item_data(db, item).kind, ItemKind::Struct { .. }) {
        return false;
    }
    let fields = aggregate::fields(db, env, ty);
    let has = |&(field, ty): &(ItemId, Ty)| match &item::item_data(db, field).kind {
        ItemKind::Variable { semantic: Some(_), .. } => true,
        _ => has_semantics(db, env, ty, depth + 1),
    };
    !fields.is_empty() && fields.iter().all(has)
}

fn is_varying(param: &Param) -> bool {
    !param.modifiers.contains(Modifiers::UNIFORM)
}

/// The part of a type that no stage can hand over, and why.
fn not_varying(db: &dyn base_db::Db, env: Env, ty: Ty) -> Option<(Ty, &'static str)> {
    let mut seen = Vec::new();
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if seen.contains(&ty) || seen.len() > 256 {
            continue;
        }
        seen.push(ty);
        match ty {
            Ty::Builtin(BuiltinType::DifferentialPair | BuiltinType::DifferentialPtrPair, _) => {
                return Some((ty, "a differential pair is not a varying value"));
            }
            Ty::Builtin(BuiltinType::Atomic, _) => return Some((ty, "an atomic is not a varying value")),
            Ty::Builtin(BuiltinType::Matrix, _) => {
                let (_, rows, columns) = ty.as_matrix(db)?;
                let outside = |size: Const| matches!(size, Const::Value(size) if !(1..=4).contains(&size));
                if outside(rows) || outside(columns) {
                    return Some((ty, "a matrix has 1 to 4 rows and columns"));
                }
            }
            _ => pending.extend(layout::parts(db, env, ty)),
        }
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
    /// What the stage before wrote for each vertex of a primitive.
    VerticesIn,
}

/// Visits everything with a semantic.
struct EntryPointWalk<'a, 'db> {
    declaration: &'a mut Declaration<'db>,
    stage: Stages,
    stage_name: &'db str,
    /// The depth that was seen first.
    depth_output: Option<Name>,
}

impl EntryPointWalk<'_, '_> {
    fn function(&mut self, function: &Function) {
        let item = self.declaration.item;
        for (index, param) in function.params.iter().enumerate() {
            let place = Site { item, node: Node::Param(index as u32) };
            if let Some((output, element)) = mesh_outputs::output(self.declaration, param) {
                let per_vertex = matches!(output, Output::Vertices | Output::Indices);
                self.value(param.semantic.as_ref(), element, Direction::Output, place, per_vertex, 0);
                continue;
            }
            let modifiers = param.modifiers;
            if !is_varying(param) || modifiers.contains(Modifiers::INOUT) && self.stage != Stages::RAY_TRACING {
                continue;
            }
            let direction = if modifiers.contains(Modifiers::OUT) { Direction::Output } else { Direction::Input };
            let ty = self.declaration.lower(param.ty);
            self.value(param.semantic.as_ref(), ty, direction, place, false, 0);
        }
        let ret = self.declaration.lower(function.ret);
        self.value(function.semantic.as_ref(), ret, Direction::Output, Site::name(item), false, 0);
    }

    fn value(
        &mut self,
        semantic: Option<&Name>,
        ty: Ty,
        direction: Direction,
        place: Site,
        per_vertex: bool,
        depth: u32,
    ) {
        let db = self.declaration.db;
        if let Some(semantic) = semantic {
            self.system_value(semantic, ty, direction, place, per_vertex);
            return;
        }
        let (element, is_array) = ty.as_array(db).map_or((ty, false), |(element, _)| (element, true));
        let direction = match direction {
            Direction::Input if is_array && self.stage == Stages::GEOMETRY => Direction::VerticesIn,
            direction => direction,
        };
        let Ty::Adt(item, _) = element else { return };
        if depth > 8
            || hir_ty::known::is_in_prelude(db, item)
            || !matches!(item::item_data(db, item).kind, ItemKind::Struct { .. })
        {
            return;
        }
        let env = Env::of(db, self.declaration.item);
        for &(field, ty) in aggregate::fields(db, env, element) {
            let ItemKind::Variable { semantic, .. } = &item::item_data(db, field).kind else { continue };
            self.value(semantic.as_ref(), ty, direction, Site::name(field), per_vertex, depth + 1);
        }
    }

    /// E30701, E30702, E30703, E30705, E49999.
    fn system_value(&mut self, semantic: &Name, ty: Ty, direction: Direction, place: Site, per_vertex: bool) {
        let Some(row) = semantics::system_value(semantic.as_str()) else {
            self.unknown_system_value(semantic.as_str(), place);
            return;
        };
        let (allowed, word) = match direction {
            Direction::Input => (row.input, "input"),
            Direction::Output => (row.output, "output"),
            Direction::VerticesIn if row.output.intersects(Stages::VERTEX | Stages::DOMAIN) => (Stages::all(), "input"),
            Direction::VerticesIn => (row.input, "input"),
        };
        if !allowed.contains(self.stage) {
            let stage = self.stage_name;
            self.report(
                codes::SYSTEM_VALUE_STAGE,
                place,
                format!("system value '{semantic}' cannot be {word} of the '{stage}' stage"),
            );
            return;
        }
        if per_vertex && semantics::is_per_primitive(row.name) {
            let message = format!("per-primitive system value '{semantic}' must be in an output of primitives");
            self.report(codes::PER_PRIMITIVE_VALUE, place, message);
            return;
        }
        if matches!(row.name, "SV_Depth" | "SV_DepthGreaterEqual" | "SV_DepthLessEqual") {
            match &self.depth_output {
                Some(first) => {
                    let message = format!(
                        "a fragment entry point has at most one depth output, but '{semantic}' conflicts with '{first}'"
                    );
                    self.report(codes::SEVERAL_DEPTHS, place, message);
                    return;
                }
                None => self.depth_output = Some(semantic.clone()),
            }
        }
        // The number of a thread has a rule of its own.
        let db = self.declaration.db;
        if row.name != "SV_DispatchThreadID" && !ty.is_error() && !row.accepts.takes(db, ty) {
            // Stages that see several vertices take arrays of each value.
            let element = ty.as_array(db).map_or(ty, |(element, _)| element);
            let several = Stages::GEOMETRY | Stages::HULL | Stages::DOMAIN | Stages::MESH;
            if self.stage.intersects(several) && row.accepts.takes(db, element) {
                return;
            }
            let (wanted, got) = (row.accepts.describe(), self.declaration.show(ty));
            let message = format!("type '{got}' is not valid for system value '{semantic}'; expected {wanted}");
            self.report(codes::SYSTEM_VALUE_TYPE, place, message);
        }
    }

    fn unknown_system_value(&mut self, semantic: &str, place: Site) {
        let is_system_value = semantic.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case("SV_"));
        // Payloads and attributes of hits have system values that mean nothing more than what the parameter is.
        if !is_system_value || self.stage == Stages::RAY_TRACING {
            return;
        }
        let message = format!("unknown system-value semantic '{semantic}'");
        let mut diagnostic = Diagnostic::new(codes::UNKNOWN_SYSTEM_VALUE, place, message);
        if let Some(near) = suggest::nearest(semantic, semantics::system_values()) {
            diagnostic = diagnostic.note(format!("did you mean '{near}'?"), None);
        }
        self.push(diagnostic);
    }

    fn report(&mut self, code: Code, place: Site, message: String) {
        self.push(Diagnostic::new(code, place, message));
    }

    fn push(&mut self, mut diagnostic: Diagnostic) {
        let place = diagnostic.at;
        // Several entry points may use a struct: say which one.
        if place.item != self.declaration.item {
            let name = self.declaration.name();
            let entry = Site::name(self.declaration.item);
            diagnostic = diagnostic.note(format!("in the signature of entry point '{name}'"), Some(entry));
        }
        self.declaration.found.push(diagnostic);
    }
}
