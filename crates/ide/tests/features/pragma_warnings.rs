//! `#pragma warning`: what a source says about its warnings.

use ide::diagnostics::{Severity, diagnostics};
use test_support::database::TestDatabase;

/// The lines with a warning and those with an error about a conversion.
fn conversions(text: &str) -> (Vec<usize>, Vec<usize>) {
    let test = TestDatabase::new(text);
    let found = diagnostics(&test.db, test.last_file());
    let lines = |severity: Severity| {
        let of = found.iter().filter(|found| found.code.0 == 30081 && found.severity == severity);
        of.map(|found| text[..usize::from(found.at.range.start())].matches('\n').count()).collect()
    };
    (lines(Severity::Warning), lines(Severity::Error))
}

#[test]
fn words_and_numbers_count_from_their_line_on() {
    let text = "int64_t get();
void f() { int i;
i = get();
#pragma warning (disable : 30081 12)
i = get();
#pragma warning (push)
#pragma warning (error : 1, 30081)
i = get();
#pragma warning(pop)
i = get();
#pragma warning (default : 30081)
i = get();
#pragma warning (suppress : 30081)
i = get();
i = get();
}";
    assert_eq!(conversions(text), (vec![2, 11, 14], vec![7]));
}

#[test]
fn macros_and_branches_are_followed() {
    let text = "int64_t get();
#define WORD error
#define NUMBERS 23 \\
 30081
void f() { int i;
#if 0
#pragma warning (disable : 30081)
#else
#pragma warning (WORD : NUMBERS)
#endif
i = get();
#define WORD disable
#pragma warning (once : 30081; disable : 5)
i = get();
i = get();
}";
    assert_eq!(conversions(text), (vec![13], vec![10]));
}
