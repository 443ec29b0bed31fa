/*
 * From source to key, from key to object, from object to module. An object is loaded from a file in memory: the loaded
 * bytes are then the checked ones, whatever happens to the cache, and the same kernels can be loaded twice.
 */
#include "compile.h"
#include "link_parts.h"
#include "stages.h"

#include "base/monotonic.h"
#include "base/system/cache.h"
#include "base/status.h"
#include "cpu/builtins/builtins.h"
#include "cpu/object/module_tables.h"
#include "cpu/object/object_places.h"
#include "cpu/passes/memcheck.h"
#include "seam/backend.h"
#include "seam/checks.h"
#include "seam/kernel_headers.h"
#include "seam/ledger.h"
#include "seam/source_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

typedef struct loaded_module {
    cpu_module public;
    void *object;
    int descriptor; /* stays open, so that its path cannot come to name another object */
} loaded_module;

/* ---- the key ---- */

/* The properties of the processor on which -march=native depends. */
typedef struct processor {
    unsigned long capabilities[2];
    unsigned answer[6][4]; /* of cpuid */
} processor;

static processor native;

/* Leaves out the number of the core that runs this. Done once: a virtual machine takes microseconds for each answer. */
static void describe_processor(void)
{
    processor p = {.capabilities = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)}};
#if defined(__x86_64__)
    static const struct {
        unsigned leaf, part, ebx_mask;
    } query[] = {{1, 0, 0}, {7, 0, ~0u}, {7, 1, ~0u}, {0xd, 1, 0}, {0x80000001, 0, ~0u}, {0x80000008, 0, ~0u}};
    _Static_assert(sizeof query / sizeof *query == sizeof p.answer / sizeof *p.answer, "an answer to each query");
    for (size_t i = 0; i < sizeof query / sizeof *query; ++i) {
        unsigned *answer = p.answer[i];
        __get_cpuid_count(query[i].leaf, query[i].part, &answer[0], &answer[1], &answer[2], &answer[3]);
        answer[1] &= query[i].ebx_mask;
    }
#endif
    native = p;
}

/* The key of everything that the object depends on: the unit's text (the source, its name, the table, and which
 * built-ins and headers precede them), the files that it includes, clang and its options, the version of built-ins,
 * headers and passes, the processor. */
static lab_status find_key(cache_key *key, const cpu_clang *clang, const cpu_unit *unit)
{
    static pthread_once_t described = PTHREAD_ONCE_INIT;
    pthread_once(&described, describe_processor);
    cpu_text included = {0};
    if (unit->scan->includes_files) LAB_TRY(cpu_unit_preprocess(&included, clang, unit));
    char *identity = cpu_clang_identity(clang);
    bool made = false;
    if (identity) {
        const unsigned before[] = {unit->scan->needs, unit->checked, unit->checks, unit->in_turn};
        const cache_bytes part[] = {
            {before, sizeof before},
            {unit->text.data + unit->source_begin, unit->text.size - unit->source_begin},
            {included.data, included.size},
            {identity, strlen(identity)},
            {cpu_compiler_version, strlen(cpu_compiler_version)},
            {&native, sizeof native},
        };
        made = cache_key_make(key, part, sizeof part / sizeof *part);
    }
    free(included.data);
    free(identity);
    return made ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", unit->name);
}

/* ---- the object ---- */

/* Whether a kernel may be split. Where it waits or loops, the source shows it: the name of each function in which
 * threads wait has "sync" in it, but for __activemask and for those that a header calls, and loops have words of their
 * own. Without any, both ways to compile kernels are one, and every schedule finds the same object. In the loops of
 * generated kernels no threads take turns. A kernel that pastes the names together is not split. */
static bool may_be_split(const kernel_scan *scan)
{
    const bool loops = strstr(scan->source, "for") || strstr(scan->source, "while");
    const bool is_generated = strncmp(scan->source, GENERATED_SOURCE, strlen(GENERATED_SOURCE)) == 0;
    return (scan->needs & (KERNEL_HEADER_GROUPS | KERNEL_HEADER_PIPELINE)) || strstr(scan->source, "sync") ||
           (loops && !is_generated);
}

static lab_status find_object(cpu_text *object, int64_t *compile_ns, const cpu_unit *unit)
{
    cpu_clang clang;
    cache_key key;
    void *data;
    int claim;
    LAB_TRY(cpu_clang_find(&clang));
    clang.splits = clang.splits && may_be_split(unit->scan);
    LAB_TRY(find_key(&key, &clang, unit));
    lab_status status = LAB_SUCCESS;
    *compile_ns = 0;
    if (cache_read(&data, &object->size, &claim, &key)) {
        object->data = data;
    } else {
        const int64_t begin = monotonic_ns();
        status = cpu_unit_compile(object, &clang, unit);
        *compile_ns = monotonic_ns() - begin;
        if (status == LAB_SUCCESS) cache_write(&key, object->data, object->size);
    }
    cache_give_up(claim);
    cache_key_free(&key);
    return status;
}

/* An untrusted program gives sources, which the front end judges. */
static lab_status refuse_code(const char *name)
{
    return lab_fail(LAB_ERROR_NOT_SUPPORTED, "%s: a program that labcc compiled cannot be run apart from its device",
                    name);
}

/* Takes the code of a program's image, or of several, which are linked. */
static lab_status take_code(cpu_unit *unit, kernel_scan *scan, const char *images, const char *name)
{
    cpu_text linked = {0};
    program_image image;
    const char *at = images;
    if (source_files_are_refused()) return refuse_code(name);
    program_image_take(&image, &at);
    if (*at || program_image_needs_link(images)) {
        LAB_TRY(cpu_link_parts(&linked, images, name));
        image = (program_image){.cpu = linked.data, .cpu_bytes = linked.size};
    }
    const lab_status status = cpu_unit_take_code(unit, scan, &image, name, ledger_is_kept());
    free(linked.data);
    return status;
}

/* A sum of check_forms. */
static unsigned find_checks(void)
{
    const bool values = kernel_check_is_on(KERNEL_CHECK_UNWRITTEN) || kernel_check_is_on(KERNEL_CHECK_BARRIERS);
    return (kernel_check_is_on(KERNEL_CHECK_RACES) ? CHECK_FORM_RACES : 0) | (values ? CHECK_FORM_VALUES : 0);
}

static lab_status compile(cpu_text *object, int64_t *compile_ns, int *kernels, const char *source, const char *name)
{
    kernel_scan scan = {0};
    cpu_unit unit = {0};
    program_image last;
    lab_status status;
    if (program_images_last(&last, source))
        status = take_code(&unit, &scan, source, name);
    else if (kernel_scan_source(&scan, source))
        status = cpu_unit_write(&unit, &scan, name, ledger_is_kept());
    else
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to read %s", name);
    unit.checks = unit.checked ? find_checks() : 0;
    unit.in_turn = unit.checked && kernel_check_is_on(KERNEL_CHECK_UNWRITTEN) && may_be_split(&scan);
    if (status == LAB_SUCCESS) status = find_object(object, compile_ns, &unit);
    *kernels = scan.kernels;
    free(unit.text.data);
    kernel_scan_free(&scan);
    return status;
}

/* ---- the module ---- */

/* Makes a file in memory with these bytes, and seals it where the system can: its pages are the code that runs. -1 on
 * failure, with errno set. */
static int file_in_memory(const cpu_text *object)
{
    const int descriptor = memfd_create("kernels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t written = 0;
    while (descriptor >= 0 && written < object->size) {
        const ssize_t count = write(descriptor, object->data + written, object->size - written);
        if (count < 0 && errno != EINTR) {
            close(descriptor);
            return -1;
        }
        if (count > 0) written += (size_t)count;
    }
    if (descriptor >= 0) fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
    return descriptor;
}

/* The range of a loaded object's executable segment. */
typedef struct code_search {
    uintptr_t inside; /* an address in it */
    uintptr_t begin, end;
} code_search;

static int look_for_code(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    code_search *search = user;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        if (search->inside - begin >= segment->p_memsz) continue;
        search->begin = begin;
        search->end = begin + segment->p_memsz;
    }
    return search->end != 0;
}

static void find_code(const cpu_module *module)
{
    for (int i = 0; i < module->kernels; ++i) {
        cpu_kernel *kernel = (cpu_kernel *)&module->kernel[i];
        code_search code = {.inside = (uintptr_t)kernel->entry};
        dl_iterate_phdr(look_for_code, &code);
        kernel->code = (const void *)code.begin;
        kernel->code_bytes = code.end - code.begin;
    }
}

/* The path of an open file. A debugger opens it too, in whose process /proc/self would be another file: the program's
 * number is in it where /proc has that number. */
static void write_path(char path[64], int descriptor)
{
    struct stat file, named;
    snprintf(path, 64, "/proc/%d/fd/%d", (int)getpid(), descriptor);
    if (fstat(descriptor, &file) == 0 && stat(path, &named) == 0 && file.st_dev == named.st_dev &&
        file.st_ino == named.st_ino)
        return;
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
}

static void *find_symbol(void *object, const char *name) { return dlsym(object, name); }

static lab_status open_object(loaded_module *module, const cpu_text *object, const char *name)
{
    char path[64];
    module->descriptor = file_in_memory(object);
    if (module->descriptor < 0)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the kernels of %s: %s", name, strerror(errno));
    write_path(path, module->descriptor);
    module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module->object)
        return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s cannot be loaded: %s", name, dlerror());
    LAB_TRY(module_tables_read(&module->public, find_symbol, module->object, name));
    find_code(&module->public);
    return LAB_SUCCESS;
}

static lab_status load_object(cpu_module **out, const cpu_text *object, const char *name)
{
    loaded_module *module = calloc(1, sizeof *module);
    if (!module) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    const lab_status status = open_object(module, object, name);
    if (status == LAB_SUCCESS)
        *out = &module->public;
    else
        cpu_module_unload(&module->public);
    return status;
}

/* Managed variables are where the host's code has them. */
static lab_status place_variables(const cpu_text *object, const char *source, const char *name)
{
    program_image image;
    program_place place;
    const char *places = program_images_last(&image, source) ? image.places : NULL; /* the last has them all */
    while (places && program_image_next_place(&place, &places))
        if (!object_place(object->data, object->size, (span){place.mangled, (size_t)place.mangled_length},
                          place.address))
            return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s have no managed variable %.*s", name,
                            place.mangled_length, place.mangled);
    return LAB_SUCCESS;
}

lab_status cpu_module_compile(cpu_text *object, int *kernels, int64_t *compile_ns, const char *source, const char *name)
{
    program_image image;
    if (program_images_last(&image, source) && image.places_bytes)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED,
                        "%s has __managed__ variables, which kernels in another process "
                        "cannot reach: leave LAB_KERNELS_APART out",
                        name);
    return compile(object, compile_ns, kernels, source, name);
}

lab_status cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result)
{
    const int64_t begin = monotonic_ns();
    cpu_text object = {0};
    int64_t compile_ns = 0;
    int kernels;
    lab_status status = compile(&object, &compile_ns, &kernels, source, name);
    if (status == LAB_SUCCESS) status = place_variables(&object, source, name);
    if (status == LAB_SUCCESS) status = load_object(out, &object, name);
    free(object.data);
    if (result) *result = (cpu_compile_result){compile_ns, (double)(monotonic_ns() - begin) * 1e-6};
    return status;
}

void cpu_module_unload(cpu_module *module)
{
    loaded_module *loaded = (loaded_module *)module;
    if (!loaded) return;
    free((cpu_kernel *)loaded->public.kernel);
    if (loaded->object) dlclose(loaded->object);
    if (loaded->descriptor >= 0) close(loaded->descriptor);
    free(loaded);
}
