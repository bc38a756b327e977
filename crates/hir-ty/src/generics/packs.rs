//! Packs of types and of values: taking expansions apart, and what `__first(pack)` and its like stand for.
//!
//! A pack that is not known yet is a list with one element that is an expansion: `expand each T` for a pack of types,
//! `expand each N` for one of values. A query of such a pack stays symbolic until the pack becomes known.
//!
//! What an expansion walks are its *sources*: parameters that are packs, and queries that give several elements. Each of
//! them is written as the element that it stands for in the pattern. A list that is known (`each t` of a tuple) is the
//! query [`PackQuery::Each`].

use base_db::Db;
use hir_def::body::PackQuery;

use crate::{
    generics::{
        self,
        env::Env,
        substitute::{self, Substitution},
    },
    types::ty::{
        BuiltinType, Const, ConstExpansion, ConstPackQuery, ExpandTy, GenericArg, GenericArgs, PackQueryTy, Ty,
        TypeParam,
    },
};

/// What a query returns: one element or a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One element.
    One(GenericArg),
    /// A list of elements.
    Many(Vec<GenericArg>),
}

impl Answer {
    /// The answer as a list, of one element for one.
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
        GenericArg::Type(Ty::expand(db, Ty::Param(param)))
    };
    GenericArgs::new(db, Box::from([element]))
}

/// `expand pattern`, of values.
pub fn expansion_of_value(db: &dyn Db, pattern: Const) -> Const {
    Const::Expand(ConstExpansion::new(db, pattern))
}

/// Whether the argument stands for a list that is not known yet.
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

/// An element with an expansion over `sources` (and those that it mentions itself) around it.
pub fn expanded(db: &dyn Db, pattern: GenericArg, sources: &[GenericArg]) -> GenericArg {
    match pattern {
        GenericArg::Type(Ty::Error) | GenericArg::Value(Const::Error) | GenericArg::Pack(_) => pattern,
        GenericArg::Type(ty) => GenericArg::Type(Ty::expand_over(db, ty, sources)),
        GenericArg::Value(value) => GenericArg::Value(expansion_of_value(db, value)),
    }
}

impl Ty {
    /// `expand pattern`.
    pub fn expand(db: &dyn Db, pattern: Ty) -> Ty {
        Ty::Expand(ExpandTy::new(db, pattern, GenericArgs::empty(db)))
    }

    /// `expand pattern` that walks `sources` besides those that the pattern mentions.
    pub fn expand_over(db: &dyn Db, pattern: Ty, sources: &[GenericArg]) -> Ty {
        let mut mentioned = Vec::new();
        find_sources(db, GenericArg::Type(pattern), &mut mentioned);
        let others: Vec<GenericArg> = sources.iter().filter(|source| !mentioned.contains(source)).copied().collect();
        Ty::Expand(ExpandTy::new(db, pattern, GenericArgs::new(db, others.into_boxed_slice())))
    }
}

/// What `each` means for a value that has these elements: the type of one of them.
pub fn each_element(db: &dyn Db, list: GenericArgs) -> Ty {
    match list.args(db) {
        [GenericArg::Type(Ty::Expand(expand))] => expand.pattern(db),
        [GenericArg::Type(first), rest @ ..]
            if !matches!(first, Ty::Expand(_)) && rest.iter().all(|arg| *arg == GenericArg::Type(*first)) =>
        {
            *first
        }
        _ => each_of(db, list),
    }
}

/// The type that stands for one element of a list inside of an expansion.
pub fn each_of(db: &dyn Db, list: GenericArgs) -> Ty {
    match list.args(db) {
        [GenericArg::Type(Ty::Expand(expand))]
            if !find_sources_of(db, GenericArg::Type(expand.pattern(db))).is_empty() =>
        {
            expand.pattern(db)
        }
        _ => {
            let operands = GenericArgs::new(db, Box::from([GenericArg::Pack(list)]));
            Ty::PackQuery(PackQueryTy::new(db, PackQuery::Each, operands))
        }
    }
}

/// The sources of an element that is an expansion; none for others.
pub fn sources_of_element(db: &dyn Db, element: GenericArg) -> Vec<GenericArg> {
    let mut sources = Vec::new();
    match element {
        GenericArg::Type(Ty::Expand(expand)) => {
            find_sources(db, GenericArg::Type(expand.pattern(db)), &mut sources);
            sources.extend(expand.packs(db).args(db));
        }
        GenericArg::Value(Const::Expand(expand)) => {
            find_sources(db, GenericArg::Value(expand.pattern(db)), &mut sources);
        }
        GenericArg::Type(_) | GenericArg::Value(_) | GenericArg::Pack(_) => {}
    }
    sources
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
        if !is_expansion(*arg) {
            known += 1;
            continue;
        }
        let times = match sources_of_element(db, *arg).first() {
            Some(GenericArg::Type(Ty::Param(param)) | GenericArg::Value(Const::Param(param))) => Const::Count(*param),
            Some(_) | None => {
                let operands = GenericArg::Pack(GenericArgs::new(db, Box::from([*arg])));
                let operands = GenericArgs::new(db, Box::from([operands]));
                Const::PackQuery(ConstPackQuery::new(db, PackQuery::Count, operands))
            }
        };
        total = crate::types::consts::binary(db, hir_def::body::BinaryOp::Add, total, times);
    }
    crate::types::consts::binary(db, hir_def::body::BinaryOp::Add, total, Const::Value(known))
}

/// The answer to a query. Symbolic where the pack is not known well enough; `None` for operands that make no sense.
pub fn query(db: &dyn Db, query: PackQuery, operands: &[GenericArg]) -> Option<Answer> {
    let Some(GenericArg::Pack(pack)) = operands.first() else { return None };
    let list = pack.args(db);
    let symbolic = || symbolic(db, query, operands);
    // An element whose type is the same whichever it is: `expand (each D) + 1`.
    let same_for_all = |arg: GenericArg| find_sources_of(db, pattern_of(db, arg)).is_empty();
    match query {
        PackQuery::Each => Some(Answer::Many(list.to_vec())),
        PackQuery::Count if list.iter().any(|arg| is_expansion(*arg)) => Some(symbolic()),
        PackQuery::Count => Some(Answer::One(GenericArg::Value(Const::Value(list.len() as i64)))),
        PackQuery::First => list.first().map(|first| match *first {
            first if !is_expansion(first) || same_for_all(first) => Answer::One(pattern_of(db, first)),
            _ => symbolic(),
        }),
        PackQuery::Last => list.last().map(|last| match *last {
            last if !is_expansion(last) || same_for_all(last) => Answer::One(pattern_of(db, last)),
            _ => symbolic(),
        }),
        // Nothing is left of nothing.
        PackQuery::TrimFirst => Some(match list.split_first() {
            Some((first, _)) if is_expansion(*first) => symbolic(),
            Some((_, rest)) => Answer::Many(rest.to_vec()),
            None => Answer::Many(Vec::new()),
        }),
        PackQuery::TrimLast => Some(match list.split_last() {
            Some((last, _)) if is_expansion(*last) => symbolic(),
            Some((_, rest)) => Answer::Many(rest.to_vec()),
            None => Answer::Many(Vec::new()),
        }),
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
            joined[axis] =
                GenericArg::Value(crate::types::consts::binary(db, hir_def::body::BinaryOp::Add, *left, *right));
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
        PackQuery::Each
        | PackQuery::Count
        | PackQuery::First
        | PackQuery::Last
        | PackQuery::TrimFirst
        | PackQuery::TrimLast
        | PackQuery::Branch => None,
    }
}

/// Whether a query gives several elements.
fn gives_list(query: PackQuery, operands: &[GenericArg]) -> bool {
    match query {
        PackQuery::Count | PackQuery::First | PackQuery::Last => false,
        PackQuery::Branch => operands.get(1).is_some_and(|arg| matches!(arg, GenericArg::Pack(_))),
        PackQuery::Each
        | PackQuery::TrimFirst
        | PackQuery::TrimLast
        | PackQuery::ShapeConcat
        | PackQuery::ShapePermute
        | PackQuery::ShapeSwap
        | PackQuery::ShapeReduce => true,
    }
}

/// A query that waits for its pack.
fn symbolic(db: &dyn Db, query: PackQuery, operands: &[GenericArg]) -> Answer {
    let of_values = match query {
        PackQuery::Count => true,
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
    if !gives_list(query, operands.args(db)) {
        return Answer::One(element);
    }
    // What is left of elements that all have one type are elements of that type.
    let pattern = match (query, operands.args(db).first()) {
        (PackQuery::TrimFirst | PackQuery::TrimLast, Some(GenericArg::Pack(pack))) => match pack.args(db) {
            [only] if find_sources_of(db, pattern_of(db, *only)).is_empty() => pattern_of(db, *only),
            _ => element,
        },
        _ => element,
    };
    Answer::Many(vec![expanded(db, pattern, &[element])])
}

/// An expansion over `packs` and what `pattern` mentions, with everything put in that `substitution` says: one element per
/// element of the packs that became known, one expansion while none has.
pub fn expand(
    db: &dyn Db,
    env: Env,
    pattern: GenericArg,
    packs: &[GenericArg],
    substitution: &Substitution,
) -> Vec<GenericArg> {
    let mut sources = find_sources_of(db, pattern);
    sources.extend(packs.iter().filter(|pack| !sources.contains(pack)).copied().collect::<Vec<_>>());
    let put_in = |substitution: &Substitution| match pattern {
        GenericArg::Type(ty) => GenericArg::Type(substitute::substitute(db, env, ty, substitution)),
        GenericArg::Value(value) => GenericArg::Value(substitute::substitute_const(db, env, value, substitution)),
        GenericArg::Pack(pack) => GenericArg::Pack(substitute::substitute_args(db, env, pack, substitution)),
    };
    match elements(db, env, &sources, substitution) {
        Some(elements) => elements
            .into_iter()
            .map(|element| {
                let put_in = put_in(&element.substitution);
                if element.sources.is_empty() { put_in } else { expanded(db, put_in, &element.sources) }
            })
            .collect(),
        None => vec![expanded(db, put_in(substitution), &sources)],
    }
}

/// One step of an expansion.
#[derive(Debug, Clone)]
pub struct Element {
    /// What stands for the sources in this step.
    pub substitution: Substitution,
    /// Not empty if the step stands for many: what is expanded still walks these.
    pub sources: Vec<GenericArg>,
}

/// The steps of an expansion over `sources`; `None` if the packs are not known yet.
pub fn elements(db: &dyn Db, env: Env, sources: &[GenericArg], substitution: &Substitution) -> Option<Vec<Element>> {
    let mut known: Vec<(GenericArg, Vec<GenericArg>)> = Vec::new();
    let mut any_unknown = false;
    for source in sources {
        let list = match *source {
            GenericArg::Type(Ty::Param(param)) | GenericArg::Value(Const::Param(param)) => {
                match substitution.get(param) {
                    Some(GenericArg::Pack(pack)) => Some(pack.args(db).to_vec()),
                    Some(GenericArg::Type(_) | GenericArg::Value(_)) | None => None,
                }
            }
            GenericArg::Type(Ty::PackQuery(asked)) => {
                list_of_query(db, env, asked.query(db), asked.operands(db), substitution)
            }
            GenericArg::Value(Const::PackQuery(asked)) => {
                list_of_query(db, env, asked.query(db), asked.operands(db), substitution)
            }
            GenericArg::Type(_) | GenericArg::Value(_) | GenericArg::Pack(_) => None,
        };
        match list {
            Some(list) => known.push((*source, list)),
            None => any_unknown = true,
        }
    }
    // A list that is known from the start walks along with the packs that become known later.
    let is_each = |source: &GenericArg| matches!(source, GenericArg::Type(Ty::PackQuery(asked)) if asked.query(db) == PackQuery::Each);
    if any_unknown && known.iter().all(|(source, _)| is_each(source)) {
        return None;
    }
    let len = known.iter().map(|(_, list)| list.len()).min()?;
    let element = |index: usize| {
        let mut step = Element { substitution: substitution.clone(), sources: Vec::new() };
        for (source, list) in &known {
            // An element that is itself an expansion (`expand each T` passed on) makes the result one.
            let element = list[index];
            step.sources.extend(sources_of_element(db, element));
            let element = pattern_of(db, element);
            match *source {
                GenericArg::Type(Ty::Param(param)) | GenericArg::Value(Const::Param(param)) => {
                    step.substitution.replace(param, element);
                }
                GenericArg::Type(Ty::PackQuery(asked)) => {
                    step.substitution.answer(asked.query(db), asked.operands(db), element);
                }
                GenericArg::Value(Const::PackQuery(asked)) => {
                    step.substitution.answer(asked.query(db), asked.operands(db), element);
                }
                GenericArg::Type(_) | GenericArg::Value(_) | GenericArg::Pack(_) => {}
            }
        }
        step
    };
    Some((0..len).map(element).collect())
}

/// The elements that a query gives, if its packs are known.
fn list_of_query(
    db: &dyn Db,
    env: Env,
    asked: PackQuery,
    operands: GenericArgs,
    substitution: &Substitution,
) -> Option<Vec<GenericArg>> {
    let operands = substitute::substitute_args(db, env, operands, substitution);
    let list = query(db, asked, operands.args(db))?.into_list();
    // The same question again is no answer.
    let is_open = |arg: &GenericArg| match pattern_of(db, *arg) {
        GenericArg::Type(Ty::PackQuery(found)) => found.query(db) == asked,
        GenericArg::Value(Const::PackQuery(found)) => found.query(db) == asked,
        GenericArg::Type(_) | GenericArg::Value(_) | GenericArg::Pack(_) => false,
    };
    (!list.iter().any(is_open)).then_some(list)
}

/// The packs in a pattern that are walked together.
pub fn find_sources_of(db: &dyn Db, pattern: GenericArg) -> Vec<GenericArg> {
    let mut sources = Vec::new();
    find_sources(db, pattern, &mut sources);
    sources
}

/// The packs in a pattern that are walked together; those inside of queries belong to the queries.
pub fn find_sources(db: &dyn Db, pattern: GenericArg, sources: &mut Vec<GenericArg>) {
    let mut add = |source| {
        if !sources.contains(&source) {
            sources.push(source);
        }
    };
    let in_args = |args: GenericArgs, sources: &mut Vec<GenericArg>| {
        args.args(db).iter().for_each(|arg| find_sources(db, *arg, sources));
    };
    match pattern {
        GenericArg::Type(ty) => match ty {
            Ty::Error | Ty::Void | Ty::Scalar(_) | Ty::String | Ty::NoneLiteral | Ty::NullLiteral | Ty::This(_) => {}
            Ty::Param(param) => {
                if generics::is_pack(db, param) {
                    add(pattern);
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
            Ty::Closure(closure) => {
                for (_, ty) in closure.captures(db) {
                    find_sources(db, GenericArg::Type(*ty), sources);
                }
                find_sources(db, GenericArg::Type(closure.function_type(db)), sources);
            }
            // An inner expansion walks its own packs.
            Ty::Expand(_) => {}
            Ty::PackQuery(query) => {
                if gives_list(query.query(db), query.operands(db).args(db)) {
                    add(pattern);
                }
            }
        },
        GenericArg::Value(value) => match value {
            Const::Error | Const::Value(_) | Const::Unsized | Const::Count(_) | Const::Expand(_) => {}
            Const::Size(size) => find_sources(db, GenericArg::Type(size.ty(db)), sources),
            Const::Member(member) => find_sources(db, GenericArg::Type(member.ty(db)), sources),
            Const::Param(param) => {
                if generics::is_pack(db, param) {
                    add(pattern);
                }
            }
            Const::Choice(choice) => {
                for part in [choice.condition(db), choice.then(db), choice.otherwise(db)] {
                    find_sources(db, GenericArg::Value(part), sources);
                }
            }
            Const::Operation(operation) => {
                find_sources(db, GenericArg::Value(operation.left(db)), sources);
                find_sources(db, GenericArg::Value(operation.right(db)), sources);
            }
            Const::PackQuery(query) => {
                if gives_list(query.query(db), query.operands(db).args(db)) {
                    add(pattern);
                }
            }
        },
        GenericArg::Pack(_) => {}
    }
}
