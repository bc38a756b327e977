"""Calls on NVIDIA devices that are not there: kernels run on the CPU behind a driver that looks at what it is given."""

import ctypes
import gc
import platform
import shutil
import sys
import unittest
from unittest import mock

import numpy as np

import fake_device
import slang_analyzer
from cuda_cases import MODULE, Cases
from fake_device import Devices, InterfaceArray
from slang_analyzer.cuda import dlpack, driver
from slang_analyzer.errors import CudaError


IS_MADE = shutil.which("g++") and sys.platform == "linux" and platform.machine() == "x86_64"


@unittest.skipUnless(IS_MADE, "a device that is not there is made with g++ on Linux for x86-64")
class OnFakeDevices(unittest.TestCase):
    kind = fake_device.Array

    @classmethod
    def setUpClass(cls):
        cls.devices = Devices()
        cls.devices.__enter__()
        cls.addClassCleanup(cls.devices.__exit__)
        super().setUpClass()

    def tearDown(self):
        super().tearDown()
        # Contexts are left as they were, and nothing is kept that nobody has.
        self.assertEqual(self.devices.library.fake_depth(), 0)
        gc.collect()
        self.assertEqual(self.devices.library.fake_allocated(), 0)

    def to_device(self, array):
        return fake_device.to_device(array, kind=self.kind)

    def to_numpy(self, array):
        return fake_device.to_numpy(array)

    def permuted(self, array, axes):
        return array.transpose(axes)

    def is_own(self, value):
        return isinstance(value, fake_device.Array)


class FakeLibrary(Cases, OnFakeDevices):
    """Arrays that speak DLPack."""


class FakeInterface(Cases, OnFakeDevices):
    """Arrays that have CUDA's array interface."""

    kind = InterfaceArray


class Launches(OnFakeDevices):
    """What the driver is given."""

    def setUp(self):
        self.devices.launches()
        self.module = MODULE

    def test_arrays_are_used_where_they_are(self):
        x, y = self.to_device(np.zeros(1000)), self.to_device(np.zeros(1000))
        self.module.smooth(x, y)
        self.assertEqual(self.devices.launches(), ["smooth_kernel grid 16 1 1 block 64 1 1 stream 0"])
        # What makes them is waited for in the stream of the call.
        self.assertEqual(x.streams, [1])

    def test_what_is_the_same_for_all_is_written_once(self):
        x = self.to_device(np.zeros(1000))
        self.module.smooth(x, 2.0)
        names = [line.split()[0] for line in self.devices.launches()]
        self.assertEqual(names, ["fill_8", "smooth_kernel"])
        self.module.smooth.bwd((x, 2.0), 1.0)
        names = [line.split()[0] for line in self.devices.launches()]
        self.assertEqual(names, ["fill_8", "fill_8", "smooth_backward_kernel", "sum_f8", "store_f8"])

    def test_devices_are_told_from_each_other(self):
        x = fake_device.to_device(np.zeros(3), ordinal=1)
        result = self.module.smooth(x, 1.0)
        self.assertEqual(result.ordinal, 1)
        message = "`y` of `smooth` is on the CUDA device 0, and other arguments are on the CUDA device 1"
        with self.assertRaisesRegex(TypeError, message):
            self.module.smooth(x, self.to_device(np.zeros(3)))

    def test_errors_of_the_driver(self):
        x = self.to_device(np.zeros(1000))
        self.devices.library.fake_limit(100)
        try:
            with self.assertRaisesRegex(CudaError, "cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory"):
                self.module.smooth(x, x)
        finally:
            self.devices.library.fake_limit(1 << 32)
        with self.assertRaisesRegex(CudaError, "cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE: invalid device ordinal"):
            driver.device(7)
        with self.assertRaisesRegex(CudaError, "device kernel image is invalid\nptxas fatal: this is not an image"):
            driver.Module(driver.device(0), b"text")

    def test_results_without_a_library_speak_to_all(self):
        x = self.to_device(np.arange(3.0))
        result = driver_array(self.module, x)
        self.assertEqual(result.__dlpack_device__(), (2, 0))
        self.assertEqual(result.__cuda_array_interface__["shape"], (3,))
        np.testing.assert_array_equal(fake_device.to_numpy(fake_device.from_dlpack(result)), np.sin(np.arange(3.0)))
        # And are arguments.
        again = self.module.smooth(result, 0.0)
        np.testing.assert_array_equal(fake_device.to_numpy(again), np.sin(np.sin(np.arange(3.0))))

    def test_what_another_library_takes_is_freed_by_it(self):
        x = fake_device.to_device(np.arange(3.0))
        result = driver_array(MODULE, x)
        capsule = result.__dlpack__(stream=1)
        # As a consumer does: it renames the capsule, and calls the deleter when it has done.
        place = dlpack._pointer(capsule, b"dltensor")
        set_name = ctypes.pythonapi.PyCapsule_SetName
        set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)
        set_name(capsule, b"used_dltensor")
        del x, result, capsule
        gc.collect()
        self.assertEqual(self.devices.library.fake_allocated(), 1)
        managed = dlpack._Managed.from_address(place)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(place)
        self.assertEqual(self.devices.library.fake_allocated(), 0)
        self.assertEqual(len(dlpack._given), 0)


def driver_array(module, x):
    """A result where the library takes nothing."""
    given = fake_device.from_dlpack
    del fake_device.from_dlpack
    try:
        return module.smooth(x, 0.0)
    finally:
        fake_device.from_dlpack = given


class WithoutDevices(unittest.TestCase):
    def test_what_is_not_there_is_named(self):
        class Somewhere:
            def __dlpack_device__(self):
                return (2, 0)

        with mock.patch.dict("os.environ", {"SLANG_ANALYZER_LIBCUDA": "/nowhere/libcuda.so"}):
            driver.driver.cache_clear()
            with self.assertRaisesRegex(
                slang_analyzer.SlangError, "the driver for NVIDIA devices is not there: /nowhere/libcuda.so"
            ):
                MODULE.smooth(Somewhere(), 1.0)
        driver.driver.cache_clear()


if __name__ == "__main__":
    unittest.main()
