//! Axes of types: members, overloads, interfaces, extensions, generics.

use super::{Axis, Compiled, File, each, one};

const fn axis(name: &'static str, size: usize, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size, compiled: Compiled::Nothing, files }
}

pub(super) const AXES: &[Axis] = &[
    Axis {
        name: "fields of a struct",
        size: 500,
        compiled: Compiled::Derivative,
        files: |n| {
            one(format!(
                "struct Record : IDifferentiable\n{{\n{}}}\n[Differentiable] float first(Record record) {{ return record.field_0 * record.field_{}; }}\n[Differentiable] float entry(float x)\n{{\n    Record record = {{}};\n    record.field_0 = x;\n    return first(record);\n}}\n",
                each(n, |i| format!("    float field_{i};\n")),
                n - 1
            ))
        },
    },
    axis("methods of a struct", 400, |n| {
        one(format!(
            "struct Record\n{{\n    float value;\n{}}}\n",
            each(n, |i| format!("    float method_{i}(float x) {{ return value + x; }}\n"))
        ))
    }),
    axis("methods that call the one before", 200, |n| {
        one(format!(
            "struct Record\n{{\n    float value;\n    float method_0(float x) {{ return x; }}\n{}}}\n",
            each(n, |i| format!("    float method_{}(float x) {{ return method_{i}(x) + value; }}\n", i + 1))
        ))
    }),
    axis("properties of a struct", 200, |n| {
        one(format!(
            "struct Record\n{{\n    float value;\n{}}}\n",
            each(n, |i| format!(
                "    property float property_{i} {{ get {{ return value; }} set {{ value = newValue; }} }}\n"
            ))
        ))
    }),
    axis("constructors of a struct", 100, |n| {
        one(format!(
            "{}struct Record\n{{\n    float value;\n{}}}\nRecord make(Argument_0 argument) {{ return Record(argument); }}\n",
            each(n, |i| format!("struct Argument_{i} {{ float x; }}\n")),
            each(n, |i| format!("    __init(Argument_{i} argument) {{ value = argument.x; }}\n"))
        ))
    }),
    axis("structs", 400, |n| {
        one(each(n, |i| format!("struct Record_{i} {{ float x; float get() {{ return x; }} }}\n")))
    }),
    axis("structs that hold the one before", 50, |n| {
        one(format!(
            "struct Record_0 : IDifferentiable {{ float x; }}\n{}[Differentiable] float f(Record_{n} record) {{ return record.x; }}\n",
            each(n, |i| format!("struct Record_{} : IDifferentiable {{ Record_{i} inner; float x; }}\n", i + 1))
        ))
    }),
    axis("structs that derive from the one before", 30, |n| {
        one(format!(
            "struct Record_0 {{ float field_0; }}\n{}float f(Record_{n} record) {{ return record.field_{n}; }}\n",
            each(n, |i| format!("struct Record_{} : Record_{i} {{ float field_{}; }}\n", i + 1, i + 1))
        ))
    }),
    axis("nested structs", 30, |n| {
        one(format!("{}float x;\n{}", each(n, |i| format!("struct Record_{i} {{\n")), "};\n".repeat(n)))
    }),
    axis("cases of an enum", 400, |n| {
        one(format!(
            "enum Kind\n{{\n{}}}\nKind first() {{ return Kind.Case_0; }}\n",
            each(n, |i| format!("    Case_{i},\n"))
        ))
    }),
    axis("cases of an enum, each with a value", 2_000, |n| {
        one(format!("enum Kind\n{{\n{}}}\n", each(n, |i| format!("    Case_{i} = {i} * 2,\n"))))
    }),
    axis("overloads of a function", 200, |n| {
        one(format!(
            "{}{}float use(Record_0 record) {{ return over(record); }}\n",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("float over(Record_{i} record) {{ return record.x; }}\n")),
        ))
    }),
    axis("overloads of a function, each called", 100, |n| {
        one(format!(
            "{}{}{}",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("float over(Record_{i} record) {{ return record.x; }}\n")),
            each(n, |i| format!("float use_{i}(Record_{i} record) {{ return over(record); }}\n")),
        ))
    }),
    axis("overloads of an operator, each used", 100, |n| {
        one(format!(
            "{}{}{}",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("Record_{i} operator+(Record_{i} a, Record_{i} b) {{ return {{ a.x + b.x }}; }}\n")),
            each(n, |i| format!("Record_{i} use_{i}(Record_{i} record) {{ return record + record; }}\n")),
        ))
    }),
    axis("extensions of a type", 200, |n| {
        one(format!(
            "struct Record {{ float x; }}\n{}float use(Record record) {{ return record.method_0(); }}\n",
            each(n, |i| format!("extension Record {{ float method_{i}() {{ return x; }} }}\n"))
        ))
    }),
    axis("extensions of a type, each used", 100, |n| {
        one(format!(
            "struct Record {{ float x; }}\n{}{}",
            each(n, |i| format!("extension Record {{ float method_{i}() {{ return x; }} }}\n")),
            each(n, |i| format!("float use_{i}(Record record) {{ return record.method_{i}(); }}\n")),
        ))
    }),
    axis("extensions of as many types", 100, |n| {
        one(format!(
            "{}{}{}",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("extension Record_{i} {{ float method() {{ return x; }} }}\n")),
            each(n, |i| format!("float use_{i}(Record_{i} record) {{ return record.method(); }}\n")),
        ))
    }),
    axis("extensions by an interface", 100, |n| {
        one(format!(
            "interface Shape {{ float area(); }}\n{}{}float use<T : Shape>(T shape) {{ return shape.area(); }}\nfloat first(Record_0 record) {{ return use(record); }}\n",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("extension Record_{i} : Shape {{ float area() {{ return x; }} }}\n")),
        ))
    }),
    axis("generic extensions", 100, |n| {
        one(format!(
            "interface Shape {{ float area(); }}\nstruct Record : Shape {{ float area() {{ return 1.0; }} }}\n{}float use(Record record) {{ return record.method_0(); }}\n",
            each(n, |i| format!("extension<T : Shape> T {{ float method_{i}() {{ return area(); }} }}\n"))
        ))
    }),
    axis("conditional extensions, each used", 50, |n| {
        one(format!(
            "struct Box<T> {{ T value; }}\n{}",
            each(n, |i| format!(
                "interface Shape_{i} {{ float area(); }}\nstruct Record_{i} : Shape_{i} {{ float area() {{ return {i}.0; }} }}\nextension<T : Shape_{i}> Box<T> {{ float method_{i}() {{ return value.area(); }} }}\nfloat use_{i}(Box<Record_{i}> box) {{ return box.method_{i}(); }}\n"
            ))
        ))
    }),
    axis("interfaces", 200, |n| one(each(n, |i| format!("interface Shape_{i} {{ float area(float x); }}\n")))),
    axis("interfaces, each with a type", 100, |n| {
        one(each(n, |i| {
            format!(
                "interface Shape_{i} {{ float area(); }}\nstruct Record_{i} : Shape_{i} {{ float x; float area() {{ return x; }} }}\nfloat use_{i}<T : Shape_{i}>(T shape) {{ return shape.area(); }}\nfloat call_{i}(Record_{i} record) {{ return use_{i}(record); }}\n"
            )
        }))
    }),
    axis("interfaces of a type", 100, |n| {
        one(format!(
            "{}struct Record{}{}\n{{\n{}}}\nfloat use<T : Shape_0>(T shape) {{ return shape.method_0(); }}\nfloat call(Record record) {{ return use(record); }}\n",
            each(n, |i| format!("interface Shape_{i} {{ float method_{i}(); }}\n")),
            if n > 0 { " : Shape_0" } else { "" },
            each(n - 1, |i| format!(", Shape_{}", i + 1)),
            each(n, |i| format!("    float method_{i}() {{ return {i}.0; }}\n")),
        ))
    }),
    axis("types of an interface", 100, |n| {
        one(format!(
            "interface Shape {{ float area(); }}\nfloat use<T : Shape>(T shape) {{ return shape.area(); }}\n{}{}",
            each(n, |i| format!("struct Record_{i} : Shape {{ float x; float area() {{ return x; }} }}\n")),
            each(n, |i| format!("float call_{i}(Record_{i} record) {{ return use(record); }}\n")),
        ))
    }),
    axis("requirements of an interface", 200, |n| {
        one(format!(
            "interface Shape\n{{\n{}}}\nstruct Record : Shape\n{{\n{}}}\n",
            each(n, |i| format!("    float method_{i}(float x);\n")),
            each(n, |i| format!("    float method_{i}(float x) {{ return x; }}\n")),
        ))
    }),
    axis("interfaces that extend the one before", 30, |n| {
        one(format!(
            "interface Shape_0 {{ float method_0(); }}\n{}struct Record : Shape_{n}\n{{\n{}}}\nfloat use<T : Shape_{n}>(T shape) {{ return shape.method_0(); }}\n",
            each(n, |i| format!("interface Shape_{} : Shape_{i} {{ float method_{}(); }}\n", i + 1, i + 1)),
            each(n + 1, |i| format!("    float method_{i}() {{ return {i}.0; }}\n")),
        ))
    }),
    axis("type parameters", 30, |n| {
        one(format!(
            "float f<T_0{}>(T_0 x{}) {{ return 1.0; }}\nfloat use() {{ return f(1.0{}); }}\n",
            each(n - 1, |i| format!(", T_{}", i + 1)),
            each(n - 1, |i| format!(", T_{} x_{i}", i + 1)),
            ", 1.0".repeat(n - 1),
        ))
    }),
    axis("instances of a generic type", 100, |n| {
        one(format!(
            "struct Pair<T> {{ T first; T second; T get() {{ return first; }} }}\n{}{}",
            each(n, |i| format!("struct Record_{i} {{ float x; }}\n")),
            each(n, |i| format!("float use_{i}(Pair<Record_{i}> pair) {{ return pair.get().x; }}\n")),
        ))
    }),
    axis("parameters of a function", 100, |n| {
        one(format!(
            "float f(float x{}) {{ return x; }}\nfloat use(float x) {{ return f(x{}); }}\n",
            each(n - 1, |i| format!(", float y_{i}")),
            ", x".repeat(n - 1),
        ))
    }),
    Axis {
        name: "types behind an interface value",
        size: 30,
        compiled: Compiled::Function,
        files: |n| {
            one(format!(
                "interface Shape {{ float area(); }}\n{}float entry(int which)\n{{\n    return createDynamicObject<Shape>(which, 0).area();\n}}\n",
                each(n, |i| format!(
                    "export struct Record_{i} : Shape {{ float x; float area() {{ return x + {i}.0; }} }}\n"
                )),
            ))
        },
    },
];
