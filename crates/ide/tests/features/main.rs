//! Features of the editor on small programs in the fixture language: Slang text with a cursor `$0` and carets under what is
//! expected (`test_support::fixture`). A test is one call of a function of [`check`].

mod check;

mod assists;
mod completion;
mod definition;
mod diagnostics;
mod file_renames;
mod fixes;
mod formatting;
mod hierarchies;
mod hints;
mod hover;
mod lenses;
mod pragma_warnings;
mod references;
mod rename;
mod selection;
mod signature_help;
mod symbols;
mod uses;
