// Tasks: checks of the workspace, and of its gradients, with the problems that they print.

import * as vscode from "vscode";

export const TASK_TYPE = "slang-analyzer";

interface Definition extends vscode.TaskDefinition {
    command: "check" | "gradcheck";
    path?: string;
}

export class Tasks implements vscode.TaskProvider {
    constructor(private readonly command: () => string) {}

    provideTasks(): vscode.Task[] {
        const folders = vscode.workspace.workspaceFolders ?? [];
        return folders.map((folder) => this.task({ type: TASK_TYPE, command: "check" }, folder));
    }

    resolveTask(task: vscode.Task): vscode.Task {
        const scope = task.scope ?? vscode.TaskScope.Workspace;
        return this.task(task.definition as Definition, scope);
    }

    private task(definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Task {
        const execution = new vscode.ProcessExecution(this.command(), [definition.command, definition.path ?? "."]);
        return new vscode.Task(definition, scope, definition.command, TASK_TYPE, execution, "$slang-analyzer");
    }
}
