/*
 * Source to key, key to object, object to module. An object is loaded from a file in memory of its own: the checked
 * bytes are then what is loaded, whatever happens to the cache, and the same kernels can be loaded twice.
 */
#include "compile.h"
#include "cpu/builtins/builtins.h"
#include "cpu/builtins/wait_name.h"
#include "base/system/cache.h"
#include "clang.h"
#include "seam/ledger.h"
#include "base/status.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

typedef struct loaded_module {
    cpu_module public;
    void *object;
    int descriptor; /* stays open: the path that names it must not come to name another object */
} loaded_module;

/* ---- the key ---- */

/* What the compiler's -march=native looks at. The number of the core that runs this is masked out. */
static void describe_processor(char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#if defined(__x86_64__)
    static const struct {
        unsigned leaf, part, ebx_mask;
    } query[] = {{1, 0, 0}, {7, 0, ~0u}, {7, 1, ~0u}, {0xd, 1, 0}, {0x80000001, 0, ~0u}, {0x80000008, 0, ~0u}};
    for (size_t i = 0; i < sizeof query / sizeof *query && used < capacity; ++i) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        __get_cpuid_count(query[i].leaf, query[i].part, &a, &b, &c, &d);
        used += (size_t)snprintf(text + used, capacity - used, " %x %x %x %x", a, b & query[i].ebx_mask, c, d);
    }
#else
    (void)used;
#endif
}

/* Everything the object depends on: the unit's text (with the built-ins and the source's name in it), the files it
 * includes, the compiler, its options, what rewrites its code, the processor. */
static lab_status find_key(cache_key *key, const cpu_clang *clang, const cpu_unit *unit)
{
    char processor[512];
    describe_processor(processor, sizeof processor);
    cpu_text included = {0};
    if (unit->scan->includes_files) LAB_TRY(cpu_clang_preprocess(&included, clang, unit));
    const cache_bytes part[] = {
        {unit->text.data, unit->text.size},
        {included.data ? included.data : "", included.size},
        {clang->identity, strlen(clang->identity)},
        {cpu_rewriter, strlen(cpu_rewriter)},
        {processor, strlen(processor)},
    };
    *key = cache_key_of(part, sizeof part / sizeof *part);
    free(included.data);
    return LAB_SUCCESS;
}

/* ---- the object ---- */

static lab_status find_object(cpu_text *object, bool *from_cache, const cpu_unit *unit)
{
    cpu_clang clang;
    cache_key key;
    void *data;
    LAB_TRY(cpu_clang_find(&clang));
    LAB_TRY(find_key(&key, &clang, unit));
    *from_cache = cache_read(&data, &object->size, key);
    if (*from_cache) {
        object->data = data;
        return LAB_SUCCESS;
    }
    LAB_TRY(cpu_clang_compile(object, &clang, unit));
    cache_write(key, object->data, object->size);
    return LAB_SUCCESS;
}

static lab_status compile(cpu_text *object, bool *from_cache, const char *source, const char *name)
{
    kernel_scan scan;
    if (!kernel_scan_source(&scan, source)) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to read %s", name);
    cpu_unit unit;
    lab_status status = cpu_unit_write(&unit, &scan, name, ledger_is_kept());
    if (status == LAB_SUCCESS) status = find_object(object, from_cache, &unit);
    free(unit.text.data);
    kernel_scan_free(&scan);
    return status;
}

/* ---- the module ---- */

/* A file in memory with these bytes, which nobody can change where the system has seals: its pages are the code that runs.
 * -1, with errno set, if there can be none. */
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

/* Where the code of a loaded object lies: the range of the segments that can be executed. */
typedef struct code_search {
    uintptr_t inside; /* an address of it */
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

/* Copies the object's table of kernels and completes it with what the code showed; leaves out those that are no
 * kernels after all: removed by the preprocessor, or not extern "C". */
static lab_status read_kernels(cpu_module *module, void *object, const char *name)
{
    const cpu_kernel *table = dlsym(object, "lab_kernels");
    const cpu_facts *facts = dlsym(object, "lab_facts");
    module->variable = dlsym(object, "lab_variable_table");
    module->variable_names = dlsym(object, "lab_variable_names");
    int count = 0;
    while (table && table[count].name) ++count;
    if (!table || (count > 0 && !facts))
        return lab_fail(LAB_ERROR_UNKNOWN, "the compiled code of %s has no table of kernels", name);
    cpu_kernel *kernel = calloc((size_t)count + 1, sizeof *kernel);
    if (!kernel) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    module->kernel = kernel;
    for (int i = 0; i < count; ++i) {
        if (!facts[i].callable) continue;
        cpu_kernel *to = &kernel[module->kernels++];
        *to = table[i];
        to->split = facts[i].split;
        to->suspends = *facts[i].suspends ? facts[i].suspends : to->split ? cpu_split_wait_name(to->split) : NULL;
        to->shared_bytes = facts[i].shared_bytes;
        to->dynamic_shared = facts[i].shared_dynamic != 0;
        *(void **)&to->variables = dlsym(object, "lab_variables");
        code_search code = {.inside = (uintptr_t)to->entry};
        dl_iterate_phdr(look_for_code, &code);
        to->code = (const void *)code.begin;
        to->code_bytes = code.end - code.begin;
        to->access = strlen(facts[i].access) == (size_t)to->params ? facts[i].access : "";
        to->variable_access = module->variable ? facts[i].variables : "";
    }
    return LAB_SUCCESS;
}

static lab_status open_object(loaded_module *module, const cpu_text *object, const char *name)
{
    char path[64];
    module->descriptor = file_in_memory(object);
    if (module->descriptor < 0)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the kernels of %s: %s", name, strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", module->descriptor);
    module->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module->object)
        return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s cannot be loaded: %s", name, dlerror());
    return read_kernels(&module->public, module->object, name);
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

lab_status cpu_module_load(cpu_module **out, const char *source, const char *name, cpu_compile_result *result)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    cpu_text object = {0};
    bool from_cache = false;
    lab_status status = compile(&object, &from_cache, source, name);
    if (status == LAB_SUCCESS) status = load_object(out, &object, name);
    free(object.data);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (result)
        *result = (cpu_compile_result){from_cache, (double)(end.tv_sec - start.tv_sec) * 1e3 +
                                                       (double)(end.tv_nsec - start.tv_nsec) * 1e-6};
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
