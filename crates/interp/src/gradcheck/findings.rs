//! From single disagreements to findings: what is wrong by one factor everywhere is one mistake.

use ir::DerivativeKind;
use rustc_hash::FxHashSet;

use super::{Basis, Coordinate, Finding, FindingKind, Origin, Wrong};
use crate::Value;

/// A derivative that is not what it should be, at one sample.
#[derive(Debug, Clone)]
pub(super) struct Disagreement {
    pub mode: DerivativeKind,
    pub basis: Basis,
    pub wrong: Wrong,
    pub inputs: Vec<u64>,
}

/// A derivative that is not finite where the value is, at the first sample where it is not.
#[derive(Debug, Clone)]
pub(super) struct NotFinite {
    pub mode: DerivativeKind,
    pub result: Coordinate,
    pub input: Coordinate,
    pub found: f64,
    pub origin: Option<Origin>,
    pub inputs: Vec<u64>,
}

/// How much two factors may differ and still be one.
const SAME_RATIO: f64 = 1e-3;

/// All disagreements about one derivative.
struct About {
    /// The largest of them.
    worst: Disagreement,
    /// By which factor all of them are off.
    ratio: Option<f64>,
}

fn at_kink(found: &Disagreement) -> bool {
    matches!(found.basis, Basis::Kink { .. })
}

fn ratio(wrong: &Wrong) -> Option<f64> {
    Some(wrong.found / wrong.expected).filter(|ratio| ratio.is_finite())
}

fn same_ratio(a: Option<f64>, b: Option<f64>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if (a - b).abs() <= SAME_RATIO * a.abs().max(b.abs()).max(1.0))
}

/// Whether two derivatives are by (of) the same number of different elements of a buffer or array.
fn same_but_for_index(a: &Wrong, b: &Wrong) -> bool {
    let kind = |place: &Coordinate| {
        let behind = place.path.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        (place.name.clone(), behind.map_or(place.path.clone(), |(_, inside)| inside.to_owned()))
    };
    kind(&a.result) == kind(&b.result) && kind(&a.input) == kind(&b.input)
}

/// One finding per factor, and one per derivative that is off by different factors.
/// What is right at some sample, `agreed`, is off by no factor.
pub(super) fn grouped(
    mut disagreements: Vec<Disagreement>,
    agreed: &FxHashSet<(DerivativeKind, Coordinate, Coordinate)>,
    values: impl Fn(&[u64]) -> Vec<Value>,
) -> Vec<Finding> {
    let key = |found: &Disagreement| (found.mode, found.wrong.result.clone(), found.wrong.input.clone());
    // What is wrong elsewhere, too, is no matter of its kinks.
    let elsewhere: FxHashSet<_> = disagreements.iter().filter(|found| !at_kink(found)).map(key).collect();
    disagreements.retain(|found| !at_kink(found) || !elsewhere.contains(&key(found)));
    let mut all: Vec<About> = Vec::new();
    for found in disagreements {
        let own = ratio(&found.wrong).filter(|_| !at_kink(&found));
        let same = |known: &&mut About| {
            let (known, found) = (&known.worst, &found);
            known.mode == found.mode
                && (&known.wrong.result, &known.wrong.input) == (&found.wrong.result, &found.wrong.input)
        };
        let Some(known) = all.iter_mut().find(same) else {
            let own = own.filter(|_| !agreed.contains(&key(&found)));
            all.push(About { worst: found, ratio: own });
            continue;
        };
        if !same_ratio(known.ratio, own) {
            known.ratio = None;
        }
        let off = |found: &Disagreement| {
            (found.basis == Basis::Differences, (found.wrong.found - found.wrong.expected).abs())
        };
        if off(&found) > off(&known.worst) {
            known.worst = found;
        }
    }
    let mut findings: Vec<Finding> = Vec::new();
    for about in all {
        let Disagreement { mode, basis, wrong, inputs } = about.worst;
        let with_same = findings.iter_mut().find_map(|finding| match &mut finding.kind {
            FindingKind::Wrong { mode: of, components, ratio, .. } => {
                let cells = ratio.is_none() && about.ratio.is_none();
                let alike = cells && components.iter().any(|known| same_but_for_index(known, &wrong));
                (*of == mode && (same_ratio(*ratio, about.ratio) || alike)).then_some(components)
            }
            _ => None,
        });
        match with_same {
            Some(components) => components.push(wrong),
            None => {
                let kind = FindingKind::Wrong { mode, basis, components: vec![wrong], ratio: about.ratio };
                findings.push(Finding { kind, inputs: values(&inputs) });
            }
        }
    }
    findings
}

/// One finding per operation that makes what is not finite, and per modes in which it does: what is said of several
/// derivatives is true of each.
pub(super) fn not_finite(found: Vec<NotFinite>, values: impl Fn(&[u64]) -> Vec<Value>) -> Vec<Finding> {
    let place = |origin: &Option<Origin>| origin.as_ref().map(|origin| origin.spans.clone());
    let mut with_modes: Vec<(NotFinite, Vec<DerivativeKind>)> = Vec::new();
    for one in found {
        let same = with_modes.iter_mut().find(|(known, _)| {
            (&known.result, &known.input, place(&known.origin)) == (&one.result, &one.input, place(&one.origin))
        });
        match same {
            Some((_, modes)) if modes.contains(&one.mode) => {}
            Some((_, modes)) => modes.push(one.mode),
            None => {
                let modes = vec![one.mode];
                with_modes.push((one, modes));
            }
        }
    }
    let mut findings: Vec<Finding> = Vec::new();
    for (NotFinite { result, input, found, origin, inputs, .. }, own) in with_modes {
        let component = (result, input);
        let with_same = findings.iter_mut().find_map(|finding| match &mut finding.kind {
            FindingKind::NotFinite { modes, components, origin: known, .. } => {
                (*modes == own && place(known) == place(&origin)).then_some(components)
            }
            _ => None,
        });
        match with_same {
            Some(components) => components.push(component),
            None => {
                let kind = FindingKind::NotFinite { modes: own, components: vec![component], found, origin };
                findings.push(Finding { kind, inputs: values(&inputs) });
            }
        }
    }
    findings
}
