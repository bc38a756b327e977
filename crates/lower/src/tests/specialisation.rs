//! What is left of generics and interfaces in the IR: nothing. Each test shows the whole program as text.

use expect_test::{Expect, expect};

use super::lower;

/// `f` and what it needs, verified and printed.
fn check(text: &str, expected: Expect) {
    let lowered = lower(text, "f", &[]);
    assert_eq!(lowered.errors, []);
    expected.assert_eq(&ir::print::print_module(&lowered.module));
}

#[test]
fn a_generic_function_is_a_function_for_each_of_its_types() {
    check(
        "T twice<T : __BuiltinArithmeticType>(T x) { return x + x; }
        float f(float x, int n) { return twice(x) + twice(n) + twice(x); }",
        expect![[r#"
            func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) {
              %0: f32 = call @"twice<float>"(%x)
              %1: i32 = call @"twice<int>"(%n)
              %2: f32 = convert %1
              %3: f32 = add %0, %2
              %4: f32 = call @"twice<float>"(%x)
              %5: f32 = add %3, %4
              return %5
            }

            func @"twice<float>"(%x: f32) -> (return: f32) {
              %0: f32 = add %x, %x
              return %0
            }

            func @"twice<int>"(%x: i32) -> (return: i32) {
              %0: i32 = add %x, %x
              return %0
            }
        "#]],
    );
}

#[test]
fn a_requirement_is_a_direct_call_of_the_implementation() {
    check(
        "interface IScale { float scale(float x); static float unit(); }
        struct Twice : IScale { float k; float scale(float x) { return x * k; } static float unit() { return 2; } }
        float apply<S : IScale>(S s, float x) { return s.scale(x) + S.unit(); }
        float f(Twice t) { return apply(t, 3); }",
        expect![[r#"
            struct $Twice { k: f32 }

            func @f(%t: $Twice) -> (return: f32 diff) {
              %0: i32 = const 3
              %1: f32 = const 3.0
              %2: f32 = call @"apply<Twice>"(%t, %1)
              return %2
            }

            func @"apply<Twice>"(%s: $Twice, %x: f32 diff) -> (return: f32 diff) {
              %0: f32 = call @Twice.scale(%s, %x)
              %1: f32 = call @Twice.unit()
              %2: f32 = add %0, %1
              return %2
            }

            func @Twice.scale(%this: $Twice, %x: f32 diff) -> (return: f32 diff) {
              %0: f32 = extract %this[0]
              %1: f32 = mul %x, %0
              return %1
            }

            func @Twice.unit() -> (return: f32 diff) {
              %0: i32 = const 2
              %1: f32 = const 2.0
              return %1
            }
        "#]],
    );
}

#[test]
fn an_associated_type_is_the_type_that_it_stands_for() {
    check(
        "interface IHolder { associatedtype Item; Item get(); }
        struct Holder : IHolder { typealias Item = float2; float2 v; Item get() { return v; } }
        T.Item take<T : IHolder>(T h) { T.Item item = h.get(); return item; }
        float f(Holder h) { return take(h).y; }",
        expect![[r#"
            struct $Holder { v: f32x2 }

            func @f(%h: $Holder) -> (return: f32 diff) {
              %0: f32x2 = call @"take<Holder>"(%h)
              %1: f32 = extract %0[1]
              return %1
            }

            func @"take<Holder>"(%h: $Holder) -> (return: f32x2) {
              %0: f32x2 = call @Holder.get(%h)
              %item: f32x2 = forget %0
              return %item
            }

            func @Holder.get(%this: $Holder) -> (return: f32x2 diff) {
              %0: f32x2 = extract %this[0]
              return %0
            }
        "#]],
    );
}

#[test]
fn a_value_parameter_is_its_number() {
    check(
        "struct Grid<let N : int> { float cells[N]; int count() { return N * 2; } }
        int f(Grid<3> g) { return g.count(); }",
        expect![[r#"
            struct $"Grid<3>" { cells: [f32; 3] }

            func @f(%g: $"Grid<3>") -> (return: i32) {
              %0: i32 = call @"Grid<3>.count"(%g)
              return %0
            }

            func @"Grid<3>.count"(%this: $"Grid<3>") -> (return: i32) {
              %0: i32 = const 3
              %1: i32 = const 2
              %2: i32 = mul %0, %1
              return %2
            }
        "#]],
    );
}

#[test]
fn a_requirement_of_an_interface_value_is_a_match_on_its_type() {
    check(
        "interface IShape { float area(); }
        struct Square : IShape { float a; float area() { return a * a; } }
        struct Field : IShape { float2 sides; float area() { return sides.x * sides.y; } }
        float f(IShape shape) { return shape.area(); }",
        expect![[r#"
            struct $Square { a: f32 }
            struct $Field { sides: f32x2 }
            sum !IShape { 0: $Square, 1: $Field }

            func @f(%shape: !IShape) -> (return: f32 diff) {
              %0: f32 = call @IShape.area(%shape)
              return %0
            }

            func @IShape.area(%this: !IShape) -> (return: f32 diff) {
              %0: f32 = sum_match %this variant (%1: $Square) {
                %2: f32 = call @Square.area(%1)
                yield %2
              } variant (%3: $Field) {
                %4: f32 = call @Field.area(%3)
                yield %4
              }
              return %0
            }

            func @Square.area(%this: $Square) -> (return: f32 diff) {
              %0: f32 = extract %this[0]
              %1: f32 = extract %this[0]
              %2: f32 = mul %0, %1
              return %2
            }

            func @Field.area(%this: $Field) -> (return: f32 diff) {
              %0: f32 = extract %this[0][0]
              %1: f32 = extract %this[0][1]
              %2: f32 = mul %0, %1
              return %2
            }
        "#]],
    );
}

#[test]
fn a_value_becomes_an_interface_value_with_the_number_of_its_type() {
    check(
        "interface IShape { float area(); }
        struct Square : IShape { float a; float area() { return a * a; } }
        struct Unit : IShape { float area() { return 1; } }
        IShape f(bool c, Square s) { if (c) return s; Unit u; return u; }",
        expect![[r#"
            struct $Square { a: f32 }
            struct $Unit { }
            sum !IShape { 0: $Square, 1: $Unit }

            func @f(%c: bool, %s: $Square) -> (return: !IShape) {
              if %c {
                %0: !IShape = sum_make 0, %s
                return %0
              } else {
                yield
              }
              %u: $Unit = undef
              %1: !IShape = sum_make 1, %u
              return %1
            }
        "#]],
    );
}

#[test]
fn a_pack_is_one_parameter_per_element() {
    check(
        "int count<each T>(expand each T values) { return countof(values); }
        int f(float x, int2 v) { return count(x, v); }",
        expect![[r#"
            struct $"Tuple<float, int2>" { _0: f32, _1: i32x2 }

            func @f(%x: f32 diff, %v: i32x2) -> (return: i32) {
              %0: i32 = call @"count<float, int2>"(%x, %v)
              return %0
            }

            func @"count<float, int2>"(%values: f32, %values.2: i32x2) -> (return: i32) {
              %0: $"Tuple<float, int2>" = make(%values, %values.2)
              %1: i32 = const 2
              return %1
            }
        "#]],
    );
}

#[test]
fn bit_fields_are_bits_of_one_integer() {
    check(
        "struct S { int a : 4; uint b : 28; }
        int f(S s, int x) { s.a = x; return s.a; }",
        expect![[r#"
            struct $S { bitFields0_: u32 }

            func @f(%s: $S, %x: i32) -> (return: i32) {
              %0: u32 = extract %s[0]
              %1: u32 = const 4294967280
              %2: u32 = const 15
              %3: u32 = const 0
              %4: u32 = convert %x
              %5: u32 = shl %4, %3
              %6: u32 = and %5, %2
              %7: u32 = and %0, %1
              %8: u32 = or %7, %6
              %s.2: $S = insert %s[0], %8
              %9: u32 = extract %s.2[0]
              %10: i32 = convert %9
              %11: i32 = const 28
              %12: i32 = const 28
              %13: i32 = shl %10, %11
              %14: i32 = shr %13, %12
              return %14
            }
        "#]],
    );
}
