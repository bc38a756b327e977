//! Making a variant that fails small: edits that do not matter are undone.

use super::edit::Edit;

/// The edits without which nothing fails any more: undoing one more of them lets the variant pass.
pub(crate) fn reduce(edits: Vec<Edit>, mut fails: impl FnMut(&[Edit]) -> bool) -> Vec<Edit> {
    let mut edits = edits;
    // Halves first, then ever smaller groups, as often as something can go.
    let mut group = edits.len().div_ceil(2);
    while group > 0 && edits.len() > 1 {
        let mut has_undone = false;
        let mut start = 0;
        while start < edits.len() {
            let end = (start + group).min(edits.len());
            let fewer: Vec<Edit> = edits[..start].iter().chain(&edits[end..]).cloned().collect();
            if !fewer.is_empty() && fails(&fewer) {
                edits = fewer;
                has_undone = true;
            } else {
                start = end;
            }
        }
        if !has_undone || group > 1 {
            group /= 2;
        }
    }
    edits
}

/// The lines of two texts that differ, where lines correspond but for those at the end.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |a: &[&str], b: &[&str]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let mut text = String::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let equal = same(&old[i..], &new[j..]);
        (i, j) = (i + equal, j + equal);
        // The nearest place where both go on alike.
        let distance = (1..).find_map(|sum: usize| {
            (0..=sum).map(|a| (a, sum - a)).find(|&(a, b)| {
                let is_end = i + a >= old.len() && j + b >= new.len();
                is_end || i + a < old.len() && j + b < new.len() && old[i + a] == new[j + b]
            })
        });
        let Some((a, b)) = distance else { break };
        let lines = |lines: &[&str], from: usize, count: usize| -> Vec<String> {
            lines.iter().skip(from).take(count).map(|line| (*line).to_owned()).collect()
        };
        text.extend(lines(&old, i, a).iter().map(|line| format!("-{line}\n")));
        text.extend(lines(&new, j, b).iter().map(|line| format!("+{line}\n")));
        (i, j) = (i + a, j + b);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::edit::Rewrite;

    #[test]
    fn what_matters_stays() {
        let edits: Vec<Edit> = (0..9u32)
            .map(|number| Edit::new("test", vec![Rewrite::new(syntax::TextRange::empty(number.into()), [])]))
            .collect();
        let matters = [edits[2].clone(), edits[7].clone()];
        let reduced = reduce(edits, |edits| matters.iter().all(|edit| edits.contains(edit)));
        assert_eq!(reduced, matters);
    }

    #[test]
    fn only_lines_that_differ_are_shown() {
        assert_eq!(diff("a\nb\nc\n", "a\nx\nc\nd\n"), "-b\n+x\n+d\n");
        assert_eq!(diff("a\nb\nc\nd\n", "a\nc\nd\n"), "-b\n");
        assert_eq!(diff("a\n", "a\n"), "");
    }
}
