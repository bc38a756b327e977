//! What can be written by itself: variables without a value of their own, `out` parameters, and what a constructor makes;
//! each field of a struct apart.

use std::ops::Range;

use base_db::Db;
use hir_def::{
    attribute::Modifiers,
    body::{LocalId, LocalKind, Stmt},
    item::{self, ItemId, ItemKind, Param},
    name::Name,
};
use hir_ty::{
    aggregate,
    display::item_name,
    env::Env,
    extension, members, signature,
    ty::{BuiltinClass, BuiltinType, GenericArg, ParamDirection, Ty},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    constructed,
    state::{State, Written},
};
use crate::CheckedBody;

/// A variable, or a field of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Cell(pub usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct VariableId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Local(LocalId),
    /// An `out` parameter.
    Out(LocalId),
    /// What a constructor makes.
    This,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub owner: Owner,
    pub name: Name,
    pub cells: Range<usize>,
    /// The fields that the cells are; empty for a variable that is one cell.
    pub fields: Vec<ItemId>,
    /// Fields that have values from the start, or that need none.
    settled: Vec<ItemId>,
    /// Those together, if it matters whether one of them is written.
    rest: Option<Cell>,
}

/// All that is watched in one body.
#[derive(Debug, Default)]
pub(super) struct Cells {
    variables: Vec<Variable>,
    locals: FxHashMap<LocalId, VariableId>,
    this: Option<VariableId>,
    count: usize,
}

/// A field of a variable that is read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Watched(Cell),
    /// It has a value from the start; writing it is writing a part of the variable, which this cell stands for.
    Settled(Option<Cell>),
    /// The variable is watched as one.
    Whole,
}

impl Cells {
    pub(super) fn of(body: &CheckedBody<'_>) -> Cells {
        let mut cells = Cells::default();
        let store = &body.body.store;
        for (local, index) in out_parameters(body) {
            let ty = signature::signature(body.db, body.item).params[index].ty;
            cells.add(body, Owner::Out(local), ty);
        }
        if let Some(container) = constructed(body)
            && let Some(ty) = signature::signature(body.db, body.item).this.map(|this| this.ty)
        {
            let own = aggregate::own_fields(body.db, container);
            cells.add_fields(body, Owner::This, Name::new("this"), own, ty);
        }
        for (_, stmt) in store.stmts.iter() {
            let Stmt::Let { local, init: None } = stmt else { continue };
            let data = &store.locals[*local];
            let elsewhere = Modifiers::STATIC | Modifiers::GROUPSHARED | Modifiers::EXTERN;
            if data.kind == LocalKind::Variable
                && !data.modifiers.intersects(elsewhere)
                && let Some(ty) = body.inferred.local_types.get(*local)
            {
                cells.add(body, Owner::Local(*local), *ty);
            }
        }
        cells
    }

    pub(super) fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    pub(super) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    pub(super) fn of_local(&self, local: LocalId) -> Option<VariableId> {
        self.locals.get(&local).copied()
    }

    pub(super) fn of_this(&self) -> Option<VariableId> {
        self.this
    }

    pub(super) fn field(&self, variable: VariableId, field: ItemId) -> Field {
        let data = self.variable(variable);
        match data.fields.iter().position(|known| *known == field) {
            Some(index) => Field::Watched(Cell(data.cells.start + index)),
            None if data.settled.contains(&field) || data.owner == Owner::This => Field::Settled(data.rest),
            None => Field::Whole,
        }
    }

    pub(super) fn field_name(&self, db: &dyn Db, variable: VariableId, cell: Cell) -> Option<String> {
        let data = self.variable(variable);
        let field = data.fields.get(cell.0.checked_sub(data.cells.start)?)?;
        Some(item_name(db, *field))
    }

    /// Before anything has run. Locals are watched from their declarations on.
    pub(super) fn at_entry(&self) -> State {
        State::new(vec![Written::Never; self.count])
    }

    fn add(&mut self, body: &CheckedBody<'_>, owner: Owner, ty: Ty) {
        let (Owner::Local(local) | Owner::Out(local)) = owner else { return };
        let env = Env::of(body.db, body.item);
        if !needs_value(body.db, env, ty) {
            return;
        }
        let name = body.body.store.locals[local].name.clone();
        let fields: Vec<ItemId> = aggregate::fields(body.db, env, ty).iter().map(|(field, _)| *field).collect();
        self.add_fields(body, owner, name, &fields, ty);
    }

    fn add_fields(&mut self, body: &CheckedBody<'_>, owner: Owner, name: Name, fields: &[ItemId], ty: Ty) {
        let env = Env::of(body.db, body.item);
        let needs = |field: &ItemId| {
            !has_initializer(body.db, *field)
                && needs_value(body.db, env, aggregate::field_type(body.db, env, ty, *field))
        };
        let (watched, settled): (Vec<ItemId>, Vec<ItemId>) = fields.iter().partition(|field| needs(field));
        let len = if fields.is_empty() { 1 } else { watched.len() };
        if len == 0 {
            return;
        }
        let id = VariableId(self.variables.len());
        match owner {
            Owner::Local(local) | Owner::Out(local) => {
                self.locals.insert(local, id);
            }
            Owner::This => self.this = Some(id),
        }
        let rest = (owner != Owner::This && !settled.is_empty()).then_some(Cell(self.count + len));
        let cells = self.count..self.count + len + usize::from(rest.is_some());
        self.count = cells.end;
        self.variables.push(Variable { owner, name, cells, fields: watched, settled, rest });
    }
}

/// The `out` parameters whose values the function has to give; what a mesh shader writes it need not write in full.
fn out_parameters(body: &CheckedBody<'_>) -> Vec<(LocalId, usize)> {
    let written: &[Param] = match &item::item_data(body.db, body.item).kind {
        ItemKind::Function(function) => &function.params,
        ItemKind::Constructor { params, .. } => params,
        _ => return Vec::new(),
    };
    let mesh = Modifiers::VERTICES | Modifiers::INDICES | Modifiers::PRIMITIVES;
    let declared = &signature::signature(body.db, body.item).params;
    let is_out = |index: usize| {
        declared.get(index).is_some_and(|param| param.direction == ParamDirection::Out)
            && written.get(index).is_some_and(|param| !param.modifiers.intersects(mesh))
    };
    body.body
        .params
        .iter()
        .enumerate()
        .filter(|(index, _)| is_out(*index))
        .map(|(index, &local)| (local, index))
        .collect()
}

fn has_initializer(db: &dyn Db, field: ItemId) -> bool {
    matches!(item::item_data(db, field).kind, ItemKind::Variable { has_init: true, .. })
}

/// Whether a variable of this type has no value before one is assigned: nothing to say of types that have a constructor
/// without parameters, of empty ones, of what is not known before specialisation, and of resources.
pub(super) fn needs_value(db: &dyn Db, env: Env, ty: Ty) -> bool {
    part_needs_value(db, env, ty, &mut FxHashSet::default(), 0)
}

/// `seen` holds the types that were looked into: one that is in many places, as where each struct holds the one before
/// twice, is looked into once.
fn part_needs_value(db: &dyn Db, env: Env, ty: Ty, seen: &mut FxHashSet<Ty>, depth: u32) -> bool {
    const DEEPEST: u32 = 16;
    if depth > DEEPEST || !seen.insert(ty) {
        return false;
    }
    let mut inside = |ty: Ty| part_needs_value(db, env, ty, seen, depth + 1);
    match ty {
        Ty::Scalar(_) => true,
        Ty::Builtin(kind, args) => match kind.class() {
            BuiltinClass::Numeric | BuiltinClass::Pointer => true,
            BuiltinClass::Composite => match (kind, args.args(db).first()) {
                (BuiltinType::DifferentialPair, _) => true,
                (BuiltinType::Array, Some(GenericArg::Type(element))) => inside(*element),
                (BuiltinType::Tuple, Some(GenericArg::Pack(elements))) => elements
                    .args(db)
                    .iter()
                    .any(|element| matches!(element, GenericArg::Type(element) if inside(*element))),
                _ => false,
            },
            BuiltinClass::Atomic | BuiltinClass::Descriptor | BuiltinClass::Resource(_) => false,
        },
        Ty::Adt(item, _) => match item::item_data(db, item).kind {
            ItemKind::Enum { .. } => true,
            ItemKind::Struct { .. } => {
                !extension::is_interface(db, ty)
                    && members::default_constructor(db, env, ty).is_none()
                    && aggregate::fields(db, env, ty).iter().any(|(_, field)| inside(*field))
            }
            _ => false,
        },
        Ty::SynthesizedDifferential(..) => aggregate::fields(db, env, ty).iter().any(|(_, field)| inside(*field)),
        Ty::Error
        | Ty::Void
        | Ty::Param(_)
        | Ty::This(_)
        | Ty::Associated(_)
        | Ty::Function(_)
        | Ty::Closure(_)
        | Ty::Expand(_)
        | Ty::PackQuery(_)
        | Ty::String
        | Ty::NoneLiteral
        | Ty::NullLiteral => false,
    }
}
