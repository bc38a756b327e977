//! What the crate documentation promises of every declaration.

use syntax::{
    SyntaxKind, SyntaxNode,
    ast::{self, AstNode, Item},
    parse_file,
    segment::{Declared, LibraryFile, declared_name, segment},
};

fn all_files() -> impl Iterator<Item = &'static prelude::File> {
    prelude::FILES.iter().chain(prelude::GLSL_FILES)
}

fn files() -> impl Iterator<Item = (&'static str, SyntaxNode)> {
    all_files().map(|file| (file.name, parse_file(file.text).syntax_node()))
}

fn items() -> Vec<(&'static str, Item)> {
    files().flat_map(|(name, root)| root.descendants().filter_map(Item::cast).map(move |item| (name, item))).collect()
}

/// The first line of a declaration's own text, to name it in failures.
fn first_line(node: &SyntaxNode) -> String {
    let text = node.text().to_string();
    let declared = text.lines().find(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty());
    declared.unwrap_or_default().trim().to_owned()
}

#[test]
fn every_file_parses() {
    for prelude::File { name, text, .. } in all_files() {
        let errors = parse_file(text).errors;
        assert!(errors.is_empty(), "{name}.slang: {:?}", &errors[..errors.len().min(3)]);
    }
}

#[test]
fn every_declaration_has_one_line_of_documentation() {
    for (file, item) in items() {
        let local = item.syntax().ancestors().any(|node| node.kind() == SyntaxKind::BLOCK_STMT);
        if local || matches!(item, Item::ExtensionDecl(_)) {
            continue;
        }
        let documentation = item
            .syntax()
            .descendants_with_tokens()
            .filter_map(|element| element.into_token())
            .take_while(|token| token.kind().is_trivia())
            .filter(|token| token.text().starts_with("///"))
            .count();
        assert!(
            (1..=2).contains(&documentation),
            "{file}.slang: `{}` has {documentation} lines",
            first_line(item.syntax())
        );
    }
}

#[test]
fn every_function_has_either_a_body_or_an_intrinsic() {
    for (file, item) in items() {
        let Item::FuncDecl(function) = &item else { continue };
        let in_interface = item.syntax().ancestors().any(|node| ast::InterfaceDecl::can_cast(node.kind()));
        let text = item.syntax().text().to_string();
        let intrinsic = text.contains("[__intrinsic(\"");
        let body = item.syntax().children().any(|child| child.kind() == SyntaxKind::BLOCK_STMT);
        let name = function.name().map(|name| name.syntax().text().to_string()).unwrap_or_default();
        assert_eq!(body || in_interface, !intrinsic, "{file}.slang: `{name}`");
    }
}

#[test]
fn differentiable_functions_say_what_their_derivative_is() {
    for (file, item) in items() {
        let Item::FuncDecl(_) = &item else { continue };
        let text = item.syntax().text().to_string();
        let elsewhere = ["autodiff", "interfaces"].contains(&file);
        if text.contains("[Differentiable]") && !elsewhere {
            assert!(text.contains("erivative"), "{file}.slang: `{}`", first_line(item.syntax()));
        }
    }
}

/// The index over the core library reads names off tokens: they are those of the trees.
#[test]
fn every_name_can_be_read_off_the_tokens() {
    for prelude::File { name: file, text, .. } in all_files() {
        for segment in segment(text) {
            let header = &text[segment.header.clone()];
            let root = parse_file(&text[segment.range()]).syntax_node();
            let mut items = root.children().filter_map(Item::cast);
            let Some(item) = items.next() else { continue };
            assert!(
                items.next().is_none(),
                "{file}.slang: several declarations in one segment: {}",
                first_line(item.syntax())
            );
            let expected = match &item {
                Item::ExtensionDecl(_) => Declared::Extension,
                Item::StructDecl(_) | Item::InterfaceDecl(_) | Item::EnumDecl(_) | Item::NamespaceDecl(_) => {
                    match declared_name(header) {
                        Declared::Unclear => continue,
                        Declared::Type(name) => Declared::Type(name),
                        other => panic!("{file}.slang: {other:?} is a type"),
                    }
                }
                _ => match declared_name(header) {
                    Declared::Value(name) => Declared::Value(name),
                    other => panic!("{file}.slang: {other:?} is a value: {}", first_line(item.syntax())),
                },
            };
            let found = declared_name(header);
            assert_eq!(found, expected, "{file}.slang");
            if let Declared::Value(name) | Declared::Type(name) = found {
                let of_parameter = |name: &ast::Name| {
                    name.syntax().ancestors().any(|node| node.kind() == SyntaxKind::GENERIC_PARAM_LIST)
                };
                let mut names = item.syntax().descendants().filter_map(ast::Name::cast);
                let declared = names.find(|name| !of_parameter(name)).map(|name| name.syntax().text().to_string());
                // An operator is filed under its symbol.
                let declared = declared.as_deref().map(|name| name.trim_start_matches("operator").trim());
                assert_eq!(declared, Some(name), "{file}.slang");
            }
        }
    }
}

/// Where declarations begin and end was found when the crate was built.
#[test]
fn the_outline_is_that_of_the_text() {
    for file in all_files() {
        assert_eq!(file.library_file(), LibraryFile::read(file.name, file.text), "{}.slang", file.name);
    }
}
