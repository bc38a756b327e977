//! Building aggregates from parts: `float3(xy, z)`, `S(a, b)`, `{1, 2, {3}}`, and the first values of variables.

use hir_def::body::{Expr, ExprId};
use hir_ty::{
    infer::result::{Conversion, Resolution},
    ty::{BuiltinType, Ty},
};
use ir::{Op, PathStep, Type, TypeId, ValueId};

use super::{BodyLowering, argument::Passed};
use crate::{
    derivative::rule::zero_differential,
    error::{Lowering, Stop},
    front,
};

/// Larger arrays are not written out element by element.
const MAX_LISTED_ELEMENTS: u32 = 1 << 16;

/// Members of members that `{}` sets one by one, because one of them may have an initialiser.
const MAX_INITIALIZED_MEMBERS: u32 = 65_536;

impl BodyLowering<'_, '_> {
    /// A value of `ty` from its parts, in order: vectors and matrices from scalars and smaller vectors (one scalar fills
    /// them), structs, tuples and arrays from their members, pairs from primal and differential.
    pub(super) fn make_from_exprs(&mut self, ty: Ty, exprs: &[ExprId]) -> Lowering<ValueId> {
        let ir_ty = self.ir_type(ty)?;
        let parts = self.values_of(exprs)?;
        self.make_from_values(ty, ir_ty, &parts)
    }

    fn make_from_values(&mut self, ty: Ty, ir_ty: TypeId, parts: &[ValueId]) -> Lowering<ValueId> {
        if let &[only] = parts
            && self.b.ty(only) == ir_ty
        {
            return Ok(only);
        }
        match self.b.types.get(ir_ty) {
            Type::Scalar(_) => match parts {
                [] => Ok(self.b.zero(ir_ty)),
                [only] => self.coerce(*only, ir_ty),
                _ => Err(Stop::broken("a scalar from several values")),
            },
            Type::Vector { .. } | Type::Matrix { .. } => self.make_numeric(ir_ty, parts),
            Type::Struct(_) if front::is_pair(ty) => self.make_pair(ir_ty, parts),
            // In the editor's analysis: something that depends on every part.
            Type::Opaque(_) => {
                let mut whole = self.b.zero(ir_ty);
                for &part in parts {
                    let part = self.coerce(part, ir_ty)?;
                    whole = self.b.binary(ir::BinaryOp::Add, whole, part);
                }
                Ok(whole)
            }
            _ => {
                if parts.is_empty() {
                    return self.default_value(ty);
                }
                let mut parts = parts.iter().copied();
                self.fill(ty, ir_ty, &mut parts)
            }
        }
    }

    pub(super) fn make_pair(&mut self, ir_ty: TypeId, parts: &[ValueId]) -> Lowering<ValueId> {
        let part = |this: &mut Self, index| {
            this.b.types.path_type(ir_ty, &[PathStep::Const(index)]).ok_or_else(|| Stop::broken("a broken pair"))
        };
        let (primal_ty, differential_ty) = (part(self, 0)?, part(self, 1)?);
        let &[primal, ref rest @ ..] = parts else { return Ok(self.b.zero(ir_ty)) };
        let primal = self.coerce(primal, primal_ty)?;
        let differential = match rest {
            [] => zero_differential(&mut self.b, primal_ty)?,
            [differential, ..] => self.coerce(*differential, differential_ty)?,
        };
        Ok(self.b.make(&[primal, differential], ir_ty))
    }

    /// A vector or matrix from scalars, vectors and matrices whose elements together are its elements.
    fn make_numeric(&mut self, ty: TypeId, parts: &[ValueId]) -> Lowering<ValueId> {
        match parts {
            [] => return Ok(self.b.zero(ty)),
            // One value fills, truncates or converts.
            [only] if !matches!(self.b.type_of(*only), Type::Struct(_) | Type::Array { .. }) => {
                return self.coerce(*only, ty);
            }
            _ => {}
        }
        self.make_from_components(ty, parts)
    }

    /// The same, where one value is no more than its own components.
    fn make_from_components(&mut self, ty: TypeId, parts: &[ValueId]) -> Lowering<ValueId> {
        let scalar = self.scalar_of(ty)?;
        let element = self.b.types.scalar(scalar);
        if let Type::Matrix { rows, cols, .. } = self.b.types.get(ty) {
            let row = self.b.types.vector(scalar, cols);
            let all_rows = parts.len() == usize::from(rows)
                && parts.iter().all(|&part| matches!(self.b.type_of(part), Type::Vector { len, .. } if len == cols));
            if all_rows {
                let rows: Vec<ValueId> = parts.iter().map(|&part| self.coerce(part, row)).collect::<Lowering<_>>()?;
                return Ok(self.b.make(&rows, ty));
            }
            let elements = self.elements_of(parts, element)?;
            if elements.len() < usize::from(rows) * usize::from(cols) {
                return Err(Stop::broken("a matrix from too few elements"));
            }
            let rows: Vec<ValueId> =
                elements.chunks(cols.into()).take(rows.into()).map(|chunk| self.b.make(chunk, row)).collect();
            return Ok(self.b.make(&rows, ty));
        }
        let elements = self.elements_of(parts, element)?;
        let Type::Vector { len, .. } = self.b.types.get(ty) else { return Err(Stop::broken("no vector")) };
        match elements.get(..usize::from(len)) {
            Some(elements) => Ok(self.b.make(elements, ty)),
            None => Err(Stop::broken("a vector from too few elements")),
        }
    }

    /// The scalars that `parts` are made of, in order, as `element`s.
    fn elements_of(&mut self, parts: &[ValueId], element: TypeId) -> Lowering<Vec<ValueId>> {
        let mut elements = Vec::new();
        for &part in parts {
            match self.b.type_of(part) {
                Type::Vector { len, .. } => {
                    for index in 0..len {
                        elements.push(self.b.field(part, index.into()));
                    }
                }
                Type::Matrix { rows, cols, .. } => {
                    for row in 0..rows {
                        for column in 0..cols {
                            let path = [PathStep::Const(row.into()), PathStep::Const(column.into())];
                            elements.push(self.b.extract(part, path));
                        }
                    }
                }
                _ => elements.push(part),
            }
        }
        elements.into_iter().map(|value| self.coerce(value, element)).collect()
    }

    /// `{…}` as a value of `ty`.
    pub(super) fn init_list(&mut self, ty: Ty, elements: &[ExprId]) -> Lowering<ValueId> {
        let ir_ty = self.ir_type(ty)?;
        let parts = self.values_of(elements)?;
        if parts.is_empty() {
            return self.empty_list_value(ty);
        }
        if front::is_pair(ty) && self.b.types.get(ir_ty) != self.b.type_of(parts[0]) {
            return self.make_pair(ir_ty, &parts);
        }
        // `{ xy, z }`: the components of all parts together.
        let wanted = components(self.b.types.get(ir_ty)).filter(|wanted| *wanted > 1);
        let got: Option<u32> = parts.iter().map(|&part| components(self.b.type_of(part))).sum();
        if wanted.is_some() && got == wanted && self.b.ty(parts[0]) != ir_ty {
            return self.make_from_components(ir_ty, &parts);
        }
        let mut values = parts.into_iter().peekable();
        self.fill_peekable(ty, ir_ty, &mut values)
    }

    /// The scalars that a flat list has for a vector or matrix of `wanted`; those that it lacks are zero.
    fn padded(&mut self, ty: TypeId, mut scalars: Vec<ValueId>, wanted: usize) -> Lowering<Vec<ValueId>> {
        let scalar = self.scalar_of(ty)?;
        let element = self.b.types.scalar(scalar);
        while scalars.len() < wanted {
            scalars.push(self.b.zero(element));
        }
        Ok(scalars)
    }

    fn fill(&mut self, ty: Ty, ir_ty: TypeId, parts: &mut impl Iterator<Item = ValueId>) -> Lowering<ValueId> {
        let mut parts = parts.collect::<Vec<_>>().into_iter().peekable();
        self.fill_peekable(ty, ir_ty, &mut parts)
    }

    /// An aggregate from the next parts: each member takes a part that fits it, or is itself filled from the parts that
    /// follow. Members without parts get their default.
    pub(super) fn fill_peekable(
        &mut self,
        ty: Ty,
        ir_ty: TypeId,
        parts: &mut std::iter::Peekable<std::vec::IntoIter<ValueId>>,
    ) -> Lowering<ValueId> {
        let Some(&next) = parts.peek() else { return self.empty_list_value(ty) };
        if self.b.ty(next) == ir_ty {
            parts.next();
            return Ok(next);
        }
        if self.program.texture_arrays.contains_key(&ir_ty) {
            return Err(Stop::unsupported("an array of textures with their own samplers that is put together"));
        }
        match self.b.types.get(ir_ty) {
            Type::Scalar(_) | Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) => {
                parts.next();
                self.coerce(next, ir_ty)
            }
            Type::Vector { len, .. } => self.fill_row(ir_ty, len.into(), parts),
            Type::Matrix { rows, cols, .. } => match self.b.type_of(next) {
                Type::Scalar(_) | Type::Vector { .. } => {
                    let scalar = self.scalar_of(ir_ty)?;
                    let row = self.b.types.vector(scalar, cols);
                    let rows: Vec<ValueId> =
                        (0..rows).map(|_| self.fill_row(row, cols.into(), parts)).collect::<Lowering<_>>()?;
                    Ok(self.b.make(&rows, ir_ty))
                }
                _ => {
                    parts.next();
                    self.coerce(next, ir_ty)
                }
            },
            Type::Array { element, len } => {
                let element_ty = front::element_type(self.program.db, ty)
                    .ok_or_else(|| Stop::broken("an array without element type"))?;
                // What is listed is there already.
                if len > MAX_LISTED_ELEMENTS && len as usize > parts.len().saturating_mul(2) {
                    return Err(Stop::unsupported("an initialiser of an array of this size"));
                }
                let mut elements = Vec::new();
                for _ in 0..len {
                    elements.push(self.fill_peekable(element_ty, element, parts)?);
                }
                Ok(self.b.make(&elements, ir_ty))
            }
            Type::Struct(_) if self.program.is_place_pair(ir_ty) && !front::is_pair(ty) => {
                self.make_place(ty, ir_ty, parts)
            }
            Type::Struct(id) => {
                let members = self.program.member_types(ty)?;
                let fields: Vec<TypeId> = self.b.types.structs[id].fields.iter().map(|field| field.ty).collect();
                if members.len() != fields.len() {
                    return Err(Stop::broken("a struct whose fields are not those of its type"));
                }
                let mut values = Vec::new();
                for ((member, member_ty), field) in members.into_iter().zip(fields) {
                    let db = self.program.db;
                    let hidden = matches!(ty, Ty::Adt(..))
                        && member.is_some_and(|item| !front::is_constructor_parameter(db, item));
                    let value = match member {
                        Some(item) if (hidden || parts.peek().is_none()) && front::has_initializer(db, item) => {
                            self.field_initializer(ty, item)?
                        }
                        // Lists pass bit fields by.
                        None if matches!(ty, Ty::Adt(..)) => self.b.zero(field),
                        _ if hidden => self.empty_list_value(member_ty)?,
                        _ => self.fill_peekable(member_ty, field, parts)?,
                    };
                    values.push(self.coerce(value, field)?);
                }
                Ok(self.b.make(&values, ir_ty))
            }
        }
    }

    /// A row of a matrix from the next parts: a vector, or scalars.
    fn fill_row(
        &mut self,
        row: TypeId,
        len: usize,
        parts: &mut std::iter::Peekable<std::vec::IntoIter<ValueId>>,
    ) -> Lowering<ValueId> {
        match parts.peek() {
            None => Ok(self.b.zero(row)),
            Some(&next) if matches!(self.b.type_of(next), Type::Vector { .. }) => {
                parts.next();
                self.coerce(next, row)
            }
            Some(_) => {
                let scalars = self.padded(row, parts.by_ref().take(len).collect(), len)?;
                self.make_numeric(row, &scalars)
            }
        }
    }

    /// The value that a variable of `ty` has before anything is assigned: that of its constructor without parameters or
    /// of its fields' initialisers if there are any, otherwise undefined.
    pub(super) fn default_value(&mut self, ty: Ty) -> Lowering<ValueId> {
        if let Some(function) = front::default_constructor(self.program.db, self.program.root, ty) {
            let func = self.program.function(function)?;
            let value = self.call_function(func, &[] as &[Passed])?;
            return value.ok_or_else(|| Stop::broken("a constructor without result"));
        }
        self.initial_fields(ty)
    }

    /// A value of `ty` whose fields have their initialisers' values, as far as they have any. What is inherited is made by the
    /// base's constructor without parameters.
    pub(super) fn initial_fields(&mut self, ty: Ty) -> Lowering<ValueId> {
        let ir_ty = self.ir_type(ty)?;
        let members = match ty {
            Ty::Adt(..) => self.program.member_types(ty).unwrap_or_default(),
            _ => Vec::new(),
        };
        if self.program.is_place_pair(ir_ty)
            && members.iter().flat_map(|(item, _)| item).any(|item| front::has_initializer(self.program.db, *item))
        {
            return Err(Stop::unsupported("a place that a differentiated function makes of what is no place"));
        }
        let mut value = self.b.undef(ir_ty);
        let mut inherited = 0;
        if let Some(base) = front::base_struct(self.program, ty) {
            let base_value = self.default_value(base)?;
            inherited = self.program.member_types(base)?.len();
            for index in 0..inherited as u32 {
                let part = self.b.field(base_value, index);
                value = self.b.insert(value, [PathStep::Const(index)], part);
            }
        }
        for (index, (item, _)) in members.iter().enumerate().skip(inherited) {
            if let Some(item) = item
                && front::has_initializer(self.program.db, *item)
            {
                let part = self.field_initializer(ty, *item)?;
                let place = self.b.types.path_type(ir_ty, &[PathStep::Const(index as u32)]);
                let part = match place {
                    Some(field) => self.coerce(part, field)?,
                    None => part,
                };
                value = self.b.insert(value, [PathStep::Const(index as u32)], part);
            }
        }
        Ok(value)
    }

    /// `{}`: like the default value, but members that have neither constructor nor initialiser are zero.
    pub(super) fn empty_list_value(&mut self, ty: Ty) -> Lowering<ValueId> {
        let mut left = MAX_INITIALIZED_MEMBERS;
        self.empty_part(ty, &mut left, 0)
    }

    /// `left` counts down the members that are looked at: structs that hold the one before twice have more than any computer
    /// could store.
    fn empty_part(&mut self, ty: Ty, left: &mut u32, depth: u32) -> Lowering<ValueId> {
        const MAX_NESTING: u32 = ::diagnostics::limits::INITIALIZERS;
        let Some(others) = left.checked_sub(1) else {
            return Err(Stop::unsupported("an initialiser of so many members"));
        };
        *left = others;
        let ir_ty = self.ir_type(ty)?;
        if let (Type::Array { element: ir_element, len }, Some(element)) =
            (self.b.types.get(ir_ty), front::element_type(self.program.db, ty))
            && depth <= MAX_NESTING
        {
            let value = self.empty_part(element, left, depth + 1)?;
            if self.is_zero(value) {
                return Ok(self.b.zero(ir_ty));
            }
            if len > MAX_LISTED_ELEMENTS {
                return Err(Stop::unsupported("an initialiser of an array of this size"));
            }
            let value = self.coerce(value, ir_element)?;
            return Ok(self.b.make(&vec![value; len as usize], ir_ty));
        }
        if front::default_constructor(self.program.db, self.program.root, ty).is_some() {
            return self.default_value(ty);
        }
        if !matches!(ty, Ty::Adt(..)) || depth > MAX_NESTING || !matches!(self.b.types.get(ir_ty), Type::Struct(_)) {
            return Ok(self.b.zero(ir_ty));
        }
        let mut value = self.b.zero(ir_ty);
        for (index, (item, member)) in self.program.member_types(ty)?.into_iter().enumerate() {
            let path = [PathStep::Const(index as u32)];
            let part = match item.filter(|item| front::has_initializer(self.program.db, *item)) {
                Some(item) => self.field_initializer(ty, item)?,
                None if matches!(member, Ty::Adt(..) | Ty::Builtin(BuiltinType::Array, _)) => {
                    let part = self.empty_part(member, left, depth + 1)?;
                    if self.is_zero(part) {
                        continue;
                    }
                    part
                }
                None => continue,
            };
            let part = match self.b.types.path_type(ir_ty, &path) {
                Some(field) => self.coerce(part, field)?,
                None => part,
            };
            value = self.b.insert(value, path, part);
        }
        Ok(value)
    }

    /// Whether a value is written as zero.
    fn is_zero(&self, value: ValueId) -> bool {
        self.b.func.defining_op(value).is_some_and(|data| matches!(data.op, Op::Zero))
    }

    fn field_initializer(&mut self, owner: Ty, item: hir_def::item::ItemId) -> Lowering<ValueId> {
        let args = front::adt_args(owner).ok_or_else(|| Stop::broken("a field of no struct"))?;
        let key = crate::key::FunctionKey::Initializer { item, args };
        let func = self.program.request(key)?;
        let value = self.call_function(func, &[] as &[Passed])?;
        value.ok_or_else(|| Stop::broken("an initialiser without value"))
    }

    /// The elements of an initialiser list, and the type that it is to have, if `expr` is one.
    pub(super) fn as_init_list(&self, expr: ExprId) -> Option<(Ty, &[ExprId])> {
        let Expr::InitList(elements) = &self.scope.store.exprs[expr] else { return None };
        let to = self
            .scope
            .inference
            .adjustments
            .get(&expr)
            .and_then(|adjustments| {
                let adjustment = adjustments.first()?;
                (adjustment.conversion == Conversion::InitList).then_some(adjustment.to)
            })
            .or_else(|| match self.scope.inference.resolutions.get(&expr) {
                Some(Resolution::Conversion { to, .. }) => Some(*to),
                // A constructor takes the elements.
                Some(Resolution::Call(_)) => None,
                _ => self.scope.inference.expr_types.get(expr).copied(),
            })?;
        Some((self.scope.ty(self.program.db, to), elements))
    }
}

/// How many scalars a scalar, vector or matrix has.
fn components(ty: Type) -> Option<u32> {
    match ty {
        Type::Scalar(_) => Some(1),
        Type::Vector { len, .. } => Some(len.into()),
        Type::Matrix { rows, cols, .. } => Some(u32::from(rows) * u32::from(cols)),
        Type::Handle(_) | Type::Sum(_) | Type::Opaque(_) | Type::Array { .. } | Type::Struct(_) => None,
    }
}
