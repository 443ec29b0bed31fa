/* Calls with random arguments in messages that are well formed: whatever a program passes, the device process answers,
 * or ends the connection with a reason. Sizes are such that no call takes much memory or time. */
#include "lab_trace.h"
#include "stranger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stranger self;
static uint64_t state;

static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

/* What calls have given: handles, addresses, and other numbers. */
enum { KNOWN = 64 };
static uint64_t known[KNOWN];
static unsigned known_count;

static uint64_t number(void)
{
    static const uint64_t usual[] = {
        0,         1, 2, 3, 8, 9, 512, 4096, 1 << 20, (uint64_t)1 << 40, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 7,
        UINT32_MAX};
    if (known_count && next() % 2) return known[next() % (known_count < KNOWN ? known_count : KNOWN)];
    return usual[next() % (sizeof usual / sizeof *usual)];
}

/* Bytes that nearly every call reads as arguments: numbers of 8, 4 and 1 bytes, objects, texts. */
static void put_arguments(void)
{
    static const char *const texts[] = {"float32 x", "T x", "T y", "y = x", "a + b", "x", "", "0", "name", "//", NULL};
    uint64_t value;
    for (int parts = (int)(next() % 8); parts > 0; parts--) {
        value = number();
        switch (next() % 5) {
        case 0: wire_put(&self.message, &value, 4); break;
        case 1: wire_put_object(&self.message, &value, next() % 2 ? 8 : 4); break;
        case 2: wire_put_text(&self.message, texts[next() % 11]); break;
        default: wire_put(&self.message, &value, 8); break;
        }
    }
}

/* The arguments that the call has, by the words of the table. */
static void put_words(const char *words)
{
    static unsigned char large[8192];
    const uint64_t value = number();
    char kind[16];
    int bytes, used;
    for (; sscanf(words, "%15[a-z]%d%n", kind, &bytes, &used) == 2; words += used + (words[used] == ' ')) {
        const uint64_t each = next() % 4 ? number() : value;
        memcpy(large, &each, sizeof each);
        if (strcmp(kind, "object") == 0)
            wire_put_object(&self.message, next() % 16 ? large : NULL, (size_t)bytes);
        else if (strcmp(kind, "text") == 0)
            wire_put_text(&self.message, next() % 8 ? "T x" : NULL);
        else if (strcmp(kind, "args") == 0)
            wire_put_args(&self.message, (lab_args){(lab_arg[]){{LAB_ARG_ARRAY, 8, {.integer = each}},
                                                                {LAB_ARG_INTEGER, 4, {.integer = value}}},
                                                    (int)(next() % 3)});
        else if (strcmp(kind, "arg") == 0)
            wire_put_arg(&self.message, (lab_arg){LAB_ARG_FLOAT, 4, {.f32 = 1}});
        else if (strcmp(kind, "bool") == 0)
            wire_put_bool(&self.message, next() % 2);
        else
            wire_put(&self.message, large, (size_t)bytes);
    }
}

/* Answers questions of the device process until it replies. The program leaves in a call that takes long. */
typedef enum outcome { REPLIED, REFUSED_IT, GONE } outcome;

static outcome converse(void)
{
    for (;;) {
        if (!stranger_await_for(&self, 300)) return GONE;
        if (atomic_load(&self.channel->turn) != WIRE_PROGRAM) return REFUSED_IT;
        if (self.channel->reply.kind == WIRE_REPLY) return REPLIED;
        const wire_told told = {.memory = number(), .status = (int64_t)(next() % 2)};
        self.message = (wire){.bytes = self.channel->request.bytes, .end = WIRE_BYTES};
        wire_put(&self.message, &told, sizeof told);
        stranger_send(&self, WIRE_ANSWER);
    }
}

static void note_result(void)
{
    uint64_t given[2];
    memcpy(given, self.channel->reply.bytes + sizeof(lab_status), sizeof given);
    /* Not what could be a size: a call might then take much memory. */
    bool is_size = given[0] > 1 << 20 && given[0] < (uint64_t)1 << 40;
    if (given[0] && !is_size) known[known_count++ % KNOWN] = given[0];
}

/* Compiling takes long; host functions are never run here, and what waits for them waits forever. */
static bool is_left_out(const char *name)
{
    return strstr(name, "module_load") || strstr(name, "host_func") || strstr(name, "callback") ||
           strstr(name, "cache") || strstr(name, "trace") || strstr(name, "order");
}

static void make_calls(int calls)
{
    for (int i = 0; i < calls; i++) {
        const uint32_t call = (uint32_t)(next() % stranger_calls());
        if (is_left_out(stranger_name(call))) continue;
        stranger_begin(&self, stranger_name(call));
        if (next() % 32)
            put_words(stranger_words(call));
        else
            put_arguments();
        stranger_send(&self, WIRE_CALL);
        const outcome ended = converse();
        if (ended == REPLIED) note_result();
        if (ended == REFUSED_IT) stranger_is_refused(&self, "");
        if (ended == GONE) {
            stranger_leave(&self);
            stranger_meet(&self);
        }
    }
}

Test(random_calls, end_no_device_process)
{
    const char *wish = getenv("SEED");
    stranger_start_device();
    stranger_meet(&self);
    for (uint64_t seed = wish ? strtoull(wish, NULL, 10) : 1, end = wish ? seed + 1 : 5; seed < end; seed++) {
        state = seed;
        fprintf(stderr, "SEED=%d\n", (int)seed);
        make_calls(300);
        stranger_leave(&self);
        stranger_meet(&self);
    }
    stranger_end_device();
}
