//! Places in a tree where a change keeps the meaning, and questions that decide it.

use std::collections::BTreeSet;

use syntax::{
    SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TextRange,
    ast::{self, AstNode},
};

/// Functions of the core library that are asked for their value only.
const PURE: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "cross",
    "degrees",
    "distance",
    "dot",
    "exp",
    "exp2",
    "float",
    "float2",
    "float3",
    "float4",
    "floor",
    "fma",
    "fmod",
    "frac",
    "int",
    "int2",
    "int3",
    "int4",
    "length",
    "lerp",
    "log",
    "log2",
    "max",
    "min",
    "mul",
    "normalize",
    "pow",
    "radians",
    "reflect",
    "round",
    "rsqrt",
    "saturate",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "transpose",
    "trunc",
    "uint",
    "uint2",
    "uint3",
    "uint4",
];

/// Those of them that have no derivative: what calls them in differentiated code says that it wants none.
const STEPS: &[&str] = &["ceil", "floor", "round", "sign", "step", "trunc"];

/// Whether a call in an expression gives a value without derivative.
pub(crate) fn has_step(expr: &ast::Expr) -> bool {
    let mut calls = nodes::<ast::CallExpr>(expr.syntax());
    calls.any(|call| call.callee().is_some_and(|callee| STEPS.contains(&text(callee.syntax()).as_str())))
}

/// Whether a callee is a function of the core library without effect, and not one of the file by the same name.
fn is_pure_function(callee: &ast::Expr) -> bool {
    let name = text(callee.syntax());
    let is_known = matches!(callee, ast::Expr::PathExpr(_)) && PURE.contains(&name.as_str());
    let tree = callee.syntax().ancestors().last();
    is_known && tree.is_some_and(|tree| nodes::<ast::Name>(&tree).all(|declared| text(declared.syntax()) != name))
}

/// The range of a node without the whitespace and comments around it.
pub(crate) fn range(node: &SyntaxNode) -> TextRange {
    let is_text = |element: &SyntaxElement| match element {
        SyntaxElement::Token(token) => !token.kind().is_trivia(),
        SyntaxElement::Node(_) => false,
    };
    let mut tokens = node.descendants_with_tokens().filter(is_text);
    match (tokens.next(), tokens.last()) {
        (Some(first), Some(last)) => first.text_range().cover(last.text_range()),
        (Some(only), None) => only.text_range(),
        _ => node.text_range(),
    }
}

/// The text of a node without the whitespace and comments around it.
pub(crate) fn text(node: &SyntaxNode) -> String {
    let all = node.text_range();
    let trimmed = range(node);
    node.text().slice(trimmed - all.start()).to_string()
}

/// The typed nodes of one kind in functions that have no macros.
pub(crate) fn nodes<N: AstNode>(tree: &SyntaxNode) -> impl Iterator<Item = N> {
    tree.descendants().filter_map(N::cast)
}

/// Whether a statement stands in a list of statements, so that it can become several.
pub(crate) fn is_in_list(stmt: &SyntaxNode) -> bool {
    stmt.parent().is_some_and(|parent| matches!(parent.kind(), SyntaxKind::BLOCK_STMT | SyntaxKind::SWITCH_CASE))
}

/// Tokens of a node that are not whitespace, not those of nodes inside.
pub(crate) fn own_tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    node.children_with_tokens().filter_map(SyntaxElement::into_token).filter(|token| !token.kind().is_trivia())
}

/// The operator of a binary expression.
pub(crate) fn operator(expr: &ast::BinExpr) -> Option<SyntaxToken> {
    own_tokens(expr.syntax()).next()
}

pub(crate) fn is_assignment(kind: SyntaxKind) -> bool {
    kind == SyntaxKind::EQ || expanded_operator(kind).is_some()
}

/// The operator that a compound assignment applies.
pub(crate) fn expanded_operator(kind: SyntaxKind) -> Option<&'static str> {
    match kind {
        SyntaxKind::PLUS_EQ => Some("+"),
        SyntaxKind::MINUS_EQ => Some("-"),
        SyntaxKind::STAR_EQ => Some("*"),
        SyntaxKind::SLASH_EQ => Some("/"),
        SyntaxKind::PERCENT_EQ => Some("%"),
        SyntaxKind::SHL_EQ => Some("<<"),
        SyntaxKind::SHR_EQ => Some(">>"),
        SyntaxKind::AMPERSAND_EQ => Some("&"),
        SyntaxKind::PIPE_EQ => Some("|"),
        SyntaxKind::CARET_EQ => Some("^"),
        _ => None,
    }
}

/// The assignment that a statement is: target, operator and value.
pub(crate) fn assignment(stmt: &ast::ExprStmt) -> Option<(ast::Expr, SyntaxKind, ast::Expr)> {
    let ast::Expr::BinExpr(assignment) = stmt.expr()? else { return None };
    let operator = operator(&assignment)?.kind();
    is_assignment(operator).then_some((assignment.lhs()?, operator, assignment.rhs()?))
}

/// Whether evaluating an expression does nothing but give its value.
pub(crate) fn is_pure(expr: &SyntaxNode) -> bool {
    expr.descendants().all(|node| match node.kind() {
        SyntaxKind::BIN_EXPR => {
            ast::BinExpr::cast(node).and_then(|expr| operator(&expr)).is_some_and(|op| !is_assignment(op.kind()))
        }
        SyntaxKind::CALL_EXPR => {
            ast::CallExpr::cast(node).and_then(|call| call.callee()).is_some_and(|callee| is_pure_function(&callee))
        }
        SyntaxKind::PREFIX_EXPR => own_tokens(&node).all(|token| !matches!(token.text(), "++" | "--" | "*" | "&")),
        SyntaxKind::POSTFIX_EXPR
        | SyntaxKind::LAMBDA_EXPR
        | SyntaxKind::NO_DIFF_EXPR
        | SyntaxKind::DERIVATIVE_EXPR
        | SyntaxKind::TRY_EXPR
        | SyntaxKind::NEW_EXPR
        | SyntaxKind::SPIRV_ASM_EXPR
        | SyntaxKind::PACK_EXPR
        | SyntaxKind::INIT_LIST_EXPR => false,
        _ => true,
    })
}

/// Whether the names in two nodes are apart, but for those of functions without effect.
pub(crate) fn is_without(node: &SyntaxNode, name: &str) -> bool {
    names(node).all(|token| token.text() != name)
}

/// All identifiers in a node.
pub(crate) fn names(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    node.descendants_with_tokens()
        .filter_map(SyntaxElement::into_token)
        .filter(|token| token.kind() == SyntaxKind::IDENT || token.kind().is_keyword())
}

/// The names that decide how often loops run: where they begin and how they are counted on is what bounds them.
pub(crate) fn counter_names(tree: &SyntaxNode) -> BTreeSet<String> {
    let of_loop = |condition: &ast::ExprCondition| {
        condition.syntax().parent().is_some_and(|around| {
            matches!(around.kind(), SyntaxKind::FOR_STMT | SyntaxKind::WHILE_STMT | SyntaxKind::DO_WHILE_STMT)
        })
    };
    let conditions = nodes::<ast::ExprCondition>(tree).filter(of_loop);
    conditions
        .flat_map(|condition| names(condition.syntax()).map(|name| name.text().to_owned()).collect::<Vec<_>>())
        .collect()
}

/// How a statement may be left other than at its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jumps {
    /// `break` to a loop or switch around the statement.
    pub breaks: Vec<SyntaxNode>,
    /// `continue` of a loop around it.
    pub continues: Vec<SyntaxNode>,
    pub returns: Vec<SyntaxNode>,
    /// Labels, `defer`, `throw` and what else follows rules of its own.
    pub others: bool,
}

impl Jumps {
    pub(crate) fn of(stmt: &SyntaxNode) -> Jumps {
        let mut jumps = Jumps::default();
        jumps.gather(stmt, false, false);
        jumps
    }

    fn gather(&mut self, node: &SyntaxNode, breaks_end_here: bool, continues_end_here: bool) {
        let (mut breaks_inside, mut continues_inside) = (breaks_end_here, continues_end_here);
        match node.kind() {
            SyntaxKind::FOR_STMT
            | SyntaxKind::WHILE_STMT
            | SyntaxKind::DO_WHILE_STMT
            | SyntaxKind::COMPILE_TIME_FOR_STMT => (breaks_inside, continues_inside) = (true, true),
            SyntaxKind::SWITCH_STMT | SyntaxKind::TARGET_SWITCH_STMT => breaks_inside = true,
            SyntaxKind::BREAK_STMT if !breaks_end_here => self.breaks.push(node.clone()),
            SyntaxKind::CONTINUE_STMT if !continues_end_here => self.continues.push(node.clone()),
            SyntaxKind::RETURN_STMT => self.returns.push(node.clone()),
            SyntaxKind::LABEL_STMT
            | SyntaxKind::DEFER_STMT
            | SyntaxKind::THROW_STMT
            | SyntaxKind::TRY_EXPR
            | SyntaxKind::DO_CATCH_STMT
            | SyntaxKind::DISCARD_STMT
            | SyntaxKind::INTRINSIC_ASM_STMT => self.others = true,
            SyntaxKind::LAMBDA_EXPR => return,
            _ => {}
        }
        for child in node.children() {
            self.gather(&child, breaks_inside, continues_inside);
        }
    }
}

/// Whether a node stands in the code of a function, where it runs: not in a type, attribute, label or constant.
pub(crate) fn is_run(node: &SyntaxNode) -> bool {
    let mut inside = false;
    for around in node.ancestors() {
        match around.kind() {
            SyntaxKind::ATTRIBUTE
            | SyntaxKind::CASE_LABEL
            | SyntaxKind::ARRAY_SUFFIX
            | SyntaxKind::ARRAY_TYPE
            | SyntaxKind::GENERIC_ARG_LIST
            | SyntaxKind::COMPILE_TIME_FOR_STMT
            | SyntaxKind::STATIC_ASSERT_DECL
            | SyntaxKind::SPIRV_ASM_EXPR
            | SyntaxKind::SIZEOF_EXPR
            | SyntaxKind::DERIVATIVE_EXPR => return false,
            SyntaxKind::VAR_DECL if is_constant(&around) => return false,
            SyntaxKind::BLOCK_STMT => inside = true,
            _ => {}
        }
    }
    inside
}

fn is_constant(decl: &SyntaxNode) -> bool {
    let Some(modifiers) = ast::VarDecl::cast(decl.clone()).and_then(|decl| decl.modifier_list()) else { return false };
    modifiers.modifiers().any(|modifier| matches!(text(modifier.syntax()).as_str(), "const" | "static" | "constexpr"))
}

/// The expressions whose values can go another way: those that are initial values, assigned, returned, conditions, or
/// operands of arithmetic. What says how often a loop runs must stay plain.
pub(crate) fn values(tree: &SyntaxNode) -> impl Iterator<Item = ast::Expr> {
    nodes::<ast::Expr>(tree).filter(|expr| is_value(expr.syntax()) && is_run(expr.syntax()) && !counts(expr.syntax()))
}

/// Whether a node stands in the head of a loop.
fn counts(node: &SyntaxNode) -> bool {
    let mut inside = node.clone();
    for around in node.ancestors() {
        let is_body = || ast::Stmt::can_cast(inside.kind()) && inside.kind() != SyntaxKind::DECL_STMT;
        match around.kind() {
            SyntaxKind::FOR_STMT | SyntaxKind::WHILE_STMT | SyntaxKind::DO_WHILE_STMT => return !is_body(),
            SyntaxKind::BLOCK_STMT | SyntaxKind::FOR_INIT | SyntaxKind::FOR_STEP => {
                return around.kind() != SyntaxKind::BLOCK_STMT;
            }
            _ => inside = around,
        }
    }
    false
}

fn is_value(node: &SyntaxNode) -> bool {
    let Some(parent) = node.parent() else { return false };
    if matches!(node.kind(), SyntaxKind::INIT_LIST_EXPR | SyntaxKind::LAMBDA_EXPR) {
        return false;
    }
    match parent.kind() {
        SyntaxKind::DECLARATOR => ast::Declarator::cast(parent)
            .and_then(|declarator| declarator.initializer())
            .is_some_and(|value| value.syntax() == node),
        SyntaxKind::RETURN_STMT | SyntaxKind::EXPR_CONDITION => true,
        SyntaxKind::BIN_EXPR => {
            let Some(parent) = ast::BinExpr::cast(parent) else { return false };
            let is_rhs = parent.rhs().is_some_and(|rhs| rhs.syntax() == node);
            match operator(&parent) {
                Some(operator) if operator.text() == "," => false,
                Some(operator) => is_rhs || !is_assignment(operator.kind()),
                None => false,
            }
        }
        SyntaxKind::TERNARY_EXPR | SyntaxKind::PAREN_EXPR => {
            // What stands in parentheses may be assigned to.
            parent.kind() == SyntaxKind::TERNARY_EXPR || is_value(&parent)
        }
        SyntaxKind::ARG_LIST => parent
            .parent()
            .and_then(ast::CallExpr::cast)
            .and_then(|call| call.callee())
            .is_some_and(|callee| is_pure_function(&callee)),
        _ => false,
    }
}
