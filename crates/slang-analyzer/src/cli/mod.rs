//! The command line. Each command is a module with a `main` function that takes its arguments.
//!
//! Exit statuses, for every command: 0 done, 1 the program has errors, 2 wrong use or an unreadable file, 3 a feature
//! that is not supported yet. `gradcheck` has one more: 4, nothing wrong was found, but of some function nothing was
//! compared.

pub mod binding;
pub mod check;
pub mod compile;
pub mod emit;
pub mod functions;
pub mod gradcheck;
pub mod jacobian;
pub mod project;
pub mod report;
pub mod residuals;
pub mod run;
pub mod signature;

use std::{ffi::OsString, process::ExitCode};

use crate::server;

const USAGE: &str = "usage:
  slang-analyzer [lsp]    language server on standard input and output
  slang-analyzer check PATH… [-I DIR]… [-D NAME[=VALUE]]… [--format human|json]
  slang-analyzer run FILE --entry NAME --io SPEC.json [--groups X,Y,Z] [--engine interp|gpu] [-I DIR]…
                            [-D NAME[=VALUE]]…
  slang-analyzer emit FILE --target TARGET [--entry NAME]… [--function 'bwd_diff(f)']… [-o OUT] [-I DIR]… [-D …]…
  slang-analyzer gradcheck FILE [--function NAME]… [--domain INPUT=LOW..HIGH]… [--samples N] [--edges N] [--seed N]
                                [--format human|json] [-I DIR]… [-D …]…
  slang-analyzer jacobian FILE --function NAME --at NUMBER,… [--format human|json] [-I DIR]… [-D …]…
  slang-analyzer residuals FILE [--function NAME]… [--format human|json] [-I DIR]… [-D …]…
  slang-analyzer signature FILE --function NAME [-I DIR]… [-D …]…
  slang-analyzer --version

--function names a function (`f`), a method (`Type.method`), an instance of a generic one (`cholesky<4>`,
`Mlp<16>.eval`), what each conforming type does for a requirement (`IFoo.eval`), or a derivative (`bwd_diff(f)`).

gradcheck without --function checks all differentiable functions of the file, methods and generic ones included. --domain
tells where an input is sampled, both ends included; --samples random inputs (8) and --edges inputs at 0, 1, -1, at
equal inputs and at the ends of domains (32).

Exit status: 0 done; 1 errors in the program, for gradcheck: a wrong derivative, or one that is not finite where the value
is; 2 wrong use; 3 not supported yet; 4 gradcheck found nothing wrong, but of some function it compared nothing.
";

/// Wrong use of the command line, or a file that cannot be read.
pub const USAGE_ERROR: u8 = 2;

pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let command = arguments.next();
    let rest: Vec<OsString> = arguments.collect();
    match command.as_ref().map(|command| command.to_string_lossy()).as_deref() {
        None | Some("lsp") => server::run(),
        Some("check") => check::main(rest),
        Some("run") => run::main(rest),
        Some("emit") => emit::main(rest),
        Some("gradcheck") => gradcheck::main(rest),
        Some("jacobian") => jacobian::main(rest),
        Some("residuals") => residuals::main(rest),
        Some("signature") => signature::main(rest),
        Some("--version" | "-V") => {
            report::line(&format!("slang-analyzer {}", env!("CARGO_PKG_VERSION")));
            ExitCode::SUCCESS
        }
        Some("--help" | "-h" | "help") => {
            report::line(USAGE.trim_end());
            ExitCode::SUCCESS
        }
        Some(other) => usage_error(&format!("unknown command `{other}`\n{}", USAGE.trim_end())),
    }
}

/// Says what is wrong with the command line.
pub fn usage_error(message: &str) -> ExitCode {
    eprintln!("slang-analyzer: {message}");
    ExitCode::from(USAGE_ERROR)
}
