//! The changes that keep a program's meaning, one family per file.

mod blocks;
mod branches;
mod constants;
mod dead_code;
mod declarations;
mod loops;
mod names;
mod order;
mod outline;
pub(crate) mod passages;
mod returns;

use super::{edit::Edit, program::Program};

/// A kind of change, with all the places where it can be made.
pub(crate) struct Transformation {
    pub name: &'static str,
    pub edits: fn(&Program, &mut Fresh) -> Vec<Edit>,
}

/// All of them.
pub(crate) const ALL: &[Transformation] = &[
    Transformation { name: "block", edits: blocks::in_block },
    Transformation { name: "one-iteration", edits: blocks::in_loop },
    Transformation { name: "split-declaration", edits: declarations::split },
    Transformation { name: "declared-before-loop", edits: declarations::before_loop },
    Transformation { name: "expanded-assignment", edits: declarations::expanded_assignment },
    Transformation { name: "assigned-by-call", edits: declarations::assigned_by_call },
    Transformation { name: "for-as-while", edits: loops::for_as_while },
    Transformation { name: "while-as-for", edits: loops::while_as_for },
    Transformation { name: "negated-condition", edits: branches::negated },
    Transformation { name: "if-as-switch", edits: branches::if_as_switch },
    Transformation { name: "if-as-ternary", edits: branches::if_as_ternary },
    Transformation { name: "ternary-as-if", edits: branches::ternary_as_if },
    Transformation { name: "return-as-flag", edits: returns::as_flag },
    Transformation { name: "return-as-else", edits: returns::as_else },
    Transformation { name: "named-constant", edits: constants::named },
    Transformation { name: "dead-code", edits: dead_code::never_run },
    Transformation { name: "reordered", edits: order::swapped },
    Transformation { name: "outlined", edits: outline::outlined },
    Transformation { name: "renamed", edits: names::renamed },
    Transformation { name: "passed-through", edits: passages::passed_through },
];

/// Names that a program does not have yet.
#[derive(Debug, Default)]
pub(crate) struct Fresh {
    count: usize,
}

impl Fresh {
    pub(crate) fn name(&mut self, word: &str) -> String {
        self.count += 1;
        format!("{word}_v{}", self.count)
    }
}
