//: vector_align
/// As CUDA has it: vectors of two and four are aligned to their size, up to 16, three to the element; and three or four
/// halves are two pairs.
template <class T, int N> constexpr int vector_align =
    N > 2 && sizeof(T) == 2 && traits<T>::is_float ? 4 : N == 3 ? alignof(T) : N * sizeof(T) < 16 ? N * sizeof(T) : 16;

//: convert
/// The instruction saturates, and makes 0 of "not a number".
template <> FN int convert<int, float>(float value) { return __float2int_rz(value); }
template <> FN uint convert<uint, float>(float value) { return __float2uint_rz(value); }

//: floor_to
/// `convert` of what is rounded down.
template <class To, class From> FN To floor_to(From value) { return convert<To>(LIBM::floor(wide_t<From>(value))); }
template <> FN int floor_to<int, float>(float value) { return __float2int_rd(value); }
template <> FN uint floor_to<uint, float>(float value) { return __float2uint_rd(value); }

//: least greatest
/// Of two numbers; of one and a "not a number" the number.
template <class T> FN T least(T a, T b) { return LIBM::fmin(a, b); }
template <class T> FN T greatest(T a, T b) { return LIBM::fmax(a, b); }

//: half_bits half_value
FN float half_value(uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
FN uint16_t half_bits(float value)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
FN uint16_t half_bits(double value)
{
    uint16_t bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    return bits;
}

//: grid_place
/// What CUDA says of a thread, as a vector.
template <class T, class Number = uint> FN vec<Number, 3> grid_place(const T& place)
{
    return vec<Number, 3>(place.x, place.y, place.z);
}

//: Packed unpacked
/// A value as hosts hand it to a kernel: each component and field directly after the one before.
template <class T> struct Packed { T value; };
template <class T> FN T unpacked(const Packed<T>& packed) { return packed.value; }
template <class T, int N> struct Packed<vec<T, N>> { T items[N]; };
template <class T, int N> FN vec<T, N> unpacked(const Packed<vec<T, N>>& packed)
{
    vec<T, N> value;
    UNROLL for (int i = 0; i < N; i++) value[i] = packed.items[i];
    return value;
}
template <class T, int R, int C> struct Packed<mat<T, R, C>> { T items[R * C]; };
template <class T, int R, int C> FN mat<T, R, C> unpacked(const Packed<mat<T, R, C>>& packed)
{
    mat<T, R, C> value;
    UNROLL for (int i = 0; i < R * C; i++) value[i / C][i % C] = packed.items[i];
    return value;
}
template <class T, int N> struct Packed<Array<T, N>> { Packed<T> items[N > 0 ? N : 1]; };
template <class T, int N> FN Array<T, N> unpacked(const Packed<Array<T, N>>& packed)
{
    Array<T, N> value;
    UNROLL for (int i = 0; i < N; i++) value.items[i] = unpacked(packed.items[i]);
    return value;
}

//: read_lane
/// What another thread of the warp has, word by word. All threads of `active` must come here.
template <class T> FN T read_lane(const T& value, uint lane, uint active)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned int bits[words] = {};
    memcpy(bits, &value, sizeof(T));
    UNROLL for (int i = 0; i < words; i++) bits[i] = __shfl_sync(active, bits[i], lane);
    T result;
    memcpy(&result, bits, sizeof(T));
    return result;
}
//: lane_index
FN uint lane_index()
{
    uint lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
//: wave_fold
/// Combines what the threads in `lanes` have, in their order; all of `active` come along.
template <class T, class F> FN T wave_fold(T value, uint lanes, T start, F combine, uint active)
{
    T result = start;
    for (uint lane = 0; lane < 32; lane++)
    {
        if (!(active >> lane & 1)) continue;
        const T other = read_lane(value, lane, active);
        if (lanes >> lane & 1) result = combine(result, other);
    }
    return result;
}
//: wave_reduce
template <class T, class F> FN T wave_reduce(T value, F combine, uint active)
{
    const uint first = __ffs(active) - 1;
    return wave_fold(value, active & ~(1u << first), read_lane(value, first, active), combine, active);
}
//: wave_prefix
template <class T, class F> FN T wave_prefix(T value, T start, F combine, uint active)
{
    return wave_fold(value, (1u << lane_index()) - 1, start, combine, active);
}
//: number_of
/// The numbers that a value consists of.
template <class T> struct number_of { typedef T type; };
template <class T, int N> struct number_of<vec<T, N>> { typedef T type; };
template <class T, int R, int C> struct number_of<mat<T, R, C>> { typedef T type; };
//: wave_sum
template <class T> FN T wave_sum(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return T(a + b); }, active);
}
//: wave_product
template <class T> FN T wave_product(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return T(a * b); }, active);
}
//: wave_min
template <class T> FN T min(T a, T b);
template <class T, int N> FN vec<T, N> min(vec<T, N> a, vec<T, N> b);
template <class T, int R, int C> FN mat<T, R, C> min(mat<T, R, C> a, mat<T, R, C> b);
template <class T> FN T wave_min(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return rt::min(a, b); }, active);
}
//: wave_max
template <class T> FN T max(T a, T b);
template <class T, int N> FN vec<T, N> max(vec<T, N> a, vec<T, N> b);
template <class T, int R, int C> FN mat<T, R, C> max(mat<T, R, C> a, mat<T, R, C> b);
template <class T> FN T wave_max(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return rt::max(a, b); }, active);
}
//: wave_bit_and
template <class T> FN T wave_bit_and(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return T(a & b); }, active);
}
//: wave_bit_or
template <class T> FN T wave_bit_or(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return T(a | b); }, active);
}
//: wave_bit_xor
template <class T> FN T wave_bit_xor(T value, uint active = __activemask())
{
    return wave_reduce(value, [](T a, T b) { return T(a ^ b); }, active);
}
//: wave_prefix_sum
template <class T> FN T wave_prefix_sum(T value, uint active = __activemask())
{
    return wave_prefix(value, T(typename number_of<T>::type(0)), [](T a, T b) { return T(a + b); }, active);
}
//: wave_prefix_product
template <class T> FN T wave_prefix_product(T value, uint active = __activemask())
{
    return wave_prefix(value, T(typename number_of<T>::type(1)), [](T a, T b) { return T(a * b); }, active);
}
//: largest_number smallest_number all_ones
/// What changes nothing in a smallest, a largest and an `and` of others.
template <class T> FN T largest_number()
{
    if constexpr (traits<T>::is_float) return T(bit_cast<float>(0x7f800000u));
    else return traits<T>::last;
}
template <class T> FN T smallest_number()
{
    if constexpr (traits<T>::is_float) return T(bit_cast<float>(0xff800000u));
    else return traits<T>::first;
}
template <class T> FN T all_ones() { return T(~0ull); }
//: wave_prefix_min
template <class T> FN T min(T a, T b);
template <class T, int N> FN vec<T, N> min(vec<T, N> a, vec<T, N> b);
template <class T, int R, int C> FN mat<T, R, C> min(mat<T, R, C> a, mat<T, R, C> b);
template <class T> FN T wave_prefix_min(T value, uint active = __activemask())
{
    return wave_prefix(value, T(largest_number<typename number_of<T>::type>()), [](T a, T b) { return rt::min(a, b); }, active);
}
//: wave_prefix_max
template <class T> FN T max(T a, T b);
template <class T, int N> FN vec<T, N> max(vec<T, N> a, vec<T, N> b);
template <class T, int R, int C> FN mat<T, R, C> max(mat<T, R, C> a, mat<T, R, C> b);
template <class T> FN T wave_prefix_max(T value, uint active = __activemask())
{
    return wave_prefix(value, T(smallest_number<typename number_of<T>::type>()), [](T a, T b) { return rt::max(a, b); }, active);
}
//: wave_prefix_bit_and
template <class T> FN T wave_prefix_bit_and(T value, uint active = __activemask())
{
    return wave_prefix(value, T(all_ones<typename number_of<T>::type>()), [](T a, T b) { return T(a & b); }, active);
}
//: wave_prefix_bit_or
template <class T> FN T wave_prefix_bit_or(T value, uint active = __activemask())
{
    return wave_prefix(value, T(typename number_of<T>::type(0)), [](T a, T b) { return T(a | b); }, active);
}
//: wave_prefix_bit_xor
template <class T> FN T wave_prefix_bit_xor(T value, uint active = __activemask())
{
    return wave_prefix(value, T(typename number_of<T>::type(0)), [](T a, T b) { return T(a ^ b); }, active);
}
//: wave_inclusive_sum
template <class T> FN T wave_inclusive_sum(T value, uint active)
{
    const T before = wave_prefix_sum(value, active);
    return T(before + value);
}
//: wave_inclusive_product
template <class T> FN T wave_inclusive_product(T value, uint active)
{
    const T before = wave_prefix_product(value, active);
    return T(before * value);
}
//: wave_inclusive_min
template <class T> FN T wave_inclusive_min(T value, uint active)
{
    const T before = wave_prefix_min(value, active);
    return rt::min(before, value);
}
//: wave_inclusive_max
template <class T> FN T wave_inclusive_max(T value, uint active)
{
    const T before = wave_prefix_max(value, active);
    return rt::max(before, value);
}
//: wave_inclusive_bit_and
template <class T> FN T wave_inclusive_bit_and(T value, uint active)
{
    const T before = wave_prefix_bit_and(value, active);
    return T(before & value);
}
//: wave_inclusive_bit_or
template <class T> FN T wave_inclusive_bit_or(T value, uint active)
{
    const T before = wave_prefix_bit_or(value, active);
    return T(before | value);
}
//: wave_inclusive_bit_xor
template <class T> FN T wave_inclusive_bit_xor(T value, uint active)
{
    const T before = wave_prefix_bit_xor(value, active);
    return T(before ^ value);
}
//: wave_is_first_lane
FN bool wave_is_first_lane(uint active = __activemask()) { return (__ffs(active) - 1) == lane_index(); }
//: wave_lane_index
FN uint wave_lane_index() { return lane_index(); }
//: wave_lane_count
FN uint wave_lane_count() { return 32; }
//: wave_count
FN uint wave_count() { return (blockDim.x * blockDim.y * blockDim.z + 31) / 32; }
//: wave_index
FN uint wave_index() { return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32; }
//: wave_active_mask
FN uint wave_active_mask() { return __activemask(); }
//: wave_all_true
FN bool wave_all_true(bool value, uint active = __activemask()) { return __all_sync(active, value); }
//: wave_any_true
FN bool wave_any_true(bool value, uint active = __activemask()) { return __any_sync(active, value); }
//: wave_count_bits
FN uint wave_count_bits(bool value, uint active = __activemask()) { return __popc(__ballot_sync(active, value)); }
//: wave_prefix_count_bits
FN uint wave_prefix_count_bits(bool value, uint active = __activemask())
{
    return __popc(__ballot_sync(active, value) & ((1u << lane_index()) - 1));
}
//: wave_ballot
template <class T = uint> FN vec<T, 4> wave_ballot(bool value)
{
    return vec<T, 4>(__ballot_sync(__activemask(), value), 0u, 0u, 0u);
}
//: wave_mask_ballot
FN uint wave_mask_ballot(uint mask, bool value) { return __ballot_sync(mask, value); }
//: same
template <class T> FN bool same(T a, T b) { return a == b; }
template <class T, int N> FN bool same(vec<T, N> a, vec<T, N> b)
{
    bool all = true;
    UNROLL for (int i = 0; i < N; i++) all = all && a[i] == b[i];
    return all;
}
template <class T, int R, int C> FN bool same(mat<T, R, C> a, mat<T, R, C> b)
{
    bool all = true;
    UNROLL for (int i = 0; i < R; i++) all = all && same(a[i], b[i]);
    return all;
}
//: wave_mask_match
/// The threads of `active` that have the value of this one.
template <class T> FN uint wave_mask_match(uint active, T value)
{
    uint found = 0;
    for (uint lane = 0; lane < 32; lane++)
    {
        if (active >> lane & 1) found |= uint(same(value, read_lane(value, lane, active))) << lane;
    }
    return found;
}
//: wave_match
template <class T, class Word = uint> FN vec<Word, 4> wave_match(T value)
{
    return vec<Word, 4>(wave_mask_match(__activemask(), value), 0u, 0u, 0u);
}
//: wave_all_equal
template <class T> FN bool wave_all_equal(T value, uint active = __activemask())
{
    return __all_sync(active, same(value, read_lane(value, __ffs(active) - 1, active)));
}
//: wave_read_lane_at
template <class T> FN T wave_read_lane_at(T value, uint lane, uint active = __activemask())
{
    return read_lane(value, lane, active);
}
//: wave_read_lane_first
template <class T> FN T wave_read_lane_first(T value, uint active = __activemask())
{
    return read_lane(value, __ffs(active) - 1, active);
}
//: wave_read_across
template <class T> FN T wave_read_across(T value, uint bits)
{
    return read_lane(value, lane_index() ^ bits, __activemask());
}
//: wave_read_quad
template <class T> FN T wave_read_quad(T value, uint place)
{
    return read_lane(value, (lane_index() & ~3u) | (place & 3), __activemask());
}

//: clock_words
template <class T = uint> FN vec<T, 2> clock_words()
{
    const unsigned long long ticks = clock64();
    return vec<T, 2>(T(ticks), T(ticks >> 32));
}

//: word_of
template <int SIZE> struct word_of { typedef unsigned int type; };
template <> struct word_of<2> { typedef unsigned short type; };
template <> struct word_of<8> { typedef unsigned long long type; };
//: atomic_update
/// Where the device has no such operation: tries until no other thread comes in between.
template <class T, class F> FN T atomic_update(T& place, F update)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "");
    typedef typename word_of<sizeof(T)>::type Word;
    Word* address = reinterpret_cast<Word*>(&place);
    Word seen = *address, expected;
    do
    {
        expected = seen;
        seen = atomicCAS(address, expected, bit_cast<Word>(update(bit_cast<T>(expected))));
    }
    while (seen != expected);
    return bit_cast<T>(seen);
}
//: atomic_add
FN int atomic_add(int& place, int value) { return atomicAdd(&place, value); }
FN uint atomic_add(uint& place, uint value) { return atomicAdd(&place, value); }
FN uint64_t atomic_add(uint64_t& place, uint64_t value) { return atomicAdd(&place, value); }
FN float atomic_add(float& place, float value) { return atomicAdd(&place, value); }
FN double atomic_add(double& place, double value) { return atomicAdd(&place, value); }
template <class T> FN T atomic_add(T& place, T value)
{
    return atomic_update(place, [=](T old) { return wrapping_add(old, value); });
}
template <class T, int N> FN vec<T, N> atomic_add(vec<T, N>& place, vec<T, N> value)
{
    vec<T, N> old;
    UNROLL for (int i = 0; i < N; i++) old[i] = rt::atomic_add(place[i], value[i]);
    return old;
}
//: atomic_and
template <class T> FN T atomic_and(T& place, T value)
{
    return atomic_update(place, [=](T old) { return T(old & value); });
}
FN int atomic_and(int& place, int value) { return atomicAnd(&place, value); }
FN uint atomic_and(uint& place, uint value) { return atomicAnd(&place, value); }
//: atomic_or
template <class T> FN T atomic_or(T& place, T value)
{
    return atomic_update(place, [=](T old) { return T(old | value); });
}
FN int atomic_or(int& place, int value) { return atomicOr(&place, value); }
FN uint atomic_or(uint& place, uint value) { return atomicOr(&place, value); }
//: atomic_xor
template <class T> FN T atomic_xor(T& place, T value)
{
    return atomic_update(place, [=](T old) { return T(old ^ value); });
}
FN int atomic_xor(int& place, int value) { return atomicXor(&place, value); }
FN uint atomic_xor(uint& place, uint value) { return atomicXor(&place, value); }
//: atomic_min
template <class T> FN T atomic_min(T& place, T value)
{
    return atomic_update(place, [=](T old) { return value < old ? value : old; });
}
FN int atomic_min(int& place, int value) { return atomicMin(&place, value); }
FN uint atomic_min(uint& place, uint value) { return atomicMin(&place, value); }
//: atomic_max
template <class T> FN T atomic_max(T& place, T value)
{
    return atomic_update(place, [=](T old) { return value > old ? value : old; });
}
FN int atomic_max(int& place, int value) { return atomicMax(&place, value); }
FN uint atomic_max(uint& place, uint value) { return atomicMax(&place, value); }
//: atomic_exchange
template <class T> FN T atomic_exchange(T& place, T value)
{
    return atomic_update(place, [=](T) { return value; });
}
FN int atomic_exchange(int& place, int value) { return atomicExch(&place, value); }
FN uint atomic_exchange(uint& place, uint value) { return atomicExch(&place, value); }
FN float atomic_exchange(float& place, float value) { return atomicExch(&place, value); }
//: atomic_compare_exchange
template <class T> FN T atomic_compare_exchange(T& place, T expected, T value)
{
    return atomic_update(place, [=](T old) { return old == expected ? value : old; });
}

//: Texture RWTexture SamplerState SamplerComparisonState Texture1D Texture1DArray Texture2D Texture2DArray Texture3D TextureCube TextureCubeArray RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D
/// A texture object of CUDA, with normalised coordinates.
template <class T, int D, int LAYERS = 0, bool IS_CUBE = false> struct Texture { unsigned long long object; };
template <class T> using Texture1D = Texture<T, 1>;
template <class T> using Texture1DArray = Texture<T, 1, 1>;
template <class T> using Texture2D = Texture<T, 2>;
template <class T> using Texture2DArray = Texture<T, 2, 1>;
template <class T> using Texture3D = Texture<T, 3>;
template <class T> using TextureCube = Texture<T, 2, 0, true>;
template <class T> using TextureCubeArray = Texture<T, 2, 1, true>;
/// A surface object of CUDA, whose texels have the size of `T`.
template <class T, int D, int LAYERS = 0> struct RWTexture { unsigned long long object; };
template <class T> using RWTexture1D = RWTexture<T, 1>;
template <class T> using RWTexture1DArray = RWTexture<T, 1, 1>;
template <class T> using RWTexture2D = RWTexture<T, 2>;
template <class T> using RWTexture2DArray = RWTexture<T, 2, 1>;
template <class T> using RWTexture3D = RWTexture<T, 3>;
/// How texels are mixed is a matter of the texture object.
struct SamplerState { uint unused; };
typedef SamplerState SamplerComparisonState;

//: RaytracingAccelerationStructure
/// The host's handle of the scene that rays meet.
struct RaytracingAccelerationStructure { uint64_t handle; };

//: coordinate scalar_of
/// A component of a place or a texel; what is not there is 0.
template <class T> FN T coordinate(T value, int index) { return index == 0 ? value : T(0); }
template <class T, int N> FN T coordinate(vec<T, N> value, int index) { return index < N ? value[index] : T(0); }
template <class T> struct scalar_of { typedef T type; };
template <class T, int N> struct scalar_of<vec<T, N>> { typedef T type; };

//: texel_words
/// What the device has of a texel: four numbers, of which a type may take less.
template <class T> struct texel_words { typedef ::float4 type; };
template <> struct texel_words<int> { typedef ::int4 type; };
template <> struct texel_words<uint> { typedef ::uint4 type; };
template <class T, class W> FN void of_words(T& texel, W words) { texel = T(words.x); }
template <class T, int N, class W> FN void of_words(vec<T, N>& texel, W words)
{
    texel[0] = T(words.x);
    if (N > 1) texel[N > 1 ? 1 : 0] = T(words.y);
    if (N > 2) texel[N > 2 ? 2 : 0] = T(words.z);
    if (N > 3) texel[N > 3 ? 3 : 0] = T(words.w);
}

//: texture_size texture_layers texture_levels
FN uint size_of_texture(unsigned long long object, int axis)
{
    uint size;
    if (axis == 0) asm("txq.width.b32 %0, [%1];" : "=r"(size) : "l"(object));
    else if (axis == 1) asm("txq.height.b32 %0, [%1];" : "=r"(size) : "l"(object));
    else asm("txq.depth.b32 %0, [%1];" : "=r"(size) : "l"(object));
    return size;
}
template <class T, int D, int LAYERS, bool IS_CUBE>
FN uint texture_size(Texture<T, D, LAYERS, IS_CUBE> texture, int axis, uint level)
{
    const uint size = size_of_texture(texture.object, axis), smaller = size >> (level < 31 ? level : 31);
    return smaller > 0 ? smaller : size > 0;
}
template <class T, int D, int LAYERS> FN uint texture_size(RWTexture<T, D, LAYERS> texture, int axis, uint)
{
    uint size;
    if (axis == 0) asm("suq.width.b32 %0, [%1];" : "=r"(size) : "l"(texture.object));
    else if (axis == 1) asm("suq.height.b32 %0, [%1];" : "=r"(size) : "l"(texture.object));
    else asm("suq.depth.b32 %0, [%1];" : "=r"(size) : "l"(texture.object));
    return size;
}
template <class T> FN uint texture_layers(T texture)
{
    uint count;
    asm("txq.array_size.b32 %0, [%1];" : "=r"(count) : "l"(texture.object));
    return count;
}
template <class T, int D, int LAYERS> FN uint texture_layers(RWTexture<T, D, LAYERS> texture)
{
    uint count;
    asm("suq.array_size.b32 %0, [%1];" : "=r"(count) : "l"(texture.object));
    return count;
}
template <class T> FN uint texture_levels(T texture)
{
    uint count;
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(count) : "l"(texture.object));
    return count;
}

//: texture_load texture_fetch
/// Zero outside of the texture.
#define TEXEL(suffix, letter, scalar, place, ...) \
    asm("tex.level." suffix ".s32 {%0, %1, %2, %3}, [%4, " place "], %5;" \
        : "=" letter(words.x), "=" letter(words.y), "=" letter(words.z), "=" letter(words.w) \
        : "l"(object), "r"(level), __VA_ARGS__)
#define TEXTURE_FETCH(type, letter, scalar) \
    template <int D, int LAYERS> FN type texture_fetch(type, unsigned long long object, int x, int y, int z, int layer, int level) \
    { \
        type words; \
        if constexpr (D == 1 && !LAYERS) TEXEL("1d.v4." scalar, letter, scalar, "{%6}", "r"(x)); \
        else if constexpr (D == 1) TEXEL("a1d.v4." scalar, letter, scalar, "{%6, %7}", "r"(layer), "r"(x)); \
        else if constexpr (D == 2 && !LAYERS) TEXEL("2d.v4." scalar, letter, scalar, "{%6, %7}", "r"(x), "r"(y)); \
        else if constexpr (D == 2) TEXEL("a2d.v4." scalar, letter, scalar, "{%6, %7, %8, %8}", "r"(layer), "r"(x), "r"(y)); \
        else TEXEL("3d.v4." scalar, letter, scalar, "{%6, %7, %8, %8}", "r"(x), "r"(y), "r"(z)); \
        return words; \
    }
TEXTURE_FETCH(::float4, "f", "f32")
TEXTURE_FETCH(::int4, "r", "s32")
TEXTURE_FETCH(::uint4, "r", "u32")
#undef TEXTURE_FETCH
#undef TEXEL
template <class T, int D, int LAYERS, class I> FN T texture_load(Texture<T, D, LAYERS> texture, I place)
{
    int at[3] = {};
    const uint level = uint(coordinate(place, D + LAYERS));
    bool is_inside = true;
    for (int axis = 0; axis < D; axis++)
    {
        at[axis] = int(coordinate(place, axis));
        is_inside = is_inside && uint(at[axis]) < texture_size(texture, axis, level);
    }
    const int layer = LAYERS ? int(coordinate(place, D)) : 0;
    if (LAYERS) is_inside = is_inside && uint(layer) < texture_layers(texture);
    T texel{};
    typedef typename texel_words<typename scalar_of<T>::type>::type W;
    if (is_inside) of_words(texel, texture_fetch<D, LAYERS>(W(), texture.object, at[0], at[1], at[2], layer, int(level)));
    return texel;
}

//: texture_sample
template <class T, int D, int LAYERS, bool IS_CUBE, class L>
FN T texture_sample(Texture<T, D, LAYERS, IS_CUBE> texture, SamplerState, L at)
{
    typedef typename texel_words<typename scalar_of<T>::type>::type W;
    const float x = float(coordinate(at, 0)), y = float(coordinate(at, 1)), z = float(coordinate(at, 2));
    W words;
    if constexpr (IS_CUBE && LAYERS) words = ::texCubemapLayered<W>(texture.object, x, y, z, int(coordinate(at, 3) + 0.5f));
    else if constexpr (IS_CUBE) words = ::texCubemap<W>(texture.object, x, y, z);
    else if constexpr (D == 1 && LAYERS) words = ::tex1DLayered<W>(texture.object, x, int(y + 0.5f));
    else if constexpr (D == 1) words = ::tex1D<W>(texture.object, x);
    else if constexpr (D == 2 && LAYERS) words = ::tex2DLayered<W>(texture.object, x, y, int(z + 0.5f));
    else if constexpr (D == 2) words = ::tex2D<W>(texture.object, x, y);
    else words = ::tex3D<W>(texture.object, x, y, z);
    T texel;
    of_words(texel, words);
    return texel;
}

//: texture_sample_level
template <class T, int D, int LAYERS, bool IS_CUBE, class L>
FN T texture_sample_level(Texture<T, D, LAYERS, IS_CUBE> texture, SamplerState, L at, float level)
{
    typedef typename texel_words<typename scalar_of<T>::type>::type W;
    const float x = float(coordinate(at, 0)), y = float(coordinate(at, 1)), z = float(coordinate(at, 2));
    W words;
    if constexpr (IS_CUBE && LAYERS)
        words = ::texCubemapLayeredLod<W>(texture.object, x, y, z, int(coordinate(at, 3) + 0.5f), level);
    else if constexpr (IS_CUBE) words = ::texCubemapLod<W>(texture.object, x, y, z, level);
    else if constexpr (D == 1 && LAYERS) words = ::tex1DLayeredLod<W>(texture.object, x, int(y + 0.5f), level);
    else if constexpr (D == 1) words = ::tex1DLod<W>(texture.object, x, level);
    else if constexpr (D == 2 && LAYERS) words = ::tex2DLayeredLod<W>(texture.object, x, y, int(z + 0.5f), level);
    else if constexpr (D == 2) words = ::tex2DLod<W>(texture.object, x, y, level);
    else words = ::tex3DLod<W>(texture.object, x, y, z, level);
    T texel;
    of_words(texel, words);
    return texel;
}

//: texture_gather
/// A component of the four texels around, counter-clockwise from the lower left, y downwards.
template <int COMPONENT, class T, class L> FN auto texture_gather(Texture<T, 2> texture, SamplerState, L at)
{
    typedef typename scalar_of<T>::type S;
    typedef typename texel_words<S>::type W;
    vec<S, 4> result;
    of_words(result, ::tex2Dgather<W>(texture.object, float(at[0]), float(at[1]), COMPONENT));
    return result;
}

//: texture_load texture_store SURFACE surface_read surface_write
/// Zero outside of the texture, where nothing is written. `x` is in bytes.
#define SURFACE(geometry, place, ...) \
    { \
        if constexpr (WORDS == 1) \
            asm volatile("suld.b." geometry ".b32.zero {%0}, [%4, " place "];" \
                : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(object), __VA_ARGS__ : "memory"); \
        else if constexpr (WORDS == 2) \
            asm volatile("suld.b." geometry ".v2.b32.zero {%0, %1}, [%4, " place "];" \
                : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(object), __VA_ARGS__ : "memory"); \
        else \
            asm volatile("suld.b." geometry ".v4.b32.zero {%0, %1, %2, %3}, [%4, " place "];" \
                : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(object), __VA_ARGS__ : "memory"); \
    }
template <int D, int LAYERS, int WORDS>
FN void surface_read(uint (&w)[4], unsigned long long object, int x, int y, int z, int layer)
{
    if constexpr (D == 1 && !LAYERS) SURFACE("1d", "{%5}", "r"(x))
    else if constexpr (D == 1) SURFACE("a1d", "{%5, %6}", "r"(layer), "r"(x))
    else if constexpr (D == 2 && !LAYERS) SURFACE("2d", "{%5, %6}", "r"(x), "r"(y))
    else if constexpr (D == 2) SURFACE("a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x), "r"(y))
    else SURFACE("3d", "{%5, %6, %7, %7}", "r"(x), "r"(y), "r"(z))
}
#undef SURFACE
#define SURFACE(geometry, place, ...) \
    { \
        if constexpr (WORDS == 1) \
            asm volatile("sust.b." geometry ".b32.zero [%4, " place "], {%0};" \
                :: "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(object), __VA_ARGS__ : "memory"); \
        else if constexpr (WORDS == 2) \
            asm volatile("sust.b." geometry ".v2.b32.zero [%4, " place "], {%0, %1};" \
                :: "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(object), __VA_ARGS__ : "memory"); \
        else \
            asm volatile("sust.b." geometry ".v4.b32.zero [%4, " place "], {%0, %1, %2, %3};" \
                :: "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(object), __VA_ARGS__ : "memory"); \
    }
template <int D, int LAYERS, int WORDS>
FN void surface_write(const uint (&w)[4], unsigned long long object, int x, int y, int z, int layer)
{
    if constexpr (D == 1 && !LAYERS) SURFACE("1d", "{%5}", "r"(x))
    else if constexpr (D == 1) SURFACE("a1d", "{%5, %6}", "r"(layer), "r"(x))
    else if constexpr (D == 2 && !LAYERS) SURFACE("2d", "{%5, %6}", "r"(x), "r"(y))
    else if constexpr (D == 2) SURFACE("a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x), "r"(y))
    else SURFACE("3d", "{%5, %6, %7, %7}", "r"(x), "r"(y), "r"(z))
}
#undef SURFACE
template <class T, int D, int LAYERS, class I> FN T texture_load(RWTexture<T, D, LAYERS> texture, I place)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "");
    const uint column = uint(coordinate(place, 0));
    const int x = column < 1u << 27 ? int(column * sizeof(T)) : -1, layer = LAYERS ? int(coordinate(place, D)) : 0;
    const int y = D > 1 ? int(coordinate(place, 1)) : 0, z = D > 2 ? int(coordinate(place, 2)) : 0;
    uint words[4] = {};
    surface_read<D, LAYERS, sizeof(T) / 4>(words, texture.object, x, y, z, layer);
    T texel;
    memcpy(&texel, words, sizeof(T));
    return texel;
}
template <class T, int D, int LAYERS, class I> FN void texture_store(RWTexture<T, D, LAYERS> texture, I place, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "");
    const uint column = uint(coordinate(place, 0));
    const int x = column < 1u << 27 ? int(column * sizeof(T)) : -1, layer = LAYERS ? int(coordinate(place, D)) : 0;
    const int y = D > 1 ? int(coordinate(place, 1)) : 0, z = D > 2 ? int(coordinate(place, 2)) : 0;
    uint words[4] = {};
    memcpy(words, &value, sizeof(T));
    surface_write<D, LAYERS, sizeof(T) / 4>(words, texture.object, x, y, z, layer);
}
