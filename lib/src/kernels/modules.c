/* A module's thread-local variables are made when a thread first asks for one. */
#include "modules.h"

#include "cpu/object/module_tables.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct loaded {
    cpu_module tables;
    object_image image;
    object_thread_storage storage;
    uint64_t loads; /* of this number, so that a thread knows whose variables it has */
} loaded;

static loaded module[APART_MODULES];

/* What compiled code passes to __tls_get_addr. */
typedef struct storage_index {
    unsigned long module, offset;
} storage_index;

typedef struct thread_storage {
    unsigned char *memory;
    uint64_t loads;
} thread_storage;

static _Thread_local thread_storage own[APART_MODULES];

static __attribute__((noinline)) void make_storage(thread_storage *made, const loaded *owner)
{
    const object_thread_storage *storage = &owner->storage;
    const uint64_t align = storage->align < 64 ? 64 : storage->align;
    free(made->memory);
    made->memory = aligned_alloc(align, (storage->bytes + align) / align * align);
    if (!made->memory) abort();
    memcpy(made->memory, storage->begins_with, storage->given);
    memset(made->memory + storage->given, 0, storage->bytes - storage->given);
    made->loads = owner->loads;
}

static void *find_storage(const storage_index *index)
{
    thread_storage *mine = &own[index->module];
    if (mine->loads != module[index->module].loads) make_storage(mine, &module[index->module]);
    return mine->memory + index->offset;
}

static void *resolve(const char *name)
{
    return strcmp(name, "__tls_get_addr") == 0 ? (void *)find_storage : dlsym(RTLD_DEFAULT, name);
}

static bool protect(void *memory, uint64_t bytes, int protection) { return mprotect(memory, bytes, protection) == 0; }

static void *find_symbol(void *image, const char *name) { return object_image_symbol(image, name); }

static void find_code(loaded *made)
{
    uint64_t bytes;
    const void *code = object_image_code(&bytes, &made->image);
    for (int i = 0; i < made->tables.kernels; i++) {
        cpu_kernel *kernel = (cpu_kernel *)&made->tables.kernel[i];
        kernel->code = code;
        kernel->code_bytes = bytes;
    }
}

const char *modules_load(const apart_place *place)
{
    loaded *made = &module[place->module];
    *made = (loaded){.loads = made->loads + 1, .image = {(unsigned char *)(uintptr_t)place->address, place->bytes}};
    const char *fault = object_image_relocate(&made->image, resolve, place->module);
    if (fault) return fault;
    made->storage = object_image_thread_storage(&made->image);
    if (!object_image_protect(&made->image, protect)) return "its memory cannot be protected";
    if (module_tables_read(&made->tables, find_symbol, &made->image, "a module") != LAB_SUCCESS)
        return "no memory for its tables";
    find_code(made);
    return NULL;
}

void modules_unload(const apart_place *place)
{
    loaded *gone = &module[place->module];
    free((cpu_kernel *)gone->tables.kernel);
    gone->tables = (cpu_module){0};
    protect((void *)(uintptr_t)place->address, place->bytes, PROT_READ | PROT_WRITE);
}

const cpu_kernel *modules_kernel(uint32_t number, uint32_t kernel)
{
    const cpu_module *tables = &module[number % APART_MODULES].tables;
    return kernel < (uint32_t)tables->kernels ? &tables->kernel[kernel] : NULL;
}
