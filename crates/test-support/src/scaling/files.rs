//! Axes of whole files: items, lines, modules, macros, diagnostics.

use super::{Axis, Compiled, File, each, one};

const fn axis(name: &'static str, size: usize, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size, compiled: Compiled::Nothing, files }
}

pub(super) const AXES: &[Axis] = &[
    axis("functions", 400, |n| {
        one(each(n, |i| {
            format!("float step_{i}(float x, float y)\n{{\n    float z = x * y + {i}.0;\n    return sin(z);\n}}\n")
        }))
    }),
    axis("differentiable functions", 200, |n| {
        one(each(n, |i| format!("[Differentiable]\nfloat step_{i}(float x)\n{{\n    return x * sin(x) + {i}.0;\n}}\n")))
    }),
    Axis {
        name: "functions that call the one before",
        size: 100,
        compiled: Compiled::Derivative,
        files: |n| {
            one(format!(
                "[Differentiable] float step_0(float x) {{ return x * x; }}\n{}[Differentiable] float entry(float x) {{ return step_{n}(x); }}\n",
                each(n, |i| format!("[Differentiable] float step_{}(float x) {{ return step_{i}(x) * x; }}\n", i + 1))
            ))
        },
    },
    Axis {
        name: "functions that one function calls",
        size: 100,
        compiled: Compiled::Derivative,
        files: |n| {
            one(format!(
                "{}[Differentiable] float entry(float x)\n{{\n    float sum = 0.0;\n{}    return sum;\n}}\n",
                each(n, |i| format!("[Differentiable] float step_{i}(float x) {{ return x * x + {i}.0; }}\n")),
                each(n, |i| format!("    sum += step_{i}(x);\n")),
            ))
        },
    },
    axis("callers of one function", 400, |n| {
        one(format!(
            "float callee(float x) {{ return x; }}\n{}",
            each(n, |i| format!("float caller_{i}(float x) {{ return callee(x); }}\n"))
        ))
    }),
    axis("lines of comments", 20_000, |n| {
        one(format!("{}float f(float x) {{ return x; }}\n", each(n, |i| format!("// Line {i}.\n"))))
    }),
    axis("blank lines in a body", 20_000, |n| {
        one(format!("float f(float x)\n{{\n{}    return x;\n}}\n", "\n".repeat(n)))
    }),
    axis("items in a namespace", 400, |n| {
        one(format!(
            "namespace inner {{\n{}}}\nfloat use(float x) {{ return inner::f_0(x); }}\n",
            each(n, |i| format!("float f_{i}(float x) {{ return x + {i}.0; }}\n"))
        ))
    }),
    axis("parts of a namespace", 300, |n| {
        one(each(n, |i| {
            let callee = i.saturating_sub(1);
            format!(
                "namespace inner {{ float f_{i}(float x) {{ return x; }} float g_{i}(float x) {{ return f_{callee}(x); }} }}\n"
            )
        }))
    }),
    axis("nested namespaces", 50, |n| {
        one(format!(
            "{}float deepest(float x) {{ return x; }}\n{}",
            each(n, |i| format!("namespace level_{i} {{\n")),
            "}\n".repeat(n)
        ))
    }),
    axis("links of a path of namespaces", 30, |n| {
        one(format!(
            "{}float deepest(float x) {{ return x; }}{}\nfloat entry(float x) {{ return {}deepest(x); }}\n",
            each(n, |i| format!("namespace level_{i} {{ ")),
            " }".repeat(n),
            each(n, |i| format!("level_{i}::")),
        ))
    }),
    axis("namespaces used", 200, |n| {
        one(format!(
            "{}{}float f(float x) {{ return f_0(x); }}\n",
            each(n, |i| format!("namespace inner_{i} {{ float f_{i}(float x) {{ return x; }} }}\n")),
            each(n, |i| format!("using namespace inner_{i};\n")),
        ))
    }),
    axis("global constants", 400, |n| one(each(n, |i| format!("static const float constant_{i} = {i}.0 * 2.0;\n")))),
    axis("constants made of the one before", 100, |n| {
        one(format!(
            "static const int constant_0 = 1;\n{}static const float list[constant_{n}] = {{ }};\n",
            each(n, |i| format!("static const int constant_{} = constant_{i} % 7 + 1;\n", i + 1))
        ))
    }),
    axis("buffers", 400, |n| one(each(n, |i| format!("StructuredBuffer<float> buffer_{i};\n")))),
    axis("members of a constant buffer", 400, |n| {
        one(format!(
            "cbuffer Settings {{\n{}}}\nfloat f() {{ return setting_0; }}\n",
            each(n, |i| format!("float setting_{i};\n"))
        ))
    }),
    axis("entry points", 100, |n| {
        one(format!(
            "RWStructuredBuffer<float> result;\n{}",
            each(n, |i| format!(
                "[shader(\"compute\")] [numthreads(64, 1, 1)]\nvoid main_{i}(uint3 thread : SV_DispatchThreadID) {{ result[thread.x] = {i}.0; }}\n"
            ))
        ))
    }),
    axis("type aliases of the one before", 50, |n| {
        one(format!(
            "typedef float Alias_0;\n{}Alias_{n} f(Alias_{n} x) {{ return x * x; }}\n",
            each(n, |i| format!("typealias Alias_{} = Alias_{i};\n", i + 1))
        ))
    }),
    axis("imports", 50, |n| {
        let mut files =
            one(format!("{}float f(float x) {{ return g_0(x); }}\n", each(n, |i| format!("import module_{i};\n"))));
        files.extend(
            (0..n).map(|i| {
                (format!("module_{i}.slang"), format!("public float g_{i}(float x) {{ return x + {i}.0; }}\n"))
            }),
        );
        files
    }),
    axis("imports of one module", 400, |n| {
        let mut files = one(format!("{}float f(float x) {{ return g(x); }}\n", "import module_0;\n".repeat(n)));
        files.push(("module_0.slang".to_owned(), "public float g(float x) { return x; }\n".to_owned()));
        files
    }),
    axis("modules that import the one before", 50, |n| {
        let mut files = one(format!("import module_{};\nfloat f(float x) {{ return g_{}(x); }}\n", n - 1, n - 1));
        files.extend((0..n).map(|i| {
            let (import, value) = match i {
                0 => (String::new(), "x".to_owned()),
                _ => (format!("import module_{};\n", i - 1), format!("g_{}(x)", i - 1)),
            };
            (format!("module_{i}.slang"), format!("{import}public float g_{i}(float x) {{ return {value}; }}\n"))
        }));
        files
    }),
    axis("modules that export the one before", 50, |n| {
        let mut files = one(format!("import module_{};\nfloat f(float x) {{ return g_0(x); }}\n", n - 1));
        files.extend((0..n).map(|i| {
            let import = if i == 0 { String::new() } else { format!("__exported import module_{};\n", i - 1) };
            (format!("module_{i}.slang"), format!("{import}public float g_{i}(float x) {{ return x; }}\n"))
        }));
        files
    }),
    axis("files of a module", 50, |n| {
        let includes = each(n, |i| format!("__include part_{i};\n"));
        let mut files = one(format!("module main;\n{includes}float f(float x) {{ return g_0(x); }}\n"));
        files.extend((0..n).map(|i| {
            let callee = (i + 1) % n;
            let text = format!("implementing main;\nfloat g_{i}(float x) {{ return h_{callee}(x); }}\nfloat h_{i}(float x) {{ return x; }}\n");
            (format!("part_{i}.slang"), text)
        }));
        files
    }),
    axis("macros", 400, |n| {
        one(format!(
            "{}{}",
            each(n, |i| format!("#define VALUE_{i} {i}.0\n")),
            each(n, |i| format!("float f_{i}(float x) {{ return x + VALUE_{i}; }}\n")),
        ))
    }),
    axis("macros and functions in turn", 400, |n| {
        one(each(n, |i| format!("#define VALUE_{i} {i}.0\nfloat f_{i}(float x) {{ return x + VALUE_{i}; }}\n")))
    }),
    axis("macros made of the one before", 100, |n| {
        one(format!(
            "#define VALUE_0 1.0\n{}float f(float x) {{ return x + VALUE_{n}; }}\n",
            each(n, |i| format!("#define VALUE_{} VALUE_{i}\n", i + 1))
        ))
    }),
    axis("nested calls of a macro", 50, |n| {
        one(format!("#define SAME(x) x\nfloat entry(float x) {{ return {}x{}; }}\n", "SAME(".repeat(n), ")".repeat(n)))
    }),
    axis("uses of a macro in a body", 400, |n| {
        one(format!(
            "#define ADD(sum, value) sum = sum + value;\nfloat f(float x)\n{{\n    float sum = 0.0;\n{}    return sum;\n}}\n",
            each(n, |i| format!("    ADD(sum, {i}.0)\n"))
        ))
    }),
    axis("conditionals", 400, |n| {
        one(each(n, |i| {
            format!(
                "#if {i} < 100\nfloat f_{i}(float x) {{ return x; }}\n#else\nfloat g_{i}(float x) {{ return x; }}\n#endif\n"
            )
        }))
    }),
    axis("branches of a conditional", 400, |n| {
        one(format!(
            "#if 0\n{}#endif\nfloat f(float x) {{ return x; }}\n",
            each(n, |i| format!("#elif {i} == 1000000\nfloat f_{i}(float x) {{ return x; }}\n"))
        ))
    }),
    axis("included files", 100, |n| {
        let mut files = one(each(n, |i| format!("#include \"part_{i}.slangh\"\n")));
        files.extend(
            (0..n).map(|i| (format!("part_{i}.slangh"), format!("float f_{i}(float x) {{ return x + {i}.0; }}\n"))),
        );
        files
    }),
    axis("lines of an included file", 400, |n| {
        let mut files = one("#include \"part.slangh\"\n".to_owned());
        files.push(("part.slangh".to_owned(), each(n, |i| format!("float f_{i}(float x) {{ return x + {i}.0; }}\n"))));
        files
    }),
    axis("files that include the one before", 30, |n| {
        let mut files = one(format!("#include \"part_{}.slangh\"\n", n - 1));
        files.extend((0..n).map(|i| {
            let include = if i == 0 { String::new() } else { format!("#include \"part_{}.slangh\"\n", i - 1) };
            (format!("part_{i}.slangh"), format!("{include}float f_{i}(float x) {{ return x + {i}.0; }}\n"))
        }));
        files
    }),
    axis("undefined names", 200, |n| {
        one(each(n, |i| format!("float f_{i}(float x) {{ return x + undefined_{i}; }}\n")))
    }),
    axis("undefined names in a body", 200, |n| {
        one(format!("float f(float x)\n{{\n{}    return x;\n}}\n", each(n, |i| format!("    x += undefined_{i};\n"))))
    }),
    axis("syntax errors in a body", 200, |n| {
        one(format!("float f(float x)\n{{\n{}    return x;\n}}\n", each(n, |i| format!("    x += ) {i};\n"))))
    }),
    axis("syntax errors between items", 200, |n| {
        one(each(n, |i| format!("float f_{i}(float x) {{ return x; }}\n) ) {i};\n")))
    }),
    axis("unclosed braces", 100, |n| one(each(n, |i| format!("float f_{i}(float x) {{ if (x > 0.0) {{ return x;\n")))),
    axis("duplicate declarations", 100, |n| one("static const float twice = 1.0;\n".repeat(n))),
    axis("functions on one line", 400, |n| one(each(n, |i| format!("float f_{i}(float x) {{ return x; }} ")))),
    axis("words of a comment", 20_000, |n| {
        one(format!("/* {} */\nfloat f(float x) {{ return x; }}\n", "word ".repeat(n)))
    }),
    axis("pieces of a string", 400, |n| one(format!("void f() {{ printf({}); }}\n", "\"piece\" ".repeat(n)))),
    axis("attributes of a function", 200, |n| {
        one(format!("{}float f(float x) {{ return x; }}\n", "[ForceInline]\n".repeat(n)))
    }),
    axis("calls with a wrong argument", 200, |n| {
        let calls = each(n, |i| format!("float f_{i}(Record x) {{ return sin(x); }}\n"));
        one(format!("struct Record {{ float x; }}\n{calls}"))
    }),
    axis("missing semicolons", 200, |n| {
        one(format!("float f(float x)\n{{\n{}    return x;\n}}\n", "    x = x + 1.0\n".repeat(n)))
    }),
    axis("variables that nobody reads", 200, |n| {
        one(format!("float f(float x)\n{{\n{}    return x;\n}}\n", each(n, |i| format!("    float unread_{i} = x;\n"))))
    }),
    axis("functions declared again", 200, |n| one("float twice(float x) { return x; }\n".repeat(n))),
    axis("functions declared again, each called", 200, |n| {
        let calls = each(n, |i| format!("float f_{i}(float x) {{ return twice(x); }}\n"));
        one(format!("{}{calls}", "float twice(float x) { return x; }\n".repeat(n)))
    }),
    axis("words between items", 200, |n| one("word ".repeat(n))),
    axis("lines of prose", 100, |n| one("The quick brown fox, it jumps over the lazy dog.\n".repeat(n))),
    axis("words in a body", 200, |n| one(format!("void f() {{ {} }}\n", "word ".repeat(n)))),
    axis("variables of types that are not declared", 200, |n| {
        one(each(n, |i| format!("float f_{i}(Missing_{i} x) {{ return 1.0; }}\n")))
    }),
    axis("members that are not declared", 200, |n| {
        one(format!(
            "struct Record {{\n{}}}\n{}",
            each(n, |i| format!("    float field_{i};\n")),
            each(n, |i| format!("float f_{i}(Record x) {{ return x.filed_{i}; }}\n"))
        ))
    }),
];
