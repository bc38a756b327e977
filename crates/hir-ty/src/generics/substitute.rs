//! Replacing generic parameters and `This` in types.

use base_db::Db;
use hir_def::{
    body::{PackQuery, SizeOfKind},
    item::ItemId,
};

use crate::{
    generics::{
        self, associated,
        env::Env,
        packs::{self, Answer},
    },
    types::{
        closure::ClosureCode,
        consts,
        signature::FunctionRef,
        size, textures,
        ty::{
            AssociatedTy, BuiltinType, ClosureTy, Const, ConstMember, ConstOperation, ConstPackQuery, FunctionTy,
            GenericArg, GenericArgs, PackQueryTy, Ty, TypeParam,
        },
    },
};

/// What parameters and `This` stand for. Parameters that are not listed stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Substitution {
    params: Vec<(TypeParam, GenericArg)>,
    this: Option<Ty>,
    /// The elements that queries of packs stand for while an expansion is taken apart.
    answers: Vec<(PackQuery, GenericArgs, GenericArg)>,
    /// Associated types are not resolved.
    symbolic: bool,
    /// Associated types and constants that a type lacks stay what they are asked for as.
    keeps_lacking: bool,
}

impl Substitution {
    /// Arguments for all generic parameters in scope at `item`, outermost first.
    pub fn of_item(db: &dyn Db, item: ItemId, args: GenericArgs) -> Substitution {
        let params = generics::parameters(db, item).iter().copied().zip(args.args(db).iter().copied()).collect();
        Substitution { params, ..Substitution::default() }
    }

    /// Everything that a function reference fixes.
    pub fn of_function(db: &dyn Db, function: FunctionRef) -> Substitution {
        let mut substitution = Substitution::of_item(db, function.item, function.args);
        substitution.this = function.self_ty;
        substitution
    }

    /// The same with a type for `This`.
    pub fn with_this(mut self, this: Ty) -> Substitution {
        self.this = Some(this);
        self
    }

    /// Leaves associated types as they are, even those of types that are known.
    pub(crate) fn symbolic(mut self) -> Substitution {
        self.symbolic = true;
        self
    }

    /// Leaves associated types and constants that a type lacks as they are: for code that will declare them.
    pub fn keeping_lacking(mut self) -> Substitution {
        self.keeps_lacking = true;
        self
    }

    /// Adds an argument for a parameter that has none yet.
    pub fn push(&mut self, param: TypeParam, arg: GenericArg) {
        self.params.push((param, arg));
    }

    /// Puts something else in the place of a parameter.
    pub(crate) fn replace(&mut self, param: TypeParam, arg: GenericArg) {
        self.params.retain(|(candidate, _)| *candidate != param);
        self.params.push((param, arg));
    }

    /// Says which element a query of a pack gives.
    pub(crate) fn answer(&mut self, query: PackQuery, operands: GenericArgs, arg: GenericArg) {
        self.answers.push((query, operands, arg));
    }

    fn answered(&self, query: PackQuery, operands: GenericArgs) -> Option<GenericArg> {
        let mut answers = self.answers.iter();
        answers.find(|(of, given, _)| *of == query && *given == operands).map(|(_, _, arg)| *arg)
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.params.is_empty() && self.this.is_none() && self.answers.is_empty()
    }

    /// The argument for a parameter, if there is one.
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
        Ty::Builtin(kind, args) => {
            let args = substitute_args(db, env, args, substitution);
            match (kind, args.args(db)) {
                (BuiltinType::Ptr, [GenericArg::Type(pointee), GenericArg::Type(layout)]) => {
                    Ty::pointer_with_layout(db, *pointee, *layout)
                }
                _ => Ty::Builtin(kind, args),
            }
        }
        Ty::Adt(item, args) => textures::declared_type(db, item, substitute_args(db, env, args, substitution)),
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
            let symbolic = || Ty::Associated(AssociatedTy::new(db, base, associated.item(db), args));
            if substitution.symbolic {
                return symbolic();
            }
            match associated::associated_type(db, env, base, associated.item(db), args) {
                Ty::Error if substitution.keeps_lacking && !base.is_error() => symbolic(),
                found => found,
            }
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
        Ty::Closure(closure) => Ty::Closure(substitute_closure(db, env, closure, substitution)),
        Ty::Expand(_) => match substitute_many(db, env, ty, substitution).as_slice() {
            [only @ Ty::Expand(_)] => *only,
            many => Ty::tuple(db, many),
        },
        Ty::PackQuery(query) => {
            if let Some(GenericArg::Type(ty)) = substitution.answered(query.query(db), query.operands(db)) {
                return ty;
            }
            let operands = substitute_args(db, env, query.operands(db), substitution);
            match packs::query(db, query.query(db), operands.args(db)) {
                Some(Answer::One(GenericArg::Type(ty))) => ty,
                Some(Answer::One(GenericArg::Value(_) | GenericArg::Pack(_)) | Answer::Many(_)) => {
                    Ty::PackQuery(PackQueryTy::new(db, query.query(db), operands))
                }
                None => Ty::Error,
            }
        }
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
    packs::expand(db, env, GenericArg::Type(expand.pattern(db)), expand.packs(db).args(db), substitution)
        .into_iter()
        .map(|element| match element {
            GenericArg::Type(ty) => ty,
            GenericArg::Value(_) | GenericArg::Pack(_) => Ty::Error,
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
        GenericArg::Value(Const::Expand(expand)) => {
            packs::expand(db, env, GenericArg::Value(expand.pattern(db)), &[], substitution)
        }
        GenericArg::Value(value) => vec![GenericArg::Value(substitute_const(db, env, value, substitution))],
        GenericArg::Pack(pack) => vec![GenericArg::Pack(substitute_args(db, env, pack, substitution))],
    }
}

/// A value with its parameters replaced, folded where both sides became known.
pub fn substitute_const(db: &dyn Db, env: Env, value: Const, substitution: &Substitution) -> Const {
    match value {
        Const::Error | Const::Value(_) | Const::Unsized => value,
        Const::Param(param) => match substitution.get(param) {
            Some(GenericArg::Value(value)) => value,
            Some(GenericArg::Type(_) | GenericArg::Pack(_)) => Const::Error,
            None => value,
        },
        Const::Count(param) => match substitution.get(param) {
            Some(GenericArg::Pack(pack)) => packs::count(db, pack),
            Some(GenericArg::Type(_) | GenericArg::Value(_)) | None => value,
        },
        // Where one value is wanted an expansion is one only if its pack has one element; see [`substitute_args`].
        Const::Expand(_) => value,
        Const::PackQuery(query) => {
            if let Some(GenericArg::Value(value)) = substitution.answered(query.query(db), query.operands(db)) {
                return value;
            }
            let operands = substitute_args(db, env, query.operands(db), substitution);
            match packs::query(db, query.query(db), operands.args(db)) {
                Some(Answer::One(GenericArg::Value(value))) => value,
                Some(Answer::One(GenericArg::Type(_) | GenericArg::Pack(_)) | Answer::Many(_)) => {
                    Const::PackQuery(ConstPackQuery::new(db, query.query(db), operands))
                }
                None => Const::Error,
            }
        }
        Const::Size(size) => {
            let env = size.env(db);
            let ty = substitute(db, env, size.ty(db), substitution);
            let what = if size.alignment(db) { SizeOfKind::Align } else { SizeOfKind::Size };
            size::measure(db, env, what, ty).unwrap_or(Const::Error)
        }
        Const::Member(member) => {
            let ty = substitute(db, env, member.ty(db), substitution);
            let symbolic = || Const::Member(ConstMember::new(db, ty, member.requirement(db)));
            if substitution.symbolic {
                return symbolic();
            }
            match consts::required_value(db, env, ty, member.requirement(db)) {
                Const::Error if substitution.keeps_lacking => symbolic(),
                found => found,
            }
        }
        Const::Choice(choice) => {
            let value = |value| substitute_const(db, env, value, substitution);
            consts::choice(db, value(choice.condition(db)), value(choice.then(db)), value(choice.otherwise(db)))
        }
        Const::Operation(operation) => consts::binary(
            db,
            operation.op(db),
            substitute_const(db, env, operation.left(db), substitution),
            substitute_const(db, env, operation.right(db), substitution),
        ),
    }
}

/// Whether `param` occurs in `ty`.
pub fn mentions(db: &dyn Db, ty: Ty, param: TypeParam) -> bool {
    any(db, ty, &mut |part| part == Unknown::Param(param))
}

fn substitute_closure(db: &dyn Db, env: Env, closure: ClosureTy, substitution: &Substitution) -> ClosureTy {
    let put_in = |ty: Ty| substitute(db, env, ty, substitution);
    let function = |function: FunctionRef| FunctionRef {
        item: function.item,
        args: substitute_args(db, env, function.args, substitution),
        self_ty: function.self_ty.map(put_in),
    };
    let code = match closure.code(db) {
        ClosureCode::Lambda { within, expr } => ClosureCode::Lambda { within: function(within), expr },
        ClosureCode::Function(of) => ClosureCode::Function(function(of)),
    };
    let captures: Box<[_]> = closure.captures(db).iter().map(|(capture, ty)| (*capture, put_in(*ty))).collect();
    let many = |ty: Ty| substitute_many(db, env, ty, substitution).into_iter();
    let params: Box<[_]> =
        closure.params(db).iter().flat_map(|(direction, ty)| many(*ty).map(|ty| (*direction, ty))).collect();
    ClosureTy::new(db, code, captures, params, put_in(closure.ret(db)))
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
pub enum Unknown {
    /// A generic parameter.
    Param(TypeParam),
    /// `This` of an interface.
    This(ItemId),
}

/// Whether `test` holds for any parameter or `This` in `ty`.
pub fn any(db: &dyn Db, ty: Ty, test: &mut dyn FnMut(Unknown) -> bool) -> bool {
    match ty {
        Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral => false,
        Ty::Builtin(_, args) | Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => any_in_args(db, args, test),
        Ty::Param(param) => test(Unknown::Param(param)),
        Ty::This(item) => test(Unknown::This(item)),
        Ty::Associated(associated) => {
            any(db, associated.base(db), test) || any_in_args(db, associated.interface_args(db), test)
        }
        Ty::Function(function) => {
            function.params(db).iter().any(|(_, ty)| any(db, *ty, test)) || any(db, function.ret(db), test)
        }
        Ty::Closure(closure) => {
            let (ClosureCode::Lambda { within: function, .. } | ClosureCode::Function(function)) = closure.code(db);
            any_in_args(db, function.args, test)
                || function.self_ty.is_some_and(|this| any(db, this, test))
                || closure.captures(db).iter().any(|(_, ty)| any(db, *ty, test))
                || any(db, closure.function_type(db), test)
        }
        Ty::Expand(expand) => any(db, expand.pattern(db), test) || any_in_args(db, expand.packs(db), test),
        Ty::PackQuery(query) => any_in_args(db, query.operands(db), test),
    }
}

/// Whether `test` holds for any parameter or `This` in the arguments.
pub fn any_in_args(db: &dyn Db, args: GenericArgs, test: &mut dyn FnMut(Unknown) -> bool) -> bool {
    args.args(db).iter().any(|arg| match arg {
        GenericArg::Type(ty) => any(db, *ty, test),
        GenericArg::Value(value) => any_in_const(db, *value, test),
        GenericArg::Pack(pack) => any_in_args(db, *pack, test),
    })
}

fn any_in_const(db: &dyn Db, value: Const, test: &mut dyn FnMut(Unknown) -> bool) -> bool {
    match value {
        Const::Error | Const::Value(_) | Const::Unsized => false,
        Const::Param(param) | Const::Count(param) => test(Unknown::Param(param)),
        Const::Size(size) => any(db, size.ty(db), test),
        Const::Member(member) => any(db, member.ty(db), test),
        Const::Expand(expand) => any_in_const(db, expand.pattern(db), test),
        Const::PackQuery(query) => any_in_args(db, query.operands(db), test),
        Const::Operation(operation) => {
            any_in_const(db, operation.left(db), test) || any_in_const(db, operation.right(db), test)
        }
        Const::Choice(choice) => [choice.condition(db), choice.then(db), choice.otherwise(db)]
            .into_iter()
            .any(|part| any_in_const(db, part, test)),
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
        Ty::Closure(closure) => {
            let captured = closure.captures(db).iter().map(|(_, ty)| depth(db, *ty)).max().unwrap_or(0);
            1 + captured.max(depth(db, closure.function_type(db)))
        }
        Ty::Expand(expand) => 1 + depth(db, expand.pattern(db)),
        Ty::PackQuery(query) => 1 + of_args(query.operands(db)),
    }
}

/// Types that refer to ever larger versions of themselves stop here.
pub const MAX_TYPE_DEPTH: u32 = ::diagnostics::limits::TYPE_ARGUMENTS;

/// Folding helper for constants that are not folded: keeps the operation.
pub(crate) fn operation(db: &dyn Db, op: hir_def::body::BinaryOp, left: Const, right: Const) -> Const {
    Const::Operation(ConstOperation::new(db, op, left, right))
}
