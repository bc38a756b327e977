//! Identifiers from the names in the IR.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

/// Gives out each name once within a scope.
#[derive(Debug, Clone, Default)]
pub struct Namer {
    /// Words that are never given, shared by all namers of a module.
    reserved: Arc<FxHashSet<SmolStr>>,
    taken: FxHashSet<SmolStr>,
    /// The number to try next for a word that was given before.
    numbers: FxHashMap<SmolStr, u32>,
    /// Kinds of words that are not given either.
    is_reserved: Option<fn(&str) -> bool>,
}

impl Namer {
    /// A namer that never gives a word of `reserved`, nor one of which `is_reserved` is true; those get `u_` in front.
    pub fn new(reserved: &[&str], is_reserved: fn(&str) -> bool) -> Namer {
        let reserved: FxHashSet<SmolStr> = reserved.iter().map(|&word| SmolStr::new(word)).collect();
        Namer { reserved: Arc::new(reserved), is_reserved: Some(is_reserved), ..Namer::default() }
    }

    /// A namer that gives none of these either. Its clones share what it knows, however much that is.
    pub fn knowing<'n>(&self, names: impl Iterator<Item = &'n SmolStr>) -> Namer {
        let reserved = self.reserved.iter().cloned().chain(names.cloned()).collect();
        Namer { reserved: Arc::new(reserved), ..self.clone() }
    }

    /// Takes a name, so that nothing else gets it.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.into());
    }

    /// Gives `name` as it is, if it is an identifier that means nothing yet.
    pub fn exact(&mut self, name: &str) -> bool {
        is_identifier(name) && !self.is_reserved.is_some_and(|is_reserved| is_reserved(name)) && self.take(name.into())
    }

    /// Takes a name, unless it means something; whether it did not until now.
    fn take(&mut self, name: SmolStr) -> bool {
        !self.reserved.contains(&name) && self.taken.insert(name)
    }

    /// An identifier like `wanted` that was not given before.
    pub fn unique(&mut self, wanted: &str) -> SmolStr {
        let mut base = identifier(wanted);
        if self.is_reserved.is_some_and(|is_reserved| is_reserved(&base)) {
            base = format_smolstr!("u_{base}");
        }
        if self.take(base.clone()) {
            return base;
        }
        let number = self.numbers.entry(base.clone()).or_insert(1);
        loop {
            let name = match base.ends_with('_') {
                true => format_smolstr!("{base}{number}"),
                false => format_smolstr!("{base}_{number}"),
            };
            *number += 1;
            if !self.reserved.contains(&name) && self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// Whether a word is a vector or matrix type of the languages that spell them `float3` and `int2x4`.
pub fn is_vector_type(word: &str) -> bool {
    let scalar = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let sides = &word[scalar.len()..];
    let is_side = |side: &str| matches!(side, "1" | "2" | "3" | "4");
    let is_scalar = matches!(scalar, "bool" | "int" | "uint" | "half" | "float" | "double" | "char" | "uchar")
        || matches!(scalar, "short" | "ushort" | "long" | "ulong" | "longlong" | "ulonglong" | "dim")
        || (scalar.ends_with("_t") && scalar.contains(|c: char| c.is_ascii_digit()))
        || scalar.starts_with("min1");
    is_scalar && sides.split('x').count() <= 2 && sides.split('x').all(is_side)
}

/// The name that the user gave a variable: the IR's text tells values of one name apart by a number after a dot.
pub fn variable(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if number.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The letters, digits and single underscores of `wanted`: `Pair<float>` becomes `Pair_float`, `f.jvp` `f_jvp`. The
/// tangent `x'` becomes `d_x`. An underscore at the end stays if the user wrote one there.
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
    let last = if wanted.ends_with('_') { "_" } else { "" };
    match trimmed.chars().next() {
        None => "value".into(),
        Some(first) if first.is_ascii_digit() => format_smolstr!("n{trimmed}{last}"),
        // GLSL keeps all of these for itself.
        Some(_) if trimmed.starts_with("gl_") => format_smolstr!("n{trimmed}{last}"),
        Some(_) => format_smolstr!("{trimmed}{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Namer, identifier, is_vector_type};

    #[test]
    fn a_name_is_given_as_it_is_or_not_at_all() {
        let mut namer = Namer::new(&["loop"], is_vector_type);
        assert!(namer.exact("a__b") && namer.exact("main1") && namer.exact("_"));
        for name in ["loop", "main1", "float3", "3d", "été", "f.jvp", ""] {
            assert!(!namer.exact(name), "{name}");
        }
        assert_eq!(namer.unique("main1"), "main1_1");
    }

    #[test]
    fn names_that_a_target_keeps_for_itself_get_another_start() {
        assert_eq!(identifier("gl_Position"), "ngl_Position");
        assert_eq!(identifier("3d"), "n3d");
        assert_eq!(identifier("glass"), "glass");
    }

    #[test]
    fn a_last_underscore_is_part_of_the_name() {
        assert_eq!(identifier("table_"), "table_");
        assert_eq!(identifier("table__"), "table_");
        assert_eq!(identifier("Pair<float>"), "Pair_float");
        assert_eq!(identifier("__"), "value");
        let mut namer = Namer::default();
        assert_eq!((namer.unique("x_"), namer.unique("x_")), ("x_".into(), "x_1".into()));
    }
}
