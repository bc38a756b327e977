//! Which value each expression and variable of the source is, for tools that show something about the values of a body
//! where the user wrote them. Only the editor's analysis keeps it.

use ir::{FuncId, SpanId, ValueId};

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

    /// The text at `span` is `value`.
    pub(crate) fn note(&mut self, span: SpanId, value: ValueId) {
        self.here.push((span, value));
    }

    pub(crate) fn into_values(self) -> Vec<WrittenValue> {
        self.done
    }
}
