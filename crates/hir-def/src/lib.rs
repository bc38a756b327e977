//! Items, names, scopes, bodies.
