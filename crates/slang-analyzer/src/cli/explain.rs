//! `slang-analyzer explain`: what a diagnostic means and what to do about it.

use std::process::ExitCode;

use clap::Args;
use diagnostics::{Code, entries, entry};

use super::{report, status::Status, usage_error};

/// Explain a diagnostic, with examples.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  slang-analyzer explain E41022\n  slang-analyzer explain          all diagnostics, a line each"
)]
pub struct Arguments {
    /// Numbers of diagnostics, as reports show them
    #[arg(value_name = "CODE", value_parser = code)]
    codes: Vec<Code>,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    if arguments.codes.is_empty() {
        for entry in entries() {
            report::line(&format!("{} {:7} {}", entry.code, entry.severity.word(), entry.title));
        }
    }
    for (index, code) in arguments.codes.iter().enumerate() {
        let Some(entry) = entry(*code) else {
            return usage_error(&format!("there is no diagnostic {code}; `slang-analyzer explain` lists all"));
        };
        if index > 0 {
            report::line("");
        }
        report::line(entry.explanation.trim_end());
    }
    Status::Done.into()
}

fn code(text: &str) -> Result<Code, String> {
    let digits = text.strip_prefix(['E', 'e']).unwrap_or(text);
    digits.parse().map(Code).map_err(|_| "a number as in E41022 is needed".to_owned())
}
