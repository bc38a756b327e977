//! What is inside of functions.

use ir::{Advice, Intrinsic, SpanId, Type};

use super::PRIMARY;
use super::expressions::Initialised;
use super::items::Printer;
use super::template_argument;
use crate::Target;
use crate::requests::Request;
use crate::tree::{Block, Expr, ExprKind, Function, LocalId, LocalKind, Place, Start, Stmt, StmtKind};

impl Printer<'_> {
    /// The statements of a block, each on lines of its own.
    pub fn block(&mut self, f: &Function, block: &Block) {
        for stmt in block {
            self.statement(f, stmt);
        }
    }

    fn braced(&mut self, f: &Function, block: &Block) {
        self.out.open();
        self.block(f, block);
        self.out.close("}");
    }

    fn statement(&mut self, f: &Function, stmt: &Stmt) {
        let span = stmt.span;
        let dialect = self.dialect;
        if dialect.statement(self, f, stmt) {
            return;
        }
        match &stmt.kind {
            StmtKind::Declare { local, init: Some(init) } if self.is_atomic(init) => {
                let text = self.declarator(f.locals[*local].ty, &f.locals[*local].name, span);
                self.out.line(span, &format!("{text};"));
                self.atomic(f, init, Some(*local), span);
            }
            StmtKind::Declare { local, init: Some(Expr { kind: ExprKind::BufferLength(handle), .. }) } => {
                self.buffer_length(f, handle, &f.locals[*local].name, span);
            }
            StmtKind::Assign { place, value: Expr { kind: ExprKind::BufferLength(handle), .. } } => {
                let target = self.place(f, place, span);
                let count = format!("{}_count", f.locals[place.local].name);
                self.buffer_length(f, handle, &count, span);
                self.out.line(span, &format!("{target} = {count};"));
            }
            StmtKind::Assign { place, value } if self.is_atomic(value) => {
                self.atomic(f, value, Some(place.local), span);
            }
            StmtKind::Evaluate(value) if self.is_atomic(value) => self.atomic(f, value, None, span),
            StmtKind::If { cond, then, otherwise, advice } => {
                let words = self.advice_words(*advice);
                let lead = if words.is_empty() { String::new() } else { format!("{words} ") };
                self.if_(f, span, &lead, cond, then, otherwise);
            }
            StmtKind::Switch { selector, cases, default, advice } => {
                let selector = self.expr(f, selector, span);
                self.flush_hoisted(span);
                self.advice(*advice, span);
                self.out.line(span, &format!("switch ({selector})"));
                self.out.open();
                for (labels, block) in cases {
                    let labels: Vec<String> = labels.iter().map(|label| format!("case {label}:")).collect();
                    self.case(f, &labels.join(" "), block, span);
                }
                self.case(f, "default:", default, span);
                self.out.close("}");
            }
            StmtKind::For { init, cond, step, body, advice } => {
                let init = self.simple(f, init);
                self.flush_hoisted(span);
                let cond = self.expr(f, cond, span);
                let step = self.simple(f, step);
                self.refuse_hoisted(span);
                self.advice(*advice, span);
                self.out.line(span, &format!("for ({init}; {cond}; {step})"));
                self.braced(f, body);
            }
            StmtKind::While { cond, body, advice } => {
                let cond = self.expr(f, cond, span);
                self.refuse_hoisted(span);
                self.advice(*advice, span);
                self.out.line(span, &format!("while ({cond})"));
                self.braced(f, body);
            }
            StmtKind::Loop { body, advice } => {
                self.advice(*advice, span);
                self.out.line(span, "while (true)");
                self.braced(f, body);
            }
            _ => {
                let text = self.simple(f, stmt);
                self.flush_hoisted(span);
                self.out.line(span, &format!("{text};"));
            }
        }
    }

    /// The words by which the source asks something of the compiler.
    fn advice_words(&mut self, advice: Option<Advice>) -> &'static str {
        let target = self.dialect.target();
        let Some(words) = advice.and_then(|advice| Request::Advice(advice).words(target)) else { return "" };
        if target == Target::Glsl {
            self.require("#extension GL_EXT_control_flow_attributes : require");
        }
        words
    }

    /// They stand in a line of their own.
    fn advice(&mut self, advice: Option<Advice>, span: SpanId) {
        let words = self.advice_words(advice);
        if !words.is_empty() {
            self.out.line(span, words);
        }
    }

    /// `else if` in one line where an arm holds nothing else. `lead` is what stands in front of the `if`.
    fn if_(&mut self, f: &Function, span: SpanId, lead: &str, cond: &Expr, then: &Block, otherwise: &Block) {
        if then.is_empty() && !otherwise.is_empty() {
            let not = ExprKind::Unary(ir::UnaryOp::Not, Box::new(cond.clone()));
            return self.if_(f, span, lead, &Expr { ty: cond.ty, kind: not }, otherwise, then);
        }
        let cond = self.expr(f, cond, span);
        match lead.starts_with("else") {
            false => self.flush_hoisted(span),
            true => self.refuse_hoisted(span),
        }
        self.out.line(span, &format!("{lead}if ({cond})"));
        self.braced(f, then);
        match &otherwise[..] {
            [] => {}
            [Stmt { span, kind: StmtKind::If { cond, then, otherwise, advice: None } }]
                if !(then.is_empty() && otherwise.is_empty()) =>
            {
                self.if_(f, *span, "else ", cond, then, otherwise);
            }
            _ => {
                self.out.line(SpanId::NONE, "else");
                self.braced(f, otherwise);
            }
        }
    }

    fn case(&mut self, f: &Function, labels: &str, block: &Block, span: SpanId) {
        self.out.line(span, labels);
        self.out.open();
        self.block(f, block);
        let leaves = matches!(
            block.last().map(|stmt| &stmt.kind),
            Some(StmtKind::Return(_) | StmtKind::Continue | StmtKind::Break)
        );
        if !leaves {
            self.out.line(SpanId::NONE, "break;");
        }
        self.out.close("}");
    }

    /// Has a statement written before the one that is being written.
    pub fn hoist(&mut self, text: String) {
        self.hoisted.push(text);
    }

    /// Writes a line, after what has to stand before it.
    pub fn line(&mut self, span: SpanId, text: &str) {
        self.flush_hoisted(span);
        self.out.line(span, text);
    }

    /// Writes what has to stand before a statement that comes from `span`.
    pub fn flush_hoisted(&mut self, span: SpanId) {
        for text in std::mem::take(&mut self.hoisted) {
            self.out.line(span, &text);
        }
    }

    /// In the head of a loop nothing can stand before an expression.
    fn refuse_hoisted(&mut self, span: SpanId) {
        if !std::mem::take(&mut self.hoisted).is_empty() {
            let target = self.dialect.target().name();
            self.error(
                span,
                format!("an array or struct that is made in a condition is not supported yet for target `{target}`"),
            );
        }
    }

    /// A statement of one line, without its semicolon.
    pub fn simple(&mut self, f: &Function, stmt: &Stmt) -> String {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare { local, init } => self.declaration(f, *local, init.as_ref(), span),
            StmtKind::Assign { place, value } => {
                let target = self.place(f, place, span);
                self.assignment(f, &target, value, &|expr| is_place(expr, place), span)
            }
            StmtKind::Store { handle, path, value } => {
                let target = self.memory(f, handle, path, span);
                let same = |expr: &Expr| matches!(&expr.kind, ExprKind::Load { handle: h, path: p } if **h == *handle && p == path);
                self.assignment(f, &target, value, &same, span)
            }
            StmtKind::ByteStore { handle, offset, value } => {
                let ty = self.type_name(value.ty, span);
                let (handle, offset, value) =
                    (self.expr(f, handle, span), self.expr(f, offset, span), self.expr(f, value, span));
                format!("{handle}.Store<{}>({offset}, {value})", template_argument(&ty))
            }
            StmtKind::Evaluate(expr) => self.expr(f, expr, span),
            StmtKind::Call { callee, args } => {
                let args = self.arguments(f, *callee, args, span);
                format!("{}({args})", self.function_names[*callee])
            }
            StmtKind::Break => "break".into(),
            StmtKind::Continue => "continue".into(),
            StmtKind::Return(None) => "return".into(),
            StmtKind::Return(Some(value)) => format!("return {}", self.expr(f, value, span)),
            StmtKind::Barrier { control } => match self.dialect.barrier(*control) {
                Some(text) => text.into(),
                None => {
                    self.error(span, "a barrier is not supported for this target".into());
                    String::new()
                }
            },
            StmtKind::Print { format, args } => {
                let mut text = format!("printf({format:?}");
                for arg in args {
                    text.push_str(", ");
                    text.push_str(&self.expr(f, arg, span));
                }
                text.push(')');
                text
            }
            StmtKind::If { .. }
            | StmtKind::Switch { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Loop { .. } => String::new(),
        }
    }

    fn declaration(&mut self, f: &Function, local: LocalId, init: Option<&Expr>, span: SpanId) -> String {
        let data = &f.locals[local];
        let constant = data.kind == LocalKind::Constant;
        let precise = self.precise(f, data.ty);
        let Some(init) = init else {
            let declarator = self.declarator(data.ty, &data.name, span);
            let first = match data.start != Start::Unread && !self.module.types.holds_handles(data.ty) {
                true => {
                    let zero = self.expr(f, &Expr { ty: data.ty, kind: ExprKind::Zero }, span);
                    self.dialect.no_value(data.start, &zero)
                }
                false => String::new(),
            };
            return format!("{precise}{declarator}{first}");
        };
        // A type that the right side does not show, or that literals would not have, is written out.
        let shows = !matches!(init.kind, ExprKind::Zero) && self.is_inferable(data.ty);
        let head = match self.dialect.inferred_local(constant).filter(|_| shows && precise.is_empty()) {
            Some(keyword) => format!("{keyword} {}", data.name),
            None => self.declarator(data.ty, &data.name, span),
        };
        format!("{precise}{head} = {}", self.initialiser(f, init, Initialised::Declaration, span))
    }

    /// In front of a local of floating-point type, in a function whose operations are done as they are written.
    fn precise(&self, f: &Function, ty: ir::TypeId) -> &'static str {
        let is_float = self.scalar_of(ty).is_some_and(ir::Scalar::is_float);
        let words = Request::Precise.words(self.dialect.target()).unwrap_or_default();
        // Where it is no word for a local, the whole text has it at its top.
        let is_said = self.module.funcs[f.func].is_precise && is_float && words == "precise";
        if is_said { "precise " } else { "" }
    }

    fn is_inferable(&self, ty: ir::TypeId) -> bool {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                !scalar.is_integer() || scalar.bits() == 32
            }
            Type::Struct(_) => true,
            // With the memory that it points to, which the type alone does not say.
            Type::Handle(ir::HandleType::Pointer { .. }) => true,
            Type::Array { .. } | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => false,
        }
    }

    /// `x = e`, or `x += e` and `x++` where the old value is the left operand.
    fn assignment(
        &mut self,
        f: &Function,
        target: &str,
        value: &Expr,
        is_target: &dyn Fn(&Expr) -> bool,
        span: SpanId,
    ) -> String {
        if let ExprKind::Binary(op, left, right) = &value.kind
            && let Some(symbol) = compound(*op)
            && is_target(left)
            && self.scalar_of(value.ty) != Some(ir::Scalar::Bool)
            && self.dialect.has_compound(*op, self.module.types.get(value.ty))
        {
            let one = matches!(right.kind, ExprKind::Const(ir::Constant::Int(1)));
            return match (one, *op) {
                (true, ir::BinaryOp::Add) => format!("{target}++"),
                (true, ir::BinaryOp::Sub) => format!("{target}--"),
                _ => {
                    let (_, right) = self.scalar_operands(*op, left, right);
                    format!("{target} {symbol}= {}", self.expr(f, right, span))
                }
            };
        }
        format!("{target} = {}", self.initialiser(f, value, Initialised::Assignment, span))
    }

    /// A place that can be assigned to.
    pub fn place(&mut self, f: &Function, place: &Place, span: SpanId) -> String {
        let name = f.locals[place.local].name.to_string();
        self.access(f, name, f.locals[place.local].ty, &place.path, span)
    }

    fn buffer_length(&mut self, f: &Function, handle: &Expr, count: &str, span: SpanId) {
        let has_stride =
            matches!(self.module.types.get(handle.ty), Type::Handle(ir::HandleType::StructuredBuffer { .. }));
        let buffer = self.expr(f, handle, span);
        match self.dialect.buffer_length(&buffer, count, has_stride) {
            Some(text) => self.out.line(span, &text),
            None => self.error(span, "the length of a buffer is not supported for this target".into()),
        }
    }

    fn is_atomic(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => true,
            ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(op), .. } => op.atomic().is_some(),
            _ => false,
        }
    }

    fn atomic(&mut self, f: &Function, expr: &Expr, old: Option<LocalId>, span: SpanId) {
        let (op, text, operands) = match &expr.kind {
            ExprKind::Atomic { op, handle, path, operands } => {
                (*op, format!("({}", self.memory(f, handle, path, span)), &operands[..])
            }
            ExprKind::ByteAtomic { op, handle, offset, operands } => {
                let (handle, offset) = (self.expr(f, handle, span), self.expr(f, offset, span));
                let is_wide = self.scalar_of(expr.ty).is_some_and(|scalar| scalar.bits() == 64);
                // Of Slang's methods for 64 bits this one alone has such a name.
                if is_wide && *op != ir::AtomicOp::Add && self.dialect.target() == crate::Target::Slang {
                    let message = "an atomic operation on 64 bits of a byte-address buffer other than addition is not \
                                   supported for target `slang`";
                    return self.error(span, message.into());
                }
                (*op, format!("{handle}.|{}({offset}", if is_wide { "64" } else { "" }), &operands[..])
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Texture(op), args } => {
                let (Some(op), [texture, location, operands @ ..]) = (op.atomic(), &args[..]) else { return };
                if !self.scalar_of(expr.ty).is_some_and(|scalar| scalar.is_integer() || op == ir::AtomicOp::Exchange) {
                    return self.error(
                        span,
                        "an atomic operation on texels of this type is not supported for this target".into(),
                    );
                }
                let (texture, location) = (self.operand(f, texture, PRIMARY, span), self.expr(f, location, span));
                (op, format!("({texture}[{location}]"), operands)
            }
            _ => return,
        };
        let Some(name) = self.dialect.atomic(op) else {
            return self.error(span, "an atomic operation is not supported for this target".into());
        };
        let mut text = match text.split_once('|') {
            Some((object, rest)) => format!("{object}{name}{rest}"),
            None => format!("{name}{text}"),
        };
        for operand in operands {
            text.push_str(", ");
            text.push_str(&self.expr(f, operand, span));
        }
        // Exchanges have no form without the old value.
        let wants_old = matches!(op, ir::AtomicOp::Exchange | ir::AtomicOp::CompareExchange);
        match old {
            Some(local) => text.push_str(&format!(", {}", f.locals[local].name)),
            None if wants_old => {
                let unused = self.declarator(expr.ty, "unused", span);
                self.out.open();
                self.out.line(span, &format!("{unused};"));
                self.out.line(span, &format!("{text}, unused);"));
                self.out.close("}");
                return;
            }
            None => {}
        }
        self.out.line(span, &format!("{text});"));
    }
}

fn is_place(expr: &Expr, place: &Place) -> bool {
    match &expr.kind {
        ExprKind::Local(local) => place.path.is_empty() && *local == place.local,
        ExprKind::Extract { aggregate, path } => aggregate.kind == ExprKind::Local(place.local) && *path == place.path,
        _ => false,
    }
}

fn compound(op: ir::BinaryOp) -> Option<&'static str> {
    use ir::BinaryOp::*;
    match op {
        Add => Some("+"),
        Sub => Some("-"),
        Mul => Some("*"),
        Div => Some("/"),
        And => Some("&"),
        Or => Some("|"),
        Xor => Some("^"),
        Shl => Some("<<"),
        Shr => Some(">>"),
        // `%` on floats is `fmod` in the IR, which not every language has as an operator.
        Rem | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => None,
    }
}
