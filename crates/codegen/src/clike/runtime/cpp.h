//: vector_align
template <class T, int N> constexpr int vector_align = alignof(T);

//: half_bits half_value
/// Halves from and to wider numbers, rounded to the nearest, ties to even.
FN float half_value(uint16_t bits)
{
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) return bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    const float value = bit_cast<float>(magnitude << 13) * 0x1p112f; // with the exponent's other bias
    return sign ? -value : value;
}
FN uint16_t half_bits(float value)
{
    const uint32_t bits = bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
    const uint16_t sign = uint16_t(bits >> 16 & 0x8000);
    if (magnitude > 0x7f800000) return sign | 0x7e00;
    if (magnitude >= 0x477ff000) return sign | 0x7c00;
    if (magnitude < 0x38800000) // too small for a full number of digits: 0.5 has its last digit where theirs is
        return sign | uint16_t(bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000);
    return sign | uint16_t((magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13);
}
FN uint16_t half_bits(double value)
{
    // By way of a single that is odd where it is not exact, so that nothing is rounded twice.
    const float nearest = float(value);
    const uint32_t bits = bit_cast<uint32_t>(nearest);
    if (!(nearest - nearest == 0) || double(nearest) == value || (bits & 1)) return half_bits(nearest);
    return half_bits(bit_cast<float>(std::fabs(double(nearest)) > std::fabs(value) ? bits - 1 : bits + 1));
}

//: floor_to
/// `convert` of what is rounded down.
template <class To, class From> FN To floor_to(From value)
{
    const wide_t<From> wide = wide_t<From>(value);
    if (traits<To>::is_signed && std::fabs(wide) < wide_t<From>(traits<To>::last))
    {
        const To whole = To(wide);
        return To(whole - (wide_t<From>(whole) > wide));
    }
    return convert<To>(std::floor(wide));
}

//: least greatest
/// Of two numbers; of one and a "not a number" the number.
template <class T> FN T least(T a, T b) { return a < b || b != b ? a : b; }
template <class T> FN T greatest(T a, T b) { return a > b || b != b ? a : b; }

//: atomic_add
/// Threads run one after the other.
template <class T> FN T atomic_add(T& place, T value)
{
    const T old = place;
    place = wrapping_add(old, value);
    return old;
}
template <class T, int N> FN vec<T, N> atomic_add(vec<T, N>& place, vec<T, N> value)
{
    const vec<T, N> old = place;
    place += value;
    return old;
}
//: atomic_and
template <class T> FN T atomic_and(T& place, T value)
{
    const T old = place;
    place = T(old & value);
    return old;
}
//: atomic_or
template <class T> FN T atomic_or(T& place, T value)
{
    const T old = place;
    place = T(old | value);
    return old;
}
//: atomic_xor
template <class T> FN T atomic_xor(T& place, T value)
{
    const T old = place;
    place = T(old ^ value);
    return old;
}
//: atomic_min
template <class T> FN T atomic_min(T& place, T value)
{
    const T old = place;
    if (value < old) place = value;
    return old;
}
//: atomic_max
template <class T> FN T atomic_max(T& place, T value)
{
    const T old = place;
    if (value > old) place = value;
    return old;
}
//: atomic_exchange
template <class T> FN T atomic_exchange(T& place, T value)
{
    const T old = place;
    place = value;
    return old;
}
//: atomic_compare_exchange
template <class T> FN T atomic_compare_exchange(T& place, T expected, T value)
{
    const T old = place;
    if (old == expected) place = value;
    return old;
}

//: for_each
/// Calls `run` for each place in a box, x fastest.
template <class V, class F> FN void for_each(V size, F run)
{
    for (uint z = 0; z < size.z; z++)
        for (uint y = 0; y < size.y; y++)
            for (uint x = 0; x < size.x; x++) run(V(x, y, z));
}
