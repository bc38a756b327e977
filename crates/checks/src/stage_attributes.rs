//! The words in the attributes of entry points: topologies and partitionings, by stage.

use ::diagnostics::{Code, codes};
use hir_def::{
    attribute::AttributeKind,
    item::{Item, ItemKind},
};
use hir_ty::diagnostics::Node;

use super::Declaration;

/// The words that an attribute takes on the entry points of a stage.
struct Words {
    stage: &'static str,
    attribute: AttributeKind,
    code: Code,
    what: &'static str,
    words: &'static [&'static str],
}

/// slangc says E57003 for SPIR-V alone; other targets print the word, and their compilers refuse it.
const WORDS: &[Words] = &[
    Words {
        stage: "mesh",
        attribute: AttributeKind::OutputTopology,
        code: codes::INVALID_MESH_TOPOLOGY,
        what: "output topology of a mesh shader",
        words: &["point", "line", "triangle"],
    },
    Words {
        stage: "hull",
        attribute: AttributeKind::OutputTopology,
        code: codes::INVALID_TOPOLOGY,
        what: "output topology of a hull shader",
        words: &["point", "line", "triangle_cw", "triangle_ccw"],
    },
    Words {
        stage: "hull",
        attribute: AttributeKind::Partitioning,
        code: codes::UNKNOWN_PARTITIONING,
        what: "partitioning",
        words: &["integer", "pow2", "fractional_even", "fractional_odd"],
    },
];

/// E50060, E50061, E57003.
pub(super) fn check(declaration: &mut Declaration<'_>) {
    if !matches!(declaration.data.kind, ItemKind::Function(_)) {
        return;
    }
    let Some(stage) = argument(declaration.data, AttributeKind::Shader) else { return };
    for row in WORDS.iter().filter(|row| row.stage == stage) {
        let Some(word) = argument(declaration.data, row.attribute) else { continue };
        if row.words.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            continue;
        }
        let expected: Vec<String> = row.words.iter().map(|word| format!("'{word}'")).collect();
        let message = format!("unknown {} '{word}': expected {}", row.what, expected.join(", "));
        let written = declaration.data.attributes().find(|(_, attribute)| attribute.kind == Some(row.attribute));
        declaration.report(row.code, written.map_or(Node::Name, |(id, _)| Node::Attribute(id)), message);
    }
}

fn argument(data: &Item, kind: AttributeKind) -> Option<&str> {
    data.attribute(kind).and_then(|attribute| attribute.string(&data.store, 0))
}
