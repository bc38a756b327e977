//! What the operations that look between the texels of a texture take: one table for the languages that spell them apart.

use ir::{GlobalId, HandleType, Intrinsic, Module, Op, Type, intrinsic::TextureOp, types::TypeTable};

use crate::tree::{Expr, ExprKind};

/// Where the level of detail of a lookup comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// The target finds it out from neighbouring pixels.
    Implicit,
    /// As before, and a number is added.
    Biased,
    Zero,
    Given,
    /// From the rates of change of the location.
    Gradients,
}

/// What a lookup does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub level: Level,
    /// Whether texels are compared with a number.
    pub compares: bool,
    /// The component of the four texels around a location that is the result, if it is that.
    pub gathers: Option<u8>,
}

/// The operands of a lookup.
pub(crate) struct Operands<'a> {
    pub texture: &'a Expr,
    pub sampler: &'a Expr,
    pub location: &'a Expr,
    /// What texels are compared with.
    pub reference: Option<&'a Expr>,
    /// The bias, the level, or the two rates of change.
    pub level: &'a [Expr],
    /// In texels, from the location.
    pub offset: Option<&'a Expr>,
}

impl Lookup {
    /// `None` for operations that are no lookups, and those that no language has but the source's.
    pub(crate) fn of(op: TextureOp) -> Option<Lookup> {
        let sample = |level| Lookup { level, compares: false, gathers: None };
        let compare = |level| Lookup { level, compares: true, gathers: None };
        let gather = |component| Lookup { level: Level::Zero, compares: false, gathers: Some(component) };
        Some(match op {
            TextureOp::Sample => sample(Level::Implicit),
            TextureOp::SampleBias => sample(Level::Biased),
            TextureOp::SampleGrad => sample(Level::Gradients),
            TextureOp::SampleLevel => sample(Level::Given),
            TextureOp::SampleLevelZero => sample(Level::Zero),
            TextureOp::SampleCmp => compare(Level::Implicit),
            TextureOp::SampleCmpBias => compare(Level::Biased),
            TextureOp::SampleCmpGrad => compare(Level::Gradients),
            TextureOp::SampleCmpLevel => compare(Level::Given),
            TextureOp::SampleCmpLevelZero => compare(Level::Zero),
            TextureOp::Gather | TextureOp::GatherRed => gather(0),
            TextureOp::GatherGreen => gather(1),
            TextureOp::GatherBlue => gather(2),
            TextureOp::GatherAlpha => gather(3),
            TextureOp::GatherCmp | TextureOp::GatherCmpRed => {
                Lookup { level: Level::Zero, compares: true, gathers: Some(0) }
            }
            // What is compared has one component.
            TextureOp::GatherCmpGreen | TextureOp::GatherCmpBlue | TextureOp::GatherCmpAlpha => return None,
            TextureOp::AtomicAdd
            | TextureOp::AtomicAnd
            | TextureOp::AtomicCompareExchange
            | TextureOp::AtomicExchange
            | TextureOp::AtomicMax
            | TextureOp::AtomicMin
            | TextureOp::AtomicOr
            | TextureOp::AtomicXor
            | TextureOp::Dimensions
            | TextureOp::FullyMapped
            | TextureOp::Level
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped
            | TextureOp::Levels
            | TextureOp::Load
            | TextureOp::SamplePosition
            | TextureOp::Samples
            | TextureOp::Store
            | TextureOp::WriteFeedback => return None,
        })
    }

    /// `None` for a clamp of the level, the status of the memory, or several offsets.
    pub(crate) fn operands<'a>(self, types: &TypeTable, args: &'a [Expr]) -> Option<Operands<'a>> {
        let [texture, sampler, location, rest @ ..] = args else { return None };
        let is_of_kind = matches!(types.get(sampler.ty),
            Type::Handle(HandleType::Sampler { comparison }) if comparison == self.compares);
        if !is_of_kind || args.iter().any(|arg| matches!(arg.kind, ExprKind::Reference(_))) {
            return None;
        }
        let (reference, rest) = match (self.compares, rest) {
            (false, _) => (None, rest),
            (true, [reference, rest @ ..]) => (Some(reference), rest),
            (true, []) => return None,
        };
        let count = match self.level {
            Level::Implicit | Level::Zero => 0,
            Level::Biased | Level::Given => 1,
            Level::Gradients => 2,
        };
        let (level, rest) = rest.split_at_checked(count)?;
        let offset = match rest {
            [] => None,
            [offset] if is_integers(types, offset) => Some(offset),
            _ => return None,
        };
        Some(Operands { texture, sampler, location, reference, level, offset })
    }
}

/// How a texture is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Readings {
    /// With comparisons of its texels.
    pub compared: bool,
    /// Without.
    pub plain: bool,
}

/// How the program reads a texture, which every operation names.
pub(crate) fn readings(module: &Module, global: GlobalId) -> Readings {
    let mut found = Readings::default();
    for (_, func) in module.funcs.iter() {
        let is_it = |value| match func.defining_op(value).map(|data| &data.op) {
            Some(Op::Global(of)) => *of == global,
            Some(Op::Load { handle, .. }) => {
                matches!(func.defining_op(*handle).map(|data| &data.op), Some(Op::Global(of)) if *of == global)
            }
            _ => false,
        };
        for (_, data) in func.ops.iter() {
            let Op::Intrinsic { intrinsic: Intrinsic::Texture(op), args } = &data.op else { continue };
            if *op == TextureOp::Dimensions || !args.first().is_some_and(|texture| is_it(*texture)) {
                continue;
            }
            match Lookup::of(*op).is_some_and(|lookup| lookup.compares) {
                true => found.compared = true,
                false => found.plain = true,
            }
        }
    }
    found
}

fn is_integers(types: &TypeTable, expr: &Expr) -> bool {
    matches!(types.get(expr.ty), Type::Scalar(scalar) | Type::Vector { scalar, .. } if scalar.is_integer())
}

/// Whether the text of an expression is a constant: most offsets must be.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Zero => true,
        ExprKind::Splat(a) | ExprKind::Unary(_, a) => is_constant(a),
        ExprKind::Make(parts) => parts.iter().all(is_constant),
        _ => false,
    }
}
