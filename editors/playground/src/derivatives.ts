// The function at the cursor: its derivative in the language of a target, and its value and gradient at chosen inputs.

import { LSPPlugin } from "@codemirror/lsp-client";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import type { Exploration } from "../../vscode/src/panel/model.js";
import { colours, slang } from "./language.js";
import { area, frame, select } from "./page.js";
import { appearance } from "./theme.js";

const TARGETS: Record<string, string> = {
    slang: "Slang",
    hlsl: "HLSL",
    glsl: "GLSL",
    wgsl: "WGSL",
    metal: "Metal",
    cpp: "C++",
    cuda: "CUDA",
};

export class Derivatives {
    private readonly preview = new EditorView({ parent: area("preview"), state: this.previewOf("") });
    // The last function that the cursor was in.
    private function: string | undefined;

    constructor(private readonly source: () => EditorView) {
        const options = Object.entries(TARGETS).map(([name, title]) => new Option(title, name));
        select("target").replaceChildren(...options);
        for (const id of ["target", "operator"]) {
            select(id).addEventListener("change", () => void this.update());
        }
        window.addEventListener("message", ({ data, source }: MessageEvent) => {
            if (source === frame("gradient").contentWindow && data.kind === "ask") {
                void this.explore(data.question as Record<string, unknown>);
            }
        });
    }

    // The program or the place of the cursor is another.
    async update(): Promise<void> {
        const more = { operator: select("operator").value, target: select("target").value };
        const result = await this.ask<{ function: string; text: string }>("slang-analyzer/derivativePreview", more);
        if (!result) {
            return;
        }
        area("preview-title").textContent = `Derivative of ${result.function}`;
        if (result.text !== this.preview.state.doc.toString()) {
            this.preview.setState(this.previewOf(result.text));
        }
        const panel = frame("gradient").contentWindow;
        if (result.function === this.function) {
            panel?.postMessage({ kind: "changed" });
        } else {
            // Its inputs are others, and so are the reader's choices.
            this.function = result.function;
            panel?.location.reload();
        }
    }

    private async explore(question: Record<string, unknown>): Promise<void> {
        const panel = frame("gradient").contentWindow;
        try {
            const result = await this.ask<Exploration>("slang-analyzer/explore", question);
            const message = "Put the cursor in a function.";
            panel?.postMessage(result ? { kind: "result", result } : { kind: "failed", message });
        } catch (error) {
            panel?.postMessage({ kind: "failed", message: String(error) });
        }
    }

    // Asks about the function at the cursor, or else about the last.
    private async ask<Result>(method: string, more: Record<string, unknown>): Promise<Result | undefined> {
        const view = this.source();
        const plugin = LSPPlugin.get(view);
        if (!plugin?.client.connected) {
            return undefined;
        }
        await plugin.client.initializing;
        plugin.client.sync();
        const position = plugin.toPosition(view.state.selection.main.head);
        const params = { textDocument: { uri: plugin.uri }, position, ...more };
        const here = await plugin.client.request<unknown, Result | null>(method, params);
        if (here || !this.function) {
            return here ?? undefined;
        }
        const named = { ...params, function: this.function };
        return (await plugin.client.request<unknown, Result | null>(method, named)) ?? undefined;
    }

    private previewOf(doc: string): EditorState {
        const label = EditorView.contentAttributes.of({ "aria-label": "Derivative", tabindex: "0" });
        const extensions = [lineNumbers(), slang, colours, appearance, label];
        return EditorState.create({
            doc,
            extensions: [...extensions, EditorState.readOnly.of(true), EditorView.editable.of(false)],
        });
    }
}
