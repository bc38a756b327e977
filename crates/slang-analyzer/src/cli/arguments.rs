//! Options that commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::compiler_flags::CompilerFlags;

/// What the text of a file means: where its modules are, and which macros are defined.
#[derive(Debug, Clone, Default, Args)]
pub struct ProjectArguments {
    /// A folder to look for modules and headers in
    #[arg(short = 'I', value_name = "DIR")]
    pub search_roots: Vec<PathBuf>,
    /// A macro for the preprocessor; a name alone means 1
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub macro_definitions: Vec<(String, String)>,
    /// A word of slangc's own options, which can also be written as slangc has them; `slang-analyzer explain flags` lists
    /// them
    #[arg(long = "compiler-flag", value_name = "WORD", allow_hyphen_values = true)]
    compiler_flags: Vec<String>,
}

impl ProjectArguments {
    /// What the options of slangc ask for.
    ///
    /// # Errors
    /// If a word is none of them.
    pub fn compiler_flags(&self) -> Result<CompilerFlags, String> {
        let (flags, problems) = CompilerFlags::read(self.compiler_flags.iter().map(String::as_str));
        if problems.is_empty() { Ok(flags) } else { Err(problems.join("; ")) }
    }
}

/// How a command says what it found.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ReportArguments {
    /// For people, or a JSON object per line
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Whether reports for people are coloured
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    #[default]
    Human,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment has NO_COLOR.
    #[default]
    Auto,
    Always,
    Never,
}

fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    match name.trim() {
        "" => Err("a macro needs a name".to_owned()),
        name => Ok((name.to_owned(), value.to_owned())),
    }
}
