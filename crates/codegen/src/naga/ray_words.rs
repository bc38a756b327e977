//! Puts SPIR-V's words for shaders that rays start into the places of what stands for them in naga's module ([`super::rays`]):
//!
//! - variables `ray.storage.N.…` get the storage class N, variables `ray.builtin.N` become inputs that the machine gives;
//! - variables `ray.sent.…`, of which naga wants all to have one type, go: their names end in those of the true payloads;
//! - calls of functions `ray.operation.…` become the operations;
//! - the numbers of shaders, which naga takes for zero where a ray is traced, come out of the ray's descriptor;
//! - entry points get their execution models.
//!
//! Names are what they are found by, so that they are in the module until then.

use ir::module::Stage;
use rustc_hash::FxHashMap;

use super::spirv_words::{BOUND, HEADER, OP_NAME, OP_VARIABLE, instructions, push, text};

pub(super) const STORAGE: &str = "ray.storage.";
pub(super) const BUILTIN: &str = "ray.builtin.";
pub(super) const SENT: &str = "ray.sent.";
pub(super) const OPERATION: &str = "ray.operation.";

/// Storage classes that naga does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StorageClass {
    RayPayload = 5338,
    CallableData = 5328,
    IncomingCallableData = 5329,
    HitAttribute = 5339,
    IncomingRayPayload = 5342,
}

const INPUT: u32 = 1;
const DECORATION_BUILTIN: u32 = 11;

const OP_SOURCE: u32 = 3;
const OP_MEMBER_NAME: u32 = 6;
const OP_ENTRY_POINT: u32 = 15;
const OP_TYPE_POINTER: u32 = 32;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_PARAMETER: u32 = 55;
const OP_FUNCTION_END: u32 = 56;
const OP_FUNCTION_CALL: u32 = 57;
const OP_ACCESS_CHAIN: u32 = 65;
const OP_DECORATE: u32 = 71;
const OP_COMPOSITE_EXTRACT: u32 = 81;

/// From a branch to what is never reached.
const TERMINATORS: std::ops::RangeInclusive<u32> = 249..=255;

const OP_TRACE_RAY: u32 = 4445;
const OP_EXECUTE_CALLABLE: u32 = 4446;
const OP_IGNORE_INTERSECTION: u32 = 4448;
const OP_TERMINATE_RAY: u32 = 4449;
const OP_REPORT_INTERSECTION: u32 = 5334;

/// The numbers of shaders in a ray's descriptor, in the order of the operands of the operation.
const SHADER_NUMBERS: [u32; 3] = [6, 7, 8];

/// The execution model of a stage.
fn model(stage: Stage) -> Option<u32> {
    Some(match stage {
        Stage::RayGeneration => 5313,
        Stage::Intersection => 5314,
        Stage::AnyHit => 5315,
        Stage::ClosestHit => 5316,
        Stage::Miss => 5317,
        Stage::Callable => 5318,
        Stage::Compute
        | Stage::Vertex
        | Stage::Hull
        | Stage::Domain
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Amplification
        | Stage::Mesh => return None,
    })
}

/// What is known of a module before it is written anew.
#[derive(Default)]
struct Known {
    names: FxHashMap<u32, String>,
    /// What pointer types point to.
    pointees: FxHashMap<u32, u32>,
    /// The type of the numbers of shaders: that of the ray's flags.
    word: u32,
}

/// `entries` are the entry points with their stages.
pub(super) fn complete(entries: &[(String, Stage)], words: &mut Vec<u32>) -> Result<(), String> {
    let mut known = Known::default();
    let mut extracted = FxHashMap::default();
    for (_, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_NAME, &[id, ref name @ ..]) => {
                known.names.insert(id, text(name));
            }
            (OP_TYPE_POINTER, &[id, _, pointee]) => {
                known.pointees.insert(id, pointee);
            }
            (OP_COMPOSITE_EXTRACT, &[ty, id, ..]) => {
                extracted.insert(id, ty);
            }
            (OP_TRACE_RAY, &[_, flags, ..]) => known.word = extracted.get(&flags).copied().unwrap_or_default(),
            (OP_ACCESS_CHAIN, &[_, _, base, ..])
                if known.names.get(&base).is_some_and(|name| name.starts_with(STORAGE)) =>
            {
                return Err("a part of what rays carry is changed in place".into());
            }
            _ => {}
        }
    }
    let old = std::mem::take(words);
    let mut writer = Writer { known, out: old[..HEADER].to_vec(), decorated: false, parameters: Vec::new() };
    let mut all = instructions(&old);
    while let Some((_, op, operands)) = all.next() {
        match (op, operands) {
            (OP_SOURCE | OP_NAME | OP_MEMBER_NAME, _) => {}
            (OP_ENTRY_POINT, &[own, function, ref rest @ ..]) => {
                let name = text(rest);
                let stage = entries.iter().find(|(other, _)| *other == name).and_then(|(_, stage)| model(*stage));
                let (name, interface) = rest.split_at((name.len() / 4 + 1).min(rest.len()));
                let mut operands = [&[stage.unwrap_or(own), function], name].concat();
                operands.extend(interface.iter().copied().filter(|&id| writer.sent(id).is_none()));
                writer.push(OP_ENTRY_POINT, operands);
            }
            (OP_VARIABLE, &[_, id, ..]) if writer.sent(id).is_some() => {}
            (OP_FUNCTION, &[_, id, ..]) if writer.operation(id).is_some() => {
                all.by_ref().find(|(_, op, _)| *op == OP_FUNCTION_END);
            }
            (OP_FUNCTION_CALL, &[ty, id, function, ref arguments @ ..]) => {
                match writer.operation(function).map(str::to_owned) {
                    None => writer.push(OP_FUNCTION_CALL, operands.to_vec()),
                    Some(operation) => {
                        if writer.call(&operation, ty, id, arguments)? {
                            // The block ends here.
                            all.by_ref().find(|(_, op, _)| TERMINATORS.contains(op));
                        }
                    }
                }
            }
            _ => writer.other(op, operands),
        }
    }
    *words = writer.out;
    Ok(())
}

struct Writer {
    known: Known,
    out: Vec<u32>,
    /// Whether the machine's inputs are decorated.
    decorated: bool,
    /// Of the function that is being written.
    parameters: Vec<u32>,
}

impl Writer {
    fn push(&mut self, op: u32, operands: Vec<u32>) {
        push(&mut self.out, op, &operands);
    }

    fn fresh(&mut self) -> u32 {
        let id = self.out[BOUND];
        self.out[BOUND] += 1;
        id
    }

    /// The operation that a function stands for.
    fn operation(&self, function: u32) -> Option<&str> {
        self.known.names.get(&function)?.strip_prefix(OPERATION)
    }

    fn named(&self, name: &str) -> Option<u32> {
        self.known.names.iter().find(|(_, other)| *other == name).map(|(id, _)| *id)
    }

    /// The payload that a variable stands for.
    fn sent(&self, id: u32) -> Option<u32> {
        self.named(self.known.names.get(&id)?.strip_prefix(SENT)?)
    }

    /// The number behind a prefix in the name of a variable.
    fn number(&self, id: u32, prefix: &str) -> Option<u32> {
        self.known.names.get(&id)?.strip_prefix(prefix)?.split('.').next()?.parse().ok()
    }

    /// Writes the operation in the place of a call; whether that ends the block.
    fn call(&mut self, operation: &str, ty: u32, id: u32, arguments: &[u32]) -> Result<bool, String> {
        match (operation, arguments) {
            ("report", &[t, kind]) => self.push(OP_REPORT_INTERSECTION, vec![ty, id, t, kind]),
            ("ignore", _) => self.push(OP_IGNORE_INTERSECTION, Vec::new()),
            ("accept", _) => self.push(OP_TERMINATE_RAY, Vec::new()),
            (_, &[shader]) => {
                let data = operation.strip_prefix("execute.").and_then(|name| self.named(name));
                let data = data.ok_or("what a callable shader is given was lost")?;
                self.push(OP_EXECUTE_CALLABLE, vec![shader, data]);
            }
            _ => return Err("an operation of rays was lost".into()),
        }
        Ok(matches!(operation, "ignore" | "accept"))
    }

    fn other(&mut self, op: u32, operands: &[u32]) {
        // Decorations stand before types, all of which have numbers from 19 on to 39.
        if !self.decorated && (op == OP_DECORATE || (19..=39).contains(&op)) {
            self.decorated = true;
            let mut inputs: Vec<(u32, u32)> =
                self.known.names.keys().filter_map(|&id| Some((id, self.number(id, BUILTIN)?))).collect();
            inputs.sort_unstable();
            for (id, number) in inputs {
                self.push(OP_DECORATE, vec![id, DECORATION_BUILTIN, number]);
            }
        }
        match (op, operands) {
            (OP_VARIABLE, &[ty, id, own, ..]) => {
                let class = self.number(id, STORAGE).or(self.number(id, BUILTIN).map(|_| INPUT));
                match (class, self.known.pointees.get(&ty).copied()) {
                    (Some(class), Some(pointee)) if class != own => {
                        let pointer = self.fresh();
                        self.push(OP_TYPE_POINTER, vec![pointer, class, pointee]);
                        self.push(OP_VARIABLE, vec![pointer, id, class]);
                    }
                    _ => self.push(op, operands.to_vec()),
                }
            }
            (OP_FUNCTION, _) => {
                self.parameters.clear();
                self.push(op, operands.to_vec());
            }
            (OP_FUNCTION_PARAMETER, &[_, id]) => {
                self.parameters.push(id);
                self.push(op, operands.to_vec());
            }
            (OP_TRACE_RAY, &[scene, flags, mask, _, _, _, ref rest @ .., payload]) => {
                let Some(&ray) = self.parameters.get(1) else { return self.push(op, operands.to_vec()) };
                let mut written = vec![scene, flags, mask];
                for number in SHADER_NUMBERS {
                    let id = self.fresh();
                    self.push(OP_COMPOSITE_EXTRACT, vec![self.known.word, id, ray, number]);
                    written.push(id);
                }
                written.extend(rest);
                written.push(self.sent(payload).unwrap_or(payload));
                self.push(op, written);
            }
            _ => self.push(op, operands.to_vec()),
        }
    }
}
