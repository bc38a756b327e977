//! Editor features as functions of a database snapshot.
