// Derivative flow: colours the names in the function at the cursor by whether they carry a derivative.

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";

type State = "active" | "unused" | "ended" | "independent";

// The result of the request `slang-analyzer/derivativeFlow`.
interface FlowResult {
    function: string;
    values: { range: Range; state: State }[];
}

const STYLES: Record<State, vscode.DecorationRenderOptions> = {
    active: { textDecoration: "underline 2px", color: new vscode.ThemeColor("charts.green") },
    unused: { textDecoration: "underline dotted 2px", color: new vscode.ThemeColor("charts.yellow") },
    ended: { textDecoration: "underline wavy 1px", color: new vscode.ThemeColor("charts.orange") },
    independent: { opacity: "0.6" },
};

const STATES = Object.keys(STYLES) as State[];

export class DerivativeFlowView implements vscode.Disposable {
    private readonly types = new Map(
        STATES.map((state) => [state, vscode.window.createTextEditorDecorationType(STYLES[state])]),
    );
    private readonly disposables: vscode.Disposable[];
    private isOn = false;
    private pending: NodeJS.Timeout | undefined;

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.disposables = [
            ...this.types.values(),
            vscode.window.onDidChangeTextEditorSelection(() => this.later()),
            vscode.window.onDidChangeActiveTextEditor(() => this.later()),
            vscode.workspace.onDidChangeTextDocument(() => this.later()),
        ];
    }

    dispose(): void {
        clearTimeout(this.pending);
        this.disposables.forEach((disposable) => disposable.dispose());
    }

    // Turns the colours on or off.
    async toggle(): Promise<void> {
        this.isOn = !this.isOn;
        await this.refresh();
    }

    private later(): void {
        if (this.isOn) {
            clearTimeout(this.pending);
            this.pending = setTimeout(() => void this.refresh(), 50);
        }
    }

    private async refresh(): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const values = this.isOn && editor ? await this.ask(editor) : [];
        for (const shown of vscode.window.visibleTextEditors) {
            for (const [state, type] of this.types) {
                const here = shown === editor ? values.filter((value) => value.state === state) : [];
                shown.setDecorations(
                    type,
                    here.map((value) => value.range),
                );
            }
        }
    }

    private async ask(editor: vscode.TextEditor): Promise<{ range: vscode.Range; state: State }[]> {
        const client = this.client();
        if (!client || editor.document.languageId !== "slang") {
            return [];
        }
        const params = client.code2ProtocolConverter.asTextDocumentPositionParams(
            editor.document,
            editor.selection.active,
        );
        try {
            const flow = await client.sendRequest<FlowResult | null>("slang-analyzer/derivativeFlow", params);
            const convert = client.protocol2CodeConverter;
            return (flow?.values ?? []).map(({ range, state }) => ({ range: convert.asRange(range), state }));
        } catch {
            // The text has changed meanwhile: the next request is on its way.
            return [];
        }
    }
}
