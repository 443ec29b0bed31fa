/* Functions of words and of their halves and bytes, and what the host computes for each, lane by lane in 64 bits. */
#ifndef LAB_TESTS_BUILTINS_WORDS_H
#define LAB_TESTS_BUILTINS_WORDS_H

#include "arguments.h"

#include <stdbool.h>
#include <stdlib.h>

/* The lanes of three words, and the limits of a lane. */
typedef struct lanes {
    int64_t a, b, c, least, most;
} lanes;
typedef int64_t (*lane_function)(lanes l);

static inline int64_t lane_of(uint32_t word, int at, int width, bool is_signed)
{
    const int64_t bits = word >> at & (uint32_t)((UINT64_C(1) << width) - 1);
    return is_signed && bits >> (width - 1) ? bits - (INT64_C(1) << width) : bits;
}

static inline lanes lanes_at(const arguments *in, int at, int width, bool is_signed)
{
    const int64_t least = is_signed ? -(INT64_C(1) << (width - 1)) : 0;
    return (lanes){lane_of(in->a, at, width, is_signed), lane_of(in->b, at, width, is_signed),
                   lane_of(in->c, at, width, is_signed), least, least + (INT64_C(1) << width) - 1};
}

static inline uint64_t by_lanes(const arguments *in, int width, bool is_signed, lane_function function)
{
    uint32_t result = 0;
    for (int at = 0; at < 32; at += width)
        result |= (uint32_t)((uint64_t)function(lanes_at(in, at, width, is_signed)) & ((UINT64_C(1) << width) - 1))
                  << at;
    return result;
}
/* The result as bits_of has it: of a word that is signed, with the sign in front. */
static inline uint64_t by_word(const arguments *in, bool is_signed, lane_function function)
{
    const uint64_t word = by_lanes(in, 32, is_signed, function);
    return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)word : word;
}

/* clang-format off */
#define LANE_FUNCTIONS(F)                                                                                              \
    F(vabs, l.a < 0 ? -l.a : l.a) F(vabsss, clamped(l, llabs(l.a))) F(vneg, -l.a) F(vnegss, clamped(l, -l.a))          \
    F(vadd, l.a + l.b) F(vaddss, clamped(l, l.a + l.b)) F(vaddus, clamped(l, l.a + l.b))                               \
    F(vsub, l.a - l.b) F(vsubss, clamped(l, l.a - l.b)) F(vsubus, clamped(l, l.a - l.b))                               \
    F(vabsdiffs, llabs(l.a - l.b)) F(vabsdiffu, llabs(l.a - l.b)) F(vavgs, halved(l.a + l.b))                          \
    F(vavgu, (l.a + l.b + 1) / 2) F(vhaddu, (l.a + l.b) / 2)                                                           \
    F(vmaxs, most(l.a, l.b)) F(vmaxu, most(l.a, l.b)) F(vmins, least(l.a, l.b)) F(vminu, least(l.a, l.b))              \
    F(vcmpeq, l.a == l.b ? -1 : 0) F(vcmpne, l.a != l.b ? -1 : 0) F(vcmpges, l.a >= l.b ? -1 : 0)                      \
    F(vcmpgeu, l.a >= l.b ? -1 : 0) F(vcmpgts, l.a > l.b ? -1 : 0) F(vcmpgtu, l.a > l.b ? -1 : 0)                      \
    F(vcmples, l.a <= l.b ? -1 : 0) F(vcmpleu, l.a <= l.b ? -1 : 0) F(vcmplts, l.a < l.b ? -1 : 0)                     \
    F(vcmpltu, l.a < l.b ? -1 : 0) F(vseteq, l.a == l.b) F(vsetne, l.a != l.b) F(vsetges, l.a >= l.b)                  \
    F(vsetgeu, l.a >= l.b) F(vsetgts, l.a > l.b) F(vsetgtu, l.a > l.b) F(vsetles, l.a <= l.b) F(vsetleu, l.a <= l.b)   \
    F(vsetlts, l.a < l.b) F(vsetltu, l.a < l.b)                                                                        \
    F(viaddmax, most(wrapped(l, l.a + l.b), l.c)) F(viaddmin, least(wrapped(l, l.a + l.b), l.c))                       \
    F(viaddmax_relu, most(most(wrapped(l, l.a + l.b), l.c), 0))                                                        \
    F(viaddmin_relu, most(least(wrapped(l, l.a + l.b), l.c), 0))                                                       \
    F(vimax3, most(most(l.a, l.b), l.c)) F(vimin3, least(least(l.a, l.b), l.c))                                        \
    F(vimax3_relu, most(most(most(l.a, l.b), l.c), 0)) F(vimin3_relu, most(least(least(l.a, l.b), l.c), 0))            \
    F(vimax_relu, most(most(l.a, l.b), 0)) F(vimin_relu, most(least(l.a, l.b), 0))

static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t clamped(lanes l, int64_t value) { return most(l.least, least(l.most, value)); }
static inline int64_t wrapped(lanes l, int64_t value)
{
    const int64_t size = l.most - l.least + 1;
    return value > l.most ? value - size : value < l.least ? value + size : value;
}
/* Half of the sum; what is between two numbers goes to the one farther from zero. */
static inline int64_t halved(int64_t sum) { return sum < 0 ? -((1 - sum) / 2) : (sum + 1) / 2; }
#define LANE_FUNCTION(name, result) static inline int64_t lane_##name(lanes l) { return result; }
LANE_FUNCTIONS(LANE_FUNCTION)
#undef LANE_FUNCTION

static inline uint64_t sum_of_differences(const arguments *in, int width, bool is_signed)
{
    uint64_t sum = 0;
    for (int at = 0; at < 32; at += width) {
        const lanes l = lanes_at(in, at, width, is_signed);
        sum += (uint64_t)llabs(l.a - l.b);
    }
    return sum;
}
/* c and the products of the bytes of b with lanes of a, of this width, from this byte on. */
static inline uint64_t dot(const arguments *in, int width, int from, bool is_signed)
{
    uint64_t sum = in->c;
    for (int i = 0; i < 32 / width; i++)
        sum += (uint64_t)(lane_of(in->a, i * width, width, is_signed) * lane_of(in->b, 8 * (from + i), 8, is_signed));
    return is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)sum : (uint32_t)sum;
}
/* The result of a choice, with bits above it for the lanes in which it is the first argument's. */
static inline uint64_t choice(const arguments *in, int width, bool is_signed, lane_function function)
{
    uint64_t result = by_lanes(in, width, is_signed, function);
    for (int at = 0; at < 32; at += width) {
        const lanes l = lanes_at(in, at, width, is_signed);
        if (function(l) == l.a) result |= UINT64_C(1) << (32 + at / 16);
    }
    return result;
}
static inline uint64_t nth_bit(uint32_t mask, uint32_t base, int offset)
{
    int found[32], count = 0;
    if (offset == 0) return mask >> base & 1 ? base : UINT32_MAX;
    for (int i = 0; i < 32; i++) {
        const int bit = offset > 0 ? i : 31 - i;
        if ((mask >> bit & 1) && (offset > 0 ? bit >= (int)base : bit <= (int)base)) found[count++] = bit;
    }
    return abs(offset) <= count ? (uint64_t)found[abs(offset) - 1] : UINT32_MAX;
}

/* Rows: name, type of the result, call on the device, the host's result. */
#define BOTH_WIDTHS(X, name, is_signed, ...)                                                                           \
    X(name##2, unsigned, __##name##2(__VA_ARGS__), by_lanes(in, 16, is_signed, lane_##name))                           \
    X(name##4, unsigned, __##name##4(__VA_ARGS__), by_lanes(in, 8, is_signed, lane_##name))
#define COMPARISON(X, name, is_signed)                                                                                 \
    BOTH_WIDTHS(X, vcmp##name, is_signed, a, b) BOTH_WIDTHS(X, vset##name, is_signed, a, b)
#define THREE(X, name)                                                                                                 \
    X(name##_s32, int, __##name##_s32((int)a, (int)b, (int)c), by_word(in, true, lane_##name))                         \
    X(name##_s32_relu, int, __##name##_s32_relu((int)a, (int)b, (int)c), by_word(in, true, lane_##name##_relu))        \
    X(name##_u32, unsigned, __##name##_u32(a, b, c), by_word(in, false, lane_##name))                                  \
    X(name##_s16x2, unsigned, __##name##_s16x2(a, b, c), by_lanes(in, 16, true, lane_##name))                          \
    X(name##_s16x2_relu, unsigned, __##name##_s16x2_relu(a, b, c), by_lanes(in, 16, true, lane_##name##_relu))         \
    X(name##_u16x2, unsigned, __##name##_u16x2(a, b, c), by_lanes(in, 16, false, lane_##name))
#define CHOICE(X, name, lane)                                                                                          \
    X(name##_s32, unsigned long long, choice_of(__##name##_s32, (int)a, (int)b), choice(in, 32, true, lane##s))        \
    X(name##_u32, unsigned long long, choice_of(__##name##_u32, a, b), choice(in, 32, false, lane##u))                 \
    X(name##_s16x2, unsigned long long, choices_of(__##name##_s16x2, a, b), choice(in, 16, true, lane##s))             \
    X(name##_u16x2, unsigned long long, choices_of(__##name##_u16x2, a, b), choice(in, 16, false, lane##u))
#define WORDS(X)                                                                                                       \
    BOTH_WIDTHS(X, vabs, true, a) BOTH_WIDTHS(X, vabsss, true, a) BOTH_WIDTHS(X, vneg, true, a)                        \
    BOTH_WIDTHS(X, vnegss, true, a) BOTH_WIDTHS(X, vadd, true, a, b) BOTH_WIDTHS(X, vaddss, true, a, b)                \
    BOTH_WIDTHS(X, vaddus, false, a, b) BOTH_WIDTHS(X, vsub, true, a, b) BOTH_WIDTHS(X, vsubss, true, a, b)            \
    BOTH_WIDTHS(X, vsubus, false, a, b) BOTH_WIDTHS(X, vabsdiffs, true, a, b) BOTH_WIDTHS(X, vabsdiffu, false, a, b)   \
    BOTH_WIDTHS(X, vavgs, true, a, b) BOTH_WIDTHS(X, vavgu, false, a, b) BOTH_WIDTHS(X, vhaddu, false, a, b)           \
    BOTH_WIDTHS(X, vmaxs, true, a, b) BOTH_WIDTHS(X, vmaxu, false, a, b) BOTH_WIDTHS(X, vmins, true, a, b)             \
    BOTH_WIDTHS(X, vminu, false, a, b) COMPARISON(X, eq, false) COMPARISON(X, ne, false) COMPARISON(X, ges, true)      \
    COMPARISON(X, geu, false) COMPARISON(X, gts, true) COMPARISON(X, gtu, false) COMPARISON(X, les, true)              \
    COMPARISON(X, leu, false) COMPARISON(X, lts, true) COMPARISON(X, ltu, false)                                       \
    X(vsads2, unsigned, __vsads2(a, b), sum_of_differences(in, 16, true))                                              \
    X(vsads4, unsigned, __vsads4(a, b), sum_of_differences(in, 8, true))                                               \
    X(vsadu2, unsigned, __vsadu2(a, b), sum_of_differences(in, 16, false))                                             \
    X(vsadu4, unsigned, __vsadu4(a, b), sum_of_differences(in, 8, false))                                              \
    THREE(X, viaddmax) THREE(X, viaddmin) THREE(X, vimax3) THREE(X, vimin3)                                            \
    X(vimax_s32_relu, int, __vimax_s32_relu((int)a, (int)b), by_word(in, true, lane_vimax_relu))                       \
    X(vimin_s32_relu, int, __vimin_s32_relu((int)a, (int)b), by_word(in, true, lane_vimin_relu))                       \
    X(vimax_s16x2_relu, unsigned, __vimax_s16x2_relu(a, b), by_lanes(in, 16, true, lane_vimax_relu))                   \
    X(vimin_s16x2_relu, unsigned, __vimin_s16x2_relu(a, b), by_lanes(in, 16, true, lane_vimin_relu))                   \
    CHOICE(X, vibmax, lane_vmax) CHOICE(X, vibmin, lane_vmin)                                                          \
    X(dp4a_s, int, __dp4a((int)a, (int)b, (int)c), dot(in, 8, 0, true))                                                \
    X(dp4a_u, unsigned, __dp4a(a, b, c), dot(in, 8, 0, false))                                                         \
    X(dp2a_lo_s, int, __dp2a_lo((int)a, (int)b, (int)c), dot(in, 16, 0, true))                                         \
    X(dp2a_hi_s, int, __dp2a_hi((int)a, (int)b, (int)c), dot(in, 16, 2, true))                                         \
    X(dp2a_lo_u, unsigned, __dp2a_lo(a, b, c), dot(in, 16, 0, false))                                                  \
    X(dp2a_hi_u, unsigned, __dp2a_hi(a, b, c), dot(in, 16, 2, false))                                                  \
    X(dp4a_bytes_s, int, __dp4a(as<char4>(a), as<char4>(b), (int)c), dot(in, 8, 0, true))                              \
    X(dp4a_bytes_u, unsigned, __dp4a(as<uchar4>(a), as<uchar4>(b), c), dot(in, 8, 0, false))                           \
    X(dp2a_lo_halves_s, int, __dp2a_lo(as<short2>(a), as<char4>(b), (int)c), dot(in, 16, 0, true))                     \
    X(dp2a_hi_halves_s, int, __dp2a_hi(as<short2>(a), as<char4>(b), (int)c), dot(in, 16, 2, true))                     \
    X(dp2a_lo_halves_u, unsigned, __dp2a_lo(as<ushort2>(a), as<uchar4>(b), c), dot(in, 16, 0, false))                  \
    X(dp2a_hi_halves_u, unsigned, __dp2a_hi(as<ushort2>(a), as<uchar4>(b), c), dot(in, 16, 2, false))                  \
    X(funnelshift_lc, unsigned, __funnelshift_lc(a, b, w % 64),                                                        \
      (uint32_t)(((uint64_t)in->b << 32 | in->a) << (in->w % 64 < 32 ? in->w % 64 : 32) >> 32))                        \
    X(funnelshift_rc, unsigned, __funnelshift_rc(a, b, w % 64),                                                        \
      (uint32_t)(((uint64_t)in->b << 32 | in->a) >> (in->w % 64 < 32 ? in->w % 64 : 32)))                              \
    X(fns, unsigned, __fns(a, w % 32, (int)(w >> 8) % 7), nth_bit(in->a, in->w % 32, (int)(in->w >> 8) % 7))           \
    X(umin, unsigned, umin(a, b), least(in->a, in->b)) X(umax, unsigned, umax(a, b), most(in->a, in->b))               \
    X(llmin, long long, llmin(l, m), least((int64_t)in->n, (int64_t)in->o))                                            \
    X(llmax, long long, llmax(l, m), most((int64_t)in->n, (int64_t)in->o))                                             \
    X(ullmin, unsigned long long, ullmin(n, o), in->n < in->o ? in->n : in->o)                                         \
    X(ullmax, unsigned long long, ullmax(n, o), in->n < in->o ? in->o : in->n)
/* clang-format on */

/* What the calls above use on the device. */
static const char words_prelude[] =
    "template <class T> __device__ T as(unsigned word) { T value; memcpy(&value, &word, sizeof value); return value; "
    "}\n"
    "template <class T> __device__ unsigned long long choice_of(T (*of)(T, T, bool *), T a, T b)\n"
    "{ bool first; const unsigned result = (unsigned)of(a, b, &first); return result | (unsigned long long)first << "
    "32; "
    "}\n"
    "__device__ unsigned long long choices_of(unsigned (*of)(unsigned, unsigned, bool *, bool *), unsigned a, unsigned "
    "b)\n"
    "{\n"
    "    bool high, low;\n"
    "    const unsigned result = of(a, b, &high, &low);\n"
    "    return result | (unsigned long long)low << 32 | (unsigned long long)high << 33;\n"
    "}\n";

#endif
