/*
 * The functions that clang calls in a CUDA program: in constructors __cudaRegisterFatBinary and what follows, around a
 * launch __cudaPushCallConfiguration and __cudaPopCallConfiguration. Their names and forms are clang's.
 *
 * Registered things are found by address in lists, which grow before main, or when a shared library is loaded.
 */
#include "register.h"
#include "cudart.h"
#include "image.h"

#include "base/status.h"
#include "seam/program/program_image.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FATBIN_MAGIC = 0x466243b1 };

/* What clang registers: a header that points to the image. */
typedef struct fatbin {
    int magic, version;
    const char *image;
    void *unused;
} fatbin;

/* Each context has its own modules. Lists are by the context's number. */
typedef struct binary {
    struct binary *next; /* in the order of registration */
    const char *image;
    int number;          /* among those whose code may be linked; -1 if it is not one of them */
    lab_module **module; /* NULL until it is loaded there */
    int modules;
} binary;

typedef struct registered {
    struct registered *next;
    binary *of;
    const void *address;
    const char *name; /* the mangled one */
    size_t bytes;     /* of a variable */
    bool is_kernel, is_managed;
    lab_function *function; /* of a kernel; the handle is 0 until it has been looked up */
    int functions;
} registered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static registered *all;
static binary *binaries, **last_binary = &binaries;
static int linked_binaries;   /* those whose code may be linked */
static bool links;            /* one of them needs it: all are one module, which is that of the first */
static const void *a_managed; /* the address of a managed variable, if there are any */
static lab_context **context; /* each that was current in a call; a new one may have the address of one that is gone */
static int contexts;

/* ---- what clang calls ---- */

typedef struct extent {
    unsigned x, y, z;
} extent;

void **__cudaRegisterFatBinary(const void *given);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaRegisterFunction(void **handle, const char *stub, char *device_function, const char *name, int thread_limit,
                           void *thread, void *block, void *block_extent, void *grid_extent, int *warp);
void __cudaRegisterVar(void **handle, char *variable, char *device_address, const char *name, int external,
                       size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(extent grid, extent block, size_t shared_bytes, void *stream, const char *file,
                                     int line, int per_thread);
int __cudaPopCallConfiguration(extent *grid, extent *block, size_t *shared_bytes, void *stream);

/* ---- before main ---- */

/* The CPU device, unless a GPU is asked for. An image without code for a GPU ends the program there: a program that
 * does not ask how a launch ended would print wrong numbers. */
static void choose_device(const char *image)
{
    const char *device = getenv("LAB_DEVICE");
    if (!device || strncmp(device, "cuda", 4) != 0) {
        setenv("LAB_DEVICE", "cpu", 1);
    } else if (!program_image_has_ptx(image)) {
        fprintf(stderr,
                "LAB_DEVICE=%s: the program has no code for a GPU; compile its files with labcc --gpu where nvcc is, "
                "or leave LAB_DEVICE out\n",
                device);
        exit(1);
    }
}

void **__cudaRegisterFatBinary(const void *given)
{
    const fatbin *header = given;
    binary *made = calloc(1, sizeof *made);
    if (!made || header->magic != FATBIN_MAGIC) abort(); /* before main nobody can be told */
    choose_device(header->image);
    made->image = header->image;
    pthread_mutex_lock(&lock);
    made->number = program_image_has_link(made->image) ? linked_binaries++ : -1;
    links = links || program_image_needs_link(made->image);
    *last_binary = made;
    last_binary = &made->next;
    pthread_mutex_unlock(&lock);
    return (void **)made;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* A module lives as long as its device: at the end of the program there is nothing to unload. The binary itself stays:
 * another thread may be loading it. */
void __cudaUnregisterFatBinary(void **handle)
{
    pthread_mutex_lock(&lock);
    for (registered **at = &all; *at;) {
        registered *gone = *at;
        if (gone->of != (binary *)handle) {
            at = &gone->next;
            continue;
        }
        *at = gone->next;
        free(gone->function);
        free(gone);
    }
    pthread_mutex_unlock(&lock);
}

static void add(const registered *given)
{
    registered *made = calloc(1, sizeof *made);
    if (!made) abort();
    *made = *given;
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&lock);
}

static lab_status prepare_managed(void);

int __cudaRegisterFunction(void **handle, const char *stub, char *device_function, const char *name, int thread_limit,
                           void *thread, void *block, void *block_extent, void *grid_extent, int *warp)
{
    (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_extent, (void)grid_extent;
    (void)warp;
    add(&(registered){.of = (binary *)handle, .address = stub, .name = name, .is_kernel = true});
    return 0;
}

void __cudaRegisterVar(void **handle, char *variable, char *device_address, const char *name, int external,
                       size_t bytes, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    binary *of = (binary *)handle;
    const bool is_managed = program_image_has_managed(of->image, name);
    add(&(registered){.of = of, .address = variable, .name = name, .bytes = bytes, .is_managed = is_managed});
    if (is_managed) a_managed = variable, cudart_prepare = prepare_managed;
}

/* ---- images ---- */

/* Makes room for element `number` of a list; new elements are 0. */
static lab_status grow(void *list, int *count, int number, size_t element)
{
    void **place = list;
    if (number < *count) return LAB_SUCCESS;
    char *larger = realloc(*place, (size_t)(number + 1) * element);
    if (!larger) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the kernels of one more context");
    memset(larger + (size_t)*count * element, 0, (size_t)(number + 1 - *count) * element);
    *place = larger;
    *count = number + 1;
    return LAB_SUCCESS;
}

static lab_status current_context(int *number)
{
    lab_context *current = lab_context_current();
    for (*number = 0; *number < contexts; ++*number)
        if (context[*number] == current) return LAB_SUCCESS;
    LAB_TRY(grow(&context, &contexts, *number, sizeof *context));
    context[*number] = current;
    return LAB_SUCCESS;
}

/* A context that was reset or destroyed has none of its modules. */
static bool is_loaded(const binary *b, int number)
{
    int device;
    return number < b->modules && b->module[number] && lab_module_get_device(&device, b->module[number]) == LAB_SUCCESS;
}

/* The binary with whose module this one's code is loaded. */
static binary *module_of(binary *b)
{
    binary *first = binaries;
    while (links && first->number != 0) first = first->next;
    return links && b->number >= 0 ? first : b;
}

/* The name that the module knows. The caller frees it. */
static char *linked_name(const registered *of)
{
    return links && of->of->number >= 0 ? program_part_name(of->name, of->of->number) : strdup(of->name);
}

/* The places of the managed variables in the binary's module. The caller frees the text. */
static char *find_places(binary *b)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    for (const registered *each = all; out && each; each = each->next) {
        if (module_of(each->of) != b || !each->is_managed) continue;
        char *name = linked_name(each);
        if (name) fprintf(out, "%s %" PRIxPTR " %zu\n", name, (uintptr_t)each->address, each->bytes);
        free(name);
    }
    if (out && fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* What is loaded as the binary's module: its image, or those of all binaries that are linked, the last with the places
 * of managed variables. The caller frees it. */
static char *find_source(binary *b)
{
    char *places = find_places(b), *text = NULL;
    size_t bytes = 0;
    FILE *out = places ? open_memstream(&text, &bytes) : NULL;
    bool done = out;
    for (binary *each = binaries; done && each; each = each->next) {
        if (module_of(each) != b) continue;
        const bool is_last = each->number < 0 || !links || each->number == linked_binaries - 1;
        char *copy = image_copy_with_places(each->image, is_last ? places : "");
        done = copy && fputs(copy, out) >= 0;
        free(copy);
    }
    if (out) done = fclose(out) == 0 && done;
    free(places);
    if (done) return text;
    free(text);
    return NULL;
}

/* nvcc would have made no program. One that does not ask how a launch ended would print wrong numbers. */
static _Noreturn void end_unlinked(void)
{
    fprintf(stderr, "%s\n", lab_error_message());
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

static lab_status load(binary *b, int number)
{
    LAB_TRY(grow(&b->module, &b->modules, number, sizeof *b->module));
    char *copy = find_source(b);
    if (!copy) return lab_fail(LAB_ERROR_INVALID_SOURCE, "the program's image of kernels is damaged");
    b->module[number] = NULL;
    const lab_status status = (lab_module_load_source)(&b->module[number], copy, "the program");
    free(copy);
    if (status == LAB_ERROR_INVALID_SOURCE && links) end_unlinked();
    for (registered *each = all; each; each = each->next)
        if (module_of(each->of) == b && number < each->functions) each->function[number] = (lab_function){0};
    return status;
}

static registered *find(const void *address, bool is_kernel)
{
    registered *each = all;
    while (each && (each->address != address || each->is_kernel != is_kernel)) each = each->next;
    return each;
}

/* Finds what is registered at the address, in *found, and loads its module in the current context. */
static lab_status prepare(registered **found, int *number, const void *address, bool is_kernel)
{
    int device;
    LAB_TRY(lab_device_current(&device)); /* a thread without a context gets the primary one */
    LAB_TRY(current_context(number));
    *found = find(address, is_kernel);
    if (!*found)
        return lab_fail(LAB_ERROR_NOT_FOUND, "%p is not the address of a %s of this program", address,
                        is_kernel ? "kernel" : "__device__ or __constant__ variable");
    binary *module = module_of((*found)->of);
    return is_loaded(module, *number) ? LAB_SUCCESS : load(module, *number);
}

/* Before a call: makes the managed variables managed memory, and loads the modules that share it. */
static lab_status prepare_managed(void)
{
    if (cudart_memory_find((uintptr_t)a_managed).type == cudaMemoryTypeManaged) return LAB_SUCCESS;
    lab_status status = LAB_SUCCESS;
    registered *found;
    int number;
    pthread_mutex_lock(&lock);
    for (const registered *each = all; each && status == LAB_SUCCESS; each = each->next) {
        if (!each->is_managed) continue;
        status = prepare(&found, &number, each->address, false);
        if (status == LAB_SUCCESS) status = cudart_managed_register((uintptr_t)each->address, each->bytes);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* A linked module knows a kernel by its mangled name if another file has a kernel of the same name. */
static lab_status find_function(registered *kernel, int number)
{
    LAB_TRY(grow(&kernel->function, &kernel->functions, number, sizeof *kernel->function));
    lab_module *module = module_of(kernel->of)->module[number];
    char *copy = image_copy(kernel->of->image), *name = copy ? image_kernel_name(copy, kernel->name) : NULL;
    char *linked = linked_name(kernel);
    lab_status status = LAB_ERROR_NOT_FOUND;
    if (linked) status = lab_module_get_function(&kernel->function[number], module, linked);
    if (status == LAB_ERROR_NOT_FOUND)
        status = name ? lab_module_get_function(&kernel->function[number], module, name)
                      : lab_fail(LAB_ERROR_NOT_FOUND, "the program's image has no kernel %s", kernel->name);
    free(linked);
    free(name);
    free(copy);
    return status;
}

lab_status cudart_function(lab_function *function, const void *host_function)
{
    registered *found;
    int number;
    pthread_mutex_lock(&lock);
    lab_status status = prepare(&found, &number, host_function, true);
    if (status == LAB_SUCCESS && (number >= found->functions || !found->function[number].handle))
        status = find_function(found, number);
    if (status == LAB_SUCCESS) *function = found->function[number];
    pthread_mutex_unlock(&lock);
    return status;
}

/* A static variable is known by its plain name, as in the source. */
static lab_status find_variable(lab_deviceptr *address, size_t *bytes, const registered *variable, int number)
{
    char *name = linked_name(variable);
    if (!name) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the name of a variable");
    const char *plain = name;
    if (strncmp(name, "_ZL", 3) == 0) plain += 3 + strspn(name + 3, "0123456789");
    const lab_status status = lab_module_get_global(address, bytes, module_of(variable->of)->module[number], plain);
    free(name);
    return status;
}

lab_status cudart_symbol(lab_deviceptr *address, size_t *bytes, const void *host_variable)
{
    registered *found;
    int number;
    pthread_mutex_lock(&lock);
    lab_status status = prepare(&found, &number, host_variable, false);
    if (status == LAB_SUCCESS && found->is_managed)
        *address = (uintptr_t)host_variable, *bytes = found->bytes;
    else if (status == LAB_SUCCESS)
        status = find_variable(address, bytes, found, number);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- launches ---- */

/* The configuration of a launch whose arguments are being computed, which may launch too. */
typedef struct configuration {
    extent grid, block;
    size_t shared_bytes;
    void *stream;
    const char *file; /* of the <<<>>>, and its line */
    int line, per_thread;
} configuration;

enum { MOST_NESTED = 16 };
static _Thread_local configuration nested[MOST_NESTED];
static _Thread_local int configurations;
static _Thread_local configuration taken; /* its file is NULL once the launch has begun */

/* Returns 0: the launch takes place. */
unsigned __cudaPushCallConfiguration(extent grid, extent block, size_t shared_bytes, void *stream, const char *file,
                                     int line, int per_thread)
{
    if (configurations == MOST_NESTED) return 1;
    nested[configurations++] = (configuration){grid, block, shared_bytes, stream, file, line, per_thread};
    return 0;
}

int __cudaPopCallConfiguration(extent *grid, extent *block, size_t *shared_bytes, void *stream)
{
    if (configurations == 0) return 1;
    const configuration *last = &nested[--configurations];
    *grid = last->grid;
    *block = last->block;
    *shared_bytes = last->shared_bytes;
    memcpy(stream, &last->stream, sizeof last->stream);
    taken = *last;
    return 0;
}

bool cudart_launch_begins(void)
{
    if (!taken.file) return false;
    lab_cuda_here(taken.file, taken.line, taken.per_thread);
    taken.file = NULL;
    return true;
}
