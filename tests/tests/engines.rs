//! Random programs in all engines that the machine has: values and derivatives agree.

use std::num::NonZero;

use whole_program_tests::{
    engines::{Depth, Engine},
    random_kernels::{Progress, compare_programs},
};

const PROGRAMS: u64 = 256;

#[test]
fn engines_agree_on_random_programs() {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    // slangc takes a minute for what the others do in a second.
    let engines: Vec<Engine> = Engine::available().into_iter().filter(|engine| *engine != Engine::Slangc).collect();
    let comparison = compare_programs(0, PROGRAMS, &engines, Depth::Turns, workers, &|progress| {
        if let Progress::Wrong { program, what } = progress {
            eprintln!("{}: {what}", program.name);
        }
    });
    assert_eq!(comparison.disagreements, []);
    assert_eq!(comparison.compared as u64, PROGRAMS);
}
