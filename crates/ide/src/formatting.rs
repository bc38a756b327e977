//! Formatting: lines that begin statements and declarations stand where their nesting says, what goes on from them moves
//! with them, and no spaces stand at the ends of lines. A line that is where it belongs is left alone, and so is all that
//! people align: arguments below each other, comments behind code, what macros and directives say. Where a line breaks is
//! the user's choice, but for what a `.clang-format` decides ([`style`]); what stands between `// clang-format off` and
//! `// clang-format on` is left as it is.

mod nesting;
mod spacing;
mod style;

use base_db::{Db, SourceFile};
pub use style::{Braces, SpaceBeforeParens};
use syntax::{SyntaxKind, TextRange, TextSize, lexer};

use crate::{FileRange, TextEdit, excerpt::Excerpt};
use nesting::widths;

/// How texts are formatted. What is said as written is left to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    /// Columns of a level.
    pub indent_width: u32,
    /// Columns of a tab.
    pub tab_width: u32,
    /// Whether lines are indented by spaces.
    pub insert_spaces: bool,
    /// Empty lines behind each other that stay.
    pub max_empty_lines: Option<u32>,
    /// Where braces of bodies stand.
    pub braces: Braces,
    /// The space in front of a condition.
    pub space_before_parens: SpaceBeforeParens,
    /// Whether the last line ends as the others do.
    pub final_newline: bool,
    /// Whether empty lines at the end go.
    pub trim_final_newlines: bool,
}

impl FormatOptions {
    /// Indentation as an editor asks for it, and nothing else.
    pub fn indentation(width: u32, insert_spaces: bool) -> FormatOptions {
        FormatOptions {
            indent_width: width,
            tab_width: width,
            insert_spaces,
            max_empty_lines: None,
            braces: Braces::AsWritten,
            space_before_parens: SpaceBeforeParens::AsWritten,
            final_newline: false,
            trim_final_newlines: false,
        }
    }
}

/// The edits that format the lines which a range touches.
pub fn formatting(db: &dyn Db, file: SourceFile, range: TextRange, options: FormatOptions) -> Vec<TextEdit> {
    let Some(excerpt) = excerpt(db, file, range) else { return Vec::new() };
    let text = excerpt.text();
    let edits = changed_spaces(text, &formatted(text, options)).into_iter();
    let off = spacing::switched_off(text);
    let is_off = |at: TextRange| off.iter().any(|off| off.start < at.end().into() && usize::from(at.start()) < off.end);
    let placed = edits.filter(|(at, _)| !is_off(*at)).filter_map(|(at, text)| {
        let range = excerpt.in_file(at);
        // Spaces with declarations between them are not one space.
        (range.len() == at.len()).then_some((range, text))
    });
    let touched = placed.filter(|(at, _)| range.intersect(*at).is_some());
    touched.map(|(range, text)| TextEdit { at: FileRange { file, range }, text }).collect()
}

/// What is read to format a range.
fn excerpt(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Excerpt> {
    // What switches formatting off does so up to the end of the file, wherever it stands.
    let may_be_off = db.text(file)?.rope().to_string().contains(spacing::SWITCH);
    if may_be_off { Excerpt::whole(db, file) } else { Excerpt::new(db, file, &[range]) }
}

fn formatted(text: &str, options: FormatOptions) -> String {
    let mut spaced = spacing::spaced(text, options);
    for (range, with) in indent(&spaced, options).into_iter().rev() {
        spaced.replace_range(std::ops::Range::<usize>::from(range), &with);
    }
    end_as_wanted(&mut spaced, options);
    spaced
}

fn end_as_wanted(text: &mut String, options: FormatOptions) {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let written = text.trim_end_matches(['\n', '\r']).len();
    let ends_line = written < text.len();
    if options.trim_final_newlines && ends_line {
        text.truncate(written);
        text.push_str(newline);
    }
    // An empty text has no line to end.
    if options.final_newline && !ends_line && written > 0 {
        text.push_str(newline);
    }
}

/// The spaces in which two texts differ; nothing if they differ in anything else.
fn changed_spaces(before: &str, after: &str) -> Vec<(TextRange, String)> {
    if !same_tokens(before, after) {
        return Vec::new();
    }
    let spaces = |text: &str| text.len() - text.trim_start().len();
    let (mut at, mut to) = (0, 0);
    let mut edits = Vec::new();
    loop {
        let (old, new) = (spaces(&before[at..]), spaces(&after[to..]));
        let (old_text, new_text) = (&before[at..at + old], &after[to..to + new]);
        if old_text != new_text {
            let same = |mut pairs: std::iter::Zip<std::str::Bytes<'_>, std::str::Bytes<'_>>| {
                pairs.by_ref().take_while(|(old, new)| old == new).count()
            };
            // Spaces of one byte each are the rule; others are replaced as a whole.
            let is_plain = old_text.is_ascii() && new_text.is_ascii();
            let first = if is_plain { same(old_text.bytes().zip(new_text.bytes())) } else { 0 };
            edits.push((range(at + first, old - first), new_text[first..].to_owned()));
        }
        (at, to) = (at + old, to + new);
        let Some(letter) = before[at..].chars().next() else { return edits };
        (at, to) = (at + letter.len_utf8(), to + letter.len_utf8());
    }
}

/// Whether two texts say the same. Spaces at the ends and beginnings of the lines of comments say nothing.
fn same_tokens(before: &str, after: &str) -> bool {
    let tokens = |text: &str| -> Vec<String> {
        let lexed = lexer::lex(text);
        let of_code = (0..lexed.len()).filter(|index| lexed.kind(*index) != SyntaxKind::WHITESPACE);
        of_code.map(|index| text[lexed.range(index)].lines().map(str::trim).collect::<Vec<_>>().join("\n")).collect()
    };
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    letters(before) == letters(after) && tokens(before) == tokens(after)
}

/// The changes of a text, in order.
fn indent(text: &str, options: FormatOptions) -> Vec<(TextRange, String)> {
    let mut edits = Vec::new();
    for line in widths(text, options).into_iter().filter(|line| !line.is_off) {
        let Some(content) = text.get(line.start..line.end) else { continue };
        let written = content.len() - content.trim_start_matches([' ', '\t']).len();
        if written == content.len() {
            edits.extend((written > 0).then(|| (range(line.start, written), String::new())));
            continue;
        }
        let has_tab = || content[..written].contains('\t');
        if line.new != line.old || line.is_placed && options.insert_spaces && has_tab() {
            edits.push((range(line.start, written), spaces(line.new, options)));
        }
        let kept = content.trim_end_matches([' ', '\t']);
        // Behind a backslash, a space says that the line does not go on.
        if line.may_be_trimmed && !kept.ends_with('\\') && kept.len() < content.len() {
            edits.push((range(line.start + kept.len(), content.len() - kept.len()), String::new()));
        }
    }
    edits
}

fn spaces(width: usize, options: FormatOptions) -> String {
    let tab_size = options.tab_width.max(1) as usize;
    match options.insert_spaces {
        true => " ".repeat(width),
        false => "\t".repeat(width / tab_size) + &" ".repeat(width % tab_size),
    }
}

fn range(start: usize, length: usize) -> TextRange {
    TextRange::at(TextSize::new(start as u32), TextSize::new(length as u32))
}

#[cfg(test)]
mod tests {
    use super::{Braces, FormatOptions, SpaceBeforeParens, changed_spaces};

    fn formatted(text: &str) -> String {
        super::formatted(text, FormatOptions::indentation(4, true))
    }

    #[test]
    fn an_else_stands_below_its_if() {
        let text = "void f()\n{\nwhile (x > 0)\nif (x > 1)\nx -= 1;\nelse\nx -= 2;\nif (a)\nif (b)\ng();\nelse if (c)\nh();\nelse\nk();\nelse\nl();\nfor (;;)\nif (a)\n{\ng();\n}\nelse\n{\nh();\n}\nif (a) {\ng();\n} else if (b) {\nh();\n} else {\nk();\n}\nm();\n}\n";
        let wanted = "void f()\n{\n    while (x > 0)\n        if (x > 1)\n            x -= 1;\n        else\n            x -= 2;\n    if (a)\n        if (b)\n            g();\n        else if (c)\n            h();\n        else\n            k();\n    else\n        l();\n    for (;;)\n        if (a)\n        {\n            g();\n        }\n        else\n        {\n            h();\n        }\n    if (a) {\n        g();\n    } else if (b) {\n        h();\n    } else {\n        k();\n    }\n    m();\n}\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn what_goes_on_is_indented() {
        let text = "void f()\n{\nlet g = (float x) => {\nreturn x;\n};\ncall(1, (float y) => {\nreturn y;\n});\nfloat m[] = {\n1, 2,\n3\n};\ncall(1,\n2,\nk(3,\n4));\nfloat z = x > 0\n? 1\n: 2;\nreturn a\n+ b\n&& c;\n}\nstruct S\n{\n  float a;\n  // last\n};\n";
        let wanted = "void f()\n{\n    let g = (float x) => {\n        return x;\n    };\n    call(1, (float y) => {\n        return y;\n    });\n    float m[] = {\n        1, 2,\n        3\n    };\n    call(1,\n        2,\n        k(3,\n        4));\n    float z = x > 0\n        ? 1\n        : 2;\n    return a\n        + b\n        && c;\n}\nstruct S\n{\n    float a;\n    // last\n};\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn tabs_become_spaces_and_the_end_is_as_the_client_wants() {
        assert_eq!(
            formatted("void f()\n{\n\tg();\n\t// c\n\th(1,\n\t  2);\n}\n"),
            "void f()\n{\n    g();\n    // c\n    h(1,\n      2);\n}\n"
        );
        let options = |final_newline, trim_final_newlines| FormatOptions {
            final_newline,
            trim_final_newlines,
            ..FormatOptions::indentation(4, true)
        };
        for (text, final_newline, trim, wanted) in [
            ("float a;", true, false, "float a;\n"),
            ("float a;\r\nfloat b;", true, true, "float a;\r\nfloat b;\r\n"),
            ("float a;\n\n\n", true, true, "float a;\n"),
            ("float a;\n\n\n", true, false, "float a;\n\n\n"),
            ("float a;", false, true, "float a;"),
            ("", true, true, ""),
        ] {
            assert_eq!(super::formatted(text, options(final_newline, trim)), wanted, "{text:?}");
        }
    }

    #[test]
    fn nesting_indents() {
        let text = "struct S\n{\nfloat x;  \n  float f(int n)\n{\nif (n > 0)\nreturn x;\nelse\nreturn 1;\nfor (;;)\n{\nx = g(1,\n      2);\n}\nswitch (n)\n{\ncase 0:\nbreak;\n}\n}\n}\n";
        let wanted = "struct S\n{\n    float x;\n    float f(int n)\n    {\n        if (n > 0)\n            return x;\n        else\n            return 1;\n        for (;;)\n        {\n            x = g(1,\n                  2);\n        }\n        switch (n)\n        {\n        case 0:\n            break;\n        }\n    }\n}\n";
        assert_eq!(formatted(text), wanted);
    }

    /// What people write, in several styles.
    const WRITTEN: [&str; 9] = [
        "float4 f(float2 uv : TEXCOORD0,\n         float3 n  : NORMAL) : SV_Target\n{\n    return g(uv.x,\n             uv.y);\n}\n",
        "void f()\n{\n    float x   = 1;   // one\n    float yy  = 2;   // two\n    float z = a\n        ? 1\n        : 2;\n    float m[] = {\n        1, 2,\n        3, 4 };\n}\n",
        "void f(int k)\n{\n    switch (k)\n    {\n        case 0:\n            x = 1;\n            break;\n        default:\n        {\n            x = 2;\n        }\n    }\n    if (a &&\n        b)\n    {\n        x = 1;\n    }\n}\n",
        "namespace n {\nfloat q;\nnamespace m\n{\nint x;\n}\n}\n",
        "#if X\nvoid f() {\n#else\nvoid f(int k) {\n#endif\n  #if Y\n    g();\n  #endif\n}\nvoid h()\n{\n    g();\n}\n",
        "[Differentiable]\n[shader(\"compute\")]\nvoid f()\n{\n    [MaxIters(4)]\n    for (int i = 0; i < 3; i++)\n        for (int j = 0; j < 3; j++)\n            x += 1;\n    // At the end.\n}\n",
        "#define A(x) \\\n  do { x; } \\\n  while (0)\nvoid f()\n{\n    A(1)\n    A(2)\n//  old();\n    /* as\n it is */\n}\n",
        "enum E\n{\n    A,\n    B = 3,\n    C\n};\nstruct S : I,\n           J\n{\n    property float x\n    {\n        get { return 1; }\n        set { }\n    }\n};\n",
        "__generic<T>\nT f(T x)\n    where T : I\n{\n    do\n    {\n        x = x;\n    } while (true);\n    return x;\n}\n",
    ];

    #[test]
    fn what_stands_right_is_left_alone() {
        for text in WRITTEN {
            assert_eq!(formatted(text), text);
        }
    }

    #[test]
    fn what_is_aligned_moves_together() {
        for text in WRITTEN.into_iter().filter(|text| !text.contains('#')) {
            // A statement of a function that was pasted with its indentation.
            let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
            let pasted = format!("struct Around\n{{\n{indented}}}\n");
            let wanted: String = text.lines().map(|line| format!("    {line}\n")).collect();
            if !text.contains("/*") {
                assert_eq!(formatted(&pasted), format!("struct Around\n{{\n{wanted}}}\n"));
            }
            assert_eq!(formatted(&formatted(&pasted)), formatted(&pasted));
        }
    }

    /// The texts that people write, and without their indentation.
    fn written_and_flat() -> Vec<String> {
        let flat = |text: &str| text.lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>();
        WRITTEN.iter().flat_map(|text| [(*text).to_owned(), flat(text)]).collect()
    }

    #[test]
    fn a_line_that_begins_with_a_comment_stands_where_it_would_without() {
        for text in written_and_flat().into_iter().filter(|text| !text.contains("/*") && !text.contains('\\')) {
            let is_code = |line: &str| !line.is_empty() && !line.starts_with("//") && !line.starts_with('#');
            let commented: String = text
                .lines()
                .map(|line| {
                    let code = line.trim_start();
                    let comment = if is_code(code) { "/* c */ " } else { "" };
                    format!("{}{comment}{code}\n", &line[..line.len() - code.len()])
                })
                .collect();
            assert_eq!(formatted(&commented).replace("/* c */ ", ""), formatted(&text), "{commented}");
        }
    }

    #[test]
    fn what_is_switched_off_stays_wherever_it_is() {
        for text in written_and_flat().into_iter().filter(|text| !text.contains('\\')) {
            let lines: Vec<&str> = text.lines().collect();
            for (first, indent) in (0..lines.len()).flat_map(|first| [(first, ""), (first, " "), (first, "         ")])
            {
                let (off, on) = (format!("{indent}// clang-format off"), format!("{indent}// clang-format on"));
                let left = format!("{indent}{}   ", lines[first]);
                let mut with_off = lines.clone();
                with_off.splice(first..=first, [off.as_str(), &left, &on]);
                let once = formatted(&with_off.join("\n"));
                assert_eq!(formatted(&once), once, "{}", with_off.join("\n"));
                assert_eq!(once.lines().nth(first + 1), Some(left.as_str()), "{once}");
            }
        }
        let off = "struct S\n{\n  int a;\n  // clang-format off\n  int   b;\n  // clang-format on\n  int c;\n};\n";
        let wanted =
            "struct S\n{\n    int a;\n    // clang-format off\n  int   b;\n    // clang-format on\n    int c;\n};\n";
        assert_eq!(formatted(off), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn what_is_in_a_list_is_indented() {
        let text = "[Flags] public enum E {\n  A,\n B =\n1,\nC\n};\nvoid f()\n{\n   float y = foo(\na, b\n);\n  /* b */ z =\n1;\n    /* in\n  front */ int a,\nb;\n  float m[] = {\n/* x = */ 1,\n/* y = */ 2\n};\n}\nouter:\nfor (;;) { }\nstruct T :\nI,\nJ\n{\n}\n";
        let wanted = "[Flags] public enum E {\n    A,\n    B =\n        1,\n    C\n};\nvoid f()\n{\n    float y = foo(\n        a, b\n    );\n    /* b */ z =\n        1;\n    /* in\n  front */ int a,\n        b;\n    float m[] = {\n        /* x = */ 1,\n        /* y = */ 2\n    };\n}\nouter:\nfor (;;) { }\nstruct T :\n    I,\n    J\n{\n}\n";
        assert_eq!(formatted(text), wanted);
        assert_eq!(formatted(wanted), wanted);
    }

    #[test]
    fn only_spaces_change_whatever_the_text_is() {
        for text in
            ["}}}", "((", "\"abc", "/* a", "#define X \\\n  y\n", "", "\t\n  \n", "case", "#else\n#endif\n}\n {"]
        {
            let spaceless = |text: &str| text.replace([' ', '\t'], "");
            assert_eq!(spaceless(&formatted(text)), spaceless(text));
            assert_eq!(formatted(&formatted(text)), formatted(text));
        }
    }

    #[test]
    fn braces_stand_where_the_style_says() {
        let attached = "struct S {\n    float x;\n};\nvoid f(int n) {\n    if (n > 0) {\n        g();\n    } else {\n        h({ 1,\n            2 });\n    }\n    float m[] = {\n        1 };\n    { g(); }\n    for (;;) { g(); }\n}\n";
        let own_line = "struct S\n{\n    float x;\n};\nvoid f(int n)\n{\n    if (n > 0)\n    {\n        g();\n    }\n    else\n    {\n        h({ 1,\n            2 });\n    }\n    float m[] = {\n        1 };\n    { g(); }\n    for (;;) { g(); }\n}\n";
        let options = |braces| FormatOptions { braces, ..FormatOptions::indentation(4, true) };
        assert_eq!(super::formatted(attached, options(Braces::OwnLine)), own_line);
        assert_eq!(super::formatted(own_line, options(Braces::Attached)), attached);
        assert_eq!(super::formatted(own_line, options(Braces::OwnLine)), own_line);
        assert_eq!(super::formatted(attached, options(Braces::Attached)), attached);
        // A comment or a directive keeps its line.
        let kept = "void f() // why\n{\n    g();\n}\n#if X\n{\n    g();\n}\n#endif\n";
        assert_eq!(super::formatted(kept, options(Braces::Attached)), kept);
    }

    #[test]
    fn empty_lines_and_spaces_follow_the_style() {
        let options = FormatOptions {
            max_empty_lines: Some(1),
            space_before_parens: SpaceBeforeParens::Never,
            ..FormatOptions::indentation(4, true)
        };
        let text = "void f()\r\n{\r\n    g();\r\n\r\n\r\n\r\n    if (x) while  (y) g (1);\r\n}\r\n";
        let wanted = "void f()\r\n{\r\n    g();\r\n\r\n    if(x) while(y) g (1);\r\n}\r\n";
        assert_eq!(super::formatted(text, options), wanted);
    }

    #[test]
    fn changes_of_anything_but_spaces_are_none() {
        assert_eq!(changed_spaces("a b", "a  b").len(), 1);
        assert_eq!(changed_spaces("a b", "ab"), []);
        assert_eq!(changed_spaces("a b", "a c"), []);
    }
}
