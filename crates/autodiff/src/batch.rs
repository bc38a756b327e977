//! The forward derivative in several directions at once, for columns of a Jacobian: the primal runs once, and its
//! coefficients are shared by all directions.
//!
//! ```text
//! f(x: T) -> (y: U)        f.jvp_4(x: T, x_tangents: T'[4]) -> (y: U, y_tangents: U'[4])
//! ```
//!
//! Callees get a function of the same form. A derivative that the user wrote takes one direction, so it is called once
//! for each; that is refused where it would repeat effects.

use ir::{
    Callee, DerivativeKind, Effect, Func, FuncId, Module, PathStep, TypeId, ValueId, builder::FuncBuilder,
    verify::VerifiedModule,
};
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;

use crate::{
    AutodiffError, ErrorKind,
    activity::active_values,
    cleanup::cleanup,
    emit::{CustomArithmetic, Emitter},
    expand::{Expander, change},
    flow::Mode,
    jvp::{self, Batch},
    linear::{LinearOp, LinearRegion},
    linearize::{Purpose, linearize},
};

/// More directions than this make code that no compiler likes; callers make several calls instead.
pub const MOST_DIRECTIONS: u32 = 64;

/// Calls of calls that are followed.
const DEEPEST_CALL: usize = 128;

/// Makes `func.jvp_<directions>`, and everything that it calls. There is at least one direction, and there are at most
/// [`MOST_DIRECTIONS`].
pub fn batched_jvp(module: &mut VerifiedModule, func: FuncId, directions: u32) -> Result<FuncId, Vec<AutodiffError>> {
    let directions = directions.clamp(1, MOST_DIRECTIONS);
    change(module, |expander| {
        let mut batcher = Batcher { expander, directions, made: FxHashMap::default(), depth: 0 };
        let made = batcher.batched(func).map_err(|error| vec![error])?;
        expander.expand_all(&[made])?;
        Ok(made)
    })
}

struct Batcher<'e, 'm> {
    expander: &'e mut Expander<'m>,
    directions: u32,
    made: FxHashMap<FuncId, FuncId>,
    depth: usize,
}

impl Batcher<'_, '_> {
    fn batched(&mut self, primal: FuncId) -> Result<FuncId, AutodiffError> {
        if let Some(&made) = self.made.get(&primal) {
            return Ok(made);
        }
        let rules = self.expander.module.funcs[primal].rules.clone();
        if let Some(substitute) = rules.primal_substitute
            && substitute != primal
        {
            let made = self.batched(substitute)?;
            self.made.insert(primal, made);
            return Ok(made);
        }
        if self.depth > DEEPEST_CALL {
            return Err(self.expander.error(ErrorKind::NestedTooDeeply, primal));
        }
        let by_rule = rules.forward.is_some() || rules.treat_as_differentiable;
        if by_rule {
            let runs = rules.forward.unwrap_or(primal);
            if self.expander.module.func_effect(runs) == Effect::Write {
                let operation = "a rule with effects in several directions at once".into();
                return Err(self.expander.error(ErrorKind::Unsupported { operation }, primal));
            }
        } else {
            self.expander.check_body(DerivativeKind::Jvp, primal)?;
        }
        // Declared before it is made, so that a recursive function finds its own derivative.
        let declaration = self.declaration(primal);
        let made = self.expander.module.funcs.alloc(declaration);
        self.made.insert(primal, made);
        self.depth += 1;
        let func = if by_rule { Ok(self.by_rule(primal)) } else { self.generate(primal) };
        self.depth -= 1;
        let mut func = func?;
        let declared = &self.expander.module.funcs[made];
        func.name.clone_from(&declared.name);
        func.rules.clone_from(&declared.rules);
        self.expander.module.funcs[made] = func;
        cleanup(self.expander.module, made);
        match self.expander.expand_body(made).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(made),
        }
    }

    fn declaration(&mut self, primal: FuncId) -> Func {
        let Module { types, funcs, .. } = &mut *self.expander.module;
        let func = &funcs[primal];
        let wanted = format_smolstr!("{}.jvp_{}", func.name, self.directions);
        let mut name = wanted.clone();
        let mut number = 1;
        while funcs.iter().any(|(_, func)| func.name == name) {
            number += 1;
            name = format_smolstr!("{wanted}_{number}");
        }
        let (inputs, results) = jvp::signature(types, func, Some(self.directions));
        let mut declaration = Func::declaration(name, inputs, results, func.span);
        declaration.rules.forward_differentiable = true;
        declaration.rules.backward_differentiable = true;
        declaration
    }

    fn generate(&mut self, primal: FuncId) -> Result<Func, AutodiffError> {
        let normalised = self.expander.normalised(primal)?;
        let custom = CustomArithmetic::of(&self.expander.module.types);
        let Module { types, funcs, .. } = &mut *self.expander.module;
        let activity = active_values(types, funcs, &normalised.func, Mode::Forward);
        let linearized = linearize(types, funcs, &custom, normalised, &activity, Purpose::Forward)?;
        let mut callees = Vec::new();
        collect_callees(&linearized.body, &mut callees);
        let mut batch = Batch { directions: self.directions, callees: FxHashMap::default() };
        for callee in callees {
            let batched = self.batched(callee)?;
            batch.callees.insert(callee, batched);
        }
        let name = linearized.func.name.clone();
        Ok(jvp::jvp(&self.expander.module.types, &custom, name, &linearized, Some(&batch)))
    }

    /// Calls the rule of `primal` once for each direction; the primal results are those of the first call.
    fn by_rule(&mut self, primal: FuncId) -> Func {
        let custom = CustomArithmetic::of(&self.expander.module.types);
        let Module { types, funcs, .. } = &mut *self.expander.module;
        let func = &funcs[primal];
        let (_, one) = jvp::signature(types, func, None);
        let (inputs, results) = jvp::signature(types, func, Some(self.directions));
        let one: Vec<TypeId> = one.iter().map(|slot| slot.ty).collect();
        let wide: Vec<TypeId> = results[func.results.len()..].iter().map(|slot| slot.ty).collect();
        let (given, primal_inputs, primal_results) = (inputs.len(), func.inputs.len(), func.results.len());
        let builder = FuncBuilder::new(types, func.name.clone(), inputs, results, func.span);
        let mut e = Emitter::new(builder, &custom);
        let all: Vec<ValueId> = (0..given).map(|index| e.input(index)).collect();
        let mut values: Vec<ValueId> = Vec::new();
        let mut tangents: Vec<Vec<ValueId>> = vec![Vec::new(); wide.len()];
        for direction in 0..self.directions {
            let mut args = all[..primal_inputs].to_vec();
            for &array in &all[primal_inputs..] {
                args.push(e.part(array, &[PathStep::Const(direction)]));
            }
            let called = e.call(Callee::Derivative(DerivativeKind::Jvp, primal), &args, &one).to_vec();
            if direction == 0 {
                values.extend(&called[..primal_results]);
            }
            for (parts, &tangent) in tangents.iter_mut().zip(&called[primal_results..]) {
                parts.push(tangent);
            }
        }
        for (parts, ty) in tangents.iter().zip(wide) {
            let array = e.make(parts, ty);
            values.push(array);
        }
        e.ret(values);
        e.builder.finish()
    }
}

fn collect_callees(region: &LinearRegion, callees: &mut Vec<FuncId>) {
    for node in &region.nodes {
        match &node.op {
            LinearOp::Call(call) => callees.push(call.callee),
            LinearOp::Branch(branch) => branch.arms.iter().for_each(|arm| collect_callees(arm, callees)),
            LinearOp::Loop(linear_loop) => collect_callees(&linear_loop.body, callees),
            _ => {}
        }
    }
}
