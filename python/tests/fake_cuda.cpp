// A driver and an NVRTC without a device, for tests: memory is that of the CPU, kernels are compiled for the CPU
// (fake_nvrtc.py) and run when they are launched. It refuses what a driver refuses: calls without a context, memory that was
// not allocated, kernels that are not there; and it looks whether anything was written outside of what was allocated.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace
{
const int DEVICES = 2;
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400, NOT_FOUND = 500 };
const size_t GUARD = 256;
const unsigned char MARK = 0xa5;

std::mutex lock;
thread_local std::vector<void*> contexts;
std::map<uint64_t, std::pair<size_t, int>> memory;
std::map<void*, std::string> names;
std::string launches;
size_t largest = size_t(1) << 32;
int primary[DEVICES];

int device_of(void* context) { return int(static_cast<int*>(context) - primary); }
bool is_marked(const unsigned char* guard)
{
    for (size_t i = 0; i < GUARD; i++)
        if (guard[i] != MARK) return false;
    return true;
}
void check(uint64_t address, size_t size)
{
    unsigned char* bytes = reinterpret_cast<unsigned char*>(address);
    if (is_marked(bytes - GUARD) && is_marked(bytes + size)) return;
    fprintf(stderr, "something was written outside of the %zu bytes at %p\n", size, static_cast<void*>(bytes));
    abort();
}
const char* const NEEDS_CONTEXT = "no context is current";
} // namespace

#define WITH_CONTEXT if (contexts.empty()) return INVALID_CONTEXT

extern "C"
{
// For tests.
size_t fake_allocated() { return memory.size(); }
size_t fake_depth() { return contexts.size(); }
void fake_limit(size_t bytes) { largest = bytes; }
const char* fake_launches() { return launches.c_str(); }
void fake_forget_launches() { launches.clear(); }

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
int cuDeviceGet(int* device, int ordinal)
{
    if (ordinal < 0 || ordinal >= DEVICES) return INVALID_DEVICE;
    *device = ordinal;
    return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int)
{
    *value = attribute == 75 ? 9 : 0;
    return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device)
{
    *context = &primary[device];
    return 0;
}
int cuCtxGetCurrent(void** context)
{
    *context = contexts.empty() ? nullptr : contexts.back();
    return 0;
}
int cuCtxPushCurrent_v2(void* context) { contexts.push_back(context); return 0; }
int cuCtxPopCurrent_v2(void** context)
{
    WITH_CONTEXT;
    *context = contexts.back();
    contexts.pop_back();
    return 0;
}
int cuPointerGetAttribute(void* value, int attribute, uint64_t address)
{
    std::lock_guard<std::mutex> guard(lock);
    auto found = memory.upper_bound(address);
    if (attribute != 9 || found == memory.begin() || address >= (--found)->first + found->second.first) return INVALID_VALUE;
    *static_cast<int*>(value) = found->second.second;
    return 0;
}
int cuMemAlloc_v2(uint64_t* address, size_t size)
{
    WITH_CONTEXT;
    std::lock_guard<std::mutex> guard(lock);
    if (size == 0) return INVALID_VALUE;
    if (size > largest) return OUT_OF_MEMORY;
    unsigned char* bytes = static_cast<unsigned char*>(aligned_alloc(GUARD, (size + 3 * GUARD - 1) / GUARD * GUARD));
    memset(bytes, MARK, size + 2 * GUARD);
    *address = reinterpret_cast<uint64_t>(bytes + GUARD);
    memory[*address] = {size, device_of(contexts.back())};
    return 0;
}
int cuMemFree_v2(uint64_t address)
{
    WITH_CONTEXT;
    std::lock_guard<std::mutex> guard(lock);
    auto found = memory.find(address);
    if (found == memory.end()) return INVALID_VALUE;
    check(address, found->second.first);
    memory.erase(found);
    free(reinterpret_cast<unsigned char*>(address) - GUARD);
    return 0;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t size)
{
    WITH_CONTEXT;
    memcpy(to, reinterpret_cast<void*>(from), size);
    return 0;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t size, void*)
{
    WITH_CONTEXT;
    memset(reinterpret_cast<void*>(to), value, size);
    return 0;
}
int cuStreamSynchronize(void*) { WITH_CONTEXT; return 0; }
int cuModuleLoadDataEx(void** module, const char* image, unsigned count, int* options, void** values)
{
    WITH_CONTEXT;
    if (memcmp(image, "\x7f" "ELF", 4) != 0)
    {
        for (unsigned i = 0; i < count; i++)
            if (options[i] == 5) snprintf(static_cast<char*>(values[i]), 100, "ptxas fatal: this is not an image");
        return INVALID_IMAGE;
    }
    char path[] = "/tmp/fake-cuda-XXXXXX";
    const int file = mkstemp(path);
    // The length is in front of the code: an image says itself how long it is.
    const char* sections = image + 40;
    const size_t size = *reinterpret_cast<const uint64_t*>(sections) + 64 * *reinterpret_cast<const uint16_t*>(image + 60);
    if (write(file, image, size) != ssize_t(size)) return INVALID_IMAGE;
    close(file);
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*module) fprintf(stderr, "%s\n", dlerror());
    unlink(path);
    return *module ? 0 : INVALID_IMAGE;
}
int cuModuleGetFunction(void** function, void* module, const char* name)
{
    WITH_CONTEXT;
    *function = dlsym(module, (std::string(name) + "_launch").c_str());
    if (!*function) return NOT_FOUND;
    names[*function] = name;
    return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void* stream, void** parameters, void** extra)
{
    WITH_CONTEXT;
    if (!names.count(function)) return INVALID_HANDLE;
    // What devices of any capability allow.
    if (!gx || !gy || !gz || gx > 0x7fffffffu || gy > 65535 || gz > 65535 || bx * by * bz > 1024 || !(bx * by * bz) || shared
        || extra)
        return INVALID_VALUE;
    char text[200];
    snprintf(text, sizeof text, "%s grid %u %u %u block %u %u %u stream %llu\n", names[function].c_str(), gx, gy, gz, bx, by,
        bz, static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(stream)));
    {
        std::lock_guard<std::mutex> guard(lock);
        launches += text;
    }
    const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
    reinterpret_cast<void (*)(const unsigned*, const unsigned*, void**)>(function)(grid, block, parameters);
    std::lock_guard<std::mutex> guard(lock);
    for (auto& piece : memory) check(piece.first, piece.second.first);
    return 0;
}
int cuGetErrorName(int error, const char** name)
{
    *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
        : error == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
        : error == INVALID_IMAGE   ? "CUDA_ERROR_INVALID_IMAGE"
        : error == INVALID_DEVICE  ? "CUDA_ERROR_INVALID_DEVICE"
                                   : "CUDA_ERROR_INVALID_VALUE";
    return 0;
}
int cuGetErrorString(int error, const char** words)
{
    *words = error == OUT_OF_MEMORY ? "out of memory"
        : error == INVALID_CONTEXT  ? NEEDS_CONTEXT
        : error == INVALID_IMAGE    ? "device kernel image is invalid"
        : error == INVALID_DEVICE   ? "invalid device ordinal"
                                    : "invalid argument";
    return 0;
}

// NVRTC.
struct Program
{
    std::string code, log, image;
};
const char* nvrtcGetErrorString(int error) { return error == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
// No version that there is: code for the CPU never stands for that of a device in a cache.
int nvrtcVersion(int* major, int* minor) { *major = 13, *minor = 99; return 0; }
int nvrtcGetNumSupportedArchs(int* count) { *count = 2; return 0; }
int nvrtcGetSupportedArchs(int* found) { found[0] = 75, found[1] = 90; return 0; }
int nvrtcCreateProgram(Program** program, const char* code, const char*, int, const char**, const char**)
{
    *program = new Program{code, "", ""};
    return 0;
}
int nvrtcCompileProgram(Program* program, int, const char**)
{
    char folder[] = "/tmp/fake-nvrtc-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const std::string base = folder, source = base + "/code.cu", built = base + "/code.so", log = base + "/log";
    FILE* file = fopen(source.c_str(), "w");
    fwrite(program->code.data(), 1, program->code.size(), file);
    fclose(file);
    const int failed = system((std::string(FAKE_NVRTC) + " " + source + " " + built + " > " + log + " 2>&1").c_str());
    auto read = [](const std::string& path) {
        std::string text;
        if (FILE* file = fopen(path.c_str(), "r"))
        {
            char buffer[4096];
            for (size_t size; (size = fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, size);
            fclose(file);
        }
        return text;
    };
    program->log = read(log), program->image = read(built);
    if (system(("rm -r " + base).c_str())) return 1;
    return failed ? 6 : 0;
}
int nvrtcDestroyProgram(Program** program) { delete *program; return 0; }
int nvrtcGetProgramLogSize(Program* program, size_t* size) { *size = program->log.size() + 1; return 0; }
int nvrtcGetProgramLog(Program* program, char* log) { memcpy(log, program->log.c_str(), program->log.size() + 1); return 0; }
int nvrtcGetCUBINSize(Program* program, size_t* size) { *size = program->image.size(); return 0; }
int nvrtcGetCUBIN(Program* program, char* image) { memcpy(image, program->image.data(), program->image.size()); return 0; }
int nvrtcGetPTXSize(Program* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(Program* program, char* image) { return nvrtcGetCUBIN(program, image); }
}
