//! Texts that grow along one axis: `n` functions, `n` links of an else-if chain, `n` overloads of one name.
//!
//! What is done for a text of twice the size should cost twice as much. `cargo xtask bench --scaling` counts instructions
//! for each axis, and tests count queries.

mod bodies;
mod chains;
mod files;
mod types;

/// One direction in which a program grows.
pub struct Axis {
    /// What there are `n` of.
    pub name: &'static str,
    /// A size at which the axis costs more than what every program does.
    pub size: usize,
    /// What of it can be compiled.
    pub compiled: Compiled,
    /// The files of size `n` by name, the one to look at first.
    files: fn(usize) -> Vec<File>,
}

/// The name of a file and its text.
pub type File = (String, String);

/// What is compiled besides checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiled {
    /// Costs nothing that can be measured.
    Nothing,
    /// The function `entry`.
    Function,
    /// `entry` and its derivative.
    Derivative,
}

impl Axis {
    /// The files of a program of this size.
    pub fn files(&self, size: usize) -> Vec<File> {
        (self.files)(size)
    }
}

/// All axes.
pub fn axes() -> impl Iterator<Item = &'static Axis> {
    files::AXES.iter().chain(types::AXES).chain(bodies::AXES).chain(chains::AXES)
}

/// The axes along which questions lead to questions, or code stands inside of code: recursion follows them, and must end
/// before its stack does.
pub fn deep_axes() -> impl Iterator<Item = &'static Axis> {
    const WORDS: [&str; 5] = ["the one b", "nested", "links of", "summands", "operands"];
    axes().filter(|axis| {
        WORDS.iter().any(|word| axis.name.contains(word)) || chains::AXES.iter().any(|one| one.name == axis.name)
    })
}

/// A program of one file.
fn one(text: String) -> Vec<File> {
    vec![("main.slang".to_owned(), text)]
}

/// The pieces for 0 to `n`, joined.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::axes;

    #[test]
    fn names_are_unique_and_texts_grow_evenly() {
        let mut names: Vec<&str> = axes().map(|axis| axis.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for axis in axes() {
            let length = |size| axis.files(size).iter().map(|(_, text)| text.len()).sum::<usize>();
            let (small, large) = (length(axis.size), length(2 * axis.size));
            assert!(large > small + small / 2 && large < 2 * small + small / 2, "{}: {small} to {large}", axis.name);
        }
    }
}
