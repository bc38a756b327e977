//! The small library of C++ and CUDA programs: vectors, matrices, buffers, the functions of the IR where the language's
//! own mean something else. Only what a program needs is written in front of it.
//!
//! The texts are files of sections. A section begins with a line `//: names`, is written if the program or another
//! section that is written mentions one of the names, and uses only what stands before it.

use rustc_hash::FxHashSet;

const COMMON: &str = include_str!("runtime/common.h");

/// Where the sections of the target stand among the common ones.
const TARGET: &str = "target";

struct Section {
    names: Vec<&'static str>,
    text: &'static str,
}

fn sections(text: &'static str) -> Vec<Section> {
    let sections = text.split("//: ").filter_map(|section| section.split_once('\n'));
    sections.map(|(names, text)| Section { names: names.split(' ').collect(), text }).collect()
}

/// What the parts of the library are called.
pub(crate) fn names(target: &'static str) -> Vec<&'static str> {
    sections(COMMON).into_iter().chain(sections(target)).flat_map(|section| section.names).collect()
}

/// The parts of the library that `program` needs, `target` being the sections that are the target's own.
pub(crate) fn needed(program: &str, target: &'static str) -> String {
    let mut all = Vec::new();
    for section in sections(COMMON) {
        match section.names[..] {
            [TARGET] => all.extend(sections(target)),
            _ => all.push(section),
        }
    }
    let aliases = aliases(program);
    let mut words: FxHashSet<&str> = words(program).collect();
    words.extend(self::words(&aliases));
    let mut is_needed = vec![false; all.len()];
    while let Some(next) = (0..all.len()).find(|&at| !is_needed[at] && all[at].names.iter().any(|n| words.contains(n)))
    {
        is_needed[next] = true;
        words.extend(self::words(all[next].text));
    }
    let mut text: String = all.iter().zip(is_needed).filter(|(_, is)| *is).map(|(section, _)| section.text).collect();
    if words.contains("vec") {
        text = text.replace("    // swizzles\n", &swizzles(program));
    }
    format!("{text}{aliases}")
}

/// The identifiers of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

const SCALARS: [&str; 12] = [
    "bool", "int", "uint", "half", "float", "double", "int8_t", "int16_t", "int64_t", "uint8_t", "uint16_t", "uint64_t",
];

/// `using float3 = vec<float, 3>;` for each such type that is mentioned.
fn aliases(program: &str) -> String {
    let mut found: Vec<(&str, String)> = Vec::new();
    for word in words(program) {
        if found.iter().any(|(known, _)| *known == word) {
            continue;
        }
        let size = |text: &str| matches!(text, "1" | "2" | "3" | "4");
        for scalar in SCALARS {
            let Some(rest) = word.strip_prefix(scalar) else { continue };
            match rest.split_once('x') {
                None if size(rest) => found.push((word, format!("vec<{scalar}, {rest}>"))),
                Some((rows, cols)) if size(rows) && size(cols) => {
                    found.push((word, format!("mat<{scalar}, {rows}, {cols}>")));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found.iter().map(|(name, ty)| format!("using {name} = {ty};\n")).collect()
}

/// The member functions `v.xyz()` that are called.
fn swizzles(program: &str) -> String {
    let mut found: Vec<&str> = Vec::new();
    for call in program.split('.').skip(1) {
        let Some((letters, _)) = call.split_once("()") else { continue };
        let is_swizzle = (2..=4).contains(&letters.len()) && letters.chars().all(|c| "xyzw".contains(c));
        if is_swizzle && !found.contains(&letters) {
            found.push(letters);
        }
    }
    found.sort();
    let function = |letters: &&str| {
        let ty = format!("vec<T, {}>", letters.len());
        let parts: Vec<String> = letters.chars().map(|letter| format!("this->{letter}")).collect();
        format!("    FN {ty} {letters}() const {{ return {ty}({}); }}\n", parts.join(", "))
    };
    found.iter().map(function).collect()
}
