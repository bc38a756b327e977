// Colours: of words by themselves, and of names by what the server says they are.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { LSPPlugin } from "@codemirror/lsp-client";
import { Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, DecorationSet, EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { SemanticTokens, SemanticTokensLegend } from "vscode-languageserver-protocol";

// Of Slang and of the languages that derivatives are shown in.
const KEYWORDS = new Set(
    `associatedtype bool break case class const constexpr continue default defer detach discard do double else enum
    export extension extern false float float2 float3 float4 fn for func __global groupshared half if import in inline
    inout int int2 int3 int4 interface internal let loop module namespace no_diff none null out override private property
    public ref return static struct subscript switch this throws true try typealias uint uint2 uint3 uint4 uniform using
    var void where while bwd_diff fwd_diff f32 i32 u32 ptr array vec2 vec3 vec4 vec2f vec3f vec4f`.split(/\s+/),
);

export const slang = StreamLanguage.define<{ inComment: boolean }>({
    name: "slang",
    startState: () => ({ inComment: false }),
    token(stream, state) {
        if (state.inComment || stream.match("/*")) {
            state.inComment = !stream.match(/^.*?\*\//);
            if (state.inComment) {
                stream.skipToEnd();
            }
            return "comment";
        }
        if (stream.eatSpace()) {
            return null;
        }
        if (stream.match("//")) {
            stream.skipToEnd();
            return "comment";
        }
        if (stream.sol() && stream.match(/^\s*#\s*\w+/)) {
            return "meta";
        }
        if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
            return "string";
        }
        if (stream.match(/^(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)[a-zA-Z]*/)) {
            return "number";
        }
        const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
        if (word) {
            return KEYWORDS.has(word[0]) ? "keyword" : null;
        }
        stream.next();
        return null;
    },
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

export const colours = syntaxHighlighting(
    HighlightStyle.define([
        { tag: tags.keyword, color: "var(--keyword)" },
        { tag: tags.comment, color: "var(--comment)" },
        { tag: tags.string, color: "var(--string)" },
        { tag: tags.number, color: "var(--number)" },
        { tag: tags.meta, color: "var(--attribute)" },
    ]),
);

// The server's kinds of tokens, by the colours of the theme.
const KINDS: Record<string, string> = {
    namespace: "--type",
    type: "--type",
    struct: "--type",
    interface: "--type",
    enum: "--type",
    typeParameter: "--type",
    function: "--function",
    method: "--function",
    decorator: "--attribute",
    keyword: "--keyword",
    comment: "--comment",
    enumMember: "--variable",
    parameter: "--variable",
    property: "--variable",
    variable: "--variable",
};

const setTokens = StateEffect.define<DecorationSet>();

const tokenField = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(shown, transaction) {
        const effects = transaction.effects.filter((effect) => effect.is(setTokens));
        return effects.at(-1)?.value ?? shown.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
});

export const semanticTokens: Extension = tokenField;

// Asks what the names of the document are. The document and the server's must be the same.
export async function colourNames(view: EditorView): Promise<void> {
    const plugin = LSPPlugin.get(view);
    const legend = plugin?.client.serverCapabilities?.semanticTokensProvider?.legend;
    if (!plugin || !legend) {
        return;
    }
    const { doc } = view.state;
    const params = { textDocument: { uri: plugin.uri } };
    const tokens = await plugin.client.request<typeof params, SemanticTokens | null>(
        "textDocument/semanticTokens/full",
        params,
    );
    if (tokens && view.state.doc === doc) {
        view.dispatch({ effects: setTokens.of(decorations(view, tokens.data, legend)) });
    }
}

function decorations(view: EditorView, data: number[], legend: SemanticTokensLegend): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    let [line, column] = [0, 0];
    for (let at = 0; at + 4 < data.length; at += 5) {
        const [lines = 0, columns = 0, length = 0, kind = 0, modifiers = 0] = data.slice(at, at + 5);
        column = lines === 0 ? column + columns : columns;
        line += lines;
        const from = view.state.doc.line(line + 1).from + column;
        const colour = KINDS[legend.tokenTypes[kind] ?? ""];
        const isDifferentiable = (modifiers >> legend.tokenModifiers.indexOf("differentiable")) & 1;
        const style = `${colour ? `color: var(${colour});` : ""}${isDifferentiable ? "font-style: italic;" : ""}`;
        builder.add(from, from + length, Decoration.mark({ attributes: { style } }));
    }
    return builder.finish();
}
