//! Emitted Metal run by a C++ compiler: `tests/metal/metal_stdlib` stands for the language's header, and what follows a
//! text here does what a host does.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::process::output_of;
use crate::root;

/// A grid of threads.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// Groups in x, y and z.
    pub groups: [u32; 3],
    /// Threads of each.
    pub threads: [u32; 3],
}

/// The text for C++: swizzles are calls, and what a group shares lives as long as the program.
pub fn as_cpp(text: &str) -> String {
    let mut cpp = String::new();
    for line in text.lines() {
        if line.starts_with("#include") || line.starts_with("using namespace") {
            continue;
        }
        let line = match line.strip_prefix("    threadgroup ") {
            Some(rest) if rest.ends_with(';') && !rest.contains('*') => format!("    static {rest}"),
            _ => line.to_owned(),
        };
        // The host fixes nothing.
        let line = match line.split_once(" [[function_constant(") {
            Some((declarator, _)) => format!("{declarator} = {{}};"),
            None => line,
        };
        cpp.push_str(&swizzles_called(&line));
        cpp.push('\n');
    }
    cpp
}

fn swizzles_called(line: &str) -> String {
    let mut parts = line.split('.');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(part.len());
        let (word, rest) = part.split_at(end);
        let is_swizzle = (2..=4).contains(&word.len()) && word.chars().all(|c| "xyzw".contains(c));
        let _ = write!(text, ".{word}{}{rest}", if is_swizzle { "()" } else { "" });
    }
    text
}

/// A parameter of a kernel: its type, its name, and by what it is told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelParameter {
    /// The type, with its address space.
    pub ty: String,
    /// The name in the text.
    pub name: String,
    /// `buffer(3)`, `thread_position_in_grid`.
    pub attribute: String,
}

/// The parameters of a kernel in a text, ours or slangc's.
pub fn kernel_parameters(text: &str, kernel: &str) -> Vec<KernelParameter> {
    let heads = ["kernel void", "[[kernel]] void"].map(|words| format!("{words} {kernel}("));
    let Some((_, rest)) = heads.iter().find_map(|head| text.split_once(head)) else { return Vec::new() };
    let list = rest.split_once(")\n{").map_or(rest, |(list, _)| list);
    let parameters = list.split("]]").filter_map(|parameter| {
        let (declaration, attribute) = parameter.split_once("[[")?;
        let (ty, name) = declaration.trim_start_matches([',', ' ', '\n']).trim_end().rsplit_once([' ', '\n'])?;
        Some(KernelParameter { ty: ty.trim().to_owned(), name: name.to_owned(), attribute: attribute.to_owned() })
    });
    parameters.collect()
}

/// A function `run` that starts the threads of a grid, group by group; in a group one after another, or side by side where
/// they wait for each other. `buffer` gives the address of a buffer of some name.
pub fn host(text: &str, kernel: &str, grid: Grid, buffer: &dyn Fn(&str) -> String) -> String {
    let [x, y, z] = grid.threads;
    let [groups_x, groups_y, groups_z] = grid.groups;
    let argument = |parameter: &KernelParameter| match parameter.attribute.as_str() {
        "thread_position_in_grid" => "group * size + local".to_owned(),
        "thread_position_in_threadgroup" => "local".to_owned(),
        "threadgroup_position_in_grid" => "group".to_owned(),
        "thread_index_in_threadgroup" => "index".to_owned(),
        "threadgroups_per_grid" => "groups".to_owned(),
        "thread_index_in_simdgroup" => "0u".to_owned(),
        "threads_per_simdgroup" => "1u".to_owned(),
        _ if parameter.attribute.starts_with("buffer") => format!("({}){}", parameter.ty, buffer(&parameter.name)),
        _ => "{}".to_owned(),
    };
    let arguments: Vec<String> = kernel_parameters(text, kernel).iter().map(argument).collect();
    let waits = text.contains("threadgroup_barrier(");
    let call = format!("{kernel}({});", arguments.join(", "));
    let (start, end) = match waits {
        false => (call, ""),
        true => (
            format!("workers.emplace_back([=] {{ {call} group_wait.leave(); }});"),
            "for (auto& worker : workers) worker.join();",
        ),
    };
    let before = if waits { "std::vector<Worker> workers; group_wait.reset(size.x * size.y * size.z);" } else { "" };
    format!(
        "static void run()
{{
    const uint3 size({x}u, {y}u, {z}u), groups({groups_x}u, {groups_y}u, {groups_z}u);
    wait_for_group = [] {{ group_wait.wait(); }};
    for (uint at = 0; at < groups.x * groups.y * groups.z; at++)
    {{
        const uint3 group(at % groups.x, at / groups.x % groups.y, at / (groups.x * groups.y));
        {before}
        for (uint index = 0; index < size.x * size.y * size.z; index++)
        {{
            const uint3 local(index % size.x, index / size.x % size.y, index / (size.x * size.y));
            {start}
        }}
        {end}
    }}
}}
"
    )
}

/// What stands in front of the texts: the header, and how the threads of a group wait for each other.
pub const PREAMBLE: &str = "#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
typedef std::thread Worker;
struct GroupWait
{
    std::mutex mutex;
    std::condition_variable all_there;
    unsigned members = 0, waiting = 0, round = 0;
    void reset(unsigned count) { members = count; waiting = 0; }
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex);
        const unsigned mine = round;
        if (++waiting == members) next();
        else all_there.wait(lock, [&] { return round != mine; });
    }
    void leave()
    {
        std::unique_lock<std::mutex> lock(mutex);
        members--;
        if (members > 0 && waiting == members) next();
    }
    void next() { waiting = 0; round++; all_there.notify_all(); }
};
static GroupWait group_wait;
static void print_bits(const unsigned* words, int count) { for (int i = 0; i < count; i++) std::printf(\"%u\\n\", words[i]); }
#include <metal_stdlib>
using namespace metal;
";

/// What a program with such a text prints, a number a line; or that it is not accepted, or does not end.
pub fn run(scratch: &Path, driver: &str) -> Result<Vec<u32>, String> {
    let (source, program) = (scratch.join("driver.cpp"), scratch.join("driver"));
    std::fs::write(&source, driver).map_err(|error| error.to_string())?;
    let flags = ["-std=c++17", "-O0", "-pthread", "-Wall", "-Werror", "-Wno-unused", "-Wno-attributes"];
    let more = ["-Wno-tautological-compare", "-Wno-unknown-pragmas", "-Wno-unused-but-set-variable"];
    let mut compiler = Command::new("g++");
    compiler.args(flags).args(more).arg("-I").arg(root().join("tests/metal")).arg(&source).arg("-o").arg(&program);
    output_of(&mut compiler).map_err(|error| error.to_string())?.map_err(|message| format!("g++: {message}"))?;
    let printed = output_of(&mut Command::new(&program)).map_err(|error| error.to_string())?;
    let printed = printed.map_err(|message| format!("the compiled program does not run: {message}"))?;
    printed.lines().map(|line| line.parse().map_err(|_| format!("`{line}` is not a number"))).collect()
}
