//! Variables that are read before they are written. What slangc says of the same programs was asked of slangc; where it is
//! silent (fields of one variable, parameters written on some paths), the comment says why there is a finding.

use crate::tests::check_all_of;

const CODES: &[u32] = &[41015, 41016, 41017, 41018, 41020, 41035];

#[track_caller]
fn check(text: &str) {
    check_all_of(CODES, text);
}

#[test]
fn never_written() {
    check(
        "struct Pair { float a; float b; }
        enum Kind { A, B }
        float scalar() {
            float x;
            return x; //! E41016 use of uninitialized variable 'x'
        }
        float vector() {
            float3 v;
            return v.x; //! E41016 use of uninitialized variable 'v'
        }
        float array() {
            float a[2];
            return a[0]; //! E41016 use of uninitialized variable 'a'
        }
        float whole() {
            Pair p;
            Pair q = p; //! E41016 use of uninitialized variable 'p'
            return q.a;
        }
        int changed() {
            int i;
            i++; //! E41016 use of uninitialized variable 'i'
            return i;
        }
        int kind() {
            Kind k;
            return (int)k; //! E41016 use of uninitialized variable 'k'
        }
        float tuple() {
            Tuple<float, float> t;
            return t._0; //! E41016 use of uninitialized variable 't'
        }
        float pair() {
            DifferentialPair<float> p;
            return p.p; //! E41016 use of uninitialized variable 'p'
        }
        float captured(float x) {
            float k;
            let f = (float a) => a + k; //! E41016 use of uninitialized variable 'k'
            return f(x);
        }
        float given(float x) { return x; }
        float argument() {
            float x;
            return given(x); //! E41016 use of uninitialized variable 'x'
        }
        float index() {
            float a[2] = { 1.0, 2.0 };
            int i;
            return a[i]; //! E41016 use of uninitialized variable 'i'
        }",
    );
}

#[test]
fn written_in_whatever_way() {
    check(
        "struct Pair { float a; float b; }
        struct Counter {
            int n;
            [mutating] void start() { n = 0; }
            int get() { return n; }
            property int value { get { return n; } set { n = newValue; } }
            __subscript(int i) -> int { get { return n; } set { n = newValue; } }
        }
        void give(out float x) { x = 1.0; }
        void change(inout float x) { x = 2.0; }
        float swizzle() { float3 v; v.xy = float2(1.0); v.z = 2.0; return v.z; }
        float row() { float2x2 m; m[0] = float2(1.0); m[1][0] = 1.0; return m[0][0]; }
        float part() { Pair p[2]; p[0].a = 1.0; return p[0].a; }
        Pair some() { Pair p; p.a = 1.0; return p; }
        float out_argument() { float x; give(x); return x; }
        float inout_argument() { float x; change(x); return x; }
        float out_component() { float3 v; give(v.x); return v.x; }
        int method() { Counter c; c.start(); return c.get(); }
        int property_set() { Counter c; c.value = 1; return c.value; }
        int subscript_set() { Counter c; c[0] = 1; return c[1]; }
        float nested() { float y; float z = (y = 1.0) + y; return z; }
        int length() { float a[5]; return a.getCount() + sizeof(a); }
        float pointer() { float x; float* p = &x; *p = 1.0; return x; }",
    );
}

#[test]
fn what_has_a_value_by_its_type() {
    check(
        "struct Made { float a; __init() { a = 1.0; } }
        struct Defaults { float a = 1.0; float b = 2.0; }
        struct Some { float a = 1.0; float b; }
        struct Empty {}
        interface IShape { float area(); }
        float made() { Made m; return m.a; }
        float defaults() { Defaults d; return d.a + d.b; }
        float some() {
            Some s;
            float a = s.a;
            return a + s.b; //! E41016 use of uninitialized field 'b' of the variable 's'
        }
        Empty empty() { Empty e; return e; }
        T generic<T>() { T t; return t; }
        T.Differential differential<T : IDifferentiable>() { T.Differential d; return d; }
        float optional() { Optional<float> o; return o.hasValue ? 1.0 : 0.0; }
        float kept() { static float s; s += 1; return s; }",
    );
}

#[test]
fn fields_apart() {
    // slangc takes a variable as written as soon as a part of it is.
    check(
        "struct Inner { float x; float y; }
        struct Outer { Inner inner; float k; float list[2]; }
        float other() {
            Outer o;
            o.k = 1.0;
            return o.inner.x; //! E41016 use of uninitialized field 'inner' of the variable 'o'
        }
        float same() { Outer o; o.inner.x = 1.0; o.list[0] = 2.0; return o.inner.x + o.list[0]; }
        float all(Outer outer) { Outer o; o = outer; return o.k + o.inner.y; }",
    );
}

#[test]
fn on_some_paths() {
    check(
        "float branch(bool b) {
            float x;
            if (b) x = 1.0;
            return x; //! E41035 'x' may be uninitialized here
        }
        float both(bool b) { float x; if (b) x = 1.0; else x = 2.0; return x; }
        float leaves(bool b) { float x; if (b) x = 1.0; else return 0.0; return x; }
        float throws_(bool b) throws int { float x; if (b) x = 1.0; else throw 1; return x; }
        void discards(bool b, out float y) { float x; if (b) x = 1.0; else discard; y = x; }
        float ternary(bool b) {
            float x;
            float y = b ? (x = 1.0) : 2.0;
            return x + y; //! E41035 'x' may be uninitialized here
        }
        float switched(int n) {
            float x;
            switch (n) { case 0: x = 1.0; break; case 1: x = 2.0; break; }
            return x; //! E41035 'x' may be uninitialized here
        }
        float all_cases(int n) {
            float x;
            switch (n) { case 0: case 1: x = 1.0; break; default: x = 2.0; break; }
            return x;
        }
        float falls_through(int n) {
            float x;
            switch (n) {
                case 0: x = 1.0;
                case 1: return x; //! E41035 'x' may be uninitialized here
                default: break;
            }
            return 0.0;
        }
        float caught(bool b) {
            float x;
            do { x = 1.0; x = try throws_(b); } catch (int e) { return x; } //! E41035 'x' may be uninitialized here
            return x;
        }
        float recovered(bool b) {
            float x;
            do { x = try throws_(b); } catch (int e) { x = 2.0; }
            return x;
        }
        float left(int n) {
            float x;
            outer: {
                if (n > 0) break outer;
                x = 1.0;
            }
            return x; //! E41035 'x' may be uninitialized here
        }",
    );
}

#[test]
fn conditions_are_evaluated_from_left_to_right() {
    check(
        "bool give(out int v) { v = 1; return true; }
        int and() { int x; if (give(x) && x > 0) return x; return 0; }
        int or() { int x; if (!give(x) || x > 0) return x; return 0; }
        int not_either() { int x; if (!(give(x) && x > 0)) return 0; return x; }
        int right(bool b) {
            int x;
            if (b && give(x)) return x;
            return x; //! E41035 'x' may be uninitialized here
        }
        int loop() { int x; while (give(x) && x < 3) return x; return x; }",
    );
}

#[test]
fn truth_values_that_say_whether_something_is_written() {
    check(
        "bool give(out float v) { v = 1.0; return true; }
        float flag(float a) {
            float t;
            bool hit = a > 0.0 && give(t);
            return hit ? t : 0.0;
        }
        float set(float a) {
            float t;
            bool hit = false;
            if (a > 1.0) { t = a; hit = true; }
            else if (a > 0.0) { hit = give(t); }
            if (!hit) return 0.0;
            return t;
        }
        float again(bool b) { float t; if (b) t = 1.0; if (b) return t; return 0.0; }
        float otherwise(bool b) { float t; if (!b) t = 1.0; if (b) return 0.0; return t; } //! E41035 't' may be
        float lies(float a) {
            float t;
            bool hit = a < 0.0;
            if (a > 1.0) { t = a; hit = true; }
            return hit ? t : 0.0; //! E41035 't' may be uninitialized here
        }
        float changed(bool b) {
            float t;
            bool c = b;
            if (c) t = 1.0;
            c = !c;
            return c ? t : 0.0; //! E41035 't' may be uninitialized here
        }",
    );
}

#[test]
fn loops() {
    check(
        "float accumulated(float a[3]) {
            float total;
            for (int i = 0; i < 3; i++)
                total += a[i]; //! E41016 use of uninitialized variable 'total'
            return total; //! E41016 use of uninitialized variable 'total'
        }
        float carried(int n) {
            float last;
            float sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += last; //! E41035 'last' may be uninitialized here
                last = sum + 1.0;
            }
            return sum;
        }
        float local(int n) {
            float sum = 0.0;
            for (int i = 0; i < n; i++) {
                float x;
                if (i > 2) x = 1.0;
                sum += x; //! E41035 'x' may be uninitialized here
            }
            return sum;
        }
        float filled(int n) {
            float a[8];
            for (int i = 0; i < n; i++) a[i] = float(i);
            float s = 0.0;
            for (int i = 0; i < n; i++) s += a[i];
            return s;
        }
        float found(float a[4]) { float y; for (int i = 0; i < 4; i++) if (a[i] > 0.0) { y = a[i]; break; } return y; }
        float until(bool c) { float y; while (true) { y = 1.0; if (c) break; } return y; }
        float once(int n) { float y; int i = 0; do { y = float(i); i++; } while (i < n); return y; }
        float skipped(int n) {
            float s = 0.0;
            for (int i = 0; i < n; i++) { float y; if (i == 2) continue; y = 1.0; s += y; }
            return s;
        }
        // Elements that are read are those of iterations before.
        float prefix(float b[4]) {
            float y[4];
            float q = 0.0;
            for (int i = 0; i < 4; i++) {
                float t = b[i];
                for (int k = 0; k < i; k++) t -= y[k] * 0.5;
                y[i] = t;
                q += t * t;
            }
            return q;
        }
        float none(int n) {
            float y[4];
            float q = 0.0;
            for (int i = 0; i < n; i++) q += y[i]; //! E41016 use of uninitialized variable 'y'
            return q;
        }",
    );
}

#[test]
fn out_parameters() {
    check(
        "float read(out float3 v) {
            float r = v.x; //! E41015 use of uninitialized out parameter 'v'
            v = float3(r);
            return r;
        }
        float forgotten(out float x) {
            return 0.0; //! E41018 returning without initializing out parameter 'x'
        }
        void implicit(out float x, out float y) {
            y = 1.0;
        } //! E41018 returning without initializing out parameter 'x'
        void early(bool b, out float y) {
            if (b)
                return; //! E41018 returning without initializing out parameter 'y'
            y = 0.0;
        }
        void sometimes(bool b, out float y) {
            if (b) y = 0.0;
        } //! E41018 returning without initializing out parameter 'y' on some paths
        // The result says whether there is a value.
        bool reported(bool b, out float y) { if (b) y = 0.0; return b; }
        void filled(out float y[4]) { for (int i = 0; i < 4; i++) y[i] = 1.0; }
        void passed(out float3 v) { filled_one(v.x); }
        void filled_one(out float x) { x = 1.0; }
        void meant(out float x) { unused(x); }
        struct Part { float a; float b; }
        void in_part(out Part p) { p.a = 1.0; }",
    );
}

#[test]
fn constructors() {
    check(
        "struct Simple {
            int a; int b; int c = 1;
            __init(int v) {
                a = v;
            } //! E41020 exiting constructor without initializing field 'b'
            __init(int v, int w) { a = v; this.b = w; }
            __init(bool early) {
                a = 1;
                if (early) return; //! E41020 exiting constructor without initializing field 'b'
                b = 2;
            }
            __init(float x) { this = Simple(1, 2); }
            __init(float x, float y) { return Simple(1, 2); }
            __init(float2 v) { clear(); }
            [mutating] void clear() { a = 0; b = 0; }
            __init(int3 v) {
                a = b; //! E41016 use of uninitialized field 'b'
                b = v.x;
            }
        }",
    );
}

/// As slangc.
#[test]
fn globals_that_nothing_is_assigned_to() {
    check(
        "struct Pair { float a; float b; }
        struct Filled { float a = 1; }
        struct Made { float a; __init() { a = 2; } }
        struct Holder { static float none; static float some = 1; }
        namespace N { static float inside; }
        struct Writer { [mutating] void set(float x) { value = x; } float value; }
        static float never;
        static bool flag;
        static float3 part;
        static float elements[4];
        static Pair pair;
        static Filled filled;
        static Made made;
        static Writer writer;
        static float increased;
        static float passed;
        static float lambda;
        groupshared float tile[64];
        groupshared float unwritten[64];
        static Optional<float> optional;
        uniform float fromHost;
        cbuffer Constants { float constant; }
        Texture2D<float4> image;
        void bump(inout float x) { x += 1; }
        float uncalled() {
            return never; //! E41017 use of uninitialized global variable 'never'
        }
        T generic<T : IFloat>(T x) {
            return x * T(never); //! E41017 use of uninitialized global variable 'never'
        }
        float reads(int i) {
            static float local;
            static float kept;
            kept += 1;
            float sum = kept + (flag ? 1.0 : 0.0); //! E41017 use of uninitialized global variable 'flag'
            sum += local; //! E41017 use of uninitialized global variable 'local'
            sum += Holder.none; //! E41017 use of uninitialized global variable 'none'
            sum += N::inside; //! E41017 use of uninitialized global variable 'inside'
            sum += unwritten[i]; //! E41017 use of uninitialized global variable 'unwritten'
            sum += filled.a; //! E41017 use of uninitialized global variable 'filled'
            sum += part.x + elements[i] + pair.a + made.a + writer.value + increased + passed + tile[i];
            return sum + Holder.some + fromHost + constant + image[int2(i, i)].x;
        }
        float more() { return optional.hasValue ? 1.0 : lambda; }
        void writes(int i) {
            part.y = 1;
            elements[i] = 2;
            pair.b = 3;
            writer.set(4);
            increased++;
            bump(passed);
            tile[i] = 5;
            optional = 6.0;
            lambda = 9;
        }",
    );
}

#[test]
fn broken_code_may_assign_to_globals() {
    check(
        "static float x; float f() { return x; } void g() { x = nothing; } //! E30015 undefined identifier 'nothing'",
    );
    check("static float x; float f() { return x; } void g(float v) { spirv_asm { OpStore &x $v }; }");
}

#[test]
fn broken_code_is_not_looked_at() {
    check("float f() { float x; nothing(x); return x; } //! E30015 undefined identifier 'nothing'");
}

#[test]
fn deep_and_long_code_takes_linear_time() {
    let nested =
        format!("float f(int n) {{ float x; {} x = 1.0; {} return x; }}", "for (;n > 0;) {".repeat(60), "}".repeat(60));
    check(&nested);
    let body: String = (0..300).map(|index| format!("float v{index}; if (n > {index}) v{index} = 1.0;\n")).collect();
    check(&format!("void f(int n) {{\n{body} }}"));
}

#[test]
fn writing_a_field_that_has_a_value_is_writing_a_part() {
    check(
        "struct A { float w; int v = 2; }
        A f(int q) { A a; a.v = q; return a; }
        A g() { A a; return a; } //! E41016 use of uninitialized variable 'a'
        float h(int q) { A a; a.v = q; return a.w; } //! E41016 use of uninitialized field 'w'
        int k() { A a; return a.v; }",
    );
}
