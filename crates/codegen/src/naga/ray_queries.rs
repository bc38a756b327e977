//! Rays that shaders follow themselves. A query is a local variable in naga, so that one function has it.

use ir::intrinsic::RayQueryOp;
use ir::{HandleType, Intrinsic, Type};
use naga::{Expression, Handle, MathFunction, RayQueryFunction, Statement, TypeInner};

use super::expressions::Value;
use super::function::FunctionWriter;
use crate::EmitError;
use crate::tree::{Expr, ExprKind};

/// What naga calls the kind of a hit that is no triangle, while it is in question.
const BOX: u32 = 3;

/// Fields of naga's hits.
#[derive(Clone, Copy)]
enum Field {
    Kind = 0,
    T = 1,
    InstanceId = 2,
    InstanceIndex = 3,
    ShaderTableOffset = 4,
    GeometryIndex = 5,
    PrimitiveIndex = 6,
    Barycentrics = 7,
    FrontFace = 8,
    ObjectToWorld = 9,
    WorldToObject = 10,
}

/// What is asked: a field of the hit in question (`false`) or of the closest so far, and whether it is turned round.
fn question(op: RayQueryOp) -> Option<(bool, Field, bool)> {
    use RayQueryOp as Q;
    Some(match op {
        Q::CandidateType => (false, Field::Kind, false),
        Q::CommittedStatus => (true, Field::Kind, false),
        Q::CandidateT => (false, Field::T, false),
        Q::CommittedT => (true, Field::T, false),
        Q::CandidateInstanceId => (false, Field::InstanceId, false),
        Q::CommittedInstanceId => (true, Field::InstanceId, false),
        Q::CandidateInstanceIndex => (false, Field::InstanceIndex, false),
        Q::CommittedInstanceIndex => (true, Field::InstanceIndex, false),
        Q::CandidateInstanceContribution | Q::CandidateShaderTableOffset => (false, Field::ShaderTableOffset, false),
        Q::CommittedInstanceContribution | Q::CommittedShaderTableOffset => (true, Field::ShaderTableOffset, false),
        Q::CandidateGeometryIndex => (false, Field::GeometryIndex, false),
        Q::CommittedGeometryIndex => (true, Field::GeometryIndex, false),
        Q::CandidatePrimitiveIndex => (false, Field::PrimitiveIndex, false),
        Q::CommittedPrimitiveIndex => (true, Field::PrimitiveIndex, false),
        Q::CandidateBarycentrics => (false, Field::Barycentrics, false),
        Q::CommittedBarycentrics => (true, Field::Barycentrics, false),
        Q::CandidateFrontFace => (false, Field::FrontFace, false),
        Q::CommittedFrontFace => (true, Field::FrontFace, false),
        // Four columns of three, which are rows here.
        Q::CandidateObjectToWorld => (false, Field::ObjectToWorld, true),
        Q::CommittedObjectToWorld => (true, Field::ObjectToWorld, true),
        Q::CandidateObjectToWorld4x3 => (false, Field::ObjectToWorld, false),
        Q::CommittedObjectToWorld4x3 => (true, Field::ObjectToWorld, false),
        Q::CandidateWorldToObject => (false, Field::WorldToObject, true),
        Q::CommittedWorldToObject => (true, Field::WorldToObject, true),
        Q::CandidateWorldToObject4x3 => (false, Field::WorldToObject, false),
        Q::CommittedWorldToObject4x3 => (true, Field::WorldToObject, false),
        Q::Abort
        | Q::CandidateObjectDirection
        | Q::CandidateObjectOrigin
        | Q::CandidateProceduralIsOpaque
        | Q::CommitProcedural
        | Q::CommitTriangle
        | Q::CommittedObjectDirection
        | Q::CommittedObjectOrigin
        | Q::Flags
        | Q::Make
        | Q::Proceed
        | Q::TMin
        | Q::Trace
        | Q::WorldDirection
        | Q::WorldOrigin => return None,
    })
}

impl FunctionWriter<'_, '_> {
    /// The local that the query is.
    fn ray_query(&mut self, query: &Expr, op: RayQueryOp) -> Result<Handle<Expression>, EmitError> {
        let ExprKind::Global(global) = query.kind else { return Err(self.refused(Intrinsic::RayQuery(op))) };
        if let Some(&(_, local)) = self.ray_queries.iter().find(|(other, _)| *other == global) {
            return Ok(local);
        }
        if self.module.ray_queries.insert(global, self.tree.func).is_some() {
            let target = self.module.target.name();
            return Err(self.error(format!("a ray query in several functions is not supported for target `{target}`")));
        }
        let ty = self.naga_type(TypeInner::RayQuery { vertex_return: false })?;
        let name = self.module.module.globals[global].name.clone();
        let local = self.add_local(&name, ty, None);
        self.ray_queries.push((global, local));
        Ok(local)
    }

    /// Whether a search goes on, or what is known of a hit.
    pub(super) fn ray_query_value(&mut self, op: RayQueryOp, args: &[Expr]) -> Result<Value, EmitError> {
        let [query] = args else { return Err(self.refused(Intrinsic::RayQuery(op))) };
        let query = self.ray_query(query, op)?;
        if op == RayQueryOp::Proceed {
            let result = self.add(Expression::RayQueryProceedResult);
            self.push(Statement::RayQuery { query, fun: RayQueryFunction::Proceed { result } });
            return Ok(result);
        }
        let (committed, field, is_transposed) = question(op).ok_or_else(|| self.refused(Intrinsic::RayQuery(op)))?;
        self.module.out.generate_ray_intersection_type();
        let base = self.add(Expression::RayQueryGetIntersection { query, committed });
        let value = self.add(Expression::AccessIndex { base, index: field as u32 });
        Ok(match field {
            Field::Kind if !committed => {
                let kind = self.u32(BOX);
                let condition = self.binary(naga::BinaryOperator::Equal, value, kind);
                let (accept, reject) = (self.u32(1), self.u32(0));
                self.add(Expression::Select { condition, accept, reject })
            }
            _ if is_transposed => self.math1(MathFunction::Transpose, value),
            _ => value,
        })
    }

    /// What goes on with a query; whether the operation is such.
    pub(super) fn ray_query_statement(&mut self, op: RayQueryOp, args: &[Expr]) -> Result<bool, EmitError> {
        let Some((handle, rest)) = args.split_first() else { return Ok(false) };
        let fun = match (op, rest) {
            (RayQueryOp::Trace, [scene, flags, mask, ray]) => self.ray_query_start(handle, scene, flags, mask, ray)?,
            (RayQueryOp::Abort, []) => RayQueryFunction::Terminate,
            (RayQueryOp::CommitTriangle, []) => RayQueryFunction::ConfirmIntersection,
            (RayQueryOp::CommitProcedural, [t]) => RayQueryFunction::GenerateIntersection { hit_t: self.expr(t)? },
            _ => return Ok(false),
        };
        let query = self.ray_query(handle, op)?;
        self.push(Statement::RayQuery { query, fun });
        Ok(true)
    }

    fn ray_query_start(
        &mut self,
        query: &Expr,
        scene: &Expr,
        flags: &Expr,
        mask: &Expr,
        ray: &Expr,
    ) -> Result<RayQueryFunction, EmitError> {
        let Type::Handle(HandleType::RayQuery { flags: own }) = self.type_of(query.ty) else {
            return Err(self.refused(Intrinsic::RayQuery(RayQueryOp::Trace)));
        };
        let acceleration_structure = self.opaque(scene)?;
        let ray = self.expr(ray)?;
        let part = |this: &mut Self, index| this.add(Expression::AccessIndex { base: ray, index });
        let [origin, t_min, direction, t_max] = [0, 1, 2, 3].map(|index| part(self, index));
        let (own, flags, mask) = (self.u32(own), self.expr(flags)?, self.expr(mask)?);
        let flags = self.binary(naga::BinaryOperator::InclusiveOr, own, flags);
        let ty = self.module.ray_type().map_err(|message| self.error(message))?;
        let mut components = vec![flags, mask, t_min, t_max, origin, direction];
        if let TypeInner::Struct { members, .. } = &self.module.out.types[ty].inner {
            // Shaders that rays start have more in it, of which queries know nothing.
            for _ in components.len()..members.len() {
                components.push(self.u32(0));
            }
        }
        let descriptor = self.add(Expression::Compose { ty, components });
        Ok(RayQueryFunction::Initialize { acceleration_structure, descriptor })
    }
}
