//! Ways for a value: through a struct, an array, an optional, a tuple, generics, interfaces, functions and lambdas.

use syntax::ast::{self, AstNode};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::{Program, TypeOf},
    sites,
};

/// A function that gives back its argument. In the text, `$F` is the function's name, `$N` makes other names unique, `$T`
/// is the type of the value; `$D` and `$A` make a type, constraint or function differentiable where `$T` is.
struct Passage {
    text: &'static str,
    /// Whether `$F` can be called with `<$T>` after it.
    is_generic: bool,
    /// What is known to be wrong with it: left out until it is mended.
    known: Option<&'static str>,
}

const fn passage(text: &'static str) -> Passage {
    Passage { text, is_generic: false, known: None }
}

const fn known(why: &'static str, text: &'static str) -> Passage {
    Passage { text, is_generic: false, known: Some(why) }
}

const PASSAGES: &[Passage] = &[
    passage("$A$T $F($T x) { return x; }"),
    passage("struct Box$N $D { $T held; } $A$T $F($T x) { Box$N box; box.held = x; return box.held; }"),
    passage(
        "struct Box$N $D { $T held; } struct Outer$N $D { int k; Box$N box; } \
         $A$T $F($T x) { Outer$N o; o.k = 3; o.box.held = x; Outer$N copy = o; return copy.box.held; }",
    ),
    passage("struct Box$N $D { $T held; } $A$T $F($T x) { Box$N box = { x }; return box.held; }"),
    passage(
        "struct Box$N $D { $T held; $A__init($T v) { held = v; } } \
         $A$T $F($T x) { return Box$N(x).held; }",
    ),
    passage(
        "struct Box$N $D { $T held; [mutating] $Avoid fill($T v) { held = v; } \
         $A$T get() { return held; } } \
         $A$T $F($T x) { Box$N box; box.fill(x); return box.get(); }",
    ),
    passage(
        "struct Box$N $D { $T inner; property $T held { $Aget { return inner; } \
         $Aset { inner = newValue; } } } \
         $A$T $F($T x) { Box$N box; box.inner = x; box.held = x; return box.held; }",
    ),
    passage(
        "struct Box$N $D { $T inner[2]; __subscript(int i) -> $T { $Aget { return inner[i]; } \
         $Aset { inner[i] = newValue; } } } \
         $A$T $F($T x) { Box$N box; box[0] = x; box[1] = x; return box[1]; }",
    ),
    passage("$A$T $F($T x) { $T a[2] = { x, x }; return a[1]; }"),
    passage("$A$T $F($T x) { $T a[3]; for (int i = 0; i < 3; i++) a[i] = x; return a[1]; }"),
    passage("$A$T $F($T x) { $T a[3]; a[0] = x; for (int i = 1; i < 3; i++) a[i] = a[i - 1]; return a[2]; }"),
    passage("$A$T $F($T x) { $T last; for (int i = 0; i < 2; i++) { last = x; } return last; }"),
    passage("$A$T $F($T x) { Optional<$T> o = x; return o.value; }"),
    passage(
        "$A$T $F($T x) { Optional<$T> o = none; for (int i = 0; i < 1; i++) o = x; \
         if (o.hasValue) return o.value; return x; }",
    ),
    passage("$A$T $F($T x) { let pair = makeTuple(x, x); return pair._1; }"),
    Passage { text: "$AG $F<G $D>(G x) { return x; }", is_generic: true, known: None },
    passage(
        "struct Box$N<G $D> $D { G held; $AG get() { return held; } } \
         $A$T $F($T x) { Box$N<$T> box; box.held = x; return box.get(); }",
    ),
    passage(
        "$AG last$N<G $D, let C : int>(G values[C]) { return values[C - 1]; } \
         $A$T $F($T x) { $T values[2] = { x, x }; return last$N(values); }",
    ),
    passage(
        "interface IHeld$N $D { $A$T get(); } \
         struct Held$N : IHeld$N { $T held; $A$T get() { return held; } } \
         $A$T of$N<H$N : IHeld$N>(H$N h) { return h.get(); } \
         $A$T $F($T x) { Held$N h; h.held = x; return of$N(h); }",
    ),
    passage(
        "interface IHeld$N $D { $A$T get(); } \
         struct Held$N : IHeld$N { $T held; $A$T get() { return held; } } \
         struct Other$N : IHeld$N { $T held; int k; $A$T get() { return k > 3 ? held : held; } } \
         $A$T $F($T x) { Held$N h; h.held = x; IHeld$N i = h; return i.get(); }",
    ),
    passage(
        "interface IHeld$N $D { $A$T get(); } \
         struct Held$N : IHeld$N { $T held; $A$T get() { return held; } } \
         struct Holder$N $D { IHeld$N inner; } \
         $A$T $F($T x) { Held$N h; h.held = x; Holder$N o; o.inner = h; return o.inner.get(); }",
    ),
    passage(
        "interface IHeld$N $D { $A$T get(); } \
         struct Held$N : IHeld$N { $T held; $A$T get() { return held; } } \
         $A$T $F($T x) { Held$N h; h.held = x; Optional<IHeld$N> o = none; o = Optional<IHeld$N>(h); return o.value.get(); }",
    ),
    passage(
        "interface IHeld$N $D { $A$T get(); } \
         struct Held$N : IHeld$N { $T held; $A$T get() { return held; } } \
         $A$T $F($T x) { Held$N h; h.held = x; IHeld$N list[2] = { h, h }; return list[1].get(); }",
    ),
    passage(
        "interface IMade$N $D { $A__init($T v); $A$T get(); } \
         struct Made$N : IMade$N { $T held; $A__init($T v) { held = v; } \
         $A$T get() { return held; } } \
         $A$T by$N<M$N : IMade$N>($T x) { return M$N(x).get(); } \
         $A$T $F($T x) { return by$N<Made$N>(x); }",
    ),
    passage(
        "interface IMade$N $D { $Astatic This of($T v); $A$T get(); } \
         struct Made$N : IMade$N { $T held; $Astatic This of($T v) { Made$N m; m.held = v; return m; } \
         $A$T get() { return held; } } \
         $A$T by$N<M$N : IMade$N>($T x) { return M$N.of(x).get(); } \
         $A$T $F($T x) { return by$N<Made$N>(x); }",
    ),
    passage(
        "interface IPass$N { $Astatic $T pass($T v); } \
         struct Pass$N : IPass$N { $Astatic $T pass($T v) { return v; } } \
         $A$T by$N<M$N : IPass$N>($T x) { return M$N.pass(x); } \
         $A$T $F($T x) { return by$N<Pass$N>(x); }",
    ),
    passage("$Avoid to$N($T x, out $T r) { r = x; } $A$T $F($T x) { $T r; to$N(x, r); return r; }"),
    passage(
        "$Avoid to$N(inout $T r, $T x) { r = x; } \
         $A$T $F($T x) { $T a[2] = { x, x }; to$N(a[1], x); return a[1]; }",
    ),
    passage("$A$T $F($T x) { let f = ($T y) => y; return f(x); }"),
    passage("$A$T $F($T x) { let f = (int k) => x; return f(1); }"),
    passage("$A$T $F($T x) { $T r; switch (1) { case 0: case 1: r = x; break; default: r = x; } return r; }"),
    known("`do … while` has no bound", "$A$T $F($T x) { $T r; do { r = x; } while (false); return r; }"),
    passage("namespace space$N { $A$T pass($T x) { return x; } } $A$T $F($T x) { return space$N::pass(x); }"),
    passage("typealias Alias$N = $T; $AAlias$N $F(Alias$N x) { Alias$N y = x; return y; }"),
    passage("$A$T $F($T x, int depth = 2) { if (depth == 0) return x; return $F(x, depth - 1); }"),
];

pub(crate) fn passed_through(program: &Program, fresh: &mut Fresh) -> Vec<Edit> {
    let mut edits = Vec::new();
    for expr in sites::values(&program.tree) {
        let range = sites::range(expr.syntax());
        let Some(ty) = program.type_of(range).filter(|ty| ty.is_global) else { continue };
        // What an untyped literal becomes depends on where it stands.
        if matches!(expr, ast::Expr::LiteralExpr(_)) && ty.is_converted || sites::has_step(&expr) {
            continue;
        }
        for passage in PASSAGES.iter().filter(|passage| passage.known.is_none()) {
            let name = fresh.name("pass");
            let arguments = if passage.is_generic { format!("<{}>", ty.spelled) } else { String::new() };
            let call = [format!("{name}{arguments}(").into(), range.into(), ")".into()];
            edits.push(Edit {
                declarations: vec![spelled(passage.text, &name, ty).into()],
                ..Edit::new("passed-through", vec![Rewrite::new(range, call)])
            });
        }
    }
    edits
}

/// The declarations of a function `name` for one type.
pub(crate) fn spelled(text: &str, name: &str, ty: &TypeOf) -> String {
    let differentiable = if ty.is_differentiable { ": IDifferentiable" } else { "" };
    let attribute = if ty.is_differentiable { "[Differentiable] " } else { "" };
    let number = name.replace("pass", "");
    text.replace("$A", attribute)
        .replace("$F", name)
        .replace("$N", &number)
        .replace("$T", &ty.spelled)
        .replace("$D", differentiable)
}
