"""Copies, repetitions and sums on a device against numpy, for random shapes, strides and types."""

import ctypes
import unittest

import numpy as np

from slang_analyzer.cuda import driver
from slang_analyzer.cuda.device_array import DeviceArray
from slang_analyzer.cuda.driver import Memory
from slang_analyzer.cuda.work import Axis, Rows, work
from test_cuda_fake import OnFakeDevices

TYPES = [np.uint8, np.float16, np.int16, np.float32, np.int32, np.float64, np.uint64]


class Work(OnFakeDevices):
    def setUp(self):
        self.random = np.random.default_rng(11)
        self.device = driver.device(0)
        self.work = work(self.device)

    def strided(self, dtype, most=4):
        """A view of random memory, of a random shape with random strides."""
        dimensions = int(self.random.integers(0, most + 1))
        base = self.numbers(self.random.integers(1, 5, size=dimensions), dtype)
        view = base
        for axis in range(dimensions):
            step = int(self.random.choice([1, 1, 2, -1]))
            view = np.moveaxis(np.moveaxis(view, axis, 0)[::step], 0, axis)
        return base, view.transpose(self.random.permutation(dimensions))

    def numbers(self, shape, dtype):
        return self.random.integers(0, 100, size=shape).astype(dtype)

    def on_device(self, base, view):
        """The same view of a copy on the device. The tests' device is the memory of the CPU."""
        memory = Memory(self.device, base.nbytes)
        whole = np.ndarray(base.shape, base.dtype, (ctypes.c_char * base.nbytes).from_address(memory.address))
        whole[...] = base
        address = memory.address + view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return DeviceArray(address, view.shape, view.strides, view.dtype, 0, memory)

    def read(self, address, shape, dtype):
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return np.frombuffer(self.device.read(address, size), dtype).reshape(shape)

    def test_copies(self):
        for _ in range(300):
            base, view = self.strided(self.random.choice(TYPES))
            around = tuple(int(length) for length in self.random.integers(1, 4, size=self.random.integers(0, 3)))
            shape = around + view.shape
            source = self.on_device(base, view).broadcast_to(shape)
            expected = np.broadcast_to(view, shape)
            memory = Memory(self.device, expected.nbytes)
            self.work.copy_array(source, DeviceArray(memory.address, shape, None, view.dtype, 0, memory), 0)
            np.testing.assert_array_equal(self.read(memory.address, shape, view.dtype), expected)

    def test_copies_of_some_rows(self):
        for _ in range(300):
            base, view = self.strided(self.random.choice(TYPES))
            inner = int(self.random.integers(0, view.ndim + 1))
            lead, element = view.shape[: view.ndim - inner], view.shape[view.ndim - inner :]
            count = int(np.prod(lead, dtype=np.int64))
            start = int(self.random.integers(0, count))
            length = int(self.random.integers(0, count - start)) + 1
            size = int(np.prod(element, dtype=np.int64)) * view.dtype.itemsize
            memory = Memory(self.device, length * size)
            self.work.copy_rows(self.on_device(base, view), memory.address, Rows(start, length, size), 0)
            expected = np.ascontiguousarray(view).reshape(count, *element)[start : start + length]
            np.testing.assert_array_equal(self.read(memory.address, expected.shape, view.dtype), expected)

    def test_rows_beyond_32_bits(self):
        rows = np.arange(6, dtype=np.float32).reshape(2, 3)
        source = self.on_device(rows, rows)
        for shape, strides, start, expected in [
            ((1 << 33, 3), (0, 4), 5, [0, 0]),
            ((1 << 33, 3), (0, 4), (1 << 32) + 7, [0, 0]),
            ((2, (1 << 31) + 3, 3), (12, 0, 4), (1 << 31) + 2, [0, 1]),
            ((1 << 32, 2, 3), (0, 12, 4), 8, [0, 1]),
            ((1 << 32, 2, 3), (0, 12, 4), (1 << 32) + 1, [1, 0]),
        ]:
            view = DeviceArray(source.address, shape, strides, rows.dtype, 0, source.owner)
            memory = Memory(self.device, 24)
            self.work.copy_rows(view, memory.address, Rows(start, 2, 12), 0)
            np.testing.assert_array_equal(self.read(memory.address, (2, 3), np.float32), rows[expected])

    def test_repetitions(self):
        # Beyond 2048 bytes a constant takes several parameters.
        for size in [1, 2, 3, 4, 8, 12, 16, 24, 100, 2048, 2049, 5000]:
            for count in [0, 1, 2, 70]:
                element = self.numbers((size,), np.uint8)
                memory = Memory(self.device, size * count)
                self.work.fill(memory.address, element, count, 0)
                expected = np.broadcast_to(element, (count, size))
                np.testing.assert_array_equal(self.read(memory.address, (count, size), np.uint8), expected)

    def test_sums(self):
        for number in range(200):
            dtype = self.random.choice(TYPES)
            # Now and then so many that several blocks share a sum.
            if number % 10 == 0:
                base = self.numbers((int(self.random.integers(5000, 9000)), 3), dtype)
                view = base if number % 20 else base.T
            else:
                base, view = self.strided(dtype)
            kept = [bool(is_kept) for is_kept in self.random.integers(0, 2, size=view.ndim)]
            axes = [Axis(length, stride, 0) for length, stride in zip(view.shape, view.strides)]
            over = tuple(axis for axis in range(view.ndim) if not kept[axis])
            wide = np.float64 if np.dtype(dtype).kind == "f" else np.uint64
            expected = view.astype(wide).sum(axis=over)
            sums = Memory(self.device, 8 * expected.size)
            self.device.zero(sums.address, 8 * expected.size, 0)
            alive = []

            def memory(size):
                alive.append(Memory(self.device, size))
                return alive[-1].address

            source = self.on_device(base, view)
            arguments = [[axis for axis, is_kept in zip(axes, kept) if is_kept is wanted] for wanted in (True, False)]
            for times in (1, 2):
                # Sums are added to what is there.
                for launch in self.work.sums(source.address, view.dtype, *arguments, sums.address, memory):
                    launch.start(0)
                np.testing.assert_array_equal(self.read(sums.address, expected.shape, wide), times * expected)
            target = Memory(self.device, expected.size * view.dtype.itemsize)
            strides = np.empty(expected.shape, dtype).strides
            places = [Axis(length, 0, stride) for length, stride in zip(expected.shape, strides)]
            self.work.store_sums(sums.address, target.address, view.dtype, places, 0)
            with np.errstate(over="ignore"):
                stored = (2 * expected).astype(dtype)
            np.testing.assert_array_equal(self.read(target.address, expected.shape, dtype), stored)

    def test_arrays_of_too_many_dimensions(self):
        base = np.zeros((3,) * 13, np.uint8)
        source = self.on_device(base, base.transpose())
        with self.assertRaisesRegex(ValueError, "at most 12 dimensions"):
            self.work.copy_array(source, self.on_device(base, base), 0)


if __name__ == "__main__":
    unittest.main()
