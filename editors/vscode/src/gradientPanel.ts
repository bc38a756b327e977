// The gradient panel: a page with the inputs of a function, its value and its derivatives, which the server computes.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { isNamedFunction } from "./ask";
import type { Exploration } from "./panel/model";
import { BODY } from "./panel/page";

interface Source {
    uri: string;
    position: { line: number; character: number };
    function?: string;
}

type Message =
    | { kind: "ask"; question: Record<string, unknown> }
    | { kind: "nan" | "check" | "values"; at?: number[] };

export class GradientPanels implements vscode.Disposable {
    private readonly panels = new Set<vscode.WebviewPanel>();

    constructor(
        private readonly extension: vscode.Uri,
        private readonly client: () => BaseLanguageClient | undefined,
    ) {}

    dispose(): void {
        this.panels.forEach((panel) => panel.dispose());
    }

    show(target?: unknown): void {
        const client = this.client();
        const editor = vscode.window.activeTextEditor;
        const named = isNamedFunction(target) ? target : undefined;
        const uri = named?.uri ?? (editor && client?.code2ProtocolConverter.asUri(editor.document.uri));
        if (!client || !uri) {
            return;
        }
        const position = client.code2ProtocolConverter.asPosition(editor?.selection.active ?? new vscode.Position(0, 0));
        this.open({ uri, position, function: named?.function });
    }

    private open(source: Source): void {
        const resources = vscode.Uri.joinPath(this.extension, "dist");
        const panel = vscode.window.createWebviewPanel("slang-analyzer.gradient", "Gradient", vscode.ViewColumn.Beside, {
            enableScripts: true,
            retainContextWhenHidden: true,
            localResourceRoots: [resources],
        });
        this.panels.add(panel);
        let running: vscode.CancellationTokenSource | undefined;
        const answer = async (question: Record<string, unknown>): Promise<void> => {
            // Only the last question counts.
            running?.cancel();
            const own = new vscode.CancellationTokenSource();
            running = own;
            const params = {
                textDocument: { uri: source.uri },
                position: source.position,
                function: source.function,
                ...question,
            };
            try {
                const sent = this.client()?.sendRequest<Exploration | null>("slang-analyzer/explore", params, own.token);
                const result = await sent;
                if (own.token.isCancellationRequested) {
                    return;
                }
                if (result) {
                    // Later questions name the function, to find it again after edits.
                    source.function = result.function;
                    panel.title = `Gradient of ${result.function}`;
                    await panel.webview.postMessage({ kind: "result", result });
                } else {
                    await panel.webview.postMessage({ kind: "failed", message: "Put the cursor in a function." });
                }
            } catch (error) {
                if (!own.token.isCancellationRequested) {
                    const message = error instanceof Error ? error.message : String(error);
                    await panel.webview.postMessage({ kind: "failed", message });
                }
            } finally {
                own.dispose();
            }
        };
        const named = () => ({ uri: source.uri, function: source.function });
        const received = panel.webview.onDidReceiveMessage((message: Message) => {
            switch (message.kind) {
                case "ask":
                    return answer(message.question);
                case "nan":
                    return vscode.commands.executeCommand("slang-analyzer.findNonFinite", named());
                case "check":
                    return vscode.commands.executeCommand("slang-analyzer.checkGradient", named());
                case "values":
                    return vscode.commands.executeCommand("slang-analyzer.showValues", named(), message.at);
            }
        });
        let pause: NodeJS.Timeout | undefined;
        const edited = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
            if (document.languageId === "slang" && contentChanges.length > 0) {
                clearTimeout(pause);
                pause = setTimeout(() => void panel.webview.postMessage({ kind: "changed" }), 300);
            }
        });
        panel.onDidDispose(() => {
            running?.cancel();
            clearTimeout(pause);
            received.dispose();
            edited.dispose();
            this.panels.delete(panel);
        });
        panel.webview.html = page(panel.webview, resources);
    }
}

function page(webview: vscode.Webview, resources: vscode.Uri): string {
    const resource = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(resources, name)).toString();
    const policy = [
        "default-src 'none'",
        `style-src ${webview.cspSource}`,
        `script-src ${webview.cspSource}`,
        "img-src data:",
    ].join("; ");
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${resource("panel.css")}">
<title>Gradient</title>
</head>
<body>
${BODY}
<script src="${resource("panel.js")}"></script>
</body>
</html>`;
}
