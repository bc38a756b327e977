//! The exit statuses of all commands.

use std::{fmt::Write as _, process::ExitCode};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Done,
    Errors,
    Usage,
    Unsupported,
    NotSettled,
    Internal,
}

/// Every status with its number and its meaning, in the order of the numbers.
const STATUSES: [(Status, u8, &str); 6] = [
    (Status::Done, 0, "done; check and gradcheck found nothing wrong, or check only warnings"),
    (
        Status::Errors,
        1,
        "the program has errors, gradcheck found a wrong derivative, or nan a number that is not finite",
    ),
    (Status::Usage, 2, "wrong use of the command line, or a file that cannot be read"),
    (Status::Unsupported, 3, "the program needs something that is not supported yet, here or by the target"),
    (Status::NotSettled, 4, "gradcheck or nan found nothing wrong, but not everything could be looked at"),
    (Status::Internal, 101, "a mistake of the compiler: please report it"),
];

impl Status {
    /// The number that the shell sees.
    pub fn number(self) -> u8 {
        // The table names every status, which a test asks for.
        STATUSES.iter().find(|(status, ..)| *status == self).map_or(u8::MAX, |(_, number, _)| *number)
    }

    /// The table for the help text.
    pub fn table() -> String {
        let mut table = "Exit status:".to_owned();
        for (_, number, meaning) in STATUSES {
            let _ = write!(table, "\n  {number:>3}  {meaning}");
        }
        table
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.number())
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn every_status_has_a_number_of_its_own() {
        let all =
            [Status::Done, Status::Errors, Status::Usage, Status::Unsupported, Status::NotSettled, Status::Internal];
        let numbers: Vec<u8> = all.into_iter().map(Status::number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 101]);
    }
}
