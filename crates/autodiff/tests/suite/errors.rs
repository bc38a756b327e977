//! Derivatives that cannot be made, each with its own error at its own place.

use autodiff::ErrorKind;
use ir::DerivativeKind;

fn errors(kind: DerivativeKind, text: &str) -> Vec<String> {
    let mut module = test_support::modules::module(text);
    let f = module.func_named("f").expect("a function `f`");
    match autodiff::derivatives(&mut module, &[(kind, f)]) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

const UNBOUNDED: &str = "
func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %1: i32 = const 1
  %i: i32, %p: f32 = loop (%0, %x) cond (%i1: i32, %p1: f32) {
    %c: bool = lt %i1, %n
    yield %c
  } body (%i2: i32, %p2: f32) {
    %p3: f32 = mul %p2, %x
    %i3: i32 = add %i2, %1
    yield %i3, %p3
  }
  return %p
}";

#[test]
fn loop_without_bound() {
    let expected = "cannot differentiate `f` backward: the loop has no bound; add `[MaxIters(n)]` or `[ForceUnroll]`";
    assert_eq!(errors(DerivativeKind::Vjp, UNBOUNDED), [expected]);
    // Forward needs no bound.
    assert!(errors(DerivativeKind::Jvp, UNBOUNDED).is_empty());
}

#[test]
fn bound_smaller_than_the_count() {
    let text = UNBOUNDED
        .replace("(%x: f32 diff, %n: i32)", "(%x: f32 diff)")
        .replace("  %1: i32", "  %n: i32 = const 8\n  %1: i32")
        .replace("cond (", "max_iters 5 cond (");
    assert_eq!(errors(DerivativeKind::Vjp, &text), ["`[MaxIters(5)]` is too small: the loop makes 8 iterations"]);
}

/// The calls of a function that calls itself run again on the way back: what they read must be what they have read.
#[test]
fn recursion_that_reads_what_is_written_since() {
    let text = |before: &str, behind: &str| {
        format!(
            "global @a: rwbuffer<f32> parameter
            global @b: rwbuffer<f32> parameter
            func @power(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {{
              %0: i32 = const 0
              %c: bool = gt %n, %0
              %y: f32 = if %c {{
                %1: i32 = const 1
                %2: i32 = sub %n, %1
                %3: f32 = call @power(%x, %2)
                %a: rwbuffer<f32> = global @a
                %k: f32 = load %a[0]
                %4: f32 = mul %3, %x
                %5: f32 = mul %4, %k
                yield %5
              }} else {{
                yield %x
              }}
              return %y
            }}
            func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
              %n: i32 = const 2
              %two: f32 = const 2
              %p: rwbuffer<f32> = global @a
              %q: rwbuffer<f32> = global @b
              {before}
              %y: f32 = call @power(%x, %n)
              {behind}
              %z: f32 = mul %y, %y
              return %z
            }}"
        )
    };
    let refused = "cannot differentiate `power` backward: it calls itself, so that its calls run again on the way back, and \
                   reads memory that may have been written since";
    assert_eq!(errors(DerivativeKind::Vjp, &text("", "store %p[0], %two")), [refused]);
    assert!(errors(DerivativeKind::Jvp, &text("", "store %p[0], %two")).is_empty());
    // In front of the call, into another buffer, or never.
    for (before, behind) in [("store %p[0], %two", ""), ("", "store %q[0], %two"), ("", "")] {
        let found = errors(DerivativeKind::Vjp, &text(before, behind));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn recursion_backward() {
    let text = r#"
func @f(%x: f32 diff, %n: i32) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: i32 = const 0
  %c: bool = gt %n, %0
  %y: f32 = if %c {
    %1: i32 = const 1
    %2: i32 = sub %n, %1
    %3: f32 = call @f(%x, %2)
    %4: f32 = mul %3, %x
    print "once"()
    yield %4
  } else {
    yield %x
  }
  return %y
}"#;
    assert_eq!(
        errors(DerivativeKind::Vjp, text),
        ["cannot differentiate `f` backward: it calls itself, and writes memory or makes a context of its own"]
    );
    assert!(errors(DerivativeKind::Jvp, text).is_empty());
    // Without effects its calls run again on the way back.
    assert!(errors(DerivativeKind::Vjp, &text.replace("    print \"once\"()\n", "")).is_empty());
}

#[test]
fn functions_without_derivative() {
    let plain = "
func @f(%x: f32 diff) -> (return: f32 diff) {
  return %x
}";
    assert_eq!(errors(DerivativeKind::Jvp, plain), ["`f` is not forward differentiable"]);
    assert_eq!(errors(DerivativeKind::Vjp, plain), ["`f` is not backward differentiable"]);
    let forward_only = plain.replace("{\n", "forward_differentiable {\n");
    assert_eq!(errors(DerivativeKind::Vjp, &forward_only), ["`f` is not backward differentiable"]);
    let declared = "
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable";
    assert_eq!(
        errors(DerivativeKind::Vjp, declared),
        ["cannot differentiate `f`: it has neither a body nor a derivative"]
    );
}

#[test]
fn callee_without_backward_derivative() {
    let text = "
func @g(%x: f32 diff) -> (return: f32 diff) forward_differentiable {
  return %x
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @g(%x)
  return %0
}";
    assert_eq!(errors(DerivativeKind::Vjp, text), ["`g` is not backward differentiable"]);
}

/// The body of a function with only a backward derivative was never meant to be differentiated.
#[test]
fn callee_without_forward_derivative() {
    let text = "
func @helper(%x: f32 diff) -> (return: f32 diff) {
  return %x
}
func @g(%x: f32 diff) -> (return: f32 diff) backward @g_backward backward_differentiable {
  %0: f32 = call @helper(%x)
  return %0
}
func @g_backward(%x: f32 diff, %c: f32 diff) -> (x: f32 diff) {
  return %c
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @g(%x)
  return %0
}";
    assert_eq!(errors(DerivativeKind::Jvp, text), ["`g` is not forward differentiable"]);
    assert!(errors(DerivativeKind::Vjp, text).is_empty());
    // Where the source says that the body may be differentiated, it is.
    let marked = text.replace("@g_backward backward_differentiable", "@g_backward forward_differentiable");
    assert!(errors(DerivativeKind::Jvp, &marked).is_empty());
}

/// A second derivative through a custom derivative that is not differentiable would be zero in silence.
#[test]
fn custom_derivative_differentiated_again() {
    let text = "
func @g(%x: f32 diff) -> (return: f32 diff) backward @g_backward {
  %0: f32 = mul %x, %x
  return %0
}
func @g_backward(%x: f32 diff, %c: f32 diff) -> (x: f32 diff) {
  %0: f32 = mul %x, %c
  return %0
}
func @h(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %0: f32 = call @g(%x)
  return %0
}
func @f(%x: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {
  %1: f32 = const 1.0
  %0: f32 = call vjp @h(%x, %1)
  return %0
}";
    let expected = "cannot differentiate `h.vjp`: the custom derivative `g_backward` is not differentiable";
    assert_eq!(errors(DerivativeKind::Jvp, text), [expected]);
    // What is made in two steps knows no more of the first: `f` calls `h.vjp`, and that `g_backward`.
    let mut module = test_support::modules::module(text);
    let f = module.func_named("f").expect("a function `f`");
    autodiff::expand(&mut module, &[f]).expect("first derivatives");
    for kind in [DerivativeKind::Jvp, DerivativeKind::Vjp] {
        let errors = autodiff::derivatives(&mut module, &[(kind, f)]).expect_err("no second derivatives");
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn errors_know_their_place() {
    let mut module = ir::parse::parse_module(UNBOUNDED).expect("well-formed");
    let f = module.func_named("f").expect("f");
    let span = module.span(ir::SourceSpan { file: 0, start: 10, end: 20 });
    for (_, data) in module.funcs[f].ops.iter_mut() {
        if matches!(data.op, ir::Op::Loop { .. }) {
            data.span = span;
        }
    }
    let errors = autodiff::derivatives(&mut test_support::modules::verified(module), &[(DerivativeKind::Vjp, f)])
        .expect_err("no bound");
    assert_eq!((errors[0].kind.clone(), errors[0].span), (ErrorKind::UnboundedLoop, span));
}

fn forward_only(tangent: &str) -> String {
    format!(
        "
func @f(%x: f32 diff) -> (return: f32 diff) forward @forward {{
  return %x
}}
func @plain(%x: f32 diff) -> (return: f32 diff) {{
  return %x
}}
func @squared(%x: f32 diff) -> (return: f32 diff) {{
  %r: f32 = mul %x, %x
  return %r
}}
func @elsewhere(%x: f32 diff) -> (return: f32 diff)
func @forward(%x: f32 diff, %t: f32 diff) -> (return: f32 diff, return_tangent: f32 diff) {{
  {tangent}
  return %x, %r
}}"
    )
}

#[test]
fn forward_derivatives_that_are_not_linear() {
    let error = |tangent: &str| errors(DerivativeKind::Vjp, &forward_only(tangent));
    let named = |operation: &str| {
        vec![format!(
            "cannot differentiate `f` backward: its forward derivative `forward` is not linear, by {operation}"
        )]
    };
    assert!(error("%r: f32 = mul %x, %t").is_empty());
    assert_eq!(error("%r: f32 = mul %t, %t"), named("`mul` of tangents"));
    assert_eq!(error("%r: f32 = sin(%t)"), named("`sin` of a tangent"));
    assert_eq!(error("%r: f32 = floor(%t)"), named("`floor` of a tangent"));
    assert_eq!(error("%r: f32 = div %x, %t"), named("`div` of tangents"));
    // What a helper does is looked at where it is called.
    assert!(error("%r: f32 = call @plain(%t)").is_empty());
    assert_eq!(error("%r: f32 = call @squared(%t)"), named("`mul` of tangents"));
    assert_eq!(
        error("%r: f32 = call @elsewhere(%t)"),
        named("a call with tangents of a function that is not differentiable")
    );
    assert_eq!(
        error("%z: f32 = const 0.0\n  %c: bool = gt %t, %z\n  %r: f32 = if %c {\n yield %t\n } else {\n yield %z\n }"),
        named("a branch that depends on a tangent")
    );
}

/// Helpers that are differentiable do not pass for linear: what they do to the tangent is looked at as well.
#[test]
fn helpers_of_forward_derivatives_that_are_not_linear() {
    let error = |body: &str| {
        let helper = format!(
            "
func @helper(%u: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  {body}
  return %r
}}
func @outer(%u: f32 diff) -> (return: f32 diff) forward_differentiable backward_differentiable {{
  %r: f32 = call @helper(%u)
  return %r
}}"
        );
        errors(DerivativeKind::Vjp, &(forward_only("%r: f32 = call @outer(%t)") + &helper))
    };
    let named = |operation: &str| {
        vec![format!(
            "cannot differentiate `f` backward: its forward derivative `forward` is not linear, by {operation}"
        )]
    };
    assert!(error("%two: f32 = const 2.0\n  %r: f32 = mul %two, %u").is_empty());
    assert_eq!(error("%r: f32 = mul %u, %u"), named("`mul` of tangents"));
    assert_eq!(error("%r: f32 = floor(%u)"), named("`floor` of a tangent"));
    assert_eq!(error("%r: f32 = detach %u"), named("`detach` of a tangent"));
    assert_eq!(
        error("%z: f32 = const 0.0\n  %c: bool = gt %u, %z\n  %r: f32 = if %c {\n yield %u\n } else {\n yield %z\n }"),
        named("a branch that depends on a tangent")
    );
    assert_eq!(
        error("%i: i32 = convert %u\n  %part: f32 = convert %i\n  %r: f32 = add %part, %u"),
        named("a conversion of a tangent")
    );
}
