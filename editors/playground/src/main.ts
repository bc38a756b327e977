// The playground: an editor whose language server runs in the page.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { forceLinting, lintGutter, lintKeymap } from "@codemirror/lint";
import {
    LSPClient,
    findReferencesKeymap,
    formatKeymap,
    hoverTooltips,
    jumpToDefinitionKeymap,
    renameKeymap,
    serverCompletion,
    signatureHelp,
} from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import lost from "../examples/lost_derivative.slang";
import fit from "../examples/gaussian.slang";
import loop from "../examples/loop.slang";
import { Connection } from "./connection.js";
import { Derivatives } from "./derivatives.js";
import { colourNames, colours, semanticTokens, slang } from "./language.js";
import { area, select } from "./page.js";
import { problems } from "./problems.js";
import { appearance } from "./theme.js";

const URI = "file:///playground/main.slang";

const EXAMPLES: Record<string, string> = { "A lost derivative": lost, "A Gaussian": fit, "A loop": loop };

// An answer takes milliseconds; the first also waits for the server.
const client = new LSPClient({
    rootUri: "file:///playground",
    timeout: 30_000,
    highlightLanguage: () => slang,
    extensions: [serverCompletion(), hoverTooltips(), signatureHelp()],
});

let connection: Connection | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;
const derivatives = new Derivatives(() => editor);

function upToDate(view: EditorView): void {
    void colourNames(view).catch(() => undefined);
    void derivatives.update().catch(() => undefined);
}

function stateOf(doc: string): EditorState {
    return EditorState.create({
        doc,
        selection: { anchor: firstPlace(doc) },
        extensions: [
            lineNumbers(),
            lintGutter(),
            highlightSpecialChars(),
            history(),
            drawSelection(),
            indentOnInput(),
            indentUnit.of("    "),
            bracketMatching(),
            closeBrackets(),
            autocompletion(),
            highlightSelectionMatches(),
            slang,
            colours,
            semanticTokens,
            appearance,
            EditorView.contentAttributes.of({
                "aria-label": "Slang source",
                "aria-description": "Escape, then Tab leaves the editor.",
            }),
            EditorView.updateListener.of((update) => {
                if (update.docChanged) {
                    connection?.programChanged();
                } else if (update.selectionSet) {
                    clearTimeout(pause);
                    pause = setTimeout(() => void derivatives.update().catch(() => undefined), 100);
                }
            }),
            problems(upToDate),
            client.plugin(URI, "slang"),
            keymap.of([
                ...closeBracketsKeymap,
                ...defaultKeymap,
                ...searchKeymap,
                ...historyKeymap,
                ...completionKeymap,
                ...lintKeymap,
                ...formatKeymap,
                ...renameKeymap,
                ...jumpToDefinitionKeymap,
                ...findReferencesKeymap,
                indentWithTab,
            ]),
        ],
    });
}

// Where a differentiable function begins: there is something to show.
const firstPlace = (text: string) => Math.max(0, text.indexOf("(", text.indexOf("[Differentiable]")));

select("example").replaceChildren(...Object.keys(EXAMPLES).map((title) => new Option(title)));
const editor = new EditorView({ parent: area("editor"), state: stateOf(lost) });
select("example").addEventListener("change", () => {
    const insert = EXAMPLES[select("example").value] ?? "";
    const selection = { anchor: firstPlace(insert) };
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert }, selection });
});

Connection.open({
    started(transport) {
        client.connect(transport);
        void client.initializing.then(() => {
            area("state").textContent = "The language server runs in this page.";
            forceLinting(editor);
        });
    },
    failed(why, again) {
        client.disconnect();
        area("state").textContent = again
            ? `The language server failed and is started again: ${why}`
            : `The language server failed on this program; it is started again when you change it: ${why}`;
    },
}).then(
    (opened) => (connection = opened),
    (error: unknown) => {
        area("state").textContent = `The language server cannot be loaded: ${String(error)}`;
    },
);
