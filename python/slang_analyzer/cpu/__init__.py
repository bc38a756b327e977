"""Kernels on the CPU: as C++, by the system's compiler, over arrays of numpy."""
