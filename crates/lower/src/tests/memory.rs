//! How values lie in buffers: sizes and orders are those of the reference compiler's output.

use interp::{Handle, Limits, Machine, Memory, Precision, Value};
use test_support::modules::verified;

use super::{lower, lower_for, numbers, unsupported};

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
    interp::words::stride_in_memory(module, element)
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

/// What `f` returns, with 0, 1, 2, … in the parameter `data`.
fn read(text: &str, by_columns: bool) -> Vec<f64> {
    let setting = crate::Setting { matrices_by_columns: by_columns, ..crate::Setting::default() };
    let lowered = lower_for(text, "f", &[], setting);
    assert_eq!(lowered.errors, [], "{text}");
    let (module, root) = (verified(lowered.module), lowered.roots[0].unwrap());
    let mut memory = Memory::default();
    let words: Vec<u32> = (0u8..24).map(|word| f32::from(word).to_bits()).collect();
    let buffer = memory.add_buffer(&words);
    let (global, _) = module.globals.iter().find(|(_, global)| global.name == "data").unwrap();
    memory.bind(&module, global, &Value::Handle(Handle::buffer(buffer))).unwrap();
    let results = Machine::new(&module, Precision::F64, Limits::default()).call_with(root, &[], &mut memory);
    results.unwrap().iter().flat_map(numbers).collect()
}

/// Read as a whole, by row and by component. By rows a `float2x3` is 0 1 2, 3 4 5; by columns 0 2 4, 1 3 5.
#[test]
fn matrices_lie_as_they_or_else_the_setting_say() {
    let (rows, columns) = ([3.0, 4.0, 5.0, 3.0, 2.0], [1.0, 3.0, 5.0, 1.0, 4.0]);
    let field = |word: &str| format!("struct S {{ {word} float2x3 m; }} StructuredBuffer<S> data;");
    for (declarations, matrix, by_default, by_columns) in [
        ("StructuredBuffer<float2x3> data;".to_owned(), "data[0]", rows, columns),
        ("ByteAddressBuffer data;".into(), "data.Load<float2x3>(0)", rows, columns),
        (field(""), "data[0].m", rows, columns),
        (field("row_major"), "data[0].m", rows, rows),
        (field("column_major"), "data[0].m", columns, columns),
        // As in slangc, the word is about a matrix, not about an array of them.
        ("struct S { column_major float2x3 m[1]; } StructuredBuffer<S> data;".into(), "data[0].m[0]", rows, columns),
        (field("column_major") + " struct T { S s; }", "data[0].m", columns, columns),
    ] {
        let text = format!(
            "{declarations}
            struct R {{ float3 row; float component; float of_whole; }}
            R f() {{ int i = 1; return {{ {matrix}[i], {matrix}[i][0], transpose({matrix})[2][0] }}; }}"
        );
        assert_eq!(read(&text, false), by_default, "{text}");
        assert_eq!(read(&text, true), by_columns, "{text}");
    }
    // What others do not see may lie as it likes.
    assert_eq!(unsupported("float f() { column_major float2x3 m = {}; return m[1][0]; }", "f"), "");
    assert_eq!(unsupported("struct S { column_major float2x3 m; } float f() { S s = {}; return s.m[1][0]; }", "f"), "");
}

#[test]
fn matrices_by_columns_are_refused_behind_pointers_and_interfaces() {
    let pointer = "struct S { column_major float2x3 m; } uniform S* data; float f() { return data[0].m[1][0]; }";
    assert_eq!(unsupported(pointer, "f"), "a pointer to a matrix that lies by columns is not supported yet");
    let interface = "
interface I { float get(); }
struct A : I { column_major float2x3 m; float get() { return m[1][0]; } }
StructuredBuffer<I> data;
float f() { return data[0].get(); }";
    assert_eq!(
        unsupported(interface, "f"),
        "an interface value with a matrix that lies by columns is not supported yet"
    );
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
    assert_eq!((global.name.as_str(), interp::words::stride_in_memory(module, content)), ("C", 4 + 24 + 16 + 4));
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

/// However a program comes to the pointer: by each of the names, as a parameter, field, alias, argument or value.
#[test]
fn pointers_to_other_layouts_than_that_of_memory_are_refused() {
    let items = "struct S { float a; float3 b; }
        struct Holder<T, L : IBufferDataLayout> { Ptr<T, Access.ReadWrite, AddressSpace.Device, L> pointer; }
        float first<L : IBufferDataLayout>(Ptr<S, Access.ReadWrite, AddressSpace.Device, L> p) { return p.b.x; }
        uniform uint64_t number;";
    let programs: [fn(&str) -> String; 9] = [
        |layout| format!("float f(LayoutPtr<S, {layout}> p) {{ return p[1].b.x; }}"),
        |layout| format!("float f(Ptr<S, Access.Read, AddressSpace.Device, {layout}> p) {{ return p.b.x; }}"),
        |layout| format!("float f(ImmutablePtr<S, AddressSpace.Device, {layout}> p) {{ return (*p).b.x; }}"),
        |layout| format!("typealias P = LayoutPtr<S, {layout}>; float f() {{ P p = P(number); return p.b.x; }}"),
        |layout| format!("uniform Holder<S, {layout}> holder; float f() {{ return holder.pointer[1].b.x; }}"),
        |layout| format!("uniform LayoutPtr<S, {layout}> p; float f() {{ return first<{layout}>(p); }}"),
        |layout| format!("uniform LayoutPtr<S, {layout}> p; float f() {{ return first(p); }}"),
        |layout| format!("float f() {{ return LayoutPtr<S, {layout}>(number)->b.x; }}"),
        |layout| format!("float f(LayoutPtr<S, {layout}> p) {{ let q = p + 1; return q[0].b.x; }}"),
    ];
    for program in programs {
        for layout in ["Std140DataLayout", "Std430DataLayout", "CDataLayout"] {
            let text = format!("{items} {}", program(layout));
            let refused = format!("the data layout `{layout}` is not supported yet");
            assert_eq!(unsupported(&text, "f"), refused, "{text}");
        }
        for layout in ["ScalarDataLayout", "DefaultDataLayout"] {
            let text = format!("{items} {}", program(layout));
            assert_eq!(unsupported(&text, "f"), "", "{text}");
        }
    }
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
