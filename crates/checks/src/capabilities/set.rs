//! What code asks of the place that it runs in: for which targets and stages it is, and which features it uses there.

use super::names::{self, Atom};

/// Features, as bits: one per atom that is neither a target nor a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Features([u64; 4]);

/// How many atoms [`Features`] can hold.
pub(super) const MAX_ATOMS: usize = 256;

impl Features {
    pub(super) fn with(mut self, atom: Atom) -> Features {
        self.0[usize::from(atom.0) / 64] |= 1 << (atom.0 % 64);
        self
    }

    fn and(self, other: Features) -> Features {
        Features(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn without(self, other: Features) -> Features {
        Features(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    pub(super) fn contains(self, other: Features) -> bool {
        other.without(self).is_empty()
    }

    fn is_empty(self) -> bool {
        self == Features::default()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Atom> {
        (0..MAX_ATOMS as u16).map(Atom).filter(move |atom| self.0[usize::from(atom.0) / 64] >> (atom.0 % 64) & 1 == 1)
    }
}

/// Stages, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stages(pub(super) u32);

impl Stages {
    pub(super) const ALL: Stages = Stages(u32::MAX);

    fn intersection(self, other: Stages) -> Stages {
        Stages(self.0 & other.0)
    }

    fn without(self, other: Stages) -> Stages {
        Stages(self.0 & !other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What is asked for on one target in some of its stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alternative {
    pub(super) target: Atom,
    pub(super) stages: Stages,
    pub(super) features: Features,
}

/// A requirement: nothing at all, or a list of alternatives, of which one has to be there. No two of them share a stage of
/// a target; a list without any cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Requirement(Option<Box<[Alternative]>>);

/// What an asker needs and has not declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lack {
    /// The code does not exist for a target or a stage that is declared.
    Narrower(Missing),
    /// The code asks for more than is declared.
    More(Missing),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Missing {
    Target(Atom),
    Stage(u32),
    Features(Vec<Atom>),
}

impl Requirement {
    pub(super) const NOTHING: Requirement = Requirement(None);

    pub(super) fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn is_impossible(&self) -> bool {
        self.0.as_ref().is_some_and(|alternatives| alternatives.is_empty())
    }

    pub(super) fn alternatives(&self) -> &[Alternative] {
        self.0.as_deref().unwrap_or_default()
    }

    pub(super) fn of(alternatives: Vec<Alternative>) -> Requirement {
        let mut merged: Vec<Alternative> = Vec::new();
        for alternative in alternatives {
            let same =
                |other: &&mut Alternative| other.target == alternative.target && other.features == alternative.features;
            match merged.iter_mut().find(same) {
                Some(other) => other.stages.0 |= alternative.stages.0,
                None => merged.push(alternative),
            }
        }
        merged.sort_by_key(|alternative| (alternative.target, alternative.stages.0));
        Requirement(Some(merged.into()))
    }

    /// The targets in it, each once.
    pub(super) fn targets(&self) -> Vec<Atom> {
        let mut targets: Vec<Atom> = self.alternatives().iter().map(|alternative| alternative.target).collect();
        targets.dedup();
        targets
    }

    fn stages(&self, target: Atom) -> Stages {
        Stages(self.on(target).fold(0, |stages, alternative| stages | alternative.stages.0))
    }

    pub(super) fn on(&self, target: Atom) -> impl Iterator<Item = &Alternative> {
        self.alternatives().iter().filter(move |alternative| alternative.target == target)
    }

    /// Both: what is possible where both are.
    pub(super) fn join(&self, other: &Requirement) -> Requirement {
        if self.is_nothing() {
            return other.clone();
        }
        if other.is_nothing() {
            return self.clone();
        }
        Requirement::of(self.alternatives().iter().flat_map(|one| joined(one, other)).collect())
    }

    /// Both, where both are; a target of `self` that `other` excludes stays as it is.
    pub(super) fn refine(&self, other: &Requirement) -> Requirement {
        if self.is_nothing() {
            return other.clone();
        }
        if other.is_nothing() {
            return self.clone();
        }
        let refined = self.targets().into_iter().flat_map(|target| {
            let both: Vec<Alternative> = self.on(target).flat_map(|one| joined(one, other)).collect();
            if both.is_empty() { self.on(target).copied().collect() } else { both }
        });
        Requirement::of(refined.collect())
    }

    /// Either; where both are, what both ask for.
    pub(super) fn either(&self, other: &Requirement) -> Requirement {
        if self.is_nothing() {
            return other.clone();
        }
        if other.is_nothing() {
            return self.clone();
        }
        let rest = |of: &Requirement, than: &Requirement| -> Vec<Alternative> {
            let remaining = |one: &Alternative| {
                let stages = one.stages.without(than.stages(one.target));
                (!stages.is_empty()).then_some(Alternative { stages, ..*one })
            };
            of.alternatives().iter().filter_map(remaining).collect()
        };
        let mut all: Vec<Alternative> = self.alternatives().iter().flat_map(|one| joined(one, other)).collect();
        all.extend(rest(self, other));
        all.extend(rest(other, self));
        Requirement::of(all)
    }

    /// What one of them asks for, on each target the one that asks for less.
    pub(super) fn least(&self, other: &Requirement) -> Requirement {
        if self.is_nothing() {
            return other.clone();
        }
        let rank = |of: &Requirement, target: Atom| {
            of.on(target).map(|one| one.features.iter().count() + one.stages.0.count_ones() as usize).sum::<usize>()
        };
        let mut all = Vec::new();
        for target in self.targets() {
            let less = if other.on(target).next().is_some() && rank(other, target) < rank(self, target) {
                other
            } else {
                self
            };
            all.extend(less.on(target).copied());
        }
        all.extend(other.without_targets_of(self).alternatives());
        Requirement::of(all)
    }

    /// What of `self` is on targets that `other` does not have.
    pub(super) fn without_targets_of(&self, other: &Requirement) -> Requirement {
        let has = other.targets();
        Requirement::of(self.alternatives().iter().filter(|one| !has.contains(&one.target)).copied().collect())
    }

    /// Whether one of two requirements on a target is part of the other: where both hold, nothing has to be chosen.
    pub(super) fn are_nested(&self, other: &Requirement, target: Atom) -> bool {
        let within = |inner: &Requirement, outer: &Requirement| {
            inner.on(target).all(|one| {
                let shared = |with: &&Alternative| !with.stages.intersection(one.stages).is_empty();
                outer.on(target).filter(shared).all(|with| with.features.contains(one.features))
            }) && outer.stages(target).intersection(inner.stages(target)) == inner.stages(target)
        };
        within(self, other) || within(other, self)
    }

    /// What is missing where `self` is declared and `needed` is asked for. `exactly`: for the same targets and stages.
    pub(super) fn lacks(&self, needed: &Requirement, exactly: bool) -> Option<Lack> {
        if self.is_nothing() || needed.is_nothing() || needed.is_impossible() {
            return None;
        }
        let (declared, used) = (self.targets(), needed.targets());
        if exactly && used.len() > declared.len() {
            let more = used.iter().rfind(|target| !declared.contains(target))?;
            return Some(Lack::More(Missing::Target(*more)));
        }
        for target in declared {
            if !used.contains(&target) {
                return Some(Lack::Narrower(Missing::Target(target)));
            }
            let (here, there) = (self.stages(target), needed.stages(target));
            if exactly && there.0.count_ones() > here.0.count_ones() {
                return Some(Lack::More(Missing::Stage(there.without(here).0.trailing_zeros())));
            }
            if let missing = here.without(there)
                && !missing.is_empty()
            {
                return Some(Lack::Narrower(Missing::Stage(missing.0.trailing_zeros())));
            }
            for one in self.on(target) {
                let overlaps = |with: &&Alternative| !with.stages.intersection(one.stages).is_empty();
                for with in needed.on(target).filter(overlaps) {
                    let missing = with.features.without(one.features);
                    if !missing.is_empty() {
                        return Some(Lack::More(Missing::Features(names::strongest(missing))));
                    }
                }
            }
        }
        None
    }

    /// Whether a feature, stage or target is asked for in one of the alternatives.
    pub(super) fn asks_for(&self, missing: &Missing) -> bool {
        match missing {
            Missing::Features(atoms) => self
                .alternatives()
                .iter()
                .any(|one| atoms.iter().any(|atom| one.features.contains(Features::default().with(*atom)))),
            Missing::Target(target) => !self.is_nothing() && self.on(*target).next().is_none(),
            Missing::Stage(stage) => {
                !self.is_nothing() && self.alternatives().iter().all(|one| one.stages.0 >> stage & 1 == 0)
            }
        }
    }
}

fn joined(one: &Alternative, other: &Requirement) -> Vec<Alternative> {
    let both = other.on(one.target).filter_map(|with| {
        let stages = one.stages.intersection(with.stages);
        let features = one.features.and(with.features);
        (!stages.is_empty()).then_some(Alternative { target: one.target, stages, features })
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &str) -> Requirement {
        let parts = names.split('+').map(|name| &names::meaning(name.trim()).expect("a name").requirement);
        parts.fold(Requirement::NOTHING, |all, part| all.join(part))
    }

    fn lack(declared: &str, needed: &str, exactly: bool) -> Option<String> {
        match named(declared).lacks(&named(needed), exactly)? {
            Lack::Narrower(missing) => Some(format!("not for {}", names::show(&missing))),
            Lack::More(missing) => Some(format!("more: {}", names::show(&missing))),
        }
    }

    #[test]
    fn joining_is_what_is_left() {
        assert!(named("hlsl + glsl").is_impossible());
        assert_eq!(named("glsl_hlsl_spirv + hlsl_spirv"), named("hlsl_spirv"));
        assert_eq!(named("sm_5_0 + sm_6_0"), named("sm_6_0 + sm_5_0"));
        assert!(named("fragment + compute").is_impossible());
        assert_eq!(named("_sm_6_0 + hlsl"), named("_sm_6_0"));
    }

    #[test]
    fn either_is_where_one_is() {
        assert_eq!(named("hlsl").either(&named("spirv")), named("hlsl_spirv"));
        assert_eq!(named("compute").either(&named("fragment")), named("compute_fragment"));
    }

    #[test]
    fn what_is_missing_is_named_without_what_it_includes() {
        assert_eq!(lack("hlsl", "sm_6_0 + hlsl", false).as_deref(), Some("more: 'sm_6_0'"));
        assert_eq!(lack("sm_6_0 + hlsl", "sm_5_0", false), None);
        assert_eq!(lack("hlsl_spirv", "spirv", false).as_deref(), Some("not for 'hlsl'"));
        assert_eq!(lack("spirv", "hlsl_spirv", false), None);
        assert_eq!(lack("spirv", "hlsl_spirv", true).as_deref(), Some("more: 'hlsl'"));
        assert_eq!(lack("spirv + compute", "fragment", false).as_deref(), Some("not for 'compute'"));
    }
}
