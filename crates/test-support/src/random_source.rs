//! Random differentiable programs as Slang text: structs with methods and constructors, arrays with dynamic indices,
//! nested loops with `break`, `continue` and trip counts that depend on data, branches, `switch`, calls with all
//! parameter directions, vectors, matrices, generics, interfaces, early returns.
//!
//! Equal seeds give equal programs. Names end in the program's number, so that many programs fit into one file. The
//! functions to differentiate are `f_<n>`, whose signature is random, and `root_<n>(float x0, float x1, float x2,
//! float x3, int n) -> float`, which calls it. Programs are made such that their meaning is one in every compiler: no
//! index is out of bounds, no variable is read before it is written, and arguments of one call do not overlap.

mod expressions;
mod statements;

use std::fmt::Write as _;

use fastrand::Rng;

/// A random program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceProgram {
    pub text: String,
    /// The function with a random signature.
    pub function: String,
    /// The function from four numbers and a small integer to a number.
    pub root: String,
}

/// The program of a seed, whose names end in the seed.
pub fn random_source(seed: u64) -> SourceProgram {
    let mut writer = Writer {
        rng: Rng::with_seed(seed),
        suffix: seed.to_string(),
        text: String::new(),
        indent: 0,
        variables: Vec::new(),
        callees: Vec::new(),
        features: Features::default(),
        loops: Vec::new(),
        returns: None,
        names: 0,
        sums: 0,
    };
    writer.program();
    SourceProgram { text: writer.text, function: format!("f_{seed}"), root: format!("root_{seed}") }
}

/// The types of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Vector,
    Matrix,
    /// `float[4]`
    Array,
    /// The program's own struct: `float a; float3 v; float w[4]; int n;`
    Record,
    /// Three of them.
    Records,
    /// Never negative.
    Int,
}

/// What can be passed to functions.
const PASSED: [Kind; 7] =
    [Kind::Float, Kind::Float, Kind::Vector, Kind::Array, Kind::Record, Kind::Records, Kind::Matrix];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    kind: Kind,
    mutable: bool,
}

#[derive(Debug, Clone)]
struct Callee {
    name: String,
    params: Vec<(Kind, Direction)>,
    returns: Option<Kind>,
}

/// What of the language a program has declared so far.
#[derive(Debug, Clone, Copy, Default)]
struct Features {
    record: bool,
    method: bool,
    mutating: bool,
    constructor: bool,
    interface: bool,
    blend: bool,
    total: bool,
}

struct Writer {
    rng: Rng,
    suffix: String,
    text: String,
    indent: usize,
    /// What is visible here.
    variables: Vec<Variable>,
    callees: Vec<Callee>,
    features: Features,
    /// For each loop around, whether it counts on by itself, so that `continue` is allowed.
    loops: Vec<bool>,
    /// What the function returns.
    returns: Option<Kind>,
    names: usize,
    /// How deep an expression is.
    sums: usize,
}

impl Writer {
    fn chance(&mut self, in_ten: u8) -> bool {
        self.rng.u8(0..10) < in_ten
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = self.indent * 4);
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.line("{");
        self.indent += 1;
    }

    fn close(&mut self, line: &str) {
        self.indent -= 1;
        self.line(line);
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn record(&self) -> String {
        format!("Record_{}", self.suffix)
    }

    /// `float w[4]`
    fn declarator(&self, kind: Kind, name: &str) -> String {
        match kind {
            Kind::Float => format!("float {name}"),
            Kind::Vector => format!("float3 {name}"),
            Kind::Matrix => format!("float3x3 {name}"),
            Kind::Array => format!("float {name}[4]"),
            Kind::Record => format!("{} {name}", self.record()),
            Kind::Records => format!("{} {name}[3]", self.record()),
            Kind::Int => format!("int {name}"),
        }
    }

    fn declare(&mut self, name: &str, kind: Kind, mutable: bool) {
        self.variables.push(Variable { name: name.to_owned(), kind, mutable });
    }

    fn program(&mut self) {
        self.struct_with_methods();
        if self.chance(5) {
            self.interface();
        }
        if self.chance(5) {
            self.generics();
        }
        for index in 0..self.rng.usize(0..=2) {
            let name = format!("g{index}_{}", self.suffix);
            self.function(&name, 3, 2);
        }
        let name = format!("f_{}", self.suffix);
        self.function(&name, 7, 3);
        self.root();
    }

    fn struct_with_methods(&mut self) {
        let name = self.record();
        self.open(&format!("struct {name} : IDifferentiable"));
        for field in ["float a;", "float3 v;", "float w[4];", "int n;"] {
            self.line(field);
        }
        let fields = [("a", Kind::Float), ("v", Kind::Vector), ("w", Kind::Array), ("n", Kind::Int)];
        if self.chance(5) {
            self.line("[Differentiable]");
            self.open("__init(float a0, float3 v0, int n0)");
            for line in ["a = a0;", "v = v0;", "for (int i = 0; i < 4; i++)", "    w[i] = a0 * float(i);", "n = n0;"] {
                self.line(line);
            }
            self.close("}");
            self.features.constructor = true;
        }
        if self.chance(6) {
            self.line("[Differentiable]");
            self.open("float reach(float t)");
            for (field, kind) in fields {
                self.declare(field, kind, false);
            }
            self.declare("t", Kind::Float, true);
            self.returns = Some(Kind::Float);
            self.block(2, 1);
            self.return_statement();
            self.close("}");
            self.variables.clear();
            self.features.method = true;
        }
        if self.chance(6) {
            self.line("[Differentiable]");
            self.line("[mutating]");
            self.open("void advance(float t)");
            for (field, kind) in fields {
                self.declare(field, kind, true);
            }
            self.declare("t", Kind::Float, true);
            self.returns = None;
            self.block(3, 1);
            self.close("}");
            self.variables.clear();
            self.features.mutating = true;
        }
        self.close("};");
        self.features.record = true;
    }

    /// An interface, a struct that has it, and a generic function over it.
    fn interface(&mut self) {
        let suffix = self.suffix.clone();
        self.open(&format!("interface IField_{suffix} : IDifferentiable"));
        self.line("[Differentiable]");
        self.line("float at(float t);");
        self.close("};");
        self.open(&format!("struct Wave_{suffix} : IField_{suffix}"));
        self.line("float k;");
        self.line("[Differentiable]");
        self.open("float at(float t)");
        self.declare("k", Kind::Float, false);
        self.declare("t", Kind::Float, true);
        self.returns = Some(Kind::Float);
        self.block(1, 1);
        self.return_statement();
        self.close("}");
        self.variables.clear();
        self.close("};");
        self.line("[Differentiable]");
        self.open(&format!("float apply_{suffix}<F : IField_{suffix}>(F field, float t)"));
        self.line("return field.at(t) + 0.5 * field.at(t * 0.75);");
        self.close("}");
        self.features.interface = true;
    }

    /// A function over any type of numbers, and one over arrays of any length.
    fn generics(&mut self) {
        let suffix = self.suffix.clone();
        self.line("[Differentiable]");
        self.open(&format!("T blend_{suffix}<T : __BuiltinFloatingPointType>(T a, T b)"));
        self.line("return a * b + a - b * b;");
        self.close("}");
        self.line("[Differentiable]");
        self.open(&format!("float total_{suffix}<let N : int>(float w[N], float t)"));
        for line in [
            "float sum = t;",
            "[MaxIters(4)]",
            "for (int i = 0; i < N; i++)",
            "    sum = sum * 0.5 + w[i] * t;",
            "return sum;",
        ] {
            self.line(line);
        }
        self.close("}");
        self.features.blend = true;
        self.features.total = true;
    }

    fn function(&mut self, name: &str, statements: usize, depth: usize) {
        let mut params = vec![(Kind::Float, Direction::In)];
        for _ in 0..self.rng.usize(1..=3) {
            let kind = self.rng.choice(PASSED).unwrap_or(Kind::Float);
            let direction = match self.rng.u8(0..8) {
                0..=4 => Direction::In,
                5 => Direction::Out,
                _ => Direction::InOut,
            };
            params.push((kind, direction));
        }
        params.push((Kind::Int, Direction::In));
        let returns = match self.rng.u8(0..10) {
            0 => None,
            1 => Some(Kind::Vector),
            2 => Some(Kind::Record),
            _ => Some(Kind::Float),
        };
        let callee = Callee { name: name.to_owned(), params, returns };
        let mut spelled = Vec::new();
        for (index, &(kind, direction)) in callee.params.iter().enumerate() {
            let name = format!("p{index}");
            let word = match direction {
                Direction::In => "",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            spelled.push(format!("{word}{}", self.declarator(kind, &name)));
        }
        let result = match returns {
            None => "void".to_owned(),
            Some(Kind::Vector) => "float3".to_owned(),
            Some(Kind::Record) => self.record(),
            Some(_) => "float".to_owned(),
        };
        self.line("[Differentiable]");
        self.open(&format!("{result} {name}({})", spelled.join(", ")));
        self.returns = returns;
        for (index, &(kind, direction)) in callee.params.iter().enumerate() {
            if direction != Direction::Out {
                self.declare(&format!("p{index}"), kind, direction == Direction::InOut || kind == Kind::Float);
            }
        }
        for (index, &(kind, direction)) in callee.params.iter().enumerate() {
            if direction == Direction::Out {
                let name = format!("p{index}");
                self.initialise(&name, kind);
                self.declare(&name, kind, true);
            }
        }
        self.block(statements, depth);
        self.return_statement();
        self.close("}");
        self.variables.clear();
        self.callees.push(callee);
    }

    /// Makes arguments from numbers, calls `f`, and adds up what comes back.
    fn root(&mut self) {
        self.line("[Differentiable]");
        let name = format!("root_{}", self.suffix);
        self.open(&format!("float {name}(float x0, float x1, float x2, float x3, int n)"));
        for name in ["x0", "x1", "x2", "x3"] {
            self.declare(name, Kind::Float, false);
        }
        self.declare("n", Kind::Int, false);
        let Some(callee) = self.callees.last().cloned() else { return };
        let mut args = Vec::new();
        for &(kind, _) in &callee.params {
            if kind == Kind::Int {
                args.push("n".to_owned());
                continue;
            }
            let name = self.fresh("argument");
            let declarator = self.declarator(kind, &name);
            self.line(&format!("{declarator};"));
            self.initialise(&name, kind);
            args.push(name);
        }
        let call = format!("{}({})", callee.name, args.join(", "));
        let mut parts = vec!["float sum = 0.0;".to_owned()];
        match callee.returns {
            None => parts.insert(0, format!("{call};")),
            Some(kind) => {
                let declarator = self.declarator(kind, "returned");
                parts.insert(0, format!("{declarator} = {call};"));
                parts.push(Writer::added("returned", kind, 1));
            }
        }
        for (number, (&(kind, direction), arg)) in callee.params.iter().zip(&args).enumerate() {
            if direction != Direction::In {
                parts.push(Writer::added(arg, kind, number + 2));
            }
        }
        for part in parts {
            self.line(&part);
        }
        self.line("return sum;");
        self.close("}");
        self.variables.clear();
    }

    /// A statement that adds all numbers of a value, each with a weight of its own.
    fn added(name: &str, kind: Kind, number: usize) -> String {
        let weight = 1.0 / (number as f64);
        let record = |path: &str| {
            format!(
                "{path}.a + dot({path}.v, float3(0.5, -1.0, 0.25)) + {path}.w[0] - {path}.w[1] + 0.5 * {path}.w[2] + {path}.w[3]"
            )
        };
        let value = match kind {
            Kind::Float => name.to_owned(),
            Kind::Vector => format!("dot({name}, float3(1.0, -0.5, 0.75))"),
            Kind::Matrix => format!("dot({name}[0], {name}[1]) + {name}[2][0] - {name}[2][1] + {name}[2][2]"),
            Kind::Array => format!("{name}[0] - 0.5 * {name}[1] + {name}[2] + 0.25 * {name}[3]"),
            Kind::Record => record(name),
            Kind::Records => {
                let parts: Vec<String> =
                    (0..3).map(|index| format!("({})", record(&format!("{name}[{index}]")))).collect();
                format!("{} - 0.5 * {} + {}", parts[0], parts[1], parts[2])
            }
            Kind::Int => "0.0".to_owned(),
        };
        format!("sum += {weight:?} * ({value});")
    }
}
