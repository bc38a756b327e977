// The item in the status bar: what the server does, and what can be done with it.

import * as vscode from "vscode";
import { BaseLanguageClient, State } from "vscode-languageclient";

// Result of the request `slang-analyzer/status`.
interface Status {
    version: string;
    openDocuments: number;
    knownFiles: number;
    indexing: boolean;
}

// Result of the request `slang-analyzer/memory`.
interface MemoryReport {
    tables: { bytes: number }[];
}

const MILLISECONDS_BETWEEN_LOOKS = 3000;

export class StatusBar implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem("slang-analyzer.status", vscode.StatusBarAlignment.Right, 10);
    private readonly timer: ReturnType<typeof setInterval>;

    constructor(
        private readonly client: () => BaseLanguageClient | undefined,
        private readonly restart: () => Promise<void>,
    ) {
        this.item.name = "slang-analyzer";
        this.item.command = "slang-analyzer.showStatus";
        this.timer = setInterval(() => void this.look(), MILLISECONDS_BETWEEN_LOOKS);
        void this.look();
        this.item.show();
    }

    dispose(): void {
        clearInterval(this.timer);
        this.item.dispose();
    }

    // Lets the user choose what to do with the server.
    async choose(): Promise<void> {
        const status = await this.status();
        const bytes = await this.memory();
        const about = status
            ? `version ${status.version}, ${status.knownFiles} files, ${(bytes / 1e6).toFixed(1)} MB of analysis`
            : "the server is not running";
        const restart = { label: "$(debug-restart) Restart the server" };
        const log = { label: "$(output) Show the log" };
        const settings = { label: "$(gear) Open the settings" };
        const chosen = await vscode.window.showQuickPick([restart, log, settings], {
            title: "slang-analyzer",
            placeHolder: about,
        });
        if (chosen === restart) {
            await this.restart();
            await this.look();
        } else if (chosen === log) {
            this.client()?.outputChannel.show();
        } else if (chosen === settings) {
            await vscode.commands.executeCommand("workbench.action.openSettings", "slang-analyzer");
        }
    }

    private async look(): Promise<void> {
        const client = this.client();
        if (client?.state === State.Starting) {
            this.show("$(sync~spin) Slang", "slang-analyzer starts");
            return;
        }
        const status = await this.status();
        if (!status) {
            this.show("$(error) Slang", "slang-analyzer is not running", "statusBarItem.errorBackground");
        } else if (status.indexing) {
            this.show("$(sync~spin) Slang", `slang-analyzer ${status.version} looks for files: ${status.knownFiles} so far`);
        } else {
            this.show("$(check) Slang", `slang-analyzer ${status.version}: ${status.knownFiles} files, ${status.openDocuments} open`);
        }
    }

    private show(text: string, tooltip: string, background?: string): void {
        this.item.text = text;
        this.item.tooltip = tooltip;
        this.item.backgroundColor = background ? new vscode.ThemeColor(background) : undefined;
    }

    private async status(): Promise<Status | undefined> {
        return this.ask<Status>("slang-analyzer/status");
    }

    private async memory(): Promise<number> {
        const report = await this.ask<MemoryReport>("slang-analyzer/memory");
        return (report?.tables ?? []).reduce((sum, table) => sum + table.bytes, 0);
    }

    private async ask<T>(method: string): Promise<T | undefined> {
        const client = this.client();
        if (client?.state !== State.Running) {
            return undefined;
        }
        return client.sendRequest<T>(method).then(
            (answer) => answer,
            () => undefined,
        );
    }
}
