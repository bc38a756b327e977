//! What the analysis holds in memory, by table.

use std::sync::Arc;

use crate::{RootDatabase, Segment, SegmentKind, SourceFile};

/// What one table holds: inputs, interned values, or the results of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMemory {
    /// What the table holds.
    pub table: &'static str,
    /// How many entries it has.
    pub entries: usize,
    /// With what the entries depend on, and with what is on the heap where the table says how much that is.
    pub bytes: usize,
}

impl RootDatabase {
    /// All tables, the largest first. Like a change this waits until no snapshot is left.
    pub fn memory(&mut self) -> Vec<TableMemory> {
        let usage = (self as &mut dyn salsa::Database).memory_usage();
        let structs = usage.structs.iter().map(|table| (table.debug_name(), table));
        let queries = usage.queries.iter().map(|(query, table)| (*query, table));
        let mut tables: Vec<TableMemory> = structs
            .chain(queries)
            .map(|(name, table)| TableMemory {
                table: name,
                entries: table.count(),
                bytes: table.size_of_fields()
                    + table.size_of_metadata()
                    + table.heap_size_of_fields().unwrap_or_default(),
            })
            .filter(|table| table.entries > 0)
            .collect();
        tables.sort_by_key(|table| (std::cmp::Reverse(table.bytes), table.table));
        tables
    }
}

/// The fields of a [`Segment`].
type SegmentFields =
    (SourceFile, Option<Segment>, SegmentKind, bool, bool, Arc<str>, Arc<str>, Arc<str>, Arc<[Segment]>);

/// The bytes of the texts of a segment.
pub(crate) fn texts((.., header, body, directives, members): &SegmentFields) -> usize {
    header.len() + body.len() + directives.len() + size_of_val(&**members)
}
