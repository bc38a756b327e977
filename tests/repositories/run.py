#!/usr/bin/env python3
"""Does `check` say of the Slang in public repositories what slangc says of it?

    python3 tests/repositories/run.py --bin target/debug/slang-analyzer [--mirrors DIR] [--filter SUBSTRING] [--json OUT]
    python3 tests/repositories/run.py derive OWNER/NAME… --slangc PATH [--mirrors DIR] [--most 40]

`list.json` holds for each repository the commit, the search roots and defines, and slangc's verdict of each file without code
generation: `accepted`, or the numbers of its errors. A file that slangc accepts must get no error here, one that it rejects must
get one; `differences` names those of which this is not so, each with its cause. No file of a repository is in this one: they are
taken from `DIR/OWNER+NAME/repo` (a git directory) where that is there, and from GitHub otherwise, into `target/repositories`.

`derive` asks slangc again for the repositories named, at the newest commit that the mirror has, or adds them. Search roots are
the folders from which the paths that the project includes and imports are found. Python 3 standard library only.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "list.json")
CHECKOUTS = os.path.join(HERE, "..", "..", "target", "repositories")
SLANG = (".slang", ".slangh", ".slangi")
INCLUDED = SLANG + (".h", ".hpp", ".hlsl", ".hlsli", ".glsl", ".inc", ".inl", ".shared", ".host_device")
# Repositories whose modules others import without having them in their own tree.
LIBRARIES = ["shader-slang/slangpy", "nvpro-samples/nvpro_core2"]
REFERENCE = re.compile(r'^\s*(?:#\s*include\s*([<"][^">]+)[">]|(?:__exported\s+)?(?:import|__include|implementing)\s+("[^"]+"|[\w.]+)\s*;)', re.M)


def git(directory, *arguments, text=True):
    done = subprocess.run(["git", "--git-dir", directory, *arguments], capture_output=True)
    if done.returncode:
        raise OSError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace") if text else done.stdout


def mirror(name, mirrors):
    """The git directory of a repository, if there is one on this machine."""
    path = os.path.join(mirrors, name.replace("/", "+"), "repo") if mirrors else ""
    return path if os.path.isdir(path) else None


def present(directory, commit):
    """The paths of the files that Slang may read; a mirror may list the largest files without having them."""
    listed = git(directory, "ls-tree", "-r", "-z", commit).split("\0")
    blobs = [(entry.split("\t", 1)[1], entry.split()[2]) for entry in listed if entry.split("\t", 1)[-1].endswith(INCLUDED)]
    command = ["git", "--git-dir", directory, "cat-file", "--batch-check"]
    asked = "".join(blob + "\n" for _, blob in blobs).encode()
    answers = subprocess.run(command, input=asked, capture_output=True, check=True).stdout.decode().splitlines()
    return [path for (path, _), answer in zip(blobs, answers) if answer.split()[1] == "blob"]


def checkout(name, commit, mirrors):
    """The folder with the files of `name` at `commit` that Slang may read, fetched once."""
    folder = os.path.abspath(os.path.join(CHECKOUTS, name.replace("/", "+") + "@" + commit[:12]))
    if os.path.isdir(folder):
        return folder
    directory = mirror(name, mirrors)
    if not directory:
        directory = folder + ".git"
        subprocess.run(["git", "init", "--quiet", "--bare", directory], check=True)
        git(directory, "fetch", "--quiet", "--depth", "1", "https://github.com/%s" % name, commit)
    paths = present(directory, commit)
    os.makedirs(folder + ".part", exist_ok=True)
    for start in range(0, len(paths), 1000):
        archive = git(directory, "archive", commit, *paths[start:start + 1000], text=False)
        subprocess.run(["tar", "x", "-C", folder + ".part"], input=archive, check=True)
    os.rename(folder + ".part", folder)
    return folder


def root_folder(root, listed, mirrors):
    """The folder of a search root: of the repository itself, or `OWNER/NAME:PATH` of another one of the list."""
    name, path = root.split(":", 1)
    return os.path.join(checkout(name, listed[name]["commit"], mirrors), path)


def flags(name, row, listed, mirrors):
    own = checkout(name, row["commit"], mirrors)
    words = []
    for root in row["roots"]:
        words += ["-I", root_folder(root, listed, mirrors) if ":" in root else os.path.join(own, root)]
    for define in row.get("defines", []):
        words += ["-D", define]
    return own, words


def references(text):
    """Whether they are looked for beside it, and the paths that a file includes and imports, as paths of files."""
    for included, imported in REFERENCE.findall(text):
        if included:
            yield included[0] == '"', [included[1:].replace("\\", "/")]
        elif imported.startswith('"'):
            path = imported[1:-1]
            yield True, [path, path + ".slang"]
        else:
            path = imported.replace(".", "/")
            yield True, [path + ".slang", path.replace("_", "-") + ".slang"]


def search_roots(folder, files, libraries):
    """The folders from which what `files` include and import is found, the most used first."""
    found = collections.Counter()
    here = collections.defaultdict(list)
    for directory, _, names in os.walk(folder):
        for name in names:
            here[name].append(os.path.relpath(os.path.join(directory, name), folder))
    for file in files:
        text = open(os.path.join(folder, file), encoding="utf-8", errors="replace").read()
        for beside, paths in references(text):
            if beside and any(os.path.exists(os.path.join(folder, os.path.dirname(file), path)) for path in paths):
                continue
            fitting = [(c, p) for p in paths for c in here[os.path.basename(p)] if ("/" + c).endswith("/" + p)]
            if fitting:
                # The nearest one: the longest beginning in common with the file that asks.
                candidate, path = max(fitting, key=lambda c: (len(os.path.commonprefix([c[0], file])), -len(c[0])))
                found[candidate[:len(candidate) - len(path)].rstrip("/") or "."] += 1
                continue
            for library, directory in libraries.items():
                for path in paths:
                    for below, _, names in os.walk(directory):
                        whole = os.path.join(below, os.path.basename(path))
                        if os.path.basename(path) in names and whole.endswith("/" + path):
                            found[library + ":" + os.path.relpath(whole[:-len(path)], directory)] += 1
    return [root for root, _ in found.most_common(16)]


def spread(files, most):
    """At most `most` files, evenly over the whole."""
    return files if len(files) <= most else [files[i * len(files) // most] for i in range(most)]


def verdict(slangc, own, words, file):
    """What slangc says of a file: `accepted`, the numbers of its errors, or how it failed."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "module.slang-module")
        try:
            done = subprocess.run([slangc, file, *words, "-o", output], cwd=own, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "timeout"
    text = (done.stderr + done.stdout).decode("utf-8", "replace")
    numbers = sorted(set(re.findall(r"(?:error|fatal error)(?:\[E| )(\d+)", text)))
    if numbers:
        return "rejected " + " ".join(str(int(n)) for n in numbers)
    return "accepted" if done.returncode == 0 else "crash"


def derive(names, args):
    listed = json.load(open(LIST)) if os.path.exists(LIST) else {}
    for name in names:
        directory = mirror(name, args.mirrors) or sys.exit("no mirror of " + name)
        commit = git(directory, "rev-parse", "HEAD").strip()
        folder = checkout(name, commit, args.mirrors)
        everything = sorted(
            os.path.relpath(os.path.join(d, n), folder) for d, _, ns in os.walk(folder) for n in ns if n.endswith(SLANG)
        )
        libraries = {n: checkout(n, listed[n]["commit"], args.mirrors) for n in LIBRARIES if n in listed and n != name}
        row = listed.get(name, {})
        row = {"commit": commit, "roots": search_roots(folder, everything, libraries), "defines": row.get("defines", [])}
        listed[name] = row
        own, words = flags(name, row, listed, args.mirrors)
        files = spread([f for f in everything if f.endswith(".slang")], args.most)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            row["files"] = dict(zip(files, pool.map(lambda file: verdict(args.slangc, own, words, file), files)))
        print(name, commit[:12], collections.Counter(v.split()[0] for v in row["files"].values()), flush=True)
        json.dump(listed, open(LIST, "w"), indent=1, sort_keys=True)


def check(binary, own, words, file, timeout):
    """The errors of a file here, or how the program failed."""
    try:
        done = subprocess.run([binary, "check", file, "--format", "json", *words], cwd=own, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return [], "timeout"
    if done.returncode not in (0, 1, 3):
        return [], "crash: " + done.stderr.decode("utf-8", "replace").strip()[-160:]
    lines = [json.loads(l) for l in done.stdout.decode("utf-8", "replace").splitlines() if l.startswith("{")]
    return [l for l in lines if l.get("severity") == "error"], ""


def judge(answer, errors, trouble):
    """Why what was found is not what slangc says, or nothing."""
    if trouble:
        return trouble
    if answer == "accepted" and errors:
        return "%s %s" % (errors[0]["code"], re.sub(r"[`'\"][^`'\"]*[`'\"]", "_", errors[0]["message"])[:100])
    if answer.startswith("rejected") and not errors:
        return "accepted, slangc: " + answer[len("rejected "):]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", nargs="?", default="check", choices=["check", "derive"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "target", "debug", "slang-analyzer"))
    parser.add_argument("--slangc", default=os.environ.get("SLANGC", "slangc"))
    parser.add_argument("--mirrors", default=os.environ.get("REPOSITORY_MIRRORS", ""))
    parser.add_argument("--most", type=int, default=40, help="files of one repository")
    parser.add_argument("--filter", default="", help="only repositories and files whose name contains this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.action == "derive":
        return derive(args.names, args)
    listed = json.load(open(LIST))
    binary = os.path.abspath(args.bin)
    work = []
    for name, row in listed.items():
        files = [f for f in row["files"] if args.filter in name + ":" + f]
        if files:
            own, words = flags(name, row, listed, args.mirrors)
            work += [(name, row, own, words, f) for f in files]
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    results = pool.map(lambda w: check(binary, w[2], w[3], w[4], args.timeout), work)
    causes, failures, counts = collections.Counter(), [], collections.Counter()
    for (name, row, _, _, file), (errors, trouble) in zip(work, results):
        answer, named = row["files"][file], row.get("differences", {}).get(file)
        why = judge(answer, errors, trouble)
        counts[answer.split()[0], "named" if why and named else "different" if why else "same"] += 1
        if why and not named or named and not why:
            why = why or "no longer different: " + named
            causes[why] += 1
            first = errors[0] if errors else {}
            failures.append({"repository": name, "file": file, "why": why, "at": "%s:%s" % (first.get("path"), first.get("line"))})
            print("%s %s: %s  %s:%s" % (name, file, why, first.get("path"), first.get("line")), flush=True)
    print()
    for why, count in causes.most_common(60):
        print("%5d  %s" % (count, why))
    for (answer, state), count in sorted(counts.items()):
        print("%s by slangc, %s here: %d" % (answer, state, count))
    if args.json:
        json.dump(failures, open(args.json, "w"), indent=1)
    print("%d repositories, %d files, %d failed" % (len({w[0] for w in work}), len(work), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
