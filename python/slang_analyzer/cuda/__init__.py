"""Kernels on NVIDIA devices: as CUDA, by NVRTC and the driver, over arrays in the memory of a device.

Nothing of CUDA is imported or installed: its libraries are found where they are (`discovery`) and called by ``ctypes``.
"""
