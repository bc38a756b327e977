//! Comments of documentation as Markdown: the words that Doxygen knows (`@param`, `\\return`) become what they mean.

/// The words that say something of the whole, with the headings that they become.
const SECTIONS: [(&str, &str); 9] = [
    ("return", "Returns"),
    ("returns", "Returns"),
    ("retval", "Returns"),
    ("note", "Note"),
    ("remark", "Note"),
    ("warning", "Warning"),
    ("see", "See"),
    ("sa", "See"),
    ("throws", "Throws"),
];

/// The words that name what they speak of.
const PARAMETERS: [&str; 2] = ["param", "tparam"];

/// The words that only introduce a text.
const PLAIN: [&str; 2] = ["brief", "details"];

/// A comment as Markdown.
pub(crate) fn markdown(comment: &str) -> String {
    let mut text = String::new();
    let mut in_parameters = false;
    let mut in_code = false;
    for line in comment.lines() {
        in_code ^= line.trim_start().starts_with("```");
        let line = match command(line).filter(|_| !in_code) {
            Some((word, rest)) if PARAMETERS.contains(&word) => {
                let head = if in_parameters { "" } else { "\n**Parameters**\n" };
                in_parameters = true;
                let (name, about) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                format!("{head}- `{name}` {}", about.trim())
            }
            Some((word, rest)) if PLAIN.contains(&word) => rest.to_owned(),
            Some((word, rest)) => {
                in_parameters = false;
                let heading = SECTIONS.iter().find(|(known, _)| *known == word).map_or(word, |(_, heading)| heading);
                format!("\n**{heading}** {rest}")
            }
            None => line.to_owned(),
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim().to_owned()
}

/// `@word rest`, `\\word rest`, `@param[in] rest`, for the words that are known.
fn command(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().strip_prefix(['@', '\\'])?;
    let length = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    let (word, mut rest) = line.split_at(length);
    if let Some((_, behind)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        rest = behind;
    }
    let is_known =
        SECTIONS.iter().any(|(known, _)| *known == word) || PARAMETERS.contains(&word) || PLAIN.contains(&word);
    is_known.then(|| (word, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn words_of_doxygen_become_what_they_mean() {
        let comment = "@brief Adds.\nMore of it.\n\\param[in] a The first.\n@param b The second,\n  which is last.\n@return The sum.\n@unknown stays";
        let shown = "Adds.\nMore of it.\n\n**Parameters**\n- `a` The first.\n- `b` The second,\n  which is last.\n\n**Returns** The sum.\n@unknown stays";
        assert_eq!(markdown(comment), shown);
        assert_eq!(markdown("```\n@param x\n```"), "```\n@param x\n```");
        assert_eq!(markdown("Plain `text`."), "Plain `text`.");
    }
}
