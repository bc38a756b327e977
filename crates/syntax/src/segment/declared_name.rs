//! What a segment declares, read off its tokens: for an index over declarations that need no tree yet.

use std::ops::Range;

use super::boundary::{self, Tokens};
use crate::{SyntaxKind, T, lexer::lex};

/// What the header of a segment seems to declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared<'t> {
    /// A function, constant or alias of this name.
    Value(&'t str),
    /// A struct, class, interface, enum or namespace of this name.
    Type(&'t str),
    /// An extension, which has no name.
    Extension,
    /// There are only comments.
    Nothing,
    /// Something else or several things: only its tree can tell.
    Unclear,
}

/// What `header` declares. Right for plain declarations; what it does not recognise is [`Declared::Unclear`].
pub fn declared_name(header: &str) -> Declared<'_> {
    let lexed = lex(header);
    let tokens = Tokens { text: header, lexed: &lexed };
    let mut position = tokens.next_visible(0);
    if position >= lexed.len() {
        return Declared::Nothing;
    }
    let next = |position: usize| tokens.next_visible(position + 1);
    while position < lexed.len() {
        match tokens.keyword(position) {
            T!['['] => {
                let end = group_end(&tokens, position);
                // The cases of such an enum are names of the scope around it.
                if header[tokens.range(position).start..].starts_with("[UnscopedEnum") {
                    return Declared::Unclear;
                }
                position = next(end);
            }
            T![extension] | T![__extension] => return Declared::Extension,
            T![struct] | T![class] | T![interface] | T![enum] | T![namespace] => {
                let name = next(position);
                return match tokens.kind(name) {
                    SyntaxKind::IDENT => Declared::Type(&header[tokens.range(name)]),
                    _ => Declared::Unclear,
                };
            }
            T![__generic] => position = next(angles_end(&tokens, next(position))),
            T![typealias] => {
                let name = next(position);
                return match tokens.kind(name) {
                    SyntaxKind::IDENT => Declared::Value(&header[tokens.range(name)]),
                    _ => Declared::Unclear,
                };
            }
            T![in] | T![out] => position = next(position),
            kind if boundary::is_plain_modifier(kind) => position = next(position),
            SyntaxKind::IDENT => {
                let name = value_name(&tokens, position);
                return name.map_or(Declared::Unclear, |name| Declared::Value(&header[name]));
            }
            _ => return Declared::Unclear,
        }
    }
    Declared::Unclear
}

/// The name after a type: the last word before the parameters, the value or the end, outside of generic arguments; of an
/// operator its symbol.
fn value_name(tokens: &Tokens<'_>, mut position: usize) -> Option<Range<usize>> {
    let mut angles = 0usize;
    let mut name = None;
    while position < tokens.lexed.len() {
        match tokens.keyword(position) {
            T![operator] if angles == 0 => return Some(operator_symbol(tokens, tokens.next_visible(position + 1))),
            T![operator] => return None,
            T![<] => angles += 1,
            T![>] => angles = angles.saturating_sub(1),
            T!['('] | T![=] | T![;] | T!['{'] | T![:] if angles == 0 => return name,
            T!['['] | T!['('] => position = group_end(tokens, position),
            _ if angles == 0 && tokens.kind(position) == SyntaxKind::IDENT => name = Some(tokens.range(position)),
            _ => {}
        }
        position = tokens.next_visible(position + 1);
    }
    name
}

/// The symbol that begins at `first`: one token, but for those that the lexer cuts (`>=`, `>>`) and for pairs (`()`).
fn operator_symbol(tokens: &Tokens<'_>, first: usize) -> Range<usize> {
    let goes_on = |kind: SyntaxKind| match tokens.kind(first) {
        T![>] => matches!(kind, T![>] | T![=]),
        T!['('] => kind == T![')'],
        T!['['] => kind == T![']'],
        T![?] => kind == T![:],
        _ => false,
    };
    let mut last = first;
    while goes_on(tokens.kind(last + 1)) {
        last += 1;
    }
    tokens.range(first).start..tokens.range(last).end
}

/// The `>` that closes the `<` at `position`.
fn angles_end(tokens: &Tokens<'_>, position: usize) -> usize {
    let mut depth = 0usize;
    for inner in position..tokens.lexed.len() {
        match tokens.kind(inner) {
            T![<] => depth += 1,
            T![>] => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return inner;
        }
    }
    tokens.lexed.len()
}

/// The token that closes the parenthesis or bracket at `position`.
fn group_end(tokens: &Tokens<'_>, position: usize) -> usize {
    let mut depth = 0usize;
    for inner in position..tokens.lexed.len() {
        match tokens.kind(inner) {
            T!['('] | T!['['] => depth += 1,
            T![')'] | T![']'] => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return inner;
        }
    }
    tokens.lexed.len()
}

#[cfg(test)]
mod tests {
    use super::{Declared, declared_name};

    #[test]
    fn functions_are_named_by_the_word_before_their_parameters() {
        let header = "/// Doc (a) <b>.\n[Differentiable] [__intrinsic(\"max\")]\nvector<T, N> max<T : IFloat, let N : int = (1)>(vector<T, N> x);";
        assert_eq!(declared_name(header), Declared::Value("max"));
        assert_eq!(declared_name("float[3] f(int x)\n"), Declared::Value("f"));
        assert_eq!(declared_name("__generic<T : I<float>>\nT h(T x)"), Declared::Value("h"));
        assert_eq!(declared_name("T.Differential g(T x)\n"), Declared::Value("g"));
    }

    #[test]
    fn constants_and_aliases_are_values() {
        assert_eq!(declared_name("static const uint A = 1u;"), Declared::Value("A"));
        assert_eq!(declared_name("typealias B<T> = C<T>;"), Declared::Value("B"));
    }

    #[test]
    fn types_and_extensions_are_told_apart() {
        assert_eq!(declared_name("[__builtin_type(\"x\")]\nstruct S<T = float4> : I {"), Declared::Type("S"));
        assert_eq!(declared_name("enum E : uint\n"), Declared::Type("E"));
        assert_eq!(declared_name("extension<T> S<T> : J {"), Declared::Extension);
    }

    #[test]
    fn operators_are_named_by_their_symbols() {
        for (header, symbol) in [
            ("T operator+(T a, T b);", "+"),
            ("bool operator< <T>(T a, T b);", "<"),
            ("bool operator<=<T>(T a, T b);", "<="),
            ("bool operator >= (T a, T b);", ">="),
            ("T operator>>(T a, int b);", ">>"),
            ("T operator()(T a);", "()"),
            ("a::M<T> operator *<T : I>(a::M<T> l, T r);", "*"),
        ] {
            assert_eq!(declared_name(header), Declared::Value(symbol), "{header}");
        }
    }

    #[test]
    fn comments_declare_nothing() {
        assert_eq!(declared_name(" // enum E\n"), Declared::Nothing);
        assert_eq!(declared_name(""), Declared::Nothing);
    }

    #[test]
    fn what_only_the_tree_can_tell_is_unclear() {
        for header in ["[UnscopedEnum] enum E ", "cbuffer C "] {
            assert_eq!(declared_name(header), Declared::Unclear, "{header}");
        }
    }
}
