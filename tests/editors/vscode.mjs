// Drives a real VS Code in a browser with the extension installed from the built package: squiggle, Problems entry with
// the chain of causes, hover over `bwd_diff(f)`, the fix, the derivative preview in several languages, completion, rename
// over files, the status bar, compiling, formatting, the origin of a NaN, the cost of lines, what reverse mode keeps, values in the margin, and the
// gradient panel.
// usage: node vscode.mjs CODE_SERVER_DIR VSIX [SCREENSHOT_DIR]

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { chromiumOptions, codeServerWords, patience, serveCode, until } from "./browser.mjs";

const [codeServer, vsix, screenshots] = process.argv.slice(2);
assert.ok(codeServer && vsix, "usage: node vscode.mjs CODE_SERVER_DIR VSIX [SCREENSHOT_DIR]");
const { chromium } = createRequire(path.join(path.resolve(codeServer), "package.json"))("playwright-core");
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "slang-analyzer-vscode-"));
const workspace = path.join(scratch, "shaders");
fs.mkdirSync(workspace);
fs.copyFileSync(path.join(root, "fixtures/samples/soft_shadow.slang"), path.join(workspace, "soft_shadow.slang"));
const masked = `[Differentiable]
float masked(float x, float scale)
{
    float sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += sin(x * scale);
    let taken = log(x);
    return sum + select(x > 0.0, taken, 0.0);
}
`;
fs.writeFileSync(path.join(workspace, "masked.slang"), masked);
// What the steps about single features open, by its name.
const files = {
    "complete.slang": `[Differentiable]
float soft(float x) { return x * x; }
float softly(float x) { return x; }
void use()
{
    
}
`,
    "library.slang": `module library;
public float scaled(float x) { return 2.0 * x; }
`,
    "uses.slang": `import library;
float twice(float x) { return scaled(scaled(x)); }
`,
    "base.slang": `module base;
[Differentiable]
public float shape(float x)
{
    return exp(x);
}
`,
    "above.slang": `import base;
[Differentiable]
float above(float x)
{
    float shaped = shape(x);
    return shaped * shaped;
}
`,
    "entry.slang": `RWStructuredBuffer<float> squares;
[shader("compute")]
[numthreads(32, 1, 1)]
void fill(uint3 thread : SV_DispatchThreadID)
{
    squares[thread.x] = thread.x * thread.x;
}
`,
    "crooked.slang": `float crooked(float x)
{
  if (x > 0.0) {
 return x;   // kept as it is
      }
        return -x;
}
`,
    "chain.slang": `[Differentiable]
float chain(float x, float scale)
{
    float sum = x;
    for (int i = 0; i < 3; i++)
        sum = sin(sum * scale);
    return sum;
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
        "workbench.colorTheme": "Default Dark Modern",
        "editor.hover.delay": 100,
        "editor.minimap.enabled": false,
        "editor.detectIndentation": false,
        "security.workspace.trust.enabled": false,
        "files.autoSave": "off",
    }),
);
const common = codeServerWords(codeServer, scratch);

// VS Code shows spaces as no-break spaces.
const plain = (text) => text.replace(/\u00a0/g, " ");

execFileSync("node", [...common, "--install-extension", path.resolve(vsix)], { stdio: "pipe" });
const { process: server, address, answers } = await serveCode(common);
let browser;
let page;
try {
    await answers();
    browser = await chromium.launch(chromiumOptions);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${address}/?folder=${workspace}`);
    await page.locator(".monaco-workbench").waitFor({ timeout: patience });
    await page.getByRole("treeitem", { name: "soft_shadow.slang" }).dblclick({ timeout: patience });
    const code = page.locator(".editor-group-container").first().locator(".editor-instance .view-lines").first();
    await code.waitFor({ timeout: patience });

    const shoot = async (name) => {
        if (screenshots) {
            fs.mkdirSync(screenshots, { recursive: true });
            await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
        }
    };
    // On a slow machine the input opens, its list is filtered and its answer is taken long after the keys: each step waits
    // for the one before, or keys go into the text and another command of the unfiltered list is run.
    const ask = async (key, words, ready) => {
        const input = page.locator(".quick-input-widget .quick-input-box input");
        await page.keyboard.press(key);
        await input.waitFor({ timeout: patience });
        await page.keyboard.type(words);
        await ready.first().waitFor({ timeout: patience });
        await page.keyboard.press("Enter");
        await input.waitFor({ state: "hidden", timeout: patience });
    };
    const command = async (name) =>
        ask("F1", name, page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }));
    const goTo = async (line, column) => {
        await code.click();
        await ask("Control+g", `${line}:${column}`, page.locator(".quick-input-list .monaco-list-row"));
        await page.getByText(`Ln ${line}, Col ${column}`).first().waitFor({ timeout: patience });
    };
    // A command that goes on to ask: the same input shows the choices, of which those with the words are taken.
    const commandThatAsks = async (name, ...choices) => {
        const input = page.locator(".quick-input-widget .quick-input-box input");
        await page.keyboard.press("F1");
        await input.waitFor({ timeout: patience });
        await page.keyboard.type(name);
        const rows = (text) => page.locator(".quick-input-list .monaco-list-row", { hasText: text });
        await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).waitFor({ timeout: patience });
        await page.keyboard.press("Enter");
        for (const words of choices) {
            await rows(words).first().waitFor({ timeout: patience });
            await rows(words).first().click();
        }
        await input.waitFor({ state: "hidden", timeout: patience });
    };
    const openFile = async (name) => {
        await page.getByRole("treeitem", { name }).dblclick({ timeout: patience });
        await page.locator(".tab.active", { hasText: name }).waitFor({ timeout: patience });
        await code.waitFor({ timeout: patience });
    };
    const onDisk = (name) => fs.readFileSync(path.join(workspace, name), "utf8");
    // Closing what is not yet on the disk asks a question that covers all else.
    const save = async () => {
        await page.keyboard.press("Control+s");
        await until("the file is saved", async () => (await page.locator(".tab.dirty").count()) === 0);
    };
    // The middle of `words` on the screen.
    const place = (words) =>
        page.evaluate((words) => {
            for (const line of document.querySelectorAll(".view-lines .view-line")) {
                const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
                const nodes = [];
                let text = "";
                for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                    nodes.push([node, text.length]);
                    text += node.data;
                }
                const at = text.replace(/\u00a0/g, " ").indexOf(words);
                if (at >= 0) {
                    const [node, start] = nodes.findLast(([, start]) => start <= at);
                    const range = document.createRange();
                    range.setStart(node, at - start);
                    range.setEnd(node, Math.min(node.length, at - start + 3));
                    const box = range.getBoundingClientRect();
                    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
                }
            }
            return null;
        }, words);

    const source = fs.readFileSync(path.join(workspace, "soft_shadow.slang"), "utf8").split("\n");
    const line = source.findIndex((text) => text.includes("no_diff falloff"));
    const column = source[line].indexOf("no_diff");

    // The sample is clean; without its `no_diff` it is not.
    await goTo(line + 1, column + 1);
    await page.keyboard.press("Control+Delete");
    await page.locator(".squiggly-error").first().waitFor({ timeout: patience });
    console.log("ok: squiggle under the call");
    await command("Problems: Focus on Problems View");
    const problem = page.locator(".markers-panel .monaco-list-row", { hasText: "falloff" }).first();
    await problem.waitFor({ timeout: patience });
    await page.keyboard.press("Escape");
    const rows = plain((await page.locator(".markers-panel").innerText()).toString());
    assert.match(rows, /falloff/);
    assert.match(rows, /41022/);
    console.log("ok: Problems entry");
    await shoot("problems");

    // Hover over bwd_diff(f): the full signature with parameter names.
    await command("View: Toggle Panel Visibility");
    // The click into the text may have scrolled it to the right; the first column brings all of it back.
    await goTo(line + 1, 1);
    let hover = "";
    await until("hover over bwd_diff(shadow)", async () => {
        const at = await place("bwd_diff(shadow)");
        if (!at) {
            return "bwd_diff(shadow) is not on the screen";
        }
        await page.mouse.move(at.x - 40, at.y - 120);
        await page.mouse.move(at.x, at.y, { steps: 4 });
        await new Promise((resolve) => setTimeout(resolve, 500));
        const texts = await page.locator(".monaco-hover .hover-contents").allInnerTexts();
        hover = plain(texts.join("\n"));
        return /inout DifferentialPair<float> distance/.test(hover) || hover;
    });
    assert.match(hover, /inout DifferentialPair<float> radius/);
    assert.match(hover, /inout DifferentialPair<float> density/);
    console.log("ok: hover with the signature of bwd_diff(shadow)");
    await shoot("hover");
    await page.keyboard.press("Escape");

    // The menu of fixes repairs it.
    await goTo(line + 1, column + 2);
    await command("Quick Fix...");
    const fix = page.locator(".action-widget .monaco-list-row.focused", { hasText: "add `no_diff`" });
    await fix.waitFor({ timeout: patience });
    await shoot("fixes");
    await page.keyboard.press("Enter");
    await until("the squiggle goes", async () => (await page.locator(".squiggly-error").count()) === 0);
    assert.match(plain(await code.innerText()), /no_diff falloff\(/);
    console.log("ok: the fix of the menu makes it clean");
    await command("Slang: Preview derivative of function");
    const preview = page.locator(".editor-group-container").nth(1).locator(".view-lines");
    await preview.waitFor({ timeout: patience });
    await until("the preview shows derivative code", async () => {
        const text = plain(await preview.innerText());
        return (/exp\(/.test(text) && /density/.test(text)) || text;
    });
    console.log("ok: preview beside the editor");
    await shoot("preview");

    // The preview follows edits.
    const fog = source.findIndex((text) => text.includes("float fog"));
    await goTo(fog + 1, source[fog].indexOf("exp") + 1);
    await page.keyboard.press("Control+Delete");
    await page.keyboard.type("cos");
    await until("the preview follows the edit", async () => {
        const text = plain(await preview.innerText());
        return /sin\(/.test(text) || text;
    });
    console.log("ok: preview follows edits");

    // Beside what it was before the edit, which is not saved yet.
    await command("Slang: Compare derivative preview with the last saved state");
    const difference = page.locator(".monaco-diff-editor");
    await difference.waitFor({ timeout: patience });
    await until("the difference shows both", async () => {
        const text = plain(await difference.innerText());
        return (/exp\(/.test(text) && /sin\(/.test(text)) || text;
    });
    await shoot("difference");
    await command("View: Close Pinned Editor");
    await difference.waitFor({ state: "hidden", timeout: patience });
    console.log("ok: preview compared with the last saved state");
    await code.click();
    await save();

    // The same preview in other languages.
    for (const [language, tab] of [
        ["HLSL", ".hlsl"],
        ["CUDA", ".cu"],
    ]) {
        await preview.click();
        await commandThatAsks("Slang: Choose language of derivative preview", language);
        await page.locator(".tab.active", { hasText: tab }).waitFor({ timeout: patience });
        await until(`the preview is ${language}`, async () => {
            const text = plain(await preview.innerText());
            return (/sin\(/.test(text) && /density/.test(text)) || text;
        });
    }
    console.log("ok: preview in several languages");
    await command("View: Close All Editors");

    // It follows an edit in a file that is imported, and lines of both files are marked where the cursor is, both ways.
    await openFile("above.slang");
    await goTo(5, 1);
    await command("Slang: Preview derivative of function");
    await until("the preview shows what is imported", async () => {
        const text = plain(await preview.innerText());
        return /exp\(/.test(text) || text;
    });
    const marked = (group) => page.locator(".editor-group-container").nth(group).locator(".view-overlays .cdr[class*='ced-']");
    await goTo(6, 5);
    await until("the line is marked in the preview", async () => (await marked(1).count()) > 0);
    const shapedLine = preview.locator(".view-line", { hasText: /let.shaped.=.shape/ }).first();
    await shapedLine.click();
    await until("the line of the preview is marked in the source", async () => (await marked(0).count()) > 0);
    await shoot("linked");
    await code.click();
    await openFile("base.slang");
    await goTo(5, files["base.slang"].split("\n")[4].indexOf("exp") + 1);
    await page.keyboard.press("Control+Delete");
    await page.keyboard.type("cos");
    await until("the preview follows the edit in the imported file", async () => {
        const text = plain(await preview.innerText());
        return /sin\(/.test(text) || text;
    });
    await save();
    await until("the line is marked in the preview of another file", async () => (await marked(1).count()) > 0);
    console.log("ok: preview follows imported files, lines linked both ways");
    await command("View: Close All Editors");

    // Between the parentheses of `bwd_diff` only what is differentiable is offered.
    await openFile("complete.slang");
    await goTo(6, 5);
    await page.keyboard.type("bwd_diff(");
    await page.keyboard.type("sof");
    const offered = page.locator(".suggest-widget .monaco-list-row");
    await page.locator(".suggest-widget .monaco-list-row.focused", { hasText: "soft" }).waitFor({ timeout: patience });
    const labels = await offered.locator(".label-name").allInnerTexts();
    assert.ok(labels.includes("soft") && !labels.includes("softly"), labels.join(" "));
    await shoot("completion");
    await page.keyboard.press("Tab");
    await until("the name is completed", async () => {
        const text = plain(await code.innerText());
        return text.includes("bwd_diff(soft)") || text;
    });
    console.log("ok: completion inside bwd_diff(");
    await save();
    await command("View: Close All Editors");

    // The status bar says that the server runs; the file is compiled for a target, and its reflection is shown.
    await page.locator(".statusbar-item", { hasText: "Slang" }).locator(".codicon-check").waitFor({ timeout: patience });
    await openFile("entry.slang");
    const shown = page.locator(".editor-group-container").nth(1).locator(".view-lines");
    for (const [choices, words] of [
        [["Slang: Compile this file", "HLSL", "fill"], /numthreads\(32, 1, 1\)/],
        [["Slang: Show reflection of this file"], /"squares"/],
    ]) {
        await code.click();
        await (choices.length > 1 ? commandThatAsks(...choices) : command(...choices));
        await until(`${choices[0]} shows a document`, async () => {
            const text = plain(await shown.innerText());
            return words.test(text) || text;
        });
    }
    console.log("ok: status bar, compiling and reflection");
    await shoot("compile");
    await command("View: Close All Editors");

    // A name that a file declares which nobody opened.
    await openFile("uses.slang");
    await goTo(2, files["uses.slang"].split("\n")[1].indexOf("scaled") + 1);
    await command("Rename Symbol");
    const renaming = page.locator(".rename-box input");
    await renaming.waitFor({ timeout: patience });
    await renaming.fill("widened");
    await page.keyboard.press("Enter");
    for (const name of ["uses.slang", "library.slang"]) {
        const expected = files[name].replaceAll("scaled", "widened");
        await until(`${name} is renamed`, async () => onDisk(name) === expected || onDisk(name));
    }
    console.log("ok: rename over two files, one of them closed");
    await command("View: Close All Editors");

    await openFile("crooked.slang");
    await goTo(1, 1);
    await command("Format Document");
    const straight = files["crooked.slang"]
        .replace(/^ +/gm, "")
        .replace("if", "    if")
        .replace("return x", "        return x")
        .replace("\n}\nreturn", "\n    }\n    return");
    await until("the lines are indented", async () => {
        await page.keyboard.press("Control+s");
        return onDisk("crooked.slang") === straight || onDisk("crooked.slang");
    });
    console.log("ok: formatting");
    await command("View: Close All Editors");

    // What reverse mode keeps; an item leads to where it is computed.
    await openFile("chain.slang");
    await goTo(3, 1);
    await commandThatAsks("Slang: Show what reverse mode of function keeps", "sum: float");
    await page.getByText(/Ln [456], Col/).first().waitFor({ timeout: patience });
    console.log("ok: what reverse mode keeps");
    await command("View: Close All Editors");

    // Where a NaN comes from: a warning at the logarithm that the `select` drops.
    await page.getByRole("treeitem", { name: "masked.slang" }).dblclick({ timeout: patience });
    await code.waitFor({ timeout: patience });
    await goTo(3, 1);
    await command("Slang: Find where a NaN comes from");
    const notification = page.locator(".notification-toast", { hasText: "although the value is finite" }).first();
    await notification.waitFor({ timeout: patience });
    assert.match(plain(await notification.innerText()), /log\(x\)/);
    await page.locator(".squiggly-warning").first().waitFor({ timeout: patience });
    console.log("ok: the origin of a NaN");
    await shoot("nan");
    await command("Notifications: Clear All Notifications");

    // What each line costs, as a list and at the ends of lines.
    await goTo(3, 1);
    await command("Slang: Show cost of function by line");
    const costs = page.locator(".pane", { hasText: "Cost of masked" });
    await costs.locator(".monaco-list-row", { hasText: "sin(x * scale)" }).first().waitFor({ timeout: patience });
    assert.match(plain(await costs.innerText()), /What if/);
    console.log("ok: cost by line");
    await shoot("cost");
    await command("Slang: Hide cost");

    // The gradient panel computes and plots; what is not finite at 0 is told.
    await goTo(3, 1);
    await command("Slang: Open gradient panel of function");
    let panel;
    await until("the panel shows derivatives", async () => {
        for (const frame of page.frames()) {
            if ((await frame.locator("#gradients td", { hasText: "agree" }).count().catch(() => 0)) >= 2) {
                panel = frame;
                return true;
            }
        }
        return "no frame with derivatives";
    });
    await panel.locator("#plot canvas").waitFor({ timeout: patience });
    await panel.locator("#errors canvas").waitFor({ timeout: patience });
    await shoot("panel");
    await panel.locator("#number-0").fill("0");
    await panel.locator("#number-0").press("Enter");
    await panel.locator("#gradients tr.not-finite").first().waitFor({ timeout: patience });
    await panel.locator("#number-0").fill("0.5");
    await panel.locator("#number-0").press("Enter");
    await panel.locator("#over").selectOption({ label: "scale" });
    await panel.locator("#map canvas").waitFor({ timeout: patience });
    console.log("ok: gradient panel");
    await shoot("map");

    // The gradient checks of the workspace are tests.
    await goTo(3, 1);
    await command("Test: Run All Tests");
    await command("Testing: Focus on Test Explorer View");
    const explorer = page.locator(".test-explorer");
    await explorer.waitFor({ timeout: patience });
    await until("the tests have run", async () => {
        const passed = await page.locator(".test-explorer .codicon-testing-passed-icon").count();
        const failed = await page.locator(".test-explorer .codicon-testing-failed-icon").count();
        return (passed > 0 && failed > 0) || plain(await explorer.innerText());
    });
    console.log("ok: gradient checks in the Test Explorer");
    await shoot("tests");
    await command("View: Show Explorer");

    // The values there, beside the lines.
    await panel.locator("#values").click();
    await until("values stand in the margin", async () => {
        const text = plain(await code.innerText());
        const styles = await page.evaluate(() => {
            const all = [...document.querySelectorAll(".view-line span")];
            return all.map((span) => getComputedStyle(span, "::after").content).join(" ");
        });
        return /-0\.693147, d 1/.test(styles) || `${styles}\n${text}`;
    });
    console.log("ok: values in the margin");
    await shoot("values");
} catch (error) {
    if (page) {
        const failed = path.join(os.tmpdir(), "slang-analyzer-vscode-failed.png");
        await page.screenshot({ path: failed }).catch(() => {});
        console.error(`the screen at the failure: ${failed}`);
    }
    throw error;
} finally {
    await browser?.close();
    server.kill();
    fs.rmSync(scratch, { recursive: true, force: true });
}
