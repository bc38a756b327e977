//! Text to lossless syntax tree.
