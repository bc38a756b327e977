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

//: clock_ticks
/// Nanoseconds.
FN uint64_t clock_ticks()
{
    std::timespec now;
    std::timespec_get(&now, TIME_UTC);
    return uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}
//: clock_words
template <class T = uint> FN vec<T, 2> clock_words()
{
    const uint64_t ticks = clock_ticks();
    return vec<T, 2>(T(ticks), T(ticks >> 32));
}

//: for_each
/// Calls `run` for each place in a box, x fastest.
template <class V, class F> FN void for_each(V size, F run)
{
    for (uint z = 0; z < size.z; z++)
        for (uint y = 0; y < size.y; y++)
            for (uint x = 0; x < size.x; x++) run(V(x, y, z));
}

//: Texture SamplerState SamplerComparisonState Texture1D Texture1DArray Texture2D Texture2DArray Texture2DMS Texture2DMSArray Texture3D TextureCube TextureCubeArray RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D
/// A texture is one level of texels, x fastest, layers slowest; a cube has six layers, +x, -x, +y, -y, +z, -z.
template <class T, int D, int LAYERS = 0, bool IS_CUBE = false> struct Texture
{
    T* texels;
    int size[3]; // 1 for dimensions that it does not have
    int layers;
};
template <class T> using Texture1D = Texture<T, 1>;
template <class T> using Texture1DArray = Texture<T, 1, 1>;
template <class T> using Texture2D = Texture<T, 2>;
template <class T> using Texture2DArray = Texture<T, 2, 1>;
template <class T> using Texture2DMS = Texture<T, 2>;
template <class T> using Texture2DMSArray = Texture<T, 2, 1>;
template <class T> using Texture3D = Texture<T, 3>;
template <class T> using TextureCube = Texture<T, 2, 0, true>;
template <class T> using TextureCubeArray = Texture<T, 2, 1, true>;
template <class T> using RWTexture1D = Texture<T, 1>;
template <class T> using RWTexture1DArray = Texture<T, 1, 1>;
template <class T> using RWTexture2D = Texture<T, 2>;
template <class T> using RWTexture2DArray = Texture<T, 2, 1>;
template <class T> using RWTexture3D = Texture<T, 3>;
/// Zeros mean: linear between texels, and beyond the edge the texel at the edge.
struct SamplerState { bool is_nearest, repeats; };
typedef SamplerState SamplerComparisonState;

//: RaytracingAccelerationStructure
/// The host's handle of the scene that rays meet.
struct RaytracingAccelerationStructure { uint64_t handle; };

//: coordinate
/// A component of a place or a texel; what is not there is 0.
template <class T> FN T coordinate(T value, int index) { return index == 0 ? value : T(0); }
template <class T, int N> FN T coordinate(vec<T, N> value, int index) { return index < N ? value[index] : T(0); }

//: texel_at
/// The texel at a place, null outside.
template <class T, int D, int LAYERS, bool IS_CUBE>
FN T* texel_at(const Texture<T, D, LAYERS, IS_CUBE>& texture, const int (&at)[3], int layer)
{
    for (int axis = 0; axis < 3; axis++)
        if (at[axis] < 0 || at[axis] >= texture.size[axis]) return nullptr;
    if (layer < 0 || layer >= texture.layers) return nullptr;
    const int64_t row = (int64_t(layer) * texture.size[2] + at[2]) * texture.size[1] + at[1];
    return texture.texels + row * texture.size[0] + at[0];
}

//: texture_load
/// Zero outside of the texture, and of levels and samples but the first.
template <class T, int D, int LAYERS, class I, class O>
FN T texture_load(const Texture<T, D, LAYERS>& texture, I place, O offset)
{
    int at[3] = {};
    for (int axis = 0; axis < D; axis++) at[axis] = int(uint(coordinate(place, axis)) + uint(coordinate(offset, axis)));
    const T* texel = texel_at(texture, at, LAYERS ? int(coordinate(place, D)) : 0);
    return texel && coordinate(place, D + LAYERS) == 0 ? *texel : T{};
}
template <class T, int D, int LAYERS, class I> FN T texture_load(const Texture<T, D, LAYERS>& texture, I place)
{
    return texture_load(texture, place, 0);
}

//: texture_load_sample
template <class T, int D, int LAYERS, class I, class S, class O>
FN T texture_load_sample(const Texture<T, D, LAYERS>& texture, I place, S sample, O offset)
{
    return sample == S(0) ? texture_load(texture, place, offset) : T{};
}
template <class T, int D, int LAYERS, class I, class S>
FN T texture_load_sample(const Texture<T, D, LAYERS>& texture, I place, S sample)
{
    return texture_load_sample(texture, place, sample, 0);
}

//: texture_store
/// Nothing outside of the texture.
template <class T, int D, int LAYERS, class I> FN void texture_store(const Texture<T, D, LAYERS>& texture, I place, T value)
{
    int at[3] = {};
    for (int axis = 0; axis < D; axis++) at[axis] = int(coordinate(place, axis));
    if (T* texel = texel_at(texture, at, LAYERS ? int(coordinate(place, D)) : 0)) *texel = value;
}

//: texture_size texture_layers texture_levels texture_samples
template <class T, int D, int LAYERS, bool IS_CUBE>
FN uint texture_size(const Texture<T, D, LAYERS, IS_CUBE>& texture, int axis, uint level)
{
    const uint size = texture.size[axis], smaller = size >> (level < 31 ? level : 31);
    return smaller > 0 ? smaller : size > 0;
}
template <class T, int D, int LAYERS, bool IS_CUBE> FN uint texture_layers(const Texture<T, D, LAYERS, IS_CUBE>& texture)
{
    return texture.layers / (IS_CUBE ? 6 : 1);
}
template <class T> FN uint texture_levels(const T&) { return 1; }
template <class T> FN uint texture_samples(const T&) { return 1; }

//: cube_face
/// The face of a cube that a direction meets; the place on it, in [0, 1], replaces the direction.
FN int cube_face(float (&at)[3])
{
    const float x = at[0], y = at[1], z = at[2], ax = LIBM::fabs(x), ay = LIBM::fabs(y), az = LIBM::fabs(z);
    const int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2, is_negative = at[axis] < 0;
    const float major = axis == 0 ? ax : axis == 1 ? ay : az, sign = is_negative ? -1.0f : 1.0f;
    const float u = axis == 0 ? -sign * z : axis == 1 ? x : sign * x, v = axis == 1 ? sign * z : -y;
    at[0] = major > 0 ? (u / major + 1) / 2 : 0.5f;
    at[1] = major > 0 ? (v / major + 1) / 2 : 0.5f;
    at[2] = 0;
    return 2 * axis + is_negative;
}

//: sampled_place
/// Where a location lies: the texels before it, how far it is to the next, and its layer.
template <int D> struct sampled_place { int before[3]; float fraction[3]; int layer; };
template <class T, int D, int LAYERS, bool IS_CUBE, class L, class O>
FN sampled_place<D> place_of(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location, O offset)
{
    sampled_place<D> place = {};
    float at[3] = {};
    for (int axis = 0; axis < D + IS_CUBE; axis++) at[axis] = float(coordinate(location, axis));
    if (LAYERS) place.layer = convert<int>(LIBM::floor(float(coordinate(location, D + IS_CUBE)) + 0.5f));
    if (IS_CUBE)
    {
        place.layer = place.layer < 0 ? 0 : place.layer >= texture.layers / 6 ? texture.layers / 6 - 1 : place.layer;
        place.layer = 6 * place.layer + cube_face(at);
    }
    place.layer = place.layer < 0 ? 0 : place.layer >= texture.layers ? texture.layers - 1 : place.layer;
    for (int axis = 0; axis < D; axis++)
    {
        float x = at[axis] - at[axis] == 0 ? at[axis] : 0.0f;
        if (sampler.repeats) x -= LIBM::floor(x);
        x = x < -1e4f ? -1e4f : x > 1e4f ? 1e4f : x;
        x = x * texture.size[axis] + coordinate(offset, axis) - (sampler.is_nearest ? 0.0f : 0.5f);
        place.before[axis] = int(LIBM::floor(x));
        place.fraction[axis] = sampler.is_nearest ? 0.0f : x - LIBM::floor(x);
    }
    return place;
}
/// The texel that is `step` after the place, or what the sampler has for it.
template <class T, int D, int LAYERS, bool IS_CUBE>
FN T texel_near(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, sampled_place<D> place, int step)
{
    int at[3] = {};
    for (int axis = 0; axis < D; axis++)
    {
        const int size = texture.size[axis], x = place.before[axis] + (step >> axis & 1);
        if (size <= 0) return T{};
        at[axis] = sampler.repeats ? (x % size + size) % size : x < 0 ? 0 : x >= size ? size - 1 : x;
    }
    const T* texel = texel_at(texture, at, place.layer);
    return texel ? *texel : T{};
}

//: texture_sample
/// There is one level, whatever the location's derivatives are.
template <class T, int D, int LAYERS, bool IS_CUBE, class L, class O>
FN T texture_sample(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location, O offset)
{
    const sampled_place<D> place = place_of(texture, sampler, location, offset);
    using scalar = decltype(coordinate(T{}, 0));
    T sum = T(scalar(0.0f));
    for (int step = 0; step < 1 << D; step++)
    {
        float weight = 1;
        for (int axis = 0; axis < D; axis++)
            weight *= step >> axis & 1 ? place.fraction[axis] : 1 - place.fraction[axis];
        if (weight != 0) sum += texel_near(texture, sampler, place, step) * T(scalar(weight));
    }
    return sum;
}
template <class T, int D, int LAYERS, bool IS_CUBE, class L>
FN T texture_sample(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location)
{
    return texture_sample(texture, sampler, location, 0);
}

//: texture_compare
/// How many of the texels around are at least `value`, by their weights.
template <class T, int D, int LAYERS, bool IS_CUBE, class L, class O>
FN float texture_compare(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location, float value, O offset)
{
    const sampled_place<D> place = place_of(texture, sampler, location, offset);
    float sum = 0;
    for (int step = 0; step < 1 << D; step++)
    {
        float weight = 1;
        for (int axis = 0; axis < D; axis++)
            weight *= step >> axis & 1 ? place.fraction[axis] : 1 - place.fraction[axis];
        if (weight != 0 && value <= float(coordinate(texel_near(texture, sampler, place, step), 0))) sum += weight;
    }
    return sum;
}
template <class T, int D, int LAYERS, bool IS_CUBE, class L>
FN float texture_compare(const Texture<T, D, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location, float value)
{
    return texture_compare(texture, sampler, location, value, 0);
}

//: texture_gather
/// A component of the four texels around, counter-clockwise from the lower left, y downwards.
template <int COMPONENT, class T, int LAYERS, bool IS_CUBE, class L, class O>
FN auto texture_gather(const Texture<T, 2, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location, O offset)
{
    sampler.is_nearest = false; // gathers those that would be mixed
    const sampled_place<2> place = place_of(texture, sampler, location, offset);
    vec<decltype(coordinate(T{}, 0)), 4> result;
    const int steps[4] = {2, 3, 1, 0};
    for (int i = 0; i < 4; i++) result[i] = coordinate(texel_near(texture, sampler, place, steps[i]), COMPONENT);
    return result;
}
template <int COMPONENT, class T, int LAYERS, bool IS_CUBE, class L>
FN auto texture_gather(const Texture<T, 2, LAYERS, IS_CUBE>& texture, SamplerState sampler, L location)
{
    return texture_gather<COMPONENT>(texture, sampler, location, 0);
}
