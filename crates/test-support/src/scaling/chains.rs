//! Axes of declarations that are made of the one before: whoever asks for the last asks for all.

use super::{Axis, Compiled, File, each, one};

const fn chain(name: &'static str, compiled: Compiled, files: fn(usize) -> Vec<File>) -> Axis {
    Axis { name, size: 100, compiled, files }
}

pub(super) const AXES: &[Axis] = &[
    chain("integer constants made of the one before", Compiled::Derivative, |n| {
        one(format!(
            "static const int constant_0 = 1;\n{}[Differentiable] float entry(float x) {{ return x * float(constant_{n}); }}\n",
            each(n, |i| format!("static const int constant_{} = constant_{i} + 1;\n", i + 1))
        ))
    }),
    chain("integer constants made of the one behind", Compiled::Derivative, |n| {
        one(format!(
            "{}static const int constant_0 = 1;\n[Differentiable] float entry(float x) {{ return x * float(constant_{n}); }}\n",
            each(n, |i| format!("static const int constant_{} = constant_{} + 1;\n", n - i, n - i - 1))
        ))
    }),
    chain("constants of numbers made of the one before", Compiled::Derivative, |n| {
        one(format!(
            "static const float constant_0 = 1.0;\n{}[Differentiable] float entry(float x) {{ return x * constant_{n}; }}\n",
            each(n, |i| format!("static const float constant_{} = constant_{i} + 1.0;\n", i + 1))
        ))
    }),
    chain("constants whose types come from the one before", Compiled::Function, |n| {
        one(format!(
            "static const let constant_0 = 1;\n{}float entry(float x) {{ return x * float(constant_{n}); }}\n",
            each(n, |i| format!("static const let constant_{} = constant_{i} + 1;\n", i + 1))
        ))
    }),
    chain("static variables made of the one before", Compiled::Function, |n| {
        one(format!(
            "static int variable_0 = 1;\n{}float entry(float x) {{ return x * float(variable_{n}); }}\n",
            each(n, |i| format!("static int variable_{} = variable_{i} + 1;\n", i + 1))
        ))
    }),
    chain("cases of an enum made of the one before", Compiled::Function, |n| {
        one(format!(
            "enum Kind\n{{\n    Case_0 = 0,\n{}}}\nfloat entry(float x) {{ return x * float(int(Kind.Case_{n})); }}\n",
            each(n, |i| format!("    Case_{} = Case_{i} + 1,\n", i + 1))
        ))
    }),
    chain("enums made of the one before", Compiled::Function, |n| {
        one(format!(
            "enum Kind_0 {{ Only = 0 }}\n{}float entry(float x) {{ return x * float(int(Kind_{n}.Only)); }}\n",
            each(n, |i| format!("enum Kind_{} {{ Only = int(Kind_{i}.Only) + 1 }}\n", i + 1))
        ))
    }),
    chain("generic aliases of the one before", Compiled::Function, |n| {
        one(format!(
            "typealias Alias_0<T> = T;\n{}float entry(Alias_{n}<float> x) {{ return x; }}\n",
            each(n, |i| format!("typealias Alias_{}<T> = Alias_{i}<T>;\n", i + 1))
        ))
    }),
    chain("structs that hold the one behind", Compiled::Derivative, |n| {
        one(format!(
            "{}struct Record_0 : IDifferentiable {{ float x; }}\n[Differentiable] float entry(float x)\n{{\n    Record_{n} record = {{}};\n    record.x = x;\n    return record.x;\n}}\n",
            each(n, |i| format!(
                "struct Record_{} : IDifferentiable {{ Record_{} inner; float x; }}\n",
                n - i,
                n - i - 1
            ))
        ))
    }),
    chain("structs that point to the one before", Compiled::Nothing, |n| {
        one(format!(
            "struct Record_0 {{ float x; }}\n{}float entry(Record_{n} record) {{ return record.x; }}\n",
            each(n, |i| format!("struct Record_{} {{ Record_{i}* inner; float x; }}\n", i + 1))
        ))
    }),
    chain("structs of a generic type of the one before", Compiled::Nothing, |n| {
        one(format!(
            "struct Wrapped<T> {{ T value; }}\nstruct Record_0 {{ float x; }}\n{}void entry(Record_{n} record) {{ }}\n",
            each(n, |i| format!("struct Record_{} {{ Wrapped<Record_{i}> inner; }}\n", i + 1))
        ))
    }),
    chain("default arguments made of the one before", Compiled::Function, |n| {
        one(format!(
            "float f_0(float x = 1.0) {{ return x; }}\n{}float entry(float x) {{ return f_{n}(); }}\n",
            each(n, |i| format!("float f_{}(float x = f_{i}()) {{ return x; }}\n", i + 1))
        ))
    }),
    chain("generic functions that call the one before", Compiled::Function, |n| {
        one(format!(
            "float f_0<T>(T x) {{ return 1.0; }}\n{}float entry(float x) {{ return f_{n}(x); }}\n",
            each(n, |i| format!("float f_{}<T>(T x) {{ return f_{i}(x); }}\n", i + 1))
        ))
    }),
    chain("functions that call the one behind", Compiled::Derivative, |n| {
        one(format!(
            "{}[Differentiable] float f_0(float x) {{ return x * x; }}\n[Differentiable] float entry(float x) {{ return f_{n}(x); }}\n",
            each(n, |i| format!("[Differentiable] float f_{}(float x) {{ return f_{}(x) * x; }}\n", n - i, n - i - 1))
        ))
    }),
    chain("functions that lead to what the stage does not have", Compiled::Nothing, |n| {
        one(format!(
            "void f_0(float x) {{ discard; }}\n{}[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{ f_{n}(1.0); }}\n",
            each(n, |i| format!("void f_{}(float x) {{ f_{i}(x); }}\n", i + 1))
        ))
    }),
    chain("functions that throw what the one before throws", Compiled::Nothing, |n| {
        one(format!(
            "enum Failure {{ Only }}\nfloat f_0(float x) throws Failure {{ throw Failure.Only; }}\n{}",
            each(n, |i| format!("float f_{}(float x) throws Failure {{ return try f_{i}(x); }}\n", i + 1))
        ))
    }),
    chain("derivatives that ask the one before", Compiled::Derivative, |n| {
        one(format!(
            "[BackwardDerivative(d_0)] float f_0(float x) {{ return x * x; }}\nvoid d_0(inout DifferentialPair<float> p, float g) {{ p = diffPair(p.p, g * 2.0 * p.p); }}\n{}[Differentiable] float entry(float x) {{ return f_{n}(x); }}\n",
            each(n, |i| format!(
                "[BackwardDerivative(d_{0})] float f_{0}(float x) {{ return f_{i}(x) * x; }}\nvoid d_{0}(inout DifferentialPair<float> p, float g) {{ bwd_diff(f_{i})(p, g); }}\n",
                i + 1
            ))
        ))
    }),
    chain("associated types of the one before", Compiled::Function, |n| {
        one(format!(
            "interface Shape {{ associatedtype Part : Shape; float area(); }}\nstruct Record_0 : Shape {{ typealias Part = Record_0; float area() {{ return 1.0; }} }}\n{}float entry(float x) {{ Record_{n} record = {{}}; return record.area(); }}\n",
            each(n, |i| format!(
                "struct Record_{} : Shape {{ typealias Part = Record_{i}; float area() {{ Part part = {{}}; return part.area(); }} }}\n",
                i + 1
            ))
        ))
    }),
    chain("extensions that call the one before", Compiled::Function, |n| {
        one(format!(
            "struct Record {{ float method_0() {{ return 1.0; }} }}\n{}float entry(float x) {{ Record record = {{}}; return record.method_{n}(); }}\n",
            each(n, |i| format!("extension Record {{ float method_{}() {{ return method_{i}(); }} }}\n", i + 1))
        ))
    }),
];
