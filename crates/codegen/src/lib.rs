//! Legalisation and target writers.
