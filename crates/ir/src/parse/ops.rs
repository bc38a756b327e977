//! Bodies of functions.

use ::diagnostics::stack;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    Parsed, Parser,
    lexer::{TokenKind, ValueName},
};
use crate::{
    Advice, AtomicOp, BinaryOp, Builtin, Callee, Constant, DerivativeKind, Func, FuncId, Intrinsic, MathFn, Op, OpData,
    OpId, PathStep, Region, RegionId, SpanId, Terminator, Type, TypeId, UnaryOp, Value, ValueDef, ValueId,
    op::{LoopBound, Path},
    verify::MAX_REGION_DEPTH,
};

/// A function whose body is being read.
struct Body {
    func: Func,
    /// What is defined so far. Visibility is the verifier's business.
    values: FxHashMap<ValueName, ValueId>,
    depth: usize,
}

type TypedName = (ValueName, TypeId);

impl Body {
    /// A value without definition yet.
    fn value(&mut self, (name, ty): &TypedName, def: ValueDef) -> ValueId {
        let text = match name {
            ValueName::Number(_) => None,
            ValueName::Text(text) => Some(text.clone()),
        };
        let value = self.func.values.alloc(Value { ty: *ty, def, name: text });
        self.values.insert(name.clone(), value);
        value
    }

    fn region(&mut self, params: &[TypedName]) -> RegionId {
        let region = Region { params: Vec::new(), ops: Vec::new(), terminator: Terminator::Unreachable };
        let region = self.func.regions.alloc(region);
        for (index, param) in params.iter().enumerate() {
            let param = self.value(param, ValueDef::Param { region, index: index as u32 });
            self.func.regions[region].params.push(param);
        }
        region
    }
}

impl Parser<'_> {
    pub(super) fn body(&mut self, id: FuncId) -> Parsed<()> {
        let mut func = self.module.funcs[id].clone();
        func.body = None;
        let mut body = Body { func, values: FxHashMap::default(), depth: 0 };
        let params: Vec<TypedName> = body
            .func
            .inputs
            .iter()
            .map(|input| {
                let number = !input.name.is_empty() && input.name.bytes().all(|c| c.is_ascii_digit());
                let name = input.name.clone();
                (if number { ValueName::Number(name) } else { ValueName::Text(name) }, input.ty)
            })
            .collect();
        let region = self.region(&mut body, &params)?;
        body.func.body = Some(region);
        self.module.funcs[id] = body.func;
        Ok(())
    }

    /// `(%a: T, …) { … }`, the parameters being optional.
    fn region_with_params(&mut self, body: &mut Body) -> Parsed<RegionId> {
        let params = if self.eat("(") { self.list(")", |p| p.typed_name())? } else { Vec::new() };
        self.region(body, &params)
    }

    fn region(&mut self, body: &mut Body, params: &[TypedName]) -> Parsed<RegionId> {
        if body.depth >= MAX_REGION_DEPTH {
            return self.error("regions nest too deep");
        }
        self.expect("{")?;
        body.depth += 1;
        let region = body.region(params);
        loop {
            if let Some(terminator) = self.terminator(body)? {
                body.func.regions[region].terminator = terminator;
                break;
            }
            let op = stack::deep(|| self.statement(body))?;
            body.func.regions[region].ops.push(op);
        }
        body.depth -= 1;
        self.expect("}")?;
        Ok(region)
    }

    fn typed_name(&mut self) -> Parsed<TypedName> {
        let TokenKind::Value(name) = self.advance() else { return self.error_before("a value expected") };
        self.expect(":")?;
        Ok((name, self.ty()?))
    }

    fn value(&mut self, body: &Body) -> Parsed<ValueId> {
        match self.advance() {
            TokenKind::Value(name) => match body.values.get(&name) {
                Some(&value) => Ok(value),
                None => self.error_before("the value is not defined before"),
            },
            _ => self.error_before("a value expected"),
        }
    }

    fn terminator(&mut self, body: &Body) -> Parsed<Option<Terminator>> {
        let TokenKind::Word(word) = self.peek().clone() else { return Ok(None) };
        let make: fn(SmallVec<[ValueId; 4]>) -> Terminator = match word.as_str() {
            "yield" => Terminator::Yield,
            "return" => Terminator::Return,
            "break" => Terminator::Break,
            "continue" => Terminator::Continue,
            "unreachable" => |_| Terminator::Unreachable,
            _ => return Ok(None),
        };
        self.advance();
        let mut values = SmallVec::new();
        while !self.at("}") {
            if !values.is_empty() {
                self.expect(",")?;
            }
            values.push(self.value(body)?);
        }
        Ok(Some(make(values)))
    }

    /// `%a: T, … = op`, or an op without results.
    fn statement(&mut self, body: &mut Body) -> Parsed<OpId> {
        let start = self.next;
        let mut results: Vec<TypedName> = Vec::new();
        if matches!(self.peek(), TokenKind::Value(_)) {
            results.push(self.typed_name()?);
            while self.eat(",") {
                results.push(self.typed_name()?);
            }
            self.expect("=")?;
        }
        let word = self.word()?;
        let mut advice = None;
        let op = match self.structured_op(body, &word, &mut advice)? {
            Some(op) => op,
            None => self.simple_op(body, &word, results.first().map(|(_, ty)| *ty))?,
        };
        let id = body.func.ops.alloc(OpData { advice, ..OpData::new(op, SpanId::NONE) });
        for (index, result) in results.iter().enumerate() {
            if body.values.contains_key(&result.0) {
                return self.error_at(start, "a value of that name is defined before");
            }
            let value = body.value(result, ValueDef::Result { op: id, index: index as u32 });
            body.func.ops[id].results.push(value);
        }
        Ok(id)
    }

    /// `advice unroll`
    fn advice(&mut self) -> Parsed<Option<Advice>> {
        if !self.eat_word("advice") {
            return Ok(None);
        }
        let word = self.word()?;
        match Advice::ALL.into_iter().find(|advice| advice.word() == word) {
            Some(advice) => Ok(Some(advice)),
            None => self.error_before("no such advice"),
        }
    }

    /// Ops with regions, `None` if `word` is not one.
    fn structured_op(&mut self, body: &mut Body, word: &str, advice: &mut Option<Advice>) -> Parsed<Option<Op>> {
        Ok(Some(match word {
            "if" => {
                let cond = self.value(body)?;
                *advice = self.advice()?;
                let then = self.region(body, &[])?;
                self.expect_word("else")?;
                let otherwise = self.region(body, &[])?;
                Op::If { cond, then, otherwise }
            }
            "switch" => {
                let selector = self.value(body)?;
                *advice = self.advice()?;
                let mut cases = Vec::new();
                while self.eat_word("case") {
                    let mut values = SmallVec::new();
                    while !self.at("{") {
                        if !values.is_empty() {
                            self.expect(",")?;
                        }
                        values.push(self.integer()?);
                    }
                    cases.push((values, self.region(body, &[])?));
                }
                self.expect_word("default")?;
                Op::Switch { selector, cases, default: self.region(body, &[])? }
            }
            "loop" => {
                let init = self.values(body)?;
                let mut bound = LoopBound::default();
                loop {
                    let slot = if self.eat_word("max_iters") {
                        &mut bound.max_iters
                    } else if self.eat_word("force_unroll") {
                        &mut bound.force_unroll
                    } else if self.eat_word("inferred") {
                        &mut bound.inferred
                    } else {
                        break;
                    };
                    *slot = Some(self.unsigned()?);
                }
                *advice = self.advice()?;
                self.expect_word("cond")?;
                let cond = self.region_with_params(body)?;
                self.expect_word("body")?;
                Op::Loop { init, cond, body: self.region_with_params(body)?, bound }
            }
            "sum_match" => {
                let sum = self.value(body)?;
                let mut variants = Vec::new();
                while self.eat_word("variant") {
                    variants.push(self.region_with_params(body)?);
                }
                let null = if self.eat_word("null") { Some(self.region(body, &[])?) } else { None };
                Op::SumMatch { sum, variants, null }
            }
            _ => return Ok(None),
        }))
    }

    /// `(%a, …)`
    fn values<const N: usize>(&mut self, body: &Body) -> Parsed<SmallVec<[ValueId; N]>>
    where
        [ValueId; N]: smallvec::Array<Item = ValueId>,
    {
        self.expect("(")?;
        Ok(self.list(")", |p| p.value(body))?.into_iter().collect())
    }

    /// `, %a`
    fn further(&mut self, body: &Body) -> Parsed<ValueId> {
        self.expect(",")?;
        self.value(body)
    }

    /// `%base[0][%i]`
    fn place(&mut self, body: &Body) -> Parsed<(ValueId, Path)> {
        let base = self.value(body)?;
        let mut path = Path::new();
        while self.eat("[") {
            path.push(match self.peek() {
                TokenKind::Integer(_) => PathStep::Const(self.unsigned()?),
                _ => PathStep::Dynamic(self.value(body)?),
            });
            self.expect("]")?;
        }
        Ok((base, path))
    }

    fn atomic_operands(&mut self, body: &Body) -> Parsed<SmallVec<[ValueId; 2]>> {
        let mut operands = SmallVec::new();
        while self.eat(",") {
            operands.push(self.value(body)?);
        }
        Ok(operands)
    }

    fn atomic_op(&mut self) -> Parsed<AtomicOp> {
        let word = self.word()?;
        AtomicOp::from_word(&word).map_or_else(|| self.error_before("an atomic operation expected"), Ok)
    }

    fn simple_op(&mut self, body: &Body, word: &str, result: Option<TypeId>) -> Parsed<Op> {
        if let Some(op) = UnaryOp::from_word(word) {
            return Ok(Op::Unary(op, self.value(body)?));
        }
        if let Some(op) = BinaryOp::from_word(word) {
            return Ok(Op::Binary(op, self.value(body)?, self.further(body)?));
        }
        if let Some(function) = MathFn::from_word(word) {
            return Ok(Op::Math(function, self.values(body)?));
        }
        Ok(match word {
            "const" => Op::Const(self.constant(result)?),
            "zero" => Op::Zero,
            "undef" => Op::Undef,
            "convert" => Op::Convert(self.value(body)?),
            "bitcast" => Op::Bitcast(self.value(body)?),
            "detach" => Op::Detach(self.value(body)?),
            "forget" => Op::Forget(self.value(body)?),
            "splat" => Op::Splat(self.value(body)?),
            "sum_tag" => Op::SumTag(self.value(body)?),
            "buffer_length" => Op::BufferLength { handle: self.value(body)? },
            "select" => {
                Op::Select { cond: self.value(body)?, then: self.further(body)?, otherwise: self.further(body)? }
            }
            "make" => Op::Make(self.values(body)?),
            "extract" => {
                let (aggregate, path) = self.place(body)?;
                Op::Extract { aggregate, path }
            }
            "insert" => {
                let (aggregate, path) = self.place(body)?;
                Op::Insert { aggregate, path, value: self.further(body)? }
            }
            "swizzle" => {
                let vector = self.value(body)?;
                self.expect("[")?;
                Op::Swizzle { vector, components: self.list("]", |p| p.unsigned())?.into_iter().collect() }
            }
            "call" => self.call(body)?,
            "global" => match self.advance() {
                TokenKind::At(name) => match self.globals.get(&name) {
                    Some(&global) => Op::Global(global),
                    None => return self.error_before(format!("there is no global `{name}`")),
                },
                _ => return self.error_before("`@` and the name of a global expected"),
            },
            "builtin" => {
                let word = self.word()?;
                let builtin = Builtin::from_word(&word);
                Op::Builtin(builtin.map_or_else(|| self.error_before("a builtin value expected"), Ok)?)
            }
            "load" => {
                let (handle, path) = self.place(body)?;
                Op::Load { handle, path }
            }
            "store" => {
                let (handle, path) = self.place(body)?;
                Op::Store { handle, path, value: self.further(body)? }
            }
            "atomic" => {
                let op = self.atomic_op()?;
                let (handle, path) = self.place(body)?;
                Op::Atomic { op, handle, path, operands: self.atomic_operands(body)? }
            }
            "byte_load" => Op::ByteLoad { handle: self.value(body)?, offset: self.further(body)? },
            "byte_store" => {
                Op::ByteStore { handle: self.value(body)?, offset: self.further(body)?, value: self.further(body)? }
            }
            "byte_atomic" => Op::ByteAtomic {
                op: self.atomic_op()?,
                handle: self.value(body)?,
                offset: self.further(body)?,
                operands: self.atomic_operands(body)?,
            },
            "intrinsic" => {
                let word = self.name()?;
                let intrinsic = Intrinsic::from_word(&word);
                let intrinsic =
                    intrinsic.map_or_else(|| self.error_before(format!("no intrinsic is called `{word}`")), Ok)?;
                Op::Intrinsic { intrinsic, args: self.values(body)? }
            }
            "barrier" => Op::Barrier { control: true },
            "memory_barrier" => Op::Barrier { control: false },
            "print" => Op::Print { format: self.name()?, args: self.values(body)? },
            "sum_make" => Op::SumMake { variant: self.unsigned()?, value: self.further(body)? },
            _ => return self.error_before(format!("there is no operation `{word}`")),
        })
    }

    fn constant(&mut self, result: Option<TypeId>) -> Parsed<Constant> {
        let float = matches!(
            result.map(|ty| self.module.types.get(ty)),
            Some(Type::Scalar(scalar)) if scalar.is_float()
        );
        Ok(match self.advance() {
            TokenKind::Word(word) if word == "true" => Constant::Bool(true),
            TokenKind::Word(word) if word == "false" => Constant::Bool(false),
            TokenKind::Integer(value) if float => Constant::Float(value as f64),
            TokenKind::Integer(value) => Constant::Int(value),
            TokenKind::Float(value) => Constant::Float(value),
            _ => return self.error_before("a constant expected"),
        })
    }

    fn call(&mut self, body: &Body) -> Parsed<Op> {
        let no_diff = self.eat_word("no_diff");
        let kind = match self.peek().clone() {
            TokenKind::Word(word) => {
                self.advance();
                match DerivativeKind::from_word(&word) {
                    Some(kind) => Some(kind),
                    None => return self.error_before("`jvp`, `vjp`, `primal` or `pullback` expected"),
                }
            }
            _ => None,
        };
        let func = self.func_ref()?;
        let callee = match kind {
            Some(kind) => Callee::Derivative(kind, func),
            None => Callee::Func(func),
        };
        Ok(Op::Call { callee, args: self.values(body)?, no_diff })
    }
}
