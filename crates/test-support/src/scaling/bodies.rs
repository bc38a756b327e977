//! Axes of one body: statements, locals, branches, expressions.

use super::{Axis, Compiled, File, each, one};

const fn derivative(name: &'static str, size: usize, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size, compiled: Compiled::Derivative, files }
}

const fn compiled(name: &'static str, size: usize, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size, compiled: Compiled::Function, files }
}

const fn checked(name: &'static str, size: usize, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size, compiled: Compiled::Nothing, files }
}

/// `entry` with these statements; they know `x` and `sum`.
fn body(statements: String) -> Vec<File> {
    one(format!("[Differentiable]\nfloat entry(float x)\n{{\n    float sum = x;\n{statements}    return sum;\n}}\n"))
}

pub(super) const AXES: &[Axis] = &[
    // A long body: what looks back at all statements costs more than the rest only here.
    derivative("statements", 2_000, |n| body(each(n, |i| format!("    sum += x * {i}.0;\n")))),
    derivative("locals", 1_000, |n| {
        body(each(n, |i| format!("    float local_{i} = x * {i}.0;\n    sum += local_{i};\n")))
    }),
    derivative("locals made of the one before", 100, |n| {
        body(format!(
            "    float local_0 = x;\n{}    sum = local_{n};\n",
            each(n, |i| format!("    float local_{} = sin(local_{i});\n", i + 1))
        ))
    }),
    derivative("locals that are all read at the end", 100, |n| {
        body(format!(
            "{}{}",
            each(n, |i| format!("    float local_{i} = sin(x * {i}.0);\n")),
            each(n, |i| format!("    sum += local_{i};\n"))
        ))
    }),
    derivative("branches", 500, |n| body(each(n, |i| format!("    if (x > {i}.0)\n        sum += x;\n")))),
    derivative("branches that return", 50, |n| {
        body(each(n, |i| format!("    if (x > {i}.0)\n        return sum * {i}.0;\n")))
    }),
    derivative("loops", 30, |n| {
        body(each(n, |i| {
            format!("    [MaxIters(4)]\n    for (int k_{i} = 0; k_{i} < 4; k_{i}++)\n        sum = sum * x;\n")
        }))
    }),
    derivative("links of an else-if chain", 50, |n| {
        body(format!(
            "    if (x > 1000.0)\n        sum = x;\n{}    else\n        sum = 1.0;\n",
            each(n, |i| format!("    else if (x > {}.0)\n        sum = x * {i}.0;\n", n - i))
        ))
    }),
    derivative("links of an else-if chain with blocks and locals", 50, |n| {
        body(format!(
            "    if (x > 1000.0) {{ sum = x; }}\n{}",
            each(n, |i| format!("    else if (x > {}.0) {{ float scale = x * {i}.0; sum += scale; }}\n", n - i))
        ))
    }),
    derivative("cases of a switch", 50, |n| {
        body(format!(
            "    switch (int(x))\n    {{\n{}    default: sum = 0.0; break;\n    }}\n",
            each(n, |i| format!("    case {i}: sum = x * {i}.0; break;\n"))
        ))
    }),
    derivative("labels of a case", 200, |n| {
        body(format!(
            "    switch (int(x))\n    {{\n{}        sum = x * 2.0; break;\n    default: sum = 0.0; break;\n    }}\n",
            each(n, |i| format!("    case {i}:\n"))
        ))
    }),
    derivative("elements of an initialiser", 400, |n| {
        one(format!(
            "static const float table[{n}] = {{ {} }};\n[Differentiable] float entry(float x) {{ return x * table[1]; }}\n",
            each(n, |i| format!("{i}.0, "))
        ))
    }),
    derivative("elements of a local initialiser", 100, |n| {
        body(format!("    float table[{n}] = {{ {} }};\n    sum = table[1];\n", each(n, |i| format!("x * {i}.0, "))))
    }),
    derivative("nested parentheses", 50, |n| body(format!("    sum = {}x{};\n", "(".repeat(n), ")".repeat(n)))),
    derivative("nested blocks", 50, |n| body(format!("    {}sum = x;{}\n", "{ ".repeat(n), " }".repeat(n)))),
    derivative("nested branches", 20, |n| {
        body(format!("    {}sum = x;{}\n", each(n, |i| format!("if (x > {i}.0) {{ ")), " }".repeat(n)))
    }),
    checked("nested loops", 15, |n| {
        body(format!(
            "    {}sum += x;{}\n",
            each(n, |i| format!("[MaxIters(2)] for (int k_{i} = 0; k_{i} < 2; k_{i}++) {{ ")),
            " }".repeat(n)
        ))
    }),
    derivative("nested calls", 50, |n| body(format!("    sum = {}x{};\n", "sin(".repeat(n), ")".repeat(n)))),
    derivative("nested prefix operators", 50, |n| body(format!("    sum = {}x;\n", "- ".repeat(n)))),
    derivative("summands", 200, |n| body(format!("    sum = x{};\n", each(n, |i| format!(" + x * {i}.0"))))),
    derivative("summands to the right", 50, |n| {
        body(format!("    sum = {}x{};\n", each(n, |i| format!("x * {i}.0 + (")), ")".repeat(n)))
    }),
    derivative("links of a conditional expression", 50, |n| {
        body(format!("    sum = {}x;\n", each(n, |i| format!("x > {}.0 ? x * {i}.0 : ", n - i))))
    }),
    checked("logical operands", 200, |n| {
        one(format!("bool entry(float x) {{ return x > 0.0{}; }}\n", each(n, |i| format!(" && x != {i}.0"))))
    }),
    derivative("links of a chain of method calls", 50, |n| {
        one(format!(
            "struct Record : IDifferentiable {{ float x; [Differentiable] Record next() {{ return {{ x * x }}; }} }}\n[Differentiable] float entry(float x)\n{{\n    Record record = {{ x }};\n    return record{}.x;\n}}\n",
            ".next()".repeat(n)
        ))
    }),
    checked("links of a chain of members", 30, |n| {
        one(format!(
            "struct Record_0 {{ float x; }}\n{}float entry(Record_{n} record) {{ return record{}.x; }}\n",
            each(n, |i| format!("struct Record_{} {{ Record_{i} inner; }}\n", i + 1)),
            ".inner".repeat(n)
        ))
    }),
    checked("links of an assignment chain", 50, |n| {
        one(format!(
            "void entry(float x)\n{{\n    float last;\n{}    {}x;\n}}\n",
            each(n, |i| format!("    float local_{i};\n")),
            each(n, |i| format!("local_{i} = "))
        ))
    }),
    checked("variables of a declaration", 200, |n| {
        body(format!("    float first = 0.0{};\n    sum += first;\n", each(n, |i| format!(", local_{i} = {i}.0"))))
    }),
    compiled("lambdas", 200, |n| {
        one(format!(
            "float entry(float x)\n{{\n    float sum = 0.0;\n{}    return sum;\n}}\n",
            each(n, |i| format!("    let lambda_{i} = (float y) => y * x + {i}.0;\n    sum += lambda_{i}(x);\n"))
        ))
    }),
    checked("types in a body", 50, |n| {
        body(each(n, |i| {
            format!(
                "    struct Local_{i} {{ float x; }}\n    Local_{i} local_{i};\n    local_{i}.x = x;\n    sum += local_{i}.x;\n"
            )
        }))
    }),
    checked("locals without a value", 200, |n| {
        body(each(n, |i| format!("    float local_{i};\n    sum += local_{i};\n")))
    }),
    compiled("stores to the fields of a struct", 500, |n| {
        one(format!(
            "struct Record\n{{\n{}}}\nfloat entry(float x)\n{{\n    Record record;\n{}    return record.field_0;\n}}\n",
            each(n, |i| format!("    float field_{i};\n")),
            each(n, |i| format!("    record.field_{i} = x * {i}.0;\n"))
        ))
    }),
    compiled("fields of a constant buffer, each read", 500, |n| {
        one(format!(
            "struct Settings\n{{\n{}}}\nConstantBuffer<Settings> settings;\nfloat entry(float x)\n{{\n    float sum = x;\n{}    return sum;\n}}\n",
            each(n, |i| format!("    float setting_{i};\n")),
            each(n, |i| format!("    sum += settings.setting_{i};\n"))
        ))
    }),
    compiled("buffers, each written", 500, |n| {
        one(format!(
            "{}float entry(float x)\n{{\n{}    return x;\n}}\n",
            each(n, |i| format!("RWStructuredBuffer<float> buffer_{i};\n")),
            each(n, |i| format!("    buffer_{i}[0] = x;\n"))
        ))
    }),
    compiled("structs, each with a local", 300, |n| {
        one(format!(
            "{}float entry(float x)\n{{\n    float sum = x;\n{}    return sum;\n}}\n",
            each(n, |i| format!("struct Record_{i} {{ float x; float get() {{ return x; }} }}\n")),
            each(n, |i| format!("    Record_{i} record_{i} = {{ x }};\n    sum += record_{i}.get();\n"))
        ))
    }),
    checked("stores to elements of an array", 100, |n| {
        body(format!(
            "    float list[{n}];\n{}    sum = list[0];\n",
            each(n, |i| format!("    list[{i}] = x * {i}.0;\n"))
        ))
    }),
];
