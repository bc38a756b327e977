//! Operations between the invocations of a wave, which is called a subgroup here.

use ir::{
    Scalar, SpanId, Type,
    intrinsic::{
        WaveOp, WaveSubsetOp,
        waves::{Extent, Fold},
    },
};

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
    if op == WaveOp::Match {
        p.require(PARTITIONS);
        return of_values(p, f, Text { words: "subgroupPartitionNV($)", is_by_rows: false }, args, span);
    }
    let (extension, words) = operation(op)?;
    p.require(&format!("#extension GL_KHR_shader_subgroup_{extension} : require"));
    // That would be a truth value of each row.
    let is_by_rows = op != WaveOp::AllEqual;
    of_values(p, f, Text { words, is_by_rows }, args, span)
}

/// The text of an operation between those that a partition puts together: the last operand is the mask of this one's part.
pub(crate) fn of_part(
    p: &mut Printer<'_>,
    f: &Function,
    op: WaveSubsetOp,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let (over, combine) = op.fold_of_part()?;
    let over = match over {
        Extent::All => "",
        Extent::UpToThis => "Inclusive",
        Extent::BeforeThis => "Exclusive",
    };
    let combine = match combine {
        Fold::Sum => "Add",
        Fold::Product => "Mul",
        Fold::Min => "Min",
        Fold::Max => "Max",
        Fold::And => "And",
        Fold::Or => "Or",
        Fold::Xor => "Xor",
    };
    p.require(PARTITIONS);
    let words = format!("subgroupPartitioned{over}{combine}NV($)");
    of_values(p, f, Text { words: &words, is_by_rows: true }, args, span)
}

const PARTITIONS: &str = "#extension GL_NV_shader_subgroup_partitioned : require";

/// The text of an operation, with the operands at `$`.
struct Text<'a> {
    words: &'a str,
    /// Whether it is that of each row for a matrix.
    is_by_rows: bool,
}

fn of_values(
    p: &mut Printer<'_>,
    f: &Function,
    text: Text<'_>,
    args: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    if let Some(types) = args.first().and_then(|value| extended_types(p.scalar_of(value.ty)?)) {
        p.require(&format!("#extension GL_EXT_shader_subgroup_extended_types_{types} : require"));
    }
    match args {
        [matrix, rest @ ..] if matches!(p.shape(matrix.ty), Form::Matrix | Form::Array) => {
            of_matrix(p, f, text, matrix, rest, span)
        }
        _ => Some((text.words.replace('$', &p.list(f, args, span)), PRIMARY)),
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
    Text { words, is_by_rows }: Text<'_>,
    matrix: &Expr,
    rest: &[Expr],
    span: SpanId,
) -> Option<(String, Precedence)> {
    let rows = match p.module.types.get(matrix.ty) {
        Type::Matrix { rows, .. } => u32::from(rows),
        Type::Array { len, .. } => len,
        _ => return None,
    };
    if !is_by_rows {
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
    let word = words.split('(').next().unwrap_or(words);
    let key: String = ty.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let function = p.helper(&format!("{word}_{}", key.trim_end_matches('_')), |_, name| {
        let parts: Vec<String> = (0..rows).map(|row| words.replace('$', &format!("rows[{row}]{lane}"))).collect();
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
        // It is of another extension.
        WaveOp::Match => return None,
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
        | WaveOp::Rotate
        | WaveOp::SaturatedCooperation
        | WaveOp::QuadAll
        | WaveOp::QuadAny
        | WaveOp::QuadReadLaneAt => return None,
    })
}
