#!/usr/bin/env python3
"""Compiles CUDA C++ to PTX without a device or driver.

usage: nvrtc.py LIBNVRTC FILE.cu...   exit status 0 if all compile
"""
import ctypes
import os
import sys

# What it is made of lies beside the library itself.
lib = ctypes.CDLL(os.path.realpath(sys.argv[1]))
# Debugging leaves out optimisation, which takes most of the time.
options = [b"--gpu-architecture=compute_75", b"--std=c++17", b"--device-debug"]
failed = 0
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        text = file.read()
    program = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(program), text, path.encode(), 0, None, None)
    if lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)):
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        print(log.value.decode(errors="replace"))
        failed += 1
    lib.nvrtcDestroyProgram(ctypes.byref(program))
sys.exit(1 if failed else 0)
