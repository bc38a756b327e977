//! Long lines of code become several: broken after commas and in front of operators, as far outside as possible.

/// The columns that a line may have.
pub(super) const WIDTH: usize = 120;

const INDENT: &str = "    ";

/// Operators in front of which a line may be broken.
const OPERATORS: [&str; 11] = ["+ ", "- ", "* ", "/ ", "&& ", "|| ", "? ", ": ", "& ", "| ", "^ "];

/// The lines of `line`, which stands behind `before` columns; all but the first are indented by one more step.
pub(super) fn wrap(line: &str, before: usize) -> Vec<String> {
    let text = line.trim_start();
    if before + line.len() <= WIDTH || text.starts_with('#') || text.contains("//") {
        return vec![line.to_owned()];
    }
    let lead = &line[..line.len() - text.len()];
    let mut lines = Vec::new();
    let mut rest = text;
    let mut indent = lead.to_owned();
    while before + indent.len() + rest.len() > WIDTH {
        let Some(at) = place(rest, WIDTH.saturating_sub(before + indent.len())) else { break };
        let (this, next) = rest.split_at(at);
        lines.push(format!("{indent}{}", this.trim_end()));
        rest = next;
        indent = format!("{lead}{INDENT}");
    }
    lines.push(format!("{indent}{rest}"));
    lines
}

/// Where to break a text so that at most `room` columns stand before: in as few brackets as possible, and then as late.
fn place(text: &str, room: usize) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    let mut depth = 0usize;
    let mut in_string = false;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate().take(room + 1) {
        let escaped = at > 0 && bytes[at - 1] == b'\\';
        match byte {
            b'"' if !escaped => in_string = !in_string,
            _ if in_string => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if at > 0 && bytes[at - 1] == b' ' && !text[..at].trim_start().is_empty() => {
                let after_comma = at > 1 && bytes[at - 2] == b',';
                let at_operator = OPERATORS.iter().any(|operator| bytes[at..].starts_with(operator.as_bytes()));
                if (after_comma || at_operator) && best.is_none_or(|(_, least)| depth <= least) {
                    best = Some((at, depth));
                }
            }
            _ => {}
        }
    }
    best.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_outside_of_inner_brackets() {
        let argument = "combine(first, second)";
        let line = format!("float y = f({}) + {argument};", [argument; 4].join(", "));
        assert_eq!(wrap(&line, 0).join("\n"), line.replace(" + ", "\n    + "));
        // Where that is not enough, between arguments.
        let lines = wrap(&line, 48);
        assert!(lines.len() > 2 && lines.iter().all(|line| 48 + line.len() <= WIDTH), "{lines:?}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&lines.join(" ")), words(&line));
    }

    #[test]
    fn strings_directives_and_comments_stay_whole() {
        let word = "a, b + c, ".repeat(20);
        for line in [format!("print(\"{word}\");"), format!("#define {word}"), format!("x; // {word}")] {
            assert_eq!(wrap(&line, 0), [line]);
        }
    }
}
