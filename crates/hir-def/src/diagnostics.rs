//! What this layer complains about: syntax, preprocessor, files that are not found, and what is not supported yet.
//!
//! Header and body of a segment are asked apart, so that typing in a body re-runs only its own.

use ::diagnostics::codes;
use base_db::{Db, Segment, SegmentKind, SourceFile, text::Part};
use syntax::{SyntaxError, TextRange};

use crate::{
    body::{self, Expr, ExprStore, Stmt},
    expansion,
    item::{self, ItemId, ItemKind, ModulePath},
    lower::StoreSources,
    modules,
    position::Location,
    type_ref::TypeRef,
};

/// A finding about a range of a segment.
pub type Diagnostic = ::diagnostics::Diagnostic<Location>;

/// Everything about a file, in the order of the text.
pub fn file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut pending: Vec<Segment> = file.segments(db).iter().rev().copied().collect();
    while let Some(segment) = pending.pop() {
        diagnostics.extend_from_slice(header_diagnostics(db, segment));
        diagnostics.extend_from_slice(body_diagnostics(db, segment));
        pending.extend(segment.members(db).iter().rev().copied());
    }
    diagnostics
}

/// Whether a file that the module of this one imports or includes is not found: names may come from there, so nothing can
/// be said about those that are not known.
#[salsa::tracked(returns(copy))]
pub fn lacks_files(db: &dyn Db, file: SourceFile) -> bool {
    let view = modules::module_view(db, file);
    view.files.iter().any(|file| {
        let clauses = modules::module_clauses(db, *file);
        // A part of a module called otherwise than its file is found by that file's `__include`.
        let is_found = *file != view.root;
        let implementing = clauses.implementing.iter().filter(|_| !is_found);
        let mut named = clauses.imports.iter().chain(&clauses.includes).chain(implementing);
        let unresolved =
            |item: &ItemId| modules::path_of(db, *item).is_some_and(|path| modules::resolve(db, *file, path).is_none());
        named.any(unresolved) || expansion::directives(db, *file).any(|segment| lacks_include(db, segment))
    })
}

#[salsa::tracked(returns(copy))]
fn lacks_include(db: &dyn Db, segment: Segment) -> bool {
    expansion::lacks_include(db, segment)
}

/// Findings in the header of a segment, and in all it declares.
#[salsa::tracked(returns(deref))]
pub fn header_diagnostics(db: &dyn Db, segment: Segment) -> Box<[Diagnostic]> {
    let mut diagnostics = expansion::diagnostics(db, segment, Part::Header);
    if !expansion::is_active(db, segment) || is_plain_directive(db, segment) {
        return diagnostics.into();
    }
    let declared = item::queries::segment_declarations(db, segment);
    let alone = declared.header_errors.is_none().then(|| crate::parse::header(db, segment).errors);
    let errors = declared.header_errors.as_deref().or(alone.as_deref()).unwrap_or_default();
    diagnostics.extend(errors.iter().map(|error| syntax_error(db, segment, Part::Header, error)));
    for (index, declaration) in declared.declarations.iter().enumerate() {
        let place = SegmentPart { db, segment, part: declaration.part };
        let item = &declaration.item;
        if let ItemKind::Unsupported(what) = &item.kind {
            diagnostics.push(place.unsupported(what.as_str(), declaration.ranges.range));
            continue;
        }
        place.store(&item.store, &declaration.ranges.store, &mut diagnostics);
        if let ItemKind::Import { path, .. } | ItemKind::Include { path } = &item.kind {
            let item = ItemId::new(db, segment, index as u32);
            diagnostics.extend(place.unresolved(
                item,
                path,
                declaration.ranges.name.unwrap_or(declaration.ranges.range),
            ));
        }
    }
    diagnostics.into()
}

/// Findings in the body of a segment, and in the initialisers and bodies of everything it declares.
#[salsa::tracked(returns(deref))]
pub fn body_diagnostics(db: &dyn Db, segment: Segment) -> Box<[Diagnostic]> {
    if !expansion::is_active(db, segment) || is_plain_directive(db, segment) {
        return Box::default();
    }
    let mut diagnostics = expansion::diagnostics(db, segment, Part::Body);
    let mut syntax_errors = |errors: &[SyntaxError]| {
        diagnostics.extend(errors.iter().map(|error| syntax_error(db, segment, Part::Body, error)));
    };
    let items = item::segment_items(db, segment);
    if item::queries::segment_declarations(db, segment).has_block() {
        items.iter().for_each(|item| syntax_errors(&body::queries::lowered_body(db, *item).errors));
    } else if let Some(parse) = crate::parse::parse_body(db, segment) {
        syntax_errors(&parse.errors);
    }
    let mut declares = false;
    for &item in items {
        let lowered = body::queries::lowered_body(db, item);
        declares |= lowered.body.declared > 0;
        let place = SegmentPart { db, segment, part: lowered.part };
        place.store(&lowered.body.store, &lowered.sources, &mut diagnostics);
    }
    for item in declares.then(|| item::segment_local_items(db, segment)).into_iter().flatten() {
        if let Some(declaration) = item::queries::declaration(db, item) {
            let place = SegmentPart { db, segment, part: declaration.part };
            place.store(&declaration.item.store, &declaration.ranges.store, &mut diagnostics);
        }
        let lowered = body::queries::lowered_body(db, item);
        let place = SegmentPart { db, segment, part: lowered.part };
        place.store(&lowered.body.store, &lowered.sources, &mut diagnostics);
    }
    diagnostics.into()
}

fn is_plain_directive(db: &dyn Db, segment: Segment) -> bool {
    segment.kind(db) == SegmentKind::Directive && !expansion::has_includes(db, segment)
}

fn syntax_error(db: &dyn Db, segment: Segment, part: Part, error: &SyntaxError) -> Diagnostic {
    let mut at = expansion::spelled(db, segment, part, error.range);
    if error.range.is_empty() {
        // What is missing behind the expansion of a macro is missing behind its call.
        at.range = TextRange::empty(at.range.end());
    }
    Diagnostic::new(error.code, at, error.message.to_string())
}

/// Where findings about expanded ranges belong.
struct SegmentPart<'db> {
    db: &'db dyn Db,
    segment: Segment,
    part: Part,
}

impl SegmentPart<'_> {
    fn unsupported(&self, what: &str, range: TextRange) -> Diagnostic {
        let verb = if what.ends_with('s') && !what.starts_with('`') { "are" } else { "is" };
        let message = format!("{what} {verb} not supported yet");
        Diagnostic::new(codes::NOT_SUPPORTED_YET, self.location(range), message)
    }

    fn location(&self, range: TextRange) -> Location {
        expansion::spelled(self.db, self.segment, self.part, range)
    }

    /// Everything in a store that lowering has no node for.
    fn store(&self, store: &ExprStore, sources: &StoreSources, diagnostics: &mut Vec<Diagnostic>) {
        let exprs = store.exprs.iter().map(|(_, expr)| match expr {
            Expr::Unsupported(what) => Some(what),
            _ => None,
        });
        let stmts = store.stmts.iter().map(|(_, stmt)| match stmt {
            Stmt::Unsupported(what) => Some(what),
            _ => None,
        });
        let types = store.type_refs.iter().map(|(_, ty)| match ty {
            TypeRef::Unsupported(what) => Some(what),
            _ => None,
        });
        let all = exprs.zip(&sources.exprs).chain(stmts.zip(&sources.stmts)).chain(types.zip(&sources.type_refs));
        diagnostics
            .extend(all.filter_map(|(unsupported, range)| Some(self.unsupported(unsupported?.as_str(), *range))));
    }

    /// E30500, E30501, E30502: a file that is included and does not say that it is a part of this module.
    fn of_another_module(&self, file: SourceFile, included: SourceFile, range: TextRange) -> Option<Diagnostic> {
        let clauses = modules::module_clauses(self.db, included);
        let root = modules::module_clauses(self.db, modules::module_root(self.db, file));
        let name = |item: ItemId| modules::path_of(self.db, item).map(ModulePath::module_name);
        let (code, message) = match (clauses.implementing, root.module, clauses.module) {
            (None, _, Some(_)) => (
                codes::INCLUDED_MODULE,
                "the file is a module of its own: begin it with 'implementing', not 'module'".into(),
            ),
            (None, ..) => (
                codes::IMPLEMENTING_MISSING,
                "the file must begin with 'implementing' and the name of this module".into(),
            ),
            (Some(part), Some(module), _) if name(part) != name(module) => {
                let message = format!(
                    "the file implements module '{}', and this is '{}'",
                    name(part).unwrap_or_default(),
                    name(module).unwrap_or_default()
                );
                (codes::IMPLEMENTING_ANOTHER, message)
            }
            (Some(_), ..) => return None,
        };
        Some(Diagnostic::new(code, self.location(range), message))
    }

    fn unresolved(&self, item: ItemId, path: &ModulePath, range: TextRange) -> Option<Diagnostic> {
        let written = match path {
            // The parser has complained about the missing name.
            ModulePath::Dotted(path) if path.is_empty() => return None,
            ModulePath::Dotted(path) => format!("{}.slang", path.replace('.', "/")),
            ModulePath::Quoted(path) => path.clone(),
        };
        let file = item::file_of(self.db, item);
        if modules::resolve(self.db, file, path).is_some() {
            if matches!(item::item_data(self.db, item).kind, ItemKind::Include { .. }) {
                return self.of_another_module(file, modules::resolve(self.db, file, path)?, range);
            }
            let recursive = matches!(item::item_data(self.db, item).kind, ItemKind::Import { .. })
                && modules::import_closure(self.db, file, path).contains(&file);
            let message = format!("module '{written}' recursively imports itself");
            return recursive.then(|| Diagnostic::new(codes::RECURSIVE_IMPORT, self.location(range), message));
        }
        // GLSL's library has no file.
        if matches!(item::item_data(self.db, item).kind, ItemKind::Import { .. }) && modules::is_glsl(path) {
            return None;
        }
        let message = format!("cannot open file '{written}'");
        Some(Diagnostic::new(codes::CANNOT_OPEN_FILE, self.location(range), message))
    }
}
