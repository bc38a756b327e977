// Starts the server, a process, and registers the commands.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { registerDesktopFeatures } from "./desktop";
import { registerFeatures } from "./features";
import { PRELUDE_SCHEME } from "./prelude";
import { serverCommand } from "./server";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    registerFeatures(context, () => client, () => restart(context));
    context.subscriptions.push(
        vscode.workspace.onDidChangeConfiguration(async (change) => {
            if (change.affectsConfiguration("slang-analyzer.server")) {
                await restart(context);
            }
        }),
    );
    registerDesktopFeatures(context);
    await start(context);
}

export async function deactivate(): Promise<void> {
    await client?.stop();
}

async function restart(context: vscode.ExtensionContext): Promise<void> {
    await client?.stop();
    await start(context);
}

async function start(context: vscode.ExtensionContext): Promise<void> {
    const configuration = vscode.workspace.getConfiguration("slang-analyzer");
    const command = serverCommand(context, configuration.get<string | null>("server.path", null));
    const env = { ...process.env, ...configuration.get<Record<string, string>>("server.extraEnv", {}) };
    const serverOptions: ServerOptions = { command, args: ["lsp"], options: { env } };
    const clientOptions: LanguageClientOptions = {
        documentSelector: [
            { scheme: "file", language: "slang" },
            { scheme: "untitled", language: "slang" },
            { scheme: PRELUDE_SCHEME, language: "slang" },
        ],
        synchronize: {
            configurationSection: ["slang", "slang-analyzer"],
            fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{slang,slangh,hlsl,hlsli,h}"),
        },
    };
    client = new LanguageClient("slang-analyzer", "slang-analyzer", serverOptions, clientOptions);
    try {
        await client.start();
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        void vscode.window.showErrorMessage(
            `slang-analyzer: the server "${command}" did not start: ${message}. ` +
                "Set slang-analyzer.server.path to where it is installed.",
        );
    }
}
