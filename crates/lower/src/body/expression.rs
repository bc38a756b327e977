//! Expressions: values, places, and what is evaluated for its effect.

use hir_def::{
    body::{BinaryOp, Expr, ExprId, PostfixOp, PrefixOp},
    item::ItemId,
};
use hir_ty::{
    infer::result::{Argument, Base, CallResolution, Callable, Conversion, Resolution},
    signature::FunctionRef,
    ty::{BuiltinType, Const, Ty},
};
use ir::{
    Constant, Intrinsic, PathStep, Type, UnaryOp, ValueId,
    intrinsic::{StageOp, TextureOp},
};

use super::{Binding, BodyLowering, argument::Passed, place::Place};
use crate::{
    core_function::{CoreFunction, Requirement},
    error::{Lowering, Stop},
    fields, front, globals, intrinsic,
    mode::Mode,
    surface::Direction,
};

impl<'db> BodyLowering<'_, 'db> {
    /// The value of an expression, converted as its context wants it.
    pub(super) fn value(&mut self, expr: ExprId) -> Lowering<ValueId> {
        let value = self.effect(expr)?;
        value.ok_or_else(|| Stop::broken("a value of type `void`"))
    }

    /// Evaluates an expression; `None` if it has no value.
    pub(super) fn effect(&mut self, expr: ExprId) -> Lowering<Option<ValueId>> {
        self.at_expr(expr, |this| {
            let value = this.effect_here(expr)?;
            if let Some(value) = value {
                this.note_value(value);
            }
            Ok(value)
        })
    }

    fn effect_here(&mut self, expr: ExprId) -> Lowering<Option<ValueId>> {
        if let Some((ty, elements)) = self.as_init_list(expr).map(|(ty, elements)| (ty, elements.to_vec())) {
            let value = self.init_list(ty, &elements)?;
            let rest = self.adjustments(expr).get(1..).unwrap_or_default();
            return self.adjust(value, rest).map(Some);
        }
        let adjustments = self.adjustments(expr);
        // `none` has no value of its own.
        if let [first, rest @ ..] = adjustments
            && first.conversion == Conversion::NoneToOptional
        {
            let to = self.scope.ty(self.program.db, first.to);
            let ty = self.ir_type(to)?;
            let value = self.b.zero(ty);
            return self.adjust(value, rest).map(Some);
        }
        // Nor has a null pointer.
        if let [first, rest @ ..] = adjustments
            && self.scope.inference.expr_types.get(expr) == Some(&Ty::NullLiteral)
        {
            let to = self.scope.ty(self.program.db, first.to);
            let ty = self.ir_type(to)?;
            let value = self.b.zero(ty);
            return self.adjust(value, rest).map(Some);
        }
        if adjustments.iter().any(|adjustment| adjustment.conversion == Conversion::Dereference) {
            let place = self.place_here(expr)?;
            return self.read(&place).map(Some);
        }
        match self.unadjusted(expr)? {
            Some(value) => self.adjust(value, adjustments).map(Some),
            None => Ok(None),
        }
    }

    fn adjustments(&self, expr: ExprId) -> &'db [hir_ty::infer::result::Adjustment] {
        self.scope.inference.adjustments.get(&expr).map_or(&[], Vec::as_slice)
    }

    /// The place that an expression names; a value if it names none.
    pub(super) fn place(&mut self, expr: ExprId) -> Lowering<Place> {
        self.at_expr(expr, |this| {
            let place = this.place_here(expr)?;
            this.note_place(&place);
            Ok(place)
        })
    }

    fn place_here(&mut self, expr: ExprId) -> Lowering<Place> {
        let mut place = self.unadjusted_place(expr)?;
        for adjustment in self.adjustments(expr) {
            place = match adjustment.conversion {
                Conversion::Dereference => {
                    let handle = self.read(&place)?;
                    let to = self.scope.ty(self.program.db, adjustment.to);
                    self.dereference_to(handle, to)?
                }
                // What comes out of a call is converted back when it is stored.
                Conversion::Identity | Conversion::Numeric => place,
                Conversion::Splat
                | Conversion::Truncate
                | Conversion::ToInterface
                | Conversion::ToOptional
                | Conversion::NoneToOptional
                | Conversion::InitList
                | Conversion::Constructor(_)
                | Conversion::FunctionValue => {
                    let value = self.read(&place)?;
                    let to = self.scope.ty(self.program.db, adjustment.to);
                    Place::Value(self.apply(value, adjustment.conversion, to)?)
                }
            };
        }
        Ok(place)
    }

    /// A place before adjustments.
    fn unadjusted_place(&mut self, expr: ExprId) -> Lowering<Place> {
        let place = self.resolved_place(expr)?;
        if !matches!(self.ty(expr), Ok(Ty::Builtin(BuiltinType::Ptr, _))) {
            return Ok(place);
        }
        // A pointer may be kept as its address.
        let kept = self.place_type(&place)?;
        let pointer = self.expr_type(expr)?;
        let is_address = matches!(self.b.types.get(kept), Type::Scalar(_)) && kept != pointer;
        Ok(if is_address { Place::Address { base: Box::new(place), pointer } } else { place })
    }

    pub(super) fn binding_place(&mut self, binding: Binding) -> Place {
        match binding {
            Binding::Variable(variable) => Place::Variable { variable, path: ir::op::Path::new() },
            Binding::Global(global) => {
                let handle = globals::handle(self.program, &mut self.b, global);
                self.memory(handle)
            }
            Binding::Place(index) => self.places[index].clone(),
        }
    }

    pub(super) fn this_place(&mut self) -> Lowering<Place> {
        let this = self.this.ok_or_else(|| Stop::broken("`this` outside of methods"))?;
        Ok(self.binding_place(this))
    }

    fn base(&mut self, base: Base) -> Lowering<Place> {
        match base {
            Base::Expr(expr) => self.place(expr),
            Base::ImplicitThis => self.this_place(),
        }
    }

    fn resolved_place(&mut self, expr: ExprId) -> Lowering<Place> {
        let Some(resolution) = self.scope.inference.resolutions.get(&expr) else {
            return match self.scope.store.exprs[expr] {
                Expr::This => self.this_place(),
                Expr::Each(operand) => self.each(expr, operand),
                _ => self.as_value_place(expr),
            };
        };
        match resolution {
            Resolution::Local(local) => match self.locals.get(*local) {
                Some(&binding) => Ok(self.binding_place(binding)),
                None => self.static_of_function_around(*local),
            },
            Resolution::This => self.this_place(),
            Resolution::Global { item, owner } => {
                // GLSL's `block.field`: the block is there once, whatever it is called.
                if let Expr::Member { base, .. } = &self.scope.store.exprs[expr]
                    && let Some(Resolution::Element { .. }) = self.scope.inference.resolutions.get(base)
                    && globals::is_of_block(self.program.db, *item)
                {
                    return Err(Stop::unsupported("an array of blocks"));
                }
                self.global(expr, *item, *owner)
            }
            Resolution::Field { base, item } => self.resolved_field(expr, *base, *item),
            Resolution::PairPrimal { base } => self.part_of(*base, fields::PAIR_PRIMAL),
            Resolution::PairDifferential { base } => self.part_of(*base, fields::PAIR_DIFFERENTIAL),
            Resolution::Swizzle { base, components } => self.resolved_swizzle(expr, *base, components),
            Resolution::MatrixSwizzle { base, components } => self.resolved_matrix_swizzle(expr, *base, components),
            Resolution::TupleElement { base, index } => self.part_of(*base, *index),
            Resolution::TupleSwizzle { base, elements } => {
                let base = self.place(*base)?;
                let base = self.read(&base)?;
                let parts: Vec<ValueId> =
                    elements.iter().map(|&index| self.b.extract(base, [PathStep::Const(index)])).collect();
                let ty = self.expr_type(expr)?;
                Ok(Place::Value(self.b.make(&parts, ty)))
            }
            Resolution::OptionalValue { base } => self.part_of(*base, fields::OPTIONAL_VALUE),
            Resolution::OptionalHasValue { base } => self.part_of(*base, fields::OPTIONAL_HAS_VALUE),
            Resolution::Element { base, index } => self.element(expr, *base, *index),
            Resolution::Property { base, get, set, args } => self.property(*base, *get, *set, args),
            Resolution::EnumCase(_)
            | Resolution::Constant(_)
            | Resolution::Type(_)
            | Resolution::Function(_)
            | Resolution::Call(_)
            | Resolution::BuiltinOperator { .. }
            | Resolution::Conversion { .. }
            | Resolution::Namespace(_) => self.place_of_operator(expr, resolution),
        }
    }

    fn resolved_field(&mut self, expr: ExprId, base: Base, item: ItemId) -> Lowering<Place> {
        let owner = match base {
            Base::Expr(base) => self.adjusted_ty(base)?,
            Base::ImplicitThis => self.this_ty()?,
        };
        let place = self.base(base)?;
        if let Some(pair) = self.place_in_place(&place, expr, owner, item)? {
            return Ok(pair);
        }
        let place = self.primal_half(place)?;
        let place = self.through_handle(place)?;
        if self.is_opaque(&place) {
            return self.opaque_part(place, expr);
        }
        self.field(place, owner, item)
    }

    fn resolved_swizzle(&mut self, expr: ExprId, base: ExprId, components: &[u8]) -> Lowering<Place> {
        let place = self.place(base)?;
        let place = self.through_handle(place)?;
        if self.is_opaque(&place) {
            return self.opaque_part(place, expr);
        }
        self.swizzle(place, components)
    }

    fn resolved_matrix_swizzle(&mut self, expr: ExprId, base: ExprId, components: &[(u8, u8)]) -> Lowering<Place> {
        let base = self.place(base)?;
        let base = self.through_handle(base)?;
        if self.is_opaque(&base) {
            return self.opaque_part(base, expr);
        }
        if let &[(row, column)] = components {
            let row = self.part(base, PathStep::Const(row.into()))?;
            return self.part(row, PathStep::Const(column.into()));
        }
        Ok(Place::Elements { base: Box::new(base), elements: components.to_vec() })
    }

    fn part_of(&mut self, base: ExprId, index: u32) -> Lowering<Place> {
        let place = self.place(base)?;
        self.part(place, PathStep::Const(index))
    }

    /// What an operator's value stands for: what a pointer refers to, or what was assigned to; else the value alone.
    fn place_of_operator(&mut self, expr: ExprId, resolution: &Resolution) -> Lowering<Place> {
        match &self.scope.store.exprs[expr] {
            Expr::Prefix { op: PrefixOp::Deref, operand } => {
                let handle = self.value(*operand)?;
                match resolution {
                    Resolution::Conversion { to, .. } => {
                        let to = self.scope.ty(self.program.db, *to);
                        self.dereference_to(handle, to)
                    }
                    _ => Ok(self.dereference(handle)),
                }
            }
            // The value of an assignment or increment is its target.
            Expr::Assign { target, .. }
            | Expr::Prefix { op: PrefixOp::Increment | PrefixOp::Decrement, operand: target } => {
                let target = *target;
                self.unadjusted(expr)?;
                self.place(target)
            }
            _ => self.as_value_place(expr),
        }
    }

    fn as_value_place(&mut self, expr: ExprId) -> Lowering<Place> {
        let value = self.unadjusted(expr)?;
        value.map(Place::Value).ok_or_else(|| Stop::broken("a value of type `void`"))
    }

    /// A member of what a handle refers to is a part of that memory.
    fn through_handle(&mut self, place: Place) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        match (self.b.types.get(ty), &place) {
            (Type::Handle(ir::HandleType::ConstantBuffer { .. } | ir::HandleType::Pointer { .. }), _) => {
                let handle = self.read(&place)?;
                Ok(self.dereference(handle))
            }
            _ => Ok(place),
        }
    }

    /// A part of a value without representation.
    fn opaque_part(&mut self, base: Place, expr: ExprId) -> Lowering<Place> {
        Ok(Place::OpaquePart { base: Box::new(base), ty: self.expr_type(expr)? })
    }

    fn element(&mut self, expr: ExprId, base: ExprId, index: ExprId) -> Lowering<Place> {
        let place = self.place(base)?;
        let place = self.primal_half(place)?;
        let index = self.value(index)?;
        if self.is_opaque(&place) {
            return self.opaque_part(place, expr);
        }
        self.element_of(place, index)
    }

    /// Of a texture with its own sampler the texture.
    fn without_sampler(&mut self, place: Place) -> Lowering<Place> {
        let ty = self.place_type(&place)?;
        let is_one = self.b.types.is_combined_texture(ty) && !self.program.texture_arrays.contains_key(&ty);
        if is_one { self.part(place, PathStep::Const(0)) } else { Ok(place) }
    }

    /// `place[index]` of a builtin type.
    fn element_of(&mut self, place: Place, index: ValueId) -> Lowering<Place> {
        let step = match self.constant_of(index) {
            Some(Constant::Int(index)) => match u32::try_from(index) {
                Ok(index) => PathStep::Const(index),
                Err(_) => PathStep::Dynamic(self.b.i32(-1)),
            },
            _ => PathStep::Dynamic(index),
        };
        let place = self.without_sampler(place)?;
        let ty = self.place_type(&place)?;
        match self.b.types.get(ty) {
            Type::Handle(handle) => match handle {
                ir::HandleType::StructuredBuffer { .. }
                | ir::HandleType::TexelBuffer { .. }
                | ir::HandleType::Pointer { .. }
                | ir::HandleType::Address { .. } => {
                    let handle = self.read(&place)?;
                    Ok(Place::Memory { handle, path: [step].into_iter().collect() })
                }
                ir::HandleType::ConstantBuffer { .. } | ir::HandleType::Variable { .. } => {
                    let handle = self.read(&place)?;
                    let place = self.memory(handle);
                    self.part(place, step)
                }
                ir::HandleType::Texture { .. } => {
                    let texture = self.read(&place)?;
                    Ok(self.texel(texture, vec![index]))
                }
                ir::HandleType::ByteAddressBuffer { .. }
                | ir::HandleType::Sampler { .. }
                | ir::HandleType::AccelerationStructure
                | ir::HandleType::RayQuery { .. } => Err(Stop::broken("an element of what has none")),
            },
            _ => match self.program.output_element(ty) {
                Some(element) => {
                    let output = self.read(&place)?;
                    Ok(Place::Output { output, element, index: step, path: ir::op::Path::new() })
                }
                None => match self.program.texture_arrays.get(&ty).copied() {
                    Some((texture, _)) => self.texture_of_array(place, step, texture),
                    None => self.part(place, step),
                },
            },
        }
    }

    /// One of an array of textures, with its sampler.
    fn texture_of_array(&mut self, place: Place, step: PathStep, ty: ir::TypeId) -> Lowering<Place> {
        let mut parts = Vec::new();
        for half in [0, 1] {
            let half = self.part(place.clone(), PathStep::Const(half))?;
            let half = self.part(half, step)?;
            parts.push(self.read(&half)?);
        }
        Ok(Place::Value(self.b.make(&parts, ty)))
    }

    /// A property or subscript of a texture.
    fn texels(&mut self, op: TextureOp, place: Place, function: FunctionRef, args: &[Argument]) -> Lowering<Place> {
        let mut values = Vec::new();
        for &arg in args {
            let passed = self.pass(arg, Direction::In, Some(function))?;
            values.push(self.passed_value(&passed)?);
        }
        if let (Place::Texels { texture, level }, [at]) = (&place, &values[..]) {
            return match (op, level) {
                (TextureOp::Level, None) => Ok(Place::Texels { texture: *texture, level: Some(*at) }),
                (TextureOp::Load, Some(level)) => self.texel_of_level(*texture, *level, *at),
                _ => Err(Stop::broken("a texel of no texture")),
            };
        }
        let place = self.without_sampler(place)?;
        let texture = self.read(&place)?;
        match op {
            TextureOp::Levels | TextureOp::Samples => Ok(Place::Texels { texture, level: None }),
            TextureOp::Load => Ok(self.texel(texture, values)),
            _ => Err(Stop::broken("a property that no texture has")),
        }
    }

    /// A texel by its place; of a multisampled texture its first sample where no other is named.
    fn texel(&mut self, texture: ValueId, mut location: Vec<ValueId>) -> Place {
        if location.len() == 1 && self.is_multisampled(texture) {
            location.push(self.b.i32(0));
        }
        Place::Texel { texture, location }
    }

    fn is_multisampled(&self, texture: ValueId) -> bool {
        matches!(self.b.type_of(texture), Type::Handle(ir::HandleType::Texture { multisampled: true, .. }))
    }

    /// A texel of one level or sample: loads have the level behind the place, and the sample as an operand of its own.
    fn texel_of_level(&mut self, texture: ValueId, level: ValueId, at: ValueId) -> Lowering<Place> {
        if self.is_multisampled(texture) {
            return Ok(Place::Texel { texture, location: vec![at, level] });
        }
        let count = match self.b.type_of(at) {
            Type::Scalar(_) => 1,
            Type::Vector { len, .. } => u32::from(len),
            _ => return Err(Stop::broken("a place of no texel")),
        };
        let (int, mut parts) = (self.b.types.scalar(ir::Scalar::I32), Vec::new());
        for index in 0..count {
            let part = if count == 1 { at } else { self.b.field(at, index) };
            parts.push(self.convert_scalar(part, ir::Scalar::I32, int));
        }
        parts.push(self.convert_scalar(level, ir::Scalar::I32, int));
        let ty = self.b.types.vector(ir::Scalar::I32, parts.len() as u8);
        let location = self.b.make(&parts, ty);
        Ok(Place::Texel { texture, location: vec![location] })
    }

    fn property(
        &mut self,
        base: Base,
        get: Option<FunctionRef>,
        set: Option<FunctionRef>,
        args: &[Argument],
    ) -> Lowering<Place> {
        let db = self.program.db;
        let get = get.map(|get| self.scope.function(db, get));
        let set = set.map(|set| self.scope.function(db, set));
        if let Some(function) = get.or(set)
            && let Some(field) = front::accessor_field(self.program, function)
        {
            // A required property that the type has as a field.
            let owner = function.self_ty.ok_or_else(|| Stop::broken("a property without owner"))?;
            let place = self.base(base)?;
            return self.field(place, owner, field);
        }
        if let Some(function) = get.or(set)
            && let front::Resolved::Source(function) = front::resolve(self.program, function)?
            && let Some(CoreFunction::Intrinsic(Intrinsic::Stage(
                StageOp::MeshVertices | StageOp::MeshIndices | StageOp::MeshPrimitives,
            ))) = front::core_function_of(db, function)?
            && let &[index] = args
            && self.program.mode == Mode::Program
        {
            let place = self.base(base)?;
            let index = self.pass(index, Direction::In, Some(function))?;
            let index = self.passed_value(&index)?;
            return self.element_of(place, index);
        }
        if let Some(function) = get
            && let front::Resolved::Source(function) = front::resolve(self.program, function)?
            && let Some(known) = front::core_function_of(db, function)?
        {
            let place = self.base(base)?;
            if known == CoreFunction::Requirement(Requirement::Element)
                && let &[index] = args
            {
                // An element of a builtin type that is used as an `IArray`.
                let index = self.pass(index, Direction::In, Some(function))?;
                let index = self.passed_value(&index)?;
                return self.element_of(place, index);
            }
            if let CoreFunction::Intrinsic(Intrinsic::Texture(op)) = known {
                return self.texels(op, place, function, args);
            }
            // A property that the compiler knows is read right here.
            let surface = front::surface(self.program, function)?;
            let mut values = vec![self.read(&place)?];
            for &arg in args {
                let passed = self.pass(arg, Direction::In, Some(function))?;
                values.push(self.passed_value(&passed)?);
            }
            let asked = intrinsic::Asked {
                function: known,
                args: &values,
                surface: &surface,
                format: None,
                type_arg: intrinsic::first_type_arg(db, function),
            };
            let results = intrinsic::emit(self.program, &mut self.b, &asked)?;
            return results
                .first()
                .map(|&value| Place::Value(value))
                .ok_or_else(|| Stop::broken("a property without value"));
        }
        let get = get.map(|get| self.program.function(get)).transpose()?;
        let set = set.map(|set| self.program.function(set)).transpose()?;
        let mut passed = Vec::new();
        let takes_this = match get.or(set) {
            Some(func) => self.program.surface(func)?.params.first().is_some_and(|param| param.is_this),
            None => false,
        };
        if takes_this {
            passed.push(Passed::Place(self.base(base)?));
        }
        for &arg in args {
            passed.push(self.pass(arg, Direction::In, None)?);
        }
        // Which of them is called, and in which form, how the place is used says.
        for func in [get, set].into_iter().flatten() {
            self.program.withdraw(func);
        }
        Ok(Place::Property { get, set, args: passed })
    }

    fn global(&mut self, expr: ExprId, item: hir_def::item::ItemId, owner: Option<Ty>) -> Lowering<Place> {
        let owner = owner.map(|owner| self.scope.ty(self.program.db, owner));
        match globals::lookup(self.program, item, owner)? {
            globals::Found::Handle(global) => {
                let handle = globals::handle(self.program, &mut self.b, global);
                Ok(Place::Value(handle))
            }
            globals::Found::Memory { global, path } => {
                let handle = globals::handle(self.program, &mut self.b, global);
                Ok(Place::Memory { handle, path })
            }
            globals::Found::Number { value, ty } => {
                let ty = self.ir_type(ty)?;
                self.constant_value(Constant::Int(value), ty).map(Place::Value)
            }
            globals::Found::Machine { op, natural, ty } => {
                let ty = self.ir_type(ty)?;
                let value = self.b.value(op, natural);
                Ok(Place::Value(self.b.convert(value, ty)))
            }
            globals::Found::Unknown => {
                let ty = self.expr_type(expr)?;
                Ok(Place::Value(self.b.undef(ty)))
            }
            globals::Found::Constant(func) => {
                let value = self.call_function(func, &[])?;
                value.map(Place::Value).ok_or_else(|| Stop::broken("a constant without value"))
            }
        }
    }

    /// The type of an expression after adjustments.
    pub(super) fn adjusted_ty(&self, expr: ExprId) -> Lowering<Ty> {
        match self.adjustments(expr).last() {
            Some(adjustment) => Ok(self.scope.ty(self.program.db, adjustment.to)),
            None => self.ty(expr),
        }
    }

    fn this_ty(&self) -> Lowering<Ty> {
        self.scope.this.ok_or_else(|| Stop::broken("`this` outside of methods"))
    }

    /// The value of an expression before adjustments.
    fn unadjusted(&mut self, expr: ExprId) -> Lowering<Option<ValueId>> {
        if let Some(resolution) = self.scope.inference.resolutions.get(&expr) {
            match resolution {
                Resolution::Call(call) => return self.resolved_call(expr, call),
                Resolution::BuiltinOperator { converted } => {
                    let converted = self.scope.ty(self.program.db, *converted);
                    return self.operator(expr, converted).map(Some);
                }
                Resolution::Conversion { to, conversion } => {
                    let to = self.scope.ty(self.program.db, *to);
                    return self.conversion(expr, to, *conversion).map(Some);
                }
                Resolution::EnumCase(item) => {
                    let value = front::constant_item(self.program.db, *item)
                        .ok_or_else(|| Stop::broken("an enum case without value"))?;
                    let ty = self.expr_type(expr)?;
                    return self.constant_value(Constant::Int(value), ty).map(Some);
                }
                Resolution::Constant(_) => return self.constant_resolution(expr, expr).map(Some),
                Resolution::Local(_)
                | Resolution::This
                | Resolution::Global { .. }
                | Resolution::Field { .. }
                | Resolution::PairPrimal { .. }
                | Resolution::PairDifferential { .. }
                | Resolution::Swizzle { .. }
                | Resolution::MatrixSwizzle { .. }
                | Resolution::TupleElement { .. }
                | Resolution::TupleSwizzle { .. }
                | Resolution::OptionalValue { .. }
                | Resolution::OptionalHasValue { .. }
                | Resolution::Element { .. }
                | Resolution::Property { .. } => {
                    let place = self.unadjusted_place(expr)?;
                    return self.read(&place).map(Some);
                }
                Resolution::Function(_) => return self.closure_value(expr).map(Some),
                Resolution::Type(_) | Resolution::Namespace(_) => return Err(Stop::broken("a type as a value")),
            }
        }
        self.plain(expr)
    }

    /// The constant that `expr` means, with the type of `typed`.
    pub(super) fn constant_resolution(&mut self, expr: ExprId, typed: ExprId) -> Lowering<ValueId> {
        let Some(Resolution::Constant(value)) = self.scope.inference.resolutions.get(&expr) else {
            return Err(Stop::broken("a constant that is none"));
        };
        let value = self.scope.constant(self.program.db, *value);
        let ty = self.expr_type(typed)?;
        match value {
            Const::Value(value) => self.constant_value(Constant::Int(value), ty),
            // A value parameter in the editor's analysis: some number.
            Const::Param(_)
            | Const::Operation(_)
            | Const::Choice(_)
            | Const::Count(_)
            | Const::Size(_)
            | Const::Member(_)
            | Const::Expand(_)
            | Const::PackQuery(_) => Ok(self.b.undef(ty)),
            Const::Error | Const::Unsized => Err(Stop::broken("a constant without value")),
        }
    }

    /// `t._1_0 = value`: each element of the value goes to its own element of the tuple.
    fn assign_tuple_swizzle(&mut self, target: ExprId, value: ExprId) -> Lowering<ValueId> {
        let Some(Resolution::TupleSwizzle { base, elements }) = self.scope.inference.resolutions.get(&target) else {
            return Err(Stop::broken("no swizzle of a tuple"));
        };
        let base = self.place(*base)?;
        let value = self.value(value)?;
        for (index, element) in elements.iter().enumerate() {
            let part = self.part(base.clone(), PathStep::Const(*element))?;
            let new = self.b.extract(value, [PathStep::Const(index as u32)]);
            self.write(&part, new)?;
        }
        Ok(value)
    }

    /// Expressions whose meaning needs no resolution.
    fn plain(&mut self, expr: ExprId) -> Lowering<Option<ValueId>> {
        let store = self.scope.store;
        match &store.exprs[expr] {
            Expr::Missing => Err(Stop::broken("a broken expression")),
            Expr::Unsupported(name) => Err(Stop::unsupported(name.as_str())),
            Expr::Literal(literal) => self.literal(expr, literal).map(Some),
            Expr::This => {
                let place = self.this_place()?;
                self.read(&place).map(Some)
            }
            Expr::Assign { op: None, target, value }
                if matches!(self.scope.inference.resolutions.get(target), Some(Resolution::TupleSwizzle { .. })) =>
            {
                self.assign_tuple_swizzle(*target, *value).map(Some)
            }
            Expr::Assign { op: None, target, value } => {
                let place = self.place(*target)?;
                let value = self.value(*value)?;
                self.write(&place, value)?;
                self.note_assigned(*target, &place);
                Ok(Some(value))
            }
            Expr::Ternary { cond, then, otherwise } => self.ternary(*cond, *then, *otherwise).map(Some),
            Expr::Comma(exprs) => {
                let mut last = None;
                for &expr in exprs {
                    last = self.effect(expr)?;
                }
                Ok(last)
            }
            Expr::Tuple(elements) => {
                let ty = self.ty(expr)?;
                if ty.as_tuple(self.program.db).is_some() {
                    return self.make_from_exprs(ty, elements).map(Some);
                }
                // Where no tuple is wanted, these are commas.
                elements.iter().try_fold(None, |_, &element| self.effect(element))
            }
            Expr::NoDiff(operand) => Ok(self.effect(*operand)?.map(|value| self.detached(value))),
            Expr::Expand(pattern) => self.expand(expr, *pattern),
            Expr::Each(operand) => {
                let place = self.each(expr, *operand)?;
                self.read(&place).map(Some)
            }
            Expr::Try(operand) => self.effect(*operand),
            Expr::New { .. } => Err(Stop::unsupported("`new`")),
            Expr::SpirvAsm { .. } => Err(Stop::unsupported("`spirv_asm`")),
            Expr::PackQuery { query, operands } => self.value_pack_query(expr, *query, operands).map(Some),
            Expr::Prefix { op, operand } => {
                let ty = self.ty(expr)?;
                self.prefix(*op, *operand, ty).map(Some)
            }
            Expr::SizeOf { what, ty, operand, layout } => {
                self.check_layout(*layout)?;
                self.size_of(expr, *what, *ty, *operand).map(Some)
            }
            Expr::Lambda { .. } => self.closure_value(expr).map(Some),
            Expr::Is { operand, ty } => self.is_type(*operand, *ty).map(Some),
            Expr::As { operand, ty } => self.as_type(expr, *operand, *ty).map(Some),
            Expr::Derivative { .. } => Err(Stop::unsupported("a derivative as a value")),
            Expr::InitList(_) => Err(Stop::broken("an initialiser list without type")),
            Expr::Call { .. } if self.scope.inference.kernel_starts.contains_key(&expr) => {
                self.start_kernel(expr)?;
                Ok(None)
            }
            Expr::Path(_)
            | Expr::Member { .. }
            | Expr::Index { .. }
            | Expr::Call { .. }
            | Expr::Postfix { .. }
            | Expr::Binary { .. }
            | Expr::Assign { op: Some(_), .. }
            | Expr::Cast { .. }
            | Expr::Type(_) => Err(Stop::broken("an expression without meaning")),
        }
    }

    fn operator(&mut self, expr: ExprId, converted: Ty) -> Lowering<ValueId> {
        let store = self.scope.store;
        match &store.exprs[expr] {
            Expr::Binary { op, left, right } => self.binary(*op, *left, *right, converted),
            Expr::Prefix { op, operand } => self.prefix(*op, *operand, converted),
            Expr::Postfix { op, operand } => {
                let op = match op {
                    PostfixOp::Increment => BinaryOp::Add,
                    PostfixOp::Decrement => BinaryOp::Sub,
                };
                self.increment(*operand, op).map(|(old, _)| old)
            }
            Expr::Assign { op: Some(op), target, value } => self.compound_assignment(*op, *target, *value, converted),
            Expr::Ternary { cond, then, otherwise } => self.ternary(*cond, *then, *otherwise),
            _ => Err(Stop::broken("an operator that is none")),
        }
    }

    /// A scalar condition evaluates one side only; a vector of conditions chooses component by component.
    fn ternary(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> Lowering<ValueId> {
        let cond = self.value(cond)?;
        if let Type::Vector { .. } | Type::Matrix { .. } = self.b.type_of(cond) {
            let then = self.value(then)?;
            let otherwise = self.value(otherwise)?;
            let ty = self.b.ty(then);
            let otherwise = self.coerce(otherwise, ty)?;
            let bools = self.b.bool_like(ty);
            let cond = self.coerce(cond, bools)?;
            return Ok(self.b.select(cond, then, otherwise));
        }
        let bool = self.b.types.bool();
        let cond = self.coerce(cond, bool)?;
        self.lazy_choice(cond, |this| this.value(then), |this| this.value(otherwise))
    }

    /// A cast, or `T(x)` with one argument.
    fn conversion(&mut self, expr: ExprId, to: Ty, conversion: Conversion) -> Lowering<ValueId> {
        let store = self.scope.store;
        let operand = match &store.exprs[expr] {
            // `*p`
            Expr::Prefix { op: PrefixOp::Deref, operand } => {
                let handle = self.value(*operand)?;
                let place = self.dereference_to(handle, to)?;
                return self.read(&place);
            }
            Expr::Cast { operand, .. } | Expr::As { operand, .. } => *operand,
            // Of `(T)(a, b)` the last is converted.
            Expr::Call { args, .. } => {
                let Some((last, before)) = args.split_last() else {
                    return Err(Stop::broken("a conversion of nothing"));
                };
                for arg in before {
                    self.value(arg.value)?;
                }
                last.value
            }
            // `(T) - x`.
            Expr::Binary { right, .. } => *right,
            _ => return Err(Stop::broken("a conversion of nothing")),
        };
        // `(void)x` is there for what `x` does.
        if to == Ty::Void {
            self.effect(operand)?;
            let nothing = self.ir_type(to)?;
            return Ok(self.b.zero(nothing));
        }
        if let Some((_, elements)) = self.as_init_list(operand).map(|(ty, elements)| (ty, elements.to_vec())) {
            return self.init_list(to, &elements);
        }
        let mut value = self.value(operand)?;
        if matches!(store.exprs[expr], Expr::Binary { op: BinaryOp::Sub, .. }) {
            value = self.b.unary(UnaryOp::Neg, value);
        }
        let target = self.ir_type(to)?;
        if self.b.types.get(target) == self.b.type_of(value) && conversion != Conversion::ToInterface {
            return Ok(value);
        }
        match conversion {
            // `(S)0` is what `{}` is.
            Conversion::InitList => self.empty_list_value(to),
            Conversion::Identity => match self.convert_address(value, target)? {
                Some(converted) => Ok(converted),
                None => self.coerce(value, target),
            },
            _ => self.apply(value, conversion, to),
        }
    }

    /// A call, written as one or as an operator.
    fn resolved_call(&mut self, expr: ExprId, call: &CallResolution) -> Lowering<Option<ValueId>> {
        let store = self.scope.store;
        if let Expr::Assign { op: Some(_), target, .. } = &store.exprs[expr]
            && let Callable::Function(function) = &call.callee
            && !front::assigns_itself(self.program.db, function.item)
        {
            // `a += b` by a user's `+`.
            let value = self.call(call)?.ok_or_else(|| Stop::broken("an operator without result"))?;
            let place = self.place(*target)?;
            self.write(&place, value)?;
            return Ok(Some(value));
        }
        self.call(call)
    }
}
