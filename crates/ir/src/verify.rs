//! Checks that a module is what the rest of the compiler may rely on. Every pass must leave a module that passes.
//!
//! # Rules of a module ([`Rule`])
//! - `Name`: structs, sums, functions, globals and entry points have names that are unique among their kind.
//! - `Type`: vectors and matrices have 1 to 4 rows and columns; no type contains itself by value; nesting is limited.
//! - `Differential`: a struct's differential maps each field to none or to a field of the differential (a struct then)
//!   whose type is the field's differential; only differentiable fields that are not `no_diff` are mapped. `dadd` is
//!   `(D, D) -> D` and `dzero` is `() -> D`. A sum's differential is a sum.
//! - `Global`: globals are of handle type; `static` and `groupshared` ones are variables; an initialiser is
//!   `() -> content`.
//! - `EntryPoint`: its function has a body and neither inputs nor results; no side of the group is 0.
//! - `FuncRules`: a primal substitute has the signature of its function; a forward derivative that of `Jvp`, a
//!   backward derivative that of `Vjp`, as [`crate::Callee`] says. Only declared or present functions are named.
//! - `Signature`: differentiable inputs and results are of differentiable type; the body's parameters have the inputs'
//!   types.
//!
//! # Rules of a body
//! - `Id`: ids of values, ops, regions, types, spans, functions and globals exist.
//! - `Tree`: each op and each region is in the body at most once; what a value says of its definition is true.
//! - `Depth`: regions nest at most [`MAX_REGION_DEPTH`] deep.
//! - `Visible`: an operand is defined before, in its region or in one around it.
//! - `Operands`: an op's operands have the types and the count that [`Op`] states, paths fit what they start from,
//!   dynamic indices are integers, and only writable memory is written.
//! - `Results`: so for results.
//! - `Constant`: a constant is of the kind of its scalar type and in its range.
//! - `Call`: arguments and results are those of the callee, or of the derivative of it that is called.
//! - `Regions`: an op's regions have the parameters that [`Op`] states; a sum match has one region per variant, and one
//!   for null just if the sum has that; no value is in two cases of a `switch`.
//! - `Terminator`: the body ends in `return`; a loop's condition ends in `yield`; other regions end in `yield`,
//!   `return`, `break` or `continue`; any of them may be `unreachable`. `break` and `continue` are inside a loop's body,
//!   `return` is not inside a loop's condition. The values have the types that their receiver wants.
//!
//! Deliberately not checked: the order of effects, termination of loops and recursion, and whether a bound of a loop is
//! true.

mod body;
mod op_types;
mod signature;
mod verified;

pub use op_types::bitcast_fits;
pub use verified::{Rejected, VerifiedModule};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    FuncId, GlobalKind, HandleType, Module, OpId, Type, TypeId,
    print::{ValueNames, print_type},
    types::TypeTable,
};

#[cfg(doc)]
use crate::Op;

/// How deep regions may nest: recursive passes rely on it.
pub const MAX_REGION_DEPTH: usize = ::diagnostics::limits::IR_REGIONS as usize;

/// How deep types may nest by value: recursive functions over types rely on it.
pub const MAX_TYPE_DEPTH: usize = ::diagnostics::limits::IR_TYPES as usize;

/// A rule of the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Names are there, and unique where they have to be.
    Name,
    /// Types are well-formed.
    Type,
    /// Differentials fit their types.
    Differential,
    /// Module-level variables have handles and initialisers that fit.
    Global,
    /// Entry points take and return nothing.
    EntryPoint,
    /// Derivatives of a function have the signatures of the convention.
    FuncRules,
    /// Inputs and results fit the body.
    Signature,
    /// Ids are those of things that exist.
    Id,
    /// Each operation and region is in one place.
    Tree,
    /// Nothing nests deeper than the limits.
    Depth,
    /// What is used was defined before, in a region around it.
    Visible,
    /// Operands are as many, and of types, as the operation wants.
    Operands,
    /// Results are as many, and of types, as the operation makes.
    Results,
    /// Constants fit their types.
    Constant,
    /// Arguments and results fit the callee.
    Call,
    /// Regions take and yield what the operation around them wants.
    Regions,
    /// A region ends as its place wants.
    Terminator,
}

/// A broken rule: a mistake in the pass that made the module, never in the user's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// Which rule is broken.
    pub rule: Rule,
    /// In which function, if in one.
    pub func: Option<FuncId>,
    /// At which operation, if at one.
    pub op: Option<OpId>,
    /// A sentence with the names that the text form gives to functions and values.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.message)
    }
}

/// Checks a whole module.
pub(crate) fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let mut report = |rule, func, message| errors.push(VerifyError { rule, func, op: None, message });
    let types_are_finite = verify_types(module, &mut report);
    if !types_are_finite {
        // Everything else walks types.
        return Err(errors);
    }
    verify_names(module, &mut report);
    verify_differentials(module, &mut report);
    verify_globals(module, &mut report);
    verify_entry_points(module, &mut report);
    for (id, _) in module.funcs.iter() {
        signature::verify_signature(module, id, &mut report);
    }
    for (id, _) in module.funcs.iter() {
        body::verify_body(module, id, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Errors with the text of the module, for the message of a failing test or a bug report.
pub(crate) fn describe(module: &Module, errors: &[VerifyError]) -> String {
    let mut text = String::new();
    for error in errors {
        let func = error.func.map_or(String::new(), |func| format!(" in @{}", module.funcs[func].name));
        text.push_str(&format!("{error}{func}\n"));
    }
    text.push_str(&crate::print::print_module(module));
    text
}

type Report<'a> = dyn FnMut(Rule, Option<FuncId>, String) + 'a;

/// The name of a type that may not exist.
fn type_text(types: &TypeTable, ty: TypeId) -> String {
    if types.contains(ty) { print_type(types, ty) } else { "a type of another module".into() }
}

fn has_duplicate<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = FxHashSet::default();
    let mut names = names;
    names.find(|&name| !seen.insert(name))
}

fn verify_names(module: &Module, report: &mut Report<'_>) {
    let structs = has_duplicate(module.types.structs.iter().map(|(_, def)| def.name.as_str()));
    let sums = has_duplicate(module.types.sums.iter().map(|(_, def)| def.name.as_str()));
    let funcs = has_duplicate(module.funcs.iter().map(|(_, func)| func.name.as_str()));
    let globals = has_duplicate(module.globals.iter().map(|(_, global)| global.name.as_str()));
    let entry_points = has_duplicate(module.entry_points.iter().map(|entry| entry.name.as_str()));
    for (kind, name) in
        [("struct", structs), ("sum", sums), ("function", funcs), ("global", globals), ("entry point", entry_points)]
    {
        if let Some(name) = name {
            report(Rule::Name, None, format!("two {kind}s are called `{name}`"));
        }
    }
}

/// Whether every type has a finite size; reports those that have not.
fn verify_types(module: &Module, report: &mut Report<'_>) -> bool {
    let types = &module.types;
    let mut depths: FxHashMap<TypeId, Option<usize>> = FxHashMap::default();
    let mut finite = true;
    for (id, ty) in types.iter() {
        match ty {
            Type::Vector { len, .. } if !(1..=4).contains(&len) => {
                report(Rule::Type, None, format!("a vector of {len} elements"));
            }
            Type::Matrix { rows, cols, .. } if !(1..=4).contains(&rows) || !(1..=4).contains(&cols) => {
                report(Rule::Type, None, format!("a matrix of {rows} rows and {cols} columns"));
            }
            _ => {}
        }
        if let Err(message) = value_depth(types, id, &mut depths, 0) {
            report(Rule::Type, None, message);
            finite = false;
        }
    }
    finite
}

/// How deep the type nests by value. `None` in the map: being computed, so meeting it again is a cycle.
fn value_depth(
    types: &TypeTable,
    ty: TypeId,
    depths: &mut FxHashMap<TypeId, Option<usize>>,
    level: usize,
) -> Result<usize, String> {
    match depths.get(&ty) {
        Some(Some(depth)) => return Ok(*depth),
        Some(None) => return Err("a type contains itself by value".into()),
        None => {}
    }
    if level > MAX_TYPE_DEPTH {
        return Err(format!("types nest more than {MAX_TYPE_DEPTH} deep"));
    }
    let parts: Vec<TypeId> = match types.get(ty) {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Handle(_) | Type::Opaque(_) => Vec::new(),
        Type::Array { element, .. } => vec![element],
        Type::Struct(id) => types.structs[id].fields.iter().map(|field| field.ty).collect(),
        Type::Sum(id) => types.sums[id].variants.iter().map(|variant| variant.ty).collect(),
    };
    depths.insert(ty, None);
    let mut depth = 0;
    for part in parts {
        if !types.contains(part) {
            return Err("a type has a part of another module's type".into());
        }
        depth = depth.max(1 + value_depth(types, part, depths, level + 1)?);
    }
    depths.insert(ty, Some(depth));
    if depth > MAX_TYPE_DEPTH {
        return Err(format!("types nest more than {MAX_TYPE_DEPTH} deep"));
    }
    Ok(depth)
}

fn verify_differentials(module: &Module, report: &mut Report<'_>) {
    let types = &module.types;
    let mut wrong =
        |name: &str, what: String| report(Rule::Differential, None, format!("the differential of `{name}` {what}"));
    for (_, def) in types.structs.iter() {
        let Some(differential) = &def.differential else { continue };
        if !types.contains(differential.ty) {
            wrong(&def.name, "is a type of another module".into());
            continue;
        }
        if differential.fields.len() != def.fields.len() {
            wrong(&def.name, format!("maps {} of {} fields", differential.fields.len(), def.fields.len()));
            continue;
        }
        for (field, target) in def.fields.iter().zip(&differential.fields) {
            let Some(target) = *target else { continue };
            let target_field = match types.get(differential.ty) {
                Type::Struct(id) => types.structs[id].fields.get(target as usize),
                _ => None,
            };
            match target_field {
                None => wrong(&def.name, format!("has no field {target} for `{}`", field.name)),
                Some(target_field) => {
                    if field.no_diff {
                        wrong(&def.name, format!("has a place for `{}`, which is `no_diff`", field.name));
                    }
                    if !types.is_differential_of(field.ty, target_field.ty) {
                        let ty = type_text(types, target_field.ty);
                        wrong(&def.name, format!("gives `{}` the differential {ty}", field.name));
                    }
                }
            }
        }
        let d = differential.ty;
        for (word, func, inputs) in [("dadd", differential.dadd, vec![d, d]), ("dzero", differential.dzero, vec![])] {
            let Some(func) = func else { continue };
            let fits = signature::contains_func(module, func)
                && module.funcs[func].inputs.iter().map(|input| input.ty).eq(inputs)
                && module.funcs[func].results.iter().map(|result| result.ty).eq([d]);
            if !fits {
                wrong(&def.name, format!("has a `{word}` of another signature"));
            }
        }
    }
    for (_, def) in types.sums.iter() {
        let Some(differential) = def.differential else { continue };
        if !types.contains(differential) || !matches!(types.get(differential), Type::Sum(_)) {
            wrong(&def.name, "is not a sum".into());
        }
    }
}

fn verify_globals(module: &Module, report: &mut Report<'_>) {
    for (_, global) in module.globals.iter() {
        let mut wrong = |what: &str| report(Rule::Global, None, format!("the global `{}` {what}", global.name));
        if !module.types.contains(global.ty) {
            wrong("is of another module's type");
            continue;
        }
        let Type::Handle(handle) = module.types.get(global.ty) else {
            wrong("is not of handle type");
            continue;
        };
        match (global.kind, handle) {
            (GlobalKind::Parameter, _) | (GlobalKind::GroupShared, HandleType::Variable { .. }) => {}
            (GlobalKind::Static { init }, HandleType::Variable { content }) => {
                let fits = init.is_none_or(|init| {
                    signature::contains_func(module, init)
                        && module.funcs[init].inputs.is_empty()
                        && module.funcs[init].results.iter().map(|result| result.ty).eq([content])
                });
                if !fits {
                    wrong("has an initialiser of another signature");
                }
            }
            (GlobalKind::Static { .. } | GlobalKind::GroupShared, _) => wrong("is not a variable"),
        }
    }
}

fn verify_entry_points(module: &Module, report: &mut Report<'_>) {
    for entry in &module.entry_points {
        let mut wrong = |what: &str| report(Rule::EntryPoint, None, format!("the entry point `{}` {what}", entry.name));
        if !entry.functions().all(|func| signature::contains_func(module, func)) {
            wrong("has a function of another module");
            continue;
        }
        for func in entry.functions().map(|func| &module.funcs[func]) {
            if !func.inputs.is_empty() || !func.results.is_empty() {
                wrong("has a function with inputs or results");
            }
            if func.body.is_none() {
                wrong("has a function without body");
            }
        }
        if entry.group_size.contains(&0) {
            wrong("has a group size of 0");
        }
    }
}

/// Value names, made when the first error needs them.
struct Names<'a> {
    func: &'a crate::Func,
    names: Option<ValueNames>,
}

impl Names<'_> {
    fn get(&mut self, value: crate::ValueId) -> String {
        let names = self.names.get_or_insert_with(|| ValueNames::of(self.func));
        format!("%{}", names.get(value))
    }
}

#[cfg(test)]
#[path = "tests/verify.rs"]
mod tests;
