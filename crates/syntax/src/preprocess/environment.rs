//! Macro definitions and open conditionals at a point of a program.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use smol_str::SmolStr;

use super::directive;
use crate::SyntaxKind;

/// What a macro name stands for. Without positions, so that moving a definition changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The parameters of a function-like macro.
    pub params: Option<Vec<SmolStr>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    /// What a use of the macro is replaced by.
    pub body: Vec<BodyToken>,
}

/// A token of a macro's body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BodyToken {
    pub kind: SyntaxKind,
    pub text: SmolStr,
    pub space_before: bool,
}

/// A conditional that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Branch {
    /// The code here counts.
    pub(super) active: bool,
    /// This or an earlier branch of the conditional was active, or the conditional as a whole does not count.
    pub(super) taken: bool,
    pub(super) seen_else: bool,
}

/// The macros defined and the conditionals open at a point. Cheap to clone and to compare; equal environments are equal
/// values however they came about.
#[derive(Debug, Clone, Default)]
pub struct MacroEnv(Arc<Contents>);

#[derive(Debug, Clone, Default)]
struct Contents {
    /// What was defined (`Some`) or undefined (`None`), newer layers last. Older layers are larger, and shared by the
    /// environments of many points: a file with many definitions has an environment behind each of them.
    layers: Vec<Arc<Layer>>,
    branches: Vec<Branch>,
    /// How many of the branches are not active.
    inactive: usize,
    /// The sum of the hashes of all definitions, which stands for them in comparisons: an edit compares the environments
    /// of all points with what they were. So many bits do not agree by chance.
    fingerprint: u128,
}

type Layer = BTreeMap<SmolStr, Option<Arc<Definition>>>;

/// How many changes are copied from one environment to the next.
const MOST_RECENT: usize = 16;

impl MacroEnv {
    /// The environment in which a file begins: what slangc defines by itself, then `-D` definitions.
    pub fn new<'a>(definitions: impl IntoIterator<Item = (&'a str, &'a str)>) -> MacroEnv {
        let builtin = [("__SLANG_COMPILER__", "1"), ("__SLANG__", "1"), ("__HLSL__", "0"), ("__HLSL_VERSION", "2018")];
        let mut env = MacroEnv::default();
        for (name, value) in builtin.into_iter().chain(definitions) {
            env.define(name.into(), directive::object_like(value));
        }
        env
    }

    /// The definition that holds for a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Definition>> {
        self.0.layers.iter().rev().find_map(|layer| layer.get(name))?.as_ref()
    }

    /// Whether the name is defined.
    pub fn is_defined(&self, name: &str) -> bool {
        self.get(name).is_some() || is_positional(name)
    }

    /// All definitions, by name.
    pub fn definitions(&self) -> impl Iterator<Item = (&SmolStr, &Arc<Definition>)> {
        let mut newest = BTreeMap::new();
        for layer in &self.0.layers {
            newest.extend(layer.iter());
        }
        newest.into_iter().filter_map(|(name, definition)| Some((name, definition.as_ref()?)))
    }

    /// Whether code here counts: no enclosing conditional excludes it.
    pub fn is_active(&self) -> bool {
        self.0.inactive == 0
    }

    /// How many conditionals are open. At the end of a file there should be none.
    pub fn open_conditions(&self) -> usize {
        self.0.branches.len()
    }

    pub(super) fn innermost_branch(&self) -> Option<Branch> {
        self.0.branches.last().copied()
    }

    pub(super) fn open_branch(&mut self, branch: Branch) {
        let contents = Arc::make_mut(&mut self.0);
        contents.inactive += usize::from(!branch.active);
        contents.branches.push(branch);
    }

    pub(super) fn close_branch(&mut self) -> Option<Branch> {
        let contents = Arc::make_mut(&mut self.0);
        let branch = contents.branches.pop()?;
        contents.inactive -= usize::from(!branch.active);
        Some(branch)
    }

    pub(super) fn define(&mut self, name: SmolStr, definition: Definition) {
        self.change(name, Some(Arc::new(definition)));
    }

    pub(super) fn undefine(&mut self, name: &str) {
        if self.get(name).is_some() {
            self.change(name.into(), None);
        }
    }

    fn change(&mut self, name: SmolStr, definition: Option<Arc<Definition>>) {
        let before = self.get(&name).map_or(0, |old| fingerprint_of(&name, old));
        let after = definition.as_ref().map_or(0, |new| fingerprint_of(&name, new));
        let contents = Arc::make_mut(&mut self.0);
        contents.fingerprint = contents.fingerprint.wrapping_sub(before).wrapping_add(after);
        match contents.layers.last_mut() {
            Some(recent) if recent.len() < MOST_RECENT => _ = Arc::make_mut(recent).insert(name, definition),
            _ => {
                contents.merge_layers();
                contents.layers.push(Arc::new(Layer::from([(name, definition)])));
            }
        }
    }
}

impl Contents {
    /// Makes each layer at least twice as large as the next one, so that there are few of them, and each definition is
    /// copied a few times only.
    fn merge_layers(&mut self) {
        while let [.., older, newer] = self.layers.as_slice()
            && older.len() < 2 * newer.len()
        {
            let mut merged = Layer::clone(older);
            merged.extend(newer.iter().map(|(name, definition)| (name.clone(), definition.clone())));
            self.layers.truncate(self.layers.len() - 2);
            if self.layers.is_empty() {
                // There is nothing below that would have to be hidden.
                merged.retain(|_, definition| definition.is_some());
            }
            self.layers.push(Arc::new(merged));
        }
    }
}

impl PartialEq for MacroEnv {
    fn eq(&self, other: &MacroEnv) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.fingerprint == other.0.fingerprint && self.0.branches == other.0.branches)
    }
}

impl Eq for MacroEnv {}

impl Hash for MacroEnv {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.fingerprint.hash(state);
        self.0.branches.hash(state);
    }
}

fn fingerprint_of(name: &SmolStr, definition: &Definition) -> u128 {
    let half = |which: u8| {
        let mut hasher = DefaultHasher::new();
        (which, name, definition).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Macros whose value depends on where they stand.
pub(super) fn is_positional(name: &str) -> bool {
    matches!(name, "__LINE__" | "__FILE__")
}
