//! Ways that a value can go, and what becomes of its derivative there.

use crate::variants::program::TypeOf;

/// What a way does to derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// They are dropped, though nothing in the source says so.
    Lost,
    /// They are dropped by the word of the source.
    Marked,
    Kept,
}

/// An expression for `$X` and the declarations that it needs. `$F` is a new name, `$N` makes other names unique, `$T` is the
/// type of the value.
pub(crate) struct Way {
    pub name: &'static str,
    pub effect: Effect,
    call: &'static str,
    declarations: &'static str,
    /// Only for single numbers, which become integers or bits.
    is_number: bool,
    /// What is done is done at the place itself, so that whether the derivative matters is known there.
    pub is_direct: bool,
}

impl Way {
    pub(crate) fn fits(&self, ty: &TypeOf) -> bool {
        !self.is_number || ty.spelled == "float"
    }

    /// Whether the value then moves in steps, in which differences see no slope.
    pub(crate) fn is_of_steps(&self) -> bool {
        self.is_number
    }

    pub(crate) fn spelled(&self, name: &str, ty: &TypeOf) -> (String, String) {
        let fill =
            |text: &str| text.replace("$F", name).replace("$N", &name.replace("way", "")).replace("$T", &ty.spelled);
        (fill(self.call), fill(self.declarations))
    }
}

const fn inside(name: &'static str, effect: Effect, declarations: &'static str) -> Way {
    Way { name, effect, call: "$F($X)", declarations, is_number: false, is_direct: false }
}

const fn at_place(name: &'static str, effect: Effect, call: &'static str, declarations: &'static str) -> Way {
    Way { name, effect, call, declarations, is_number: false, is_direct: true }
}

const fn of_number(way: Way) -> Way {
    Way { is_number: true, ..way }
}

use Effect::{Kept, Lost, Marked};

pub(crate) const DETACH: Way = at_place("detach", Marked, "detach($X)", "");

pub(crate) const WAYS: &[Way] = &[
    DETACH,
    at_place("plain function", Lost, "$F($X)", "$T $F($T x) { return x; }"),
    at_place("plain generic function", Lost, "$F($X)", "G $F<G>(G x) { return x; }"),
    at_place(
        "plain function with out parameter in function",
        Lost,
        "$F($X)",
        "void to$N($T x, out $T r) { r = x; } $T $F($T x) { $T r; to$N(x, r); return r; }",
    ),
    of_number(at_place("integer", Lost, "(float(int($X * 65536.0)) / 65536.0)", "")),
    of_number(at_place("bits", Lost, "asfloat(asuint($X))", "")),
    at_place("tuple with an integer", Lost, "makeTuple($X, 1)._0", ""),
    at_place(
        "static function of a plain struct",
        Lost,
        "$F.pass($X)",
        "struct $F { static $T pass($T x) { return x; } }",
    ),
    inside(
        "plain struct",
        Lost,
        "struct Plain$N { $T held; } [Differentiable] $T $F($T x) { Plain$N p; p.held = x; return p.held; }",
    ),
    inside(
        "plain struct from a list",
        Lost,
        "struct Plain$N { $T held; } [Differentiable] $T $F($T x) { Plain$N p = { x }; return p.held; }",
    ),
    inside(
        "plain struct with a constructor",
        Lost,
        "struct Plain$N { $T held; [Differentiable] __init($T v) { held = v; } } \
         [Differentiable] $T $F($T x) { return Plain$N(x).held; }",
    ),
    inside(
        "array of plain structs",
        Lost,
        "struct Plain$N { $T held; } [Differentiable] $T $F($T x) { Plain$N p[2]; p[1].held = x; return p[1].held; }",
    ),
    inside(
        "plain struct in a loop",
        Lost,
        "struct Plain$N { $T held; } \
         [Differentiable] $T $F($T x) { Plain$N p; for (int i = 0; i < 2; i++) p.held = x; return p.held; }",
    ),
    inside(
        "plain struct through a function",
        Lost,
        "struct Plain$N { $T held; } Plain$N make$N($T x) { Plain$N p; p.held = x; return p; } \
         [Differentiable] $T $F($T x) { return make$N(x).held; }",
    ),
    inside(
        "plain struct out of a function",
        Lost,
        "struct Plain$N { int k; $T held; } void make$N($T x, out Plain$N p) { p.k = 1; p.held = x; } \
         [Differentiable] $T $F($T x) { Plain$N p; make$N(x, p); return p.held; }",
    ),
    inside(
        "plain struct through functions in a branch",
        Lost,
        "struct Plain$N { $T held; } Plain$N make$N($T x) { Plain$N p; p.held = x; return p; } \
         Plain$N again$N($T x) { return make$N(x); } [Differentiable] $T $F($T x) \
         { Plain$N p[2]; for (int i = 0; i < 2; i++) if (i < 1) p[i] = again$N(x); else p[i] = p[0]; return p[1].held; }",
    ),
    inside(
        "optional of a plain struct",
        Lost,
        "struct Plain$N { $T held; } [Differentiable] $T $F($T x) { Plain$N p; p.held = x; Optional<Plain$N> o = p; \
         return o.value.held; }",
    ),
    inside(
        "plain interface value",
        Lost,
        "interface IPlain$N { $T get(); } struct Held$N : IPlain$N { $T held; $T get() { return held; } } \
         [Differentiable] $T $F($T x) { Held$N h; h.held = x; IPlain$N p = h; return p.get(); }",
    ),
    inside(
        "plain interface as constraint",
        Lost,
        "interface IPlain$N { $T get(); } struct Held$N : IPlain$N { $T held; $T get() { return held; } } \
         $T of$N<P : IPlain$N>(P p) { return p.get(); } \
         [Differentiable] $T $F($T x) { Held$N h; h.held = x; return of$N(h); }",
    ),
    inside(
        "differentiable struct as plain interface value",
        Lost,
        "interface IPlain$N { [Differentiable] $T get(); } \
         struct Held$N : IPlain$N, IDifferentiable { $T held; [Differentiable] $T get() { return held; } } \
         [Differentiable] $T $F($T x) { Held$N h; h.held = x; IPlain$N p = h; return p.get(); }",
    ),
    inside(
        "plain requirement",
        Lost,
        "interface IPass$N { static $T pass($T x); } struct Pass$N : IPass$N { static $T pass($T x) { return x; } } \
         [Differentiable] $T by$N<P : IPass$N>($T x) { return P.pass(x); } \
         [Differentiable] $T $F($T x) { return by$N<Pass$N>(x); }",
    ),
    inside(
        "plain generic struct",
        Lost,
        "struct Box$N<G> { G held; } [Differentiable] $T $F($T x) { Box$N<$T> b; b.held = x; return b.held; }",
    ),
    inside(
        "method of a plain struct",
        Lost,
        "struct Plain$N { $T held; [Differentiable] $T get() { return held; } } \
         [Differentiable] $T $F($T x) { Plain$N p; p.held = x; return p.get(); }",
    ),
    inside(
        "lambda of a plain function",
        Lost,
        "$T plain$N($T x) { return x; } [Differentiable] $T $F($T x) { let f = ($T y) => plain$N(y); return f(x); }",
    ),
    inside("module variable", Lost, "static $T cell$N; [Differentiable] $T $F($T x) { cell$N = x; return cell$N; }"),
    inside(
        "buffer",
        Lost,
        "RWStructuredBuffer<$T> cells$N; [Differentiable] $T $F($T x) { cells$N[1] = x; return cells$N[1]; }",
    ),
    inside(
        "module variable that a function writes",
        Lost,
        "static $T cell$N; void put$N($T x) { cell$N = x; } \
         [Differentiable] $T $F($T x) { put$N(x); return cell$N; }",
    ),
    inside(
        "module variable that functions write and read",
        Lost,
        "static $T cell$N; void put$N($T x) { cell$N = x; } void outer$N($T x) { put$N(x); } $T get$N() { return cell$N; } \
         [Differentiable] $T $F($T x) { outer$N(x); return get$N(); }",
    ),
    inside(
        "buffer that a method writes",
        Lost,
        "RWStructuredBuffer<$T> cells$N; struct Put$N { int k; void put($T x) { cells$N[k] = x; } } \
         [Differentiable] $T $F($T x) { Put$N p; p.k = 1; p.put(x); return cells$N[1]; }",
    ),
    inside(
        "buffer that a function is given",
        Lost,
        "RWStructuredBuffer<$T> cells$N; void put$N(RWStructuredBuffer<$T> b, $T x) { b[1] = x; } \
         [Differentiable] $T $F($T x) { put$N(cells$N, x); return cells$N[1]; }",
    ),
    inside(
        "group-shared memory that a generic function writes by an interface",
        Lost,
        "interface IPut$N { static void put($T x); } groupshared $T cells$N[4]; \
         struct Put$N : IPut$N { static void put($T x) { cells$N[2] = x; } } \
         void through$N<P : IPut$N>($T x) { P.put(x); } \
         [Differentiable] $T $F($T x) { through$N<Put$N>(x); return cells$N[2]; }",
    ),
    of_number(inside(
        "integer given to a function",
        Lost,
        "float of$N(int x) { return float(x) / 65536.0; } \
         [Differentiable] $T $F($T x) { return of$N(int(x * 65536.0)); }",
    )),
    of_number(inside(
        "integer given to a differentiable function",
        Lost,
        "[Differentiable] float of$N(int x, float y) { return float(x) / 65536.0 * y; } \
         [Differentiable] $T $F($T x) { return of$N(int(x * 65536.0), 1.0); }",
    )),
    of_number(inside(
        "integer from a function",
        Lost,
        "int to$N(float x) { return int(x * 65536.0); } [Differentiable] $T $F($T x) { return to$N(x) / 65536.0; }",
    )),
    of_number(inside(
        "integer from a function that calls itself",
        Lost,
        "int to$N(float x, int n) { if (n == 0) return int(x * 65536.0); return to$N(x, n - 1); } \
         [Differentiable] $T $F($T x) { return to$N(x, 2) / 65536.0; }",
    )),
    of_number(inside(
        "integer in a struct",
        Lost,
        "struct Cell$N { int k; float w; } [Differentiable] $T $F($T x) { Cell$N c; c.w = 65536.0; c.k = int(x * 65536.0); \
         return c.k / c.w; }",
    )),
    of_number(inside(
        "integer in a variable",
        Lost,
        "[Differentiable] $T $F($T x) { int k = 0; for (int i = 0; i < 2; i++) k = int(x * 65536.0); return k / 65536.0; }",
    )),
    at_place("no_diff", Marked, "(no_diff $F($X))", "$T $F($T x) { return x; }"),
    at_place(
        "no_diff of a differentiable function",
        Marked,
        "(no_diff $F($X))",
        "[Differentiable] $T $F($T x) { return x; }",
    ),
    at_place("TreatAsDifferentiable", Marked, "$F($X)", "[TreatAsDifferentiable] $T $F($T x) { return x; }"),
    at_place("no_diff parameter", Marked, "$F($X)", "[Differentiable] $T $F(no_diff $T x) { return x; }"),
    at_place("detached in a plain function", Marked, "$F(detach($X))", "$T $F($T x) { return x; }"),
    at_place(
        "detached and given to a function that writes it",
        Marked,
        "$F(detach($X))",
        "static $T cell$N; void put$N($T x) { cell$N = x; } $T $F($T x) { put$N(x); return cell$N; }",
    ),
    at_place(
        "detached and stored",
        Marked,
        "$F(detach($X))",
        "struct Plain$N { $T held; } $T $F($T x) { Plain$N p; p.held = x; return p.held; }",
    ),
    at_place(
        "more and less of it",
        Kept,
        "$F($X)",
        "[Differentiable] $T $F($T x) { return detach(x) + (x - detach(x)); }",
    ),
    inside(
        "own derivatives",
        Kept,
        "[Differentiable] $T through$N($T x) { return x; } [Differentiable] $T $F($T x) { $T a[2] = { x, x }; \
         return through$N(a[1]); }",
    ),
    inside(
        "plain function that takes no part",
        Kept,
        "$T plain$N($T x) { return x; } [Differentiable] $T $F($T x) { $T y = no_diff plain$N(x); return x + (y - y); }",
    ),
    inside(
        "plain struct that is not read",
        Kept,
        "struct Plain$N { int k; } [Differentiable] $T $F($T x) { Plain$N p; p.k = 3; return p.k > 2 ? x : x + x; }",
    ),
    of_number(inside(
        "integer that chooses in a function",
        Kept,
        "[Differentiable] float pick$N(int i, float y) { return i > 2 ? y : y * 1.0; } \
         [Differentiable] $T $F($T x) { return pick$N(int(x), x); }",
    )),
    of_number(inside(
        "integer from a function that compares",
        Kept,
        "int side$N(float x) { if (x > 1.0) return 1; return 2; } [Differentiable] $T $F($T x) { return x * side$N(x) / side$N(x); }",
    )),
    inside(
        "plain value that is compared behind calls",
        Kept,
        "$T plain$N($T x) { return x; } [Differentiable] $T through$N($T x) { return x; } \
         [Differentiable] $T $F($T x) { if (all(through$N(plain$N(x)) > $T(3.0))) return x; return x; }",
    ),
    inside(
        "part of a plain struct that is set otherwise",
        Kept,
        "struct Plain$N { $T a; int k; } [Differentiable] $T $F($T x) { Plain$N p; p.a = detach(x); p.k = 2; return x * p.k / 2; }",
    ),
    inside(
        "counted",
        Kept,
        "[Differentiable] $T $F($T x) { int k = 0; for (int i = 0; i < 3; i++) k += i; return k > 2 ? x : x + x; }",
    ),
];
