//! Where the pieces of a file lie: prefix sums in two levels, so that a body that grows costs one addition.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::Segment;

/// Number of pieces that share one partial sum.
const CHUNK: usize = 64;

/// The two texts of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What is parsed with the declaration: all but a body.
    Header = 0,
    /// The body of a function, parsed by itself.
    Body = 1,
}

/// The header or body of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub segment: Segment,
    pub part: Part,
}

/// All pieces of a file in text order; a container's header, its members' pieces, then its body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pieces: Vec<Piece>,
    lengths: Vec<usize>,
    chunk_sums: Vec<usize>,
    /// Header's and body's place of each segment.
    places: FxHashMap<Segment, [usize; 2]>,
}

impl Layout {
    pub(crate) fn new(pieces: impl Iterator<Item = (Piece, usize)>) -> Layout {
        let (pieces, lengths): (Vec<_>, Vec<_>) = pieces.unzip();
        let mut layout = Layout { pieces, lengths, ..Layout::default() };
        layout.index_from(0);
        layout
    }

    /// Replaces some pieces by others; costs as much as the pieces after them.
    pub(crate) fn splice(&mut self, range: Range<usize>, pieces: impl Iterator<Item = (Piece, usize)>) {
        for piece in &self.pieces[range.clone()] {
            self.places.remove(&piece.segment);
        }
        let (pieces, lengths): (Vec<_>, Vec<_>) = pieces.unzip();
        let start = range.start;
        self.pieces.splice(range.clone(), pieces);
        self.lengths.splice(range, lengths);
        self.index_from(start);
    }

    pub(crate) fn set_length(&mut self, place: usize, length: usize) {
        let chunk = place / CHUNK;
        self.chunk_sums[chunk] = self.chunk_sums[chunk] + length - self.lengths[place];
        self.lengths[place] = length;
    }

    pub(crate) fn place(&self, segment: Segment, part: Part) -> Option<usize> {
        self.places.get(&segment).map(|places| places[part as usize])
    }

    /// Where a piece begins.
    pub(crate) fn offset(&self, place: usize) -> usize {
        let chunk = place / CHUNK;
        let before: usize = self.chunk_sums[..chunk].iter().sum();
        before + self.lengths[chunk * CHUNK..place].iter().sum::<usize>()
    }

    /// The piece that holds the byte at `offset`, and where it begins; at the end of the text, the last piece.
    pub(crate) fn piece_at(&self, offset: usize) -> Option<(usize, usize)> {
        let mut start = 0;
        let mut chunk = 0;
        while chunk + 1 < self.chunk_sums.len() && start + self.chunk_sums[chunk] <= offset {
            start += self.chunk_sums[chunk];
            chunk += 1;
        }
        let mut place = chunk * CHUNK;
        let end = self.pieces.len().min(place + CHUNK);
        // Empty pieces never hold a byte. At the end of the file the last non-empty piece answers.
        let mut last = None;
        while place < end {
            let length = self.lengths[place];
            if length > 0 {
                if offset < start + length {
                    return Some((place, start));
                }
                last = Some((place, start));
            }
            start += length;
            place += 1;
        }
        last.or_else(|| {
            let place = (0..self.pieces.len()).rev().find(|&place| self.lengths[place] > 0)?;
            Some((place, self.offset(place)))
        })
    }

    pub(crate) fn piece(&self, place: usize) -> Piece {
        self.pieces[place]
    }

    pub(crate) fn length(&self, place: usize) -> usize {
        self.lengths[place]
    }

    fn index_from(&mut self, start: usize) {
        for (place, piece) in self.pieces.iter().enumerate().skip(start) {
            self.places.entry(piece.segment).or_default()[piece.part as usize] = place;
        }
        let chunk = start / CHUNK;
        self.chunk_sums.truncate(chunk);
        self.chunk_sums
            .extend(self.lengths[chunk * CHUNK..].chunks(CHUNK).map(|lengths| lengths.iter().sum::<usize>()));
    }
}
