//! A text form of the linear program, below that of the extended primal. Tangents are called as their values, with an
//! accent; those without a name have a number.

use std::fmt::Write as _;

use ir::{FuncId, Module, PathStep, ValueId, print::ValueNames, print::print_func};
use la_arena::ArenaMap;

use crate::linear::{Factor, LinearId, LinearOp, LinearRegion, Linearized};

pub(super) fn linear_text(module: &mut Module, f: FuncId, linearized: &Linearized) -> String {
    module.funcs[f] = linearized.func.clone();
    test_support::modules::verified(module.clone());
    let mut names = ArenaMap::default();
    let mut taken: Vec<String> = Vec::new();
    for (id, value) in linearized.tangents.iter() {
        let wanted = value.name.as_ref().map_or_else(|| format!("{}'", id.into_raw().into_u32()), |n| format!("{n}'"));
        let mut name = wanted.clone();
        while taken.contains(&name) {
            name += "'";
        }
        taken.push(name.clone());
        names.insert(id, name);
    }
    let mut text = Text { values: ValueNames::of(&linearized.func), tangents: names, out: String::new(), depth: 1 };
    let inputs: Vec<String> = linearized.inputs.iter().map(|&input| text.tangent(input)).collect();
    let _ = writeln!(text.out, "linear ({}) {{", inputs.join(", "));
    text.region(&linearized.body, "return");
    text.out.push_str("}\n");
    print_func(module, f) + &text.out
}

struct Text {
    values: ValueNames,
    tangents: ArenaMap<LinearId, String>,
    out: String,
    depth: usize,
}

impl Text {
    fn tangent(&self, id: LinearId) -> String {
        format!("%{}", self.tangents[id])
    }

    /// A tangent or a zero that is not written.
    fn optional(&self, id: Option<LinearId>) -> String {
        id.map_or_else(|| "0".to_owned(), |id| self.tangent(id))
    }

    fn value(&self, id: ValueId) -> String {
        format!("%{}", self.values.get(id))
    }

    fn path(&self, path: &[PathStep]) -> String {
        let step = |step: &PathStep| match step {
            PathStep::Const(index) => format!("[{index}]"),
            PathStep::Dynamic(index) => format!("[{}]", self.value(*index)),
        };
        path.iter().map(step).collect()
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{:width$}{line}", "", width = self.depth * 2);
    }

    fn region(&mut self, region: &LinearRegion, end: &str) {
        for node in &region.nodes {
            self.node(&node.op);
        }
        let yields: Vec<String> = region.yields.iter().map(|&id| self.optional(id)).collect();
        self.line(&format!("{end} {}", yields.join(", ")));
    }

    fn nested(&mut self, head: &str, region: &LinearRegion) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.region(region, "yield");
        self.depth -= 1;
    }

    fn node(&mut self, op: &LinearOp) {
        let t = |id: &LinearId| self.tangent(*id);
        let v = |id: &ValueId| self.value(*id);
        let of = |factor: Factor, value: String, with: String| match factor {
            Factor::First => format!("{value}, {with}"),
            Factor::Second => format!("{with}, {value}"),
        };
        let right = match op {
            LinearOp::Add { left, right, .. } => format!("add {}, {}", t(left), t(right)),
            LinearOp::Neg { value, .. } => format!("neg {}", t(value)),
            LinearOp::Scale { value, by, .. } => format!("scale {} by {}", t(value), v(by)),
            LinearOp::Divide { value, by, .. } => format!("divide {} by {}", t(value), v(by)),
            LinearOp::Dot { value, with, .. } => format!("dot {}, {}", t(value), v(with)),
            LinearOp::Cross { value, with, factor, .. } => {
                format!("cross {}", of(*factor, t(value), v(with)))
            }
            LinearOp::MatMul { value, with, factor, .. } => {
                format!("mat_mul {}", of(*factor, t(value), v(with)))
            }
            LinearOp::Transpose { value, .. } => format!("transpose {}", t(value)),
            LinearOp::Splat { value, .. } => format!("splat {}", t(value)),
            LinearOp::Extract { value, path, .. } => format!("extract {}{}", t(value), self.path(path)),
            LinearOp::Insert { aggregate, path, value, .. } => {
                format!("insert {}{}, {}", self.optional(*aggregate), self.path(path), self.optional(*value))
            }
            LinearOp::Make { parts, .. } => {
                let parts: Vec<String> = parts.iter().map(|&part| self.optional(part)).collect();
                format!("make {}", parts.join(", "))
            }
            LinearOp::Swizzle { value, components, .. } => format!("swizzle {}{components:?}", t(value)),
            LinearOp::Convert { value, .. } => format!("convert {}", t(value)),
            LinearOp::Select { cond, then, otherwise, .. } => {
                format!("select {}, {}, {}", v(cond), self.optional(*then), self.optional(*otherwise))
            }
            LinearOp::Inject { variant, value, .. } => format!("inject {variant}, {}", t(value)),
            LinearOp::Project { variant, value, .. } => format!("project {variant}, {}", t(value)),
            LinearOp::Call(call) => {
                let results: Vec<String> = call.results.iter().map(|&id| self.optional(id)).collect();
                let tangents: Vec<String> = call.tangents.iter().map(|&id| self.optional(id)).collect();
                let args: Vec<String> = call.args.iter().map(v).collect();
                let (results, tangents, args) = (results.join(", "), tangents.join(", "), args.join(", "));
                return self.line(&format!("{results} = derivative of call at ({args}) of ({tangents})"));
            }
            LinearOp::Branch(branch) => {
                let results: Vec<String> = branch.results.iter().map(|(_, id)| self.tangent(*id)).collect();
                for (number, arm) in branch.arms.iter().enumerate() {
                    let results = results.join(", ");
                    let head = if number == 0 { format!("{results} = branch") } else { "} or".to_owned() };
                    self.nested(&head, arm);
                }
                return self.line("}");
            }
            LinearOp::Loop(linear_loop) => {
                let carried = &linear_loop.carried;
                let results: Vec<String> = carried.iter().map(|carried| self.tangent(carried.result)).collect();
                let params: Vec<String> = carried
                    .iter()
                    .map(|carried| format!("{} from {}", self.tangent(carried.param), self.optional(carried.init)))
                    .collect();
                self.nested(&format!("{} = loop ({})", results.join(", "), params.join(", ")), &linear_loop.body);
                return self.line("}");
            }
        };
        let result = self.optional(op.result());
        self.line(&format!("{result} = {right}"));
    }
}
