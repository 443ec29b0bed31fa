// Texture and surface objects (texture_abi.h). A fetch is ordinary loads of texels, so all checks see it. CUDA's guide
// leaves open how coordinates, weights and sums are rounded; here they are rounded as an H200 does it, which
// lib/tests/labcc/textures.txt holds.

// ---- Types of texels ----

// What a GPU's registers have of a texel: an integer or the bits of a float for each channel. A fetch into narrower
// integers takes the low bits.
struct lab_texel {
    unsigned word[4];
};

template <class T> struct lab_texel_type;
#define LAB_TEXEL_TYPE(type, of)                                                                                       \
    template <> struct lab_texel_type<type> {                                                                          \
        typedef of element;                                                                                            \
    };
#define LAB_TEXEL_TYPES(name, type)                                                                                    \
    LAB_TEXEL_TYPE(type, type) LAB_TEXEL_TYPE(name##1, type) LAB_TEXEL_TYPE(name##2, type) LAB_TEXEL_TYPE(name##4, type)
LAB_TEXEL_TYPES(char, signed char)
LAB_TEXEL_TYPE(char, char)
LAB_TEXEL_TYPES(uchar, unsigned char)
LAB_TEXEL_TYPES(short, short)
LAB_TEXEL_TYPES(ushort, unsigned short)
LAB_TEXEL_TYPES(int, int)
LAB_TEXEL_TYPES(uint, unsigned)
LAB_TEXEL_TYPES(float, float)
#undef LAB_TEXEL_TYPE
#undef LAB_TEXEL_TYPES

template <class T> LAB_BUILTIN T lab_from_texel(const lab_texel &texel)
{
    typedef typename lab_texel_type<T>::element element;
    T value;
    for (unsigned i = 0; i < sizeof(T) / sizeof(element); ++i)
        if constexpr (__is_floating_point(element))
            ((element *)&value)[i] = __uint_as_float(texel.word[i]);
        else
            ((element *)&value)[i] = (element)texel.word[i];
    return value;
}

// ---- Coordinates ----

// The neighbours that a coordinate has along an axis, -1 for the border, and the weight of the second in 256ths.
struct lab_axis {
    int at[2], weight;
};

LAB_BUILTIN int lab_texel_index(long i, int extent, int mode)
{
    if (i >= 0 && i < extent) return (int)i;
    if (mode == CPU_ADDRESS_BORDER) return -1;
    if (mode == CPU_ADDRESS_CLAMP) return i < 0 ? 0 : extent - 1;
    const long period = mode == CPU_ADDRESS_MIRROR ? 2L * extent : extent;
    i = i % period + (i % period < 0 ? period : 0);
    return (int)(i < extent ? i : period - 1 - i);
}

// A coordinate has 21 bits of fraction; what is below is cut off, before a normalized one is multiplied. A filtered one
// is rounded to 8 bits then. Centres of texels are at halves. A coordinate that is no number is 0.
LAB_BUILTIN lab_axis lab_axis_at(const cpu_texture *texture, int axis, float x)
{
    const int extent = texture->extent[axis], mode = texture->mode[axis];
    const float most = 16777216; // farther outside is the same
    const long at = (long)floor(x == x ? fmin(fmax((double)x, -most), most) * (1 << 21) : 0) *
                    (texture->is_normalized ? extent : 1);
    if (!texture->is_linear) {
        const int i = lab_texel_index(at >> 21, extent, mode);
        return {{i, i}, 0};
    }
    const long rounded = ((at + (1 << 12)) >> 13) - 128;
    const lab_axis found = {
        {lab_texel_index(rounded >> 8, extent, mode), lab_texel_index((rounded >> 8) + 1, extent, mode)},
        (int)(rounded & 255)};
    const bool is_beyond = mode == CPU_ADDRESS_CLAMP && found.at[0] == found.at[1];
    return {{found.at[0], found.at[1]}, is_beyond ? 0 : found.weight};
}

// A texel or a layer by its number.
LAB_BUILTIN lab_axis lab_axis_of(const cpu_texture *texture, int axis, int i)
{
    i = lab_texel_index(i, texture->extent[axis], texture->mode[axis]);
    return {{i, i}, 0};
}
LAB_BUILTIN lab_axis lab_layer_of(const cpu_texture *texture, int axis, int i)
{
    i = lab_texel_index(i, texture->extent[axis], CPU_ADDRESS_CLAMP);
    return {{i, i}, 0};
}

// ---- Fetches ----

LAB_BUILTIN unsigned lab_load_channel(const cpu_texture *texture, const char *texel, int channel)
{
    const bool is_signed = texture->kind == CPU_TEXEL_SIGNED;
    if (texture->bits == 32) return ((const unsigned *)texel)[channel];
    if (texture->bits == 16)
        return is_signed ? (unsigned)((const short *)texel)[channel] : ((const unsigned short *)texel)[channel];
    return is_signed ? (unsigned)((const signed char *)texel)[channel] : ((const unsigned char *)texel)[channel];
}

// The texel that has of each axis the first or the second neighbour, as the bits of `tap` say.
LAB_BUILTIN lab_texel lab_load_texel(const cpu_texture *texture, const lab_axis (&axis)[3], int tap)
{
    lab_texel loaded = {};
    const char *texel = (const char *)texture->address;
    bool is_inside = true;
    for (int i = 0; i < 3; ++i) {
        const int at = axis[i].at[tap >> i & 1];
        is_inside = is_inside && at >= 0;
        texel += (long)at * (long)texture->stride[i];
    }
    for (int channel = 0; channel < texture->channels; ++channel)
        loaded.word[channel] = is_inside ? lab_load_channel(texture, texel, channel) : texture->border[channel];
    return loaded;
}

// The weights of all taps in 256ths, which are 256 together: layers split all, columns each layer, rows each of these.
// Halves go to the second neighbour, but in the first column to the first row.
LAB_BUILTIN void lab_weigh(int (&weight)[8], const lab_axis (&axis)[3])
{
    for (int plane = 0; plane < 2; ++plane) {
        const int all = plane ? axis[2].weight : 256 - axis[2].weight;
        const int second = (all * axis[0].weight + 128) >> 8, first = all - second;
        const int below_first = (first * axis[1].weight + 127) >> 8,
                  below_second = (second * axis[1].weight + 128) >> 8;
        int *const of = weight + 4 * plane;
        of[0] = first - below_first, of[1] = second - below_second, of[2] = below_first, of[3] = below_second;
    }
}

// Numbers from 0 or -1 to 1 of an integer with the greatest value `one`. Halves of floats are rounded away from 0.
LAB_BUILTIN float lab_number_from(long integer, int one) { return (float)fmax((double)integer / one, -1.0); }
LAB_BUILTIN float lab_rounded(double x)
{
    const long long last = 1 << 29; // the last bit of a float in a double
    return (float)__longlong_as_double((__double_as_longlong(x) + last / 2) & -last);
}

// A weighted sum in 256ths as a number. Integers become ones of 16 bits: a byte times 65535/255, exactly, and a char
// times 32767/127, which is 256 + 256/128 + 256/32768 to the last eighth.
LAB_BUILTIN float lab_filtered(const cpu_texture *texture, double sum)
{
    const long s = (long)sum;
    if (texture->bits == 32) return lab_rounded(sum / 256);
    if (texture->kind == CPU_TEXEL_UNSIGNED)
        return lab_number_from((s * (texture->bits == 8 ? 257 : 1) + 128) >> 8, 65535);
    return lab_number_from(texture->bits == 8 ? (8 * s + (s >> 4) + (s >> 12) + 4) >> 3 : (s + 128) >> 8, 32767);
}

template <int Axes> LAB_BUILTIN lab_texel lab_fetch(const cpu_texture *texture, const lab_axis (&axis)[3])
{
    if (!texture->is_linear) {
        lab_texel fetched = lab_load_texel(texture, axis, 0);
        if (!texture->gives_float || texture->bits == 32) return fetched;
        const int one = (1 << (texture->bits - (texture->kind == CPU_TEXEL_SIGNED))) - 1;
        for (unsigned &word : fetched.word) word = __float_as_uint(lab_number_from((int)word, one));
        return fetched;
    }
    lab_texel fetched = {};
    double sum[4] = {};
    int weight[8];
    lab_weigh(weight, axis);
    for (int tap = 0; tap < 1 << Axes; ++tap) {
        if (!weight[tap]) continue;
        const lab_texel texel = lab_load_texel(texture, axis, tap);
        for (int i = 0; i < texture->channels; ++i)
            sum[i] += weight[tap] * (texture->bits == 32 ? (double)__uint_as_float(texel.word[i]) : (int)texel.word[i]);
    }
    for (int i = 0; i < texture->channels; ++i) fetched.word[i] = __float_as_uint(lab_filtered(texture, sum[i]));
    return fetched;
}

// Each function of CUDA has a form that returns the texel and one that stores it.
#define LAB_TEXTURE(name, parameters, arguments, axes, ...)                                                            \
    template <class T> LAB_BUILTIN T name(unsigned long long object, LAB_LIST parameters)                              \
    {                                                                                                                  \
        const cpu_texture *texture = (const cpu_texture *)object;                                                      \
        return lab_from_texel<T>(lab_fetch<axes>(texture, {__VA_ARGS__}));                                             \
    }                                                                                                                  \
    template <class T> LAB_BUILTIN void name(T *texel, unsigned long long object, LAB_LIST parameters)                 \
    {                                                                                                                  \
        *texel = name<T>(object, LAB_LIST arguments);                                                                  \
    }
#define LAB_LIST(...) __VA_ARGS__
#define LAB_X lab_axis_at(texture, 0, x)
#define LAB_Y lab_axis_at(texture, 1, y)
#define LAB_ALONE {{0, 0}, 0}
LAB_TEXTURE(tex1Dfetch, (int x), (x), 0, lab_axis_of(texture, 0, x), LAB_ALONE, LAB_ALONE)
// One row is a row at 0 of a plane, so a filtered fetch has a half of the border if addressMode[1] is border.
LAB_TEXTURE(tex1D, (float x), (x), 2, LAB_X, lab_axis_at(texture, 1, 0), LAB_ALONE)
LAB_TEXTURE(tex2D, (float x, float y), (x, y), 2, LAB_X, LAB_Y, LAB_ALONE)
LAB_TEXTURE(tex3D, (float x, float y, float z), (x, y, z), 3, LAB_X, LAB_Y, lab_axis_at(texture, 2, z))
LAB_TEXTURE(tex1DLayered, (float x, int layer), (x, layer), 1, LAB_X, LAB_ALONE, lab_layer_of(texture, 2, layer))
LAB_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer), 2, LAB_X, LAB_Y,
            lab_layer_of(texture, 2, layer))
#undef LAB_TEXTURE
#undef LAB_LIST
#undef LAB_X
#undef LAB_Y
#undef LAB_ALONE

// ---- Surfaces ----

enum { LAB_SURFACE_ZERO, LAB_SURFACE_CLAMP, LAB_SURFACE_TRAP }; // cudaSurfaceBoundaryMode

// The texel at a column of bytes, a row and a layer; NULL for one outside that reads as 0.
template <class T> LAB_BUILTIN T *lab_surface_at(unsigned long long object, int x, int y, int z, int mode)
{
    const cpu_texture *surface = (const cpu_texture *)object;
    const int most[3] = {surface->extent[0] * (int)surface->stride[0] - (int)sizeof(T), surface->extent[1] - 1,
                         surface->extent[2] - 1};
    int at[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) {
        if (at[i] >= 0 && at[i] <= most[i]) continue;
        if (mode == LAB_SURFACE_ZERO) return nullptr;
        if (mode == LAB_SURFACE_TRAP)
            lab_stop(CPU_FAILURE_TRAP, "an access outside of a surface", __FILE__, __LINE__, "surface");
        at[i] = at[i] < 0 ? 0 : most[i];
    }
    return (T *)(surface->address + (unsigned long)at[0] + (unsigned long)at[1] * surface->stride[1] +
                 (unsigned long)at[2] * surface->stride[2]);
}

#define LAB_SURFACE(dimensions, parameters, x, y, z)                                                                   \
    template <class T>                                                                                                 \
    LAB_BUILTIN T surf##dimensions##read(unsigned long long object, LAB_LIST parameters, int mode = LAB_SURFACE_TRAP)  \
    {                                                                                                                  \
        const T *texel = lab_surface_at<T>(object, x, y, z, mode);                                                     \
        return texel ? *texel : T();                                                                                   \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LAB_BUILTIN void surf##dimensions##read(T *value, unsigned long long object, LAB_LIST parameters,                  \
                                            int mode = LAB_SURFACE_TRAP)                                               \
    {                                                                                                                  \
        const T *texel = lab_surface_at<T>(object, x, y, z, mode);                                                     \
        *value = texel ? *texel : T();                                                                                 \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LAB_BUILTIN void surf##dimensions##write(T value, unsigned long long object, LAB_LIST parameters,                  \
                                             int mode = LAB_SURFACE_TRAP)                                              \
    {                                                                                                                  \
        T *texel = lab_surface_at<T>(object, x, y, z, mode);                                                           \
        if (texel) *texel = value;                                                                                     \
    }
#define LAB_LIST(...) __VA_ARGS__
LAB_SURFACE(1D, (int x), x, 0, 0)
LAB_SURFACE(2D, (int x, int y), x, y, 0)
LAB_SURFACE(3D, (int x, int y, int z), x, y, z)
LAB_SURFACE(1DLayered, (int x, int layer), x, 0, layer)
LAB_SURFACE(2DLayered, (int x, int y, int layer), x, y, layer)
#undef LAB_SURFACE
#undef LAB_LIST
