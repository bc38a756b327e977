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
template <class T> FN vec<uint, 3> grid_place(const T& place) { return vec<uint, 3>(place.x, place.y, place.z); }

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
/// What another thread of the warp has, word by word. All threads that are active must come here.
template <class T> FN T read_lane(const T& value, uint lane)
{
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned int bits[words] = {};
    memcpy(bits, &value, sizeof(T));
    const unsigned int active = __activemask();
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
/// Combines what the threads in `lanes` have, in their order; all that are active come along.
template <class T, class F> FN T wave_fold(T value, uint lanes, T start, F combine)
{
    const uint active = __activemask();
    T result = start;
    for (uint lane = 0; lane < 32; lane++)
    {
        if (!(active >> lane & 1)) continue;
        const T other = read_lane(value, lane);
        if (lanes >> lane & 1) result = combine(result, other);
    }
    return result;
}
//: wave_reduce
template <class T, class F> FN T wave_reduce(T value, F combine)
{
    const uint active = __activemask();
    const uint first = __ffs(active) - 1;
    return wave_fold(value, active & ~(1u << first), read_lane(value, first), combine);
}
//: wave_prefix
template <class T, class F> FN T wave_prefix(T value, T start, F combine)
{
    return wave_fold(value, (1u << lane_index()) - 1, start, combine);
}
//: wave_sum
template <class T> FN T wave_sum(T value) { return wave_reduce(value, [](T a, T b) { return T(a + b); }); }
//: wave_product
template <class T> FN T wave_product(T value) { return wave_reduce(value, [](T a, T b) { return T(a * b); }); }
//: wave_min
template <class T> FN T min(T a, T b);
template <class T, int N> FN vec<T, N> min(vec<T, N> a, vec<T, N> b);
template <class T> FN T wave_min(T value) { return wave_reduce(value, [](T a, T b) { return rt::min(a, b); }); }
//: wave_max
template <class T> FN T max(T a, T b);
template <class T, int N> FN vec<T, N> max(vec<T, N> a, vec<T, N> b);
template <class T> FN T wave_max(T value) { return wave_reduce(value, [](T a, T b) { return rt::max(a, b); }); }
//: wave_bit_and
template <class T> FN T wave_bit_and(T value) { return wave_reduce(value, [](T a, T b) { return T(a & b); }); }
//: wave_bit_or
template <class T> FN T wave_bit_or(T value) { return wave_reduce(value, [](T a, T b) { return T(a | b); }); }
//: wave_bit_xor
template <class T> FN T wave_bit_xor(T value) { return wave_reduce(value, [](T a, T b) { return T(a ^ b); }); }
//: wave_prefix_sum
template <class T> FN T wave_prefix_sum(T value) { return wave_prefix(value, T(0), [](T a, T b) { return T(a + b); }); }
//: wave_prefix_product
template <class T> FN T wave_prefix_product(T value)
{
    return wave_prefix(value, T(1), [](T a, T b) { return T(a * b); });
}
//: wave_is_first_lane
FN bool wave_is_first_lane() { return (__ffs(__activemask()) - 1) == lane_index(); }
//: wave_lane_index
FN uint wave_lane_index() { return lane_index(); }
//: wave_lane_count
FN uint wave_lane_count() { return 32; }
//: wave_active_mask
FN uint wave_active_mask() { return __activemask(); }
//: wave_all_true
FN bool wave_all_true(bool value) { return __all_sync(__activemask(), value); }
//: wave_any_true
FN bool wave_any_true(bool value) { return __any_sync(__activemask(), value); }
//: wave_count_bits
FN uint wave_count_bits(bool value) { return __popc(__ballot_sync(__activemask(), value)); }
//: wave_prefix_count_bits
FN uint wave_prefix_count_bits(bool value)
{
    return __popc(__ballot_sync(__activemask(), value) & ((1u << lane_index()) - 1));
}
//: wave_read_lane_at
template <class T> FN T wave_read_lane_at(T value, uint lane) { return read_lane(value, lane); }
//: wave_read_lane_first
template <class T> FN T wave_read_lane_first(T value) { return read_lane(value, __ffs(__activemask()) - 1); }
//: wave_read_across
template <class T> FN T wave_read_across(T value, uint bits) { return read_lane(value, lane_index() ^ bits); }
//: wave_read_quad
template <class T> FN T wave_read_quad(T value, uint place) { return read_lane(value, (lane_index() & ~3u) | (place & 3)); }

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
//: atomic_compare_exchange
template <class T> FN T atomic_compare_exchange(T& place, T expected, T value)
{
    return atomic_update(place, [=](T old) { return old == expected ? value : old; });
}
