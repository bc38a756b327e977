// The derivative preview: a read-only document beside the editor that follows edits, in the language of any target. Lines
// that belong together are marked on both sides.

import * as vscode from "vscode";
import type { BaseLanguageClient, Range } from "vscode-languageclient";

const SCHEME = "slang-derivative";

// The targets by their names, with the language that VS Code knows each by.
const TARGETS: Record<string, { title: string; extension: string; language: string }> = {
    slang: { title: "Slang", extension: "slang", language: "slang" },
    hlsl: { title: "HLSL", extension: "hlsl", language: "hlsl" },
    glsl: { title: "GLSL", extension: "glsl", language: "glsl" },
    wgsl: { title: "WGSL", extension: "wgsl", language: "wgsl" },
    metal: { title: "Metal", extension: "metal", language: "metal" },
    cpp: { title: "C++", extension: "cpp", language: "cpp" },
    cuda: { title: "CUDA", extension: "cu", language: "cuda-cpp" },
};

type Operator = "forward" | "backward";

// Parameters and result of the request `slang-analyzer/derivativePreview`.
interface PreviewParams {
    textDocument: { uri: string };
    position: { line: number; character: number };
    function?: string;
    operator?: Operator;
    target: string;
}

interface PreviewResult {
    // The name of the function that is previewed, which later requests use to find it again.
    function: string;
    // The text to show; errors come as comments, so that the preview never goes blank.
    text: string;
    lines: PreviewLine[];
}

// A line of the text and the source it comes from; the lines up to the next one belong to it.
interface PreviewLine {
    line: number;
    uri: string;
    range: Range;
}

// What a code lens or another extension may pass to the command.
interface NamedFunction {
    uri: string;
    function: string;
    operator?: Operator;
}

interface Shown {
    source: vscode.Uri;
    position: vscode.Position;
    function?: string;
    operator: Operator;
    target: string;
    text: string;
    // What the text was when a file was last saved.
    saved: string;
    lines: PreviewLine[];
}

// Of the document with what a preview was when a file was last saved.
const SAVED = "saved";

export class DerivativePreview implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    private readonly shown = new Map<string, Shown>();
    private readonly linked = vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
        isWholeLine: true,
    });
    private readonly files = vscode.workspace.createFileSystemWatcher("**/*.{slang,slangh}");
    private readonly disposables: vscode.Disposable[];
    private pending: NodeJS.Timeout | undefined;

    readonly onDidChange = this.changed.event;

    constructor(private readonly client: () => BaseLanguageClient | undefined) {
        this.disposables = [
            this.changed,
            this.linked,
            vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
            vscode.workspace.onDidChangeTextDocument((change) => this.documentChanged(change.document)),
            vscode.workspace.onDidSaveTextDocument(() => this.keepSaved()),
            this.files,
            this.files.onDidChange(() => this.sourcesChanged()),
            this.files.onDidCreate(() => this.sourcesChanged()),
            this.files.onDidDelete(() => this.sourcesChanged()),
            vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
            vscode.window.onDidChangeTextEditorSelection((change) => this.link(change.textEditor, true)),
        ];
    }

    dispose(): void {
        clearTimeout(this.pending);
        this.disposables.forEach((disposable) => disposable.dispose());
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        if (uri.fragment === SAVED) {
            return this.shown.get(uri.with({ fragment: "" }).toString())?.saved ?? "";
        }
        return this.shown.get(uri.toString())?.text ?? "// This preview is no longer followed: run the command again.";
    }

    // Shows the derivative of the function at the cursor, or of the one that is named.
    async show(target?: unknown): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const named = isNamedFunction(target) ? target : undefined;
        const source = named ? this.client()?.protocol2CodeConverter.asUri(named.uri) : editor?.document.uri;
        if (!source) {
            return;
        }
        await this.open({
            source,
            position: editor?.selection.active ?? new vscode.Position(0, 0),
            function: named?.function,
            operator: named?.operator ?? "backward",
            target: vscode.workspace.getConfiguration("slang-analyzer").get("preview.target", "slang"),
            text: "",
            saved: "",
            lines: [],
        });
    }

    // Lets the user choose the language of the preview at hand.
    async chooseTarget(): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const shown = this.shown.get(editor?.document.uri.toString() ?? "");
        const picks = Object.entries(TARGETS).map(([name, { title }]) => ({ label: title, name }));
        const chosen = await vscode.window.showQuickPick(picks, { title: "Show derivatives as" });
        if (chosen && shown) {
            await this.open({ ...shown, target: chosen.name }, editor?.viewColumn);
        } else if (chosen) {
            const settings = vscode.workspace.getConfiguration("slang-analyzer");
            await settings.update("preview.target", chosen.name, vscode.ConfigurationTarget.Global);
        }
    }

    // Shows the preview at hand beside what it was when a file was last saved.
    async compareWithSaved(): Promise<void> {
        const active = vscode.window.activeTextEditor?.document.uri;
        const uri = active?.scheme === SCHEME ? active.toString() : [...this.shown.keys()].at(-1);
        if (!uri || !this.shown.has(uri)) {
            void vscode.window.showInformationMessage("There is no derivative preview to compare.");
            return;
        }
        const now = vscode.Uri.parse(uri);
        const title = `${now.path.slice(1)}: last saved and now`;
        await vscode.commands.executeCommand("vscode.diff", now.with({ fragment: SAVED }), now, title, { preview: false });
    }

    private async keepSaved(): Promise<void> {
        for (const [uri, shown] of [...this.shown]) {
            await this.follow(uri, shown);
            shown.saved = shown.text;
            this.changed.fire(vscode.Uri.parse(uri).with({ fragment: SAVED }));
        }
    }

    // Beside the source, or in the column of the preview that it takes the place of.
    private async open(shown: Shown, column?: vscode.ViewColumn): Promise<void> {
        const problem = await this.refresh(shown);
        if (problem) {
            void vscode.window.showInformationMessage(problem);
            return;
        }
        const prefix = shown.operator === "forward" ? "fwd_diff" : "bwd_diff";
        const { extension, language } = TARGETS[shown.target] ?? TARGETS.slang;
        const uri = vscode.Uri.from({
            scheme: SCHEME,
            path: `/${prefix}(${shown.function}).${extension}`,
            query: shown.source.toString(),
        });
        shown.saved = shown.text;
        this.shown.set(uri.toString(), shown);
        this.changed.fire(uri);
        const document = await vscode.workspace.openTextDocument(uri);
        if ((await vscode.languages.getLanguages()).includes(language)) {
            await vscode.languages.setTextDocumentLanguage(document, language);
        }
        await vscode.window.showTextDocument(document, {
            viewColumn: column ?? vscode.ViewColumn.Beside,
            preserveFocus: column === undefined,
            preview: true,
        });
    }

    // Asks the server again; gives what to tell the user if there is nothing to show.
    private async refresh(shown: Shown): Promise<string | undefined> {
        const client = this.client();
        if (!client) {
            return "slang-analyzer is not running.";
        }
        const params: PreviewParams = {
            textDocument: { uri: client.code2ProtocolConverter.asUri(shown.source) },
            position: client.code2ProtocolConverter.asPosition(shown.position),
            function: shown.function,
            operator: shown.operator,
            target: shown.target,
        };
        try {
            const result = await client.sendRequest<PreviewResult | null>("slang-analyzer/derivativePreview", params);
            if (!result) {
                return "Put the cursor in a function to preview its derivative.";
            }
            shown.function = result.function;
            shown.text = result.text;
            const known = (uri: string) => client.protocol2CodeConverter.asUri(uri).toString();
            shown.lines = result.lines.map((line) => ({ ...line, uri: known(line.uri) }));
            return undefined;
        } catch (error) {
            return error instanceof Error ? error.message : String(error);
        }
    }

    private documentChanged(document: vscode.TextDocument): void {
        if (document.uri.scheme === SCHEME) {
            this.linkActive();
            return;
        }
        const isSource = [...this.shown.values()].some((shown) => shown.source.toString() === document.uri.toString());
        if (isSource || document.languageId === "slang") {
            this.sourcesChanged();
        }
    }

    // A derivative is made of what the source imports and includes as well: any file may change it. Edits come in bursts:
    // the server is asked once the user pauses for a moment.
    private sourcesChanged(): void {
        if (this.shown.size === 0) {
            return;
        }
        clearTimeout(this.pending);
        this.pending = setTimeout(async () => {
            for (const [uri, shown] of [...this.shown]) {
                await this.follow(uri, shown);
            }
        }, 50);
    }

    // Brings a preview up to date. The lines that belong together may be others without another text; with one, they are
    // marked once the document has it.
    private async follow(uri: string, shown: Shown): Promise<void> {
        const before = shown.text;
        if (await this.refresh(shown)) {
            return;
        }
        if (shown.text === before) {
            this.linkActive();
        } else {
            this.changed.fire(vscode.Uri.parse(uri));
        }
    }

    private linkActive(): void {
        if (vscode.window.activeTextEditor) {
            this.link(vscode.window.activeTextEditor, false);
        }
    }

    // Marks, on the other side, the lines that belong to the one with the cursor, and scrolls to them when the cursor moved.
    private link(editor: vscode.TextEditor, reveals: boolean): void {
        const line = editor.selection.active.line;
        const uri = editor.document.uri.toString();
        const preview = this.shown.get(uri);
        if (preview) {
            const from = preview.lines.filter((entry) => entry.line <= line).at(-1);
            // What the function calls may be written in other files, which may be open as well.
            for (const file of new Set([preview.source.toString(), ...preview.lines.map((entry) => entry.uri)])) {
                this.mark(file, from?.uri === file ? [from.range] : [], reveals);
            }
            return;
        }
        for (const [previewUri, shown] of this.shown) {
            if (shown.source.toString() !== uri && !shown.lines.some((entry) => entry.uri === uri)) {
                continue;
            }
            const ranges = shown.lines.flatMap((entry, index) => {
                const isHere = entry.uri === uri && entry.range.start.line <= line && line <= entry.range.end.line;
                // What spans many lines (the function itself) says nothing about one of them.
                const isNarrow = entry.range.start.line === entry.range.end.line;
                const next = shown.lines[index + 1]?.line ?? entry.line + 1;
                return isHere && isNarrow ? [lines(entry.line, Math.max(next - 1, entry.line))] : [];
            });
            this.mark(previewUri, ranges, reveals);
        }
    }

    private mark(uri: string, ranges: Range[], reveals: boolean): void {
        const convert = this.client()?.protocol2CodeConverter;
        for (const editor of vscode.window.visibleTextEditors) {
            if (convert && editor.document.uri.toString() === uri) {
                const marked = ranges.map((range) => convert.asRange(range));
                editor.setDecorations(this.linked, marked);
                if (reveals && marked.length > 0) {
                    editor.revealRange(marked[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
                }
            }
        }
    }
}

function lines(first: number, last: number): Range {
    return { start: { line: first, character: 0 }, end: { line: last, character: 0 } };
}

function isNamedFunction(value: unknown): value is NamedFunction {
    return typeof value === "object" && value !== null && "uri" in value && "function" in value;
}
