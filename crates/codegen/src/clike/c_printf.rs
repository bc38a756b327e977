//! `printf` of C, which believes what the format says of the arguments' types.

use ir::Scalar;

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Printed {
    Number(Scalar),
    Pointer,
    Other,
}

/// The format as a C literal and, for each argument, what converts it, empty if nothing must. `types` are those of the
/// arguments. The error is what cannot be printed.
pub(crate) fn checked(format: &str, types: &[Printed]) -> Result<(String, Vec<&'static str>), String> {
    let (mut literal, mut casts) = (String::new(), Vec::new());
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        escape(&rest[..percent], &mut literal);
        rest = &rest[percent + 1..];
        literal.push('%');
        if let Some(after) = rest.strip_prefix('%') {
            literal.push('%');
            rest = after;
            continue;
        }
        let is_option = |c: char| c.is_ascii_digit() || "-+ #.".contains(c);
        let options = &rest[..rest.find(|c| !is_option(c)).unwrap_or(rest.len())];
        rest = rest[options.len()..].trim_start_matches(['l', 'h', 'z', 'j', 't']);
        let Some(conversion) = rest.chars().next() else { return Err("a format that ends in `%`".into()) };
        rest = &rest[conversion.len_utf8()..];
        let Some(&ty) = types.get(casts.len()) else {
            return Err(format!("`%{conversion}` without an argument"));
        };
        let is_wide = matches!(ty, Printed::Number(Scalar::I64 | Scalar::U64));
        let (length, cast) = match (ty, conversion) {
            // Singles are promoted by themselves, as in every call without a prototype.
            (Printed::Number(Scalar::F32 | Scalar::F64), 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => ("", ""),
            (Printed::Number(Scalar::F16), 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') => ("", "double"),
            (Printed::Number(Scalar::I32), 'd' | 'i' | 'c') | (Printed::Number(Scalar::U32), 'u' | 'x' | 'X' | 'o') => {
                ("", "")
            }
            (Printed::Number(scalar), 'd' | 'i' | 'c') if !scalar.is_float() && !is_wide => ("", "int"),
            (Printed::Number(scalar), 'u' | 'x' | 'X' | 'o') if !scalar.is_float() && !is_wide => ("", "uint"),
            (Printed::Number(_), 'd' | 'i') if is_wide => ("ll", "(long long)"),
            (Printed::Number(_), 'u' | 'x' | 'X' | 'o') if is_wide => ("ll", "(unsigned long long)"),
            (Printed::Pointer, 'p') => ("", "(const void*)"),
            _ => return Err(format!("an argument of this type for `%{conversion}`")),
        };
        literal.push_str(options);
        literal.push_str(length);
        literal.push(conversion);
        casts.push(cast);
    }
    escape(rest, &mut literal);
    match types.len() - casts.len() {
        0 => Ok((format!("\"{literal}\""), casts)),
        _ => Err("more arguments than the format names".into()),
    }
}

/// Octal escapes end after three digits, so that what follows them is no part of them.
fn escape(text: &str, literal: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'\n' => literal.push_str("\\n"),
            b'\t' => literal.push_str("\\t"),
            b'"' | b'\\' => literal.extend(['\\', byte.into()]),
            // `??` would begin a trigraph.
            b' '..=b'~' if byte != b'?' => literal.push(byte.into()),
            _ => literal.push_str(&format!("\\{byte:03o}")),
        }
    }
}
