//: vector_align
/// As CUDA has it: vectors of two and four are aligned to their size, up to 16, three to the element; and three or four
/// halves are two pairs.
template <class T, int N> constexpr int vector_align =
    N > 2 && sizeof(T) == 2 && traits<T>::is_float ? 4 : N == 3 ? alignof(T) : N * sizeof(T) < 16 ? N * sizeof(T) : 16;

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

//: outside
/// Where an index out of bounds leads to. Reads give zero; the program tests before it writes.
template <class T> FN T& outside()
{
    static T place;
    return place;
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
    for (int i = 0; i < N; i++) old[i] = rt::atomic_add(place[i], value[i]);
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
