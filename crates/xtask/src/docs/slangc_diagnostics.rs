//! The inventory of slangc's diagnostics: of each number whether we report it, and if not, why.
//!
//! [`LIST`] has the numbers, [`ANSWERS`] what we do about those that our own registry lacks, by ranges: of those that
//! hold a number, the last one counts.

use std::{fmt::Write as _, ops::RangeInclusive};

use diagnostics::{Code, codes, entry};

const LIST: &str = include_str!("slangc_diagnostics.txt");

/// What we do about a number of slangc's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// There is one of ours with the same number.
    Reported,
    /// Such programs are refused under another number.
    As(Code),
    /// There is nothing of which it could be said, because of this.
    Cannot(&'static str),
    /// Such programs are right here, because of this.
    WillNot(&'static str),
    /// It is missing.
    NotYet,
}

use Answer::{As, Cannot, NotYet, Reported, WillNot};

const OPTIONS: Answer = Cannot("about slangc's own command line and files");
const BACK_END: Answer = Cannot("about code for one target, which `emit` refuses in words of its own");
const LINKING: Answer = Cannot("about linking, which is done for one entry point and one target");
const NOT_COMPILED: Answer = Cannot("about a stage or target that is not compiled here");
const ASSEMBLY: Answer = Cannot("of the text of `spirv_asm` only ids are looked at");
const INSIDES: Answer = Cannot("about the insides of slangc");
const EXPERIMENTAL: Answer = WillNot("what slangc calls an experiment is always on");
const CAPABLE: Answer = WillNot("this is supported here");

const ANSWERS: &[(RangeInclusive<u32>, Answer)] = &[
    (0..=999, OPTIONS),
    (15000..=15999, As(codes::PREPROCESSOR_ERROR)),
    (15206..=15209, WillNot("all versions of the language are read as the newest one")),
    (15301..=15301, As(Code(1))),
    (15303..=15304, LINKING),
    (15401..=15401, NotYet),
    (15404..=15404, NotYet),
    (15601..=15615, NotYet),
    (20000..=20999, As(codes::UNEXPECTED_TOKEN)),
    (20012..=20013, OPTIONS),
    (29000..=29999, ASSEMBLY),
    (29000..=29000, INSIDES),
    (30000..=44999, NotYet),
    (30097..=30097, As(Code(41022))),
    (30130..=30132, EXPERIMENTAL),
    (30407..=30407, INSIDES),
    (30439..=30439, As(codes::CANNOT_RESOLVE)),
    (30438..=30438, As(Code(30441))),
    (30810..=30814, As(Code(30811))),
    (30820..=30822, As(Code(30811))),
    (30816..=30816, WillNot("inheritance of structs works, and derivatives go through it")),
    (31004..=31004, As(codes::TYPE_MISMATCH)),
    (31009..=31009, As(codes::TYPE_MISMATCH)),
    (31113..=31119, NOT_COMPILED),
    (31127..=31128, NOT_COMPILED),
    (31105..=31105, BACK_END),
    (31106..=31107, LINKING),
    (31111..=31111, OPTIONS),
    (36107..=36112, LINKING),
    (38000..=38028, LINKING),
    (38035..=38035, CAPABLE),
    (38037..=38037, CAPABLE),
    (38051..=38051, BACK_END),
    (38201..=38202, OPTIONS),
    (39000..=39099, LINKING),
    (39901..=39901, As(Code(15300))),
    (40003..=40003, INSIDES),
    (40012..=40012, As(Code(40013))),
    (40007..=40007, INSIDES),
    (41011..=41013, LINKING),
    (41014..=41019, BACK_END),
    (41026..=41026, BACK_END),
    (41901..=41901, CAPABLE),
    (42001..=42001, NOT_COMPILED),
    (45000..=45099, LINKING),
    (45100..=45199, Cannot("about `-trace-coverage`")),
    (50000..=59999, BACK_END),
    (50100..=50104, LINKING),
    (52000..=52999, BACK_END),
    (52001..=52009, OPTIONS),
    (54001..=54006, NotYet),
    (55206..=55207, NotYet),
    (81110..=81111, BACK_END),
    (90001..=90001, INSIDES),
    (99997..=99999, INSIDES),
];

/// One diagnostic of slangc's.
struct Row<'t> {
    code: Code,
    severity: &'t str,
    name: &'t str,
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (number, rest) = line.split_once(' ')?;
        let (severity, name) = rest.split_once(' ')?;
        Some(Row { code: Code(number.parse().ok()?), severity, name })
    })
}

fn answer(row: &Row<'_>) -> Option<Answer> {
    if entry(row.code).is_some() {
        return Some(Reported);
    }
    if row.severity == "internal" {
        return Some(INSIDES);
    }
    ANSWERS.iter().rev().find(|(range, _)| range.contains(&row.code.0)).map(|(_, answer)| *answer)
}

/// The table as a page of the manual, with the shares.
pub(super) fn page() -> String {
    let mut list = String::new();
    // Reported, under another number, cannot be, will not be, missing.
    let mut counts = [0usize; 5];
    for row in rows() {
        let answer = answer(&row).unwrap_or(NotYet);
        let (kind, text) = match answer {
            Reported => (0, "reported".to_owned()),
            As(code) => (1, format!("as {code}")),
            Cannot(why) => (2, format!("cannot be: {why}")),
            WillNot(why) => (3, format!("will not be: {why}")),
            NotYet => (4, "not yet".to_owned()),
        };
        counts[kind] += 1;
        let _ = writeln!(list, "| {} | {} | {} | {text} |", row.code, row.severity, row.name);
    }
    let [reported, renamed, cannot, will_not, missing] = counts;
    let all: usize = counts.iter().sum();
    let possible = reported + renamed + missing;
    let share = |part: usize, of: usize| (100 * part + of / 2) / of.max(1);
    format!(
        "# slangc's diagnostics\n\nEach number of slangc 2026.14.1, without its notes, and what is said here of such a \
         program. Of {all} numbers, {cannot} are about things that there are not here (the command line of slangc, \
         targets and stages that are not compiled, its insides), and {will_not} refuse what is right here. Of the other \
         {possible}, {reported} are reported under the same number and {renamed} under another one, {}% together; \
         {missing} are missing.\n\nThat a number is reported does not mean that it is in every case in which slangc does; \
         the [list of ours](diagnostics.md) explains each.\n\n| number | severity | slangc's name | here \
         |\n|---|---|---|---|\n{list}",
        share(reported + renamed, possible)
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_number_has_one_answer() {
        let mut seen = BTreeSet::new();
        for row in rows() {
            assert!(seen.insert(row.code), "{} is listed twice", row.code);
            assert!(answer(&row).is_some(), "nothing is said of {}", row.code);
        }
        assert!(seen.len() > 700);
        assert_eq!(rows().count(), LIST.lines().filter(|line| !line.starts_with('#')).count());
    }

    #[test]
    fn what_is_said_of_a_range_is_about_a_number_and_names_one_of_ours() {
        let numbers: BTreeSet<u32> = rows().map(|row| row.code.0).collect();
        for (range, answer) in ANSWERS {
            assert!(numbers.range(range.clone()).next().is_some(), "no number of slangc's is in {range:?}");
            if let As(code) = answer {
                assert!(entry(*code).is_some(), "{code} is none of ours");
            }
        }
    }
}
