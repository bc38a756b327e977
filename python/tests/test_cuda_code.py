"""NVRTC takes the code for devices; no device is needed."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import slang_analyzer
from slang_analyzer.analyzer import Source, emit_kernel
from slang_analyzer.cuda import discovery, nvrtc, work

HERE = Path(__file__).parent
FUNCTIONS = """
    smooth ns::f layer<3> apply halved isPositive g(float) g(float2) Line.at energy moved weighted count sampled scaled halfSum
    doubled successor(int) successor(uint) successor(int64_t) successor(uint64_t) scaledPair chosen addTo pixel mark dense<4> squared
""".split()
DERIVATIVES = "smooth ns::f layer<3> apply halved Line.at energy moved weighted sampled scaled halfSum chosen pixel dense<4> squared".split()


def library():
    """NVRTC, where there is one."""
    named = Path(os.environ.get("NVRTC") or HERE.parents[1] / "target/tools/libnvrtc.so")
    if named.exists():
        return nvrtc.Nvrtc(str(named))
    try:
        return nvrtc.find()
    except slang_analyzer.SlangError as error:
        raise unittest.SkipTest(str(error)) from None


class Code(unittest.TestCase):
    def test_kernels_are_compiled(self):
        compiler, source = library(), Source(str(HERE / "kernels.slang"))
        names = [*FUNCTIONS, *(f"{kind}({name})" for kind in ("fwd_diff", "bwd_diff") for name in DERIVATIVES)]
        architecture = compiler.architecture((9, 0))
        for name in names:
            with self.subTest(name=name):
                emitted = emit_kernel(source, name, "cuda", with_primal=name.startswith("bwd_diff"))
                # Debugging leaves out optimisation, which takes most of the time.
                image = compiler.compile(emitted.code, architecture, ["--std=c++17", "--device-debug"])
                self.assertTrue(image.startswith(b"\x7fELF"))

    def test_work_is_compiled(self):
        compiler = library()
        code = Path(work.__file__).with_name("work.cu").read_text()
        for architecture in {compiler.architecture(capability) for capability in [(7, 5), (9, 0)]}:
            image = compiler.compile(code, architecture, nvrtc._FLAGS)
            self.assertTrue(image.startswith(b"\x7fELF"))

    def test_devices_newer_than_the_compiler_get_code_for_the_driver(self):
        compiler = library()
        architecture = compiler.architecture((99, 0))
        self.assertEqual(architecture, f"compute_{compiler.architectures[-1]}")
        ptx = compiler.compile('extern "C" __global__ void f(int* x) { *x = 1; }', architecture, [])
        self.assertIn(b".entry f", ptx)

    def test_what_is_refused_is_said(self):
        compiler = library()
        with self.assertRaisesRegex(slang_analyzer.SlangError, r'(?s)refused the code for .*identifier "y" is undefined'):
            compiler.compile("__device__ int x = y;", compiler.architecture((9, 0)), [])
        with self.assertRaisesRegex(slang_analyzer.SlangError, r"has no code for devices of compute capability \(1, 0\)"):
            compiler.architecture((1, 0))


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        variables = {"SLANG_ANALYZER_CACHE": folder.name, "SLANG_ANALYZER_NVRTC": library().path}
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)
        nvrtc.find.cache_clear()
        self.addCleanup(nvrtc.find.cache_clear)

    def test_code_is_compiled_once(self):
        code = 'extern "C" __global__ void f(int* x) { *x = 1; }'
        image = nvrtc.image(code, (8, 0), (99, 0))
        with mock.patch.object(nvrtc.Nvrtc, "compile", side_effect=AssertionError):
            self.assertEqual(nvrtc.image(code, (8, 0), (99, 0)), image)
        self.assertEqual([path.suffix for path in self.folder.iterdir()], [".cubin"])
        # For other devices, or with other options, it is other code.
        nvrtc.image(code, (9, 0), (99, 0))
        with mock.patch.dict(os.environ, {"SLANG_ANALYZER_NVRTCFLAGS": "--use_fast_math"}):
            nvrtc.image(code, (9, 0), (99, 0))
        self.assertIn(b".entry f", nvrtc.image(code, (99, 0), (99, 0)))
        self.assertEqual(sorted(path.suffix for path in self.folder.iterdir()), [".cubin"] * 3 + [".ptx"])

    def test_what_the_driver_does_not_take_is_not_used(self):
        with self.assertRaisesRegex(
            slang_analyzer.SlangError, r"there is no NVRTC for this driver: .* is of CUDA \d+\.\d+, and"
        ):
            nvrtc.find(5)

    def test_what_is_not_there_is_named(self):
        with mock.patch.dict(os.environ, {"SLANG_ANALYZER_NVRTC": "/nowhere/libnvrtc.so"}):
            with self.assertRaisesRegex(
                slang_analyzer.SlangError, "there is no NVRTC, .* install the wheel `nvidia-cuda-nvrtc`"
            ):
                nvrtc.find()


class Capsules(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "`on_exit` is of Linux")
    def test_memory_is_given_back_after_the_end_of_python(self):
        code = """if True:
            import ctypes
            import numpy
            from slang_analyzer.cuda import dlpack

            capsule = dlpack.capsule(0, (0,), (1,), numpy.dtype("f4"), 0, None)
            place = dlpack._pointer(capsule, b"dltensor")
            set_name = ctypes.pythonapi.PyCapsule_SetName
            set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)
            set_name(capsule, b"used_dltensor")
            # What the C library calls at its end, long after Python's: the deleter of then, as a library of arrays does.
            deleter = ctypes.cast(place + dlpack._Managed.deleter.offset, ctypes.POINTER(ctypes.c_void_p))
            dlpack._leave()
            on_exit = ctypes.CDLL(None).on_exit
            on_exit.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
            on_exit(deleter[0], place)
            """
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Discovery(unittest.TestCase):
    def test_names_of_libraries(self):
        for name, is_one in {
            "libnvrtc.so.13": True,
            "libnvrtc.so.12.9.86": True,
            "libnvrtc-b51b459d.so.12": True,
            "libnvrtc-builtins.so.12.9": False,
            "libnvrtc.alt.so.13": False,
            "nvrtc64_130_0.dll": True,
            "nvrtc-builtins64_130.dll": False,
        }.items():
            self.assertEqual(discovery._is_nvrtc(name), is_one, name)

    @unittest.skipIf(sys.platform == "win32", "names are those of Linux")
    def test_places(self):
        with tempfile.TemporaryDirectory() as folder:
            site, home = Path(folder, "site"), Path(folder, "cuda")
            places = [
                site / "nvidia/cu13/lib/libnvrtc.so.13",
                site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                home / "lib64/libnvrtc.so.12.4",
                site / "torch/lib/libnvrtc-0123abcd.so.12",
                site / "cupy/.data/lib/libnvrtc.so.11.2",
            ]
            for place in places:
                place.parent.mkdir(parents=True)
                place.touch()
            for package in ("torch", "cupy"):
                (site / package / "__init__.py").write_text("raise AssertionError('it is imported')")
            variables = {"CUDA_HOME": str(home), "CUDA_PATH": ""}
            with mock.patch.dict(os.environ, variables), mock.patch.object(sys, "path", [str(site)]):
                with mock.patch.dict(os.environ), mock.patch.dict(sys.modules):
                    os.environ.pop("SLANG_ANALYZER_NVRTC", None)
                    for package in ("nvidia", "torch", "cupy"):
                        sys.modules.pop(package, None)
                    names = list(discovery.nvrtc_names())
                    os.environ["SLANG_ANALYZER_NVRTC"] = "/mine"
                    self.assertEqual(list(discovery.nvrtc_names()), ["/mine"])
        own = [name for name in names if name.startswith(folder)]
        self.assertEqual(own, [str(place) for place in places])
        # The loader comes after what is named, and before what others bring.
        self.assertLess(names.index(str(places[2])), names.index("libnvrtc.so.13"))
        self.assertLess(names.index("libnvrtc.so.13"), names.index(str(places[3])))

    def test_the_newest_is_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libnvrtc.so.9", "libnvrtc.so.12", "libnvrtc-builtins.so.12"):
                Path(folder, name).touch()
            found = [os.path.basename(path) for path in discovery._libraries_in(Path(folder), ".")]
        self.assertEqual(found, ["libnvrtc.so.12", "libnvrtc.so.9"])


if __name__ == "__main__":
    unittest.main()
