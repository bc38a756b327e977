//! The memory that a program runs over, as a JSON file describes it, and what of it does not fit the program.

use std::{collections::BTreeMap, path::Path};

use ir::{GlobalKind, Module};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Specification {
    #[serde(default)]
    pub(crate) buffers: Vec<BufferSpecification>,
    #[serde(default)]
    pub(crate) uniforms: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    pub(crate) conformances: Vec<ConformanceSpecification>,
    #[serde(flatten)]
    unknown: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BufferSpecification {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) words: Vec<u32>,
    #[serde(default)]
    pub(crate) out: bool,
    /// Of elements in bytes: for readers, the program knows it.
    #[serde(default, rename = "stride")]
    _stride: serde_json::Value,
    #[serde(flatten)]
    unknown: BTreeMap<String, serde_json::Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ConformanceSpecification {
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) interface: String,
    pub(crate) id: u32,
}

/// # Errors
/// If the file cannot be read, is no specification, or describes a buffer twice.
pub(crate) fn read(path: &Path) -> Result<Specification, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let specification: Specification =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut names = std::collections::BTreeSet::new();
    match specification.buffers.iter().find(|buffer| !names.insert(&buffer.name)) {
        Some(twice) => Err(format!("{}: the buffer `{}` is described twice", path.display(), twice.name)),
        None => Ok(specification),
    }
}

impl Specification {
    /// What says nothing to the program, and what the program has and it does not.
    pub(crate) fn misfits(&self, module: &Module) -> Vec<String> {
        let mut misfits = Vec::new();
        misfits.extend(self.unknown.keys().map(|key| format!("`{key}` means nothing in a specification")));
        for buffer in &self.buffers {
            let of = &buffer.name;
            misfits.extend(buffer.unknown.keys().map(|key| format!("`{key}` of the buffer `{of}` means nothing")));
        }
        for (name, value) in &self.uniforms {
            misfits.extend(unread(value).map(|part| {
                format!(
                    "`{part}` in the uniform `{name}` means nothing, and is zero: a number is `{{\"word\": BITS}}`, a vector \
                     or struct a list of its parts, a buffer `{{\"buffer\": NAME}}`"
                )
            }));
        }
        let parameters: Vec<&str> = module
            .globals
            .iter()
            .filter(|(_, global)| global.kind == GlobalKind::Parameter)
            .map(|(_, global)| global.name.as_str())
            .collect();
        // Uniforms may hold handles of buffers: `{"buffer": NAME}`.
        let is_in_uniforms = |name: &str| self.uniforms.values().any(|value| names_buffer(value, name));
        let described = self.buffers.iter().map(|buffer| &buffer.name).filter(|name| !is_in_uniforms(name));
        for name in described.chain(self.uniforms.keys()).filter(|name| !parameters.contains(&name.as_str())) {
            misfits.push(format!("the program has no parameter `{name}`"));
        }
        let is_described =
            |name: &str| self.buffers.iter().any(|buffer| buffer.name == name) || self.uniforms.contains_key(name);
        for name in parameters.iter().filter(|name| !is_described(name)) {
            misfits.push(format!("the parameter `{name}` is not described: it is empty"));
        }
        misfits
    }
}

/// What descriptions of values consist of.
const PARTS: [&str; 6] = ["word", "value", "buffer", "sizes", "resource", "options"];

/// The first part of a description that stands for no value.
fn unread(value: &serde_json::Value) -> Option<&serde_json::Value> {
    match value {
        serde_json::Value::Array(parts) => parts.iter().find_map(unread),
        serde_json::Value::Object(parts) => {
            let is_known = |key: &String| PARTS.contains(&key.as_str());
            let is_number = parts.get("word").is_none_or(serde_json::Value::is_u64);
            if parts.is_empty() || !parts.keys().all(is_known) || !is_number {
                return Some(value);
            }
            parts.get("value").and_then(unread)
        }
        _ => Some(value),
    }
}

fn names_buffer(value: &serde_json::Value, name: &str) -> bool {
    match value {
        serde_json::Value::Array(parts) => parts.iter().any(|part| names_buffer(part, name)),
        serde_json::Value::Object(object) => {
            object.get("buffer").and_then(|buffer| buffer.as_str()) == Some(name)
                || object.values().any(|part| names_buffer(part, name))
        }
        _ => false,
    }
}
