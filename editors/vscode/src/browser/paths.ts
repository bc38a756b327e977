// The server knows files by their paths. Those of other file systems than the disk have one below the name of theirs:
// `vscode-vfs://github/owner/shaders/a.slang` is `/vscode-vfs/github/-/owner/shaders/a.slang`.

import * as vscode from "vscode";

// Documents that are no files.
const OTHERS = new Set(["untitled", "slang-prelude"]);

export class Paths {
    // File systems by the folder that stands for each.
    private readonly systems = new Map<string, { scheme: string; authority: string; query: string }>();

    // The path by which the server knows a file.
    path(uri: vscode.Uri): string {
        if (uri.scheme === "file") {
            return uri.path;
        }
        const { scheme, authority, query } = uri;
        // An authority or a query may hold any character.
        const name = [scheme, authority, query].map((part) => encodeURIComponent(part) || "-").join("/");
        this.systems.set(name, { scheme, authority, query });
        return `/${name}${uri.path}`;
    }

    // What is sent for a URI of the editor.
    sent(uri: vscode.Uri): string {
        return OTHERS.has(uri.scheme) ? uri.toString() : vscode.Uri.from({ scheme: "file", path: this.path(uri) }).toString();
    }

    // The URI of the editor for one of the server's.
    received(text: string): vscode.Uri {
        const uri = vscode.Uri.parse(text);
        const parts = uri.scheme === "file" ? uri.path.split("/") : [];
        const system = this.systems.get(parts.slice(1, 4).join("/"));
        return system ? vscode.Uri.from({ ...system, path: `/${parts.slice(4).join("/")}` }) : uri;
    }
}
