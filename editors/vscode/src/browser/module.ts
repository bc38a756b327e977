// The server as a WebAssembly module: WASI around it, messages in and out, and files in memory.

import { ConsoleStdout, Directory, Fd, File, Inode, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

// What the module exports beside its memory.
interface Exports {
    memory: WebAssembly.Memory;
    _initialize?: () => unknown;
    // Works a little; returns when it wants to go on: after so many milliseconds without input, never for less than 0.
    slang_analyzer_work(paused: number): number;
}

// Compilers do not know it yet.
declare global {
    namespace WebAssembly {
        class Tag {
            constructor(type: { parameters: string[] });
        }
    }
}

const LINE_END = "\r\n";

// "Not supported", as WASI's C library says it.
const ENOTSUP = 58;

// What the module imports beside WASI: crates/slang-analyzer/src/web.imports.
const ENVIRONMENT = {
    // What panics are thrown as.
    __cpp_exception: new WebAssembly.Tag({ parameters: ["i32"] }),
    // Functions that older versions of WASI's C library have not: there are no threads, and no links to resolve.
    pthread_attr_destroy: () => 0,
    pthread_attr_init: () => 0,
    pthread_attr_setstacksize: () => 0,
    pthread_create: () => ENOTSUP,
    pthread_detach: () => 0,
    pthread_join: () => ENOTSUP,
    realpath: () => 0,
};

// What the module reads. When there is nothing it reads nothing, and goes on when there is.
class Input extends Fd {
    private readonly waiting: Uint8Array[] = [];

    add(bytes: Uint8Array): void {
        this.waiting.push(bytes);
    }

    override fd_read(size: number): { ret: number; data: Uint8Array } {
        const first = this.waiting.shift() ?? new Uint8Array();
        if (first.length > size) {
            this.waiting.unshift(first.subarray(size));
        }
        return { ret: 0, data: first.subarray(0, size) };
    }
}

// Cuts what the module writes into messages.
class Messages {
    private bytes = new Uint8Array();

    constructor(private readonly take: (message: string) => void) {}

    add(bytes: Uint8Array): void {
        const all = new Uint8Array(this.bytes.length + bytes.length);
        all.set(this.bytes);
        all.set(bytes, this.bytes.length);
        let start = 0;
        for (;;) {
            // A header has one line and an empty one.
            const end = all.indexOf(10, start + 1 + all.subarray(start).indexOf(10));
            const header = /^Content-Length: (\d+)/.exec(new TextDecoder().decode(all.subarray(start, end + 1)));
            const body = end + 1;
            const length = Number(header?.[1] ?? NaN);
            if (end < 0 || !(body + length <= all.length)) {
                break;
            }
            this.take(new TextDecoder().decode(all.subarray(body, body + length)));
            start = body + length;
        }
        this.bytes = all.slice(start);
    }
}

export interface Host {
    // A message of the server, as JSON.
    received(message: string): void;
    // A line of its log.
    logged(line: string): void;
    // The server cannot go on.
    failed(error: unknown): void;
}

export class ServerModule {
    private readonly input = new Input();
    private readonly root = new PreopenDirectory("/", new Map());
    private exports: Exports | undefined;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private isScheduled = false;
    // A task that comes after the events that wait already, sooner than any timer.
    private readonly soon = new MessageChannel();

    constructor(private readonly host: Host) {
        this.soon.port1.onmessage = () => {
            this.isScheduled = false;
            this.work(0);
        };
    }

    async start(module: WebAssembly.Module): Promise<void> {
        const messages = new Messages((message) => this.host.received(message));
        const output = new ConsoleStdout((bytes) => messages.add(bytes));
        const log = ConsoleStdout.lineBuffered((line) => this.host.logged(line));
        const wasi = new WASI(["slang-analyzer"], [], [this.input, output, log, this.root], { debug: false });
        const instance = await WebAssembly.instantiate(module, {
            wasi_snapshot_preview1: wasi.wasiImport as WebAssembly.ModuleImports,
            env: ENVIRONMENT as unknown as WebAssembly.ModuleImports,
        });
        this.exports = instance.exports as unknown as Exports;
        wasi.initialize({ exports: this.exports });
        this.schedule();
    }

    send(message: string): void {
        const body = new TextEncoder().encode(message);
        this.input.add(new TextEncoder().encode(`Content-Length: ${body.length}${LINE_END}${LINE_END}`));
        this.input.add(body);
        this.schedule();
    }

    // What a file holds from now on; nothing where it is gone. The server looks when it is told of it.
    setFile(path: string, content: Uint8Array | undefined): void {
        const parts = path.split("/").filter((part) => part !== "");
        const name = parts.pop();
        if (name === undefined) {
            return;
        }
        let folder: Map<string, Inode> = this.root.dir.contents;
        for (const part of parts) {
            let next = folder.get(part);
            if (!(next instanceof Directory)) {
                if (!content) {
                    return;
                }
                next = new Directory(new Map());
                folder.set(part, next);
            }
            folder = (next as Directory).contents;
        }
        if (content) {
            folder.set(name, new File(content, { readonly: true }));
        } else {
            folder.delete(name);
        }
    }

    // Ends it: nothing runs any more.
    stop(): void {
        clearTimeout(this.timer);
        this.exports = undefined;
        this.soon.port1.close();
    }

    private schedule(): void {
        clearTimeout(this.timer);
        if (!this.isScheduled) {
            this.isScheduled = true;
            this.soon.port2.postMessage(null);
        }
    }

    private work(paused: number): void {
        if (!this.exports) {
            return;
        }
        let next: number;
        try {
            next = this.exports.slang_analyzer_work(paused);
        } catch (error) {
            this.stop();
            this.host.failed(error);
            return;
        }
        if (next === 0) {
            this.schedule();
        } else if (next > 0 && !this.isScheduled) {
            this.timer = setTimeout(() => this.work(1), next);
        }
    }
}
