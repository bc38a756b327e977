use expect_test::expect;

use super::{body_shape, file, find, outline};
use crate::{
    attribute::{AttributeKind, Modifiers},
    body::{Expr, IntSuffix, Literal, queries::body},
    item::{self, GenericParamKind, ItemKind},
    scope,
};

#[test]
fn declarations_and_their_members() {
    let (db, file) = file(
        "
        /// A light.
        public struct Light<T : IFloat, let N : int = 3> : IDifferentiable where T : IFoo {
            float3 color, position[2];
            property float power { get { return 1; } set; }
            __init(float x) { color = x; }
            [mutating] void move(inout float3 by, out int n = 1) { }
            __subscript(int i) -> float { get { return i; } }
            enum Kind { Point, Spot = 4 }
        }
        namespace a.b { int f(); }
        cbuffer Constants : register(b0) { float4 tint; }
        typedef float V[4];
        extension Light<float> : IBar { float g() { return 0; } }
        import math.noise;
        ",
    );
    expect![[r#"
        Struct Light
          Variable color
          Variable position
          Property power
            Accessor get
            Accessor set
          Constructor __init
          Function move
          Subscript __subscript
            Accessor get
          Enum Kind
            EnumCase Point
            EnumCase Spot
        Namespace a
          Namespace b
            Function f
        ConstantBuffer Constants
          Variable tint
        TypeAlias V
        Extension -
          Function g
        Import -
    "#]]
    .assert_eq(&outline(&db, item::file_items(&db, file)));

    let light = item::item_data(&db, find(&db, file, "Light"));
    assert_eq!(light.doc.as_deref(), Some("A light."));
    assert!(light.modifiers.contains(Modifiers::PUBLIC));
    assert_eq!(light.generics.params.len(), 2);
    assert!(matches!(light.generics.params[1].kind, GenericParamKind::Value { default: Some(_), .. }));
    assert_eq!(light.generics.constraints.len(), 1);

    let function = item::item_data(&db, find(&db, file, "move"));
    assert!(function.has_attribute(AttributeKind::Mutating));
    let ItemKind::Function(function) = &function.kind else { panic!("a function") };
    assert!(function.has_body);
    assert!(function.params[0].modifiers.contains(Modifiers::INOUT));
    assert!(function.params[1].modifiers.contains(Modifiers::OUT) && function.params[1].default.is_some());
}

#[test]
fn bodies_of_functions_accessors_and_initialisers() {
    let (db, file) = file(
        "
        static const int count = 3;
        enum E { A = 7 }
        struct S { property int p { get { return 1; } set { } } }
        float f(float x) { return x * 2; }
        float declared(float x);
        ",
    );
    let three = Expr::Literal(Literal::Int { value: 3, suffix: IntSuffix::None, decimal: true });
    let count = body(&db, find(&db, file, "count"));
    assert_eq!(count.store.exprs.iter().next().map(|(_, expr)| expr), Some(&three));
    expect!["Literal(Int { value: 7, suffix: None, decimal: true })"]
        .assert_eq(&body_shape(body(&db, find(&db, file, "A"))));
    expect!["Block([Idx::<Stmt>(0)])"].assert_eq(&body_shape(body(&db, find(&db, file, "get"))));
    expect!["Block([Idx::<Stmt>(0)])"].assert_eq(&body_shape(body(&db, find(&db, file, "f"))));
    expect!["none"].assert_eq(&body_shape(body(&db, find(&db, file, "declared"))));
    let setter = body(&db, find(&db, file, "set"));
    assert_eq!(setter.store.locals[setter.params[0]].name.as_str(), "newValue");
}

#[test]
fn names_at_an_item() {
    let (db, file) = file(
        "
        int f(); int f(int x);
        namespace n { int g(); namespace m { int h() { return g(); } } }
        namespace n { int f(); int late(); }
        cbuffer C { int field; }
        struct S { int f; int method() { return 0; } }
        ",
    );
    let names = |at: &str, name: &str| {
        let found = scope::lookup(&db, find(&db, file, at), &crate::name::Name::new(name));
        found.into_iter().map(|item| outline(&db, &[item]).trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("S", "f"), ["Function f", "Function f"]);
    assert_eq!(names("method", "f"), ["Variable f"]);
    assert_eq!(names("h", "f"), ["Function f"], "the other part of the namespace hides the outer overloads");
    assert_eq!(names("h", "late"), ["Function late"]);
    assert_eq!(names("S", "field"), ["Variable field"]);
    assert_eq!(names("S", "g"), [""; 0]);
}
