// Drives a real VS Code whose extension host is a web worker, as in VS Code for the Web: the extension has no process to
// start, so its server is WebAssembly in a worker of its own, and files come through the editor's file systems. A file that
// imports another, closed one is marked, the fix makes it clean, hover and the derivative preview answer, and an edit of the
// other file is seen.
// usage: node vscode-web.mjs CODE_SERVER_DIR VSIX [SCREENSHOT_DIR]

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

import { chromiumOptions, codeServerWords, patience, serveCode, until } from "./browser.mjs";

const [codeServer, vsix, screenshots] = process.argv.slice(2);
assert.ok(codeServer && vsix, "usage: node vscode-web.mjs CODE_SERVER_DIR VSIX [SCREENSHOT_DIR]");
const { chromium } = createRequire(path.join(path.resolve(codeServer), "package.json"))("playwright-core");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "slang-analyzer-vscode-web-"));
const workspace = path.join(scratch, "shaders");
fs.mkdirSync(workspace);
const files = {
    "library.slang": `module library;
public float plain(float x) { return x * x; }
`,
    "uses.slang": `import library;

[Differentiable]
float f(float x, float scale)
{
    return scale * no_diff plain(x);
}
`,
};
for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(path.join(workspace, name), text);
}
const userData = path.join(scratch, "user");
fs.mkdirSync(path.join(userData, "User"), { recursive: true });
fs.writeFileSync(
    path.join(userData, "User/settings.json"),
    JSON.stringify({
        "workbench.startupEditor": "none",
        "editor.hover.delay": 100,
        "editor.minimap.enabled": false,
        "security.workspace.trust.enabled": false,
        "files.autoSave": "off",
    }),
);

// Without the entry for processes the editor runs the other one, in a web worker.
const extensions = path.join(scratch, "extensions");
fs.mkdirSync(extensions);
execFileSync("unzip", ["-q", path.resolve(vsix), "extension/*", "-d", extensions]);
const folder = path.join(extensions, "slang-analyzer.slang-analyzer-0.1.0");
fs.renameSync(path.join(extensions, "extension"), folder);
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
assert.equal(manifest.version, "0.1.0");
delete manifest.main;
fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));

const { process: server, address, answers } = await serveCode(codeServerWords(codeServer, scratch));
let browser;
let page;
try {
    await answers();
    browser = await chromium.launch(chromiumOptions);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(patience);
    if (process.env.VERBOSE) {
        page.on("console", (message) => console.log(message.text()));
    }
    await page.goto(`${address}/?folder=${workspace}`);
    await page.locator(".monaco-workbench").waitFor();
    const code = page.locator(".editor-instance .view-lines").first();
    const open = async (name) => {
        await page.getByRole("treeitem", { name }).dblclick();
        await page.locator(".tab.active", { hasText: name }).waitFor();
        await code.waitFor();
    };
    const input = page.locator(".quick-input-widget .quick-input-box input");
    const ask = async (key, words, row) => {
        await page.keyboard.press(key);
        await input.waitFor();
        await page.keyboard.type(words);
        await row.first().waitFor();
        await page.keyboard.press("Enter");
        await input.waitFor({ state: "hidden" });
    };
    const command = (name) =>
        ask("F1", name, page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }));
    const goTo = async (line, column) => {
        await code.click();
        await ask("Control+g", `${line}:${column}`, page.locator(".quick-input-list .monaco-list-row"));
        await page.getByText(`Ln ${line}, Col ${column}`).first().waitFor();
    };

    await open("uses.slang");
    const line = files["uses.slang"].split("\n").findIndex((text) => text.includes("no_diff"));
    const column = files["uses.slang"].split("\n")[line].indexOf("no_diff");
    await goTo(line + 1, column + 1);
    await page.keyboard.press("Control+Delete");
    await page.locator(".squiggly-error").first().waitFor();
    console.log("ok: a call into a closed file is marked");

    await goTo(line + 1, column + 2);
    await page.keyboard.press("Control+.");
    await page.locator(".action-widget .monaco-list-row.focused", { hasText: "no_diff" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    console.log("ok: the fix makes it clean");

    await goTo(line + 1, 1);
    await command("Slang: Preview derivative of function");
    await page.locator(".view-lines", { hasText: "bwd_diff" }).first().waitFor();
    console.log("ok: derivative preview");
    if (screenshots) {
        fs.mkdirSync(screenshots, { recursive: true });
        await page.screenshot({ path: path.join(screenshots, "vscode-web.png") });
    }

    // The disk is another file system: the editor tells what changes on it.
    fs.writeFileSync(path.join(workspace, "library.slang"), files["library.slang"].replace("plain", "renamed"));
    await page.locator(".squiggly-error").first().waitFor();
    console.log("ok: a change of the closed file is seen");
} catch (error) {
    if (page && screenshots) {
        await page.screenshot({ path: path.join(screenshots, "vscode-web-failure.png") });
    }
    throw error;
} finally {
    await browser?.close();
    server.kill();
    fs.rmSync(scratch, { recursive: true, force: true });
}
