//! What attributes say about functions.

use base_db::RootDatabase;
use hir_def::item::{self, ItemId};

use super::{find, program};
use crate::{
    differential::{
        association::{identity, instantiate},
        attribute::AssociationKind,
        rules::{Checkpoint, DerivativeRules, derivative_rules},
    },
    generics::env::Env,
    types::{
        signature::FunctionRef,
        ty::{GenericArg, GenericArgs, Ty},
    },
};

fn rules(text: &str) -> (RootDatabase, DerivativeRules) {
    let (db, file) = program(text);
    let rules = derivative_rules(&db, find(&db, file, "f")).clone();
    (db, rules)
}

fn name(db: &RootDatabase, item: Option<ItemId>) -> String {
    item.map_or_else(|| "-".to_owned(), |item| item::item_data(db, item).name.clone().expect("a name").to_string())
}

/// Forward, backward.
fn directions(text: &str) -> (bool, bool) {
    let (_, rules) = rules(text);
    (rules.forward_differentiable, rules.backward_differentiable)
}

#[test]
fn attributes_imply_directions() {
    assert_eq!(directions("float f(float x) { return x; }"), (false, false));
    assert_eq!(directions("[Differentiable] float f(float x) { return x; }"), (true, true));
    assert_eq!(directions("[BackwardDifferentiable] float f(float x) { return x; }"), (true, true));
    assert_eq!(directions("[ForwardDifferentiable] float f(float x) { return x; }"), (true, false));
    assert_eq!(directions("[TreatAsDifferentiable] float f(float x) { return x; }"), (true, true));
}

#[test]
fn checkpoints_and_this() {
    let (_, recompute) = rules("[PreferRecompute] float f(float x) { return x; }");
    assert_eq!(recompute.checkpoint, Checkpoint::Recompute);
    let (_, checkpoint) = rules("[PreferCheckpoint] float f(float x) { return x; }");
    assert_eq!(checkpoint.checkpoint, Checkpoint::Checkpoint);
    let (_, this) = rules("struct S { [NoDiffThis] float f(float x) { return x; } }");
    assert!(this.no_diff_this);
}

const FORWARD: &str = "DifferentialPair<float> g(DifferentialPair<float> x) { return x; }";
const BACKWARD: &str = "void g(inout DifferentialPair<float> x, float dResult) {}";

#[test]
fn custom_derivatives() {
    let (db, found) = rules(&format!("{FORWARD} [ForwardDerivative(g)] float f(float x) {{ return x; }}"));
    assert_eq!(name(&db, found.forward_derivative), "g");
    assert_eq!((found.forward_differentiable, found.backward_differentiable), (true, false));
    let (db, found) = rules(&format!("[BackwardDerivative(g)] float f(float x) {{ return x; }} {BACKWARD}"));
    assert_eq!(name(&db, found.backward_derivative), "g");
    assert_eq!((found.forward_differentiable, found.backward_differentiable), (false, true));
    let (db, found) = rules(&format!("float f(float x) {{ return x; }} [ForwardDerivativeOf(f)] {FORWARD}"));
    assert_eq!(name(&db, found.forward_derivative), "g");
    let (db, found) = rules(&format!("float f(float x) {{ return x; }} [BackwardDerivativeOf(f)] {BACKWARD}"));
    assert_eq!(name(&db, found.backward_derivative), "g");
}

#[test]
fn a_derivative_that_does_not_fit_is_not_taken() {
    let (db, found) = rules("void g(float x) {} [BackwardDerivative(g)] float f(float x) { return x; }");
    assert_eq!(name(&db, found.backward_derivative), "-");
    assert!(!found.backward_differentiable);
}

#[test]
fn of_several_overloads_the_one_that_fits_is_taken() {
    let text = format!("void g(int n) {{}} {FORWARD} [ForwardDerivative(g)] float f(float x) {{ return x; }}");
    let (db, file) = program(&text);
    let forward = derivative_rules(&db, find(&db, file, "f")).forward_derivative.expect("a derivative");
    assert_ne!(forward, find(&db, file, "g"), "the second `g` fits, not the first");
    let text = format!(
        "float f(float2 x) {{ return x.x; }} float f(float x) {{ return x; }} [ForwardDerivativeOf(f)] {FORWARD}"
    );
    let (db, file) = program(&text);
    assert_eq!(derivative_rules(&db, find(&db, file, "f")).forward_derivative, None, "the first `f` takes float2");
}

#[test]
fn derivatives_in_other_scopes() {
    let (db, found) =
        rules(&format!("struct M {{ static {FORWARD} }} [ForwardDerivative(M.g)] float f(float x) {{ return x; }}"));
    assert_eq!(name(&db, found.forward_derivative), "g");
    let (db, found) =
        rules(&format!("namespace n {{ {FORWARD} }} [ForwardDerivative(n::g)] float f(float x) {{ return x; }}"));
    assert_eq!(name(&db, found.forward_derivative), "g");
    let (db, found) = rules(
        "struct N {
             [BackwardDerivative(g)] float f(float x) { return x; }
             void g(inout DifferentialPair<float> x, float d) {}
         }",
    );
    assert_eq!(name(&db, found.backward_derivative), "g");
    let (db, found) = rules(
        "struct S : IDifferentiable {
             float v;
             float f(float x) { return x; }
             [BackwardDerivativeOf(f)]
             static void g(inout DifferentialPair<S> this_, inout DifferentialPair<float> x, float d) {}
         }",
    );
    assert_eq!(name(&db, found.backward_derivative), "g");
}

#[test]
fn an_extension_gives_a_derivative_to_a_method_of_the_type() {
    let (db, found) = rules(
        "struct N { float f(float x) { return x; } }
         extension N {
             [ForwardDerivativeOf(f)] DifferentialPair<float> g(DifferentialPair<float> x) { return x; }
         }",
    );
    assert_eq!(name(&db, found.forward_derivative), "g");
}

#[test]
fn no_diff_this_accepts_the_receiver_plain_and_as_a_pair() {
    for this in ["S", "DifferentialPair<S>"] {
        let (db, found) = rules(&format!(
            "struct S : IDifferentiable {{
                 float v;
                 [NoDiffThis] [ForwardDerivative(g)] float f(float x) {{ return x; }}
                 static DifferentialPair<float> g({this} s, DifferentialPair<float> x) {{ return x; }}
             }}"
        ));
        assert_eq!(name(&db, found.forward_derivative), "g", "{this}");
    }
}

#[test]
fn substitutes_make_differentiable() {
    let (db, found) = rules(
        "float f(float x) { return x; }
         [PrimalSubstituteOf(f)] [Differentiable] float g(float x) { return x; }",
    );
    assert_eq!(name(&db, found.primal_substitute), "g");
    assert_eq!((found.forward_differentiable, found.backward_differentiable), (true, true));
    let (_, found) = rules(
        "[PrimalSubstitute(g)] float f(float x) { return x; }
         [ForwardDifferentiable] float g(float x) { return x; }",
    );
    assert_eq!((found.forward_differentiable, found.backward_differentiable), (true, false));
}

#[test]
fn generic_derivatives_get_the_arguments_that_fit() {
    let (db, file) = program(
        "[BackwardDerivative(g)] T f<T : IDifferentiable>(T x) { return x; }
         void g<U : IDifferentiable>(inout DifferentialPair<U> x, U.Differential d) {}",
    );
    let (f, g) = (find(&db, file, "f"), find(&db, file, "g"));
    assert_eq!(derivative_rules(&db, f).backward_derivative, Some(g));
    let args = GenericArgs::new(&db, Box::from([GenericArg::Type(Ty::FLOAT)]));
    let primal = FunctionRef { item: f, args, self_ty: None };
    let derivative = instantiate(&db, Env::of(&db, f), AssociationKind::BackwardDerivative, primal, g);
    assert_eq!(derivative, Some(FunctionRef { item: g, args, self_ty: None }));
    let plain = instantiate(&db, Env::of(&db, f), AssociationKind::BackwardDerivative, identity(&db, f), g);
    assert_eq!(plain.map(|found| found.item), Some(g));
}

#[test]
fn prelude_functions_say_themselves_whether_they_are_differentiable() {
    let (db, file) = program("");
    assert_eq!(scope_item(&db, file, "sin"), (true, true));
    assert_eq!(scope_item(&db, file, "smoothstep"), (true, true));
    assert_eq!(scope_item(&db, file, "floor"), (false, false));
    assert_eq!(scope_item(&db, file, "asuint"), (false, false));
}

fn scope_item(db: &RootDatabase, file: base_db::SourceFile, name: &str) -> (bool, bool) {
    let items = hir_def::scope::lookup_in_file(db, file, &hir_def::name::Name::new(name));
    let rules = derivative_rules(db, items[0]);
    (rules.forward_differentiable, rules.backward_differentiable)
}
