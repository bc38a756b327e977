//! Attributes: where they may stand and what their arguments may be.

use base_db::Db;
use diagnostics::{Code, codes};
use hir_def::{
    attribute::{ATTRIBUTES, Attribute, AttributeKind, AttributeTargets, Modifiers},
    body::{Expr, ExprId, ExprStore, Literal},
    diagnostics::lacks_files,
    item::{self, ItemId, ItemKind},
    name::Name,
    scope,
};
use hir_ty::{
    aggregate, conformance, consts,
    diagnostics::{Diagnostic, Node, Site, names, suggest},
    display::display,
    extension,
    lower_ty::TypeLowering,
    resolve, signature,
    ty::{Const, Scalar, Ty},
};

use super::{CheckedBody, Declaration, capabilities};

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let (db, item, data) = (declaration.db, declaration.item, declaration.data);
    let unknown = data.attributes().flat_map(|(_, attribute)| unknown_names(db, item, &data.store, attribute));
    declaration.found.extend(
        unknown.map(|(expr, name)| {
            names::undefined_identifier(Site { item, node: Node::SignatureExpr(expr) }, &name, None)
        }),
    );
    for (id, attribute) in data.store.attributes.iter() {
        declaration.found.extend(misused(db, item, &data.store, attribute, Node::Attribute(id)));
    }
    for (index, (id, attribute)) in data.attributes().enumerate() {
        arguments(declaration, attribute, Node::Attribute(id));
        repeated(declaration, index, attribute, Node::Attribute(id));
    }
    constant_storage(declaration);
    com(declaration);
    // E32001: nobody could name the cases.
    if matches!(data.kind, ItemKind::Enum { .. }) && data.modifiers.contains(Modifiers::CLASS) && data.name.is_none() {
        declaration.report(codes::ENUM_CLASS_WITHOUT_NAME, Node::Name, "an 'enum class' must have a name");
    }
}

/// The attributes of statements and locals.
pub(super) fn check_body(body: &mut CheckedBody<'_>) {
    let store = &body.body.store;
    for (id, attribute) in store.attributes.iter() {
        body.found.extend(misused(body.db, body.item, store, attribute, Node::BodyAttribute(id)));
    }
}

/// What is wrong with an attribute whatever it says: that nobody knows it, where it stands, how many arguments it has.
fn misused(db: &dyn Db, item: ItemId, store: &ExprStore, attribute: &Attribute, node: Node) -> Option<Diagnostic> {
    let place = Site { item, node };
    let Some(kind) = attribute.kind else {
        return match scope::user_attribute(db, item, &attribute.name) {
            Some(definition) => user_defined(db, place, store, attribute, definition),
            None => unknown(place, attribute),
        };
    };
    let (name, wanted) = (&attribute.name, kind.info().required_arguments());
    if !kind.info().targets.contains(attribute.target) {
        return Some(not_valid_here(place, attribute));
    }
    if attribute.args.len() < wanted {
        let (plural, got) = (if wanted == 1 { "" } else { "s" }, attribute.args.len());
        let message = format!("attribute '{name}' expects {wanted} argument{plural} ({got} provided)");
        return Some(Diagnostic::new(codes::WRONG_ATTRIBUTE_ARGUMENT_COUNT, place, message));
    }
    // E39999: slangc counts where there is nothing to count.
    if kind.info().parameter_types().next().is_none() && !attribute.args.is_empty() && kind != AttributeKind::RefThis {
        let message = format!("too many arguments: attribute '{name}' takes none");
        return Some(Diagnostic::new(codes::CANNOT_RESOLVE, place, message));
    }
    // E31005: what takes one text takes no more.
    if kind.info().parameter_types().eq(["text"]) && attribute.args.len() > 1 {
        let message = format!("attribute '{name}' takes one text");
        return Some(Diagnostic::new(codes::ATTRIBUTE_NEEDS_STRING, place, message));
    }
    kind.info().parameter_types().zip(&attribute.args).find_map(|(wanted, arg)| {
        let node = match place.node {
            Node::BodyAttribute(_) => Node::Expr(*arg),
            _ => Node::SignatureExpr(*arg),
        };
        let (code, message) = mismatch(kind, wanted, &store.exprs[*arg])?;
        Some(Diagnostic::new(code, Site { node, ..place }, message))
    })
}

/// E30019, E30081, E31005, E33071: an argument of another type than the attribute takes.
fn mismatch(kind: AttributeKind, wanted: &str, arg: &Expr) -> Option<(Code, String)> {
    let is_text = matches!(arg, Expr::Literal(Literal::String(_)));
    match wanted {
        "int" | "float" if is_text => {
            Some((codes::TYPE_MISMATCH, format!("expected an expression of type '{wanted}', got 'String'")))
        }
        "int" if matches!(arg, Expr::Literal(Literal::Float { .. })) => {
            Some((codes::LOSSY_CONVERSION, "implicit conversion from 'float' to 'int' is not recommended".to_owned()))
        }
        "String" if !is_text => Some((
            codes::EXPECTED_STRING_LITERAL,
            format!("attribute '{}' takes a text: write it between quotes", kind.name()),
        )),
        "text" if !is_text => Some((
            codes::ATTRIBUTE_NEEDS_STRING,
            format!("attribute '{}' takes one text: write it between quotes", kind.name()),
        )),
        _ => None,
    }
}

/// E30015: names in numbers that an attribute takes, where nothing has them.
pub(super) fn unknown_names(
    db: &dyn Db,
    item: ItemId,
    store: &ExprStore,
    attribute: &Attribute,
) -> Vec<(ExprId, Name)> {
    let mut unknown = Vec::new();
    let mut pending: Vec<ExprId> = match attribute.kind {
        Some(kind) => {
            let numbers = kind.info().parameter_types().zip(&attribute.args).filter(|(wanted, _)| *wanted == "int");
            numbers.map(|(_, arg)| *arg).collect()
        }
        None if scope::user_attribute(db, item, &attribute.name).is_some() => attribute.args.clone(),
        None => Vec::new(),
    };
    while let Some(expr) = pending.pop() {
        let node = &store.exprs[expr];
        node.for_each_operand(|operand| pending.push(operand));
        let Expr::Path(path) = node else { continue };
        let [segment] = path.segments.as_slice() else { continue };
        let mut lowering = TypeLowering::new(db, item, store);
        if !segment.name.as_str().is_empty()
            && resolve::path_as_value(&mut lowering, path).is_none()
            && scope::lookup(db, item, &segment.name).is_empty()
            && !store.locals.iter().any(|(_, local)| local.name == segment.name)
        {
            unknown.push((expr, segment.name.clone()));
        }
    }
    unknown
}

/// E31002: an attribute on something that it says nothing about.
fn not_valid_here(place: Site, attribute: &Attribute) -> Diagnostic {
    let message = format!("attribute '{}' is not valid here", attribute.name);
    Diagnostic::new(codes::ATTRIBUTE_NOT_VALID_HERE, place, message)
}

/// E31000 (warning): an attribute that nobody knows, as a rule misspelt.
fn unknown(place: Site, attribute: &Attribute) -> Option<Diagnostic> {
    let name = attribute.name.as_str();
    if name.starts_with("__") {
        return None;
    }
    let diagnostic = Diagnostic::new(codes::UNKNOWN_ATTRIBUTE, place, format!("unknown attribute '{name}'"));
    let known = ATTRIBUTES.iter().filter(|info| info.is_public()).flat_map(|info| info.spellings).copied();
    Some(match suggest::nearest(name, known) {
        Some(near) => diagnostic.note(format!("did you mean '{near}'?"), None),
        None => diagnostic,
    })
}

/// E31202: an attribute that contradicts an earlier one.
fn repeated(declaration: &mut Declaration<'_>, index: usize, attribute: &Attribute, node: Node) {
    let mut earlier = declaration.data.attributes().take(index);
    if attribute.kind == Some(AttributeKind::NumThreads)
        && earlier.any(|(_, other)| other.kind == Some(AttributeKind::NumThreads))
    {
        let name = &attribute.name;
        let message = format!("attribute '{name}' is redundant or conflicts with an earlier '{name}'");
        declaration.report(codes::CONFLICTING_ATTRIBUTE, node, message);
    }
}

fn arguments(declaration: &mut Declaration<'_>, attribute: &Attribute, node: Node) {
    let Some(kind) = attribute.kind else { return };
    match kind {
        AttributeKind::NumThreads => {
            // E31102: a group has at least one thread. E39999: the compiler must know how many.
            for arg in &attribute.args {
                if is_run_time(declaration, attribute, *arg) {
                    let message = "expression does not evaluate to a compile-time constant";
                    declaration.report(codes::CANNOT_RESOLVE, Node::SignatureExpr(*arg), message);
                }
                if let Some(value) = integer(declaration, *arg).filter(|value| *value <= 0) {
                    let message = format!("expected a positive integer in 'numthreads' attribute, got '{value}'");
                    declaration.report(codes::THREAD_COUNT_NOT_POSITIVE, node, message);
                }
            }
        }
        AttributeKind::WaveSize => {
            // E31103
            for arg in &attribute.args {
                let is_size = |value: &i64| matches!(value, 4 | 8 | 16 | 32 | 64 | 128);
                if let Some(value) = integer(declaration, *arg).filter(|value| !is_size(value)) {
                    let message = format!("expected a power of 2 from 4 to 128 in 'WaveSize' attribute, got '{value}'");
                    declaration.report(codes::INVALID_WAVE_SIZE, node, message);
                }
            }
        }
        AttributeKind::Shader => {
            // E36105, E36116
            match string(declaration, attribute).map(|name| (name, capabilities::stages(name))) {
                Some((name, None)) => {
                    declaration.report(codes::UNKNOWN_CAPABILITY, node, format!("unknown stage '{name}'"));
                }
                Some((name, Some(2..))) => {
                    let message = format!("'{name}' stands for several stages; an entry point is for one");
                    declaration.report(codes::SEVERAL_STAGES, node, message);
                }
                Some((_, Some(_))) | None => {}
            }
        }
        AttributeKind::Format => {
            // E31101
            if let Some(format) = string(declaration, attribute).filter(|format| !is_image_format(format)) {
                let diagnostic = format!("unknown image format '{format}'");
                declaration.report(codes::UNKNOWN_IMAGE_FORMAT, node, diagnostic);
            }
        }
        AttributeKind::PatchConstantFunc => {
            // E31006
            if let Some(name) = string(declaration, attribute)
                && scope::lookup(declaration.db, declaration.item, &Name::new(name)).is_empty()
                && !lacks_files(declaration.db, item::file_of(declaration.db, declaration.item))
            {
                let message = format!("could not find function '{name}' for attribute 'patchconstantfunc'");
                declaration.report(codes::ATTRIBUTE_FUNCTION_NOT_FOUND, node, message);
            }
        }
        AttributeKind::RemovedSince => {
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
        AttributeKind::NoDiscard
            if matches!(declaration.data.kind, ItemKind::Function(_))
                && signature::signature(declaration.db, declaration.item).ret == Ty::Void =>
        {
            let message = "'[NoDiscard]' is not allowed on a function that returns 'void': there is no result";
            declaration.report(codes::NO_DISCARD_WITHOUT_RESULT, Node::Name, message);
        }
        // E31202: `enum class` says the opposite.
        AttributeKind::UnscopedEnum if declaration.data.modifiers.contains(Modifiers::CLASS) => {
            declaration.report(codes::CONFLICTING_ATTRIBUTE, node, "attribute 'UnscopedEnum' conflicts with 'class'");
        }
        _ => {}
    }
}

/// Whether an expression of an attribute is not a constant integer, and nothing else is wrong with it.
fn is_run_time(declaration: &Declaration<'_>, attribute: &Attribute, expr: ExprId) -> bool {
    let (db, item, store) = (declaration.db, declaration.item, &declaration.data.store);
    !matches!(store.exprs[expr], Expr::Literal(_))
        && consts::integer(&mut TypeLowering::new(db, item, store), expr).is_none()
        && unknown_names(db, item, store, attribute).is_empty()
}

/// What texels may be kept as.
const IMAGE_FORMATS: [&str; 43] = [
    "unknown",
    "rgba32f",
    "rgba16f",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r32f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rgba8",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rgba8_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r32i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgb10_a2ui",
    "rgba8ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r32ui",
    "r16ui",
    "r8ui",
    "r64ui",
    "r64i",
    "bgra8",
];

/// DXC writes the names without underscores.
fn is_image_format(name: &str) -> bool {
    name == "r11g11b10f" || IMAGE_FORMATS.iter().any(|format| *format == name || format.replace('_', "") == name)
}

fn integer(declaration: &Declaration<'_>, expr: ExprId) -> Option<i64> {
    let mut lowering = TypeLowering::new(declaration.db, declaration.item, &declaration.data.store);
    match consts::evaluate(&mut lowering, expr)? {
        Const::Value(value) => Some(value),
        _ => None,
    }
}

/// The text that is the first argument.
fn string<'db>(declaration: &Declaration<'db>, attribute: &Attribute) -> Option<&'db str> {
    attribute.string(&declaration.data.store, 0)
}

/// E31001, E31002, E30019: uses of an attribute that the program defines.
fn user_defined(
    db: &dyn Db,
    place: Site,
    store: &ExprStore,
    attribute: &Attribute,
    definition: ItemId,
) -> Option<Diagnostic> {
    let name = attribute.name.as_str();
    if !allowed_targets(db, definition).is_none_or(|targets| targets.contains(attribute.target)) {
        return Some(not_valid_here(place, attribute));
    }
    let fields = aggregate::own_fields(db, definition);
    if attribute.args.len() != fields.len() {
        let (expected, got) = (fields.len(), attribute.args.len());
        let message = format!("attribute '{name}' expects {expected} arguments ({got} provided)");
        return Some(Diagnostic::new(codes::WRONG_ATTRIBUTE_ARGUMENT_COUNT, place, message));
    }
    fields.iter().zip(&attribute.args).find_map(|(field, arg)| {
        let wanted = signature::variable_type(db, *field);
        let got = literal_type(&store.exprs[*arg])?;
        let text = |ty| matches!(ty, Ty::String);
        let fractional = |ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_float());
        let counts = |ty| matches!(ty, Ty::Scalar(scalar) if !scalar.is_float());
        if wanted.is_error() || !matches!(wanted, Ty::Scalar(_) | Ty::String) {
            return None;
        }
        (text(got) != text(wanted) || (fractional(got) && counts(wanted))).then(|| {
            let (wanted, got) = (display(db, wanted), display(db, got));
            let message = format!("expected an expression of type '{wanted}', got '{got}'");
            let node = match place.node {
                Node::BodyAttribute(_) => Node::Expr(*arg),
                _ => Node::SignatureExpr(*arg),
            };
            Diagnostic::new(codes::TYPE_MISMATCH, Site { node, ..place }, message)
        })
    })
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

/// What an attribute that the program defines may stand on; `None` if that cannot be read.
fn allowed_targets(db: &dyn Db, definition: ItemId) -> Option<AttributeTargets> {
    let data = item::item_data(db, definition);
    let mut targets = AttributeTargets::empty();
    for (_, usage) in data.attributes().filter(|(_, usage)| usage.kind == Some(AttributeKind::AttributeUsage)) {
        let written = match &data.store.exprs[*usage.args.first()?] {
            Expr::Member { name, .. } => name,
            Expr::Path(path) => &path.segments.last()?.name,
            _ => return None,
        };
        targets |= match written.as_str() {
            "Struct" => AttributeTargets::AGGREGATE | AttributeTargets::ACCESSOR | AttributeTargets::OTHER,
            "Var" => AttributeTargets::VARIABLE,
            "Function" => AttributeTargets::FUNCTION | AttributeTargets::CONSTRUCTOR,
            "Param" => AttributeTargets::PARAMETER,
            _ => return None,
        };
    }
    Some(targets)
}

/// E31218, E31219, E31220: specialisation and push constants.
fn constant_storage(declaration: &mut Declaration<'_>) {
    let ItemKind::Variable { ty, .. } = declaration.data.kind else { return };
    let first = |kinds: &[AttributeKind]| {
        let mut attributes = declaration.data.attributes();
        attributes.find(|(_, attribute)| attribute.kind.is_some_and(|kind| kinds.contains(&kind))).map(|(id, _)| id)
    };
    let specialised = first(&[AttributeKind::SpecializationConstant, AttributeKind::ConstantId]);
    let pushed = first(&[AttributeKind::PushConstant]);
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
    if let Some(attribute) = specialised
        && !is_scalar
    {
        declaration.report(
            codes::SPECIALIZATION_CONSTANT_TYPE,
            Node::Attribute(attribute),
            "a specialization constant must be a scalar or of enum type",
        );
    }
}

/// E31122, E31123, E31124: `[COM("…")]` interfaces.
fn com(declaration: &mut Declaration<'_>) {
    let db = declaration.db;
    match &declaration.data.kind {
        ItemKind::Interface { .. } => {
            let mut attributes = declaration.data.attributes();
            let com = attributes.find(|(_, attribute)| attribute.kind == Some(AttributeKind::Com));
            let Some((index, attribute)) = com else { return inherited_com(declaration) };
            if let Some(guid) = string(declaration, attribute).filter(|guid| !is_guid(guid)) {
                let message = format!("'{guid}' is not a valid GUID");
                declaration.report(codes::INVALID_GUID, Node::Attribute(index), message);
            }
            for member in item::members(db, declaration.item) {
                if matches!(item::item_data(db, *member).kind, ItemKind::AssociatedType { .. }) {
                    let message = "an associatedtype is not allowed in a [COM] interface";
                    declaration.found.push(Diagnostic::new(
                        codes::ASSOCIATED_TYPE_IN_COM,
                        Site::name(*member),
                        message,
                    ));
                }
            }
        }
        ItemKind::Struct { bases } if !declaration.data.modifiers.contains(Modifiers::CLASS) => {
            let is_com = conformance::bases(db, declaration.item).iter().any(|base| {
                matches!(base, Ty::Adt(item, _) if extension::is_interface(db, *base)
                    && signature::has_attribute(db, *item, AttributeKind::Com))
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

/// E31126: who calls an interface through COM knows those above it, too.
fn inherited_com(declaration: &mut Declaration<'_>) {
    let (ItemKind::Interface { bases }, db) = (&declaration.data.kind, declaration.db) else { return };
    let is_com =
        |base: &Ty| matches!(base, Ty::Adt(item, _) if signature::has_attribute(db, *item, AttributeKind::Com));
    if let (true, Some(base)) = (conformance::bases(db, declaration.item).iter().any(is_com), bases.first()) {
        let message = "an interface that inherits from a [COM] interface must itself be a [COM] interface";
        declaration.report(codes::INTERFACE_INHERITS_COM, Node::SignatureTypeRef(*base), message);
    }
}

/// Thirty-two hexadecimal digits, with dashes wherever they help to read them.
fn is_guid(text: &str) -> bool {
    let digits = || text.chars().filter(|character| *character != '-');
    digits().count() == 32 && digits().all(|digit| digit.is_ascii_hexdigit())
}
