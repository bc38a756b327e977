//! Whose type it is: behind an interface each value has a type of its own, with associated types of its own.
//!
//! What one value makes cannot be handed to another: the code behind that would read the bits of another type. slangc gives the
//! type behind each value a name (it "opens" the value), and says E30019 where names differ; variables keep theirs. Here the
//! types are those of the interface, and which variable they belong to is followed through the body. Parameters count as well
//! (slangc's do not), and variables do only if no other value comes into them.

use base_db::Db;
use diagnostics::codes;
use hir_def::{
    body::{Expr, ExprId, LocalId, LocalKind, Stmt},
    type_ref::{Path, TypeRef},
};
use hir_ty::{
    diagnostics::Node,
    display::display,
    extension, generics,
    infer::result::{Argument, Base, CallResolution, Callable, Resolution},
    signature::{self, FunctionRef},
    substitute::{self, Unknown},
    ty::{GenericArg, GenericArgs, ParamDirection, Ty},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::CheckedBody;

/// E30019 at a value of another type than the one behind the interface that is asked for; E39999 (slangc: E30442) where several
/// arguments say what one generic parameter is, each behind an interface.
pub(super) fn check(body: &mut CheckedBody<'_>) {
    if !uses_interfaces(body) {
        return;
    }
    let mut opened = Opened { body, owners: FxHashMap::default(), replaced: FxHashSet::default() };
    opened.replaced = opened.find_replaced();
    let mut found = Vec::new();
    // Statements stand in the order of the text, declarations in front of what uses them.
    for (_, stmt) in opened.body.body.store.stmts.iter() {
        if let Stmt::Let { local, init } = stmt
            && let Some(owner) = opened.declaration(*local, *init, &mut found)
        {
            opened.owners.insert(*local, owner);
        }
    }
    for (id, expr) in opened.body.body.store.exprs.iter() {
        if let Expr::Assign { op: None, target, value } = expr {
            opened.assignment(*target, *value, &mut found);
        }
        match opened.body.inferred.resolutions.get(&id) {
            Some(Resolution::Call(call)) => opened.call(id, call, &mut found),
            Some(Resolution::Property { base: Base::Expr(base), get, set, args }) => {
                if let Some(function) = get.as_ref().or(set.as_ref()) {
                    opened.arguments(Some(*base), function, args, &mut found);
                }
            }
            _ => {}
        }
    }
    for Finding { node, kind } in found {
        let (code, message) = match kind {
            FindingKind::AnotherType { wanted } => (
                codes::TYPE_MISMATCH,
                format!(
                    "'{wanted}' is the type behind one value of an interface, which is not known to be that of this one; a \
                     variable that is not assigned again keeps its type, and a generic function takes several values of one type"
                ),
            ),
            FindingKind::SeveralTypes { interface, parameter } => (
                codes::CANNOT_RESOLVE,
                format!(
                    "'{parameter}' cannot be deduced: several arguments say what it is, and types behind values of \
                     '{interface}' are not known to be the same"
                ),
            ),
        };
        body.report(code, node, message);
    }
}

struct Finding {
    node: Node,
    kind: FindingKind,
}

enum FindingKind {
    AnotherType { wanted: String },
    SeveralTypes { interface: String, parameter: String },
}

/// Whether anything in the body is a value of an interface: most bodies have none.
fn uses_interfaces(body: &CheckedBody<'_>) -> bool {
    let mut types = body.inferred.expr_types.iter().map(|(_, ty)| *ty);
    types.any(|ty| extension::is_interface(body.db, ty))
}

struct Opened<'a, 'db> {
    body: &'a CheckedBody<'db>,
    /// The variable whose type, or an associated one of it, another variable has.
    owners: FxHashMap<LocalId, LocalId>,
    /// Variables that other values come into.
    replaced: FxHashSet<LocalId>,
}

impl Opened<'_, '_> {
    fn db(&self) -> &dyn Db {
        self.body.db
    }

    fn ty(&self, expr: ExprId) -> Ty {
        self.body.inferred.expr_types.get(expr).copied().unwrap_or(Ty::Error)
    }

    fn is_interface(&self, ty: Ty) -> bool {
        extension::is_interface(self.db(), ty)
    }

    /// Whether values of the type belong to one value of an interface: an associated type of what is behind it is in it.
    fn belongs_to_value(&self, ty: Ty) -> bool {
        let in_args = |args: GenericArgs| {
            args.args(self.db()).iter().any(|arg| match arg {
                GenericArg::Type(ty) => self.belongs_to_value(*ty),
                GenericArg::Value(_) | GenericArg::Pack(_) => false,
            })
        };
        match ty {
            Ty::Associated(associated) => {
                let base = associated.base(self.db());
                self.is_interface(base) || self.belongs_to_value(base)
            }
            Ty::Builtin(_, args) | Ty::Adt(_, args) => in_args(args),
            _ => false,
        }
    }

    /// Whether the type of a requirement's parameter or result is, or holds, the type that conforms or an associated one of it.
    fn is_of_receiver(&self, declared: Ty) -> bool {
        substitute::any(self.db(), declared, &mut |part| matches!(part, Unknown::This(_)))
    }

    fn variable(&self, expr: ExprId) -> Option<LocalId> {
        match self.body.inferred.resolutions.get(&expr) {
            Some(Resolution::Local(local)) => Some(*local),
            _ => None,
        }
    }

    /// Variables that are assigned, or come out of a call.
    fn find_replaced(&self) -> FxHashSet<LocalId> {
        let mut replaced = FxHashSet::default();
        for (id, expr) in self.body.body.store.exprs.iter() {
            if let Expr::Assign { target, .. } = expr {
                replaced.extend(self.variable(*target));
            }
            let Some(Resolution::Call(call)) = self.body.inferred.resolutions.get(&id) else { continue };
            let params: &[_] = match &call.callee {
                Callable::Function(function) => &signature::signature(self.db(), function.item).params,
                // What comes out of these is not looked for: everything may.
                Callable::Derivative { .. } | Callable::Value(_) => &[],
                Callable::Make(_) | Callable::Synthesized { .. } => continue,
            };
            for (index, argument) in call.args.iter().enumerate() {
                let comes_out = params.get(index).is_none_or(|param| match param.direction {
                    ParamDirection::Out | ParamDirection::InOut | ParamDirection::Ref => true,
                    ParamDirection::In | ParamDirection::ConstRef => false,
                });
                if let Argument::Expr(argument) = argument
                    && comes_out
                {
                    replaced.extend(self.variable(*argument));
                }
            }
        }
        replaced
    }

    /// Whose type a variable has.
    fn declaration(&self, local: LocalId, init: Option<ExprId>, found: &mut Vec<Finding>) -> Option<LocalId> {
        let store = &self.body.body.store;
        let ty = *self.body.inferred.local_types.get(local)?;
        let given = init.and_then(|init| self.of(init));
        let written = match store.locals[local].ty.map(|ty| &store.type_refs[ty]) {
            None | Some(TypeRef::Infer) => {
                let keeps_type = self.belongs_to_value(ty) || !self.replaced.contains(&local);
                return given.filter(|_| keeps_type);
            }
            Some(TypeRef::Path(path)) => {
                let before = store.locals.iter().map(|(id, _)| id).take_while(|id| *id != local);
                self.of_path(path, before)
            }
            Some(_) => None,
        };
        if !self.belongs_to_value(ty) {
            // Where the interface is written, a value of its own begins.
            return None;
        }
        if let (Some(owner), Some(init)) = (written, init)
            && given != Some(owner)
        {
            found.push(self.another_type(Node::Expr(init), ty));
        }
        written.or(given)
    }

    /// The variable whose type, or an associated one of it, the expression has.
    fn of(&self, expr: ExprId) -> Option<LocalId> {
        let store = &self.body.body.store;
        if let Expr::Ternary { then, otherwise, .. } = &store.exprs[expr] {
            return self.of(*then).filter(|value| self.of(*otherwise) == Some(*value));
        }
        match self.body.inferred.resolutions.get(&expr)? {
            Resolution::Local(local) => self.of_local(*local),
            Resolution::Call(call) => match (&call.callee, call.this) {
                (Callable::Function(function), Some(Base::Expr(receiver))) if self.is_interface(self.ty(receiver)) => {
                    self.made_by(receiver, function)
                }
                _ if self.belongs_to_value(self.ty(expr)) => self.of_callee(expr).or_else(|| self.of_all(&call.args)),
                _ => None,
            },
            Resolution::Property { base: Base::Expr(base), get: Some(get), .. } => self.made_by(*base, get),
            Resolution::Field { base: Base::Expr(base), .. } | Resolution::Element { base, .. } => {
                self.belongs_to_value(self.ty(expr)).then(|| self.of(*base))?
            }
            _ => None,
        }
    }

    /// `value.Associated(…)`, `value.Associated::make(…)`: the last variable in front of the call that the path may begin with.
    fn of_callee(&self, call: ExprId) -> Option<LocalId> {
        let store = &self.body.body.store;
        let Expr::Call { callee, .. } = &store.exprs[call] else { return None };
        let path = store.as_path(*callee)?;
        let begun = store.stmts.iter().filter_map(|(_, stmt)| match stmt {
            Stmt::Let { local, init: Some(init) } if init.into_raw() < call.into_raw() => Some(*local),
            _ => None,
        });
        let params = store.locals.iter().filter(|(_, local)| matches!(local.kind, LocalKind::Param { .. }));
        self.of_path(&path, params.map(|(local, _)| local).chain(begun))
    }

    /// `value.Associated`: the last of some variables that the path may begin with.
    fn of_path(&self, path: &Path, among: impl Iterator<Item = LocalId>) -> Option<LocalId> {
        let first = path.segments.first()?;
        let named = among.filter(|local| self.body.body.store.locals[*local].name == first.name);
        self.of_local(named.last()?)
    }

    fn of_local(&self, local: LocalId) -> Option<LocalId> {
        self.owners.get(&local).copied().or_else(|| {
            let ty = *self.body.inferred.local_types.get(local)?;
            (self.is_interface(ty) && !self.replaced.contains(&local)).then_some(local)
        })
    }

    /// A generic function gives back what it was given: the one variable that all arguments of such types belong to.
    fn of_all(&self, args: &[Argument]) -> Option<LocalId> {
        let mut owner = None;
        for argument in args {
            let Argument::Expr(argument) = argument else { continue };
            let ty = self.ty(*argument);
            if self.is_interface(ty) || self.belongs_to_value(ty) {
                let whose = self.of(*argument)?;
                if *owner.get_or_insert(whose) != whose {
                    return None;
                }
            }
        }
        owner
    }

    /// Whose type the result of a requirement of the receiver's interface has.
    fn made_by(&self, receiver: ExprId, function: &FunctionRef) -> Option<LocalId> {
        let declared = signature::signature(self.db(), function.item).ret;
        (self.is_of_receiver(declared) && self.is_interface(self.ty(receiver))).then(|| self.of(receiver))?
    }

    fn assignment(&self, target: ExprId, value: ExprId, found: &mut Vec<Finding>) {
        let ty = self.ty(target);
        if self.ty(value).is_error() || !self.belongs_to_value(ty) {
            return;
        }
        let owner = self.of(target);
        if (owner.is_none() || owner != self.of(value)) && !self.is_of_one_variable(target, value) {
            found.push(self.another_type(Node::Expr(value), ty));
        }
    }

    /// `v.property = v.make()`: in one assignment a variable is one value, too.
    fn is_of_one_variable(&self, target: ExprId, value: ExprId) -> bool {
        let resolutions = &self.body.inferred.resolutions;
        let receiver = match resolutions.get(&value) {
            Some(Resolution::Property { base: Base::Expr(base), .. }) => *base,
            Some(Resolution::Call(call)) => match call.this {
                Some(Base::Expr(base)) => base,
                Some(Base::ImplicitThis) | None => return false,
            },
            _ => return false,
        };
        match resolutions.get(&target) {
            Some(Resolution::Property { base: Base::Expr(base), .. }) => {
                self.variable(*base).is_some() && self.variable(*base) == self.variable(receiver)
            }
            _ => false,
        }
    }

    fn call(&self, id: ExprId, call: &CallResolution, found: &mut Vec<Finding>) {
        let receiver = match call.this {
            Some(Base::Expr(receiver)) => Some(receiver),
            Some(Base::ImplicitThis) | None => None,
        };
        match &call.callee {
            Callable::Function(function) => self.arguments(receiver, function, &call.args, found),
            Callable::Derivative { of, .. } => {
                // It takes pairs of values, with what it is called on in front: none of them is known to be of the receiver's type.
                if let Callable::Function(function) = &**of
                    && function.self_ty.is_some_and(|this| self.is_interface(this))
                {
                    for param in &signature::signature(self.db(), function.item).params {
                        if self.is_of_receiver(param.ty) {
                            found.push(self.another_type(Node::ExprName(id), param.ty));
                        }
                    }
                }
            }
            Callable::Make(_) | Callable::Value(_) | Callable::Synthesized { .. } => {}
        }
    }

    fn arguments(&self, receiver: Option<ExprId>, function: &FunctionRef, args: &[Argument], found: &mut Vec<Finding>) {
        let db = self.db();
        let declared = signature::signature(db, function.item);
        let given = |index: usize| match args.get(index) {
            Some(Argument::Expr(argument)) => Some(*argument).filter(|argument| !self.ty(*argument).is_error()),
            Some(Argument::Default { .. }) | None => None,
        };
        if function.self_ty.is_some_and(|this| self.is_interface(this)) {
            let owner = receiver.and_then(|receiver| self.of(receiver));
            for (index, param) in declared.params.iter().enumerate() {
                let Some(argument) = given(index).filter(|_| self.is_of_receiver(param.ty)) else { continue };
                let is_known = self.ty(argument) == Ty::NoneLiteral || owner.is_some() && owner == self.of(argument);
                if !is_known {
                    found.push(self.another_type(Node::Expr(argument), param.ty));
                }
            }
        }
        for (parameter, arg) in generics::parameters(db, function.item).iter().zip(function.args.args(db)) {
            let GenericArg::Type(ty) = arg else { continue };
            if !self.is_interface(*ty) {
                continue;
            }
            // The first argument says whose type it is, and the others are asked.
            let mut owner = None;
            for (index, param) in declared.params.iter().enumerate() {
                let is_of_type = substitute::any(db, param.ty, &mut |part| part == Unknown::Param(*parameter));
                let Some(argument) = given(index).filter(|_| is_of_type) else { continue };
                let whose = self.of(argument);
                match owner {
                    None => owner = Some(whose),
                    Some(first) if first.is_some() && first == whose => {}
                    Some(_) => {
                        let interface = display(db, *ty);
                        let parameter = generics::parameter_name(db, *parameter).as_str().to_owned();
                        let kind = FindingKind::SeveralTypes { interface, parameter };
                        found.push(Finding { node: Node::Expr(argument), kind });
                        break;
                    }
                }
            }
        }
    }

    fn another_type(&self, node: Node, wanted: Ty) -> Finding {
        Finding { node, kind: FindingKind::AnotherType { wanted: display(self.db(), wanted) } }
    }
}
