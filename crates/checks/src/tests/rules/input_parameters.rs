//! Methods that change copies of arguments.

use crate::tests::check;

#[test]
fn methods_change_what_the_caller_sees() {
    // The places are slangc's.
    check(
        "interface IM { [mutating] void go(); }
        struct S { int x; [mutating] void inc() { x = x + 1; } int get() { return x; } }
        struct T {
            S s; S a[3];
            void g(S s) { s.inc(); } //! E30068 'inc' changes the copy of the argument that 's' is
            [mutating] void h() { s.inc(); a[1].inc(); }
        }
        void whole(S s) { s.inc(); s.get(); } //! E30068 'inc' changes the copy
        void parts(T t) { t.s.inc(); t.a[1].inc(); }
        void elements(S s[2]) { s[0].inc(); } //! E30068 'inc' changes the copy
        void seen(inout T t, out S o) { o.x = 1; t.s.inc(); o.inc(); }
        void local(S s) { S l = s; l.inc(); }
        void generic<Q : IM>(Q q) { q.go(); }
        void pointer(S* p) { p.inc(); }
        void said(in S s) { s.inc(); } //! E30068 'inc' changes the copy",
    );
}
