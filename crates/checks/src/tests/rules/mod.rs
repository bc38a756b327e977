//! Rules that reject programs: each fires on what is wrong and is silent on what is right.

mod accessors;
mod aliasing;
mod attributes;
mod bit_fields;
mod capabilities;
mod defers;
mod derivative_pairs;
mod duplicates;
mod entry_points;
mod for_loops;
mod generic_arguments;
mod generics;
mod initialization;
mod initializers;
mod layout;
mod loop_attributes;
mod nesting;
mod numbers;
mod requirements;
mod statements;
mod thrown_errors;
mod unused;
mod visibility;
mod written_types;
