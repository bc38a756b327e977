//! Packs: what `each` and `expand` mean, what is asked of packs, and what `where` clauses promise about them.

use super::check;

#[test]
fn expanding_a_known_tuple_passes_one_argument_per_element() {
    check(
        "
        float f(int a, float b) { return a + b; }
        int count<each T>(expand each T values) { return countof(T); }
        void g(Tuple<int, float> t) {
            f(expand each t); //: f(expand each t) : float
            count(expand each t, 1); //: count(expand each t, 1) : int
            f(expand each t, 1); //! E39999 too many arguments
        }",
    );
}

#[test]
fn an_element_of_a_tuple_of_equal_types_has_that_type() {
    check(
        "
        void add(inout float sum, float x) { sum += x; }
        float f(Tuple<float, float> t) {
            float sum = 0;
            expand add(sum, (each t) + 1.0); //: (each t) + 1.0 : float
            return sum;
        }",
    );
}

#[test]
fn expanding_a_known_tuple_in_a_type_gives_its_elements() {
    check(
        "
        struct Box<T> { T content; }
        int f(Tuple<expand each Tuple<int, float>> t) { return t._0; } //: t._0 : int
        float g(Tuple<expand Box<each Tuple<int, float>>> t) { return t._1.content; } //: t._1.content : float",
    );
}

#[test]
fn a_pack_whose_elements_are_promised_to_be_of_one_type_has_them() {
    check(
        "
        struct S { int value; }
        void add(inout int sum, int x) { sum += x; }
        int f<each T>(expand each T values) where T == S {
            int sum = 0;
            expand add(sum, (each values).value + 1); //: (each values).value : int
            return sum;
        }
        int g<each T>(expand each T values) where T == int { return f(expand S(each values)); }
        void h(S s) {
            f(s, s); //: f(s, s) : int
            f(s, 1.0); //! E30440 must be the same type
        }
        T last<T, each U>(T a, expand each U rest) where U == T {
            T m = a;
            expand m = each rest; //: each rest : T
            return m;
        }
        T largest<T : IComparable, each U>(T a, expand each U rest) where U == T {
            T m = a;
            expand m = larger(m, each rest);
            return m;
        }
        T larger<T : IComparable>(T a, T b) { return a.lessThan(b) ? b : a; }",
    );
}

#[test]
fn what_does_not_depend_on_the_element_may_be_asked_of_an_open_pack() {
    check(
        "
        int f<let each D : int>(int x) where nonempty(D) {
            return __first(expand ((each D) + x)); //: __first(expand ((each D) + x)) : int
        }
        int g() { return f<1, 2>(3); }",
    );
}

#[test]
fn elements_of_trimmed_packs_are_counted() {
    check(
        "
        int f<let each D : int>() { int a[countof(__trimFirst(D))]; return a; } //! E30019 got 'int[countof(
        static const int two = countof(__trimLast(Tuple<int, float, bool>));
        void g(int[two] a) { int[2] b = a; }",
    );
}

#[test]
fn a_pack_named_without_each_is_a_parameter_for_all_its_elements() {
    check(
        "
        interface ILoad { float load<each I>(I at) where I == int; }
        float f<L : ILoad>(L loader) { return loader.load(1, 2); } //: loader.load(1, 2) : float",
    );
}

#[test]
fn packs_side_by_side_share_the_elements_evenly() {
    check(
        "
        extension<T : __BuiltinArithmeticType, each A : __BuiltinArithmeticType, each B : __BuiltinArithmeticType>
        Tuple<T, expand each A, expand each B> {
            int lengths() { return countof(A); }
        }
        void f(Tuple<int, float, float, int, int> even, Tuple<int, float> odd) {
            even.lengths(); //: even.lengths() : int
            odd.lengths(); //! E30027 'lengths' is not a member
        }",
    );
}

#[test]
fn numbers_in_angle_brackets_choose_the_function_that_takes_numbers() {
    check(
        "
        int first<let I : int, T>(T x) { return I; }
        T first<T>(T x, T y) { return x; }
        void f() { first<3>(1.0); } //: first<3>(1.0) : int",
    );
}

#[test]
fn nothing_comes_out_of_a_pack_of_parameters() {
    check("void f<each T>(inout expand each T values) {} //! E30107 parameter pack 'values' must be 'const'");
}

/// What a requirement says of its own pack is known to what fulfils it, beside what it says of its interface's parameters.
#[test]
fn packs_of_requirements_that_equal_a_type() {
    check(
        "interface ITensor<U, let N : int> { U load<each I>(I at) where I == int where countof(I) == N; }
        struct Plane : ITensor<float, 2> { float load<each I>(I at) where I == int where countof(I) == 2 { return 1; } }
        interface IAny { int any<each I>(I at) where I == int; }
        struct Any : IAny { int any<each I>(I at) where I == int { return 1; } }
        struct Picky : IAny { int any<each I>(I at) where I == int where nonempty(I) { return 1; } } //! E38105 asks more of its generic arguments",
    );
}
