/* The words name the variable in the code; else the null pointer; else the memory that the ledger knows or the module's
 * nearest variable, whichever is nearer. */
#include "memcheck_text.h"

#include "seam/ledger.h"

#include <stdio.h>
#include <string.h>

enum { NULL_BYTES = 4096, NEAR_BYTES = 64 * 1024 };

bool memcheck_is_dynamic_shared(const char *name) { return strcmp(name, "lab_dynamic_shared") == 0; }

/* Bytes that have a name, or may be described. */
typedef struct extent {
    uintptr_t address;
    size_t bytes;
} extent;

/* "40 bytes into " */
static void write_offset(char *text, size_t capacity, size_t bytes)
{
    if (bytes > 0)
        snprintf(text, capacity, "%zu byte%s into ", bytes, bytes == 1 ? "" : "s");
    else
        snprintf(text, capacity, "at the beginning of ");
}

/* "12 bytes past the end of ", "of which the last 2 lie past the end of ": where the access is, besides the extent. */
static void write_side(char *text, size_t capacity, const cpu_access *access, extent object)
{
    const uintptr_t address = (uintptr_t)access->address, end = object.address + object.bytes;
    const size_t bytes = access->bytes;
    const bool below = address < object.address;
    const size_t away = below ? object.address - address : address - end;
    if (below && bytes > away)
        snprintf(text, capacity, "of which the first %zu lie before the beginning of ", away);
    else if (below)
        snprintf(text, capacity, "%zu byte%s before the beginning of ", away, away == 1 ? "" : "s");
    else if (address < end && bytes <= end - address)
        write_offset(text, capacity, address - object.address);
    else if (address < end)
        snprintf(text, capacity, "of which the last %zu lie past the end of ", bytes - (size_t)(end - address));
    else if (away == 0)
        snprintf(text, capacity, "just past the end of ");
    else
        snprintf(text, capacity, "%zu byte%s past the end of ", away, away == 1 ? "" : "s");
}

/* "the __shared__ variable 'tile' of 256 bytes" */
static void write_variable(char *text, size_t capacity, cpu_space space, const char *name, size_t bytes)
{
    const bool dynamic = memcheck_is_dynamic_shared(name);
    const char *what = dynamic                     ? "dynamic shared memory"
                       : space == CPU_SPACE_LOCAL  ? "local array"
                       : space == CPU_SPACE_SHARED ? "__shared__ variable"
                                                   : "variable";
    const char *quote = dynamic || !*name ? "" : "'";
    snprintf(text, capacity, "the %s%s%s%s%s of %zu byte%s", what, *quote ? " " : "", quote, *quote ? name : "", quote,
             bytes, bytes == 1 ? "" : "s");
}

/* The variable of a module that is nearest to an access. */
typedef struct nearest {
    const cpu_access *access;
    size_t dynamic_shared;
    size_t distance;
    cpu_space space;
    const char *name; /* NULL if none is near */
    extent object;
} nearest;

static void look_at_variable(void *user, const void *variable, unsigned long bytes, const char *name, cpu_space space)
{
    nearest *best = user;
    if (memcheck_is_dynamic_shared(name)) bytes = best->dynamic_shared;
    const uintptr_t address = (uintptr_t)best->access->address, begin = (uintptr_t)variable, end = begin + bytes;
    const size_t distance = address < begin ? begin - address : address < end ? 0 : address - end;
    if (*name == '.' || distance >= best->distance) return;
    best->distance = distance;
    best->space = space;
    best->name = name;
    best->object = (extent){begin, bytes};
}

/* The same for the variable that holds the access. */
static void look_inside_variable(void *user, const void *variable, unsigned long bytes, const char *name,
                                 cpu_space space)
{
    nearest *best = user;
    const size_t size = memcheck_is_dynamic_shared(name) ? best->dynamic_shared : bytes;
    if ((uintptr_t)best->access->address - (uintptr_t)variable < size)
        look_at_variable(user, variable, bytes, name, space);
}

/* Writes what the ledger knows of the address. False if it knows nothing. */
static bool write_memory(char *text, size_t capacity, const cpu_access *access, uint64_t ledger_count, bool misaligned)
{
    ledger_entry entry;
    char side[96], words[384];
    const uint64_t address = (uintptr_t)access->address;
    const ledger_answer answer = ledger_find(&entry, address, access->bytes, ledger_count);
    if (answer == LEDGER_NOTHING || answer == LEDGER_UNKNOWN) return false;
    const extent object = {(uintptr_t)entry.address, entry.bytes};
    const bool ends_inside =
        address - entry.address < entry.bytes && access->bytes <= entry.bytes - (size_t)(address - entry.address);
    ledger_describe(words, sizeof words, &entry, answer == LEDGER_FREED);
    if (answer == LEDGER_FREED)
        write_offset(side, sizeof side, (size_t)(address - entry.address));
    else
        write_side(side, sizeof side, access, object);
    static const char peer[] = " in another context, whose memory the kernel may not use: "
                               "lab_context_enable_peer_access allows it";
    snprintf(text, capacity, "%sthe %s%s", side, words,
             answer == LEDGER_USABLE && ends_inside && !misaligned ? peer : "");
    return true;
}

/* A variable must be nearer than this, and than any memory that the ledger knows, to be named. */
static size_t distance_to_memory(const cpu_access *access, uint64_t ledger_count)
{
    ledger_entry entry;
    const uint64_t address = (uintptr_t)access->address;
    const ledger_answer answer = ledger_find(&entry, address, access->bytes, ledger_count);
    if (answer == LEDGER_USABLE || answer == LEDGER_FREED) return 0;
    if (answer != LEDGER_NEAR) return NEAR_BYTES;
    const uint64_t away = address < entry.address ? entry.address - address : address - (entry.address + entry.bytes);
    return away < NEAR_BYTES ? (size_t)away + 1 : NEAR_BYTES;
}

static void write_place(char *text, size_t capacity, const cpu_kernel *kernel, const cpu_access *access,
                        const memcheck_scene *scene, bool misaligned)
{
    const uintptr_t address = (uintptr_t)access->address;
    char side[128], words[512];
    if (access->object) {
        const extent object = {(uintptr_t)access->object, access->object_bytes};
        write_side(side, sizeof side, access, object);
        write_variable(words, sizeof words, access->site->space, access->site->variable, access->object_bytes);
        snprintf(text, capacity, "%s%s", side, words);
        return;
    }
    if (address < NULL_BYTES) {
        snprintf(text, capacity, "through a null pointer");
        return;
    }
    nearest best = {.access = access,
                    .dynamic_shared = scene->dynamic_shared,
                    .distance = distance_to_memory(access, scene->ledger_count)};
    kernel->variables(look_at_variable, &best);
    if (best.name) {
        write_side(side, sizeof side, access, best.object);
        write_variable(words, sizeof words, best.space, best.name, best.object.bytes);
        snprintf(text, capacity, "%s%s", side, words);
    } else if (!write_memory(text, capacity, access, scene->ledger_count, misaligned)) {
        snprintf(text, capacity, "where nothing is allocated");
    }
}

void memcheck_name(char *text, size_t capacity, const cpu_kernel *kernel, uintptr_t address, size_t bytes,
                   const memcheck_scene *scene)
{
    char offset[96], words[384];
    ledger_entry entry;
    const cpu_access access = {.address = (const void *)address, .bytes = bytes};
    nearest best = {.access = &access, .dynamic_shared = scene->dynamic_shared, .distance = 1};
    kernel->variables(look_inside_variable, &best);
    if (best.name) {
        write_offset(offset, sizeof offset, address - best.object.address);
        write_variable(words, sizeof words, best.space, best.name, best.object.bytes);
        snprintf(text, capacity, "%s%s", offset, words);
    } else if (ledger_find(&entry, address, bytes, scene->ledger_count) == LEDGER_USABLE) {
        write_offset(offset, sizeof offset, (size_t)(address - entry.address));
        snprintf(text, capacity, "%sthe %s", offset, ledger_describe(words, sizeof words, &entry, false));
    } else {
        snprintf(text, capacity, "at 0x%lx", (unsigned long)address);
    }
}

cpu_failure_kind memcheck_describe(char text[MEMCHECK_WORDS], const cpu_kernel *kernel, const cpu_access *access,
                                   const memcheck_scene *scene)
{
    static const char *const verb[] = {
        [CPU_SITE_READ] = "reads", [CPU_SITE_WRITE] = "writes", [CPU_SITE_ATOMIC] = "atomically updates"};
    const cpu_site *site = access->site;
    const bool misaligned = ((uintptr_t)access->address & (site->align - 1)) != 0;
    char place[MEMCHECK_WORDS - 128], rule[64] = "";
    write_place(place, sizeof place, kernel, access, scene, misaligned);
    if (misaligned) snprintf(rule, sizeof rule, "which is no multiple of %u, ", site->align);
    snprintf(text, MEMCHECK_WORDS, "%s %lu byte%s at 0x%lx, %s%s", verb[site->kind], access->bytes,
             access->bytes == 1 ? "" : "s", (unsigned long)(uintptr_t)access->address, rule, place);
    return misaligned ? CPU_FAILURE_ALIGNMENT : CPU_FAILURE_ADDRESS;
}
