// How editors look, in the colours of the page.

import { EditorView } from "@codemirror/view";

export const appearance = EditorView.theme({
    "&": { color: "var(--vscode-foreground)", backgroundColor: "var(--vscode-editor-background)" },
    "&.cm-focused": { outline: "2px solid var(--vscode-focusBorder)", outlineOffset: "-2px" },
    ".cm-content": { caretColor: "var(--vscode-foreground)" },
    ".cm-scroller": { fontFamily: "var(--vscode-editor-font-family)", lineHeight: "1.45" },
    ".cm-cursor": { borderLeftColor: "var(--vscode-foreground)" },
    ".cm-gutters": { color: "var(--comment)", backgroundColor: "var(--bar)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-selectionMatch": {
        backgroundColor: "var(--selected) !important",
    },
    ".cm-tooltip, .cm-panels": {
        color: "var(--vscode-foreground)",
        backgroundColor: "var(--bar)",
        border: "1px solid var(--vscode-widget-border)",
        maxWidth: "44em",
    },
    ".cm-tooltip pre": { fontFamily: "var(--vscode-editor-font-family)", whiteSpace: "pre-wrap" },
    ".cm-lsp-hover-tooltip": { padding: "2px 10px", maxHeight: "24em", overflow: "auto" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": {
        color: "var(--vscode-foreground)",
        backgroundColor: "var(--selected)",
    },
    ".cm-diagnosticAction": {
        color: "var(--vscode-button-foreground)",
        backgroundColor: "var(--vscode-button-background)",
    },
    ".cm-diagnosticText": { whiteSpace: "pre-wrap" },
});
