//! Identifiers from the names in the IR.

use rustc_hash::FxHashSet;
use smol_str::{SmolStr, format_smolstr};

/// Gives out each name once within a scope.
#[derive(Debug, Clone, Default)]
pub struct Namer {
    taken: FxHashSet<SmolStr>,
}

impl Namer {
    /// A namer that never gives a word of `reserved`.
    pub fn new(reserved: &[&str]) -> Namer {
        Namer { taken: reserved.iter().map(|&word| SmolStr::new(word)).collect() }
    }

    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.into());
    }

    /// An identifier like `wanted` that was not given before.
    pub fn unique(&mut self, wanted: &str) -> SmolStr {
        let base = identifier(wanted);
        let mut name = base.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            name = format_smolstr!("{base}_{number}");
            number += 1;
        }
        name
    }
}

/// The name that the user gave a variable: the IR's text tells values of one name apart by a number behind a dot.
pub fn variable(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if number.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The letters, digits and single underscores of `wanted`: `Pair<float>` becomes `Pair_float`, `f.jvp` `f_jvp`. The
/// tangent `x'` becomes `d_x`.
pub fn identifier(wanted: &str) -> SmolStr {
    if let Some(primal) = wanted.strip_suffix('\'') {
        return format_smolstr!("d_{}", identifier(primal));
    }
    let wanted = match wanted {
        "this" => "self",
        other => other,
    };
    let mut text = String::with_capacity(wanted.len());
    for c in wanted.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !text.ends_with('_') {
            text.push(c);
        }
    }
    let trimmed = text.trim_end_matches('_');
    let trimmed = if wanted.starts_with('_') { trimmed } else { trimmed.trim_start_matches('_') };
    match trimmed.chars().next() {
        None => "value".into(),
        Some(first) if first.is_ascii_digit() => format_smolstr!("n{trimmed}"),
        // GLSL keeps all of these for itself.
        Some(_) if trimmed.starts_with("gl_") => format_smolstr!("n{trimmed}"),
        Some(_) => trimmed.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn names_that_a_target_keeps_for_itself_get_another_start() {
        assert_eq!(identifier("gl_Position"), "ngl_Position");
        assert_eq!(identifier("3d"), "n3d");
        assert_eq!(identifier("glass"), "glass");
    }
}
