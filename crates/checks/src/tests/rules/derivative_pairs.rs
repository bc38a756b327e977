//! Pairs of what has no derivative. slangc says the same of each.

use crate::tests::check;

#[test]
fn pairs_of_types_without_derivative() {
    check(
        "struct Plain { float a; }
        struct Rays : IDifferentiable { float3 o; }
        interface IShape { float area(); }
        interface IMaterial : IDifferentiable { float albedo(); }
        struct Holder { DifferentialPair<int> p; } //! E38029 'int' does not conform to the required interface 'IDifferentiable'
        void plain(DifferentialPair<Plain> p) {} //! E38029 'Plain' does not conform
        DifferentialPair<uint> result(); //! E38029 'uint' does not conform
        typealias Truth = DifferentialPair<bool>; //! E38029 'bool' does not conform
        void unbound<T>(DifferentialPair<T> t) {} //! E38029 'T' does not conform
        void list(DifferentialPair<int[3]> n) {} //! E38029 'int[3]' does not conform
        void shape(DifferentialPair<IShape> n) {} //! E38029 'IShape' does not conform
        void local() { DifferentialPair<int> p; } //! E38029 'int' does not conform
        void place(DifferentialPtrPair<float> p) {} //! E38029 'float' does not conform to the required interface 'IDifferentiablePtrType'
        void bound<T : IDifferentiable>(DifferentialPair<T> t, DifferentialPair<T.Differential> d) {}
        void right(DifferentialPair<Rays> r, DifferentialPair<float2x2[3]> m, DifferentialPair<IMaterial> i) {}
        void twice(DifferentialPair<DifferentialPair<float>> p) {}
        extension<T : IDifferentiable> DifferentialPair<T> { T primal() { return this.p; } }",
    );
}

#[test]
fn generic_arguments_that_are_written_stay_what_they_are() {
    check(
        "T same<T : IDifferentiable>(T x) { return x; }
        struct Plain { float a; }
        void use(int n, Plain s) {
            let a = diffPair<int>(n); //! E38029 'int' does not conform to the required interface 'IDifferentiable'
            let b = same<int>(n); //! E38029 'int' does not conform to the required interface 'IDifferentiable'
            let c = diffPair(s); //! E38029 'Plain' does not conform to the required interface 'IDifferentiable'
            let d = diffPair(n);
            float e = same(n);
            let f = diffPair<float>(n);
        }",
    );
}
