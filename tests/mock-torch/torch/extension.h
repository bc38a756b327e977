// As much of PyTorch's C++ interface, pybind11 and CUDA's runtime as the host's part of a program uses. Tensors have sizes and
// places, but no elements; what is done to them, and what kernels are given, is printed.
#pragma once
#include <any>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace at
{
struct Half
{
    uint16_t bits;
};
} // namespace at

namespace torch
{
struct BFloat16
{
    uint16_t bits;
};
enum ScalarType
{
    kUInt8,
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kFloat16,
    kFloat32,
    kFloat64,
    kBool,
    kBFloat16
};
enum DeviceType
{
    kCPU,
    kCUDA
};
struct Device
{
    DeviceType type;
    bool is_cuda() const { return type == kCUDA; }
};
struct TensorOptions
{
    DeviceType device_type = kCPU;
    ScalarType scalar = kFloat32;
    TensorOptions device(DeviceType type) const { return {type, scalar}; }
    TensorOptions dtype(ScalarType type) const { return {device_type, type}; }
};
struct Tensor
{
    struct Storage
    {
        uint64_t address;
        std::vector<int64_t> sizes, strides;
        TensorOptions options;
    };
    std::shared_ptr<Storage> storage;

    bool defined() const { return bool(storage); }
    Device device() const { return {storage->options.device_type}; }
    ScalarType scalar_type() const { return storage->options.scalar; }
    ScalarType dtype() const { return storage->options.scalar; }
    int64_t dim() const { return int64_t(storage->sizes.size()); }
    int64_t dims() const { return dim(); }
    int64_t size(int64_t i) const { return storage->sizes.at(size_t(i)); }
    int64_t stride(int64_t i) const { return storage->strides.at(size_t(i)); }
    int64_t element_size() const
    {
        switch (scalar_type())
        {
        case kUInt8: case kInt8: case kBool: return 1;
        case kInt16: case kFloat16: case kBFloat16: return 2;
        case kInt32: case kFloat32: return 4;
        case kInt64: case kFloat64: return 8;
        }
        return 0;
    }
    int64_t numel() const
    {
        int64_t count = 1;
        for (int64_t size : storage->sizes) count *= size;
        return count;
    }
    bool is_contiguous() const
    {
        int64_t stride = 1;
        for (size_t i = storage->sizes.size(); i-- > 0; stride *= storage->sizes[i])
            if (storage->strides[i] != stride) return false;
        return true;
    }
    void* data_ptr() const { return reinterpret_cast<void*>(storage->address); }
    template <class T> T* data_ptr() const { return reinterpret_cast<T*>(storage->address); }
    Tensor& zero_()
    {
        std::printf("zero %llx\n", (unsigned long long)storage->address);
        return *this;
    }
    Tensor& fill_(double value)
    {
        std::printf("fill %llx %g\n", (unsigned long long)storage->address, value);
        return *this;
    }
};
inline Tensor strided(std::vector<int64_t> sizes, std::vector<int64_t> strides, TensorOptions options)
{
    static uint64_t next = 0;
    next += 0x1000;
    return {std::make_shared<Tensor::Storage>(Tensor::Storage{next, std::move(sizes), std::move(strides), options})};
}
inline Tensor empty(std::vector<int64_t> sizes, TensorOptions options)
{
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) strides[i] = stride;
    return strided(sizes, strides, options);
}
inline Tensor empty_like(const Tensor& other, TensorOptions options) { return empty(other.storage->sizes, options); }
inline Tensor zeros_like(const Tensor& other, TensorOptions options)
{
    Tensor made = empty_like(other, options);
    made.zero_();
    return made;
}
} // namespace torch

namespace pybind11
{
struct arg
{
    std::string name;
    explicit arg(const char* name) : name(name) {}
};
struct module_
{
    std::map<std::string, std::any> functions;
    template <class F, class... Rest> void def(const char* name, F function, Rest&&...) { functions[name] = +function; }
    template <class F> F* get(const char* name) const { return std::any_cast<F*>(functions.at(name)); }
};
} // namespace pybind11
#define TORCH_EXTENSION_NAME program
#define PYBIND11_MODULE(name, variable) void init_module(pybind11::module_& variable)

struct dim3
{
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef void* cudaStream_t;
#define AT_CUDA_CHECK(call) (call)

/// How large the arguments of the next kernel are: only the kernel knows.
inline std::vector<size_t> argument_sizes;

inline int cudaLaunchKernel(const void*, dim3 blocks, dim3 threads, void** arguments, size_t, cudaStream_t)
{
    std::printf("start %u,%u,%u of %u,%u,%u\n", blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z);
    for (size_t i = 0; i < argument_sizes.size(); i++)
    {
        const unsigned char* bytes = static_cast<const unsigned char*>(arguments[i]);
        for (size_t at = 0; at < argument_sizes[i]; at++) std::printf("%02x", bytes[at]);
        std::printf("\n");
    }
    return 0;
}
inline int cudaStreamSynchronize(cudaStream_t)
{
    std::printf("wait\n");
    return 0;
}
namespace at::cuda
{
inline cudaStream_t getCurrentCUDAStream() { return nullptr; }
} // namespace at::cuda
