// The web worker that the server runs in. The first message brings the module, the files and a port for the messages of
// the protocol; later ones bring changes of files.

import { ServerModule } from "./module.js";

export interface FileChange {
    path: string;
    // Nothing where the file is gone.
    content?: Uint8Array;
}

export interface Start {
    module: ArrayBuffer;
    files: FileChange[];
    protocol: MessagePort;
}

export type Order = { start: Start } | { files: FileChange[] };

// What the worker says beside the messages of the protocol.
export type Report = { logged: string } | { failed: string };

const report = (message: Report) => self.postMessage(message);
let server: ServerModule | undefined;

async function start({ module, files, protocol }: Start): Promise<void> {
    server = new ServerModule({
        received: (message) => protocol.postMessage(JSON.parse(message)),
        logged: (line) => report({ logged: line }),
        failed: (error) => report({ failed: String(error) }),
    });
    take(files);
    const started = server;
    protocol.onmessage = ({ data }: MessageEvent) => started.send(JSON.stringify(data));
    await started.start(await WebAssembly.compile(module));
}

function take(files: FileChange[]): void {
    files.forEach(({ path, content }) => server?.setFile(path, content));
}

self.onmessage = ({ data }: MessageEvent<Order>) => {
    if ("start" in data) {
        start(data.start).catch((error: unknown) => report({ failed: String(error) }));
    } else {
        take(data.files);
    }
};
