//! Fixture language, LSP test client, program generator.
