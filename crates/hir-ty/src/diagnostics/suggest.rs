//! Names that a misspelt one may have meant.

use hir_def::scope::Letters;

/// How many names are compared letter by letter, and how many are looked at for those.
const MOST_COMPARED: usize = 256;
const MOST_LOOKED_AT: usize = 16_384;

/// How many mistakes a misspelt name may have.
pub fn most_mistakes(name: &str) -> usize {
    (name.chars().count() / 3).clamp(1, 3)
}

/// The candidate nearest to `name`, if one is near enough to be worth a suggestion: ties go to the first. Only names of
/// which something is left are near: `k` is not a misspelt `x`, nor `_` anything at all.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = most_mistakes(name);
    let letters = Letters::of(name);
    let mut nearest: Option<(usize, &str)> = None;
    let similar = candidates.take(MOST_LOOKED_AT).filter(|candidate| {
        candidate.len().abs_diff(name.len()) <= limit
            && letters.may_be_within(limit, Letters::of(candidate))
            && is_identifier(candidate)
    });
    for candidate in similar.take(MOST_COMPARED) {
        let Some(distance) = distance(name, candidate, limit) else { continue };
        let differs_in_case_alone = name.eq_ignore_ascii_case(candidate);
        let is_near = distance > 0 && (differs_in_case_alone || distance < name.len().min(candidate.len()));
        if is_near && nearest.is_none_or(|(best, _)| distance < best) {
            nearest = Some((distance, candidate));
        }
        if distance == 1 && is_near {
            break;
        }
    }
    nearest.map(|(_, candidate)| candidate)
}

/// Operators are functions, too, and unnamed parameters are called nothing: those are not names to replace another by.
fn is_identifier(candidate: &str) -> bool {
    candidate.chars().next().is_some_and(|first| first == '_' || first.is_alphabetic())
}

/// Longer names than this are not compared: nobody mistypes them in a way that a suggestion would help with.
const LONGEST: usize = 63;

/// Edit distance with swaps of neighbours, in bytes, ignoring case; `None` if more than `limit`.
///
/// A misspelt name is compared with all the names of the core library, so that this does not allocate.
fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() > LONGEST || right.len() > LONGEST {
        return None;
    }
    // Three rows of the table, of which the last is the current one.
    let mut before_last = [0; LONGEST + 1];
    let mut last: [usize; LONGEST + 1] = std::array::from_fn(|column| column);
    let mut current = [0; LONGEST + 1];
    for (row, a) in left.iter().enumerate() {
        current[0] = row + 1;
        let mut smallest = current[0];
        for (column, b) in right.iter().enumerate() {
            let substitution = usize::from(!a.eq_ignore_ascii_case(b));
            let mut best = (last[column] + substitution).min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && left[row - 1] == *b && right[column - 1] == *a {
                best = best.min(before_last[column - 1] + 1);
            }
            current[column + 1] = best;
            smallest = smallest.min(best);
        }
        if smallest > limit {
            return None;
        }
        (before_last, last, current) = (last, current, before_last);
    }
    let result = last[right.len()];
    // Names that differ in case alone are the most likely meaning of all.
    let result = if result == 0 && left != right { 1 } else { result };
    (result <= limit).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_typos_and_nothing_else() {
        let names = ["position", "normal", "dispatch"];
        assert_eq!(nearest("postion", names.into_iter()), Some("position"));
        assert_eq!(nearest("Normal", names.into_iter()), Some("normal"));
        assert_eq!(nearest("noraml", names.into_iter()), Some("normal"));
        assert_eq!(nearest("albedo", names.into_iter()), None);
        assert_eq!(nearest("normal", names.into_iter()), None);
    }

    #[test]
    fn suggests_neither_operators_nor_names_that_share_nothing() {
        let names = ["", "*", "+", "x", "_y", "operator+"];
        assert_eq!(nearest("_", names.into_iter()), None);
        assert_eq!(nearest("a", names.into_iter()), None);
        assert_eq!(nearest("y", names.into_iter()), None);
        assert_eq!(nearest("X", names.into_iter()), Some("x"));
        assert_eq!(nearest("uw", ["uv"].into_iter()), Some("uv"));
    }
}
