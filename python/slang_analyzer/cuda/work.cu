// What a call does on the device around the function's own kernel: repeats elements, copies between layouts, sums.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Axes of an array, the last one the fastest, with strides in bytes.
const int MOST_AXES = 12;
struct Axes
{
    u64 lengths[MOST_AXES];
    i64 from[MOST_AXES];
    i64 to[MOST_AXES];
    int count;
    // Whether the number of an element takes more than 32 bits. Those of 32 bits divide several times faster.
    int is_wide;
};

struct alignas(16) Sixteen { u64 words[2]; };

// A constant, as large as parameters of kernels may be on all devices together with the others.
const int MOST_BYTES = 2048;
struct alignas(16) Block { u32 words[MOST_BYTES / 4]; };

__device__ inline u64 first() { return blockIdx.x * u64(blockDim.x) + threadIdx.x; }
__device__ inline u64 step() { return gridDim.x * u64(blockDim.x); }

// Where an element is.
template <class Number> __device__ inline void place_of(u64 index, const Axes& axes, i64& from, i64& to)
{
    Number rest = Number(index);
    from = 0, to = 0;
    for (int axis = axes.count - 1; axis >= 0; axis--)
    {
        const Number length = Number(axes.lengths[axis]);
        const i64 at = i64(rest % length);
        rest /= length;
        from += at * axes.from[axis];
        to += at * axes.to[axis];
    }
}
__device__ inline void place(u64 index, const Axes& axes, i64& from, i64& to)
{
    if (axes.is_wide) place_of<u64>(index, axes, from, to);
    else place_of<u32>(index, axes, from, to);
}

// Repeats a constant of `period` words over `count` words.
template <class Word> __device__ inline void fill(u64 to, const Block& block, u32 period, u64 count)
{
    const Word* words = reinterpret_cast<const Word*>(&block);
    for (u64 i = first(); i < count; i += step()) reinterpret_cast<Word*>(to)[i] = words[i % period];
}

// Copies the elements from number `start` on.
template <class Word> __device__ inline void copy(u64 from, u64 to, const Axes& axes, u64 start, u64 count)
{
    for (u64 i = first(); i < count; i += step())
    {
        i64 source, target;
        place(start + i, axes, source, target);
        *reinterpret_cast<Word*>(to + target) = *reinterpret_cast<const Word*>(from + source);
    }
}

// Numbers as they are summed: floating-point ones in double precision, integers of any size modulo 2^64.
struct Half { u16 bits; };
__device__ inline double wide(Half value)
{
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
}
__device__ inline double wide(float value) { return value; }
__device__ inline double wide(double value) { return value; }
__device__ inline u64 wide(u8 value) { return value; }
__device__ inline u64 wide(u16 value) { return value; }
__device__ inline u64 wide(u32 value) { return value; }
__device__ inline u64 wide(u64 value) { return value; }
template <class T> struct narrow { template <class Sum> __device__ static T of(Sum value) { return T(value); } };
template <> struct narrow<Half>
{
    __device__ static Half of(double value)
    {
        Half result;
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result.bits) : "d"(value));
        return result;
    }
};

// For each element of `kept`, the sum over all of `reduced`: row `blockIdx.y` of `to` is that of the part of them that this
// block has, or is added to what is there. The threads of a block stand side by side over `kept`, and above one another over
// `reduced`. The order of the additions is always the same.
const int THREADS = 256;
template <class T, class Sum>
__device__ inline void sum(u64 from, Sum* to, const Axes& kept, u64 kept_count, const Axes& reduced, u64 reduced_count,
    u64 part, u32 adds)
{
    __shared__ Sum sums[THREADS];
    const u64 element = blockIdx.x * u64(blockDim.x) + threadIdx.x;
    const u32 own = threadIdx.y * blockDim.x + threadIdx.x;
    Sum total = 0;
    if (element < kept_count)
    {
        i64 base, row, unused;
        place(element, kept, base, unused);
        const u64 begin = blockIdx.y * part, end = begin + part < reduced_count ? begin + part : reduced_count;
        for (u64 i = begin + threadIdx.y; i < end; i += blockDim.y)
        {
            place(i, reduced, row, unused);
            total += wide(*reinterpret_cast<const T*>(from + base + row));
        }
    }
    sums[own] = total;
    for (u32 half = blockDim.y / 2; half > 0; half /= 2)
    {
        __syncthreads();
        if (threadIdx.y < half) sums[own] += sums[own + half * blockDim.x];
    }
    if (threadIdx.y == 0 && element < kept_count)
    {
        Sum* result = to + blockIdx.y * kept_count + element;
        *result = adds ? *result + sums[own] : sums[own];
    }
}

// Writes sums as numbers of the type that was summed.
template <class T, class Sum> __device__ inline void store(const Sum* from, u64 to, const Axes& axes, u64 count)
{
    for (u64 i = first(); i < count; i += step())
    {
        i64 unused, target;
        place(i, axes, unused, target);
        *reinterpret_cast<T*>(to + target) = narrow<T>::of(from[i]);
    }
}

#define OF_WORD(size, Word) \
    extern "C" __global__ void fill_##size(u64 to, u64 count, u32 period, Block block) \
    { \
        fill<Word>(to, block, period, count); \
    } \
    extern "C" __global__ void copy_##size(u64 from, u64 to, Axes axes, u64 start, u64 count) \
    { \
        copy<Word>(from, to, axes, start, count); \
    }
OF_WORD(1, u8)
OF_WORD(2, u16)
OF_WORD(4, u32)
OF_WORD(8, u64)
OF_WORD(16, Sixteen)

#define OF_NUMBER(name, T, Sum) \
    extern "C" __global__ void sum_##name(u64 from, Sum* to, Axes kept, u64 kept_count, Axes reduced, \
        u64 reduced_count, u64 part, u32 adds) \
    { \
        sum<T>(from, to, kept, kept_count, reduced, reduced_count, part, adds); \
    } \
    extern "C" __global__ void store_##name(const Sum* from, u64 to, Axes axes, u64 count) \
    { \
        store<T>(from, to, axes, count); \
    }
OF_NUMBER(f2, Half, double)
OF_NUMBER(f4, float, double)
OF_NUMBER(f8, double, double)
OF_NUMBER(u1, u8, u64)
OF_NUMBER(u2, u16, u64)
OF_NUMBER(u4, u32, u64)
OF_NUMBER(u8, u64, u64)
