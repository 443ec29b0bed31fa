/*
 * Feeds arbitrary bytes to the reader of compiled objects, as the device process reads one: its image, its addresses,
 * its tables. What it accepts is then used as a module's tables are. No code of the object runs.
 */
#include "cpu/object/module_tables.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What the launches and the record read. */
static size_t use(const cpu_module *module)
{
    size_t sum = 0;
    const char *name = module->variable_names;
    for (const cpu_variable *variable = module->variable; variable && variable->address; variable++) {
        sum += variable->bytes + strlen(name);
        name += strlen(name) + 1;
    }
    for (int i = 0; i < module->kernels; i++) {
        const cpu_kernel *kernel = &module->kernel[i];
        sum += strlen(kernel->name) + strlen(kernel->access) + strlen(kernel->variable_access);
        if (kernel->suspends) sum += strlen(kernel->suspends);
        for (int p = 0; p < kernel->params; p++)
            sum += strlen(kernel->param[p].name) + strlen(kernel->param[p].type) + kernel->param[p].size;
        for (unsigned long w = 0; kernel->split && w < kernel->split->regions; w++) sum += kernel->split->place[w].kind;
    }
    return sum;
}

static void *find_symbol(void *image, const char *name) { return object_image_symbol(image, name); }

static bool protect(void *memory, uint64_t bytes, int protection) { return (void)memory, (void)protection, bytes > 0; }

static void *resolve(const char *name) { return *name == 'f' ? (void *)(uintptr_t)0x1000 : NULL; }

/* What the process of kernels reads, but for the code. */
static void use_as_loader(object_image *image, const void *object)
{
    uint64_t code_bytes;
    memset(image->memory, 0, image->bytes);
    object_image_copy(image, object);
    if (object_image_relocate(image, resolve, 1)) return;
    const object_thread_storage storage = object_image_thread_storage(image);
    unsigned char *copy = malloc(storage.given + 1);
    if (copy && storage.begins_with) memcpy(copy, storage.begins_with, storage.given);
    free(copy);
    object_image_protect(image, protect);
    object_image_code(&code_bytes, image);
}

/* The first byte is the number of kernels that the source has. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { MOST_BYTES = 1 << 20 };
    const char *fault;
    if (size < 1) return 0;
    /* Aligned as the compiler's output is, and exactly as long. */
    void *object = malloc(size - 1 ? size - 1 : 1);
    memcpy(object, bytes + 1, size - 1);
    object_image image = {.bytes = object_image_bytes(&fault, object, size - 1)};
    if (image.bytes > 0 && image.bytes <= MOST_BYTES) {
        image.memory = calloc(1, image.bytes + 1);
        object_image_copy(&image, object);
        fault = object_image_relocate(&image, NULL, 0);
        if (!fault) fault = module_tables_check(&image, bytes[0]);
        cpu_module module = {0};
        if (!fault && module_tables_read(&module, find_symbol, &image, "fuzzed") == LAB_SUCCESS) {
            use(&module);
            free((void *)module.kernel);
        }
        use_as_loader(&image, object);
        free(image.memory);
    }
    free(object);
    return 0;
}
