//! The core library, written in Slang.
