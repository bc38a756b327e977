//! One function for the editor: as declared, not specialised, with callees as declarations but for constant tables of
//! integers, whose elements bound loops.

use base_db::Db;
use hir_def::{body::LocalId, item::ItemId};
use hir_ty::{generics, signature::FunctionRef, ty::Ty};
use ir::{FuncId, GlobalId, Module, types::TypeTable};

use crate::{
    error::{Cause, LowerError},
    key::FunctionKey,
    mode::Mode,
    program::Program,
    written_values::{WrittenValue, WrittenValues},
};

/// A function lowered for analysis.
#[derive(Debug, Clone)]
pub struct LoweredFunction {
    /// The function and the declarations of what it calls. The file number of a span is 0 for the header of the item's
    /// segment and 1 for its body; offsets are relative to that part.
    pub module: Module,
    /// `None` if not even its signature can be lowered.
    pub func: Option<FuncId>,
    /// The lambdas in its body, each a function of its own.
    pub lambdas: Vec<FuncId>,
    /// The declarations' items, for messages.
    pub callees: Vec<(FuncId, ItemId)>,
    /// The declarations of the globals: a variable of the program, or the local of a function.
    pub globals: Vec<(GlobalId, ItemId, Option<LocalId>)>,
    /// What the expressions and variables in the bodies are.
    pub values: Vec<WrittenValue>,
    /// The types behind [`ir::OpaqueType::id`].
    pub opaque: Vec<Ty>,
    /// What could not be lowered; the function is a declaration then.
    pub errors: Vec<LowerError>,
}

/// The bytes of the lists, roughly.
#[expect(clippy::borrowed_box, reason = "the library asks with what the query returns")]
fn heap_size(lowered: &Box<LoweredFunction>) -> usize {
    let of_function = |func: &ir::Func| {
        size_of::<ir::Func>()
            + func.values.len() * size_of::<ir::Value>()
            + func.ops.len() * size_of::<ir::OpData>()
            + func.regions.len() * size_of::<ir::Region>()
    };
    size_of::<LoweredFunction>()
        + lowered.module.funcs.values().map(of_function).sum::<usize>()
        + size_of_val(&*lowered.values)
}

/// Lowers the body of one function as the derivative data-flow analysis wants it.
///
/// Of functions that were not asked for lately the result is dropped at the next edit.
///
/// Boxed, since what is left of a dropped result has its size.
#[salsa::tracked(returns(deref), no_eq, lru = 512, heap_size = heap_size)]
pub fn lower_for_analysis(db: &dyn Db, item: ItemId) -> Box<LoweredFunction> {
    let types = TypeTable::default();
    let mut program = Program::new(db, &types, Mode::Analysis, item, &[]);
    let self_ty = generics::enclosing_aggregate(db, item).and_then(|aggregate| generics::self_type(db, aggregate));
    let function = FunctionRef { item, args: generics::identity_args(db, item), self_ty };
    let func = match program.request(FunctionKey::Source(function)) {
        Ok(func) => {
            program.build_one(func);
            Some(func)
        }
        Err(stop) => {
            program.error(ir::SourceSpan::default(), stop.cause);
            None
        }
    };
    let lambdas = program.build_lambdas(item);
    program.build_tables();
    let callees = program.source_functions();
    let globals = program.source_globals();
    let Program { mut module, opaque, errors, written_values, .. } = program;
    let values = written_values.map_or(Vec::new(), WrittenValues::into_values);
    module.types = types;
    Box::new(LoweredFunction { module, func, lambdas, callees, globals, values, opaque, errors })
}

impl LoweredFunction {
    /// Whether nothing but unsupported features kept the function from being lowered.
    pub fn unsupported(&self) -> impl Iterator<Item = &LowerError> {
        self.errors.iter().filter(|error| matches!(error.cause, Cause::Unsupported(_)))
    }
}
