//! What `ir::ranges` says of loops and of values holds when random loops run: no loop makes more iterations than its
//! bound, exact counts are those that are made, and no value leaves its range.

use fastrand::Rng;
use ir::{Op, ranges::Ranges};

use super::*;

/// Loops with two counters and early exits, inside one another, in IR text.
struct Program {
    random: Rng,
    ty: &'static str,
    text: String,
    next: u32,
    /// Integers that may be used at this place.
    visible: Vec<String>,
    /// The results of each loop: two counters and how many iterations it made, or made most of all if it is inside
    /// another one.
    loops: u32,
}

impl Program {
    fn new(seed: u64) -> Program {
        let mut random = Rng::with_seed(seed);
        let ty = ["i8", "u8", "i32", "u32"][random.usize(0..4)];
        let visible = ["a", "b"].map(String::from).to_vec();
        Program { random, ty, text: String::new(), next: 0, visible, loops: 0 }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn line(&mut self, ty: &str, op: String) -> String {
        let name = self.name();
        self.text += &format!("%{name}: {ty} = {op}\n");
        name
    }

    fn constant(&mut self, range: std::ops::Range<i32>) -> String {
        let value = self.random.i32(range);
        let value = if self.ty.starts_with('u') { value.abs() } else { value };
        self.line(self.ty, format!("const {value}"))
    }

    /// A number that was there before, a small constant, or one made of such.
    fn number(&mut self) -> String {
        match self.random.u32(0..8) {
            0..=2 => self.visible[self.random.usize(0..self.visible.len())].clone(),
            3..=5 => self.constant(-3..9),
            _ => {
                let a = self.visible[self.random.usize(0..self.visible.len())].clone();
                let b = self.constant(-2..8);
                let op = ["add", "sub", "mul", "and", "rem", "shr", "min", "max", "div", "or", "xor", "shl"]
                    [self.random.usize(0..12)];
                self.line(
                    self.ty,
                    if op == "min" || op == "max" { format!("{op}(%{a}, %{b})") } else { format!("{op} %{a}, %{b}") },
                )
            }
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.number(), self.number());
        let op = ["lt", "le", "gt", "ge", "ne", "lt", "gt", "eq"][self.random.usize(0..8)];
        let one = self.line("bool", format!("{op} %{a}, %{b}"));
        match self.random.u32(0..6) {
            0 => self.line("bool", format!("and %{one}, %c")),
            1 => self.line("bool", format!("or %{one}, %c")),
            2 => self.line("bool", format!("not %{one}")),
            _ => one,
        }
    }

    /// Something that a counter may become.
    fn step(&mut self, counter: &str) -> String {
        let by = match self.random.u32(0..5) {
            0 => self.number(),
            _ => self.constant(1..3),
        };
        let op = ["add", "add", "add", "sub", "sub", "shr", "mul", "div"][self.random.usize(0..8)];
        match self.random.u32(0..5) {
            0 => {
                let cond = self.condition();
                let other = self.constant(1..4);
                let (result, x, y) = (self.name(), self.name(), self.name());
                let ty = self.ty;
                self.text += &format!(
                    "%{result}: {ty} = if %{cond} {{ %{x}: {ty} = {op} %{counter}, %{by} yield %{x} }} \
                     else {{ %{y}: {ty} = add %{counter}, %{other} yield %{y} }}\n"
                );
                result
            }
            _ => self.line(self.ty, format!("{op} %{counter}, %{by}")),
        }
    }

    /// A loop: its two counters and its iterations when it has ended.
    fn loop_(&mut self, depth: u32) -> [String; 3] {
        let ty = self.ty;
        let number = self.loops;
        self.loops += 1;
        let (i, j) = (self.number(), self.number());
        let zero = self.line("i32", "const 0".into());
        let one = self.line("i32", "const 1".into());
        let go = if self.random.bool() { self.condition() } else { self.line("bool", "const true".into()) };
        let ends = [format!("i{number}_end"), format!("j{number}_end"), format!("n{number}")];
        let carried =
            |p: &str| format!("%i{number}{p}: {ty}, %j{number}{p}: {ty}, %m{number}{p}: i32, %go{number}{p}: bool");
        self.text += &format!(
            "%{}: {ty}, %{}: {ty}, %{}: i32, %go{number}: bool = loop (%{i}, %{j}, %{zero}, %{go}) cond ({}) {{\n",
            ends[0],
            ends[1],
            ends[2],
            carried("c")
        );
        let outside = self.visible.clone();
        self.visible.extend([format!("i{number}c"), format!("i{number}c"), format!("j{number}c")]);
        let test = match self.random.u32(0..3) {
            0 => format!("go{number}c"),
            _ => self.condition(),
        };
        self.text += &format!("yield %{test} }} body ({}) {{\n", carried("b"));
        self.visible.truncate(outside.len());
        let [i, j, m] = ["i", "j", "m"].map(|name| format!("{name}{number}b"));
        self.visible.extend([i.clone(), i.clone(), j.clone()]);
        let m = self.line("i32", format!("add %{m}, %{one}"));
        if depth > 0 && self.random.u32(0..3) > 0 {
            let [inner, ..] = self.loop_(depth - 1);
            self.visible.push(inner);
        }
        let (mut i, mut j) = (i, j);
        for _ in 0..self.random.u32(1..4) {
            match self.random.u32(0..6) {
                0 => {
                    let cond = self.condition();
                    let end = if self.random.bool() { "break" } else { "continue" };
                    self.text += &format!("if %{cond} {{ {end} %{i}, %{j}, %{m}, %go{number}b }} else {{ yield }}\n");
                }
                1 => j = self.step(&j),
                _ => i = self.step(&i),
            }
            self.visible.extend([i.clone(), j.clone()]);
        }
        let go = self.condition();
        self.text += &format!("yield %{i}, %{j}, %{m}, %{go} }}\n");
        self.visible = outside;
        ends
    }

    fn text(mut self) -> String {
        let mut results = Vec::new();
        for _ in 0..2 {
            let ends = self.loop_(1);
            self.visible.extend([ends[0].clone(), ends[1].clone()]);
            results.push(ends);
        }
        let values: Vec<String> = results.iter().flatten().map(|name| format!("%{name}")).collect();
        let slots: Vec<String> = (0..values.len())
            .map(|index| format!("r{index}: {}", if index % 3 == 2 { "i32" } else { self.ty }))
            .collect();
        let ty = self.ty;
        format!(
            "func @f(%a: {ty}, %b: {ty}, %c: bool) -> ({}) {{\n{}return {}\n}}",
            slots.join(", "),
            self.text,
            values.join(", ")
        )
    }
}

fn inputs(random: &mut Rng, ty: &str) -> Vec<Value> {
    let mut number = || match (ty, random.u32(0..4)) {
        ("i8", 0) => random.i8(..).into(),
        ("u8", 0) => random.u8(..).into(),
        ("i32", 0) => *pick(random, &[i32::MIN, i32::MIN + 2, -1, i32::MAX - 1, i32::MAX]),
        _ if ty.starts_with('u') => random.i32(0..10),
        _ => random.i32(-4..10),
    };
    vec![Value::Int(number().into()), Value::Int(number().into()), Value::Bool(random.bool())]
}

fn pick<'a, T>(random: &mut Rng, of: &'a [T]) -> &'a T {
    &of[random.usize(0..of.len())]
}

#[test]
fn no_loop_exceeds_its_bound() {
    let programs = std::env::var("TRIP_COUNT_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let (mut bounded, mut exact, mut runs) = (0, 0, 0);
    for seed in 0..programs {
        let program = Program::new(seed);
        let ty = program.ty;
        let text = program.text();
        let module = module(&text);
        let id = module.func_named("f").unwrap();
        let func = &module.funcs[id];
        let ranges = Ranges::new(&module.types, &module.funcs, func);
        let body = &func.regions[func.body.unwrap()];
        let outer: Vec<_> = body.ops.iter().filter(|&&op| matches!(func.ops[op].op, Op::Loop { .. })).collect();
        let mut random = Rng::with_seed(seed);
        for _ in 0..8 {
            let args = inputs(&mut random, ty);
            let limits = Limits { steps: 20_000, ..Limits::default() };
            // Loops that do not end have no results to be wrong.
            let Ok(results) = Machine::new(&module, Precision::Declared, limits).call(id, &args) else { continue };
            runs += 1;
            for (&&op, results) in outer.iter().zip(results.chunks(3)) {
                let Value::Int(iterations) = results[2] else { panic!("{results:?}") };
                if let Some(count) = ranges.trip_count(op) {
                    bounded += 1;
                    exact += u32::from(count.exact);
                    assert!(
                        iterations <= count.at_most.into(),
                        "seed {seed}, {args:?}: {iterations}, {count:?}\n{text}"
                    );
                    let is_made = !count.exact || iterations == i64::from(count.at_most);
                    assert!(is_made, "seed {seed}, {args:?}: {iterations}, {count:?}\n{text}");
                }
                for (result, &value) in results.iter().zip(&func.ops[op].results) {
                    let Value::Int(result) = *result else { panic!("{result:?}") };
                    let range = ranges.of(value).unwrap();
                    assert!(range.has(result.into()), "seed {seed}, {args:?}: {result}, {range:?}\n{text}");
                }
            }
        }
    }
    // Enough of them are of interest.
    assert!(bounded > runs / 4 && exact > 0, "{runs} runs: {bounded} loops with a bound, {exact} of them exact");
}
