//! Expressions, with as few parentheses as C's precedence allows and a few more where readers stumble.

use ir::{BinaryOp, Constant, Intrinsic, Scalar, SpanId, Type, TypeId, UnaryOp, intrinsic::PointerOp};

use super::items::Printer;
use super::{Braces, Form, Spelling, template_argument};
use crate::tree::{Expr, ExprKind, Function, Step};

/// The member of the blocks that stand for what is at an address.
pub(crate) const AT_ADDRESS: &str = "at";

/// What a value is the right side of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Initialised {
    Declaration,
    Assignment,
}

/// How tightly an operator binds, as in C.
pub type Precedence = u8;
/// `a ? b : c`
pub const TERNARY: Precedence = 3;
/// `a + b`
pub const ADDITIVE: Precedence = 12;
/// `a * b`
pub const MULTIPLICATIVE: Precedence = 13;
/// `-a`
pub const UNARY: Precedence = 14;
/// What needs no parentheses anywhere.
pub const PRIMARY: Precedence = 15;

impl Printer<'_> {
    /// An expression where anything may stand.
    pub fn expr(&mut self, f: &Function, expr: &Expr, span: SpanId) -> String {
        self.with_precedence(f, expr, span).0
    }

    /// Expressions with commas between them.
    pub fn list(&mut self, f: &Function, exprs: &[Expr], span: SpanId) -> String {
        let texts: Vec<String> = exprs.iter().map(|expr| self.expr(f, expr, span)).collect();
        texts.join(", ")
    }

    /// The arguments of a call, with the streams that the function is given.
    pub(super) fn arguments(&mut self, f: &Function, callee: ir::FuncId, args: &[Expr], span: SpanId) -> String {
        let mut texts: Vec<String> = args.iter().map(|arg| self.expr(f, arg, span)).collect();
        texts.extend(self.stream_arguments(callee));
        texts.join(", ")
    }

    /// The right side of an assignment or declaration, where `{}` may stand.
    pub(super) fn initialiser(&mut self, f: &Function, expr: &Expr, of: Initialised, span: SpanId) -> String {
        let shape = self.shape(expr.ty);
        match (self.dialect.braces(), &expr.kind) {
            (Braces::RightSides, ExprKind::Zero) if matches!(shape, Form::Array | Form::Struct) => "{}".into(),
            (Braces::RightSides, ExprKind::Make(parts)) if shape == Form::Array => {
                format!("{{ {} }}", self.list(f, parts, span))
            }
            (Braces::Declarations, ExprKind::Make(parts))
                if of == Initialised::Declaration
                    && !parts.is_empty()
                    && matches!(shape, Form::Array | Form::Struct) =>
            {
                let parts: Vec<String> = parts.iter().map(|part| self.initialiser(f, part, of, span)).collect();
                format!("{{ {} }}", parts.join(", "))
            }
            _ => self.expr(f, expr, span),
        }
    }

    /// An operand of something that binds as tightly as `at_least`.
    pub fn operand(&mut self, f: &Function, expr: &Expr, at_least: Precedence, span: SpanId) -> String {
        let (text, precedence) = self.with_precedence(f, expr, span);
        if precedence < at_least { format!("({text})") } else { text }
    }

    fn with_precedence(&mut self, f: &Function, expr: &Expr, span: SpanId) -> (String, Precedence) {
        let dialect = self.dialect;
        if let Some(text) = dialect.expression(self, f, expr, span) {
            return text;
        }
        let (text, precedence) = self.plain(f, expr, span);
        let Some(scalar) = self.scalar_of(expr.ty).filter(|_| self.shape(expr.ty) == Form::Scalar) else {
            return (text, precedence);
        };
        let is_promoted = matches!(expr.kind, ExprKind::Unary(..) | ExprKind::Binary(..))
            && self.dialect.promotes_integers()
            && scalar.is_integer()
            && scalar.bits() < 32;
        match is_promoted {
            true => (format!("{}({text})", self.type_name(expr.ty, span)), PRIMARY),
            false => (text, precedence),
        }
    }

    /// The expression as operators and parts are written, whatever type the language gives them.
    fn plain(&mut self, f: &Function, expr: &Expr, span: SpanId) -> (String, Precedence) {
        match &expr.kind {
            ExprKind::Local(local) | ExprKind::Reference(local) => (f.locals[*local].name.to_string(), PRIMARY),
            ExprKind::Const(constant) => self.constant(*constant, expr.ty, span),
            ExprKind::Zero => (self.zero(expr.ty, span), PRIMARY),
            ExprKind::Unary(op, a) => self.unary(f, *op, a, span),
            ExprKind::Binary(op, a, b) => self.binary(f, *op, a, b, span),
            ExprKind::Math(function, args) => match self.dialect.math(*function) {
                Spelling::Call(name) => (format!("{name}({})", self.list(f, args, span)), PRIMARY),
                Spelling::None => {
                    self.error(span, format!("`{function:?}` is not supported for this target"));
                    (String::new(), PRIMARY)
                }
            },
            ExprKind::Convert(a) => {
                let ty = self.type_name(expr.ty, span);
                (format!("{ty}({})", self.expr(f, a, span)), PRIMARY)
            }
            ExprKind::Bitcast(a) => self.bitcast(f, a, expr.ty, span),
            ExprKind::Select { cond, then, otherwise } => {
                if self.shape(cond.ty) == Form::Scalar {
                    let cond = self.operand(f, cond, TERNARY + 1, span);
                    let then = self.operand(f, then, TERNARY + 1, span);
                    let otherwise = self.operand(f, otherwise, TERNARY, span);
                    (format!("{cond} ? {then} : {otherwise}"), TERNARY)
                } else {
                    let name = self.dialect.vector_select();
                    let args = [cond, then, otherwise].map(|part| self.expr(f, part, span));
                    (format!("{name}({})", args.join(", ")), PRIMARY)
                }
            }
            ExprKind::Make(parts) => {
                let ty = self.type_name(expr.ty, span);
                let parts = self.list(f, parts, span);
                (self.dialect.make(self.shape(expr.ty), &ty, &parts), PRIMARY)
            }
            ExprKind::Splat(a) => {
                let ty = self.type_name(expr.ty, span);
                let part = self.expr(f, a, span);
                let parts = match self.module.types.get(expr.ty) {
                    Type::Array { len, .. } => vec![part; len as usize].join(", "),
                    _ => part,
                };
                (self.dialect.make(self.shape(expr.ty), &ty, &parts), PRIMARY)
            }
            ExprKind::Extract { aggregate, path } => {
                let base = self.operand(f, aggregate, PRIMARY, span);
                (self.access(f, base, aggregate.ty, path, span), PRIMARY)
            }
            ExprKind::Swizzle { vector, components } => {
                let base = self.operand(f, vector, PRIMARY, span);
                if self.shape(vector.ty) == Form::Scalar && components.len() == 1 {
                    return (base, PRIMARY);
                }
                let letters: String = components.iter().map(|&index| letter(index.into())).collect();
                (format!("{base}.{letters}"), PRIMARY)
            }
            ExprKind::Call { callee, args } => {
                let args = self.arguments(f, *callee, args, span);
                (format!("{}({args})", self.function_names[*callee]), PRIMARY)
            }
            ExprKind::Global(global) => (self.global_names[*global].to_string(), PRIMARY),
            ExprKind::Builtin(builtin) => {
                if let Some(name) = self.dialect.builtin_variable(*builtin) {
                    return (name.into(), PRIMARY);
                }
                let name = self.builtins.iter().find(|(other, _)| other == builtin);
                (name.map_or(String::new(), |(_, name)| name.to_string()), PRIMARY)
            }
            ExprKind::Load { handle, path } => (self.memory(f, handle, path, span), PRIMARY),
            ExprKind::ByteLoad { handle, offset } => {
                let ty = self.type_name(expr.ty, span);
                let (handle, offset) = (self.operand(f, handle, PRIMARY, span), self.expr(f, offset, span));
                let load = if self.tested_reads { "load_or_zero" } else { "Load" };
                (format!("{handle}.{load}<{}>({offset})", template_argument(&ty)), PRIMARY)
            }
            ExprKind::Intrinsic { intrinsic, args } => self
                .dialect
                .intrinsic(self, f, *intrinsic, args, span)
                .unwrap_or_else(|| self.refused(*intrinsic, span)),
            ExprKind::AddressOf(place) => {
                let place = self.expr(f, place, span);
                let text = self.dialect.address_of(&place);
                text.unwrap_or_else(|| self.refused(Intrinsic::Pointer(PointerOp::AddressOf), span))
            }
            ExprKind::BufferLength(_) | ExprKind::Atomic { .. } | ExprKind::ByteAtomic { .. } => {
                self.error(span, "this operation is not supported yet for this target".into());
                (String::new(), PRIMARY)
            }
        }
    }

    fn bitcast(&mut self, f: &Function, a: &Expr, to: TypeId, span: SpanId) -> (String, Precedence) {
        let ty = self.type_name(to, span);
        match (self.scalar_of(a.ty), self.scalar_of(to)) {
            (Some(from), Some(to)) => {
                let name = self.dialect.bitcast(from, to, &ty);
                (format!("{name}({})", self.expr(f, a, span)), PRIMARY)
            }
            _ => {
                self.error(span, "this reinterpretation is not supported for this target".into());
                (String::new(), PRIMARY)
            }
        }
    }

    fn unary(&mut self, f: &Function, op: UnaryOp, a: &Expr, span: SpanId) -> (String, Precedence) {
        let symbol = match op {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        };
        let operand = self.operand(f, a, UNARY, span);
        // `--x` would be another operator.
        let text = match operand.starts_with('-') && symbol == "-" {
            true => format!("-({operand})"),
            false => format!("{symbol}{operand}"),
        };
        (text, UNARY)
    }

    /// Says that the language does not have an intrinsic.
    fn refused(&mut self, intrinsic: Intrinsic, span: SpanId) -> (String, Precedence) {
        let target = self.dialect.target().name();
        self.error(span, format!("`{}` is not supported for target `{target}`", intrinsic.source_name()));
        (String::new(), PRIMARY)
    }

    fn binary(&mut self, f: &Function, op: BinaryOp, a: &Expr, b: &Expr, span: SpanId) -> (String, Precedence) {
        let scalar = self.scalar_of(a.ty);
        let is_bool = scalar == Some(Scalar::Bool);
        if op == BinaryOp::Rem && scalar.is_some_and(Scalar::is_float) {
            let (a, b) = (self.expr(f, a, span), self.expr(f, b, span));
            return match self.dialect.math(ir::MathFn::Fmod) {
                Spelling::Call(name) => (format!("{name}({a}, {b})"), PRIMARY),
                Spelling::None => (format!("{a} % {b}"), PRIMARY),
            };
        }
        let (symbol, precedence) = match op {
            BinaryOp::Mul => ("*", 13),
            BinaryOp::Div => ("/", 13),
            BinaryOp::Rem => ("%", 13),
            BinaryOp::Add => ("+", 12),
            BinaryOp::Sub => ("-", 12),
            BinaryOp::Shl => ("<<", 11),
            BinaryOp::Shr => (">>", 11),
            BinaryOp::Less => ("<", 10),
            BinaryOp::LessEqual => ("<=", 10),
            BinaryOp::Greater => (">", 10),
            BinaryOp::GreaterEqual => (">=", 10),
            BinaryOp::Equal => ("==", 9),
            BinaryOp::NotEqual => ("!=", 9),
            BinaryOp::Xor if is_bool => ("!=", 9),
            BinaryOp::And if is_bool => ("&&", 5),
            BinaryOp::Or if is_bool => ("||", 4),
            BinaryOp::And => ("&", 8),
            BinaryOp::Xor => ("^", 7),
            BinaryOp::Or => ("|", 6),
        };
        // Mixed shifts, bit operations and logic are written with parentheses: nobody knows that part of the table.
        let mixed = |operand: &Expr| match &operand.kind {
            ExprKind::Binary(inner, ..) => *inner != op && (precedence < 9 || precedence == 11),
            _ => false,
        };
        let (left_min, right_min) = (precedence, precedence + 1);
        let (a, b) = self.scalar_operands(op, a, b);
        // Sums and products of integers, and logic, may be regrouped; floats keep their order.
        let left = self.operand(f, a, if mixed(a) && !is_comparison(a) { UNARY } else { left_min }, span);
        let right = self.operand(f, b, if mixed(b) && !is_comparison(b) { UNARY } else { right_min }, span);
        (format!("{left} {symbol} {right}"), precedence)
    }

    /// The operands of vector arithmetic, of which one may stay a scalar where the language allows it.
    pub(super) fn scalar_operands<'e>(&self, op: BinaryOp, a: &'e Expr, b: &'e Expr) -> (&'e Expr, &'e Expr) {
        let is_arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        let one = |ty: TypeId| matches!(self.module.types.get(ty), Type::Vector { len: 1, .. });
        if !self.dialect.scalar_operands() || !is_arithmetic || self.shape(a.ty) != Form::Vector || one(a.ty) {
            return (a, b);
        }
        match (&a.kind, &b.kind) {
            (ExprKind::Splat(_), ExprKind::Splat(_)) => (a, b),
            (ExprKind::Splat(scalar), _) => (scalar, b),
            (_, ExprKind::Splat(scalar)) => (a, scalar),
            _ => (a, b),
        }
    }

    pub(super) fn constant(&mut self, constant: Constant, ty: TypeId, span: SpanId) -> (String, Precedence) {
        // A literal may be the only value of its type.
        self.require_type(ty);
        let scalar = self.scalar_of(ty).unwrap_or(Scalar::F32);
        if self.dialect.scalar(scalar).is_none() {
            // Without the type a literal would be of another one.
            self.type_name(ty, span);
        }
        match constant {
            Constant::Bool(value) => (value.to_string(), PRIMARY),
            Constant::Int(value) => self.integer(value, scalar, ty, span),
            Constant::Float(value) => self.float(value, scalar, ty, span),
        }
    }

    fn integer(&mut self, value: i64, scalar: Scalar, ty: TypeId, span: SpanId) -> (String, Precedence) {
        let bits = scalar.bits();
        let (negative, magnitude) = if scalar.is_signed() {
            (value < 0, value.unsigned_abs())
        } else {
            (false, if bits == 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) })
        };
        let smallest = negative && magnitude == 1 << (bits - 1);
        let digits = self.dialect.integer(if smallest { magnitude - 1 } else { magnitude }, scalar);
        let text = match (negative, smallest) {
            (_, true) => format!("(-{digits} - 1)"),
            (true, false) => format!("-{digits}"),
            (false, false) => digits,
        };
        if bits < 32 {
            return (format!("{}({text})", self.type_name(ty, span)), PRIMARY);
        }
        (text, if negative && !smallest { UNARY } else { PRIMARY })
    }

    /// A float as the language spells it, infinities and NaN included.
    pub fn float(&mut self, value: f64, scalar: Scalar, ty: TypeId, span: SpanId) -> (String, Precedence) {
        // The value that the type holds: a decimal that rounds to it is printed, shortest first.
        let rounded = match scalar {
            Scalar::F16 => ir::number::half(value).to_f64(),
            Scalar::F64 => value,
            _ => f64::from(value as f32),
        };
        if rounded.is_finite() {
            let text = self.dialect.float(rounded.abs(), scalar);
            return match rounded.is_sign_negative() {
                true => (format!("-{text}"), UNARY),
                false => (text, PRIMARY),
            };
        }
        // Infinity and "not a number" have no literals.
        let single = rounded as f32;
        let name = self.dialect.bitcast(Scalar::U32, Scalar::F32, "float");
        let bits = if single.is_nan() { 0x7fc0_0000 } else { single.to_bits() };
        let text = format!("{name}({})", self.dialect.integer(bits.into(), Scalar::U32));
        match scalar {
            Scalar::F32 => (text, PRIMARY),
            _ => (format!("{}({text})", self.type_name(ty, span)), PRIMARY),
        }
    }

    /// Zero of a type.
    pub fn zero(&mut self, ty: TypeId, span: SpanId) -> String {
        self.require_type(ty);
        match self.module.types.get(ty) {
            Type::Scalar(Scalar::Bool) => "false".into(),
            Type::Scalar(scalar) if scalar.is_float() => self.float(0.0, scalar, ty, span).0,
            Type::Scalar(scalar) => self.integer(0, scalar, ty, span).0,
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                let element = match scalar {
                    Scalar::Bool => "false".into(),
                    scalar if scalar.is_float() => self.dialect.float(0.0, scalar),
                    scalar => self.dialect.integer(0, scalar),
                };
                let name = self.type_name(ty, span);
                self.dialect.make(self.shape(ty), &name, &element)
            }
            _ => {
                let name = self.type_name(ty, span);
                self.dialect.zero(self.shape(ty), &name)
            }
        }
    }

    /// What a `load` or `store` names: the handle and the path from it.
    pub fn memory(&mut self, f: &Function, handle: &Expr, path: &[Step], span: SpanId) -> String {
        if let Some((base, steps)) = self.part_of_whole(f, handle, path, span) {
            let (Type::Handle(ty), (before, after)) = (self.module.types.get(handle.ty), path.split_at(steps)) else {
                return base;
            };
            let content = ty.content().unwrap_or(handle.ty);
            let ty = before.iter().fold(content, |ty, step| self.step_type(ty, step));
            return self.access(f, base, ty, after, span);
        }
        let base = self.operand(f, handle, PRIMARY, span);
        let base = match (&handle.kind, self.module.types.get(handle.ty)) {
            (ExprKind::Global(_), _) => base,
            (_, Type::Handle(ir::HandleType::ConstantBuffer { .. })) => self.dialect.content_of_block(base),
            _ => base,
        };
        self.access(f, base, handle.ty, path, span)
    }

    /// `base` with the path after it: fields, components and indices.
    pub fn access(&mut self, f: &Function, base: String, mut ty: TypeId, path: &[Step], span: SpanId) -> String {
        let mut text = base;
        let mut through_handle = false;
        if let Type::Handle(handle) = self.module.types.get(ty) {
            use ir::HandleType::*;
            through_handle =
                matches!(handle, StructuredBuffer { .. } | TexelBuffer { .. } | Pointer { .. } | Address { .. });
            if let Address { .. } = handle {
                text.push('.');
                text.push_str(AT_ADDRESS);
            }
            if !through_handle {
                ty = handle.content().unwrap_or(ty);
            }
        }
        for step in path {
            let in_type = self.module.types.get(ty);
            match (in_type, step) {
                (Type::Struct(id), Step::Const(index)) if !through_handle => {
                    text.push('.');
                    text.push_str(&self.field(id, *index as usize));
                }
                (Type::Vector { len, .. }, Step::Const(index)) if !through_handle && len > 1 => {
                    text.push('.');
                    text.push(letter(*index));
                }
                (_, Step::Const(index)) => text.push_str(&format!("[{index}]")),
                (_, Step::Dynamic(index)) => {
                    let index = self.index(f, index, span);
                    text.push_str(&format!("[{index}]"));
                }
                (_, Step::Tested(index)) => {
                    let index = self.index(f, index, span);
                    text.push_str(&format!(".at({index})"));
                }
            }
            ty = self.step_type(ty, step);
            through_handle = false;
        }
        text
    }

    /// An index, of whose type nothing is said where it is a constant.
    fn index(&mut self, f: &Function, index: &Expr, span: SpanId) -> String {
        match index.kind {
            ExprKind::Const(Constant::Int(value)) if value >= 0 => value.to_string(),
            _ => self.expr(f, index, span),
        }
    }

    /// The type of what a step leads to.
    pub fn step_type(&self, ty: TypeId, step: &Step) -> TypeId {
        let find = |wanted| self.module.types.find(wanted).unwrap_or(ty);
        match (self.module.types.get(ty), step) {
            (Type::Struct(id), Step::Const(index)) => self.module.types.structs[id].fields[*index as usize].ty,
            (Type::Array { element, .. }, _) => element,
            (Type::Vector { scalar, .. }, _) => find(Type::Scalar(scalar)),
            (Type::Matrix { scalar, cols, .. }, _) => find(Type::Vector { scalar, len: cols }),
            (Type::Handle(handle), _) => handle.content().unwrap_or(ty),
            _ => ty,
        }
    }

    /// The scalar that a type consists of, if it is a scalar, vector or matrix.
    pub fn scalar_of(&self, ty: TypeId) -> Option<Scalar> {
        match self.module.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(scalar),
            Type::Array { .. } | Type::Struct(_) | Type::Sum(_) | Type::Handle(_) | Type::Opaque(_) => None,
        }
    }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary(op, ..) if op.is_comparison())
}

fn letter(index: u32) -> char {
    match index {
        0 => 'x',
        1 => 'y',
        2 => 'z',
        _ => 'w',
    }
}
