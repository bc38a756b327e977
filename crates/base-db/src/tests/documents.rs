use std::sync::Arc;

use crate::{Db, Project, RootDatabase, documents::Documents, text::Part};

const PATH: &str = "/a.slang";

#[test]
fn a_file_lives_through_open_edit_close_and_removal() {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.change_on_disk(&mut db, PATH, Some(b"int on_disk;"));
    let file = documents.open(&mut db, PATH, "int opened;");
    documents.change_on_disk(&mut db, PATH, Some(b"int ignored;"));
    documents.edit(&mut db, PATH, 4..10, "edited");
    assert_eq!(db.text(file).map(|text| text.slice(0..100)).as_deref(), Some("int edited;"));

    documents.close(&mut db, PATH, Some(b"int back;"));
    assert_eq!(db.text(file).map(|text| text.slice(0..100)).as_deref(), Some("int back;"));
    documents.change_on_disk(&mut db, PATH, None);
    assert_eq!(documents.file(PATH), None);
    assert!(Project::get(&db).files(&db).is_empty());
    assert!(file.segments(&db).is_empty());

    assert_eq!(documents.open(&mut db, PATH, "int again;"), file, "the input is kept for when the file comes back");
    assert_eq!(documents.file(PATH), Some(file));
}

#[test]
fn bytes_that_are_no_utf8_are_replaced() {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.change_on_disk(&mut db, PATH, Some(b"int \xff;"));
    let file = documents.file(PATH).expect("the file is there");
    assert_eq!(db.text(file).map(|text| text.slice(0..100)).as_deref(), Some("int \u{fffd};"));
    // An offset inside a character goes to its start.
    documents.edit(&mut db, PATH, 5..6, "x");
    assert_eq!(db.text(file).map(|text| text.slice(0..100)).as_deref(), Some("int x\u{fffd};"));
    documents.edit(&mut db, PATH, 100..200, "y");
    assert_eq!(db.text(file).map(|text| text.slice(0..100)).as_deref(), Some("int x\u{fffd};y"));
}

#[test]
fn settings_are_inputs() {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    documents.set_search_roots(&mut db, vec!["/lib".into()]);
    documents.set_macro_definitions(&mut db, vec![("A".into(), "1".into())]);
    let project = Project::get(&db);
    assert_eq!(**project.search_roots(&db), [Arc::from("/lib")]);
    assert_eq!(**project.macro_definitions(&db), [(Arc::from("A"), Arc::from("1"))]);
}

#[test]
fn positions_go_from_segments_to_offsets_and_back() {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    let text = "struct S {\n  int a;\n  int f() { return a; }\n};\nint g() { return 1; }\n";
    let file = documents.open(&mut db, PATH, text);
    let text_of = db.text(file).expect("a text");
    for offset in 0..text.len() {
        let (segment, part, inside) = text_of.part_at(offset).expect("every byte belongs to a segment");
        let start = text_of.part_start(segment, part).expect("the segment has a place");
        assert_eq!(start + inside, offset);
        let part_text = match part {
            Part::Header => segment.header(&db),
            Part::Body => segment.body(&db),
        };
        assert_eq!(part_text.as_bytes()[inside], text.as_bytes()[offset]);
    }
    let (_, part, inside) = text_of.part_at(text.len()).expect("the end belongs to the last segment");
    assert_eq!((part, inside), (Part::Header, 1), "the line break at the end");
}

#[test]
fn the_prelude_is_listed_and_constant() {
    let mut db = RootDatabase::default();
    let mut documents = Documents::new(&mut db);
    let text = "struct S { int f(); }\nfloat sin(float x);\n";
    documents.load_prelude(&mut db, [syntax::segment::LibraryFile::read("math", text)]);
    let file = documents.file("prelude:/math.slang").expect("the file is there");
    assert_eq!(**Project::get(&db).prelude(&db), [file]);
    assert_eq!(file.segments(&db).len(), 3, "two declarations and the end of the file");
    assert_eq!(file.segments(&db)[0].members(&db).len(), 1);
}
