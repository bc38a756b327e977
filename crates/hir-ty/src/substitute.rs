//! Replacing generic parameters and `This` in types.

use base_db::Db;
use hir_def::item::ItemId;

use crate::{
    associated, consts,
    env::Env,
    generics,
    signature::FunctionRef,
    ty::{AssociatedTy, Const, ConstOperation, ExpandTy, FunctionTy, GenericArg, GenericArgs, Ty, TypeParam},
};

/// What parameters and `This` stand for. Parameters that are not listed stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Substitution {
    params: Vec<(TypeParam, GenericArg)>,
    this: Option<Ty>,
    /// Associated types are not resolved.
    symbolic: bool,
}

impl Substitution {
    /// Arguments for all generic parameters in scope at `item`, outermost first.
    pub fn of_item(db: &dyn Db, item: ItemId, args: GenericArgs) -> Substitution {
        let params = generics::parameters(db, item).iter().copied().zip(args.args(db).iter().copied()).collect();
        Substitution { params, this: None, symbolic: false }
    }

    /// Everything that a function reference fixes.
    pub fn of_function(db: &dyn Db, function: FunctionRef) -> Substitution {
        let mut substitution = Substitution::of_item(db, function.item, function.args);
        substitution.this = function.self_ty;
        substitution
    }

    pub fn with_this(mut self, this: Ty) -> Substitution {
        self.this = Some(this);
        self
    }

    /// Leaves associated types as they are, even those of types that are known.
    pub(crate) fn symbolic(mut self) -> Substitution {
        self.symbolic = true;
        self
    }

    pub fn push(&mut self, param: TypeParam, arg: GenericArg) {
        self.params.push((param, arg));
    }

    pub fn is_empty(&self) -> bool {
        self.params.is_empty() && self.this.is_none()
    }

    pub fn get(&self, param: TypeParam) -> Option<GenericArg> {
        self.params.iter().find(|(candidate, _)| *candidate == param).map(|(_, arg)| *arg)
    }
}

/// `ty` with its parameters replaced. Associated types of what became known are resolved in the environment `env`.
pub fn substitute(db: &dyn Db, env: Env, ty: Ty, substitution: &Substitution) -> Ty {
    if substitution.is_empty() {
        return ty;
    }
    match ty {
        Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral => ty,
        Ty::Builtin(kind, args) => Ty::Builtin(kind, substitute_args(db, env, args, substitution)),
        Ty::Adt(item, args) => Ty::Adt(item, substitute_args(db, env, args, substitution)),
        Ty::SynthesizedDifferential(item, args) => {
            Ty::SynthesizedDifferential(item, substitute_args(db, env, args, substitution))
        }
        Ty::Param(param) => match substitution.get(param) {
            Some(GenericArg::Type(ty)) => ty,
            Some(GenericArg::Value(_)) => Ty::Error,
            Some(GenericArg::Pack(pack)) => pack_as_tuple(db, pack),
            None => ty,
        },
        Ty::This(_) => substitution.this.unwrap_or(ty),
        Ty::Associated(associated) => {
            let base = substitute(db, env, associated.base(db), substitution);
            let args = substitute_args(db, env, associated.interface_args(db), substitution);
            if substitution.symbolic {
                return Ty::Associated(AssociatedTy::new(db, base, associated.item(db), args));
            }
            associated::associated_type(db, env, base, associated.item(db), args)
        }
        Ty::Function(function) => {
            let params: Box<[_]> = function
                .params(db)
                .iter()
                .flat_map(|(direction, ty)| {
                    substitute_many(db, env, *ty, substitution).into_iter().map(|ty| (*direction, ty))
                })
                .collect();
            Ty::Function(FunctionTy::new(db, params, substitute(db, env, function.ret(db), substitution)))
        }
        Ty::Expand(_) => match substitute_many(db, env, ty, substitution).as_slice() {
            [only @ Ty::Expand(_)] => *only,
            many => Ty::tuple(db, many),
        },
    }
}

/// A pack where one type is wanted stands for the tuple of its elements.
fn pack_as_tuple(db: &dyn Db, pack: GenericArgs) -> Ty {
    let elements: Vec<Ty> = pack.types(db).collect();
    Ty::tuple(db, &elements)
}

/// Like [`substitute`], but an expansion over a pack that becomes known gives one type per element.
pub fn substitute_many(db: &dyn Db, env: Env, ty: Ty, substitution: &Substitution) -> Vec<Ty> {
    let Ty::Expand(expand) = ty else {
        return vec![substitute(db, env, ty, substitution)];
    };
    let pattern = expand.pattern(db);
    let packs: Vec<(TypeParam, GenericArgs)> = substitution
        .params
        .iter()
        .filter_map(|(param, arg)| match arg {
            GenericArg::Pack(pack) if mentions(db, pattern, *param) => Some((*param, *pack)),
            GenericArg::Pack(_) | GenericArg::Type(_) | GenericArg::Value(_) => None,
        })
        .collect();
    let Some(len) = packs.iter().map(|(_, pack)| pack.args(db).len()).min() else {
        return vec![Ty::Expand(ExpandTy::new(db, substitute(db, env, pattern, substitution)))];
    };
    (0..len)
        .map(|index| {
            let mut each = substitution.clone();
            let mut stays_expansion = false;
            for (param, pack) in &packs {
                each.params.retain(|(candidate, _)| candidate != param);
                // An element that is itself an expansion (`expand each T` passed on) makes the result one.
                let element = match pack.args(db)[index] {
                    GenericArg::Type(Ty::Expand(inner)) => {
                        stays_expansion = true;
                        GenericArg::Type(inner.pattern(db))
                    }
                    element => element,
                };
                each.params.push((*param, element));
            }
            let ty = substitute(db, env, pattern, &each);
            if stays_expansion { Ty::Expand(ExpandTy::new(db, ty)) } else { ty }
        })
        .collect()
}

/// [`substitute`] on every argument.
pub fn substitute_args(db: &dyn Db, env: Env, args: GenericArgs, substitution: &Substitution) -> GenericArgs {
    let old = args.args(db);
    if old.is_empty() || substitution.is_empty() {
        return args;
    }
    let new: Vec<GenericArg> = old.iter().flat_map(|arg| substitute_arg(db, env, *arg, substitution)).collect();
    if new == old { args } else { GenericArgs::new(db, new.into_boxed_slice()) }
}

fn substitute_arg(db: &dyn Db, env: Env, arg: GenericArg, substitution: &Substitution) -> Vec<GenericArg> {
    match arg {
        GenericArg::Type(Ty::Param(param)) => match substitution.get(param) {
            Some(arg) => vec![arg],
            None => vec![arg],
        },
        GenericArg::Type(ty) => substitute_many(db, env, ty, substitution).into_iter().map(GenericArg::Type).collect(),
        GenericArg::Value(value) => vec![GenericArg::Value(substitute_const(db, value, substitution))],
        GenericArg::Pack(pack) => vec![GenericArg::Pack(substitute_args(db, env, pack, substitution))],
    }
}

/// A value with its parameters replaced, folded where both sides became known.
pub fn substitute_const(db: &dyn Db, value: Const, substitution: &Substitution) -> Const {
    match value {
        Const::Error | Const::Value(_) | Const::Unsized => value,
        Const::Param(param) => match substitution.get(param) {
            Some(GenericArg::Value(value)) => value,
            Some(GenericArg::Type(_)) => Const::Error,
            // `countof` of a pack is represented by the pack's parameter.
            Some(GenericArg::Pack(pack)) => Const::Value(pack.args(db).len() as i64),
            None => value,
        },
        Const::Operation(operation) => consts::binary(
            db,
            operation.op(db),
            substitute_const(db, operation.left(db), substitution),
            substitute_const(db, operation.right(db), substitution),
        ),
    }
}

/// Whether `param` occurs in `ty`.
pub fn mentions(db: &dyn Db, ty: Ty, param: TypeParam) -> bool {
    any(db, ty, &mut |part| part == Part::Param(param))
}

/// Whether nothing in `ty` waits for a generic parameter or `This`.
pub fn is_concrete(db: &dyn Db, ty: Ty) -> bool {
    match ty {
        Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral => true,
        _ => !any(db, ty, &mut |_| true),
    }
}

/// Something in a type that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Param(TypeParam),
    This(ItemId),
}

/// Whether `test` holds for any parameter or `This` in `ty`.
pub fn any(db: &dyn Db, ty: Ty, test: &mut dyn FnMut(Part) -> bool) -> bool {
    match ty {
        Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral => false,
        Ty::Builtin(_, args) | Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => any_in_args(db, args, test),
        Ty::Param(param) => test(Part::Param(param)),
        Ty::This(item) => test(Part::This(item)),
        Ty::Associated(associated) => {
            any(db, associated.base(db), test) || any_in_args(db, associated.interface_args(db), test)
        }
        Ty::Function(function) => {
            function.params(db).iter().any(|(_, ty)| any(db, *ty, test)) || any(db, function.ret(db), test)
        }
        Ty::Expand(expand) => any(db, expand.pattern(db), test),
    }
}

pub fn any_in_args(db: &dyn Db, args: GenericArgs, test: &mut dyn FnMut(Part) -> bool) -> bool {
    args.args(db).iter().any(|arg| match arg {
        GenericArg::Type(ty) => any(db, *ty, test),
        GenericArg::Value(value) => any_in_const(db, *value, test),
        GenericArg::Pack(pack) => any_in_args(db, *pack, test),
    })
}

fn any_in_const(db: &dyn Db, value: Const, test: &mut dyn FnMut(Part) -> bool) -> bool {
    match value {
        Const::Error | Const::Value(_) | Const::Unsized => false,
        Const::Param(param) => test(Part::Param(param)),
        Const::Operation(operation) => {
            any_in_const(db, operation.left(db), test) || any_in_const(db, operation.right(db), test)
        }
    }
}

/// How deeply types are nested in `ty`; types past [`MAX_TYPE_DEPTH`] are not resolved any further.
pub fn depth(db: &dyn Db, ty: Ty) -> u32 {
    let of_args = |args: GenericArgs| {
        args.args(db)
            .iter()
            .map(|arg| match arg {
                GenericArg::Type(ty) => depth(db, *ty),
                GenericArg::Value(_) => 0,
                GenericArg::Pack(pack) => pack.types(db).map(|ty| depth(db, ty)).max().unwrap_or(0),
            })
            .max()
            .unwrap_or(0)
    };
    match ty {
        Ty::Error
        | Ty::Void
        | Ty::Scalar(_)
        | Ty::String
        | Ty::NoneLiteral
        | Ty::NullLiteral
        | Ty::Param(_)
        | Ty::This(_) => 0,
        Ty::Builtin(_, args) | Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => 1 + of_args(args),
        Ty::Associated(associated) => 1 + depth(db, associated.base(db)),
        Ty::Function(function) => 1 + function.params(db).iter().map(|(_, ty)| depth(db, *ty)).max().unwrap_or(0),
        Ty::Expand(expand) => 1 + depth(db, expand.pattern(db)),
    }
}

/// Types that refer to ever larger versions of themselves stop here.
pub const MAX_TYPE_DEPTH: u32 = 48;

/// Folding helper for constants that are not folded: keeps the operation.
pub(crate) fn operation(db: &dyn Db, op: hir_def::body::BinaryOp, left: Const, right: Const) -> Const {
    Const::Operation(ConstOperation::new(db, op, left, right))
}
