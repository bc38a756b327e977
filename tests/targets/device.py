#!/usr/bin/env python3
"""What the emitted CUDA of differentiable kernels costs on an NVIDIA device, ours beside slangc's, and whether it is right.

usage: device.py prepare --ours SLANG-ANALYZER --slangc SLANGC --kernels DIR --out DIR    on any machine
       device.py run DIR [--threads 1048576] [--json FILE]                               where the device is

KERNELS holds `NAME.slang` with an entry point `main` in groups of 64 threads, each of which writes `outputs_per_thread` floats
to `RWStructuredBuffer<float> result`, and `reference.json`, which says what the first 64 threads write. A kernel may also have
`RWStructuredBuffer<float> table` and `RWStructuredBuffer<int> table_grad`, of 64 elements. Prints nanoseconds for a thread, as
the median of several launches, and the largest error beside the reference; the last row holds the geometric mean of the ratios.
"""
import argparse
import ctypes
import json
import math
import os
import re
import statistics
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import cuda

GROUP, TABLE, LAUNCHES, CHECKED = 64, 64, 15, 64


def prepare(options):
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.kernels, "reference.json")) as file:
        reference = json.load(file)["kernels"]
    for name in reference:
        source = os.path.join(options.kernels, name + ".slang")
        out = {who: os.path.join(options.out, f"{name}.{who}.cu") for who in ("ours", "slangc")}
        ours = [options.ours, "emit", source, "--entry", "main", "--target", "cuda", "-o", out["ours"]]
        theirs = [options.slangc, source, "-entry", "main", "-stage", "compute", "-target", "cuda"]
        subprocess.run(ours, check=True)
        subprocess.run(theirs + ["-line-directive-mode", "none", "-o", out["slangc"]], check=True, capture_output=True)
    kept = {
        name: {"outputs": row["outputs_per_thread"], "rows": row.get("expected_rows", row["rows"])}
        for name, row in reference.items()
    }
    with open(os.path.join(options.out, "reference.json"), "w") as file:
        json.dump(kept, file)


def words(numbers):
    return list(struct.unpack(f"<{len(numbers)}I", struct.pack(f"<{len(numbers)}f", *numbers)))


def parameters(device, module, path, who, buffers):
    """The kernel's name and what it takes, after slangc's global parameters are written where it reads them."""
    with open(path) as file:
        text = file.read()
    if who == "ours":
        entry, header = re.search(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\((.*?)\)\s*\{', text, re.S).groups()
        values = []
        for parameter in re.split(r",\s*", header.strip()):
            name = re.split(r"[ *]", parameter)[-1]
            address, count = buffers[name.removesuffix("_count")]
            values.append(ctypes.c_uint32(count) if name.endswith("_count") else address)
        return entry, values
    struct_text = re.search(r"struct GlobalParams_0\s*\{(.*?)\}", text, re.S)[1]
    order = re.findall(r"RWStructuredBuffer<\w+>\s+(\w+?)_0;", struct_text)
    packed = b"".join(struct.pack("<QQ", buffers[name][0].value, buffers[name][1]) for name in order)
    blob = ctypes.create_string_buffer(packed, len(packed))
    entry = re.search(r'extern "C" __global__ void (\w+)\(', text)[1]
    if "SLANG_globalParams" not in text:
        return entry, [blob]
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    device("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, b"SLANG_globalParams")
    device("cuMemcpyHtoD_v2", address, blob, ctypes.c_size_t(len(packed)))
    return entry, []


def measure(device, compiler, folder, name, who, row, threads):
    path = os.path.join(folder, f"{name}.{who}.cu")
    options = [f"--gpu-architecture={device.architecture}".encode(), b"--std=c++17"]
    module = device.load(compiler.compile(path, options))
    result = ctypes.c_uint64()
    count = threads * row["outputs"]
    device("cuMemAlloc_v2", ctypes.byref(result), ctypes.c_size_t(4 * count))
    table = device.allocate(words([((i * 53 + 7) % 128) / 128 - 0.5 for i in range(TABLE)]))
    gradient = device.allocate([0] * TABLE)
    buffers = {"result": (result, count), "table": (table, TABLE), "table_grad": (gradient, TABLE)}
    entry, values = parameters(device, module, path, who, buffers)
    function = device.function(module, entry)
    start, end = ctypes.c_void_p(), ctypes.c_void_p()
    for event in (start, end):
        device("cuEventCreate", ctypes.byref(event), 0)
    device.launch(function, (1, 1, 1), (GROUP, 1, 1), values)
    device("cuCtxSynchronize")
    first = struct.unpack(f"<{CHECKED * row['outputs']}f", struct.pack(f"<{CHECKED * row['outputs']}I", *device.read(result, CHECKED * row["outputs"])))
    times = []
    for _ in range(LAUNCHES + 2):
        device("cuEventRecord", start, None)
        device.launch(function, (threads // GROUP, 1, 1), (GROUP, 1, 1), values)
        device("cuEventRecord", end, None)
        device("cuEventSynchronize", end)
        elapsed = ctypes.c_float()
        device("cuEventElapsedTime", ctypes.byref(elapsed), start, end)
        times.append(elapsed.value * 1e6 / threads)
    static = {}
    for label, attribute in (("registers", 4), ("stack", 3)):
        value = ctypes.c_int()
        device("cuFuncGetAttribute", ctypes.byref(value), attribute, function)
        static[label] = value.value
    for address, _ in buffers.values():
        device.free(address)
    device("cuModuleUnload", module)
    errors = [
        abs(first[thread * row["outputs"] + i] - expected) / max(1e-30, max(map(abs, wanted)))
        for thread, wanted in enumerate(row["rows"])
        for i, expected in enumerate(wanted)
    ]
    return {"ns": statistics.median(times[2:]), "error": max(errors), **static}


def run(options):
    compiler, device = cuda.Compiler(), cuda.Device()
    with open(os.path.join(options.folder, "reference.json")) as file:
        reference = json.load(file)
    results, ratios = {}, []
    print("| kernel | ours, ns | slangc, ns | ratio | registers | stack | error, ours | error, slangc |\n|---|---|---|---|---|---|---|---|")
    for name, row in sorted(reference.items()):
        try:
            both = {who: measure(device, compiler, options.folder, name, who, row, options.threads) for who in ("ours", "slangc")}
        except cuda.Failure as failure:
            print(f"| {name} | {str(failure)[:300]} |")
            results[name] = {"failure": str(failure)}
            continue
        ours, theirs = both["ours"], both["slangc"]
        ratios.append(ours["ns"] / theirs["ns"])
        results[name] = both
        print(
            f"| {name} | {ours['ns']:.4f} | {theirs['ns']:.4f} | {ratios[-1]:.2f} | {ours['registers']}/{theirs['registers']} | "
            f"{ours['stack']}/{theirs['stack']} | {ours['error']:.1e} | {theirs['error']:.1e} |",
            flush=True,
        )
    print(f"| geometric mean | | | {math.exp(sum(map(math.log, ratios)) / max(1, len(ratios))):.3f} |")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("prepare")
    for option in ("--ours", "--slangc", "--kernels", "--out"):
        step.add_argument(option, required=True)
    step = steps.add_parser("run")
    step.add_argument("folder")
    step.add_argument("--threads", type=int, default=1 << 20)
    step.add_argument("--json")
    options = parser.parse_args()
    {"prepare": prepare, "run": run}[options.step](options)


if __name__ == "__main__":
    main()
