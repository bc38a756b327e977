//! The functions of the core library that only some stages have, as slangc's `hlsl.meta.slang` declares them.

use std::sync::LazyLock;

use base_db::Db;
use hir_def::item::{self, ItemId, ItemKind};
use rustc_hash::FxHashMap;

use super::{names, set::Requirement};

/// Stages, by the names of capabilities that stand for no more than stages, and what they alone have.
const OPERATIONS: &[(&[&str], &[&str])] = &[
    (&["fragment"], &["clip", "IsHelperLane"]),
    // Differences between neighbours: fragments come in quads, and groups of threads can be arranged in them.
    (
        &["fragment", "raytracingstages_compute_amplification_mesh"],
        &[
            "ddx",
            "ddy",
            "fwidth",
            "ddx_coarse",
            "ddy_coarse",
            "fwidth_coarse",
            "ddx_fine",
            "ddy_fine",
            "fwidth_fine",
            "EvaluateAttributeAtSample",
            "EvaluateAttributeSnapped",
            "EvaluateAttributeAtCentroid",
        ],
    ),
    (&["anyhit"], &["IgnoreHit", "AcceptHitAndEndSearch"]),
    (&["intersection"], &["ReportHit"]),
    (&["anyhit_closesthit"], &["HitKind"]),
    (
        &["anyhit_closesthit_intersection"],
        &[
            "InstanceID",
            "InstanceIndex",
            "PrimitiveIndex",
            "GeometryIndex",
            "ObjectRayOrigin",
            "ObjectRayDirection",
            "ObjectToWorld3x4",
            "ObjectToWorld4x3",
            "WorldToObject3x4",
            "WorldToObject4x3",
            "ObjectToWorld",
            "WorldToObject",
        ],
    ),
    (
        &["anyhit_closesthit_intersection_miss"],
        &["WorldRayOrigin", "WorldRayDirection", "RayTMin", "RayTCurrent", "RayFlags"],
    ),
    (&["raygen_closesthit_miss"], &["TraceRay"]),
    (&["raygen_closesthit_miss_callable"], &["CallShader"]),
    (&["raytracing_stages"], &["DispatchRaysIndex", "DispatchRaysDimensions"]),
    (&["raygen"], &["ReorderThread"]),
    (&["mesh", "amplification"], &["SetMeshOutputCounts", "DispatchMesh"]),
];

static REQUIREMENTS: LazyLock<FxHashMap<&str, Requirement>> = LazyLock::new(|| {
    let row = |(stages, functions): &(&[&str], &'static [&'static str])| {
        let requirement = stages.iter().fold(Requirement::NOTHING, |all, name| {
            names::meaning(name).map_or(all.clone(), |meaning| all.either(&names::stages_alone(&meaning.requirement)))
        });
        functions.iter().map(|name| (*name, requirement.clone())).collect::<Vec<_>>()
    };
    OPERATIONS.iter().flat_map(row).collect()
});

/// The stages that have a function of the core library.
pub(super) fn required(db: &dyn Db, item: ItemId) -> Requirement {
    let data = item::item_data(db, item);
    match (&data.kind, &data.name) {
        (ItemKind::Function(_), Some(name)) if item::container(db, item).is_none() => {
            REQUIREMENTS.get(name.as_str()).cloned().unwrap_or_default()
        }
        _ => Requirement::NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_capabilities() {
        for (stages, _) in OPERATIONS {
            for stage in *stages {
                assert!(names::meaning(stage).is_some(), "{stage}");
            }
        }
    }
}
