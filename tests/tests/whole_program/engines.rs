//! Random programs in all engines that the machine has: values and derivatives agree.

use std::num::NonZero;

use test_support::random_source::SourceProgram;
use whole_program_tests::{
    engines::{Depth, Engine, Program},
    random_kernels::{Progress, compare_programs, kernel, kernel_with_memory},
};

const PROGRAMS: u64 = 2_000;

/// Programs with shared memory, whose seeds are after those of the others.
const WITH_MEMORY: u64 = 32;

/// Programs whose C++ is compiled a second time.
const UNCHECKED: u64 = 48;

fn agrees(engines: &[Engine], make: fn(u64, SourceProgram) -> Program, first: u64, count: u64) {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let comparison = compare_programs(make, first, count, engines, Depth::Turns, workers, &|progress| {
        if let Progress::Wrong { program, what } = progress {
            eprintln!("{}: {what}", program.name);
        }
    });
    assert_eq!(comparison.disagreements, []);
    assert_eq!(comparison.compared as u64, count);
}

#[test]
fn engines_agree_on_random_programs() {
    agrees(&Engine::quick(), kernel, 0, PROGRAMS);
}

#[test]
fn engines_agree_on_programs_with_memory() {
    agrees(&Engine::quick(), kernel_with_memory, PROGRAMS, WITH_MEMORY);
}

/// Programs that are compiled as Metal.
const METAL: u64 = 64;

/// There is no Metal compiler, but one of C++ and a header.
#[test]
fn metal_agrees_on_random_programs() {
    let engines = [Engine::Metal];
    assert!(Engine::available().contains(&engines[0]), "there is no g++");
    agrees(&engines, kernel, 0, METAL);
    agrees(&engines, kernel_with_memory, PROGRAMS, WITH_MEMORY);
}

/// All indices of these programs are in bounds, so those of their derivatives have to be.
#[test]
fn untested_indices_touch_no_other_memory() {
    let engines = [Engine::UncheckedCpp];
    assert!(Engine::available().contains(&engines[0]), "there is no g++");
    agrees(&engines, kernel, 0, UNCHECKED);
    agrees(&engines, kernel_with_memory, PROGRAMS, WITH_MEMORY);
}
