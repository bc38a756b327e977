//! Random edits: what edits leave behind is what the text alone would give.

use crate::{
    Db, RootDatabase, Segment, SourceFile,
    documents::Documents,
    segmentation::{self, Plan},
    text::Part,
};

const PATH: &str = "/a.slang";

const TEXTS: [&str; 4] = [
    "
// A comment.
float square(float x) { return x * x; }

/// Doc.
struct Shape : IShape
{
    float radius;
    float area() { return 3.14 * radius * radius; }
    property float twice { get { return 2 * radius; } set { radius = newValue / 2; } }
};

enum Kind { A, B = 4, C }
[Differentiable] float f(float x, no_diff float y)
{
    if (x > 0) { x += y; } // trailing
    for (int i = 0; i < 3; ++i) { x *= 2; }
    return x;
}
static const float values[] = { 1, 2, 3 };
float after(float x) { return x; }
float last(float x) { return x; }
",
    "
namespace outer { namespace inner {
    struct A { int a; int b; int f() { return a; } int g() { return b; } }
    int first() { return 1; }
    int second() { return 2; }
    int third() { return 3; }
    extension A { int h() { return 0; } }
} }
interface I { int m(); int n(); associatedtype T; }
int free() { return 0; }
",
    "
#define TWICE(x) ((x) * 2)
#if 1
int a() { return TWICE(1); }
#else
int b() { return 1; }
#endif
#ifdef X
int c() {
#else
int c(int x) {
#endif
    return 0;
}
int d() {
#if 1
    return 1;
#endif
}
int e() { return 1; }
",
    "int é() { return /* ü */ 1; }\nint x = \"ä{\";\nint y() { return '{'; }\n// ß\n",
];

const INSERTIONS: [&str; 30] = [
    "x",
    "1",
    " ",
    "\n",
    ";",
    "{",
    "}",
    "(",
    ")",
    "//",
    "/*",
    "*/",
    "\"",
    "#if 1\n",
    "#endif\n",
    "\n#else\n",
    "\nfloat added(float q) { return q; }\n",
    "int member;",
    "ü",
    "struct T { int q; };",
    " + 2",
    "return 1;",
    "[A]",
    "// ",
    "/* ",
    "<",
    "\nnamespace n {\n",
    "#define D 1\n",
    ":",
    ",",
];

#[test]
fn edited_segments_equal_those_of_the_text() {
    let mut random = fastrand::Rng::with_seed(1);
    for text in TEXTS {
        for _ in 0..12 {
            let mut session = Session::new(text);
            for _ in 0..40 {
                session.random_edit(&mut random);
                session.check();
            }
        }
    }
}

#[test]
fn segments_are_recycled() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut session = Session::new(TEXTS[0]);
    let mut most = 0;
    for round in 0..10_000 {
        session.random_edit(&mut random);
        if round % 50 == 49 {
            session.set_text(TEXTS[round / 50 % TEXTS.len()]);
        }
        most = most.max(count(&session.db, session.file.segments(&session.db)));
    }
    session.check();
    let made = session.documents.segment_count();
    // Segments are made before those they replace are given back, hence twice.
    assert!(made <= 2 * most, "{made} segments were made, {most} were in use at once");
}

struct Session {
    db: RootDatabase,
    documents: Documents,
    file: SourceFile,
    text: String,
}

impl Session {
    fn new(text: &str) -> Session {
        let mut db = RootDatabase::default();
        let mut documents = Documents::new(&mut db);
        let file = documents.open(&mut db, PATH, text);
        Session { db, documents, file, text: text.to_owned() }
    }

    fn set_text(&mut self, text: &str) {
        self.documents.open(&mut self.db, PATH, text);
        self.text = text.to_owned();
    }

    /// Inserts, deletes or replaces a little, mostly near the last place.
    fn random_edit(&mut self, random: &mut fastrand::Rng) {
        let boundary = |text: &str, mut offset: usize| {
            while !text.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let start = boundary(&self.text, random.usize(..=self.text.len()));
        let length = if random.bool() { 0 } else { random.usize(..8) };
        let end = boundary(&self.text, (start + length).min(self.text.len())).max(start);
        let with = if random.u8(..4) == 0 { "" } else { INSERTIONS[random.usize(..INSERTIONS.len())] };
        self.text.replace_range(start..end, with);
        self.documents.edit(&mut self.db, PATH, start..end, with);
    }

    fn check(&self) {
        let plans = segmentation::segment(&self.text);
        let segments = self.file.segments(&self.db);
        let same = plans.len() == segments.len()
            && plans.iter().zip(segments.iter()).all(|(plan, segment)| plan.matches(&self.db, *segment));
        assert!(same, "in\n{}\nfound\n{}\nexpected\n{}", self.text, show(&self.db, segments), show_plans(&plans));
        let text = self.db.text(self.file).expect("a text");
        assert_eq!(text.rope().to_string(), self.text);
        let mut offset = 0;
        self.check_layout(segments, None, &mut offset);
        assert_eq!(offset, self.text.len());
    }

    fn check_layout(&self, segments: &[Segment], parent: Option<Segment>, offset: &mut usize) {
        let text = self.db.text(self.file).expect("a text");
        for &segment in segments {
            assert_eq!(segment.parent(&self.db), parent);
            assert_eq!(segment.has_body(&self.db), !segment.body(&self.db).is_empty());
            assert_eq!(text.part_start(segment, Part::Header), Some(*offset));
            *offset += segment.header(&self.db).len();
            self.check_layout(segment.members(&self.db), Some(segment), offset);
            assert_eq!(text.part_start(segment, Part::Body), Some(*offset));
            *offset += segment.body(&self.db).len();
        }
    }
}

fn count(db: &RootDatabase, segments: &[Segment]) -> usize {
    segments.iter().map(|segment| 1 + count(db, segment.members(db))).sum()
}

fn show(db: &RootDatabase, segments: &[Segment]) -> String {
    let show = |segment: &Segment| {
        let members = show(db, segment.members(db));
        format!("{:?} {:?} [{members}] {:?}\n", segment.kind(db), segment.header(db), segment.body(db))
    };
    segments.iter().map(show).collect()
}

fn show_plans(plans: &[Plan<'_>]) -> String {
    let show = |plan: &Plan<'_>| {
        format!("{:?} {:?} [{}] {:?}\n", plan.kind, plan.header, show_plans(&plan.members), plan.body)
    };
    plans.iter().map(show).collect()
}
