//! `printf` formats.

use crate::Value;

/// Widths and precisions above this are cut: they come from programs of users.
const MAX_WIDTH: usize = 256;

/// The text that C's `printf` would give. Arguments are scalars; what does not fit its conversion is written plainly,
/// and a conversion without argument stays as it is.
pub(crate) fn format_text(format: &str, args: &[Value]) -> String {
    let mut text = String::new();
    let mut args = args.iter();
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        text.push_str(&rest[..percent]);
        rest = &rest[percent + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'l' | 'h')) else {
            text.push('%');
            continue;
        };
        let (options, conversion) = (&rest[..end], &rest[end..end + 1]);
        rest = &rest[end + 1..];
        match args.next() {
            Some(arg) => text.push_str(&convert(options, conversion, arg)),
            None => {
                text.push('%');
                text.push_str(options);
                text.push_str(conversion);
            }
        }
    }
    text.push_str(rest);
    text
}

fn convert(options: &str, conversion: &str, arg: &Value) -> String {
    let flags_end = options.find(|c: char| !matches!(c, '-' | '0' | '+' | ' ' | '#')).unwrap_or(options.len());
    let (flags, sizes) = options.split_at(flags_end);
    let (width, precision) = sizes.split_once('.').unwrap_or((sizes, ""));
    let number = |digits: &str| digits.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().ok();
    let width = number(width).unwrap_or(0).min(MAX_WIDTH);
    let precision = number(precision).unwrap_or(6).min(MAX_WIDTH);
    let mut text = match (conversion, arg) {
        ("f" | "F", Value::Float(value)) => format!("{value:.precision$}"),
        ("e" | "E", Value::Float(value)) => format!("{value:.precision$e}"),
        ("x", Value::Int(value)) => format!("{value:x}"),
        ("X", Value::Int(value)) => format!("{value:X}"),
        ("o", Value::Int(value)) => format!("{value:o}"),
        ("c", Value::Int(value)) => char::from(*value as u8).to_string(),
        (_, value) => plain(value),
    };
    if flags.contains('+') && !text.starts_with('-') && !matches!(arg, Value::Bool(_)) {
        text.insert(0, '+');
    }
    let missing = width.saturating_sub(text.len());
    if flags.contains('-') {
        text.push_str(&" ".repeat(missing));
    } else if flags.contains('0') {
        let sign = usize::from(text.starts_with(['-', '+']));
        text.insert_str(sign, &"0".repeat(missing));
    } else {
        text.insert_str(0, &" ".repeat(missing));
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Aggregate(parts) => {
            let parts: Vec<String> = parts.iter().map(plain).collect();
            format!("({})", parts.join(", "))
        }
        Value::Sum(None) => "null".into(),
        Value::Sum(Some((_, payload))) => plain(payload),
        Value::Handle(_) => "handle".into(),
    }
}
