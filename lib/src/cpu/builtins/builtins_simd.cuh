// CUDA's SIMD in a word for a kernel that is compiled for the host: functions whose names begin with __v take words of
// two halves or four bytes. Dot products of bytes are here too. A result that does not fit its lane wraps.

// A function of each lane. In the expression x, y and z are the lanes of the arguments as int, and `least` and `most`
// are the limits of a lane.
#define LAB_LANES(name, lane, params, take, expression)                                                                \
    LAB_BUILTIN unsigned name params                                                                                   \
    {                                                                                                                  \
        const int width = 8 * sizeof(lane), least = (lane)-1 < 0 ? -(1 << (width - 1)) : 0;                            \
        const int most = least + ((1 << width) - 1);                                                                   \
        unsigned result = 0;                                                                                           \
        for (int at = 0; at < 32; at += width) {                                                                       \
            take(lane);                                                                                                \
            result |= ((unsigned)(expression) & ((1u << width) - 1)) << at;                                            \
        }                                                                                                              \
        (void)most;                                                                                                    \
        return result;                                                                                                 \
    }
#define LAB_TAKE_1(lane) const int x = (lane)(a >> at)
#define LAB_TAKE_2(lane) const int x = (lane)(a >> at), y = (lane)(b >> at)
#define LAB_TAKE_3(lane) const int x = (lane)(a >> at), y = (lane)(b >> at), z = (lane)(c >> at)
#define LAB_SIMD_1(name, sign, expression)                                                                             \
    LAB_LANES(name##2, sign short, (unsigned a), LAB_TAKE_1, expression)                                               \
    LAB_LANES(name##4, sign char, (unsigned a), LAB_TAKE_1, expression)
#define LAB_SIMD_2(name, sign, expression)                                                                             \
    LAB_LANES(name##2, sign short, (unsigned a, unsigned b), LAB_TAKE_2, expression)                                   \
    LAB_LANES(name##4, sign char, (unsigned a, unsigned b), LAB_TAKE_2, expression)
#define LAB_CLAMP(value) ((value) < least ? least : (value) > most ? most : (value))

LAB_SIMD_1(__vabs, signed, x < 0 ? -x : x)
LAB_SIMD_1(__vabsss, signed, x < 0 ? LAB_CLAMP(-x) : x)
LAB_SIMD_1(__vneg, signed, -x)
LAB_SIMD_1(__vnegss, signed, LAB_CLAMP(-x))
LAB_SIMD_2(__vadd, signed, x + y)
LAB_SIMD_2(__vaddss, signed, LAB_CLAMP(x + y))
LAB_SIMD_2(__vaddus, unsigned, LAB_CLAMP(x + y))
LAB_SIMD_2(__vsub, signed, x - y)
LAB_SIMD_2(__vsubss, signed, LAB_CLAMP(x - y))
LAB_SIMD_2(__vsubus, unsigned, LAB_CLAMP(x - y))
LAB_SIMD_2(__vabsdiffs, signed, x < y ? y - x : x - y)
LAB_SIMD_2(__vabsdiffu, unsigned, x < y ? y - x : x - y)
LAB_SIMD_2(__vavgs, signed, (x + y + (x + y >= 0)) >> 1) // a half is rounded away from zero
LAB_SIMD_2(__vavgu, unsigned, (x + y + 1) >> 1)
LAB_SIMD_2(__vhaddu, unsigned, (x + y) >> 1)
LAB_SIMD_2(__vmaxs, signed, x > y ? x : y)
LAB_SIMD_2(__vmaxu, unsigned, x > y ? x : y)
LAB_SIMD_2(__vmins, signed, x < y ? x : y)
LAB_SIMD_2(__vminu, unsigned, x < y ? x : y)

// A comparison gives a lane of ones, or the number 1.
#define LAB_COMPARE(name, sign, operation)                                                                             \
    LAB_SIMD_2(__vcmp##name, sign, -(x operation y)) LAB_SIMD_2(__vset##name, sign, x operation y)
LAB_COMPARE(eq, unsigned, ==)
LAB_COMPARE(ne, unsigned, !=)
LAB_COMPARE(ges, signed, >=)
LAB_COMPARE(geu, unsigned, >=)
LAB_COMPARE(gts, signed, >)
LAB_COMPARE(gtu, unsigned, >)
LAB_COMPARE(les, signed, <=)
LAB_COMPARE(leu, unsigned, <=)
LAB_COMPARE(lts, signed, <)
LAB_COMPARE(ltu, unsigned, <)
#undef LAB_COMPARE

// Sums of absolute differences.
#define LAB_SUM_OF_LANES(name, lane)                                                                                   \
    LAB_BUILTIN unsigned name(unsigned a, unsigned b)                                                                  \
    {                                                                                                                  \
        unsigned sum = 0;                                                                                              \
        for (unsigned at = 0; at < 32; at += 8 * sizeof(lane)) {                                                       \
            LAB_TAKE_2(lane);                                                                                          \
            sum += (unsigned)(x < y ? y - x : x - y);                                                                  \
        }                                                                                                              \
        return sum;                                                                                                    \
    }
LAB_SUM_OF_LANES(__vsads2, short)
LAB_SUM_OF_LANES(__vsads4, signed char)
LAB_SUM_OF_LANES(__vsadu2, unsigned short)
LAB_SUM_OF_LANES(__vsadu4, unsigned char)
#undef LAB_SUM_OF_LANES

// Least and greatest of sums and of three values: of a word, or of its halves. A sum wraps before it is compared. The
// form _relu replaces a negative result by 0.
#define LAB_GREATER(p, q) ((p) > (q) ? (p) : (q))
#define LAB_LESS(p, q) ((p) < (q) ? (p) : (q))
#define LAB_WORD_2(name, type, expression)                                                                             \
    LAB_BUILTIN type name(const type x, const type y) { return expression; }
#define LAB_WORD_3(name, type, expression)                                                                             \
    LAB_BUILTIN type name(const type x, const type y, const type z) { return expression; }
#define LAB_HALVES_2(name, lane, expression) LAB_LANES(name, lane, (unsigned a, unsigned b), LAB_TAKE_2, expression)
#define LAB_HALVES_3(name, lane, expression)                                                                           \
    LAB_LANES(name, lane, (unsigned a, unsigned b, unsigned c), LAB_TAKE_3, expression)
#define LAB_SUM_32 (int)((unsigned)x + (unsigned)y)
#define LAB_EXTREMES(which, of)                                                                                        \
    LAB_WORD_3(__viadd##which##_s32, int, of(LAB_SUM_32, z))                                                           \
    LAB_WORD_3(__viadd##which##_s32_relu, int, LAB_GREATER(of(LAB_SUM_32, z), 0))                                      \
    LAB_WORD_3(__viadd##which##_u32, unsigned, of(x + y, z))                                                           \
    LAB_HALVES_3(__viadd##which##_s16x2, short, of((short)(x + y), z))                                                 \
    LAB_HALVES_3(__viadd##which##_s16x2_relu, short, LAB_GREATER(of((short)(x + y), z), 0))                            \
    LAB_HALVES_3(__viadd##which##_u16x2, unsigned short, of((unsigned short)(x + y), z))                               \
    LAB_WORD_2(__vi##which##_s32_relu, int, LAB_GREATER(of(x, y), 0))                                                  \
    LAB_HALVES_2(__vi##which##_s16x2_relu, short, LAB_GREATER(of(x, y), 0))                                            \
    LAB_WORD_3(__vi##which##3_s32, int, of(of(x, y), z))                                                               \
    LAB_WORD_3(__vi##which##3_s32_relu, int, LAB_GREATER(of(of(x, y), z), 0))                                          \
    LAB_WORD_3(__vi##which##3_u32, unsigned, of(of(x, y), z))                                                          \
    LAB_HALVES_3(__vi##which##3_s16x2, short, of(of(x, y), z))                                                         \
    LAB_HALVES_3(__vi##which##3_s16x2_relu, short, LAB_GREATER(of(of(x, y), z), 0))                                    \
    LAB_HALVES_3(__vi##which##3_u16x2, unsigned short, of(of(x, y), z))
LAB_EXTREMES(max, LAB_GREATER)
LAB_EXTREMES(min, LAB_LESS)

// These also say whether the result is the first argument.
#define LAB_CHOICE(which, of)                                                                                          \
    LAB_BUILTIN int __vib##which##_s32(const int a, const int b, bool *const first)                                    \
    {                                                                                                                  \
        const int result = of(a, b);                                                                                   \
        *first = result == a;                                                                                          \
        return result;                                                                                                 \
    }                                                                                                                  \
    LAB_BUILTIN unsigned __vib##which##_u32(const unsigned a, const unsigned b, bool *const first)                     \
    {                                                                                                                  \
        const unsigned result = of(a, b);                                                                              \
        *first = result == a;                                                                                          \
        return result;                                                                                                 \
    }                                                                                                                  \
    LAB_HALVES_2(lab_##which##_s16x2, short, of(x, y))                                                                 \
    LAB_HALVES_2(lab_##which##_u16x2, unsigned short, of(x, y))                                                        \
    LAB_BUILTIN unsigned __vib##which##_s16x2(const unsigned a, const unsigned b, bool *const first_high,              \
                                              bool *const first_low)                                                   \
    {                                                                                                                  \
        const unsigned result = lab_##which##_s16x2(a, b);                                                             \
        *first_high = (result ^ a) >> 16 == 0;                                                                         \
        *first_low = ((result ^ a) & 0xffff) == 0;                                                                     \
        return result;                                                                                                 \
    }                                                                                                                  \
    LAB_BUILTIN unsigned __vib##which##_u16x2(const unsigned a, const unsigned b, bool *const first_high,              \
                                              bool *const first_low)                                                   \
    {                                                                                                                  \
        const unsigned result = lab_##which##_u16x2(a, b);                                                             \
        *first_high = (result ^ a) >> 16 == 0;                                                                         \
        *first_low = ((result ^ a) & 0xffff) == 0;                                                                     \
        return result;                                                                                                 \
    }
LAB_CHOICE(max, LAB_GREATER)
LAB_CHOICE(min, LAB_LESS)

// Dot products, added to a number: four bytes with four bytes, or two halves with two of four bytes.
#define LAB_DOT_PRODUCTS(number, byte, half, bytes, halves)                                                            \
    LAB_BUILTIN number __dp4a(number a, number b, number c)                                                            \
    {                                                                                                                  \
        unsigned sum = (unsigned)c;                                                                                    \
        for (int at = 0; at < 32; at += 8) sum += (unsigned)((byte)(a >> at) * (byte)(b >> at));                       \
        return (number)sum;                                                                                            \
    }                                                                                                                  \
    LAB_BUILTIN number __dp2a_lo(number a, number b, number c)                                                         \
    {                                                                                                                  \
        return (number)((unsigned)c + (unsigned)((half)a * (byte)b) + (unsigned)((half)(a >> 16) * (byte)(b >> 8)));   \
    }                                                                                                                  \
    LAB_BUILTIN number __dp2a_hi(number a, number b, number c) { return __dp2a_lo(a, (number)(b >> 16), c); }          \
    LAB_BUILTIN number __dp4a(bytes a, bytes b, number c)                                                              \
    {                                                                                                                  \
        return __dp4a(__builtin_bit_cast(number, a), __builtin_bit_cast(number, b), c);                                \
    }                                                                                                                  \
    LAB_BUILTIN number __dp2a_lo(halves a, bytes b, number c)                                                          \
    {                                                                                                                  \
        return __dp2a_lo(__builtin_bit_cast(number, a), __builtin_bit_cast(number, b), c);                             \
    }                                                                                                                  \
    LAB_BUILTIN number __dp2a_hi(halves a, bytes b, number c)                                                          \
    {                                                                                                                  \
        return __dp2a_hi(__builtin_bit_cast(number, a), __builtin_bit_cast(number, b), c);                             \
    }
LAB_DOT_PRODUCTS(int, signed char, short, char4, short2)
LAB_DOT_PRODUCTS(unsigned, unsigned char, unsigned short, uchar4, ushort2)

#undef LAB_LANES
#undef LAB_TAKE_1
#undef LAB_TAKE_2
#undef LAB_TAKE_3
#undef LAB_SIMD_1
#undef LAB_SIMD_2
#undef LAB_CLAMP
#undef LAB_GREATER
#undef LAB_LESS
#undef LAB_WORD_2
#undef LAB_WORD_3
#undef LAB_HALVES_2
#undef LAB_HALVES_3
#undef LAB_SUM_32
#undef LAB_EXTREMES
#undef LAB_CHOICE
#undef LAB_DOT_PRODUCTS
