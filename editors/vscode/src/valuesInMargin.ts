// At the end of each line of a function what it makes at a point, and by how much the result changes with it.

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";
import { askAboutFunction } from "./ask";

// The result of the request `slang-analyzer/values`.
interface ValuesResult {
    function: string;
    inputs: { name: string; value: number }[];
    lines: { uri: string; range: Range; text: string; count: number; iteration: number }[];
    problems: string[];
}

export class ValuesInMargin implements vscode.Disposable {
    private readonly decoration = vscode.window.createTextEditorDecorationType({
        after: { margin: "0 0 0 3em", color: new vscode.ThemeColor("editorInlayHint.foreground") },
        isWholeLine: true,
    });
    private readonly listeners: vscode.Disposable[] = [];
    private shown: { result: ValuesResult; target: unknown; at?: number[] } | undefined;

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.listeners.push(
            // What was computed is of the text as it was.
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                const uri = this.client()?.code2ProtocolConverter.asUri(document.uri);
                if (contentChanges.length > 0 && this.shown?.result.lines.some((line) => line.uri === uri)) {
                    this.hide();
                }
            }),
            vscode.window.onDidChangeVisibleTextEditors(() => this.decorate()),
        );
    }

    dispose(): void {
        this.listeners.forEach((listener) => listener.dispose());
        this.decoration.dispose();
    }

    // At the inputs of the panel, or at those that are typed; without any, where the value is finite.
    async show(target?: unknown, at?: number[], iteration?: number): Promise<void> {
        const more = { at, iteration };
        const result = await askAboutFunction<ValuesResult>(this.client(), "slang-analyzer/values", target, more);
        if (!result) {
            return;
        }
        if (result.problems.length > 0) {
            void vscode.window.showInformationMessage(`${result.function}: ${result.problems.join("; ")}`);
            return;
        }
        const [first] = result.lines;
        const named = first ? { uri: first.uri, function: result.function } : target;
        this.shown = { result, target: named, at: result.inputs.map((input) => input.value) };
        this.decorate();
    }

    // Asks for the inputs, then shows the values there.
    async chooseInputs(): Promise<void> {
        if (!this.shown) {
            await this.show();
        }
        if (!this.shown) {
            return;
        }
        const { result, target, at } = this.shown;
        const typed = await vscode.window.showInputBox({
            title: `Inputs of ${result.function}: ${result.inputs.map((input) => input.name).join(", ")}`,
            value: at?.join(", "),
        });
        const numbers = typed?.split(",").map(Number);
        if (numbers) {
            await this.show(target, numbers);
        }
    }

    // Asks which iteration of loops is shown.
    async chooseIteration(): Promise<void> {
        if (!this.shown) {
            await this.show();
        }
        if (!this.shown) {
            return;
        }
        const { result, target, at } = this.shown;
        const most = result.lines.reduce((most, line) => Math.max(most, line.count), 1);
        const typed = await vscode.window.showInputBox({ title: `Iteration, from 1 to ${most}`, value: String(most) });
        if (typed) {
            await this.show(target, at, Math.max(0, Number(typed) - 1) || 0);
        }
    }

    hide(): void {
        this.shown = undefined;
        this.decorate();
    }

    private decorate(): void {
        const client = this.client();
        const result = this.shown?.result;
        const at = result?.inputs.map(({ name, value }) => `${name} = ${value}`).join(", ");
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = client?.code2ProtocolConverter.asUri(editor.document.uri);
            const lines = result?.lines.filter((line) => line.uri === uri) ?? [];
            editor.setDecorations(
                this.decoration,
                lines.map(({ range, text }) => ({
                    range: new vscode.Range(range.start.line, 0, range.start.line, Number.MAX_SAFE_INTEGER),
                    hoverMessage: `Value, and d: the change of the result with it, at ${at}`,
                    renderOptions: { after: { contentText: text } },
                })),
            );
        }
    }
}
