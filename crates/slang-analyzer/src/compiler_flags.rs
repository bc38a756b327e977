//! The options of slangc where builds and editors give them: the command line takes them beside its own, and the setting
//! `slang-analyzer.compilerFlags` has a list of them.
//!
//! [`table`] says what each means here, and of those that mean nothing why that is right. An option that would change
//! what is emitted in a way that is not known here is no reason to refuse a check, but `emit` refuses it by its name.

mod table;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use ide::{
    diagnostics::{Code, Severity},
    severities::Severities,
};

pub use self::table::{Flag, Form, Meaning, TABLE, Values};

/// What options of slangc ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompilerFlags {
    pub search_roots: Vec<PathBuf>,
    pub macro_definitions: Vec<(String, String)>,
    /// Enums whose cases are names of the scope around them, if they are not `enum class`.
    pub unscoped_enums: bool,
    /// `-allow-glsl`.
    pub allow_glsl: bool,
    /// Numbers of warnings that are errors, and whether all are.
    errors: BTreeSet<Code>,
    all_are_errors: bool,
    /// Numbers of warnings that are not shown.
    off: BTreeSet<Code>,
    pub target: Option<String>,
    pub entry_points: Vec<String>,
    pub stage: Option<String>,
    pub output: Option<PathBuf>,
    pub dependency_file: Option<PathBuf>,
    /// Whether matrices lie column by column in memory where the source says nothing.
    pub matrices_by_columns: bool,
    /// Options that would change the code in a way that is not known here, each with what it asks for.
    pub unknown_to_emission: Vec<(String, &'static str)>,
}

impl CompilerFlags {
    /// What the words ask for. A word of a setting may hold an option with its value: `-I shaders`.
    ///
    /// # Errors
    /// The words that are no options of slangc, or lack a value; the others count.
    pub fn read<'a>(words: impl IntoIterator<Item = &'a str>) -> (CompilerFlags, Vec<String>) {
        let mut flags = CompilerFlags::default();
        let mut problems = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(written) = words.next() {
            let written = written.trim();
            let (word, own) = match written.split_once(char::is_whitespace) {
                Some((word, value)) => (word, Some(value.trim())),
                None => (written, None),
            };
            let Some((flag, joined)) = table::find(word) else {
                problems.push(format!("`{word}` is not an option of slangc"));
                continue;
            };
            let value = match flag.form {
                Form::Alone => Some(""),
                Form::Joined => Some(joined),
                Form::JoinedOrNext if !joined.is_empty() => Some(joined),
                Form::Next | Form::JoinedOrNext => own.or_else(|| words.next()),
                // The second of two values says nothing to us.
                Form::NextTwo => own.or_else(|| words.next().and_then(|_| words.next())),
            };
            match value {
                Some(value) if !flag.values.hold(value.trim()) => {
                    let (value, wanted) = (value.trim(), flag.values.wanted());
                    problems.push(format!("`{word}` does not take `{value}`: {wanted} is wanted"));
                }
                Some(value) => flags.add(flag, word, value.trim()),
                None => problems.push(format!("`{word}` needs a value")),
            }
        }
        (flags, problems)
    }

    fn add(&mut self, flag: &Flag, word: &str, value: &str) {
        match flag.meaning {
            Meaning::SearchRoot => self.search_roots.push(PathBuf::from(value)),
            Meaning::Macro => self.macro_definitions.push(macro_definition(value)),
            Meaning::UnscopedEnums => self.unscoped_enums = true,
            Meaning::AllowGlsl => self.allow_glsl = true,
            Meaning::WarningsAsErrors if value == "all" => self.all_are_errors = true,
            Meaning::WarningsAsErrors => self.errors.extend(codes(value)),
            Meaning::WarningsOff => self.off.extend(codes(value)),
            Meaning::WarningOn => codes(value).for_each(|code| {
                self.off.remove(&code);
            }),
            Meaning::Target => self.target = Some(value.to_owned()),
            Meaning::EntryPoint => self.entry_points.push(value.to_owned()),
            Meaning::Stage => self.stage = Some(value.to_owned()),
            Meaning::Profile => {
                if let Some(stage) = stage_of_profile(value) {
                    self.stage = Some(stage.to_owned());
                }
            }
            Meaning::Output => self.output = Some(PathBuf::from(value)).filter(|path| path.as_os_str() != "-"),
            Meaning::DependencyFile => self.dependency_file = Some(PathBuf::from(value)),
            Meaning::MatricesByRows => self.matrices_by_columns = false,
            Meaning::MatricesByColumns => self.matrices_by_columns = true,
            Meaning::Ignored(_) => {}
            Meaning::NotEmitted(what) => self.unknown_to_emission.push((word.to_owned(), what)),
        }
    }

    /// Adds what they ask of warnings.
    pub fn add_to(&self, severities: &mut Arc<Severities>) {
        if !self.all_are_errors && self.errors.is_empty() && self.off.is_empty() {
            return;
        }
        let levels = &mut Arc::make_mut(severities).0;
        if self.all_are_errors {
            let warnings = diagnostics::entries().iter().filter(|entry| entry.severity == Severity::Warning);
            levels.extend(warnings.map(|entry| (entry.code, Some(Severity::Error))));
        }
        levels.extend(self.errors.iter().map(|code| (*code, Some(Severity::Error))));
        levels.extend(self.off.iter().map(|code| (*code, None)));
    }
}

/// `NAME` defines 1, as on the command line.
pub fn macro_definition(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((name, value)) => (name.trim().to_owned(), value.to_owned()),
        None => (text.trim().to_owned(), "1".to_owned()),
    }
}

/// Numbers of diagnostics. slangc has more of them than we do, so that one without a meaning here is no mistake.
fn codes(listed: &str) -> impl Iterator<Item = Code> {
    listed.split(',').filter_map(|number| ide::severities::code(number).ok())
}

/// The stage that a profile as `cs_5_0` names.
fn stage_of_profile(profile: &str) -> Option<&'static str> {
    let (prefix, _) = profile.split_once('_')?;
    let stages = [
        ("vs", "vertex"),
        ("hs", "hull"),
        ("ds", "domain"),
        ("gs", "geometry"),
        ("ps", "fragment"),
        ("cs", "compute"),
        ("as", "amplification"),
        ("ms", "mesh"),
    ];
    stages.into_iter().find(|(short, _)| *short == prefix).map(|(_, stage)| stage)
}

/// The words of a command line with those of slangc's options that are none of ours in the form that our own parser knows:
/// `--compiler-flag=-profile --compiler-flag=sm_6_6`.
///
/// # Errors
/// If a word has the form of slangc's options, and is none that is known here.
pub fn as_own_options(words: Vec<String>) -> Result<Vec<String>, String> {
    let mut result = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    let mut last_is_option = false;
    while let Some(word) = words.next() {
        // It may be a value: `--at -inf`.
        let follows_option = std::mem::replace(&mut last_is_option, word.starts_with("--") && !word.contains('='));
        if word == "--" {
            result.push(word);
            break;
        }
        // A word that is written by itself: `--compiler-flag -Wno-41016`.
        if word == "--compiler-flag" {
            result.push(match words.next() {
                Some(flag) => format!("{word}={flag}"),
                None => word,
            });
            last_is_option = false;
            continue;
        }
        let Some((flag, _)) = table::find(&word).filter(|(flag, _)| !flag.is_own()) else {
            if !follows_option && is_unknown(&word) {
                return Err(format!(
                    "`{word}` is not an option of slangc that is known here; `slang-analyzer explain flags` lists them"
                ));
            }
            result.push(word);
            continue;
        };
        let values = match flag.form {
            Form::Alone | Form::Joined | Form::JoinedOrNext => 0,
            Form::Next => 1,
            Form::NextTwo => 2,
        };
        let taken = std::iter::once(word).chain(words.by_ref().take(values));
        result.extend(taken.map(|word| format!("--compiler-flag={word}")));
    }
    result.extend(words);
    Ok(result)
}

/// Whether a word has the form of an option of slangc: one hyphen and several letters. Of our own options with one letter only
/// `-I` and `-D` have their value in the same word.
fn is_unknown(word: &str) -> bool {
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    let first = letters.next().is_some_and(|first| first.is_alphabetic() && !"ID".contains(first));
    first && letters.next().is_some()
}

/// The table as a page of the manual.
pub fn page() -> String {
    let mut page = "# Options of slangc\n\nThe commands take slangc's options beside their own, so that `slang-analyzer emit` \
                    stands where slangc stood in a build; the setting `slang-analyzer.compilerFlags`, also in a \
                    `slangdconfig.json`, has a list of them. What is not in this table is refused by its name. Two \
                    differences: `-DNAME` defines 1 and not nothing, and a number of a warning that is unknown here is no \
                    mistake.\n\n| option | here |\n|---|---|\n"
        .to_owned();
    for flag in TABLE {
        let names: Vec<String> =
            flag.names.iter().map(|name| format!("`{name}{}`", flag.form.placeholder(name))).collect();
        page.push_str(&format!("| {} | {} |\n", names.join(", "), flag.meaning.text()));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide::diagnostics::codes;

    fn read(words: &[&str]) -> CompilerFlags {
        let (flags, problems) = CompilerFlags::read(words.iter().copied());
        assert_eq!(problems, Vec::<String>::new());
        flags
    }

    #[test]
    fn both_forms_of_a_value_are_read() {
        let flags = read(&["-I", "a", "-Ib", "-I c d", "-DA", "-D", "B=2", "-DC="]);
        assert_eq!(flags.search_roots, ["a", "b", "c d"].map(PathBuf::from));
        let macros = [("A", "1"), ("B", "2"), ("C", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(flags.macro_definitions, macros);
    }

    #[test]
    fn what_is_emitted_is_read() {
        let flags = read(&["-target", "hlsl", "-entry", "a", "-entry", "b", "-profile", "cs_6_0", "-o", "x", "-O3"]);
        assert_eq!((flags.target.as_deref(), flags.stage.as_deref()), (Some("hlsl"), Some("compute")));
        assert_eq!(flags.entry_points, ["a", "b"]);
        assert_eq!(flags.output, Some(PathBuf::from("x")));
        assert_eq!(read(&["-profile", "sm_6_6"]).stage, None);
    }

    #[test]
    fn warnings_are_errors_or_off() {
        let mut severities = Arc::default();
        read(&["-warnings-as-errors", "all", "-Wno-41810", "-Wno-99999"]).add_to(&mut severities);
        assert_eq!(severities.wanted(codes::LOST_IN_MEMORY, Severity::Warning), Some(Severity::Error));
        assert_eq!(severities.wanted(codes::UNUSED_VARIABLE, Severity::Hint), None);
        let mut severities = Arc::default();
        read(&["-warnings-as-errors", "41804,12", "-warnings-disable", "41001"]).add_to(&mut severities);
        assert_eq!(severities.wanted(codes::LOST_IN_MEMORY, Severity::Warning), Some(Severity::Error));
        let mut severities = Arc::default();
        read(&["-Wno-41031", "-W41031"]).add_to(&mut severities);
        assert_eq!(severities.0.len(), 0);
    }

    #[test]
    fn what_slangc_has_not_is_said_and_the_rest_counts() {
        let (flags, problems) = CompilerFlags::read(["-nonsense", "-unscoped-enum", "-entry"]);
        assert!(flags.unscoped_enums);
        assert_eq!(problems, ["`-nonsense` is not an option of slangc", "`-entry` needs a value"]);
    }

    /// slangc 2026.14.1 refuses each of these, too.
    #[test]
    fn a_value_that_means_nothing_is_refused() {
        let wrong: [&[&str]; 9] = [
            &["-profile", "nonsense"],
            &["-O9"],
            &["-std", "nonsense"],
            &["-fp-mode", "nonsense"],
            &["-warnings-as-errors", "foo"],
            &["-warnings-disable", "foo"],
            &["-Wno-uninit"],
            &["-Werror"],
            &["-stage", "nonsense"],
        ];
        for words in wrong {
            let (_, problems) = CompilerFlags::read(words.iter().copied());
            assert!(
                matches!(problems.as_slice(), [problem] if problem.contains("does not take")),
                "{words:?}: {problems:?}"
            );
        }
        read(&[
            "-profile",
            "glsl_450+GL_EXT_ray_tracing",
            "-O",
            "-O2",
            "-g",
            "-std",
            "2026",
            "-warnings-as-errors",
            "41804,E12",
        ]);
    }

    #[test]
    fn our_own_options_stay_what_they_are() {
        let words = ["-I", "x", "-profile", "sm_6_6", "--target", "hlsl", "-o", "y", "-O2", "--", "-g"];
        let expected = ["-I", "x", "--compiler-flag=-profile", "--compiler-flag=sm_6_6", "--target", "hlsl", "-o", "y"];
        let expected = expected.into_iter().chain(["--compiler-flag=-O2", "--", "-g"]).map(str::to_owned);
        assert_eq!(as_own_options(words.map(str::to_owned).into()), Ok(expected.collect()));
    }

    #[test]
    fn a_word_that_only_looks_like_an_option_is_named() {
        let own = |words: &[&str]| as_own_options(words.iter().map(|word| (*word).to_owned()).collect());
        let refused = own(&["emit", "-module-name", "x"]).expect_err("slangc has it, we do not");
        assert!(refused.starts_with("`-module-name` is not an option of slangc"), "{refused}");
        // Not the file `utput-includes`, and no help.
        for word in ["-output-includes", "-hlsl", "-Version"] {
            assert!(own(&["emit", word]).is_err(), "{word}");
        }
        let kept = ["jacobian", "--at", "-inf", "-o", "out.hlsl", "-DX=1", "-Ix", "-", "-1", "--", "-module-name"];
        assert_eq!(own(&kept), Ok(kept.map(str::to_owned).into()));
        let joined = own(&["check", "--compiler-flag", "-Wno-41016", "--compiler-flag", "-O2"]);
        let expected = ["check", "--compiler-flag=-Wno-41016", "--compiler-flag=-O2"];
        assert_eq!(joined, Ok(expected.map(str::to_owned).into()));
    }

    #[test]
    fn each_option_is_in_the_table_once_and_found_by_its_name() {
        let mut seen = BTreeSet::new();
        for flag in TABLE {
            for name in flag.names {
                assert!(seen.insert(name), "{name}");
                let (found, _) = table::find(name).expect("a flag of the table");
                assert!(found.names.contains(name), "{name}");
            }
        }
    }
}
