// The language server in its worker, as the editor's client wants it. A server that fails is started again.

import type { Transport } from "@codemirror/lsp-client";
import type { Order, Report } from "../../vscode/src/browser/worker.js";

export interface Watcher {
    // A server is there: the client connects to it.
    started(transport: Transport): void;
    // It ended, and another is started if `again` says so.
    failed(why: string, again: boolean): void;
}

// More failures in a row than this are not by chance.
const ATTEMPTS = 3;

// After so long a failure is a new one.
const CALM = 20_000;

export class Connection {
    private failures = 0;
    private last = 0;

    private constructor(
        private readonly module: ArrayBuffer,
        private readonly watcher: Watcher,
    ) {}

    static async open(watcher: Watcher): Promise<Connection> {
        const response = await fetch("slang_analyzer.wasm");
        if (!response.ok) {
            throw new Error(`slang_analyzer.wasm: ${response.status} ${response.statusText}`);
        }
        const connection = new Connection(await response.arrayBuffer(), watcher);
        connection.start();
        return connection;
    }

    // The program that no server could stand is another now.
    programChanged(): void {
        if (this.failures >= ATTEMPTS) {
            this.failures = 0;
            this.start();
        }
    }

    private start(): void {
        const worker = new Worker("worker.js");
        const { port1, port2 } = new MessageChannel();
        const failed = (why: string) => {
            worker.terminate();
            port1.close();
            const now = Date.now();
            this.failures = now - this.last > CALM ? 1 : this.failures + 1;
            this.last = now;
            const again = this.failures < ATTEMPTS;
            this.watcher.failed(why, again);
            if (again) {
                this.start();
            }
        };
        worker.onmessage = ({ data }: MessageEvent<Report>) => {
            if ("failed" in data) {
                failed(data.failed);
            } else {
                console.warn(data.logged);
            }
        };
        worker.onerror = (event) => failed(event.message);
        const order: Order = { start: { module: this.module, files: [], protocol: port2 } };
        worker.postMessage(order, [port2]);
        this.watcher.started(new PortTransport(port1));
    }
}

class PortTransport implements Transport {
    private readonly handlers = new Set<(message: string) => void>();

    constructor(private readonly port: MessagePort) {
        port.onmessage = ({ data }) => this.handlers.forEach((handle) => handle(JSON.stringify(data)));
    }

    send(message: string): void {
        this.port.postMessage(JSON.parse(message));
    }

    subscribe(handler: (message: string) => void): void {
        this.handlers.add(handler);
    }

    unsubscribe(handler: (message: string) => void): void {
        this.handlers.delete(handler);
    }
}
