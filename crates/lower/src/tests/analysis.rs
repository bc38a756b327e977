use super::{database, function};
use crate::lower_for_analysis;

#[test]
fn spans_are_relative_to_the_item() {
    let spans = |text: &str| {
        let (db, file) = database(text);
        let lowered = lower_for_analysis(&db, function(&db, file, "f"));
        lowered.module.spans.clone()
    };
    let function = "float f(float x) { return x * 2; }";
    let alone = spans(function);
    assert!(alone.len() > 1);
    assert_eq!(alone, spans(&format!("float g() {{ return 1; }}\n\n{function}")));
}
