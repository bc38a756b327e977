// The syntax tree of the active document, for people who work on the analyzer.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

const SCHEME = "slang-syntax-tree";

export class SyntaxTreeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    private readonly registration: vscode.Disposable;

    readonly onDidChange = this.changed.event;

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
    }

    dispose(): void {
        this.registration.dispose();
        this.changed.dispose();
    }

    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        const tree = await this.client()?.sendRequest<string | null>("slang-analyzer/syntaxTree", {
            textDocument: { uri: uri.query },
        });
        return tree ?? "";
    }

    async show(): Promise<void> {
        const source = vscode.window.activeTextEditor?.document.uri;
        const query = source && this.client()?.code2ProtocolConverter.asUri(source);
        if (!source || !query) {
            return;
        }
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `${source.path}.tree`, query });
        this.changed.fire(uri);
        await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    }
}
