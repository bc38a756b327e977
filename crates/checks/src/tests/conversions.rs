//! Literals, conversions, operators. Expected types are those that slangc 2026.14 gives.

use super::{check, check_all_of};

#[test]
fn literals_have_slangs_types() {
    check(
        "void f() {
            let a = 1; //: 1 : int
            let b = 1u; //: 1u : uint
            let c = 1.5; //: 1.5 : float
            let d = 1.5h; //: 1.5h : half
            let e = 1.5l; //: 1.5l : double
            let g = 5000000000; //: 5000000000 : int64_t
            let h = true; //: true : bool
        }",
    );
}

#[test]
fn arithmetic_converts_to_the_wider_operand() {
    check(
        "void f(int i, uint u, float x, half h, double d, int64_t l, uint8_t b, bool t) {
            let a = i + x; //: i + x : float
            let c = i + u; //: i + u : uint
            let e = u + l; //: u + l : int64_t
            let g = h * x; //: h * x : float
            let j = x * d; //: x * d : double
            let k = b + b; //: b + b : uint8_t
            let m = t + t; //: t + t : int
            let n = 1u << 2; //: 1u << 2 : uint
            let o = 1 << 2u; //: 1 << 2u : int
            let p = i < x; //: i < x : bool
        }",
    );
}

/// The types between which all pairs are tried.
const SCALARS: [&str; 12] = [
    "bool", "int8_t", "uint8_t", "int16_t", "uint16_t", "int", "uint", "int64_t", "uint64_t", "half", "float", "double",
];

/// What slangc 2026.14 says that the type of an operation on each pair of [`SCALARS`] is, a row for each left operand;
/// `-` where it is an error.
const SUMS: &str = "
    int      int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    int8_t   int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    uint8_t  uint8_t  uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    int16_t  int16_t  int16_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    uint16_t uint16_t uint16_t uint16_t uint16_t int      uint     int64_t  uint64_t half     float    double
    int      int      int      int      int      int      uint     int64_t  uint64_t half     float    double
    uint     uint     uint     uint     uint     uint     uint     int64_t  uint64_t half     float    double
    int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  uint64_t half     float    double
    uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t half     float    double
    half     half     half     half     half     half     half     half     half     half     float    double
    float    float    float    float    float    float    float    float    float    float    float    double
    double   double   double   double   double   double   double   double   double   double   double   double";
const BIT_OPERATIONS: &str = "
    bool     int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t - - -
    int8_t   int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t - - -
    uint8_t  uint8_t  uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t - - -
    int16_t  int16_t  int16_t  int16_t  uint16_t int      uint     int64_t  uint64_t - - -
    uint16_t uint16_t uint16_t uint16_t uint16_t int      uint     int64_t  uint64_t - - -
    int      int      int      int      int      int      uint     int64_t  uint64_t - - -
    uint     uint     uint     uint     uint     uint     uint     int64_t  uint64_t - - -
    int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  uint64_t - - -
    uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t - - -
    - - - - - - - - - - - -
    - - - - - - - - - - - -
    - - - - - - - - - - - -";
const CHOICES: &str = "
    bool     int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t bool     bool     bool
    int8_t   int8_t   uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    uint8_t  uint8_t  uint8_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    int16_t  int16_t  int16_t  int16_t  uint16_t int      uint     int64_t  uint64_t half     float    double
    uint16_t uint16_t uint16_t uint16_t uint16_t int      uint     int64_t  uint64_t half     float    double
    int      int      int      int      int      int      uint     int64_t  uint64_t half     float    double
    uint     uint     uint     uint     uint     uint     uint     int64_t  uint64_t half     float    double
    int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  int64_t  uint64_t half     float    double
    uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t uint64_t half     float    double
    half     half     half     half     half     half     half     half     half     half     float    double
    float    float    float    float    float    float    float    float    float    float    float    double
    double   double   double   double   double   double   double   double   double   double   double   double";

/// Literals count as what they are: `6u - i` is unsigned, `i8 * 3` an `int`.
#[test]
fn every_pair_of_scalars_has_slangcs_type() {
    let both = |op: &'static str| move |a: &str, b: &str| format!("{a} {op} {b}");
    let mut text = String::from("void f(bool c) {\n");
    let mut ask = |table: &str, operation: &dyn Fn(&str, &str) -> String| {
        let mut types = table.split_whitespace();
        for left in SCALARS {
            for right in SCALARS {
                let expected = types.next().unwrap();
                let written = operation(&format!("{left}(1)"), &format!("{right}(1)"));
                let comment = match expected {
                    "-" => "//! E39999 works on the bits of integers".to_owned(),
                    expected => format!("//: {written} : {expected}"),
                };
                text += &format!("    {{ let x = {written}; }} {comment}\n");
            }
        }
        assert!(types.next().is_none());
    };
    for op in ["+", "-", "*", "/", "%"] {
        ask(SUMS, &both(op));
    }
    for op in ["&", "|", "^"] {
        ask(BIT_OPERATIONS, &both(op));
    }
    ask(CHOICES, &|a, b| format!("c ? {a} : {b}"));
    check(&(text + "}"));
}

#[test]
fn truth_values_are_turned_round_by_both_nots() {
    check(
        "void f(bool b, bool3 v, int i, uint16_t u) {
            let c = ~b; //: ~b : bool
            let d = !b; //: !b : bool
            let e = ~v; //: ~v : bool3
            let g = ~u; //: ~u : uint16_t
            let h = !i; //: !i : bool
            let j = -b; //: -b : int
        }",
    );
}

/// As slangc: to the scalar that conforms at the least cost, if that costs less than a conversion that is warned of.
#[test]
fn arguments_become_the_scalars_that_functions_are_for() {
    check(
        "void f(bool b, uint u, int i, uint16_t us) {
            let c = abs(b); //: abs(b) : int
            let d = max(b, b); //: max(b, b) : bool
            let e = sqrt(i); //: sqrt(i) : float
            let g = sign(u); //: sign(u) : int
            let h = sign(us); //: sign(us) : int
            let j = floor(b); //! E39999 floor
        }",
    );
}

/// E30082 where a function or an operator takes a `double`, not where a variable is one.
#[test]
fn floats_that_operators_make_doubles_are_warned_of() {
    check(
        "double f(float x, double d) {
            double a = x;
            let b = x * d; //! E30082 implicit conversion from 'float' to 'double'
            let c = d < x; //! E30082 'float'
            let e = pow(d, x); //! E30082 'float'
            let g = d * 1.5;
            let h = d * -1.5f;
            let j = d * double(x);
            double k = d;
            k += x; //! E30082 'float'
            return x;
        }",
    );
}

#[test]
fn vectors_and_scalars_work_component_by_component() {
    check(
        "void f(float3 v, float s, int3 i, float3x3 m) {
            let a = v * 2; //: v * 2 : float3
            let b = s + v; //: s + v : float3
            let c = v * i; //: v * i : float3
            let d = v > 0; //: v > 0 : bool3
            let e = m * 2.0; //: m * 2.0 : float3x3
            let g = -v; //: -v : float3
            let h = !d; //: !d : bool3
            let j = d && d; //: d && d : bool3
        }",
    );
}

#[test]
fn vectors_of_different_lengths_do_not_mix() {
    check(
        "void f(float4 a, float3 b, float3x3 m) {
            let c = a + b; //! E39999 no overload for '+' applicable to arguments of type (float4, float3)
            float3 d = a; //! E30019 expected an expression of type 'float3', got 'float4'
            b *= m; //! E30019 expected an expression of type 'float3', got 'float3x3'
        }",
    );
}

#[test]
fn implicit_conversions_that_lose_something_are_warned_about() {
    check(
        "void f(float x, int i) {
            int a = x; //! E30081 implicit conversion from 'float' to 'int' is not recommended
            float b = i;
            uint c = -1;
            half d = x; //! E30081 implicit conversion from 'float' to 'half'
            bool e = i; //! E30081 implicit conversion from 'int' to 'bool'
        }",
    );
}

/// Conditions and positions are those of slangc.
#[test]
fn truth_values_and_numbers_are_warned_of_but_for_bool_to_integer() {
    check(
        "void f(int i, float x, double d, bool b, bool2 v, int2 w) {
            bool a = x; //! E30081 implicit conversion from 'float' to 'bool'
            bool c = 1; //! E30081 implicit conversion from 'int' to 'bool'
            bool2 e = w; //! E30081 implicit conversion from 'int2' to 'bool2'
            float g = b; //! E30081 implicit conversion from 'bool' to 'float'
            half h = b; //! E30081 implicit conversion from 'bool' to 'half'
            float2 j = v; //! E30081 implicit conversion from 'bool2' to 'float2'
            int k = b;
            uint l = b;
            uint8_t m = b;
            int2 n = v;
            if (i) {} //! E30081 implicit conversion from 'int' to 'bool'
            bool o = bool(i) && b;
            float p = float(b);
        }",
    );
}

#[test]
fn constants_that_a_type_holds_lose_nothing() {
    check(
        "static const int FIVE = 5;
        void f(int i, uint8_t u) {
            half a = 1;
            half b = -1;
            half c = 2 + 3;
            half d = FIVE;
            half e = 2048;
            half g = 2049; //! E30081 implicit conversion from 'int' to 'half'
            half h = i; //! E30081 implicit conversion from 'int' to 'half'
            half j = u; //! E30081 implicit conversion from 'uint8_t' to 'half'
            half k = 1.5; //! E30081 implicit conversion from 'float' to 'half'
            half2 l = 1; //! E30081 implicit conversion from 'int' to 'half2'
            half2 m = half2(1, 2);
            int8_t n = 3 + 4;
            half o = a * 2;
        }",
    );
}

/// As in slangc, which has other names for what a bound promises (`x.toInt()`).
#[test]
fn type_parameters_become_no_numbers_by_casts() {
    check(
        "int a<T : IFloat>(T x) { return int(x); } //! E30019 'T'
        float b<T : IInteger>(T x) { return float(x); } //! E30019 'T'
        float2 c<T : IArithmetic>(T x) { return float2(x); } //! E30019 'T'
        int d<T : __BuiltinIntegerType>(T x) { return int(x); } //! E30019 'T'
        int e<T : __EnumType>(T x) { return int(x); }
        T g<T : IFloat>(float x) { return T(x); }
        T h<T : ILogical>(int x) { return T(x); }
        int j<T : IInteger>(T x) { return x.toInt(); }
        int2 k<T : __BuiltinIntegerType>(vector<T, 2> x) { return int2(x); }
        vector<T, 2> l<T : IFloat>(vector<T, 4> x) { return (vector<T, 2>)x; } //! E30019 'vector<T, 4>' cannot be converted",
    );
}

#[test]
fn what_does_not_convert_is_an_error() {
    check(
        "struct S { float a; }
        enum E { A, B }
        void f(S s, float4 v) {
            float a = s; //! E30019 expected an expression of type 'float', got 'S'
            bool b = v; //! E30019 expected an expression of type 'bool', got 'float4'
            if (s) {} //! E30019 expected an expression of type 'bool', got 'S'
            E e = 1; //! E30019 expected an expression of type 'E', got 'int'
            int i = E.A;
            E g = (E)1; //: (E)1 : E
            let h = s + s; //! E39999 no overload for '+' applicable to arguments of type (S, S)
        }",
    );
}

#[test]
fn operators_of_the_program_are_found() {
    check(
        "struct Complex { float re; float im; }
        Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
        Complex operator-(Complex a) { return {-a.re, -a.im}; }
        bool operator==(Complex a, Complex b) { return a.re == b.re; }
        void f(Complex a, Complex b) {
            let c = a + b; //: a + b : Complex
            let d = -a; //: -a : Complex
            let e = a == b; //: a == b : bool
            a += b; //! E39999 no overload for '+=' applicable to arguments of type (Complex, Complex)
            let g = a * b; //! E39999 no overload for '*'
        }",
    );
}

#[test]
fn conditional_expressions_join_their_arms() {
    check(
        "void f(bool c, float x, int i, float3 v, bool3 m) {
            let a = c ? x : i; //: c ? x : i : float
            let b = c ? 1 : x; //: c ? 1 : x : float
            let d = c ? v : 0; //: c ? v : 0 : float3
            let e = m ? v : v; //: m ? v : v : float3
        }",
    );
}

#[test]
fn optionals_hold_values_or_none() {
    check(
        "Optional<float> maybe(bool c) { if (c) return 1.0; return none; }
        void f() {
            Optional<int> a = none;
            Optional<float> b = 1.0;
            Optional<float> whole = 1; //! E30019 expected an expression of type 'Optional<float>', got 'int'
            let c = b.value; //: b.value : float
            let d = b.hasValue; //: b.hasValue : bool
            if (let e = maybe(true)) { float g = e; }
            let h = b == none; //: b == none : bool
        }",
    );
}

#[test]
fn extensions_add_constructors_to_numbers() {
    check(
        "struct Angle { float degrees; }
        extension float { __init(Angle angle) { this = angle.degrees; } }
        extension float2 { __init(Angle from, Angle to) { this = float2(from.degrees, to.degrees); } }
        void f(Angle angle, BFloat16 small) {
            let a = float(angle); //: float(angle) : float
            let b = float2(angle, angle); //: float2(angle, angle) : float2
            let c = float(small); //: float(small) : float
            let d = double(1); //: double(1) : double
        }",
    );
}

#[test]
fn a_name_in_parentheses_is_a_cast_if_it_is_a_type() {
    check(
        "struct S {
            enum E { X, Y }
            typedef int Number;
            static int value = 3;
            static int twice(int a) { return 2 * a; }
            static int sum(int a, int b) { return a + b; }
        }
        void f(float x) {
            int a = (S::twice)(2) + (S.sum)(1, 2); //: (S::twice)(2) : int
            int b = (S::Number)(x); //: (S::Number)(x) : int
            S.E c = (S::E) + 1; //: (S::E) + 1 : S.E
            int d = (S::value) + 1; //: (S::value) + 1 : int
            int e = (S::value) - 1 * a; //: (S::value) - 1 * a : int
            float g = (f)(x); //! E30019 got 'void'
            S.Number h = (S::Number) - x; //: (S::Number) - x : int
            float2 v = (float2)(1, x); //: (float2)(1, x) : float2
        }",
    );
}

#[test]
fn implicit_constructors_may_be_generic() {
    check(
        "struct Box {
            float v;
            __implicit_conversion __init<T : __BuiltinFloatingPointType>(T a) { v = __realCast<float>(a); }
        }
        Optional<float> maybe(Conditional<float, true> a, Conditional<int, false> b) {
            Box c = 2.0h;
            Box d = 2; //! E30019 expected an expression of type 'Box', got 'int'
            Optional<float> e = b; //! E30019 expected an expression of type 'Optional<float>'
            return a;
        }",
    );
}

#[test]
fn an_object_that_can_be_called_is_a_function() {
    check(
        "struct Add : IFunc<float, int> { float by; float operator()(int a) { return a + by; } }
        float apply(functype(int) -> float f) { return f(1); }
        vector<float, N> generic<let N : int>(functype() -> vector<float, N> f) { return f(); }
        void f(Add add) {
            let a = apply(add); //: apply(add) : float
            let b = add.operator()(2); //: add.operator()(2) : float
            let c = generic(() => 2); //: generic(() => 2) : float1
            let d = generic(() => float3(1)); //: generic(() => float3(1)) : float3
            apply(1); //! E30019 expected an expression of type 'functype (int) -> float', got 'int'
        }",
    );
}

#[test]
fn differentiable_functions_are_functions() {
    check(
        "struct D : IDifferentiableFunc<float, float> {
            [Differentiable] float operator()(float a) { return a * a; }
        }
        float plain(IFunc<float, float> f) { return f(1.0); }
        float mutating(IMutatingFunc<float, float> f) { return f(1.0); }
        float both(IDifferentiableMutatingFunc<float, float> f) { return f(1.0); }
        float all(D d) { return plain(d) + mutating(d) + both(d); }",
    );
}

#[test]
fn a_truth_value_is_an_int_rather_than_another_integer() {
    check(
        "int f(int x) { return 0; } float f(uint x) { return 0; }
        int g(uint x) { return 0; } float g(int64_t x) { return 0; }
        void all(bool b) {
            let a = f(b); //: f(b) : int
            let c = g(b); //: g(b) : int
        }",
    );
}

#[test]
fn a_scalar_fills_what_the_vectors_leave() {
    check(
        "void f(float2 p, float3 q, int i) {
            let a = float4(p, 1.0); //: float4(p, 1.0) : float4
            let b = float4(1.0, p); //: float4(1.0, p) : float4
            let c = float4(i, p); //: float4(i, p) : float4
            let d = float2x2(p, 1.0); //: float2x2(p, 1.0) : float2x2
            let e = float3x3(1.0, 2.0, 3.0); //: float3x3(1.0, 2.0, 3.0) : float3x3
            let g = float3(i, i); //! E39999 no overload for 'float3'
            let h = float4(q); //! E30019 cannot be converted
            let j = float4(q, p, 1.0); //! E39999 no overload for 'float4'
            let k = float2x2(1.0, 2.0, 3.0); //! E39999 no overload for 'float2x2'
        }",
    );
}

#[test]
fn an_array_without_a_length_is_as_long_as_what_it_is_made_of() {
    check(
        "static float2 positions[3] = float2[](float2(0.0), float2(1.0), float2(2.0));
        void f() {
            let a = float[](1, 2.0); //: float[](1, 2.0) : float[2]
            float b[] = float[](1.0, 2.0, 3.0);
            float c[4] = float[](1.0, 2.0, 3.0); //! E30019 expected an expression of type 'float[4]', got 'float[3]'
        }",
    );
}

/// As slangc's core library has them: the second operand is taken in the type of the first.
#[test]
fn compound_assignments_take_their_operand_in_the_type_of_what_they_assign() {
    check_all_of(
        &[30081],
        "struct C { float a; }
        C operator+(C a, C b) { return { a.a + b.a }; }
        enum E : uint { A, B }
        void numbers(int i, uint u, half h, float x, float3 v, int2 w) {
            i *= 2.5; //! E30081 'float' to 'int'
            i /= u;
            u -= i;
            u |= 2.5; //! E30081 'float' to 'uint'
            h += 1.5; //! E30081 'float' to 'half'
            v *= 2u;
            v += int3(1, 2, 3);
            v += double3(1, 2, 3); //! E30081 'double3' to 'float3'
            w.yx *= 1.5; //! E30081 'float' to 'int'
            x += v; //! E30019 expected an expression of type 'float', got 'float3'
            x <<= 1; //! E39999 no overload for '<<='
            u <<= 2.5; //! E39999 no overload for '<<='
            u = u << 2.5; //! E39999 works on the bits of integers
            i >>= u;
            i += E.B; //! E39999 no overload for '+='
        }
        void truth(bool b) {
            b &= 1; //! E30081 'int' to 'bool'
            b += 1; //! E39999 no overload for '+='
            b *= true; //! E39999 no overload for '*='
            b ^= true;
        }
        void others(C c, E e, float* p) {
            c += c; //! E39999 no overload for '+='
            e |= E.B;
            e += 1; //! E39999 no overload for '+='
            p += 1; //! E39999 no overload for '+='
        }
        T builtin<T : __BuiltinIntegerType>(T a, T b) { a += b; a |= b; a <<= b; a <<= 1; return a; }
        T interfaces<T : IFloat>(T a, T b) { a += b; return a; } //! E39999 no overload for '+='
        T bits<T : IInteger>(T a, T b) { a |= b; return a; }
        vector<T, N> several<T : __BuiltinFloatingPointType, let N : int>(vector<T, N> a, T c) { a *= c; return a; }",
    );
}

/// The wider of two types is taken only where the call leaves the type open.
#[test]
fn arguments_convert_to_generic_arguments_that_are_written() {
    check_all_of(
        &[30081],
        "T sum<T : IArithmetic, let N : int>(T v[N]) { return v[0]; }
        T larger<T : IArithmetic>(T a, T b) { return b; }
        void f(float v[2], int n, float x) {
            let a = sum<int>(v); //! E30019 expected an expression of type 'int[2]', got 'float[2]'
            let b = larger(n, x); //: larger(n, x) : float
            let c = larger<float>(n, x); //: larger<float>(n, x) : float
            let d = larger<int>(n, x); //! E30081 'float' to 'int'
        }",
    );
}

#[test]
fn a_case_is_a_number_of_its_own_type() {
    check(
        "enum E { A, B }
        enum class F : uint { A, B }
        int takes(int x) { return x; }
        void f(E e, F f)
        {
            int a = e;
            uint b = f;
            bool c = e;
            float d = e; //! E30019 expected an expression of type 'float', got 'E'
            uint g = e; //! E30019 expected an expression of type 'uint', got 'E'
            takes(f); //! E30019 expected an expression of type 'int', got 'F'
            int h[3];
            h[e] = 1;
            h[f] = 2;
            int i = 1 + e;
            float j = float(e);
            bool k = e == 1;
            int l = int(f);
        }",
    );
}

/// slangc 2026.14.1 says each of these.
#[test]
fn the_only_argument_of_a_constructor_may_be_converted_for_it() {
    check(
        "struct A { float x; __init(float v) { x = v; } }
        struct Alone { A a; }
        struct First { A a; int z; }
        struct Defaulted { A a; int z = 1; __init(A a, int k = 2) { this.a = a; z = k; } }
        struct Other { float x; __init(float v) { x = v; } }
        struct Either { A a; __init(A a) { this.a = a; } __init(Other a) { this.a = A(1.0); } }
        struct Scale<T : __BuiltinFloatingPointType> { T r; __init(T v) { r = v; } __init(T v, T w) { r = v; } }
        struct Plain<T : __BuiltinFloatingPointType> { T r; T i; }
        struct Holder<T> { T a; __init(T b) { a = b; } }
        enum E { a }
        struct OfCase { E e; __init(E e) { this.e = e; } }
        struct OfPointer { uint* p; __init(uint* v) { p = v; } }
        struct OfVector { int2 v; __init(int2 v) { this.v = v; } }
        float f(float v) { return Alone(v).a.x + First(v).a.x + Defaulted(v).a.x + ((Defaulted)v).a.x; }
        Holder<A> g(float v) { return Holder<A>(v); }
        T h<T : __BuiltinFloatingPointType>(int k) { return Scale<T>(k).r + Scale<T>(0.5).r + ((Scale<T>)k).r + Plain<T>(1).r; }
        OfCase i(int k) { return OfCase(k); }
        OfPointer j(uint64_t k) { return OfPointer(k); }
        A k(double v) { return A(v); }
        Either l(float v) { return Either(v); } //! E39999 no overload
        OfVector m(float3 v) { return OfVector(v); } //! E30019 expected an expression of type 'int2'
        Defaulted n(int v) { return Defaulted(v); } //! E30019 expected an expression of type 'A'
        Scale<T> o<T : __BuiltinFloatingPointType>() { return Scale<T>(0u); } //! E30019 expected an expression of type 'T'
        Scale<T> p<T : __BuiltinFloatingPointType>() { return Scale<T>(0, 1); } //! E30019 expected an expression of type 'T'
        Defaulted q(float v) { Defaulted z = { v }; return z; } //! E30019 expected an expression of type 'A'
        void take(Defaulted v) {}
        void r(float v) { take(v); } //! E30019 expected an expression of type 'Defaulted'
        struct Pair { int x; float y; }
        struct Within { Pair p; }
        Pair s(int k, Pair p) { return k > 1 ? (Pair)k : (Pair)p; }
        Within t(Pair p) { return (Within)p; }
        Pair u() { return (Pair)0; }
        A v() { return (A)0; } //! E30513 made by its constructors",
    );
}

/// As many as the array has, however many that are.
#[test]
fn long_arrays_are_listed_whole() {
    let listed = |length: usize, elements: usize| {
        let elements = vec!["1"; elements].join(",");
        format!("static const float a[{length}] = {{ {elements} }};")
    };
    check(&listed(65_537, 65_537));
    check(&listed(70_000, 3));
    check(&format!("{} //! E30523 expected 65537, got 65538", listed(65_537, 65_538)));
}
