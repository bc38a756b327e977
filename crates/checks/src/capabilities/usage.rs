//! What a body needs: of what it calls and names, of `discard`, and of the arms of its `__target_switch`es.

use base_db::Db;
use diagnostics::{Code, codes};
use hir_def::{
    attribute::Modifiers,
    body::{Body, BodyRoot, Child, Expr, ExprId, LambdaBody, Stmt, StmtId, SwitchSubject, TargetArm},
    item::{self, ItemId, ItemKind},
    name::Name,
};
use hir_ty::{diagnostics::Node, display::item_name, infer::result::InferenceResult, signature, ty::Ty};

use super::{names, own_requirement, required, set::Requirement};
use crate::used_item;

/// Deeper than this nobody nests statements and expressions; the parser allows less.
const MAX_DEPTH: u32 = ::diagnostics::limits::CHECKED_BODIES;

pub(super) struct Usage {
    pub(super) requirement: Requirement,
    /// What has a requirement, in the order of the text.
    pub(super) uses: Vec<Use>,
    /// What excludes what is used before, or the arm around it.
    pub(super) conflicts: Vec<(Code, Node, String)>,
}

pub(super) struct Use {
    pub(super) node: Node,
    pub(super) item: Option<ItemId>,
    pub(super) requirement: Requirement,
}

impl Usage {
    pub(super) fn of(db: &dyn Db, item: ItemId, body: &Body, inferred: &InferenceResult) -> Usage {
        let usage = Usage { requirement: Requirement::NOTHING, uses: Vec::new(), conflicts: Vec::new() };
        let mut walk = UsageWalk { db, item, body, inferred, usage, in_arm: false, depth: 0 };
        walk.signature();
        match body.root {
            BodyRoot::Block(block) => walk.statement(block),
            BodyRoot::Expr(root) => walk.expression(root),
            BodyRoot::None => {}
        }
        walk.usage
    }
}

struct UsageWalk<'db> {
    db: &'db dyn Db,
    item: ItemId,
    body: &'db Body,
    inferred: &'db InferenceResult,
    usage: Usage,
    /// Inside of an arm, what conflicts is said of the arm.
    in_arm: bool,
    depth: u32,
}

impl UsageWalk<'_> {
    /// The types of the parameters, and for a method the type around it.
    fn signature(&mut self) {
        let data = item::item_data(self.db, self.item);
        if !matches!(data.kind, ItemKind::Function(_) | ItemKind::Constructor { .. } | ItemKind::Accessor { .. }) {
            return;
        }
        for (index, param) in signature::signature(self.db, self.item).params.iter().enumerate() {
            self.ty(Node::Param(index as u32), param.ty);
        }
        let is_method =
            !matches!(data.kind, ItemKind::Constructor { .. }) && !data.modifiers.contains(Modifiers::STATIC);
        if let Some(container) = item::container(self.db, self.item).filter(|_| is_method)
            && matches!(item::item_data(self.db, container).kind, ItemKind::Struct { .. } | ItemKind::Interface { .. })
        {
            self.using(Node::Name, container);
        }
    }

    fn statement(&mut self, id: StmtId) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match &self.body.store.stmts[id] {
            Stmt::Discard => {
                let fragment = names::meaning("fragment").map(|meaning| meaning.requirement.clone());
                self.add(Node::Stmt(id), None, fragment.unwrap_or_default());
            }
            Stmt::TargetSwitch { subject, arms } => self.target_switch(id, *subject, arms),
            stmt => {
                if let Stmt::Let { local, .. } = stmt
                    && let Some(ty) = self.inferred.local_types.get(*local)
                {
                    self.ty(Node::Local(*local), *ty);
                }
                stmt.for_each_child(|child| match child {
                    Child::Stmt(stmt) => self.statement(stmt),
                    Child::Expr(expr) => self.expression(expr),
                });
            }
        }
        self.depth -= 1;
    }

    fn expression(&mut self, id: ExprId) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let expr = &self.body.store.exprs[id];
        if let Some(used) = self.inferred.resolutions.get(&id).and_then(used_item) {
            let node = if let Expr::Call { callee, .. } = expr { Node::Expr(*callee) } else { Node::Expr(id) };
            self.using(node, used);
        }
        if let Some(ty) = self.inferred.expr_types.get(id) {
            self.ty(Node::Expr(id), *ty);
        }
        expr.for_each_operand(|operand| self.expression(operand));
        if let Expr::Lambda { body, .. } = expr {
            match body {
                LambdaBody::Expr(expr) => self.expression(*expr),
                LambdaBody::Block(block) => self.statement(*block),
            }
        }
        self.depth -= 1;
    }

    fn ty(&mut self, node: Node, ty: Ty) {
        if let Ty::Adt(item, _) = ty {
            self.using(node, item);
        }
    }

    fn using(&mut self, node: Node, used: ItemId) {
        if used != self.item {
            let needed = required(self.db, used);
            if !needed.is_nothing() {
                self.add(node, Some(used), needed.clone());
            }
        }
    }

    fn add(&mut self, node: Node, item: Option<ItemId>, needed: Requirement) {
        let all = self.usage.requirement.join(&needed);
        // What is impossible by itself is said where it is declared.
        if all.is_impossible() && !needed.is_impossible() && !self.usage.requirement.is_impossible() && !self.in_arm {
            let conflict = match item {
                Some(used) => {
                    let (name, user) = (item_name(self.db, used), item_name(self.db, self.item));
                    let message =
                        format!("'{name}' exists for none of the targets and stages that '{user}' is left with");
                    (codes::CONFLICTING_REQUIREMENTS, node, message)
                }
                None => {
                    let message = "this exists for none of the targets and stages that the function is left with";
                    (codes::CONFLICTING_STATEMENT, node, message.to_string())
                }
            };
            self.usage.conflicts.push(conflict);
        }
        self.usage.requirement = all;
        self.usage.uses.push(Use { node, item, requirement: needed });
    }

    /// The function is for what any of the arms is for.
    fn target_switch(&mut self, id: StmtId, subject: SwitchSubject, arms: &[TargetArm]) {
        let data = item::item_data(self.db, self.item);
        let outer = own_requirement(data);
        let mut all = Requirement::NOTHING;
        let labels = arms.iter().flat_map(|arm| arm.labels.iter().map(move |label| (label, arm)));
        // The rest, whatever it is, is what no other arm is for.
        let (named, default): (Vec<_>, Vec<_>) = labels.partition(|(label, _)| label.name.is_some());
        for (label, arm) in named.into_iter().chain(default) {
            let node = Node::Stmt(label.place);
            let case = match &label.name {
                Some(name) => {
                    let Some(meaning) = self.case(name, node, subject) else { continue };
                    if outer.join(&meaning.requirement).is_impossible() {
                        let message = format!("the function is not for '{name}', by its '[require]'");
                        self.usage.conflicts.push((codes::CONFLICTING_STATEMENT, node, message));
                    }
                    meaning.requirement.clone()
                }
                None => {
                    let any = || names::meaning("any_target").map(|meaning| meaning.requirement.clone());
                    let possible = if outer.is_nothing() { any().unwrap_or_default() } else { outer.clone() };
                    match subject {
                        SwitchSubject::Target => possible.without_targets_of(&all),
                        SwitchSubject::Stage => Requirement::NOTHING,
                    }
                }
            };
            if case.is_nothing() || case.is_impossible() {
                continue;
            }
            let body = self.arm(arm);
            let whole = case.join(&body);
            if whole.is_impossible() && !body.is_impossible() {
                let node = arm.body.first().map_or(node, |first| Node::Stmt(*first));
                let message = "the arm uses what does not exist for its target";
                self.usage.conflicts.push((codes::CONFLICTING_STATEMENT, node, message.to_string()));
                continue;
            }
            if subject == SwitchSubject::Target
                && let Some(name) = &label.name
                && whole
                    .targets()
                    .iter()
                    .any(|target| all.on(*target).next().is_some() && !whole.are_nested(&all, *target))
            {
                let message =
                    format!("'{name}' neither includes nor is included in a case before it for the same target");
                self.usage.conflicts.push((codes::TARGET_CASES_CONFLICT, node, message));
                continue;
            }
            all = all.least(&whole);
        }
        if !all.is_nothing() {
            self.add(Node::Stmt(id), None, all);
        }
    }

    /// What a label means. E29110, E29115, E36109: nothing, a stage, or more than one target.
    fn case(&mut self, name: &Name, node: Node, subject: SwitchSubject) -> Option<&'static names::Meaning> {
        let meaning = names::meaning(name.as_str());
        let (code, message) = match (meaning, subject) {
            (None, _) => (codes::UNKNOWN_TARGET, format!("unknown target or stage '{name}'")),
            (Some(meaning), SwitchSubject::Target) if meaning.stage.is_some() => {
                let message = format!("'{name}' is a stage; '__stage_switch' chooses by stages");
                (codes::STAGE_AS_TARGET, message)
            }
            (Some(meaning), SwitchSubject::Target) if meaning.requirement.targets().len() != 1 => {
                (codes::INVALID_TARGET_CASE, format!("'{name}' cannot be a case: it does not mean one target"))
            }
            (Some(meaning), SwitchSubject::Stage) if meaning.stage.is_none() => {
                (codes::UNKNOWN_TARGET, format!("'{name}' is not a stage"))
            }
            (Some(meaning), _) => return Some(meaning),
        };
        self.usage.conflicts.push((code, node, message));
        None
    }

    /// What the statements of an arm need by themselves.
    fn arm(&mut self, arm: &TargetArm) -> Requirement {
        let outside = std::mem::take(&mut self.usage.requirement);
        let uses = self.usage.uses.len();
        let was_in_arm = std::mem::replace(&mut self.in_arm, true);
        arm.body.iter().for_each(|stmt| self.statement(*stmt));
        self.in_arm = was_in_arm;
        self.usage.uses.truncate(uses);
        std::mem::replace(&mut self.usage.requirement, outside)
    }
}
