//! `T.Differential` of each kind of type.

use hir_def::item::{self, ItemKind};

use super::{find, program};
use crate::{
    differential::{Differentiability, aggregate::field_derivatives, differentiability},
    generics::env::Env,
    types::{aggregate, display::display, signature, ty::Ty},
};

/// The differential of the type of the field or variable `x`: `-` for none, `ptr D` for places.
fn differential(text: &str) -> String {
    let (db, file) = program(text);
    let item = find(&db, file, "x");
    assert!(matches!(item::item_data(&db, item).kind, ItemKind::Variable { .. }));
    let ty = signature::variable_type(&db, item);
    match differentiability(&db, Env::of(&db, item), ty) {
        Differentiability::None => "-".to_owned(),
        Differentiability::Value(differential) if differential == ty => "itself".to_owned(),
        Differentiability::Value(differential) => display(&db, differential),
        Differentiability::Pointer(differential) => format!("ptr {}", display(&db, differential)),
    }
}

#[test]
fn scalars_vectors_and_matrices_of_floats() {
    for ty in ["float", "half", "double", "float3", "half2", "double4", "float3x3", "matrix<half, 2, 3>"] {
        assert_eq!(differential(&format!("static {ty} x;")), "itself", "{ty}");
    }
    for ty in ["int", "uint3", "bool", "bool4", "int2x2", "String", "RWStructuredBuffer<float>", "float*"] {
        assert_eq!(differential(&format!("static {ty} x;")), "-", "{ty}");
    }
}

#[test]
fn aggregates_of_differentiable_types() {
    assert_eq!(differential("static float x[4];"), "itself");
    assert_eq!(differential("static int x[4];"), "-");
    assert_eq!(differential("static Optional<float> x;"), "itself");
    assert_eq!(differential("static Tuple<float, float3> x;"), "itself");
    assert_eq!(differential("static Tuple<float, int> x;"), "-");
    assert_eq!(differential("static DifferentialPair<float> x;"), "itself");
    let ray = "struct Ray : IDifferentiable { float3 o; int id; } ";
    assert_eq!(differential(&format!("{ray} static Ray x[4];")), "Ray.Differential[4]");
    assert_eq!(differential(&format!("{ray} static DifferentialPair<Ray> x;")), "DifferentialPair<Ray.Differential>");
}

#[test]
fn structs() {
    assert_eq!(differential("struct N { float v; } static N x;"), "-");
    // The user guide, "Automatic Fulfillment", point 5.
    assert_eq!(differential("struct S : IDifferentiable { float a; float3 b; } static S x;"), "itself");
    assert_eq!(differential("struct S : IDifferentiable { float a; int b; } static S x;"), "S.Differential");
    assert_eq!(differential("struct S : IDifferentiable { float a; no_diff float b; } static S x;"), "S.Differential");
    assert_eq!(differential("struct S : IDifferentiable { float a; int b; } static S.Differential x;"), "itself");
    assert_eq!(
        differential(
            "struct D : IDifferentiable { float a; }
             struct S : IDifferentiable { typealias Differential = D; float b; } static S x;"
        ),
        "D"
    );
    assert_eq!(
        differential("struct P : IDifferentiablePtrType { typealias Differential = P; int i; } static P x;"),
        "ptr P"
    );
    assert_eq!(
        differential("struct P : IDifferentiablePtrType { typealias Differential = P; int i; } static P x[2];"),
        "ptr P[2]"
    );
    assert_eq!(differential("struct S { float a; } extension S : IDifferentiable {} static S x;"), "itself");
}

#[test]
fn generic_structs_are_decided_where_they_are_declared() {
    // As slangc: `Box<float>.Differential` is a type of its own.
    assert_eq!(
        differential("struct Box<T : IDifferentiable> : IDifferentiable { T v; } static Box<float> x;"),
        "Box<float>.Differential"
    );
    assert_eq!(differential("struct Box<T> { T v; } static Box<float> x;"), "-");
}

#[test]
fn parameters_and_interfaces() {
    assert_eq!(differential("struct B<T : IDifferentiable> { T x; }"), "T.Differential");
    assert_eq!(differential("struct B<T : IDifferentiable> { T.Differential x; }"), "itself");
    assert_eq!(differential("struct B<T : __BuiltinFloatingPointType> { T x; }"), "T.Differential");
    assert_eq!(differential("struct B<T : __BuiltinFloatingPointType> { vector<T, 3> x; }"), "itself");
    assert_eq!(differential("struct B<T> { T x; }"), "-");
    assert_eq!(differential("struct B<T : __BuiltinFloatingPointType> where T.Differential == T { T x; }"), "itself");
    assert_eq!(differential("interface I : IDifferentiable {} static I x;"), "IDifferentiable");
    assert_eq!(differential("interface I {} static I x;"), "-");
}

/// Each field of `S` with the field that holds its derivative.
fn fields(text: &str) -> Vec<String> {
    let (db, file) = program(text);
    let item = find(&db, file, "S");
    let env = Env::of(&db, item);
    let ty = Ty::Adt(item, crate::generics::identity_args(&db, item));
    let name = |item| item::item_data(&db, item).name.clone().expect("a name").to_string();
    assert_eq!(field_derivatives(&db, env, ty).len(), aggregate::fields(&db, env, ty).len());
    field_derivatives(&db, env, ty)
        .into_iter()
        .map(|field| match (field.derivative, field.differential) {
            (Some(derivative), Some(differential)) => {
                format!("{} -> {} {}", name(field.field), display(&db, differential), name(derivative))
            }
            (None, Some(_)) => format!("{} -> missing", name(field.field)),
            (_, None) => format!("{} -> -", name(field.field)),
        })
        .collect()
}

#[test]
fn fields_map_to_fields_of_the_differential() {
    assert_eq!(
        fields("struct S : IDifferentiable { float a; int b; no_diff float c; }"),
        ["a -> float a", "b -> -", "c -> -"]
    );
    assert_eq!(fields("struct S : IDifferentiable { float a; }"), ["a -> float a"]);
    // The user guide, "Manual Fulfillment": `[DerivativeMember]` names the field.
    assert_eq!(
        fields(
            "struct D : IDifferentiable { float d_a; float b; }
             struct S : IDifferentiable {
                 typealias Differential = D;
                 [DerivativeMember(D.d_a)] float a;
                 float b;
                 float c;
             }"
        ),
        ["a -> float d_a", "b -> float b", "c -> missing"]
    );
}
