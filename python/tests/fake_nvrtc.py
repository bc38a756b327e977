"""Compiles CUDA for the CPU, for tests without a device: usage: fake_nvrtc.py CODE.cu LIBRARY.so

For each kernel the library has a function NAME_launch(GRID, BLOCK, PARAMETERS), which runs its threads one after the other; if
they wait for one another, those of a block take turns.
"""

import re
import subprocess
import sys

BEFORE = r"""
#include <math.h>
#include <string.h>
#include <immintrin.h>
#include <stdlib.h>
#include <ucontext.h>
#include <functional>
#include <utility>
#include <vector>
struct fake_uint3 { unsigned x, y, z; };
static fake_uint3 threadIdx, blockIdx, blockDim, gridDim;
// Threads that wait for one another are contexts that take turns.
static ucontext_t fake_block, *fake_thread;
static inline float fake_of_half(unsigned short bits) { return _cvtsh_ss(bits); }
static inline unsigned short fake_to_half(double value) { return _cvtss_sh(float(value), 0); }
static inline void __syncthreads() { swapcontext(fake_thread, &fake_block); }
static inline int __float2int_rz(float value) { return int(value); }
static inline unsigned __float2uint_rz(float value) { return unsigned(value); }
static inline int __float2int_rd(float value) { return int(floorf(value)); }
static inline unsigned __float2uint_rd(float value) { return unsigned(floorf(value)); }
template <class T> static inline T atomicAdd(T* place, T value)
{
    T old = *place;
    *place = old + value;
    return old;
}
template <class T> static inline T atomicExch(T* place, T value)
{
    T old = *place;
    *place = value;
    return old;
}
template <class T> static inline T atomicCAS(T* place, T expected, T value)
{
    T old = *place;
    if (old == expected) *place = value;
    return old;
}
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(threads)
static const char* const fake_end_of_headers = 0;
"""

AFTER = r"""
static std::function<void()> fake_run;
static bool fake_done;
static void fake_start()
{
    fake_run();
    fake_done = true;
}
static void fake_turns(unsigned threads, std::function<void()> run, std::function<void(unsigned)> place)
{
    static const size_t STACK = 1 << 17;
    static std::vector<char> stacks(1024 * STACK);
    std::vector<ucontext_t> contexts(threads);
    std::vector<bool> done(threads);
    fake_run = run;
    for (unsigned number = 0; number < threads; number++)
    {
        getcontext(&contexts[number]);
        contexts[number].uc_stack.ss_sp = &stacks[number * STACK], contexts[number].uc_stack.ss_size = STACK;
        contexts[number].uc_link = &fake_block;
        makecontext(&contexts[number], fake_start, 0);
    }
    for (unsigned left = threads; left > 0;)
        for (unsigned number = 0; number < threads; number++)
        {
            if (done[number]) continue;
            place(number);
            fake_thread = &contexts[number], fake_done = false;
            swapcontext(&fake_block, fake_thread);
            if (fake_done) done[number] = true, left--;
        }
}
template <class... Types, size_t... I>
static void fake_call(void (*kernel)(Types...), void** parameters, std::index_sequence<I...>)
{
    kernel(*static_cast<Types*>(parameters[I])...);
}
template <class... Types>
static void fake_launch(void (*kernel)(Types...), const unsigned* grid, const unsigned* block, void** parameters)
{
    blockDim = {block[0], block[1], block[2]}, gridDim = {grid[0], grid[1], grid[2]};
    const unsigned threads = block[0] * block[1] * block[2];
    for (unsigned z = 0; z < grid[2]; z++)
        for (unsigned y = 0; y < grid[1]; y++)
            for (unsigned x = 0; x < grid[0]; x++)
            {
                blockIdx = {x, y, z};
                auto run = [&] { fake_call(kernel, parameters, std::index_sequence_for<Types...>()); };
                auto place = [&](unsigned number)
                { threadIdx = {number % block[0], number / block[0] % block[1], number / block[0] / block[1]}; };
                if (FAKE_WAITS) fake_turns(threads, run, place);
                else
                    for (unsigned number = 0; number < threads; number++) place(number), run();
            }
}
"""


def main(source, library):
    with open(source) as file:
        text = file.read()
    # The words of the device that have no other.
    text = re.sub(r'asm\("cvt\.f32\.f16 %0, %1;" : "=f"\((.*?)\) : "h"\((.*?)\)\);', r"\1 = fake_of_half(\2);", text)
    text = re.sub(
        r'asm\("cvt\.rn\.f16\.f(?:32|64) %0, %1;" : "=h"\((.*?)\) : "[fd]"\((.*?)\)\);', r"\1 = fake_to_half(\2);", text
    )
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
    done = subprocess.run([*gxx, "-O1", "-shared", "-fPIC", "-", "-o", library], input=whole, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


main(*sys.argv[1:])
