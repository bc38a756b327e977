// The intermediate representation of the function at the cursor after a pass, for people who work on the compiler.

import * as vscode from "vscode";
import type { BaseLanguageClient, Position } from "vscode-languageclient";

const SCHEME = "slang-ir";

// The result of the request `slang-analyzer/ir`.
interface IrResult {
    function: string;
    text: string;
    passes: string[];
}

interface IrParams {
    textDocument: { uri: string };
    position: Position;
    function?: string;
    after?: string;
}

export class IrView implements vscode.TextDocumentContentProvider, vscode.Disposable {
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
        const params: IrParams = JSON.parse(uri.query);
        return (await this.ask(params))?.text ?? "";
    }

    // Asks for a pass and shows what it leaves of the function at the cursor.
    async show(): Promise<void> {
        const client = this.client();
        const editor = vscode.window.activeTextEditor;
        if (!client || !editor) {
            return;
        }
        const params: IrParams = {
            textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
            position: client.code2ProtocolConverter.asPosition(editor.selection.active),
        };
        const lowered = await this.ask(params);
        if (!lowered) {
            void vscode.window.showInformationMessage("Put the cursor in a function.");
            return;
        }
        const after = await vscode.window.showQuickPick(lowered.passes, { title: `IR of ${lowered.function} after` });
        if (!after) {
            return;
        }
        const query = JSON.stringify({ ...params, function: lowered.function, after });
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${lowered.function} after ${after}.ir`, query });
        this.changed.fire(uri);
        await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    }

    private async ask(params: IrParams): Promise<IrResult | undefined> {
        try {
            return (await this.client()?.sendRequest<IrResult | null>("slang-analyzer/ir", params)) ?? undefined;
        } catch (error) {
            void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
            return undefined;
        }
    }
}
