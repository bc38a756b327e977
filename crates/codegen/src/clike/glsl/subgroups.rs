//! Operations between the invocations of a wave, which is called a subgroup here.

use ir::{Scalar, SpanId, Type, intrinsic::WaveOp};

use crate::clike::{Form, PRIMARY, Precedence, Printer};
use crate::tree::{Expr, Function};

/// The text of an operation; `None` for those that GLSL does not have.
pub(crate) fn call(
    p: &mut Printer<'_>,
    f: &Function,
    op: WaveOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let (extension, text) = operation(op)?;
    p.require(&format!("#extension GL_KHR_shader_subgroup_{extension} : require"));
    if let Some(types) = args.first().and_then(|value| extended_types(p.scalar_of(value.ty)?)) {
        p.require(&format!("#extension GL_EXT_shader_subgroup_extended_types_{types} : require"));
    }
    match args {
        [matrix, rest @ ..] if matches!(p.shape(matrix.ty), Form::Matrix | Form::Array) => {
            of_matrix(p, f, (op, text), matrix, rest, span)
        }
        _ => Some((text.replace('$', &p.list(f, args, span)), PRIMARY)),
    }
}

/// What the extension is called that has the operations for scalars that are not of 32 bits and not doubles.
fn extended_types(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::I8 | Scalar::U8 => "int8",
        Scalar::I16 | Scalar::U16 => "int16",
        Scalar::I64 | Scalar::U64 => "int64",
        Scalar::F16 => "float16",
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 | Scalar::F64 => return None,
    })
}

/// The operation of each row: of matrices the language has none, nor of the arrays that stand for others.
fn of_matrix(
    p: &mut Printer<'_>,
    f: &Function,
    (op, text): (WaveOp, &'static str),
    matrix: &Expr,
    rest: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let rows = match p.module.types.get(matrix.ty) {
        Type::Matrix { rows, .. } => u32::from(rows),
        Type::Array { len, .. } => len,
        _ => return None,
    };
    // That would be a truth value of each row.
    if op == WaveOp::AllEqual {
        return None;
    }
    let ty = p.type_name(matrix.ty, span);
    let mut params = vec![format!("{ty} rows")];
    let lane = match rest {
        [] => "",
        [lane] => {
            params.push(p.declarator(lane.ty, "lane", span));
            ", lane"
        }
        _ => return None,
    };
    let word = text.split('(').next().unwrap_or(text);
    let key: String = ty.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let function = p.helper(&format!("{word}_{}", key.trim_end_matches('_')), |_, name| {
        let parts: Vec<String> = (0..rows).map(|row| text.replace('$', &format!("rows[{row}]{lane}"))).collect();
        format!("{ty} {name}({})\n{{\n    return {ty}({});\n}}", params.join(", "), parts.join(", "))
    });
    let args: Vec<String> = [matrix].into_iter().chain(rest).map(|arg| p.expr(f, arg, span)).collect();
    Some((format!("{function}({})", args.join(", ")), PRIMARY))
}

/// The extension that has an operation and its text, with the operands at `$`.
fn operation(op: WaveOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        WaveOp::AllEqual => ("vote", "subgroupAllEqual($)"),
        WaveOp::AllTrue => ("vote", "subgroupAll($)"),
        WaveOp::AnyTrue => ("vote", "subgroupAny($)"),
        WaveOp::Ballot => ("ballot", "subgroupBallot($)"),
        WaveOp::BitAnd => ("arithmetic", "subgroupAnd($)"),
        WaveOp::BitOr => ("arithmetic", "subgroupOr($)"),
        WaveOp::BitXor => ("arithmetic", "subgroupXor($)"),
        WaveOp::CountBits => ("ballot", "subgroupBallotBitCount(subgroupBallot($))"),
        WaveOp::IsFirstLane => ("basic", "subgroupElect()"),
        WaveOp::LaneCount => ("basic", "gl_SubgroupSize"),
        WaveOp::LaneIndex => ("basic", "gl_SubgroupInvocationID"),
        WaveOp::Max => ("arithmetic", "subgroupMax($)"),
        WaveOp::Min => ("arithmetic", "subgroupMin($)"),
        WaveOp::PrefixCountBits => ("ballot", "subgroupBallotExclusiveBitCount(subgroupBallot($))"),
        WaveOp::PrefixProduct => ("arithmetic", "subgroupExclusiveMul($)"),
        WaveOp::PrefixSum => ("arithmetic", "subgroupExclusiveAdd($)"),
        WaveOp::Product => ("arithmetic", "subgroupMul($)"),
        WaveOp::ReadLaneAt => ("shuffle", "subgroupShuffle($)"),
        WaveOp::ReadLaneFirst => ("ballot", "subgroupBroadcastFirst($)"),
        // `subgroupBroadcast` wants a constant before SPIR-V 1.5.
        WaveOp::Broadcast | WaveOp::Shuffle => ("shuffle", "subgroupShuffle($)"),
        WaveOp::PrefixBitAnd => ("arithmetic", "subgroupExclusiveAnd($)"),
        WaveOp::PrefixBitOr => ("arithmetic", "subgroupExclusiveOr($)"),
        WaveOp::PrefixBitXor => ("arithmetic", "subgroupExclusiveXor($)"),
        WaveOp::PrefixMax => ("arithmetic", "subgroupExclusiveMax($)"),
        WaveOp::PrefixMin => ("arithmetic", "subgroupExclusiveMin($)"),
        WaveOp::WaveCount => ("basic", "gl_NumSubgroups"),
        WaveOp::WaveIndex => ("basic", "gl_SubgroupID"),
        WaveOp::QuadReadAcrossDiagonal => ("quad", "subgroupQuadSwapDiagonal($)"),
        WaveOp::QuadReadAcrossX => ("quad", "subgroupQuadSwapHorizontal($)"),
        WaveOp::QuadReadAcrossY => ("quad", "subgroupQuadSwapVertical($)"),
        WaveOp::Sum => ("arithmetic", "subgroupAdd($)"),
        WaveOp::ActiveMask
        | WaveOp::ActiveMulti
        | WaveOp::ClusteredRotate
        | WaveOp::ConvergedMask
        | WaveOp::ConvergedMulti
        | WaveOp::LaneEqMask
        | WaveOp::LaneGeMask
        | WaveOp::LaneGtMask
        | WaveOp::LaneLeMask
        | WaveOp::LaneLtMask
        | WaveOp::Match
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadLaneAt => return None,
    })
}
