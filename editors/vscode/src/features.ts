// What the extension shows beside what every client of a language server shows: the same on a desktop and in a browser.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { CostView } from "./costView";
import { DerivativeFlowView } from "./derivativeFlow";
import { DerivativeReport } from "./derivativeReport";
import { ExplanationView } from "./explanationView";
import { GradientPanels } from "./gradientPanel";
import { GradientTests } from "./gradientTests";
import { IrView } from "./irView";
import { PRELUDE_SCHEME, PreludeDocuments } from "./prelude";
import { DerivativePreview } from "./preview";
import { StatusBar } from "./statusBar";
import { SyntaxTreeView } from "./syntaxTree";
import { ValuesInMargin } from "./valuesInMargin";

// Registers the commands and views. `client` gives the client that runs at the moment.
export function registerFeatures(
    context: vscode.ExtensionContext,
    client: () => BaseLanguageClient | undefined,
    restart: () => Promise<void>,
): void {
    const preview = new DerivativePreview(client);
    const flow = new DerivativeFlowView(client);
    const report = new DerivativeReport(client);
    const cost = new CostView(client);
    const explanation = new ExplanationView(client);
    const panels = new GradientPanels(context.extensionUri, client);
    const values = new ValuesInMargin(client);
    const ir = new IrView(client);
    const syntaxTree = new SyntaxTreeView(client);
    const status = new StatusBar(client, restart);
    context.subscriptions.push(
        preview,
        flow,
        report,
        cost,
        explanation,
        panels,
        new GradientTests(client),
        values,
        ir,
        syntaxTree,
        status,
        vscode.workspace.registerTextDocumentContentProvider(PRELUDE_SCHEME, new PreludeDocuments(client)),
        vscode.commands.registerCommand("slang-analyzer.previewDerivative", (target?: unknown) => preview.show(target)),
        vscode.commands.registerCommand("slang-analyzer.choosePreviewTarget", () => preview.chooseTarget()),
        vscode.commands.registerCommand("slang-analyzer.comparePreview", () => preview.compareWithSaved()),
        vscode.commands.registerCommand("slang-analyzer.toggleDerivativeFlow", () => flow.toggle()),
        vscode.commands.registerCommand("slang-analyzer.explainDerivative", () => explanation.show()),
        vscode.commands.registerCommand("slang-analyzer.hideExplanation", () => explanation.hide()),
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
        vscode.commands.registerCommand("slang-analyzer.showStatus", () => status.choose()),
        vscode.commands.registerCommand("slang-analyzer.restartServer", () => restart()),
    );
}
