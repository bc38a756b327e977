//! Where the host binds things, as HLSL writes it: `register(t0, space1)` and `packoffset(c0.x)`.
//!
//! E31222: each kind of resource has registers of its own class (`t` what is read, `u` what is written, `s` samplers,
//! `b` constants). E39007 to E39011: what stands there is no register, space or offset.

use ::diagnostics::{Code, codes};
use hir_def::item::ItemKind;
use hir_ty::{
    diagnostics::Node,
    ty::{BuiltinClass, BuiltinType, ResourceClass, TextureAccess, TextureSampling, Ty},
};

use super::Declaration;

pub(super) fn check(declaration: &mut Declaration<'_>) {
    class(declaration);
    written(declaration);
}

/// The numbers, spaces and components that are written.
fn written(declaration: &mut Declaration<'_>) {
    for placement in declaration.data.placements.iter().filter(|placement| placement.packing().is_none()) {
        let found = match (placement.word.as_str(), &placement.args[..]) {
            // Another word before the register is the profile of the compiler that HLSL's first version had.
            ("register", [register, rest @ ..]) => number(register, "register", codes::REGISTER_WITHOUT_INDEX)
                .or_else(|| rest.iter().find_map(|at| space(at))),
            ("packoffset", [offset, ..]) => packing_offset(offset),
            _ => None,
        };
        if let Some((code, message)) = found {
            declaration.report(code, Node::Name, message);
        }
    }
}

/// What is after the letters of `text` is a number.
fn number(text: &str, what: &str, code: Code) -> Option<(Code, String)> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let lacks_digits = digits.is_empty() && !text.is_empty();
    (!is_number && lacks_digits).then(|| (code, format!("expected a number after the {what} '{text}'")))
}

fn space(text: &str) -> Option<(Code, String)> {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    match word {
        "space" => number(text, "word", codes::SPACE_WITHOUT_INDEX),
        _ => Some((codes::EXPECTED_SPACE, format!("expected 'space' and its number, got '{text}'"))),
    }
}

fn packing_offset(text: &str) -> Option<(Code, String)> {
    let (register, component) = text.split_once('.').map_or((text, None), |(before, after)| (before, Some(after)));
    if !register.starts_with('c') {
        return Some((codes::UNKNOWN_REGISTER_CLASS, format!("unknown register class in '{register}': expected 'c'")));
    }
    let component = component.filter(|component| !matches!(*component, "x" | "y" | "z" | "w"))?;
    Some((codes::INVALID_COMPONENT, format!("'{component}' is not a component: expected 'x', 'y', 'z' or 'w'")))
}

fn class(declaration: &mut Declaration<'_>) {
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
        ItemKind::ConstantBuffer { is_texture_buffer: false, .. } => ("b", "cbuffer".to_owned()),
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
