//! How values lie in buffers: sizes and orders are those of the reference compiler's output.

use super::{lower, unsupported};

/// The bytes that an element of the first buffer of the program takes.
fn stride(text: &str) -> u64 {
    let lowered = lower(text, "f", &[]);
    assert_eq!(lowered.errors, []);
    let module = &lowered.module;
    let elements = module.globals.iter().filter_map(|(_, global)| match module.types.get(global.ty) {
        ir::Type::Handle(ir::HandleType::StructuredBuffer { element, .. }) => Some(element),
        _ => None,
    });
    let element = elements.into_iter().next().expect("a buffer");
    interp::words::size_in_memory(module, element)
}

#[test]
fn interface_values_take_what_their_largest_type_needs_or_what_the_interface_says() {
    let program = |attribute: &str| {
        format!(
            "{attribute} interface I {{ float get(); }}
            struct A : I {{ float k; float get() {{ return k; }} }}
            struct B : I {{ float2 k; uint8_t flag; float get() {{ return k.x; }} }}
            struct Holder {{ float before; I value; float after; }}
            RWStructuredBuffer<Holder> buffer;
            float f() {{ return buffer[1].value.get() + buffer[1].after; }}"
        )
    };
    assert_eq!(stride(&program("")), 4 + 16 + 12 + 4);
    assert_eq!(stride(&program("[anyValueSize(20)]")), 4 + 16 + 20 + 4);
}

#[test]
fn a_type_has_to_fit_its_interface() {
    let text = "
[anyValueSize(8)] interface I { float get(); }
struct A : I { float4 k; float get() { return k.x; } }
RWStructuredBuffer<I> buffer;
float f() { return buffer[1].get(); }";
    assert!(unsupported(text, "f").contains("`A`, which takes 16 bytes where `I` leaves 8"));
}

#[test]
fn the_value_of_an_optional_is_in_front_of_its_flag() {
    let text = "
RWStructuredBuffer<Optional<double>> buffer;
void f() { buffer[0] = 2.5L; }";
    let lowered = lower(text, "f", &[]);
    assert_eq!(lowered.errors, []);
    let module = &lowered.module;
    let (_, optional) = module.types.structs.iter().find(|(_, def)| def.name.starts_with("Optional")).unwrap();
    let names: Vec<&str> = optional.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["value", "hasValue"]);
    assert_eq!(stride(text), 16);
}

#[test]
fn optional_interface_values_are_not_stored() {
    let text = "
interface I { float get(); }
struct A : I { float k; float get() { return k; } }
struct S { Optional<I> value; }
RWStructuredBuffer<S> buffer;
float f() { return buffer[0].value.hasValue ? 1 : 2; }";
    assert_eq!(unsupported(text, "f"), "an optional interface value in a buffer is not supported yet");
}

/// Matrices lie in memory row by row, as hosts have it that ask for row-major layout.
#[test]
fn matrices_are_stored_row_by_row() {
    let refused = "a `column_major` matrix in a buffer is not supported yet";
    let load = |declarations: &str, value: &str| format!("{declarations} float f() {{ return {value}[1][0]; }}");
    assert_eq!(
        unsupported(&load("struct S { column_major float2x3 m[2]; } StructuredBuffer<S> b;", "b[0].m[1]"), "f"),
        refused
    );
    assert_eq!(unsupported(&load("uniform column_major float2x3 m;", "m"), "f"), refused);
    assert_eq!(unsupported(&load("cbuffer C { column_major float2x3 m; }", "m"), "f"), refused);
    assert_eq!(unsupported(&load("struct S { row_major float2x3 m; } StructuredBuffer<S> b;", "b[0].m"), "f"), "");
    // What others do not see may lie as it likes.
    assert_eq!(unsupported("float f() { column_major float2x3 m = {}; return m[1][0]; }", "f"), "");
    assert_eq!(unsupported("struct S { column_major float2x3 m; } float f() { S s = {}; return s.m[1][0]; }", "f"), "");
}

#[test]
fn the_variables_of_a_cbuffer_are_parts_of_one_parameter() {
    let text = "
struct P { float4 c; int i; }
cbuffer C { float a; float2x3 m; P p; }
float f() { return a + m[1][0] + p.c.y + p.i; }";
    let lowered = lower(text, "f", &[]);
    assert_eq!(lowered.errors, []);
    let module = &lowered.module;
    let (_, global) = module.globals.iter().next().expect("a global");
    let ir::Type::Handle(ir::HandleType::ConstantBuffer { content }) = module.types.get(global.ty) else {
        panic!("no constant buffer");
    };
    assert_eq!((global.name.as_str(), interp::words::size_in_memory(module, content)), ("C", 4 + 24 + 16 + 4));
}

#[test]
fn other_layouts_than_that_of_memory_are_refused() {
    let refused = |name: &str| format!("the data layout `{name}` is not supported yet");
    let buffer = |layout: &str| format!("StructuredBuffer<float3, {layout}> b; float f() {{ return b[1].x; }}");
    assert_eq!(unsupported(&buffer("Std430DataLayout"), "f"), refused("Std430DataLayout"));
    assert_eq!(unsupported(&buffer("CDataLayout"), "f"), refused("CDataLayout"));
    assert_eq!(unsupported(&buffer("ScalarDataLayout"), "f"), "");
    let size = |layout: &str| {
        format!("int g<L : IBufferDataLayout>() {{ return sizeof(float3[2], L); }} int f() {{ return g<{layout}>(); }}")
    };
    assert_eq!(unsupported(&size("Std140DataLayout"), "f"), refused("Std140DataLayout"));
    assert_eq!(unsupported(&size("ScalarDataLayout"), "f"), "");
    assert_eq!(unsupported("int f() { return alignof(float3, Std430DataLayout); }", "f"), refused("Std430DataLayout"));
}

#[test]
fn a_base_with_padding_is_not_stored() {
    let program = |first: &str| {
        format!(
            "struct Base {{ {first} a; float b; }} struct S : Base {{ float c; }}
            StructuredBuffer<S> buffer; float f() {{ return buffer[1].c; }}"
        )
    };
    assert_eq!(
        unsupported(&program("double"), "f"),
        "a struct in a buffer whose base ends in padding is not supported yet"
    );
    assert_eq!(stride(&program("float")), 12);
}

#[test]
fn the_offset_of_a_field_is_refused() {
    let text = "struct S { int a; int b; } int f() { S s = {}; return __offsetOf(s, s.b); }";
    assert_eq!(unsupported(text, "f"), "`offsetof` is not supported yet");
}
