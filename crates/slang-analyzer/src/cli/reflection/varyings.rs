//! What one stage of a pipeline hands to the next, as slangc has it: inputs are parameters of the entry point, outputs its
//! result. Each scalar and vector stands by itself: of what in the source it was a part is not known here.

use codegen::memory::Rules;
use ir::provision::{Varying, VaryingPlace};
use ir::{EntryPoint, Global, HandleType, Type, TypeId};
use serde_json::{Value, json};

use super::Writer;

impl Writer<'_> {
    /// An input or output of an entry point.
    pub(super) fn varying(&self, entry: &EntryPoint, global: &Global, varying: &Varying) -> Value {
        let ty = match self.module.types.get(global.ty) {
            Type::Handle(HandleType::Variable { content } | HandleType::ConstantBuffer { content }) => content,
            _ => global.ty,
        };
        let kind = if varying.is_output { "varyingOutput" } else { "varyingInput" };
        let name = varying.semantic.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = varying.semantic[name.len()..].parse().unwrap_or(0u32);
        let mut document = json!({
            "name": global.name.as_str(),
            "semanticName": name.to_uppercase(),
            "type": self.data_type(ty, Rules::Cpp),
        });
        if number != 0 {
            document["semanticIndex"] = number.into();
        }
        document["type"]["sizes"] = json!([]);
        if let VaryingPlace::Location(location) = varying.place {
            let count = self.locations(ty, varying.rate.is_several());
            document["stage"] = entry.stage.word().into();
            document["binding"] = json!({"kind": kind, "index": location});
            if count != 1 {
                document["binding"]["count"] = count.into();
            }
            document["type"]["sizes"] = json!([{"kind": kind, "value": count}]);
        }
        document
    }

    /// What an entry point gives, of its outputs.
    pub(super) fn result(mut outputs: Vec<Value>) -> Option<Value> {
        match outputs.len() {
            0 => None,
            // It has no name, as the result of a function has none.
            1 => outputs.pop().map(|mut only| {
                only.as_object_mut().map(|only| only.remove("name"));
                only
            }),
            _ => Some(json!({"type": {"kind": "struct", "fields": outputs}})),
        }
    }

    /// How many locations a value takes; of several at once, one.
    fn locations(&self, ty: TypeId, is_several: bool) -> u32 {
        match self.module.types.get(ty) {
            Type::Array { element, .. } if is_several => self.locations(element, false),
            Type::Array { element, len } => self.locations(element, false).saturating_mul(len),
            Type::Matrix { rows, .. } => rows.into(),
            _ => 1,
        }
    }
}
