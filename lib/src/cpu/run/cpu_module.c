/* Modules and launches of the CPU device: compiled kernels as the seam describes them, and a launch as an operation
 * of the compute queue. */
#include "cpu/kernel/memcheck.h"
#include "cpu/compiler/compile.h"
#include "cpu_device.h"
#include "cpu/kernel/kernel_signals.h"
#include "cpu/kernel/fiber.h"
#include "cpu/ir/ir.h"
#include "seam/ledger.h"
#include "objects/ranges.h"
#include "schedule.h"
#include "cpu/kernel/split_blocks.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct backend_module {
    cpu_module *loaded;
    int kernels;
    backend_kernel *kernel;
    backend_param *param; /* of all kernels, one after another */
    backend_variable *variable;
};

static lab_dtype dtype_of(cpu_element element)
{
    static const lab_dtype dtype[] = {
        [CPU_ELEMENT_INT8] = LAB_INT8,       [CPU_ELEMENT_UINT8] = LAB_UINT8,   [CPU_ELEMENT_INT16] = LAB_INT16,
        [CPU_ELEMENT_UINT16] = LAB_UINT16,   [CPU_ELEMENT_INT32] = LAB_INT32,   [CPU_ELEMENT_UINT32] = LAB_UINT32,
        [CPU_ELEMENT_INT64] = LAB_INT64,     [CPU_ELEMENT_UINT64] = LAB_UINT64, [CPU_ELEMENT_FLOAT32] = LAB_FLOAT32,
        [CPU_ELEMENT_FLOAT64] = LAB_FLOAT64,
    };
    return dtype[element];
}

static lab_arg_kind kind_of(cpu_param_kind kind)
{
    switch (kind) {
    case CPU_PARAM_INTEGER: return LAB_ARG_INTEGER;
    case CPU_PARAM_FLOAT: return LAB_ARG_FLOAT;
    case CPU_PARAM_POINTER: return LAB_ARG_POINTER;
    case CPU_PARAM_BYTES: break;
    }
    return LAB_ARG_BYTES;
}

/* `access` is the parameter's letter in cpu_kernel.access, 0 if it is not known. */
static void describe_param(backend_param *into, const cpu_param *from, char access)
{
    bool pointer = from->kind == CPU_PARAM_POINTER;
    *into = (backend_param){
        .name = from->name,
        .type = from->type,
        .kind = kind_of(from->kind),
        .size = from->size,
        .element = dtype_of(from->element),
        .pointer_to_const = from->pointer_to_const,
        .reads = pointer && access != 'n' && access != 'w',
        .writes = pointer && (access == 'w' || (access != 'n' && access != 'r' && !from->pointer_to_const)),
    };
}

/* The variables that the kernel uses, from *next on. */
static void describe_variables(backend_kernel *into, const cpu_kernel *from, const cpu_variable *variable,
                               backend_variable **next)
{
    into->variable = *next;
    for (const char *letter = from->variable_access; *letter; letter++, variable++) {
        if (*letter == 'n') continue;
        *(*next)++ = (backend_variable){variable->address, variable->bytes, *letter != 'w', *letter != 'r'};
        into->variables++;
    }
}

static lab_status describe_kernels(backend_module *module)
{
    const cpu_kernel *kernel;
    kernel = module->loaded->kernel;
    module->kernels = module->loaded->kernels;
    size_t params = 0, variables = 0;
    for (int i = 0; i < module->kernels; i++) {
        params += (size_t)kernel[i].params;
        variables += strlen(kernel[i].variable_access);
    }
    module->kernel = calloc((size_t)module->kernels + 1, sizeof *module->kernel);
    module->param = calloc(params + 1, sizeof *module->param);
    module->variable = calloc(variables + 1, sizeof *module->variable);
    if (!module->kernel || !module->param || !module->variable)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module's kernels");
    backend_param *next = module->param;
    backend_variable *next_variable = module->variable;
    for (int i = 0; i < module->kernels; i++) {
        module->kernel[i] = (backend_kernel){.name = kernel[i].name,
                                             .params = kernel[i].params,
                                             .param = next,
                                             .shared_bytes = kernel[i].shared_bytes,
                                             .native = (void *)&kernel[i]};
        describe_variables(&module->kernel[i], &kernel[i], module->loaded->variable, &next_variable);
        for (int p = 0; p < kernel[i].params; p++)
            describe_param(next++, &kernel[i].param[p], *kernel[i].access ? kernel[i].access[p] : 0);
    }
    return LAB_SUCCESS;
}

static void free_module(backend_module *module)
{
    if (module->loaded) cpu_module_unload(module->loaded);
    free(module->kernel);
    free(module->param);
    free(module->variable);
    free(module);
}

lab_status cpu_module_open(backend_module **out, backend_context *context, const char *source, const char *name)
{
    (void)context;
    backend_module *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module");
    lab_status status = cpu_module_load(&made->loaded, source, name, NULL);
    if (status == LAB_SUCCESS) status = describe_kernels(made);
    if (status != LAB_SUCCESS) {
        free_module(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

lab_status cpu_module_close(backend_module *module, backend_context *context)
{
    lab_status status = cpu_context_drain(context);
    free_module(module);
    return status;
}

int cpu_module_kernels(const backend_kernel **first, const backend_module *module)
{
    *first = module->kernel;
    return module->kernels;
}

bool cpu_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                       const char *name)
{
    (void)context;
    const char *word = module->loaded->variable_names;
    for (const cpu_variable *at = module->loaded->variable; at && word && at->address; at++, word += strlen(word) + 1) {
        if (strcmp(word, name) != 0) continue;
        *address = at->address;
        *bytes = at->bytes;
        return true;
    }
    return false;
}

/* Known since the module was compiled. */
void cpu_module_find_accesses(backend_module *module, backend_context *context)
{
    (void)module;
    (void)context;
}

/* The values lie behind the pointers, each on the alignment that suits every type. */
typedef struct launch_work {
    backend_context *context;
    const cpu_kernel *kernel;
    uint64_t function; /* backend_launch's */
    size_t check;      /* where a cpu_check lies, in bytes from here, if the kernel is built for it */
    cpu_launch launch;
    const void **arguments;
    unsigned char values[];
} launch_work;

static size_t padded(size_t bytes)
{
    return (bytes + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

/* A run of blocks that a failed assert or a __trap ends by a jump out of the kernel. */
typedef struct guarded_run {
    jmp_buf back;
    const cpu_kernel *kernel;
    kernel_error error;
} guarded_run;

static void stop_by_jump(const cpu_launch *launch, const cpu_failure *failure)
{
    guarded_run *guard = launch->user;
    kernel_error_stopped(&guard->error, guard->kernel, failure);
    longjmp(guard->back, 1);
}

/* The threads of each block in an order of the schedule's, not from the first to the last: they are independent as long as
 * they do not wait for each other. */
static void run_shuffled_threads(const launch_work *work, const cpu_launch *launch, uint64_t first, uint64_t count)
{
    const unsigned *grid = launch->grid, *extent = launch->block;
    const uint64_t threads = (uint64_t)extent[0] * extent[1] * extent[2];
    for (uint64_t at = first; at < first + count; at++) {
        const unsigned block[] = {(unsigned)(at % grid[0]), (unsigned)(at / grid[0] % grid[1]),
                                  (unsigned)(at / grid[0] / grid[1])};
        uint64_t factor, number;
        cpu_schedule_shuffle(&factor, &number, at, threads);
        for (uint64_t i = 0; i < threads; i++, number = (number + factor) % threads) {
            const unsigned self = (unsigned)number;
            const unsigned thread[] = {self % extent[0], self / extent[0] % extent[1], self / extent[0] / extent[1]};
            work->kernel->thread_entry(work->arguments, launch, block, thread);
        }
    }
}

static void run_loops(kernel_error *error, const launch_work *work, const cpu_launch *launch, uint64_t first,
                      uint64_t count)
{
    if (work->kernel->split)
        cpu_split_run(error, work->kernel, work->arguments, launch, first, count);
    else if (cpu_schedule_is_adversarial())
        run_shuffled_threads(work, launch, first, count);
    else
        work->kernel->entry(work->arguments, launch, first, count);
}

static void run_blocks(cpu_op *op, uint64_t first, uint64_t count)
{
    const launch_work *work = cpu_op_payload(op);
    guarded_run guard = {.kernel = work->kernel};
    cpu_launch launch = work->launch;
    launch.failed = stop_by_jump;
    launch.user = &guard;
    cpu_fault_enter(work->kernel, &launch);
    if (setjmp(guard.back) == 0) run_loops(&guard.error, work, &launch, first, count);
    cpu_fault_leave();
    if (guard.error.status != LAB_SUCCESS) cpu_process_fail(guard.error.status, guard.error.message);
}

/* The same for a kernel whose threads need a stack each. */
static void run_suspending_blocks(cpu_op *op, uint64_t first, uint64_t count)
{
    const launch_work *work = cpu_op_payload(op);
    kernel_error error;
    if (!cpu_fiber_run(&error, work->kernel, work->arguments, &work->launch, first, count))
        cpu_process_fail(error.status, error.message);
}

/* The same for a kernel that is built for checking. A member of a group counts from the launch of the group. */
static void run_checked_blocks(cpu_op *op, uint64_t first, uint64_t count)
{
    launch_work *work = cpu_op_payload(op);
    cpu_check *check = (cpu_check *)(void *)((unsigned char *)work + work->check);
    const uint64_t when = op->group ? op->group->launch->ledger_count : op->ledger_count;
    kernel_error error;
    if (cpu_check_run(&error, check, work->kernel, work->arguments, &work->launch, when, first, count, op->blocks))
        cpu_process_fail(error.status, error.message);
}

/* Copies the arguments into the operation: first the pointers to them, then the values. */
static void copy_arguments(launch_work *work, const backend_launch *launch)
{
    const backend_kernel *kernel = launch->kernel;
    work->arguments = (const void **)(void *)work->values;
    unsigned char *value = (unsigned char *)work + padded(sizeof *work + (size_t)kernel->params * sizeof(void *));
    for (int i = 0; i < kernel->params; i++) {
        memcpy(value, launch->arguments[i], kernel->param[i].size);
        work->arguments[i] = value;
        value += padded(kernel->param[i].size);
    }
}

/* Numbers that are addresses of device memory, by themselves or in a struct, are taken for pointers. */
static void note_numbers(cpu_op *op, const unsigned char *value, size_t bytes)
{
    uint64_t number;
    range found;
    for (size_t at = 0; at + sizeof number <= bytes; at += sizeof number) {
        memcpy(&number, value + at, sizeof number);
        if (ranges_find(device_ranges, number, &found))
            cpu_schedule_touches(op, (cpu_touch){number, found.address + found.bytes - 1, .writes = true});
    }
}

/* Tells a schedule which memory the kernel is given. */
static void note_memory(cpu_op *op, const backend_launch *launch)
{
    for (int i = 0; op->turn && i < launch->kernel->params; i++) {
        const backend_param *param = &launch->kernel->param[i];
        uint64_t first;
        if (param->kind != LAB_ARG_POINTER) {
            note_numbers(op, launch->arguments[i], param->size);
        } else if (launch->reach[i] > 0) {
            memcpy(&first, launch->arguments[i], sizeof first);
            cpu_schedule_touches(op,
                                 (cpu_touch){first, first + launch->reach[i] - 1, .writes = !param->pointer_to_const});
        }
    }
}

static size_t launch_bytes(const backend_kernel *kernel)
{
    size_t bytes = padded(sizeof(launch_work) + (size_t)kernel->params * sizeof(void *));
    for (int i = 0; i < kernel->params; i++) bytes += padded(kernel->param[i].size);
    return bytes;
}

static void describe_launch(cpu_captured *into, const cpu_op *op)
{
    const launch_work *work = (const void *)op->payload;
    const cpu_launch *launch = &work->launch;
    into->node = (lab_graph_node){.kind = LAB_NODE_KERNEL,
                                  .name = work->kernel->name,
                                  .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                  .block = {launch->block[0], launch->block[1], launch->block[2]}};
    into->function = work->function;
}

lab_status cpu_kernel_create(cpu_op **out, backend_context *context, const backend_launch *launch)
{
    const cpu_kernel *native = launch->kernel->native;
    const size_t bytes = launch_bytes(launch->kernel);
    cpu_op *op = cpu_op_create(CPU_QUEUE_COMPUTE, native->variables ? bytes + sizeof(cpu_check) : bytes);
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    launch_work *work = cpu_op_payload(op);
    work->context = context;
    work->kernel = native;
    work->function = launch->function;
    work->launch = (cpu_launch){.grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                                .block = {launch->block.x, launch->block.y, launch->block.z}};
    copy_arguments(work, launch);
    op->run = native->suspends && !native->split ? run_suspending_blocks : run_blocks;
    if (native->variables) {
        work->check = bytes;
        *(cpu_check *)(void *)((unsigned char *)work + bytes) =
            (cpu_check){.context = context, .dynamic_shared = launch->shared_bytes, .launched = call_place_now()};
        op->run = run_checked_blocks;
        op->ledger_count = ledger_now();
    }
    op->cancelled = &cpu_stopped;
    op->describe = describe_launch;
    op->blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    note_memory(op, launch);
    *out = op;
    return LAB_SUCCESS;
}

lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times)
{
    cpu_op *op;
    LAB_TRY(cpu_kernel_create(&op, stream->context, launch));
    op->times = times;
    return cpu_stream_enqueue(stream, op);
}
