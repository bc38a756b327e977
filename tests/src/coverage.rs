//! What random programs reach: operations of the IR, rules of differentiation, constructs of the language.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use autodiff::rules::{Class, binary_rule, math_rule};
use ir::{BinaryOp, MathFn, Module, Op, UnaryOp};
use test_support::random_source::Construct;

/// How many programs reach each thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    reached: BTreeMap<Item, u64>,
}

/// Something to be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    Construct(Construct),
    /// An operation of the IR.
    Op(&'static str),
    /// A rule: an operation whose operands carry a derivative to where it is expected.
    Rule(&'static str),
}

/// The engines run the kernels: see `random_kernels::kernel_with_memory`.
const ONLY_IN_KERNELS: &str = "only the kernels around the functions touch memory and have threads";

/// What the programs do not reach, and why.
const NOT_REACHED: &[(Item, &str)] = &[
    (Item::Op("global"), ONLY_IN_KERNELS),
    (Item::Op("load"), ONLY_IN_KERNELS),
    (Item::Op("store"), ONLY_IN_KERNELS),
    (Item::Op("forget"), "no call of the programs goes by a declaration that drops what its function has"),
    (Item::Op("atomic"), ONLY_IN_KERNELS),
    (Item::Op("byte_load"), "kernels have structured buffers only"),
    (Item::Op("byte_store"), "kernels have structured buffers only"),
    (Item::Op("byte_atomic"), "kernels have structured buffers only"),
    (Item::Op("buffer_length"), "kernels know how long their buffers are"),
    (Item::Op("intrinsic"), "functions of single targets are not in the interpreter"),
    (Item::Op("barrier"), ONLY_IN_KERNELS),
    (Item::Op("print"), "what is printed is not compared"),
    (Item::Op("builtin"), ONLY_IN_KERNELS),
];

impl Coverage {
    /// Counts a program: its constructs, and what its module holds before differentiation and after.
    pub fn add(&mut self, constructs: &BTreeSet<Construct>, lowered: &Module, expanded: &Module) {
        let mut items: BTreeSet<Item> = constructs.iter().map(|&construct| Item::Construct(construct)).collect();
        for module in [lowered, expanded] {
            for (_, func) in module.funcs.iter() {
                items.extend(func.ops.iter().map(|(_, data)| Item::Op(op_name(&data.op))));
            }
        }
        for (id, func) in lowered.funcs.iter() {
            if func.body.is_none() {
                continue;
            }
            let activity = autodiff::activity::reaching(lowered, id);
            for (_, data) in func.ops.iter() {
                if data.results.iter().any(|&result| activity.is_active(result))
                    && let Some(rule) = rule_name(&data.op)
                {
                    items.insert(Item::Rule(rule));
                }
            }
        }
        for item in items {
            *self.reached.entry(item).or_default() += 1;
        }
    }

    pub fn extend(&mut self, other: Coverage) {
        for (item, count) in other.reached {
            *self.reached.entry(item).or_default() += count;
        }
    }

    /// What should be reached and is not, and what is reached though a table says that it cannot be.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for item in all() {
            let count = self.reached.get(&item).copied().unwrap_or(0);
            match (count, reason(item)) {
                (0, None) => gaps.push(format!("{item:?} is not reached")),
                (1.., Some(reason)) => gaps.push(format!("{item:?} is reached, though {reason}")),
                _ => {}
            }
        }
        gaps
    }

    /// The table for people.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for item in all() {
            let (kind, name) = match item {
                Item::Construct(construct) => ("construct", format!("{construct:?}")),
                Item::Op(name) => ("op", name.to_owned()),
                Item::Rule(name) => ("rule", name.to_owned()),
            };
            let count = self.reached.get(&item).copied().unwrap_or(0);
            let why = reason(item).map(|reason| format!("  left out: {reason}")).unwrap_or_default();
            let _ = writeln!(text, "{kind:<10} {name:<28} {count:>8}{why}");
        }
        text
    }
}

fn reason(item: Item) -> Option<&'static str> {
    NOT_REACHED.iter().find(|(known, _)| *known == item).map(|(_, reason)| *reason)
}

/// Everything that there is to reach.
fn all() -> Vec<Item> {
    let ops = OPS
        .iter()
        .copied()
        .chain(UnaryOp::ALL.iter().map(|op| op.word()))
        .chain(BinaryOp::ALL.iter().map(|op| op.word()))
        .chain(MathFn::ALL.iter().map(|function| function.word()));
    let has_rule = |class: Class| matches!(class, Class::ComponentWise(_) | Class::Composite);
    let of_functions =
        MathFn::ALL.iter().filter(|function| has_rule(math_rule(**function).class)).map(|function| function.word());
    let of_operators = BinaryOp::ALL.iter().filter(|op| has_rule(binary_rule(**op).class)).map(|op| op.word());
    let mut items: Vec<Item> = Construct::ALL.iter().copied().map(Item::Construct).collect();
    items.extend(ops.map(Item::Op));
    items.extend(of_operators.chain(of_functions).chain(["neg"]).chain(STRUCTURAL.iter().copied()).map(Item::Rule));
    items
}

/// Operations that are not operators and no mathematical functions.
const OPS: [&str; 32] = [
    "const",
    "zero",
    "undef",
    "convert",
    "bitcast",
    "select",
    "detach",
    "forget",
    "make",
    "splat",
    "extract",
    "insert",
    "swizzle",
    "call",
    "if",
    "switch",
    "loop",
    "global",
    "builtin",
    "load",
    "store",
    "atomic",
    "byte_load",
    "byte_store",
    "byte_atomic",
    "buffer_length",
    "intrinsic",
    "barrier",
    "print",
    "sum_make",
    "sum_match",
    "sum_tag",
];

/// Those of them that derivatives go through.
const STRUCTURAL: [&str; 12] =
    ["convert", "select", "make", "splat", "extract", "insert", "swizzle", "call", "if", "switch", "loop", "sum_make"];

fn rule_name(op: &Op) -> Option<&'static str> {
    match op {
        Op::Math(function, _) => Some(function.word()),
        Op::Binary(op, ..) => Some(op.word()),
        Op::Unary(UnaryOp::Neg, _) => Some("neg"),
        _ => STRUCTURAL.iter().copied().find(|name| *name == op_name(op)),
    }
}

fn op_name(op: &Op) -> &'static str {
    match op {
        Op::Const(_) => "const",
        Op::Zero => "zero",
        Op::Undef => "undef",
        Op::Unary(op, _) => op.word(),
        Op::Binary(op, ..) => op.word(),
        Op::Math(function, _) => function.word(),
        Op::Convert(_) => "convert",
        Op::Bitcast(_) => "bitcast",
        Op::Select { .. } => "select",
        Op::Detach(_) => "detach",
        Op::Forget(_) => "forget",
        Op::Make(_) => "make",
        Op::Splat(_) => "splat",
        Op::Extract { .. } => "extract",
        Op::Insert { .. } => "insert",
        Op::Swizzle { .. } => "swizzle",
        Op::Call { .. } => "call",
        Op::If { .. } => "if",
        Op::Switch { .. } => "switch",
        Op::Loop { .. } => "loop",
        Op::Global(_) => "global",
        Op::Builtin(_) => "builtin",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::Atomic { .. } => "atomic",
        Op::ByteLoad { .. } => "byte_load",
        Op::ByteStore { .. } => "byte_store",
        Op::ByteAtomic { .. } => "byte_atomic",
        Op::BufferLength { .. } => "buffer_length",
        Op::Intrinsic { .. } => "intrinsic",
        Op::Barrier { .. } => "barrier",
        Op::Print { .. } => "print",
        Op::SumMake { .. } => "sum_make",
        Op::SumMatch { .. } => "sum_match",
        Op::SumTag(_) => "sum_tag",
    }
}
