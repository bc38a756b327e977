//! What is inside of functions.

use ir::{SpanId, Type};

use super::items::Printer;
use crate::tree::{Block, Expr, ExprKind, Function, LocalId, LocalKind, Place, Stmt, StmtKind};

impl Printer<'_> {
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
            StmtKind::If { cond, then, otherwise } => self.if_(f, span, "", cond, then, otherwise),
            StmtKind::Switch { selector, cases, default } => {
                let selector = self.expr(f, selector, span);
                self.flush_hoisted(span);
                self.out.line(span, &format!("switch ({selector})"));
                self.out.open();
                for (labels, block) in cases {
                    let labels: Vec<String> = labels.iter().map(|label| format!("case {label}:")).collect();
                    self.case(f, &labels.join(" "), block, span);
                }
                self.case(f, "default:", default, span);
                self.out.close("}");
            }
            StmtKind::For { init, cond, step, body } => {
                let init = self.simple(f, init);
                self.flush_hoisted(span);
                let cond = self.expr(f, cond, span);
                let step = self.simple(f, step);
                self.refuse_hoisted(span);
                self.out.line(span, &format!("for ({init}; {cond}; {step})"));
                self.braced(f, body);
            }
            StmtKind::While { cond, body } => {
                let cond = self.expr(f, cond, span);
                self.refuse_hoisted(span);
                self.out.line(span, &format!("while ({cond})"));
                self.braced(f, body);
            }
            StmtKind::Loop { body } => {
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

    /// `else if` in one line where an arm holds nothing else.
    fn if_(&mut self, f: &Function, span: SpanId, lead: &str, cond: &Expr, then: &Block, otherwise: &Block) {
        if then.is_empty() && !otherwise.is_empty() {
            let not = ExprKind::Unary(ir::UnaryOp::Not, Box::new(cond.clone()));
            return self.if_(f, span, lead, &Expr { ty: cond.ty, kind: not }, otherwise, then);
        }
        let cond = self.expr(f, cond, span);
        match lead.is_empty() {
            true => self.flush_hoisted(span),
            false => self.refuse_hoisted(span),
        }
        self.out.line(span, &format!("{lead}if ({cond})"));
        self.braced(f, then);
        match &otherwise[..] {
            [] => {}
            [Stmt { span, kind: StmtKind::If { cond, then, otherwise } }]
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
                format!("{handle}.Store<{ty}>({offset}, {value})")
            }
            StmtKind::Evaluate(expr) => self.expr(f, expr, span),
            StmtKind::Call { callee, args } => {
                let args = self.list(f, args, span);
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
        let Some(init) = init else {
            return self.declarator(data.ty, &data.name, span) + self.dialect.no_value(data.may_be_undefined);
        };
        // A type that the right side does not show, or that literals would not have, is written out.
        let shows = !matches!(init.kind, ExprKind::Zero) && self.is_inferable(data.ty);
        let head = match self.dialect.inferred_local(constant).filter(|_| shows) {
            Some(keyword) => format!("{keyword} {}", data.name),
            None => self.declarator(data.ty, &data.name, span),
        };
        format!("{head} = {}", self.initialiser(f, init, true, span))
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
        format!("{target} = {}", self.initialiser(f, value, false, span))
    }

    pub fn place(&mut self, f: &Function, place: &Place, span: SpanId) -> String {
        let name = f.locals[place.local].name.to_string();
        self.access(f, name, f.locals[place.local].ty, &place.path, span)
    }

    fn buffer_length(&mut self, f: &Function, handle: &Expr, count: &str, span: SpanId) {
        let is_bytes =
            matches!(self.module.types.get(handle.ty), Type::Handle(ir::HandleType::ByteAddressBuffer { .. }));
        let buffer = self.expr(f, handle, span);
        match self.dialect.buffer_length(&buffer, count, is_bytes) {
            Some(text) => self.out.line(span, &text),
            None => self.error(span, "the length of a buffer is not supported for this target".into()),
        }
    }

    fn is_atomic(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. })
    }

    fn atomic(&mut self, f: &Function, expr: &Expr, old: Option<LocalId>, span: SpanId) {
        let (op, text, operands) = match &expr.kind {
            ExprKind::Atomic { op, handle, path, operands } => {
                (*op, format!("({}", self.memory(f, handle, path, span)), operands)
            }
            ExprKind::ByteAtomic { op, handle, offset, operands } => {
                let (handle, offset) = (self.expr(f, handle, span), self.expr(f, offset, span));
                (*op, format!("{handle}.|({offset}"), operands)
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
