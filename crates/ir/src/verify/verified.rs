//! Proof that the verifier has accepted a module.

use std::ops::Deref;

use super::{VerifyError, describe, verify};
use crate::{Module, number::Precision};

/// A module that obeys all rules. Only the verifier makes one, so that whoever takes one relies on the rules without
/// asking again.
#[derive(Debug, Clone, Default)]
pub struct VerifiedModule(Module);

/// A module that the verifier does not accept, with the rules that it breaks.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// As it was handed to the verifier.
    pub module: Module,
    /// The rules that it breaks, at least one.
    pub errors: Vec<VerifyError>,
}

impl VerifiedModule {
    /// # Errors
    /// The module, if it breaks a rule.
    pub fn new(module: Module) -> Result<VerifiedModule, Box<Rejected>> {
        match verify(&module) {
            Ok(()) => Ok(VerifiedModule(module)),
            Err(errors) => Err(Box::new(Rejected { module, errors })),
        }
    }

    /// Runs a pass over the module and verifies what it leaves.
    ///
    /// # Errors
    /// What the pass left, if that breaks a rule; this module is empty then.
    pub fn change<T>(&mut self, pass: impl FnOnce(&mut Module) -> T) -> Result<T, Box<Rejected>> {
        let mut module = std::mem::take(self).0;
        let result = pass(&mut module);
        *self = VerifiedModule::new(module)?;
        Ok(result)
    }

    /// Says how constants are folded from now on, which no rule depends on.
    pub fn set_precision(&mut self, precision: Precision) {
        self.0.precision = precision;
    }

    /// The module, to be changed.
    pub fn into_module(self) -> Module {
        self.0
    }
}

impl Deref for VerifiedModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

/// The errors, each in a line, and the text of the module.
impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&describe(&self.module, &self.errors))
    }
}

impl std::error::Error for Rejected {}
