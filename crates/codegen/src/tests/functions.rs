//! Every function of the IR, of every type that it works on, in every target: code, or a refusal by name that is a limit of
//! the target.

use ir::{MathFn, verify::VerifiedModule};

use crate::{EmitOptions, Target, emit};

const SCALARS: [&str; 11] = ["f16", "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

const SHAPES: [&str; 10] = ["", "x1", "x2", "x3", "x4", "x1x3", "x2x2", "x2x3", "x3x3", "x4x4"];

/// What a target does not have.
struct Limit {
    targets: &'static [Target],
    scalars: &'static [&'static str],
    functions: fn(MathFn) -> bool,
    /// The words of the refusal; `{function}` stands for what is refused.
    refusal: &'static str,
}

const LIMITS: &[Limit] = &[
    // Metal has floats of 16 and 32 bits.
    Limit {
        targets: &[Target::Metal],
        scalars: &["f64"],
        functions: |_| true,
        refusal: "the type `double` is not supported for target `metal`",
    },
    // WGSL has floats of 16 and 32 bits, and integers of 32, in which narrower ones are.
    Limit {
        targets: &[Target::Wgsl],
        scalars: &["f64", "i64", "u64"],
        functions: |_| true,
        refusal: "is not supported for target `wgsl`",
    },
    // GLSL.std.450 has powers, logarithms and angles of 16 and 32 bits only, and so has GLSL.
    Limit {
        targets: &[Target::Spirv, Target::Glsl],
        scalars: &["f64"],
        functions: |function| !crate::double::has_double(function),
        refusal: "`{function}` of `double` is not supported for",
    },
    // Direct3D's intrinsics on `double` are few.
    Limit {
        targets: &[Target::Hlsl],
        scalars: &["f64"],
        functions: |function| !matches!(function, MathFn::IsNan | MathFn::IsInf | MathFn::IsFinite),
        refusal: "`{function}` of `double` is not supported for target `hlsl`",
    },
];

/// A function of one of these signatures, if the verifier knows it.
fn module_of(function: MathFn, operands: &[String], result: &str) -> Option<VerifiedModule> {
    let parameters: Vec<String> = operands.iter().enumerate().map(|(at, ty)| format!("%x{at}: {ty}")).collect();
    let arguments: Vec<String> = (0..operands.len()).map(|at| format!("%x{at}")).collect();
    let text = format!(
        "func @f({}) -> (return: {result}) {{\n    %r: {result} = {}({})\n    return %r\n}}",
        parameters.join(", "),
        function.word(),
        arguments.join(", ")
    );
    let module = ir::parse::parse_module(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    VerifiedModule::new(module).ok()
}

/// All signatures of a function over scalars of one kind.
fn signatures(function: MathFn, scalar: &str) -> Vec<(String, VerifiedModule)> {
    let mut found = Vec::new();
    for shape in SHAPES {
        let ty = format!("{scalar}{shape}");
        let transposed = match shape {
            "x2x3" => "x3x2".to_owned(),
            "x1x3" => "x3x1".to_owned(),
            _ => shape.to_owned(),
        };
        let transposed = format!("{scalar}{transposed}");
        let row: Vec<String> = shape.rsplit('x').take(1).map(|cols| format!("{scalar}x{cols}")).collect();
        let operands: [Vec<String>; 8] = [
            vec![ty.clone()],
            vec![ty.clone(); 2],
            vec![ty.clone(); 3],
            vec![ty.clone(), ty.clone(), scalar.to_owned()],
            vec![ty.clone(), transposed.clone()],
            [vec![ty.clone()], row.clone()].concat(),
            [row.clone(), vec![transposed.clone()]].concat(),
            vec![transposed.clone(), ty.clone()],
        ];
        let square = shape.split('x').nth(1).map(|rows| format!("{scalar}x{rows}x{rows}"));
        let column = shape.split('x').nth(1).map(|rows| format!("{scalar}x{rows}"));
        let halves = format!("f16{shape}");
        let singles = format!("f32{shape}");
        let words = format!("u32{shape}");
        let bools = format!("bool{shape}");
        let results = [Some(ty.clone()), Some(bools), Some(scalar.to_owned()), Some("bool".to_owned()), square, column]
            .into_iter()
            .flatten()
            .chain([transposed.clone(), halves, singles, words])
            .chain(row.clone());
        let results: std::collections::BTreeSet<String> = results.filter(|ty| is_type(ty)).collect();
        for operands in operands.iter().filter(|operands| operands.iter().all(|ty| is_type(ty))) {
            for result in &results {
                let name = format!("{}({}) -> {result}", function.word(), operands.join(", "));
                if found.iter().all(|(known, _)| *known != name)
                    && let Some(module) = module_of(function, operands, result)
                {
                    found.push((name, module));
                }
            }
        }
    }
    found
}

/// Whether this is the text of a type: rows of what is not a matrix are none.
fn is_type(text: &str) -> bool {
    text.split('x').skip(1).all(|number| matches!(number, "1" | "2" | "3" | "4"))
}

#[test]
fn every_function_of_every_type_is_written_or_refused_by_name() {
    let mut wrong = Vec::new();
    for &function in MathFn::ALL {
        let mut count = 0;
        for scalar in SCALARS {
            for (signature, module) in signatures(function, scalar) {
                count += 1;
                for target in Target::ALL {
                    let Err(errors) = emit(&module, target, &EmitOptions::default()) else { continue };
                    let message = errors.first().map(ToString::to_string).unwrap_or_default();
                    let is_limit = LIMITS.iter().any(|limit| {
                        limit.targets.contains(&target)
                            && limit.scalars.contains(&scalar)
                            && (limit.functions)(function)
                            && message.contains(&limit.refusal.replace("{function}", function.word()))
                    });
                    if !is_limit {
                        wrong.push(format!("{}: {signature}: {message}", target.name()));
                    }
                }
            }
        }
        assert!(count > 0, "no signature of `{}` is known", function.word());
    }
    assert!(wrong.is_empty(), "{} refusals:\n{}", wrong.len(), wrong.join("\n"));
}
