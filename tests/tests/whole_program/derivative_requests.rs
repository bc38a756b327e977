//! The requests of an editor about derivatives: which names carry one, what reverse mode keeps, whether it is right.

use serde_json::{Value, json};
use test_support::lsp_client::LspClient;
use whole_program_tests::{root, server};

const URI: &str = "file:///session/main.slang";

const TEXT: &str = "[Differentiable]
float f(float x, no_diff float k)
{
    float kept = detach(x);
    float y = x * k;
    return sin(y) * kept;
}
";

fn open(text: &str) -> LspClient {
    let mut client = LspClient::start(&server(), &root().join("fixtures/constructs"));
    client.open(URI, text);
    client
}

fn ask(client: &mut LspClient, method: &str, line: u32) -> Value {
    let position = json!({"line": line, "character": 4});
    client.request(method, json!({"textDocument": {"uri": URI}, "position": position}))
}

#[test]
fn derivatives_of_requirements_are_named_by_their_interface() {
    let text = "interface IPdf { [Differentiable] static float log(float x); }
float slope<T0 : IPdf>(float x)
{
    var p = diffPair(x);
    bwd_diff(T0.log)(p, 1.0);
    bwd_diff(T0.log)(p);
    return p.d + fwd_diff(T0.log)(p).d;
}
";
    let mut client = open(text);
    let backward = "void bwd_diff(IPdf.log)(inout DifferentialPair<float> x, float dResult)";
    let forward = "DifferentialPair<float> fwd_diff(IPdf.log)(DifferentialPair<float> x)";
    // On the operator, and on the name inside of it.
    for (line, character, shown) in [(4, 6, backward), (4, 16, backward), (6, 20, forward), (6, 30, forward)] {
        let hover = client.hover(URI, line, character);
        assert!(hover.contains(shown) && !hover.contains("This."), "{line}:{character}: {hover}");
    }
    let position = json!({"line": 5, "character": 21});
    let help =
        client.request("textDocument/signatureHelp", json!({"textDocument": {"uri": URI}, "position": position}));
    assert_eq!(help["signatures"][0]["label"], backward);
    let messages: Vec<String> = client.diagnostics(URI, 1).iter().map(ToString::to_string).collect();
    assert!(messages.iter().any(|message| message.contains(backward)), "{messages:?}");
}

#[test]
fn names_carry_derivatives() {
    let mut client = open(TEXT);
    let answer = ask(&mut client, "slang-analyzer/derivativeFlow", 4);
    assert_eq!(answer["function"], "f");
    let lines: Vec<&str> = TEXT.lines().collect();
    let shown = |value: &Value| {
        let at = |end: &str, field: &str| value["range"][end][field].as_u64().expect("a number") as usize;
        let (line, start, end) = (at("start", "line"), at("start", "character"), at("end", "character"));
        format!("{line} {} {}", &lines[line][start..end], value["state"].as_str().expect("a word"))
    };
    let values: Vec<String> = answer["values"].as_array().expect("a list").iter().map(shown).collect();
    let expected = [
        "1 x active",
        "1 k independent",
        "3 kept ended",
        "3 x active",
        "4 y active",
        "4 x active",
        "4 k independent",
        "5 y active",
        "5 kept ended",
    ];
    assert_eq!(values, expected);
    let hover = client.hover(URI, 4, 10);
    assert!(hover.contains("carries a derivative: `x` → `y` → the result"), "{hover}");
    // Nothing is said while the body has errors, and nothing outside of functions.
    client.replace_all(URI, 2, &TEXT.replace("sin(y)", "sin(nothing)"));
    assert_eq!(ask(&mut client, "slang-analyzer/derivativeFlow", 4)["values"], json!([]));
    assert_eq!(ask(&mut client, "slang-analyzer/derivativeFlow", 7), Value::Null);
}

#[test]
fn a_derivative_that_ends_is_explained_place_by_place() {
    let mut client = open(TEXT);
    let position = json!({"line": 5, "character": 21});
    let params = json!({"textDocument": {"uri": URI}, "position": position});
    let answer = client.request("slang-analyzer/explainDerivative", params);
    assert_eq!((&answer["name"], &answer["state"]), (&json!("kept"), &json!("ended")), "{answer}");
    let steps: Vec<(&str, u64)> = answer["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|step| (step["part"].as_str().expect("a word"), step["range"]["start"]["line"].as_u64().expect("a line")))
        .collect();
    assert_eq!(steps, [("comes", 1), ("ends", 3), ("goes", 3), ("goes", 1)], "{answer}");
    assert_eq!(answer["steps"][1]["text"], "`detach(x)` drops it, as the source says");
    // A type has no derivative of its own.
    assert_eq!(ask(&mut client, "slang-analyzer/explainDerivative", 4)["name"], Value::Null);
}

const POWERS: &str = "[BackwardDerivative(cube_bwd)]
float cube(float x) { return x * x * x; }
void cube_bwd(inout DifferentialPair<float> p, float d) { p = diffPair(p.p, 2.0 * p.p * p.p * d); }
[Differentiable]
float powers(float x)
{
    float product = 1.0;
    [MaxIters(8)]
    for (int i = 0; i < 8; i++)
        product = product * sin(product * x);
    return product;
}
float plain(float x) { return x; }
";

/// Eight values of four bytes go from one iteration to the next.
#[test]
fn residuals_have_places_and_reasons() {
    let mut client = open(POWERS);
    let plan = ask(&mut client, "slang-analyzer/residualPlan", 6);
    assert_eq!((&plan["function"], &plan["bytes"], &plan["problems"]), (&json!("powers"), &json!(32), &json!([])));
    let items = plan["items"].as_array().expect("a list");
    let stored = items.iter().find(|item| item["decision"] == "stored").expect("something is stored");
    assert_eq!((&stored["name"], &stored["totalBytes"]), (&json!("product"), &json!(32)));
    assert_eq!(stored["uri"], URI);
    let problems = &ask(&mut client, "slang-analyzer/residualPlan", 12)["problems"];
    assert_eq!(problems, &json!(["the function is not differentiable: mark it [Differentiable]"]));
}

#[test]
fn gradients_are_checked_while_the_user_types() {
    let mut client = open(POWERS);
    let of = |client: &mut LspClient, line| ask(client, "slang-analyzer/gradientCheck", line);
    let cube = of(&mut client, 1);
    assert_eq!((&cube["function"], &cube["verdict"]), (&json!("cube"), &json!("wrong")));
    let lines = cube["lines"].as_array().expect("a list");
    assert!(lines.iter().any(|line| line.as_str().is_some_and(|line| line.starts_with("backward: d return / d x is"))));
    assert_eq!(of(&mut client, 5)["verdict"], "ok");
    assert_eq!(of(&mut client, 12)["verdict"], "notChecked");
    assert_eq!(of(&mut client, 13), Value::Null);
}

/// The derivative alone is not finite, as the logarithm that the `select` drops is differentiated, too.
#[test]
fn the_origin_of_a_nan_has_a_place_and_a_cure() {
    let text = "[Differentiable]
float masked(float x)
{
    let taken = log(x);
    return select(x > 0.0, taken, 0.0);
}
";
    let mut client = open(text);
    let answer = ask(&mut client, "slang-analyzer/nonFinite", 3);
    assert_eq!((&answer["function"], &answer["problems"]), (&json!("masked"), &json!([])));
    let [origin] = answer["origins"].as_array().expect("a list").as_slice() else { panic!("{answer:#}") };
    assert_eq!((&origin["uri"], &origin["stages"]), (&json!(URI), &json!(["backward"])));
    assert_eq!((&origin["range"]["start"]["line"], &origin["range"]["start"]["character"]), (&json!(3), &json!(16)));
    assert!(origin["cure"].as_str().is_some_and(|cure| cure.contains("max(x")), "{origin:#}");
    let message = origin["message"].as_str().expect("words");
    assert!(message.contains("`log` of (") && message.contains("although the value is finite"), "{message}");
    // At inputs that are given.
    let mut at = |numbers: &[f64]| {
        let position = json!({"line": 3, "character": 4});
        let params = json!({"textDocument": {"uri": URI}, "position": position, "at": numbers});
        client.request("slang-analyzer/nonFinite", params)
    };
    assert_eq!((&at(&[2.0])["origins"], &at(&[2.0])["points"]), (&json!([]), &json!(1)));
    assert_eq!(at(&[0.0])["origins"][0]["inputs"], json!([0.0]));
    assert_eq!(at(&[1.0, 2.0])["problems"], json!(["its inputs are not 2 numbers"]));
}

/// Eight sines forward; in reverse these, the same again on the way back, and their cosines.
#[test]
fn each_line_has_its_cost() {
    let mut client = open(POWERS);
    let cost = ask(&mut client, "slang-analyzer/cost", 6);
    assert_eq!((&cost["function"], &cost["problems"]), (&json!("powers"), &json!([])));
    let lines = cost["lines"].as_array().expect("a list");
    let body = lines.iter().find(|line| line["range"]["start"]["line"] == 9).expect("the body of the loop");
    assert_eq!(body["text"], "product = product * sin(product * x);");
    // Two products and a sine, eight times.
    assert_eq!(body["forward"], 24, "{cost:#}");
    assert_eq!(body["transcendental"], 24, "{cost:#}");
    let bytes: u64 = lines.iter().filter_map(|line| line["bytes"].as_u64()).sum();
    assert_eq!((&cost["total"]["bytes"], bytes), (&json!(32), 32));
    let alternatives = cost["alternatives"].as_array().expect("a list");
    assert!(alternatives.iter().any(|one| one["what"] == "`no_diff` on `x`"), "{cost:#}");
    assert_eq!(ask(&mut client, "slang-analyzer/cost", 12)["problems"].as_array().map(Vec::len), Some(1));
}

/// What a test explorer asks: which functions there are, and what came of each case.
#[test]
fn gradient_checks_are_tests() {
    let text = "/// @gradcheck x = 1\n[Differentiable] [BackwardDerivative(f_bwd)]
float f(float x) { return x * x; }
void f_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 3.0 * x.p * d); }
[Differentiable] float g(float x) { return sin(x); }
float plain(float x) { return x; }
";
    let mut client = open(text);
    let tests = client.request("slang-analyzer/gradientTests", json!({"textDocument": {"uri": URI}}));
    let listed: Vec<String> = tests
        .as_array()
        .expect("a list")
        .iter()
        .map(|test| format!("{} {} {}", test["function"], test["range"]["start"]["line"], test["cases"]))
        .collect();
    assert_eq!(listed, ["\"f\" 2 [\"x = 1\"]", "\"g\" 4 []"]);
    let outcomes = ask(&mut client, "slang-analyzer/gradientCheck", 2)["outcomes"].clone();
    let [whole, case] = outcomes.as_array().expect("a list").as_slice() else { panic!("{outcomes:#}") };
    assert_eq!((&whole["name"], &whole["verdict"]), (&json!("f"), &json!("wrong")));
    assert_eq!((&case["name"], &case["verdict"]), (&json!("f [x = 1]"), &json!("wrong")));
    let finding = &case["findings"][0];
    let number = |name: &str| finding[name].as_f64().expect("a number");
    assert!((number("expected") - 2.0).abs() < 1e-4 && (number("got") - 3.0).abs() < 1e-9, "{finding}");
    assert_eq!(
        client.request("slang-analyzer/gradientTests", json!({})).as_array().map(|all| all.is_empty()),
        Some(false)
    );
}

const PRODUCT: &str = "struct S : IDifferentiable { float a; }
[Differentiable]
float product(S s, float2 v, no_diff float k, bool b)
{
    float power = 1.0;
    for (int i = 0; i < 3; i++)
        power = power * s.a;
    float held = detach(power);
    return power * v.y + k * held;
}
";

/// `a^3 v.y + k a^3`, of which the second is held: 3 a^2 v.y and a^3 are its derivatives.
#[test]
fn a_function_is_explored_at_a_point() {
    let mut client = open(PRODUCT);
    let mut explore = |more: Value| {
        let mut params = json!({"textDocument": {"uri": URI}, "position": {"line": 4, "character": 4}});
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        client.request("slang-analyzer/explore", params)
    };
    let first = explore(json!({}));
    let inputs: Vec<String> = first["inputs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|input| format!("{} {} {}", input["name"], input["kind"], input["isDifferentiable"]))
        .collect();
    let expected = [
        "\"s.a\" \"float\" true",
        "\"v.x\" \"float\" true",
        "\"v.y\" \"float\" true",
        "\"k\" \"float\" false",
        "\"b\" \"bool\" false",
    ];
    assert_eq!(inputs, expected);
    let at = json!([2.0, 0.0, 5.0, 3.0, 1.0]);
    let sweep = json!({"number": 0, "low": 0.0, "high": 4.0});
    let answer = explore(json!({"at": at, "along": sweep}));
    assert_eq!((&answer["results"][0]["value"], &answer["problems"]), (&json!(64.0), &json!([])));
    for (number, derivative) in [(0, 60.0), (1, 0.0), (2, 8.0)] {
        let gradients = answer["gradients"].as_array().expect("a list");
        let gradient = gradients.iter().find(|gradient| gradient["input"] == number).expect("it is there");
        assert_eq!(
            (&gradient["forward"], &gradient["backward"]),
            (&json!(derivative), &json!(derivative)),
            "{gradient}"
        );
        let differences = gradient["differences"].as_f64().expect("they settle");
        assert!((differences - derivative).abs() < 1e-4, "{gradient}");
    }
    let (xs, values) = (&answer["along"]["xs"], &answer["along"]["values"]);
    let middle = xs.as_array().expect("a list").iter().position(|x| *x == json!(2.0)).expect("the middle");
    assert_eq!((&values[middle], &answer["along"]["derivatives"][middle]), (&json!(64.0), &json!(60.0)));
    assert_eq!(values[0], json!(0.0));
    let errors = answer["errors"].as_array().expect("a list");
    // The error of a central difference of `5 a^3` is `5 h^2`.
    let of_first = errors[0][1].as_f64().expect("a number");
    assert!(errors.len() == 12 && (of_first - 0.05).abs() < 1e-9, "{errors:?}");
    let map = explore(json!({"at": at, "along": sweep, "over": {"number": 3, "low": 0.0, "high": 1.0}}));
    let last = |list: &Value| list.as_array().and_then(|list| list.last().cloned()).expect("not empty");
    // 4^3 (5 + 1).
    assert_eq!(last(&last(&map["over"]["values"])), json!(384.0));
    assert_eq!(explore(json!({"at": [1.0]}))["problems"], json!(["its inputs are not 1 numbers"]));
}

/// After each iteration the power is `a^n`; what comes then multiplies it by `a^(3 - n) v.y`.
#[test]
fn lines_have_values_and_cotangents() {
    let mut client = open(PRODUCT);
    let mut of = |iteration: Value| {
        let position = json!({"line": 4, "character": 4});
        let at = [2.0, 0.0, 5.0, 3.0, 1.0];
        let params = json!({"textDocument": {"uri": URI}, "position": position, "at": at, "iteration": iteration});
        let answer = client.request("slang-analyzer/values", params);
        assert_eq!(answer["problems"], json!([]));
        let lines = answer["lines"].as_array().expect("a list").clone();
        move |line: u32| {
            let found = lines.iter().find(|found| found["range"]["start"]["line"] == line);
            let found = found.unwrap_or_else(|| panic!("nothing in line {line}: {lines:?}")).clone();
            let number = |list: &Value| list[0].as_f64().expect("a number");
            let cotangent = (number(&found["cotangent"]) * 1e4).round() / 1e4;
            (number(&found["value"]), cotangent, found["count"].as_u64(), found["iteration"].as_u64())
        }
    };
    let last = of(Value::Null);
    assert_eq!(last(6), (8.0, 5.0, Some(3), Some(2)));
    assert_eq!(last(8), (64.0, 1.0, Some(1), Some(0)));
    let first = of(json!(0));
    assert_eq!(first(6), (2.0, 20.0, Some(3), Some(0)));
    assert_eq!(of(json!(1))(6), (4.0, 10.0, Some(3), Some(1)));
}

#[test]
fn lenses_preview_and_check() {
    let mut client = open(POWERS);
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    let show = |lens: &Value| {
        let (line, command) = (&lens["range"]["start"]["line"], &lens["command"]);
        format!("{line} {}: {}", command["title"].as_str().expect("a title"), command["command"])
    };
    // What a function costs is counted for the lenses that are seen.
    let resolve = |lens: &Value| match lens["command"].is_null() {
        true => client.request("codeLens/resolve", lens.clone()),
        false => lens.clone(),
    };
    let resolved: Vec<Value> = lenses.as_array().expect("a list").iter().map(resolve).collect();
    let shown: Vec<String> = resolved.iter().map(show).collect();
    let expected = [
        "1 bwd_diff(cube): \"slang-analyzer.previewDerivative\"",
        "1 check gradient: \"slang-analyzer.checkGradient\"",
        "1 find NaN: \"slang-analyzer.findNonFinite\"",
        "1 forward 2 ops, reverse 3 ops (estimate): \"slang-analyzer.showCost\"",
        "4 bwd_diff(powers): \"slang-analyzer.previewDerivative\"",
        "4 fwd_diff(powers): \"slang-analyzer.previewDerivative\"",
        "4 check gradient: \"slang-analyzer.checkGradient\"",
        "4 find NaN: \"slang-analyzer.findNonFinite\"",
        "4 forward 40 ops (8 transcendental), …",
    ];
    let matches = |(shown, expected): (&String, &str)| match expected.strip_suffix('…') {
        Some(start) => shown.starts_with(start),
        None => shown == expected,
    };
    assert_eq!(shown.len(), expected.len(), "{shown:?}");
    assert!(shown.iter().zip(expected).all(matches), "{shown:?}");
}

/// A derivative that the user wrote stands for its function, as a member does for the requirement that it fulfils.
#[test]
fn derivatives_and_their_functions_lead_to_each_other() {
    let shapes =
        "interface IShape { float area(); }\nstruct Disc : IShape { float r; float area() { return r * r; } }\n";
    let text = format!("{POWERS}{shapes}");
    let mut client = open(&text);
    let mut lines = |method: &str, line: u32, character: u32| -> Vec<u64> {
        let position = json!({"line": line, "character": character});
        let found = client.request(method, json!({"textDocument": {"uri": URI}, "position": position}));
        let found = found.as_array().expect("a list");
        found.iter().map(|place| place["range"]["start"]["line"].as_u64().expect("a line")).collect()
    };
    assert_eq!(lines("textDocument/implementation", 1, 7), [2]);
    assert_eq!(lines("textDocument/declaration", 2, 6), [1]);
    assert_eq!(lines("textDocument/declaration", 4, 7), [4]);
    assert_eq!(lines("textDocument/declaration", 14, 42), [13]);
    assert_eq!(lines("textDocument/implementation", 13, 26), [14]);
}

/// In every language that is text, without the library that some need in front; what there is not is an error.
#[test]
fn previews_speak_every_target() {
    let mut client = open(POWERS);
    let params = |target: &str| {
        let position = json!({"line": 5, "character": 4});
        json!({"textDocument": {"uri": URI}, "position": position, "target": target})
    };
    for (target, word) in [
        ("slang", "inout DifferentialPair_float"),
        ("hlsl", "inout DifferentialPair_float"),
        ("glsl", "inout DifferentialPair_float"),
        ("wgsl", "fn "),
        ("cpp", "DifferentialPair_float&"),
        ("cuda", "__device__"),
    ] {
        let preview = client.request("slang-analyzer/derivativePreview", params(target));
        let text = preview["text"].as_str().expect("a text");
        assert!(text.contains(word) && text.lines().count() < 100, "{target}: {text}");
        assert!(preview["lines"].as_array().is_some_and(|lines| !lines.is_empty()));
    }
    let error = client.request_error("slang-analyzer/derivativePreview", params("basic"));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("no target `basic`; the targets are slang, hlsl, glsl, wgsl"), "{message}");
}

/// As the command line prints it, after any pass; what is not a pass is refused with the names of all.
#[test]
fn the_intermediate_representation_is_shown_after_a_pass() {
    let mut client = open(TEXT);
    let lowered = ask(&mut client, "slang-analyzer/ir", 3);
    assert_eq!(lowered["function"], "f");
    let text = lowered["text"].as_str().expect("text");
    assert!(text.starts_with("func @f(%x: f32 diff") && text.contains("sin("), "{text}");
    let passes = lowered["passes"].as_array().expect("names");
    assert!(passes.contains(&json!("normalise")) && passes.contains(&json!("legalise-wgsl")), "{passes:?}");
    let after = |pass: &str| {
        let position = json!({"line": 0, "character": 0});
        json!({"textDocument": {"uri": URI}, "position": position, "function": "f", "after": pass})
    };
    let simplified = client.request("slang-analyzer/ir", after("simplify"));
    assert!(simplified["text"].as_str().expect("text").starts_with("func @f("), "{simplified}");
    let message = client.request_error("slang-analyzer/ir", after("nothing")).to_string();
    assert!(message.contains("no pass is called `nothing`") && message.contains("trip-count"), "{message}");
}

#[test]
fn the_preview_of_a_function_with_errors_says_which_and_where() {
    let text = "float helper(float x) { return missing(x); }
[Differentiable] float own(float x) { return x + wrong(x); }
[Differentiable] float through(float x) { return no_diff helper(x) * x; }
";
    let mut client = open(text);
    for (line, error) in
        [(1, "E30015 at 2:50: undefined identifier 'wrong'"), (2, "E30015 at 1:32: undefined identifier 'missing'")]
    {
        let position = json!({"line": line, "character": 30});
        let params = json!({
            "textDocument": {"uri": URI}, "position": position, "operator": "backward", "target": "slang",
        });
        let preview = client.request("slang-analyzer/derivativePreview", params);
        let shown = preview["text"].as_str().unwrap_or_default();
        assert!(shown.contains(error), "{shown}");
    }
}
