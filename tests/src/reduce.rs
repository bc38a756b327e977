//! Makes a random program that fails small: it takes choices of the generator back, as long as the failure stays the same.

use std::time::{Duration, Instant};

use test_support::{
    choices::shrink,
    random_source::{SourceProgram, from_choices},
};

/// Programs that are tried.
const TRIES: usize = 3_000;

/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// The smallest program found that fails like `program`, and what is said of it; nothing if `program` does not fail.
/// `failure` says what is wrong with a program.
pub fn reduce(
    program: &SourceProgram,
    number: u64,
    mut failure: impl FnMut(&SourceProgram) -> Option<String>,
) -> Option<(SourceProgram, String)> {
    let wanted = kind(&failure(program)?);
    let started = Instant::now();
    let choices = shrink(program.choices.clone(), TRIES, |choices| {
        started.elapsed() < PATIENCE
            && failure(&from_choices(choices, number)).is_some_and(|message| kind(&message) == wanted)
    });
    let reduced = from_choices(&choices, number);
    let message = failure(&reduced)?;
    Some((reduced, message))
}

/// A message without numbers, names and what differs from program to program.
fn kind(message: &str) -> String {
    let mut kind = String::new();
    let mut is_quoted = false;
    for character in message.chars().take(160) {
        match character {
            '`' | '"' => is_quoted = !is_quoted,
            // What follows are values.
            '[' | '(' | '{' if !is_quoted => break,
            _ if is_quoted || character.is_ascii_digit() => {}
            _ => kind.push(character),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use test_support::random_source::{Construct, random_source};

    use super::reduce;

    #[test]
    fn programs_with_a_loop_keep_little_but_the_loop() {
        let has = |program: &test_support::random_source::SourceProgram| {
            program.constructs.contains(&Construct::While).then(|| "a loop".to_owned())
        };
        let seeds = (1..).filter(|&seed| has(&random_source(seed)).is_some()).take(9);
        let mut sizes: Vec<(usize, usize)> = seeds
            .map(|seed| {
                let program = random_source(seed);
                let (reduced, _) = reduce(&program, seed, has).expect("it fails");
                (reduced.text.lines().count(), program.text.lines().count())
            })
            .collect();
        sizes.sort_unstable();
        // A choice that is taken back moves all that come after it, so that some programs get stuck earlier.
        assert!(sizes[sizes.len() / 2].0 < 60, "{sizes:?}");
        assert!(sizes.iter().all(|(reduced, original)| reduced * 4 < original * 3), "{sizes:?}");
    }
}
