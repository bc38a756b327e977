//! Operations between the threads of a wave, which is [`LANES`] threads that follow one another in their group.
//!
//! A thread waits where it meets such an operation. When all threads of its wave wait, are at a barrier or have ended, the
//! operation that comes first in the program is carried out for the threads that wait at it, in the same iterations of
//! the same loops: whoever is behind catches up with the others before they go on, so that threads whose ways parted take
//! part together again as soon as their ways meet.
//!
//! Chosen values: what is read from a lane that takes no part is zero; a prefix of no lanes is the operation's neutral
//! value.

use ir::{
    AtomicOp, BinaryOp, Intrinsic, Scalar,
    intrinsic::{
        WaveOp, WaveSubsetOp,
        waves::{Extent, Fold},
    },
    number::{self, Precision},
};

/// How many threads a wave has.
pub(crate) const LANES: u32 = 32;

/// What each thread that takes part is given.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exchange {
    /// The values of some lanes, joined.
    Fold(Fold, Extent),
    /// In how many of some lanes a condition holds.
    Count(Extent),
    /// Whether a condition holds in all.
    All,
    /// Whether a condition holds in any.
    Any,
    /// Whether all have the same value.
    Equal,
    /// The lanes in which a condition holds, as a mask.
    Ballot,
    /// The lanes that take part, as a mask.
    Members,
    /// The lanes with the same value, as a mask.
    Match,
    /// Whether no lane that takes part is before this one.
    IsFirst,
    /// The value of the first lane.
    First,
    /// The value of the lane that the second operand names.
    At,
    /// The value of the lane that is as far on as the second operand says, around the end.
    Rotated,
    /// The same within clusters of as many lanes as the third operand says.
    RotatedWithin,
    /// The value of the lane of the quad whose number differs in these bits.
    Across(u32),
    /// The value of the lane of the quad that the second operand names.
    QuadAt,
    /// Whether a condition holds in all of the quad.
    QuadAll,
    /// Whether a condition holds in any of the quad.
    QuadAny,
}

/// Who takes part with a thread, of those that are there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subset {
    Everyone,
    /// Whom a mask names, which comes before the other operands.
    Mask,
    /// Whom a mask names, which comes after the other operands.
    Partition,
}

/// Whether threads have to meet for it, of those operations that the machine has.
pub(crate) fn meets(intrinsic: Intrinsic) -> bool {
    exchange(intrinsic).is_some()
}

/// What an operation is between threads, and between which; `None` for what a thread does alone.
pub(crate) fn exchange(intrinsic: Intrinsic) -> Option<(Exchange, Subset)> {
    match intrinsic {
        Intrinsic::Wave(op) => of_wave(op).map(|exchange| (exchange, Subset::Everyone)),
        Intrinsic::WaveSubset(op) => match op.without_mask() {
            Some(whole) => of_wave(whole).map(|exchange| (exchange, Subset::Mask)),
            None => of_subset(op),
        },
        _ => None,
    }
}

fn of_wave(op: WaveOp) -> Option<Exchange> {
    use Extent::{All, BeforeThis};
    Some(match op {
        WaveOp::Sum => Exchange::Fold(Fold::Sum, All),
        WaveOp::Product => Exchange::Fold(Fold::Product, All),
        WaveOp::Min => Exchange::Fold(Fold::Min, All),
        WaveOp::Max => Exchange::Fold(Fold::Max, All),
        WaveOp::BitAnd => Exchange::Fold(Fold::And, All),
        WaveOp::BitOr => Exchange::Fold(Fold::Or, All),
        WaveOp::BitXor => Exchange::Fold(Fold::Xor, All),
        WaveOp::PrefixSum => Exchange::Fold(Fold::Sum, BeforeThis),
        WaveOp::PrefixProduct => Exchange::Fold(Fold::Product, BeforeThis),
        WaveOp::PrefixMin => Exchange::Fold(Fold::Min, BeforeThis),
        WaveOp::PrefixMax => Exchange::Fold(Fold::Max, BeforeThis),
        WaveOp::PrefixBitAnd => Exchange::Fold(Fold::And, BeforeThis),
        WaveOp::PrefixBitOr => Exchange::Fold(Fold::Or, BeforeThis),
        WaveOp::PrefixBitXor => Exchange::Fold(Fold::Xor, BeforeThis),
        WaveOp::CountBits => Exchange::Count(All),
        WaveOp::PrefixCountBits => Exchange::Count(BeforeThis),
        WaveOp::AllTrue => Exchange::All,
        WaveOp::AnyTrue => Exchange::Any,
        WaveOp::AllEqual => Exchange::Equal,
        WaveOp::Ballot => Exchange::Ballot,
        WaveOp::ActiveMask | WaveOp::ActiveMulti | WaveOp::ConvergedMask | WaveOp::ConvergedMulti => Exchange::Members,
        WaveOp::Match => Exchange::Match,
        WaveOp::IsFirstLane => Exchange::IsFirst,
        WaveOp::ReadLaneFirst => Exchange::First,
        WaveOp::Broadcast | WaveOp::ReadLaneAt | WaveOp::Shuffle => Exchange::At,
        WaveOp::Rotate => Exchange::Rotated,
        WaveOp::ClusteredRotate => Exchange::RotatedWithin,
        WaveOp::QuadReadAcrossX => Exchange::Across(1),
        WaveOp::QuadReadAcrossY => Exchange::Across(2),
        WaveOp::QuadReadAcrossDiagonal => Exchange::Across(3),
        WaveOp::QuadReadLaneAt => Exchange::QuadAt,
        WaveOp::QuadAll => Exchange::QuadAll,
        WaveOp::QuadAny => Exchange::QuadAny,
        // What a thread knows alone.
        WaveOp::LaneCount
        | WaveOp::LaneIndex
        | WaveOp::LaneEqMask
        | WaveOp::LaneGeMask
        | WaveOp::LaneGtMask
        | WaveOp::LaneLeMask
        | WaveOp::LaneLtMask
        | WaveOp::WaveCount
        | WaveOp::WaveIndex
        | WaveOp::SaturatedCooperation => return None,
    })
}

/// The operations of a subset that are none of a whole wave.
fn of_subset(op: WaveSubsetOp) -> Option<(Exchange, Subset)> {
    match op {
        WaveSubsetOp::MaskBallot => Some((Exchange::Ballot, Subset::Mask)),
        WaveSubsetOp::MaskMatch => Some((Exchange::Match, Subset::Mask)),
        WaveSubsetOp::MaskSharedSync => Some((Exchange::Members, Subset::Mask)),
        WaveSubsetOp::MultiPrefixCountBits => Some((Exchange::Count(Extent::BeforeThis), Subset::Partition)),
        fold => fold.fold_of_part().map(|(extent, fold)| (Exchange::Fold(fold, extent), Subset::Partition)),
    }
}

/// A thread that takes part, and what it hands in.
pub(crate) struct Lane {
    pub number: u32,
    /// The slots of the operands but the mask.
    pub operands: Vec<Vec<u64>>,
    /// The lanes that it takes part with, if it named them.
    pub mask: Option<u32>,
}

impl Lane {
    fn operand(&self, index: usize) -> &[u64] {
        self.operands.get(index).map_or(&[], Vec::as_slice)
    }

    fn number_at(&self, index: usize) -> u32 {
        self.operand(index).first().map_or(0, |&slot| slot as u32)
    }

    fn holds(&self) -> bool {
        self.operand(0).first().is_some_and(|&slot| slot != 0)
    }

    /// Whether `other` is among those that it takes part with.
    pub(crate) fn is_with(&self, other: &Lane) -> bool {
        self.mask.is_none_or(|mask| mask & bit(other.number) != 0)
    }
}

fn bit(lane: u32) -> u32 {
    1 << (lane % LANES)
}

/// What a lane is given; `others` are all that it takes part with, itself among them, in the order of their numbers.
pub(crate) fn given(
    exchange: Exchange,
    (scalar, precision): (Scalar, Precision),
    lane: &Lane,
    others: &[&Lane],
    count: usize,
) -> Vec<u64> {
    let within = |extent: Extent| {
        others.iter().copied().filter(move |other| match extent {
            Extent::All => true,
            Extent::BeforeThis => other.number < lane.number,
            Extent::UpToThis => other.number <= lane.number,
        })
    };
    let of_lane = |number: u32| {
        let found = others.iter().find(|other| other.number == number);
        found.map_or_else(|| vec![0; count], |other| other.operand(0).to_vec())
    };
    let answer = |holds: bool| vec![u64::from(holds); count];
    let mask = |is_in: &dyn Fn(&Lane) -> bool| {
        let bits = others.iter().filter(|other| is_in(other)).fold(0, |bits, other| bits | bit(other.number));
        let mut words = vec![0; count];
        if let Some(first) = words.first_mut() {
            *first = u64::from(bits);
        }
        words
    };
    let quad = || others.iter().filter(|other| other.number / 4 == lane.number / 4);
    match exchange {
        Exchange::Fold(fold, extent) => {
            let mut joined = vec![neutral(fold, scalar, precision); count];
            for other in within(extent) {
                for (slot, &value) in joined.iter_mut().zip(other.operand(0)) {
                    *slot = join(fold, scalar, precision, *slot, value);
                }
            }
            joined
        }
        Exchange::Count(extent) => vec![within(extent).filter(|other| other.holds()).count() as u64; count],
        Exchange::All => answer(others.iter().all(|other| other.holds())),
        Exchange::Any => answer(others.iter().any(|other| other.holds())),
        Exchange::Equal => answer(others.iter().all(|other| other.operand(0) == lane.operand(0))),
        Exchange::Ballot => mask(&|other| other.holds()),
        Exchange::Members => mask(&|_| true),
        Exchange::Match => mask(&|other| other.operand(0) == lane.operand(0)),
        Exchange::IsFirst => answer(within(Extent::BeforeThis).next().is_none()),
        Exchange::First => others.first().map_or_else(|| vec![0; count], |first| first.operand(0).to_vec()),
        Exchange::At => of_lane(lane.number_at(1)),
        Exchange::Rotated => of_lane(lane.number.wrapping_add(lane.number_at(1)) % LANES),
        Exchange::RotatedWithin => {
            let size = lane.number_at(2).clamp(1, LANES);
            let first = lane.number / size * size;
            of_lane(first + (lane.number - first).wrapping_add(lane.number_at(1)) % size)
        }
        Exchange::Across(bits) => of_lane(lane.number ^ bits),
        Exchange::QuadAt => of_lane(lane.number / 4 * 4 + lane.number_at(1) % 4),
        Exchange::QuadAll => answer(quad().all(|other| other.holds())),
        Exchange::QuadAny => answer(quad().any(|other| other.holds())),
    }
}

fn join(fold: Fold, scalar: Scalar, precision: Precision, a: u64, b: u64) -> u64 {
    let binary = |op| number::binary(op, scalar, precision, a, b);
    let chosen = |op| number::atomic(op, scalar, precision, a, &[b]);
    match fold {
        Fold::Sum => binary(BinaryOp::Add),
        Fold::Product => binary(BinaryOp::Mul),
        Fold::And => binary(BinaryOp::And),
        Fold::Or => binary(BinaryOp::Or),
        Fold::Xor => binary(BinaryOp::Xor),
        Fold::Min => chosen(AtomicOp::Min),
        Fold::Max => chosen(AtomicOp::Max),
    }
}

/// The value that changes no other by being joined with it.
fn neutral(fold: Fold, scalar: Scalar, precision: Precision) -> u64 {
    let float = |value| number::from_f64(scalar, precision, value);
    let lowest = || number::wrap(scalar, if scalar.is_signed() { 1 << (scalar.bits() - 1) } else { 0 });
    match fold {
        Fold::Sum | Fold::Or | Fold::Xor => 0,
        Fold::And => number::wrap(scalar, u64::MAX),
        Fold::Product if scalar.is_float() => float(1.0),
        Fold::Product => 1,
        Fold::Min if scalar.is_float() => float(f64::INFINITY),
        Fold::Max if scalar.is_float() => float(f64::NEG_INFINITY),
        Fold::Min => number::wrap(scalar, !lowest()),
        Fold::Max => lowest(),
    }
}
