// What a function and its backward derivative cost: at the end of each line, and as a list with the most expensive first.

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";
import { askAboutFunction } from "./ask";

// The result of the request `slang-analyzer/cost`.
interface CostResult {
    function: string;
    summary: string;
    total: CostNumbers;
    hasUnknownLoops: boolean;
    lines: (CostNumbers & { uri: string; range: Range; text: string; summary: string })[];
    alternatives: (CostNumbers & { what: string; change: string })[];
    problems: string[];
}

interface CostNumbers {
    forward: number;
    reverse: number;
    transcendental: number;
    atomics: number;
    bytes: number;
}

type Node = { item: vscode.TreeItem; children: Node[] };

const ORDERS = {
    "reverse operations": (cost: CostNumbers) => cost.reverse,
    "forward operations": (cost: CostNumbers) => cost.forward,
    "bytes kept": (cost: CostNumbers) => cost.bytes,
    "transcendental calls": (cost: CostNumbers) => cost.transcendental,
    atomics: (cost: CostNumbers) => cost.atomics,
};

export class CostView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly tree = vscode.window.createTreeView<Node>("slang-analyzer.cost", { treeDataProvider: this });
    private readonly decoration = vscode.window.createTextEditorDecorationType({
        after: { margin: "0 0 0 3em", color: new vscode.ThemeColor("editorCodeLens.foreground") },
        isWholeLine: true,
    });
    private readonly listeners: vscode.Disposable[] = [];
    private result: CostResult | undefined;
    private order: keyof typeof ORDERS = "reverse operations";

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.listeners.push(
            // What was counted is of the text as it was.
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                const uri = this.client()?.code2ProtocolConverter.asUri(document.uri);
                if (contentChanges.length > 0 && this.result?.lines.some((line) => line.uri === uri)) {
                    this.set(undefined);
                }
            }),
            vscode.window.onDidChangeVisibleTextEditors(() => this.decorate()),
        );
    }

    dispose(): void {
        this.listeners.forEach((listener) => listener.dispose());
        this.decoration.dispose();
        this.tree.dispose();
        this.changed.dispose();
    }

    async show(target?: unknown): Promise<void> {
        const result = await askAboutFunction<CostResult>(this.client(), "slang-analyzer/cost", target);
        if (!result) {
            return;
        }
        if (result.problems.length > 0) {
            void vscode.window.showInformationMessage(`${result.function}: ${result.problems.join("; ")}`);
            return;
        }
        this.set(result);
        const [first] = this.getChildren();
        if (first) {
            await this.tree.reveal(first, { focus: false, expand: true });
        }
    }

    hide(): void {
        this.set(undefined);
    }

    // Asks by what the lines are sorted.
    async chooseOrder(): Promise<void> {
        const chosen = await vscode.window.showQuickPick(Object.keys(ORDERS), { title: "Sort lines by" });
        if (chosen) {
            this.order = chosen as keyof typeof ORDERS;
            this.changed.fire();
        }
    }

    getTreeItem(node: Node): vscode.TreeItem {
        return node.item;
    }

    getParent(): undefined {
        return undefined;
    }

    getChildren(node?: Node): Node[] {
        if (node) {
            return node.children;
        }
        const client = this.client();
        if (!this.result || !client) {
            return [];
        }
        const { lines, alternatives, hasUnknownLoops } = this.result;
        const by = ORDERS[this.order];
        const sorted = [...lines].sort((a, b) => by(b) - by(a));
        const ofLine = ({ uri, range, text, summary }: CostResult["lines"][number]): Node => {
            const item = new vscode.TreeItem(`${range.start.line + 1}: ${text}`);
            item.description = summary;
            item.tooltip = `${text}\n${summary} (estimate)`;
            const selection = client.protocol2CodeConverter.asRange(range);
            const uriOfLine = client.protocol2CodeConverter.asUri(uri);
            item.command = { title: "Go to line", command: "vscode.open", arguments: [uriOfLine, { selection }] };
            return { item, children: [] };
        };
        const nodes = sorted.map(ofLine);
        if (hasUnknownLoops) {
            const item = new vscode.TreeItem("How often some loop runs is not known: one iteration counts");
            nodes.push({ item, children: [] });
        }
        if (alternatives.length > 0) {
            const item = new vscode.TreeItem("What if …", vscode.TreeItemCollapsibleState.Expanded);
            const children = alternatives.map(({ what, change }) => {
                const alternative = new vscode.TreeItem(what);
                alternative.description = change;
                return { item: alternative, children: [] };
            });
            nodes.push({ item, children });
        }
        return nodes;
    }

    private set(result: CostResult | undefined): void {
        this.result = result;
        this.tree.title = result ? `Cost of ${result.function}` : "Cost by line";
        this.tree.description = result ? `${result.summary}, estimate` : "";
        void vscode.commands.executeCommand("setContext", "slang-analyzer.hasCost", result !== undefined);
        this.changed.fire();
        this.decorate();
    }

    private decorate(): void {
        const client = this.client();
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = client?.code2ProtocolConverter.asUri(editor.document.uri);
            const lines = this.result?.lines.filter((line) => line.uri === uri) ?? [];
            editor.setDecorations(
                this.decoration,
                lines.map(({ range, forward, reverse, bytes, summary }) => {
                    const line = new vscode.Range(range.start.line, 0, range.start.line, Number.MAX_SAFE_INTEGER);
                    const kept = bytes > 0 ? `  ${bytes} B` : "";
                    return {
                        range: line,
                        hoverMessage: `${summary} (estimate)`,
                        renderOptions: { after: { contentText: `${forward} → ${reverse}${kept}` } },
                    };
                }),
            );
        }
    }
}
