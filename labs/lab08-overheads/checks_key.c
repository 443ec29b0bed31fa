/* Keys of lab08_key; see checks_call.h. */
#include "checks_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char KEYS[] = "the host computes keys", ONE_KEY[] = "two requests with different code have one key";

static uint64_t key_once(check_program *program, const lab08_texts *request)
{
    lab08_memory *memory = check_memory(program);
    uint64_t key;
    memcpy(&memory->request, request, sizeof *request);
    check_call(program, "lab08_key", NULL, 0, NULL, 0);
    check_said(program, &key, offsetof(lab08_memory, key), sizeof key, KEYS);
    return key;
}

/* Fails the check unless the request has this key. */
static void check_same_key(check_program *program, const lab08_texts *request, uint64_t key, const char *at,
                           const char *message, const char *cause)
{
    const uint64_t found = key_once(program, request);
    CHECK_THAT(found == key, CHECK_WRONG_RESULT, message, .at = check_at_name(at),
               .expected = check_text("one key, %016llx: the code is the same", (unsigned long long)key),
               .found = check_text("%016llx", (unsigned long long)found), .cause = cause);
}

uint64_t key_find(check_program *program, const lab08_texts *request)
{
    const uint64_t key = key_once(program, request);
    check_same_key(program, request, key, "lab08_key", "the same request has another key in another call",
                   "is there an address in the key, or something of the call? The texts are elsewhere in each call");
    return key;
}

/* Fails the check if both requests have one key, with the line that names this, what was expected and why. */
static void check_two_keys(check_program *program, const lab08_texts *one, const lab08_texts *two, const char *name,
                           const char *expected, const char *cause)
{
    const uint64_t key = key_once(program, one);
    CHECK_THAT(key != key_once(program, two), CHECK_WRONG_RESULT, ONE_KEY, .at = check_at_name(name),
               .expected = expected, .found = check_text("%016llx for both", (unsigned long long)key), .cause = cause);
}

/* What the key of a request has, in the order of lab08_request: first the texts. */
enum { TEXTS = 3, PARTS = 5 };
static const char *const part_name[PARTS] = {"source", "header", "options", "architecture", "compiler"};

/* ---- requests that differ in one part ---------------------------------------------------------------------------- */

/* A request whose key must not be that of any other in the list, and how it differs from the first. */
static const struct {
    const char *how, *look_at; /* where the part is missing: at the part before it; NULL: anywhere */
    lab08_texts request;
} distinct[] = {
    {"nothing", NULL, {"ab", "cd", "ef", "a.cu", 80, 1300}},
    {"the source", NULL, {"aB", "cd", "ef", "a.cu", 80, 1300}},
    {"the header", "source", {"ab", "cD", "ef", "a.cu", 80, 1300}},
    {"the options", "header", {"ab", "cd", "eF", "a.cu", 80, 1300}},
    {"the architecture", "options", {"ab", "cd", "ef", "a.cu", 90, 1300}},
    {"the compiler's version", "architecture", {"ab", "cd", "ef", "a.cu", 80, 1301}},
    {"a letter that moved from the source to the header", "source", {"a", "bcd", "ef", "a.cu", 80, 1300}},
    {"a letter that moved from the header to the source", "source", {"abc", "d", "ef", "a.cu", 80, 1300}},
    {"a letter that moved from the header to the options", "header", {"ab", "c", "def", "a.cu", 80, 1300}},
    {"a letter that moved from the options to the header", "header", {"ab", "cde", "f", "a.cu", 80, 1300}},
    {"a letter that moved from the options to the source", "source", {"abf", "cd", "e", "a.cu", 80, 1300}},
    {"a letter that moved from the source to the options", "source", {"b", "cd", "efa", "a.cu", 80, 1300}},
    {"source and header, exchanged", "source", {"cd", "ab", "ef", "a.cu", 80, 1300}},
    {"header and options, exchanged", "header", {"ab", "ef", "cd", "a.cu", 80, 1300}},
    {"source and options, exchanged", "source", {"ef", "cd", "ab", "a.cu", 80, 1300}},
    {"architecture and version, exchanged", "architecture", {"ab", "cd", "ef", "a.cu", 1300, 80}},
    {"a blank in the source", NULL, {"a b", "cd", "ef", "a.cu", 80, 1300}},
    {"a blank in the header", NULL, {"ab", "c d", "ef", "a.cu", 80, 1300}},
    {"a blank in the options", NULL, {"ab", "cd", "e f", "a.cu", 80, 1300}},
    {"empty texts", NULL, {"", "", "", "a.cu", 80, 1300}},
    {"the highest byte of the architecture", "architecture", {"ab", "cd", "ef", "a.cu", 80 + (1 << 24), 1300}},
    {"the highest byte of the compiler's version", "compiler", {"ab", "cd", "ef", "a.cu", 80, 1300 + (1 << 24)}},
};
enum { DISTINCT = sizeof distinct / sizeof *distinct };

/* Why two requests have one key, by how the later differs from the first. */
static const char *cause_of_one_key(const char *how)
{
    if (strstr(how, "moved"))
        return "without something between them, \"a\" and \"bc\" are the same bytes as \"ab\" and \"c\"";
    if (strstr(how, "exchanged"))
        return "the parts are in the key and their order is not: each hash continues with the number of the one before";
    return "what is not in the key may change, and the old kernel is still found";
}

/* The part with which the hash begins that is the request's key, if not the first; 0: none. */
static int first_in_key(const lab08_texts *request, uint64_t key)
{
    const char *const text[] = {request->source, request->header, request->options};
    const int number[] = {request->architecture, request->compiler};
    for (int first = 1; first < PARTS; first++) {
        uint64_t hash = LAB08_HASH;
        for (int i = first; i < TEXTS; i++) hash = lab08_hash(hash, text[i], strlen(text[i]) + 1);
        for (int i = first < TEXTS ? 0 : first - TEXTS; i < PARTS - TEXTS; i++)
            hash = lab08_hash(hash, &number[i], sizeof number[i]);
        if (hash == key) return first;
    }
    return 0;
}

static void check_distinct(check_program *program)
{
    uint64_t key[DISTINCT];
    for (int i = 0; i < DISTINCT; i++) key[i] = key_find(program, &distinct[i].request);
    for (int i = 0; i < DISTINCT; i++)
        for (int k = 0; k < i; k++) {
            if (key[i] != key[k]) continue;
            const int first = first_in_key(&distinct[k].request, key[k]);
            const char *look_at = first ? part_name[first] : distinct[i].look_at;
            check_fail(
                CHECK_WRONG_RESULT, ONE_KEY,
                .at = check_at_name(look_at ? check_text("%s in lab08_key", look_at) : "lab08_key"),
                .expected = check_text("two keys: what differs is %s", k ? "more than one part" : distinct[i].how),
                .found = check_text("%016llx for both", (unsigned long long)key[i]),
                .cause = first ? check_text("the key is the hash of `%s` and what comes after it, and of nothing "
                                            "before: there the hash begins",
                                            part_name[first])
                               : cause_of_one_key(distinct[i].how));
        }
}

/* ---- texts of any letters and any length ------------------------------------------------------------------------- */

enum { LONGEST = LAB08_TEXT_BYTES - 1 };
static const lab08_texts empty = {.label = "a.cu", .architecture = 80, .compiler = 1300};

static char *text_of(lab08_texts *request, int which)
{
    return which == 0 ? request->source : which == 1 ? request->header : request->options;
}

/* The requests have the same bytes if this letter stands between two texts, in whichever order a key takes them: what
 * is behind the letter moves from one text to another, and the third stands between the two or not. */
static void check_separator(check_program *program, char letter, int from, int to, bool between)
{
    lab08_texts one = empty, two = empty;
    const char *third = between ? check_text("%ck%c", letter, letter) : check_text("%c", letter);
    snprintf(text_of(&one, TEXTS - from - to), LAB08_TEXT_BYTES, "k");
    snprintf(text_of(&two, TEXTS - from - to), LAB08_TEXT_BYTES, "k");
    snprintf(text_of(&one, from), LAB08_TEXT_BYTES, "a%sb", third);
    snprintf(text_of(&one, to), LAB08_TEXT_BYTES, "c");
    snprintf(text_of(&two, from), LAB08_TEXT_BYTES, "a");
    snprintf(text_of(&two, to), LAB08_TEXT_BYTES, "b%sc", third);
    check_two_keys(program, &one, &two, "lab08_key",
                   check_text("two keys: texts in which the byte 0x%02x stands elsewhere", (unsigned char)letter),
                   "what stands between two texts must be what no text has: only the 0 at its end is that");
}

/* A text may have any letter, so that none can hide where one ends. */
static void check_separators(check_program *program)
{
    for (const char *letter = "|,;:/#+-_ \t\n\x01\x1f\xff"; *letter; letter++)
        for (int pair = 0; pair < TEXTS * TEXTS; pair++)
            for (int between = 0; between < 2 && pair / TEXTS != pair % TEXTS; between++)
                check_separator(program, *letter, pair / TEXTS, pair % TEXTS, between);
}

/* Texts so long, of letters that are drawn, which differ in the byte at this place of one. */
static void check_byte(check_program *program, int which, int length, int place)
{
    lab08_texts one = empty;
    for (int i = 0; i < TEXTS * length; i++) text_of(&one, i / length)[i % length] = (char)('a' + check_draw(0, 25));
    lab08_texts two = one;
    text_of(&two, which)[place] ^= 1;
    check_two_keys(
        program, &one, &two, check_text("%s in lab08_key", part_name[which]),
        check_text("two keys: texts of %d bytes, of which `%s` differs in byte %d", length, part_name[which], place),
        "every byte of a text counts, up to the 0 at its end, however long the text is");
}

/* ---- many requests ----------------------------------------------------------------------------------------------- */

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

/* How request k of a series differs from the others. */
static const char *differs_by(const lab08_series *series, int k)
{
    return series->part == LAB08_IN_VERSIONS ? check_text("%d with %d", lab08_architecture(k), lab08_compiler(k))
                                             : check_text("%016llu", (unsigned long long)lab08_number(series, k));
}

/* Fails the check if two of many requests have one key. Of 2^18 random numbers of 32 bits some eight pairs are equal,
 * and none in 3000 series; of 64 bits a pair in half a billion series. */
static void check_many(check_program *program, lab08_part part)
{
    static const char *const text[] = {"sources", "headers", "options", "pairs of architecture and compiler"};
    const lab08_series series = {.part = part, .seed = check_random_u64(2, part)};
    uint64_t *key = check_alloc(LAB08_KEYS * sizeof *key);
    numbered *sorted = check_alloc(LAB08_KEYS * sizeof *sorted);
    check_call(program, "lab08_keys", &series, sizeof series, NULL, 0);
    check_said(program, key, offsetof(lab08_keys, key), LAB08_KEYS * sizeof *key, KEYS);
    for (int k = 0; k < LAB08_KEYS; k++) sorted[k] = (numbered){key[k], k};
    qsort(sorted, LAB08_KEYS, sizeof *sorted, by_key);
    for (int k = 1; k < LAB08_KEYS; k++) {
        if (sorted[k - 1].key != sorted[k].key) continue;
        const char *one = differs_by(&series, sorted[k - 1].request), *other = differs_by(&series, sorted[k].request);
        CHECK_THAT(strcmp(one, other) == 0, CHECK_WRONG_RESULT, ONE_KEY, .at = check_at_name("end of lab08_key"),
                   .expected = check_text("%d keys for as many %s", LAB08_KEYS, text[part]),
                   .found = check_text("%016llx for %s and for %s", (unsigned long long)sorted[k].key, one, other),
                   .cause = part == LAB08_IN_VERSIONS
                                ? "a sum, or two numbers as one text, is the same for other numbers: each hash "
                                  "continues from the one before"
                                : "among about 80,000 numbers of 32 bits two are likely to be equal: all 64 bits of "
                                  "the key depend on each text");
    }
}

void key_check_all(check_program *program)
{
    lab08_texts relabelled = distinct[0].request;
    check_distinct(program);
    check_separators(program);
    for (int which = 0; which < TEXTS; which++) {
        const int some = check_draw(2, LONGEST);
        check_byte(program, which, LONGEST, LONGEST - 1);
        check_byte(program, which, LONGEST, check_draw(0, LONGEST - 1));
        check_byte(program, which, some, some - 1);
        check_byte(program, which, some, check_draw(0, some - 1));
    }
    const uint64_t key = key_once(program, &relabelled);
    check_same_key(check_start(sizeof(lab08_memory)), &relabelled, key, "lab08_key",
                   "the same request has another key in another process",
                   "is there an address in the key, or something of the process?");
    snprintf(relabelled.label, sizeof relabelled.label, "another_name.cu");
    check_same_key(program, &relabelled, key, "label in lab08_key", "the label changes the key",
                   "the label is for messages, and the code is the same: such a key compiles again for nothing");
    for (int part = 0; part < LAB08_IN_PARTS; part++) check_many(program, (lab08_part)part);
}
