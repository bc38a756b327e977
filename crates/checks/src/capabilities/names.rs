//! The names of capabilities and what they stand for, from the table beside this file.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::set::{Alternative, Features, MAX_ATOMS, Missing, Requirement, Stages};

/// A target, or a feature: an index of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Atom(pub(super) u16);

/// What a name stands for.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) requirement: Requirement,
    /// A stage alone, such as `fragment` or `raygen`.
    pub(super) stage: Option<u32>,
}

struct Table {
    meanings: FxHashMap<&'static str, Meaning>,
    targets: Vec<&'static str>,
    stages: Vec<&'static str>,
    /// The features, with those that they include.
    features: Vec<(&'static str, Features)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("names.txt")));

/// What a name stands for; `None` for one that nobody knows.
pub(super) fn meaning(name: &str) -> Option<&'static Meaning> {
    TABLE.meanings.get(name)
}

/// The names of the targets, without those that only others are made of.
pub(super) fn targets() -> impl Iterator<Item = &'static str> {
    TABLE.targets.iter().copied().filter(|name| !name.starts_with('_'))
}

/// The names of the stages.
pub(super) fn stages() -> impl Iterator<Item = &'static str> {
    TABLE.stages.iter().copied().filter(|name| !name.starts_with('_'))
}

/// A stage on all targets.
pub(super) fn stage(stage: u32) -> Requirement {
    TABLE.everywhere(Stages(1 << stage), Features::default())
}

/// The stages of a requirement, on all targets and without its features.
pub(super) fn stages_alone(requirement: &Requirement) -> Requirement {
    let stages = requirement.alternatives().iter().fold(0, |stages, one| stages | one.stages.0);
    TABLE.everywhere(Stages(stages), Features::default())
}

/// Those of the features that no other of them includes, to be named in a message.
pub(super) fn strongest(features: Features) -> Vec<Atom> {
    let included = |atom: Atom, by: Atom| {
        atom != by && TABLE.features[usize::from(by.0)].1.contains(Features::default().with(atom))
    };
    features.iter().filter(|atom| !features.iter().any(|other| included(*atom, other))).collect()
}

/// What is missing, as it is called.
pub(super) fn show(missing: &Missing) -> String {
    let name = |name: &str| format!("'{}'", name.trim_start_matches('_'));
    match missing {
        Missing::Target(target) => name(TABLE.targets[usize::from(target.0)]),
        Missing::Stage(stage) => name(TABLE.stages.get(*stage as usize).copied().unwrap_or_default()),
        Missing::Features(atoms) => {
            atoms.iter().map(|atom| name(TABLE.features[usize::from(atom.0)].0)).collect::<Vec<_>>().join(", ")
        }
    }
}

impl Table {
    fn read(text: &'static str) -> Table {
        let definitions = || {
            text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(|line| {
                let (name, rest) = line.split_once(' ')?;
                let (kind, meaning) = rest.split_at(1);
                Some((name, kind == ":", meaning.trim()))
            })
        };
        let includes = |meaning: &str, what: &str| meaning.split([' ', '+', '|']).any(|word| word == what);
        let mut table =
            Table { meanings: FxHashMap::default(), targets: Vec::new(), stages: Vec::new(), features: Vec::new() };
        // The targets are known before the first feature: what names none is for all of them.
        table.targets =
            definitions().filter(|(.., meaning)| includes(meaning, "target")).map(|(name, ..)| name).collect();
        for (name, is_atom, meaning) in definitions() {
            let mut requirement = table.either(meaning);
            let mut stage = None;
            if is_atom && includes(meaning, "target") {
                let target = table.targets.iter().position(|target| *target == name).unwrap_or_default();
                requirement = requirement.join(&Requirement::of(vec![Alternative {
                    target: Atom(target as u16),
                    stages: Stages::ALL,
                    features: Features::default(),
                }]));
            } else if is_atom && meaning == "stage" {
                stage = Some(table.stages.len() as u32);
                requirement = table.everywhere(Stages(1 << table.stages.len()), Features::default());
                table.stages.push(name);
            } else if is_atom {
                assert!(table.features.len() < MAX_ATOMS, "more capabilities than bits");
                let own = Features::default().with(Atom(table.features.len() as u16));
                requirement = requirement.join(&table.everywhere(Stages::ALL, own));
                let all = requirement.alternatives().first().map_or(own, |alternative| alternative.features);
                table.features.push((name, all));
            } else if let [first, rest @ ..] = requirement.alternatives()
                && first.stages.0.count_ones() == 1
                && rest.iter().all(|other| other.stages == first.stages)
                && !meaning.contains('|')
            {
                stage = Some(first.stages.0.trailing_zeros());
            }
            table.meanings.insert(name, Meaning { requirement, stage });
        }
        table
    }

    fn everywhere(&self, stages: Stages, features: Features) -> Requirement {
        let targets = (0..self.targets.len() as u16).map(Atom);
        Requirement::of(targets.map(|target| Alternative { target, stages, features }).collect())
    }

    fn either(&self, meaning: &str) -> Requirement {
        let both = |words: &str| {
            words.split('+').fold(Requirement::NOTHING, |all, word| match self.meanings.get(word.trim()) {
                Some(known) => all.join(&known.requirement),
                None => all,
            })
        };
        meaning.split('|').fold(Requirement::NOTHING, |all, words| all.either(&both(words)))
    }
}
