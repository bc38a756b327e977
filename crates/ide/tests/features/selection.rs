//! Selection ranges: found in a part of the file, and the same as in the whole of it.

use std::path::Path;

use ide::{FilePosition, selection_range::selection_ranges};
use syntax::{TextRange, TextSize, TokenAtOffset, parse_file};
use test_support::database::with_core_library;

use super::formatting::slang_files;

/// What the tree of the whole file says.
fn of_tree(root: &syntax::SyntaxNode, offset: TextSize) -> Vec<TextRange> {
    let token = match root.token_at_offset(offset) {
        TokenAtOffset::None => return vec![root.text_range()],
        TokenAtOffset::Single(token) => token,
        TokenAtOffset::Between(left, right) => {
            if right.kind().is_trivia() {
                left
            } else {
                right
            }
        }
    };
    let nodes = token.parent_ancestors().map(|node| node.text_range());
    let mut ranges: Vec<TextRange> = std::iter::once(token.text_range()).chain(nodes).collect();
    ranges.dedup();
    ranges
}

#[test]
fn a_part_of_the_file_says_what_all_of_it_does() {
    let (mut db, mut documents) = with_core_library();
    let mut files = Vec::new();
    slang_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"), &mut files);
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let file = documents.open(&mut db, "/main.slang", &text);
        let tree = parse_file(&text);
        let root = tree.syntax_node();
        for offset in (0..=text.len()).step_by(37) {
            let at = FilePosition { file, offset: offset as u32 };
            let wanted = of_tree(&root, TextSize::new(offset as u32));
            // Of what nests deeper only a part is told.
            if wanted.len() < 150 {
                assert_eq!(selection_ranges(&db, at), wanted, "{} at {offset}", path.display());
            }
        }
    }
}
