//! Whether a rename would be complete and mean the same. What cannot be decided is refused with its place, so that a name
//! never changes in a part of the places that mean it.

use base_db::{Db, Segment, SourceFile};
use hir_def::{
    body::Expr,
    expansion,
    item::{self, ItemId, ItemKind},
    name::Name,
    position,
    scope::{self, Scope},
    source_map,
};
use hir_ty::{env::Env, generics, infer, members, ty::Ty};
use rustc_hash::FxHashSet;
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use crate::{
    FilePosition, FileRange,
    diagnostics::{Severity, diagnostics},
    inclusions,
    mentions::{self, spellings},
    references::{Reference, Wanted},
    semantics::{self, Definition, Found},
};

/// Why not all places that may mean what is renamed are among its uses.
pub(super) fn missed(db: &dyn Db, wanted: &Wanted, uses: &[Reference]) -> Option<String> {
    let known: FxHashSet<FileRange> = uses.iter().map(|found| found.at).collect();
    wanted.spellings().find_map(|name| {
        let missed = mentions::find_in(db, &files_that_see(db, wanted, name), |db, file| {
            missed_in(db, wanted, name, &known, file).into_iter().collect()
        });
        missed.into_iter().next()
    })
}

/// Why a use is not a name: `[patchconstantfunc("f")]` names the function in a text.
pub(super) fn in_text(db: &dyn Db, wanted: &Wanted) -> Option<String> {
    const NAMES_IN_TEXT: &str = "patchconstantfunc";
    let quoted = format!("\"{}\"", wanted.name);
    let files = if wanted.is_function(db) { files_that_see(db, wanted, NAMES_IN_TEXT) } else { Vec::new() };
    let found = mentions::find_in(db, &files, |db, file| {
        let Some(text) = db.text(file).map(|text| text.rope().to_string()) else { return Vec::new() };
        let lexed = lexer::lex(&text);
        let code: Vec<std::ops::Range<usize>> =
            (0..lexed.len()).filter(|index| !lexed.kind(*index).is_trivia()).map(|index| lexed.range(index)).collect();
        let named = code.windows(3).find(|window| {
            let [word, open, value] = window else { return false };
            (&text[word.clone()], &text[open.clone()], &text[value.clone()]) == (NAMES_IN_TEXT, "(", quoted.as_str())
        });
        let at = named.map(|window| TextRange::empty(TextSize::new(window[2].start as u32)));
        at.map(|at| format!("`{}` is named in a text ({})", wanted.name, place(db, file, at))).into_iter().collect()
    });
    found.into_iter().next()
}

fn missed_in(
    db: &dyn Db,
    wanted: &Wanted,
    name: &str,
    known: &FxHashSet<FileRange>,
    file: SourceFile,
) -> Option<String> {
    let place = |at: TextRange| place(db, file, at);
    let mut unknown = spelled(db, wanted, file, name)
        .into_iter()
        .filter(|(.., at)| !known.contains(&FileRange { file, range: *at }) && wanted.reaches(db, file, *at))
        .peekable();
    unknown.peek()?;
    let inactive = inactive(db, file);
    let mut errors: Option<Vec<TextRange>> = None;
    unknown.find_map(|(kind, token, at)| match kind {
        // What a definition spells may become anything. Other directives name macros.
        SyntaxKind::DIRECTIVE => {
            let directive = token.trim_start_matches('#').trim_start();
            directive
                .starts_with("define")
                .then(|| format!("`{name}` is written in a macro ({}), where a rename would miss it", place(at)))
        }
        _ if inactive.iter().any(|range| range.contains_range(at)) => Some(format!(
            "`{name}` is written in code that a condition excludes ({}), where a rename would miss it",
            place(at)
        )),
        _ => {
            let found = semantics::find(db, FilePosition { file, offset: at.start().into() });
            let means_something = found.filter(|found| found.range == at);
            if means_something.is_some() {
                return None;
            }
            let errors = errors.get_or_insert_with(|| errors_in(db, file));
            if errors.iter().any(|error| error.intersect(line_of(db, file, at)).is_some()) {
                let place = place(at);
                return Some(format!("what `{name}` means at {place} cannot be decided, because there is an error"));
            }
            // Names of semantics are nobody's.
            let is_semantic = before(db, FileRange { file, range: at }).0 == Some(':');
            (!is_semantic).then(|| format!("what `{name}` means at {} is not known", place(at)))
        }
    })
}

fn errors_in(db: &dyn Db, file: SourceFile) -> Vec<TextRange> {
    let errors = diagnostics(db, file).into_iter();
    let here = errors.filter(|found| found.severity == Severity::Error && found.at.file == file);
    here.map(|found| found.at.range).collect()
}

/// Why the new name would mean something else at a use, or a use of that name what is renamed.
pub(super) fn captured(db: &dyn Db, wanted: &Wanted, uses: &[Reference], new_name: &str) -> Option<String> {
    let taken = uses.iter().find_map(|found| {
        let other = hides(db, wanted, found.at, new_name)?;
        Some(format!("`{new_name}` means {other} at {}", place(db, found.at.file, found.at.range)))
    });
    taken.or_else(|| {
        let captured = mentions::find_in(db, &files_that_see(db, wanted, new_name), |db, file| {
            captured_in(db, wanted, file, new_name).into_iter().collect()
        });
        captured.into_iter().next()
    })
}

/// What already has the new name at a use, if it would come before what is renamed or beside it.
fn hides(db: &dyn Db, wanted: &Wanted, at: FileRange, new_name: &str) -> Option<&'static str> {
    let found = semantics::find(db, FilePosition { file: at.file, offset: at.range.start().into() })?;
    let name = Name::new(new_name);
    let body = hir_def::body::queries::body(db, found.context);
    if is_qualified(db, at) {
        let of = receiver(db, &found, at)?;
        let members = members::lookup(db, Env::of(db, found.context), of, &name);
        return (!members.is_empty()).then_some("another member");
    }
    let is_local = matches!(found.definition, Definition::Local { .. });
    let is_parameter = matches!(found.definition, Definition::GenericParam { .. });
    if !is_local && body.store.locals.iter().any(|(_, local)| local.name.as_str() == new_name) {
        return Some("a local variable");
    }
    let mut parameters = generics::parameters(db, found.context).iter();
    if parameters.any(|parameter| generics::parameter_name(db, *parameter) == name) {
        return Some("a generic parameter");
    }
    let is_member = wanted.is_member(db);
    if is_member && found.range == at.range && wanted.declared.contains(&at) {
        return None;
    }
    let has_member = |item: ItemId| {
        let members = generics::self_type(db, item).map(|ty| members::lookup(db, Env::of(db, item), ty, &name));
        members.is_some_and(|members| !members.is_empty())
    };
    if !is_local && around(db, Some(found.context)).any(has_member) {
        return Some("a member");
    }
    // Names of a body come before all that is outside of it, members before what is outside of their types.
    let mut seen = scope::scopes(db, found.context).into_iter().filter(|scope| match scope {
        Scope::Members(_) => !is_local,
        Scope::Namespace(..) | Scope::Module(_) | Scope::Glsl => !is_local && !is_parameter && !is_member,
        // Overloads of one name come together, wherever they are declared.
        Scope::Prelude => !is_local && !is_parameter && !is_member && wanted.is_function(db),
    });
    let is_taken = seen.any(|scope| {
        let others = scope::lookup_in(db, scope, &name);
        let is_other = |other: &ItemId| scope != Scope::Prelude || is_function(db, *other);
        others.iter().any(is_other)
    });
    is_taken.then_some("something else")
}

/// The type of what stands in front of the dot. Expressions of signatures have no values in front of dots.
fn receiver(db: &dyn Db, found: &Found, at: FileRange) -> Option<Ty> {
    let body = hir_def::body::queries::body(db, found.context);
    let map = source_map::body_source_map(db, found.context);
    let (expr, Expr::Member { base, .. }) = body.store.exprs.iter().find(|(id, _)| Some(*id) == found.expr)? else {
        return None;
    };
    let (file, range) = position::absolute(db, map.expr(expr));
    (file == at.file && range.contains_range(at.range)).then_some(())?;
    semantics::value_type(infer::infer(db, found.context), *base)
}

fn captured_in(db: &dyn Db, wanted: &Wanted, file: SourceFile, new_name: &str) -> Option<String> {
    let mut named = spelled(db, wanted, file, new_name).into_iter().filter(|(kind, _, at)| {
        let is_alone = || !is_qualified(db, FileRange { file, range: *at });
        *kind != SyntaxKind::DIRECTIVE && is_alone() && wanted.reaches(db, file, *at)
    });
    named.find_map(|(.., at)| {
        let found = semantics::find(db, FilePosition { file, offset: at.start().into() })?;
        let is_captured = found.range == at && wanted.would_capture(db, &found);
        is_captured.then(|| format!("`{new_name}` at {} would mean what is renamed", place(db, file, at)))
    })
}

impl Wanted {
    /// Whether a place is one where the name may mean this: of a name of a declaration or a body, one in it.
    pub(super) fn reaches(&self, db: &dyn Db, file: SourceFile, at: TextRange) -> bool {
        self.definitions.iter().any(|definition| match definition {
            Definition::Local { owner, .. }
            | Definition::GenericParam { owner, .. }
            | Definition::Label { owner, .. } => {
                let header = source_map::item_source(db, *owner).as_ref().map(|source| source.range);
                let body = source_map::body_source_map(db, *owner).owner();
                let spans = header.into_iter().chain([body]).map(|location| position::absolute(db, location));
                let item = semantics::item_at(db, FilePosition { file, offset: at.start().into() });
                spans.into_iter().any(|(of, range)| of == file && range.contains_range(at))
                    || around(db, item).any(|around| around == *owner)
            }
            _ => true,
        })
    }

    /// Whether a use of something else with the new name would find this first, or beside it.
    fn would_capture(&self, db: &dyn Db, found: &Found) -> bool {
        let others = match &found.definition {
            Definition::Item(item) => vec![*item],
            Definition::Candidates(items) => items.clone(),
            Definition::Type(_) => Vec::new(),
            Definition::GenericParam { .. } => {
                return self.is_member(db) || !matches!(self.definitions.first(), Some(Definition::Item(_)));
            }
            _ => return false,
        };
        self.definitions.iter().any(|definition| match definition {
            Definition::Item(item) => {
                let own = item::container(db, *item).filter(|container| is_type(db, *container));
                let is_here = match own {
                    Some(_) => around(db, Some(found.context)).any(|around| self.is_member_of(db, around)),
                    None => self.is_visible(db, found.context),
                };
                // Members hide what is outside of their types.
                let is_hidden = |other: &ItemId| {
                    own.is_none() && item::container(db, *other).is_some_and(|container| is_type(db, container))
                };
                is_here && (others.is_empty() || !others.iter().all(is_hidden))
            }
            _ => true,
        })
    }

    /// Whether what is renamed is found at an item by its name alone.
    fn is_visible(&self, db: &dyn Db, context: ItemId) -> bool {
        let name = Name::new(&self.name);
        scope::scopes(db, context).into_iter().any(|scope| {
            let named = scope::lookup_in(db, scope, &name);
            named.into_iter().any(|item| self.definitions.contains(&Definition::Item(item)))
        })
    }

    /// Whether what is renamed is a member of what an item declares or extends.
    fn is_member_of(&self, db: &dyn Db, item: ItemId) -> bool {
        let Some(ty) = generics::self_type(db, item) else { return false };
        let named = members::lookup(db, Env::of(db, item), ty, &Name::new(&self.name));
        named.into_iter().any(|member| self.definitions.contains(&Definition::Item(member.item)))
    }

    fn is_member(&self, db: &dyn Db) -> bool {
        self.definitions.iter().any(|definition| match definition {
            Definition::Item(item) => item::container(db, *item).is_some_and(|container| is_type(db, container)),
            _ => false,
        })
    }

    fn is_function(&self, db: &dyn Db) -> bool {
        self.definitions.iter().all(|definition| matches!(definition, Definition::Item(item) if is_function(db, *item)))
    }
}

/// An item and those around it, from the inside out.
fn around(db: &dyn Db, item: Option<ItemId>) -> impl Iterator<Item = ItemId> {
    std::iter::successors(item, |item| item::container(db, *item))
}

fn is_function(db: &dyn Db, item: ItemId) -> bool {
    matches!(item::item_data(db, item).kind, ItemKind::Function(_))
}

fn is_type(db: &dyn Db, item: ItemId) -> bool {
    !matches!(item::item_data(db, item).kind, ItemKind::Namespace)
}

/// The files that spell a word and where what is wanted may be meant: those of its module, those that import it, directly
/// or not, and those that include it.
fn files_that_see(db: &dyn Db, wanted: &Wanted, word: &str) -> Vec<SourceFile> {
    if let Some(file) = wanted.only_in {
        return vec![file];
    }
    let mut declaring: FxHashSet<SourceFile> = wanted.declared.iter().map(|at| at.file).collect();
    for header in declaring.clone() {
        declaring.extend(inclusions::files_that_include(db, header));
    }
    let mut files = mentions::files_that_spell(db, word);
    files.retain(|file| mentions::reached(db, *file).iter().any(|reached| declaring.contains(reached)));
    files
}

/// Where code and directives of a file spell a word and might mean what is wanted, with the token that does.
fn spelled(db: &dyn Db, wanted: &Wanted, file: SourceFile, word: &str) -> Vec<(SyntaxKind, String, TextRange)> {
    let mut found = Vec::new();
    for (start, text) in wanted.texts(db, file) {
        let lexed = lexer::lex(&text);
        let mut index = 0;
        for place in spellings(&text, word) {
            while index < lexed.len() && lexed.range(index).end <= place.start {
                index += 1;
            }
            if index == lexed.len() {
                break;
            }
            let kind = lexed.kind(index);
            if kind == SyntaxKind::DIRECTIVE || lexed.range(index) == place {
                let (from, to) = (start + place.start, start + place.end);
                let at = TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32));
                found.push((kind, text[lexed.range(index)].to_owned(), at));
            }
        }
    }
    found
}

/// Whether a name stands behind a dot or colons: then what is around it does not matter.
fn is_qualified(db: &dyn Db, at: FileRange) -> bool {
    matches!(before(db, at), (Some('.'), _) | (Some(':'), Some(':')) | (Some('>'), Some('-')))
}

/// The last character in front of a place that is no space, and the one in front of it.
fn before(db: &dyn Db, at: FileRange) -> (Option<char>, Option<char>) {
    let start = usize::from(at.range.start());
    let Some(text) = db.text(at.file).and_then(|text| text.rope().get_byte_slice(..start)) else { return (None, None) };
    let mut letters = text.chars_at(text.len_chars()).reversed().skip_while(|letter| letter.is_whitespace());
    (letters.next(), letters.next())
}

fn inactive(db: &dyn Db, file: SourceFile) -> Vec<TextRange> {
    let segments: &[Segment] = file.segments(db);
    let inactive = segments.iter().flat_map(|segment| expansion::inactive(db, *segment));
    inactive.map(|location| position::absolute(db, location).1).collect()
}

/// The line of a place. An error is said where it is found, and what follows from it is behind it.
fn line_of(db: &dyn Db, file: SourceFile, at: TextRange) -> TextRange {
    let Some(rope) = db.text(file).map(|text| text.rope()) else { return at };
    let line = |offset: TextSize| rope.try_byte_to_line(offset.into()).ok();
    let start = line(at.start()).and_then(|line| rope.try_line_to_byte(line).ok());
    let end = line(at.end()).and_then(|line| rope.try_line_to_byte(line + 1).ok());
    let place = |offset: usize| TextSize::new(offset as u32);
    TextRange::new(start.map_or(at.start(), place), end.map_or(at.end(), place))
}

/// A place as a person reads it: file and line from 1.
pub(super) fn place(db: &dyn Db, file: SourceFile, at: TextRange) -> String {
    let name = file.path(db).rsplit('/').next().unwrap_or_default();
    let before = db.text(file).and_then(|text| text.rope().try_byte_to_line(at.start().into()).ok());
    format!("{name}:{}", 1 + before.unwrap_or_default())
}
