// The core library's declarations, which no file holds: read-only documents whose text the server has.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

export const PRELUDE_SCHEME = "slang-prelude";

// The request is LSP 3.18's `workspace/textDocumentContent`.
interface ContentResult {
    text: string;
}

export class PreludeDocuments implements vscode.TextDocumentContentProvider {
    constructor(private readonly client: () => BaseLanguageClient | undefined) {}

    async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        const params = { uri: uri.toString() };
        const result = await this.client()?.sendRequest<ContentResult | null>("workspace/textDocumentContent", params);
        return result?.text ?? "// The server does not know this part of the core library.\n";
    }
}
