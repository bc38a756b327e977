//! System values: in which stage each may be read or written, and as what type.

use hir_ty::{
    shapes::Shape,
    ty::{Const, Scalar, Ty},
};

bitflags::bitflags! {
    /// The stages that exchange varying values.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Stages: u16 {
        const VERTEX = 1 << 0;
        const FRAGMENT = 1 << 1;
        const COMPUTE = 1 << 2;
        const GEOMETRY = 1 << 3;
        const HULL = 1 << 4;
        const DOMAIN = 1 << 5;
        const MESH = 1 << 6;
        const AMPLIFICATION = 1 << 7;
        /// All stages of ray tracing: most of their values come from functions.
        const RAY_TRACING = 1 << 8;
    }
}

impl Stages {
    /// The stage that `[shader("name")]` means; `None` for a name that nobody knows.
    pub(super) fn named(name: &str) -> Option<Stages> {
        Some(match name {
            "vertex" => Stages::VERTEX,
            "fragment" | "pixel" => Stages::FRAGMENT,
            "compute" => Stages::COMPUTE,
            "geometry" => Stages::GEOMETRY,
            "hull" | "tesscontrol" => Stages::HULL,
            "domain" | "tesseval" => Stages::DOMAIN,
            "mesh" => Stages::MESH,
            "amplification" | "task" => Stages::AMPLIFICATION,
            "raygeneration" | "raygen" | "intersection" | "anyhit" | "closesthit" | "miss" | "callable" => {
                Stages::RAY_TRACING
            }
            _ => return None,
        })
    }
}

/// What values of a system value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepts {
    Integer,
    /// One to three integers.
    Integers,
    TwoIntegers,
    Bool,
    Float,
    /// A float, or an array of them.
    Floats,
    /// A vector of floats with one of these lengths.
    FloatVector(&'static [i64]),
    /// Whatever the pipeline makes of it.
    Anything,
}

/// One row of the table of system values.
#[derive(Debug, Clone, Copy)]
pub(super) struct SystemValue {
    pub(super) name: &'static str,
    /// Stages that may read it.
    pub(super) input: Stages,
    /// Stages that may write it.
    pub(super) output: Stages,
    pub(super) accepts: Accepts,
}

/// The row of a semantic; digits after it number it.
pub(super) fn system_value(semantic: &str) -> Option<&'static SystemValue> {
    let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
    SYSTEM_VALUES.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// The names of all system values.
pub fn system_values() -> impl Iterator<Item = &'static str> {
    SYSTEM_VALUES.iter().map(|row| row.name)
}

/// Where a system value may stand and what it may be, in words; `None` for other semantics.
pub fn system_value_description(semantic: &str) -> Option<String> {
    let row = system_value(semantic)?;
    let stages = |stages: Stages| match stages {
        all if all == Stages::all() => "any stage".to_owned(),
        stages => {
            let words = stages.iter_names().map(|(name, _)| name.to_ascii_lowercase());
            words.collect::<Vec<_>>().join(", ")
        }
    };
    let mut text = format!("A system value: {}.", row.accepts.words());
    for (verb, at) in [("Read", row.input), ("Written", row.output)] {
        if !at.is_empty() {
            text.push_str(&format!(" {verb} in: {}.", stages(at)));
        }
    }
    Some(text)
}

const NONE: Stages = Stages::empty();
const GROUPS: Stages = Stages::COMPUTE.union(Stages::MESH).union(Stages::AMPLIFICATION);
const RASTERIZED: Stages =
    Stages::VERTEX.union(Stages::GEOMETRY).union(Stages::HULL).union(Stages::DOMAIN).union(Stages::MESH);
const ALL: Stages = Stages::all();

const fn row(name: &'static str, input: Stages, output: Stages, accepts: Accepts) -> SystemValue {
    SystemValue { name, input, output, accepts }
}

/// As slangc has them.
const SYSTEM_VALUES: &[SystemValue] = &[
    row("SV_Barycentrics", Stages::FRAGMENT, NONE, Accepts::FloatVector(&[3])),
    row("SV_ClipDistance", Stages::FRAGMENT, RASTERIZED, Accepts::Floats),
    row("SV_CullDistance", Stages::FRAGMENT, RASTERIZED, Accepts::Floats),
    row("SV_Coverage", Stages::FRAGMENT, Stages::FRAGMENT, Accepts::Integer),
    row("SV_CullPrimitive", NONE, Stages::MESH, Accepts::Bool),
    row("SV_Depth", NONE, Stages::FRAGMENT, Accepts::Float),
    row("SV_DepthGreaterEqual", NONE, Stages::FRAGMENT, Accepts::Float),
    row("SV_DepthLessEqual", NONE, Stages::FRAGMENT, Accepts::Float),
    row("SV_DispatchThreadID", GROUPS, NONE, Accepts::Integers),
    row("SV_DomainLocation", Stages::DOMAIN, NONE, Accepts::FloatVector(&[2, 3])),
    row("SV_DrawIndex", Stages::VERTEX.union(Stages::MESH).union(Stages::AMPLIFICATION), NONE, Accepts::Integer),
    row("SV_DeviceIndex", ALL, NONE, Accepts::Integer),
    row("SV_FragInvocationCount", Stages::FRAGMENT, NONE, Accepts::Integer),
    row("SV_FragSize", Stages::FRAGMENT, NONE, Accepts::TwoIntegers),
    row("SV_GSInstanceID", Stages::GEOMETRY, NONE, Accepts::Integer),
    row("SV_GroupID", GROUPS, NONE, Accepts::Integers),
    row("SV_GroupIndex", GROUPS, NONE, Accepts::Integer),
    row("SV_GroupThreadID", GROUPS, NONE, Accepts::Integers),
    row("SV_InnerCoverage", Stages::FRAGMENT, NONE, Accepts::Integer),
    row("SV_InsideTessFactor", Stages::DOMAIN, Stages::HULL, Accepts::Floats),
    row("SV_InstanceID", Stages::VERTEX.union(Stages::FRAGMENT), Stages::VERTEX, Accepts::Integer),
    row("SV_IsFrontFace", Stages::FRAGMENT, Stages::GEOMETRY, Accepts::Bool),
    row("SV_OutputControlPointID", Stages::HULL, NONE, Accepts::Integer),
    row("SV_PointSize", NONE, Stages::VERTEX.union(Stages::GEOMETRY).union(Stages::MESH), Accepts::Float),
    row("SV_PointCoord", Stages::FRAGMENT, NONE, Accepts::FloatVector(&[2])),
    row("SV_Position", Stages::FRAGMENT.union(Stages::GEOMETRY), RASTERIZED, Accepts::FloatVector(&[2, 3, 4])),
    row(
        "SV_PrimitiveID",
        Stages::FRAGMENT.union(Stages::GEOMETRY).union(Stages::HULL).union(Stages::DOMAIN),
        Stages::GEOMETRY.union(Stages::MESH),
        Accepts::Integer,
    ),
    row("SV_RenderTargetArrayIndex", Stages::FRAGMENT, RASTERIZED, Accepts::Integer),
    row("SV_SampleIndex", Stages::FRAGMENT, NONE, Accepts::Integer),
    row(
        "SV_ShadingRate",
        Stages::FRAGMENT,
        Stages::VERTEX.union(Stages::GEOMETRY).union(Stages::MESH),
        Accepts::Integer,
    ),
    row("SV_StartVertexLocation", Stages::VERTEX, NONE, Accepts::Integer),
    row("SV_StartInstanceLocation", Stages::VERTEX, NONE, Accepts::Integer),
    row("SV_StencilRef", NONE, Stages::FRAGMENT, Accepts::Integer),
    row("SV_Target", ALL, ALL, Accepts::Anything),
    row("SV_TessFactor", Stages::DOMAIN, Stages::HULL, Accepts::Floats),
    row("SV_VertexID", Stages::VERTEX, NONE, Accepts::Integer),
    row("SV_ViewID", RASTERIZED.union(Stages::FRAGMENT), NONE, Accepts::Integer),
    row("SV_ViewportArrayIndex", Stages::FRAGMENT, RASTERIZED, Accepts::Integer),
    row("SV_VulkanVertexID", Stages::VERTEX, NONE, Accepts::Integer),
    row("SV_VulkanInstanceID", Stages::VERTEX, NONE, Accepts::Integer),
    row("SV_VulkanSamplePosition", Stages::FRAGMENT, NONE, Accepts::FloatVector(&[2])),
    row("SV_WaveLaneCount", ALL, NONE, Accepts::Integer),
    row("SV_WaveLaneIndex", ALL, NONE, Accepts::Integer),
];

/// System values that belong to a whole primitive of a mesh.
pub(super) fn is_per_primitive(name: &str) -> bool {
    matches!(
        name,
        "SV_CullPrimitive"
            | "SV_PrimitiveID"
            | "SV_RenderTargetArrayIndex"
            | "SV_ViewportArrayIndex"
            | "SV_ShadingRate"
    )
}

impl Accepts {
    fn words(self) -> String {
        let text = match self {
            Accepts::Integer => "an integer",
            Accepts::Integers => "one to three integers",
            Accepts::TwoIntegers => "two integers",
            Accepts::Bool => "a `bool`",
            Accepts::Float => "a number",
            Accepts::Floats => "a number, or an array of them",
            Accepts::FloatVector(lengths) => {
                let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
                return format!("a vector of {} numbers", lengths.join(" or "));
            }
            Accepts::Anything => "whatever the pipeline makes of it",
        };
        text.to_owned()
    }

    /// Whether a value of this type will do. Types that are not known yet, and structs, may.
    pub(super) fn takes(self, db: &dyn base_db::Db, ty: Ty) -> bool {
        let shape = match ty {
            Ty::Builtin(hir_ty::ty::BuiltinType::Array, _) if self == Accepts::Floats => {
                return ty.as_array(db).is_none_or(|(element, _)| Accepts::Float.takes(db, element));
            }
            Ty::Scalar(_) | Ty::Builtin(..) => hir_ty::shapes::numeric(db, ty),
            _ => return true,
        };
        let integer = |scalar: Scalar| !scalar.is_float() && scalar != Scalar::Bool;
        match (self, shape) {
            (Accepts::Anything, _) => true,
            (Accepts::Integer | Accepts::Integers, Some((Shape::Scalar, scalar))) => integer(scalar),
            (Accepts::Integers, Some((Shape::Vector(len), scalar))) => integer(scalar) && fits(len, &[1, 2, 3]),
            (Accepts::TwoIntegers, Some((Shape::Vector(len), scalar))) => integer(scalar) && fits(len, &[2]),
            (Accepts::Bool, Some((Shape::Scalar, scalar))) => scalar == Scalar::Bool,
            (Accepts::Float | Accepts::Floats, Some((Shape::Scalar, scalar))) => scalar.is_float(),
            (Accepts::FloatVector(lengths), Some((Shape::Vector(len), scalar))) => {
                scalar.is_float() && fits(len, lengths)
            }
            _ => false,
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Accepts::Integer => "'uint'",
            Accepts::Integers => "a scalar or vector (1 to 3) of 'uint' or 'int'",
            Accepts::TwoIntegers => "'int2'",
            Accepts::Bool => "'bool'",
            Accepts::Float => "'float'",
            Accepts::Floats => "'float' or 'float[]'",
            Accepts::FloatVector([2]) => "'float2'",
            Accepts::FloatVector([3]) => "'float3'",
            Accepts::FloatVector([2, 3]) => "'float2' or 'float3'",
            Accepts::FloatVector(_) => "'float4', 'float3' or 'float2'",
            Accepts::Anything => "anything",
        }
    }
}

fn fits(len: Const, lengths: &[i64]) -> bool {
    match len {
        Const::Value(len) => lengths.contains(&len),
        _ => true,
    }
}
