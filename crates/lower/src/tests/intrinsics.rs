//! The vocabulary of the core library: each `[__intrinsic("word")]` stands for something, and what the table of the IR says
//! of a word is what its declarations say.

use std::collections::{BTreeMap, BTreeSet};

use base_db::{Db, Project};
use hir_def::{
    item::{self, ItemId, ItemKind},
    scope,
};
use hir_ty::{
    differential::{self, signature::function_signature},
    env::Env,
    generics,
    signature::FunctionRef,
    ty::{BuiltinType, GenericArg, Scalar, Ty},
};
use ir::{
    Intrinsic,
    intrinsic::{Derivative, FragmentOp},
};

use super::database;
use crate::{
    core_function::CoreFunction,
    front::{self, intrinsic_word},
    surface::Direction,
};

/// All functions of the core library.
fn functions(db: &dyn Db) -> Vec<ItemId> {
    let files = Project::get(db).prelude(db);
    let items = files.iter().flat_map(|&file| scope::all_file_items(db, file).to_vec());
    let is_function = |item: &ItemId| {
        let kind = &item::item_data(db, *item).kind;
        matches!(kind, ItemKind::Function(_) | ItemKind::Accessor { .. } | ItemKind::Constructor { .. })
    };
    items.filter(is_function).collect()
}

#[test]
fn each_word_of_the_core_library_stands_for_something() {
    let (db, _) = database("");
    let words: Vec<_> = functions(&db).into_iter().filter_map(|item| intrinsic_word(&db, item)).collect();
    let unknown: Vec<_> = words.iter().filter(|word| CoreFunction::from_word(word).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(words.len() > 2000, "{}", words.len());
}

/// What the declarations of an intrinsic say.
#[derive(Default)]
struct Declared {
    operands: Vec<usize>,
    results: Vec<usize>,
    derivative: Option<Derivative>,
    /// Of any number of operands.
    open: bool,
}

#[test]
fn the_table_of_intrinsics_says_what_their_declarations_say() {
    let (db, _) = database("");
    let mut found: BTreeMap<&str, Declared> = BTreeMap::new();
    for item in functions(&db) {
        let Some(CoreFunction::Intrinsic(intrinsic)) = front::core_function(&db, item) else { continue };
        let env = Env::of(&db, item);
        let function = FunctionRef { item, args: generics::identity_args(&db, item), self_ty: None };
        let signature = function_signature(&db, env, function);
        // Strings are not values.
        let params: Vec<_> = signature.params.iter().filter(|param| param.ty != Ty::String).collect();
        let direction = |direction| Direction::from(direction);
        let inputs = params.iter().filter(|param| direction(param.direction).goes_in()).map(|param| param.ty);
        let inputs: Vec<Ty> = inputs.collect();
        let outs = params.iter().filter(|param| direction(param.direction).comes_out()).map(|param| param.ty);
        let outs: Vec<Ty> = (signature.ret != Ty::Void).then_some(signature.ret).into_iter().chain(outs).collect();
        let carries = |ty: &Ty| may_carry(&db, env, *ty);
        let loses = inputs.iter().any(carries) && outs.iter().any(carries);
        let declared = found.entry(intrinsic.word()).or_default();
        declared.operands.push(inputs.len());
        declared.results.push(outs.len());
        declared.open |= inputs.iter().any(|ty| matches!(ty, Ty::Expand(_)));
        if loses || declared.derivative.is_none() {
            declared.derivative = Some(if loses { Derivative::Lost } else { Derivative::None });
        }
    }
    let mut wrong = Vec::new();
    for intrinsic in Intrinsic::all().filter(|intrinsic| !is_made_of_others(*intrinsic)) {
        let Some(declared) = found.get(intrinsic.word()) else {
            wrong.push(format!("`{intrinsic}` is not declared"));
            continue;
        };
        let facts = intrinsic.facts();
        let (least, most) = (declared.operands.iter().min().unwrap(), declared.operands.iter().max().unwrap());
        let is_open = declared.open || *facts.operands.end() == u8::MAX;
        // Back ends take away what geometry and mesh shaders give out through variables.
        let through_outputs = matches!(intrinsic, Intrinsic::Stage(_));
        let is_least = |least: usize, facts: u8| {
            least == usize::from(facts) || (through_outputs && least == usize::from(facts) + 1)
        };
        if !is_least(*least, *facts.operands.start()) || (!is_open && *most != usize::from(*facts.operands.end())) {
            wrong.push(format!("`{intrinsic}`: operands {least}..={most}"));
        }
        let (least, most) = (declared.results.iter().min().unwrap(), declared.results.iter().max().unwrap());
        // Back ends take away what goes through variables: the payloads of rays, and the rays that shaders follow themselves.
        let through_variables =
            matches!(intrinsic, Intrinsic::Ray(_) | Intrinsic::RayQuery(_) | Intrinsic::RayExtension(_));
        let is_least = is_least(*least, *facts.results.start())
            || (through_variables && *least == usize::from(*facts.results.start()) + 1);
        if !is_least || *most != usize::from(*facts.results.end()) {
            wrong.push(format!("`{intrinsic}`: results {least}..={most}"));
        }
        if declared.derivative != Some(facts.derivative) {
            wrong.push(format!("`{intrinsic}`: derivative {:?}", declared.derivative.unwrap()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Messages call an operation what programs call it, where a declaration has a name: constructors, subscripts and what the
/// core library alone calls have none.
#[test]
fn intrinsics_are_named_as_in_programs() {
    let (db, _) = database("");
    let mut names: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for item in functions(&db) {
        let Some(CoreFunction::Intrinsic(intrinsic)) = front::core_function(&db, item) else { continue };
        let is_accessor = matches!(item::item_data(&db, item).kind, ItemKind::Accessor { .. });
        let named = if is_accessor { item::container(&db, item) } else { Some(item) };
        let name = named.and_then(|item| item::item_data(&db, item).name.as_ref()).map(|name| name.to_string());
        names.entry(intrinsic.word()).or_default().extend(name.filter(|name| !name.starts_with("__")));
    }
    let is_wrong = |intrinsic: &Intrinsic| {
        let declared = names.get(intrinsic.word()).filter(|declared| !declared.is_empty());
        // Of atomic operations there are many names, by what is changed.
        let is_atomic = matches!(intrinsic, Intrinsic::Texture(op) if op.atomic().is_some());
        !is_atomic && declared.is_some_and(|declared| !declared.contains(intrinsic.source_name()))
    };
    let wrong: Vec<String> = Intrinsic::all()
        .filter(is_wrong)
        .map(|intrinsic| format!("{} of {intrinsic}: {:?}", intrinsic.source_name(), names.get(intrinsic.word())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(Intrinsic::all().all(|intrinsic| !intrinsic.source_name().contains('.')));
}

/// Whether no declaration has the word: an atomic operation is declared for all places, and is this one where the place is a
/// texel, and `discard` is a statement.
fn is_made_of_others(intrinsic: Intrinsic) -> bool {
    match intrinsic {
        Intrinsic::Integer(_) | Intrinsic::Fragment(FragmentOp::Discard) => true,
        Intrinsic::Texture(op) => op.atomic().is_some_and(|atomic| atomic != ir::AtomicOp::Add),
        _ => false,
    }
}

/// Whether values of a type can carry a derivative, for some arguments of the function.
fn may_carry(db: &dyn Db, env: Env, ty: Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => matches!(scalar, Scalar::Half | Scalar::Float | Scalar::Double),
        Ty::Param(_) | Ty::This(_) | Ty::Associated(_) => true,
        Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix | BuiltinType::Array, args) => {
            args.args(db).iter().any(|arg| matches!(arg, GenericArg::Type(ty) if may_carry(db, env, *ty)))
        }
        // Differentiable if its argument is: `CoopVec<T, N>`.
        Ty::Adt(item, args)
            if item::item_data(db, item).name.as_ref().is_some_and(|name| name.as_str() == "CoopVec") =>
        {
            args.args(db).iter().any(|arg| matches!(arg, GenericArg::Type(ty) if may_carry(db, env, *ty)))
        }
        ty => differential::differential_of(db, env, ty).is_some(),
    }
}

#[test]
fn the_attribute_means_nothing_in_programs() {
    for word in ["nonsense.word", "math.nonsense", "math.sin"] {
        let text = format!("[__intrinsic(\"{word}\")] float g(float x); float f(float x) {{ return g(x); }}");
        assert_eq!(super::unsupported(&text, "f"), "`g`, which has no body, is not supported yet");
    }
}
