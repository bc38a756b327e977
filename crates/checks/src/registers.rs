//! E31222: each kind of resource has registers of its own class (`t` what is read, `u` what is written, `s` samplers,
//! `b` constants), as in HLSL.

use ::diagnostics::codes;
use hir_def::item::ItemKind;
use hir_ty::{
    diagnostics::Node,
    ty::{BuiltinClass, BuiltinType, ResourceClass, TextureAccess, TextureSampling, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    let named = declaration.data.placements.iter().find(|placement| placement.word.as_str() == "register");
    let Some(register) = named.and_then(|placement| placement.args.first()) else { return };
    let (classes, shown) = match declaration.data.kind {
        ItemKind::Variable { ty, .. } => {
            let mut ty = declaration.lower(ty);
            while let Some((element, _)) = ty.as_array(declaration.db) {
                ty = element;
            }
            let Ty::Builtin(kind, _) = ty else { return };
            let Some(classes) = classes(kind) else { return };
            (classes, declaration.show(ty))
        }
        ItemKind::ConstantBuffer { is_texture_buffer: false } => ("b", "cbuffer".to_owned()),
        _ => return,
    };
    if !register.starts_with(|class: char| classes.contains(class)) {
        let expected: Vec<String> = classes.chars().map(|class| format!("'{class}'")).collect();
        let message = format!(
            "invalid register name '{register}' for type '{shown}': its registers begin with {}",
            expected.join(" or ")
        );
        declaration.report(codes::REGISTER_OF_ANOTHER_CLASS, Node::Name, message);
    }
}

/// The letters of the registers of a type; `None` where any will do.
fn classes(kind: BuiltinType) -> Option<&'static str> {
    let read_or_written = |reads: bool| Some(if reads { "t" } else { "u" });
    let BuiltinClass::Resource(class) = kind.class() else { return None };
    match (kind, class) {
        (BuiltinType::Texture(shape), _) => match (shape.access, shape.sampling) {
            (TextureAccess::Read, TextureSampling::Combined | TextureSampling::CombinedDepth) => Some("ts"),
            (access, _) => read_or_written(access == TextureAccess::Read),
        },
        (BuiltinType::ConstantBuffer, _) => Some("b"),
        // What a parameter block holds has registers of several classes, and slangc takes any for texture buffers.
        (BuiltinType::ParameterBlock | BuiltinType::TextureBuffer, _) => None,
        (BuiltinType::SamplerState | BuiltinType::SamplerComparisonState, _) => Some("s"),
        (BuiltinType::RaytracingAccelerationStructure, _) => Some("t"),
        (
            BuiltinType::StructuredBuffer | BuiltinType::Buffer | BuiltinType::ByteAddressBuffer,
            ResourceClass::StructuredBuffer | ResourceClass::TexelBuffer | ResourceClass::ByteAddressBuffer,
        ) => read_or_written(true),
        (_, ResourceClass::StructuredBuffer | ResourceClass::TexelBuffer | ResourceClass::ByteAddressBuffer) => {
            read_or_written(false)
        }
        (_, ResourceClass::Block | ResourceClass::Texture | ResourceClass::Opaque) => None,
    }
}
