//! Rules of functions that mix components. Each is a short program over linear operations; the formula stands above it,
//! with a prime for tangents. `1 / |x|` is taken as 0 at the zero vector, in a form whose own derivative is 0 there.

use ir::{BinaryOp, MathFn, PathStep, Type, TypeId, ValueId};

use super::Linearizer;
use crate::{
    AutodiffError,
    linear::{Factor, LinearId},
};

impl Linearizer<'_> {
    pub(super) fn composite(
        &mut self,
        function: MathFn,
        args: &[ValueId],
        result: ValueId,
    ) -> Result<Option<LinearId>, AutodiffError> {
        Ok(match (function, args) {
            (MathFn::Dot, &[a, b]) => self.dot_rule(a, b),
            (MathFn::Length, &[x]) => {
                let tangent = self.tangent_of(x);
                self.length_rule(x, tangent, result)
            }
            (MathFn::Distance, &[a, b]) => {
                // |a - b|
                let difference = self.e.sub(a, b);
                let (a, b) = (self.tangent_of(a), self.tangent_of(b));
                let b = self.neg(b);
                let tangent = self.add(a, b);
                self.length_rule(difference, tangent, result)
            }
            (MathFn::Normalize, &[x]) => self.normalize_rule(x),
            (MathFn::Cross, &[a, b]) => {
                // a' x b + a x b'
                let (left, right) = (self.tangent_of(a), self.tangent_of(b));
                let left = self.cross(left, b, Factor::First);
                let right = self.cross(right, a, Factor::Second);
                self.add(left, right)
            }
            (MathFn::Reflect, &[i, n]) => self.reflect_rule(i, n),
            (MathFn::Refract, &[i, n, eta]) => self.refract_rule(i, n, eta),
            (MathFn::Faceforward, &[n, i, ng]) => {
                // dot(i, ng) < 0 ? n' : -n'
                let cosine = self.dot_of(i, ng);
                let ty = self.e.ty(cosine);
                let zero = self.e.constant_like(0.0, ty);
                let facing = self.e.compare(BinaryOp::Less, cosine, zero);
                let tangent = self.tangent_of(n);
                let turned = self.neg(tangent);
                self.select(facing, tangent, turned)
            }
            (MathFn::MatMul, &[a, b]) => {
                // a' b + a b'
                let ty = self.e.ty(result);
                let (left, right) = (self.tangent_of(a), self.tangent_of(b));
                let left = self.mat_mul(left, b, Factor::First, ty);
                let right = self.mat_mul(right, a, Factor::Second, ty);
                self.add(left, right)
            }
            (MathFn::Transpose, &[x]) => {
                let ty = self.e.ty(result);
                let tangent = self.tangent_of(x);
                self.transpose(tangent, ty)
            }
            (MathFn::Determinant, &[x]) => self.determinant_rule(x),
            _ => None,
        })
    }

    /// The primal `dot`, which for scalars is the product.
    fn dot_of(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.e.ty(a);
        match self.e.types.get(ty) {
            Type::Vector { scalar, .. } => {
                let ty = self.e.types.scalar(scalar);
                self.e.function(MathFn::Dot, &[a, b], ty)
            }
            _ => self.e.mul(a, b),
        }
    }

    /// `dot(a', b) + dot(a, b')`
    fn dot_rule(&mut self, a: ValueId, b: ValueId) -> Option<LinearId> {
        let (left, right) = (self.tangent_of(a), self.tangent_of(b));
        let left = self.dot(left, b);
        let right = self.dot(right, a);
        self.add(left, right)
    }

    /// `1 / length`, and 0 where that is infinite.
    fn inverse_length(&mut self, length: ValueId) -> ValueId {
        let ty = self.e.ty(length);
        let zero = self.e.constant_like(0.0, ty);
        let one = self.e.constant_like(1.0, ty);
        let degenerate = self.e.compare(BinaryOp::Equal, length, zero);
        let divisor = self.e.choose(degenerate, one, length);
        let numerator = self.e.choose(degenerate, zero, one);
        self.e.div(numerator, divisor)
    }

    /// `dot(x', x / |x|)`
    fn length_rule(&mut self, x: ValueId, tangent: Option<LinearId>, length: ValueId) -> Option<LinearId> {
        tangent?;
        let inverse = self.inverse_length(length);
        let along = self.dot(tangent, x);
        self.scale(along, inverse)
    }

    /// With `d = x / |x|`: `(x' - d dot(d, x')) / |x|`. The function's own result is not used for `d`: at the zero vector
    /// it is not a number.
    fn normalize_rule(&mut self, x: ValueId) -> Option<LinearId> {
        let tangent = self.tangent_of(x)?;
        let ty = self.e.ty(x);
        let scalar = self.scalar_type(ty);
        let length = if scalar == ty {
            self.e.function(MathFn::Abs, &[x], ty)
        } else {
            self.e.function(MathFn::Length, &[x], scalar)
        };
        let inverse = self.inverse_length(length);
        let inverse = self.e.splat(inverse, ty);
        let direction = self.e.mul(inverse, x);
        let along = self.dot(Some(tangent), direction);
        let along = self.splat(along, ty);
        let along = self.scale(along, direction);
        let along = self.neg(along);
        let across = self.add(Some(tangent), along);
        self.scale(across, inverse)
    }

    fn scalar_type(&mut self, ty: TypeId) -> TypeId {
        match self.e.scalar_of(ty) {
            Some(scalar) => self.e.types.scalar(scalar),
            None => ty,
        }
    }

    /// `r = i - 2 d n` with `d = dot(n, i)`: `i' - 2 (d n' + n d')`
    fn reflect_rule(&mut self, i: ValueId, n: ValueId) -> Option<LinearId> {
        let ty = self.e.ty(i);
        let cosine = self.dot_of(n, i);
        let cosine = self.e.splat(cosine, ty);
        let two = self.e.constant_like(2.0, ty);
        let cosine_tangent = self.dot_rule(n, i);
        let cosine_tangent = self.splat(cosine_tangent, ty);
        let turned = self.scale(cosine_tangent, n);
        let normal = self.tangent_of(n);
        let moved = self.scale(normal, cosine);
        let both = self.add(turned, moved);
        let both = self.scale(both, two);
        let both = self.neg(both);
        let incident = self.tangent_of(i);
        self.add(incident, both)
    }

    /// With `d = dot(n, i)`, `k = 1 - eta^2 (1 - d^2)`, `s = sqrt(k)`, `q = eta d + s`, the value is
    /// `r = eta i - q n` and 0 for `k < 0`:
    /// `d' = dot(n, i)'`, `s' = (eta^2 d d' - eta (1 - d^2) eta') / s`, `q' = eta d' + d eta' + s'`,
    /// `r' = eta i' + i eta' - q n' - n q'`.
    fn refract_rule(&mut self, i: ValueId, n: ValueId, eta: ValueId) -> Option<LinearId> {
        let ty = self.e.ty(i);
        let scalar = self.e.ty(eta);
        let one = self.e.constant_like(1.0, scalar);
        let zero = self.e.constant_like(0.0, scalar);
        let d = self.dot_of(n, i);
        let d_squared = self.e.mul(d, d);
        let sine = self.e.sub(one, d_squared);
        let eta_squared = self.e.mul(eta, eta);
        let bent = self.e.mul(eta_squared, sine);
        let k = self.e.sub(one, bent);
        let passes = self.e.compare(BinaryOp::Greater, k, zero);
        // Under total reflection the value is 0; a root of one there keeps the derivative's derivative finite.
        let root_of = self.e.choose(passes, k, one);
        let s = self.e.function(MathFn::Sqrt, &[root_of], scalar);
        let eta_d = self.e.mul(eta, d);
        let q = self.e.add(eta_d, s);

        let d_tangent = self.dot_rule(n, i);
        let eta_tangent = self.tangent_of(eta);
        let by_d = self.e.mul(eta_squared, d);
        let root_by_d = self.scale(d_tangent, by_d);
        let by_eta = self.e.mul(eta, sine);
        let root_by_eta = self.scale(eta_tangent, by_eta);
        let root_by_eta = self.neg(root_by_eta);
        let root = self.add(root_by_d, root_by_eta);
        let root = self.divide(root, s);
        let q_by_d = self.scale(d_tangent, eta);
        let q_by_eta = self.scale(eta_tangent, d);
        let q_tangent = self.add(q_by_d, q_by_eta);
        let q_tangent = self.add(q_tangent, root);

        let eta_wide = self.e.splat(eta, ty);
        let q_wide = self.e.splat(q, ty);
        let (incident, normal) = (self.tangent_of(i), self.tangent_of(n));
        let incident = self.scale(incident, eta_wide);
        let eta_tangent = self.splat(eta_tangent, ty);
        let eta_tangent = self.scale(eta_tangent, i);
        let normal = self.scale(normal, q_wide);
        let q_tangent = self.splat(q_tangent, ty);
        let q_tangent = self.scale(q_tangent, n);
        let along = self.add(incident, eta_tangent);
        let against = self.add(normal, q_tangent);
        let against = self.neg(against);
        let sum = self.add(along, against);
        self.select(passes, sum, None)
    }

    /// `sum over rows of dot(x'[row], cofactors[row])` (Jacobi's formula)
    fn determinant_rule(&mut self, x: ValueId) -> Option<LinearId> {
        let ty = self.e.ty(x);
        let Type::Matrix { rows, cols, scalar } = self.e.types.get(ty) else {
            return self.tangent_of(x);
        };
        let row_ty = self.e.types.vector(scalar, cols);
        let scalar = self.e.types.scalar(scalar);
        let size = usize::from(rows.min(cols));
        let mut entries = Vec::new();
        for row in 0..size {
            let path = |col: usize| [PathStep::Const(row as u32), PathStep::Const(col as u32)];
            entries.push((0..size).map(|col| self.e.part(x, &path(col))).collect::<Vec<_>>());
        }
        let tangent = self.tangent_of(x);
        let mut sum = None;
        for row in 0..size {
            let cofactors: Vec<ValueId> = (0..size)
                .map(|col| {
                    let minor = minor_of(&entries, row, col);
                    let value = self.determinant_of(&minor, scalar);
                    if (row + col) % 2 == 0 { value } else { self.e.neg(value) }
                })
                .collect();
            let cofactors = self.e.make(&cofactors, row_ty);
            let tangent_row = self.row(tangent, row as u32, row_ty);
            let term = self.dot(tangent_row, cofactors);
            sum = self.add(sum, term);
        }
        sum
    }

    /// By expansion along the first row; at most 3 x 3 here.
    fn determinant_of(&mut self, entries: &[Vec<ValueId>], scalar: TypeId) -> ValueId {
        let Some(first) = entries.first() else {
            return self.e.constant_like(1.0, scalar);
        };
        let mut sum = None;
        for (col, &entry) in first.iter().enumerate() {
            let minor = minor_of(entries, 0, col);
            let minor = self.determinant_of(&minor, scalar);
            let term = self.e.mul(entry, minor);
            sum = Some(match sum {
                None => term,
                Some(sum) if col % 2 == 0 => self.e.add(sum, term),
                Some(sum) => self.e.sub(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.e.constant_like(1.0, scalar))
    }
}

fn minor_of(entries: &[Vec<ValueId>], row: usize, col: usize) -> Vec<Vec<ValueId>> {
    let rows = entries.iter().enumerate().filter(|(index, _)| *index != row);
    let without = |entries: &Vec<ValueId>| {
        entries.iter().enumerate().filter(|(index, _)| *index != col).map(|(_, &entry)| entry).collect()
    };
    rows.map(|(_, entries)| without(entries)).collect()
}
