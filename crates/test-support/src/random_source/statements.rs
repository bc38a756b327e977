//! Statements of random programs.

use super::{Direction, Kind, Writer};

impl Writer {
    pub(super) fn block(&mut self, statements: usize, depth: usize) {
        let visible = self.variables.len();
        self.statements(statements, depth);
        self.variables.truncate(visible);
    }

    /// Statements whose variables stay visible.
    fn statements(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            match self.rng.u8(0..24) {
                0..=4 => self.local(),
                5..=9 => self.assignment(),
                10..=11 => self.call_statement(),
                12..=13 if depth > 0 => self.branch(statements / 2 + 1, depth - 1),
                14 if depth > 0 => self.switch(statements / 2, depth - 1),
                15..=17 if depth > 0 => self.for_loop(statements / 2 + 1, depth - 1),
                18 if depth > 0 => self.while_loop(statements / 2 + 1, depth - 1),
                19 => self.jump(),
                20 => self.method_call(),
                21 => self.swizzle_assignment(),
                _ => self.assignment(),
            }
        }
    }

    fn local(&mut self) {
        let kinds = [
            Kind::Float,
            Kind::Float,
            Kind::Float,
            Kind::Vector,
            Kind::Array,
            Kind::Matrix,
            Kind::Record,
            Kind::Records,
        ];
        let kind = kinds[self.rng.usize(0..kinds.len())];
        if matches!(kind, Kind::Record | Kind::Records) && !self.features.record {
            return;
        }
        let name = self.fresh("t");
        let declarator = self.declarator(kind, &name);
        match kind {
            Kind::Float | Kind::Vector | Kind::Matrix => {
                let value = self.value(kind).unwrap_or_default();
                self.line(&format!("{declarator} = {value};"));
            }
            Kind::Array if self.rng.bool() => {
                let parts: Vec<String> = (0..4).map(|_| self.float()).collect();
                self.line(&format!("{declarator} = {{ {} }};", parts.join(", ")));
            }
            _ => {
                let value = if self.rng.bool() { self.value(kind) } else { None };
                match value {
                    Some(value) => self.line(&format!("{declarator} = {value};")),
                    None => {
                        self.line(&format!("{declarator};"));
                        self.initialise(&name, kind);
                    }
                }
            }
        }
        self.declare(&name, kind, true);
    }

    /// Writes every part of a variable that nothing has written yet.
    pub(super) fn initialise(&mut self, name: &str, kind: Kind) {
        match kind {
            Kind::Float | Kind::Vector | Kind::Matrix | Kind::Int => {
                let value = self.value(kind).unwrap_or_default();
                self.line(&format!("{name} = {value};"));
            }
            Kind::Array => {
                for index in 0..4 {
                    let value = self.float();
                    self.line(&format!("{name}[{index}] = {value};"));
                }
            }
            Kind::Record => {
                self.initialise(&format!("{name}.a"), Kind::Float);
                self.initialise(&format!("{name}.v"), Kind::Vector);
                self.initialise(&format!("{name}.w"), Kind::Array);
                let number = self.rng.u8(0..4);
                self.line(&format!("{name}.n = {number};"));
            }
            Kind::Records => {
                for index in 0..3 {
                    self.initialise(&format!("{name}[{index}]"), Kind::Record);
                }
            }
        }
    }

    fn assignment(&mut self) {
        let kind = match self.rng.u8(0..10) {
            0..=5 => Kind::Float,
            6..=7 => Kind::Vector,
            8 => Kind::Record,
            _ => Kind::Matrix,
        };
        let Some(place) = self.place(kind, true) else {
            return self.local();
        };
        let Some(value) = self.value(kind) else { return };
        let calm = !self.loops.is_empty();
        let line = match kind {
            Kind::Float => match self.rng.u8(0..6) {
                0 if !calm => format!("{place} += {value};"),
                1 => format!("{place} += 0.25 * sin({value});"),
                2 => format!("{place} *= cos({value});"),
                3 => format!("{place} -= 0.5 * tanh({value});"),
                _ if calm => format!("{place} = sin({value});"),
                _ => format!("{place} = {value};"),
            },
            Kind::Vector => match self.rng.u8(0..4) {
                0 => format!("{place} += 0.25 * sin({value});"),
                _ if calm => format!("{place} = tanh({value});"),
                _ => format!("{place} = {value};"),
            },
            Kind::Matrix if calm => format!("{place} = 0.5 * ({value});"),
            _ => format!("{place} = {value};"),
        };
        self.line(&line);
    }

    fn swizzle_assignment(&mut self) {
        let Some(place) = self.place(Kind::Vector, true) else { return };
        let swizzle = ["xy", "zx", "yz"][self.rng.usize(0..3)];
        let (a, b) = (self.float(), self.float());
        self.line(&format!("{place}.{swizzle} = float2(sin({a}), {b});"));
    }

    /// A call whose `out` and `inout` arguments are variables of their own.
    fn call_statement(&mut self) {
        let Some(callee) = self.rng.choice(&self.callees).cloned() else { return self.local() };
        let mut args = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for &(kind, direction) in &callee.params {
            if direction == Direction::In {
                match self.value(kind) {
                    Some(value) => args.push(value),
                    None => args.push(self.variable_for_argument(kind)),
                }
                continue;
            }
            let existing: Vec<String> = self
                .variables
                .iter()
                .filter(|variable| variable.mutable && variable.kind == kind && !taken.contains(&variable.name))
                .map(|variable| variable.name.clone())
                .collect();
            let name = match self.rng.choice(&existing) {
                Some(name) if self.chance(7) => name.clone(),
                _ => self.variable_for_argument(kind),
            };
            taken.push(name.clone());
            args.push(name);
        }
        let call = format!("{}({})", callee.name, args.join(", "));
        match callee.returns {
            None => self.line(&format!("{call};")),
            Some(kind) => {
                let name = self.fresh("r");
                let declarator = self.declarator(kind, &name);
                self.line(&format!("{declarator} = {call};"));
                self.declare(&name, kind, true);
            }
        }
    }

    fn variable_for_argument(&mut self, kind: Kind) -> String {
        let name = self.fresh("u");
        let declarator = self.declarator(kind, &name);
        self.line(&format!("{declarator};"));
        self.initialise(&name, kind);
        self.declare(&name, kind, true);
        name
    }

    fn method_call(&mut self) {
        if self.features.interface && self.rng.bool() {
            let (name, result) = (self.fresh("wave"), self.fresh("t"));
            let suffix = self.suffix.clone();
            let (k, t) = (self.float(), self.float());
            self.line(&format!("Wave_{suffix} {name};"));
            self.line(&format!("{name}.k = {k};"));
            self.line(&format!("float {result} = apply_{suffix}<Wave_{suffix}>({name}, {t});"));
            self.declare(&result, Kind::Float, true);
            return;
        }
        if !self.features.mutating || !self.features.record {
            return self.local();
        }
        let Some(record) = self.place(Kind::Record, true) else { return self.local() };
        let t = self.float();
        self.line(&format!("{record}.advance(sin({t}));"));
    }

    /// `break`, `continue` or `return` under a condition.
    fn jump(&mut self) {
        let condition = self.condition();
        let jump = match (self.loops.last().copied(), self.rng.u8(0..3)) {
            (Some(_), 0) => "break;".to_owned(),
            (Some(true), 1) => "continue;".to_owned(),
            _ => match self.returned() {
                Some(value) => format!("return {value};"),
                None => return,
            },
        };
        self.line(&format!("if ({condition})"));
        self.line(&format!("    {jump}"));
    }

    /// What `return` gives; empty if the function gives nothing.
    fn returned(&mut self) -> Option<String> {
        match self.returns {
            None => Some(String::new()),
            Some(kind) => self.value(kind),
        }
    }

    pub(super) fn return_statement(&mut self) {
        match self.returned() {
            Some(value) => self.line(&format!("return {value};")),
            None => {
                let name = self.variable_for_argument(Kind::Record);
                self.line(&format!("return {name};"));
            }
        }
    }

    fn branch(&mut self, statements: usize, depth: usize) {
        let condition = self.condition();
        self.open(&format!("if ({condition})"));
        self.block(statements, depth);
        self.close("}");
        if self.chance(6) {
            self.open("else");
            self.block(statements, depth);
            self.close("}");
        }
    }

    fn switch(&mut self, statements: usize, depth: usize) {
        let selector = self.int();
        self.open(&format!("switch (({selector}) % 5)"));
        // `break` belongs to the switch inside it, so jumps of the loop around are not made there.
        let loops = std::mem::take(&mut self.loops);
        for labels in [&["case 0:", "case 3:"][..], &["case 1:"], &["default:"]] {
            for label in labels {
                self.line(label);
            }
            self.indent += 1;
            self.block(statements.max(1), depth);
            self.line("break;");
            self.indent -= 1;
        }
        self.loops = loops;
        self.close("}");
    }

    /// A loop over a counter up to a constant, or up to a number that depends on data, and perhaps only as long as a
    /// float stays small.
    fn for_loop(&mut self, statements: usize, depth: usize) {
        let most = self.rng.u8(1..=5);
        let counter = self.fresh("i");
        let mut condition = match self.rng.u8(0..3) {
            0 => format!("{counter} < {most}"),
            1 => format!("{counter} < min({}, {most})", self.int()),
            _ => format!("{counter} <= {}", most - 1),
        };
        if self.chance(2)
            && let Some(place) = self.place(Kind::Float, false)
        {
            condition = format!("{condition} && {place} < 1.2517");
        }
        let attribute = if self.chance(1) && condition == format!("{counter} < {most}") {
            "[ForceUnroll]".to_owned()
        } else {
            format!("[MaxIters({most})]")
        };
        self.line(&attribute);
        self.open(&format!("for (int {counter} = 0; {condition}; {counter}++)"));
        let visible = self.variables.len();
        self.declare(&counter, Kind::Int, false);
        self.loops.push(true);
        self.block(statements, depth);
        self.loops.pop();
        self.variables.truncate(visible);
        self.close("}");
    }

    /// `while` or `do`, counted by hand.
    fn while_loop(&mut self, statements: usize, depth: usize) {
        let most = self.rng.u8(1..=4);
        let counter = self.fresh("k");
        let limit = self.condition();
        self.line(&format!("int {counter} = 0;"));
        let is_do = self.rng.bool();
        self.line(&format!("[MaxIters({most})]"));
        if is_do {
            self.open("do");
        } else {
            self.open(&format!("while ({counter} < {most} && {limit})"));
        }
        self.line(&format!("{counter}++;"));
        let visible = self.variables.len();
        self.declare(&counter, Kind::Int, false);
        self.loops.push(!is_do);
        self.block(statements, depth);
        self.loops.pop();
        self.variables.truncate(visible);
        if is_do {
            self.close(&format!("}} while ({counter} < {most} && {limit});"));
        } else {
            self.close("}");
        }
    }
}
