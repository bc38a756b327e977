//! A diagnostic as plain data.

use crate::{Code, Severity, Tag, entry};

/// Something to say about the program, at a location of whichever kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic<L> {
    /// Its entry in the registry.
    pub code: Code,
    /// As the registry says, or as the place makes it.
    pub severity: Severity,
    /// A short sentence that stands alone.
    pub message: String,
    /// What is underlined.
    pub at: L,
    /// The chain of causes, candidates, declarations.
    pub related: Vec<Related<L>>,
    /// Best first.
    pub fixes: Vec<Fix<L>>,
    /// `None` where the text is drawn as it is.
    pub tag: Option<Tag>,
}

/// Something to read beside a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related<L> {
    /// A sentence, or what the place is: `declared here`.
    pub message: String,
    /// What the message is about, in this file or another one.
    pub at: L,
}

/// A change of the program that answers the diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix<L> {
    /// What choosing it does: `Add the missing members`.
    pub title: String,
    /// All of them are made at once; they do not overlap.
    pub edits: Vec<Edit<L>>,
}

/// Text that goes in place of what is at a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<L> {
    /// What goes; an empty range inserts.
    pub at: L,
    /// What comes; an empty text deletes.
    pub text: String,
}

impl<L> Diagnostic<L> {
    /// A diagnostic of the registry, as severe as it says there.
    pub fn new(code: Code, at: L, message: impl Into<String>) -> Diagnostic<L> {
        let entry = entry(code);
        Diagnostic {
            code,
            severity: entry.map_or(Severity::Error, |entry| entry.severity),
            message: message.into(),
            at,
            related: Vec::new(),
            fixes: Vec::new(),
            tag: entry.and_then(|entry| entry.tag),
        }
    }

    /// The same where it is more or less severe than usual.
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic<L> {
        self.severity = severity;
        self
    }

    /// Something else that has to do with it; left out where it has no location.
    pub fn related(mut self, at: Option<L>, message: impl Into<String>) -> Diagnostic<L> {
        self.related.extend(at.map(|at| Related { message: message.into(), at }));
        self
    }

    /// One more thing to say; where it has no location of its own, it belongs to the sentence.
    pub fn note(self, message: impl Into<String>, at: Option<L>) -> Diagnostic<L> {
        match at {
            Some(at) => self.related(Some(at), message),
            None => self.continued(&message.into()),
        }
    }

    fn continued(mut self, message: &str) -> Diagnostic<L> {
        self.message.push_str("; ");
        self.message.push_str(message);
        self
    }

    /// Adds a fix, if there is one, behind those that it has.
    pub fn fix(mut self, fix: impl Into<Option<Fix<L>>>) -> Diagnostic<L> {
        self.fixes.extend(fix.into());
        self
    }

    /// A replacement of the text that the diagnostic is about.
    pub fn replacement(mut self, title: impl Into<String>, text: impl Into<String>) -> Diagnostic<L>
    where
        L: Clone,
    {
        let edits = vec![Edit { at: self.at.clone(), text: text.into() }];
        self.fixes.push(Fix::new(title, edits));
        self
    }

    /// The same at locations of another kind. A diagnostic without a location is none; of what is related, what has no
    /// location there belongs to the sentence.
    pub fn locate<M>(&self, location: impl Fn(&L) -> Option<M>) -> Option<Diagnostic<M>> {
        let mut located = Diagnostic {
            code: self.code,
            severity: self.severity,
            message: self.message.clone(),
            at: location(&self.at)?,
            related: Vec::new(),
            fixes: Vec::new(),
            tag: self.tag,
        };
        for related in &self.related {
            located = located.note(&related.message, location(&related.at));
        }
        located.fixes.extend(self.fixes.iter().filter_map(|fix| {
            let edits = fix.edits.iter().map(|edit| Some(Edit { at: location(&edit.at)?, text: edit.text.clone() }));
            Some(Fix { title: fix.title.clone(), edits: edits.collect::<Option<_>>()? })
        }));
        Some(located)
    }
}

impl<L> Fix<L> {
    /// A fix by its title and its edits.
    pub fn new(title: impl Into<String>, edits: impl Into<Vec<Edit<L>>>) -> Fix<L> {
        Fix { title: title.into(), edits: edits.into() }
    }
}
