//! Every kind of requirement, reached in every way there is: derivatives pass through all of them.

use super::agreement::disagreements;

const TYPES: &str = include_str!("requirement_kinds.slang");

/// What uses one kind of requirement of the type `T`: a name and the body of a function of `x`.
const USES: &[(&str, &str)] = &[
    ("constructor", "return T(x).get();"),
    ("constructor_of_two", "return T(x, x * x).get();"),
    ("constructor_in_an_expression", "return x * T(T(x * 2).get()).get() + T(1).get();"),
    ("static_method", "return T.make(x).get();"),
    ("static_function", "return T.area(x);"),
    ("static_function_with_out", "float r; float s = T.give(x, r); return s * r;"),
    ("method", "return T(x).scaled(x * x);"),
    ("mutating_method", "var t = T(x); t.grow(x); return t.get();"),
    ("call_operator", "return T(x)(x);"),
    ("associated_type_of_results_and_parameters", "T t = T(x); let p = t.part(x); return t.take(p) + p.value();"),
    ("generic_method", "return T(x).generic<Pa>(Pa(x)) + T(x).generic(Pb(x));"),
    ("property", "T t = T(x); t.size = x * x; t.size *= x; return t.size;"),
    ("subscript", "T t = T(x); t[1] = x * x; t[0] *= x; return t[1] + t[0];"),
    ("member_operator", "return (T(x) + T(x * 2)).get();"),
    ("default_method", "return T(x).twice();"),
    ("constructor_of_an_associated_type", "return T.P(x).value();"),
    ("associated_type_of_a_variable", "T.P p = T.P(x * x); return p.value() * T(x).take(p);"),
    ("static_method_in_a_loop", "T t = T(x); for (int i = 0; i < 3; i++) t = T.make(t.get() * x); return t.get();"),
    ("constructor_in_a_branch", "T t = T(x); if (x > 0.5) t = T(x, t.get()); return t.get();"),
];

/// What is called on an interface value `v` itself.
const USES_OF_VALUES: &[(&str, &str)] = &[
    ("method", "return v.get() + v.scaled(x * x);"),
    ("mutating_method", "v.grow(x); return v.get();"),
    ("call_operator", "return v(x);"),
    ("associated_type", "let p = v.part(x); return v.take(p) + p.value();"),
    ("generic_method", "return v.generic<Pa>(Pa(x)) + v.generic(Pb(x));"),
    ("property", "v.size = x * x; v.size *= x; return v.size;"),
    ("subscript", "v[1] = x * x; v[0] *= x; return v[1] + v[0];"),
    ("default_method", "return v.twice();"),
    ("static_method", "return v.make(x).get();"),
    ("static_function", "return v.area(x);"),
    ("static_function_with_out", "float r; float s = v.give(x, r); return s * r;"),
];

/// Above and below the place where `pick` changes its mind, and the branches of the uses.
const POINTS: &[f64] = &[0.3, 0.8, 1.7];

fn check(text: &str, names: &[String]) {
    let found = disagreements(text, names, POINTS);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn through_a_generic_parameter() {
    let (mut text, mut names) = (TYPES.to_owned(), Vec::new());
    for (name, body) in USES {
        text += &format!("[Differentiable] float {name}<T : IShape>(float x) {{ {body} }}\n");
        for shape in ["A", "B"] {
            text += &format!("[Differentiable] float {name}_{shape}(float x) {{ return {name}<{shape}>(x); }}\n");
            names.push(format!("{name}_{shape}"));
        }
    }
    check(&text, &names);
}

#[test]
fn through_this() {
    let (mut defaults, mut functions, mut names) = (String::new(), String::new(), Vec::new());
    for (name, body) in USES {
        let body = body.replace("T.", "This.").replace("T(", "This(").replace("T t", "This t");
        defaults += &format!("[Differentiable] static float {name}(float x) {{ {body} }}\n");
        for shape in ["A", "B"] {
            functions += &format!("[Differentiable] float {name}_{shape}(float x) {{ return {shape}.{name}(x); }}\n");
            names.push(format!("{name}_{shape}"));
        }
    }
    check(&(TYPES.replace("//- defaults", &defaults) + &functions), &names);
}

#[test]
fn through_an_associated_type() {
    let owners = "
interface IOwner { associatedtype S : IShape; }
struct OwnerA : IOwner { typealias S = A; }
struct OwnerB : IOwner { typealias S = B; }
";
    let (mut text, mut names) = (TYPES.to_owned() + owners, Vec::new());
    for (name, body) in USES {
        let body = body.replace("T.", "O.S.").replace("T(", "O.S(").replace("T t", "O.S t");
        text += &format!("[Differentiable] float {name}<O : IOwner>(float x) {{ {body} }}\n");
        for owner in ["OwnerA", "OwnerB"] {
            text += &format!("[Differentiable] float {name}_{owner}(float x) {{ return {name}<{owner}>(x); }}\n");
            names.push(format!("{name}_{owner}"));
        }
    }
    check(&text, &names);
}

const PICK: &str = "
[Differentiable] IShape pick(float x) { if (x > 1) return A(x); return B(x); }
";

#[test]
fn through_the_type_of_an_interface_value() {
    let (mut text, mut names) = (TYPES.to_owned() + PICK, Vec::new());
    for (name, body) in USES {
        text += &format!("[Differentiable] float {name}_of<T : IShape>(T value, float x) {{ {body} }}\n");
        text += &format!("[Differentiable] float {name}(float x) {{ return {name}_of(pick(x), x); }}\n");
        names.push((*name).to_owned());
    }
    check(&text, &names);
}

#[test]
fn on_an_interface_value() {
    let (mut text, mut names) = (TYPES.to_owned() + PICK, Vec::new());
    for (name, body) in USES_OF_VALUES {
        text += &format!("[Differentiable] float {name}(float x) {{ IShape v = pick(x); {body} }}\n");
        names.push((*name).to_owned());
    }
    check(&text, &names);
}
