// The derivative preview: a read-only document beside the editor that follows edits.

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

const SCHEME = "slang-derivative";

// Parameters and result of the request `slang-analyzer/derivativePreview`.
interface PreviewParams {
    textDocument: { uri: string };
    position: { line: number; character: number };
    function?: string;
    operator?: "forward" | "backward";
    target: string;
}

interface PreviewResult {
    // The name of the function that is previewed, which later requests use to find it again.
    function: string;
    // The text to show; errors come as comments, so that the preview never goes blank.
    text: string;
}

// What a code lens or another extension may pass to the command.
interface PreviewTarget {
    uri: string;
    function: string;
    operator?: "forward" | "backward";
}

interface Shown {
    source: vscode.Uri;
    position: vscode.Position;
    function?: string;
    operator: "forward" | "backward";
    text: string;
}

export class DerivativePreview implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    private readonly shown = new Map<string, Shown>();
    private readonly disposables: vscode.Disposable[];
    private pending: NodeJS.Timeout | undefined;

    readonly onDidChange = this.changed.event;

    constructor(private readonly client: () => LanguageClient | undefined) {
        this.disposables = [
            this.changed,
            vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
            vscode.workspace.onDidChangeTextDocument((change) => this.sourceChanged(change.document)),
            vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
        ];
    }

    dispose(): void {
        clearTimeout(this.pending);
        this.disposables.forEach((disposable) => disposable.dispose());
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.shown.get(uri.toString())?.text ?? "// This preview is no longer followed: run the command again.";
    }

    // Shows the derivative of the function at the cursor, or of the one that is named.
    async show(target?: unknown): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const named = isPreviewTarget(target) ? target : undefined;
        const source = named ? vscode.Uri.parse(named.uri) : editor?.document.uri;
        if (!source) {
            return;
        }
        const position = editor?.selection.active ?? new vscode.Position(0, 0);
        const operator = named?.operator ?? "backward";
        const shown: Shown = { source, position, function: named?.function, operator, text: "" };
        const problem = await this.refresh(shown);
        if (problem) {
            void vscode.window.showInformationMessage(problem);
            return;
        }
        const prefix = operator === "forward" ? "fwd_diff" : "bwd_diff";
        const uri = vscode.Uri.from({
            scheme: SCHEME,
            path: `/${prefix}(${shown.function}).slang`,
            query: source.toString(),
        });
        this.shown.set(uri.toString(), shown);
        this.changed.fire(uri);
        const document = await vscode.workspace.openTextDocument(uri);
        await vscode.languages.setTextDocumentLanguage(document, "slang");
        await vscode.window.showTextDocument(document, {
            viewColumn: vscode.ViewColumn.Beside,
            preserveFocus: true,
            preview: true,
        });
    }

    // Asks the server again; gives what to tell the user if there is nothing to show.
    private async refresh(shown: Shown): Promise<string | undefined> {
        const client = this.client();
        if (!client) {
            return "slang-analyzer is not running.";
        }
        const params: PreviewParams = {
            textDocument: { uri: client.code2ProtocolConverter.asUri(shown.source) },
            position: client.code2ProtocolConverter.asPosition(shown.position),
            function: shown.function,
            operator: shown.operator,
            target: vscode.workspace.getConfiguration("slang-analyzer").get("preview.target", "slang"),
        };
        try {
            const result = await client.sendRequest<PreviewResult | null>("slang-analyzer/derivativePreview", params);
            if (!result) {
                return "Put the cursor in a function to preview its derivative.";
            }
            shown.function = result.function;
            shown.text = result.text;
            return undefined;
        } catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }

    // Edits come in bursts: each source is asked for once the user pauses for a moment.
    private sourceChanged(document: vscode.TextDocument): void {
        const followers = [...this.shown].filter(([, shown]) => shown.source.toString() === document.uri.toString());
        if (followers.length === 0) {
            return;
        }
        clearTimeout(this.pending);
        this.pending = setTimeout(async () => {
            for (const [uri, shown] of followers) {
                if (!(await this.refresh(shown))) {
                    this.changed.fire(vscode.Uri.parse(uri));
                }
            }
        }, 50);
    }
}

function isPreviewTarget(value: unknown): value is PreviewTarget {
    return typeof value === "object" && value !== null && "uri" in value && "function" in value;
}
