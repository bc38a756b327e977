//! What a backward derivative that is written by hand owes beside the derivatives: it gives pairs back with the values that
//! they came with, and puts derivatives in the place of those that were there before.
//!
//! The convention of derivatives ([`ir::Callee`]) hides both: values are not given back, and what was there before is zero.
//! So the user's function is called as the rule calls it, with other numbers.

use ir::{Callee, FuncId, Op, Type, TypeId, ValueId, abi::Role};

use super::Checker;
use crate::gradcheck::{Coordinate, FindingKind, components::float_slots, sample::Search};

/// Inputs that are tried.
const SAMPLES: u32 = 4;

/// How an argument of the user's function is made.
enum Argument {
    /// It is an input of the rule: the first of its slots.
    Given(usize),
    /// The value of an input, from a slot on, and its derivative: one that comes from outside, or none.
    Pair { primal: usize, size: usize, incoming: Option<usize>, derivative: TypeId },
}

/// A pair that goes in and comes out: where it is among the slots of the arguments and of the results.
struct Given {
    place: Coordinate,
    /// The slot of the value among those of the arguments, and of the results.
    value: (usize, usize),
    /// The float slots of the value; those of the derivative, and whether they are free to be anything.
    floats: Vec<usize>,
    derivatives: Vec<usize>,
    is_free: bool,
}

struct Call {
    func: FuncId,
    arguments: Vec<(Argument, usize)>,
    pairs: Vec<Given>,
}

impl Checker<'_, '_> {
    /// Checks the backward derivative of the function itself that is written by hand, if there is one.
    pub(super) fn check_written_rule(&mut self) {
        let Some(rule) = self.module.funcs[self.functions.primal].rules.backward else { return };
        let Some(call) = self.user_call(rule) else { return };
        for _ in 0..SAMPLES {
            let mut random = self.random.fork();
            let (start, _) = self.sampler().random(&mut random, Search::Positive);
            let primal_slots = start.slots.len();
            let of_rule: usize = self.module.funcs[rule].inputs.iter().map(|input| self.layouts.slots(input.ty)).sum();
            let cotangents = of_rule.saturating_sub(primal_slots);
            let given = start.with(&vec![1f64.to_bits(); cotangents]);
            let mut without = Vec::new();
            for (argument, size) in &call.arguments {
                match *argument {
                    Argument::Given(slot) => without.extend_from_slice(&given.slots[slot..slot + size]),
                    Argument::Pair { primal, size: of_value, incoming, .. } => {
                        without.extend_from_slice(&given.slots[primal..primal + of_value]);
                        match incoming {
                            Some(slot) => without.extend_from_slice(&given.slots[slot..slot + size - of_value]),
                            None => without.resize(without.len() + size - of_value, 0),
                        }
                    }
                }
            }
            let mut with = without.clone();
            for pair in call.pairs.iter().filter(|pair| pair.is_free) {
                for slot in &pair.derivatives {
                    with[pair.value.0 + slot] = self.weight().to_bits();
                }
            }
            let mut memory = start.memory.clone();
            let Ok(end) = self.machine.call_slots(call.func, &without, &mut memory) else { return };
            let mut memory = start.memory.clone();
            let Ok(end_with) = self.machine.call_slots(call.func, &with, &mut memory) else { return };
            let number = |slots: &[u64], slot: usize| slots.get(slot).map_or(f64::NAN, |&slot| f64::from_bits(slot));
            for pair in &call.pairs {
                let differs = |a: f64, b: f64| !(self.agree(a, b, 1.0, 0.0) || a.is_nan() && b.is_nan());
                for &slot in &pair.floats {
                    let (found, expected) = (number(&end, pair.value.1 + slot), number(&without, pair.value.0 + slot));
                    if differs(found, expected) {
                        let kind = FindingKind::NotRestored { input: pair.place.clone(), found, expected };
                        return self.find(&start, kind);
                    }
                }
                for &slot in &pair.derivatives {
                    let (found, expected) = (number(&end_with, pair.value.1 + slot), number(&end, pair.value.1 + slot));
                    if differs(found, expected) {
                        let kind = FindingKind::UsesIncoming { input: pair.place.clone(), found, expected };
                        return self.find(&start, kind);
                    }
                }
            }
        }
    }

    /// How a rule calls the user's function.
    fn user_call(&self, rule: FuncId) -> Option<Call> {
        let func = &self.module.funcs[rule];
        let slot_of = |value: ValueId| {
            let inputs = func.input_values();
            let number = inputs.iter().position(|&input| input == value)?;
            Some(inputs[..number].iter().map(|&input| self.layouts.slots(func.ty(input))).sum::<usize>())
        };
        let mut calls = func.regions[func.body?].ops.iter().filter_map(|&op| match &func.ops[op].op {
            Op::Call { callee: Callee::Func(callee), args, .. }
                if args.len() == self.module.funcs[*callee].inputs.len() =>
            {
                Some((*callee, args))
            }
            _ => None,
        });
        // The last call is that of the user's function; calls before it make zeros.
        let (callee, args) = calls.next_back()?;
        let user = &self.module.funcs[callee];
        let mut arguments = Vec::new();
        let mut pairs = Vec::new();
        let mut start = 0;
        for ((number, input), &arg) in (0..).zip(&user.inputs).zip(args) {
            let size = self.layouts.slots(input.ty);
            let argument = match (slot_of(arg), func.defining_op(arg).map(|data| &data.op)) {
                (Some(slot), _) => Argument::Given(slot),
                (None, Some(Op::Make(parts))) if parts.len() == 2 => Argument::Pair {
                    primal: slot_of(parts[0])?,
                    size: self.layouts.slots(func.ty(parts[0])),
                    incoming: slot_of(parts[1]),
                    derivative: func.ty(parts[1]),
                },
                _ => return None,
            };
            if let Argument::Pair { primal, size: of_value, incoming, derivative } = argument
                && let Some(result) = user.results.iter().position(|result| result.role == Role::InOut(number))
            {
                let before = user.results[..result].iter().map(|result| self.layouts.slots(result.ty)).sum();
                let floats = |ty: TypeId| -> Vec<usize> {
                    let floats = float_slots(&self.layouts, std::iter::once((&input.name, ty)));
                    floats.into_iter().map(|(slot, _)| slot).collect()
                };
                let value_ty = match self.module.types.get(input.ty) {
                    Type::Struct(id) => self.module.types.structs[id].fields.first()?.ty,
                    _ => return None,
                };
                let of_primal = &self.module.funcs[self.functions.primal].inputs;
                let mut at = 0;
                let name = of_primal.iter().find_map(|input| {
                    let is_this = at == primal;
                    at += self.layouts.slots(input.ty);
                    is_this.then(|| input.name.clone())
                });
                let place =
                    Coordinate { name: name.unwrap_or_else(|| input.name.clone()), component: 0, path: String::new() };
                pairs.push(Given {
                    place,
                    value: (start, before),
                    floats: floats(value_ty),
                    derivatives: floats(derivative).into_iter().map(|slot| of_value + slot).collect(),
                    is_free: incoming.is_none(),
                });
            }
            arguments.push((argument, size));
            start += size;
        }
        Some(Call { func: callee, arguments, pairs })
    }
}
