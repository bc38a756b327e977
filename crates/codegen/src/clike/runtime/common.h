//: traits wide_t unsigned_t
template <class T> struct traits { static constexpr bool is_float = false, is_integer = false; };
template <> struct traits<float> { static constexpr bool is_float = true, is_integer = false; typedef float wide; };
template <> struct traits<double> { static constexpr bool is_float = true, is_integer = false; typedef double wide; };
template <class T, class U, U LAST> struct integer_traits
{
    static constexpr bool is_float = false, is_integer = true, is_signed = T(-1) < T(0);
    typedef T wide;
    typedef U unsigned_type; // of at least 32 bits: narrower ones would become `int` in sums
    static constexpr int bits = 8 * sizeof(T);
    static constexpr T last = T(LAST), first = is_signed ? T(-last - 1) : T(0);
};
template <> struct traits<int8_t> : integer_traits<int8_t, uint32_t, 0x7f> {};
template <> struct traits<int16_t> : integer_traits<int16_t, uint32_t, 0x7fff> {};
template <> struct traits<int32_t> : integer_traits<int32_t, uint32_t, 0x7fffffff> {};
template <> struct traits<int64_t> : integer_traits<int64_t, uint64_t, 0x7fffffffffffffff> {};
template <> struct traits<uint8_t> : integer_traits<uint8_t, uint32_t, 0xff> {};
template <> struct traits<uint16_t> : integer_traits<uint16_t, uint32_t, 0xffff> {};
template <> struct traits<uint32_t> : integer_traits<uint32_t, uint32_t, 0xffffffff> {};
template <> struct traits<uint64_t> : integer_traits<uint64_t, uint64_t, 0xffffffffffffffff> {};
template <class T> using wide_t = typename traits<T>::wide;
template <class T> using unsigned_t = typename traits<T>::unsigned_type;

//: bit_cast
/// The value of another type that has the same bits.
template <class To, class From> FN To bit_cast(const From& value)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To result;
    memcpy(&result, &value, sizeof(To));
    return result;
}

//: convert
/// Floats become integers by truncation, saturated to their range; "not a number" becomes 0.
template <class To, class From> FN To convert(From value)
{
    if constexpr (traits<From>::is_float && traits<To>::is_integer)
    {
        const wide_t<From> wide = wide_t<From>(value);
        const wide_t<From> first = wide_t<From>(traits<To>::first), last = wide_t<From>(traits<To>::last);
        if (traits<To>::is_signed ? LIBM::fabs(wide) < last : wide > first && wide < last) return To(wide);
        if (!(wide == wide)) return To(0);
        return wide < 1 ? traits<To>::first : traits<To>::last;
    }
    else return To(value);
}

//: wrapping_add wrapping_sub wrapping_mul wrapping_neg
/// Integers wrap around; floats are as they are.
template <class T> FN T wrapping_add(T a, T b)
{
    if constexpr (traits<T>::is_integer) return T(unsigned_t<T>(a) + unsigned_t<T>(b));
    else return a + b;
}
template <class T> FN T wrapping_sub(T a, T b)
{
    if constexpr (traits<T>::is_integer) return T(unsigned_t<T>(a) - unsigned_t<T>(b));
    else return a - b;
}
template <class T> FN T wrapping_mul(T a, T b)
{
    if constexpr (traits<T>::is_integer) return T(unsigned_t<T>(a) * unsigned_t<T>(b));
    else return a * b;
}
template <class T> FN T wrapping_neg(T a)
{
    if constexpr (traits<T>::is_integer) return T(unsigned_t<T>(0) - unsigned_t<T>(a));
    else return -a;
}

//: quotient remainder
/// Division by zero gives 0.
template <class T> FN T quotient(T a, T b)
{
    if constexpr (traits<T>::is_integer)
    {
        if (b == T(0)) return T(0);
        if (traits<T>::is_signed && b == T(-1)) return wrapping_neg(a);
        return T(a / b);
    }
    else return a / b;
}
template <class T> FN T remainder(T a, T b)
{
    if constexpr (traits<T>::is_integer)
    {
        if (b == T(0) || (traits<T>::is_signed && b == T(-1))) return T(0);
        return T(a % b);
    }
    else return T(LIBM::fmod(wide_t<T>(a), wide_t<T>(b)));
}

//: shift_left shift_right
/// Counts are taken modulo the width, of narrow integers modulo 32.
template <class T> FN T shift_left(T a, T count)
{
    return T(unsigned_t<T>(a) << (unsigned_t<T>(count) & (8 * sizeof(unsigned_t<T>) - 1)));
}
template <class T> FN T shift_right(T a, T count)
{
    return T(a >> (unsigned_t<T>(count) & (8 * sizeof(unsigned_t<T>) - 1)));
}

//: target
// What the targets do in their own ways stands here.

//: half
/// Computed as `float` and rounded once.
struct half
{
    uint16_t bits;
    half() = default;
    template <class T> FN explicit half(T value) : bits(half_bits(double(value))) {}
    FN explicit half(float value) : bits(half_bits(value)) {}
    template <class T> FN explicit operator T() const { return convert<T>(half_value(bits)); }
    FN half operator-() const { half result; result.bits = bits ^ 0x8000; return result; }
    FN half& operator+=(half other) { return *this = half(float(*this) + float(other)); }
    FN half& operator-=(half other) { return *this = half(float(*this) - float(other)); }
    FN half& operator*=(half other) { return *this = half(float(*this) * float(other)); }
    FN half& operator/=(half other) { return *this = half(float(*this) / float(other)); }
};
FN half operator+(half a, half b) { return a += b; }
FN half operator-(half a, half b) { return a -= b; }
FN half operator*(half a, half b) { return a *= b; }
FN half operator/(half a, half b) { return a /= b; }
FN bool operator==(half a, half b) { return float(a) == float(b); }
FN bool operator!=(half a, half b) { return float(a) != float(b); }
FN bool operator<(half a, half b) { return float(a) < float(b); }
FN bool operator<=(half a, half b) { return float(a) <= float(b); }
FN bool operator>(half a, half b) { return float(a) > float(b); }
FN bool operator>=(half a, half b) { return float(a) >= float(b); }
template <> struct traits<half> { static constexpr bool is_float = true, is_integer = false; typedef float wide; };

//: read_t in_bounds outside reading
/// What reading gives: large values are not copied, since mostly a part of them is read.
template <class T, bool IS_SMALL = sizeof(T) <= 16> struct reading { typedef T type; };
template <class T> struct reading<T, false> { typedef const T& type; };
template <class T> using read_t = typename reading<T>::type;
/// `[index]` is for indices that are in bounds, `at(index)` reads zero elsewhere.
template <class I> FN bool in_bounds(I index, unsigned_t<I> count) { return unsigned_t<I>(index) < count; }
template <class T> FN read_t<T> outside()
{
    if constexpr (sizeof(T) <= 16) return T{};
    else
    {
        static const T zero = {};
        return zero;
    }
}

//: Array
/// An array that is a value.
template <class T, int N> struct Array
{
    T items[N > 0 ? N : 1];
    template <class I> FN T& operator[](I index) { return items[index]; }
    template <class I> FN const T& operator[](I index) const { return items[index]; }
    template <class I> FN read_t<T> at(I index) const
    {
        return in_bounds(index, N) ? read_t<T>(items[index]) : outside<T>();
    }
};

//: ResourceArray
/// As many resources as the host binds.
template <class T> struct ResourceArray
{
    T* items;
    size_t count;
    template <class I> FN const T& operator[](I index) const { return items[index]; }
};

//: vec lanes
template <class T, int N> struct lanes;
template <class T> struct lanes<T, 1>
{
    T x;
    lanes() = default;
    FN explicit lanes(T s) : x(s) {}
};
template <class T> struct lanes<T, 2>
{
    T x, y;
    lanes() = default;
    FN lanes(T x, T y) : x(x), y(y) {}
    FN explicit lanes(T s) : x(s), y(s) {}
};
template <class T> struct lanes<T, 3>
{
    T x, y, z;
    lanes() = default;
    FN lanes(T x, T y, T z) : x(x), y(y), z(z) {}
    FN explicit lanes(T s) : x(s), y(s), z(s) {}
};
template <class T> struct lanes<T, 4>
{
    T x, y, z, w;
    lanes() = default;
    FN lanes(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
    FN explicit lanes(T s) : x(s), y(s), z(s), w(s) {}
};
template <class T, int N> struct alignas(vector_align<T, N>) vec : lanes<T, N>
{
    typedef T element;
    using lanes<T, N>::lanes;
    vec() = default;
    template <class U> FN explicit vec(const vec<U, N>& other)
    {
        UNROLL for (int i = 0; i < N; i++) (*this)[i] = convert<T>(other[i]);
    }
    template <class I> FN T& operator[](I index)
    {
        if constexpr (N > 3) if (index == 3) return this->w;
        if constexpr (N > 2) if (index == 2) return this->z;
        if constexpr (N > 1) if (index == 1) return this->y;
        return this->x;
    }
    template <class I> FN const T& operator[](I index) const { return const_cast<vec&>(*this)[index]; }
    template <class I> FN T at(I index) const { return in_bounds(index, N) ? (*this)[index] : T(0); }
    // swizzles
};
#define OPERATOR(op, function) \
    template <class T, int N> FN vec<T, N> operator op(vec<T, N> a, vec<T, N> b) \
    { \
        UNROLL for (int i = 0; i < N; i++) a[i] = function(a[i], b[i]); \
        return a; \
    } \
    template <class T, int N> FN vec<T, N>& operator op##=(vec<T, N>& a, vec<T, N> b) { return a = a op b; }
OPERATOR(+, wrapping_add)
OPERATOR(-, wrapping_sub)
OPERATOR(*, wrapping_mul)
OPERATOR(/, quotient)
OPERATOR(%, remainder)
OPERATOR(<<, shift_left)
OPERATOR(>>, shift_right)
#undef OPERATOR
#define OPERATOR(op) \
    template <class T, int N> FN vec<T, N> operator op(vec<T, N> a, vec<T, N> b) \
    { \
        UNROLL for (int i = 0; i < N; i++) a[i] = T(a[i] op b[i]); \
        return a; \
    } \
    template <class T, int N> FN vec<T, N>& operator op##=(vec<T, N>& a, vec<T, N> b) { return a = a op b; }
OPERATOR(&)
OPERATOR(|)
OPERATOR(^)
#undef OPERATOR
#define OPERATOR(op) \
    template <class T, int N> FN vec<bool, N> operator op(vec<T, N> a, vec<T, N> b) \
    { \
        vec<bool, N> result; \
        UNROLL for (int i = 0; i < N; i++) result[i] = a[i] op b[i]; \
        return result; \
    }
OPERATOR(==)
OPERATOR(!=)
OPERATOR(<)
OPERATOR(<=)
OPERATOR(>)
OPERATOR(>=)
OPERATOR(&&)
OPERATOR(||)
#undef OPERATOR
template <class T, int N> FN vec<T, N> operator-(vec<T, N> a)
{
    UNROLL for (int i = 0; i < N; i++) a[i] = wrapping_neg(a[i]);
    return a;
}
template <class T, int N> FN vec<T, N> operator~(vec<T, N> a)
{
    UNROLL for (int i = 0; i < N; i++) a[i] = T(~a[i]);
    return a;
}
template <int N> FN vec<bool, N> operator!(vec<bool, N> a)
{
    UNROLL for (int i = 0; i < N; i++) a[i] = !a[i];
    return a;
}

//: mat
/// A matrix, row by row.
template <class T, int R, int C> struct mat
{
    typedef vec<T, C> element;
    vec<T, C> rows[R];
    mat() = default;
    FN explicit mat(T s)
    {
        UNROLL for (int i = 0; i < R; i++) rows[i] = vec<T, C>(s);
    }
    FN explicit mat(vec<T, C> a) : rows{a} {}
    FN mat(vec<T, C> a, vec<T, C> b) : rows{a, b} {}
    FN mat(vec<T, C> a, vec<T, C> b, vec<T, C> c) : rows{a, b, c} {}
    FN mat(vec<T, C> a, vec<T, C> b, vec<T, C> c, vec<T, C> d) : rows{a, b, c, d} {}
    template <class U> FN explicit mat(const mat<U, R, C>& other)
    {
        UNROLL for (int i = 0; i < R; i++) rows[i] = vec<T, C>(other.rows[i]);
    }
    template <class I> FN vec<T, C>& operator[](I row) { return rows[row]; }
    template <class I> FN const vec<T, C>& operator[](I row) const { return rows[row]; }
    template <class I> FN read_t<vec<T, C>> at(I row) const
    {
        return in_bounds(row, R) ? read_t<vec<T, C>>(rows[row]) : outside<vec<T, C>>();
    }
};
#define OPERATOR(op) \
    template <class T, int R, int C> FN mat<T, R, C> operator op(mat<T, R, C> a, mat<T, R, C> b) \
    { \
        UNROLL for (int i = 0; i < R; i++) a.rows[i] op##= b.rows[i]; \
        return a; \
    } \
    template <class T, int R, int C> FN mat<T, R, C>& operator op##=(mat<T, R, C>& a, mat<T, R, C> b) \
    { \
        return a = a op b; \
    }
OPERATOR(+)
OPERATOR(-)
OPERATOR(*)
OPERATOR(/)
OPERATOR(%)
OPERATOR(<<)
OPERATOR(>>)
OPERATOR(&)
OPERATOR(|)
OPERATOR(^)
#undef OPERATOR
#define OPERATOR(op) \
    template <class T, int R, int C> FN mat<bool, R, C> operator op(mat<T, R, C> a, mat<T, R, C> b) \
    { \
        mat<bool, R, C> result; \
        UNROLL for (int i = 0; i < R; i++) result.rows[i] = a.rows[i] op b.rows[i]; \
        return result; \
    }
OPERATOR(==)
OPERATOR(!=)
OPERATOR(<)
OPERATOR(<=)
OPERATOR(>)
OPERATOR(>=)
OPERATOR(&&)
OPERATOR(||)
#undef OPERATOR
#define OPERATOR(op) \
    template <class T, int R, int C> FN mat<T, R, C> operator op(mat<T, R, C> a) \
    { \
        UNROLL for (int i = 0; i < R; i++) a.rows[i] = op a.rows[i]; \
        return a; \
    }
OPERATOR(-)
OPERATOR(~)
OPERATOR(!)
#undef OPERATOR

//: select
template <class T, int N> FN vec<T, N> select(vec<bool, N> cond, vec<T, N> then, vec<T, N> otherwise)
{
    UNROLL for (int i = 0; i < N; i++) then[i] = cond[i] ? then[i] : otherwise[i];
    return then;
}
template <class T, int R, int C> FN mat<T, R, C> select(mat<bool, R, C> cond, mat<T, R, C> then, mat<T, R, C> otherwise)
{
    UNROLL for (int i = 0; i < R; i++) then.rows[i] = select(cond.rows[i], then.rows[i], otherwise.rows[i]);
    return then;
}

//: StructuredBuffer
template <class T> struct StructuredBuffer
{
    const T* data;
    uint count;
    template <class I> FN const T& operator[](I index) const { return data[index]; }
    template <class I> FN read_t<T> at(I index) const
    {
        return in_bounds(index, count) ? read_t<T>(data[index]) : outside<T>();
    }
};

//: RWStructuredBuffer
template <class T> struct RWStructuredBuffer
{
    T* data;
    uint count;
    template <class I> FN T& operator[](I index) const { return data[index]; }
    template <class I> FN read_t<T> at(I index) const
    {
        return in_bounds(index, count) ? read_t<T>(data[index]) : outside<T>();
    }
};

//: ConstantBuffer
/// A block of constants by its address, as it stands in other blocks.
template <class T> struct ConstantBuffer
{
    const T* content;
    ConstantBuffer() = default;
    FN ConstantBuffer(const T& value) : content(&value) {}
    FN const T& get() const { return *content; }
};

//: ByteAddressBuffer
struct ByteAddressBuffer
{
    const unsigned char* data;
    uint count;
    template <class T> FN T Load(uint offset) const
    {
        T value;
        memcpy(&value, data + offset, sizeof(T));
        return value;
    }
    template <class T> FN T load_or_zero(uint offset) const
    {
        return uint64_t(offset) + sizeof(T) <= count ? Load<T>(offset) : T{};
    }
};

//: RWByteAddressBuffer
struct RWByteAddressBuffer
{
    unsigned char* data;
    uint count;
    template <class T> FN T Load(uint offset) const
    {
        T value;
        memcpy(&value, data + offset, sizeof(T));
        return value;
    }
    template <class T> FN T load_or_zero(uint offset) const
    {
        return uint64_t(offset) + sizeof(T) <= count ? Load<T>(offset) : T{};
    }
    template <class T> FN void Store(uint offset, T value) const
    {
        memcpy(data + offset, &value, sizeof(T));
    }
    template <class T> FN T& at(uint offset) const
    {
        return *reinterpret_cast<T*>(data + offset);
    }
};

//: FLOAT1
/// A function of `wide x`, for scalars, vectors and matrices.
#define FLOAT1(name, ...) \
    template <class T> FN T name(T value) \
    { \
        const wide_t<T> x = wide_t<T>(value); \
        return T(__VA_ARGS__); \
    } \
    LIFT1(name)

//: FLOAT2
#define FLOAT2(name, ...) \
    template <class T> FN T name(T first, T second) \
    { \
        const wide_t<T> x = wide_t<T>(first), y = wide_t<T>(second); \
        return T(__VA_ARGS__); \
    } \
    LIFT2(name)

//: FLOAT3
#define FLOAT3(name, ...) \
    template <class T> FN T name(T first, T second, T third) \
    { \
        typedef wide_t<T> W; \
        const W x = W(first), y = W(second), z = W(third); \
        return T(__VA_ARGS__); \
    } \
    LIFT3(name)

//: FLOAT_TEST
#define FLOAT_TEST(name, ...) \
    template <class T> FN bool name(T value) \
    { \
        const wide_t<T> x = wide_t<T>(value); \
        return __VA_ARGS__; \
    } \
    template <class T, int N> FN vec<bool, N> name(vec<T, N> a) \
    { \
        vec<bool, N> result; \
        UNROLL for (int i = 0; i < N; i++) result[i] = rt::name(a[i]); \
        return result; \
    } \
    template <class T, int R, int C> FN mat<bool, R, C> name(mat<T, R, C> a) \
    { \
        mat<bool, R, C> result; \
        UNROLL for (int i = 0; i < R; i++) result.rows[i] = rt::name(a.rows[i]); \
        return result; \
    }

//: LIFT1
#define LIFT1(name) \
    template <class T, int N> FN vec<T, N> name(vec<T, N> a) \
    { \
        UNROLL for (int i = 0; i < N; i++) a[i] = rt::name(a[i]); \
        return a; \
    } \
    template <class T, int R, int C> FN mat<T, R, C> name(mat<T, R, C> a) \
    { \
        UNROLL for (int i = 0; i < R; i++) a.rows[i] = rt::name(a.rows[i]); \
        return a; \
    }

//: LIFT2
#define LIFT2(name) \
    template <class T, int N> FN vec<T, N> name(vec<T, N> a, vec<T, N> b) \
    { \
        UNROLL for (int i = 0; i < N; i++) a[i] = rt::name(a[i], b[i]); \
        return a; \
    } \
    template <class T, int R, int C> FN mat<T, R, C> name(mat<T, R, C> a, mat<T, R, C> b) \
    { \
        UNROLL for (int i = 0; i < R; i++) a.rows[i] = rt::name(a.rows[i], b.rows[i]); \
        return a; \
    }

//: LIFT3
#define LIFT3(name) \
    template <class T, int N> FN vec<T, N> name(vec<T, N> a, vec<T, N> b, vec<T, N> c) \
    { \
        UNROLL for (int i = 0; i < N; i++) a[i] = rt::name(a[i], b[i], c[i]); \
        return a; \
    } \
    template <class T, int R, int C> FN mat<T, R, C> name(mat<T, R, C> a, mat<T, R, C> b, mat<T, R, C> c) \
    { \
        UNROLL for (int i = 0; i < R; i++) a.rows[i] = rt::name(a.rows[i], b.rows[i], c.rows[i]); \
        return a; \
    }

//: acos
FLOAT1(acos, LIBM::acos(x))
//: acosh
FLOAT1(acosh, LIBM::acosh(x))
//: asin
FLOAT1(asin, LIBM::asin(x))
//: asinh
FLOAT1(asinh, LIBM::asinh(x))
//: atan
FLOAT1(atan, LIBM::atan(x))
//: atanh
FLOAT1(atanh, LIBM::atanh(x))
//: ceil
FLOAT1(ceil, LIBM::ceil(x))
//: cos
FLOAT1(cos, LIBM::cos(x))
//: cosh
FLOAT1(cosh, LIBM::cosh(x))
//: exp
FLOAT1(exp, LIBM::exp(x))
//: exp2
FLOAT1(exp2, LIBM::exp2(x))
//: floor
FLOAT1(floor, LIBM::floor(x))
//: frac
FLOAT1(frac, x - LIBM::floor(x))
//: log
FLOAT1(log, LIBM::log(x))
//: log10
FLOAT1(log10, LIBM::log10(x))
//: log2
FLOAT1(log2, LIBM::log2(x))
//: rcp
FLOAT1(rcp, 1 / x)
//: round
FLOAT1(round, LIBM::rint(x)) // to even
//: rsqrt
FLOAT1(rsqrt, 1 / LIBM::sqrt(x))
//: saturate
FLOAT1(saturate, x > 0 ? (x < 1 ? x : 1) : 0)
//: sin
FLOAT1(sin, LIBM::sin(x))
//: sinh
FLOAT1(sinh, LIBM::sinh(x))
//: sqrt
FLOAT1(sqrt, LIBM::sqrt(x))
//: tan
FLOAT1(tan, LIBM::tan(x))
//: tanh
FLOAT1(tanh, LIBM::tanh(x))
//: trunc
FLOAT1(trunc, LIBM::trunc(x))
//: degrees
FLOAT1(degrees, x * wide_t<T>(57.295779513082320877))
//: radians
FLOAT1(radians, x * wide_t<T>(0.017453292519943295769))
//: atan2
FLOAT2(atan2, LIBM::atan2(x, y))
//: copysign
FLOAT2(copysign, LIBM::copysign(x, y))
//: fmod
FLOAT2(fmod, LIBM::fmod(x, y))
//: pow
FLOAT2(pow, LIBM::pow(x, y))
//: step
FLOAT2(step, y >= x ? 1 : 0)
//: lerp
FLOAT3(lerp, x + z * (y - x))
//: smoothstep
template <class W> FN W smooth_ramp(W t) { t = t > 0 ? (t < 1 ? t : W(1)) : W(0); return t * t * (3 - 2 * t); }
FLOAT3(smoothstep, rt::smooth_ramp<W>((z - x) / (y - x)))
//: isnan
FLOAT_TEST(isnan, !(x == x))
//: isinf
FLOAT_TEST(isinf, x == x && !(x - x == x - x))
//: isfinite
FLOAT_TEST(isfinite, x - x == x - x)
//: nextafter
template <class T> FN T nextafter(T from, T to)
{
    if constexpr (sizeof(T) == 2)
    {
        const float x = float(from), y = float(to);
        if (!(x == x && y == y)) return x == x ? to : from;
        if (x == y) return to;
        T result = from;
        if (x == 0) result.bits = y > 0 ? 0x0001 : 0x8001;
        else result.bits = uint16_t(from.bits + ((y > x) == (x > 0) ? 1 : -1));
        return result;
    }
    else return LIBM::nextafter(from, to);
}
LIFT2(nextafter)
//: frexp
template <class T> FN T frexp(T x, int& exponent)
{
    exponent = 0; // C says nothing of it where x is not finite.
    return T(LIBM::frexp(wide_t<T>(x), &exponent));
}
template <class T, int N> FN vec<T, N> frexp(vec<T, N> x, vec<int, N>& exponent)
{
    UNROLL for (int i = 0; i < N; i++) x[i] = rt::frexp(x[i], exponent[i]);
    return x;
}
template <class T, int R, int C> FN mat<T, R, C> frexp(mat<T, R, C> x, mat<int, R, C>& exponent)
{
    UNROLL for (int i = 0; i < R; i++) x.rows[i] = rt::frexp(x.rows[i], exponent.rows[i]);
    return x;
}
//: abs
template <class T> FN T abs(T a)
{
    if constexpr (traits<T>::is_float) return T(LIBM::fabs(wide_t<T>(a)));
    else if constexpr (traits<T>::is_signed) return a < 0 ? wrapping_neg(a) : a;
    else return a;
}
LIFT1(abs)
//: sign
template <class T> FN T sign(T a) { return T((a > T(0) ? 1 : 0) - (a < T(0) ? 1 : 0)); }
LIFT1(sign)
//: min
template <class T> FN T min(T a, T b)
{
    if constexpr (traits<T>::is_float) return T(least(wide_t<T>(a), wide_t<T>(b)));
    else return b < a ? b : a;
}
LIFT2(min)
//: max
template <class T> FN T max(T a, T b)
{
    if constexpr (traits<T>::is_float) return T(greatest(wide_t<T>(a), wide_t<T>(b)));
    else return a < b ? b : a;
}
LIFT2(max)
//: clamp
template <class T> FN T clamp(T x, T low, T high) { return rt::min(rt::max(x, low), high); }
//: fma
template <class T> FN T fma(T a, T b, T c)
{
    if constexpr (traits<T>::is_integer) return wrapping_add(wrapping_mul(a, b), c);
    else if constexpr (sizeof(T) == 2) return T(LIBM::fma(double(a), double(b), double(c)));
    else return LIBM::fma(a, b, c);
}
LIFT3(fma)
//: wide_dot
template <class T, int N> FN wide_t<T> wide_dot(vec<T, N> a, vec<T, N> b)
{
    wide_t<T> sum = 0;
    UNROLL for (int i = 0; i < N; i++) sum += wide_t<T>(a[i]) * wide_t<T>(b[i]);
    return sum;
}
//: dot
template <class T> FN T dot(T a, T b) { return wrapping_mul(a, b); }
template <class T, int N> FN T dot(vec<T, N> a, vec<T, N> b)
{
    if constexpr (traits<T>::is_integer)
    {
        T sum = T(0);
        UNROLL for (int i = 0; i < N; i++) sum = wrapping_add(sum, wrapping_mul(a[i], b[i]));
        return sum;
    }
    else return T(wide_dot(a, b));
}
//: length
template <class T> FN T length(T a) { return T(LIBM::fabs(wide_t<T>(a))); }
template <class T, int N> FN T length(vec<T, N> a) { return T(LIBM::sqrt(wide_dot(a, a))); }
//: distance
template <class T> FN T distance(T a, T b) { return T(LIBM::fabs(wide_t<T>(a) - wide_t<T>(b))); }
template <class T, int N> FN T distance(vec<T, N> a, vec<T, N> b)
{
    wide_t<T> sum = 0;
    UNROLL for (int i = 0; i < N; i++) sum += (wide_t<T>(a[i]) - wide_t<T>(b[i])) * (wide_t<T>(a[i]) - wide_t<T>(b[i]));
    return T(LIBM::sqrt(sum));
}
//: cross
template <class T> FN vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b)
{
    const vec<wide_t<T>, 3> v(a), w(b);
    return vec<T, 3>(T(v.y * w.z - v.z * w.y), T(v.z * w.x - v.x * w.z), T(v.x * w.y - v.y * w.x));
}
//: normalize
template <class T> FN T normalize(T a) { return T(wide_t<T>(a) / LIBM::fabs(wide_t<T>(a))); }
template <class T, int N> FN vec<T, N> normalize(vec<T, N> a)
{
    const wide_t<T> scale = 1 / LIBM::sqrt(wide_dot(a, a));
    UNROLL for (int i = 0; i < N; i++) a[i] = T(wide_t<T>(a[i]) * scale);
    return a;
}
//: reflect
template <class T, int N> FN vec<T, N> reflect(vec<T, N> i, vec<T, N> n)
{
    const wide_t<T> scale = 2 * wide_dot(n, i);
    UNROLL for (int k = 0; k < N; k++) i[k] = T(wide_t<T>(i[k]) - scale * wide_t<T>(n[k]));
    return i;
}
//: refract
template <class T, int N> FN vec<T, N> refract(vec<T, N> i, vec<T, N> n, T ratio)
{
    const wide_t<T> eta = wide_t<T>(ratio), cosine = wide_dot(n, i), k = 1 - eta * eta * (1 - cosine * cosine);
    if (k < 0) return vec<T, N>(T(0));
    UNROLL for (int c = 0; c < N; c++) i[c] = T(eta * wide_t<T>(i[c]) - (eta * cosine + LIBM::sqrt(k)) * wide_t<T>(n[c]));
    return i;
}
//: faceforward
template <class T, int N> FN vec<T, N> faceforward(vec<T, N> n, vec<T, N> i, vec<T, N> ng)
{
    return wide_dot(ng, i) < 0 ? n : -n;
}
//: transpose
template <class T, int R, int C> FN mat<T, C, R> transpose(mat<T, R, C> m)
{
    mat<T, C, R> result;
    UNROLL for (int i = 0; i < R; i++)
        UNROLL for (int j = 0; j < C; j++) result.rows[j][i] = m.rows[i][j];
    return result;
}
//: mul
template <class T, int R, int C> FN vec<T, R> mul(mat<T, R, C> m, vec<T, C> v)
{
    vec<T, R> result;
    UNROLL for (int i = 0; i < R; i++) result[i] = rt::dot(m.rows[i], v);
    return result;
}
template <class T, int R, int C> FN vec<T, C> mul(vec<T, R> v, mat<T, R, C> m) { return rt::mul(rt::transpose(m), v); }
template <class T, int R, int K, int C> FN mat<T, R, C> mul(mat<T, R, K> a, mat<T, K, C> b)
{
    mat<T, R, C> result;
    UNROLL for (int i = 0; i < R; i++) result.rows[i] = rt::mul(a.rows[i], b);
    return result;
}
//: determinant
/// By elimination with pivots.
template <class T, int N> FN T determinant(mat<T, N, N> matrix)
{
    typedef wide_t<T> W;
    mat<W, N, N> m(matrix);
    W product = 1;
    for (int col = 0; col < N; col++)
    {
        int pivot = col;
        for (int row = col + 1; row < N; row++)
            if (LIBM::fabs(m[row][col]) > LIBM::fabs(m[pivot][col])) pivot = row;
        if (m[pivot][col] == 0) return T(0);
        if (pivot != col)
        {
            const vec<W, N> row = m[pivot];
            m[pivot] = m[col];
            m[col] = row;
            product = -product;
        }
        product *= m[col][col];
        for (int row = col + 1; row < N; row++) m[row] -= vec<W, N>(m[row][col] / m[col][col]) * m[col];
    }
    return T(product);
}
//: all
template <class T> FN bool all(T a) { return a != T(0); }
template <class T, int N> FN bool all(vec<T, N> a)
{
    UNROLL for (int i = 0; i < N; i++) if (!rt::all(a[i])) return false;
    return true;
}
template <class T, int R, int C> FN bool all(mat<T, R, C> a)
{
    UNROLL for (int i = 0; i < R; i++) if (!rt::all(a.rows[i])) return false;
    return true;
}
//: any
template <class T> FN bool any(T a) { return a != T(0); }
template <class T, int N> FN bool any(vec<T, N> a)
{
    UNROLL for (int i = 0; i < N; i++) if (rt::any(a[i])) return true;
    return false;
}
template <class T, int R, int C> FN bool any(mat<T, R, C> a)
{
    UNROLL for (int i = 0; i < R; i++) if (rt::any(a.rows[i])) return true;
    return false;
}
//: countbits
template <class T> FN T countbits(T a)
{
    T count = T(0);
    for (int i = 0; i < traits<T>::bits; i++) count = T(count + (uint64_t(a) >> i & 1));
    return count;
}
LIFT1(countbits)
//: firstbithigh
/// -1 if there is none; of negative numbers the first bit that differs from the sign.
template <class T> FN T firstbithigh(T a)
{
    for (int i = traits<T>::bits - 1; i >= 0; i--)
        if ((uint64_t(a) >> i & 1) != (traits<T>::is_signed && a < T(0) ? 0u : 1u)) continue;
        else return T(i);
    return T(-1);
}
LIFT1(firstbithigh)
//: firstbitlow
template <class T> FN T firstbitlow(T a)
{
    for (int i = 0; i < traits<T>::bits; i++)
        if (uint64_t(a) >> i & 1) return T(i);
    return T(-1);
}
LIFT1(firstbitlow)
//: reversebits
template <class T> FN T reversebits(T a)
{
    uint64_t result = 0;
    for (int i = 0; i < traits<T>::bits; i++) result = result << 1 | (uint64_t(a) >> i & 1);
    return T(result);
}
LIFT1(reversebits)
//: f16tof32
template <class T> FN float f16tof32(T bits) { return half_value(uint16_t(bits)); }
template <class T, int N> FN vec<float, N> f16tof32(vec<T, N> bits)
{
    vec<float, N> result;
    UNROLL for (int i = 0; i < N; i++) result[i] = half_value(uint16_t(bits[i]));
    return result;
}
//: f32tof16
FN uint f32tof16(float value) { return half_bits(value); }
template <int N> FN vec<uint, N> f32tof16(vec<float, N> value)
{
    vec<uint, N> result;
    UNROLL for (int i = 0; i < N; i++) result[i] = half_bits(value[i]);
    return result;
}
//: infinity not_a_number
template <class T> FN T infinity() { return T(bit_cast<float>(0x7f800000u)); }
template <class T> FN T not_a_number() { return T(bit_cast<float>(0x7fc00000u)); }

//: at_byte
/// What lies so many bytes after something.
template <class T> FN T* at_byte(T* first, uint bytes) { return (T*)((char*)first + bytes); }
