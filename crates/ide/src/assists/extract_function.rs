//! Makes a function of the selected expression or statements: what they read of the locals around comes in as parameters,
//! what they change as `inout` parameters, and what is declared in them and used behind them is returned.

use hir_def::{
    body::{Body, Child, Expr, ExprId, LocalId, LocalKind, Stmt, StmtId},
    item::{self, GenericParamKind, ItemId, ItemKind},
    position, source_map,
};
use hir_ty::{
    differential::{differential_of, rules::derivative_rules},
    display,
    env::Env,
    infer::result::{Base, Callable, Resolution},
    signature::signature,
    ty::{BuiltinClass, Ty, TypeParam},
};
use syntax::{TextRange, TextSize};

use super::{Assist, AssistKind, Code, Selection};
use crate::{effects, mentions, semantics};

pub(super) fn extract_function(place: &Selection<'_>) -> Vec<Assist> {
    extracted(place).into_iter().collect()
}

/// The name of the new function, and what it is declared and called with between angle brackets.
struct Named {
    name: String,
    generics: Generics,
}

/// The parameters of a generic function, which what is taken out of it needs as well; those of the type around are there.
struct Generics {
    declared: String,
    given: String,
}

impl Generics {
    fn of(code: &Code<'_>) -> Option<Generics> {
        let generics = &item::item_data(code.db, code.function).generics;
        if generics.params.is_empty() {
            return Some(Generics { declared: String::new(), given: String::new() });
        }
        // How much of a call goes to a pack is told by its arguments, and other bounds than those of names are not written here.
        let is_pack = |kind: &GenericParamKind| {
            matches!(kind, GenericParamKind::Pack { .. } | GenericParamKind::ValuePack { .. })
        };
        if generics.params.iter().any(|param| is_pack(&param.kind)) || !generics.constraints.is_empty() {
            return None;
        }
        let names: Vec<&str> = generics.params.iter().map(|param| param.name.as_str()).collect();
        let declared: Vec<String> = (0..names.len() as u32)
            .map(|index| {
                display::generic_parameter_at(code.db, TypeParam::new(code.db, code.function, index), code.function)
            })
            .collect();
        Some(Generics { declared: format!("<{}>", declared.join(", ")), given: format!("<{}>", names.join(", ")) })
    }
}

/// What becomes the body of the new function.
struct Extracted {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    /// How many of the statements are selected themselves; the others are in them.
    count: usize,
    /// The type of what the new function returns.
    result: Option<Ty>,
}

fn extracted(place: &Selection<'_>) -> Option<Assist> {
    if place.range.is_empty() {
        return None;
    }
    let code = place.code_with_macros(semantics::function_at(place.db, place.position())?);
    // The brace behind which the new function stands is no macro's, and there the names mean the same.
    let (_, body) = position::absolute(place.db, code.map.owner());
    let brace = TextRange::new(body.end() - TextSize::new(u32::from(!body.is_empty())), body.end());
    let rest = TextRange::new(place.range.end().min(body.end()), body.end());
    if !code.is_spelled(place.range) || !code.is_spelled(brace) || place.defines_macros(rest) {
        return None;
    }
    let data = item::item_data(place.db, code.function);
    let around = item::container(place.db, code.function);
    if !matches!(data.kind, ItemKind::Function(_)) || !around.is_none_or(|around| holds_functions(&code, around)) {
        return None;
    }
    let name = Named { name: code.free_name("extracted"), generics: Generics::of(&code)? };
    let (declaration, call, part) =
        of_expression(place, &code, &name).or_else(|| of_statements(place, &code, &name))?;
    if code.names_local_item(&format!("{declaration}{call}")) {
        return None;
    }
    let in_derivatives = derivative_rules(place.db, code.function).is_differentiable();
    // Of a part that takes derivatives and gives none back none is wanted.
    let is_split_off = in_derivatives && !part.carries(&code);
    let mut attribute = match in_derivatives && !is_split_off {
        true => "[Differentiable]\n".to_owned(),
        false => String::new(),
    };
    // A method next to the one that it comes from.
    match (around, signature(place.db, code.function).this) {
        (Some(around), None) if !is_namespace(&code, around) => attribute.push_str("static "),
        (_, Some(this)) if this.mutating && part.changes_this(&code) => attribute.push_str("[mutating]\n"),
        _ => {}
    }
    let source = source_map::item_source(place.db, code.function).as_ref()?;
    let (file, around) = position::absolute(place.db, source.range);
    let indentation = place.indentation(around.start())?;
    let declaration = indented(&format!("{attribute}{declaration}"), &indentation);
    // In front of the function its comments would become those of the new one.
    let edits =
        vec![place.edit(place.range, call), place.edit(TextRange::empty(body.end()), format!("\n\n{declaration}"))];
    (file == place.file).then(|| Assist {
        title: match is_split_off {
            true => "Split off into a function without derivative".to_owned(),
            false => "Extract into a function".to_owned(),
        },
        kind: AssistKind::Extract,
        edits,
    })
}

fn holds_functions(code: &Code<'_>, item: ItemId) -> bool {
    let kind = &item::item_data(code.db, item).kind;
    matches!(kind, ItemKind::Namespace | ItemKind::Struct { .. } | ItemKind::Extension { .. })
}

fn is_namespace(code: &Code<'_>, item: ItemId) -> bool {
    matches!(item::item_data(code.db, item).kind, ItemKind::Namespace)
}

fn of_expression(place: &Selection<'_>, code: &Code<'_>, named: &Named) -> Option<(String, String, Extracted)> {
    let selected = code.expression_at(place)?;
    code.statement_of(selected)?;
    let part = Extracted::of(code.body, vec![selected], Vec::new())?;
    let own = code.inferred.expr_types.get(selected).copied().filter(|ty| is_plain(*ty))?;
    let is_value = !matches!(
        code.inferred.resolutions.get(&selected),
        Some(Resolution::Type(_) | Resolution::Function(_) | Resolution::Namespace(_))
    );
    let inputs = part.locals(code)?;
    // What reads nothing may have to be a constant where it stands.
    if inputs.is_empty() || !is_value || !part.writes(code).is_empty() {
        return None;
    }
    let params = inputs.iter().map(|local| code.param(*local, "")).collect::<Option<Vec<_>>>()?;
    let arguments: Vec<&str> = inputs.iter().map(|local| code.body.store.locals[*local].name.as_str()).collect();
    let (text, ret) = (place.text(place.range)?, code.spelled(own));
    let Named { name, generics: Generics { declared, given } } = named;
    let declaration = format!("{ret} {name}{declared}({})\n{{\n    return {text};\n}}", params.join(", "));
    Some((declaration, format!("{name}{given}({})", arguments.join(", ")), Extracted { result: Some(own), ..part }))
}

fn of_statements(place: &Selection<'_>, code: &Code<'_>, named: &Named) -> Option<(String, String, Extracted)> {
    let selected = code.statements_at(place)?;
    let part = Extracted::of(code.body, Vec::new(), selected)?;
    if part.leaves(code.body) {
        return None;
    }
    let is_inside = |local: &LocalId| {
        let (_, declared) = position::absolute(code.db, code.map.local(*local));
        place.range.contains_range(declared)
    };
    let used = part.locals(code)?;
    let written = part.writes(code);
    let mut params = Vec::new();
    let mut arguments = Vec::new();
    for &local in used.iter().filter(|local| !is_inside(local)) {
        let direction = match written.contains(&local) {
            true if part.gives(code, local) => "out ",
            true => "inout ",
            false => "",
        };
        params.push(code.param(local, direction)?);
        arguments.push(code.body.store.locals[local].name.as_str());
    }
    // What is declared here and used behind it is the result.
    let mut results: Vec<LocalId> = Vec::new();
    for (expr, resolution) in code.inferred.resolutions.iter() {
        if let Resolution::Local(local) = resolution
            && is_inside(local)
            && !part.exprs.contains(&expr)
            && !results.contains(local)
        {
            results.push(*local);
        }
    }
    let text = place.text(place.range)?;
    let outer = place.indentation(place.range.start()).unwrap_or_default();
    let lines: Vec<String> = text.lines().map(|line| line.strip_prefix(&outer).unwrap_or(line).to_owned()).collect();
    let body = indented(&lines.join("\n"), "    ");
    let Named { name, generics: Generics { declared, given } } = named;
    // Of several results each is an `out` parameter with a name of its own.
    let next = place.indentation(place.range.start()).map_or(" ".to_owned(), |outer| format!("\n{outer}"));
    let (mut before, mut behind) = (String::new(), String::new());
    let mut several: Vec<Ty> = Vec::new();
    for local in results.iter().filter(|_| results.len() > 1) {
        let ty = code.inferred.local_types.get(*local).copied().filter(|ty| is_plain(*ty))?;
        let (inside, shown) = (&code.body.store.locals[*local].name, code.spelled(ty));
        let outside = code.free_name(&format!("{inside}Out"));
        params.push(format!("out {shown} {outside}"));
        arguments.push(inside.as_str());
        before.push_str(&format!("{shown} {inside};{next}"));
        behind.push_str(&format!("\n    {outside} = {inside};"));
        several.push(ty);
    }
    let head = format!("{name}{declared}({})", params.join(", "));
    let call = format!("{name}{given}({});", arguments.join(", "));
    match results.as_slice() {
        [] => Some((format!("void {head}\n{{\n{body}\n}}"), call, part)),
        [result] => {
            let ty = code.inferred.local_types.get(*result).copied().filter(|ty| is_plain(*ty))?;
            let data = &code.body.store.locals[*result];
            let keyword = if data.kind == LocalKind::Let { "let".to_owned() } else { code.spelled(ty) };
            let ret = code.spelled(ty);
            let declaration = format!("{ret} {head}\n{{\n{body}\n    return {};\n}}", data.name);
            Some((declaration, format!("{keyword} {} = {call}", data.name), Extracted { result: Some(ty), ..part }))
        }
        _ => {
            let carries = |ty: &Ty| differential_of(code.db, Env::of(code.db, code.function), *ty).is_some();
            let result = several.iter().copied().find(carries).or(several.first().copied());
            let declaration = format!("void {head}\n{{\n{body}{behind}\n}}");
            Some((declaration, format!("{before}{call}"), Extracted { result, ..part }))
        }
    }
}

fn indented(text: &str, indentation: &str) -> String {
    let lines = text.lines().map(|line| match line.is_empty() {
        true => String::new(),
        false => format!("{indentation}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether values of a type can be given to a function and back, whatever they are.
fn is_plain(ty: Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Adt(..) | Ty::Param(_) => true,
        Ty::Builtin(kind, _) => matches!(kind.class(), BuiltinClass::Numeric | BuiltinClass::Composite),
        _ => false,
    }
}

impl Code<'_> {
    /// The statements of one block that are just what is selected.
    fn statements_at(&self, place: &Selection<'_>) -> Option<Vec<StmtId>> {
        let store = &self.body.store;
        let range = |stmt: &StmtId| position::absolute(self.db, self.map.stmt(*stmt)).1;
        store.stmts.iter().find_map(|(_, stmt)| {
            let Stmt::Block(stmts) = stmt else { return None };
            let selected: Vec<StmtId> =
                stmts.iter().copied().filter(|stmt| place.range.contains_range(range(stmt))).collect();
            let whole = range(selected.first()?).cover(range(selected.last()?));
            (whole == place.range && self.map.owner().segment.file(self.db) == place.file).then_some(selected)
        })
    }

    /// Whether a text names a type or function that only the body knows.
    fn names_local_item(&self, text: &str) -> bool {
        let own = item::local_items(self.db, self.function).iter();
        let names: Vec<_> = own.filter_map(|item| item::item_data(self.db, *item).name.clone()).collect();
        names.iter().any(|name| mentions::words(text, name.as_str()).next().is_some())
    }

    /// A type as it is written next to the function.
    fn spelled(&self, ty: Ty) -> String {
        display::display_at(self.db, ty, self.function)
    }

    /// A local as a parameter of its name.
    fn param(&self, local: LocalId, direction: &str) -> Option<String> {
        let ty = self.inferred.local_types.get(local).copied().filter(|ty| is_plain(*ty))?;
        let name = &self.body.store.locals[local].name;
        Some(format!("{direction}{} {name}", self.spelled(ty)))
    }
}

impl Extracted {
    /// All that is inside of some expressions and statements; `None` where that is more than can be told.
    fn of(body: &Body, exprs: Vec<ExprId>, stmts: Vec<StmtId>) -> Option<Extracted> {
        let mut part = Extracted { count: stmts.len(), exprs, stmts, result: None };
        let (mut next_expr, mut next_stmt) = (0, 0);
        loop {
            if let Some(stmt) = part.stmts.get(next_stmt).copied() {
                next_stmt += 1;
                body.store.stmts[stmt].for_each_child(|child| match child {
                    Child::Stmt(stmt) => part.stmts.push(stmt),
                    Child::Expr(expr) => part.exprs.push(expr),
                });
            } else if let Some(expr) = part.exprs.get(next_expr).copied() {
                next_expr += 1;
                match &body.store.exprs[expr] {
                    Expr::Lambda { .. } | Expr::Missing | Expr::Unsupported(_) => return None,
                    expr => expr.for_each_operand(|operand| part.exprs.push(operand)),
                }
            } else {
                return Some(part);
            }
        }
    }

    /// The locals that are used, in the order of their declarations; `None` where one cannot be handed on.
    fn locals(&self, code: &Code<'_>) -> Option<Vec<LocalId>> {
        let mut locals: Vec<LocalId> = Vec::new();
        for expr in &self.exprs {
            match code.inferred.resolutions.get(expr) {
                Some(Resolution::Local(local)) if !locals.contains(local) => locals.push(*local),
                _ => {}
            }
        }
        locals.sort();
        // One instance for all calls, and a constant that sizes arrays, cannot be handed on.
        let is_variable = |local: &LocalId| {
            let kind = code.body.store.locals[*local].kind;
            matches!(kind, LocalKind::Param { .. } | LocalKind::Variable | LocalKind::Let)
        };
        locals.iter().all(is_variable).then_some(locals)
    }

    /// Whether the first that happens to a local is that all of it gets a value.
    fn gives(&self, code: &Code<'_>, local: LocalId) -> bool {
        let store = &code.body.store;
        let mentions =
            |expr: &ExprId| matches!(code.inferred.resolutions.get(expr), Some(Resolution::Local(of)) if *of == local);
        let statements =
            self.stmts.iter().take(self.count).map(|stmt| Extracted::of(code.body, Vec::new(), vec![*stmt]));
        let mut touching = statements.flatten().filter(|part| part.exprs.iter().any(mentions));
        let Some(first) = touching.next() else { return false };
        let Some(Stmt::Expr(assignment)) = first.stmts.first().map(|stmt| &store.stmts[*stmt]) else { return false };
        let Expr::Assign { op: None, target, value } = &store.exprs[*assignment] else { return false };
        let reads =
            Extracted::of(code.body, vec![*value], Vec::new()).is_none_or(|part| part.exprs.iter().any(mentions));
        mentions(target) && !reads
    }

    /// Whether something may be put into what the method is called of.
    fn changes_this(&self, code: &Code<'_>) -> bool {
        let is_inside = |place: &ExprId| self.exprs.contains(place);
        let mut written = effects::written(code.db, code.function).into_iter().filter(is_inside);
        let calls = self.exprs.iter().filter_map(|expr| code.inferred.resolutions.get(expr));
        let changes = |resolution: &Resolution| match resolution {
            Resolution::Call(call) => match (call.this, &call.callee) {
                (Some(Base::ImplicitThis), Callable::Function(callee)) => {
                    signature(code.db, callee.item).this.is_some_and(|this| this.mutating)
                }
                _ => false,
            },
            _ => false,
        };
        written.any(|place| effects::local_of(code.body, code.inferred, place).is_none())
            || calls.into_iter().any(changes)
    }

    /// The locals that something is put into.
    fn writes(&self, code: &Code<'_>) -> Vec<LocalId> {
        let written = effects::written(code.db, code.function).into_iter();
        let written = written.filter(|place| self.exprs.contains(place));
        written.filter_map(|place| effects::local_of(code.body, code.inferred, place)).collect()
    }

    /// Whether derivatives come out: of the result, or of what is changed.
    fn carries(&self, code: &Code<'_>) -> bool {
        let carries = |ty: Ty| differential_of(code.db, Env::of(code.db, code.function), ty).is_some();
        let of_local = |local: LocalId| code.inferred.local_types.get(local).copied().is_some_and(carries);
        let changes_receiver = || {
            let this = signature(code.db, code.function).this;
            this.is_some_and(|this| this.mutating && carries(this.ty)) && self.changes_this(code)
        };
        self.result.is_some_and(carries) || self.writes(code).into_iter().any(of_local) || changes_receiver()
    }

    /// Whether control goes elsewhere than behind the last statement.
    fn leaves(&self, body: &Body) -> bool {
        self.stmts.iter().any(|stmt| match body.store.stmts[*stmt] {
            Stmt::Return(_)
            | Stmt::Break(_)
            | Stmt::Continue
            | Stmt::Discard
            | Stmt::Defer(_)
            | Stmt::Throw(_)
            | Stmt::Labeled { .. }
            | Stmt::DoCatch { .. }
            | Stmt::TargetSwitch { .. }
            | Stmt::CompileTimeFor { .. }
            | Stmt::IntrinsicAsm(_)
            | Stmt::RequireCapability(_)
            | Stmt::Missing
            | Stmt::Unsupported(_) => true,
            Stmt::Empty
            | Stmt::Expr(_)
            | Stmt::Let { .. }
            | Stmt::Block(_)
            | Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::While { .. }
            | Stmt::DoWhile { .. }
            | Stmt::Switch { .. }
            | Stmt::Sequence(_)
            | Stmt::StaticAssert { .. } => false,
        })
    }
}
