//! Puts declarations into finished trees: each local is declared where it is first written if that place sees all its
//! uses, else in front of the first statement that mentions it in the innermost block that holds all of them.
//!
//! Where the IR hands an undefined value to a variable, as the start of a value that a loop carries, nothing is
//! assigned. The builder leaves a mark there, a mention of the variable like any other: so the declaration stands in
//! front of the loop, and what one iteration writes is there in the next. The marks are dropped at the end.

use ir::{Module, Type, TypeId, types::TypeTable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::defined::{self, Loops};
use super::{Block, Function, LocalId, LocalKind, Start, Stmt, StmtKind};

/// By local: most statements mention few.
type Counts = FxHashMap<LocalId, u32>;

pub(crate) fn declare(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let (mut mentions, mut writes) = (Counts::default(), Counts::default());
    count(&body, &mut mentions, &mut writes);
    for (local, data) in function.locals.iter_mut() {
        if let LocalKind::Param { written, .. } = &mut data.kind {
            *written = writes.contains_key(&local);
            mentions.remove(&local);
        }
    }
    let mut declarer = Declarer { mentions, initialised: Vec::new() };
    declarer.block(&mut body);
    for local in declarer.initialised {
        if writes.get(&local) == Some(&1) {
            function.locals[local].kind = LocalKind::Constant;
        }
    }
    function.body = body;
}

/// Removes the marks: all declarations of a local but the first. What had one is without a value where some way to a read of
/// it writes nothing.
pub(crate) fn drop_marks(module: &Module, function: &mut Function) {
    let mut marks = Marks { declared: function.params.iter().copied().collect(), ..Marks::default() };
    marks.drop_in(&mut function.body);
    let found = defined::without_value(module, function, &marks.dropped, Loops::MayEndAtOnce);
    let is_storage =
        |local: &LocalId| has_elements(&module.types, function.locals[*local].ty) && !marks.written.contains(local);
    let (storage, values): (FxHashSet<LocalId>, FxHashSet<LocalId>) = found.into_iter().partition(is_storage);
    let unfilled = defined::without_value(module, function, &storage, Loops::RunOnce);
    for &local in &marks.dropped {
        let in_parts = marks.written_in_parts.contains(&local) && !marks.written.contains(&local);
        let is_found = values.contains(&local) || unfilled.contains(&local);
        function.locals[local].start = match (in_parts, is_found) {
            (false, true) => Start::Value,
            (false, false) => Start::Undefined,
            (true, true) => Start::Storage,
            (true, false) => Start::Unread,
        };
    }
}

/// Whether there is an array of several elements in values of a type.
fn has_elements(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array { element, len } => len > 1 || has_elements(types, element),
        Type::Struct(id) => types.structs[id].fields.iter().any(|field| has_elements(types, field.ty)),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Sum(_)
        | Type::Handle(_)
        | Type::Opaque(_) => false,
    }
}

#[derive(Default)]
struct Marks {
    declared: FxHashSet<LocalId>,
    dropped: FxHashSet<LocalId>,
    /// What is written as a whole, and what in parts.
    written: FxHashSet<LocalId>,
    written_in_parts: FxHashSet<LocalId>,
}

impl Marks {
    fn drop_in(&mut self, block: &mut Block) {
        block.retain_mut(|stmt| {
            let mut keep = true;
            match &stmt.kind {
                StmtKind::Declare { local, .. } if !self.declared.insert(*local) => {
                    self.dropped.insert(*local);
                    keep = false;
                }
                StmtKind::Assign { place, value } if !place.path.is_empty() => {
                    self.written_in_parts.insert(place.local);
                    value.for_each_reference(&mut |local| {
                        self.written.insert(local);
                    });
                }
                _ => stmt.for_each_write(&mut |local| {
                    self.written.insert(local);
                }),
            }
            for nested in stmt.blocks_mut() {
                self.drop_in(nested);
            }
            keep
        });
    }
}

fn add(counts: &mut Counts, local: LocalId, more: u32) {
    *counts.entry(local).or_insert(0) += more;
}

fn count(block: &Block, mentions: &mut Counts, writes: &mut Counts) {
    for stmt in block {
        stmt.for_each_local(&mut |local| add(mentions, local, 1));
        stmt.for_each_write(&mut |local| add(writes, local, 1));
        for nested in stmt.blocks() {
            count(nested, mentions, writes);
        }
    }
}

struct Declarer {
    /// How often each local that is still to be declared is mentioned in the function.
    mentions: Counts,
    /// Locals whose declaration gives their first value.
    initialised: Vec<LocalId>,
}

impl Declarer {
    /// Declares what is mentioned in this block only; the mentions of the rest are given back.
    fn block(&mut self, block: &mut Block) -> Counts {
        let mut counts = Counts::default();
        let mut declarations: Vec<(usize, LocalId)> = Vec::new();
        let mut first_mention: FxHashMap<LocalId, usize> = FxHashMap::default();
        for (index, stmt) in block.iter_mut().enumerate() {
            for (local, more) in self.statement(stmt) {
                add(&mut counts, local, more);
                first_mention.entry(local).or_insert(index);
            }
        }
        let complete: Vec<LocalId> =
            counts.iter().filter(|(local, count)| self.mentions.get(local) == Some(count)).map(|(l, _)| *l).collect();
        for local in complete {
            counts.remove(&local);
            self.mentions.remove(&local);
            let index = first_mention[&local];
            if !self.declare_by(&mut block[index], local) {
                declarations.push((index, local));
            }
        }
        declarations.sort_by_key(|&(index, local)| (index, local.into_raw()));
        let mut declarations = declarations.into_iter().peekable();
        for (index, stmt) in std::mem::take(block).into_iter().enumerate() {
            while let Some((_, local)) = declarations.next_if(|(at, _)| *at == index) {
                block.push(Stmt { span: stmt.span, kind: StmtKind::Declare { local, init: None } });
            }
            block.push(stmt);
        }
        counts
    }

    fn statement(&mut self, stmt: &mut Stmt) -> Counts {
        let mut counts = Counts::default();
        stmt.for_each_local(&mut |local| add(&mut counts, local, 1));
        for nested in stmt.blocks_mut() {
            for (local, more) in self.block(nested) {
                add(&mut counts, local, more);
            }
        }
        if let StmtKind::For { init, .. } = &mut stmt.kind
            && let StmtKind::Assign { place, .. } = &init.kind
            && self.mentions.get(&place.local) == counts.get(&place.local)
        {
            let local = place.local;
            if self.declare_by(init, local) {
                counts.remove(&local);
                self.mentions.remove(&local);
            }
        }
        counts
    }

    /// Turns the assignment `stmt` into the declaration of `local`, if it is one of the whole of it.
    fn declare_by(&mut self, stmt: &mut Stmt, local: LocalId) -> bool {
        match &stmt.kind {
            StmtKind::Assign { place, value }
                if place.local == local && place.path.is_empty() && !value.mentions(local) =>
            {
                stmt.kind = StmtKind::Declare { local, init: Some(value.clone()) };
                self.initialised.push(local);
                true
            }
            _ => false,
        }
    }
}
