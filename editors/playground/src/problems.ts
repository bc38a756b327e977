// What is wrong with the program: marks in the text, and a list with the fixes.

import { Action, Diagnostic, linter } from "@codemirror/lint";
import { LSPPlugin } from "@codemirror/lsp-client";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type * as lsp from "vscode-languageserver-protocol";
import { area, list } from "./page.js";

const SEVERITIES = ["error", "error", "warning", "info", "hint"] as const;

// Finds problems some time after each edit, and tells when what is shown belongs to the text.
export function problems(upToDate: (view: EditorView) => void): Extension {
    const find = async (view: EditorView): Promise<Diagnostic[]> => {
        const found = await diagnostics(view);
        show(view, found);
        upToDate(view);
        return found;
    };
    return linter((view) => find(view).catch(() => []), { delay: 200 });
}

async function diagnostics(view: EditorView): Promise<Diagnostic[]> {
    const plugin = LSPPlugin.get(view);
    if (!plugin) {
        return [];
    }
    const { client } = plugin;
    await client.initializing;
    client.sync();
    const textDocument = { uri: plugin.uri };
    const report = await client.request<unknown, { items?: lsp.Diagnostic[] }>("textDocument/diagnostic", {
        textDocument,
    });
    const shown = (report.items ?? []).map(async (found): Promise<Diagnostic> => {
        const params = { textDocument, range: found.range, context: { diagnostics: [found], only: ["quickfix"] } };
        const fixes = await client.request<unknown, lsp.CodeAction[] | null>("textDocument/codeAction", params);
        const causes = (found.relatedInformation ?? []).map(
            ({ location, message }) => `line ${location.range.start.line + 1}: ${message}`,
        );
        return {
            from: plugin.fromPosition(found.range.start, view.state.doc),
            to: plugin.fromPosition(found.range.end, view.state.doc),
            severity: SEVERITIES[found.severity ?? 1] ?? "error",
            source: String(found.code ?? ""),
            message: [found.message, ...causes].join("\n"),
            actions: (fixes ?? []).flatMap((fix) => action(plugin, fix)),
        };
    });
    return Promise.all(shown);
}

function action(plugin: LSPPlugin, fix: lsp.CodeAction): Action[] {
    const changed = fix.edit?.documentChanges?.flatMap((change) => ("edits" in change ? [change] : [])) ?? [];
    const named = Object.entries(fix.edit?.changes ?? {}).map(([uri, edits]) => ({ textDocument: { uri }, edits }));
    const edits = [...changed, ...named].filter((change) => change.textDocument.uri === plugin.uri);
    if (edits.length === 0) {
        return [];
    }
    const apply = (view: EditorView) => {
        const place = (position: lsp.Position) => plugin.fromPosition(position, view.state.doc);
        const changes = edits
            .flatMap((change) => change.edits)
            .flatMap((edit) => ("newText" in edit ? [edit] : []))
            .map(({ range, newText }) => ({ from: place(range.start), to: place(range.end), insert: newText }));
        view.dispatch({ changes, userEvent: "input.fix" });
    };
    return [{ name: fix.title, apply }];
}

function show(view: EditorView, found: Diagnostic[]): void {
    const items = found.map((problem) => {
        const item = document.createElement("li");
        const place = document.createElement("button");
        const line = view.state.doc.lineAt(problem.from).number;
        place.className = `place ${problem.severity}`;
        place.textContent = `${problem.severity} ${problem.source}, line ${line}: ${problem.message}`;
        place.onclick = () => {
            view.dispatch({ selection: { anchor: problem.from, head: problem.to }, scrollIntoView: true });
            view.focus();
        };
        const fixes = (problem.actions ?? []).map((fix) => {
            const button = document.createElement("button");
            button.className = "fix";
            button.textContent = fix.name;
            button.onclick = () => {
                fix.apply(view, problem.from, problem.to);
                view.focus();
            };
            return button;
        });
        item.append(place, document.createElement("br"), ...fixes);
        return item;
    });
    if (items.length === 0) {
        const item = document.createElement("li");
        item.textContent = "No problems.";
        items.push(item);
    }
    area("problems-title").textContent = found.length === 0 ? "Problems" : `Problems: ${found.length}`;
    list("problem-list").replaceChildren(...items);
}
