//! What the functions of the core library that have no body are to lowering: the vocabulary of `[__intrinsic("word")]`.

mod requirement;

use std::sync::LazyLock;

use ir::{AtomicOp, BinaryOp, Intrinsic, MathFn};
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

pub(crate) use requirement::Requirement;

/// A function that lowering makes operations of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CoreFunction {
    Math(MathFn),
    /// An operator whose scalar operand is spread over the shape of the other one.
    Operator(BinaryOp),
    Select,
    /// To the type of the result.
    Convert,
    Bitcast,
    Reinterpret,
    Detach,
    /// An aggregate of the arguments.
    Make,
    /// A tuple of the elements of tuples.
    Concat,
    Splat,
    /// The number of elements of the receiver's type.
    Count,
    /// A pair, whose differential is zero if there is one argument.
    MakePair,
    PairPrimal,
    PairDifferential,
    OptionalHasValue,
    OptionalValue,
    BufferLoad,
    BufferLength,
    BufferDimensions,
    ByteBufferLoad,
    ByteBufferStore,
    ByteBufferDimensions,
    /// On a place: the `ref` parameter, or the receiver of a method of `Atomic<T>`.
    Atomic(PlaceAtomic, Told),
    ByteAtomic(AtomicOp),
    /// Waits for what others have written, and for them themselves.
    Barrier {
        control: bool,
    },
    Print,
    /// About the type of the argument, or the first generic argument.
    Question(Question),
    /// An interface value whose variant is chosen at run time.
    MakeSum,
    /// What an interface of the core library asks of a type that the compiler builds in; it has no word.
    Requirement(Requirement),
    /// An operation of its own; `out` parameters are further results.
    Intrinsic(Intrinsic),
}

/// The value that a change of a place in one step gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Told {
    /// The one before.
    Old,
    /// The one that the change leaves, which is computed again from the one before.
    New,
}

/// What is done to a place in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PlaceAtomic {
    Load,
    Store,
    Increment,
    Decrement,
    Sub,
    Change(AtomicOp),
}

/// What is asked about a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    Size,
    Alignment,
    IsFloat,
    IsHalf,
    IsInt,
    IsSignedInt,
    IsUnsignedInt,
    IsBool,
    IsVector,
}

/// The words that are not made of those of the IR.
const WORDS: &[(&str, CoreFunction)] = &[
    ("op.mul", CoreFunction::Operator(BinaryOp::Mul)),
    ("op.and", CoreFunction::Operator(BinaryOp::And)),
    ("op.or", CoreFunction::Operator(BinaryOp::Or)),
    ("op.select", CoreFunction::Select),
    ("convert", CoreFunction::Convert),
    ("bitcast", CoreFunction::Bitcast),
    ("reinterpret", CoreFunction::Reinterpret),
    ("detach", CoreFunction::Detach),
    ("make", CoreFunction::Make),
    ("concat", CoreFunction::Concat),
    ("splat", CoreFunction::Splat),
    ("count", CoreFunction::Count),
    ("pair.make", CoreFunction::MakePair),
    ("pair.primal", CoreFunction::PairPrimal),
    ("pair.differential", CoreFunction::PairDifferential),
    ("optional.has_value", CoreFunction::OptionalHasValue),
    ("optional.value", CoreFunction::OptionalValue),
    ("buffer.load", CoreFunction::BufferLoad),
    ("buffer.length", CoreFunction::BufferLength),
    ("buffer.dimensions", CoreFunction::BufferDimensions),
    ("byte_buffer.load", CoreFunction::ByteBufferLoad),
    ("byte_buffer.store", CoreFunction::ByteBufferStore),
    ("byte_buffer.dimensions", CoreFunction::ByteBufferDimensions),
    ("atomic.load", CoreFunction::Atomic(PlaceAtomic::Load, Told::Old)),
    ("atomic.store", CoreFunction::Atomic(PlaceAtomic::Store, Told::Old)),
    ("atomic.increment", CoreFunction::Atomic(PlaceAtomic::Increment, Told::Old)),
    ("atomic.decrement", CoreFunction::Atomic(PlaceAtomic::Decrement, Told::Old)),
    ("atomic.sub", CoreFunction::Atomic(PlaceAtomic::Sub, Told::Old)),
    ("atomic.new.add", CoreFunction::Atomic(PlaceAtomic::Change(AtomicOp::Add), Told::New)),
    ("atomic.new.sub", CoreFunction::Atomic(PlaceAtomic::Sub, Told::New)),
    ("atomic.new.and", CoreFunction::Atomic(PlaceAtomic::Change(AtomicOp::And), Told::New)),
    ("atomic.new.or", CoreFunction::Atomic(PlaceAtomic::Change(AtomicOp::Or), Told::New)),
    ("atomic.new.xor", CoreFunction::Atomic(PlaceAtomic::Change(AtomicOp::Xor), Told::New)),
    ("atomic.new.increment", CoreFunction::Atomic(PlaceAtomic::Increment, Told::New)),
    ("atomic.new.decrement", CoreFunction::Atomic(PlaceAtomic::Decrement, Told::New)),
    ("barrier.all", CoreFunction::Barrier { control: false }),
    ("barrier.all_sync", CoreFunction::Barrier { control: true }),
    ("barrier.device", CoreFunction::Barrier { control: false }),
    ("barrier.device_sync", CoreFunction::Barrier { control: true }),
    ("barrier.group", CoreFunction::Barrier { control: false }),
    ("barrier.group_sync", CoreFunction::Barrier { control: true }),
    ("barrier.wave_sync", CoreFunction::Barrier { control: true }),
    ("print", CoreFunction::Print),
    ("type.size", CoreFunction::Question(Question::Size)),
    ("type.alignment", CoreFunction::Question(Question::Alignment)),
    ("type.is_float", CoreFunction::Question(Question::IsFloat)),
    ("type.is_half", CoreFunction::Question(Question::IsHalf)),
    ("type.is_int", CoreFunction::Question(Question::IsInt)),
    ("type.is_signed_int", CoreFunction::Question(Question::IsSignedInt)),
    ("type.is_unsigned_int", CoreFunction::Question(Question::IsUnsignedInt)),
    ("type.is_bool", CoreFunction::Question(Question::IsBool)),
    ("type.is_vector", CoreFunction::Question(Question::IsVector)),
    ("sum.create", CoreFunction::MakeSum),
];

impl CoreFunction {
    /// The function that `word` stands for.
    pub(crate) fn from_word(word: &str) -> Option<CoreFunction> {
        static FUNCTIONS: LazyLock<FxHashMap<SmolStr, CoreFunction>> = LazyLock::new(|| vocabulary().collect());
        FUNCTIONS.get(word).copied()
    }

    /// Whether the first argument is a place rather than a value.
    pub(crate) fn takes_place(self) -> bool {
        matches!(self, CoreFunction::Atomic(..))
    }
}

/// Every word with what it stands for.
fn vocabulary() -> impl Iterator<Item = (SmolStr, CoreFunction)> {
    let own = WORDS.iter().map(|&(word, function)| (SmolStr::new_static(word), function));
    let math = MathFn::ALL.iter().map(|&op| (format_smolstr!("math.{}", op.word()), CoreFunction::Math(op)));
    let atomics = AtomicOp::ALL.iter().flat_map(|&op| {
        let in_bytes = (format_smolstr!("byte_atomic.{}", op.word()), CoreFunction::ByteAtomic(op));
        [(format_smolstr!("atomic.{}", op.word()), CoreFunction::Atomic(PlaceAtomic::Change(op), Told::Old)), in_bytes]
    });
    let intrinsics = Intrinsic::all().map(|op| (SmolStr::new_static(op.word()), CoreFunction::Intrinsic(op)));
    own.chain(math).chain(atomics).chain(intrinsics)
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::vocabulary;

    #[test]
    fn each_word_stands_for_one_function() {
        let mut seen = FxHashSet::default();
        for (word, _) in vocabulary() {
            assert!(seen.insert(word.clone()), "`{word}` twice");
        }
    }
}
