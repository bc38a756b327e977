// Why a value carries a derivative, or why it is zero: the places on its way, each of which can be explained in turn.

import * as vscode from "vscode";
import type { BaseLanguageClient, Position, Range } from "vscode-languageclient";

// The result of the request `slang-analyzer/explainDerivative`.
interface Explanation {
    name: string;
    state: "active" | "unused" | "ended" | "independent";
    text: string;
    steps: Step[];
}

interface Step {
    part: "comes" | "ends" | "goes";
    text: string;
    uri: string;
    range: Range;
}

const ICONS: Record<Step["part"], string> = { comes: "arrow-down", ends: "circle-slash", goes: "arrow-right" };

const WORDS: Record<Step["part"], string> = { comes: "comes from", ends: "ends here", goes: "goes to" };

export class ExplanationView implements vscode.TreeDataProvider<Step>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly tree = vscode.window.createTreeView<Step>("slang-analyzer.explanation", {
        treeDataProvider: this,
    });
    private readonly listener: vscode.Disposable;
    private root: Explanation | undefined;

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        // What was explained is of the text as it was.
        this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
            const uri = this.client()?.code2ProtocolConverter.asUri(document.uri);
            if (contentChanges.length > 0 && this.root?.steps.some((step) => step.uri === uri)) {
                this.set(undefined);
            }
        });
    }

    dispose(): void {
        this.listener.dispose();
        this.tree.dispose();
        this.changed.dispose();
    }

    // Explains the value at the cursor.
    async show(): Promise<void> {
        const [editor, client] = [vscode.window.activeTextEditor, this.client()];
        if (!editor || !client) {
            return;
        }
        const convert = client.code2ProtocolConverter;
        const uri = convert.asUri(editor.document.uri);
        const found = await this.ask(client, uri, convert.asPosition(editor.selection.active));
        if (!found) {
            void vscode.window.showInformationMessage("Put the cursor on a value in a differentiable function.");
            return;
        }
        this.set(found);
        const [first] = found.steps;
        if (first) {
            await this.tree.reveal(first, { focus: false, select: false });
        } else {
            void vscode.window.showInformationMessage(plain(`${found.name}: ${found.text}`));
        }
    }

    hide(): void {
        this.set(undefined);
    }

    getTreeItem(step: Step): vscode.TreeItem {
        const item = new vscode.TreeItem(plain(step.text), vscode.TreeItemCollapsibleState.Collapsed);
        item.description = `${WORDS[step.part]}, line ${step.range.start.line + 1}`;
        item.tooltip = new vscode.MarkdownString(step.text);
        item.iconPath = new vscode.ThemeIcon(ICONS[step.part]);
        item.accessibilityInformation = { label: `${WORDS[step.part]} ${plain(step.text)}` };
        const convert = this.client()?.protocol2CodeConverter;
        if (convert) {
            const selection = convert.asRange(step.range);
            const uri = convert.asUri(step.uri);
            item.command = { title: "Go to line", command: "vscode.open", arguments: [uri, { selection }] };
        }
        return item;
    }

    getParent(): undefined {
        return undefined;
    }

    // Of a step, what is known of the value that stands there.
    async getChildren(step?: Step): Promise<Step[]> {
        if (!step) {
            return this.root?.steps ?? [];
        }
        const client = this.client();
        const found = client && (await this.ask(client, step.uri, step.range.start));
        const isItself = (other: Step) => other.text === step.text && other.uri === step.uri;
        return found?.steps.filter((other) => !isItself(other)) ?? [];
    }

    private async ask(
        client: BaseLanguageClient,
        uri: string,
        position: Position,
    ): Promise<Explanation | undefined> {
        try {
            const params = { textDocument: { uri }, position };
            return (
                (await client.sendRequest<Explanation | null>("slang-analyzer/explainDerivative", params)) ?? undefined
            );
        } catch {
            // The text has changed meanwhile.
            return undefined;
        }
    }

    private set(found: Explanation | undefined): void {
        this.root = found;
        this.tree.title = found ? `Derivative of ${found.name}` : "Derivative of a value";
        this.tree.message = found ? plain(found.text) : "";
        void vscode.commands.executeCommand("setContext", "slang-analyzer.hasExplanation", found !== undefined);
        this.changed.fire();
    }
}

// Trees show no Markdown.
function plain(markdown: string): string {
    return markdown.replaceAll("`", "");
}
