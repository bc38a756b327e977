//! Programs that are compiled together, with what the reference makes of them.

use base_db::{RootDatabase, documents::Documents};
use hir_def::{item, name::Name, scope};
use interp::{Handle, Limits, Machine, Memory, Precision, Value};
use ir::{FuncId, GlobalKind, Module, Scalar, Type, verify::VerifiedModule};
use test_support::database::with_core_library;

use super::{Outcome, Program};

/// Programs in a unit: more would make the shaders of a device, each of which holds all of them, slow.
pub(super) const SIZE: usize = 8;

/// Units that share a database; each leaves a little memory behind.
const UNITS_PER_DATABASE: usize = 40;

/// Elements of each buffer that a program has for itself, and words that are enough for them. They are zero when it starts.
pub(super) const WORKING_ELEMENTS: usize = 4;
pub(super) const WORKING_WORDS: usize = 256;

/// What stands in front of the programs.
const BUFFERS: &str = "StructuredBuffer<float> inputs;\nRWStructuredBuffer<float> result;\n";

/// The front end, over texts one after the other.
pub struct Front {
    db: RootDatabase,
    documents: Documents,
    texts: usize,
}

impl Default for Front {
    fn default() -> Front {
        Front::new()
    }
}

impl Front {
    pub fn new() -> Front {
        let (db, documents) = with_core_library();
        Front { db, documents, texts: 0 }
    }

    /// The module of a text's entry points, and their functions; derivatives are still to be expanded.
    pub fn lower(&mut self, text: &str, entries: &[&str]) -> Result<(VerifiedModule, Vec<FuncId>), String> {
        self.texts += 1;
        if self.texts > UNITS_PER_DATABASE {
            *self = Front::new();
        }
        let file = self.documents.open(&mut self.db, "/unit.slang", text);
        let root = |name: &&str| -> Result<lower::Root, String> {
            let found = scope::lookup_in_file(&self.db, file, &Name::new(name));
            let is_function = |item: &item::ItemId| matches!(&item::item_data(&self.db, *item).kind, item::ItemKind::Function(function) if function.has_body);
            let item = found.iter().copied().find(is_function).ok_or_else(|| format!("`{name}` is not found"))?;
            Ok(lower::Root::EntryPoint { item, stage: None })
        };
        let roots: Vec<lower::Root> = entries.iter().map(root).collect::<Result<_, String>>()?;
        let lowered = lower::lower_program(&self.db, &roots, &[], lower::Setting::default());
        if let Some(error) = lowered.errors.first() {
            let start = error.span.start as usize;
            let at: String = text.get(start..).unwrap_or_default().chars().take(60).collect();
            return Err(format!("not lowered: {error} (at `{}`)", at.lines().next().unwrap_or_default()));
        }
        let module = verified(lowered.module, "lowering")?;
        let roots: Option<Vec<FuncId>> = lowered.roots.into_iter().collect();
        Ok((module, roots.ok_or("not lowered")?))
    }
}

pub(super) fn verified(module: Module, after: &str) -> Result<VerifiedModule, String> {
    VerifiedModule::new(module).map_err(|rejected| format!("after {after}: {}", rejected.errors[0]))
}

/// Programs in one module.
pub struct Unit<'a> {
    pub programs: Vec<&'a Program>,
    /// Their indices among all programs.
    pub members: Vec<usize>,
    /// Before differentiation.
    pub lowered: VerifiedModule,
    /// After it.
    pub expanded: VerifiedModule,
    /// The functions of the entry points.
    pub roots: Vec<FuncId>,
    /// What the reference says.
    pub expected: Vec<Vec<f32>>,
}

impl<'a> Unit<'a> {
    /// Compiles and runs programs; what fails for one of them fails for all.
    pub fn new(front: &mut Front, programs: &'a [Program], members: &[usize]) -> Result<Unit<'a>, String> {
        let chosen: Vec<&Program> = members.iter().map(|&member| &programs[member]).collect();
        let text: String = [BUFFERS]
            .into_iter()
            .chain(chosen.iter().map(|program| program.text.as_str()))
            .collect::<Vec<_>>()
            .join("\n");
        let entries: Vec<&str> = chosen
            .iter()
            .flat_map(|program| [Some(&program.entry), program.values.as_ref().map(|values| &values.entry)])
            .flatten()
            .map(String::as_str)
            .collect();
        let (lowered, roots) = front.lower(&text, &entries)?;
        let mut expanded = lowered.clone();
        autodiff::expand(&mut expanded, &roots).map_err(|errors| {
            let message = errors.first().map(ToString::to_string).unwrap_or_default();
            format!("no derivatives: {message}")
        })?;
        let mut expected = Vec::new();
        for program in &chosen {
            expected.push(interpret(&expanded, &program.entry, program, Precision::Declared, &program.inputs)?);
        }
        Ok(Unit { programs: chosen, members: members.to_vec(), lowered, expanded, roots, expected })
    }

    /// A number by which units take turns: one that has nothing to do with what they hold.
    pub fn turn(&self) -> usize {
        self.programs.iter().map(|program| program.text.len()).sum()
    }

    /// Whether the same code would be run in the same way: on the same inputs, for as many results.
    pub fn runs_like(&self, other: &Unit<'_>) -> bool {
        let run = |program: &&Program| (program.entry.clone(), program.inputs.clone(), program.results);
        self.programs.iter().map(run).eq(other.programs.iter().map(run))
    }

    /// Each program's entry point in a module of the unit's programs, interpreted.
    pub fn interpret_all(&self, module: &VerifiedModule) -> Vec<Outcome> {
        self.programs
            .iter()
            .map(|program| interpret(module, &program.entry, program, Precision::Declared, &program.inputs))
            .collect()
    }

    /// Whether any value has scalars of a kind.
    pub fn has(&self, wanted: Scalar) -> bool {
        self.expanded.funcs.iter().any(|(_, func)| {
            func.values.iter().any(|(_, value)| match self.expanded.types.get(value.ty) {
                Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar == wanted,
                _ => false,
            })
        })
    }
}

/// What an entry point leaves in `result`.
pub(super) fn interpret(
    module: &VerifiedModule,
    entry: &str,
    program: &Program,
    precision: Precision,
    inputs: &[f32],
) -> Outcome {
    let words: Vec<u32> = inputs.iter().map(|number| number.to_bits()).collect();
    let mut memory = Memory::default();
    let given = memory.add_buffer(&words);
    let result = memory.add_buffer(&vec![0; program.results]);
    for (id, global) in module.globals.iter() {
        let buffer = match (global.name.as_str(), global.kind) {
            ("inputs", _) => given,
            ("result", _) => result,
            (_, GlobalKind::Parameter) => memory.add_buffer(&[0; WORKING_WORDS]),
            (_, GlobalKind::Static { .. } | GlobalKind::GroupShared) => continue,
        };
        memory.bind(module, id, &Value::Handle(Handle::buffer(buffer))).map_err(|error| error.to_string())?;
    }
    let limits = Limits { steps: 20_000_000, ..Limits::default() };
    Machine::new(module, precision, limits)
        .dispatch(entry, [1, 1, 1], &mut memory)
        .map_err(|error| format!("the interpreter stops: {error}"))?;
    Ok(memory.words(result).into_iter().map(f32::from_bits).collect())
}
