/* What this process keeps of the other one, and every answer that it takes from it. */
#include "apart.h"
#include "process.h"

#include "base/program/host_memory.h"
#include "base/program/program.h"
#include "base/system/kernels_apart.h"
#include "base/plain_text.h"
#include "base/status.h"
#include "seam/checks.h"
#include "seam/ledger.h"
#include "seam/written.h"

#include <pthread.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEVICE_MEMORY, MODULES, PINNED };

/* Places behind those of pinned memory, whose window a program may want to be elsewhere. */
static const uint64_t GIB = UINT64_C(1) << 30;
static const uint64_t MEMORY_AT = WINDOW_FIRST_PLACE + (UINT64_C(128) << 30), MOST_MEMORY = UINT64_C(192) << 30;
static const uint64_t MODULES_AT = WINDOW_FIRST_PLACE + (UINT64_C(384) << 30), MODULE_BYTES = UINT64_C(8) << 30;
static const uint64_t PINNED_AT = WINDOW_FIRST_PLACE, PINNED_BYTES = UINT64_C(64) << 30;

/* A kernel of a loaded module: cpu_kernel.apart. */
typedef struct apart_kernel {
    uint32_t module, kernel;
} apart_kernel;

typedef struct apart_module {
    cpu_module public;
    object_image image; /* this process's own, which the tables are read from */
    cpu_variable *variable;
    apart_kernel *kernel;
    uint64_t place;
    uint32_t number;
} apart_module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and the channel for modules */
static bool required, made_windows, started, cooperative, tells_uses;
static uint64_t device_memory;
static int most_threads;
static window windows[APART_WINDOWS]; /* the program's own pinned memory is in a window that is not here */
static apart_head *head;
static apart_claim *claims;
static wire_channel *channels;
static uint32_t claim_count;
static uint64_t head_bytes;
static bool taken[APART_MODULES];
static _Atomic int threads_seen;
static pthread_mutex_t claim_lock = PTHREAD_MUTEX_INITIALIZER;
static bool *claim_taken;

void apart_require(void) { required = true; }

bool apart_is_on(void)
{
    const char *wish = getenv("LAB_KERNELS_APART");
    return KERNELS_CAN_BE_APART && (required || (wish && strcmp(wish, "1") == 0));
}

void apart_prepare(uint64_t memory, int threads)
{
    device_memory = memory;
    most_threads = threads;
}

bool apart_runs_cooperative(void) { return cooperative; }

/* ---- Windows ---- */

static bool make_window(int which, const char *name, uint64_t bytes, uint64_t place)
{
    return window_make(&windows[which], name, bytes) && window_map_near(&windows[which], place);
}

/* For the check of unwritten memory the first half of device memory notes what is written of the other one. */
static bool make_memory(void)
{
    /* Blocks are whole pages here: there is room for more than is counted. */
    const uint64_t wish = device_memory + device_memory / 4 + GIB,
                   halves = kernel_check_is_on(KERNEL_CHECK_UNWRITTEN) + 1;
    window *made = &windows[DEVICE_MEMORY];
    if (!make_window(DEVICE_MEMORY, "lab device memory", halves * wish < MOST_MEMORY ? halves * wish : MOST_MEMORY,
                     MEMORY_AT))
        return false;
    if (halves == 1) return true;
    made->kept = window_pages(made->bytes / 2);
    written_keep_at(made->address + made->kept, made->bytes - made->kept, (void *)(uintptr_t)made->address);
    return true;
}

static bool make_windows(void)
{
    pthread_mutex_lock(&lock);
    if (!made_windows) {
        made_windows = make_memory() && make_window(MODULES, "lab modules", MODULE_BYTES, MODULES_AT) &&
                       (!host_memory_is_direct() || make_window(PINNED, "lab pinned memory", PINNED_BYTES, PINNED_AT));
        tells_uses = window_tells_uses();
    }
    const bool made = made_windows;
    pthread_mutex_unlock(&lock);
    return made;
}

static uint64_t take(int which, uint64_t bytes) { return make_windows() ? window_take(&windows[which], bytes) : 0; }

uint64_t apart_memory_take(uint64_t bytes) { return take(DEVICE_MEMORY, bytes); }

void apart_memory_give(uint64_t address, uint64_t bytes) { window_give(&windows[DEVICE_MEMORY], address, bytes); }

uint64_t apart_pinned_take(uint64_t bytes) { return take(PINNED, bytes); }

void apart_pinned_give(uint64_t address, uint64_t bytes) { window_give(&windows[PINNED], address, bytes); }

uint64_t apart_find_free(uint64_t address, uint64_t bytes)
{
    uint64_t found = 0;
    for (int i = 0; i < APART_WINDOWS && !found; i++) found = window_find_free(&windows[i], address, bytes);
    return found;
}

/* ---- The process ---- */

static void abandon_all(void)
{
    for (int i = 0; i <= most_threads; i++) wire_abandon(&channels[i]);
}

static int make_shared_memory(void)
{
    enum { PAUSED = 128 }; /* launches that may be paused at a time; a further one is divided by the engine */
    claim_count = (uint32_t)(most_threads + PAUSED);
    head_bytes = apart_bytes(claim_count, (uint32_t)most_threads);
    claim_taken = calloc(claim_count, sizeof *claim_taken);
    const int file = claim_taken ? memfd_create("lab kernels", MFD_CLOEXEC) : -1;
    if (file < 0) return -1;
    void *memory = ftruncate(file, (off_t)head_bytes) == 0
                       ? mmap(NULL, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0)
                       : MAP_FAILED;
    if (memory == MAP_FAILED) {
        close(file);
        return -1;
    }
    madvise(memory, head_bytes, MADV_DONTFORK);
    head = memory;
    cooperative = program_launches_cooperatively();
    *head = (apart_head){.claims = claim_count,
                         .threads = (uint32_t)most_threads,
                         .cooperative = cooperative,
                         .most_memory = device_memory,
                         .written = windows[DEVICE_MEMORY].kept};
    for (kernel_check check = 0; check < KERNEL_CHECKS; check++)
        if (kernel_check_is_on(check)) head->checks |= 1u << check;
    kernel_progress_keep_at(&head->progress);
    ledger_version_keep_at(&head->ledger_version);
    claims = apart_claims(head);
    channels = apart_channels(head);
    return file;
}

static lab_status fail_ended(const char *what)
{
    int signal_number;
    return lab_fail(LAB_ERROR_LAUNCH_FAILED, "%s: the process of kernels %s", what, process_end(&signal_number));
}

static lab_status start_process(void)
{
    int file[1 + APART_WINDOWS], files = 0;
    window *const all[APART_WINDOWS] = {&windows[DEVICE_MEMORY], &windows[MODULES],
                                        host_memory_other ? host_memory_other->pinned : &windows[PINNED]};
    const int shared = file[files++] = make_shared_memory();
    if (shared < 0) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to share with the process of kernels");
    for (int i = 0; i < APART_WINDOWS; i++) {
        if (!all[i] || !all[i]->address) continue;
        all[i]->fixed = true;
        head->address[i] = all[i]->address;
        head->bytes[i] = all[i]->bytes;
        file[files++] = all[i]->file;
    }
    atomic_store(&channels[0].turn, WIRE_DEVICE); /* it speaks first: when it is ready */
    const lab_status status = process_start(file, files, abandon_all);
    close(shared);
    if (status != LAB_SUCCESS) return status;
    return wire_await(&channels[0], WIRE_PROGRAM, &process_ended) ? LAB_SUCCESS : fail_ended("no kernel can run");
}

/* With the lock. */
static lab_status ensure_process(void)
{
    if (started) return atomic_load(&process_ended) ? fail_ended("no module can be loaded") : LAB_SUCCESS;
    LAB_TRY(start_process());
    started = true;
    return LAB_SUCCESS;
}

static void write_call(int32_t *line, char file[APART_FILE], call_site call)
{
    *line = call.line;
    snprintf(file, APART_FILE, "%s", ledger_file(call));
}

/* Answers what a kernel of the context may know: its program's memory, and the lines that made and freed it. */
static void answer(wire_channel *channel, const backend_context *context)
{
    apart_question q;
    ledger_entry entry = {.made = {.file = ""}, .freed = {.file = ""}};
    memcpy(&q, channel->reply.bytes, sizeof q);
    q.answer = (int32_t)ledger_find(&entry, q.address, q.bytes, q.when);
    q.foreign = !cpu_memcheck_may_use(context, entry.owner);
    q.found_address = entry.address;
    q.found_bytes = entry.bytes;
    q.died = entry.died;
    write_call(&q.line[0], q.file[0], entry.made);
    write_call(&q.line[1], q.file[1], entry.freed);
    memcpy(channel->reply.bytes, &q, sizeof q);
}

/* Answers the other process's questions, about memory that the context may use, until it answers this one. Copies that
 * before anybody looks at it, and makes it fit to be shown. False if the process has ended. */
static bool ask(apart_result *result, wire_channel *channel, apart_request request, const backend_context *context)
{
    channel->request.kind = WIRE_CALL;
    channel->request.number = request;
    for (;;) {
        wire_pass(channel, WIRE_PROGRAM);
        if (!wire_await(channel, WIRE_PROGRAM, &process_ended)) return false;
        if (channel->reply.kind != WIRE_QUESTION) break;
        answer(channel, context);
    }
    char text[APART_MESSAGE];
    memcpy(&result->status, channel->reply.bytes, sizeof result->status);
    if (result->status == LAB_SUCCESS) return true;
    memcpy(text, (const char *)channel->reply.bytes + offsetof(apart_result, message), sizeof text);
    lab_text_clean(result->message, sizeof result->message, text, strnlen(text, sizeof text - 1));
    return true;
}

/* ---- Modules ---- */

static void *find_symbol(void *image, const char *name) { return object_image_symbol(image, name); }

/* Reads what the object says of itself. Its addresses are those of this process's image. */
static lab_status read_object(apart_module *made, const void *object, uint64_t bytes, int kernels, const char *name)
{
    made->image = (object_image){calloc(1, bytes + 1), bytes};
    if (!made->image.memory) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    object_image_copy(&made->image, object);
    const char *fault = object_image_relocate(&made->image, NULL, 0);
    if (!fault) fault = module_tables_check(&made->image, kernels);
    if (fault) return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s cannot be loaded: %s", name, fault);
    return module_tables_read(&made->public, find_symbol, &made->image, name);
}

static int count_variables(const cpu_variable *variable)
{
    int count = 0;
    while (variable && variable[count].address) count++;
    return count;
}

/* The variables' addresses in the window, and the names by which the other process knows the kernels. */
static lab_status finish_tables(apart_module *made, const char *name)
{
    const int variables = count_variables(made->public.variable);
    made->variable = calloc((size_t)variables + 1, sizeof *made->variable);
    made->kernel = calloc((size_t)made->public.kernels + 1, sizeof *made->kernel);
    if (!made->variable || !made->kernel) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    for (int i = 0; i < variables; i++) {
        const uint64_t offset = made->public.variable[i].address - (uintptr_t)made->image.memory;
        made->variable[i] = (cpu_variable){made->place + offset, made->public.variable[i].bytes};
    }
    made->public.variable = made->variable;
    for (int i = 0; i < made->public.kernels; i++) {
        cpu_kernel *kernel = (cpu_kernel *)&made->public.kernel[i];
        made->kernel[i] = (apart_kernel){made->number, (uint32_t)i};
        kernel->apart = &made->kernel[i];
    }
    return LAB_SUCCESS;
}

static bool take_number(uint32_t *number)
{
    for (*number = 0; *number < APART_MODULES && taken[*number];) ++*number;
    if (*number == APART_MODULES) return false;
    return taken[*number] = true;
}

static void place_request(const apart_module *module)
{
    const apart_place place = {module->number, module->place, module->image.bytes};
    memcpy(channels[0].request.bytes, &place, sizeof place);
}

/* With the lock. */
static lab_status load_there(apart_module *made, const void *object, const char *name)
{
    LAB_TRY(ensure_process());
    if (!take_number(&made->number)) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "too many modules are loaded");
    made->place = window_take(&windows[MODULES], made->image.bytes);
    if (!made->place) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the kernels of %s", name);
    object_image_copy(&(object_image){(unsigned char *)(uintptr_t)made->place, made->image.bytes}, object);
    apart_result result;
    place_request(made);
    if (!ask(&result, &channels[0], APART_LOAD, NULL)) return fail_ended(name);
    if (result.status == LAB_SUCCESS) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s cannot be loaded: %s", name, result.message);
}

lab_status apart_load(cpu_module **out, const void *object, size_t size, int kernels, const char *name)
{
    const char *fault;
    const uint64_t bytes = object_image_bytes(&fault, object, size);
    if (!bytes) return lab_fail(LAB_ERROR_UNKNOWN, "the compiled kernels of %s cannot be loaded: %s", name, fault);
    if (!make_windows()) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no address space for the process of kernels");
    apart_module *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    made->number = APART_MODULES;
    lab_status status = read_object(made, object, bytes, kernels, name);
    pthread_mutex_lock(&lock);
    if (status == LAB_SUCCESS) status = load_there(made, object, name);
    pthread_mutex_unlock(&lock);
    if (status == LAB_SUCCESS) status = finish_tables(made, name);
    if (status == LAB_SUCCESS)
        *out = &made->public;
    else
        apart_unload(&made->public);
    return status;
}

void apart_unload(cpu_module *module)
{
    apart_module *unloaded = (apart_module *)module;
    apart_result result;
    pthread_mutex_lock(&lock);
    if (unloaded->place) {
        place_request(unloaded);
        ask(&result, &channels[0], APART_UNLOAD, NULL);
        window_give(&windows[MODULES], unloaded->place, unloaded->image.bytes);
    }
    if (unloaded->number < APART_MODULES) taken[unloaded->number] = false;
    pthread_mutex_unlock(&lock);
    free((cpu_kernel *)unloaded->public.kernel);
    free(unloaded->image.memory);
    free(unloaded->variable);
    free(unloaded->kernel);
    free(unloaded);
}

/* ---- Launches ---- */

apart_claim *apart_claim_begin(uint64_t blocks, int threads)
{
    uint32_t free_one = 0;
    pthread_mutex_lock(&claim_lock);
    while (free_one < claim_count && claim_taken[free_one]) free_one++;
    if (free_one < claim_count) claim_taken[free_one] = true;
    pthread_mutex_unlock(&claim_lock);
    if (free_one >= claim_count) return NULL;
    apart_claim *claim = &claims[free_one];
    claim->blocks = blocks;
    claim->threads = (uint64_t)threads;
    atomic_store(&claim->pause, 0);
    atomic_store(&claim->next, 0);
    return claim;
}

void apart_claim_end(apart_claim *claim)
{
    pthread_mutex_lock(&claim_lock);
    claim_taken[claim - claims] = false;
    pthread_mutex_unlock(&claim_lock);
}

static bool fail(kernel_error *error, lab_status status, const char *kernel, const char *what)
{
    error->status = status;
    error->message[0] = '\0';
    kernel_error_say(error, "kernel '%s': %s", kernel, what);
    return false;
}

static bool fail_with_process(kernel_error *error, const char *kernel)
{
    int signal_number;
    char what[200];
    snprintf(what, sizeof what, "the process of kernels %s", process_end(&signal_number));
    const bool address = signal_number == SIGSEGV || signal_number == SIGBUS;
    return fail(error, address ? LAB_ERROR_ILLEGAL_ADDRESS : LAB_ERROR_LAUNCH_FAILED, kernel, what);
}

/* In that process all device memory is mapped: a use of what was freed, or never allocated, raises no signal. */
static bool fail_with_use(kernel_error *error, const char *kernel, uint64_t address)
{
    char what[200];
    snprintf(what, sizeof what,
             "memory at 0x%" PRIx64 ", where there is none, was used by this kernel, or by one at the same time; "
             "LAB_MEMCHECK=1 in the environment makes it name the thread and the line",
             address);
    return fail(error, LAB_ERROR_ILLEGAL_ADDRESS, kernel, what);
}

/* A failure as the kernel's process tells it, if it may be one. */
static bool fail_as_told(kernel_error *error, const apart_result *result, const char *kernel)
{
    char begins[300];
    const int length = snprintf(begins, sizeof begins, "kernel '%.250s'", kernel);
    switch (result->status) {
    case LAB_ERROR_LAUNCH_FAILED:
    case LAB_ERROR_ASSERT:
    case LAB_ERROR_ILLEGAL_ADDRESS:
    case LAB_ERROR_MISALIGNED_ADDRESS:
    case LAB_ERROR_OUT_OF_MEMORY:
    case LAB_ERROR_NOT_ORDERED:
        if (strncmp(result->message, begins, (size_t)length) != 0) break;
        error->status = (lab_status)result->status;
        snprintf(error->message, sizeof error->message, "%s", result->message);
        return false;
    default: break;
    }
    return fail(error, LAB_ERROR_LAUNCH_FAILED, kernel, "its process gives an answer that makes no sense");
}

/* The channel of the calling thread; NULL if there are more threads than were said. */
static wire_channel *own_channel(void)
{
    static _Thread_local wire_channel *own;
    if (own) return own;
    const int number = atomic_fetch_add(&threads_seen, 1);
    return number < most_threads ? own = &channels[1 + number] : NULL;
}

/* A launch has its number from its first blocks on. */
static uint64_t number_of(cpu_memcheck *launch)
{
    static _Atomic uint64_t numbers;
    const uint64_t fresh = atomic_fetch_add(&numbers, 1) + 1;
    uint64_t number = 0;
    return atomic_compare_exchange_strong(&launch->number, &number, fresh) ? fresh : number;
}

static void write_request(wire_channel *channel, const kernel_blocks *blocks, const apart_claim *claim,
                          cpu_memcheck *memcheck, uint64_t ledger_count)
{
    const apart_kernel *kernel = blocks->kernel->apart;
    const unsigned *grid = blocks->launch->grid, *block = blocks->launch->block;
    apart_run run = {.module = kernel->module,
                     .kernel = kernel->kernel,
                     .first = blocks->first,
                     .count = blocks->count,
                     .grid = {grid[0], grid[1], grid[2]},
                     .block = {block[0], block[1], block[2]},
                     .seed = blocks->shuffle_seed ? *blocks->shuffle_seed : 0,
                     .shuffled = blocks->shuffle_seed != NULL,
                     .claim = blocks->together ? APART_TOGETHER
                              : claim          ? (int32_t)(claim - claims)
                                               : APART_NO_CLAIM};
    if (memcheck) {
        run.number = number_of(memcheck);
        run.ledger_count = ledger_count;
        run.dynamic_shared = memcheck->dynamic_shared;
        write_call(&run.line, run.file, memcheck->launched);
    }
    unsigned char *at = channel->request.bytes;
    memcpy(at, &run, sizeof run);
    at += sizeof run;
    for (int i = 0; i < blocks->kernel->params; i++) {
        memcpy(at, blocks->args[i], blocks->kernel->param[i].size);
        at += module_argument_bytes(&blocks->kernel->param[i]);
    }
}

bool apart_run_blocks(kernel_error *error, const kernel_blocks *blocks, const apart_claim *claim,
                      cpu_memcheck *memcheck, uint64_t ledger_count)
{
    wire_channel *channel = own_channel();
    apart_result result;
    if (!channel) return fail(error, LAB_ERROR_OUT_OF_MEMORY, blocks->kernel->name, "no thread is left to run it");
    if (atomic_load(&process_ended)) return fail_with_process(error, blocks->kernel->name);
    write_request(channel, blocks, claim, memcheck, ledger_count);
    if (!ask(&result, channel, APART_RUN, memcheck ? memcheck->context : NULL))
        return fail_with_process(error, blocks->kernel->name);
    if (result.status != LAB_SUCCESS) return fail_as_told(error, &result, blocks->kernel->name);
    const uint64_t used = tells_uses ? window_find_used(&windows[DEVICE_MEMORY]) : 0;
    return used ? fail_with_use(error, blocks->kernel->name, used) : true;
}
