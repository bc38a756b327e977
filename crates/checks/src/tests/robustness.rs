//! Cyclic and broken programs: no panic, no endless loop.

use hir_def::scope;

use super::database;

fn survives(text: &str) {
    let (db, _, file) = database(text);
    for &item in scope::all_file_items(&db, file).iter() {
        let _ = crate::diagnostics(&db, item).count();
    }
}

#[test]
fn declarations_that_refer_to_themselves() {
    for text in [
        "struct A : A { A a; }",
        "interface I : I {} struct S : I {} void f(S s) { I i = s; }",
        "interface I : J {} interface J : I {} struct S : I { int x; } void f(S s) { s.y; }",
        "struct A : IDifferentiable { typealias Differential = A; A next; float x; }",
        "struct A : IDifferentiable { B b; } struct B : IDifferentiable { A a; } void f(A.Differential d) { d.b.a; }",
        "typealias A = B; typealias B = A; A x; void f(A a) { a.b; }",
        "typealias A = I & J; typealias B = C; typealias C = B; interface I {} interface J {} void f<T : B>(T t) { t.x; }",
        "struct S<T> { S<S<T>> inner; typealias X = S<S<T>>.X; } void f(S<int>.X x, S<int> s) { s.inner.inner.inner.y; }",
        "extension<T : I> T : J {} extension<T : J> T : I {} interface I { void i(); } interface J { void j(); } struct S {} void f(S s) { s.i(); s.j(); }",
        "interface I { associatedtype A : I where A.A == A; } void f<T : I>(T.A.A.A.A a) { T.A b = a; }",
        "interface I { associatedtype A : I where A.A == A.A.A; } void f<T : I>(T.A.A.A.A a) { T.A b = a; }",
        "void f<T : I<T.A>>(T t) { t.x; } interface I<U> { associatedtype A; }",
        "void f<T>(T t) where T.X == T.X.X { t.x; }",
        "let a = b; let b = c; let c = a + 1; static const int n = n + 1; float x[n];",
        "enum E { A = B, B = A, C = C } float x[E.C];",
        "extension E { } extension E.X { } typealias E = E;",
        "float f(float x) { return g(x); } float g(float x) { return f(x); } let y = f(1);",
        "struct S { static const int k = S.k; float a[k]; __init(S s) { this = S(s); } }",
        "extension S<S<int>> : I {} struct S<T : I> {} interface I {}",
        "struct S<T = S<T>> { T t; } S x; void f(S s) { s.t.t; }",
        "struct S<let N : int = N> { float a[N]; } S<> x;",
    ] {
        survives(text);
    }
}

#[test]
fn half_typed_programs() {
    let text = "struct S<T : IFoo> : IFoo { T a; float m(float x) { return this.a.foo(x) + x; } }\n\
                interface IFoo { associatedtype D; float foo(float x); }\n\
                [Differentiable] float f(float x) { float a[2] = {x, 1}; var p = diffPair(x, 1.0); return bwd_diff(f)(p, a[0]).x; }\n";
    let (mut db, mut documents, file) = database(text);
    // Every prefix, and every program with a piece taken out.
    for cut in (0..text.len()).step_by(11) {
        documents.open(&mut db, "/main.slang", &text[..cut]);
        for &item in scope::all_file_items(&db, file).iter() {
            let _ = crate::diagnostics(&db, item).count();
        }
        let end = (cut + 5).min(text.len());
        documents.open(&mut db, "/main.slang", &format!("{}{}", &text[..cut], &text[end..]));
        for &item in scope::all_file_items(&db, file).iter() {
            let _ = crate::diagnostics(&db, item).count();
        }
    }
}

/// Types that hold ever larger versions of themselves, in everything that may look into them.
#[test]
fn types_without_end_in_every_use() {
    let types = [
        "struct L<let N : int> { L<N + 1> next; } typealias E = L<1>;",
        "struct L<T> { L<Tuple<T, T>> next; } typealias E = L<int>;",
        "struct P<T> { T a; } struct L<T> { L<P<T>> one; L<P<T>> other; } typealias E = L<int>;",
        "struct L<each T> { L<T, int> next; } typealias E = L<int>;",
        "struct L<T> { L<T[2]> next[3]; int k = 1; } typealias E = L<int>;",
        "struct L<T> { Optional<L<Optional<T>>> next; } typealias E = L<int>;",
        "struct L<T> : IDifferentiable { L<L<T>> next; float x; } typealias E = L<float>;",
    ];
    let uses = [
        "E v = {};",
        "E v = E();",
        "E v; v.next = {};",
        "E v = (E)0;",
        "E v = {1, 2};",
        "E v = { {}, {} };",
        "E v[2] = {};",
        "let n = sizeof(E);",
        "E a; E b = a; a = b;",
        "let t = makeTuple(E(), 1);",
        "Optional<E> o = none;",
        "let d = diffPair(E());",
        "E.Differential d = {};",
        "IDefaultInitializable i = E();",
        "return E();",
        "f2(E()); f2({});",
        "let l = (E e) => 1; l({});",
        "uint h = bit_cast<uint>(E());",
        "E v; v == v;",
    ];
    for ty in types {
        for used in uses {
            survives(&format!("{ty} void f2(E e) {{}} E f() {{ {used} }}"));
        }
        survives(&format!(
            "{ty} static const E e = {{}}; cbuffer C {{ E c; }} StructuredBuffer<E> b; void g(E e = {{}}) {{}}"
        ));
    }
}
