//! Where names lead.

use ide::document_links::document_links;
use test_support::database::TestDatabase;

use crate::check::{check_definition, check_leads_to_file, check_type_definition};

#[test]
fn a_call_leads_to_the_function_of_another_module() {
    check_definition(
        "\
//- /lib.slang
module lib;
public float square(float x) { return x * x; }
           //^^^^^^ here
//- /main.slang
import lib;
float f(float x) { return squ$0are(x); }
",
    );
}

#[test]
fn a_local_hides_what_is_outside() {
    check_definition(
        "\
float weight;
float f(float weight) { return wei$0ght; }
            //^^^^^^ here
",
    );
}

#[test]
fn a_value_leads_to_its_type() {
    check_type_definition(
        "\
struct Lamp { float power; }
     //^^^^ here
float f(Lamp lamp) { return la$0mp.power; }
",
    );
}

/// Everything but the main file, which the tests put in front.
const NEIGHBOURS: &str = "\
//- /lib.slang
module lib;
//- /part.slang
implementing main;
//- /common.h
#define SCALE 2.0
//- /nested/deep.slang
module deep;
//- /main.slang
module main;
";

#[test]
fn names_of_files_lead_to_their_beginnings() {
    for (line, path) in [
        ("import l$0ib;", "/lib.slang"),
        ("import nested.d$0eep;", "/nested/deep.slang"),
        ("__include p$0art;", "/part.slang"),
        ("#include \"com$0mon.h\"", "/common.h"),
        // Whether its condition holds or not, and inside of a body as well.
        ("#if 0\n#include <l$0ib.slang>\n#endif", "/lib.slang"),
        ("float f()\n{\n    #include \"com$0mon.h\"\n    return 1;\n}", "/common.h"),
    ] {
        check_leads_to_file(&format!("{NEIGHBOURS}{line}\n"), path);
    }
}

#[test]
fn a_part_leads_to_its_module() {
    check_leads_to_file(
        "//- /main.slang\nmodule main;\n__include part;\n//- /part.slang\nimplementing m$0ain;\n",
        "/main.slang",
    );
}

#[test]
fn a_module_declares_its_name() {
    check_definition("module l$0ib;\n     //^^^ here\n");
}

#[test]
fn what_is_missing_leads_nowhere_else() {
    check_definition("import now$0here;\n     //^^^^^^^ here\n");
}

#[test]
fn a_macro_leads_to_its_definition() {
    check_definition(
        "\
//- /shared.slangh
#define SCALE 1
      //^^^^^ here
//- /main.slang
#include \"shared.slangh\"
float f() { return SC$0ALE; }
",
    );
}

#[test]
fn names_of_files_are_links() {
    let test = TestDatabase::new(
        "//- /lib.slang\nmodule lib;\n//- /shared.slangh\n#define A 1\n//- /main.slang\n#include \"shared.slangh\"\nimport lib;\nimport missing;\n#include <gone.h>\n",
    );
    let file = test.last_file();
    let links = document_links(&test.db, file).into_iter();
    let shown: Vec<(String, String)> = links
        .map(|(range, target)| {
            (test.text(file)[std::ops::Range::<usize>::from(range)].to_owned(), target.path(&test.db).to_string())
        })
        .collect();
    let expected = [("shared.slangh", "/shared.slangh"), ("lib", "/lib.slang")];
    assert_eq!(shown, expected.map(|(text, path)| (text.to_owned(), path.to_owned())));
}

#[test]
fn an_operator_leads_to_its_function() {
    let declared = "struct V { float x; }\nV operator+(V a, V b) { return a; }\n//^^^^^^^^^ here\n";
    check_definition(&format!("{declared}V f(V a, V b) {{ return a $0+ b; }}\n"));
    check_definition(
        "struct V { float x; }\nV operator-(V a) { return a; }\n//^^^^^^^^^ here\nV f(V a) { return $0-a; }\n",
    );
}

#[test]
fn the_function_in_an_attribute_leads_to_it() {
    check_definition(
        "\
[BackwardDerivative(sl$0ope)] float f(float x) { return x; }
void slope(inout DifferentialPair<float> x, float d) { }
   //^^^^^ here
",
    );
    check_definition(
        "\
float f(float x) { return x; }
    //^ here
[ForwardDerivativeOf($0f)] DifferentialPair<float> slope(DifferentialPair<float> x) { return x; }
",
    );
}

#[test]
fn the_derivative_of_a_pair_leads_to_its_type() {
    check_definition(
        "\
struct Own : IDifferentiable { typealias Differential = Slope; float x; }
struct Slope : IDifferentiable { typealias Differential = Slope; float x; }
     //^^^^^ here
Slope f(DifferentialPair<Own> p) { return p.$0d; }
",
    );
}

#[test]
fn the_type_of_a_buffer_is_that_of_its_elements() {
    check_type_definition(
        "\
struct Lamp { float power; }
     //^^^^ here
RWStructuredBuffer<Lamp> lamps;
float f() { return lam$0ps[0].power; }
",
    );
}

#[test]
fn a_declaration_leads_to_the_type_of_what_it_declares() {
    let lamp = "struct Lamp { float power; }\n     //^^^^ here\n";
    for declaration in [
        "La$0mp spot;",
        "Lamp sp$0ot;",
        "ConstantBuffer<Lamp> sp$0ot;",
        "struct Room { Lamp sp$0ot; }",
        "struct Room { property Lamp sp$0ot { get { return {}; } } }",
        "void f(Lamp sp$0ot) { }",
        "void f() { Lamp sp$0ot; }",
        "void f() { let sp$0ot = Lamp(1.0); }",
    ] {
        check_type_definition(&format!("{lamp}{declaration}\n"));
    }
}

#[test]
fn types_that_the_compiler_knows_lead_to_the_core_library() {
    for (text, declared) in [
        ("RWByteAddress$0Buffer b;", "RWByteAddressBuffer"),
        ("SamplerS$0tate s;", "SamplerState"),
        ("void f(DifferentialP$0air<float> p) { }", "DifferentialPair"),
    ] {
        let test = TestDatabase::new(text);
        let found = ide::definition::definition(&test.db, crate::check::cursor(&test));
        let place = found.first().unwrap_or_else(|| panic!("{text}"));
        let whole = test.text(place.file);
        assert_eq!(&whole[std::ops::Range::<usize>::from(place.range)], declared);
    }
}

#[test]
fn a_break_leads_to_the_label_that_it_leaves() {
    check_definition(
        "\
int f(int n)
{
    outer: for (int i = 0; i < n; i++)
    { }
    outer: for (int i = 0; i < n; i++)
  //^^^^^ here
    {
        inner: for (int j = 0; j < n; j++) { if (j > i) break out$0er; }
    }
    return n;
}
",
    );
}

#[test]
fn associated_types_of_associated_types() {
    check_definition(
        "\
interface IInner { associatedtype Last; }
                                //^^^^ here
interface IOuter { associatedtype Inner : IInner; }
void f<T : IOuter>() { T.Inner.La$0st x; }
",
    );
}

#[test]
fn a_parameter_with_the_name_of_a_type_is_the_parameter() {
    check_definition(
        "\
float f(float int32_t) { return int32$0_t; }
            //^^^^^^^ here
",
    );
}

#[test]
fn this_of_an_interface_is_the_interface() {
    check_definition(
        "\
interface IAdd { Th$0is plus(This other); }
        //^^^^ here
",
    );
}

#[test]
fn parts_of_an_optional_lead_to_its_declaration() {
    let test = test_support::database::TestDatabase::new("int f(Optional<int> x) { return x.val$0ue; }");
    let (file, offset) = test.cursor();
    let found = ide::definition::definition(&test.db, ide::FilePosition { file, offset });
    let [place] = found.as_slice() else { panic!("one place: {found:?}") };
    assert_eq!(&test.text(place.file)[std::ops::Range::<usize>::from(place.range)], "Optional");
}
