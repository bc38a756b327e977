//! Expressions.

use syntax::{
    NodeOrToken, SyntaxKind, T, TextRange, TextSize,
    ast::{self, AstNode},
};

use crate::{
    attribute::Modifiers,
    body::{
        Arg, BinaryOp, DerivativeOperator, Expr, ExprId, LambdaBody, Local, LocalKind, PostfixOp, PrefixOp, SizeOfKind,
        SpirvResult, Stmt,
    },
    lower::{Lowering, literals, name, name_ref, trimmed_range},
    name::Name,
    type_ref::TypeRef,
};

/// How long a chain such as `a + b + c …` may be: the operands nest.
const MAX_CHAIN: usize = ::diagnostics::limits::OPERATOR_CHAIN as usize;

impl Lowering {
    pub(crate) fn expr_or_missing(&mut self, expr: Option<ast::Expr>, owner: TextRange) -> ExprId {
        match expr {
            Some(expr) => self.expr(expr),
            None => self.alloc_expr(Expr::Missing, TextRange::empty(owner.end())),
        }
    }

    pub(crate) fn expr(&mut self, expr: ast::Expr) -> ExprId {
        let range = trimmed_range(expr.syntax());
        match expr {
            ast::Expr::BinExpr(chain) => self.binary_chain(chain),
            ast::Expr::ParenExpr(paren) => {
                let inner = self.nested(|lower| lower.expr_or_missing(paren.expr(), range));
                let inner = inner.unwrap_or_else(|| self.too_deep_expr(range));
                match self.store.exprs[inner] {
                    Expr::Assign { .. } => self.store.parenthesized_assignments.push(inner),
                    Expr::Path(_) | Expr::Member { .. } => self.store.parenthesized_names.push(inner),
                    _ => {}
                }
                inner
            }
            expr => {
                let name = name_range(&expr).unwrap_or(range);
                match self.nested(|lower| lower.lower_expr(expr, range)) {
                    Some(lowered) => self.alloc_named_expr(lowered, range, name),
                    None => self.too_deep_expr(range),
                }
            }
        }
    }

    fn too_deep_expr(&mut self, range: TextRange) -> ExprId {
        self.alloc_expr(Expr::Unsupported(Name::new("an expression nested this deeply")), range)
    }

    /// Left-associative chains are as deep as they are long, so they are walked in a loop.
    fn binary_chain(&mut self, last: ast::BinExpr) -> ExprId {
        let mut links = vec![last];
        while let Some(ast::Expr::BinExpr(left)) = links.last().and_then(|link| link.lhs()) {
            links.push(left);
        }
        if links.len() > MAX_CHAIN {
            return self.too_deep_expr(trimmed_range(links[0].syntax()));
        }
        let mut left = None;
        let start = links.last().map_or(TextSize::new(0), |first| trimmed_range(first.syntax()).start());
        while let Some(link) = links.pop() {
            // All links begin where the first does, which is as far down as the chain is long.
            let range = TextRange::new(start, syntax::code_end(link.syntax()).max(start));
            let lhs = match left {
                Some(left) => left,
                None => self.operand(link.lhs(), range),
            };
            let rhs = self.operand(link.rhs(), range);
            let expr = self.combine(operator(&link), lhs, rhs);
            left = Some(self.alloc_named_expr(expr, range, operator_range(&link).unwrap_or(range)));
        }
        left.unwrap_or_else(|| self.alloc_expr(Expr::Missing, TextRange::default()))
    }

    fn operand(&mut self, operand: Option<ast::Expr>, range: TextRange) -> ExprId {
        let lowered = self.nested(|lower| lower.expr_or_missing(operand, range));
        lowered.unwrap_or_else(|| self.too_deep_expr(range))
    }

    fn combine(&mut self, operator: Option<Operator>, left: ExprId, right: ExprId) -> Expr {
        match operator {
            Some(Operator::Binary(op)) => Expr::Binary { op, left, right },
            Some(Operator::Assign(op)) => Expr::Assign { op, target: left, value: right },
            Some(Operator::Comma) => {
                let mut operands = match &self.store.exprs[left] {
                    Expr::Comma(operands) => operands.clone(),
                    _ => vec![left],
                };
                operands.push(right);
                Expr::Comma(operands)
            }
            None => Expr::Missing,
        }
    }

    fn lower_expr(&mut self, expr: ast::Expr, range: TextRange) -> Expr {
        match expr {
            ast::Expr::LiteralExpr(expr) => match literals::literal(&expr) {
                Some(literal) => Expr::Literal(literal),
                None => Expr::Missing,
            },
            ast::Expr::PathExpr(expr) => match expr.path().and_then(|path| self.path(path)) {
                Some(path) => self.path_expr(path),
                None => Expr::Missing,
            },
            ast::Expr::ThisExpr(_) => Expr::This,
            // Both are handled by the caller, which gives no node of their own to parentheses.
            ast::Expr::ParenExpr(_) | ast::Expr::BinExpr(_) => Expr::Missing,
            // What stands in the parentheses is broken, and reported.
            ast::Expr::TupleExpr(expr)
                if expr.elements().next().is_none()
                    && expr.syntax().children().any(|child| child.kind() == SyntaxKind::ERROR) =>
            {
                Expr::Missing
            }
            ast::Expr::TupleExpr(expr) => Expr::Tuple(expr.elements().map(|element| self.expr(element)).collect()),
            ast::Expr::InitListExpr(expr) => {
                Expr::InitList(expr.elements().map(|element| self.expr(element)).collect())
            }
            ast::Expr::PrefixExpr(expr) => {
                let operand = self.expr_or_missing(expr.expr(), range);
                match expr.syntax().children_with_tokens().find_map(|element| prefix_operator(element.kind())) {
                    Some(op) => Expr::Prefix { op, operand },
                    None => Expr::Missing,
                }
            }
            ast::Expr::PostfixExpr(expr) => {
                let operand = self.expr_or_missing(expr.expr(), range);
                let op = if expr.plus_plus_token().is_some() { PostfixOp::Increment } else { PostfixOp::Decrement };
                Expr::Postfix { op, operand }
            }
            ast::Expr::TernaryExpr(expr) => Expr::Ternary {
                cond: self.expr_or_missing(expr.condition(), range),
                then: self.expr_or_missing(expr.then_branch(), range),
                otherwise: self.expr_or_missing(expr.else_branch(), range),
            },
            ast::Expr::IsExpr(expr) => Expr::Is {
                operand: self.expr_or_missing(expr.expr(), range),
                ty: self.type_or_missing(expr.ty(), range),
            },
            ast::Expr::AsExpr(expr) => Expr::As {
                operand: self.expr_or_missing(expr.expr(), range),
                ty: self.type_or_missing(expr.ty(), range),
            },
            ast::Expr::CallExpr(expr) => {
                let callee = self.expr_or_missing(expr.callee(), range);
                let args = expr.arg_list().into_iter().flat_map(|list| list.args());
                let args = args.map(|arg| Arg { name: None, value: self.expr(arg) }).collect();
                Expr::Call { callee, args }
            }
            ast::Expr::IndexExpr(expr) => {
                let base = self.expr_or_missing(expr.base(), range);
                let args = expr.index_args().into_iter().flat_map(|list| list.args());
                let args = args.map(|arg| self.expr(arg)).collect();
                Expr::Index { base, args }
            }
            ast::Expr::FieldExpr(expr) => {
                let base = self.expr_or_missing(expr.receiver(), range);
                let generic_args = expr.generic_arg_list().map(|args| self.generic_args(args));
                // While the name is being typed the receiver still matters: it is kept with an empty name.
                let name = name_ref(expr.name_ref()).unwrap_or_else(|| Name::new(""));
                Expr::Member { base, name, generic_args, arrow: expr.arrow_token().is_some() }
            }
            ast::Expr::CastExpr(expr) => match self.call_that_looks_like_a_cast(&expr) {
                Some(call) => call,
                None => Expr::Cast {
                    ty: self.type_or_missing(expr.ty(), range),
                    operand: self.expr_or_missing(expr.expr(), range),
                },
            },
            ast::Expr::LambdaExpr(expr) => self.lambda(&expr, range),
            ast::Expr::NewExpr(expr) => {
                let ty = self.type_or_missing(expr.ty(), range);
                let args = expr.arg_list().into_iter().flat_map(|list| list.args());
                Expr::New { ty, args: args.map(|arg| self.expr(arg)).collect() }
            }
            ast::Expr::TryExpr(expr) => Expr::Try(self.expr_or_missing(expr.expr(), range)),
            ast::Expr::SpirvAsmExpr(expr) => self.spirv_asm(&expr, range),
            ast::Expr::DerivativeExpr(expr) => {
                let kind = if expr.fwd_diff_token().or(expr.uu_fwd_diff_token()).is_some() {
                    DerivativeOperator::Forward
                } else if expr.bwd_diff_token().or(expr.uu_bwd_diff_token()).is_some() {
                    DerivativeOperator::Backward
                } else {
                    DerivativeOperator::Apply
                };
                Expr::Derivative { kind, function: self.expr_or_missing(expr.function(), range) }
            }
            ast::Expr::NoDiffExpr(expr) => Expr::NoDiff(self.expr_or_missing(expr.expr(), range)),
            ast::Expr::PackQueryExpr(expr) => self.pack_query_expr(&expr, range),
            ast::Expr::PackExpr(expr) => {
                let inner = self.expr_or_missing(expr.expr(), range);
                if expr.each_token().is_some() { Expr::Each(inner) } else { Expr::Expand(inner) }
            }
            ast::Expr::SizeofExpr(expr) => self.size_of(&expr, range),
            ast::Expr::TypeExpr(expr) => Expr::Type(self.type_or_missing(expr.ty(), range)),
        }
    }

    fn lambda(&mut self, expr: &ast::LambdaExpr, range: TextRange) -> Expr {
        let params = expr.param_list().into_iter().flat_map(|list| list.params()).enumerate();
        let params = params.map(|(index, param)| self.lambda_param(index as u32, param)).collect();
        let body = match expr.body() {
            Some(block) => LambdaBody::Block(self.stmt(ast::Stmt::BlockStmt(block))),
            None => LambdaBody::Expr(self.expr_or_missing(expr.expression(), range)),
        };
        Expr::Lambda { params, body }
    }

    fn pack_query_expr(&mut self, expr: &ast::PackQueryExpr, range: TextRange) -> Expr {
        match expr.pack_query().map(|query| self.pack_query(&query)) {
            Some((query, mut operands)) => {
                // A name stands for a value, unless it turns out to name a type.
                if let Some(crate::type_ref::GenericArgRef::Type(ty)) = operands.first()
                    && let TypeRef::Path(path) = &self.store.type_refs[*ty]
                {
                    let path = path.clone();
                    let path = self.path_expr(path);
                    operands[0] = crate::type_ref::GenericArgRef::Value(self.alloc_expr(path, range));
                }
                Expr::PackQuery { query, operands }
            }
            None => Expr::Missing,
        }
    }

    fn spirv_asm(&mut self, expr: &ast::SpirvAsmExpr, range: TextRange) -> Expr {
        let mut operands = Vec::new();
        let mut result = SpirvResult::Nothing;
        let mut last_type = None;
        for element in expr.spirv_asm_block().iter().flat_map(|block| block.syntax().children_with_tokens()) {
            let (operand, is_result) = match element {
                NodeOrToken::Node(node) => match ast::SpirvResult::cast(node.clone()) {
                    Some(result) => (result.spirv_operand(), true),
                    None => (ast::SpirvOperand::cast(node), false),
                },
                NodeOrToken::Token(token) => {
                    match token.text() {
                        // `OpIAdd $$uint result $a $b`
                        "result" => result = last_type.map_or(SpirvResult::Untyped, SpirvResult::Typed),
                        ";" => last_type = None,
                        _ => {}
                    }
                    continue;
                }
            };
            let Some(operand) = operand.and_then(|operand| operand.expr()) else { continue };
            let is_type = matches!(operand, ast::Expr::TypeExpr(_));
            let operand = self.expr_or_missing(Some(operand), range);
            if is_type {
                last_type = Some(operand);
            }
            if is_result {
                result = SpirvResult::Typed(operand);
            }
            operands.push(operand);
        }
        Expr::SpirvAsm { operands: operands.into(), result }
    }

    /// `(A::b)(x)` is a call where the name is that of a function, which inference knows.
    fn call_that_looks_like_a_cast(&mut self, cast: &ast::CastExpr) -> Option<Expr> {
        let Some(ast::Type::PathType(ty)) = cast.ty() else { return None };
        let args: Vec<ast::Expr> = match cast.expr()? {
            ast::Expr::ParenExpr(paren) => paren.expr().into_iter().collect(),
            ast::Expr::TupleExpr(tuple) => tuple.elements().collect(),
            _ => return None,
        };
        let path = ty.path()?;
        let has_arguments = path.syntax().descendants().any(|node| node.kind() == SyntaxKind::GENERIC_ARG_LIST);
        let callee = if has_arguments { None } else { self.member_chain(path) }?;
        let args = args.into_iter().map(|arg| Arg { name: None, value: self.expr(arg) }).collect();
        self.store.parenthesized_names.push(callee);
        Some(Expr::Call { callee, args })
    }

    /// A path that was read as a type, as the expression that it spells.
    fn member_chain(&mut self, path: ast::Path) -> Option<ExprId> {
        let mut nodes = vec![path];
        while let Some(qualifier) = nodes.last().and_then(|node| node.qualifier()) {
            nodes.push(qualifier);
        }
        let first = nodes.pop()?;
        let range = trimmed_range(first.syntax());
        let first = self.path(first)?;
        let first = self.path_expr(first);
        let mut base = self.alloc_expr(first, range);
        while let Some(node) = nodes.pop() {
            let name_range = trimmed_range(node.name_ref()?.syntax());
            let member = Expr::Member { base, name: name_ref(node.name_ref())?, generic_args: None, arrow: false };
            base = self.alloc_named_expr(member, trimmed_range(node.syntax()), name_range);
        }
        Some(base)
    }

    fn size_of(&mut self, expr: &ast::SizeofExpr, range: TextRange) -> Expr {
        let what = if expr.sizeof_token().or(expr.uu_sizeof_token()).is_some() {
            SizeOfKind::Size
        } else if expr.alignof_token().or(expr.uu_alignof_token()).is_some() {
            SizeOfKind::Align
        } else if expr.countof_token().or(expr.uu_countof_token()).is_some() {
            SizeOfKind::Count
        } else {
            SizeOfKind::Offset
        };
        let mut operands = expr.operands();
        let (measured, layout) = (operands.next(), operands.next());
        let layout = match (what, layout) {
            (SizeOfKind::Size | SizeOfKind::Align, Some(ast::GenericArg::TypeArg(layout))) => {
                Some(self.type_or_missing(layout.ty(), range))
            }
            // A number is not a layout; type inference says so.
            (SizeOfKind::Size | SizeOfKind::Align, Some(ast::GenericArg::ExprArg(layout))) => {
                Some(self.alloc_type(TypeRef::Missing, trimmed_range(layout.syntax())))
            }
            // `__offsetOf(s, s.a)` names a field.
            _ => None,
        };
        match measured {
            Some(ast::GenericArg::TypeArg(operand)) => {
                Expr::SizeOf { what, ty: Some(self.type_or_missing(operand.ty(), range)), operand: None, layout }
            }
            Some(ast::GenericArg::ExprArg(operand)) => {
                let operand = Some(self.expr_or_missing(operand.expr(), range));
                Expr::SizeOf { what, ty: None, operand, layout }
            }
            None => Expr::Missing,
        }
    }

    pub(crate) fn lambda_param(&mut self, index: u32, param: ast::Param) -> crate::body::LocalId {
        let range = trimmed_range(param.syntax());
        let lowered = self.param(param);
        let name_range = lowered.1.unwrap_or(range);
        let param = lowered.0;
        self.alloc_local(
            Local {
                name: param.name.unwrap_or_else(|| Name::new("")),
                kind: LocalKind::Param { index },
                ty: Some(param.ty),
                modifiers: param.modifiers,
                attributes: param.attributes,
            },
            name_range,
        )
    }

    /// A variable that a condition binds: `if (let x = optional)`.
    pub(crate) fn condition_local(&mut self, binding: &ast::LetCondition) -> crate::body::LocalId {
        let range = trimmed_range(binding.syntax());
        let name_range = binding.name().map(|name| trimmed_range(name.syntax())).unwrap_or(range);
        let ty = match binding.ty() {
            Some(ty) => self.ty(ty),
            None => self.alloc_type(TypeRef::Infer, TextRange::empty(name_range.end())),
        };
        let local = Local {
            name: name(binding.name()).unwrap_or_else(|| Name::new("")),
            kind: LocalKind::Let,
            ty: Some(ty),
            modifiers: Modifiers::empty(),
            attributes: Vec::new(),
        };
        self.alloc_local(local, name_range)
    }

    /// The initialiser of an item, as the root of a body of its own.
    pub(crate) fn missing_stmt(&mut self, range: TextRange) -> crate::body::StmtId {
        self.alloc_stmt(Stmt::Missing, range)
    }
}

enum Operator {
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
    Comma,
}

/// What names an expression, if that is not all of it.
fn name_range(expr: &ast::Expr) -> Option<TextRange> {
    match expr {
        ast::Expr::FieldExpr(expr) => expr.name_ref().map(|name| trimmed_range(name.syntax())),
        ast::Expr::CallExpr(expr) => expr.arg_list().map(|list| trimmed_range(list.syntax())),
        ast::Expr::IndexExpr(expr) => {
            let end = trimmed_range(expr.syntax()).end();
            Some(TextRange::new(expr.l_bracket_token()?.text_range().start(), end))
        }
        ast::Expr::PathExpr(expr) => expr.path()?.name_ref().map(|name| trimmed_range(name.syntax())),
        ast::Expr::PrefixExpr(expr) => expr.syntax().first_token().map(|token| token.text_range()),
        ast::Expr::PostfixExpr(expr) => {
            expr.plus_plus_token().or(expr.minus_minus_token()).map(|token| token.text_range())
        }
        _ => None,
    }
}

fn operator_range(expr: &ast::BinExpr) -> Option<TextRange> {
    let tokens = expr.syntax().children_with_tokens().filter_map(|element| element.into_token());
    let ranges = tokens.filter(|token| !token.kind().is_trivia()).map(|token| token.text_range());
    ranges.reduce(TextRange::cover)
}

/// The operator between the operands; `>>`, `>=` and `>>=` may come as several tokens, so their texts are joined.
fn operator(expr: &ast::BinExpr) -> Option<Operator> {
    let tokens = expr.syntax().children_with_tokens().filter_map(|element| element.into_token());
    let tokens = tokens.filter(|token| !token.kind().is_trivia());
    let text = tokens.map(|token| token.text().to_owned()).collect::<String>();
    if text == "," {
        return Some(Operator::Comma);
    }
    if let Some(op) = binary_operator(&text) {
        return Some(Operator::Binary(op));
    }
    let op = text.strip_suffix('=')?;
    if op.is_empty() {
        return Some(Operator::Assign(None));
    }
    let op = binary_operator(op)?;
    Some(Operator::Assign(Some(op)))
}

fn binary_operator(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&&" => BinaryOp::LogicalAnd,
        "||" => BinaryOp::LogicalOr,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        _ => return None,
    })
}

fn prefix_operator(kind: SyntaxKind) -> Option<PrefixOp> {
    Some(match kind {
        T![-] => PrefixOp::Neg,
        T![+] => PrefixOp::Plus,
        T![!] => PrefixOp::Not,
        T![~] => PrefixOp::BitNot,
        T![++] => PrefixOp::Increment,
        T![--] => PrefixOp::Decrement,
        T![&] => PrefixOp::AddressOf,
        T![*] => PrefixOp::Deref,
        _ => return None,
    })
}
