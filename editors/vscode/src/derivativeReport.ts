// What there is to know about the derivative of the function at the cursor: is it right, and what does it keep?

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";
import { askAboutFunction } from "./ask";

// The result of the request `slang-analyzer/gradientCheck`.
interface GradientCheckResult {
    function: string;
    verdict: "ok" | "wrong" | "notChecked";
    lines: string[];
}

// The result of the request `slang-analyzer/residualPlan`.
interface ResidualPlanResult {
    function: string;
    bytes: number;
    items: ResidualPlanItem[];
    problems: string[];
}

interface ResidualPlanItem {
    uri?: string;
    range?: Range;
    name?: string;
    type: string;
    decision: string;
    reason: string;
    iterations: number;
    totalBytes: number;
}

// The result of the request `slang-analyzer/nonFinite`.
interface NonFiniteResult {
    function: string;
    points: number;
    origins: { uri?: string; range?: Range; stages: string[]; message: string; cure?: string; inputs: number[] }[];
    problems: string[];
}

export class DerivativeReport implements vscode.Disposable {
    private readonly output = vscode.window.createOutputChannel("Slang gradient check");

    private readonly nonFinite = vscode.languages.createDiagnosticCollection("slang-analyzer (not finite)");
    // What was found is of the text as it was.
    private readonly edits = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
            this.nonFinite.delete(document.uri);
        }
    });

    constructor(private readonly client: () => BaseLanguageClient | undefined) {}

    dispose(): void {
        this.output.dispose();
        this.nonFinite.dispose();
        this.edits.dispose();
    }

    // Compares the derivative with differences, and says what came of it.
    async checkGradient(target?: unknown): Promise<void> {
        const check = async () => askAboutFunction<GradientCheckResult>(this.client(), "slang-analyzer/gradientCheck", target);
        const location = vscode.ProgressLocation.Window;
        const result = await vscode.window.withProgress({ location, title: "Checking gradient" }, check);
        if (!result) {
            return;
        }
        this.output.clear();
        this.output.appendLine(`${result.function}:`);
        result.lines.forEach((line) => this.output.appendLine(`  ${line}`));
        const details = "Show details";
        const chosen =
            result.verdict === "ok"
                ? vscode.window.showInformationMessage(`The derivative of ${result.function} is right.`, details)
                : result.verdict === "wrong"
                  ? vscode.window.showErrorMessage(`The derivative of ${result.function} is wrong.`, details)
                  : vscode.window.showWarningMessage(
                        `The derivative of ${result.function} was not checked: ${result.lines.join("; ")}`,
                        details,
                    );
        if ((await chosen) === details) {
            this.output.show(true);
        }
    }

    // Marks the operations that make an infinity or NaN, and goes to the first.
    async findNonFinite(target?: unknown): Promise<void> {
        const find = async () => askAboutFunction<NonFiniteResult>(this.client(), "slang-analyzer/nonFinite", target);
        const location = vscode.ProgressLocation.Window;
        const result = await vscode.window.withProgress({ location, title: "Looking for NaN" }, find);
        const client = this.client();
        if (!result || !client) {
            return;
        }
        this.nonFinite.clear();
        const byFile = new Map<string, vscode.Diagnostic[]>();
        for (const { uri, range, stages, message } of result.origins) {
            if (uri && range) {
                const severity = stages.includes("value")
                    ? vscode.DiagnosticSeverity.Information
                    : vscode.DiagnosticSeverity.Warning;
                const place = client.protocol2CodeConverter.asRange(range);
                const diagnostic = new vscode.Diagnostic(place, message, severity);
                diagnostic.source = "slang-analyzer (not finite)";
                byFile.set(uri, [...(byFile.get(uri) ?? []), diagnostic]);
            }
        }
        byFile.forEach((found, uri) => this.nonFinite.set(client.protocol2CodeConverter.asUri(uri), found));
        const problems = result.problems.join("; ");
        const [first] = result.origins;
        if (!first) {
            const points = result.points === 1 ? "1 input" : `${result.points} inputs`;
            const said = `${result.function} and its derivatives are finite at ${points}.`;
            void vscode.window.showInformationMessage(problems ? `${said} ${problems}` : said);
            return;
        }
        const show = "Show";
        const more = result.origins.length > 1 ? ` (and ${result.origins.length - 1} more in the problems)` : "";
        if ((await vscode.window.showWarningMessage(first.message + more, show)) === show && first.uri && first.range) {
            const selection = client.protocol2CodeConverter.asRange(first.range);
            await vscode.window.showTextDocument(client.protocol2CodeConverter.asUri(first.uri), { selection });
        }
    }

    // Lists what reverse mode keeps; choosing an item goes to where it is computed.
    async showResiduals(target?: unknown): Promise<void> {
        const plan = await askAboutFunction<ResidualPlanResult>(this.client(), "slang-analyzer/residualPlan", target);
        const client = this.client();
        if (!plan || !client) {
            return;
        }
        if (plan.problems.length > 0) {
            void vscode.window.showInformationMessage(`${plan.function}: ${plan.problems.join("; ")}`);
            return;
        }
        const picks = plan.items.map((item) => ({
            label: `${item.name ?? "a value"}: ${item.type}`,
            description: `${item.decision}${item.totalBytes > 0 ? `, ${item.totalBytes} bytes` : ""}`,
            detail: item.iterations > 1 ? `${item.iterations} iterations: ${item.reason}` : item.reason,
            item,
        }));
        const title = `Reverse mode of ${plan.function} keeps ${plan.bytes} bytes`;
        const chosen = await vscode.window.showQuickPick(picks, { title, matchOnDescription: true });
        if (chosen?.item.uri && chosen.item.range) {
            const selection = client.protocol2CodeConverter.asRange(chosen.item.range);
            await vscode.window.showTextDocument(client.protocol2CodeConverter.asUri(chosen.item.uri), { selection });
        }
    }
}
