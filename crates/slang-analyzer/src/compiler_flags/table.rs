//! Each option of slangc with what it means here.

/// An option, under all its names.
#[derive(Debug)]
pub struct Flag {
    pub names: &'static [&'static str],
    pub form: Form,
    pub values: Values,
    pub meaning: Meaning,
}

/// What an option takes for its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Any,
    OneOf(&'static [&'static str]),
    /// A word that begins with one of these.
    Beginning(&'static [&'static str]),
    /// Numbers of diagnostics with commas between them.
    Numbers,
    /// Those, or `all`.
    AllOrNumbers,
}

impl Values {
    /// Whether a value is one of them; an empty one is where the option has none.
    pub fn hold(self, value: &str) -> bool {
        let is_number = |text: &str| {
            let text = text.trim();
            let digits = text.strip_prefix(['E', 'e']).unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        match self {
            Values::Any => true,
            Values::OneOf(words) => words.contains(&value),
            Values::Beginning(words) => words.iter().any(|word| value.starts_with(word)),
            Values::AllOrNumbers if value == "all" => true,
            Values::AllOrNumbers | Values::Numbers => value.split(',').all(is_number),
        }
    }

    /// What is wanted, for messages.
    pub fn wanted(self) -> String {
        match self {
            Values::Any => "a value".to_owned(),
            Values::OneOf(words) => format!("one of {}", words.join(", ")),
            Values::Beginning(words) => format!("a word that begins with {}", words.join(", ")),
            Values::Numbers => "numbers of diagnostics".to_owned(),
            Values::AllOrNumbers => "`all` or numbers of diagnostics".to_owned(),
        }
    }
}

/// Where the value of an option is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It has none.
    Alone,
    /// In the next word.
    Next,
    /// In the two next words.
    NextTwo,
    /// In the same word: `-Wno-30081`.
    Joined,
    /// In the same word or, if nothing is there, the next.
    JoinedOrNext,
}

/// What an option asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    SearchRoot,
    Macro,
    UnscopedEnums,
    AllowGlsl,
    WarningsAsErrors,
    WarningsOff,
    WarningOn,
    Target,
    EntryPoint,
    Stage,
    Profile,
    Output,
    DependencyFile,
    MatricesByRows,
    MatricesByColumns,
    /// Nothing, because of this.
    Ignored(&'static str),
    /// Code of another form than we write: this. `check` and the editor go on, `emit` does not.
    NotEmitted(&'static str),
}

impl Form {
    /// How the manual writes the value.
    pub fn placeholder(self, name: &str) -> &'static str {
        match self {
            Form::Alone => "",
            Form::Next => " …",
            Form::NextTwo => " … …",
            Form::JoinedOrNext => "…",
            Form::Joined if name == "-g" => "",
            Form::Joined => "…",
        }
    }
}

impl Meaning {
    /// For the manual.
    pub fn text(self) -> String {
        let text = match self {
            Meaning::SearchRoot => "A folder to look for modules and headers in.",
            Meaning::Macro => "A macro for the preprocessor; a name alone means 1.",
            Meaning::UnscopedEnums => {
                "The cases of an enum are names of the scope around it, too, unless it is an `enum class`."
            }
            Meaning::AllowGlsl => {
                "The names of GLSL's library (`vec4`, `texture`, `gl_GlobalInvocationID`) and its operators are known in all \
                 files, as `import glsl;` makes them known in one."
            }
            Meaning::WarningsAsErrors => "`all` warnings, or those with these numbers, are errors.",
            Meaning::WarningsOff => "Warnings with these numbers are not shown.",
            Meaning::WarningOn => "The warning with this number is shown, which it is without this as well.",
            Meaning::Target => {
                "`emit`: the target, where we have it. `check` and the editor look at all targets at once."
            }
            Meaning::EntryPoint => "`emit`: an entry point.",
            Meaning::Stage => {
                "`emit`: the stage of the entry point, `compute`, `vertex` or `fragment`; its `[shader]`, if there is one, says the same; without `-entry` \
                 the entry point is `main`."
            }
            Meaning::Profile => {
                "`emit`: the stage, if the profile names one (`cs_5_0`). Versions are ignored, because the code asks for \
                 what it uses."
            }
            Meaning::Output => "`emit`: the file to write.",
            Meaning::DependencyFile => "`emit`: a file for `make` with all files that the code depends on.",
            Meaning::MatricesByRows => {
                "Matrices lie row by row in memory where the source says nothing. It is so without the option as well, while \
                 `slangc` on its command line has columns then."
            }
            Meaning::MatricesByColumns => "Matrices lie column by column in memory where the source says nothing.",
            Meaning::Ignored(why) => return format!("Is ignored because {why}."),
            Meaning::NotEmitted(what) => return format!("Is ignored by `check` and refused by `emit`: {what}."),
        };
        text.to_owned()
    }
}

impl Flag {
    /// Whether our own command line has it under the same name.
    pub fn is_own(&self) -> bool {
        matches!(self.meaning, Meaning::SearchRoot | Meaning::Macro | Meaning::Output)
    }
}

/// The option that a word is, and what follows its name in the word.
pub(super) fn find(word: &str) -> Option<(&'static Flag, &str)> {
    let whole = |flag: &&Flag| flag.form != Form::Joined && flag.names.contains(&word);
    if let Some(flag) = TABLE.iter().find(whole) {
        return Some((flag, ""));
    }
    let joined = TABLE.iter().filter(|flag| matches!(flag.form, Form::Joined | Form::JoinedOrNext));
    let prefixes = joined.flat_map(|flag| flag.names.iter().map(move |name| (flag, *name)));
    let found = prefixes.filter_map(|(flag, name)| Some((flag, name, word.strip_prefix(name)?)));
    // `-Wno-1` is not `-W` of `no-1`.
    let (flag, _, rest) = found.max_by_key(|(_, name, _)| name.len())?;
    Some((flag, rest))
}

const fn flag(names: &'static [&'static str], form: Form, meaning: Meaning) -> Flag {
    Flag { names, form, values: Values::Any, meaning }
}

impl Flag {
    const fn of(self, values: Values) -> Flag {
        Flag { values, ..self }
    }
}

const STAGES: Values = Values::OneOf(&[
    "vertex",
    "hull",
    "domain",
    "geometry",
    "fragment",
    "pixel",
    "compute",
    "raygeneration",
    "raygen",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "mesh",
    "amplification",
    "dispatch",
    "node",
]);

/// Shader models by stage and by themselves, and the versions of the languages and devices that slangc writes for.
const PROFILES: Values = Values::Beginning(&[
    "sm_", "vs_", "hs_", "ds_", "gs_", "ps_", "cs_", "as_", "ms_", "lib_", "glsl_", "spirv_", "metal", "cuda_", "wgsl",
    "DX_", "GLSL_", "unknown",
]);

use Form::{Alone, Joined, JoinedOrNext, Next, NextTwo};
use Meaning::{Ignored, NotEmitted};

/// In the order of slangc's own help.
pub const TABLE: &[Flag] = &[
    flag(&["-I"], JoinedOrNext, Meaning::SearchRoot),
    flag(&["-D"], JoinedOrNext, Meaning::Macro),
    flag(&["-target"], Next, Meaning::Target),
    flag(&["-profile"], Next, Meaning::Profile).of(PROFILES),
    flag(&["-capability"], Next, Ignored("the code asks for what it uses, and functions say what they require")),
    flag(&["-entry"], Next, Meaning::EntryPoint),
    flag(&["-stage"], Next, Meaning::Stage).of(STAGES),
    flag(&["-o"], Next, Meaning::Output),
    flag(&["-depfile"], Next, Meaning::DependencyFile),
    flag(&["-std"], Next, Ignored("all versions of the language are read as the newest one"))
        .of(Values::OneOf(&["legacy", "2018", "default", "2025", "2026", "latest"])),
    flag(
        &["-lang"],
        Next,
        Ignored("HLSL's and GLSL's declarations are known in Slang; GLSL's library is with `-allow-glsl`"),
    ),
    flag(&["-allow-glsl"], Alone, Meaning::AllowGlsl),
    flag(&["-unscoped-enum"], Alone, Meaning::UnscopedEnums),
    flag(&["-warnings-as-errors"], Next, Meaning::WarningsAsErrors).of(Values::AllOrNumbers),
    flag(&["-warnings-disable"], Next, Meaning::WarningsOff).of(Values::Numbers),
    flag(&["-Wno-"], Joined, Meaning::WarningsOff).of(Values::Numbers),
    flag(&["-W"], Joined, Meaning::WarningOn).of(Values::Numbers),
    flag(&["-matrix-layout-row-major"], Alone, Meaning::MatricesByRows),
    flag(&["-matrix-layout-column-major"], Alone, Meaning::MatricesByColumns),
    flag(&["-line-directive-mode"], Next, Ignored("the code has no `#line` directives")),
    flag(&["-O"], Joined, Ignored("there is one level of optimisation"))
        .of(Values::OneOf(&["", "0", "1", "2", "3", "none", "default", "high", "maximal"])),
    flag(&["-g"], Joined, Ignored("the code has no debug information"))
        .of(Values::OneOf(&["", "0", "1", "2", "3", "none", "minimal", "standard", "maximal"])),
    flag(&["-fp-mode", "-floating-point-mode"], Next, Ignored("operations are written as the source has them"))
        .of(Values::OneOf(&["precise", "fast", "default"])),
    flag(&["-emit-spirv-directly", "-emit-cpu-via-cpp"], Alone, Ignored("there is no other way here")),
    flag(&["-emit-spirv-via-glsl"], Alone, Ignored("there is one way to SPIR-V, and it means the same")),
    flag(
        &["-skip-spirv-validation", "-validate-ir", "-validate-ir-detailed", "-minimum-slang-optimization"],
        Alone,
        Ignored("it is about the insides of slangc"),
    ),
    flag(
        &["-restrictive-capability-check", "-ignore-capabilities"],
        Alone,
        Ignored("what a function requires is checked in one way"),
    ),
    flag(
        &["-disable-non-essential-validations"],
        Alone,
        Ignored("what is checked besides costs little, and can be turned off by number"),
    ),
    flag(&["-experimental-feature"], Alone, Ignored("what is known is always on")),
    flag(
        &["-enable-experimental-rich-diagnostics", "-enable-machine-readable-diagnostics", "-verbose-paths"],
        Alone,
        Ignored("reports have the form that `--format` says"),
    ),
    flag(&["-diagnostic-color"], Next, Ignored("reports have the colours that `--color` says")),
    flag(
        &["-report-downstream-time", "-report-perf-benchmark", "-report-detailed-perf-benchmark"],
        Alone,
        Ignored("it is about the insides of slangc"),
    ),
    flag(&["-no-codegen", "-skip-codegen"], Alone, Ignored("`check` is the command that emits nothing")),
    flag(&["-no-mangle"], Alone, Ignored("names stay as near to the source's as the target allows")),
    flag(&["-fvk-use-entrypoint-name"], Alone, Ignored("entry points keep their names")),
    flag(
        &["-force-glsl-scalar-layout", "-fvk-use-scalar-layout", "-fvk-use-dx-layout", "-fvk-use-c-layout"],
        Alone,
        NotEmitted("buffers have the layout that slangc gives them without it"),
    ),
    flag(&["-fvk-use-gl-layout"], Alone, NotEmitted("buffers have the layout that slangc gives them without it")),
    flag(
        &["-fvk-b-shift", "-fvk-t-shift", "-fvk-s-shift", "-fvk-u-shift", "-fvk-bind-globals"],
        NextTwo,
        NotEmitted("bindings are those of the source, or are counted"),
    ),
    flag(&["-fvk-invert-y", "-fvk-use-dx-position-w"], Alone, NotEmitted("positions are written as they are")),
    flag(
        &[
            "-preserve-params",
            "-msvc-style-bitfield-packing",
            "-disable-short-circuit",
            "-obfuscate",
            "-trace-coverage",
        ],
        Alone,
        NotEmitted("the code would have to be another"),
    ),
];
