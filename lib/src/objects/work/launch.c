/* Launches: checks every parameter of the kernel, then records and enqueues the launch. */
#include "launch.h"

#include "array_accesses.h"
#include "base/program/host_memory.h"
#include "base/status.h"
#include "base/system/digest.h"
#include "base/text_writer.h"
#include "declared_uses.h"
#include "memory.h"
#include "module.h"
#include "objects/contexts/stream_record.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = LAB_MOST_PARAMETERS, MAX_BLOCK_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_Y = 65535 };
static const unsigned MAX_GRID_X = 2147483647;

/* "parameter 2 'length'" */
static const char *describe(char *text, size_t bytes, const backend_kernel *kernel, int index)
{
    const backend_param *param = &kernel->param[index];
    snprintf(text, bytes, "parameter %d%s%s%s", index + 1, *param->name ? " '" : "", param->name,
             *param->name ? "'" : "");
    return text;
}

static const char *kind_word(lab_arg_kind kind)
{
    switch (kind) {
    case LAB_ARG_INTEGER: return "an integer";
    case LAB_ARG_FLOAT: return "a floating-point number";
    case LAB_ARG_POINTER: return "a device pointer";
    case LAB_ARG_ARRAY: return "an array";
    case LAB_ARG_BYTES: return "a struct";
    case LAB_ARG_HOST_ARRAY: return "a host array";
    case LAB_ARG_RAW: return "a value";
    }
    return "a value";
}

/* A pointer argument: an address, the bytes from there for the record, and the owner of the memory. */
typedef struct pointer_value {
    uint64_t address;
    size_t bytes;
    struct context *context;     /* NULL for 0 and for host memory */
    range memory;                /* the whole allocation or block, for the pools */
    const struct array *strided; /* the array, if its elements are apart in memory */
} pointer_value;

/* Kernels may use the memory of their own context, and of peers with access enabled. */
static lab_status check_context(const backend_kernel *kernel, int index, struct context *owner, struct context *context)
{
    if (!owner || context_may_use(context, owner)) return LAB_SUCCESS;
    char which[128], memory_context[CONTEXT_NAME_BYTES], own_context[CONTEXT_NAME_BYTES];
    return lab_fail(
        LAB_ERROR_INVALID_CONTEXT,
        "kernel '%s', %s: the memory belongs to %s, the launch to %s; use memory of the launch's own context%s",
        kernel->name, describe(which, sizeof which, kernel, index),
        context_describe(memory_context, sizeof memory_context, owner),
        context_describe(own_context, sizeof own_context, context),
        runtime_backend()->can_access_peer(context->device, owner->device)
            ? ", or call lab_context_enable_peer_access first"
            : "");
}

static lab_status check_array(pointer_value *value, const backend_kernel *kernel, int index, const lab_arg *argument,
                              struct context *context)
{
    const backend_param *param = &kernel->param[index];
    const struct array *found = array_get(argument->value.array);
    char which[128];
    if (!found)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "kernel '%s', %s: the array %s", kernel->name,
                        describe(which, sizeof which, kernel, index),
                        argument->value.array ? "was destroyed before the launch" : "is NULL");
    LAB_TRY(check_context(kernel, index, found->context, context));
    if (param->element && param->element != found->dtype)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "kernel '%s', %s: is '%s', but the array holds %s", kernel->name,
                        describe(which, sizeof which, kernel, index), param->type, lab_dtype_name(found->dtype));
    *value = (pointer_value){.address = found->data,
                             .bytes = found->span,
                             .context = found->context,
                             .memory = found->storage->memory,
                             .strided = found->strided ? found : NULL};
    if (!found->storage->given || !found->span) return LAB_SUCCESS;
    if (memory_find_device(&value->memory, found->data) &&
        found->span <= value->memory.address + value->memory.bytes - found->data)
        return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS, "kernel '%s', %s: the array's memory at 0x%llx was freed", kernel->name,
                    describe(which, sizeof which, kernel, index), (unsigned long long)found->data);
}

/* A kernel uses pinned host memory by the program's address, so the memory must be there where kernels run too. */
static lab_status check_reach(const pointer_value *value, const backend_kernel *kernel, int index)
{
    char which[128];
    if (host_memory_is_own() || (uintptr_t)host_memory_local(value->address, value->bytes) == value->address)
        return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS,
                    "kernel '%s', %s: 0x%llx is pinned memory that only copies reach, as the program runs in another "
                    "process than its kernels; use memory from lab_host_alloc",
                    kernel->name, describe(which, sizeof which, kernel, index), (unsigned long long)value->address);
}

/* Whether the address is in device memory, just past its end, or in pinned host memory. */
static bool points_to_memory(range *memory, uint64_t address)
{
    return address && (memory_find_device(memory, address) || memory_find_device(memory, address - 1) ||
                       memory_find_pinned(memory, address));
}

/* A raw address must point to memory. */
static lab_status check_pointer(pointer_value *value, const backend_kernel *kernel, int index, uint64_t address,
                                struct context *context)
{
    *value = (pointer_value){.address = address};
    range *memory = &value->memory;
    if (address == 0) return LAB_SUCCESS;
    if (points_to_memory(memory, address)) {
        value->bytes = (size_t)(memory->address + memory->bytes - address);
        if (memory->pinned) return check_reach(value, kernel, index);
        value->context = memory->context;
        return check_context(kernel, index, value->context, context);
    }
    char which[128];
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS, "kernel '%s', %s: 0x%llx is not device memory; was it freed?",
                    kernel->name, describe(which, sizeof which, kernel, index), (unsigned long long)address);
}

/* A value as cuLaunchKernel takes it. A pointer that leads to no memory of the library's may be any number: only the
 * kernel knows whether it uses it. */
static lab_status check_raw(const void **out, pointer_value *value, const backend_kernel *kernel, int index,
                            const lab_arg *argument, struct context *context)
{
    const backend_param *param = &kernel->param[index];
    char which[128];
    if (argument->size != param->size || !argument->value.bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "kernel '%s', %s: is '%s' of %zu bytes, but the argument given %s",
                        kernel->name, describe(which, sizeof which, kernel, index), param->type, param->size,
                        argument->value.bytes ? "has another size" : "is NULL");
    *out = argument->value.bytes;
    if (param->kind != LAB_ARG_POINTER) return LAB_SUCCESS;
    uint64_t address;
    memcpy(&address, argument->value.bytes, sizeof address);
    *out = (const void *)&value->address;
    *value = (pointer_value){.address = address};
    if (points_to_memory(&value->memory, address)) return check_pointer(value, kernel, index, address, context);
    value->memory = (range){0}; /* a pool's whole chunk, if a block there was freed */
    return LAB_SUCCESS;
}

static lab_status check_argument(const void **out, pointer_value *value, const backend_kernel *kernel, int index,
                                 const lab_arg *argument, struct context *context)
{
    const backend_param *param = &kernel->param[index];
    bool pointer_given = argument->kind == LAB_ARG_ARRAY || argument->kind == LAB_ARG_POINTER;
    char which[128];
    if (argument->kind == LAB_ARG_RAW) return check_raw(out, value, kernel, index, argument, context);
    if (pointer_given != (param->kind == LAB_ARG_POINTER) || (!pointer_given && argument->kind != param->kind))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "kernel '%s', %s: is '%s', but the argument given is %s", kernel->name,
                        describe(which, sizeof which, kernel, index), param->type, kind_word(argument->kind));
    if (argument->size != param->size)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "kernel '%s', %s: is '%s' of %zu bytes, but the argument given is %s of %zu bytes",
                        kernel->name, describe(which, sizeof which, kernel, index), param->type, param->size,
                        kind_word(argument->kind), argument->size);
    if (argument->kind == LAB_ARG_ARRAY) LAB_TRY(check_array(value, kernel, index, argument, context));
    if (argument->kind == LAB_ARG_POINTER)
        LAB_TRY(check_pointer(value, kernel, index, argument->value.integer, context));
    /* Integers and floats begin at the start of the union: the machine is little-endian, as CUDA's hosts are. */
    *out = pointer_given                     ? (const void *)&value->address
           : argument->kind == LAB_ARG_BYTES ? argument->value.bytes
                                             : (const void *)&argument->value;
    return LAB_SUCCESS;
}

static lab_status check_extent(const char *kernel, const char *what, unsigned value, unsigned most)
{
    if (value >= 1 && value <= most) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "kernel '%s': %s is %u; it must be 1 to %u", kernel, what, value, most);
}

/* Says what is wrong with the dimensions. */
__attribute__((cold)) static lab_status refuse_dimensions(const backend_launch *launch, const lab_device_info *info)
{
    const backend_kernel *kernel = launch->kernel;
    const lab_dim grid = launch->grid, block = launch->block;
    const char *name = kernel->name;
    LAB_TRY(check_extent(name, "the grid's x", grid.x, MAX_GRID_X));
    LAB_TRY(check_extent(name, "the grid's y", grid.y, MAX_GRID_Y));
    LAB_TRY(check_extent(name, "the grid's z", grid.z, MAX_GRID_Y));
    LAB_TRY(check_extent(name, "the block's x", block.x, MAX_BLOCK_THREADS));
    LAB_TRY(check_extent(name, "the block's y", block.y, MAX_BLOCK_THREADS));
    LAB_TRY(check_extent(name, "the block's z", block.z, MAX_BLOCK_Z));
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads > (uint64_t)info->max_block_threads)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "kernel '%s': a block of %ux%ux%u has %llu threads; at most %d are allowed", name, block.x,
                        block.y, block.z, (unsigned long long)threads, info->max_block_threads);
    return lab_fail(launch->cooperative ? LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : LAB_ERROR_INVALID_VALUE,
                    "kernel '%s': %zu bytes of shared memory a block beside %zu of its own; the device has %zu", name,
                    launch->shared_bytes, kernel->shared_bytes, info->max_shared_bytes);
}

/* Whether it is from 1 to `most`, for a check without branches. */
static unsigned is_extent(unsigned value, unsigned most) { return value - 1 < most; }

static lab_status check_dimensions(const backend_launch *launch, const lab_device_info *info)
{
    const lab_dim grid = launch->grid, block = launch->block;
    const size_t own_bytes = launch->kernel->shared_bytes;
    const unsigned fits =
        is_extent(grid.x, MAX_GRID_X) & is_extent(grid.y, MAX_GRID_Y) & is_extent(grid.z, MAX_GRID_Y) &
        is_extent(block.x, MAX_BLOCK_THREADS) & is_extent(block.y, MAX_BLOCK_THREADS) &
        is_extent(block.z, MAX_BLOCK_Z) & ((uint64_t)block.x * block.y * block.z <= (uint64_t)info->max_block_threads) &
        (own_bytes <= info->max_shared_bytes) & (launch->shared_bytes <= info->max_shared_bytes - own_bytes);
    return fits ? LAB_SUCCESS : refuse_dimensions(launch, info);
}

/* Finds out what the kernel's module reads and writes. Called before accesses are noted. */
static void find_accesses(const struct function *function)
{
    runtime_backend()->module_find_accesses(function->module, function->context->native);
}

static lab_trace_access access_of(const backend_param *param, const pointer_value *pointer)
{
    return (lab_trace_access){.address = pointer->address,
                              .bytes = pointer->bytes,
                              .host = pointer->memory.pinned,
                              .reads = param->reads,
                              .writes = param->writes};
}

/* A managed variable of a CUDA program is the host's memory. */
static bool is_of_host(const backend_variable *variable)
{
    range found;
    return memory_find_pinned(&found, variable->address);
}

static lab_trace_access access_of_variable(const backend_variable *variable)
{
    return (lab_trace_access){.address = variable->address,
                              .bytes = variable->bytes,
                              .host = is_of_host(variable),
                              .reads = variable->reads,
                              .writes = variable->writes};
}

static void write_digest(text_writer *out, const void *value, size_t size)
{
    char digits[DIGEST_DIGITS];
    const digest found = digest_of(value, size);
    digest_write(digits, &found);
    text_write(out, "#%s", digits);
}

/* An argument, in the form of lab_trace_op.arguments. */
static void write_argument(text_writer *out, const backend_param *param, const void *value)
{
    enum { MOST_BYTES = 16 };
    const unsigned char *byte = value;
    if (param->kind == LAB_ARG_POINTER)
        text_write(out, "0x%" PRIx64, *(const uint64_t *)value);
    else if (param->size > MOST_BYTES)
        write_digest(out, value, param->size);
    else
        for (size_t i = 0; i < param->size; i++) text_write(out, "%02x", byte[i]);
}

static void record_source(record_entry *entry, const backend_launch *launch, const char *source)
{
    if (!record_id(entry)) return;
    char text[LAB_TRACE_TEXT_BYTES] = "";
    text_writer out = {text, sizeof text, 0};
    for (int i = 0; *source && i < launch->kernel->params; i++) {
        if (i) text_write(&out, " ");
        write_argument(&out, &launch->kernel->param[i], launch->arguments[i]);
    }
    record_kernel(entry, source, text);
}

static void record_launch(record_entry *entry, const backend_launch *launch, const pointer_value *pointer,
                          const char *source)
{
    record_name(entry, launch->kernel->name);
    record_source(entry, launch, source);
    record_dimensions(entry, launch->grid, launch->block);
    for (int i = 0; i < launch->kernel->params; i++)
        if (launch->kernel->param[i].kind == LAB_ARG_POINTER && pointer[i].address)
            array_record_access(entry, access_of(&launch->kernel->param[i], &pointer[i]), pointer[i].strided);
    for (int i = 0; i < launch->kernel->variables; i++) {
        const backend_variable *variable = &launch->kernel->variable[i];
        const lab_trace_access access = access_of_variable(variable);
        if (entry && order_is_on())
            order_memory_is_variable(variable->address, variable->bytes, access.host, variable->name);
        record_access(entry, access);
    }
}

/* Keeps memory of other contexts from being freed before the kernel is done. */
static void note_peers(const pointer_value *pointer, const backend_launch *launch, const struct stream *stream)
{
    for (int i = 0; i < launch->kernel->params; i++)
        if (launch->kernel->param[i].kind == LAB_ARG_POINTER && pointer[i].context &&
            pointer[i].context != stream->context)
            runtime_backend()->context_used_by(pointer[i].context->native, stream->native);
}

/* Memory that a launch has touched. */
typedef struct touched_memory {
    range memory;
    bool is_given; /* by an argument or as a variable of the module: the pools know of the use */
} touched_memory;

/* The argument whose memory has the address, or else begins next behind it; NULL if there is none. */
static const range *find_argument(const backend_launch *launch, const pointer_value *pointer, uint64_t address)
{
    const range *next = NULL;
    for (int i = 0; i < launch->kernel->params; i++) {
        const range *memory = &pointer[i].memory;
        if (launch->kernel->param[i].kind != LAB_ARG_POINTER || !pointer[i].address) continue;
        if (address - memory->address < memory->bytes) return memory;
        if (memory->address > address && (!next || memory->address < next->address)) next = memory;
    }
    return next;
}

/* The memory at the address, up to the next argument; false if kernels reach none there that other operations do. The
 * order checker is entered, so no pool can be asked which of its blocks this is: a pool enters the checker itself. */
static bool find_touched(touched_memory *found, const backend_launch *launch, const pointer_value *pointer,
                         uint64_t address)
{
    for (int i = 0; i < launch->kernel->variables; i++) {
        const backend_variable *variable = &launch->kernel->variable[i];
        if (address - variable->address >= variable->bytes) continue;
        *found = (touched_memory){
            {.address = variable->address, .bytes = variable->bytes, .pinned = is_of_host(variable)}, true};
        return true;
    }
    const range *argument = find_argument(launch, pointer, address);
    found->is_given = argument && argument->address <= address;
    if (found->is_given) {
        found->memory = *argument;
        return true;
    }
    if (!memory_find_allocation(&found->memory, address)) return false;
    if (argument && argument->address - found->memory.address < found->memory.bytes)
        found->memory.bytes = argument->address - found->memory.address;
    return true;
}

/* Where memory behind the address begins that find_touched may find. */
static uint64_t next_touched(const backend_launch *launch, const pointer_value *pointer, uint64_t address)
{
    const range *argument = find_argument(launch, pointer, address);
    uint64_t next = memory_next_allocation(address);
    if (argument && argument->address < next) next = argument->address;
    for (int i = 0; i < launch->kernel->variables; i++) {
        const uint64_t begin = launch->kernel->variable[i].address;
        if (begin > address && begin < next) next = begin;
    }
    return next;
}

/* Notes the touched ranges: first those of memory that was given, then the others, each as a declared use. */
static void record_touched(record_entry *entry, const backend_launch *launch, const pointer_value *pointer,
                           const backend_touched *touched)
{
    record_no_access(entry);
    for (int given = 1; given >= 0; given--)
        for (size_t i = 0; i < touched->ranges; i++) {
            const struct backend_touched_range *each = &touched->range[i];
            const uint64_t end = each->address + each->bytes;
            touched_memory found;
            for (uint64_t at = each->address, next; at < end; at = next) {
                if (!find_touched(&found, launch, pointer, at)) {
                    next = next_touched(launch, pointer, at); /* a range may cover the bytes between two variables */
                    continue;
                }
                next =
                    found.memory.address + found.memory.bytes < end ? found.memory.address + found.memory.bytes : end;
                const lab_trace_access access = {at, next - at, .host = found.memory.pinned, .reads = !each->writes,
                                                 .writes = each->writes};
                if (found.is_given == given) (given ? record_access : record_declared_access)(entry, access);
            }
        }
}

/* Enqueues a launch that the order checker judges by what it touches, if the device can tell. */
static lab_status enqueue_measured(record_entry *entry, const backend_launch *launch, const struct stream *stream,
                                   const pointer_value *pointer)
{
    backend_touched touched = {0};
    backend_launch asking = *launch;
    asking.touched = &touched;
    submission_begin_check(entry);
    lab_status status = runtime_backend()->launch(stream->native, &asking, record_times(entry));
    if (status == LAB_SUCCESS && touched.known) record_touched(entry, launch, pointer, &touched);
    if (status == LAB_SUCCESS) status = submission_end_check(entry);
    free(touched.range);
    return status;
}

/* For the record, the order checker or both. */
static lab_status enqueue_watched(const backend_launch *launch, const struct stream *stream,
                                  const pointer_value *pointer, const struct function *function)
{
    record_entry *entry = submission_begin(LAB_OP_KERNEL, stream->identity.device);
    submission_on_stream(entry, stream);
    if (entry) record_launch(entry, launch, pointer, function->source);
    declared_uses_take(entry);
    const bool is_measured = !function->is_generated && submission_is_measured(entry);
    lab_status status = is_measured ? enqueue_measured(entry, launch, stream, pointer) : submission_check(entry, NULL);
    if (status == LAB_SUCCESS && !is_measured)
        status = runtime_backend()->launch(stream->native, launch, record_times(entry));
    if (status == LAB_SUCCESS) note_peers(pointer, launch, stream);
    submission_end(entry, status);
    return status;
}

static lab_status enqueue_launch(const backend_launch *launch, const struct stream *stream,
                                 const pointer_value *pointer, const struct function *function)
{
    if (record_is_on()) return enqueue_watched(launch, stream, pointer, function);
    declared_uses_take(NULL);
    LAB_TRY(runtime_backend()->launch(stream->native, launch, NULL));
    note_peers(pointer, launch, stream);
    return LAB_SUCCESS;
}

/* For the device: the bytes from the address to the end of its allocation, or 0. */
static size_t find_reach(uint64_t address)
{
    range found;
    return ranges_find(device_ranges, address, &found) ? (size_t)(found.address + found.bytes - address) : 0;
}

/* For the device: whether a launch that has found the kernel may still be enqueued. */
static bool is_loaded(uint64_t function) { return function_get((lab_function){function}); }

/* Checks the arguments and dimensions of a launch, and fills in `argument`, `pointer` and `reach`. */
static lab_status check_launch(const backend_launch *launch, const void **argument, pointer_value *pointer,
                               size_t *reach, struct context *context, lab_args args)
{
    const backend_kernel *kernel = launch->kernel;
    if (args.count != kernel->params)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "kernel '%s' has %d parameter%s, the launch gives %d argument%s",
                        kernel->name, kernel->params, kernel->params == 1 ? "" : "s", args.count,
                        args.count == 1 ? "" : "s");
    if (args.count > MAX_PARAMS)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "kernel '%s' has %d parameters; at most %d are supported",
                        kernel->name, args.count, MAX_PARAMS);
    LAB_TRY(check_dimensions(launch, &context->info));
    for (int i = 0; i < args.count; i++) {
        LAB_TRY(check_argument(&argument[i], &pointer[i], kernel, i, &args.arg[i], context));
        reach[i] = kernel->param[i].kind == LAB_ARG_POINTER ? pointer[i].bytes : 0;
    }
    return LAB_SUCCESS;
}

static lab_status find_function(const struct function **found, lab_function handle, const char *call)
{
    *found = function_get(handle);
    if (*found) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE,
                    "%s: the kernel's module was unloaded, or the function was never set by lab_module_get_function",
                    call);
}

__attribute__((cold)) static lab_status refuse_context(const struct function *found, const struct stream *stream)
{
    char kernel_context[CONTEXT_NAME_BYTES], stream_context[CONTEXT_NAME_BYTES];
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "kernel '%s' was loaded in %s, stream %llu belongs to %s",
                    found->kernel->name, context_describe(kernel_context, sizeof kernel_context, found->context),
                    (unsigned long long)stream->identity.id,
                    context_describe(stream_context, sizeof stream_context, stream->context));
}

/* What a launch is given besides its arguments. */
typedef struct launch_settings {
    lab_function function;
    lab_dim grid, block;
    size_t shared_bytes;
    bool cooperative;
} launch_settings;

static lab_status launch_on(lab_stream *stream_handle, const launch_settings *settings, lab_args args, const char *call)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, call));
    const struct function *found;
    LAB_TRY(find_function(&found, settings->function, call));
    if (found->context != stream->context) return refuse_context(found, stream);
    const void *argument[MAX_PARAMS];
    pointer_value pointer[MAX_PARAMS];
    size_t reach[MAX_PARAMS];
    /* Every member is named: to clear a struct costs more than all that the launch is checked for. */
    const backend_launch launch = {.kernel = found->kernel,
                                   .function = settings->function.handle,
                                   .grid = settings->grid,
                                   .block = settings->block,
                                   .shared_bytes = settings->shared_bytes,
                                   .arguments = argument,
                                   .reach = reach,
                                   .find_reach = find_reach,
                                   .is_loaded = is_loaded,
                                   .cooperative = settings->cooperative,
                                   .touched = NULL};
    LAB_TRY(check_launch(&launch, argument, pointer, reach, stream->context, args));
    if (record_is_on()) find_accesses(found);
    stream_begin_work(stream);
    lab_status status = LAB_SUCCESS;
    for (int i = 0; i < args.count && status == LAB_SUCCESS; i++)
        if (launch.kernel->param[i].kind == LAB_ARG_POINTER) status = memory_note_use(&pointer[i].memory, stream, call);
    if (status == LAB_SUCCESS) status = enqueue_launch(&launch, stream, pointer, found);
    stream_end_work(stream);
    return status;
}

lab_status lab_launch(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes, lab_stream *stream,
                      lab_args args)
{
    return launch_on(stream, &(launch_settings){function, grid, block, shared_bytes, false}, args, "lab_launch");
}

lab_status lab_launch_cooperative(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes,
                                  lab_stream *stream, lab_args args)
{
    return launch_on(stream, &(launch_settings){function, grid, block, shared_bytes, true}, args,
                     "lab_launch_cooperative");
}

/* Tells the order checker of the node's new launch. `access` has room for all its accesses. */
static void update_order(order_exec *order, int node, const backend_launch *launch, const pointer_value *pointer,
                         lab_trace_access *access)
{
    const backend_kernel *kernel = launch->kernel;
    lab_trace_op op = {.kind = LAB_OP_KERNEL, .name = kernel->name, .access = access};
    for (int i = 0; i < kernel->params; i++)
        if (kernel->param[i].kind == LAB_ARG_POINTER && pointer[i].address)
            access[op.accesses++] = access_of(&kernel->param[i], &pointer[i]);
    for (int i = 0; i < kernel->variables; i++) access[op.accesses++] = access_of_variable(&kernel->variable[i]);
    record_caller(&op);
    order_exec_update(order, node, &op);
}

/* Makes the node's launch the given one, and tells the record and the order checker. */
static lab_status update_node(const launch_exec *exec, int node, const backend_launch *launch,
                              const pointer_value *pointer, const char *source)
{
    const size_t most = (size_t)(launch->kernel->params + launch->kernel->variables);
    lab_trace_access *access = calloc(most + 1, sizeof *access);
    if (!access) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_graph_exec_update_kernel: no memory to check its order");
    record_entry *entry = record_begin(LAB_OP_EXEC_UPDATE, exec->context->device);
    record_memory(entry, exec->number, (size_t)node);
    if (entry) record_launch(entry, launch, pointer, source);
    lab_status status = runtime_backend()->exec_update_kernel(exec->native, node, launch);
    if (status == LAB_SUCCESS && exec->order) update_order(exec->order, node, launch, pointer, access);
    record_end(entry, status);
    free(access);
    return status;
}

lab_status launch_update_node(const launch_exec *exec, int node, const backend_launch *settings, lab_args args)
{
    struct context *context = exec->context;
    const struct function *found;
    LAB_TRY(find_function(&found, (lab_function){settings->function}, "lab_graph_exec_update_kernel"));
    char kernel_context[CONTEXT_NAME_BYTES], graph_context[CONTEXT_NAME_BYTES];
    if (found->context != context)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_graph_exec_update_kernel: kernel '%s' was loaded in %s, the graph belongs to %s",
                        found->kernel->name, context_describe(kernel_context, sizeof kernel_context, found->context),
                        context_describe(graph_context, sizeof graph_context, context));
    backend_launch launch = *settings;
    launch.kernel = found->kernel;
    const void *argument[MAX_PARAMS];
    pointer_value pointer[MAX_PARAMS];
    size_t reach[MAX_PARAMS];
    launch.arguments = argument;
    launch.reach = reach;
    launch.find_reach = find_reach;
    launch.is_loaded = is_loaded;
    LAB_TRY(check_launch(&launch, argument, pointer, reach, context, args));
    if (record_is_on() || exec->order) find_accesses(found);
    return update_node(exec, node, &launch, pointer, found->source);
}
