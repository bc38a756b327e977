//! Declarations inside functions, target switches, error handling, packs of values and queries of packs, tuples.

use super::{all_diagnostics, check, database};

#[test]
fn operands_of_assembly_are_of_the_program() {
    check(
        "uint add(uint a, uint b) {
            uint c = spirv_asm { result:$$uint = OpIAdd $a $c; }; //! E30015 c
            uint d = spirv_asm { result:$$uint = OpIAdd $a $q; }; //! E30015 q
            uint e = spirv_asm { OpIAdd $a $b; }; //! E30019 void
            uint g = spirv_asm { result:$$uintt = OpIAdd $a $b; }; //! E30015 uintt
            Texture2D h = spirv_asm { OpIAdd $$uint result $a $b }; //! E30019 uint
            spirv_asm { OpStore &d $a; };
            return spirv_asm { %x : $$uint = OpIAdd $a $(b + 1); result:$$uint = OpIAdd %x $d; };
        }",
    );
}

#[test]
fn types_and_functions_are_declared_inside_functions() {
    check(
        "float f<T : IFloat>(T given) {
            struct Pair { T a; int b; int twice() { return b * 2; } }
            typedef float Real;
            enum Kind { One, Two } //! E30102 enum is not allowed here
            int triple(int x) { return x * 3; } //! E30102 function is not allowed here
            struct { int x; } nameless;
            Pair p;
            p.a = given;
            Real r = nameless.x;
            Kind k = Kind.Two;
            let t = p.twice(); //: p.twice() : int
            let g = p.a; //: p.a : T
            let u = triple(t); //: triple(t) : int
            p.c = 1; //! E30027 'c' is not a member of 'Pair
            return r;
        }
        Pair g() { } //! E30015 undefined identifier 'Pair'",
    );
}

#[test]
fn typedef_declares_a_type_and_names_for_it() {
    check(
        "typedef struct { int x; } Unnamed;
        typedef struct Named { float y; } Alias;
        typedef enum { First, Second } Choice;
        typedef enum Kind : uint { K0, K1 } OtherKind;
        namespace N { typedef struct { int w; } Inner; }
        int f(Unnamed a, Named b, Alias c, Choice e, OtherKind k, N::Inner i)
        {
            Named same = c;
            let t = same.y; //: same.y : float
            int wrong = a.y; //! E30027 'y' is not a member
            Kind kind = k;
            return a.x + int(e) + int(kind) + i.w;
        }
        int g()
        {
            typedef struct { int q; } Local;
            typedef struct Other { int r; } Another;
            Local v;
            Another w;
            Other same = w;
            return v.q + same.r; //: v.q : int
        }",
    );
}

/// As slangc: the last element of a list may have a comma behind it, but between two commas there is one.
#[test]
fn lists_have_an_element_between_commas() {
    for (valid, invalid) in [
        ("int f(int a,) { return a; }", "int f(, int a) { return a; }"),
        (
            "int g(int a) { return a; } int f(int a) { return g(a,); }",
            "int g(int a) { return a; } int f(int a) { return g(,a); }",
        ),
        ("static const int x[2] = { 1, 2, };", "static const int x[2] = { 1, , 2 };"),
        ("enum E { A, B, }", "enum E { A, , B }"),
        ("enum E { A }", "enum E { , A }"),
        ("T f<T,>(T x) { return x; }", "T f<,T>(T x) { return x; }"),
        ("Tuple<int, int> f() { return makeTuple(1, 2); }", "Tuple<int, , int> f() { return makeTuple(1, 2); }"),
        ("[numthreads(1, 1, 1)] void f() {}", "[numthreads(1, , 1)] void f() {}"),
        ("[ForceInline] void f() {}", "[ForceInline,] void f() {}"),
        ("[ForceInline] void f() {}", "[ ] void f() {}"),
        ("void f() {}", "void f(,) {}"),
        ("Texture2D t : register(t0);", "Texture2D t : register();"),
    ] {
        let codes = |text: &str| {
            let (db, _, file) = database(text);
            all_diagnostics(&db, file, text).iter().map(|found| found.code).collect::<Vec<_>>()
        };
        assert!(codes(valid).is_empty(), "{valid}");
        assert!(codes(invalid).contains(&20001), "{invalid}");
    }
}

#[test]
fn all_arms_of_a_target_switch_are_checked() {
    check(
        "float f(float x) {
            __target_switch {
            case cpp:
            case cuda: __intrinsic_asm \"f($0)\";
            case spirv: return spirv_asm { OpExtInst $$float result glsl450 27 $x };
            default: return x;
            }
        }
        float g(float x) {
            __stage_switch {
            case fragment: return x + 1;
            default: return y; //! E30015 undefined identifier 'y'
            }
        }",
    );
}

#[test]
fn errors_are_thrown_and_caught() {
    check(
        "enum MathError { Negative, Huge }
        float root(float x) throws MathError {
            if (x < 0) throw MathError.Negative;
            return sqrt(x);
        }
        float f(float x) {
            do {
                let a = try root(x); //: try root(x) : float
                try root(a);
                return a;
            } catch (err : MathError) {
                let e = err; //: err : MathError
                return e == MathError.Huge ? 1.0 : 0.0;
            }
        }
        float g(float x) {
            do { return try root(x); } catch (err : Missing) { return 0; } //! E30015 undefined identifier 'Missing'
        }",
    );
}

#[test]
fn packs_of_values_are_written_and_forwarded() {
    check(
        "struct Shape<let each D : int> { int count() { return countof(D); } }
        Shape<A, expand (each B) + 1> join<let each A : int, let each B : int>() { return Shape<A, expand (each B) + 1>(); }
        int rank<let each D : int>(Shape<D> s) { return countof(D); }
        void f() {
            let a = join<1, 2, 3, 4>(); //: join<1, 2, 3, 4>() : Shape<1, 2, 4, 5>
            let b = rank(a); //: rank(a) : int
            Shape<2, 3> c = a; //! E30019 expected an expression of type 'Shape<2, 3>'
        }",
    );
}

#[test]
fn queries_of_packs_wait_until_the_pack_is_known() {
    check(
        "int first<let each D : int>() where nonempty(D) { return __first(D); } //: __first(D) : int
        struct Leaf { typealias Result = int; }
        struct Node<H, each T> where nonempty(T) { typealias Result = H; }
        typealias Tree<H, each T> = __packBranch(T, Leaf, Node<H, T>);
        __first(T) head<each T>(expand each T values) where nonempty(T) { return __first(values); }
        void f() {
            first<4, 5>();
            first<>(); //! E30440 the pack must not be empty here
            Tree<float>.Result a = 1;
            Tree<float, half>.Result b = 2;
            let x = a; //: a : int
            let y = b; //: b : float
            let z = head(1.5, 2); //: head(1.5, 2) : float
        }",
    );
}

#[test]
fn elements_of_tuples_are_picked_and_compared() {
    check(
        "void f(Tuple<int, float, bool> t) {
            let a = t._2_0; //: t._2_0 : Tuple<bool, int>
            t._1_0 = makeTuple(3.0, 4);
            let b = t == t; //: t == t : bool
            let c = t < t; //: t < t : bool
            t._0_0 = makeTuple(1, 2); //! E30011 left of '=' is not an l-value
        }",
    );
}

#[test]
fn constraints_of_interfaces_and_parameters_of_the_program_hold() {
    check(
        "interface ICount { int count(); }
        interface IBase { associatedtype Data; Data get(); }
        interface IDerived : IBase { __constraint Data : ICount; }
        type_param TGlobal : ICount;
        __generic_value_param LIMIT : int = 3;
        int total<T : IDerived>(T t, TGlobal g) { return t.get().count() + g.count() + LIMIT; } //: t.get().count() : int
        int wrong<T : IBase>(T t) { return t.get().count(); } //! E30027 'count' is not a member of 'T.Data'",
    );
}

#[test]
fn a_setter_may_name_its_value_alone() {
    check(
        "struct Cell { int data; property value : int { get { return data; } set(v) { data = v; } } }
        void f() { Cell c; c.value = 3; }
        struct Wrong { property value : int { get { return 1; } set(v) { w = v; } } } //! E30015 undefined identifier 'w'",
    );
}

/// Verdicts of the reference compiler.
#[test]
fn sizes_are_asked_in_layouts() {
    check(
        "int f<L, M : IBufferDataLayout>() {
            int a = sizeof(float3, L); //! E30086 'L' does not conform
            int b = sizeof(float3, 14); //! E30086 a value does not conform
            int c = alignof(float3, float); //! E30086 'float' does not conform
            return a + b + c + sizeof(float3, M) + sizeof(float3, Std430DataLayout) + alignof(float3);
        }",
    );
}

#[test]
fn attributes_follow_macros_in_capitals() {
    check(
        "#define BEGIN_SCOPE
        #define SHARED public
        BEGIN_SCOPE

        #ifdef HOST
        inline float luminance(float3 c)
        #else
        [Differentiable]
        float luminance(float3 c)
        #endif
        {
            return dot(c, float3(0.2, 0.7, 0.1));
        }
        BEGIN_SCOPE
        [Differentiable]
        float twice(float x) { return x + x; }
        SHARED
        [Differentiable]
        float half(float x) { return 0.5 * x; }
        DifferentialPair<float> f(DifferentialPair<float3> c, DifferentialPair<float> x) {
            return diffPair(fwd_diff(luminance)(c).d + fwd_diff(twice)(x).d, fwd_diff(half)(x).d);
        }",
    );
}

/// `[__ref]` hands `this` over as it is, so that it can be changed.
#[test]
fn methods_by_reference_change_their_object() {
    check(
        "struct Counter { uint hits; [__ref] void count() { uint before; InterlockedAdd(hits, 1, before); hits += 1; } }
        struct Reader { uint hits; void count() { hits += 1; } } //! E30047 must be an l-value
        groupshared Counter counter;
        void f() { counter.count(); }",
    );
}

/// Words of stages are names of structs, too.
#[test]
fn structs_are_named_as_modifiers_are() {
    check(
        "struct triangle { float a; } struct point { float a; } struct line { float a; } struct sample { float a; }
        struct linear { float a; } struct payload { float a; } struct vertices { float a; }
        struct H { triangle t; point p; line l = {}; sample s[2]; linear q, r; payload y; vertices v; }
        line made(float x) { line l = { x }; point p = { 2 }; l.a += p.a; return l; }
        float use(H h, linear float x, sample float y) { return h.t.a + h.s[1].a + h.r.a + made(x).a + y; }",
    );
}

/// As slangc: what only a constructor makes has to be given, and what stands before it.
#[test]
fn members_without_a_default_are_given() {
    check(
        "struct In { int q; __init(int q) { this.q = q; } }
        struct Opt { int q; __init() { q = 1; } __init(int q) { this.q = q; } }
        struct Def { int q; __init(int q = 3) { this.q = q; } }
        struct Box { In inner; int z; }
        struct Behind { int z; In inner; }
        struct Given { int z; In inner = In(3); Opt o; Def d; }
        struct Deep { Box b; int k; }
        struct Many { In a[2]; int k; }
        void f() {
            Box a = {}; //! E39999 not enough arguments to call (got 0, expected 1)
            Behind b = {5}; //! E39999 not enough arguments to call (got 1, expected 2)
            Behind c = {}; //! E39999 not enough arguments to call (got 0, expected 2)
            Given d = {};
            Deep e = {}; //! E39999 not enough arguments to call (got 0, expected 1)
            Many g = {}; //! E39999 not enough arguments to call (got 0, expected 1)
            In h[2] = {};
            Box i;
            Behind j = { 5, In(3) };
            Box k = Box(); //! E39999 not enough arguments to call (got 0, expected 1)
            Box l = { In(3) };
            Optional<In> m = {};
        }
        Box made() { return {}; } //! E39999 not enough arguments to call (got 0, expected 1)",
    );
}
