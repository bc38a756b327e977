// Compiles the file of the editor: the user chooses the target and the entry point, and sees the code or the reflection.

import { execFile } from "child_process";
import * as fs from "fs/promises";
import * as os from "os";
import * as path from "path";
import * as vscode from "vscode";

// The targets by their names, with the language that VS Code knows each by.
const TARGETS = [
    { label: "HLSL", target: "hlsl", extension: "hlsl", language: "hlsl" },
    { label: "GLSL", target: "glsl", extension: "glsl", language: "glsl" },
    { label: "WGSL", target: "wgsl", extension: "wgsl", language: "wgsl" },
    { label: "Metal", target: "metal", extension: "metal", language: "metal" },
    { label: "CUDA", target: "cuda", extension: "cu", language: "cuda-cpp" },
    { label: "C++", target: "cpp", extension: "cpp", language: "cpp" },
    { label: "Slang", target: "slang", extension: "slang", language: "slang" },
];

// `[shader("compute")]`, other attributes, the result and the name.
const ENTRY_POINT = /\[\s*shader\s*\(\s*"(\w+)"\s*\)\s*\](?:\s*\[[^\]]*\])*\s*[\w<>,:.\s]+?\s(\w+)\s*\(/g;

// Of documents that show what came out, which nobody is asked to save.
export const COMPILED_SCHEME = "slang-compiled";

export class Compiler implements vscode.TextDocumentContentProvider {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    private readonly texts = new Map<string, string>();

    readonly onDidChange = this.changed.event;

    constructor(
        private readonly command: () => string,
        private readonly log: vscode.OutputChannel,
    ) {}

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.texts.get(uri.toString()) ?? "// Compile the file again to see this.";
    }

    // The code for a target, in a document beside the editor.
    async compile(): Promise<void> {
        const document = await savedSource();
        const target = document && (await vscode.window.showQuickPick(TARGETS, { title: "Compile for" }));
        const entry = target && (await chooseEntryPoint(document));
        if (!document || !target || !entry) {
            return;
        }
        const words = ["--target", target.target, ...entry.words];
        const code = await this.run(document, words);
        if (code !== undefined) {
            await this.show(code, `${path.basename(document.uri.fsPath)}.${target.extension}`, target.language);
        }
    }

    // Where parameters are bound and how their memory is laid out.
    async reflect(): Promise<void> {
        const document = await savedSource();
        if (!document) {
            return;
        }
        const folder = await fs.mkdtemp(path.join(os.tmpdir(), "slang-analyzer-"));
        try {
            const file = path.join(folder, "reflection.json");
            const words = ["--target", "slang", "--reflection", file, "-o", path.join(folder, "code.slang")];
            if ((await this.run(document, words)) !== undefined) {
                const name = `${path.basename(document.uri.fsPath)}.reflection.json`;
                await this.show(await fs.readFile(file, "utf8"), name, "json");
            }
        } finally {
            await fs.rm(folder, { recursive: true, force: true });
        }
    }

    private async show(text: string, name: string, language: string): Promise<void> {
        const uri = vscode.Uri.from({ scheme: COMPILED_SCHEME, path: `/${name}` });
        this.texts.set(uri.toString(), text);
        this.changed.fire(uri);
        const document = await vscode.workspace.openTextDocument(uri);
        if ((await vscode.languages.getLanguages()).includes(language)) {
            await vscode.languages.setTextDocumentLanguage(document, language);
        }
        await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    }

    // What `emit` prints; its errors go to the output panel.
    private async run(document: vscode.TextDocument, words: string[]): Promise<string | undefined> {
        const settings = vscode.workspace.getConfiguration("slang", document.uri);
        const folder = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath ?? path.dirname(document.uri.fsPath);
        const roots = settings.get<string[]>("additionalSearchPaths", []).flatMap((root) => ["-I", root]);
        const macros = settings.get<string[]>("predefinedMacros", []).flatMap((macro) => ["-D", macro]);
        const file = document.uri.fsPath;
        return new Promise((resolve) => {
            const options = { cwd: folder, maxBuffer: 64 << 20 };
            execFile(this.command(), ["emit", file, ...words, ...roots, ...macros], options, (error, output, errors) => {
                if (!error) {
                    resolve(output);
                    return;
                }
                this.log.clear();
                this.log.append(errors || output || error.message);
                this.log.show(true);
                resolve(undefined);
            });
        });
    }
}

// The file of the editor, as it is on the disk.
async function savedSource(): Promise<vscode.TextDocument | undefined> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== "slang" || document.uri.scheme !== "file") {
        void vscode.window.showInformationMessage("Open a Slang file to compile it.");
        return undefined;
    }
    return !document.isDirty || (await document.save()) ? document : undefined;
}

async function chooseEntryPoint(document: vscode.TextDocument): Promise<{ words: string[] } | undefined> {
    const found = [...document.getText().matchAll(ENTRY_POINT)];
    const entries = found.map(([, stage, name]) => ({ label: name, description: stage, words: ["--entry", name] }));
    const all = { label: "All entry points", description: "", words: [] as string[] };
    return vscode.window.showQuickPick([all, ...entries], { title: "Entry point" });
}
