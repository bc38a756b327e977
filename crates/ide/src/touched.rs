//! Which segments a range of a file touches, found without a look at the others: what is asked of a few lines costs what
//! these lines do.

use base_db::{
    Db, Segment, SourceFile,
    text::{FileText, Part},
};
use hir_def::source_map;
use syntax::TextRange;

/// The segments that a range touches, members behind their containers, in the order of the text.
pub(crate) fn segments(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<Segment> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let mut found = Vec::new();
    // What macros open is expanded with the segment that the run begins with.
    let first = source_map::segment_at(db, file, range.start()).map(|(segment, ..)| segment);
    add(db, text, file.segments(db), range, &mut found);
    found.extend(first.filter(|first| !found.contains(first)));
    found
}

fn add(db: &dyn Db, text: &FileText, among: &[Segment], range: TextRange, found: &mut Vec<Segment>) {
    for &segment in &among[neighbours(text, among, range)] {
        found.push(segment);
        add(db, text, segment.members(db), range, found);
    }
}

/// Which of some segments behind each other a range touches.
pub(crate) fn neighbours(text: &FileText, among: &[Segment], range: TextRange) -> std::ops::Range<usize> {
    let start = |segment: &Segment| text.part_start(*segment, Part::Header).unwrap_or_default();
    // The one before ends where the first of these begins.
    let first = among.partition_point(|segment| start(segment) < range.start().into()).saturating_sub(1);
    let end = among.partition_point(|segment| start(segment) <= range.end().into());
    first..end.max(first)
}
