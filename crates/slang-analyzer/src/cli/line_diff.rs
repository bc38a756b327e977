//! Which lines of a text another one does not have.

/// The lines of both texts in order, marked with `-` (only before), `+` (only after) or a space. Runs of lines that both
/// have are left out but for a few around each change.
pub fn diff(before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = marked(&before, &after);
    let is_near = |index: usize| {
        let around = index.saturating_sub(CONTEXT)..lines.len().min(index + CONTEXT + 1);
        lines[around].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut text = String::new();
    let mut is_cut = false;
    for (index, (mark, line)) in lines.iter().enumerate() {
        if is_near(index) {
            text.push_str(&format!("{mark} {line}\n"));
        } else if !is_cut {
            text.push_str("…\n");
        }
        is_cut = !is_near(index);
    }
    text
}

/// Lines around a change.
const CONTEXT: usize = 3;

/// Texts whose lengths multiply to more than this are shown one after the other, where they begin to differ.
const LARGEST: usize = 1 << 24;

fn marked<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<(char, &'a str)> {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (left, right) = (&before[start..], &after[start..]);
    let end = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    let mut lines: Vec<(char, &str)> = before[..start].iter().map(|&line| (' ', line)).collect();
    if left.len().saturating_mul(right.len()) > LARGEST {
        lines.extend(left.iter().map(|&line| ('-', line)));
        lines.extend(right.iter().map(|&line| ('+', line)));
    } else {
        lines.extend(longest_common(left, right));
    }
    lines.extend(before[before.len() - end..].iter().map(|&line| (' ', line)));
    lines
}

/// By the longest common subsequence.
fn longest_common<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = right.len() + 1;
    let mut lengths = vec![0u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = match left[i] == right[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            lines.push((' ', left[i]));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            lines.push(('-', left[i]));
            i += 1;
        } else {
            lines.push(('+', right[j]));
            j += 1;
        }
    }
    lines.extend(left[i..].iter().map(|&line| ('-', line)));
    lines.extend(right[j..].iter().map(|&line| ('+', line)));
    lines
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn changed_lines_are_marked() {
        assert_eq!(diff("a\nb\nc\n", "a\nx\nc\ny\n"), "  a\n- b\n+ x\n  c\n+ y\n");
        assert_eq!(diff("a\n", "a\n"), "…\n");
        assert_eq!(diff("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n6\n"), "…\n  2\n  3\n  4\n- 5\n+ 6\n");
        assert_eq!(diff("", ""), "");
    }
}
