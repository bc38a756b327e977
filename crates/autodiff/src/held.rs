//! Which values stand at a place inside of an aggregate: what was put there, followed back through stores into other parts,
//! branches and loops.

use ir::{Func, Op, PathStep, ValueDef, ValueId};
use la_arena::ArenaMap;
use rustc_hash::FxHashSet;

/// A value that may stand at a place, or one that holds the place somewhere in it, where nothing more is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    Whole(ValueId),
    /// With what is left of the path.
    Around(ValueId, Vec<PathStep>),
}

/// What may stand at `path` inside of `aggregate`. `given` tells what regions give to the values that they make.
pub(crate) fn values_at(
    func: &Func,
    given: &ArenaMap<ValueId, Vec<ValueId>>,
    aggregate: ValueId,
    path: &[PathStep],
) -> Vec<Held> {
    let mut found = Vec::new();
    let mut pending = vec![(aggregate, path.to_vec())];
    let mut seen: FxHashSet<(ValueId, Vec<PathStep>)> = pending.iter().cloned().collect();
    while let Some((value, path)) = pending.pop() {
        let mut next: Vec<(ValueId, Vec<PathStep>)> = Vec::new();
        if path.is_empty() {
            found.push(Held::Whole(value));
        } else if let Some(sources) = given.get(value) {
            next.extend(sources.iter().map(|&source| (source, path.clone())));
        } else {
            let op = match func.values[value].def {
                ValueDef::Result { op, .. } => Some(&func.ops[op].op),
                ValueDef::Param { .. } => None,
            };
            match op {
                Some(Op::Insert { aggregate, path: at, value }) => match meet(at, &path) {
                    Meeting::Apart => next.push((*aggregate, path)),
                    Meeting::Inside => next.push((*value, path[at.len()..].to_vec())),
                    Meeting::Around => next.extend([(*value, Vec::new()), (*aggregate, path)]),
                    Meeting::Unknown => {
                        let inside = path.get(at.len()..).unwrap_or_default().to_vec();
                        next.extend([(*value, inside), (*aggregate, path)]);
                    }
                },
                Some(Op::Make(parts)) => {
                    let chosen = match path[0] {
                        PathStep::Const(index) => parts.get(index as usize..=index as usize).unwrap_or_default(),
                        PathStep::Dynamic(_) => &parts[..],
                    };
                    next.extend(chosen.iter().map(|&part| (part, path[1..].to_vec())));
                }
                Some(Op::Extract { aggregate, path: at }) => next.push((*aggregate, [at, &path[..]].concat())),
                Some(Op::Select { then, otherwise, .. }) => {
                    next.extend([(*then, path.clone()), (*otherwise, path)]);
                }
                Some(Op::Zero | Op::Undef | Op::Const(_) | Op::Detach(_) | Op::Forget(_)) => {}
                _ => found.push(Held::Around(value, path)),
            }
        }
        pending.extend(next.into_iter().filter(|place| seen.insert(place.clone())));
    }
    found
}

/// How a place that is written lies to one that is read.
#[derive(Debug, PartialEq, Eq)]
enum Meeting {
    /// They have nothing in common.
    Apart,
    /// What is read is the whole of what is written, or a part of it.
    Inside,
    /// What is read is more than what is written.
    Around,
    /// Only running tells.
    Unknown,
}

fn meet(written: &[PathStep], read: &[PathStep]) -> Meeting {
    let mut is_same = true;
    for (written, read) in written.iter().zip(read) {
        match (written, read) {
            (PathStep::Const(written), PathStep::Const(read)) if written != read => return Meeting::Apart,
            (written, read) => is_same &= written == read,
        }
    }
    match (is_same, written.len() <= read.len()) {
        (false, _) => Meeting::Unknown,
        (true, true) => Meeting::Inside,
        (true, false) => Meeting::Around,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_meet_where_their_steps_agree() {
        let (first, second) = (PathStep::Const(0), PathStep::Const(1));
        assert_eq!(meet(&[first], &[second]), Meeting::Apart);
        assert_eq!(meet(&[first], &[first, second]), Meeting::Inside);
        assert_eq!(meet(&[first, second], &[first]), Meeting::Around);
        assert_eq!(meet(&[first, second], &[first, first]), Meeting::Apart);
    }
}
