//! Which value each expression and variable of the source is, for tools that show something about the values of a body
//! where the user wrote them. Only the editor's analysis keeps it.

use hir_def::body::{ExprId, LocalId};
use ir::{FuncId, SpanId, ValueId};

use super::{BodyLowering, place::Place};
use crate::{program::Program, spans::BodyPart};

/// A text of the source and the value that it stands for when control has passed it: for the target of an assignment,
/// the new one; for a part of a variable that is only written, the variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenValue {
    /// The function of the IR.
    pub func: FuncId,
    /// The place of the expression.
    pub span: SpanId,
    /// What the expression is lowered to.
    pub value: ValueId,
}

/// What is noted while a body is lowered.
#[derive(Debug, Default)]
pub(crate) struct WrittenValues {
    /// Of the body that is being lowered.
    here: Vec<(SpanId, ValueId)>,
    /// Of those that are done.
    done: Vec<WrittenValue>,
}

impl WrittenValues {
    /// Another body begins.
    pub(crate) fn start(&mut self) {
        self.here.clear();
    }

    /// The body of `func` is done.
    pub(crate) fn finish(&mut self, func: FuncId) {
        let values = self.here.drain(..).map(|(span, value)| WrittenValue { func, span, value });
        self.done.extend(values);
    }

    pub(crate) fn into_values(self) -> Vec<WrittenValue> {
        self.done
    }
}

impl Program<'_> {
    fn note_value(&mut self, span: SpanId, value: ValueId) {
        if let Some(written) = &mut self.written_values {
            written.here.push((span, value));
        }
    }
}

impl BodyLowering<'_, '_> {
    /// The expression at the cursor is `value`.
    pub(super) fn note_value(&mut self, value: ValueId) {
        self.program.note_value(self.b.span, value);
    }

    /// The expression at the cursor is a place.
    pub(super) fn note_place(&mut self, place: &Place) {
        if let Place::Variable { variable, .. } = place
            && let Ok(value) = self.env.get(*variable)
        {
            self.note_value(value);
        }
    }

    /// The place that `target` names has just been written.
    pub(super) fn note_assigned(&mut self, target: ExprId, place: &Place) {
        if self.program.written_values.is_some()
            && let Place::Variable { variable, .. } = place
            && let Ok(value) = self.env.get(*variable)
        {
            let program = &mut *self.program;
            let span = program.spans.part(program.db, &mut program.module, &self.scope, BodyPart::Expr(target));
            program.note_value(span, value);
        }
    }

    /// A local variable has its first value.
    pub(super) fn note_local(&mut self, local: LocalId, value: ValueId) {
        if self.program.written_values.is_some() {
            let program = &mut *self.program;
            let span = program.spans.part(program.db, &mut program.module, &self.scope, BodyPart::Local(local));
            program.note_value(span, value);
        }
    }
}
