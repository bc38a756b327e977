//! Notes which value each expression and variable of a body is: see [`crate::written_values`].

use hir_def::body::{ExprId, LocalId};
use ir::{SpanId, ValueId};

use super::{BodyLowering, place::Place};
use crate::{program::Program, spans::BodyPart};

impl Program<'_> {
    fn note_value(&mut self, span: SpanId, value: ValueId) {
        if let Some(written) = &mut self.written_values {
            written.note(span, value);
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
