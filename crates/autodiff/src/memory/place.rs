//! Which places in memory a handle and a path lead to, named so that the functions of a program can speak of them to each
//! other.

use ir::{Constant, Func, Op, PathStep, Type, ValueDef, ValueId, types::TypeTable};
use la_arena::ArenaMap;

use super::Variables;
use crate::held::{self, Held};

/// A variable, buffer or texture of the program, by a number that is its own in all modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variable(pub u64);

/// Where a place begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// A variable, buffer or texture of the program.
    Variable(Variable),
    /// What the input of a function with this number refers to.
    Input(u32),
}

/// A place in memory, or several of which only running tells the one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it begins.
    pub root: Root,
    /// Parts, each inside of the one before; `None` where only running tells which. After the end everything is meant.
    pub path: Vec<Option<u32>>,
}

impl Place {
    /// Whether the two may have something in common. Of two inputs nothing is known.
    pub fn meets(&self, other: &Place) -> bool {
        let apart = |(own, other): (&Option<u32>, &Option<u32>)| own.is_some() && other.is_some() && own != other;
        self.root == other.root && !self.path.iter().zip(&other.path).any(apart)
    }

    /// Whether running tells nothing more.
    pub fn is_known(&self) -> bool {
        self.path.iter().all(Option::is_some)
    }
}

/// What regions give to the values that they make.
pub(crate) type Given = ArenaMap<ValueId, Vec<ValueId>>;

/// The places of one function.
pub(crate) struct Places<'a> {
    pub types: &'a TypeTable,
    pub func: &'a Func,
    pub given: Given,
    pub variables: Variables<'a>,
}

/// Handles that are read out of places that handles lead to: a list in memory has no end.
const LONGEST: usize = 16;

impl Places<'_> {
    /// The places at `path` under a handle. None where it is not known where the handle comes from.
    pub(crate) fn at(&self, handle: ValueId, path: &[PathStep]) -> Vec<Place> {
        let (mut found, mut pending) = (Vec::new(), vec![(handle, path.to_vec())]);
        while let Some((handle, path)) = pending.pop() {
            if path.len() > LONGEST {
                continue;
            }
            for (value, path) in self.ends(handle, &path) {
                match self.func.values[value].def {
                    ValueDef::Param { region, index } if Some(region) == self.func.body => {
                        found.push(self.place(Root::Input(index), &path));
                    }
                    ValueDef::Param { .. } => {}
                    ValueDef::Result { op, .. } => match &self.func.ops[op].op {
                        Op::Global(global) => {
                            let variable = (self.variables)(*global);
                            found.extend(variable.map(|variable| self.place(Root::Variable(variable), &path)));
                        }
                        // A handle that stands in memory.
                        Op::Load { handle, path: at } => pending.push((*handle, [at, &path[..]].concat())),
                        // Another element, or a part: an address.
                        Op::Intrinsic { args, .. } => {
                            let is_handle =
                                |arg: &&ValueId| matches!(self.types.get(self.func.ty(**arg)), Type::Handle(_));
                            pending.extend(args.iter().filter(is_handle).map(|&arg| (arg, Vec::new())));
                        }
                        // A function finds a place in what it is given, wherever there.
                        Op::Call { args, .. } => {
                            let leads_on = |arg: &&ValueId| self.types.holds_handles(self.func.ty(**arg));
                            pending.extend(args.iter().filter(leads_on).map(|&arg| (arg, Vec::new())));
                        }
                        _ => {}
                    },
                }
            }
        }
        found
    }

    /// The places that a function which is called with `arg` means by `path` under its input.
    pub(crate) fn behind(&self, arg: ValueId, path: &[Option<u32>]) -> Vec<Place> {
        // A handle or what holds one is no index, so that the step is like no other.
        let unknown = PathStep::Dynamic(arg);
        let path: Vec<PathStep> = path.iter().map(|step| step.map_or(unknown, PathStep::Const)).collect();
        self.at(arg, &path)
    }

    /// Where a value comes from, and what is left of the path there.
    fn ends(&self, value: ValueId, path: &[PathStep]) -> Vec<(ValueId, Vec<PathStep>)> {
        if path.is_empty() {
            return vec![(value, Vec::new())];
        }
        let held = held::values_at(self.func, &self.given, value, path);
        held.into_iter()
            .map(|held| match held {
                Held::Whole(value) => (value, Vec::new()),
                Held::Around(value, path) => (value, path),
            })
            .collect()
    }

    fn place(&self, root: Root, path: &[PathStep]) -> Place {
        Place { root, path: path.iter().map(|&step| self.number(step)).collect() }
    }

    fn number(&self, step: PathStep) -> Option<u32> {
        let value = match step {
            PathStep::Const(index) => return Some(index),
            PathStep::Dynamic(value) => value,
        };
        match self.func.values[value].def {
            ValueDef::Result { op, .. } => match self.func.ops[op].op {
                Op::Const(Constant::Int(number)) => u32::try_from(number).ok(),
                _ => None,
            },
            ValueDef::Param { .. } => None,
        }
    }
}
