// Compiles the file of the editor: the user chooses the target and the entry point, and sees the code or the reflection.

import { execFile } from "child_process";
import * as fs from "fs/promises";
import * as os from "os";
import * as path from "path";
import * as vscode from "vscode";

// The targets by their names, with the language that VS Code knows each by.
const TARGETS = [
    { label: "HLSL", target: "hlsl", language: "hlsl" },
    { label: "GLSL", target: "glsl", language: "glsl" },
    { label: "WGSL", target: "wgsl", language: "wgsl" },
    { label: "CUDA", target: "cuda", language: "cuda-cpp" },
    { label: "C++", target: "cpp", language: "cpp" },
    { label: "Slang", target: "slang", language: "slang" },
];

// `[shader("compute")]`, other attributes, the result and the name.
const ENTRY_POINT = /\[\s*shader\s*\(\s*"(\w+)"\s*\)\s*\](?:\s*\[[^\]]*\])*\s*[\w<>,:.\s]+?\s(\w+)\s*\(/g;

export class Compiler {
    constructor(
        private readonly command: () => string,
        private readonly log: vscode.OutputChannel,
    ) {}

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
            await show(code, target.language);
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
                await show(await fs.readFile(file, "utf8"), "json");
            }
        } finally {
            await fs.rm(folder, { recursive: true, force: true });
        }
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

async function show(text: string, language: string): Promise<void> {
    const known = await vscode.languages.getLanguages();
    const document = await vscode.workspace.openTextDocument({
        content: text,
        language: known.includes(language) ? language : "plaintext",
    });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}
