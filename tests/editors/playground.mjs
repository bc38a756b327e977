// Opens the playground in a real browser, with the server as WebAssembly: a lost derivative is marked while it is typed,
// its fix makes the program clean, hover and completion answer, the preview follows edits and targets, the gradient panel
// computes, and nothing is asked of any other place than the page's own.
// usage: node playground.mjs CODE_SERVER_DIR PLAYGROUND_DIR [SCREENSHOT_DIR]

import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

import { chromiumOptions, patience, until } from "./browser.mjs";

const [codeServer, playground, screenshots] = process.argv.slice(2);
assert.ok(codeServer && playground, "usage: node playground.mjs CODE_SERVER_DIR PLAYGROUND_DIR [SCREENSHOT_DIR]");
const { chromium } = createRequire(path.join(path.resolve(codeServer), "package.json"))("playwright-core");

const TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".wasm": "application/wasm",
};

// A server of files and of nothing else.
const server = http.createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.replace(/^\/$/, "/index.html");
    const file = path.join(playground, path.basename(name));
    if (!fs.existsSync(file)) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "slang-analyzer-playground-"));
const context = await chromium.launchPersistentContext(scratch, {
    ...chromiumOptions,
    viewport: { width: 1400, height: 900 },
    colorScheme: "light",
});

const LOST = `float plain(float x) { return x * x; }
[Differentiable]
float f(float x, float scale)
{
    return scale * plain(x);
}
`;

async function screenshot(page, name) {
    if (screenshots) {
        fs.mkdirSync(screenshots, { recursive: true });
        await page.screenshot({ path: path.join(screenshots, `playground-${name}.png`) });
    }
}

try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const elsewhere = [];
    const errors = [];
    page.on("request", (request) => {
        if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) {
            elsewhere.push(request.url());
        }
    });
    page.on("console", (message) => {
        // On a machine that has much to do, the server says in its log that it is slow.
        if (["error", "warning"].includes(message.type()) && !message.text().includes("slow: it took")) {
            errors.push(message.text());
        }
    });
    page.on("pageerror", (error) => errors.push(String(error)));

    const opened = Date.now();
    await page.goto(origin);
    const problems = page.locator("#problem-list");
    await problems.getByText("E41031").or(problems.locator(".error, .warning")).first().waitFor();
    console.log(`playground: the first diagnostic after ${Date.now() - opened} ms`);
    await screenshot(page, "light");

    // A program is typed, and what is lost is said.
    const editor = page.getByLabel("Slang source");
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(LOST);
    const problem = problems.locator("li", { hasText: "plain" });
    await problem.waitFor();
    await page.locator("#editor .cm-lintRange").first().waitFor();

    // Hover shows both derivatives.
    await page.locator("#editor .cm-line", { hasText: "float f(" }).getByText("f", { exact: true }).first().hover();
    await page.locator(".cm-tooltip-hover", { hasText: "bwd_diff(f)" }).waitFor();
    await screenshot(page, "hover");
    await page.mouse.move(5, 5);

    // The fix that makes the callee differentiable.
    const fix = problem.getByRole("button", { name: /\[Differentiable\]/ });
    await fix.click();
    await problems.getByText("No problems.").waitFor();
    assert.match(await editor.innerText(), /\[Differentiable\]\s*float plain/);

    // The preview follows the cursor, the language and edits.
    await page.locator("#editor .cm-line", { hasText: "float f(" }).click();
    await page.locator("#preview-title", { hasText: "Derivative of f" }).waitFor();
    const preview = page.locator("#preview");
    await preview.getByText("bwd_diff_f").or(preview.getByText("void")).first().waitFor();
    await page.getByLabel("Language").selectOption("wgsl");
    await preview.getByText("ptr").first().waitFor();
    await page.locator("#editor .cm-line", { hasText: "return scale" }).click();
    await page.keyboard.press("Home");
    await page.keyboard.insertText("scale = cos(scale);\n    ");
    await preview.getByText("sin").first().waitFor();

    // The gradient panel computes, and says that both modes agree with differences.
    const gradient = page.frameLocator("#gradient");
    await gradient.getByText("Gradient of f").waitFor();
    await gradient.getByRole("row", { name: /x.*agree/ }).first().waitFor();

    // Completion inside of a call.
    await page.locator("#editor .cm-line", { hasText: "return scale" }).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("float y = pla");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "plain" }).waitFor();
    await page.keyboard.press("Escape");

    await page.getByLabel("Example").selectOption("A Gaussian");
    await page.emulateMedia({ colorScheme: "dark" });
    await problems.getByText("No problems.").waitFor();
    await page.locator("#editor .cm-line", { hasText: "float coverage(" }).click();
    await gradient.getByText("Gradient of coverage").waitFor();
    await gradient.getByRole("row", { name: /agree/ }).first().waitFor();
    await screenshot(page, "dark");

    // Programs that are nested as deeply as may be do not exhaust the browser's stack.
    const nested = (open, middle, close) => open.repeat(2000) + middle + close.repeat(2000);
    const deep = [
        `float d(float x) { return ${nested("(", "x", ")")}; }`,
        `float d(float x) { return ${nested("sin(", "x", ")")}; }`,
        `float d(float x) { return ${nested("-(", "x", ")")}; }`,
        `float d(float x) { return x ${nested("+ x ", "", "")}; }`,
        `[Differentiable] float d(float x) { float y = x; ${nested("if (y > 0.0) { y *= x; ", "", "}")} return y; }`,
        `struct A { ${nested("struct B { ", "float x;", "}")} }`,
        `[Differentiable] float d(float x) { float y = x; ${"y = y * x + sin(y); ".repeat(2000)} return y; }`,
    ];
    for (const [index, text] of deep.entries()) {
        await editor.click();
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText(`${text}\nfloat after${index}(float x) { return lacking${index}; }\n`);
        await problems.locator("li").filter({ hasText: new RegExp(`lacking${index}|too deeply|too long`) }).first().waitFor();
    }
    assert.equal(await page.locator("#state").innerText(), "The language server runs in this page.");

    assert.deepEqual(elsewhere, [], "nothing is asked of another place");
    assert.deepEqual(errors, [], "the page has no errors");

    // A server that fails is started again, and knows the program. After some failures the next edit starts it.
    const state = page.locator("#state");
    let failed;
    const fail = async (told) => {
        // The one before is listed until the browser has ended it.
        await until("one server runs", async () => page.workers().length === 1 && page.workers()[0] !== failed);
        [failed] = page.workers();
        // It may be ended before it answers.
        const answer = failed.evaluate(() => void setTimeout(() => { throw new Error("on purpose"); }));
        await answer.catch((error) => assert.match(String(error), /closed/));
        await state.filter({ hasText: told }).waitFor();
    };
    for (const told of ["is started again:", "is started again:", "when you change it"]) {
        await state.filter({ hasText: "runs in this page" }).waitFor();
        await fail(told);
    }
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(LOST);
    await state.filter({ hasText: "runs in this page" }).waitFor();
    await problem.waitFor();
    console.log("playground: marked, fixed, hovered, completed, previewed and computed");
} catch (error) {
    const [page] = context.pages().slice(-1);
    if (page) {
        await screenshot(page, "failure");
    }
    throw error;
} finally {
    await context.close();
    server.close();
    fs.rmSync(scratch, { recursive: true, force: true });
}
