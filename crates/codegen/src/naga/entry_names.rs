//! The names of entry points in WGSL, by which the host finds them. naga's writer changes names: it puts `_` after those
//! that end in a digit and takes double and last underscores away. They are put back into the text.

use naga::keywords::wgsl::{BUILTIN_IDENTIFIER_SET, RESERVED_SET};

/// `text` with the entry points called `names`, in their order; the name that the language has another use for.
pub(crate) fn restore<'a>(mut text: String, names: &[&'a str]) -> Result<String, &'a str> {
    for (index, &name) in names.iter().enumerate() {
        let Some(written) = heads(&text).nth(index).map(str::to_owned) else { continue };
        if written == name {
            continue;
        }
        let is_used = words(&text).any(|(_, word)| word == name);
        let means_something = RESERVED_SET.contains(name) || (BUILTIN_IDENTIFIER_SET.contains(name) && is_used);
        let is_identifier = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if means_something || !is_identifier || name.starts_with("__") || name == "_" {
            return Err(name);
        }
        if is_used {
            // Something else has got the name.
            let free = (1..)
                .map(|number| format!("{name}_u{number}"))
                .find(|free| !words(&text).any(|(_, word)| word == free));
            text = replaced(&text, name, &free.unwrap_or_default());
        }
        text = replaced(&text, &written, name);
    }
    Ok(text)
}

/// The names of the entry points.
fn heads(text: &str) -> impl Iterator<Item = &str> {
    let pairs = text.lines().zip(text.lines().skip(1)).filter(|(attributes, _)| attributes.starts_with("@compute "));
    pairs.filter_map(|(_, head)| head.strip_prefix("fn ")?.split('(').next())
}

/// The words of a text, with where they begin. Numbers are among them.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn replaced(text: &str, old: &str, new: &str) -> String {
    let (mut result, mut end) = (String::with_capacity(text.len()), 0);
    for (start, _) in words(text).filter(|(_, word)| *word == old) {
        result += &text[end..start];
        result += new;
        end = start + old.len();
    }
    result + &text[end..]
}

#[cfg(test)]
mod tests {
    use super::restore;

    #[test]
    fn names_are_put_back() {
        let text = "fn main1_1(a: f32) {\n    let main1 = a;\n}\n\n@compute @workgroup_size(1, 1, 1) \nfn main1_() {\n    \
                    main1_1(2.0);\n}\n\n@compute @workgroup_size(1, 1, 1) \nfn a_b() {\n}\n";
        let expected = "fn main1_1(a: f32) {\n    let main1_u1 = a;\n}\n\n@compute @workgroup_size(1, 1, 1) \nfn main1() {\n    \
                        main1_1(2.0);\n}\n\n@compute @workgroup_size(1, 1, 1) \nfn a__b() {\n}\n";
        assert_eq!(restore(text.into(), &["main1", "a__b"]).as_deref(), Ok(expected));
    }

    #[test]
    fn what_the_language_needs_is_not_given_away() {
        let text = "@compute @workgroup_size(1, 1, 1) \nfn x_() {\n    let a = min(1, 2);\n}\n";
        for name in ["loop", "min", "__x", "_", "3d", "a b"] {
            assert_eq!(restore(text.into(), &[name]), Err(name));
        }
        assert!(restore(text.into(), &["max"]).is_ok());
    }
}
