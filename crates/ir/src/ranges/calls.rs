//! What small functions give: an index helper, a clamp of the user's own, a table of constants.
//!
//! A callee without loops is walked anew at each call, under what is known of the arguments; what it calls itself may give
//! anything. What has no inputs, as the tables have none, is walked once, and may be larger.

use super::{
    Analysis,
    known::{Known, MOST_PARTS},
};
use crate::{Func, FuncId, Op, ValueId};

/// Operations of a function that is looked through, and of one without inputs.
const MOST_OPS: (usize, usize) = (64, 4096);

/// Numbers of a table that are told apart.
const MOST_OF_TABLE: usize = 1024;

impl Analysis<'_> {
    /// What is known of the one result of a call.
    pub(super) fn called(&self, callee: FuncId, args: &[ValueId], of: &dyn Fn(ValueId) -> Known) -> Option<Known> {
        if !args.is_empty() {
            return self.walked_with(&self.funcs?[callee], args, of);
        }
        if let Some(known) = self.tables.borrow().get(&callee) {
            return known.clone();
        }
        let known = self.walked_with(&self.funcs?[callee], args, of);
        self.tables.borrow_mut().insert(callee, known.clone());
        known
    }

    fn walked_with(&self, callee: &Func, args: &[ValueId], of: &dyn Fn(ValueId) -> Known) -> Option<Known> {
        let body = callee.body?;
        let has_loops = callee.ops.iter().any(|(_, data)| matches!(data.op, Op::Loop { .. }));
        let is_table = args.is_empty();
        if has_loops || callee.ops.len() > if is_table { MOST_OPS.1 } else { MOST_OPS.0 } {
            return None;
        }
        let most_parts = if is_table { MOST_OF_TABLE } else { MOST_PARTS };
        let mut inner = Analysis::new(self.types, None, callee, self.undefined, most_parts);
        for (&input, &arg) in callee.regions[body].params.iter().zip(args) {
            // What the number is counted from is a value of another function.
            let known = inner.whole(input).meet(&unrelated(of(arg)))?;
            inner.define(input, known);
        }
        inner.scope(|inner| inner.region(body));
        match inner.returned?.as_slice() {
            [result] => Some(unrelated(result.clone())),
            _ => None,
        }
    }

    /// The function returns these values.
    pub(super) fn returns(&mut self, values: &[ValueId]) {
        let values: Vec<Known> = values.iter().map(|&value| self.known(value)).collect();
        self.returned = Some(match self.returned.take() {
            Some(before) => before.iter().zip(&values).map(|(a, b)| a.join(b)).collect(),
            None => values,
        });
    }
}

fn unrelated(mut known: Known) -> Known {
    known.for_each_number(&mut |_, number| number.relation = None);
    known
}
