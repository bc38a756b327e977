//! `slang-analyzer explain`: what a diagnostic means and what to do about it.

use std::process::ExitCode;

use clap::Args;
use diagnostics::{Code, entries, entry};

use super::{output, status::Status, usage_error};
use crate::compiler_flags;

/// Explain a diagnostic, with examples.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  slang-analyzer explain E41022\n  slang-analyzer explain          all diagnostics, a line each\n  slang-analyzer explain flags    slangc's options, and what each means here"
)]
pub struct Arguments {
    /// Numbers of diagnostics, as reports show them; `flags` for the options of slangc
    #[arg(value_name = "CODE", value_parser = topic)]
    topics: Vec<Topic>,
}

#[derive(Debug, Clone, Copy)]
enum Topic {
    Diagnostic(Code),
    CompilerFlags,
}

pub fn main(arguments: &Arguments) -> ExitCode {
    if arguments.topics.is_empty() {
        for entry in entries() {
            output::line(&format!("{} {:7} {}", entry.code, entry.severity.word(), entry.title));
        }
    }
    for (index, topic) in arguments.topics.iter().enumerate() {
        let text = match topic {
            Topic::CompilerFlags => compiler_flags::page(),
            Topic::Diagnostic(code) => match entry(*code) {
                Some(entry) => entry.explanation.to_owned(),
                None => {
                    return usage_error(&format!("there is no diagnostic {code}; `slang-analyzer explain` lists all"));
                }
            },
        };
        if index > 0 {
            output::line("");
        }
        output::line(text.trim_end());
    }
    Status::Done.into()
}

fn topic(text: &str) -> Result<Topic, String> {
    if text == "flags" {
        return Ok(Topic::CompilerFlags);
    }
    let digits = text.strip_prefix(['E', 'e']).unwrap_or(text);
    digits
        .parse()
        .map(|number| Topic::Diagnostic(Code(number)))
        .map_err(|_| "a number as in E41022 is needed".to_owned())
}
