//! L-values: what can be assigned.

use hir_def::{
    attribute::Modifiers,
    body::{Expr, ExprId, LocalKind},
    item::{self, ItemKind},
};

use super::{
    Infer,
    result::{Base, Conversion, Resolution},
};
use crate::{
    diagnostics::{Node, Site, locations},
    types::{
        glsl_globals, signature,
        ty::{BuiltinType, ParamDirection, TextureAccess, Ty},
    },
};

/// Why something cannot be assigned, and what to look at.
pub(super) type Refusal = (String, Option<Site>);

impl Infer<'_> {
    /// Reports an assignment (`operation` is the assignment expression) to something that is not an l-value.
    pub(super) fn check_assignable(&mut self, target: ExprId, operation: ExprId, operator: &str) {
        if let Err(why) = self.assignable(target) {
            let diagnostic = match operator {
                "=" => locations::not_assignable(self.name_place(operation), why),
                _ => locations::operand_not_assignable(self.expr_place(target), operator, why),
            };
            self.report(diagnostic);
        }
    }

    /// Whether an inferred expression can be assigned to.
    pub(super) fn assignable(&self, id: ExprId) -> Result<(), Option<Refusal>> {
        if self.result.expr_types.get(id).is_none_or(|ty| ty.is_error()) {
            return Ok(());
        }
        let dereferenced = self
            .result
            .adjustments
            .get(&id)
            .is_some_and(|steps| steps.iter().any(|step| step.conversion == Conversion::Dereference));
        if dereferenced {
            // Through a pointer everything can be written, blocks and constant buffers are read only.
            let is_pointer = matches!(self.result.expr_types.get(id), Some(Ty::Builtin(BuiltinType::Ptr, _)));
            return if is_pointer { Ok(()) } else { Err(None) };
        }
        match self.result.resolutions.get(&id) {
            Some(Resolution::Local(local)) => self.local_assignable(*local),
            Some(Resolution::This) => self.this_assignable(),
            Some(Resolution::Global { item, .. }) => self.global_assignable(*item),
            Some(Resolution::Field { base, item }) => {
                if item::item_data(self.db, *item).modifiers.contains(Modifiers::CONST) {
                    return Err(Some(("the field is constant".to_owned(), Some(Site::name(*item)))));
                }
                self.not_read_only(*item)?;
                self.base_assignable(*base)
            }
            Some(Resolution::Swizzle { base, components }) => {
                let repeats = (1..components.len()).any(|index| components[..index].contains(&components[index]));
                if repeats {
                    return Err(Some(("a component occurs twice".to_owned(), None)));
                }
                self.assignable(*base)
            }
            Some(Resolution::MatrixSwizzle { base, components }) => {
                let repeats = (1..components.len()).any(|index| components[..index].contains(&components[index]));
                if repeats {
                    return Err(Some(("a component occurs twice".to_owned(), None)));
                }
                self.assignable(*base)
            }
            Some(Resolution::TupleElement { base, .. }) => self.assignable(*base),
            Some(Resolution::OptionalValue { .. }) => {
                Err(Some(("assign a value to the optional itself: what it holds can only be read".to_owned(), None)))
            }
            Some(Resolution::TupleSwizzle { base, elements }) => {
                let repeats = (1..elements.len()).any(|index| elements[..index].contains(&elements[index]));
                if repeats {
                    return Err(Some(("an element occurs twice".to_owned(), None)));
                }
                self.assignable(*base)
            }
            Some(Resolution::Element { base, index }) => self.element_assignable(*base, *index),
            Some(Resolution::Property { base, set, .. }) => match set {
                None => Err(Some(("it has no 'set' accessor".to_owned(), None))),
                Some(set) => {
                    let mutating = signature::signature(self.db, set.item).this.is_some_and(|this| this.mutating);
                    if mutating { self.base_assignable(*base) } else { Ok(()) }
                }
            },
            Some(Resolution::Conversion { conversion: Conversion::Dereference, .. }) => Ok(()),
            Some(Resolution::Call(call)) => match &call.callee {
                // A `ref` accessor-like result is not known here; function results are values.
                super::result::Callable::Function(_)
                | super::result::Callable::Derivative { .. }
                | super::result::Callable::Make(_)
                | super::result::Callable::Value(_)
                | super::result::Callable::Synthesized { .. } => Err(None),
            },
            Some(
                Resolution::PairPrimal { .. }
                | Resolution::PairDifferential { .. }
                | Resolution::OptionalHasValue { .. }
                | Resolution::EnumCase(_)
                | Resolution::Constant(_)
                | Resolution::Type(_)
                | Resolution::Function(_)
                | Resolution::BuiltinOperator { .. }
                | Resolution::Conversion { .. }
                | Resolution::Namespace(_),
            ) => Err(None),
            None => match &self.store.exprs[id] {
                Expr::Each(inner) | Expr::Expand(inner) => self.assignable(*inner),
                Expr::Comma(parts) => parts.last().map_or(Err(None), |last| self.assignable(*last)),
                _ => Err(None),
            },
        }
    }

    fn base_assignable(&self, base: Base) -> Result<(), Option<Refusal>> {
        match base {
            Base::Expr(base) => self.assignable(base),
            Base::ImplicitThis => self.this_assignable(),
        }
    }

    fn this_assignable(&self) -> Result<(), Option<Refusal>> {
        if !self.lambdas.is_empty() {
            return Err(Some(("the lambda has a copy of 'this'".to_owned(), None)));
        }
        match self.this {
            Some(this) if !this.mutating => {
                Err(Some(("a method must be '[mutating]' to change 'this'".to_owned(), Some(Site::name(self.owner)))))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn local_assignable(&self, local: hir_def::body::LocalId) -> Result<(), Option<Refusal>> {
        let declaration = &self.store.locals[local];
        let place = Some(Site { item: self.owner, node: Node::Local(local) });
        if declaration.modifiers.contains(Modifiers::CONST) {
            return Err(Some((format!("'{}' is constant", declaration.name), place)));
        }
        if self.is_captured(local) {
            return Err(Some((format!("the lambda has a copy of '{}'", declaration.name), place)));
        }
        match declaration.kind {
            LocalKind::Let => {
                Err(Some((format!("'{}' is declared with 'let'; use 'var' to change it", declaration.name), place)))
            }
            LocalKind::Variable | LocalKind::Static => Ok(()),
            LocalKind::Param { index } => {
                let by_reference = signature::signature(self.db, self.owner)
                    .params
                    .get(index as usize)
                    .is_some_and(|param| param.direction == ParamDirection::ConstRef);
                if by_reference && declaration.ty.is_none() {
                    return Err(Some((format!("'{}' is borrowed", declaration.name), place)));
                }
                Ok(())
            }
        }
    }

    fn global_assignable(&self, item: hir_def::item::ItemId) -> Result<(), Option<Refusal>> {
        let data = item::item_data(self.db, item);
        let ItemKind::Variable { is_let, .. } = data.kind else { return Err(None) };
        self.not_read_only(item)?;
        if data.modifiers.contains(Modifiers::CONST) || is_let {
            return Err(Some(("it is constant".to_owned(), Some(Site::name(item)))));
        }
        // What a shader gives out may be declared like a variable, as in GLSL.
        if data.modifiers.intersects(Modifiers::STATIC | Modifiers::GROUPSHARED | Modifiers::OUT) {
            return Ok(());
        }
        let is_written = |block| {
            let written = Modifiers::STORAGE_BLOCK | Modifiers::IN | Modifiers::OUT;
            let block = item::item_data(self.db, block);
            // In front of `cbuffer` these say nothing.
            !matches!(block.kind, ItemKind::ConstantBuffer { is_glsl_block: false, .. })
                && block.modifiers.intersects(written)
        };
        if item::container(self.db, item).is_some_and(is_written) || glsl_globals::may_be_written(self.db, item) {
            return Ok(());
        }
        // Other globals are parameters of the program.
        Err(Some(("it is a shader parameter; 'static' makes it a variable".to_owned(), Some(Site::name(item)))))
    }

    /// What GLSL's `readonly` stands on, or on the block around.
    fn not_read_only(&self, item: hir_def::item::ItemId) -> Result<(), Option<Refusal>> {
        let is_read_only = |item| item::item_data(self.db, item).modifiers.contains(Modifiers::READ_ONLY);
        match [Some(item), item::container(self.db, item)].into_iter().flatten().find(|item| is_read_only(*item)) {
            Some(declared) => Err(Some(("it is declared as 'readonly'".to_owned(), Some(Site::name(declared))))),
            None => Ok(()),
        }
    }

    /// `base[index]`.
    fn element_assignable(&self, base: ExprId, index: ExprId) -> Result<(), Option<Refusal>> {
        let ty = match self.result.adjustments.get(&base).and_then(|steps| steps.last()) {
            Some(step) => step.to,
            None => self.result.expr_types.get(base).copied().unwrap_or(Ty::Error),
        };
        match ty {
            // The subscript that gives a place takes integers as they are; the other one converts, and gives a value.
            Ty::Builtin(BuiltinType::RWStructuredBuffer | BuiltinType::RasterizerOrderedStructuredBuffer, _)
                if !self.is_integer_or_unknown(index) =>
            {
                Err(Some(("with an index that is no integer, its elements can only be read".to_owned(), None)))
            }
            Ty::Builtin(BuiltinType::Vector | BuiltinType::Matrix | BuiltinType::Array, _) => self.assignable(base),
            Ty::Builtin(
                BuiltinType::RWStructuredBuffer
                | BuiltinType::RasterizerOrderedStructuredBuffer
                | BuiltinType::RWBuffer
                | BuiltinType::RasterizerOrderedBuffer
                | BuiltinType::Ptr,
                _,
            ) => Ok(()),
            Ty::Builtin(BuiltinType::Texture(shape), _) if shape.access != TextureAccess::Read => Ok(()),
            Ty::Error => Ok(()),
            _ => Err(Some(("its elements can only be read".to_owned(), None))),
        }
    }

    /// Whether an expression was written as an integer, before conversions.
    fn is_integer_or_unknown(&self, id: ExprId) -> bool {
        match self.result.expr_types.get(id).copied().unwrap_or(Ty::Error) {
            Ty::Scalar(scalar) => scalar.is_integer(),
            Ty::Error | Ty::Param(_) | Ty::Associated(_) => true,
            _ => false,
        }
    }
}
