// Gradient checks in the Test Explorer: a test for each differentiable function of the workspace, below it its cases.

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";

// An element of the result of the request `slang-analyzer/gradientTests`.
interface GradientTest {
    uri: string;
    range: Range;
    function: string;
    cases: string[];
}

// Of the result of the request `slang-analyzer/gradientCheck`.
interface GradientOutcome {
    name: string;
    verdict: "ok" | "wrong" | "notChecked" | "skipped";
    lines: string[];
    findings: { message: string; expected?: number; got?: number }[];
}

export class GradientTests implements vscode.Disposable {
    private readonly controller = vscode.tests.createTestController("slang-analyzer.gradients", "Slang gradients");
    private readonly listeners: vscode.Disposable[] = [];
    // The functions by the tests that stand for them.
    private readonly functions = new WeakMap<vscode.TestItem, GradientTest>();

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.controller.resolveHandler = async () => this.refresh();
        this.controller.refreshHandler = async () => this.refresh();
        const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => this.run(request, token);
        this.controller.createRunProfile("Check gradients", vscode.TestRunProfileKind.Run, run, true);
        this.listeners.push(
            vscode.workspace.onDidSaveTextDocument(async (document) => {
                if (document.languageId !== "slang") {
                    return;
                }
                const uri = this.client()?.code2ProtocolConverter.asUri(document.uri);
                await this.refresh(uri);
                const settings = vscode.workspace.getConfiguration("slang-analyzer");
                const file = uri && this.controller.items.get(uri);
                if (file && settings.get<boolean>("gradientTests.runOnSave", false)) {
                    await this.run(new vscode.TestRunRequest([file]), new vscode.CancellationTokenSource().token);
                }
            }),
            vscode.workspace.onDidOpenTextDocument(async (document) => {
                if (document.languageId === "slang") {
                    await this.refresh(this.client()?.code2ProtocolConverter.asUri(document.uri));
                }
            }),
        );
    }

    dispose(): void {
        this.listeners.forEach((listener) => listener.dispose());
        this.controller.dispose();
    }

    // Asks for the functions of one file, or of all.
    private async refresh(uri?: string): Promise<void> {
        const client = this.client();
        if (!client?.isRunning()) {
            return;
        }
        const params = uri === undefined ? {} : { textDocument: { uri } };
        const tests = await client.sendRequest<GradientTest[]>("slang-analyzer/gradientTests", params);
        const byFile = new Map<string, GradientTest[]>();
        tests.forEach((test) => byFile.set(test.uri, [...(byFile.get(test.uri) ?? []), test]));
        if (uri === undefined) {
            this.controller.items.replace([...byFile].map(([file, found]) => this.fileItem(client, file, found)));
        } else if (byFile.size === 0) {
            this.controller.items.delete(uri);
        }
        byFile.forEach((found, file) => this.controller.items.add(this.fileItem(client, file, found)));
    }

    private fileItem(client: BaseLanguageClient, file: string, tests: GradientTest[]): vscode.TestItem {
        const uri = client.protocol2CodeConverter.asUri(file);
        const item = this.controller.createTestItem(file, vscode.workspace.asRelativePath(uri), uri);
        for (const test of tests) {
            const { range, cases } = test;
            const child = this.controller.createTestItem(`${file}#${test.function}`, test.function, uri);
            child.range = client.protocol2CodeConverter.asRange(range);
            cases.forEach((text) => {
                const one = this.controller.createTestItem(`${child.id}[${text}]`, text, uri);
                one.range = child.range;
                child.children.add(one);
            });
            this.functions.set(child, test);
            item.children.add(child);
        }
        return item;
    }

    private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
        const run = this.controller.createTestRun(request);
        const wanted = new Set<vscode.TestItem>();
        const want = (item: vscode.TestItem): void => {
            // A case is checked with its function.
            const function_ = this.functions.has(item) ? item : item.parent && this.functions.has(item.parent) ? item.parent : undefined;
            if (function_) {
                wanted.add(function_);
            } else {
                item.children.forEach(want);
            }
        };
        (request.include ?? [...this.controller.items].map(([, item]) => item)).forEach(want);
        request.exclude?.forEach((item) => wanted.delete(item));
        wanted.forEach((item) => run.enqueued(item));
        for (const item of wanted) {
            if (token.isCancellationRequested) {
                break;
            }
            await this.runOne(run, item, token);
        }
        run.end();
    }

    private async runOne(run: vscode.TestRun, item: vscode.TestItem, token: vscode.CancellationToken): Promise<void> {
        const test = this.functions.get(item);
        const client = this.client();
        if (!test || !client) {
            return;
        }
        run.started(item);
        item.children.forEach((child) => run.started(child));
        const start = Date.now();
        const params = { textDocument: { uri: test.uri }, position: test.range.start, function: test.function };
        try {
            const sent = client.sendRequest<{ outcomes: GradientOutcome[] } | null>(
                "slang-analyzer/gradientCheck",
                params,
                token,
            );
            const outcomes = (await sent)?.outcomes ?? [];
            const duration = Date.now() - start;
            const isOf = (outcome: GradientOutcome, text: string) => outcome.name.endsWith(` [${text}]`);
            const own = outcomes.filter((outcome) => !test.cases.some((text) => isOf(outcome, text)));
            this.report(run, item, own, duration);
            test.cases.forEach((text) => {
                const child = item.children.get(`${item.id}[${text}]`);
                if (child) {
                    this.report(run, child, outcomes.filter((outcome) => isOf(outcome, text)), duration);
                }
            });
        } catch (error) {
            const message = new vscode.TestMessage(error instanceof Error ? error.message : String(error));
            run.errored(item, message);
            item.children.forEach((child) => run.errored(child, message));
        }
    }

    private report(run: vscode.TestRun, item: vscode.TestItem, outcomes: GradientOutcome[], duration: number): void {
        const place = item.uri && item.range ? new vscode.Location(item.uri, item.range) : undefined;
        for (const { name, lines } of outcomes) {
            run.appendOutput(`${name}:\r\n${lines.map((line) => `  ${line}\r\n`).join("")}`, place, item);
        }
        const messages = outcomes.flatMap(({ verdict, findings, lines }) => {
            if (verdict === "ok" || verdict === "skipped") {
                return [];
            }
            if (findings.length === 0) {
                return [new vscode.TestMessage(lines.join("\n"))];
            }
            return findings.map(({ message, expected, got }) =>
                expected === undefined || got === undefined
                    ? new vscode.TestMessage(message)
                    : vscode.TestMessage.diff(message, String(expected), String(got)),
            );
        });
        messages.forEach((message) => (message.location = place));
        if (messages.length > 0) {
            run.failed(item, messages, duration);
        } else if (outcomes.length === 0 || outcomes.every((outcome) => outcome.verdict === "skipped")) {
            run.skipped(item);
        } else {
            run.passed(item, duration);
        }
    }
}
