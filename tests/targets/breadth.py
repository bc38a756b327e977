#!/usr/bin/env python3
"""How many of Slang's own tests can be emitted for each target, of those that slangc emits.

usage: breadth.py --slang REPO --slangc SLANGC --ours SLANG-ANALYZER [--count 250] [--targets hlsl,glsl,...]
                  [--compilers TOOLS] [--cache FILE] [--out FILE.json]

REPO is a clone of shader-slang/slang, bare or not. The sample is the same each time: tests with a `TEST` line and an entry
point, in the order of the hashes of their paths. A test is compiled with the flags of its first `TEST` line. slangc's
verdicts do not change and are kept in the cache. TOOLS is `target/tools` after `tests/tools/install.sh`: with it, what is
emitted is given to the target's own compiler. Prints a table, and what keeps us from emitting, most frequent first.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TARGETS = ["hlsl", "glsl", "cuda", "cpp", "wgsl", "spirv", "metal"]
# This slangc has no library that writes SPIR-V; what can be written as GLSL can be as SPIR-V.
ASKED_OF_SLANGC = {"spirv": "glsl"}
FLAGS_WITH_VALUE = {"-entry", "-stage", "-profile", "-capability"}
FLAGS_ALONE = {"-matrix-layout-row-major", "-matrix-layout-column-major"}


def run(command, cwd=None, env=None):
    try:
        done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "more than 60 seconds"


def unpack(repository, to):
    git = ["git", "-C", repository, "archive", "HEAD", "tests"]
    with subprocess.Popen(git, stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", to], stdin=archive.stdout, check=True)


def arguments(text, folder):
    """The flags of the first `TEST` line that matter for the front end; None without an entry point."""
    line = re.search(r"^\s*//\s*TEST\w*(?:\([^)]*\))?:\s*(\w+)[^:\n]*:(.*)$", text, re.M)
    if not line or not re.search(r"numthreads|\[\s*shader", text):
        return None
    words, given = shlex.split(line.group(2).replace("'", " ")), []
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else None
        if word in FLAGS_WITH_VALUE and following:
            given += [word, following]
        elif word in FLAGS_ALONE:
            given.append(word)
        elif word in ("-D", "-I") and following:
            given += [word, os.path.join(folder, following) if word == "-I" else following]
        elif word.startswith("-D"):
            given.append(word)
    if "-entry" not in given and re.search(r"\bcomputeMain\s*\(", text):
        given += ["-entry", "computeMain"]
    if "-entry" in given and "-stage" not in given and "-profile" not in given:
        given += ["-stage", "compute"]
    return given


def sample(root, count):
    found = []
    for folder, _, files in os.walk(os.path.join(root, "tests")):
        if os.sep + "diagnostics" in folder:
            continue
        found += [os.path.relpath(os.path.join(folder, file), root) for file in files if file.endswith(".slang")]
    found.sort(key=lambda path: hashlib.sha256(path.encode()).hexdigest())
    taken = []
    for path in found:
        with open(os.path.join(root, path), errors="replace") as file:
            text = file.read()
        given = arguments(text, os.path.dirname(os.path.join(root, path)))
        if given is not None:
            taken.append((path, given))
        if len(taken) == count:
            break
    return taken


def accepted(tools, target, path, text, source):
    """Whether the target's own compiler takes the text, and what it says. `source` is the program."""
    stage = {"vertex": ("vs", "vert"), "fragment": ("ps", "frag"), "pixel": ("ps", "frag"), "hull": ("hs", "tesc"),
             "domain": ("ds", "tese"), "geometry": ("gs", "geom"), "mesh": ("ms", "mesh"), "amplification": ("as", "task"),
             "raygeneration": ("lib", "rgen"), "raygen": ("lib", "rgen"), "intersection": ("lib", "rint"),
             "anyhit": ("lib", "rahit"), "closesthit": ("lib", "rchit"), "miss": ("lib", "rmiss"), "callable": ("lib", "rcall")}
    named = re.search(r"-stage (\w+)", text) or re.search(r'shader\s*\(\s*"(\w+)"', source)
    stage = stage.get(named.group(1) if named else "compute", ("cs", "comp"))
    with open(path, errors="replace") as file:
        code = file.read()
    if target == "hlsl":
        entry = re.search(r"\[numthreads[^\]]*\]\s*(?:\[[^\]]*\]\s*)*void\s+(\w+)", code)
        named = re.search(r"-entry (\w+)", text)
        named = named or re.search(r"\[\s*shader\s*\([^)]*\)\s*\][^;{(]*?(\w+)\s*\(", source)
        main = entry.group(1) if entry else named.group(1) if named else "main"
        named = [] if stage[0] == "lib" else ["-E", main]
        return run([f"{tools}/dxc/dxc", path, "-T", f"{stage[0]}_6_7", *named, "-enable-16bit-types", "-HV", "2021"])
    if target == "glsl":
        flags = ["--target-env", "vulkan1.3", "--auto-map-bindings", "--auto-map-locations"]
        return run(["glslangValidator", "-S", stage[1], *flags, path, "-o", path + ".spv"])
    if target == "cuda":
        return run([sys.executable, os.path.join(os.path.dirname(__file__), "../tools/nvrtc.py"), f"{tools}/libnvrtc.so", path])
    if target == "cpp":
        return run(["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", path])
    if target == "metal":
        # No Metal compiler is at hand: a header of ours lets g++ look at the text, with swizzles as calls.
        cpp = re.sub(r"\.([xyzw]{2,4})\b", r".\1()", code)
        cpp = re.sub(r"(\w+) \[\[function_constant\(\d+\)\]\]", r"\1 = {}", cpp)
        with open(path + ".cpp", "w") as file:
            file.write(cpp)
        header = os.path.join(os.path.dirname(__file__), "../metal")
        return run(["g++", "-std=c++17", "-fsyntax-only", "-Wno-attributes", "-I", header, path + ".cpp"])
    if target == "spirv":
        # `scalarBlockLayout` is what the host asks a device for; a module has no word for it. slangc's own check allows it.
        return run(["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", path])
    return 0, ""  # WGSL is validated by naga when it is written.


def reason(output):
    line = next((line for line in output.splitlines() if "error" in line), output.strip().splitlines()[-1:] or "?")
    line = line if isinstance(line, str) else line[0]
    line = re.sub(r"^.*?error(\[\w+\])?:\s*", "", line)
    return re.sub(r"`[^`]*`", "`…`", line)[:110]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--slang", "--slangc", "--ours"):
        parser.add_argument(name, required=True)
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--compilers")
    parser.add_argument("--cache")
    parser.add_argument("--out")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    targets = options.targets.split(",")
    cache = {}
    if options.cache and os.path.exists(options.cache):
        with open(options.cache) as file:
            cache = json.load(file)

    with tempfile.TemporaryDirectory() as root:
        unpack(options.slang, root)
        tests = sample(root, options.count)

        def judge(case):
            (path, given), target = case
            source, output = os.path.join(root, path), os.path.join(root, f"{path}.{target}")
            asked = ASKED_OF_SLANGC.get(target, target)
            key = f"{asked} {path} {' '.join(given).replace(root, '')}"
            if key not in cache:
                command = [options.slangc, source, *given, "-target", asked, "-o", output + ".theirs"]
                cache[key] = run(command)[0] == 0
            if not cache[key]:
                return path, target, False, False, None, ""
            status, said = run([options.ours, "emit", source, *given, "-target", target, "-o", output])
            if status or not os.path.exists(output):
                return path, target, True, False, None, reason(said)
            if not options.compilers:
                return path, target, True, True, None, ""
            with open(source, errors="replace") as file:
                status, said = accepted(options.compilers, target, output, " ".join(given), file.read())
            return path, target, True, True, status == 0, reason(said) if status else ""

        cases = [(test, target) for target in targets for test in tests]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = list(pool.map(judge, cases))
    if options.cache:
        with open(options.cache, "w") as file:
            json.dump(cache, file)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(rows, file, indent=0)

    print(f"{'target':8}{'slangc':>8}{'ours':>8}{'accepted':>10}")
    for target in targets:
        mine = [row for row in rows if row[1] == target and row[2]]
        taken = sum(row[4] is True for row in mine) if options.compilers else "-"
        print(f"{target:8}{len(mine):>8}{sum(row[3] for row in mine):>8}{taken:>10}")
    reasons = collections.defaultdict(set)
    for path, target, theirs, _, _, why in rows:
        if theirs and why:
            reasons[why].add((path, target))
    for why, where in sorted(reasons.items(), key=lambda item: -len({path for path, _ in item[1]})):
        example = min(where)
        print(f"{len({path for path, _ in where}):4} {','.join(sorted({t for _, t in where})):30} {why}  ({example[0]})")


if __name__ == "__main__":
    main()
