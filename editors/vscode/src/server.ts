// Where the server binary is.

import * as fs from "fs";
import * as path from "path";
import * as vscode from "vscode";

// The path in the settings, else the bundled binary, else the one on PATH.
export function serverCommand(context: vscode.ExtensionContext, configured: string | null): string {
    if (configured) {
        const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
        return configured.replace(/\$\{workspaceFolder\}/g, folder);
    }
    const name = process.platform === "win32" ? "slang-analyzer.exe" : "slang-analyzer";
    const bundled = path.join(context.extensionPath, "server", name);
    return fs.existsSync(bundled) ? bundled : name;
}
