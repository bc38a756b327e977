//! Names that are those of something else: in what we emit, in a target, in the core library, in other languages.

use std::collections::HashMap;

use syntax::{
    SyntaxKind, SyntaxToken,
    ast::{self, AstNode},
};

use super::Fresh;
use crate::variants::{
    edit::{Edit, Rewrite},
    program::Program,
    sites,
};

/// Names that Slang leaves to its users.
const COLLIDING: &[&str] = &[
    "error",
    "failed",
    "self",
    "t",
    "result_",
    "value",
    "residuals",
    "primal",
    "tangent",
    "cotangent",
    "this_cotangent",
    "return_value",
    "state",
    "tmp",
    "texture",
    "sampler",
    "array",
    "loop",
    "fn",
    "ptr",
    "kernel",
    "device",
    "thread",
    "vec2",
    "vec3",
    "mat4",
    "float_",
    "main_",
    "gl_Position",
    "fragment",
    "vertex",
    "global",
    "local",
    "auto",
    "union",
    "alignas",
    "delete",
    "signed",
    "unsigned",
    "long",
    "char",
    "typename",
    "friend",
    "virtual",
    "goto",
    "asm",
    "final",
    "mut",
    "ref_",
    "match",
    "impl",
    "use",
    "crate",
    "pub",
    "move",
    "override_",
    "storage",
    "workgroup",
    "bitcast",
    "select",
    "mix",
    "fract",
    "inverse",
    "input",
    "output",
    "data",
    "index",
    "v",
    "x0",
    "d",
    "p",
    "dp",
    "inout_",
    "tag",
    "isnan_",
    "NULL",
    "INFINITY",
    "NAN",
    "M_PI",
    "uint3_",
    "min_",
    "params",
    "threadIdx",
    "blockIdx",
    "printf_",
];

/// Each variable, parameter, field or function whose name means one thing in the whole file gets another one.
pub(crate) fn renamed(program: &Program, _: &mut Fresh) -> Vec<Edit> {
    let mut uses: HashMap<String, Vec<SyntaxToken>> = HashMap::new();
    for token in sites::names(&program.tree) {
        uses.entry(token.text().to_owned()).or_default().push(token);
    }
    let mut edits = Vec::new();
    let mut once: Vec<(&String, &Vec<SyntaxToken>)> =
        uses.iter().filter(|(_, tokens)| tokens.iter().filter(|token| is_declared(token)).count() == 1).collect();
    once.sort_by_key(|(name, _)| *name);
    for (number, (_, tokens)) in once.into_iter().enumerate() {
        if tokens.iter().any(|token| token.kind() != SyntaxKind::IDENT || program.is_core(token.text())) {
            continue;
        }
        let is_member =
            |token: &SyntaxToken| token.prev_token().is_some_and(|before| matches!(before.text(), "." | "->" | "::"));
        let can_be = match tokens.iter().find_map(declared) {
            Some(Declared::Variable | Declared::Function) => !tokens.iter().any(is_member),
            // `.x` and `.p` are members of other types, too.
            Some(Declared::Field) => tokens.iter().all(|token| token.text().len() > 3),
            None => false,
        };
        if !can_be {
            continue;
        }
        for step in 0..3 {
            let name = COLLIDING[(number * 7 + step * 31) % COLLIDING.len()];
            if uses.contains_key(name) {
                continue;
            }
            let rewrites = tokens.iter().map(|token| Rewrite::new(token.text_range(), [name.into()])).collect();
            edits.push(Edit { name: Some(name), ..Edit::new("renamed", rewrites) });
        }
    }
    edits
}

fn is_declared(token: &SyntaxToken) -> bool {
    token.parent().is_some_and(|parent| parent.kind() == SyntaxKind::NAME)
}

enum Declared {
    /// Of a function, parameters included.
    Variable,
    Field,
    /// At the top level, but no entry point, whose name is known outside.
    Function,
}

/// What a token declares, of what can be renamed.
fn declared(token: &SyntaxToken) -> Option<Declared> {
    let name = token.parent().and_then(ast::Name::cast)?;
    let parent = name.syntax().parent()?;
    let is_inside = |kind| parent.ancestors().any(|around| around.kind() == kind);
    match parent.kind() {
        SyntaxKind::DECLARATOR if is_inside(SyntaxKind::PARAM) || is_inside(SyntaxKind::BLOCK_STMT) => {
            Some(Declared::Variable)
        }
        SyntaxKind::DECLARATOR if is_inside(SyntaxKind::STRUCT_DECL) => Some(Declared::Field),
        SyntaxKind::FUNC_DECL if token.text() != "main" => {
            let is_top = parent.parent().is_some_and(|around| around.kind() == SyntaxKind::SOURCE_FILE);
            is_top.then_some(Declared::Function)
        }
        _ => None,
    }
}
