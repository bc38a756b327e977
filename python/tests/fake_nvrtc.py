"""Compiles CUDA for the CPU, for tests without a device: usage: fake_nvrtc.py CODE.cu LIBRARY.so

For each kernel the library has a function NAME_launch(GRID, BLOCK, PARAMETERS), which runs its threads one after the other; if
they wait for one another, all of a block at once.
"""

import re
import subprocess
import sys

BEFORE = r"""
#include <math.h>
#include <string.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <thread>
#include <utility>
#include <vector>
struct fake_uint3 { unsigned x, y, z; };
static thread_local fake_uint3 threadIdx, blockIdx;
static fake_uint3 blockDim, gridDim;
static pthread_barrier_t fake_barrier;
static inline float fake_of_half(unsigned short bits) { return _cvtsh_ss(bits); }
static inline unsigned short fake_to_half(double value) { return _cvtss_sh(float(value), 0); }
static inline void __syncthreads() { pthread_barrier_wait(&fake_barrier); }
static inline int __float2int_rz(float value) { return int(value); }
static inline unsigned __float2uint_rz(float value) { return unsigned(value); }
template <class T> static inline T atomicAdd(T* place, T value)
{
    T old = *place;
    *place = old + value;
    return old;
}
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)
static const char* const fake_end_of_headers = 0;
"""

AFTER = r"""
template <class... Types, size_t... I>
static void fake_call(void (*kernel)(Types...), void** parameters, std::index_sequence<I...>)
{
    kernel(*static_cast<Types*>(parameters[I])...);
}
template <class... Types>
static void fake_launch(void (*kernel)(Types...), const unsigned* grid, const unsigned* block, void** parameters)
{
    blockDim = {block[0], block[1], block[2]}, gridDim = {grid[0], grid[1], grid[2]};
    const unsigned threads = block[0] * block[1];
    auto thread = [=](unsigned x, unsigned y, unsigned number) {
        blockIdx = {x, y, 0}, threadIdx = {number % block[0], number / block[0], 0};
        fake_call(kernel, parameters, std::index_sequence_for<Types...>());
    };
    for (unsigned y = 0; y < grid[1]; y++)
        for (unsigned x = 0; x < grid[0]; x++)
            if (FAKE_WAITS)
            {
                pthread_barrier_init(&fake_barrier, 0, threads);
                std::vector<std::thread> all;
                for (unsigned number = 0; number < threads; number++) all.emplace_back(thread, x, y, number);
                for (auto& one : all) one.join();
                pthread_barrier_destroy(&fake_barrier);
            }
            else
                for (unsigned number = 0; number < threads; number++) thread(x, y, number);
}
"""


def main(source, library):
    with open(source) as file:
        text = file.read()
    # The words of the device that have no other.
    text = re.sub(r'asm\("cvt\.f32\.f16 %0, %1;" : "=f"\((.*?)\) : "h"\((.*?)\)\);', r"\1 = fake_of_half(\2);", text)
    text = re.sub(r'asm\("cvt\.rn\.f16\.f(?:32|64) %0, %1;" : "=h"\((.*?)\) : "[fd]"\((.*?)\)\);', r"\1 = fake_to_half(\2);", text)
    gxx = ["g++", "-x", "c++", "-std=c++17", "-w", "-mf16c"]
    done = subprocess.run([*gxx, "-E", "-P", "-"], input=BEFORE + text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    own = done.stdout.split("fake_end_of_headers = 0;")[1]
    names = re.findall(r'extern "C"\s+void\s+(\w+)\(', own)
    inside = "shader::" if re.search(r"^namespace shader\b", own, re.MULTILINE) else ""
    launches = [
        f'extern "C" void {name}_launch(const unsigned* g, const unsigned* b, void** p) {{ fake_launch({inside}{name}, g, b, p); }}'
        for name in names
    ]
    waits = f"static const bool FAKE_WAITS = {'true' if '__syncthreads' in own else 'false'};"
    whole = "\n".join([BEFORE, text, waits, AFTER, *launches])
    done = subprocess.run([*gxx, "-O1", "-shared", "-fPIC", "-pthread", "-", "-o", library], input=whole, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


main(*sys.argv[1:])
