/* Sources are a ring: a kernel may make more of them than anybody reads about. */
#include "followed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 1024, MOST_THREADS = 1024 };

struct followed {
    followed_source source[SOURCES]; /* by number - 1, modulo SOURCES */
    unsigned sources;
    unsigned brought[MOST_THREADS], got[MOST_THREADS];
    bool brings[MOST_THREADS];
};

followed *followed_create(void) { return calloc(1, sizeof(followed)); }

void followed_free(followed *all) { free(all); }

void followed_begin(followed *all, unsigned threads) { memset(all->brings, 0, threads * sizeof *all->brings); }

unsigned followed_add(followed *all, const followed_source *source)
{
    all->source[all->sources++ % SOURCES] = *source;
    if (all->sources == 0) all->sources = SOURCES; /* no source has the number 0 */
    return all->sources;
}

bool followed_is_local(const followed *all, unsigned number)
{
    const followed_source *source = &all->source[(number - 1) % SOURCES];
    return source->site && source->site->space == CPU_SPACE_LOCAL;
}

const followed_source *followed_use(followed *all, unsigned number)
{
    followed_source *source = &all->source[(number - 1) % SOURCES];
    if (source->told) return NULL;
    source->told = true;
    return source;
}

void followed_bring(followed *all, unsigned thread, unsigned number)
{
    all->brought[thread] = number;
    all->brings[thread] = true;
}

bool followed_brings(const followed *all, unsigned thread) { return all->brings[thread]; }

/* What a lane gets: its own number, that of the lane that it reads from, or a new one if that takes no part. */
static unsigned get(followed *all, unsigned base, unsigned lane, uint32_t lanes, const cpu_wait *wait)
{
    unsigned from = lane;
    if (!cpu_warp_source(&from, wait, lane)) return all->brought[base + lane];
    if (lanes >> from & 1) return all->brings[base + from] ? all->brought[base + from] : 0;
    return followed_add(all, &(followed_source){.wait = *wait, .from = from, .thread = base + lane});
}

void followed_pass(followed *all, unsigned warp, uint32_t lanes, cpu_wait *const wait[])
{
    const unsigned base = warp * CPU_WARP_LANES;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (all->brings[base + lane]) all->got[base + lane] = get(all, base, lane, lanes, wait[lane]);
    }
    for (uint32_t left = lanes; left; left &= left - 1) all->brings[base + (unsigned)__builtin_ctz(left)] = false;
}

unsigned followed_got(const followed *all, unsigned thread) { return all->got[thread]; }

/* ---- shuffles that the code does not follow. Numbers of 32 bits come with zeros above them. ---- */

/* What a lane brought to its last shuffle and got there, and whether that was made from an undefined value. */
typedef struct lane_values {
    uint64_t own, got;
    bool own_is_made, got_is_made;
} lane_values;

struct shuffled {
    lane_values lane[MOST_THREADS];
};

shuffled *shuffled_create(void) { return calloc(1, sizeof(shuffled)); }

void shuffled_free(shuffled *all) { free(all); }

void shuffled_begin(shuffled *all, unsigned threads) { memset(all->lane, 0, threads * sizeof *all->lane); }

static bool has_32_bits(uint64_t value) { return value >> 32 == 0; }

/* As a value of as many bits as another one. */
static uint64_t like(uint64_t value, uint64_t other) { return has_32_bits(other) ? (uint32_t)value : value; }

/* Floating-point operations pass on the bits of a value that is not a number, but for the sign. */
static bool is_undefined_number(uint64_t value)
{
    const uint64_t sign = has_32_bits(value) ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return (value & ~sign) == like(CPU_WARP_UNDEFINED, value);
}

/* Whether the lane's next value is made from an undefined one. */
static bool is_made(const lane_values *before, uint64_t value)
{
    if (is_undefined_number(value)) return true;
    if (!before->own_is_made && !before->got_is_made) return false;
    if (value == before->own) return before->own_is_made;
    if (value == like(before->got, value)) return before->got_is_made;
    return value == like(before->own + before->got, value) || value == like(before->own ^ before->got, value);
}

uint32_t shuffled_pass(shuffled *all, unsigned warp, uint32_t lanes, cpu_wait *const wait[])
{
    lane_values *warp_lane = &all->lane[warp * CPU_WARP_LANES];
    uint32_t made = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (is_made(&warp_lane[lane], wait[lane]->value)) made |= UINT32_C(1) << lane;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned source = lane;
        cpu_warp_source(&source, wait[lane], lane);
        warp_lane[lane] = (lane_values){.own = wait[lane]->value,
                                        .got = wait[lane]->result,
                                        .own_is_made = made >> lane & 1,
                                        .got_is_made = !(lanes >> source & 1) || made >> source & 1};
    }
    return made;
}
