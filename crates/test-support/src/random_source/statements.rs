//! Statements of random programs.

use super::{
    Construct, Feature, Writer,
    types::{Scalar, TypeId, TypeShape},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statement {
    Assignment,
    Local,
    Call,
    Branch,
    Switch,
    ForLoop,
    WhileLoop,
    Jump,
    MethodCall,
    SwizzleAssignment,
    LoopLocal,
    Prefix,
    ReadOptional,
    Lambda,
    Attempt,
    Dynamic,
    Deferred,
    BuiltinWithOut,
}

/// How often each is made; the first is the simplest.
const STATEMENTS: &[(Statement, usize)] = &[
    (Statement::Assignment, 12),
    (Statement::Local, 9),
    (Statement::Call, 4),
    (Statement::Branch, 4),
    (Statement::Switch, 2),
    (Statement::ForLoop, 5),
    (Statement::WhileLoop, 2),
    (Statement::Jump, 3),
    (Statement::MethodCall, 3),
    (Statement::SwizzleAssignment, 2),
    (Statement::LoopLocal, 3),
    (Statement::Prefix, 2),
    (Statement::ReadOptional, 2),
    (Statement::Lambda, 2),
    (Statement::Attempt, 2),
    (Statement::Dynamic, 3),
    (Statement::Deferred, 2),
    (Statement::BuiltinWithOut, 1),
];

impl Statement {
    /// What a program must have drawn so that it is made.
    fn needs(self) -> Option<Feature> {
        match self {
            Statement::LoopLocal | Statement::Prefix => Some(Feature::LoopLocals),
            Statement::ReadOptional => Some(Feature::Optional),
            Statement::Lambda => Some(Feature::Lambda),
            Statement::Attempt => Some(Feature::Throws),
            Statement::Dynamic => Some(Feature::Dynamic),
            Statement::MethodCall => Some(Feature::Methods),
            Statement::Deferred => Some(Feature::Jumps),
            Statement::Assignment
            | Statement::Local
            | Statement::Call
            | Statement::Branch
            | Statement::Switch
            | Statement::ForLoop
            | Statement::WhileLoop
            | Statement::Jump
            | Statement::BuiltinWithOut
            | Statement::SwizzleAssignment => None,
        }
    }

    fn nests(self) -> bool {
        matches!(self, Statement::Branch | Statement::Switch | Statement::ForLoop | Statement::WhileLoop)
            || matches!(self, Statement::LoopLocal | Statement::Prefix | Statement::Deferred)
    }
}

impl Writer {
    pub(super) fn block(&mut self, statements: usize, depth: usize) {
        let visible = self.variables.len();
        for _ in 0..statements {
            self.statement(statements, depth);
        }
        self.variables.truncate(visible);
    }

    /// Statements whose variables stay visible.
    pub(super) fn statements(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            self.statement(statements, depth);
        }
    }

    fn statement(&mut self, statements: usize, depth: usize) {
        let table: Vec<(Statement, usize)> = STATEMENTS
            .iter()
            .copied()
            .filter(|(statement, _)| statement.needs().is_none_or(|feature| self.has(feature)))
            .filter(|(statement, _)| depth > 0 || !statement.nests())
            .collect();
        let inner = statements / 2;
        match self.choices.weighted(&table) {
            Statement::Assignment => self.assignment(),
            Statement::Local => self.local(),
            Statement::Call => self.call_statement(),
            Statement::Branch => self.branch(inner.max(1), depth - 1),
            Statement::Switch => self.switch(inner.max(1), depth - 1),
            Statement::ForLoop => self.for_loop(inner + 1, depth - 1),
            Statement::WhileLoop => self.while_loop(inner + 1, depth - 1),
            Statement::Jump => self.jump(),
            Statement::MethodCall => self.method_call(),
            Statement::SwizzleAssignment => self.swizzle_assignment(),
            Statement::LoopLocal => self.loop_local(inner, depth - 1),
            Statement::Prefix => self.prefix(),
            Statement::ReadOptional => self.read_optional(),
            Statement::Lambda => self.lambda(),
            Statement::Attempt => self.attempt(),
            Statement::Dynamic => self.dynamic(),
            Statement::Deferred => self.deferred(inner.max(1), depth - 1),
            Statement::BuiltinWithOut => self.builtin_with_out(),
        }
    }

    fn local(&mut self) {
        let ty = self.any_type();
        if !self.types.is_numeric(ty) || !self.choices.chance(3) {
            self.variable(ty);
            return;
        }
        self.reach(Construct::LetOrVar);
        let name = self.fresh("u");
        let is_mutable = self.choices.below(2) == 1;
        let value = self.typed_value(ty);
        self.line(&format!("{} {name} = {value};", if is_mutable { "var" } else { "let" }));
        self.declare(&name, ty, is_mutable);
    }

    /// A block at whose end, by whatever way it is left, a statement runs that stands at its start.
    fn deferred(&mut self, statements: usize, depth: usize) {
        let float = self.types.float();
        let Some(place) = self.writable_place(float) else { return self.local() };
        self.reach(Construct::Defer);
        let value = self.simple_float();
        self.open("");
        self.line(&format!("defer {place} = {place} * 0.75 + 0.25 * sin({value});"));
        self.block(statements, depth);
        self.close("}");
    }

    /// A function of the core library that gives more than one number.
    fn builtin_with_out(&mut self) {
        self.reach(Construct::BuiltinWithOut);
        let len = self.choices.within(1..=3) as u8;
        let ty = self.types.numeric(Scalar::Float, len);
        let (first, second) = (self.variable(ty), self.variable(ty));
        let value = self.numeric(Scalar::Float, len, 1);
        match self.choices.below(2) {
            0 => self.line(&format!("sincos({value}, {first}, {second});")),
            // What is cut off carries no derivative.
            _ => self.line(&format!("{first} = modf(2.0 * ({value}), {second});")),
        }
    }

    fn is_calm(&self) -> bool {
        !self.loops.is_empty()
    }

    /// The value has another type than the place.
    fn mixed_assignment(&mut self) {
        let float = self.types.float();
        let Some(place) = self.writable_place(float) else { return self.local() };
        self.reach(Construct::MixedTypes);
        let (int, condition) = (self.int(), self.condition());
        let line = match self.choices.below(6) {
            0 => format!("{place} *= {condition};"),
            1 => format!("{place} -= {int} > 2;"),
            2 => format!("{place} /= {int} + 1u;"),
            3 => format!("{place} = sin({place}) * {int};"),
            4 => {
                let counter = self.fresh("n");
                self.line(&format!("int {counter} = {int};"));
                let operation = self.choices.one(&["*= 2.5", "/= 2u", "-= 1.75", "%= 3u", "^= 5u", "<<= 1u"]);
                self.line(&format!("{counter} {operation};"));
                format!("{place} += 0.0625 * {counter};")
            }
            _ => format!("{place} += {int} / 2u;"),
        };
        self.line(&line);
    }

    fn assignment(&mut self) {
        if self.has(Feature::MixedTypes) && self.choices.chance(3) {
            return self.mixed_assignment();
        }
        let ty = if self.choices.below(10) < 6 { self.types.float() } else { self.any_type() };
        let Some(place) = self.writable_place(ty) else { return self.local() };
        let value = self.value(ty);
        let calm = self.is_calm();
        let line = match self.types.shape(ty) {
            TypeShape::Scalar(Scalar::Double) | TypeShape::Int => format!("{place} = {value};"),
            TypeShape::Scalar(_) => match self.choices.below(6) {
                0 if calm => format!("{place} = sin({value});"),
                1 => format!("{place} += {} * sin({value});", self.weight(ty)),
                2 => format!("{place} *= cos({value});"),
                3 => format!("{place} -= {} * tanh({value});", self.weight(ty)),
                4 => format!("{place} /= {value} * {value} + {};", self.weight(ty).replace("0.25", "0.75")),
                _ if calm => format!("{place} = tanh({value});"),
                _ => format!("{place} = {value};"),
            },
            TypeShape::Vector(Scalar::Double, _) | TypeShape::Matrix(Scalar::Double, ..) => {
                format!("{place} = {value};")
            }
            TypeShape::Vector(..) => match self.choices.below(4) {
                1 => format!("{place} += {} * sin({value});", self.weight(ty)),
                2 => format!("{place} *= cos({value});"),
                _ if calm => format!("{place} = tanh({value});"),
                _ => format!("{place} = {value};"),
            },
            TypeShape::Matrix(..) if calm => format!("{place} = tanh({value});"),
            _ => format!("{place} = {value};"),
        };
        self.line(&line);
    }

    /// A quarter, of the scalars of a type.
    fn weight(&self, ty: TypeId) -> String {
        match self.types.shape(ty) {
            TypeShape::Scalar(scalar) | TypeShape::Vector(scalar, _) => {
                super::expressions::spell_literal(0.25, *scalar)
            }
            _ => "0.25".to_owned(),
        }
    }

    fn swizzle_assignment(&mut self) {
        let len = self.choices.within(2..=4) as u8;
        let vector = self.types.numeric(Scalar::Float, len);
        let of_matrix = if self.choices.chance(3) { self.matrix_swizzle(2, true) } else { None };
        let place = match of_matrix {
            Some(place) => place,
            None => {
                let Some(place) = self.writable_place(vector) else { return self.assignment() };
                self.reach(Construct::SwizzleWrite);
                format!("{place}.{}", self.distinct_components(len, 2))
            }
        };
        let (a, b) = (self.float(), self.float());
        self.line(&format!("{place} = float2(sin({a}), {b});"));
    }

    /// So many different components of a longer vector.
    pub(super) fn distinct_components(&mut self, len: u8, count: u8) -> String {
        let mut left: Vec<char> = ['x', 'y', 'z', 'w'].into_iter().take(usize::from(len)).collect();
        (0..count).map(|_| left.remove(self.choices.below(left.len()))).collect()
    }

    fn branch(&mut self, statements: usize, depth: usize) {
        let condition = self.condition();
        self.open(&format!("if ({condition})"));
        self.block(statements, depth);
        self.close("}");
        if self.choices.chance(5) {
            self.reach(Construct::IfElse);
            self.open("else");
            self.block(statements, depth);
            self.close("}");
        } else {
            self.reach(Construct::If);
        }
    }

    fn switch(&mut self, statements: usize, depth: usize) {
        self.reach(Construct::Switch);
        let selector = self.int();
        self.open(&format!("switch (({selector}) % 5)"));
        // `break` belongs to the switch inside it, so jumps of the loop around are not made there.
        let loops = std::mem::take(&mut self.loops);
        for labels in [&["case 0:", "case 3:"][..], &["case 1:"], &["default:"]] {
            for label in labels {
                self.line(label);
            }
            // In a block of its own, so that what falls through does not see its variables.
            self.open("");
            self.block(statements, depth);
            if self.choices.chance(3) {
                let condition = self.condition();
                self.line(&format!("if ({condition})"));
                self.line("    break;");
            }
            let visible = self.variables.len();
            self.assignment();
            self.variables.truncate(visible);
            self.close("}");
            if labels[0] != "default:" && self.choices.chance(4) {
                self.reach(Construct::SwitchFallThrough);
            } else {
                self.line("break;");
            }
        }
        self.loops = loops;
        self.close("}");
    }

    /// `break`, `continue` or `return` under a condition.
    fn jump(&mut self) {
        let condition = self.condition();
        let has_label = !self.labels.is_empty() && self.choices.chance(5);
        if has_label {
            let label = self.choices.one(&self.labels).clone();
            self.reach(Construct::LabelledBreak);
            self.line(&format!("if ({condition})"));
            return self.line(&format!("    break {label};"));
        }
        let jump = match (self.loops.last().copied(), self.choices.below(3)) {
            (Some(_), 0) => {
                self.reach(Construct::BreakInLoop);
                "break;".to_owned()
            }
            (Some(true), 1) => {
                self.reach(Construct::ContinueInLoop);
                "continue;".to_owned()
            }
            _ => match self.returned() {
                Some(value) => {
                    self.reach(Construct::EarlyReturn);
                    format!("return {value};")
                }
                None => return,
            },
        };
        self.line(&format!("if ({condition})"));
        self.line(&format!("    {jump}"));
    }

    /// What `return` returns; empty if the function returns nothing.
    fn returned(&mut self) -> Option<String> {
        if !self.may_return {
            return None;
        }
        match self.returns {
            None => Some(String::new()),
            Some(ty) if self.types.is_numeric(ty) => Some(self.value(ty)),
            Some(ty) => self.readable_place(ty),
        }
    }

    pub(super) fn return_statement(&mut self) {
        let Some(ty) = self.returns else { return };
        let value = self.value(ty);
        self.line(&format!("return {value};"));
    }

    /// A loop over a counter, up or down, to a constant or to a number that depends on data, and perhaps only as long as a
    /// float stays small.
    fn for_loop(&mut self, statements: usize, depth: usize) {
        let most = self.choices.within(1..=4);
        let counter = self.fresh("i");
        let float = self.types.float();
        let data = if self.choices.chance(2) { self.readable_place(float) } else { None };
        let data = data.map(|place| format!(" && {place} < 1.2517")).unwrap_or_default();
        let head = match self.choices.below(6) {
            1 => {
                self.reach(Construct::ForDown);
                format!("int {counter} = {} - 1; {counter} >= 0{data}; {counter}--", most)
            }
            2 => {
                self.reach(Construct::ForOfData);
                format!("int {counter} = 0; {counter} < min({}, {most}){data}; {counter}++", self.int())
            }
            3 => format!("int {counter} = 0; {counter} <= {}{data}; ++{counter}", most - 1),
            4 => format!("int {counter} = 1; {counter} < {}{data}; {counter} += 2", 2 * most),
            _ => {
                self.reach(Construct::ForUp);
                format!("int {counter} = 0; {counter} < {most}{data}; {counter}++")
            }
        };
        let is_fixed = data.is_empty() && !head.contains("min(");
        let sequence = self.sequence();
        // Some of the names that mean something elsewhere are not labels.
        let label = (self.has(Feature::Jumps) && self.choices.chance(5)).then(|| format!("outer_{counter}"));
        if let Some(label) = &label {
            self.line(&format!("{label}:"));
        }
        if is_fixed && self.choices.chance(1) {
            self.reach(Construct::ForceUnroll);
            self.line("[ForceUnroll]");
        } else {
            self.loop_bound(most);
        }
        self.open(&format!("for ({head})"));
        self.labels.extend(label.clone());
        let visible = self.variables.len();
        self.next_of(sequence);
        self.loop_body(&counter, true, statements, depth);
        self.variables.truncate(visible);
        if label.is_some() {
            self.labels.pop();
        }
        self.close("}");
    }

    /// A variable in front of a loop that is to go through integers that wrap, as hashes do.
    fn sequence(&mut self) -> Option<String> {
        if !self.has(Feature::LoopLocals) || !self.choices.chance(3) {
            return None;
        }
        self.reach(Construct::WrappingSequence);
        let sequence = self.fresh("seed");
        self.line(&format!("uint {sequence} = 7u;"));
        Some(sequence)
    }

    /// At the start of an iteration: the next number of the sequence, of which the highest bits can be read.
    fn next_of(&mut self, sequence: Option<String>) {
        let Some(sequence) = sequence else { return };
        let (bits, int) = (self.fresh("bits"), self.types.int());
        self.line(&format!("{sequence} += 0x9E3779B9u;"));
        self.line(&format!("int {bits} = int({sequence} >> 29);"));
        self.declare_constant(&bits, int);
    }

    /// Tells how often a loop runs at most, or leaves that to the compiler.
    fn loop_bound(&mut self, most: usize) {
        if self.choices.below(2) == 0 {
            self.line(&format!("[MaxIters({most})]"));
        } else {
            self.reach(Construct::InferredBound);
        }
    }

    /// A loop's statements; whether it counts on by itself, so that `continue` is allowed.
    fn loop_body(&mut self, counter: &str, counts: bool, statements: usize, depth: usize) {
        let visible = self.variables.len();
        let int = self.types.int();
        self.declare_constant(counter, int);
        self.loops.push(counts);
        self.block(statements, depth);
        self.loops.pop();
        self.variables.truncate(visible);
    }

    /// `while` or `do`, counted by hand.
    fn while_loop(&mut self, statements: usize, depth: usize) {
        let most = self.choices.within(1..=4);
        let counter = self.fresh("k");
        let is_do = self.choices.below(2) == 1;
        // Evaluated where the body's variables are not visible.
        let limit = self.condition();
        self.line(&format!("int {counter} = 0;"));
        self.loop_bound(most);
        let head = format!("({counter} < {most} && ({limit}))");
        if is_do {
            self.reach(Construct::DoWhile);
            self.open("do");
        } else {
            self.reach(Construct::While);
            self.open(&format!("while {head}"));
        }
        self.line(&format!("{counter}++;"));
        self.loop_body(&counter, !is_do, statements, depth);
        self.close(&if is_do { format!("}} while {head};") } else { "}".to_owned() });
    }

    /// A variable without a value in front of a loop, whose iterations write it for the next one.
    fn loop_local(&mut self, statements: usize, depth: usize) {
        self.reach(Construct::LocalWrittenOnlyInLoop);
        let ty = self.any_type();
        let (name, counter) = (self.fresh("last"), self.fresh("i"));
        let declarator = self.types.declarator(ty, &name);
        self.line(&format!("{declarator};"));
        let most = self.choices.within(1..=4);
        self.open(&format!("for (int {counter} = 0; {counter} < {most}; {counter}++)"));
        let visible = self.variables.len();
        let int = self.types.int();
        self.declare_constant(&counter, int);
        self.loops.push(true);
        // What is read here the last iteration has written.
        self.open(&format!("if ({counter} > 0)"));
        self.declare_constant(&name, ty);
        self.assignment();
        self.block(statements, depth);
        self.variables.truncate(visible + 1);
        self.close("}");
        self.loops.pop();
        // Jumps would leave it without a value.
        self.initialise(&name, ty);
        self.variables.truncate(visible);
        self.close("}");
        self.declare_variable(&name, ty);
    }

    /// An array without values in front of a loop, each element of which is computed from those before it.
    fn prefix(&mut self) {
        self.reach(Construct::ArrayOverIterations);
        self.reach(Construct::LocalWrittenOnlyInLoop);
        let len = self.choices.within(2..=4) as u8;
        let element = if self.choices.chance(3) { self.types.numeric(Scalar::Float, 3) } else { self.types.float() };
        let array = self.types.intern(TypeShape::Array(element, len));
        let (name, i, k, now) = (self.fresh("y"), self.fresh("i"), self.fresh("k"), self.fresh("now"));
        let declarator = self.types.declarator(array, &name);
        self.line(&format!("{declarator};"));
        self.open(&format!("for (int {i} = 0; {i} < {len}; {i}++)"));
        let visible = self.variables.len();
        let int = self.types.int();
        self.declare_constant(&i, int);
        let value = self.value(element);
        let declarator = self.types.declarator(element, &now);
        self.line(&format!("{declarator} = {value};"));
        self.loop_bound(usize::from(len));
        self.line(&format!("for (int {k} = 0; {k} < {i}; {k}++)"));
        let update =
            *self.choices.one(&["{now} -= 0.5 * {y}", "{now} = {now} * 0.5 + sin({y})", "{now} += {y} * 0.25"]);
        let update = update.replace("{now}", &now).replace("{y}", &format!("{name}[{k}]"));
        self.line(&format!("    {update};"));
        self.line(&format!("{name}[{i}] = {now};"));
        self.variables.truncate(visible);
        self.close("}");
        self.declare_variable(&name, array);
    }

    fn read_optional(&mut self) {
        let content = self.optional_content();
        let optional = self.types.intern(TypeShape::Optional(content));
        let source = match self.readable_place(optional) {
            Some(place) => place,
            None => self.variable(optional),
        };
        let name = self.variable(content);
        self.line(&format!("if ({source}.hasValue)"));
        self.line(&format!("    {name} = {source}.value;"));
    }

    /// A local function, which is called a few times.
    fn lambda(&mut self) {
        let (name, parameter, float) = (self.fresh("local"), self.fresh("y"), self.types.float());
        let visible = self.variables.len();
        let result = self.fresh("v");
        let outer = std::mem::replace(&mut self.is_expression, true);
        match self.choices.below(3) {
            1 => {
                self.reach(Construct::LambdaWithStatements);
                let condition = format!("{parameter} > 0.503");
                self.declare_constant(&parameter, float);
                let (a, b) = (self.float(), self.float());
                self.variables.truncate(visible);
                self.is_expression = outer;
                self.open(&format!("let {name} = (float {parameter}) =>"));
                self.line(&format!("if ({condition})"));
                self.line(&format!("    return {a};"));
                self.line(&format!("return {b} * {parameter};"));
                self.close("};");
            }
            _ => {
                self.reach(Construct::Lambda);
                self.declare_constant(&parameter, float);
                let body = self.float();
                self.variables.truncate(visible);
                self.is_expression = outer;
                self.line(&format!("let {name} = (float {parameter}) => {body};"));
            }
        }
        let (a, b) = (self.simple_float(), self.simple_float());
        if self.choices.below(2) == 1 {
            self.reach(Construct::LambdaAsArgument);
            let twice = self.global("twice");
            self.line(&format!("float {result} = {twice}({name}, sin({a}));"));
        } else {
            self.line(&format!("float {result} = {name}(sin({a})) - 0.5 * {name}(cos({b}));"));
        }
        self.declare_variable(&result, float);
    }

    /// A function that throws, and what catches.
    fn attempt(&mut self) {
        self.reach(Construct::Throws);
        let float = self.types.float();
        let name = self.variable(float);
        let (a, b, n) = (self.float(), self.float(), self.int());
        let (risky, problem) = (self.global("risky"), self.global("Problem"));
        let caught = self.fresh("problem");
        self.open("do");
        self.line(&format!("{name} = cos({b});"));
        self.line(&format!("{name} += try {risky}({a}, {n});"));
        self.close("}");
        self.open(&format!("catch ({caught} : {problem})"));
        self.line(&format!("{name} = {name} * 0.5 + ({caught} == {problem}.Low ? {name} * {name} : 0.25);"));
        self.close("}");
    }
}
