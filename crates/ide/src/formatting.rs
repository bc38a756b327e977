//! Formatting: lines that begin statements and declarations stand where their nesting says, what goes on from them moves
//! with them, and no spaces stand at the ends of lines. A line that is where it belongs is left alone, and so is all that
//! people align: arguments below each other, comments behind code, what macros and directives say. Where a line breaks is
//! the user's choice.

mod nesting;

use base_db::{Db, SourceFile};
use syntax::{TextRange, TextSize};

use crate::{FileRange, TextEdit};
use nesting::widths;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    pub tab_size: u32,
    pub insert_spaces: bool,
}

/// The edits that indent the lines which a range touches.
pub fn formatting(db: &dyn Db, file: SourceFile, range: TextRange, options: FormatOptions) -> Vec<TextEdit> {
    let Some(text) = db.text(file) else { return Vec::new() };
    let text = text.rope().to_string();
    let edits = indent(&text, options).into_iter();
    let touched = edits.filter(|(at, _)| range.intersect(*at).is_some());
    touched.map(|(range, text)| TextEdit { at: FileRange { file, range }, text }).collect()
}

/// The changes of a text, in order.
fn indent(text: &str, options: FormatOptions) -> Vec<(TextRange, String)> {
    let mut edits = Vec::new();
    for line in widths(text, options) {
        let Some(content) = text.get(line.start..line.end) else { continue };
        let written = content.len() - content.trim_start_matches([' ', '\t']).len();
        if written == content.len() {
            edits.extend((written > 0).then(|| (range(line.start, written), String::new())));
            continue;
        }
        if line.new != line.old {
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
    let tab_size = options.tab_size.max(1) as usize;
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
    use super::{FormatOptions, indent};

    const OPTIONS: FormatOptions = FormatOptions { tab_size: 4, insert_spaces: true };

    fn formatted(text: &str) -> String {
        let mut result = text.to_owned();
        for (range, with) in indent(text, OPTIONS).into_iter().rev() {
            result.replace_range(std::ops::Range::<usize>::from(range), &with);
        }
        result
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
}
