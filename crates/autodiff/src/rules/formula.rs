//! Formulas: the small language in which the rule table states partial derivatives.
//!
//! `x`, `y`, `z` are the operands, `r` is the result; numbers, `+ - * /`, comparisons, `&&`, `||`, `c ? a : b`, and calls
//! of mathematical functions by their Slang names. All values have the shape of the operation.

use ir::{BinaryOp, MathFn, TypeId, ValueId};

use crate::emit::Emitter;

/// A number in terms of the operands and the result of a function.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// The operand with this number.
    Operand(u8),
    /// The result of the function.
    Result,
    /// A constant.
    Number(f64),
    /// The negative.
    Negate(Box<Formula>),
    /// A sum, difference, product or quotient.
    Arithmetic(BinaryOp, Box<Formula>, Box<Formula>),
    /// A comparison.
    Compare(BinaryOp, Box<Formula>, Box<Formula>),
    /// Both, or one of two conditions.
    Logic(BinaryOp, Box<Formula>, Box<Formula>),
    /// The second one where the first is true, else the third.
    Choose(Box<Formula>, Box<Formula>, Box<Formula>),
    /// A mathematical function.
    Call(MathFn, Vec<Formula>),
}

impl Formula {
    /// Reads a formula. An error names the position; the table's formulas are checked by a test.
    pub fn parse(text: &str) -> Result<Formula, usize> {
        let mut parser = Parser { text: text.as_bytes(), at: 0 };
        let formula = parser.ternary()?;
        parser.space();
        if parser.at == parser.text.len() { Ok(formula) } else { Err(parser.at) }
    }

    /// Whether it chooses between numbers that are not zero.
    pub(crate) fn is_choice_of_factors(&self) -> bool {
        match self {
            Formula::Number(number) => *number != 0.0,
            Formula::Choose(_, then, otherwise) => then.is_choice_of_factors() && otherwise.is_choice_of_factors(),
            Formula::Operand(_)
            | Formula::Result
            | Formula::Negate(_)
            | Formula::Arithmetic(..)
            | Formula::Compare(..)
            | Formula::Logic(..)
            | Formula::Call(..) => false,
        }
    }

    /// Writes the operations that compute the formula for operands and a result of type `ty`.
    pub(crate) fn emit(&self, e: &mut Emitter<'_>, operands: &[ValueId], result: ValueId, ty: TypeId) -> ValueId {
        match self {
            Formula::Operand(index) => operands.get(usize::from(*index)).copied().unwrap_or(result),
            Formula::Result => result,
            Formula::Number(number) => e.constant_like(*number, ty),
            Formula::Negate(inner) => {
                let inner = inner.emit(e, operands, result, ty);
                e.neg(inner)
            }
            Formula::Arithmetic(op, left, right) => {
                let left = left.emit(e, operands, result, ty);
                let right = right.emit(e, operands, result, ty);
                match op {
                    BinaryOp::Add => e.add(left, right),
                    BinaryOp::Sub => e.sub(left, right),
                    BinaryOp::Mul => e.mul(left, right),
                    _ => e.div(left, right),
                }
            }
            Formula::Compare(op, left, right) => {
                let left = left.emit(e, operands, result, ty);
                let right = right.emit(e, operands, result, ty);
                e.compare(*op, left, right)
            }
            Formula::Logic(op, left, right) => {
                let left = left.emit(e, operands, result, ty);
                let right = right.emit(e, operands, result, ty);
                e.logic(*op, left, right)
            }
            Formula::Choose(cond, then, otherwise) => {
                let cond = cond.emit(e, operands, result, ty);
                let then = then.emit(e, operands, result, ty);
                let otherwise = otherwise.emit(e, operands, result, ty);
                e.choose(cond, then, otherwise)
            }
            Formula::Call(function, args) => {
                let args: Vec<ValueId> = args.iter().map(|arg| arg.emit(e, operands, result, ty)).collect();
                e.function(*function, &args, ty)
            }
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), usize> {
        if self.eat(token) { Ok(()) } else { Err(self.at) }
    }

    fn ternary(&mut self) -> Result<Formula, usize> {
        let cond = self.disjunction()?;
        if !self.eat("?") {
            return Ok(cond);
        }
        let then = self.ternary()?;
        self.expect(":")?;
        let otherwise = self.ternary()?;
        Ok(Formula::Choose(Box::new(cond), Box::new(then), Box::new(otherwise)))
    }

    fn disjunction(&mut self) -> Result<Formula, usize> {
        let mut left = self.conjunction()?;
        while self.eat("||") {
            left = Formula::Logic(BinaryOp::Or, Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Formula, usize> {
        let mut left = self.comparison()?;
        while self.eat("&&") {
            left = Formula::Logic(BinaryOp::And, Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Formula, usize> {
        let left = self.sum()?;
        let op = if self.eat("==") {
            BinaryOp::Equal
        } else if self.eat("<=") {
            BinaryOp::LessEqual
        } else if self.eat(">=") {
            BinaryOp::GreaterEqual
        } else if self.eat("<") {
            BinaryOp::Less
        } else if self.eat(">") {
            BinaryOp::Greater
        } else {
            return Ok(left);
        };
        Ok(Formula::Compare(op, Box::new(left), Box::new(self.sum()?)))
    }

    fn sum(&mut self) -> Result<Formula, usize> {
        let mut left = self.product()?;
        loop {
            let op = if self.eat("+") {
                BinaryOp::Add
            } else if self.eat("-") {
                BinaryOp::Sub
            } else {
                return Ok(left);
            };
            left = Formula::Arithmetic(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Formula, usize> {
        let mut left = self.factor()?;
        loop {
            let op = if self.eat("*") {
                BinaryOp::Mul
            } else if self.eat("/") {
                BinaryOp::Div
            } else {
                return Ok(left);
            };
            left = Formula::Arithmetic(op, Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Result<Formula, usize> {
        if self.eat("-") {
            return Ok(Formula::Negate(Box::new(self.factor()?)));
        }
        if self.eat("(") {
            let inner = self.ternary()?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.space();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.') {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.text[start..self.at]).map_err(|_| start)?;
        match word {
            "x" => return Ok(Formula::Operand(0)),
            "y" => return Ok(Formula::Operand(1)),
            "z" => return Ok(Formula::Operand(2)),
            "r" => return Ok(Formula::Result),
            _ => {}
        }
        if let Ok(number) = word.parse() {
            return Ok(Formula::Number(number));
        }
        let function = function_named(word).ok_or(start)?;
        self.expect("(")?;
        let mut args = vec![self.ternary()?];
        while self.eat(",") {
            args.push(self.ternary()?);
        }
        self.expect(")")?;
        Ok(Formula::Call(function, args))
    }
}

/// The functions that formulas use.
fn function_named(name: &str) -> Option<MathFn> {
    Some(match name {
        "cos" => MathFn::Cos,
        "sin" => MathFn::Sin,
        "cosh" => MathFn::Cosh,
        "sinh" => MathFn::Sinh,
        "log" => MathFn::Log,
        "pow" => MathFn::Pow,
        "rsqrt" => MathFn::Rsqrt,
        "sqrt" => MathFn::Sqrt,
        "sign" => MathFn::Sign,
        "trunc" => MathFn::Trunc,
        "copysign" => MathFn::Copysign,
        "saturate" => MathFn::Saturate,
        _ => return None,
    })
}
