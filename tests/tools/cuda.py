#!/usr/bin/env python3
"""Compiles CUDA C++ with NVIDIA's run-time compiler and runs its kernels on a device, without anything beyond Python.

usage: cuda.py probe                  exit status 0 if a device and the compiler are there
       cuda.py run JOBS.json OUT.json

JOBS: a list of files, {"file": PATH, "kernels": [{"entry": NAME, "block": [x, y, z], "arguments": [ARGUMENT…],
"results": WORDS}…]}; an argument is {"buffer": [WORD…]}, whose first one that is marked "result": true is brought back, or
{"number": WORD}. OUT: for each file {"error": TEXT} or {"kernels": [[WORD…] or TEXT…]}, words as unsigned integers.
$NVRTC names the compiler's library; else it is what the loader finds. $NVRTC_OPTIONS holds options for it:
`--device-debug` leaves out optimisation, which takes nine tenths of the time.
"""
import ctypes
import json
import os
import sys

ATTRIBUTE_MAJOR, ATTRIBUTE_MINOR = 75, 76


class Failure(Exception):
    pass


class Compiler:
    def __init__(self):
        named = [os.environ["NVRTC"]] if os.environ.get("NVRTC") else []
        for name in named + ["libnvrtc.so"] + [f"libnvrtc.so.{version}" for version in (13, 12, 11)]:
            try:
                # What it is made of lies beside the library itself.
                self.library = ctypes.CDLL(os.path.realpath(name) if os.path.exists(name) else name)
                return
            except OSError:
                pass
        raise Failure("the run-time compiler is not found")

    def compile(self, path, options):
        """The cubin of a file."""
        lib, program, size = self.library, ctypes.c_void_p(), ctypes.c_size_t()
        with open(path, "rb") as file:
            lib.nvrtcCreateProgram(ctypes.byref(program), file.read(), path.encode(), 0, None, None)
        refused = lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        ask_size, ask = (
            (lib.nvrtcGetProgramLogSize, lib.nvrtcGetProgramLog) if refused else (lib.nvrtcGetCUBINSize, lib.nvrtcGetCUBIN)
        )
        ask_size(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        ask(program, text)
        lib.nvrtcDestroyProgram(ctypes.byref(program))
        if refused:
            raise Failure(text.value.decode(errors="replace"))
        return text.raw


class Device:
    """The first device, with a context for this process."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Failure(str(error)) from error
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        version = []
        for attribute in (ATTRIBUTE_MAJOR, ATTRIBUTE_MINOR):
            value = ctypes.c_int()
            self("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
            version.append(value.value)
        self.architecture = f"sm_{version[0]}{version[1]}"

    def __call__(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise Failure(f"{name}: {(text.value or b'').decode()} ({status})")

    def load(self, cubin):
        module = ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def allocate(self, words):
        """A buffer with these words. Drivers do not allocate nothing."""
        address, data = ctypes.c_uint64(), (ctypes.c_uint32 * max(1, len(words)))(*words)
        self("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(ctypes.sizeof(data)))
        self("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(ctypes.sizeof(data)))
        return address

    def read(self, address, count):
        data = (ctypes.c_uint32 * count)()
        self("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(ctypes.sizeof(data)))
        return list(data)

    def launch(self, function, grid, block, values):
        """`values` are ctypes of the kernel's parameters."""
        pointers = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(value) for value in values))
        self("cuLaunchKernel", function, *grid, *block, 0, None, pointers, None)

    def free(self, address):
        self("cuMemFree_v2", address)


def run_kernel(device, module, kernel):
    values, buffers, result = [], [], None
    for argument in kernel["arguments"]:
        if "buffer" in argument:
            values.append(device.allocate(argument["buffer"]))
            buffers.append(values[-1])
            result = values[-1] if argument.get("result") else result
        else:
            values.append(ctypes.c_uint32(argument["number"]))
    device.launch(device.function(module, kernel["entry"]), (1, 1, 1), kernel["block"], values)
    device("cuCtxSynchronize")
    words = device.read(result, kernel["results"]) if result else []
    for buffer in buffers:
        device.free(buffer)
    return words


def main():
    try:
        compiler, device = Compiler(), Device()
    except Failure as failure:
        sys.exit(str(failure))
    if sys.argv[1] == "probe":
        print(device.architecture)
        return
    with open(sys.argv[2]) as file:
        jobs = json.load(file)
    options = [f"--gpu-architecture={device.architecture}", "--std=c++17", *os.environ.get("NVRTC_OPTIONS", "").split()]
    options = [option.encode() for option in options]
    outcomes = []
    for job in jobs:
        try:
            module = device.load(compiler.compile(job["file"], options))
            outcomes.append({"kernels": [run_kernel(device, module, kernel) for kernel in job["kernels"]]})
            device("cuModuleUnload", module)
        except Failure as failure:
            outcomes.append({"error": str(failure)})
    with open(sys.argv[3], "w") as file:
        json.dump(outcomes, file)


if __name__ == "__main__":
    main()
