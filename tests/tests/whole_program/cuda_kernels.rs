//! `emit --target cuda --reflection` of kernels that the source names: their symbols are those in the code, and their parameters
//! lie where hosts of slangc's CUDA put them: vectors and matrices are arrays of scalars.

use serde_json::Value;
use whole_program_tests::{process::Scratch, programs::analyzer};

fn reflection(source: &str) -> Value {
    let scratch = Scratch::new("cuda-kernels");
    let file = scratch.write("kernels.slang", source);
    let (code, json) = (scratch.file("kernels.cu"), scratch.file("kernels.json"));
    let [file, code_path, json_path] = [&file, &code, &json].map(|path| path.to_str().expect("paths are text"));
    analyzer(&["emit", file, "--target", "cuda", "-o", code_path, "--reflection", json_path]);
    let read = |path| std::fs::read_to_string(path).expect("it was written");
    let (code, document): (String, Value) = (read(&code), serde_json::from_str(&read(&json)).expect("it is JSON"));
    for kernel in document["cudaKernels"].as_array().expect("there is a list") {
        let symbol = kernel["symbol"].as_str().expect("each has a symbol");
        assert!(code.contains(&format!("__global__ void {symbol}(")), "`{symbol}` is not in\n{code}");
    }
    document
}

/// The scalars and pointers of a type with their offsets: `name.x 4 float32`.
fn places(ty: &Value, name: &str, offset: u64, found: &mut Vec<String>) {
    let size = |ty: &Value| match ty["scalarType"].as_str() {
        Some("bool" | "int8" | "uint8") => 1,
        Some("float16" | "int16") => 2,
        Some("float64" | "int64") => 8,
        _ => ty["sizes"][0]["value"].as_u64().unwrap_or(4),
    };
    let count = |key: &str| ty[key].as_u64().expect("a count");
    match ty["kind"].as_str().expect("each type has a kind") {
        "scalar" => found.push(format!("{name} {offset} {}", ty["scalarType"].as_str().expect("a scalar"))),
        "pointer" => found.push(format!("{name} {offset} pointer")),
        "vector" | "array" => {
            let element = &ty["elementType"];
            (0..count("elementCount"))
                .for_each(|at| places(element, &format!("{name}[{at}]"), offset + at * size(element), found));
        }
        "matrix" => {
            let element = &ty["elementType"];
            (0..count("rowCount") * count("columnCount"))
                .for_each(|at| places(element, &format!("{name}[{at}]"), offset + at * size(element), found));
        }
        _ => {
            for field in ty["fields"].as_array().expect("a struct has fields") {
                let at = offset + field["binding"]["offset"].as_u64().expect("fields have offsets");
                places(&field["type"], &format!("{name}.{}", field["name"].as_str().expect("a name")), at, found);
            }
        }
    }
}

#[test]
fn kernels_with_bindings_have_derivatives() {
    let document = reflection(include_str!("../../../fixtures/cuda/bindings.slang"));
    let kernels = document["cudaKernels"].as_array().expect("there is a list");
    let row = |kernel: &Value| format!("{} {} {}", kernel["name"], kernel["mode"], kernel["symbol"]).replace('"', "");
    let rows: Vec<String> = kernels.iter().map(row).collect();
    let expected = [
        "scale primal __kernel__scale",
        "scale forward __kernel__scale_fwd_diff",
        "scale backward __kernel__scale_bwd_diff",
    ];
    assert_eq!(rows, expected);
    for kernel in kernels {
        let parameters = kernel["parameters"].as_array().expect("there is a list");
        let names: Vec<&str> = parameters.iter().filter_map(|parameter| parameter["name"].as_str()).collect();
        assert_eq!(names, ["input", "output", "factor"]);
        let mut found = Vec::new();
        places(&parameters[0]["type"], "input", 0, &mut found);
        let pointers: Vec<&String> = found.iter().filter(|place| place.ends_with("pointer")).collect();
        assert_eq!(pointers, ["input.primal.__data 0 pointer", "input.diff.diff.__data 56 pointer"]);
    }
    assert_eq!(document["hostFunctions"], serde_json::json!(["scaled"]));
}

#[test]
fn parameters_are_packed() {
    let document = reflection(
        "struct Inner { bool flag; float3 direction; int8_t small; double2 wide; }
        struct Outer { half first; Inner inner; float2x3 matrix; }
        [CudaKernel] void k(Outer outer, float4 vector, TensorView<float4> tensor) { tensor[0] = vector * outer.first; }",
    );
    let kernel = &document["cudaKernels"][0];
    assert_eq!(kernel["symbol"], "k");
    let mut found = Vec::new();
    places(&kernel["parameters"][0]["type"], "", 0, &mut found);
    let expected = [
        ".first 0 float16",
        ".inner.flag 8 bool",
        ".inner.direction[0] 12 float32",
        ".inner.direction[1] 16 float32",
        ".inner.direction[2] 20 float32",
        ".inner.small 24 int8",
        ".inner.wide[0] 32 float64",
        ".inner.wide[1] 40 float64",
        ".matrix[0] 48 float32",
        ".matrix[1] 52 float32",
        ".matrix[2] 56 float32",
        ".matrix[3] 60 float32",
        ".matrix[4] 64 float32",
        ".matrix[5] 68 float32",
    ];
    assert_eq!(found, expected);
    let vector = &kernel["parameters"][1]["type"]["sizes"][0];
    assert_eq!((&vector["value"], &vector["alignment"]), (&16.into(), &4.into()));
    // What the tensor's pointer leads to is the device's own.
    let pointee = &kernel["parameters"][2]["type"]["fields"][0]["type"]["valueType"]["sizes"][0];
    assert_eq!((&pointee["value"], &pointee["alignment"]), (&16.into(), &16.into()));
}
