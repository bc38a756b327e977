#!/usr/bin/env python3
"""Does `check` say of programs with one mistake what slangc says of them?

usage: mistakes.py --slangc PATH --ours PATH [--count 400] [--seed 1] [--lines 150] [--jobs 2] [--kind NAME] [--show DIR] FOLDER…

Takes Slang files that both compilers accept by themselves, puts one mistake into each as people make them (a word deleted, doubled,
misspelled or replaced by another of the file, a type by another, a line lost, arguments changed), and compares: what slangc accepts
must get no error here, and what it rejects must get one on one of its lines. Which file gets which mistake depends on the seed alone.
Prints what differs, and how many mistakes of each kind were judged alike; `--show` keeps those programs. Python 3 standard library
only.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

# Comments, texts and directives are passed over.
TOKEN = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)|(?P<mark>->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||::|[-+*/%&|^=!<>?:;,.(){}\[\]~@])",
    re.M | re.S,
)
TYPES = ["float", "int", "uint", "bool", "float2", "float3", "float4", "int2", "half", "float3x3", "double", "void"]
KEYWORDS = set(
    "if else for while do return break continue struct interface enum class extension namespace import module static const in out "
    "inout let var func typedef typealias associatedtype property get set this This true false void switch case default public "
    "internal private where expand each no_diff throws try groupshared uniform cbuffer override mutating".split()
)


def tokens(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            found.append((match.lastgroup, match.start(), match.end(), match.group()))
    return found


def replaced(text, start, end, by):
    return text[:start] + by + text[end:]


def pick(draw, found, wanted):
    fitting = [token for token in found if wanted(token)]
    return draw.choice(fitting) if fitting else None


def of_kind(kind, draw, text):
    """The text with a mistake of this kind, or None where there is no place for it."""
    found = tokens(text)
    names = sorted({t[3] for t in found if t[0] == "name" and t[3] not in KEYWORDS})
    if not names:
        return None
    is_name = lambda t: t[0] == "name" and t[3] not in KEYWORDS
    if kind == "delete a mark":
        token = pick(draw, found, lambda t: t[0] == "mark")
        return token and replaced(text, token[1], token[2], "")
    if kind == "delete a word":
        token = pick(draw, found, lambda t: t[0] == "name")
        return token and replaced(text, token[1], token[2], "")
    if kind == "double a token":
        token = pick(draw, found, lambda t: True)
        return token and replaced(text, token[2], token[2], " " + token[3])
    if kind == "misspell":
        token = pick(draw, found, lambda t: is_name(t) and len(t[3]) > 2)
        return token and replaced(text, token[1], token[2], token[3][:-1] + ("q" if token[3][-1] != "q" else "z"))
    if kind == "another name":
        token = pick(draw, found, is_name)
        return token and replaced(text, token[1], token[2], draw.choice(names))
    if kind == "another type":
        token = pick(draw, found, lambda t: t[3] in TYPES)
        return token and replaced(text, token[1], token[2], draw.choice([t for t in TYPES if t != token[3]]))
    if kind == "another operator":
        marks = ["+", "-", "*", "/", "%", "<", ">", "==", "&&", "||", "&", "=", "+=", "."]
        token = pick(draw, found, lambda t: t[3] in marks)
        return token and replaced(text, token[1], token[2], draw.choice([m for m in marks if m != token[3]]))
    if kind == "lose a line":
        lines = text.split("\n")
        full = [i for i, line in enumerate(lines) if line.strip() and not line.strip().startswith(("//", "#"))]
        index = draw.choice(full)
        return "\n".join(lines[:index] + [""] + lines[index + 1:])
    if kind == "lose an argument":
        commas = [i for i, t in enumerate(found) if t[3] == "," and i + 2 < len(found)]
        if not commas:
            return None
        index = draw.choice(commas)
        return replaced(text, found[index][1], found[index + 1][2], "")
    if kind == "one argument more":
        opens = [i for i, t in enumerate(found) if t[3] == "(" and i and found[i - 1][0] == "name"]
        if not opens:
            return None
        index = draw.choice(opens)
        by = "(" + draw.choice(names + ["1", "0.5"]) + ("" if found[index + 1][3] == ")" else ", ")
        return replaced(text, found[index][1], found[index][2], by)
    if kind == "lose a modifier":
        words = "static const in out inout public internal private override mutating no_diff groupshared uniform extern".split()
        token = pick(draw, found, lambda t: t[3] in words)
        return token and replaced(text, token[1], token[2], "")
    if kind == "one modifier more":
        words = "static const in out inout public private override no_diff groupshared uniform extern".split()
        token = pick(draw, found, lambda t: t[3] in TYPES)
        return token and replaced(text, token[1], token[1], draw.choice(words) + " ")
    if kind == "a statement more":
        token = pick(draw, found, lambda t: t[3] in "{;")
        a, b = draw.choice(names), draw.choice(names)
        statement = draw.choice(["return;", "break;", "%s = %s;" % (a, b), "%s(%s);" % (a, b), "let x_ = %s;" % a, "%s.%s;" % (a, b),
                                 "return %s;" % a, "float %s;" % a, "%s %s;" % (a, b)])
        return token and replaced(text, token[2], token[2], " " + statement)
    raise ValueError(kind)


KINDS = ["delete a mark", "delete a word", "double a token", "misspell", "another name", "another type", "another operator", "lose a line",
         "lose an argument", "one argument more", "lose a modifier", "one modifier more", "a statement more"]


def lines_by_slangc(slangc, file):
    """The lines of its errors, or None for a crash."""
    output = file + ".slang-module"
    try:
        done = subprocess.run([slangc, file, "-o", output], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    text = (done.stderr + done.stdout).decode("utf-8", "replace")
    found = {}
    for number, line in re.findall(r"(?:error|fatal error)(?:\[E| )(\d+)\]?:[^\n]*\n\s*--> [^\n:]*:(\d+)", text):
        found.setdefault(int(line), int(number))
    if not found and done.returncode:
        return None
    return found


def lines_by_ours(ours, file):
    try:
        done = subprocess.run([ours, "check", file, "--format", "json"], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode not in (0, 1, 3):
        return "exit code %d" % done.returncode
    found = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith("{"):
            entry = json.loads(line)
            if entry.get("severity") == "error":
                found.setdefault(entry["line"], "%s %s" % (entry["code"], entry["message"]))
    return found


def judge(config, name, text):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, name)
        with open(file, "w") as out:
            out.write(text)
        theirs, ours = lines_by_slangc(config.slangc, file), lines_by_ours(config.ours, file)
    if isinstance(ours, str):
        return "trouble", ours
    if theirs is None:
        return "crash of slangc", ""
    if not theirs and not ours:
        return "both accept", ""
    if not theirs:
        line, message = sorted(ours.items())[0]
        return "false error", "%d: %s" % (line, message)
    if not ours:
        line, number = sorted(theirs.items())[0]
        return "missed error", "%d: slangc E%d" % (line, number)
    # An error at the end of the line before is where a mark is missing.
    near = lambda line: any(line + away in ours for away in (-1, 0, 1))
    # Where braces do not match, each parser has a place of its own to say so.
    is_syntax = min(theirs.values()) < 20200 and any(what.startswith("E20") for what in ours.values())
    if not is_syntax and not any(near(line) for line in theirs):
        return "other line", "ours %s, slangc %s" % (sorted(ours.items())[0], sorted(theirs.items())[0])
    if len(ours) > len(theirs) + 2:
        return "flood", "%d lines with errors, slangc %d; the last: %s" % (len(ours), len(theirs), sorted(ours.items())[-1])
    return "both reject", ""


def corpus(config):
    files = []
    for folder in config.folders:
        for directory, _, names in os.walk(folder):
            files += [os.path.join(directory, name) for name in names if name.endswith(".slang")]
    texts = []
    for path in sorted(files):
        with open(path, errors="replace") as file:
            text = file.read()
        needs_others = re.search(r"^\s*(#\s*include|import|__include|implementing)\b", text, re.M)
        if 5 <= text.count("\n") <= config.lines and not needs_others:
            texts.append((path, text))
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--slangc", required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=150, help="the most of a file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--show", help="a folder for the programs that are judged otherwise")
    config = parser.parse_args()
    texts = corpus(config)
    kinds = [config.kind] if config.kind else KINDS
    accepted = {}

    def one(index):
        draw = random.Random(config.seed * 1_000_003 + index)
        for _ in range(20):
            path, text = draw.choice(texts)
            if path not in accepted:
                accepted[path] = judge(config, os.path.basename(path), text)[0] == "both accept"
            kind = draw.choice(kinds)
            changed = accepted[path] and of_kind(kind, draw, text)
            if changed and changed != text:
                verdict, what = judge(config, os.path.basename(path), changed)
                return kind, path, text, changed, verdict, what
        return None

    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(config.jobs) as pool:
        for index, result in enumerate(pool.map(one, range(config.count))):
            if not result:
                continue
            kind, path, text, changed, verdict, what = result
            table[kind][verdict] += 1
            if verdict in ("both accept", "both reject", "crash of slangc"):
                continue
            before, after = text.split("\n"), changed.split("\n")
            place = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), 0)
            print("%s (%s) %s:%d\n    - %s\n    + %s\n    %s" % (
                verdict, kind, path, place + 1, before[place].strip()[:140], after[place].strip()[:140], what[:260]), flush=True)
            if config.show:
                with open(os.path.join(config.show, "%d-%s.slang" % (index, verdict.replace(" ", "-"))), "w") as out:
                    out.write(changed)
    alike = sum(row["both accept"] + row["both reject"] for row in table.values())
    total = sum(sum(row.values()) - row["crash of slangc"] for row in table.values())
    for kind in kinds:
        print("%-20s %s" % (kind, ", ".join("%s %d" % item for item in sorted(table[kind].items()))))
    print("%d of %d judged alike" % (alike, total))


if __name__ == "__main__":
    sys.exit(main())
