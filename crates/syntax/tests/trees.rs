//! The shapes of trees, above all where tokens alone are ambiguous and where code is broken.

use expect_test::{Expect, expect};
use rowan::NodeOrToken;
use syntax::{SyntaxKind, SyntaxNode, parse_file};

/// The tree in parentheses: nodes that only wrap one thing are left out, types are marked by a colon.
fn outline(node: &SyntaxNode, out: &mut String) {
    let visible: Vec<_> = node.children_with_tokens().filter(|child| child.kind() != SyntaxKind::WHITESPACE).collect();
    let wraps = matches!(
        node.kind(),
        SyntaxKind::NAME
            | SyntaxKind::NAME_REF
            | SyntaxKind::PATH
            | SyntaxKind::PATH_EXPR
            | SyntaxKind::PATH_TYPE
            | SyntaxKind::LITERAL_EXPR
            | SyntaxKind::DECL_STMT
            | SyntaxKind::DECLARATOR
            | SyntaxKind::EXPR_CONDITION
    );
    let is_wrapper = wraps && visible.len() == 1;
    if node.kind() == SyntaxKind::PATH_TYPE {
        out.push(':');
    }
    if !is_wrapper {
        out.push_str(&format!("({:?}", node.kind()));
    }
    for child in visible {
        if !is_wrapper {
            out.push(' ');
        }
        match child {
            NodeOrToken::Node(child) => outline(&child, out),
            NodeOrToken::Token(token) => out.push_str(token.text()),
        }
    }
    if !is_wrapper {
        out.push(')');
    }
}

fn with_errors(text: &str, shown: impl IntoIterator<Item = SyntaxNode>) -> String {
    let mut out = String::new();
    for node in shown {
        outline(&node, &mut out);
        out.push('\n');
    }
    for error in parse_file(text).errors {
        out += &format!("error at {:?}: {}\n", &text[error.range], error.message);
    }
    out
}

/// The declarations of a file.
fn check(text: &str, expected: Expect) {
    let root = parse_file(text).syntax_node();
    expected.assert_eq(&with_errors(text, root.children()));
}

/// The statements of a function.
fn check_body(body: &str, expected: Expect) {
    let text = format!("void f() {{ {body} }}");
    let root = parse_file(&text).syntax_node();
    let block = root.descendants().find(|node| node.kind() == SyntaxKind::BLOCK_STMT).expect("there is a body");
    expected.assert_eq(&with_errors(&text, block.children()));
}

#[test]
fn declarations_and_expressions_are_told_apart() {
    check_body(
        "a * b; a[1] b; a[1] = b; a.b.c d; a.b = c; a::b(c); A<B> c; a < b; A<B>.c d; A<B>.c(); T[2][3] x;",
        expect![[r#"
            (VAR_DECL (POINTER_TYPE :a *) b ;)
            (VAR_DECL (ARRAY_TYPE :a [ 1 ]) b ;)
            (EXPR_STMT (BIN_EXPR (INDEX_EXPR a [ (INDEX_ARGS 1) ]) = b) ;)
            (VAR_DECL :(PATH (PATH a . b) . c) d ;)
            (EXPR_STMT (BIN_EXPR (FIELD_EXPR a . b) = c) ;)
            (EXPR_STMT (CALL_EXPR (PATH a :: b) (ARG_LIST ( c ))) ;)
            (VAR_DECL :(PATH A (GENERIC_ARG_LIST < (TYPE_ARG :B) >)) c ;)
            (EXPR_STMT (BIN_EXPR a < b) ;)
            (VAR_DECL :(PATH (PATH A (GENERIC_ARG_LIST < (TYPE_ARG :B) >)) . c) d ;)
            (EXPR_STMT (CALL_EXPR (FIELD_EXPR (PATH A (GENERIC_ARG_LIST < (TYPE_ARG :B) >)) . c) (ARG_LIST ( ))) ;)
            (VAR_DECL (ARRAY_TYPE (ARRAY_TYPE :T [ 2 ]) [ 3 ]) x ;)
        "#]],
    );
}

#[test]
fn comparisons_and_generic_arguments_are_told_apart() {
    check_body(
        "x = a < b && c > (d); x = f<T>(a); x = a < b > c; g(a < b, c > d); x = A<B<3>>::c; x = i < n - 1; x = (a < b >> c);",
        expect![[r#"
            (EXPR_STMT (BIN_EXPR x = (BIN_EXPR (BIN_EXPR a < b) && (BIN_EXPR c > (PAREN_EXPR ( d ))))) ;)
            (EXPR_STMT (BIN_EXPR x = (CALL_EXPR (PATH f (GENERIC_ARG_LIST < (TYPE_ARG :T) >)) (ARG_LIST ( a )))) ;)
            (EXPR_STMT (BIN_EXPR x = (BIN_EXPR (BIN_EXPR a < b) > c)) ;)
            (EXPR_STMT (CALL_EXPR g (ARG_LIST ( (BIN_EXPR a < b) , (BIN_EXPR c > d) ))) ;)
            (EXPR_STMT (BIN_EXPR x = (PATH (PATH A (GENERIC_ARG_LIST < (TYPE_ARG :(PATH B (GENERIC_ARG_LIST < (EXPR_ARG 3) >))) >)) :: c)) ;)
            (EXPR_STMT (BIN_EXPR x = (BIN_EXPR i < (BIN_EXPR n - 1))) ;)
            (EXPR_STMT (BIN_EXPR x = (PAREN_EXPR ( (BIN_EXPR a < (BIN_EXPR b >> c)) ))) ;)
        "#]],
    );
}

#[test]
fn casts_and_parentheses_are_told_apart() {
    check_body(
        "x = (float)-a; x = (n) - a; x = (T)a; x = (f)(a); x = (A<B>)a; x = (int*)p; x = (a.b) * c; x = (a + b)(c);",
        expect![[r#"
            (EXPR_STMT (BIN_EXPR x = (CAST_EXPR ( :float ) (PREFIX_EXPR - a))) ;)
            (EXPR_STMT (BIN_EXPR x = (BIN_EXPR (PAREN_EXPR ( n )) - a)) ;)
            (EXPR_STMT (BIN_EXPR x = (CAST_EXPR ( :T ) a)) ;)
            (EXPR_STMT (BIN_EXPR x = (CAST_EXPR ( :f ) (PAREN_EXPR ( a )))) ;)
            (EXPR_STMT (BIN_EXPR x = (CAST_EXPR ( :(PATH A (GENERIC_ARG_LIST < (TYPE_ARG :B) >)) ) a)) ;)
            (EXPR_STMT (BIN_EXPR x = (CAST_EXPR ( (POINTER_TYPE :int *) ) p)) ;)
            (EXPR_STMT (BIN_EXPR x = (BIN_EXPR (PAREN_EXPR ( (FIELD_EXPR a . b) )) * c)) ;)
            (EXPR_STMT (BIN_EXPR x = (CALL_EXPR (PAREN_EXPR ( (BIN_EXPR a + b) )) (ARG_LIST ( c )))) ;)
        "#]],
    );
}

#[test]
fn precedence_and_associativity() {
    check_body(
        "a = b = c; a - b - c; a + b * c; -a.b[0]++; a ? b : c ? d : e; a, b; a || b && c | d; a >> 2 >= b; a is T == b;",
        expect![[r#"
            (EXPR_STMT (BIN_EXPR a = (BIN_EXPR b = c)) ;)
            (EXPR_STMT (BIN_EXPR (BIN_EXPR a - b) - c) ;)
            (EXPR_STMT (BIN_EXPR a + (BIN_EXPR b * c)) ;)
            (EXPR_STMT (PREFIX_EXPR - (POSTFIX_EXPR (INDEX_EXPR (FIELD_EXPR a . b) [ (INDEX_ARGS 0) ]) ++)) ;)
            (EXPR_STMT (TERNARY_EXPR a ? b : (TERNARY_EXPR c ? d : e)) ;)
            (EXPR_STMT (BIN_EXPR a , b) ;)
            (EXPR_STMT (BIN_EXPR a || (BIN_EXPR b && (BIN_EXPR c | d))) ;)
            (EXPR_STMT (BIN_EXPR (BIN_EXPR a >> 2) >= b) ;)
            (EXPR_STMT (BIN_EXPR (IS_EXPR a is :T) == b) ;)
        "#]],
    );
}

#[test]
fn lambdas_and_tuples() {
    check_body(
        "f((int x, inout float y) => x); let g = () => { return 1; }; let t = (a, b); let u = (a);",
        expect![[r#"
            (EXPR_STMT (CALL_EXPR f (ARG_LIST ( (LAMBDA_EXPR (PARAM_LIST ( (PARAM :int x) , (PARAM (MODIFIER_LIST (MODIFIER inout)) :float y) )) => x) ))) ;)
            (VAR_DECL let (DECLARATOR g = (LAMBDA_EXPR (PARAM_LIST ( )) => (BLOCK_STMT { (RETURN_STMT return 1 ;) }))) ;)
            (VAR_DECL let (DECLARATOR t = (TUPLE_EXPR ( a , b ))) ;)
            (VAR_DECL let (DECLARATOR u = (PAREN_EXPR ( a ))) ;)
        "#]],
    );
}

#[test]
fn differential_expressions() {
    check_body(
        "bwd_diff(f)(a, b); fwd_diff(o.m)(no_diff g(a) + b); let fwd_diff = 1; fwd_diff + 1;",
        expect![[r#"
        (EXPR_STMT (CALL_EXPR (DERIVATIVE_EXPR bwd_diff ( f )) (ARG_LIST ( a , b ))) ;)
        (EXPR_STMT (CALL_EXPR (DERIVATIVE_EXPR fwd_diff ( (FIELD_EXPR o . m) )) (ARG_LIST ( (BIN_EXPR (NO_DIFF_EXPR no_diff (CALL_EXPR g (ARG_LIST ( a )))) + b) ))) ;)
        (VAR_DECL let (DECLARATOR fwd_diff = 1) ;)
        (EXPR_STMT (BIN_EXPR fwd_diff + 1) ;)
    "#]],
    );
}

#[test]
fn functions_in_both_spellings() {
    check(
        "float f(inout float x = 1, no_diff T y[2] : ID);\nfunc g<T : I>(x : inout float = 1)->no_diff T where T : J { }",
        expect![[r#"
            (FUNC_DECL :float f (PARAM_LIST ( (PARAM (MODIFIER_LIST (MODIFIER inout)) :float (DECLARATOR x = 1)) , (PARAM (MODIFIER_LIST (MODIFIER no_diff)) :T (DECLARATOR y (ARRAY_SUFFIX [ 2 ]) (SEMANTIC : ID))) )) ;)
            (FUNC_DECL func g (GENERIC_PARAM_LIST < (TYPE_PARAM T : :I) >) (PARAM_LIST ( (PARAM (DECLARATOR x : (MODIFIED_TYPE (MODIFIER_LIST (MODIFIER inout)) :float) = 1)) )) (RETURN_TYPE -> (MODIFIED_TYPE (MODIFIER_LIST (MODIFIER no_diff)) :T)) (WHERE_CLAUSE where :T : :J) (BLOCK_STMT { }))
        "#]],
    );
}

#[test]
fn modifiers_are_also_names() {
    check(
        "precise sample float line : POINT;\nfloat sample = in + line;\nvoid f(float sample, int point);",
        expect![[r#"
            (VAR_DECL (MODIFIER_LIST (MODIFIER precise) (MODIFIER sample)) :float (DECLARATOR line (SEMANTIC : POINT)) ;)
            (VAR_DECL :float (DECLARATOR sample = (BIN_EXPR in + line)) ;)
            (FUNC_DECL :void f (PARAM_LIST ( (PARAM :float sample) , (PARAM :int point) )) ;)
        "#]],
    );
}

#[test]
fn comments_before_a_declaration_belong_to_it() {
    check(
        "// of the file\n\n/// of a\nint a; // behind a\n// of b\nint b;",
        expect![[r#"
        (VAR_DECL /// of a :int a ;)
        (VAR_DECL // of b :int b ;)
    "#]],
    );
}

#[test]
fn generic_parameters() {
    check(
        "struct S<T : I = J, let N : int = 3, int M, each U> { }",
        expect![[r#"
        (STRUCT_DECL struct S (GENERIC_PARAM_LIST < (TYPE_PARAM T : :I = (TYPE_ARG :J)) , (VALUE_PARAM let N : :int = 3) , (VALUE_PARAM :int M) , (TYPE_PARAM each U) >) (ITEM_LIST { }))
    "#]],
    );
}

#[test]
fn a_member_name_may_be_missing() {
    check_body(
        "a.\n float x = 1; b.; c->(1); if (d.) { }",
        expect![[r#"
            (EXPR_STMT (FIELD_EXPR a .))
            (VAR_DECL :float (DECLARATOR x = 1) ;)
            (EXPR_STMT (FIELD_EXPR b .) ;)
            (EXPR_STMT (CALL_EXPR (FIELD_EXPR c ->) (ARG_LIST ( 1 ))) ;)
            (IF_STMT if ( (FIELD_EXPR d .) ) (BLOCK_STMT { }))
            error at "float": expected a member name
            error at ";": expected a member name
            error at "(": expected a member name
            error at ")": expected a member name
        "#]],
    );
}

#[test]
fn a_name_may_be_missing_between_two_dots() {
    check_body(
        "a..x = 1; f(b[0]..y.z);",
        expect![[r#"
            (EXPR_STMT (BIN_EXPR (FIELD_EXPR a .. x) = 1) ;)
            (EXPR_STMT (CALL_EXPR f (ARG_LIST ( (FIELD_EXPR (FIELD_EXPR (INDEX_EXPR b [ (INDEX_ARGS 0) ]) .. y) . z) ))) ;)
            error at "..": expected one `.`
            error at "..": expected one `.`
        "#]],
    );
}

#[test]
fn only_break_names_a_label() {
    check_body(
        "break outer; continue outer; continue;",
        expect![[r#"
            (BREAK_STMT break outer ;)
            (CONTINUE_STMT continue (ERROR outer) ;)
            (CONTINUE_STMT continue ;)
            error at "outer": expected `;`: only `break` names a label
        "#]],
    );
}

#[test]
fn broken_statements_leave_their_neighbours_alone() {
    check_body(
        "int x = ; y = 1 z = 2; foo(1, , 2; ) a; return }",
        expect![[r#"
            (VAR_DECL :int (DECLARATOR x =) ;)
            (EXPR_STMT (BIN_EXPR y = 1))
            (EXPR_STMT (BIN_EXPR z = 2) ;)
            (EXPR_STMT (CALL_EXPR foo (ARG_LIST ( 1 , , 2)) ;)
            (ERROR ))
            (EXPR_STMT a ;)
            (RETURN_STMT return)
            error at ";": expected an expression
            error at "z": expected `;`
            error at ",": expected an argument
            error at ";": expected `)`
            error at ")": expected an expression
            error at "}": expected `;`
            error at "}": unmatched `}`
        "#]],
    );
}

#[test]
fn an_open_function_ends_at_the_next_declaration() {
    check(
        "void f(int a\n{\n    if (x) {\n    g();\n\nstruct S { int a; }\n\n[numthreads(1,1,1)]\nvoid g(int b) { }\n",
        expect![[r#"
            (FUNC_DECL :void f (PARAM_LIST ( (PARAM :int a)) (BLOCK_STMT { (IF_STMT if ( x ) (BLOCK_STMT { (EXPR_STMT (CALL_EXPR g (ARG_LIST ( ))) ;)))))
            (STRUCT_DECL struct S (ITEM_LIST { (VAR_DECL :int a ;) }))
            (FUNC_DECL (MODIFIER_LIST (ATTRIBUTE_LIST [ (ATTRIBUTE numthreads (ARG_LIST ( 1 , 1 , 1 ))) ])) :void g (PARAM_LIST ( (PARAM :int b) )) (BLOCK_STMT { }))
            error at "": expected `)`
            error at "": expected `}`
        "#]],
    );
}

#[test]
fn an_open_struct_ends_at_the_next_declaration() {
    check(
        "struct S\n{\n    int a;\n    void m() { if (a) { }\n\nvoid f() { }\n",
        expect![[r#"
        (STRUCT_DECL struct S (ITEM_LIST { (VAR_DECL :int a ;) (FUNC_DECL :void m (PARAM_LIST ( )) (BLOCK_STMT { (IF_STMT if ( a ) (BLOCK_STMT { }))))))
        (FUNC_DECL :void f (PARAM_LIST ( )) (BLOCK_STMT { }))
        error at "": expected `}`
        error at "": expected `}`
    "#]],
    );
}

#[test]
fn a_declaration_without_semicolon_ends_at_the_next() {
    check(
        "float a = 3\nfloat b\nvoid f()\nstruct S { }\nimport a\nint c;",
        expect![[r#"
        (VAR_DECL :float (DECLARATOR a = 3))
        (VAR_DECL :float b)
        (FUNC_DECL :void f (PARAM_LIST ( )))
        (STRUCT_DECL struct S (ITEM_LIST { }))
        (IMPORT_DECL import (MODULE_PATH a))
        (VAR_DECL :int c ;)
        error at "float": expected `;`
        error at "": expected `;`
        error at "": expected `{` or `;`
        error at "": expected `;`
    "#]],
    );
}

#[test]
fn stray_tokens_are_kept_apart() {
    check(
        "int a; } ) int b; = 5; int c;",
        expect![[r#"
        (VAR_DECL :int a ;)
        (ERROR })
        (ERROR ))
        (VAR_DECL :int b ;)
        (ERROR =)
        (ERROR 5)
        (EMPTY_DECL ;)
        (VAR_DECL :int c ;)
        error at "}": unmatched `}`
        error at ")": expected a declaration
        error at "=": expected a declaration
        error at "5": expected a declaration
    "#]],
    );
}

#[test]
fn conditionals_may_cross_declarations() {
    check(
        "#if A\nvoid f(int a) {\n#else\nvoid f(float a) {\n#endif\n}\nint after;",
        expect![[r#"
        (DIRECTIVE # if A)
        (FUNC_DECL :void f (PARAM_LIST ( (PARAM :int a) )) (BLOCK_STMT { (DIRECTIVE # else) (FUNC_DECL :void f (PARAM_LIST ( (PARAM :float a) )) (BLOCK_STMT { (DIRECTIVE # endif) }))))
        (VAR_DECL :int after ;)
        error at "": expected `}`
    "#]],
    );
}

#[test]
fn an_array_type_behind_a_struct_begins_the_next_declaration() {
    check(
        "struct A { int x; }\nfloat2[4] corners(A a) { return 0; }\nstruct B { int x; } all[4];",
        expect![[r#"
            (STRUCT_DECL struct A (ITEM_LIST { (VAR_DECL :int x ;) }))
            (FUNC_DECL (ARRAY_TYPE :float2 [ 4 ]) corners (PARAM_LIST ( (PARAM :A a) )) (BLOCK_STMT { (RETURN_STMT return 0 ;) }))
            (STRUCT_DECL struct B (ITEM_LIST { (VAR_DECL :int x ;) }) (DECLARATOR_LIST (DECLARATOR all (ARRAY_SUFFIX [ 4 ]))) ;)
        "#]],
    );
}

#[test]
fn modifiers_that_exclude_each_other() {
    let errors = |text: &str| syntax::parse_file(text).errors.iter().map(|error| error.code.0).collect::<Vec<_>>();
    for wrong in [
        "void f(in in int a) {}",
        "void f(const const int a) {}",
        "void f(inout out int a) {}",
        "void f(linear centroid float a) {}",
        "static static int a;",
        "static uniform int a;",
        "public internal int a;",
        "void f() { const const int a = 1; }",
        "struct S { noperspective nointerpolation float a; }",
    ] {
        assert_eq!(errors(wrong), [31202], "{wrong}");
    }
    for right in ["void f(in out int a, const in int b, out in int c) {}", "public static const uint a = 1;"] {
        assert_eq!(errors(right), [0; 0], "{right}");
    }
}

#[test]
fn a_where_clause_without_its_colon_goes_on() {
    check(
        "struct Net<A> where A IDefaultInitializable { A l0; }",
        expect![[r#"
            (STRUCT_DECL struct Net (GENERIC_PARAM_LIST < (TYPE_PARAM A) >) (WHERE_CLAUSE where :A :IDefaultInitializable) (ITEM_LIST { (VAR_DECL :A l0 ;) }))
            error at "IDefaultInitializable": expected `:`
        "#]],
    );
}

#[test]
fn a_comma_between_where_clauses_is_one_error() {
    let errors =
        |text: &str| syntax::parse_file(text).errors.into_iter().map(|error| error.message).collect::<Vec<_>>();
    for head in [
        "struct S<T, U>",
        "interface I<T, U>",
        "extension<T, U> S<T, U>",
        "enum E<T, U>",
        "void f<T, U>()",
        "func g<T, U>()",
    ] {
        for wrong in
            ["where T : A, U : B", "where T : A, where U : B", "where T.C == A, T : B", "where T : A, B, U.C == B"]
        {
            let text = format!("{head} {wrong} {{}}");
            let found = errors(&text);
            assert!(matches!(&*found, [only] if only.starts_with("expected `where`, not `,`")), "{text}: {found:?}");
        }
        for right in ["where T : A, B", "where T : A where U : B", "where T : A, I<B>, C where T.C == U"] {
            let text = format!("{head} {right} {{}}");
            assert_eq!(errors(&text), [""; 0], "{text}");
        }
    }
}

#[test]
fn a_broken_list_of_generic_parameters_is_one_error() {
    for text in [
        "struct A<T { T x; } struct B { A<int> a; }",
        "struct A<T : { T x; }",
        "struct A<T : I { T x; }",
        "struct A<let N : int { int x[N]; }",
        "interface I<T { T x(); }",
        "enum E<T { A }",
        "extension<T A<T> { int x() { return 1; } }",
        "void f<T(int x) { int y = x; }",
        "void f<T : I(int x) { int y = x; }",
        "void f<T>>(int x) { int y = x; }",
        "struct A<T>> { T x; }",
        "__generic<T>> void f() {}",
    ] {
        let errors = syntax::parse_file(text).errors;
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    }
}

#[test]
fn variables_of_a_type_begin_on_the_line_of_its_brace() {
    let errors = |text: &str| syntax::parse_file(text).errors.len();
    for declared in ["struct A { int x; }", "enum A { x }", "class A { int x; }"] {
        for (behind, count) in [(" a;", 0), (" a = f(), b[2];", 0), ("\na;", 1), ("\n;", 0), ("\nint a;", 0)] {
            let text = format!("{declared}{behind}");
            assert_eq!(errors(&text), count, "{text}");
            let text = format!("void f() {{ {declared}{behind}\n}}");
            let is_expression = behind == "\na;";
            assert_eq!(errors(&text), if is_expression { 0 } else { count }, "{text}");
            let text = format!("namespace N\n{{\n{declared}{behind}\n}}");
            assert_eq!(errors(&text), count, "{text}");
        }
        assert_eq!(errors(&format!("typedef {}\nB;", declared.replace("class", "struct"))), 0);
    }
    assert_eq!(errors("#version 450\nbuffer A { int x; }\na;"), 0);
}

#[test]
fn only_an_if_declares_a_name_in_its_condition() {
    let errors = |text: &str| syntax::parse_file(&format!("void f() {{ {text} }}")).errors.len();
    assert_eq!(errors("if (let x = o) g(x);"), 0);
    assert_eq!(errors("while (let x = o) g(x);"), 1);
}

#[test]
fn static_assertions_stand_in_functions() {
    for (text, count) in [
        ("static_assert(true, \"t\");", 1),
        ("struct S { static_assert(true, \"t\"); }", 1),
        ("void f() { static_assert(true, \"t\"); }", 0),
    ] {
        assert_eq!(syntax::parse_file(text).errors.len(), count, "{text}");
    }
}
