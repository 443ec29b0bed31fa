/* Keys of lab08_key; see checks_call.h. */
#include "checks_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char KEYS[] = "the host computes keys";

uint64_t key_find(check_program *program, const lab08_texts *request)
{
    lab08_memory *memory = check_memory(program), *after = check_alloc(sizeof *after);
    memcpy(&memory->request, request, sizeof *request);
    check_call(program, "lab08_key", NULL, 0, NULL, 0);
    check_said(program, after, 0, sizeof *after, KEYS);
    return after->key;
}

uint64_t key_find_same(check_program *program, const lab08_texts *request)
{
    const uint64_t key = key_find(program, request), next = key_find(program, request);
    CHECK_THAT(
        next == key, CHECK_WRONG_RESULT, "the same request has another key in another call",
        .at = check_at_name("lab08_key"), .expected = "one key: the texts are the same",
        .found = check_text("%016llx, and %016llx in the next call", (unsigned long long)key, (unsigned long long)next),
        .cause = "is there an address in the key, or something of the call? The texts are elsewhere in each call");
    return key;
}

enum { TEXTS = 3 };
static char *text_of(lab08_texts *request, int which)
{
    return which == 0 ? request->source : which == 1 ? request->header : request->options;
}

/* Fails the check if both requests have one key, with what was expected and why. */
static void check_two_keys(check_program *program, const lab08_texts *one, const lab08_texts *two, const char *expected,
                           const char *cause)
{
    const uint64_t key = key_find(program, one);
    CHECK_THAT(key != key_find(program, two), CHECK_WRONG_RESULT, "two requests with different code have one key",
               .at = check_at_name("lab08_key"), .expected = expected,
               .found = check_text("%016llx for both", (unsigned long long)key), .cause = cause);
}

/* The requests have the same bytes if this letter stands between two texts, in whichever order a key takes them: what
 * is behind the letter moves from one text to another, and the third stands between the two or not. */
static void check_separator(check_program *program, char letter, int from, int to, bool between)
{
    const lab08_texts start = {"", "", "", "a.cu", 80, 1300};
    lab08_texts one = start, two = start;
    const int third = TEXTS - from - to;
    snprintf(text_of(&one, third), LAB08_TEXT_BYTES, "k");
    snprintf(text_of(&two, third), LAB08_TEXT_BYTES, "k");
    snprintf(text_of(&one, from), LAB08_TEXT_BYTES, between ? "a%ck%cb" : "a%cb", letter, letter);
    snprintf(text_of(&one, to), LAB08_TEXT_BYTES, "c");
    snprintf(text_of(&two, from), LAB08_TEXT_BYTES, "a");
    snprintf(text_of(&two, to), LAB08_TEXT_BYTES, between ? "b%ck%cc" : "b%cc", letter, letter);
    check_two_keys(program, &one, &two,
                   check_text("two keys: texts in which the byte 0x%02x stands elsewhere", (unsigned char)letter),
                   "what stands between two texts must be what no text has: only the 0 at its end is that");
}

void key_check_separators(check_program *program)
{
    static const char letters[] = "|,;:/#+-_ \t\n\x01\x1f\xff";
    for (const char *letter = letters; *letter; letter++)
        for (int pair = 0; pair < TEXTS * TEXTS; pair++)
            for (int between = 0; between < 2 && pair / TEXTS != pair % TEXTS; between++)
                check_separator(program, *letter, pair / TEXTS, pair % TEXTS, between);
}

/* Letters and digits, drawn. */
static void fill_text(char *text, int length)
{
    for (int i = 0; i < length; i++) text[i] = (char)('a' + check_draw(0, 25));
    text[length] = '\0';
}

/* Texts so long, which differ in the byte at this place of one. */
static void check_byte(check_program *program, int which, int length, int place)
{
    lab08_texts one = {.label = "a.cu", .architecture = 80, .compiler = 1300}, two;
    for (int text = 0; text < TEXTS; text++) fill_text(text_of(&one, text), length);
    two = one;
    text_of(&two, which)[place] ^= 1;
    check_two_keys(program, &one, &two,
                   check_text("two keys: texts of %d bytes, one of which differs in byte %d", length, place),
                   "every byte of a text counts, up to the 0 at its end, however long the text is");
}

void key_check_places(check_program *program)
{
    enum { LONGEST = LAB08_TEXT_BYTES - 1 };
    for (int which = 0; which < TEXTS; which++) {
        const int some = check_draw(2, LONGEST);
        check_byte(program, which, LONGEST, LONGEST - 1);
        check_byte(program, which, LONGEST, check_draw(0, LONGEST - 1));
        check_byte(program, which, some, some - 1);
        check_byte(program, which, some, check_draw(0, some - 1));
    }
}

/* A key, and the request of a series that has it. */
typedef struct numbered {
    uint64_t key;
    int request;
} numbered;

static int by_key(const void *one, const void *other)
{
    const uint64_t a = ((const numbered *)one)->key, b = ((const numbered *)other)->key;
    return (a > b) - (a < b);
}

static void fail_versions(uint64_t key, int first, int second)
{
    check_fail(
        CHECK_WRONG_RESULT, "two requests with different code have one key", .at = check_at_name("end of lab08_key"),
        .expected = "a key for each pair of architecture and compiler",
        .found =
            check_text("%016llx for %d with %d and for %d with %d", (unsigned long long)key, lab08_architecture(first),
                       lab08_compiler(first), lab08_architecture(second), lab08_compiler(second)),
        .cause = "a sum, or two numbers as one text, is the same for other numbers: each goes on from the hash before");
}

void key_check_many(check_program *program, lab08_part part)
{
    static const char *const text[] = {"sources", "headers", "options"}; /* versions fail by themselves */
    const lab08_series series = {.part = part, .seed = check_random_u64(2, part)};
    uint64_t *key = check_alloc(LAB08_KEYS * sizeof *key);
    numbered *sorted = check_alloc(LAB08_KEYS * sizeof *sorted);
    check_call(program, "lab08_keys", &series, sizeof series, NULL, 0);
    check_said(program, key, offsetof(lab08_keys, key), LAB08_KEYS * sizeof *key, KEYS);
    for (int k = 0; k < LAB08_KEYS; k++) sorted[k] = (numbered){key[k], k};
    qsort(sorted, LAB08_KEYS, sizeof *sorted, by_key);
    for (int k = 1; k < LAB08_KEYS; k++) {
        const int first = sorted[k - 1].request, second = sorted[k].request;
        const uint64_t one = lab08_number(&series, first), other = lab08_number(&series, second);
        if (sorted[k - 1].key != sorted[k].key || (part != LAB08_IN_VERSIONS && one == other)) continue;
        if (part == LAB08_IN_VERSIONS) fail_versions(sorted[k].key, first, second);
        check_fail(CHECK_WRONG_RESULT, "two requests with different code have one key",
                   .at = check_at_name("end of lab08_key"),
                   .expected = check_text("%d keys for as many %s, which differ by a number", LAB08_KEYS, text[part]),
                   .found = check_text("%016llx for %016llu and for %016llu", (unsigned long long)sorted[k].key,
                                       (unsigned long long)one, (unsigned long long)other),
                   .cause = "among about 80,000 numbers of 32 bits two are likely to be equal: all 64 bits of the key "
                            "depend on each "
                            "text");
    }
}
