#!/usr/bin/env python3
"""Do Slang's own compute tests give the values that they expect?

usage: values.py --slang REPO --ours SLANG-ANALYZER [--engine interp|gpu] [--filter TEXT] [--jobs N] [--json OUT]

REPO is a clone of shader-slang/slang, bare or not. A test is a file with a `TEST` line that runs a compute shader and
compares buffers; inputs are taken from its `TEST_INPUT` lines, expected values from its `CHECK` lines or from
`FILE.expected.txt`. Left out, and counted by reason, is what needs more than that: other inputs, other forms of checks,
macros, options of targets. Numbers are equal up to one in a thousand, as many of the tests round when they print.

Prints what disagrees, and how many tests ended in which way. Python 3 standard library only.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

TEST = re.compile(r"^[ \t]*//[ \t]*TEST(?:\([^)]*\))?:[ \t]*COMPARE_COMPUTE(?:_EX)?(?:\(([^)]*)\))?:(.*)$", re.M)
INPUT = re.compile(r"^[ \t]*//[ \t]*TEST_INPUT:[ \t]*(.*?)[ \t]*$", re.M)
NAME = re.compile(r"name\s*=?\s*([\w.]+)")
# Which of several test lines says what is expected here: that of the processor, else that of Vulkan.
PREFERRED = ["-cpu", "-vk"]


class LeftOut(Exception):
    """Why a test is not run."""


def unpack(repository, to):
    archive = subprocess.Popen(["git", "-C", repository, "archive", "HEAD", "tests"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", to], stdin=archive.stdout, check=True)
    if archive.wait():
        sys.exit("values.py: cannot read " + repository)


# ------------------------------------------------------------------ inputs
def word(text):
    """A number of the source as 32 bits."""
    if re.fullmatch(r"[+-]?(0[xX][0-9a-fA-F]+|\d+)[uU]?", text):
        return int(text.rstrip("uU"), 16 if "x" in text.lower() else 10) & 0xFFFFFFFF
    try:
        return struct.unpack("<I", struct.pack("<f", float(text.rstrip("fF"))))[0]
    except ValueError:
        raise LeftOut("a number of another form")


def buffer(name, options, out):
    data = re.search(r"data\s*=\s*\[(.*?)\]", options, re.S)
    number = lambda key: int(found.group(1)) if (found := re.search(key + r"\s*=\s*(\d+)", options)) else 0
    stride = number("stride")
    words = [word(text) for text in re.split(r"[\s,]+", data.group(1)) if text] if data else []
    # Elements beyond the data are zero.
    least = 0 if data and not number("count") else -(-max(number("count"), 1) * max(stride, 1 if data else 4) // 4)
    words += [0] * (least - len(words))
    return {"name": name, "stride": stride, "words": words, "out": out}


def resource(kind, options):
    pairs = (part.partition("=") for part in options.split(","))
    return {"resource": kind, "options": {key.strip(): value.strip() for key, _, value in pairs if key.strip()}}


def add(spec, name, value):
    """`set NAME = VALUE`."""
    out = False
    while value.startswith("out "):
        out, value = True, value[4:].strip()
    made = re.match(r"(\w+)\s*(?:\((.*)\))?", value)
    kind, options = (made.group(1), made.group(2) or "") if made else ("", "")
    if kind == "ubuffer":
        spec["buffers"].append(buffer(name, options, out))
    elif kind == "Sampler" or re.fullmatch(r"Texture(?!Sampler)\w+", kind):
        spec["uniforms"][name] = resource(kind, options)
    elif re.fullmatch(r"[+-]?[\d.][\w.+-]*", value):
        spec["uniforms"][name] = {"word": word(value)}
    else:
        raise LeftOut("an input of another kind")


def inputs(source):
    spec = {"buffers": [], "uniforms": {}, "conformances": []}
    numbers = collections.Counter()
    for line in INPUT.findall(source):
        if found := re.match(r"set\s+([\w.]+)\s*=\s*(.*?);?$", line):
            add(spec, found.group(1), found.group(2))
        elif found := re.match(r"type_conformance\s+(.+?)\s*:\s*([^=;]+?)\s*(?:=\s*(\d+))?;?$", line):
            type_, interface, given = found.groups()
            number = int(given) if given else numbers[interface]
            numbers[interface] = number + 1
            spec["conformances"].append({"type": type_, "interface": interface, "id": number})
        elif (found := re.match(r"(\w+)\s*(?:\((.*?)\))?\s*:\s*(.*)$", line)) and (name := NAME.search(found.group(3))):
            out = "out " if re.search(r"\bout\b", found.group(3)) else ""
            add(spec, name.group(1), "%s%s(%s)" % (out, found.group(1), found.group(2) or ""))
        else:
            raise LeftOut("an input of another kind")
    return spec


# ------------------------------------------------------------------ expected values
def checks(source, options, expected):
    """Pairs of whether a line must follow the one before, and the line."""
    prefix = re.search(r"filecheck-buffer\s*=\s*([\w-]+)", options or "")
    if not prefix:
        if not os.path.exists(expected):
            raise LeftOut("nothing is expected")
        with open(expected, errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return [(index > 0, line) for index, line in enumerate(lines)]
    found = []
    for kind, line in re.findall(r"(?<![\w-])%s(-[A-Z]+[-\d]*)?:[ \t]*(.*)$" % prefix.group(1), source, re.M):
        if kind not in ("", "-NEXT"):
            raise LeftOut("a check of another form")
        found.append((kind == "-NEXT", line.strip()))
    if not found:
        raise LeftOut("nothing is expected")
    return found


def number(text, is_typed):
    try:
        return float(text) if is_typed else int(text, 16)
    except ValueError:
        return None


def agrees(wanted, got, is_typed):
    if "{{" in wanted or "[[" in wanted:
        parts = re.split(r"\{\{(.*?)\}\}", wanted)
        pattern = "".join("(?:%s)" % part if index % 2 else re.escape(part) for index, part in enumerate(parts))
        return re.search(pattern, got, re.I) is not None
    a, b = number(wanted, is_typed), number(got, is_typed)
    if a is None or b is None:
        return wanted.lower() in got.lower()
    if a == b:
        return True
    if not is_typed:
        a, b = (struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0] for bits in (a, b))
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    is_number = math.isfinite(a) and math.isfinite(b) and (is_typed or 1e-30 < abs(a) < 1e30)
    return is_number and abs(a - b) <= max(1e-3 * abs(a), 1e-4 if is_typed else 1e-6)


def difference(wanted, lines, is_typed):
    """The first check that fails, or None."""
    at = 0
    for follows, line in wanted:
        line = "type:" if is_typed and line.startswith("type:") else line
        end = min(at + 1, len(lines)) if follows else len(lines)
        place = next((index for index in range(at, end) if agrees(line, lines[index], is_typed)), None)
        if place is None:
            return "expected %s from line %d of %s" % (line, at, " ".join(lines[:24]))
        at = place + 1
    return None


# ------------------------------------------------------------------ running
def run(path, root, config):
    """How a test ends, and what there is to say of it."""
    with open(os.path.join(root, path), errors="replace") as file:
        source = file.read()
    tests = TEST.findall(source)
    if not tests:
        return "no test", ""
    order = lambda test: next((place for place, flag in enumerate(PREFERRED) if flag in test[1].split()), len(PREFERRED))
    options, flags = min(tests, key=order)
    flags = flags.split()
    try:
        if any(flag.startswith("-D") for flag in flags) or {"-compile-arg", "-Xslang", "-xslang", "-gcompute"} & set(flags):
            raise LeftOut("options")
        spec = inputs(source)
        wanted = checks(source, options, os.path.join(root, path + ".expected.txt"))
    except LeftOut as why:
        return "left out", str(why)
    after = lambda flag, otherwise: flags[flags.index(flag) + 1] if flag in flags else otherwise
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(spec, file)
    command = [config.ours, "run", path, "--entry", after("-entry", "computeMain"), "--io", file.name]
    command += ["--groups", after("-compute-dispatch", "1,1,1"), "--engine", config.engine]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "more than 60 seconds", ""
    finally:
        os.unlink(file.name)
    out, error = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()
    if done.returncode:
        said = [line for line in (out + "\n" + error).splitlines() if line.startswith("error")]
        ends = {1: "errors", 2: "wrong use", 3: "not supported"}
        return ends.get(done.returncode, "CRASH"), (said or [error])[0][:200]
    buffers = json.loads(out)["buffers"]
    is_typed = "-output-using-type" in flags or any(line.startswith("type:") for _, line in wanted)
    lines = []
    for given in (given for given in spec["buffers"] if given["out"]):
        got = buffers[given["name"]]
        if is_typed:
            lines += ["type:"] + [str(int(value) if isinstance(value, bool) else value) for value in got["values"]]
        else:
            lines += ["%X" % bits for bits in got["words"]]
    different = difference(wanted, lines, is_typed)
    return ("DIFFERENT", different) if different else ("equal", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slang", required=True, metavar="REPO")
    parser.add_argument("--ours", required=True, metavar="SLANG-ANALYZER")
    parser.add_argument("--engine", choices=("interp", "gpu"), default="interp")
    parser.add_argument("--filter", default="", metavar="TEXT")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", metavar="OUT")
    config = parser.parse_args()
    config.ours = os.path.abspath(config.ours)
    with tempfile.TemporaryDirectory() as root:
        unpack(config.slang, root)
        files = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
        paths = sorted(os.path.relpath(file, root) for file in files if file.endswith(".slang"))
        paths = [path for path in paths if config.filter in path]
        with concurrent.futures.ThreadPoolExecutor(config.jobs) as pool:
            results = dict(zip(paths, pool.map(lambda path: run(path, root, config), paths)))
    for path, (end, why) in results.items():
        if end not in ("equal", "left out", "no test"):
            print("%s %s: %s" % (end, path, why))
    print()
    for (end, why), count in collections.Counter(
        (end, why if end == "left out" else "") for end, why in results.values() if end != "no test"
    ).most_common():
        print("%6d %s%s" % (count, end, ": " + why if why else ""))
    if config.json:
        with open(config.json, "w") as file:
            json.dump(results, file, indent=1)
    return int(any(end in ("DIFFERENT", "CRASH") for end, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())
