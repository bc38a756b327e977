//! What the operations of one function do with memory, and which values come back from it by that.

use ir::{
    Effect, Func, FuncId, GlobalId, HandleType, Op, OpId, PathStep, Type, TypeId, ValueDef, ValueId, types::TypeTable,
};

use super::{
    order::Order,
    place::{Given, Place, Places, Variable},
};
use crate::flow::{Edge, Flow, Loss, Passage};

/// What an operation does with memory.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub op: OpId,
    pub what: Access,
    pub places: Vec<Place>,
    /// The function that is called and does it, with the number of the way in its summary.
    pub call: Option<(FuncId, u32)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Access {
    Store(ValueId),
    Load(ValueId),
    /// Stores what is read from these places.
    Copy(Vec<Place>),
}

/// A value that stands in memory, or may.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub value: ValueId,
    pub places: Vec<Place>,
    /// What put it at these places.
    pub op: OpId,
    /// The number of the event that took it into memory in the first place.
    pub event: usize,
}

/// What regions give to the values that they make.
pub(crate) fn given(flow: &Flow) -> Given {
    let mut given = Given::default();
    for edge in flow.edges.iter().filter(|edge| edge.op.is_none()) {
        given.entry(edge.to).or_default().push(edge.from);
    }
    given
}

/// The loads and stores of the function itself.
pub(crate) fn of_operations(places: &Places<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    for (op, data) in places.func.ops.iter() {
        let mut event = |what, handle, path: &[PathStep]| {
            events.push(Event { op, what, places: places.at(handle, path), call: None });
        };
        // Which bytes, and which texel, only running tells.
        let anywhere = |handle| [PathStep::Dynamic(handle)];
        let result = data.results.first().copied();
        match (&data.op, result) {
            (Op::Store { handle, path, value }, _) => event(Access::Store(*value), *handle, path),
            (Op::ByteStore { handle, value, .. }, _) => event(Access::Store(*value), *handle, &anywhere(*handle)),
            (Op::Atomic { handle, path, operands, .. }, _) => {
                operands.iter().for_each(|&value| event(Access::Store(value), *handle, path));
            }
            (Op::ByteAtomic { handle, operands, .. }, _) => {
                operands.iter().for_each(|&value| event(Access::Store(value), *handle, &anywhere(*handle)));
            }
            (Op::Load { handle, path }, Some(result)) if is_writable(places, *handle) => {
                event(Access::Load(result), *handle, path);
            }
            (Op::ByteLoad { handle, .. }, Some(result)) if is_writable(places, *handle) => {
                event(Access::Load(result), *handle, &anywhere(*handle));
            }
            (Op::Intrinsic { intrinsic, args }, _) => {
                let Some(texture) = args.iter().copied().find(|&arg| is_writable(places, arg)) else { continue };
                match (intrinsic.effect(), result) {
                    (Effect::Write, _) => {
                        let values = args.iter().filter(|arg| holds_float(places.types, places.func.ty(**arg)));
                        values.for_each(|&value| event(Access::Store(value), texture, &anywhere(texture)));
                    }
                    (_, Some(result)) => event(Access::Load(result), texture, &anywhere(texture)),
                    (_, None) => {}
                }
            }
            _ => {}
        }
    }
    events.retain(|event| {
        !event.places.is_empty() && event.value().is_none_or(|value| holds_float(places.types, places.func.ty(value)))
    });
    events
}

/// Whether any operation of the function reads or writes memory.
pub fn touches_memory(func: &Func) -> bool {
    func.ops.iter().any(|(_, data)| {
        matches!(
            data.op,
            Op::Store { .. }
                | Op::Load { .. }
                | Op::Atomic { .. }
                | Op::ByteStore { .. }
                | Op::ByteLoad { .. }
                | Op::ByteAtomic { .. }
                | Op::Intrinsic { .. }
        )
    })
}

impl Event {
    pub(crate) fn value(&self) -> Option<ValueId> {
        match self.what {
            Access::Store(value) | Access::Load(value) => Some(value),
            Access::Copy(_) => None,
        }
    }
}

/// The edges from what the function stores to what it loads by operations of its own.
pub(crate) fn direct_edges(types: &TypeTable, func: &Func, flow: &Flow) -> Vec<Edge> {
    // Any numbers will do within one function.
    let variables = |global: GlobalId| Some(Variable(u32::from(global.into_raw()).into()));
    let places = Places { types, func, given: given(flow), variables: &variables };
    edges(types, func, &of_operations(&places), |_| true)
}

/// The edges from what is stored to what is loaded, of those pairs that `is_wanted` picks by whether they are a call's doing.
pub(crate) fn edges(types: &TypeTable, func: &Func, events: &[Event], is_wanted: impl Fn(bool) -> bool) -> Vec<Edge> {
    let has = |wanted: fn(&Access) -> bool| events.iter().any(|event| wanted(&event.what));
    if !has(|what| matches!(what, Access::Store(_))) || !has(|what| matches!(what, Access::Load(_))) {
        return Vec::new();
    }
    let order = Order::new(func);
    let mut edges = Vec::new();
    for stored in all_stored(types, func, events, &order) {
        let by = events[stored.event].call;
        for load in events {
            let Access::Load(result) = load.what else { continue };
            let is_calls = by.is_some() || load.call.is_some() || stored.op != events[stored.event].op;
            if is_wanted(is_calls) && comes_to(events, &order, (&stored.places, stored.op), (&load.places, load.op)) {
                let (loss, op) = match by {
                    Some((callee, way)) => (Loss::StoredByCall(callee, way), events[stored.event].op),
                    None => (Loss::Memory, load.op),
                };
                edges.push(Edge { from: stored.value, to: result, passage: Passage::Lost(loss), op: Some(op) });
            }
        }
    }
    edges
}

/// What the events take into memory, wherever it is copied from there.
pub(crate) fn all_stored(types: &TypeTable, func: &Func, events: &[Event], order: &Order<'_>) -> Vec<Stored> {
    let mut all: Vec<Stored> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        if let Access::Store(value) = event.what
            && let Some(value) = unexcused(types, func, event, value)
        {
            all.push(Stored { value, places: event.places.clone(), op: event.op, event: number });
        }
    }
    let mut next = 0;
    while let Some(stored) = all.get(next).cloned() {
        next += 1;
        for copy in events {
            let Access::Copy(from) = &copy.what else { continue };
            let is_known =
                |known: &Stored| known.event == stored.event && known.op == copy.op && known.places == copy.places;
            if comes_to(events, order, (&stored.places, stored.op), (from, copy.op)) && !all.iter().any(is_known) {
                all.push(Stored { places: copy.places.clone(), op: copy.op, ..stored });
            }
        }
    }
    all
}

/// The value whose derivative is missing where what is stored is read again; `None` if the source says that it is.
fn unexcused(types: &TypeTable, func: &Func, event: &Event, value: ValueId) -> Option<ValueId> {
    let is_marked = func.rules.forward_differentiable || func.rules.backward_differentiable;
    let detached = match func.values[value].def {
        ValueDef::Result { op, .. } => match func.ops[op].op {
            Op::Detach(value) => Some(value),
            _ => None,
        },
        ValueDef::Param { .. } => None,
    };
    let value = match detached {
        Some(_) if event.call.is_some() || !is_marked => return None,
        Some(inner) => inner,
        None => value,
    };
    holds_float(types, func.ty(value)).then_some(value)
}

/// Whether what is put at places by one operation may be read from others by another one.
fn comes_to(events: &[Event], order: &Order<'_>, store: (&[Place], OpId), load: (&[Place], OpId)) -> bool {
    let meets = store.0.iter().any(|written| load.0.iter().any(|read| written.meets(read)));
    if !meets || !order.may_follow(store.1, load.1) {
        return false;
    }
    let [read] = load.0 else { return true };
    let overwrites = |event: &Event| {
        let is_store = matches!(event.what, Access::Store(_)) && event.call.is_none();
        is_store && event.places == [read.clone()] && read.is_known() && order.is_between(store.1, event.op, load.1)
    };
    !events.iter().any(overwrites)
}

fn is_writable(places: &Places<'_>, handle: ValueId) -> bool {
    let Type::Handle(handle) = places.types.get(places.func.ty(handle)) else { return false };
    match handle {
        HandleType::StructuredBuffer { writable, .. }
        | HandleType::ByteAddressBuffer { writable }
        | HandleType::TexelBuffer { writable, .. }
        | HandleType::Texture { writable, .. } => writable,
        HandleType::Variable { .. }
        | HandleType::Pointer { .. }
        | HandleType::Address { .. }
        | HandleType::RayQuery { .. } => true,
        HandleType::ConstantBuffer { .. } | HandleType::Sampler { .. } | HandleType::AccelerationStructure => false,
    }
}

/// Whether values of the type may be made of something that had a derivative: integers and truth values are not.
pub(crate) fn holds_float(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => scalar.is_float(),
        Type::Array { element, .. } => holds_float(types, element),
        Type::Struct(id) => types.structs[id].fields.iter().any(|field| holds_float(types, field.ty)),
        Type::Sum(_) | Type::Opaque(_) => true,
        Type::Handle(_) => false,
    }
}
