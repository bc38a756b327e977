// Starts the server in a web worker, where an editor in a browser cannot start processes, and registers the commands.

import * as vscode from "vscode";
import { BaseLanguageClient, LanguageClientOptions, MessageTransports } from "vscode-languageclient";
import { BrowserMessageReader, BrowserMessageWriter } from "vscode-languageclient/browser";
import { registerFeatures } from "../features";
import { PRELUDE_SCHEME } from "../prelude";
import { Paths } from "./paths";
import type { FileChange, Order, Report } from "./worker";

// What the server may want to read.
const FILES = "**/{*.slang,*.slangh,*.hlsl,*.hlsli,*.h,slangdconfig.json,.gitignore,.ignore}";

// More are not taken into memory; those that are open are known in any case.
const MAX_FILES = 5_000;
const MAX_FILE_SIZE = 4 << 20;

// More failures than this in a session are not by chance.
const ATTEMPTS = 4;

let running: { client: WorkerClient; worker: Worker } | undefined;
let log: vscode.LogOutputChannel | undefined;
let failures = 0;
const paths = new Paths();

class WorkerClient extends BaseLanguageClient {
    constructor(
        options: LanguageClientOptions,
        private readonly port: MessagePort,
    ) {
        super("slang-analyzer", "slang-analyzer", options);
    }

    protected createMessageTransports(): Promise<MessageTransports> {
        return Promise.resolve({
            reader: new BrowserMessageReader(this.port),
            writer: new BrowserMessageWriter(this.port),
        });
    }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    log = vscode.window.createOutputChannel("slang-analyzer server", { log: true });
    context.subscriptions.push(log);
    registerFeatures(context, () => running?.client, () => restart(context));
    await start(context);
}

export async function deactivate(): Promise<void> {
    await stop();
}

async function stop(): Promise<void> {
    const { client, worker } = running ?? {};
    running = undefined;
    await client?.stop().catch(() => undefined);
    worker?.terminate();
}

async function restart(context: vscode.ExtensionContext): Promise<void> {
    await stop();
    await start(context);
}

async function start(context: vscode.ExtensionContext): Promise<void> {
    try {
        const ofExtension = (...parts: string[]) =>
            vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, ...parts));
        const module = await ofExtension("server", "slang_analyzer.wasm");
        // Workers cannot be made of the files of an extension wherever it is installed.
        const script = new Blob([(await ofExtension("dist", "worker.js")).slice()], { type: "text/javascript" });
        const worker = new Worker(URL.createObjectURL(script));
        const { port1, port2 } = new MessageChannel();
        worker.onmessage = ({ data }: MessageEvent<Report>) => {
            if ("logged" in data) {
                log?.info(data.logged);
            } else {
                failed(context, worker, data.failed);
            }
        };
        worker.onerror = (event) => failed(context, worker, event.message);
        const files = await workspaceFiles();
        // The module's bytes go to the worker, which is the only one that needs them.
        const bytes = module.slice().buffer;
        const order: Order = { start: { module: bytes, files, protocol: port2 } };
        worker.postMessage(order, [port2, bytes]);
        const client = new WorkerClient(options(worker), port1);
        running = { client, worker };
        await client.start();
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        void vscode.window.showErrorMessage(`slang-analyzer: the server did not start: ${message}`);
    }
}

function failed(context: vscode.ExtensionContext, worker: Worker, why: string): void {
    if (running?.worker !== worker) {
        return;
    }
    failures += 1;
    log?.error(why);
    if (failures < ATTEMPTS) {
        void restart(context);
    } else {
        void vscode.window.showErrorMessage(`slang-analyzer: the server failed ${failures} times: ${why}`);
    }
}

function options(worker: Worker): LanguageClientOptions {
    const schemes = new Set((vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.scheme));
    const update = async (uri: vscode.Uri): Promise<void> => {
        const order: Order = { files: [{ path: paths.path(uri), content: await content(uri) }] };
        worker.postMessage(order);
    };
    return {
        documentSelector: [...schemes, "untitled", PRELUDE_SCHEME].map((scheme) => ({ scheme, language: "slang" })),
        synchronize: {
            configurationSection: ["slang", "slang-analyzer"],
            fileEvents: vscode.workspace.createFileSystemWatcher(FILES),
        },
        uriConverters: {
            code2Protocol: (uri) => paths.sent(uri),
            protocol2Code: (uri) => paths.received(uri),
        },
        middleware: {
            // The server reads a file when it is told that it changed: the worker must have it by then.
            workspace: {
                didChangeWatchedFile: async (event, next) => {
                    await update(paths.received(event.uri));
                    return next(event);
                },
            },
        },
    };
}

async function workspaceFiles(): Promise<FileChange[]> {
    const uris = await vscode.workspace.findFiles(FILES, undefined, MAX_FILES);
    return Promise.all(uris.map(async (uri) => ({ path: paths.path(uri), content: await content(uri) })));
}

async function content(uri: vscode.Uri): Promise<Uint8Array | undefined> {
    try {
        const { size, type } = await vscode.workspace.fs.stat(uri);
        const isFile = (type & vscode.FileType.File) !== 0 && size <= MAX_FILE_SIZE;
        return isFile ? await vscode.workspace.fs.readFile(uri) : undefined;
    } catch {
        return undefined;
    }
}
