// The gradient panel of the VS Code extension in a frame: what it asks its host goes to the page around it.

import { BODY } from "../../vscode/src/panel/page.js";

document.body.innerHTML = BODY;
Object.assign(window, {
    acquireVsCodeApi: () => ({
        postMessage: (message: unknown) => window.parent.postMessage(message, "*"),
        getState: () => undefined,
        setState: () => undefined,
    }),
});
