//! Rays that shaders follow themselves. A query is a variable of the thread.

use ir::intrinsic::RayQueryOp;
use ir::{HandleType, Intrinsic, Scalar, Type, TypeId};
use spirv::{Capability, Op};

use super::ModuleWriter;
use super::function::FunctionWriter;
use super::words::Id;
use crate::EmitError;
use crate::tree::Expr;

/// Of which hit something is asked.
#[derive(Clone, Copy)]
enum Hit {
    /// The one in question.
    Candidate,
    /// The closest so far.
    Committed,
    /// None: of the ray.
    None,
}

/// What is asked, of which hit, and whether the answer is turned round: matrices are four columns of three, which are rows
/// here.
fn question(op: RayQueryOp) -> Option<(Op, Hit, bool)> {
    use Hit::{Candidate, Committed};
    use RayQueryOp as Q;
    Some(match op {
        Q::CandidateType => (Op::RayQueryGetIntersectionTypeKHR, Candidate, false),
        Q::CommittedStatus => (Op::RayQueryGetIntersectionTypeKHR, Committed, false),
        Q::CandidateT => (Op::RayQueryGetIntersectionTKHR, Candidate, false),
        Q::CommittedT => (Op::RayQueryGetIntersectionTKHR, Committed, false),
        Q::CandidateInstanceId => (Op::RayQueryGetIntersectionInstanceCustomIndexKHR, Candidate, false),
        Q::CommittedInstanceId => (Op::RayQueryGetIntersectionInstanceCustomIndexKHR, Committed, false),
        Q::CandidateInstanceIndex => (Op::RayQueryGetIntersectionInstanceIdKHR, Candidate, false),
        Q::CommittedInstanceIndex => (Op::RayQueryGetIntersectionInstanceIdKHR, Committed, false),
        Q::CandidateInstanceContribution | Q::CandidateShaderTableOffset => {
            (Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR, Candidate, false)
        }
        Q::CommittedInstanceContribution | Q::CommittedShaderTableOffset => {
            (Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR, Committed, false)
        }
        Q::CandidateGeometryIndex => (Op::RayQueryGetIntersectionGeometryIndexKHR, Candidate, false),
        Q::CommittedGeometryIndex => (Op::RayQueryGetIntersectionGeometryIndexKHR, Committed, false),
        Q::CandidatePrimitiveIndex => (Op::RayQueryGetIntersectionPrimitiveIndexKHR, Candidate, false),
        Q::CommittedPrimitiveIndex => (Op::RayQueryGetIntersectionPrimitiveIndexKHR, Committed, false),
        Q::CandidateBarycentrics => (Op::RayQueryGetIntersectionBarycentricsKHR, Candidate, false),
        Q::CommittedBarycentrics => (Op::RayQueryGetIntersectionBarycentricsKHR, Committed, false),
        Q::CandidateFrontFace => (Op::RayQueryGetIntersectionFrontFaceKHR, Candidate, false),
        Q::CommittedFrontFace => (Op::RayQueryGetIntersectionFrontFaceKHR, Committed, false),
        Q::CandidateObjectDirection => (Op::RayQueryGetIntersectionObjectRayDirectionKHR, Candidate, false),
        Q::CommittedObjectDirection => (Op::RayQueryGetIntersectionObjectRayDirectionKHR, Committed, false),
        Q::CandidateObjectOrigin => (Op::RayQueryGetIntersectionObjectRayOriginKHR, Candidate, false),
        Q::CommittedObjectOrigin => (Op::RayQueryGetIntersectionObjectRayOriginKHR, Committed, false),
        Q::CandidateObjectToWorld => (Op::RayQueryGetIntersectionObjectToWorldKHR, Candidate, true),
        Q::CommittedObjectToWorld => (Op::RayQueryGetIntersectionObjectToWorldKHR, Committed, true),
        Q::CandidateObjectToWorld4x3 => (Op::RayQueryGetIntersectionObjectToWorldKHR, Candidate, false),
        Q::CommittedObjectToWorld4x3 => (Op::RayQueryGetIntersectionObjectToWorldKHR, Committed, false),
        Q::CandidateWorldToObject => (Op::RayQueryGetIntersectionWorldToObjectKHR, Candidate, true),
        Q::CommittedWorldToObject => (Op::RayQueryGetIntersectionWorldToObjectKHR, Committed, true),
        Q::CandidateWorldToObject4x3 => (Op::RayQueryGetIntersectionWorldToObjectKHR, Candidate, false),
        Q::CommittedWorldToObject4x3 => (Op::RayQueryGetIntersectionWorldToObjectKHR, Committed, false),
        Q::CandidateProceduralIsOpaque => (Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR, Hit::None, false),
        Q::Flags => (Op::RayQueryGetRayFlagsKHR, Hit::None, false),
        Q::TMin => (Op::RayQueryGetRayTMinKHR, Hit::None, false),
        Q::WorldDirection => (Op::RayQueryGetWorldRayDirectionKHR, Hit::None, false),
        Q::WorldOrigin => (Op::RayQueryGetWorldRayOriginKHR, Hit::None, false),
        Q::Proceed => (Op::RayQueryProceedKHR, Hit::None, false),
        Q::Abort | Q::CommitProcedural | Q::CommitTriangle | Q::Make | Q::Trace => return None,
    })
}

impl ModuleWriter<'_> {
    pub(super) fn require_ray_queries(&mut self) {
        self.out.require(Capability::RayQueryKHR);
        self.out.require_extension("SPV_KHR_ray_query");
    }

    pub(super) fn query_type(&mut self) -> Id {
        self.require_ray_queries();
        self.out.ty(Op::TypeRayQueryKHR, &[])
    }
}

impl FunctionWriter<'_, '_> {
    fn query(&mut self, handle: &Expr) -> Result<Id, EmitError> {
        let chain = self.chain(handle)?;
        Ok(chain.memory.variable)
    }

    /// Whether a search goes on, or what is known of a hit.
    pub(super) fn query_value(&mut self, op: RayQueryOp, args: &[Expr], ty: TypeId) -> Result<Id, EmitError> {
        let [query] = args else { return Err(self.refused(Intrinsic::RayQuery(op))) };
        let (asked, hit, is_transposed) = question(op).ok_or_else(|| self.refused(Intrinsic::RayQuery(op)))?;
        let query = self.query(query)?;
        let operands = match hit {
            Hit::None => vec![query],
            Hit::Candidate => vec![query, self.u32(0)],
            Hit::Committed => vec![query, self.u32(1)],
        };
        let result = self.value_type(ty)?;
        if is_transposed {
            let row = self.module.vector_type(Scalar::F32, 3);
            let given = self.module.out.ty(Op::TypeMatrix, &[row.0, 4]);
            let value = self.value(asked, given, &operands);
            return Ok(self.value(Op::Transpose, result, &[value]));
        }
        let value = self.value(asked, result, &operands);
        // The program asks for the opposite.
        Ok(match op {
            RayQueryOp::CandidateProceduralIsOpaque => self.value(Op::LogicalNot, result, &[value]),
            _ => value,
        })
    }

    /// What goes on with a query.
    pub(super) fn query_statement(&mut self, op: RayQueryOp, args: &[Expr]) -> Result<(), EmitError> {
        let refused = |this: &Self| this.refused(Intrinsic::RayQuery(op));
        let Some((handle, rest)) = args.split_first() else { return Err(refused(self)) };
        let query = self.query(handle)?;
        match (op, rest) {
            (RayQueryOp::Trace, [scene, flags, mask, ray]) => {
                let Type::Handle(HandleType::RayQuery { flags: own }) = self.type_of(handle.ty) else {
                    return Err(refused(self));
                };
                let (scene, mut flags, mask) = (self.opaque(scene)?, self.expr(flags)?, self.expr(mask)?);
                if own != 0 {
                    let (own, word) = (self.u32(own), self.module.scalar_type(Scalar::U32));
                    flags = self.value(Op::BitwiseOr, word, &[own, flags]);
                }
                let [origin, t_min, direction, t_max] = self.ray_parts(ray)?;
                let operands = [query, scene, flags, mask, origin, t_min, direction, t_max].map(|id| id.0);
                self.push(Op::RayQueryInitializeKHR, &operands);
            }
            (RayQueryOp::Abort, []) => self.push(Op::RayQueryTerminateKHR, &[query.0]),
            (RayQueryOp::CommitTriangle, []) => self.push(Op::RayQueryConfirmIntersectionKHR, &[query.0]),
            (RayQueryOp::CommitProcedural, [t]) => {
                let t = self.expr(t)?;
                self.push(Op::RayQueryGenerateIntersectionKHR, &[query.0, t.0]);
            }
            // What is known of a hit, and not looked at.
            _ => {
                question(op).ok_or_else(|| refused(self))?;
            }
        }
        Ok(())
    }
}
