// What needs a process: compiling and tasks.

import * as vscode from "vscode";
import { COMPILED_SCHEME, Compiler } from "./compile";
import { serverCommand } from "./server";
import { TASK_TYPE, Tasks } from "./tasks";

export function registerDesktopFeatures(context: vscode.ExtensionContext): void {
    const configured = () => vscode.workspace.getConfiguration("slang-analyzer").get<string | null>("server.path", null);
    const command = () => serverCommand(context, configured());
    const log = vscode.window.createOutputChannel("slang-analyzer: compile");
    const compiler = new Compiler(command, log);
    context.subscriptions.push(
        log,
        vscode.workspace.registerTextDocumentContentProvider(COMPILED_SCHEME, compiler),
        vscode.tasks.registerTaskProvider(TASK_TYPE, new Tasks(command)),
        vscode.commands.registerCommand("slang-analyzer.compile", () => compiler.compile()),
        vscode.commands.registerCommand("slang-analyzer.reflect", () => compiler.reflect()),
    );
    // In a browser there is no process: the commands are hidden.
    void vscode.commands.executeCommand("setContext", "slang-analyzer.canCompile", true);
}
