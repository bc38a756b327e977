use super::*;

const TEXT: &str = "
struct $S { a: i32, b: [f32x2; 2] }
global @v: variable<$S> static
func @f(%i: i32) -> (return: f32) {
    %v: variable<$S> = global @v
    %one: i32 = const 1
    %x: f32 = const 2.5
    store %v[1][1][0], %x
    %p: pointer<OTHER> = intrinsic pointer.address_of(%v, %one, %i)
    %r: OTHER = load %p[0]
    RESULT
    return %y
}";

fn run_as(other: &str, result: &str, index: i64) -> Result<Vec<Value>, InterpError> {
    let text = TEXT.replace("OTHER", other).replace("RESULT", result);
    run_with(&text, Precision::Declared, Limits::default(), &[Value::Int(index)])
}

#[test]
fn pointers_lead_into_variables() {
    assert_eq!(run_as("f32x2", "%y: f32 = extract %r[0]", 1), Ok(vec![Value::Float(2.5)]));
    // The first component is where the vector starts.
    assert_eq!(run_as("f32", "%y: f32 = neg %r", 1), Ok(vec![Value::Float(-2.5)]));
    // Out of bounds there is nothing.
    assert_eq!(run_as("f32x2", "%y: f32 = extract %r[0]", 2), Ok(vec![Value::Float(0.0)]));
}

#[test]
fn a_variable_is_not_read_as_another_type() {
    assert_eq!(run_as("u32", "%y: f32 = convert %r", 1), Err(InterpError::MistypedPointer));
}

#[test]
fn a_number_is_no_address() {
    let at = |access: &str, address| {
        let text = format!(
            "func @f(%address: u64) -> (return: f32) {{
                %p: pointer<f32> = bitcast %address
                %zero: f32 = const 0
                {access}
                return %y
            }}"
        );
        run_with(&text, Precision::Declared, Limits::default(), &[Value::Int(address)])
    };
    let read = "%y: f32 = load %p[1]";
    let written = "store %p[0], %zero\n%y: f32 = neg %zero";
    assert_eq!(at(read, 4096), Err(InterpError::NumberAsPointer(4096)));
    assert_eq!(at(written, 4096), Err(InterpError::NumberAsPointer(4096)));
    // Nothing is what parameters without memory have, too.
    assert_eq!(at(read, 0), Ok(vec![Value::Float(0.0)]));
}
