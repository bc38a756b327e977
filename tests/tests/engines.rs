//! Random programs in all engines that the machine has: values and derivatives agree.

use std::num::NonZero;

use whole_program_tests::{
    engines::Engine,
    random_kernels::{Progress, compare_programs},
};

const PROGRAMS: u64 = 12;

/// What is known to be refused, each with the words of the refusal. Whoever mends one removes its row.
const REFUSED: [(&str, &str); 2] = [
    // `&&` of vectors of bools.
    ("spirv", "Incompatible operands: LogicalAnd"),
    // naga's reader of SPIR-V does not know the capability for halves that its writer asks for.
    ("spirv", "unsupported capability StorageInputOutput16"),
];

#[test]
fn engines_agree_on_random_programs() {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    // slangc takes a minute for what the others do in a second.
    let engines: Vec<Engine> = Engine::available().into_iter().filter(|engine| *engine != Engine::Slangc).collect();
    let comparison = compare_programs(0, PROGRAMS, &engines, workers, &|progress| {
        if let Progress::Wrong { program, what } = progress {
            eprintln!("{}: {what}", program.name);
        }
    });
    let mut disagreements = comparison.disagreements;
    disagreements.retain(|disagreement| {
        let text = disagreement.to_string();
        !REFUSED.iter().any(|(place, words)| disagreement.place == *place && text.contains(words))
    });
    assert_eq!(disagreements, []);
    assert_eq!(comparison.compared as u64, PROGRAMS);
}
