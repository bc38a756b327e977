//! Random differentiable programs as Slang text, as wide as the language: what each can hold is in [`Construct`].
//!
//! A program draws a few families of constructs (`Feature`), then types, declarations, helper functions, a function with a
//! random signature and `root`. Equal seeds give equal programs, and so do equal lists of choices ([`from_choices`]), of which
//! a smaller one gives a smaller program. Names at the top level end in the program's number, so that many programs fit
//! into one file. The functions to differentiate are `f_<n>`, whose signature is random, and `root_<n>(float x0, float x1,
//! float x2, float x3, int n) -> float`, which calls it.
//!
//! Programs are made such that their meaning is one in every compiler: no index is out of bounds, no variable is read before
//! it is written, `out` and `inout` arguments of one call are of different variables, functions get arguments inside their
//! domains, and integers are small.

mod calls;
mod constructs;
mod declarations;
mod expressions;
mod names;
mod places;
mod statements;
mod types;

use std::{
    collections::{BTreeSet, HashSet},
    fmt::Write as _,
};

pub use constructs::Construct;
use constructs::Feature;
use places::Variable;
use types::{TypeId, Types};

use crate::choices::Choices;

/// A random program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProgram {
    /// The program.
    pub text: String,
    /// The function with a random signature.
    pub function: String,
    /// The function from four numbers and a small integer to a number.
    pub root: String,
    /// What of the language it has.
    pub constructs: BTreeSet<Construct>,
    /// Whether numbers of double precision are in it.
    pub has_double: bool,
    /// What was chosen, for [`from_choices`].
    pub choices: Vec<u32>,
}

/// The program of a seed, whose names end in the seed.
pub fn random_source(seed: u64) -> SourceProgram {
    program(Choices::of_seed(seed), seed)
}

/// The program of a list of choices, whose names end in `number`.
pub fn from_choices(choices: &[u32], number: u64) -> SourceProgram {
    program(Choices::replay(choices.to_vec()), number)
}

fn program(choices: Choices, number: u64) -> SourceProgram {
    let mut writer = Writer {
        choices,
        suffix: number.to_string(),
        text: String::new(),
        indent: 0,
        types: Types::default(),
        known: Vec::new(),
        variables: Vec::new(),
        callees: Vec::new(),
        features: Vec::new(),
        reached: BTreeSet::new(),
        loops: Vec::new(),
        labels: Vec::new(),
        returns: None,
        may_return: false,
        names: 0,
        taken: HashSet::new(),
        is_indexing: false,
        is_expression: false,
        implementations: Vec::new(),
        implementations_construct: false,
        is_dynamic: false,
        has_pack: false,
        made_rule: 0,
    };
    writer.program();
    SourceProgram {
        function: writer.global("f"),
        root: writer.global("root"),
        has_double: writer.has(Feature::Double),
        constructs: writer.reached,
        choices: writer.choices.made().to_vec(),
        text: writer.text,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Debug, Clone)]
struct Callee {
    name: String,
    params: Vec<(TypeId, Direction)>,
    returns: Option<TypeId>,
}

struct Writer {
    choices: Choices,
    suffix: String,
    text: String,
    indent: usize,
    types: Types,
    /// The types that variables have besides `float`.
    known: Vec<TypeId>,
    /// What is visible here.
    variables: Vec<Variable>,
    callees: Vec<Callee>,
    features: Vec<Feature>,
    reached: BTreeSet<Construct>,
    /// For each loop around, whether it counts on by itself, so that `continue` is allowed.
    loops: Vec<bool>,
    /// The names of the loops around that have one.
    labels: Vec<String>,
    /// What the function returns.
    returns: Option<TypeId>,
    /// Whether it may do so before its end.
    may_return: bool,
    names: usize,
    /// The names of the function's variables that are not numbered.
    taken: HashSet<String>,
    /// Whether an index is being made.
    is_indexing: bool,
    /// Whether there is no room for statements.
    is_expression: bool,
    /// The structs that have the interface, with the lengths of their fields.
    implementations: Vec<(String, Vec<u8>)>,
    /// Whether they are made by the interface's constructor.
    implementations_construct: bool,
    /// Whether there are values of the interface.
    is_dynamic: bool,
    has_pack: bool,
    made_rule: usize,
}

impl Writer {
    fn reach(&mut self, construct: Construct) {
        self.reached.insert(construct);
    }

    fn is_expression_only(&self) -> bool {
        self.is_expression
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = self.indent * 4);
    }

    fn open(&mut self, line: &str) {
        if !line.is_empty() {
            self.line(line);
        }
        self.line("{");
        self.indent += 1;
    }

    fn close(&mut self, line: &str) {
        self.indent -= 1;
        self.line(line);
    }

    fn program(&mut self) {
        self.features_drawn();
        self.types.interface = self.global("IField");
        if self.has(Feature::Interface) {
            self.interface();
        }
        self.draw_types();
        self.helpers();
        for index in 0..self.choices.below(3) {
            let name = self.global(&format!("g{index}"));
            self.function(&name, 3, 2);
        }
        let name = self.global("f");
        let statements = self.choices.within(3..=6);
        self.function(&name, statements, 3);
        self.root();
    }
}
