// Requests about the function that a code lens names, or about the one at the cursor.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

// What a code lens or another extension may pass to the commands.
export interface NamedFunction {
    uri: string;
    function: string;
}

export function isNamedFunction(value: unknown): value is NamedFunction {
    return typeof value === "object" && value !== null && "uri" in value && "function" in value;
}

export async function askAboutFunction<Result>(
    client: BaseLanguageClient | undefined,
    method: string,
    target: unknown,
    more: Record<string, unknown> = {},
): Promise<Result | undefined> {
    const editor = vscode.window.activeTextEditor;
    const named = isNamedFunction(target) ? target : undefined;
    const uri = named?.uri ?? (editor && client?.code2ProtocolConverter.asUri(editor.document.uri));
    if (!client || !uri) {
        return undefined;
    }
    const position = client.code2ProtocolConverter.asPosition(editor?.selection.active ?? new vscode.Position(0, 0));
    try {
        const params = { textDocument: { uri }, position, function: named?.function, ...more };
        const result = await client.sendRequest<Result | null>(method, params);
        if (!result) {
            void vscode.window.showInformationMessage("Put the cursor in a function.");
        }
        return result ?? undefined;
    } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
        return undefined;
    }
}
