//! `slang-analyzer residuals` and `slang-analyzer gradcheck`: what they say, for people and as JSON.

use std::process::Command;

use serde_json::Value;
use whole_program_tests::process::Limited as _;
use whole_program_tests::{root, server};

/// Runs a command on a program; its status and the lines of its output.
fn run(name: &str, program: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let file = std::env::temp_dir().join(format!("slang-analyzer-{name}-{}.slang", std::process::id()));
    std::fs::write(&file, program).expect("the scratch folder can be written");
    let output =
        Command::new(server()).args(&arguments[..1]).arg(&file).args(&arguments[1..]).current_dir(root()).finished();
    std::fs::remove_file(&file).expect("the file is there");
    let output = output.expect("the analyzer runs");
    let text = String::from_utf8(output.stdout).expect("reports are text");
    (output.status.code(), text.lines().map(str::to_owned).collect())
}

/// [`run`] with the lines as JSON.
fn reports(name: &str, program: &str, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let (status, lines) = run(name, program, arguments);
    let parse = |line: &String| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    (status, lines.iter().map(parse).collect())
}

const POWERS: &str = "[Differentiable]
float powers(float x, float scale)
{
    float power = 1.0;
    [MaxIters(10)]
    for (int i = 0; i < 10; i++)
        power = sin(power) * x + cos(scale) * float(i);
    return power;
}
";

/// Of the loop only what is carried is kept: ten floats. The counter follows from the iteration, the cosine is lifted out.
#[test]
fn residuals_are_listed_with_reasons() {
    let (status, lines) = run("residuals", POWERS, &["residuals", "--format", "json"]);
    assert_eq!((status, lines.len()), (Some(0), 1), "{lines:?}");
    let report: Value = serde_json::from_str(&lines[0]).expect("a line is a JSON object");
    assert_eq!(report["function"], "powers");
    assert_eq!(report["bytes"], 40, "{report:#}");
    let items = report["items"].as_array().expect("the items");
    let stored: Vec<&Value> = items.iter().filter(|item| item["decision"] == "stored").collect();
    let [power] = stored[..] else { panic!("{report:#}") };
    assert_eq!((&power["name"], &power["type"], &power["line"]), (&"power".into(), &"float".into(), &5.into()));
    assert_eq!((&power["iterations"], &power["total_bytes"]), (&10.into(), &40.into()));
    assert!(items.iter().any(|item| item["name"] == "i" && item["decision"] == "inverted"), "{report:#}");

    let (_, lines) = run("residuals-text", POWERS, &["residuals", "--function", "powers"]);
    assert_eq!(lines[0], "powers: 40 bytes");
    let stored = "`power`: float is stored, 40 bytes for 10 iterations: it goes from one iteration to the next";
    assert!(lines.iter().any(|line| line.ends_with(stored)), "{lines:?}");
}

const RULES: &str = "
[Differentiable] [BackwardDerivative(cube_bwd)]
float cube(float x) { return x * x * x; }
void cube_bwd(inout DifferentialPair<float> p, float d) { p = diffPair(p.p, 2.0 * p.p * p.p * d); }

struct Pair : IDifferentiable { float a; float2 b; }
[Differentiable]
float mixed(Pair pair) { return pair.a + cube(pair.b.y) * abs(pair.b.x); }

[Differentiable]
float dropped(float x) { return x * detach(sin(x)); }
";

#[test]
fn a_wrong_rule_is_told_by_the_place_where_it_shows() {
    let (status, reports) = self::reports("gradcheck", RULES, &["gradcheck", "--format", "json"]);
    assert_eq!((status, reports.len()), (Some(1), 3), "{reports:?}");
    let of = |name: &str| reports.iter().find(|report| report["function"] == name).expect("it is checked");
    let cube = &of("cube")["findings"][0];
    assert_eq!((&cube["kind"], &cube["input"], &cube["result"]), (&"backward".into(), &"x".into(), &"return".into()));
    assert!((cube["ratio"].as_f64().expect("a number") - 2.0 / 3.0).abs() < 1e-6, "{cube}");
    // One factor is one finding, and it is the backward rule that is off.
    assert_eq!(of("cube")["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!((&of("cube")["forward"]["wrong"], &of("cube")["verdict"]), (&0.into(), &"wrong".into()));
    let blamed = of("cube")["rules"][0].as_str().expect("a sentence");
    assert!(blamed.starts_with("the [BackwardDerivative] written by hand disagrees"), "{blamed}");
    assert!(blamed.ends_with("the forward derivative made from the body agrees"), "{blamed}");
    let used = of("mixed")["rules"][1].as_str().expect("a sentence");
    assert_eq!(used, "it uses derivatives written by hand: `cube` (backward)");
    // Two thirds of what is right.
    let (found, expected) = (cube["found"].as_f64().expect("a number"), cube["expected"].as_f64().expect("a number"));
    assert!((found * 1.5 - expected).abs() < 1e-9, "{cube}");
    assert_eq!(of("mixed")["findings"][0]["input"], "pair.b.y");
    // What is dropped on purpose is held fixed.
    assert_eq!(of("dropped")["good"], true);
}

/// At 0 the slopes of `abs` differ, and that is said.
#[test]
fn a_kink_explains_itself() {
    let program = "[Differentiable] float bent(float x) { return 3.0 * abs(x); }";
    let arguments = ["gradcheck", "--domain", "x=0..0", "--samples", "1", "--edges", "0"];
    let (status, lines) = run("kink", program, &arguments);
    // There is no other sample, so nothing is compared but the two modes with each other.
    assert_eq!(status, Some(0), "{lines:?}");
    assert_eq!(
        lines[1].trim(),
        "`return` has a kink in `x`: the slope is -3 to the left and 3 to the right, the derivative says 0"
    );
}

/// `(x y, x^2 v.y)` at `x = 3`, `y = 2`, `v = (5, 7)`.
#[test]
fn jacobians_have_a_row_per_result() {
    let program = "[Differentiable] float2 both(float x, float y, float2 v) { return float2(x * y, x * x * v.y); }";
    let arguments = ["jacobian", "--function", "both", "--at", "3,2,5,7", "--format", "json"];
    let (status, lines) = run("jacobian", program, &arguments);
    assert_eq!((status, lines.len()), (Some(0), 2), "{lines:?}");
    let rows: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    assert_eq!(rows[0]["inputs"], serde_json::json!(["x", "y", "v.x", "v.y"]));
    assert_eq!((&rows[0]["result"], &rows[0]["value"]), (&"return.x".into(), &6.0.into()));
    assert_eq!(rows[0]["derivatives"], serde_json::json!([2.0, 3.0, 0.0, 0.0]));
    assert_eq!((&rows[1]["result"], &rows[1]["value"]), (&"return.y".into(), &63.0.into()));
    assert_eq!(rows[1]["derivatives"], serde_json::json!([42.0, 0.0, 0.0, 9.0]));
    let (status, _) = run("jacobian-few", program, &["jacobian", "--function", "both", "--at", "3,2"]);
    assert_eq!(status, Some(2));
}

/// `(x^2 y, x + y^2)` at `x = 3`, `y = 2`, where a function on the way has a backward derivative alone.
#[test]
fn jacobians_come_from_the_backward_derivative_where_there_is_no_other() {
    let program = "[BackwardDerivative(square_bwd)] float square(float a) { return a * a; }
        void square_bwd(inout DifferentialPair<float> a, float d) { a = diffPair(a.p, 2.0 * a.p * d); }
        [BackwardDifferentiable] float2 both(float x, float y) { return float2(square(x) * y, x + square(y)); }";
    let arguments = ["jacobian", "--function", "both", "--at", "3,2", "--format", "json"];
    let (status, lines) = run("jacobian-backward", program, &arguments);
    assert_eq!((status, lines.len()), (Some(0), 2), "{lines:?}");
    let rows: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    assert_eq!((&rows[0]["value"], &rows[1]["value"]), (&18.0.into(), &7.0.into()));
    assert_eq!(rows[0]["derivatives"], serde_json::json!([12.0, 9.0]));
    assert_eq!(rows[1]["derivatives"], serde_json::json!([1.0, 4.0]));
}

#[test]
fn a_domain_that_is_none_is_wrong_use() {
    for domain in ["x", "x=1", "x=2..1", "x=a..b"] {
        assert_eq!(run("domain", POWERS, &["gradcheck", "--domain", domain]).0, Some(2), "{domain}");
    }
}

/// A function with a small domain, which is hardly hit by chance: the comment above the function tells it, and the
/// command line overrules that.
#[test]
fn domains_are_annotated_in_the_source() {
    let program = "/// Half a circle.
/// @domain x = 3.25..4.75
[Differentiable]
float half_circle(float x) { return sqrt(x - 3.0) * sqrt(5.0 - x); }
";
    let (status, lines) = run("annotated", program, &["gradcheck"]);
    assert_eq!(status, Some(0), "{lines:?}");
    assert!(lines[0].contains("0 outside of the domain"), "{lines:?}");
    let (status, lines) = run("overruled", program, &["gradcheck", "--domain", "x=6..7", "--samples", "1"]);
    assert!(lines[0].starts_with("half_circle: NOTHING COMPARED (0 samples"), "{lines:?}");
    assert_eq!(status, Some(4), "{lines:?}");
}

#[test]
fn an_annotated_domain_must_be_one_of_a_parameter() {
    for annotation in ["@domain y = 0..1", "@domain x = 1..0"] {
        let program = format!("/// {annotation}\n[Differentiable] float f(float x) {{ return x; }}\n");
        assert_eq!(run("annotation", &program, &["gradcheck"]).0, Some(2), "{annotation}");
    }
}

/// A rule that forgets to count is told by the counter.
#[test]
fn a_rule_that_leaves_another_state_is_told() {
    let program = "static int count = 0;
[ForwardDerivative(counted_fwd)]
float counted(float x) { count += 1; return x * x; }
DifferentialPair<float> counted_fwd(DifferentialPair<float> x) { return diffPair(x.p * x.p, 2.0 * x.p * x.d); }
";
    let (status, lines) = run("state", program, &["gradcheck", "--function", "counted"]);
    assert_eq!(status, Some(1), "{lines:?}");
    assert!(lines[1].contains("leaves another value in `count` than the function"), "{lines:?}");
}

/// Where a number that is not finite decides the way, what would have come on the other way is not to blame: at (0, 0) these
/// functions return before they compute `r`.
#[test]
fn operations_that_did_not_run_are_not_to_blame() {
    let program = "[Differentiable] float early(float x, float y)
{
    float s = x / y;
    if (!(s < 1)) return 1;
    float r = x / (x * x);
    return r * s;
}
[Differentiable] float fresnel(float cosine, float eta)
{
    float squared = (1 - cosine * cosine) / (eta * eta);
    if (squared > 1) return 1;
    float other = sqrt(1 - squared);
    float r = (cosine - eta * other) / (cosine + eta * other);
    return r * r;
}
";
    let (_, reports) = reports("way", program, &["gradcheck", "--format", "json"]);
    for (function, line, text) in [("early", 3, "x / y"), ("fresnel", 10, "(1 - cosine * cosine) / (eta * eta)")] {
        let report = reports.iter().find(|report| report["function"] == function).expect("it is checked");
        let findings = report["findings"].as_array().expect("a list").iter();
        let at_zero = findings
            .filter(|finding| finding["kind"] == "not finite" && finding["at"] == serde_json::json!([[0.0], [0.0]]));
        let origins: Vec<_> = at_zero.map(|finding| &finding["origin"]).collect();
        assert!(!origins.is_empty(), "{report:#}");
        for origin in origins {
            assert_eq!((&origin["line"], &origin["text"]), (&line.into(), &text.into()), "{report:#}");
        }
    }
}

/// `y + atan2(y, x)` has a value at (0, 0) and no derivative, `acos` at 1 and `pow(x, 0.5)` at 0 an infinite one: told with
/// the operation and its line, although no random number is just there.
#[test]
fn derivatives_that_are_not_finite_name_the_operation() {
    let program = "[Differentiable]
float angle(float y, float x)
{
    float turned = atan2(y, x);
    return y + turned;
}
float inner(float x) { return acos(x); }
[Differentiable] float outer(float x) { return inner(x) * 2.0; }
[Differentiable] float powers(float x, float y) { return pow(x, y); }
";
    let program = program.replace("float inner", "[Differentiable] float inner");
    let (status, reports) = self::reports("not-finite", &program, &["gradcheck", "--format", "json"]);
    assert_eq!(status, Some(1));
    for (function, line, text) in
        [("angle", 4, "atan2(y, x)"), ("inner", 7, "acos(x)"), ("outer", 7, "acos(x)"), ("powers", 9, "pow(x, y)")]
    {
        let report = reports.iter().find(|report| report["function"] == function).expect("it is checked");
        let findings = report["findings"].as_array().expect("a list");
        let found = findings.iter().find(|finding| finding["kind"] == "not finite");
        let found = found.unwrap_or_else(|| panic!("{function}: {report:#}"));
        assert_eq!((&found["origin"]["line"], &found["origin"]["text"]), (&line.into(), &text.into()), "{report:#}");
        assert_eq!(report["good"], false);
    }
}

/// What a function takes and gives of every kind of type is compared.
#[test]
fn each_kind_of_type_is_compared() {
    let program = "
interface IShape : IDifferentiable { [Differentiable] float area(); }
struct Disc : IShape { float r; [Differentiable] float area() { return r * r; } }
struct Holder : IDifferentiable { IShape shape; float k; }
struct Part : IDifferentiable { float a; no_diff float b; int k; float2 v; }
[Differentiable] Tuple<float, float2> tuple(float x) { return makeTuple(x * x, float2(x, x * x * x)); }
[Differentiable] Optional<float> optional(float x) { if (x > 0) return x * x; return none; }
[Differentiable] Part part(float x) { Part p; p.a = x * x; p.b = detach(x); p.k = 2; p.v = float2(x, 2 * x); return p; }
[Differentiable] float[2] array(float x) { float r[2] = { x * x, sin(x) }; return r; }
[Differentiable] float3x3 squared(float3x3 m) { return mul(m, m); }
[Differentiable] float ofOptional(Optional<float> p) { if (p.hasValue) return p.value * p.value; return 0; }
[Differentiable] float ofTuple(Tuple<float, float> t) { return t._0 * t._1; }
[Differentiable] float lambda(float x) { let f = (float y) => y * y * x; return f(x) * x; }
[Differentiable] Holder held(float x) { Disc d; d.r = x; Holder h; h.shape = d; h.k = x * x; return h; }
[Differentiable] float holder(Holder h) { return h.shape.area() * h.k; }
[Differentiable] float shape(IShape s, float x) { return s.area() * x; }
";
    let all = "tuple optional part array squared ofOptional ofTuple lambda held holder shape".split(' ');
    for function in all {
        let (status, lines) = run("kinds", program, &["gradcheck", "--function", function]);
        assert_eq!(status, Some(0), "{lines:?}");
        assert!(lines[0].starts_with(&format!("{function}: ok")), "{lines:?}");
    }
}

/// Nothing goes in or comes out that carries a derivative; a domain in which there is no value; differences that never
/// settle: none of this is "ok".
#[test]
fn a_check_that_compares_nothing_says_so() {
    for (program, arguments, reason) in [
        ("[Differentiable] void f(int x) {}", &[][..], "it takes nothing that carries a derivative"),
        ("[Differentiable] float f(float x) { return log(x); }", &["--domain", "x=-2..-1"], "its value is not finite"),
        ("[Differentiable] int f(float x) { return 1; }", &[], "nothing that carries a derivative comes out of it"),
        (
            "struct Angle : IDifferentiable { float w; }
             struct Turn : IDifferentiable { typealias Differential = Angle; no_diff float2 m;
                [Differentiable] static Angle dzero() { return { 0.0 }; }
                [Differentiable] static Angle dadd(Angle a, Angle b) { return { a.w + b.w }; } }
             [ForwardDerivative(f_fwd)] Turn f(float a) { Turn t; t.m = float2(cos(a), sin(a)); return t; }
             DifferentialPair<Turn> f_fwd(DifferentialPair<float> a) { Angle d = { a.d }; return diffPair(f(a.p), d); }",
            &["--function", "f"],
            "`return`, whose type `Turn` defines its own tangent space",
        ),
    ] {
        let arguments: Vec<&str> = ["gradcheck"].iter().chain(arguments).copied().collect();
        let (status, lines) = run("nothing", program, &arguments);
        assert_eq!(status, Some(4), "{program}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains("NOTHING COMPARED")), "{program}: {lines:?}");
        assert!(lines.iter().any(|line| line.contains(reason)), "{program}: {lines:?}");
        let json: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
        let (status, reports) = self::reports("nothing-json", program, &json);
        let report = reports.iter().find(|report| report["function"] == "f").expect("it is checked");
        assert_eq!((status, &report["verdict"], &report["good"]), (Some(4), &"nothing compared".into(), &false.into()));
    }
}

const NAMED: &str = "
interface IShape : IDifferentiable
{
    [Differentiable] float area(float scale);
    [Differentiable] float twice(float scale) { return area(scale) + area(scale); }
}
struct Disc : IShape
{
    float radius;
    [Differentiable] float area(float scale) { return radius * radius * scale; }
}
struct Sum<let N : int> : IShape
{
    float parts[N];
    [Differentiable] float area(float scale)
    {
        float sum = 0.0;
        [ForceUnroll]
        for (int i = 0; i < N; i++)
            sum += parts[i] * scale;
        return sum;
    }
}
[Differentiable]
float squares<let N : int>(float x[N])
{
    float sum = 0.0;
    [ForceUnroll]
    for (int i = 0; i < N; i++)
        sum += x[i] * x[i];
    return sum;
}
[Differentiable] T scaled<T : __BuiltinFloatingPointType>(T x, T by) { return x * by; }
[Differentiable] float uses(float x)
{
    Sum<3> sum;
    for (int i = 0; i < 3; i++)
        sum.parts[i] = x * x;
    return sum.twice(x);
}
";

/// Methods and generic functions have names; what conforms to an interface stands for its requirement.
#[test]
fn methods_and_generic_functions_are_named() {
    let checked = |arguments: &[&str]| -> (Option<i32>, Vec<String>) {
        let arguments: Vec<&str> = ["gradcheck", "--format", "json"].iter().chain(arguments).copied().collect();
        let (status, reports) = self::reports("named", NAMED, &arguments);
        let good = reports.iter().filter(|report| report["verdict"] == "ok");
        (status, good.map(|report| report["function"].as_str().expect("a name").to_owned()).collect())
    };
    for (name, expected) in [
        ("squares<4>", &["squares<4>"][..]),
        ("Sum<16>.area", &["Sum<16>.area"]),
        ("Disc.area", &["Disc.area"]),
        ("IShape.area", &["Disc.area", "Sum<3>.area"]),
        ("IShape.twice", &["Disc.twice", "Sum<3>.twice"]),
        ("Sum<2>.twice", &["Sum<2>.twice"]),
        ("Sum.area", &["Sum<3>.area"]),
        ("scaled<double>", &["scaled<double>"]),
    ] {
        assert_eq!(
            checked(&["--function", name]),
            (Some(0), expected.iter().map(ToString::to_string).collect()),
            "{name}"
        );
    }
    let (status, all) = checked(&[]);
    assert_eq!(status, Some(0));
    let expected = ["Disc.area", "Disc.twice", "Sum<3>.area", "Sum<3>.twice", "scaled<float>", "squares<2>", "uses"]
        .map(str::to_owned);
    let mut all = all;
    all.sort();
    assert_eq!(all, expected);
}

/// What the file does not use is checked for arguments that are told; what nothing fits is told as skipped.
#[test]
fn arguments_that_are_chosen_are_told() {
    let program = "
interface IOdd : IDifferentiable { [Differentiable] float odd(float x); }
[Differentiable] float never<T : IOdd>(T t, float x) { return t.odd(x); }
[Differentiable] T squared<T : __BuiltinFloatingPointType>(T x) { return x * x; }
";
    let (status, lines) = run("chosen", program, &["gradcheck"]);
    assert_eq!(status, Some(0), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("squared<float>: ok")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("checked for T = float")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("never<T>: skipped (it is generic")), "{lines:?}");
}

#[test]
fn names_that_mean_nothing_are_wrong_use() {
    let wrong: [&[&str]; 5] = [
        &["--function", "nothing"],
        &["--function", "squares<Nothing>"],
        &["--function", "squares<1, 2>"],
        &["--function", "Sum<float>.area<"],
        &["--function", "squares<4>", "--domain", "z=0..1"],
    ];
    for arguments in wrong {
        let all: Vec<&str> = ["gradcheck"].iter().chain(arguments).copied().collect();
        assert_eq!(run("no-name", NAMED, &all).0, Some(2), "{arguments:?}");
    }
}

/// Only what the source marks is held: a derivative that is lost through an interface without a differential shows, one that
/// the source cuts off does not.
#[test]
fn only_what_the_source_marks_is_held() {
    let program = "
interface IScale { [Differentiable] float scale(float x); }
struct Scale : IScale, IDifferentiable { float k; [Differentiable] float scale(float x) { return k * x; } }
[Differentiable] float through<T : IScale>(T t, float x) { return t.scale(x); }
[Differentiable] float lost_generic(float k, float x) { Scale s; s.k = k; return through(s, x); }
[Differentiable] float lost_upcast(float k, float x) { Scale s; s.k = k; IScale i = s; return i.scale(x); }
[Differentiable] float marked(float k, float x) { Scale s; s.k = detach(k); return through(s, x); }
[Differentiable] float by(no_diff float k, float x) { return k * x; }
[Differentiable] float marked_parameter(float k, float x) { return by(k * k, x); }
struct Plain { float v; }
Plain plain_of(float x) { Plain p; p.v = x; return p; }
[Differentiable] float without_differential(float x) { Plain p = plain_of(x); return p.v * x; }
struct Half : IDifferentiable { float a; no_diff float b; }
[Differentiable] float marked_field(float x) { Half h; h.a = x; h.b = detach(x); return h.a * h.b; }
";
    let functions =
        ["lost_generic", "lost_upcast", "marked", "marked_parameter", "without_differential", "marked_field"];
    let arguments = functions.iter().flat_map(|function| ["--function", function]);
    let arguments: Vec<&str> = ["gradcheck", "--format", "json"].into_iter().chain(arguments).collect();
    let (_, reports) = self::reports("marks", program, &arguments);
    for (function, report) in functions.iter().zip(&reports) {
        let expected = if function.starts_with("lost") { "wrong" } else { "ok" };
        assert_eq!((&report["function"], &report["verdict"]), (&(*function).into(), &expected.into()), "{report:#}");
    }
}

/// A buffer behind a pair of places is compared; one without a known place for its derivatives is named, and what is said of
/// the rest says nothing of it.
#[test]
fn buffers_are_compared_or_named() {
    let program = "
struct Ptr : IDifferentiablePtrType { typealias Differential = Ptr; RWStructuredBuffer<float> buf; uint off; }
[BackwardDerivative(load_bwd)] float load(Ptr p, uint i) { return p.buf[p.off + i]; }
void load_bwd(DifferentialPtrPair<Ptr> p, uint i, float g) { p.d.buf[p.d.off + i] -= g; }
[Differentiable] float line(Ptr p, float x) { return load(p, 0) * x + load(p, 1); }
";
    let (status, lines) = run("places", program, &["gradcheck", "--function", "line"]);
    assert_eq!(status, Some(1), "{lines:?}");
    assert!(lines[1].starts_with("  backward: d return / d p.buf["), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.trim() == "it uses derivatives written by hand: `load` (backward)"),
        "{lines:?}"
    );
    let program = "
RWStructuredBuffer<float> cells, others; RWByteAddressBuffer left;
[BackwardDerivative(cell_bwd)] float cell(uint i) { return cells[i] + others[i]; }
void cell_bwd(uint i, float g) { left.InterlockedAddF32(4 * i, g); }
[Differentiable] float line(float x) { return cell(0) * x; }
";
    let (status, lines) = run("uncompared", program, &["gradcheck", "--function", "line"]);
    assert_eq!(status, Some(4), "{lines:?}");
    assert!(lines[0].starts_with("line: NOT SETTLED"), "{lines:?}");
    let told = "not compared: derivatives by the elements of `cells`, `others`, for which no place is known";
    assert!(lines.iter().any(|line| line.trim() == told), "{lines:?}");
    let (_, reports) = self::reports("uncompared", program, &["gradcheck", "--function", "line", "--format", "json"]);
    assert_eq!((&reports[0]["verdict"], &reports[0]["not_settled"][0]), (&"not settled".into(), &told.into()));
}

/// Elements of buffers are inputs where they are read and results where they are written, if there is a place for their
/// derivatives: that of a tensor, or a buffer to which the backward derivative adds.
#[test]
fn buffers_are_checked() {
    let program = "
[Differentiable]
void scale(DiffTensorView a, DiffTensorView o, float k)
{
    [MaxIters(4)]
    for (uint i = 0; i < 4; i++)
    {
        float x = a.load(i);
        o.store(i, x * x * k);
    }
}
RWStructuredBuffer<float> params;
RWStructuredBuffer<float> params_grad;
[BackwardDerivative(get_bwd)]
float get(int i) { return params[i]; }
void get_bwd(int i, float d) { params_grad[i] += d; }
[Differentiable] float right(float x) { return get(0) * x + get(3) * get(3); }

RWStructuredBuffer<float> twice;
RWStructuredBuffer<float> twice_grad;
[BackwardDerivative(get_twice_bwd)]
float get_twice(int i) { return twice[i]; }
void get_twice_bwd(int i, float d) { twice_grad[i] += 2.0 * d; }
[Differentiable] float wrong(float x) { return get_twice(2) * get_twice(1) + x; }
[Differentiable] void nothing(int i) { params[i] = 2.0; }
";
    for (function, verdict) in [("scale", "ok"), ("right", "ok"), ("wrong", "wrong"), ("nothing", "nothing compared")] {
        let (_, reports) =
            self::reports("buffers", program, &["gradcheck", "--format", "json", "--function", function]);
        assert_eq!(reports.last().expect("a report")["verdict"], verdict, "{reports:#?}");
        if function == "wrong" {
            let findings = reports.last().expect("a report")["findings"].as_array().expect("a list");
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert!((findings[0]["ratio"].as_f64().expect("a number") - 2.0).abs() < 1e-6, "{findings:?}");
            assert_eq!(findings[0]["components"][0]["input"], "twice[1]");
        }
    }
}

/// Ten iterations of a line; what a mark would change is told.
#[test]
fn the_cost_of_each_line_is_estimated() {
    let (status, all) = reports("cost", POWERS, &["cost", "--format", "json"]);
    assert_eq!((status, all.len()), (Some(0), 1), "{all:?}");
    let lines = all[0]["lines"].as_array().expect("a list");
    let body = lines.iter().find(|line| line["line"] == 7).expect("the body of the loop");
    // A sine and a cosine.
    assert_eq!(body["forward"]["transcendental"], 20, "{body}");
    assert_eq!(body["text"], "power = sin(power) * x + cos(scale) * float(i);");
    assert_eq!((&all[0]["total"]["bytes"], &all[0]["estimate"]), (&40.into(), &true.into()));
    let total: u64 = lines.iter().filter_map(|line| line["reverse"]["all"].as_u64()).sum();
    assert_eq!(all[0]["total"]["reverse"]["all"], total);
    let without =
        all[0]["alternatives"].as_array().expect("a list").iter().find(|one| one["what"] == "`no_diff` on `x`");
    let reverse = without.and_then(|without| without["reverse"]["all"].as_u64()).expect("less to do");
    assert!(reverse < total, "{reverse} of {total}");
    let (_, text) = run("cost-text", POWERS, &["cost", "--function", "powers"]);
    assert!(text[0].starts_with("powers: forward ") && text[0].ends_with(", keeps 40 B (estimate)"), "{text:?}");
}

/// The derivative written for `f` is right at 0 only; cases say where it is looked at.
const CASES: &str = "/// @gradcheck x = 0
/// @gradcheck x = 2, scale = 1..3
[Differentiable] [BackwardDerivative(f_bwd)]
float f(float x, float scale) { return x * x * x * scale; }
void f_bwd(inout DifferentialPair<float> x, inout DifferentialPair<float> scale, float d)
{
    x = diffPair(x.p, 0.0);
    scale = diffPair(scale.p, x.p * x.p * x.p * d);
}
[Differentiable] float right(float x) { return x < 1.0 ? sin(x) : x; }
";

#[test]
fn cases_are_checks_of_their_own() {
    let (status, lines) = run("cases", CASES, &["gradcheck"]);
    let checks: Vec<&String> = lines.iter().filter(|line| !line.starts_with(' ')).collect();
    let [whole, at_0, at_2, right, summary] = checks[..] else { panic!("{lines:#?}") };
    assert!(whole.starts_with("f: WRONG") && right.starts_with("right: ok"), "{lines:#?}");
    assert!(at_0.starts_with("f [x = 0]: ok"), "{at_0}");
    assert!(at_2.starts_with("f [x = 2, scale = 1..3]: WRONG"), "{at_2}");
    assert_eq!((status, summary.as_str()), (Some(1), "4 checks: 2 ok, 2 wrong"));

    let unknown = "/// @gradcheck y = 1\n[Differentiable] float f(float x) { return x; }\n";
    assert_eq!(run("cases-unknown", unknown, &["gradcheck"]).0, Some(2));
    assert_eq!(run("cases-word", &unknown.replace("y = 1", "x"), &["gradcheck"]).0, Some(2));
}

/// At the jump both modes say 0, and nothing says whether that is right; at the kink differences say what it may be.
#[test]
fn a_case_where_differences_do_not_settle_is_not_settled() {
    let program = "/// @gradcheck x = 0, y = 1
[Differentiable] float jump(float x, float y) { return (x < 0.0 ? 1.0 : 0.0) + y * y; }
/// @gradcheck x = 0
[Differentiable] float kink(float x) { return 3.0 * abs(x); }
";
    let (status, lines) = run("case-at-jump", program, &["gradcheck"]);
    let checks: Vec<&String> = lines.iter().filter(|line| !line.starts_with(' ')).collect();
    let [jump, at_jump, kink, at_kink, _] = checks[..] else { panic!("{lines:#?}") };
    assert!(jump.starts_with("jump: ok") && kink.starts_with("kink: ok"), "{lines:#?}");
    assert!(at_jump.starts_with("jump [x = 0, y = 1]: NOT SETTLED"), "{at_jump}");
    assert!(lines.iter().any(|line| line.contains("settle at none of these inputs: d return / d x")), "{lines:#?}");
    assert!(at_kink.starts_with("kink [x = 0]: ok"), "{at_kink}");
    assert_eq!(status, Some(4), "{lines:#?}");
}

#[test]
fn build_servers_get_the_checks_as_junit() {
    let file = std::env::temp_dir().join(format!("slang-analyzer-junit-{}.xml", std::process::id()));
    let path = file.to_str().expect("a path of text").to_owned();
    let (status, _) = run("junit", CASES, &["gradcheck", "--junit", &path]);
    let text = std::fs::read_to_string(&file).expect("it is written");
    std::fs::remove_file(&file).expect("it is there");
    assert_eq!(status, Some(1));
    assert!(text.contains("<testsuites tests=\"4\" failures=\"2\" skipped=\"0\">"), "{text}");
    assert_eq!((text.matches("<testcase ").count(), text.matches("<failure type=\"WRONG\"").count()), (4, 2), "{text}");
    assert!(text.contains("name=\"f [x = 2, scale = 1..3]\"") && text.contains("differences say"), "{text}");
    // Each element that is opened is closed.
    for element in ["testsuites", "testsuite", "testcase", "failure", "system-out"] {
        let opened = text.matches(&format!("<{element}>")).count() + text.matches(&format!("<{element} ")).count();
        assert_eq!(opened, text.matches(&format!("</{element}>")).count(), "{element}: {text}");
    }
}

/// `x^2 y` at (3, 5): the square is 9 and counts five times.
#[test]
fn lines_have_values() {
    let text = "[Differentiable]\nfloat f(float x, float y)\n{\n    float s = x * x;\n    return s * y;\n}\n";
    let (status, lines) = run("values", text, &["values", "--function", "f", "--at", "3,5"]);
    assert_eq!((status, lines[0].as_str()), (Some(0), "f at x = 3, y = 5"));
    assert!(lines[1].ends_with(":4: x * x = 9, d 5") && lines[2].ends_with(":5: s * y = 45, d 1"), "{lines:?}");
    assert_eq!(run("values-none", text, &["values"]).0, Some(2));
}

const POLES: &str = "[Differentiable] float angle(float3 a, float3 b) { return acos(dot(a, b)); }
[Differentiable]
float masked(float x)
{
    let taken = log(x);
    return select(x > 0.0, taken, 0.0);
}
[Differentiable] float tame(float x) { return sqrt(x * x + 1.0); }
";

/// The line of the source, the numbers there and what to write instead; the value is told apart from the derivative.
#[test]
fn the_origin_of_a_nan_is_named() {
    let (status, all) = reports("nan", POLES, &["nan", "--format", "json", "--domain", "x=0..2"]);
    assert_eq!((status, all.len()), (Some(1), 3), "{all:?}");
    let of = |name: &str| all.iter().find(|report| report["function"] == name).expect("it is run");
    let origin = &of("masked")["origins"][0];
    assert_eq!((&origin["line"], &origin["column"], &origin["text"]), (&5.into(), &17.into(), &"log(x)".into()));
    assert_eq!((&origin["operation"], &origin["operands"]), (&"log".into(), &serde_json::json!([0.0])));
    assert_eq!(origin["stages"], serde_json::json!(["backward"]));
    assert_eq!(of("tame")["origins"], serde_json::json!([]));

    let at = ["nan", "--function", "angle", "--at", "1,0,0,1,0,0"];
    let (status, lines) = run("nan-at", POLES, &at);
    assert_eq!((status, lines[0].as_str()), (Some(1), "angle: NOT FINITE (1 origin, 1 input)"));
    assert!(lines[1].contains("forward and backward: d return / d a.x is") && lines[1].contains("clamp"), "{lines:?}");
    let (status, lines) = run("nan-tame", POLES, &["nan", "--function", "tame"]);
    assert_eq!((status, lines.len()), (Some(0), 1), "{lines:?}");
}

/// `size = s b`, `shift = 1/4 + h size`: `(size^2 + shift) h + 3 (4 size + shift^2) + 2 size`, and its derivatives by hand.
#[test]
fn derivatives_go_through_structs_that_inherit() {
    let program = "struct Shape : IDifferentiable
{
    float size;
    float shift;

    [Differentiable]
    float area() { return size * size + shift; }

    [mutating]
    [Differentiable]
    void grow(float by) { size = size * by; }

    property float twice
    {
        [Differentiable] get { return 2.0 * size; }
    }
}

struct Box : Shape, IDifferentiable
{
    float height;

    [Differentiable]
    float volume() { return area() * height; }
}

struct Crate : Box, IDifferentiable
{
    float price;
}

[Differentiable]
float outline(Shape shape) { return 4.0 * shape.size + shape.shift * shape.shift; }

[Differentiable]
void move(inout Shape shape, float by) { shape.shift = shape.shift + by * shape.size; }

[Differentiable]
float worth(float size, float height, float by)
{
    Crate crate;
    crate.size = size;
    crate.shift = 0.25;
    crate.height = height;
    crate.price = 3.0;
    crate.grow(by);
    move(crate, height);
    Box box = crate;
    return box.volume() + outline(crate) * crate.price + crate.twice;
}";
    let arguments = ["jacobian", "--function", "worth", "--at", "0.5,1.5,2", "--format", "json"];
    let (status, lines) = run("inheritance", program, &arguments);
    assert_eq!((status, lines.len()), (Some(0), 1), "{lines:?}");
    let row: Value = serde_json::from_str(&lines[0]).expect("a JSON object");
    assert_eq!((&row["value"], &row["derivatives"]), (&27.3125.into(), &serde_json::json!([70.0, 14.75, 17.5])));
    let (status, lines) = run("inheritance-check", program, &["gradcheck"]);
    assert_eq!(status, Some(0), "{lines:?}");
}
