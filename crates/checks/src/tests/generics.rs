//! Generic functions and types, packs, extensions, associated types.

use super::check;

#[test]
fn sizes_are_deduced_where_elements_are_converted() {
    check(
        "int a<let N : int>(vector<uint, N> v) { return N; }
        int b<let R : int, let C : int>(matrix<float, R, C> m) { return R; }
        uint c<let N : int>(vector<uint, N> v) { return 1; }
        float c<let N : int>(vector<float, N> v) { return 2; }
        bool d<let N : int>(vector<float, N> v, vector<float, N> w) { return true; }
        void f(int3 v, int2x3 m, half2 h) {
            a(v); //: a(v) : int
            b(m); //: b(m) : int
            c(v); //: c(v) : uint
            c(h); //: c(h) : float
            d(v, h); //! E30019 expected an expression of type 'float3', got 'half2'
        }",
    );
}

#[test]
fn arguments_are_deduced_through_vectors_arrays_and_conversions() {
    check(
        "T first<T, let N : int>(T a[N]) { return a[0]; }
        vector<T, N> twice<T : __BuiltinArithmeticType, let N : int>(vector<T, N> v) { return v + v; }
        T same<T>(T a, T b) { return a; }
        struct Box<T> { T value; T get() { return value; } }
        T unbox<T>(Box<T> b) { return b.value; }
        int count<let N : int>(float a[N]) { return N; }
        void f(float3 v, Box<int> b) {
            float a[4] = {1, 2, 3, 4};
            let x = first(a); //: first(a) : float
            let y = twice(v); //: twice(v) : float3
            let z = same(1, 2.0); //: same(1, 2.0) : float
            let w = unbox(b); //: unbox(b) : int
            let g = b.get(); //: b.get() : int
            let h = same<float>(1, 2); //: same<float>(1, 2) : float
            let i = count(a); //: count(a) : int
            let j = Box<float3>(v).value.x; //: Box<float3>(v) : Box<float3>
            twice(b); //! E39999 could not deduce generic argument 'T' of 'twice'
        }",
    );
}

#[test]
fn bounds_are_checked_and_used() {
    check(
        "interface IShape { float area(); static int sides(); }
        struct Square : IShape { float a; float area() { return a * a; } static int sides() { return 4; } }
        struct Other {}
        float total<T : IShape>(T a) { return a.area() + T.sides(); }
        void f(Square s, Other o) {
            let x = total(s); //: total(s) : float
            total(o); //! E38029 type argument 'Other' does not conform to the required interface 'IShape'
            total(1.0); //! E38029 type argument 'float' does not conform to the required interface 'IShape'
        }
        void g<T>(T a) { a.area(); } //! E30027 'area' is not a member of 'T'",
    );
}

#[test]
fn associated_types_resolve_and_stay_symbolic() {
    check(
        "interface IContainer { associatedtype Element; Element get(int i); }
        struct Floats : IContainer { typealias Element = float; float get(int i) { return 1; } }
        struct Twice<C : IContainer> : IContainer { C inner; typealias Element = C.Element; C.Element get(int i) { return inner.get(i); } }
        T.Element first<T : IContainer>(T c) { return c.get(0); } //: c.get(0) : T.Element
        void f(Floats a, Twice<Floats> b) {
            let x = first(a); //: first(a) : float
            let y = first(b); //: first(b) : float
            Twice<Twice<Floats>>.Element z = 1;
            let w = z; //: z : float
        }
        float only<T : IContainer>(T c) where T.Element == float { return c.get(0); }",
    );
}

#[test]
fn extensions_add_members_and_conformances() {
    check(
        "interface INamed { int id(); }
        extension float : INamed { int id() { return 1; } }
        extension<T : INamed, let N : int> vector<T, N> : INamed { int id() { return N; } }
        interface IMore { int more(); }
        extension<T : INamed> T : IMore { int more() { return this.id() + 1; } }
        extension INamed { int helper() { return id() * 2; } } //! E30852 cannot extend interface type 'INamed'
        struct S { int x; }
        extension S { int added() { return x; } static S zero() { return {0}; } }
        int use<T : IMore>(T t) { return t.more(); }
        void f(float a, float3 v, S s, int i) {
            let x = a.id() + v.id(); //: v.id() : int
            let y = use(v); //: use(v) : int
            let z = a.helper(); //: a.helper() : int
            let w = s.added() + S.zero().x; //: S.zero() : S
            use(s); //! E38029 type argument 'S' does not conform
        }",
    );
}

#[test]
fn value_parameters_compute() {
    check(
        "struct Grid<let W : int, let H : int> { float cells[W * H]; static const int area = W * H; }
        Grid<W, H + 1> grow<let W : int, let H : int>(Grid<W, H> g) { Grid<W, H + 1> r; return r; }
        void f(Grid<2, 3> g) {
            let c = g.cells; //: g.cells : float[6]
            let h = grow(g); //: grow(g) : Grid<2, 4>
            let i = h.cells; //: h.cells : float[8]
        }
        void g() { Grid<2> a; } //! E30441 generic type 'Grid' needs 2 arguments, got 1",
    );
}

#[test]
fn packs_expand() {
    check(
        "int count<each T>(expand each T values) { return countof(T); }
        void all<each T>(expand each T values) { count(expand each values); }
        T head<T, each R>(T first, expand each R rest) { return first; }
        void f() {
            let a = count(); //: count() : int
            let b = count(1, 2.0, true); //: count(1, 2.0, true) : int
            let c = head(1.5, 2, 3); //: head(1.5, 2, 3) : float
            all(1, 2);
        }",
    );
}

#[test]
fn type_parameters_with_arithmetic_bounds_compute() {
    check(
        "T poly<T : __BuiltinFloatingPointType>(T x) { return x * x + T(2) * x - T(1.0); } //: x * x : T
        T literal<T : __BuiltinFloatingPointType>(T x) { return x * 2.0; } //! E39999 no overload for '*' applicable to arguments of type (T, float)
        vector<T, N> scale<T : __BuiltinFloatingPointType, let N : int>(vector<T, N> v, T s) { return v * s; } //: v * s : vector<T, N>
        T add<T : IArithmetic>(T a, T b) { return a + b; } //: a + b : T
        bool less<T : IComparable>(T a, T b) { return a.lessThan(b); }
        T bad<T>(T a, T b) { return a + b; } //! E39999 no overload for '+' applicable to arguments of type (T, T)",
    );
}

#[test]
fn a_parameter_that_is_equal_to_a_type_is_that_type() {
    check(
        "int f<T>(T v) where T == int { return v + 1; }
        T g<T, U>(T v, U u) where T == U { return u; }
        int all<each T>(T v) where T == int {
            int sum = 0;
            expand add(sum, each v); //: each v : int
            return sum;
        }
        void add(inout int a, int b) { a += b; }
        void use() {
            let a = f(2); //: f(2) : int
            let b = g(1, 2); //: g(1, 2) : int
            let c = all(1, 2, 3); //: all(1, 2, 3) : int
            f<float>(2.5f); //! E30440 'float' must be the same type as 'int'
            g(1, 2.5f); //! E30440 'int' must be the same type as 'float'
            g(1, 2u); //! E30440 'int' must be the same type as 'uint'
        }",
    );
}

#[test]
fn equal_associated_types_are_the_one_with_the_shorter_path() {
    check(
        "interface INode { associatedtype Next : INode; Next next(); int value(); }
        interface IList { associatedtype Head : INode; Head head(); }
        interface ILoop : IList { __constraint Head == Head.Next; }
        T.Head second<T : ILoop>(T list) {
            return list.head().next().next();
        }
        int third<T : IList>(T list) where T.Head.Next == T.Head {
            return list.head().next().value();
        }",
    );
}

#[test]
fn the_tag_of_an_enum_is_its_integer_type() {
    check(
        "enum Small : uint8_t { A, B }
        enum Plain { C }
        interface IValue { uint value(); }
        extension int : IValue { uint value() { return 1; } }
        extension<T : __EnumType> T : IValue where T.__Tag : IValue {
            uint value() { return __slang_noop_cast<T.__Tag>(this).value(); }
        }
        uint of(IValue v) { return v.value(); }
        void f() {
            Small.__Tag a = 3;
            let b = a; //: a : uint8_t
            of(Plain.C);
            of(Small.A); //! E30019 expected an expression of type 'IValue', got 'Small'
        }",
    );
}

#[test]
fn texels_are_made_of_their_elements() {
    check(
        "bool f<T>(Texture2D<T> t) where T : ITexelElement, IArithmetic {
            let zero = T(T.Element(0)); //: T(T.Element(0)) : T
            return zero == t.Load(int3(0));
        }
        void g(Texture2D<float> a, Texture2D<int4> b) {
            f(a);
            f(b);
        }",
    );
}

#[test]
fn written_arguments_choose_among_functions_by_their_kind() {
    check(
        "T det<T : __BuiltinFloatingPointType>(vector<T, 3> a, vector<T, 3> b, vector<T, 3> c) {
            return dot<T>(cross<T>(a, b), c); //: dot<T>(cross<T>(a, b), c) : T
        }
        float pick<let N : int>(float x) { return x * N; }
        int pick<T : IFloat>(T x) { return 1; }
        static const int n = 3;
        void f(float3 a, double3 d) {
            let x = dot<float>(a, a); //: dot<float>(a, a) : float
            let y = length<double>(d); //: length<double>(d) : double
            let z = pick<n>(1.0); //: pick<n>(1.0) : float
            let w = pick<float>(1.0); //: pick<float>(1.0) : int
        }",
    );
}

#[test]
fn a_number_is_no_case_of_an_enum() {
    check(
        "enum Layout { Rows, Columns }
        int load<let layout : Layout>(int x) { return x; }
        int both<let layout : Layout>(int x) { return x; }
        int both<let a : uint, let b : uint>(int x) { return x; }
        struct Matrix<let layout : Layout> { float a; }
        void f(Matrix<Layout.Rows> good, Matrix<1> bad) { //! E30019 expected an expression of type 'Layout', got 'int'
            load<Layout.Columns>(1);
            load<0>(1); //! E30019 expected an expression of type 'Layout', got 'int'
            both<Layout.Rows>(1);
            both<1, 2>(1);
        }",
    );
}

/// slangc's verdicts.
#[test]
fn constants_that_interfaces_ask_for_are_lengths() {
    check(
        "interface I { static const int K; }
        struct S : I { static const int K = 3; }
        float[T.K] make<T : I>() { float a[T.K]; for (int i = 0; i < T.K; i++) a[i] = 1; return a; }
        float f() { float b[3] = make<S>(); return b[0]; }
        float g() { float b[2] = make<S>(); return b[0]; } //! E30019 'float[2]'
        int count<let N : int>(float a[N]) { return N; }
        int h<T : I>() { return count(make<T>()); }
        int k<T : I>(float a[T.K]) { return count<3>(a); } //! E30019 'float[3]'",
    );
}

#[test]
fn only_numbers_of_the_core_library_are_counted_and_shifted() {
    check(
        "T a<T : IInteger>(T x) { x++; return x; } //! E39999 no overload for '++'
        T b<T : IArithmetic>(T x) { return --x; } //! E39999 no overload for '--'
        T c<T : IInteger>(T x) { return x << 2; } //! E39999 no overload for '<<'
        T d<T : IInteger>(T x) { return x >> x; } //! E39999 no overload for '>>'
        T e<T : ILogical>(T x) { return x.shl(2) & ~x; }
        T f<T : __BuiltinIntegerType>(T x) { x++; return x << 1; }
        T g<T : __BuiltinFloatingPointType>(T x) { x--; return ++x; }",
    );
}
