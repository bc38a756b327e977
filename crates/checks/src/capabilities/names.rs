//! The names of capabilities and what they stand for, from the table beside this file.

use std::sync::{LazyLock, OnceLock};

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

/// A line of the table.
struct Definition {
    name: &'static str,
    kind: Kind,
    /// What it includes or stands for, as written.
    written: &'static str,
    /// Made when it is asked for: a program knows few of the names.
    meaning: OnceLock<Meaning>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Target(Atom),
    Stage(u32),
    Feature(Atom),
    /// No atom: what it stands for has a name of its own.
    Name,
}

struct Table {
    definitions: Vec<Definition>,
    by_name: FxHashMap<&'static str, usize>,
    targets: Vec<&'static str>,
    stages: Vec<&'static str>,
    /// The definitions of the features.
    features: Vec<usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("names.txt")));

/// What a name stands for; `None` for one that nobody knows.
pub(super) fn meaning(name: &str) -> Option<&'static Meaning> {
    TABLE.by_name.get(name).map(|definition| TABLE.meaning(*definition))
}

/// The names of the targets, without those that only others are made of.
pub(super) fn targets() -> impl Iterator<Item = &'static str> {
    TABLE.targets.iter().copied().filter(|name| !name.starts_with('_'))
}

/// All names that programs may write.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    TABLE.definitions.iter().map(|definition| definition.name)
}

/// What a name is and what it is made of, in words; `None` for one that nobody knows.
pub(super) fn description(name: &str) -> Option<String> {
    let definition = &TABLE.definitions[*TABLE.by_name.get(name)?];
    let what = match definition.kind {
        Kind::Target(_) => "a compilation target",
        Kind::Stage(_) => "a stage",
        Kind::Feature(_) => "a feature",
        Kind::Name => "a set of capabilities",
    };
    let made_of = match (definition.kind, definition.written) {
        (_, "") => String::new(),
        (Kind::Name, written) => format!(": {written}"),
        (Kind::Target(_) | Kind::Stage(_) | Kind::Feature(_), written) => format!(", which includes {written}"),
    };
    Some(format!("{what}{made_of}"))
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
    let included =
        |atom: Atom, by: Atom| atom != by && TABLE.features_with(by).contains(Features::default().with(atom));
    features.iter().filter(|atom| !features.iter().any(|other| included(*atom, other))).collect()
}

/// What is missing, as it is called.
pub(super) fn show(missing: &Missing) -> String {
    let name = |name: &str| format!("'{}'", name.trim_start_matches('_'));
    match missing {
        Missing::Target(target) => name(TABLE.targets[usize::from(target.0)]),
        Missing::Stage(stage) => name(TABLE.stages.get(*stage as usize).copied().unwrap_or_default()),
        Missing::Features(atoms) => {
            atoms.iter().map(|atom| name(TABLE.feature(*atom).name)).collect::<Vec<_>>().join(", ")
        }
    }
}

impl Table {
    fn read(text: &'static str) -> Table {
        let mut table = Table {
            definitions: Vec::new(),
            by_name: FxHashMap::default(),
            targets: Vec::new(),
            stages: Vec::new(),
            features: Vec::new(),
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, rest)) = line.split_once(' ') else { continue };
            let (sort, written) = rest.split_at(1);
            let kind = table.kind(sort, written.trim());
            match kind {
                Kind::Target(_) => table.targets.push(name),
                Kind::Stage(_) => table.stages.push(name),
                Kind::Feature(_) => table.features.push(table.definitions.len()),
                Kind::Name => {}
            }
            table.by_name.insert(name, table.definitions.len());
            table.definitions.push(Definition { name, kind, written: written.trim(), meaning: OnceLock::new() });
        }
        table
    }

    fn kind(&self, sort: &str, written: &str) -> Kind {
        match written {
            _ if sort != ":" => Kind::Name,
            "stage" => Kind::Stage(self.stages.len() as u32),
            _ if words(written).any(|word| word == "target") => Kind::Target(Atom(self.targets.len() as u16)),
            _ => {
                assert!(self.features.len() < MAX_ATOMS, "more capabilities than bits");
                Kind::Feature(Atom(self.features.len() as u16))
            }
        }
    }

    fn meaning(&self, definition: usize) -> &Meaning {
        self.definitions[definition].meaning.get_or_init(|| self.find_meaning(definition))
    }

    fn find_meaning(&self, definition: usize) -> Meaning {
        let Definition { kind, written, .. } = self.definitions[definition];
        let included = || self.either(written, definition);
        let (requirement, stage) = match kind {
            Kind::Target(target) => {
                let own = Alternative { target, stages: Stages::ALL, features: Features::default() };
                (included().join(&Requirement::of(vec![own])), None)
            }
            Kind::Stage(stage) => (self.everywhere(Stages(1 << stage), Features::default()), Some(stage)),
            Kind::Feature(atom) => {
                let own = Features::default().with(atom);
                (included().join(&self.everywhere(Stages::ALL, own)), None)
            }
            Kind::Name => {
                let requirement = included();
                let stage = only_stage(&requirement).filter(|_| !written.contains('|'));
                (requirement, stage)
            }
        };
        Meaning { requirement, stage }
    }

    fn feature(&self, atom: Atom) -> &Definition {
        &self.definitions[self.features[usize::from(atom.0)]]
    }

    /// A feature with those that it includes.
    fn features_with(&self, atom: Atom) -> Features {
        let requirement = &self.meaning(self.features[usize::from(atom.0)]).requirement;
        let own = Features::default().with(atom);
        requirement.alternatives().first().map_or(own, |alternative| alternative.features)
    }

    fn everywhere(&self, stages: Stages, features: Features) -> Requirement {
        let targets = (0..self.targets.len() as u16).map(Atom);
        Requirement::of(targets.map(|target| Alternative { target, stages, features }).collect())
    }

    /// What the words of a definition say. They are of those before it.
    fn either(&self, written: &str, definition: usize) -> Requirement {
        let known = |word: &str| self.by_name.get(word.trim()).copied().filter(|known| *known < definition);
        let both = |words: &str| {
            words
                .split('+')
                .filter_map(known)
                .fold(Requirement::NOTHING, |all, known| all.join(&self.meaning(known).requirement))
        };
        written.split('|').fold(Requirement::NOTHING, |all, words| all.either(&both(words)))
    }
}

fn words(written: &str) -> impl Iterator<Item = &str> {
    written.split([' ', '+', '|'])
}

/// The stage that all alternatives are for, if it is one.
fn only_stage(requirement: &Requirement) -> Option<u32> {
    let (first, rest) = requirement.alternatives().split_first()?;
    let is_one = first.stages.0.count_ones() == 1 && rest.iter().all(|other| other.stages == first.stages);
    is_one.then(|| first.stages.0.trailing_zeros())
}
