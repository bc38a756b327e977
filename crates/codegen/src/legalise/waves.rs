//! Operations between the invocations of a wave that a language does not have are made of those that it has.

use ir::{
    BinaryOp, Constant, FuncId, Intrinsic, Module, Op, OpId, PathStep, Scalar, TypeId, UnaryOp, ValueId,
    intrinsic::WaveOp,
};
use smallvec::SmallVec;

use super::rewrite::{Rewriter, rewrite};

/// All that can be made of others.
pub(crate) const DERIVED: &[WaveOp] = &[
    WaveOp::ActiveMask,
    WaveOp::ActiveMulti,
    WaveOp::ConvergedMask,
    WaveOp::ConvergedMulti,
    WaveOp::LaneEqMask,
    WaveOp::LaneGeMask,
    WaveOp::LaneGtMask,
    WaveOp::LaneLeMask,
    WaveOp::LaneLtMask,
    WaveOp::Rotate,
    WaveOp::ClusteredRotate,
    WaveOp::QuadAll,
    WaveOp::QuadAny,
    WaveOp::QuadReadLaneAt,
];

/// `missing` are some of [`DERIVED`].
pub(crate) fn derive(module: &mut Module, functions: &[FuncId], missing: &[WaveOp]) {
    for &id in functions {
        rewrite(module, id, &mut |w, op| {
            let Op::Intrinsic { intrinsic: Intrinsic::Wave(wave), args } = &w.func.ops[op].op else {
                return w.keep(op);
            };
            let (wave, args) = (*wave, args.to_vec());
            match missing.contains(&wave).then(|| derived(w, op, wave, &args)).flatten() {
                Some(with) => w.replace(op, with),
                None => w.keep(op),
            }
        });
    }
}

/// What gives the same; `None` for operands that the operation does not have.
fn derived(w: &mut Rewriter<'_>, op: OpId, wave: WaveOp, args: &[ValueId]) -> Option<Op> {
    let result = w.ty(*w.func.ops[op].results.first()?);
    let wanted = match (wave, args) {
        (WaveOp::ActiveMask | WaveOp::ConvergedMask, _) => w.module.types.scalar(Scalar::U32),
        (_, []) => w.module.types.vector(Scalar::U32, 4),
        (WaveOp::QuadAll | WaveOp::QuadAny, _) => w.module.types.bool(),
        (_, &[value, ..]) => w.ty(value),
    };
    if result != wanted {
        return None;
    }
    Some(match (wave, args) {
        (WaveOp::ActiveMulti | WaveOp::ConvergedMulti, []) => ballot_of_all(w),
        (WaveOp::ActiveMask | WaveOp::ConvergedMask, []) => {
            let words = w.module.types.vector(Scalar::U32, 4);
            let all = ballot_of_all(w);
            let all = w.add(all, words);
            Op::Extract { aggregate: all, path: SmallVec::from_iter([PathStep::Const(0)]) }
        }
        (WaveOp::LaneEqMask, []) => lanes(w, bit_at),
        (WaveOp::LaneLtMask, []) => lanes(w, below),
        (WaveOp::LaneLeMask, []) => lanes(w, through),
        // Those that are there and not among the others.
        (WaveOp::LaneGeMask, []) => lanes(w, |w, lane, word| rest(w, below, lane, word)),
        (WaveOp::LaneGtMask, []) => lanes(w, |w, lane, word| rest(w, through, lane, word)),
        (WaveOp::Rotate, &[value, delta]) => {
            let (lane, count) = (number(w, WaveOp::LaneIndex), number(w, WaveOp::LaneCount));
            let delta = as_word(w, delta);
            let sum = w.binary(BinaryOp::Add, lane, delta);
            let at = w.binary(BinaryOp::Rem, sum, count);
            wave_op(WaveOp::Shuffle, &[value, at])
        }
        (WaveOp::ClusteredRotate, &[value, delta, size]) => {
            let lane = number(w, WaveOp::LaneIndex);
            let (delta, size, one) = (as_word(w, delta), as_word(w, size), w.u32(1));
            // Clusters have two, four, eight … lanes.
            let within = w.binary(BinaryOp::Sub, size, one);
            let sum = w.binary(BinaryOp::Add, lane, delta);
            let at = w.binary(BinaryOp::And, sum, within);
            let start = w.add(Op::Unary(UnaryOp::BitNot, within), w.ty(within));
            let start = w.binary(BinaryOp::And, lane, start);
            let at = w.binary(BinaryOp::Or, start, at);
            wave_op(WaveOp::Shuffle, &[value, at])
        }
        (WaveOp::QuadReadLaneAt, &[value, at]) => {
            let lane = number(w, WaveOp::LaneIndex);
            let (at, start) = (as_word(w, at), w.u32(!3));
            let start = w.binary(BinaryOp::And, lane, start);
            let at = w.binary(BinaryOp::Or, start, at);
            wave_op(WaveOp::Shuffle, &[value, at])
        }
        (WaveOp::QuadAll | WaveOp::QuadAny, &[condition]) => {
            let ty = w.module.types.scalar(Scalar::U32);
            let both = if wave == WaveOp::QuadAll { BinaryOp::And } else { BinaryOp::Or };
            let mut word = w.add(Op::Convert(condition), ty);
            for across in [WaveOp::QuadReadAcrossX, WaveOp::QuadReadAcrossY] {
                let other = w.add(wave_op(across, &[word]), ty);
                word = w.binary(both, word, other);
            }
            Op::Convert(word)
        }
        _ => return None,
    })
}

fn wave_op(op: WaveOp, args: &[ValueId]) -> Op {
    Op::Intrinsic { intrinsic: Intrinsic::Wave(op), args: args.iter().copied().collect() }
}

fn ballot_of_all(w: &mut Rewriter<'_>) -> Op {
    let ty = w.module.types.bool();
    let all = w.add(Op::Const(Constant::Bool(true)), ty);
    wave_op(WaveOp::Ballot, &[all])
}

/// The number of this lane, or of all of them.
fn number(w: &mut Rewriter<'_>, op: WaveOp) -> ValueId {
    let ty = w.module.types.scalar(Scalar::U32);
    w.add(wave_op(op, &[]), ty)
}

fn as_word(w: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let ty = w.module.types.scalar(Scalar::U32);
    if w.ty(value) == ty { value } else { w.add(Op::Convert(value), ty) }
}

/// A bit for each lane in four words; `bits` gives those of a word, of this lane's number and the number of the word.
fn lanes(w: &mut Rewriter<'_>, bits: impl Fn(&mut Rewriter<'_>, ValueId, u32) -> ValueId) -> Op {
    let lane = number(w, WaveOp::LaneIndex);
    Op::Make((0..4).map(|word| bits(w, lane, word)).collect())
}

/// `one` where `lane` is in the word, `after` where it is in one behind it, else nothing.
fn by_word(w: &mut Rewriter<'_>, lane: ValueId, word: u32, one: ValueId, after: u32) -> ValueId {
    let five = w.u32(5);
    let own = w.binary(BinaryOp::Shr, lane, five);
    let (word, zero, after) = (w.u32(word), w.u32(0), w.u32(after));
    let (is_own, is_after) = (w.binary(BinaryOp::Equal, own, word), w.binary(BinaryOp::Greater, own, word));
    let ty = w.ty(one);
    let otherwise = w.add(Op::Select { cond: is_after, then: after, otherwise: zero }, ty);
    w.add(Op::Select { cond: is_own, then: one, otherwise }, ty)
}

/// The bit of `lane`, wherever it is.
fn bit(w: &mut Rewriter<'_>, lane: ValueId) -> ValueId {
    let (mask, one) = (w.u32(31), w.u32(1));
    let count = w.binary(BinaryOp::And, lane, mask);
    w.binary(BinaryOp::Shl, one, count)
}

fn bit_at(w: &mut Rewriter<'_>, lane: ValueId, word: u32) -> ValueId {
    let bit = bit(w, lane);
    by_word(w, lane, word, bit, 0)
}

/// The bits before that of `lane`.
fn below(w: &mut Rewriter<'_>, lane: ValueId, word: u32) -> ValueId {
    let (bit, one) = (bit(w, lane), w.u32(1));
    let below = w.binary(BinaryOp::Sub, bit, one);
    by_word(w, lane, word, below, !0)
}

/// The bits up to that of `lane`.
fn through(w: &mut Rewriter<'_>, lane: ValueId, word: u32) -> ValueId {
    let (below, own) = (below(w, lane, word), bit_at(w, lane, word));
    w.binary(BinaryOp::Or, below, own)
}

/// The bits of the lanes that there are without those that `part` gives.
fn rest(
    w: &mut Rewriter<'_>,
    part: fn(&mut Rewriter<'_>, ValueId, u32) -> ValueId,
    lane: ValueId,
    word: u32,
) -> ValueId {
    let part = part(w, lane, word);
    let count = number(w, WaveOp::LaneCount);
    let all = below(w, count, word);
    let ty: TypeId = w.ty(part);
    let others = w.add(Op::Unary(UnaryOp::BitNot, part), ty);
    w.binary(BinaryOp::And, all, others)
}
