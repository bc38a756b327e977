//! Attributes: where they may stand and what their arguments may be.

use diagnostics::codes;
use hir_def::{
    attribute::{Attribute, Modifiers},
    body::{Expr, ExprId, Literal},
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{
    conformance, consts,
    diagnostics::{Diagnostic, Node, Place, suggest},
    extension,
    lower_ty::TypeLowering,
    signature,
    ty::{Const, Scalar, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let attributes = &declaration.data.attributes;
    for (index, attribute) in attributes.iter().enumerate() {
        let node = Node::Attribute(index as u32);
        placement(declaration, attribute, node);
        arguments(declaration, attribute, node);
        repeated(declaration, &attributes[..index], attribute, node);
        match user_attribute(declaration, &attribute.name) {
            Some(definition) => user_defined(declaration, attribute, node, definition),
            None => unknown(declaration, attribute, node),
        }
    }
    constant_storage(declaration);
    com(declaration);
    // E32001: nobody could name the cases.
    if matches!(declaration.data.kind, ItemKind::Enum { .. })
        && declaration.data.modifiers.contains(Modifiers::CLASS)
        && declaration.data.name.is_none()
    {
        declaration.report(codes::ENUM_CLASS_WITHOUT_NAME, Node::Name, "an 'enum class' must have a name");
    }
}

/// What an attribute may stand on, where the list of kinds is short.
const ON_FUNCTIONS: &[&str] = &[
    "numthreads",
    "ForceInline",
    "NonUniformReturn",
    "earlydepthstencil",
    "maxvertexcount",
    "patchconstantfunc",
    "outputtopology",
    "outputcontrolpoints",
    "WaveSize",
    "shader",
];
const ON_LOOPS: &[&str] = &["unroll", "loop", "ForceUnroll", "MaxIters"];
const ON_ENUMS: &[&str] = &["Flags", "UnscopedEnum"];
const ON_VARIABLES: &[&str] = &["SpecializationConstant", "vk::constant_id"];

/// The attributes of the language, without those of a namespace and those that only the core library uses.
const KNOWN: &[&str] = &[
    "AutoPyBindCUDA",
    "BackwardDerivative",
    "BackwardDerivativeOf",
    "BackwardDifferentiable",
    "COM",
    "CUDAKernel",
    "CudaDeviceExport",
    "CudaHost",
    "CudaKernel",
    "DerivativeGroupLinear",
    "DerivativeGroupQuad",
    "DerivativeMember",
    "Differentiable",
    "DllExport",
    "DllImport",
    "ExperimentalModule",
    "Flags",
    "ForceInline",
    "ForceUnroll",
    "ForwardDerivative",
    "ForwardDerivativeOf",
    "ForwardDifferentiable",
    "KnownBuiltin",
    "MaxIters",
    "MaximallyReconverges",
    "MaybeDifferentiable",
    "NoDiffThis",
    "NoDiscard",
    "NonUniformReturn",
    "NumThreads",
    "OverloadRank",
    "PreferCheckpoint",
    "PreferRecompute",
    "PrimalSubstitute",
    "PrimalSubstituteOf",
    "PyExport",
    "QuadDerivatives",
    "RemovedSince",
    "RequireFullQuads",
    "RequirePrelude",
    "Shader",
    "Shader64BitIndexing",
    "SpecializationConstant",
    "Specialize",
    "TorchEntryPoint",
    "TreatAsDifferentiable",
    "UnscopedEnum",
    "WaveSize",
    "allow",
    "allow_uav_condition",
    "anyValueSize",
    "branch",
    "builtin",
    "call",
    "constref",
    "deprecated",
    "deriv_method",
    "domain",
    "earlydepthstencil",
    "experimental",
    "fastopt",
    "flatten",
    "forcecase",
    "format",
    "instance",
    "loop",
    "maxtessfactor",
    "maxvertexcount",
    "mutating",
    "noRefInline",
    "noinline",
    "nonmutating",
    "numthreads",
    "open",
    "outputcontrolpoints",
    "outputtopology",
    "partitioning",
    "patchconstantfunc",
    "payload",
    "push_constant",
    "raypayload",
    "ref",
    "require",
    "root",
    "sealed",
    "shader",
    "spv_target_env_1_3",
    "unroll",
];

/// E31000 (warning): an attribute that nobody knows, as a rule misspelt.
fn unknown(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let name = attribute.name.as_str();
    if name.contains("::") || name.starts_with("vk_") || name.starts_with("__") || KNOWN.contains(&name) {
        return;
    }
    let place = Place { item: declaration.item, node };
    let mut diagnostic = Diagnostic::new(codes::UNKNOWN_ATTRIBUTE, place, format!("unknown attribute '{name}'"));
    if let Some(near) = suggest::nearest(name, KNOWN.iter().copied()) {
        diagnostic = diagnostic.note(format!("did you mean '{near}'?"), None);
    }
    declaration.found.push(diagnostic);
}

/// E31002: an attribute on something that it says nothing about.
fn placement(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let name = attribute.name.as_str();
    let kind = &declaration.data.kind;
    let is_function = matches!(
        kind,
        ItemKind::Function(_)
            | ItemKind::Constructor { .. }
            | ItemKind::Accessor { .. }
            | ItemKind::Subscript { .. }
            | ItemKind::Property { .. }
    );
    let misplaced = (ON_FUNCTIONS.contains(&name) && !is_function)
        || ON_LOOPS.contains(&name)
        || (ON_ENUMS.contains(&name) && !matches!(kind, ItemKind::Enum { .. }))
        || (ON_VARIABLES.contains(&name) && !matches!(kind, ItemKind::Variable { .. }));
    if misplaced && !matches!(kind, ItemKind::Unsupported(_) | ItemKind::Empty) {
        declaration.report(codes::ATTRIBUTE_NOT_VALID_HERE, node, format!("attribute '{name}' is not valid here"));
    }
}

/// E31202: an attribute that contradicts an earlier one.
fn repeated(declaration: &mut Declaration<'_>, earlier: &[Attribute], attribute: &Attribute, node: Node) {
    let name = attribute.name.as_str();
    if name == "numthreads" && earlier.iter().any(|other| other.name == attribute.name) {
        let message = format!("attribute '{name}' is redundant or conflicts with an earlier '{name}'");
        declaration.report(codes::CONFLICTING_ATTRIBUTE, node, message);
    }
}

/// The stages that `[shader("…")]` takes.
pub(super) const STAGES: &[&str] = &[
    "vertex",
    "fragment",
    "pixel",
    "compute",
    "geometry",
    "hull",
    "domain",
    "tesscontrol",
    "tesseval",
    "raygeneration",
    "raygen",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "mesh",
    "amplification",
    "task",
    "dispatch",
    "node",
];

fn arguments(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let name = attribute.name.as_str();
    match name {
        "numthreads" => {
            // E31102: a group has at least one thread.
            for arg in &attribute.args {
                if let Some(value) = integer(declaration, *arg).filter(|value| *value <= 0) {
                    let message = format!("expected a positive integer in 'numthreads' attribute, got '{value}'");
                    declaration.report(codes::THREAD_COUNT_NOT_POSITIVE, node, message);
                }
            }
        }
        "WaveSize" => {
            // E31103
            for arg in &attribute.args {
                let is_size = |value: &i64| matches!(value, 4 | 8 | 16 | 32 | 64 | 128);
                if let Some(value) = integer(declaration, *arg).filter(|value| !is_size(value)) {
                    let message = format!("expected a power of 2 from 4 to 128 in 'WaveSize' attribute, got '{value}'");
                    declaration.report(codes::INVALID_WAVE_SIZE, node, message);
                }
            }
        }
        "shader" => match attribute.args.as_slice() {
            [] => {
                declaration.report(
                    codes::WRONG_ATTRIBUTE_ARGUMENT_COUNT,
                    node,
                    "attribute 'shader' expects 1 argument (0 provided)",
                );
            }
            [stage, ..] => {
                // E36105
                if let Some(stage) = string(declaration, *stage).filter(|stage| !STAGES.contains(stage)) {
                    let message = format!("unknown stage '{stage}'");
                    declaration.report(codes::UNKNOWN_STAGE, node, message);
                }
            }
        },
        "RemovedSince" => {
            // E31209
            let version = attribute.args.first().and_then(|arg| integer(declaration, *arg));
            if version.is_some_and(|version| !(-1..=9999).contains(&version)) {
                declaration.report(
                    codes::INVALID_REMOVED_SINCE_VERSION,
                    node,
                    "the version of 'RemovedSince' must be from -1 to 9999",
                );
            }
        }
        // E30069
        "NoDiscard"
            if matches!(declaration.data.kind, ItemKind::Function(_))
                && signature::signature(declaration.db, declaration.item).ret == Ty::Void =>
        {
            let message = "'[NoDiscard]' is not allowed on a function that returns 'void': there is no result";
            declaration.report(codes::NO_DISCARD_WITHOUT_RESULT, Node::Name, message);
        }
        // E31202: `enum class` says the opposite.
        "UnscopedEnum" if declaration.data.modifiers.contains(Modifiers::CLASS) => {
            declaration.report(codes::CONFLICTING_ATTRIBUTE, node, "attribute 'UnscopedEnum' conflicts with 'class'");
        }
        _ => {}
    }
}

fn integer(declaration: &Declaration<'_>, expr: ExprId) -> Option<i64> {
    let mut lowering = TypeLowering::new(declaration.db, declaration.item, &declaration.data.store);
    match consts::evaluate(&mut lowering, expr)? {
        Const::Value(value) => Some(value),
        _ => None,
    }
}

fn string<'db>(declaration: &Declaration<'db>, expr: ExprId) -> Option<&'db str> {
    match &declaration.data.store.exprs[expr] {
        Expr::Literal(Literal::String(text)) => Some(text),
        _ => None,
    }
}

/// The struct `NameAttribute`, or `Name`, with `[__AttributeUsage(…)]` that defines an attribute of the program.
fn user_attribute(declaration: &Declaration<'_>, name: &Name) -> Option<ItemId> {
    let db = declaration.db;
    let names = [Name::new(&format!("{name}Attribute")), name.clone()];
    names.iter().flat_map(|name| scope::lookup(db, declaration.item, name)).find(|item| {
        matches!(item::item_data(db, *item).kind, ItemKind::Struct { .. })
            && signature::has_attribute(db, *item, "__AttributeUsage")
    })
}

/// E31001, E31002, E30019: uses of an attribute that the program defines.
fn user_defined(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node, definition: ItemId) {
    let db = declaration.db;
    let name = attribute.name.as_str();
    if !allowed_targets(db, definition).is_none_or(|targets| targets.contains(&target_name(declaration))) {
        declaration.report(codes::ATTRIBUTE_NOT_VALID_HERE, node, format!("attribute '{name}' is not valid here"));
        return;
    }
    let fields = hir_ty::aggregate::own_fields(db, definition);
    if attribute.args.len() != fields.len() {
        let (expected, got) = (fields.len(), attribute.args.len());
        let message = format!("attribute '{name}' expects {expected} arguments ({got} provided)");
        declaration.report(codes::WRONG_ATTRIBUTE_ARGUMENT_COUNT, node, message);
        return;
    }
    for (field, arg) in fields.iter().zip(&attribute.args) {
        let wanted = signature::variable_type(db, *field);
        let Some(got) = literal_type(&declaration.data.store.exprs[*arg]) else { continue };
        let text = |ty| matches!(ty, Ty::String);
        let fractional = |ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_float());
        let counts = |ty| matches!(ty, Ty::Scalar(scalar) if !scalar.is_float());
        if wanted.is_error() || !matches!(wanted, Ty::Scalar(_) | Ty::String) {
            continue;
        }
        if text(got) != text(wanted) || (fractional(got) && counts(wanted)) {
            let (wanted, got) = (declaration.show(wanted), declaration.show(got));
            let message = format!("expected an expression of type '{wanted}', got '{got}'");
            declaration.report(codes::TYPE_MISMATCH, Node::SignatureExpr(*arg), message);
        }
    }
}

fn literal_type(expr: &Expr) -> Option<Ty> {
    match expr {
        Expr::Literal(Literal::String(_)) => Some(Ty::String),
        Expr::Literal(Literal::Int { .. }) => Some(Ty::INT),
        Expr::Literal(Literal::Float { .. }) => Some(Ty::FLOAT),
        Expr::Literal(Literal::Bool(_)) => Some(Ty::Scalar(Scalar::Bool)),
        _ => None,
    }
}

/// The cases of `_AttributeTargets` that a definition lists; `None` if they cannot be read.
fn allowed_targets(db: &dyn base_db::Db, definition: ItemId) -> Option<Vec<&'static str>> {
    let data = item::item_data(db, definition);
    let mut targets = Vec::new();
    for usage in data.attributes.iter().filter(|attribute| attribute.name.as_str() == "__AttributeUsage") {
        let written = match &data.store.exprs[*usage.args.first()?] {
            Expr::Member { name, .. } => name,
            Expr::Path(path) => &path.segments.last()?.name,
            _ => return None,
        };
        targets.push(*["Struct", "Var", "Function", "Param"].iter().find(|known| **known == written.as_str())?);
    }
    Some(targets)
}

fn target_name(declaration: &Declaration<'_>) -> &'static str {
    match declaration.data.kind {
        ItemKind::Variable { .. } => "Var",
        ItemKind::Function(_) | ItemKind::Constructor { .. } => "Function",
        _ => "Struct",
    }
}

/// E31218, E31219, E31220: specialisation and push constants.
fn constant_storage(declaration: &mut Declaration<'_>) {
    let ItemKind::Variable { ty, .. } = declaration.data.kind else { return };
    let attributes = &declaration.data.attributes;
    let position = |names: &[&str]| attributes.iter().position(|attribute| names.contains(&attribute.name.as_str()));
    let specialised = position(&["SpecializationConstant", "vk::constant_id"]);
    let pushed = position(&["push_constant", "vk::push_constant"]);
    if specialised.is_none() && pushed.is_none() {
        return;
    }
    if declaration.data.modifiers.contains(Modifiers::STATIC) {
        declaration.report(
            codes::STATIC_PUSH_OR_SPECIALIZATION_CONSTANT,
            Node::Name,
            "push or specialization constants cannot be 'static'",
        );
    }
    if specialised.is_some() && pushed.is_some() {
        let message =
            format!("'{}' cannot be a push constant and a specialization constant at once", declaration.name());
        declaration.report(codes::PUSH_AND_SPECIALIZATION_CONSTANT, Node::Name, message);
    }
    let is_scalar = match declaration.lower(ty) {
        Ty::Scalar(_) | Ty::Error => true,
        Ty::Adt(item, _) => matches!(item::item_data(declaration.db, item).kind, ItemKind::Enum { .. }),
        _ => false,
    };
    if let Some(index) = specialised
        && !is_scalar
    {
        let node = Node::Attribute(index as u32);
        declaration.report(
            codes::SPECIALIZATION_CONSTANT_TYPE,
            node,
            "a specialization constant must be a scalar or of enum type",
        );
    }
}

/// E31122, E31123, E31124: `[COM("…")]` interfaces.
fn com(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    match &declaration.data.kind {
        ItemKind::Interface { .. } => {
            let position = declaration.data.attributes.iter().position(|attribute| attribute.name.as_str() == "COM");
            let Some(index) = position else { return };
            let id = declaration.data.attributes[index].args.first().and_then(|arg| string(declaration, *arg));
            if let Some(id) = id.filter(|id| !is_guid(id)) {
                declaration.report(
                    codes::INVALID_GUID,
                    Node::Attribute(index as u32),
                    format!("'{id}' is not a valid GUID"),
                );
            }
            for member in item::members(db, declaration.item) {
                if matches!(item::item_data(db, *member).kind, ItemKind::AssociatedType { .. }) {
                    let message = "an associatedtype is not allowed in a [COM] interface";
                    declaration.found.push(Diagnostic::new(
                        codes::ASSOCIATED_TYPE_IN_COM,
                        Place::name(*member),
                        message,
                    ));
                }
            }
        }
        ItemKind::Struct { bases } if !declaration.data.modifiers.contains(Modifiers::CLASS) => {
            let is_com = conformance::bases(db, declaration.item).iter().any(|base| {
                matches!(base, Ty::Adt(item, _) if extension::is_interface(db, *base) && signature::has_attribute(db, *item, "COM"))
            });
            if let (true, Some(base)) = (is_com, bases.first()) {
                let node = Node::SignatureTypeRef(*base);
                declaration.report(
                    codes::STRUCT_IMPLEMENTS_COM,
                    node,
                    "a struct type cannot implement a [COM] interface",
                );
            }
        }
        _ => {}
    }
}

/// Eight, four, four, four and twelve hexadecimal digits.
fn is_guid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == lengths.len()
        && groups
            .iter()
            .zip(lengths)
            .all(|(group, length)| group.len() == length && group.chars().all(|digit| digit.is_ascii_hexdigit()))
}
