#!/usr/bin/env python3
"""Can the entry points of public projects be emitted, those that slangc emits, and do the target's compilers take them?

usage: projects.py --slangc SLANGC --ours SLANG-ANALYZER [--mirrors DIR] [--filter SUBSTRING] [--most 40]
                   [--compilers TOOLS] [--cache FILE] [--out FILE.json] [--markdown]

The files are those of `tests/repositories/list.json` that slangc accepts, with the search roots and defines that it says. Each
entry point of a file is compiled by itself: those of stages for HLSL and SPIR-V, as programs on Vulkan and Direct3D use them;
kernels for PyTorch as whole files for CUDA. slangc's verdicts are kept in the cache. TOOLS is `target/tools` after
`tests/tools/install.sh`: with it, what is emitted is given to the target's own compiler. Prints a row a project (as a table of
the manual with `--markdown`), and what keeps us from emitting, most frequent first.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import tempfile

import breadth

HERE = os.path.dirname(os.path.abspath(__file__))
STAGES = {"compute", "vertex", "fragment", "pixel", "geometry", "hull", "domain", "mesh", "amplification", "raygeneration",
          "raygen", "closesthit", "miss", "anyhit", "intersection", "callable"}
ATTRIBUTES = re.compile(r"((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*)+)(?:public\s+|export\s+|static\s+)*[\w.<>, ]+?[\s]+(\w+)\s*\(")
KERNEL = re.compile(r"\[\s*(CudaKernel|CUDAKernel|AutoPyBindCUDA|TorchEntryPoint)\b", re.I)


def repositories():
    """The yardstick of the front end over the same projects: it knows where the files are."""
    spec = importlib.util.spec_from_file_location("repositories", os.path.join(HERE, "../repositories/run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entry_points(text):
    """What to compile of a file: `(entry, stage)` each, or `(None, None)` for a file of kernels as a whole."""
    text = re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.S)
    if KERNEL.search(text):
        return [(None, None)]
    found = []
    for attributes, name in ATTRIBUTES.findall(text):
        stage = re.search(r'\[\s*shader\s*\(\s*"(\w+)"', attributes)
        stage = stage.group(1) if stage else "compute" if re.search(r"\[\s*numthreads", attributes, re.I) else None
        if stage in STAGES and (name, stage) not in found:
            found.append((name, stage))
    return found


def cases(options):
    yardstick = repositories()
    with open(yardstick.LIST) as file:
        listed = json.load(file)
    for project, row in sorted(listed.items()):
        files = [file for file, verdict in row["files"].items() if verdict == "accepted"]
        files = [file for file in files if options.filter in f"{project}:{file}"]
        if not files or not yardstick.mirror(project, options.mirrors):
            continue
        own, words = yardstick.flags(project, row, listed, options.mirrors)
        taken = []
        for path in files:
            with open(os.path.join(own, path), errors="replace") as file:
                for entry, stage in entry_points(file.read()):
                    taken.append((path, entry, stage))
        for path, entry, stage in yardstick.spread(taken, options.most):
            for target in ["hlsl", "spirv"] if entry else ["cuda"]:
                yield project, own, words, path, entry, stage, target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slangc", required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--mirrors", default=os.environ.get("REPOSITORY_MIRRORS", ""))
    parser.add_argument("--filter", default="", help="only projects and files whose name contains this")
    parser.add_argument("--most", type=int, default=40, help="entry points of one project")
    parser.add_argument("--compilers")
    parser.add_argument("--cache")
    parser.add_argument("--out")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    # Each is called from the folder of its project.
    options.slangc, options.ours = os.path.abspath(options.slangc), os.path.abspath(options.ours)
    cache = {}
    if options.cache and os.path.exists(options.cache):
        with open(options.cache) as file:
            cache = json.load(file)

    with tempfile.TemporaryDirectory() as scratch:
        def judge(numbered):
            number, (project, own, words, path, entry, stage, target) = numbered
            given = ["-entry", entry, "-stage", stage] if entry else []
            flags = " ".join(word if word == "-I" else os.path.relpath(word, own) for word in words)
            asked = breadth.ASKED_OF_SLANGC.get(target, target)
            key = f"{asked} {project}:{path} {entry} {stage} {flags}"
            output = os.path.join(scratch, f"{number}.{target}")
            if key not in cache:
                command = [options.slangc, path, *words, *given, "-target", asked, "-o", output + ".theirs"]
                cache[key] = breadth.run(command, cwd=own)[0] == 0
            row = {"project": project, "path": path, "entry": entry, "stage": stage, "target": target, "theirs": cache[key]}
            status, said = breadth.run([options.ours, "emit", path, *words, *given, "-target", target, "-o", output], cwd=own)
            row["ours"] = status == 0 and os.path.exists(output)
            row["why"] = "" if row["ours"] else breadth.reason(said)
            if row["ours"] and options.compilers:
                with open(os.path.join(own, path), errors="replace") as file:
                    source = file.read()
                status, said = breadth.accepted(options.compilers, target, output, " ".join(given), source)
                row["accepted"] = status == 0
                row["why"] = breadth.reason(said) if status else ""
            return row

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = list(pool.map(judge, enumerate(cases(options))))
    if options.cache:
        with open(options.cache, "w") as file:
            json.dump(cache, file)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(rows, file, indent=0)

    line = "| {} | {} | {} | {} | {} |" if options.markdown else "{:44}{:>8}{:>8}{:>8}{:>10}"
    print(line.format("project", "target", "slangc", "ours", "accepted"))
    if options.markdown:
        print("|---|---|---|---|---|")
    asked = collections.defaultdict(list)
    for row in rows:
        if row["theirs"]:
            asked[row["project"], row["target"]].append(row)
            asked["all", row["target"]].append(row)
    for (project, target), mine in sorted(asked.items(), key=lambda item: (item[0][0] == "all", item[0])):
        taken = sum(row.get("accepted", False) for row in mine) if options.compilers else "-"
        print(line.format(project, target, len(mine), sum(row["ours"] for row in mine), taken))
    reasons = collections.defaultdict(list)
    for row in rows:
        if row["theirs"] and row["why"]:
            reasons[row["why"]].append(row)
    for why, where in sorted(reasons.items(), key=lambda item: -len(item[1])):
        first, targets = where[0], ",".join(sorted({row["target"] for row in where}))
        print(f"{len(where):4} {targets:12} {why}  ({first['project']}:{first['path']} {first['entry']})")


if __name__ == "__main__":
    main()
