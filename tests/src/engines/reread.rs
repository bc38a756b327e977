//! Emitted Slang, read again by our own front end: what is printed means what was printed.

use codegen::{EmitOptions, Target};

use super::{
    Outcome,
    stages::refused,
    unit::{Front, Unit},
};

pub(super) fn run(front: &mut Front, unit: &Unit<'_>) -> Result<Vec<Outcome>, String> {
    let emitted = codegen::emit(&unit.expanded, Target::Slang, &EmitOptions::default());
    let emitted = emitted.map_err(|errors| refused(&errors))?;
    let entries: Vec<&str> = unit.programs.iter().map(|program| program.entry.as_str()).collect();
    let (module, _) = front.lower(emitted.text(), &entries).map_err(|message| format!("emitted Slang: {message}"))?;
    Ok(unit.interpret_all(&module))
}
