//! Who may use what.

use crate::tests::{check, check_with};

#[test]
fn what_is_private_belongs_to_a_type_and_its_extensions() {
    check(
        "struct S {
            private int secret;
            private int hidden() { return secret; }
            int own(S other) { return other.secret + other.added(); }
        }
        extension S {
            private int added() { return hidden() + secret; }
        }
        int f(S s) {
            let a = s.own(s);
            let b = s.secret; //! E30600 'secret' is not accessible from here
            let c = s.added(); //! E30600 'added' is not accessible from here
            return a;
        }",
    );
}

#[test]
fn what_is_internal_belongs_to_a_module() {
    let library = "module library;
        public struct S { public int shown; int hidden; public __init() {} __init(int a) {} }
        internal struct T { public int a; }
        public int shown() { return 1; }
        int hidden() { return 2; }
        [Differentiable] internal float slope(float x) { return x; }";
    check_with(
        &[("/library.slang", library)],
        "import library;
        int f(S s, T t) { //! E30600 'T' is not accessible from here
            let a = s.shown + shown();
            let b = s.hidden; //! E30600 'hidden' is not accessible from here
            let c = hidden(); //! E30600 'hidden' is not accessible from here
            let d = S();
            let e = S(1); //! E30600 is not accessible from here
            let g = fwd_diff(slope)(diffPair(1.0, 1.0)); //! E30600 'slope' is not accessible from here
            return a;
        }",
    );
}

/// slangc 2026.14.1 accepts each of these, in whichever order the modules are imported.
#[test]
fn what_a_module_keeps_for_itself_hides_nothing() {
    let closed = "module closed;
        static const float size = 3.0;
        float twice(float x) { return 2.0 * x; }
        float half(float x) { return x; }
        struct S { int own; }
        typealias Number = int;
        enum Mode { own }
        interface IShape {}
        namespace N { public float shown() { return 1.0; } float size; }";
    let open = "module open;
        public static const float size = 3.0;
        public float twice(float x) { return 2.0 * x; }
        public float half(int x) { return 1.0; }
        public struct S { public int shown; }
        public typealias Number = float2;
        public enum Mode { shown }
        public interface IShape { float area(); }
        public namespace N { public float size; }";
    let others = [("/closed.slang", closed), ("/open.slang", open)];
    let body = "struct Disk : IShape { float area() { return size; } }
        float f(Number n) {
            S s;
            s.shown = 1;
            Mode mode = Mode.shown;
            return size + twice(1.0) + half(1) + n.y + N::shown() + N::size + s.shown + Disk().area();
        }";
    check_with(&others, &format!("import closed; import open; {body}"));
    check_with(&others, &format!("import open; import closed; {body}"));
}

/// slangc 2026.14.1 accepts each of these.
#[test]
fn overloads_that_are_hidden_are_not_meant() {
    let library = "module library;
        public struct S {
            public float x;
            public __init(float v) { x = v; }
            __init(int v) { x = 2.0; }
            public float internally(float a) { return a; }
            float internally(int a) { return 1.0; }
            public float privately(float a) { return a; }
            private float privately(int a) { return 1.0; }
            public static float statically(float a) { return a; }
            static float statically(int a) { return 1.0; }
            public __subscript(float i) -> float { get { return i; } }
            __subscript(int i) -> float { get { return 1.0; } }
        }
        extension S { float extended(int a) { return 1.0; } }
        public extension S { public float extended(float a) { return a; } }
        public float operator +(S a, float b) { return 1.0; }
        int operator +(S a, int b) { return 1; }
        public namespace N { public float k(float a) { return a; } float k(int a) { return a; } }";
    check_with(
        &[("/library.slang", library)],
        "import library;
        float f(S s) {
            return S(1).x + s.internally(1) + s.privately(1) + S::statically(1) + s[1] + (s + 1) + N::k(1) + s.extended(1);
        }
        extension S { float later() { return internally(1) + statically(1) + extended(1); } }",
    );
}

#[test]
fn members_that_a_visible_interface_asks_for_are_visible() {
    let library = "module library;
        public interface IBase { static float base(float x); }
        public interface IShape : IBase { associatedtype Param; static float area(Param p); }
        interface IOwn { static float own(); }
        public struct Disk : IShape, IOwn {
            typealias Param = float;
            static float area(float r) { return r; }
            static float base(float x) { return x; }
            static float own() { return 1.0; }
            static float helper() { return 1.0; }
        }";
    check_with(
        &[("/library.slang", library)],
        "import library;
        void f() {
            let a = Disk::area(1.0) + Disk::base(2.0);
            Disk.Param b = 1.0;
            let c = Disk::own(); //! E30600 'own' is not accessible from here
            let d = Disk::helper(); //! E30600 'helper' is not accessible from here
        }",
    );
}

#[test]
fn modules_that_do_not_mention_visibility_are_public() {
    check_with(
        &[("/old.slang", "struct S { int a; } int f() { return 1; }")],
        "import old;
        int g(S s) { return s.a + f(); }",
    );
}

#[test]
fn signatures_show_no_hidden_types() {
    check(
        "struct Hidden { int a; }
        public struct Shown {
            public Hidden a; //! E30604 'a' references less visible type 'Hidden'
            internal Hidden b;
            public int c;
        }
        public Hidden f() { return {}; } //! E30604 'f' references less visible type 'Hidden'
        public Optional<Hidden> g() { return none; } //! E30604 'g' references less visible type 'Hidden'
        Hidden h() { return {}; }
        struct Plain {
            public int a; //! E30601 'a' cannot have a higher visibility than 'Plain'
        }",
    );
}

#[test]
fn lists_give_values_to_visible_fields() {
    check(
        "public struct S { internal int a; public int b = 0; }
        public struct T { public int a; public int b; }
        void f() {
            S s = { 1 };
            S t = { 1, 2 }; //! E39999 too many arguments
            T u = { 1, 2 };
            s = t; u = u;
        }",
    );
}

/// slangc's verdicts.
#[test]
fn a_private_member_that_a_visible_interface_asks_for_is_visible() {
    check(
        "module m;
        public interface IHash { uint hash(); }
        public struct Key : IHash { uint v; private uint hash() { return v; } private uint other() { return v; } }
        uint f(Key k) { return k.hash(); }
        uint g(Key k) { return k.other(); } //! E30600 'other'",
    );
}
