//! Databases for tests: with the core library, and with the files of a fixture.

use base_db::{Db as _, EventLog, RootDatabase, SourceFile, documents::Documents};

use crate::fixture::Fixture;

/// A database with the core library and nothing else.
pub fn with_core_library() -> (RootDatabase, Documents) {
    let mut db = RootDatabase::default();
    let documents = load(&mut db);
    (db, documents)
}

/// The same with a log of the queries that run.
pub fn with_event_log() -> (RootDatabase, Documents, EventLog) {
    let (mut db, log) = RootDatabase::with_event_log();
    let documents = load(&mut db);
    (db, documents, log)
}

fn load(db: &mut RootDatabase) -> Documents {
    let mut documents = Documents::new(db);
    documents.load_prelude(db, prelude::files());
    documents.offer_glsl(prelude::glsl_files);
    documents
}

/// A fixture whose files are open beside the core library.
pub struct TestDatabase {
    /// The database.
    pub db: RootDatabase,
    /// What sets its files.
    pub documents: Documents,
    /// The fixture that it was made of.
    pub fixture: Fixture,
    /// In the order of the fixture.
    pub files: Vec<SourceFile>,
}

impl TestDatabase {
    /// Opens the files of a fixture beside the core library.
    pub fn new(fixture: &str) -> TestDatabase {
        let fixture = Fixture::parse(fixture);
        let (mut db, mut documents) = with_core_library();
        let files: Vec<SourceFile> =
            fixture.files.iter().map(|file| documents.open(&mut db, &file.path, &file.text)).collect();
        // Any sign of it will do here.
        if ["glsl", "#version"].iter().any(|word| fixture.files.iter().any(|file| file.text.contains(word))) {
            documents.load_glsl(&mut db);
        }
        TestDatabase { db, documents, fixture, files }
    }

    /// The file with the cursor, and the offset of the cursor in bytes.
    pub fn cursor(&self) -> (SourceFile, u32) {
        let (index, offset) = self.fixture.cursor.expect("a fixture with a cursor `$0`");
        (self.files[index], offset as u32)
    }

    /// The file that a test without a cursor is about: the last one.
    pub fn last_file(&self) -> SourceFile {
        *self.files.last().expect("a fixture of at least one file")
    }

    /// The text of any file: of the fixture, or of the core library.
    pub fn text(&self, file: SourceFile) -> String {
        self.db.text(file).expect("the file is there").rope().to_string()
    }
}
