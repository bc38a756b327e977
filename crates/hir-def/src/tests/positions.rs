use syntax::TextSize;

use super::{file, find};
use crate::{
    body::{Expr, queries::body},
    local_scope::local_scopes,
    position::absolute,
    source_map::{body_source_map, item_source, items_at, segment_at},
};

const TEXT: &str = "
int other;
float f(float x, int n) {
    float y = x;
    for (int i = 0; i < n; ++i) { float y = i; g(y); }
    return y.z;
}
";

#[test]
fn items_and_expressions_know_their_text() {
    let (db, file) = file(TEXT);
    let f = find(&db, file, "f");
    let text = |location| {
        let (_, range) = absolute(&db, location);
        &TEXT[usize::from(range.start())..usize::from(range.end())]
    };
    let source = item_source(&db, f).as_ref().expect("f is there");
    assert_eq!(source.name.map(text), Some("f"));
    assert_eq!(source.params[1].map(text), Some("n"));

    let map = body_source_map(&db, f);
    let body = body(&db, f);
    let (member, _) = body.store.exprs.iter().find(|(_, expr)| matches!(expr, Expr::Member { .. })).expect("y.z");
    assert_eq!(text(map.expr(member)), "y.z");
    assert_eq!(text(map.expr_name(member)), "z");
    assert_eq!(text(map.local(body.params[0])), "x");
}

#[test]
fn an_offset_finds_the_expression_and_the_locals_there() {
    let (db, file) = file(TEXT);
    let f = find(&db, file, "f");
    let (body, map, scopes) = (body(&db, f), body_source_map(&db, f), local_scopes(&db, f));
    let locals_at = |place: &str| {
        let offset = TEXT.find(place).expect("the place") as u32;
        let (segment, part, offset) = segment_at(&db, file, TextSize::new(offset)).expect("a segment");
        assert_eq!(items_at(&db, segment, part, offset).first(), Some(&f));
        let expr = map.expr_at(offset).expect("an expression");
        scopes.at_expr(expr).map(|local| body.store.locals[local].name.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(locals_at("x;"), ["n", "x"]);
    assert_eq!(locals_at("n; ++i"), ["i", "y", "n", "x"]);
    assert_eq!(locals_at("i; g"), ["i", "y", "n", "x"]);
    assert_eq!(locals_at("y); }"), ["y", "i", "y", "n", "x"]);
    assert_eq!(locals_at("y.z"), ["y", "n", "x"]);
}
