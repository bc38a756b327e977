#!/usr/bin/env python3
"""Is the language server at least as informative as slangd over public code?

    python3 tests/editors/public_code.py --ours SLANG-ANALYZER --slangd SLANGD [--mirrors DIR] [--filter SUBSTRING]
                                         [--positions 100] [--seed 1] [--verbose] [--json OUT]

Takes some files of each project named in PROJECTS that slangc accepts, with the search roots of `tests/repositories/list.json`;
opens each in both servers, and asks the same: at positions that are drawn by class (method calls, macros, imports, generics,
headers, and others) hover, definition, references, completion and signature help, and of each file document symbols, semantic
tokens, inlay hints and diagnostics. An answer of ours is at least as informative if it says all that slangd's says: words of the
hover and signature, places of the definition, labels of the completion, names of symbols, places of tokens, hints. Each that is
not is printed. Prints a table: for each kind how many were asked, answered by slangd and by us, and of how many answers of
slangd's ours lacks something. `public_code.json` explains answers of slangd's that are wrong or say less; they are counted apart.
Python 3 standard library only. No file of a project is in this repository: `tests/repositories/run.py` says where they come from.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import queue
import random
import re
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXPLAINED = os.path.join(HERE, "public_code.json")
PROJECTS = ["NVIDIAGameWorks/Falcor", "google/slang-gaussian-rasterization", "shader-slang/slangpy-samples",
            "nvpro-samples/vk_gaussian_splatting"]
FILES_OF_EACH = 4
RETRY = (-32801, -32802)  # content modified, server cancelled: the client is to ask again
PATIENCE = 60
NAME = r"[A-Za-z_]\w*"
# What is asked about: a class of places and the expression whose first group is the place.
CLASSES = {
    "method call": r"\.(%s)\s*\(" % NAME,
    "field": r"\.(%s)\b(?!\s*[(<])" % NAME,
    "call": r"(?<![.\w:])(%s)\s*\((?=[^)])" % NAME,
    "macro": r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b",
    "import": r"^\s*(?:__exported\s+)?import\s+(?:[\w]+\.)*(\w+)\s*;",
    "include": r"^\s*#\s*include\s+[\"<](?:[^\">]*/)?(\w+)",
    "generic": r"\b(%s)\s*<\s*%s" % (NAME, NAME),
    "generic argument": r"\b%s\s*<\s*(%s)\b" % (NAME, NAME),
    "type": r"^\s*(?:const\s+|in\s+|out\s+)*([A-Z]\w*)\s+\w+\s*[;=]",
    "namespace or static": r"\b%s::(%s)" % (NAME, NAME),
    "attribute": r"^\s*\[(%s)\b" % NAME,
    "derivative": r"\b((?:__)?(?:bwd_diff|fwd_diff)|no_diff|detach|diffPair|DifferentialPair)\b",
}
KINDS = {"func", "field", "struct", "class", "attribute", "local", "variable", "parameter", "interface", "param", "macro",
         "typedef", "Forward", "backward", "and", "global", "from", "File"}
# Which of them are offered depends on the place.
WORDS_OF_SLANG = set("""and or in is as this This else for if while do import return static struct layout cbuffer sample point line
    triangle enum const extern public private inline override property func let var switch case default break continue discard
    __exported format""".split())
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "catch"}


def repositories():
    """The yardstick of the front end over the same projects: it knows where the files are."""
    spec = importlib.util.spec_from_file_location("repositories", os.path.join(HERE, "../repositories/run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ------------------------------------------------------------------ client
class Server:
    """One language server over its standard streams."""

    def __init__(self, command, root, settings):
        self.settings, self.next_id, self.inbox, self.diagnostics = settings, 0, queue.Queue(), {}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self.read, daemon=True).start()
        uri = pathlib.Path(root).as_uri()
        self.legend = self.ask("initialize", {
            "processId": os.getpid(), "rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "project"}],
            "capabilities": {
                "workspace": {"configuration": True, "workspaceFolders": True},
                "textDocument": {
                    "hover": {"contentFormat": ["markdown"]},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                    "completion": {"completionItem": {"snippetSupport": True}},
                    "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
                    "semanticTokens": {"requests": {"full": True}, "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"]},
                    "inlayHint": {}}}})["capabilities"].get("semanticTokensProvider", {}).get("legend", {}).get("tokenTypes", [])
        self.notify("initialized", {})

    def read(self):
        out = self.process.stdout
        while True:
            size = 0
            line = out.readline()
            while line.strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
                line = out.readline()
            if not line:
                self.inbox.put(None)
                return
            self.inbox.put(json.loads(out.read(size).decode("utf-8")))

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode("utf-8")
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def take(self, end):
        message = self.inbox.get(timeout=max(end - time.monotonic(), 0.01))
        if message is None:
            raise OSError("the server ended")
        if "method" in message and message.get("id") is not None:
            result = None
            if message["method"] == "workspace/configuration":
                result = [self.setting(item.get("section", "")) for item in message["params"]["items"]]
            self.send({"id": message["id"], "result": result})
        elif message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        return message

    def setting(self, section):
        """What the settings say of a section: one value, or all values below it."""
        below = {key[len(section) + 1:]: value for key, value in self.settings.items() if key.startswith(section + ".")}
        return self.settings.get(section, below or None)

    def ask(self, method, params):
        for _ in range(20):
            self.next_id += 1
            self.send({"id": self.next_id, "method": method, "params": params})
            end = time.monotonic() + PATIENCE
            message = {}
            while message.get("id") != self.next_id or "method" in message:
                message = self.take(end)
            error = message.get("error")
            if not error:
                return message.get("result")
            if error.get("code") not in RETRY:
                return None
            time.sleep(0.1)
        return None

    def open(self, uri, text):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "slang", "version": 1, "text": text}})

    def wait_for_diagnostics(self, uri):
        # slangd says nothing of a file without any; it waits a second after an edit.
        end = time.monotonic() + 4
        while uri not in self.diagnostics:
            try:
                self.take(end)
            except queue.Empty:
                return

    def stop(self):
        try:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self.process.wait(5)
        except (OSError, queue.Empty, subprocess.TimeoutExpired):
            self.process.kill()


# ------------------------------------------------------------------ what is asked
def blanked(text):
    """The text without comments and strings, each character in its place."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group(0))
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"(?<!include \")", blank, text, flags=re.S)


def inactive(lines):
    """Whether each line lies inside of an `#if 0`, which says nothing to anybody."""
    depth, out = 0, []
    for line in lines:
        if re.match(r"\s*#\s*if", line):
            depth += 1 if depth or re.match(r"\s*#\s*if\s+0\b", line) else 0
        elif re.match(r"\s*#\s*endif", line):
            depth -= 1 if depth else 0
        out.append(depth > 0)
    return out


def places(file, text):
    """All places of the classes in a file: `(class, file, line, character, name)`."""
    found = []
    original = text.split("\n")
    lines = blanked(text).split("\n")
    skipped = inactive(lines)
    for number, line in enumerate(lines):
        for name, expression in CLASSES.items():
            # Paths of includes are strings.
            for match in [] if skipped[number] else re.finditer(expression, original[number] if name == "include" else line):
                if match.group(1) not in KEYWORDS:
                    found.append((name, file, number, match.start(1), match.group(1)))
    return found


def drawn(all_places, count, seed):
    """As many of each class as of each other one, no name twice in a class."""
    choice = random.Random(seed)
    classes = {name: [] for name in CLASSES}
    for place in all_places:
        classes[place[0]].append(place)
    for name, row in classes.items():
        choice.shuffle(row)
        seen = set()
        classes[name] = [place for place in row if not (place[4] in seen or seen.add(place[4]))]
    out = []
    while len(out) < count and any(classes.values()):
        for row in classes.values():
            if row and len(out) < count:
                out.append(row.pop())
    return out


# ------------------------------------------------------------------ what answers say
def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", text))


def markup(value):
    if isinstance(value, list):
        return "\n".join(markup(part) for part in value)
    return value.get("value", "") if isinstance(value, dict) else str(value or "")


def of_hover(answer, _):
    # The place of the declaration is a link below the text of either server; what kind of thing it is has other words there.
    text = re.sub(r"(?m)^(Defined in|Declared in|\[[^\]]*\]\().*$", "", markup((answer or {}).get("contents")))
    text = re.sub(r"vector<(\w+), ?(\d)>", r"\1\2", text.replace("\\", ""))
    return words(text) - KINDS


def of_definition(answer, _):
    answer = answer if isinstance(answer, list) else [answer] if answer else []
    places = [(place.get("uri") or place["targetUri"], place.get("targetSelectionRange") or place["range"]) for place in answer]
    # Each server has its own text of the core library.
    return {(os.path.realpath(uri[7:]), place["start"]["line"]) if uri.startswith("file:///") and "/prelude/" not in uri
            and "core.builtin" not in uri else "core" for uri, place in places}


def of_references(answer, _):
    return of_definition(answer, _)


def of_completion(answer, _):
    items = answer.get("items", []) if isinstance(answer, dict) else answer or []
    return {re.match(r"\W*[\w.]*", item["label"]).group(0) for item in items}


def of_signature_help(answer, _):
    """How many parameters the signatures have: each server has its own names for what the core library declares."""
    return {f"{len(signature.get('parameters') or [])} parameters" for signature in (answer or {}).get("signatures", [])}


def of_document_symbol(answer, _):
    def names(symbols):
        for symbol in symbols:
            yield re.match(r"[^(<]*", symbol["name"]).group(0).strip()
            yield from names(symbol.get("children") or [])
    return set(names(answer or []))


def of_tokens(answer, _):
    out, line, column = set(), 0, 0
    data = (answer or {}).get("data", [])
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        out.add((line, column, data[at + 2]))
    return out


def of_hints(answer, _):
    def label(hint):
        text = hint["label"] if isinstance(hint["label"], str) else "".join(part["value"] for part in hint["label"])
        return text.strip()
    return {(hint["position"]["line"], hint["position"]["character"], label(hint)) for hint in answer or []}


def wanted(kind, what, missing, text, ours):
    """What somebody who works on a file could miss.

    Of hover and completion the names that the file has, of tokens those of whole names. Behind a dot, in brackets and in an
    import all such names; elsewhere ours offers what may stand there, so just the name that does. Of hints the types, and
    which arguments are changed: names of parameters are shown where the argument does not say them."""
    if kind == "hover":
        return missing & words(text)
    if kind == "completion":
        # Attributes may be spelled in several ways.
        known = {label.lower() for label in ours}
        of_place = what.split("`")[0].strip() in ("method call", "field", "namespace or static", "import")
        names = words(text) if of_place else {what.split("`")[1]}
        return {name for name in missing & names if name not in WORDS_OF_SLANG and name.lower() not in known}
    if kind == "semantic tokens":
        lines = text.split("\n")
        return {(line, column, lines[line][column:column + length]) for line, column, length in missing
                if re.fullmatch(NAME, lines[line][column:column + length]) and not re.match(r"\w", lines[line][column + length:])}
    if kind == "inlay hints":
        known = {hint[:2] for hint in ours}
        return {hint for hint in missing if hint[:2] not in known and re.match(r":|out |inout |ref ", hint[2])}
    return missing


AT = {"hover": ("textDocument/hover", of_hover), "definition": ("textDocument/definition", of_definition),
      "references": ("textDocument/references", of_references), "completion": ("textDocument/completion", of_completion),
      "signature help": ("textDocument/signatureHelp", of_signature_help)}
OF = {"document symbols": ("textDocument/documentSymbol", of_document_symbol),
      "semantic tokens": ("textDocument/semanticTokens/full", of_tokens), "inlay hints": ("textDocument/inlayHint", of_hints)}


def questions(uri, text, asked):
    """`(kind, what, method, parameters, reader)` of each question about a file."""
    lines = text.split("\n")
    document = {"uri": uri}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for name, _, line, column, word in asked:
        for kind, (method, reader) in AT.items():
            at = {"line": line, "character": column + (1 if kind in ("hover", "definition", "references") else 0)}
            if kind == "signature help":
                opening = re.match(r"\s*(?:<[^()]*>)?\s*\(", lines[line][column + len(word):])
                if not opening:
                    continue
                at["character"] = column + len(word) + opening.end()
            params = {"textDocument": document, "position": at, "context": {"includeDeclaration": True}}
            if kind == "completion":
                params["context"] = {"triggerKind": 1}
            elif kind != "references":
                del params["context"]
            yield kind, f"{name} `{word}` {line + 1}:{at['character'] + 1}", method, params, reader
    for kind, (method, reader) in OF.items():
        yield kind, "", method, {"textDocument": document, "range": whole}, reader


def project_files(options):
    yardstick = repositories()
    with open(yardstick.LIST) as file:
        listed = json.load(file)
    for project in PROJECTS:
        row = listed[project]
        folder, flags = yardstick.flags(project, row, listed, options.mirrors)
        accepted = [file for file, verdict in row["files"].items() if verdict == "accepted" and options.filter in file]
        long_enough = [file for file in accepted if 1500 < os.path.getsize(os.path.join(folder, file)) < 60_000]
        settings = {"slang.additionalSearchPaths": [flags[at + 1] for at in range(0, len(flags), 2) if flags[at] == "-I"],
                    "slang.inlayHints.deducedTypes": True, "slang.inlayHints.parameterNames": True}
        yield project, folder, settings, yardstick.spread(long_enough, FILES_OF_EACH)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--slangd", required=True)
    parser.add_argument("--mirrors", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    explained = json.load(open(EXPLAINED)) if os.path.exists(EXPLAINED) else {}
    projects = list(project_files(options))
    every_place = []
    for _, folder, _, files in projects:
        for file in files:
            with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as source:
                every_place += places(os.path.join(folder, file), source.read())
    asked = collections.defaultdict(list)
    for place in drawn(every_place, options.positions, options.seed):
        asked[place[1]].append(place)
    counts = collections.defaultdict(collections.Counter)
    seconds = collections.Counter()
    records = []
    for project, folder, settings, files in projects:
        servers = [Server([os.path.abspath(options.slangd)], folder, settings),
                   Server([os.path.abspath(options.ours), "lsp"], folder, settings)]
        for file in files:
            path = os.path.join(folder, file)
            uri = pathlib.Path(path).as_uri()
            text = open(path, encoding="utf-8", errors="replace").read()
            for server in servers:
                server.open(uri, text)
            for kind, what, method, params, reader in questions(uri, text, asked[path]):
                answers = []
                for server, name in zip(servers, ("slangd", "ours")):
                    start = time.monotonic()
                    answers.append(server.ask(method, params))
                    seconds[name] += time.monotonic() - start
                theirs, ours = (reader(answer, server.legend) for answer, server in zip(answers, servers))
                row = counts[kind]
                row["asked"] += 1
                row["slangd"] += bool(theirs)
                row["ours"] += bool(ours)
                missing = wanted(kind, what, theirs - ours, text, ours)
                reason = next((reason for start, reason in explained.items() if missing and f"{file} {kind} {what}".startswith(start)), None)
                row["lacking"] += bool(missing) and not reason
                row["explained"] += bool(reason)
                row["more"] += bool(ours - theirs)
                records.append({"file": file, "kind": kind, "what": what, "missing": sorted(map(str, missing)), "answers": answers})
                if missing and not reason or options.verbose:
                    print(f"{file} {kind} {what}: lacks {sorted(map(str, missing))[:20]}")
            for server in servers:
                server.wait_for_diagnostics(uri)
            theirs, ours = ({(d["range"]["start"]["line"], d["severity"]) for d in server.diagnostics.get(uri, []) if d["severity"] == 1}
                            for server in servers)
            counts["errors"]["asked"] += 1
            counts["errors"]["slangd"] += bool(theirs)
            counts["errors"]["ours"] += bool(ours)
            counts["errors"]["lacking"] += bool(theirs - ours)
            counts["errors"]["more"] += bool(ours - theirs)
            if theirs != ours:
                print(f"{file} errors: slangd {sorted(theirs)}, ours {sorted(ours)}")
            for server in servers:
                server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        for server in servers:
            server.stop()
    print(f"{sum(map(len, asked.values()))} positions in {sum(len(files) for *_, files in projects)} files")
    print(", ".join(f"{name} answered in {total:.0f} s" for name, total in seconds.items()))
    print("| kind | asked | slangd answers | ours answers | ours says more | ours lacks something | explained |")
    print("|---|---|---|---|---|---|---|")
    for kind, row in counts.items():
        print("|", " | ".join([kind] + [str(row[column]) for column in ("asked", "slangd", "ours", "more", "lacking", "explained")]), "|")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(records, out, indent=1)
    return 1 if any(row["lacking"] for row in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
