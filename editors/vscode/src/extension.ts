// Starts the server and registers the commands.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { CostView } from "./costView";
import { DerivativeFlowView } from "./derivativeFlow";
import { DerivativeReport } from "./derivativeReport";
import { GradientPanels } from "./gradientPanel";
import { GradientTests } from "./gradientTests";
import { IrView } from "./irView";
import { PRELUDE_SCHEME, PreludeDocuments } from "./prelude";
import { DerivativePreview } from "./preview";
import { serverCommand } from "./server";
import { SyntaxTreeView } from "./syntaxTree";
import { ValuesInMargin } from "./valuesInMargin";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const preview = new DerivativePreview(() => client);
    const flow = new DerivativeFlowView(() => client);
    const report = new DerivativeReport(() => client);
    const cost = new CostView(() => client);
    const panels = new GradientPanels(context.extensionUri, () => client);
    const values = new ValuesInMargin(() => client);
    const ir = new IrView(() => client);
    const syntaxTree = new SyntaxTreeView(() => client);
    context.subscriptions.push(
        preview,
        flow,
        report,
        cost,
        panels,
        new GradientTests(() => client),
        values,
        ir,
        syntaxTree,
        vscode.workspace.registerTextDocumentContentProvider(PRELUDE_SCHEME, new PreludeDocuments(() => client)),
        vscode.commands.registerCommand("slang-analyzer.previewDerivative", (target?: unknown) => preview.show(target)),
        vscode.commands.registerCommand("slang-analyzer.choosePreviewTarget", () => preview.chooseTarget()),
        vscode.commands.registerCommand("slang-analyzer.toggleDerivativeFlow", () => flow.toggle()),
        vscode.commands.registerCommand("slang-analyzer.checkGradient", (of?: unknown) => report.checkGradient(of)),
        vscode.commands.registerCommand("slang-analyzer.findNonFinite", (of?: unknown) => report.findNonFinite(of)),
        vscode.commands.registerCommand("slang-analyzer.showResiduals", (of?: unknown) => report.showResiduals(of)),
        vscode.commands.registerCommand("slang-analyzer.showCost", (of?: unknown) => cost.show(of)),
        vscode.commands.registerCommand("slang-analyzer.hideCost", () => cost.hide()),
        vscode.commands.registerCommand("slang-analyzer.sortCost", () => cost.chooseOrder()),
        vscode.commands.registerCommand("slang-analyzer.openGradientPanel", (of?: unknown) => panels.show(of)),
        vscode.commands.registerCommand("slang-analyzer.showValues", (of?: unknown, at?: number[]) =>
            values.show(of, at),
        ),
        vscode.commands.registerCommand("slang-analyzer.chooseInputs", () => values.chooseInputs()),
        vscode.commands.registerCommand("slang-analyzer.chooseIteration", () => values.chooseIteration()),
        vscode.commands.registerCommand("slang-analyzer.hideValues", () => values.hide()),
        vscode.commands.registerCommand("slang-analyzer.showIr", () => ir.show()),
        vscode.commands.registerCommand("slang-analyzer.showSyntaxTree", () => syntaxTree.show()),
        vscode.commands.registerCommand("slang-analyzer.restartServer", () => restart(context)),
        vscode.workspace.onDidChangeConfiguration(async (change) => {
            if (change.affectsConfiguration("slang-analyzer.server")) {
                await restart(context);
            }
        }),
    );
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
