// What the tests of editors in a browser share: how Chromium is started, VS Code served, and something waited for.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import net from "node:net";
import path from "node:path";

export const patience = 60_000;

// Chromium without a screen, as root, that asks nothing of the network by itself.
export const chromiumOptions = {
    executablePath: "/usr/bin/chromium",
    args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ],
};

// Waits until the condition is true; what it says otherwise is told in the end.
export async function until(what, condition) {
    const end = Date.now() + patience;
    let last;
    while (Date.now() < end) {
        last = await condition().catch((error) => String(error));
        if (last === true) {
            return;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${what}: ${typeof last === "string" ? last : "did not happen"}`);
}

async function freePort() {
    const server = net.createServer();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    return port;
}

// The words that start code-server on the folders of a test.
export function codeServerWords(codeServer, scratch) {
    return [
        path.join(codeServer, "node_modules/code-server/out/node/entry.js"),
        "--config",
        path.join(scratch, "config.yaml"),
        "--user-data-dir",
        path.join(scratch, "user"),
        "--extensions-dir",
        path.join(scratch, "extensions"),
    ];
}

// Serves VS Code: the process, and its address once it answers.
export async function serveCode(words) {
    const port = await freePort();
    const process = spawn(
        "node",
        [
            ...words,
            "--auth",
            "none",
            "--bind-addr",
            `127.0.0.1:${port}`,
            "--disable-telemetry",
            "--disable-update-check",
            "--disable-workspace-trust",
        ],
        { stdio: "ignore" },
    );
    const address = `http://127.0.0.1:${port}`;
    return { process, address, answers: () => until("code-server answers", async () => (await fetch(`${address}/healthz`)).ok) };
}
