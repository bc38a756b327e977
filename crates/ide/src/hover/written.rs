//! What is written at a position and has no declaration: keywords, operators, literals, semantics, registers, the files of
//! includes.

use base_db::{Db, Segment, text::Part};
use hir_def::{
    body::{Expr, ExprId, ExprStore, Literal},
    item::{self, ItemId},
    position, source_map,
};
use hir_ty::{
    display, infer,
    infer::result::{InferenceResult, Resolution},
    ty::Ty,
};
use syntax::{
    SyntaxKind, TextRange, TextSize,
    lexer::{self, Lexed},
};

use super::{Hover, code, differentiation, keywords};
use crate::{FilePosition, definition};

/// A token, and where it is.
pub(super) struct Token<'db> {
    segment: Segment,
    part: Part,
    /// The text that it is a token of.
    pub(super) text: &'db str,
    lexed: Lexed,
    index: usize,
}

impl<'db> Token<'db> {
    /// The token that begins at a position or goes over it; one that ends there if spaces follow.
    fn at(db: &'db dyn Db, at: FilePosition) -> Option<Token<'db>> {
        let (segment, part, offset) = source_map::segment_at(db, at.file, TextSize::new(at.offset))?;
        let text: &str = if part == Part::Header { segment.header(db) } else { segment.body(db) };
        let lexed = lexer::lex(text);
        let offset = usize::from(offset);
        let over = (0..lexed.len()).find(|index| lexed.range(*index).contains(&offset));
        let ending = || (0..lexed.len()).find(|index| lexed.range(*index).end == offset);
        let index = over.filter(|index| !lexed.kind(*index).is_trivia()).or_else(ending)?;
        Some(Token { segment, part, text, lexed, index })
    }

    fn kind(&self) -> SyntaxKind {
        self.lexed.kind(self.index)
    }

    pub(super) fn word(&self) -> &'db str {
        &self.text[self.lexed.range(self.index)]
    }

    /// Where the token ends in its text.
    pub(super) fn end(&self) -> usize {
        self.lexed.range(self.index).end
    }

    /// The tokens in front of it that say something, the nearest first.
    fn before(&self) -> impl Iterator<Item = &'db str> {
        let significant = (0..self.index).rev().filter(|index| !self.lexed.kind(*index).is_trivia());
        significant.map(|index| &self.text[self.lexed.range(index)])
    }

    /// The innermost item around it.
    pub(super) fn item(&self, db: &dyn Db) -> Option<ItemId> {
        self.items(db).into_iter().next()
    }

    fn items(&self, db: &dyn Db) -> Vec<ItemId> {
        source_map::items_at(db, self.segment, self.part, self.start())
    }

    fn start(&self) -> TextSize {
        TextSize::new(u32::try_from(self.lexed.range(self.index).start).unwrap_or(u32::MAX))
    }

    fn range(&self) -> TextRange {
        TextRange::at(self.start(), TextSize::of(self.word()))
    }

    fn hover(&self, db: &dyn Db, markdown: String) -> Hover {
        let location = position::Location { segment: self.segment, part: self.part, range: self.range() };
        Hover { range: position::absolute(db, location).1, markdown }
    }
}

pub(super) fn written(db: &dyn Db, at: FilePosition) -> Option<Hover> {
    let token = Token::at(db, at)?;
    let markdown = match token.kind() {
        SyntaxKind::DIRECTIVE => {
            let file = definition::included_file(db, at)?;
            format!("{}\n\n`{}`", code(token.word().trim()), file.path(db))
        }
        SyntaxKind::IDENT => semantic(&token).or_else(|| register(&token)).or_else(|| of_word(db, &token))?,
        _ => Innermost::at(db, &token)?.markdown(db, token.word())?,
    };
    Some(token.hover(db, markdown))
}

/// A keyword: what it says in general, and here.
fn of_word(db: &dyn Db, token: &Token<'_>) -> Option<String> {
    let word = token.word();
    // Half an import says nothing yet, as in slangd.
    let rest = &token.text[token.end()..];
    if matches!(word, "import" | "__include")
        && !rest.trim_start().starts_with(|c: char| c == '"' || c == '_' || c.is_alphabetic())
    {
        return None;
    }
    let general = keywords::documentation(word)?;
    let this = || Innermost::at(db, token).filter(|found| matches!(found.store.exprs[found.expr], Expr::This));
    let shown = match this().and_then(|found| found.ty(found.expr)) {
        Some(ty) => format!("{} this", display::display(db, ty)),
        None => word.to_owned(),
    };
    let here = differentiation::keyword_here(db, token).map(|here| format!("\n\nhere: {here}"));
    Some(format!("{}\n\n{general}{}", code(&shown), here.unwrap_or_default()))
}

/// An argument of `[require(…)]`, and the name in the `case` of a `__target_switch`.
pub(super) fn required(db: &dyn Db, at: FilePosition) -> Option<Hover> {
    let token = Token::at(db, at).filter(|token| token.kind() == SyntaxKind::IDENT)?;
    Some(token.hover(db, capability(&token)?))
}

fn capability(token: &Token<'_>) -> Option<String> {
    let mut before = token.before().skip_while(|token| *token == "," || token.chars().all(is_of_name));
    let is_argument = before.next() == Some("(") && before.next() == Some("require");
    let is_label = token.before().next() == Some("case") && is_switch_of_targets(token);
    let description = checks::capability_description(token.word()).filter(|_| is_argument || is_label)?;
    Some(format!("{}\n\n{description}", code(token.word())))
}

/// Whether the innermost brace that is open in front of a token is that of a `__target_switch` or `__stage_switch`.
fn is_switch_of_targets(token: &Token<'_>) -> bool {
    let mut closed = 0usize;
    let mut before = token.before();
    let opened = before.find(|token| match *token {
        "}" => {
            closed += 1;
            false
        }
        "{" if closed == 0 => true,
        "{" => {
            closed -= 1;
            false
        }
        _ => false,
    });
    opened.is_some() && matches!(before.next(), Some("__target_switch" | "__stage_switch"))
}

fn is_of_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A semantic, which follows a colon.
fn semantic(token: &Token<'_>) -> Option<String> {
    (token.before().next() == Some(":")).then_some(())?;
    let word = token.word();
    if let Some(description) = checks::system_value_description(word) {
        return Some(format!("{}\n\n{description}", code(word)));
    }
    let is_of_user = word.chars().all(|c| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit());
    let text = "What one stage gives out under this name the next one takes in.";
    is_of_user.then(|| format!("{}\n\n{text}", code(word)))
}

/// The kinds of registers, by their letters.
const REGISTERS: [(char, &str); 5] = [
    ('b', "constant buffer"),
    ('t', "texture or buffer that is read"),
    ('s', "sampler"),
    ('u', "texture or buffer that is written"),
    ('c', "constant, by vectors of four"),
];

/// `register(u2, space1)`, on each of its words.
fn register(token: &Token<'_>) -> Option<String> {
    let word = token.word();
    let mut before = token.before().skip_while(|token| *token != "register" && *token != ":");
    match word {
        "register" | "packoffset" if token.before().next() == Some(":") => {
            let text = match word {
                "register" => "Where the host binds this, for D3D.",
                _ => "Where this lies in its constant buffer, for D3D.",
            };
            return Some(format!("{}\n\n{text}", code(word)));
        }
        _ if before.next() != Some("register") => return None,
        _ => {}
    }
    let number = |text: &str| text.parse::<u32>().ok();
    let text = match word.strip_prefix("space").and_then(number) {
        Some(space) => format!("Register space {space}: a descriptor set in Vulkan."),
        None => {
            let (_, what) = REGISTERS.iter().find(|(letter, _)| word.starts_with(*letter))?;
            format!("Register {} of the kind: {what}.", number(word.get(1..)?)?)
        }
    };
    Some(format!("{}\n\n{text}", code(word)))
}

/// The innermost expression at a token.
struct Innermost<'db> {
    store: &'db ExprStore,
    inferred: &'db InferenceResult,
    expr: ExprId,
}

impl<'db> Innermost<'db> {
    fn at(db: &'db dyn Db, token: &Token<'_>) -> Option<Innermost<'db>> {
        token.items(db).into_iter().find_map(|item| Innermost::of_item(db, item, token))
    }

    fn of_item(db: &'db dyn Db, item: ItemId, token: &Token<'_>) -> Option<Innermost<'db>> {
        let map = source_map::body_source_map(db, item);
        let owner = map.owner();
        // Operands that end or begin at an operator are not what it is part of.
        let innermost = |store: &ExprStore, place: &dyn Fn(ExprId) -> position::Location| {
            let around = store.exprs.iter().map(|(expr, _)| (place(expr), expr)).filter(|(location, _)| {
                let is_here = location.segment == token.segment && location.part == token.part;
                is_here && location.range.contains_range(token.range())
            });
            around.min_by_key(|(location, _)| location.range.len()).map(|(_, expr)| expr)
        };
        if owner.part == token.part && owner.range.contains_inclusive(token.start()) {
            let store = &hir_def::body::queries::body(db, item).store;
            let expr = innermost(store, &|expr| map.expr(expr))?;
            return Some(Innermost { store, inferred: infer::infer(db, item), expr });
        }
        let source = source_map::item_source(db, item).as_ref()?;
        let store = &item::item_data(db, item).store;
        let expr = innermost(store, &|expr| source.expr(expr))?;
        Some(Innermost { store, inferred: infer::infer_signature(db, item), expr })
    }

    fn ty(&self, expr: ExprId) -> Option<Ty> {
        self.inferred.expr_types.get(expr).copied().filter(|ty| *ty != Ty::Error)
    }

    fn markdown(&self, db: &dyn Db, spelled: &str) -> Option<String> {
        let shown = |expr: ExprId| Some(display::display(db, self.ty(expr)?));
        let (own, operands) = (shown(self.expr), |exprs: &[ExprId]| {
            exprs.iter().map(|expr| shown(*expr)).collect::<Option<Vec<_>>>().map(|types| types.join(", "))
        });
        let operator = |exprs: &[ExprId]| {
            let line = code(&format!("{} operator{spelled}({})", shown(self.expr)?, operands(exprs)?));
            Some(format!("{line}{}", self.meeting(db, exprs)))
        };
        match &self.store.exprs[self.expr] {
            Expr::Literal(literal) => {
                let value = literal_text(literal, self.ty(self.expr))?;
                Some(code(&format!("{}{value}", own.map(|ty| format!("{ty} ")).unwrap_or_default())))
            }
            Expr::Prefix { operand, .. } | Expr::Postfix { operand, .. } => operator(&[*operand]),
            Expr::Binary { left, right, .. } => operator(&[*left, *right]),
            Expr::Assign { target, value, .. } => operator(&[*target, *value]),
            Expr::Ternary { then, otherwise, .. } => Some(format!(
                "{}\n\nOne of two values. Derivatives go through the one that is chosen.",
                code(&format!("{} ?: ({})", own?, operands(&[*then, *otherwise])?))
            )),
            Expr::Index { base, .. } => Some(format!("{}\n\nAn element of `{}`.", code(&own?), shown(*base)?)),
            _ => None,
        }
    }

    /// In what type the operands of a built-in operator meet, if one of them is of another.
    fn meeting(&self, db: &dyn Db, operands: &[ExprId]) -> String {
        let Some(Resolution::BuiltinOperator { converted }) = self.inferred.resolutions.get(&self.expr) else {
            return String::new();
        };
        let is_other = |expr: &ExprId| self.ty(*expr).is_some_and(|ty| ty != *converted);
        match operands.iter().any(is_other) {
            true => format!("\n\nThe operands are converted to `{}`.", display::display(db, *converted)),
            false => String::new(),
        }
    }
}

/// The value of a number in the ways that people read it.
fn literal_text(literal: &Literal, ty: Option<Ty>) -> Option<String> {
    match literal {
        Literal::Int { value, .. } if *value > 9 => Some(format!("{value} = {value:#x} = {value:#b}")),
        Literal::Int { value, .. } => Some(value.to_string()),
        Literal::Float { bits, .. } => {
            let value = f64::from_bits(*bits);
            // What is kept of it.
            let kept = f64::from(value as f32);
            let is_single = ty == Some(Ty::FLOAT) && kept != value && kept.is_finite();
            Some(if is_single { format!("{value}, kept as {kept}") } else { value.to_string() })
        }
        Literal::Bool(_) | Literal::String(_) | Literal::NullPtr | Literal::None => None,
    }
}
