//! Packs of types and of values: taking expansions apart, and what `__first(pack)` and its like stand for.
//!
//! A pack that is not known yet is a list with one element that is an expansion: `expand each T` for a pack of types,
//! `expand each N` for one of values. A query of such a pack stays symbolic until the pack becomes known.

use base_db::Db;
use hir_def::body::PackQuery;

use crate::{
    env::Env,
    generics,
    substitute::{self, Substitution},
    ty::{
        BuiltinType, Const, ConstExpansion, ConstPackQuery, ExpandTy, GenericArg, GenericArgs, PackQueryTy, Ty,
        TypeParam,
    },
};

/// What a query gives: one element or a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    One(GenericArg),
    Many(Vec<GenericArg>),
}

impl Answer {
    pub fn into_list(self) -> Vec<GenericArg> {
        match self {
            Answer::One(arg) => vec![arg],
            Answer::Many(args) => args,
        }
    }
}

/// A parameter pack as a list: one expansion.
pub fn whole_pack(db: &dyn Db, param: TypeParam) -> GenericArgs {
    let element = if generics::is_value_pack(db, param) {
        GenericArg::Value(expansion_of_value(db, Const::Param(param)))
    } else {
        GenericArg::Type(Ty::Expand(ExpandTy::new(db, Ty::Param(param))))
    };
    GenericArgs::new(db, Box::from([element]))
}

pub fn expansion_of_value(db: &dyn Db, pattern: Const) -> Const {
    Const::Expand(ConstExpansion::new(db, pattern))
}

pub fn is_expansion(arg: GenericArg) -> bool {
    matches!(arg, GenericArg::Type(Ty::Expand(_)) | GenericArg::Value(Const::Expand(_)))
}

/// An element of a list without the expansion around it.
pub fn pattern_of(db: &dyn Db, arg: GenericArg) -> GenericArg {
    match arg {
        GenericArg::Type(Ty::Expand(expand)) => GenericArg::Type(expand.pattern(db)),
        GenericArg::Value(Const::Expand(expand)) => GenericArg::Value(expand.pattern(db)),
        arg => arg,
    }
}

/// An element with an expansion around it.
pub fn expanded(db: &dyn Db, pattern: GenericArg) -> GenericArg {
    match pattern {
        GenericArg::Type(Ty::Error) | GenericArg::Value(Const::Error) | GenericArg::Pack(_) => pattern,
        GenericArg::Type(ty) => GenericArg::Type(Ty::Expand(ExpandTy::new(db, ty))),
        GenericArg::Value(value) => GenericArg::Value(expansion_of_value(db, value)),
    }
}

/// The elements that a type stands for where a pack is wanted: those of a tuple, or an expansion.
pub fn elements_of_type(db: &dyn Db, ty: Ty) -> Option<GenericArgs> {
    match ty {
        Ty::Builtin(BuiltinType::Tuple, args) => match args.args(db) {
            [GenericArg::Pack(pack)] => Some(*pack),
            _ => None,
        },
        Ty::Expand(_) => Some(GenericArgs::new(db, Box::from([GenericArg::Type(ty)]))),
        Ty::Param(param) if generics::is_pack(db, param) => Some(whole_pack(db, param)),
        _ => None,
    }
}

/// A list of types as a tuple.
pub fn tuple_of(db: &dyn Db, list: &[GenericArg]) -> Ty {
    let types: Vec<Ty> = list
        .iter()
        .map(|arg| match arg {
            GenericArg::Type(ty) => *ty,
            GenericArg::Value(_) | GenericArg::Pack(_) => Ty::Error,
        })
        .collect();
    Ty::tuple(db, &types)
}

/// How many elements a list has.
pub fn count(db: &dyn Db, list: GenericArgs) -> Const {
    let mut known = 0;
    let mut total = Const::Value(0);
    for arg in list.args(db) {
        match pack_in(db, *arg).filter(|_| is_expansion(*arg)) {
            Some(param) => {
                total = crate::consts::binary(db, hir_def::body::BinaryOp::Add, total, Const::Count(param));
            }
            None => known += 1,
        }
    }
    crate::consts::binary(db, hir_def::body::BinaryOp::Add, total, Const::Value(known))
}

/// A parameter pack that decides how often an expansion is repeated.
fn pack_in(db: &dyn Db, arg: GenericArg) -> Option<TypeParam> {
    let mut found = None;
    let list = GenericArgs::new(db, Box::from([arg]));
    substitute::any_in_args(db, list, &mut |part| match part {
        substitute::Part::Param(param) if generics::is_pack(db, param) => {
            found = Some(param);
            true
        }
        substitute::Part::Param(_) | substitute::Part::This(_) => false,
    });
    found
}

/// The answer to a query. Symbolic where the pack is not known well enough; `None` for operands that make no sense.
pub fn query(db: &dyn Db, query: PackQuery, operands: &[GenericArg]) -> Option<Answer> {
    let Some(GenericArg::Pack(pack)) = operands.first() else { return None };
    let list = pack.args(db);
    let symbolic = || symbolic(db, query, operands);
    match query {
        PackQuery::First => match list.first() {
            Some(first) if !is_expansion(*first) => Some(Answer::One(*first)),
            Some(_) => Some(symbolic()),
            None => None,
        },
        PackQuery::Last => match list.last() {
            Some(last) if !is_expansion(*last) => Some(Answer::One(*last)),
            Some(_) => Some(symbolic()),
            None => None,
        },
        PackQuery::TrimFirst => match list.split_first() {
            Some((first, rest)) if !is_expansion(*first) => Some(Answer::Many(rest.to_vec())),
            Some(_) => Some(symbolic()),
            None => None,
        },
        PackQuery::TrimLast => match list.split_last() {
            Some((last, rest)) if !is_expansion(*last) => Some(Answer::Many(rest.to_vec())),
            Some(_) => Some(symbolic()),
            None => None,
        },
        PackQuery::Branch => {
            let [_, if_empty, otherwise] = operands else { return None };
            let chosen = if list.is_empty() {
                *if_empty
            } else if list.iter().any(|arg| !is_expansion(*arg)) {
                *otherwise
            } else {
                return Some(symbolic());
            };
            Some(match chosen {
                GenericArg::Pack(pack) => Answer::Many(pack.args(db).to_vec()),
                arg => Answer::One(arg),
            })
        }
        PackQuery::ShapeConcat | PackQuery::ShapePermute | PackQuery::ShapeSwap | PackQuery::ShapeReduce => {
            shape(db, query, list, &operands[1..])
        }
    }
}

/// Queries of packs that are shapes of tensors: their elements are sizes.
fn shape(db: &dyn Db, query: PackQuery, list: &[GenericArg], rest: &[GenericArg]) -> Option<Answer> {
    let as_list = |arg: &GenericArg| match arg {
        GenericArg::Pack(pack) => Some(pack.args(db).to_vec()),
        arg @ GenericArg::Value(_) => Some(vec![*arg]),
        GenericArg::Type(_) => None,
    };
    let index = |arg: &GenericArg| match arg {
        GenericArg::Value(Const::Value(value)) => usize::try_from(*value).ok(),
        _ => None,
    };
    let operands: Vec<GenericArg> =
        std::iter::once(GenericArg::Pack(GenericArgs::new(db, list.to_vec().into_boxed_slice())))
            .chain(rest.iter().copied())
            .collect();
    let known = |list: &[GenericArg]| !list.iter().any(|arg| is_expansion(*arg));
    match query {
        // Two tensors side by side along one axis.
        PackQuery::ShapeConcat => {
            let [other, axis] = rest else { return None };
            let other = as_list(other)?;
            let (Some(axis), true, true) = (index(axis), known(list), known(&other)) else {
                return Some(symbolic(db, query, &operands));
            };
            let (Some(GenericArg::Value(left)), Some(GenericArg::Value(right))) = (list.get(axis), other.get(axis))
            else {
                return None;
            };
            let mut joined = list.to_vec();
            joined[axis] = GenericArg::Value(crate::consts::binary(db, hir_def::body::BinaryOp::Add, *left, *right));
            Some(Answer::Many(joined))
        }
        PackQuery::ShapePermute => {
            let order: Vec<GenericArg> = rest.iter().map(as_list).collect::<Option<Vec<_>>>()?.concat();
            if !known(list) || !order.iter().all(|arg| index(arg).is_some()) {
                return Some(symbolic(db, query, &operands));
            }
            let picked = order.iter().map(|arg| list.get(index(arg)?).copied()).collect::<Option<Vec<_>>>()?;
            Some(Answer::Many(picked))
        }
        PackQuery::ShapeSwap => {
            let [first, second] = rest else { return None };
            let (Some(first), Some(second), true) = (index(first), index(second), known(list)) else {
                return Some(symbolic(db, query, &operands));
            };
            let mut swapped = list.to_vec();
            if first >= swapped.len() || second >= swapped.len() {
                return None;
            }
            swapped.swap(first, second);
            Some(Answer::Many(swapped))
        }
        PackQuery::ShapeReduce => {
            let [axis] = rest else { return None };
            let (Some(axis), true) = (index(axis), known(list)) else {
                return Some(symbolic(db, query, &operands));
            };
            let mut reduced = list.to_vec();
            if axis >= reduced.len() {
                return None;
            }
            reduced[axis] = GenericArg::Value(Const::Value(1));
            Some(Answer::Many(reduced))
        }
        PackQuery::First | PackQuery::Last | PackQuery::TrimFirst | PackQuery::TrimLast | PackQuery::Branch => None,
    }
}

/// A query that waits for its pack.
fn symbolic(db: &dyn Db, query: PackQuery, operands: &[GenericArg]) -> Answer {
    let gives_list = match query {
        PackQuery::First | PackQuery::Last => false,
        PackQuery::Branch => operands.get(1).is_some_and(|arg| matches!(arg, GenericArg::Pack(_))),
        PackQuery::TrimFirst
        | PackQuery::TrimLast
        | PackQuery::ShapeConcat
        | PackQuery::ShapePermute
        | PackQuery::ShapeSwap
        | PackQuery::ShapeReduce => true,
    };
    let of_values = match query {
        // A choice is a type or value as its branches are; a list of them as the first element of one that has any.
        PackQuery::Branch => operands[1..].iter().any(|arg| match arg {
            GenericArg::Value(_) => true,
            GenericArg::Pack(pack) => matches!(pack.args(db).first(), Some(GenericArg::Value(_))),
            GenericArg::Type(_) => false,
        }),
        _ => match operands.first() {
            Some(GenericArg::Pack(pack)) => matches!(pack.args(db).first(), Some(GenericArg::Value(_))),
            _ => false,
        },
    };
    let operands = GenericArgs::new(db, operands.to_vec().into_boxed_slice());
    let element = if of_values {
        GenericArg::Value(Const::PackQuery(ConstPackQuery::new(db, query, operands)))
    } else {
        GenericArg::Type(Ty::PackQuery(PackQueryTy::new(db, query, operands)))
    };
    if gives_list { Answer::Many(vec![expanded(db, element)]) } else { Answer::One(element) }
}

/// An expansion with everything put in that `substitution` says: one element per element of the packs that became known,
/// one expansion while none has.
pub fn expand(db: &dyn Db, env: Env, pattern: GenericArg, substitution: &Substitution) -> Vec<GenericArg> {
    let mut sources = Vec::new();
    find_sources(db, pattern, &mut sources);
    let mut known: Vec<(Source, Vec<GenericArg>)> = Vec::new();
    for source in sources {
        let list = match source {
            Source::Param(param) => match substitution.get(param) {
                Some(GenericArg::Pack(pack)) => pack.args(db).to_vec(),
                Some(GenericArg::Type(_) | GenericArg::Value(_)) | None => continue,
            },
            Source::Query(of, operands) => {
                let operands = substitute::substitute_args(db, env, operands, substitution);
                match query(db, of, operands.args(db)) {
                    Some(answer) => answer.into_list(),
                    None => continue,
                }
            }
        };
        known.push((source, list));
    }
    let put_in = |substitution: &Substitution| match pattern {
        GenericArg::Type(ty) => GenericArg::Type(substitute::substitute(db, env, ty, substitution)),
        GenericArg::Value(value) => GenericArg::Value(substitute::substitute_const(db, value, substitution)),
        GenericArg::Pack(pack) => GenericArg::Pack(substitute::substitute_args(db, env, pack, substitution)),
    };
    let Some(len) = known.iter().map(|(_, list)| list.len()).min() else {
        return vec![expanded(db, put_in(substitution))];
    };
    let element = |index: usize| {
        let mut each = substitution.clone();
        let mut stays_expansion = false;
        for (source, list) in &known {
            // An element that is itself an expansion (`expand each T` passed on) makes the result one.
            let element = list[index];
            stays_expansion |= is_expansion(element);
            let element = pattern_of(db, element);
            match *source {
                Source::Param(param) => each.replace(param, element),
                Source::Query(query, operands) => each.answer(query, operands, element),
            }
        }
        let element = put_in(&each);
        if stays_expansion { expanded(db, element) } else { element }
    };
    (0..len).map(element).collect()
}

/// What gives a pattern its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Param(TypeParam),
    Query(PackQuery, GenericArgs),
}

/// The packs in a pattern that are walked together; those inside of queries belong to the queries.
fn find_sources(db: &dyn Db, pattern: GenericArg, sources: &mut Vec<Source>) {
    let mut add = |source| {
        if !sources.contains(&source) {
            sources.push(source);
        }
    };
    let in_args = |args: GenericArgs, sources: &mut Vec<Source>| {
        args.args(db).iter().for_each(|arg| find_sources(db, *arg, sources));
    };
    match pattern {
        GenericArg::Type(ty) => match ty {
            Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral | Ty::This(_) => {}
            Ty::Param(param) => {
                if generics::is_pack(db, param) {
                    add(Source::Param(param));
                }
            }
            Ty::Builtin(_, args) | Ty::Adt(_, args) | Ty::SynthesizedDifferential(_, args) => in_args(args, sources),
            Ty::Associated(associated) => {
                find_sources(db, GenericArg::Type(associated.base(db)), sources);
                in_args(associated.interface_args(db), sources);
            }
            Ty::Function(function) => {
                for (_, param) in function.params(db) {
                    find_sources(db, GenericArg::Type(*param), sources);
                }
                find_sources(db, GenericArg::Type(function.ret(db)), sources);
            }
            // An inner expansion walks its own packs.
            Ty::Expand(_) => {}
            Ty::PackQuery(query) => query_sources(db, query.query(db), query.operands(db), sources),
        },
        GenericArg::Value(value) => match value {
            Const::Error | Const::Value(_) | Const::Unsized | Const::Count(_) | Const::Expand(_) => {}
            Const::Param(param) => {
                if generics::is_pack(db, param) {
                    add(Source::Param(param));
                }
            }
            Const::Operation(operation) => {
                find_sources(db, GenericArg::Value(operation.left(db)), sources);
                find_sources(db, GenericArg::Value(operation.right(db)), sources);
            }
            Const::PackQuery(query) => query_sources(db, query.query(db), query.operands(db), sources),
        },
        GenericArg::Pack(_) => {}
    }
}

fn query_sources(db: &dyn Db, query: PackQuery, operands: GenericArgs, sources: &mut Vec<Source>) {
    if let Answer::One(_) = symbolic(db, query, operands.args(db)) {
        return;
    }
    let source = Source::Query(query, operands);
    if !sources.contains(&source) {
        sources.push(source);
    }
}
