/* Reads profiles from a file, or those in profiles/, which the assembler includes in the library. */
#include "profile.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The assembler's words for data that is only read, in an object for the system and in one for WebAssembly. */
#ifdef __wasm__
#define DATA_BEGINS ".section .rodata.profiles, \"\", @\n"
#define DATA_ENDS ""
#else
#define DATA_BEGINS ".pushsection .rodata\n"
#define DATA_ENDS ".popsection\n"
#endif
#define INCLUDE_PROFILE(name)                                                                                          \
    ".global lab_profile_" name "\n.type lab_profile_" name ", @object\nlab_profile_" name                             \
    ":\n.incbin \"lib/src/trace/model/profiles/" name ".profile\"\n.byte 0\n.size lab_profile_" name                   \
    ", . - lab_profile_" name "\n"
__asm__(DATA_BEGINS INCLUDE_PROFILE("h200") INCLUDE_PROFILE("laptop") DATA_ENDS);
extern const char lab_profile_h200[], lab_profile_laptop[];

static const struct {
    const char *name, *text;
} known[] = {{"h200", lab_profile_h200}, {"laptop", lab_profile_laptop}};
enum { KNOWN = sizeof known / sizeof *known };

/* --- Keys and units --------------------------------------------------------------------------------------------- */

typedef enum unit_kind { UNIT_COUNT, UNIT_TIME, UNIT_RATE, UNIT_BYTES } unit_kind;

/* A unit of the file as a factor to microseconds, bytes per microsecond, or bytes. */
static const struct {
    unit_kind kind;
    const char *word;
    double factor;
} units[] = {
    {UNIT_TIME, "us", 1},      {UNIT_TIME, "ms", 1e3},       {UNIT_TIME, "ns", 1e-3},
    {UNIT_RATE, "GB/s", 1e3},  {UNIT_RATE, "MB/s", 1},       {UNIT_BYTES, "bytes", 1},
    {UNIT_BYTES, "KiB", 1024}, {UNIT_BYTES, "MiB", 1 << 20}, {UNIT_BYTES, "GiB", 1 << 30},
};
static const char *const unit_names[] = {
    [UNIT_TIME] = "ns, us or ms", [UNIT_RATE] = "MB/s or GB/s", [UNIT_BYTES] = "bytes, KiB, MiB or GiB"};

typedef struct key {
    const char *name;
    size_t offset;
    unit_kind unit;
    double least, most; /* in the library's unit */
} key;

#define AT(member) #member, offsetof(lab_profile, member)
#define TIME_OF(member)                                                                                                \
    {                                                                                                                  \
        AT(member), UNIT_TIME, 0, 1e9                                                                                  \
    }
#define RATE_OF(member)                                                                                                \
    {                                                                                                                  \
        AT(member), UNIT_RATE, 1, 1e9                                                                                  \
    }
#define BYTES_OF(member)                                                                                               \
    {                                                                                                                  \
        AT(member), UNIT_BYTES, 0, 1e15                                                                                \
    }
#define COUNT_OF(member, from, to)                                                                                     \
    {                                                                                                                  \
        AT(member), UNIT_COUNT, from, to                                                                               \
    }
static const key keys[] = {
    COUNT_OF(multiprocessors, 1, 1e5),
    COUNT_OF(threads_per_multiprocessor, 1, 1e5),
    COUNT_OF(kernels_at_once, 1, 1e5),
    COUNT_OF(queues, 1, 1024),
    TIME_OF(queue_turn),
    COUNT_OF(copy_engines, 1, 2),
    RATE_OF(htod_rate),
    RATE_OF(dtoh_rate),
    RATE_OF(both_rate),
    TIME_OF(copy_start),
    RATE_OF(peer_rate),
    RATE_OF(peer_access_rate),
    RATE_OF(pageable_htod_rate),
    RATE_OF(pageable_dtoh_rate),
    TIME_OF(pageable_start),
    BYTES_OF(staging_bytes),
    RATE_OF(read_rate),
    RATE_OF(write_rate),
    RATE_OF(cache_rate),
    RATE_OF(memory_rate),
    RATE_OF(thread_rate),
    BYTES_OF(cache_bytes),
    TIME_OF(kernel_start),
    TIME_OF(hand_over),
    TIME_OF(stream_gap),
    TIME_OF(graph_step),
    TIME_OF(graph_branch),
    TIME_OF(sum_join),
    TIME_OF(launch_call),
    TIME_OF(launch_argument),
    TIME_OF(copy_call),
    TIME_OF(fill_call),
    TIME_OF(event_call),
    TIME_OF(graph_call),
    TIME_OF(pool_call),
    TIME_OF(other_call),
    TIME_OF(wait_call),
    TIME_OF(host_function),
};
enum { KEYS = sizeof keys / sizeof *keys };

/* --- Lines ------------------------------------------------------------------------------------------------------ */

enum { LINE_BYTES = 512 };

typedef struct reader {
    const char *source;
    int line;
    char *rest; /* the rest of the line */
    lab_profile *profile;
    bool seen[KEYS];
} reader;

__attribute__((format(printf, 2, 3))) static lab_status refuse(const reader *input, const char *format, ...)
{
    char what[LINE_BYTES + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s:%d: %s", input->source, input->line, what);
}

/* The next word of the line; "" at its end. */
static const char *next_word(reader *input)
{
    char *word = input->rest + strspn(input->rest, " \t");
    size_t length = strcspn(word, " \t");
    input->rest = word + length;
    if (*input->rest) *input->rest++ = '\0';
    return word;
}

/* Plain decimal: no exponent of hundreds, no hexadecimal, no "inf". */
static bool to_number(const char *word, double *out)
{
    size_t length = strspn(word, "0123456789.");
    char *end;
    if (length == 0 || word[length] || length > 20) return false;
    *out = strtod(word, &end);
    return *end == '\0' && isfinite(*out);
}

static lab_status read_value(reader *input, const char *key_name, const key *bounds, double *out)
{
    const char *word = next_word(input);
    double value, factor = 1;
    if (!to_number(word, &value)) return refuse(input, "%s needs a number, not \"%s\"", key_name, word);
    if (bounds->unit != UNIT_COUNT) {
        const char *unit = next_word(input);
        factor = 0;
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (units[i].kind == bounds->unit && strcmp(units[i].word, unit) == 0) factor = units[i].factor;
        if (factor <= 0)
            return refuse(input,
                          "%s needs a unit: %s, not "
                          "\"%s\"",
                          key_name, unit_names[bounds->unit], unit);
    }
    *out = value * factor;
    if (*out < bounds->least || *out > bounds->most)
        return refuse(input, "%s is out of range: it must be from %g to %g%s", key_name, bounds->least / factor,
                      bounds->most / factor, bounds->unit == UNIT_COUNT ? "" : " in this unit");
    if (bounds->unit == UNIT_COUNT && *out != floor(*out)) return refuse(input, "%s must be a whole number", key_name);
    return LAB_SUCCESS;
}

/* `kernel NAME THREADS BYTES TIME TIME` or `computing NAME TIME TIME`. */
static lab_status read_kernel(reader *input, const char *word)
{
    static const key threads = {"threads", 0, UNIT_COUNT, 1, 1e12}, bytes = {"bytes", 0, UNIT_BYTES, 1, 1e15},
                     time = {"time", 0, UNIT_TIME, 1e-3, 1e9};
    lab_profile *profile = input->profile;
    const char *name = next_word(input);
    if (profile->kernels == PROFILE_KERNELS)
        return refuse(input, "%s: at most %d can be listed", word, PROFILE_KERNELS);
    if (*name == '\0' || strlen(name) >= PROFILE_KERNEL_BYTES)
        return refuse(input, "%s needs a name of 1 to %d bytes", word, PROFILE_KERNEL_BYTES - 1);
    if (lab_profile_kernel(profile, name)) return refuse(input, "kernel %s is listed twice", name);
    profile_kernel *kernel = &profile->kernel[profile->kernels];
    strcpy(kernel->name, name);
    if (strcmp(word, "computing") == 0) {
        LAB_TRY(read_value(input, "computing: time with few threads", &time, &kernel->alone_us));
        LAB_TRY(read_value(input, "computing: time with all threads", &time, &kernel->full_us));
    } else {
        LAB_TRY(read_value(input, "kernel: threads", &threads, &kernel->threads));
        LAB_TRY(read_value(input, "kernel: bytes", &bytes, &kernel->bytes));
        LAB_TRY(read_value(input, "kernel: time with cached memory", &time, &kernel->cached_us));
        LAB_TRY(read_value(input, "kernel: time with uncached memory", &time, &kernel->memory_us));
    }
    profile->kernels++;
    return LAB_SUCCESS;
}

static lab_status read_title(reader *input)
{
    const char *title = input->rest + strspn(input->rest, " \t");
    if (*title == '\0') return refuse(input, "title needs a text");
    lab_text_clean(input->profile->title, sizeof input->profile->title, title, strlen(title));
    input->rest += strlen(input->rest);
    return LAB_SUCCESS;
}

static lab_status read_key(reader *input, const char *name)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0) continue;
        if (input->seen[i]) return refuse(input, "%s is given twice", name);
        input->seen[i] = true;
        double value = 0;
        LAB_TRY(read_value(input, name, &keys[i], &value));
        memcpy((char *)input->profile + keys[i].offset, &value, sizeof value);
        return LAB_SUCCESS;
    }
    return refuse(input, "unknown key \"%s\"", name);
}

static lab_status read_line(reader *input, char *line)
{
    line[strcspn(line, "#\r")] = '\0';
    input->rest = line;
    const char *name = next_word(input);
    if (*name == '\0') return LAB_SUCCESS;
    const bool kernel = strcmp(name, "kernel") == 0 || strcmp(name, "computing") == 0;
    LAB_TRY(strcmp(name, "title") == 0 ? read_title(input) : kernel ? read_kernel(input, name) : read_key(input, name));
    const char *more = next_word(input);
    if (*more) return refuse(input, "%s: \"%s\" is one word too many", name, more);
    return LAB_SUCCESS;
}

static lab_status read_lines(reader *input, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - (text + at)) : size - at;
        char line[LINE_BYTES];
        input->line++;
        if (length >= LINE_BYTES) return refuse(input, "the line is longer than %d bytes", LINE_BYTES - 1);
        lab_text_clean(line, sizeof line, text + at, length);
        LAB_TRY(read_line(input, line));
        at += length + 1;
    }
    for (size_t i = 0; i < KEYS; i++)
        if (!input->seen[i]) return refuse(input, "%s is missing", keys[i].name);
    return LAB_SUCCESS;
}

/* --- Profiles --------------------------------------------------------------------------------------------------- */

/* "h200" for "h200" and for "…/h200.profile". */
static void name_after(char *name, const char *source)
{
    const char *slash = strrchr(source, '/');
    const char *base = slash ? slash + 1 : source;
    size_t length = strlen(base);
    const char *ending = ".profile";
    if (length > strlen(ending) && strcmp(base + length - strlen(ending), ending) == 0) length -= strlen(ending);
    lab_text_clean(name, PROFILE_NAME_BYTES, base, length);
}

lab_status lab_profile_parse(lab_profile **out, const char *text, size_t size, const char *source)
{
    reader input = {.source = source, .profile = calloc(1, sizeof *input.profile)};
    if (!input.profile) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the profile %s", source);
    name_after(input.profile->name, source);
    lab_status status = read_lines(&input, text, size);
    if (status != LAB_SUCCESS) {
        lab_profile_free(input.profile);
        return status;
    }
    *out = input.profile;
    return LAB_SUCCESS;
}

static lab_status parse_file(lab_profile **out, const char *path)
{
    enum { FILE_BYTES = 64 * 1024 };
    FILE *file = fopen(path, "re");
    if (!file) return lab_fail(LAB_ERROR_FILE_NOT_FOUND, "cannot read the profile %s: %s", path, strerror(errno));
    char *text = malloc(FILE_BYTES + 1);
    size_t size = text ? fread(text, 1, FILE_BYTES + 1, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    lab_status status;
    if (!text)
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the profile %s", path);
    else if (failed)
        status = lab_fail(LAB_ERROR_FILE_NOT_FOUND, "cannot read the profile %s", path);
    else if (size > FILE_BYTES)
        status = lab_fail(LAB_ERROR_INVALID_VALUE,
                          "%s is not a profile: it has more than %d "
                          "KiB",
                          path, FILE_BYTES >> 10);
    else
        status = lab_profile_parse(out, text, size, path);
    free(text);
    return status;
}

lab_status lab_profile_open(lab_profile **out, const char *name)
{
    if (!out || !name) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_profile_open: %s is NULL", out ? "name" : "out");
    *out = NULL;
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0) return lab_profile_parse(out, known[i].text, strlen(known[i].text), name);
    if (strpbrk(name, "./")) return parse_file(out, name);
    char names[KNOWN * PROFILE_NAME_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < KNOWN; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", known[i].name);
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "there is no profile \"%s\"; use %sor the path of a file, such as ./%s.profile", name, names, name);
}

void lab_profile_free(lab_profile *profile) { free(profile); }

bool lab_profile_has_kernel(const lab_profile *profile, const char *kernel)
{
    return lab_profile_kernel(profile, kernel) != NULL;
}

const profile_kernel *lab_profile_kernel(const lab_profile *profile, const char *name)
{
    for (int i = 0; i < profile->kernels; i++)
        if (strcmp(profile->kernel[i].name, name) == 0) return &profile->kernel[i];
    return NULL;
}
