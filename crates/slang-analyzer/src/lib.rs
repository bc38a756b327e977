//! The language server and command line.
