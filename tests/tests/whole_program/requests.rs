//! What a program asks for beside its values: each request is written in each language, not needed there for a reason, or
//! refused by name; and each attribute and modifier of the language has an answer.

use std::process::Command;

use codegen::{
    Target,
    requests::{Answer, Request},
};
use hir_def::attribute::{ATTRIBUTES, AttributeKind, InCode, MODIFIERS};
use ir::Advice;
use whole_program_tests::{
    process::{Limited as _, Scratch, output_of},
    server,
};

/// The code, or what is said instead.
fn emit(scratch: &Scratch, text: &str, target: Target, entry: &str) -> Result<Vec<u8>, String> {
    let file = scratch.write("program.slang", text);
    let output = Command::new(server())
        .args(["emit", "--target", target.name(), "--entry", entry])
        .arg(&file)
        .finished()
        .expect("the analyzer runs");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(output.stdout) } else { Err(messages) }
}

/// A program that asks for it.
fn program(request: Request) -> String {
    let compute = "[shader(\"compute\")] [numthreads(32, 1, 1)]";
    let body = |attributes: &str, statements: &str| {
        format!(
            "RWStructuredBuffer<float> o;
            {compute} {attributes} void main(uint3 t : SV_DispatchThreadID) {{ float x = o[t.x]; {statements} o[t.x] = x; }}"
        )
    };
    match request {
        Request::Advice(Advice::Branch) => body("", "[branch] if (x > 1) { o[t.x + 1] = x; x = sin(x); }"),
        Request::Advice(Advice::Flatten) => body("", "[flatten] if (x > 1) { x = sin(x) + o[t.x + 1]; }"),
        Request::Advice(Advice::Unroll) => body("", "[unroll] for (int i = 0; i < 4; i++) x += o[i] * x;"),
        Request::Advice(Advice::Loop) => body("", "[loop] for (int i = 0; i < 4; i++) x += o[i] * x;"),
        Request::Precise => body("", "precise float y = x * o[1] + o[2]; x = y;"),
        Request::WaveSize(lanes) => body(&format!("[WaveSize({lanes})]"), ""),
        Request::Coherent => format!(
            "globallycoherent RWStructuredBuffer<uint> flags;
            {compute} void main(uint3 t : SV_DispatchThreadID) {{ flags[t.x] = flags[t.x + 1]; }}"
        ),
        Request::TexelFormat => format!(
            "[format(\"rgba8\")] RWTexture2D<float4> image;
            {compute} void main(uint3 t : SV_DispatchThreadID) {{ image[t.xy] = float4(0.5); }}"
        ),
        Request::FragmentOrder => "RasterizerOrderedStructuredBuffer<float> o;
            [shader(\"fragment\")] float4 main(float4 p : SV_Position) : SV_Target { o[0] += p.z; return p; }"
            .to_owned(),
        Request::EarlyFragmentTests => "RWStructuredBuffer<float> o;
            [earlydepthstencil] [shader(\"fragment\")]
            float4 main(float4 p : SV_Position) : SV_Target { o[0] = p.z; return p; }"
            .to_owned(),
    }
}

#[test]
fn each_request_has_an_answer_in_each_language() {
    let scratch = Scratch::new("requests");
    for request in Request::ALL {
        for target in Target::ALL {
            let (what, emitted) =
                (format!("{request:?} in {target:?}"), emit(&scratch, &program(request), target, "main"));
            match (request.answer(target), emitted) {
                (Answer::Written(words), Ok(code)) if target.is_text() => {
                    let text = String::from_utf8_lossy(&code).into_owned();
                    assert!(text.contains(words), "{what}: `{words}` is missing\n{text}");
                }
                (Answer::Written(words), Ok(code)) => {
                    let binary = scratch.file("program.spv");
                    std::fs::write(&binary, code).expect("the folder can be written");
                    let text = output_of(Command::new("spirv-dis").arg(&binary)).expect("spirv-dis runs");
                    let text = text.expect("spirv-dis takes the module");
                    assert!(text.contains(words), "{what}: `{words}` is missing\n{text}");
                }
                (Answer::NotNeeded(reason), _) => assert!(!reason.is_empty(), "{what}"),
                (Answer::Refused, Err(messages)) => {
                    let words = format!("`{}` is not supported for target `{}`", request.name(), target.name());
                    // What cannot be emitted at all is refused for another reason.
                    let has_none = messages.contains("is not supported");
                    assert!(messages.contains(&words) || has_none, "{what}: {messages}");
                }
                // Slang's own dialect has no fragment shaders.
                (Answer::Written(_), Err(messages)) => {
                    let is_of_fragments = matches!(request, Request::EarlyFragmentTests | Request::FragmentOrder);
                    let is_stage = is_of_fragments && target == Target::Slang;
                    assert!(is_stage, "{what}: {messages}");
                }
                (Answer::Refused, Ok(_)) => panic!("{what} vanished"),
            }
        }
    }
}

/// A program with what is refused, `None` for what stages are refused for that cannot be compiled, or the core library's.
fn refused_program(kind: AttributeKind) -> Option<String> {
    let of_function = |attribute: &str| {
        format!(
            "RWStructuredBuffer<float> o;
            [shader(\"compute\")] [numthreads(4, 2, 1)] {attribute} void main(uint3 t : SV_DispatchThreadID) {{ o[t.x] = 1; }}"
        )
    };
    let of_field = |attribute: &str| {
        format!(
            "RWStructuredBuffer<float> o; struct S {{ {attribute} float a; }} ConstantBuffer<S> s;
            [shader(\"compute\")] [numthreads(4, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {{ o[t.x] = s.a; }}"
        )
    };
    Some(match kind {
        AttributeKind::ShaderRecord => "RWStructuredBuffer<float> o; struct S { float a; }
            [[vk::shader_record]] ConstantBuffer<S> s;
            [shader(\"compute\")] [numthreads(4, 1, 1)] void main(uint3 t : SV_DispatchThreadID) { o[t.x] = s.a; }"
            .to_owned(),
        AttributeKind::Offset => of_field("[[vk::offset(16)]]"),
        AttributeKind::InputAttachmentIndex => of_field("[[vk::input_attachment_index(0)]]"),
        AttributeKind::Shader64BitIndexing => of_function("[Shader64BitIndexing]"),
        AttributeKind::DerivativeGroupQuad => of_function("[DerivativeGroupQuad]"),
        AttributeKind::DerivativeGroupLinear => of_function("[DerivativeGroupLinear]"),
        AttributeKind::MaximallyReconverges => of_function("[MaximallyReconverges]"),
        AttributeKind::QuadDerivatives => of_function("[QuadDerivatives]"),
        AttributeKind::RequireFullQuads => of_function("[RequireFullQuads]"),
        AttributeKind::DllExport => of_function("[DllExport]"),
        AttributeKind::DllImport | AttributeKind::SpirvInstruction | AttributeKind::RequirePrelude => return None,
        _ => panic!("{kind:?} is not refused"),
    })
}

#[test]
fn what_would_be_lost_is_refused_by_name() {
    let scratch = Scratch::new("refused-attributes");
    for info in ATTRIBUTES {
        match info.kind.in_code() {
            InCode::Meaningless(reason) => assert!(!reason.is_empty(), "{:?}", info.kind),
            InCode::Decided | InCode::Carried => {}
            InCode::Refused => {
                let Some(text) = refused_program(info.kind) else { continue };
                let messages = emit(&scratch, &text, Target::Hlsl, "main").expect_err(info.name());
                assert!(messages.contains(&format!("`[{}]` is not supported", info.name())), "{messages}");
            }
        }
    }
    for info in MODIFIERS.iter().filter(|info| info.in_code == InCode::Refused) {
        let text = format!(
            "{} RWStructuredBuffer<float> o;
            [shader(\"compute\")] [numthreads(4, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {{ o[t.x] = 1; }}",
            info.word
        );
        let messages = emit(&scratch, &text, Target::Hlsl, "main").expect_err(info.word);
        assert!(messages.contains(&format!("`{}` here is not supported", info.word)), "{messages}");
    }
}

/// Unrolled or not, branched over or flattened, and rounded one by one: the compilers of the languages take the words.
#[test]
fn compilers_take_the_words() {
    let dxc = std::env::var_os("DXC").map_or(whole_program_tests::root().join("target/tools/dxc/dxc"), Into::into);
    let scratch = Scratch::new("request-words");
    for request in Request::ALL {
        let (profile, stage) = match request {
            Request::EarlyFragmentTests | Request::FragmentOrder => ("ps_6_6", "frag"),
            _ => ("cs_6_6", "comp"),
        };
        for target in [Target::Hlsl, Target::Glsl, Target::Cpp] {
            let Ok(code) = emit(&scratch, &program(request), target, "main") else { continue };
            let file = scratch.write("code", &String::from_utf8_lossy(&code));
            let mut command = match target {
                Target::Hlsl => {
                    let mut command = Command::new(&dxc);
                    command.arg(&file).args(["-T", profile, "-E", "main", "-enable-16bit-types", "-HV", "2021", "-WX"]);
                    command
                }
                Target::Glsl => {
                    let mut command = Command::new("glslangValidator");
                    command.args(["-S", stage, "--target-env", "vulkan1.1"]).arg(&file);
                    command.arg("-o").arg(scratch.file("code.spv"));
                    command
                }
                _ => {
                    let mut command = Command::new("g++");
                    command.args(["-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-x", "c++"]).arg(&file);
                    command
                }
            };
            let output = command.finished().expect("the compiler runs");
            let said =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{request:?} in {target:?}: {said}");
        }
    }
}

/// A constant that another module must provide is never zero in silence.
#[test]
fn constants_that_no_module_exports_are_refused() {
    let scratch = Scratch::new("extern-constants");
    let program = |declarations: &str| {
        format!(
            "{declarations} RWStructuredBuffer<float> o;
            [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ o[0] = scale; }}"
        )
    };
    let messages = emit(&scratch, &program("extern static const float scale;"), Target::Hlsl, "main");
    let messages = messages.expect_err("it has no value");
    assert!(messages.contains("`scale`, which no module exports, is not supported"), "{messages}");
    let code = emit(&scratch, &program("extern static const float scale = 2.5;"), Target::Hlsl, "main");
    assert!(String::from_utf8_lossy(&code.expect("it has its own value")).contains("2.5"));
}

/// A default that the program replaces is nowhere taken in its place: what reads the constant reads what is exported, and
/// where the default was computed with before that is known, the program is refused.
#[test]
fn replaced_defaults_are_nowhere_taken() {
    let scratch = Scratch::new("replaced-defaults");
    let host = |call: &str| {
        format!(
            "import library; export static const int count = 5; RWStructuredBuffer<float> o;
            [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ o[0] = {call}; }}"
        )
    };
    let declared = "module library; public extern static const int count = 2;\n";
    let early = [
        ("an array", "public float f() { float a[count]; a[0] = 1; return a[0]; }"),
        (
            "a constant",
            "static const int twice = count * 2; public float f() { float a[twice]; a[0] = 1; return a[0]; }",
        ),
        ("a field", "struct S { float a[count + 1]; } public float f() { S s = {}; return s.a[0]; }"),
        ("an argument", "float g<let N : int>() { return N; } public float f() { return g<count>(); }"),
        ("a type's argument", "public float f() { vector<float, count> v = 1; return v.x; }"),
        (
            "a label",
            "public float f() { switch (int(o2)) { case count: return 1; default: return 2; } } static float o2 = 5;",
        ),
        (
            "an attribute",
            "public float f() { float s = 0; [MaxIters(count)] for (int i = 0; i < 2; i++) s += i; return s; }",
        ),
    ];
    for (what, code) in early {
        scratch.write("library.slang", &format!("{declared}{code}"));
        let messages = emit(&scratch, &host("f()"), Target::Hlsl, "main").expect_err(what);
        assert!(
            messages.contains("`count`, which is exported with another value than its default"),
            "{what}: {messages}"
        );
    }
    scratch.write("library.slang", &format!("{declared} public float f() {{ return count; }}"));
    let code = emit(&scratch, &host("f()"), Target::Hlsl, "main").expect("it is read where all is known");
    assert!(String::from_utf8_lossy(&code).contains("5"), "{}", String::from_utf8_lossy(&code));
}
