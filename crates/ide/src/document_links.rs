//! Document links: the names of files in `import`, `__include`, `implementing` and `#include`, with the files.

use base_db::{Db, SourceFile};
use hir_def::{
    expansion,
    item::{self, ItemKind},
    modules, position, source_map,
};
use syntax::{TextRange, TextSize};

/// The places that name files which are known, in their order.
pub fn document_links(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, SourceFile)> {
    links(db, file).into_iter().map(|link| (link.range, link.target)).collect()
}

/// A name of a file.
pub(crate) struct Link {
    pub range: TextRange,
    pub target: SourceFile,
    /// Of an `#include`: what stands between the quotes.
    pub is_directive: bool,
    /// Of an `implementing`.
    pub is_module_of_part: bool,
}

/// The same, with what they are.
pub(crate) fn links(db: &dyn Db, file: SourceFile) -> Vec<Link> {
    let mut links = Vec::new();
    for &item in item::file_items(db, file) {
        // A `module` clause names itself.
        let is_other = !matches!(item::item_data(db, item).kind, ItemKind::Module { .. });
        let target = modules::path_of(db, item).filter(|_| is_other).and_then(|path| modules::resolve(db, file, path));
        let name = source_map::item_source(db, item).as_ref().and_then(|source| source.name);
        if let (Some(target), Some(name)) = (target, name) {
            let is_module_of_part = matches!(item::item_data(db, item).kind, ItemKind::Implementing { .. });
            let range = position::absolute(db, name).1;
            links.push(Link { range, target, is_directive: false, is_module_of_part });
        }
    }
    let directives = includes(db, file).into_iter();
    links.extend(directives.map(|(range, target)| Link {
        range,
        target,
        is_directive: true,
        is_module_of_part: false,
    }));
    links.sort_by_key(|link| link.range.start());
    links
}

fn includes(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, SourceFile)> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begins = start;
        start += line.len();
        let is_include =
            line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("include"));
        let quoted = is_include.then(|| line.find(['"', '<'])).flatten();
        let Some((open, target)) = quoted.zip(expansion::file_of_directive(db, file, line)) else { continue };
        let Some(length) = line[open + 1..].find(['"', '>']) else { continue };
        let range = TextRange::at(TextSize::new((begins + open + 1) as u32), TextSize::new(length as u32));
        found.push((range, target));
    }
    found
}
