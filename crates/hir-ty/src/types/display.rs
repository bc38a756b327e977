//! Types and signatures as a user would write them: by short names for those who read them, and by names that mean the same
//! at a place for what is written there.

use base_db::Db;
use hir_def::{
    body::BinaryOp,
    item::{self, GenericParamKind, ItemId, ItemKind},
    name::Name,
    scope,
};

use crate::{
    differential::signature::function_of_context,
    generics::{
        self,
        env::{Bound, Env},
        substitute::{Substitution, substitute},
    },
    types::{
        builtin_names::{builtin_spelling, scalar_spelling},
        closure::ClosureCode,
        consts, known,
        signature::{self, FunctionRef},
        ty::{BuiltinType, Const, GenericArg, GenericArgs, ParamDirection, Ty, TypeParam},
    },
};

/// How deep types are written out; what is nested deeper is cut.
const MAX_DEPTH: u32 = ::diagnostics::limits::DISPLAYED_TYPES;

/// The type as text: `float3`, `DifferentialPair<float>`, `MyStruct<int, 4>`.
pub fn display(db: &dyn Db, ty: Ty) -> String {
    let mut text = Text::default();
    write_ty(db, ty, &mut text, 0);
    text.text
}

/// The type as it is written in or next to `place`: `geo::Point` outside of the namespace, and `Point` inside.
pub fn display_at(db: &dyn Db, ty: Ty, place: ItemId) -> String {
    let mut text = Text { place: Some(place), ..Text::default() };
    write_ty(db, ty, &mut text, 0);
    text.text
}

/// The name of a declaration by which it is meant in or next to `place`.
pub fn name_at(db: &dyn Db, item: ItemId, place: ItemId) -> String {
    let mut text = Text { place: Some(place), ..Text::default() };
    write_item(db, item, GenericArgs::new(db, Box::default()), &mut text, 0);
    text.text
}

/// What is written, and where.
#[derive(Default)]
struct Text {
    text: String,
    /// Where names must mean what they stand for; nowhere for a text that is only read.
    place: Option<ItemId>,
}

impl Text {
    fn push(&mut self, letter: char) {
        self.text.push(letter);
    }

    fn push_str(&mut self, part: &str) {
        self.text.push_str(part);
    }

    /// Whether something is a member of the type around the place, whose members are meant by their names.
    fn is_own(&self, db: &dyn Db, ty: Ty) -> bool {
        let around = |place| std::iter::successors(Some(place), |item| item::container(db, *item));
        self.place.is_some_and(|place| around(place).any(|item| generics::self_type(db, item) == Some(ty)))
    }
}

fn write_ty(db: &dyn Db, ty: Ty, text: &mut Text, depth: u32) {
    if depth > MAX_DEPTH {
        text.push('…');
        return;
    }
    match ty {
        Ty::Error => text.push('?'),
        Ty::Void => text.push_str("void"),
        Ty::String => text.push_str("String"),
        Ty::NoneLiteral => text.push_str("__none_t"),
        Ty::NullLiteral => text.push_str("NullPtr"),
        Ty::Scalar(scalar) => text.push_str(scalar_spelling(scalar)),
        Ty::Builtin(kind, args) => write_builtin(db, kind, args, text, depth),
        Ty::Adt(item, args) => {
            write_item(db, item, args, text, depth);
            if function_of_context(db, ty).is_some() {
                text.push_str(".BwdCallable");
            }
        }
        Ty::SynthesizedDifferential(item, args) => {
            write_item(db, item, args, text, depth);
            text.push_str(".Differential");
        }
        Ty::Param(param) => text.push_str(generics::parameter_name(db, param).as_str()),
        Ty::This(_) => text.push_str("This"),
        Ty::Associated(associated) => {
            if !text.is_own(db, associated.base(db)) {
                write_ty(db, associated.base(db), text, depth + 1);
                text.push('.');
            }
            text.push_str(&item_name(db, associated.item(db)));
        }
        Ty::Function(function) => {
            text.push_str("functype ");
            write_function(db, function.params(db), function.ret(db), text, depth);
        }
        Ty::Closure(closure) => {
            text.push_str(match closure.code(db) {
                ClosureCode::Lambda { .. } => "lambda ",
                ClosureCode::Function(_) => "functype ",
            });
            write_function(db, closure.params(db), closure.ret(db), text, depth);
        }
        Ty::PackQuery(query) => {
            text.push_str(query_spelling(query.query(db)));
            text.push('(');
            write_list(db, query.operands(db).args(db), text, depth + 1);
            text.push(')');
        }
        Ty::Expand(expand) => {
            text.push_str("expand each ");
            write_ty(db, expand.pattern(db), text, depth + 1);
        }
    }
}

fn write_function(db: &dyn Db, params: &[(ParamDirection, Ty)], ret: Ty, text: &mut Text, depth: u32) {
    text.push('(');
    for (index, (direction, ty)) in params.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(direction_prefix(*direction));
        write_ty(db, *ty, text, depth + 1);
    }
    text.push_str(") -> ");
    write_ty(db, ret, text, depth + 1);
}

fn write_builtin(db: &dyn Db, kind: BuiltinType, args: GenericArgs, text: &mut Text, depth: u32) {
    match (kind, args.args(db)) {
        (BuiltinType::Vector, [GenericArg::Type(element @ Ty::Scalar(_)), GenericArg::Value(Const::Value(len))])
            if (1..=4).contains(len) =>
        {
            write_ty(db, *element, text, depth + 1);
            text.push_str(&len.to_string());
        }
        (
            BuiltinType::Matrix,
            [
                GenericArg::Type(element @ Ty::Scalar(_)),
                GenericArg::Value(Const::Value(rows)),
                GenericArg::Value(Const::Value(columns)),
            ],
        ) if (1..=4).contains(rows) && (1..=4).contains(columns) => {
            write_ty(db, *element, text, depth + 1);
            text.push_str(&format!("{rows}x{columns}"));
        }
        (BuiltinType::Array, [GenericArg::Type(_), GenericArg::Value(_)]) => {
            // `int[3][2]` are two of `int[3]`: in a type the outermost length comes last, and behind a name first.
            let mut lens = Vec::new();
            let mut element = Ty::Builtin(kind, args);
            while let Some((inner, len)) = element.as_array(db) {
                lens.push(len);
                element = inner;
            }
            write_ty(db, element, text, depth + 1);
            for len in lens.into_iter().rev() {
                text.push('[');
                write_const(db, len, text);
                text.push(']');
            }
        }
        (BuiltinType::Ptr, [GenericArg::Type(inner)]) => {
            write_ty(db, *inner, text, depth + 1);
            text.push('*');
        }
        (BuiltinType::Ptr, _) => {
            text.push_str("LayoutPtr");
            write_args(db, args.args(db), text, depth);
        }
        (BuiltinType::Texture(shape), _) if shape.is_depth() => text.push_str(&builtin_spelling(kind)),
        _ => {
            text.push_str(&builtin_spelling(kind));
            write_args(db, args.args(db), text, depth);
        }
    }
}

fn write_item(db: &dyn Db, item: ItemId, args: GenericArgs, text: &mut Text, depth: u32) {
    let args = args.args(db);
    let own = item::item_data(db, item).generics.params.len();
    let outer = &args[..args.len().saturating_sub(own)];
    if let Some((container, separator)) = qualifier(db, item, outer, text.place) {
        // The arguments of the types around it belong to their names.
        write_item(db, container, GenericArgs::new(db, Box::from(outer)), text, depth + 1);
        text.push_str(separator);
    }
    text.push_str(&item_name(db, item));
    let own = &args[args.len().saturating_sub(own)..];
    if own.is_empty() {
        return;
    }
    text.push('<');
    for (index, arg) in own.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        match enum_spelling(db, TypeParam::new(db, item, index as u32), arg, text.place) {
            Some(spelling) => text.push_str(&spelling),
            None => write_list(db, std::slice::from_ref(arg), text, depth),
        }
    }
    text.push('>');
}

/// What a declaration is a member of, if that is written in front of its name, and what stands between them.
fn qualifier(db: &dyn Db, item: ItemId, outer: &[GenericArg], place: Option<ItemId>) -> Option<(ItemId, &'static str)> {
    let container = item::container(db, item)?;
    let is_needed = || place.is_some_and(|place| !outer.is_empty() || !means_at(db, item, place));
    match item::item_data(db, container).kind {
        ItemKind::Struct { .. } => (place.is_none() || is_needed()).then_some((container, ".")),
        ItemKind::Enum { .. } | ItemKind::Interface { .. } => is_needed().then_some((container, ".")),
        ItemKind::Namespace => is_needed().then_some((container, "::")),
        _ => None,
    }
}

/// Whether the name of a declaration alone means it at a place, and nothing else.
fn means_at(db: &dyn Db, item: ItemId, place: ItemId) -> bool {
    let Some(name) = item::item_data(db, item).name.as_ref() else { return true };
    let is_parameter = |param: &TypeParam| generics::parameter_name(db, *param) == *name;
    let found = scope::lookup(db, place, name);
    !found.is_empty()
        && found.iter().all(|other| scope::is_same(db, *other, item))
        && !generics::parameters(db, place).iter().any(is_parameter)
}

/// The argument as a case of the parameter's enum: `Mode.Fast`, or `Mode(3)` if no case has this value.
fn enum_spelling(db: &dyn Db, param: TypeParam, arg: &GenericArg, place: Option<ItemId>) -> Option<String> {
    let GenericArg::Value(Const::Value(value)) = arg else { return None };
    let Ty::Adt(item, _) = generics::value_parameter_type(db, param) else { return None };
    let name = place.map_or_else(|| item_name(db, item), |place| name_at(db, item, place));
    let is_value = |case: &&ItemId| consts::constant_value(db, **case) == Some(Const::Value(*value));
    let case = item::members(db, item).iter().find(is_value);
    Some(case.map_or_else(|| format!("{name}({value})"), |case| format!("{name}.{}", item_name(db, *case))))
}

fn write_args(db: &dyn Db, args: &[GenericArg], text: &mut Text, depth: u32) {
    if args.is_empty() {
        return;
    }
    text.push('<');
    write_list(db, args, text, depth);
    text.push('>');
}

fn write_list(db: &dyn Db, args: &[GenericArg], text: &mut Text, depth: u32) {
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        match arg {
            GenericArg::Type(ty) => write_ty(db, *ty, text, depth + 1),
            GenericArg::Value(value) => write_const(db, *value, text),
            GenericArg::Pack(pack) => write_list(db, pack.args(db), text, depth + 1),
        }
    }
}

/// A value in a type as text.
pub fn display_const(db: &dyn Db, value: Const) -> String {
    let mut text = Text::default();
    write_const(db, value, &mut text);
    text.text
}

fn write_const(db: &dyn Db, value: Const, text: &mut Text) {
    match value {
        Const::Error => text.push('?'),
        Const::Value(value) => text.push_str(&value.to_string()),
        Const::Param(param) => text.push_str(generics::parameter_name(db, param).as_str()),
        Const::Unsized => {}
        Const::Operation(operation) => {
            write_operand(db, operation.left(db), text);
            text.push_str(&format!(" {} ", binary_spelling(operation.op(db))));
            write_operand(db, operation.right(db), text);
        }
        Const::Choice(choice) => {
            write_operand(db, choice.condition(db), text);
            text.push_str(" ? ");
            write_operand(db, choice.then(db), text);
            text.push_str(" : ");
            write_operand(db, choice.otherwise(db), text);
        }
        Const::Count(param) => text.push_str(&format!("countof({})", generics::parameter_name(db, param))),
        Const::Size(size) => {
            text.push_str(if size.alignment(db) { "alignof(" } else { "sizeof(" });
            write_ty(db, size.ty(db), text, 0);
            text.push(')');
        }
        Const::Member(member) => {
            if !text.is_own(db, member.ty(db)) {
                write_ty(db, member.ty(db), text, 0);
                text.push('.');
            }
            text.push_str(&item_name(db, member.requirement(db)));
        }
        Const::Expand(expand) => {
            text.push_str("expand each ");
            write_const(db, expand.pattern(db), text);
        }
        Const::PackQuery(query) => {
            text.push_str(query_spelling(query.query(db)));
            text.push('(');
            write_list(db, query.operands(db).args(db), text, 0);
            text.push(')');
        }
    }
}

fn write_operand(db: &dyn Db, operand: Const, text: &mut Text) {
    match operand {
        Const::Operation(_) | Const::Choice(_) => {
            text.push('(');
            write_const(db, operand, text);
            text.push(')');
        }
        _ => write_const(db, operand, text),
    }
}

/// `__first` and its like.
pub fn query_spelling(query: hir_def::body::PackQuery) -> &'static str {
    use hir_def::body::PackQuery;
    match query {
        PackQuery::Each => "each ",
        PackQuery::Count => "countof",
        PackQuery::First => "__first",
        PackQuery::Last => "__last",
        PackQuery::TrimFirst => "__trimFirst",
        PackQuery::TrimLast => "__trimLast",
        PackQuery::Branch => "__packBranch",
        PackQuery::ShapeConcat => "__shapeConcat",
        PackQuery::ShapePermute => "__shapePermute",
        PackQuery::ShapeSwap => "__shapeSwap",
        PackQuery::ShapeReduce => "__shapeReduce",
    }
}

/// The name of a declaration, or what stands for one.
pub fn item_name(db: &dyn Db, item: ItemId) -> String {
    item::item_data(db, item).name.as_ref().map_or_else(|| "?".to_owned(), |name| name.as_str().to_owned())
}

/// The name as the declaration has it: that of an operator with the word in front of it.
pub fn declared_name(db: &dyn Db, item: ItemId) -> String {
    let name = item_name(db, item);
    let data = item::item_data(db, item);
    let is_operator = matches!(data.kind, ItemKind::Function(_)) && data.name.as_ref().is_some_and(is_operator);
    if is_operator { format!("operator{name}") } else { name }
}

/// Whether a function of this name is declared with the word `operator` in front of it.
pub fn is_operator(name: &Name) -> bool {
    !name.as_str().starts_with(|c: char| c == '_' || c.is_alphanumeric())
}

/// A declaration's name after that of the type it is a member of: `Sphere.area`; a requirement's after its interface.
pub fn qualified_name(db: &dyn Db, item: ItemId) -> String {
    let name = item_name(db, item);
    match generics::enclosing_aggregate(db, item).and_then(|aggregate| owner_name(db, aggregate)) {
        Some(owner) => format!("{owner}.{name}"),
        None => name,
    }
}

/// What the members of an aggregate are named after.
fn owner_name(db: &dyn Db, aggregate: ItemId) -> Option<String> {
    Some(match generics::self_type(db, aggregate)? {
        Ty::This(interface) => item_name(db, interface),
        ty => display(db, ty),
    })
}

/// `out `, `inout `, ….
pub fn direction_prefix(direction: ParamDirection) -> &'static str {
    match direction {
        ParamDirection::In => "",
        ParamDirection::Out => "out ",
        ParamDirection::InOut => "inout ",
        ParamDirection::Ref => "__ref ",
        ParamDirection::ConstRef => "__constref ",
    }
}

/// The operator as written.
pub fn binary_spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
    }
}

/// The signature of a function as one line: `float lerp<T>(float x, out float y)`.
pub fn display_signature(db: &dyn Db, item: ItemId) -> String {
    let signature = signature::signature(db, item);
    let data = item::item_data(db, item);
    let mut text = Text::default();
    let name = match &data.kind {
        ItemKind::Constructor { .. } => "__init".to_owned(),
        _ => declared_name(db, item),
    };
    if signature.this.is_none() && item::container(db, item).is_some_and(|container| is_aggregate(db, container)) {
        text.push_str("static ");
    }
    if signature.ret_no_diff {
        text.push_str("no_diff ");
    }
    if !matches!(data.kind, ItemKind::Constructor { .. }) {
        write_ty(db, signature.ret, &mut text, 0);
        text.push(' ');
    }
    if let Some(container) = item::container(db, item)
        && is_aggregate(db, container)
        && let Some(owner) = owner_name(db, container)
    {
        text.push_str(&owner);
        text.push('.');
    }
    text.push_str(&name);
    write_generics(db, item, &mut text);
    text.push('(');
    for (index, param) in signature.params.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        if param.no_diff {
            text.push_str("no_diff ");
        }
        text.push_str(direction_prefix(param.direction));
        write_ty(db, param.ty, &mut text, 0);
        text.push(' ');
        text.push_str(param.name.as_str());
    }
    text.push(')');
    text.text
}

fn is_aggregate(db: &dyn Db, item: ItemId) -> bool {
    matches!(
        item::item_data(db, item).kind,
        ItemKind::Struct { .. } | ItemKind::Interface { .. } | ItemKind::Extension { .. } | ItemKind::Enum { .. }
    ) && !known::is_builtin_declaration(db, item)
}

/// `<T : IFoo, let N : int>`.
fn write_generics(db: &dyn Db, item: ItemId, text: &mut Text) {
    let data = item::item_data(db, item);
    if data.generics.params.is_empty() {
        return;
    }
    text.push('<');
    for index in 0..data.generics.params.len() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&display_generic_parameter(db, TypeParam::new(db, item, index as u32)));
    }
    text.push('>');
}

/// A generic parameter as declared: `T : IFoo`, `let N : int`, `each T`.
pub fn display_generic_parameter(db: &dyn Db, param: TypeParam) -> String {
    generic_parameter(db, param, |ty| display(db, ty))
}

/// The same as it is written in or next to `place`.
pub fn generic_parameter_at(db: &dyn Db, param: TypeParam, place: ItemId) -> String {
    generic_parameter(db, param, |ty| display_at(db, ty, place))
}

fn generic_parameter(db: &dyn Db, param: TypeParam, display: impl Fn(Ty) -> String) -> String {
    let name = generics::parameter_name(db, param);
    let mut text = match generics::parameter_kind(db, param) {
        Some(GenericParamKind::Value { .. }) => {
            format!("let {name} : {}", display(generics::value_parameter_type(db, param)))
        }
        Some(GenericParamKind::Pack { .. }) => format!("each {name}"),
        Some(GenericParamKind::ValuePack { .. }) => {
            format!("let each {name} : {}", display(generics::value_parameter_type(db, param)))
        }
        Some(GenericParamKind::Type { .. }) | None => name.to_string(),
    };
    let subject = Ty::Param(param);
    let bounds: Vec<String> = generics::own_bounds(db, param.owner(db))
        .iter()
        .filter_map(|bound| match bound {
            Bound::Conforms { subject: of, interface, .. } if *of == subject => Some(display(*interface)),
            _ => None,
        })
        .collect();
    if !bounds.is_empty() {
        text.push_str(" : ");
        text.push_str(&bounds.join(" & "));
    }
    text
}

/// A function as it is called for one list of generic arguments: `Sphere.area<float>`.
pub fn function_name(db: &dyn Db, function: FunctionRef) -> String {
    instance_name(db, function.item, function.args)
}

/// As [`function_name`]; what is declared in terms of `This` is named after the type that it is called on.
pub fn function_name_on_receiver(db: &dyn Db, function: FunctionRef) -> String {
    name_in_aggregate(db, function.item, function.args, function.self_ty)
}

/// The name of a declaration with the type that it is a member of, and with generic arguments.
pub fn instance_name(db: &dyn Db, item: ItemId, args: GenericArgs) -> String {
    name_in_aggregate(db, item, args, None)
}

fn name_in_aggregate(db: &dyn Db, item: ItemId, args: GenericArgs, receiver: Option<Ty>) -> String {
    let own_name = |item: ItemId| {
        let data = item::item_data(db, item);
        data.name.as_ref().map_or_else(|| "_".to_owned(), |name| name.as_str().to_owned())
    };
    let data = item::item_data(db, item);
    let mut name = match &data.kind {
        ItemKind::Accessor { kind, .. } => {
            let property = item::container(db, item).map(own_name).unwrap_or_default();
            format!("{property}.{}", kind.name())
        }
        _ => own_name(item),
    };
    let aggregate = generics::enclosing_aggregate(db, item);
    if let Some(aggregate) = aggregate
        && let Some(this) = generics::self_type(db, aggregate)
    {
        let env = Env::of(db, item);
        let this = substitute(db, env, this, &Substitution::of_item(db, item, args));
        let this = match this {
            // A requirement that nobody fulfils yet is the interface's.
            Ty::This(interface) => receiver.map_or_else(|| own_name(interface), |receiver| display(db, receiver)),
            this => display(db, this),
        };
        name = format!("{this}.{name}");
    }
    let own = data.generics.params.len();
    let all = args.args(db);
    let own_args = &all[all.len().saturating_sub(own)..];
    if !own_args.is_empty() {
        let spelled: Vec<String> = own_args.iter().map(|arg| spell_arg(db, *arg)).collect();
        name = format!("{name}<{}>", spelled.join(", "));
    }
    name
}

fn spell_arg(db: &dyn Db, arg: GenericArg) -> String {
    match arg {
        GenericArg::Type(ty) => display(db, ty),
        GenericArg::Value(Const::Value(value)) => value.to_string(),
        GenericArg::Value(_) => "_".to_owned(),
        GenericArg::Pack(pack) => {
            let parts: Vec<String> = pack.args(db).iter().map(|arg| spell_arg(db, *arg)).collect();
            parts.join(", ")
        }
    }
}
