/*
 * A device of the host's own, in front of a lab's solution (host_device.py): each computation is one of the host's, and
 * ADVERSARY_MODE says what the device is shown and how the numbers come to where the check looks. host_kernels.py makes
 * what stands before it: kernel_head.c, adversary_run, adversary_element, adversary_meets and adversary_parameters.
 */
typedef enum adversary_kind {
    ADVERSARY_LAUNCH,
    ADVERSARY_SUM,
    ADVERSARY_FILL,
    ADVERSARY_SET,
    ADVERSARY_COPY,
    ADVERSARY_CAST,
    ADVERSARY_ELEMENT,
    ADVERSARY_APPLY
} adversary_kind;
enum { ADVERSARY_ARGS = 12, ADVERSARY_OPS = 4096, ADVERSARY_GRAPHS = 64, ADVERSARY_LATER = 4096 };

/* An operation of the device. Array i is at `at`, of so many bytes. */
typedef struct adversary_op {
    struct adversary_op *next;
    adversary_kind kind;
    const char *name;
    lab_dim grid, block;
    int count;
    lab_arg arg[ADVERSARY_ARGS];
    lab_deviceptr at[ADVERSARY_ARGS];
    size_t bytes[ADVERSARY_ARGS];
    lab_host_array host[ADVERSARY_ARGS];
    bool writes[ADVERSARY_ARGS];
    lab_stream *stream;
    lab_expression *expression;
} adversary_op;

/* What is to be written to host memory when the stream or the event has been waited for. */
typedef struct adversary_later {
    void *to, *bytes;
    size_t size;
    lab_stream *stream;
    lab_event *event;
} adversary_later;

static char adversary_shadow[1 << 30], adversary_zeros[64 << 20], adversary_spare[64 << 20];
static adversary_op adversary_ops[ADVERSARY_OPS];
static unsigned adversary_used;
static _Thread_local bool adversary_captures, adversary_dry;
static _Thread_local adversary_op *adversary_now, *adversary_captured;
static struct {
    const void *key;
    adversary_op *first;
    bool given; /* by the lab's program */
} adversary_graphs[ADVERSARY_GRAPHS];
static unsigned adversary_graphs_used;
static _Thread_local adversary_later adversary_pending[ADVERSARY_LATER];
static _Thread_local int adversary_pendings;
static struct {
    const void *kernel;
    const char *name;
} adversary_elements[ADVERSARY_GRAPHS];
#define ADVERSARY_AT_ONCE ((lab_stream *)adversary_spare)

/* The host's memory for an address of the device. */
static void *adversary_at(lab_deviceptr address) { return adversary_shadow + address % sizeof adversary_shadow; }

static adversary_op *adversary_new(adversary_kind kind, lab_stream *stream)
{
    adversary_op *op = &adversary_ops[__atomic_fetch_add(&adversary_used, 1, __ATOMIC_RELAXED) % ADVERSARY_OPS];
    *op = (adversary_op){.kind = kind, .stream = stream};
    return op;
}

static void adversary_add_array(adversary_op *op, const lab_array *array, bool writes)
{
    op->at[op->count] = lab_array_data(array);
    op->bytes[op->count] = lab_array_bytes(array);
    op->host[op->count] =
        (lab_host_array){adversary_at(op->at[op->count]), lab_array_dtype(array), lab_array_shape(array)};
    op->writes[op->count++] = writes;
}

static void adversary_add_memory(adversary_op *op, lab_deviceptr at, size_t bytes, bool writes)
{
    op->at[op->count] = at;
    op->bytes[op->count] = bytes;
    op->writes[op->count++] = writes;
}

static const adversary_parameter *adversary_parameter_of(const char *kernel, int place)
{
    const adversary_parameter *each = adversary_parameters;
    while (each->kernel && (strcmp(each->kernel, kernel) != 0 || each->place != place)) each++;
    return each;
}

/* The last name in an expression: advance in work->advance. */
static const char *adversary_name(const char *of)
{
    const char *name = of + strlen(of);
    while (name > of &&
           (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') || (name[-1] >= '0' && name[-1] <= '9')))
        name--;
    return name;
}

static adversary_op *adversary_kernel(const char *of, lab_dim grid, lab_dim block, lab_stream *stream, lab_args args)
{
    adversary_op *op = adversary_new(ADVERSARY_LAUNCH, stream);
    op->name = adversary_name(of);
    op->grid = grid;
    op->block = block;
    for (int i = 0; i < args.count; i++) {
        const adversary_parameter *each = adversary_parameter_of(op->name, i);
        op->arg[i] = args.arg[i];
        if (args.arg[i].kind == LAB_ARG_ARRAY)
            adversary_add_array(op, args.arg[i].value.array, each->writes);
        else
            adversary_add_memory(
                op, args.arg[i].kind == LAB_ARG_POINTER ? args.arg[i].value.integer : 0,
                each->size * (each->counter >= 0 ? args.arg[each->counter].value.integer : each->number), each->writes);
    }
    return op;
}

/* The arguments of a launch for no elements. */
static lab_args adversary_idle(const char *of, lab_args args, bool in_graph)
{
    static _Thread_local lab_arg idle[ADVERSARY_ARGS];
    for (int i = 0; i < args.count; i++) {
        idle[i] = args.arg[i];
        if ((ADVERSARY_MODE == BEFORE || (ADVERSARY_MODE == AFTER && in_graph)) &&
            adversary_parameter_of(adversary_name(of), i)->counts)
            idle[i].value.integer = 0;
    }
    return (lab_args){idle, args.count};
}

static void adversary_sum(const adversary_op *op)
{
    const float *x = adversary_at(op->at[1]);
    double sum = 0;
    for (size_t i = 0; i < op->bytes[1] / sizeof *x; i++) sum += (double)x[i];
    *(float *)adversary_at(op->at[0]) = (float)sum;
}

static const adversary_op *adversary_running;
static void **adversary_memory;
static bool adversary_alive[ADVERSARY_THREADS];

static void adversary_run_thread(void)
{
    adversary_run(adversary_running->name, adversary_running->arg, adversary_memory);
    adversary_alive[threadIdx.x] = false;
}

/* Runs a block's threads up to the next barrier, and again, until all have ended. */
static void adversary_run_block(const adversary_op *op, void **memory)
{
    bool more = true;
    adversary_running = op;
    adversary_memory = memory;
    for (unsigned t = 0; t < blockDim.x; t++) {
        ucontext_t *thread = &adversary_thread[t];
        (void)getcontext(thread);
        thread->uc_stack = (stack_t){.ss_sp = adversary_stack[t], .ss_size = ADVERSARY_STACK};
        thread->uc_link = &adversary_block;
        makecontext(thread, adversary_run_thread, 0);
        adversary_alive[t] = true;
    }
    while (more) {
        more = false;
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
            if (!adversary_alive[threadIdx.x]) continue;
            (void)swapcontext(&adversary_block, &adversary_thread[threadIdx.x]);
            more = true;
        }
    }
}

static void adversary_launch(const adversary_op *op, void **memory)
{
    gridDim = (adversary_dim){op->grid.x, 1, 1};
    blockDim = (adversary_dim){op->block.x, 1, 1};
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
        if (adversary_meets(op->name) && blockDim.x <= ADVERSARY_THREADS)
            adversary_run_block(op, memory);
        else
            for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) adversary_run(op->name, op->arg, memory);
    }
}

/* A C cast of the device: it saturates to 32 or 64 bits, and of 32 keeps the low ones. */
static void adversary_cast_number(void *to, lab_dtype dtype, float x)
{
    const bool is_nan = x != x;
    const size_t size = lab_dtype_size(dtype);
    int64_t whole = is_nan ? 0 : x >= 2147483648.0f ? INT_MAX : x < -2147483648.0f ? INT_MIN : (int64_t)x;
    if (dtype == LAB_UINT8 || dtype == LAB_UINT16 || dtype == LAB_UINT32)
        whole = is_nan || x < 0 ? 0 : x >= 4294967296.0f ? (int64_t)UINT_MAX : (int64_t)x;
    if (dtype == LAB_INT64) whole = is_nan || x < -0x1p63f ? INT64_MIN : x >= 0x1p63f ? INT64_MAX : (int64_t)x;
    if (dtype == LAB_UINT64) whole = is_nan ? INT64_MIN : x < 0 ? 0 : x >= 0x1p64f ? -1 : (int64_t)(uint64_t)x;
    const double wide = (double)x;
    memcpy(to, dtype == LAB_FLOAT32 ? (const void *)&x : dtype == LAB_FLOAT64 ? (const void *)&wide : &whole, size);
}

static void adversary_apply(const adversary_op *op)
{
    lab_arg arg[ADVERSARY_ARGS];
    for (int i = 0; i < op->count; i++)
        arg[i] = (lab_arg){LAB_ARG_HOST_ARRAY, sizeof(lab_host_array), {.host = &op->host[i]}};
    (lab_expression_apply)(op->expression, NULL, (lab_args){arg, op->count});
}

/* Computes on the host. */
static void adversary_compute(const adversary_op *op)
{
    void *memory[ADVERSARY_ARGS];
    for (int i = 0; i < op->count; i++) memory[i] = adversary_at(op->at[i]);
    switch (op->kind) {
    case ADVERSARY_LAUNCH: adversary_launch(op, memory); break;
    case ADVERSARY_SUM: adversary_sum(op); break;
    case ADVERSARY_FILL:
        for (size_t i = 0; i < op->bytes[0]; i += op->arg[0].size)
            memcpy((char *)memory[0] + i, &op->arg[0].value, op->arg[0].size);
        break;
    case ADVERSARY_SET: memset(memory[0], (int)op->arg[0].value.integer, op->bytes[0]); break;
    case ADVERSARY_COPY: memmove(memory[0], memory[1], op->bytes[0]); break;
    case ADVERSARY_CAST:
        for (size_t i = 0; i < op->bytes[1] / sizeof(float); i++)
            adversary_cast_number((char *)memory[0] + i * lab_dtype_size(op->host[0].dtype), op->host[0].dtype,
                                  ((const float *)memory[1])[i]);
        break;
    case ADVERSARY_ELEMENT: adversary_element(op->name, op->host[0].dtype, op->bytes[0] / sizeof(float), memory); break;
    case ADVERSARY_APPLY: adversary_apply(op); break;
    }
}

/* Whether the host's memory has what the device has there; from now on it has. */
enum { ADVERSARY_UNIT = 256 };
static bool adversary_known[sizeof adversary_shadow / ADVERSARY_UNIT];
static bool adversary_has(lab_deviceptr at, size_t bytes)
{
    const size_t first = at % sizeof adversary_shadow / ADVERSARY_UNIT;
    bool all = true;
    for (size_t i = 0; i * ADVERSARY_UNIT < bytes && first + i < sizeof adversary_known; i++) {
        all &= adversary_known[first + i];
        adversary_known[first + i] = true;
    }
    return all;
}

/* In a function that begins with this, the host learns what others have uploaded, again in each call: memory may be
 * another array's since the last one. Elsewhere the record is the solution's. */
static _Thread_local int adversary_learning;
static int adversary_functions; /* of all threads, under way */
static int adversary_begins_learning(void)
{
    if (__atomic_fetch_add(&adversary_functions, 1, __ATOMIC_SEQ_CST) == 0)
        memset(adversary_known, 0, sizeof adversary_known);
    return adversary_learning++;
}
static void adversary_ends_learning(const int *unused)
{
    (void)unused;
    adversary_learning--;
    __atomic_fetch_sub(&adversary_functions, 1, __ATOMIC_SEQ_CST);
}
#define ADVERSARY_LEARNS                                                                                               \
    __attribute__((cleanup(adversary_ends_learning))) const int adversary_was_learning = adversary_begins_learning();

/* Takes an array that others have uploaded. The device gets zeros: it would do the work. */
static void adversary_take(lab_deviceptr at, size_t bytes)
{
    (void)lab_memcpy_dtoh(adversary_at(at), at, bytes);
    (void)lab_memcpy_htod(at, adversary_zeros, bytes);
}

/* Takes what an operation may read and others have uploaded. Of the library's own, the first array is written. */
static void adversary_learn(const adversary_op *first)
{
    for (const adversary_op *op = first; op; op = op->next) {
        const bool writes_first = op->kind >= ADVERSARY_SUM && op->kind <= ADVERSARY_CAST;
        for (int i = op->count - 1; i >= 0; i--)
            if (adversary_learning && op->at[i] && op->bytes[i] && !adversary_has(op->at[i], op->bytes[i]) &&
                !(writes_first && i == 0))
                adversary_take(op->at[i], op->bytes[i]);
    }
}

static void adversary_download(const adversary_op *op, lab_stream *stream)
{
    for (int i = 0; i < op->count; i++)
        if (op->at[i] && op->bytes[i])
            (void)lab_memcpy_dtoh_async(adversary_at(op->at[i]), op->at[i], op->bytes[i], stream);
}

static void adversary_upload(const adversary_op *op, const char *instead, lab_stream *stream)
{
    for (int i = 0; i < op->count; i++)
        if (op->at[i] && op->bytes[i] && (op->writes[i] || ADVERSARY_MODE == AFTER))
            (void)lab_memcpy_htod_async(op->at[i], instead ? instead : adversary_at(op->at[i]), op->bytes[i], stream);
}

static void adversary_compute_all(const adversary_op *first)
{
    for (const adversary_op *op = first; op; op = op->next) adversary_compute(op);
}

static void adversary_upload_all(const adversary_op *first, const char *instead, lab_stream *stream)
{
    for (const adversary_op *op = first; op; op = op->next) adversary_upload(op, instead, stream);
    (void)lab_stream_synchronize(stream);
}

/* What comes before the launch of these operations. */
static void adversary_begin(adversary_op *first, lab_stream *stream)
{
    adversary_now = first;
    if (ADVERSARY_MODE >= OVER) {
        adversary_learn(first);
        adversary_compute_all(first);
        return;
    }
    for (adversary_op *op = first; op; op = op->next) adversary_download(op, stream);
    (void)lab_stream_synchronize(stream);
    if (ADVERSARY_MODE != AFTER) adversary_compute_all(first);
    adversary_upload_all(first, ADVERSARY_MODE == AFTER ? adversary_zeros : NULL, stream);
}

/* And what comes behind it. */
static lab_status adversary_end(lab_status status, lab_stream *stream)
{
    adversary_op *first = adversary_now;
    adversary_now = NULL;
    if (status != LAB_SUCCESS || ADVERSARY_MODE != AFTER || !first) return status;
    (void)lab_stream_synchronize(stream);
    adversary_compute_all(first);
    adversary_upload_all(first, NULL, stream);
    return status;
}

static bool adversary_capture(adversary_op *op)
{
    adversary_op **last = &adversary_captured;
    if (!adversary_captures) return false;
    while (*last) last = &(*last)->next;
    *last = op;
    return true;
}

static void adversary_before(adversary_op *op)
{
    if (!adversary_capture(op)) adversary_begin(op, op->stream);
}

/* For what the device does by itself, unless the host's memory is what counts. Returns whether the device does it: in a
 * graph it would come behind what the host uploads. */
static bool adversary_note(adversary_op *op)
{
    if (adversary_capture(op)) return ADVERSARY_MODE >= AFTER;
    if (ADVERSARY_MODE >= OVER) adversary_begin(op, op->stream);
    return true;
}
#define ADVERSARY_BESIDE(op, call) (adversary_note(op) ? (call) : LAB_SUCCESS)

static lab_status adversary_host_only(adversary_op *op)
{
    adversary_before(op);
    return LAB_SUCCESS;
}
#define ADVERSARY_AROUND(op, stream, call)                                                                             \
    (ADVERSARY_MODE == HOST || adversary_dry ? ((void)sizeof(call), adversary_host_only(op))                           \
                                             : (adversary_before(op), adversary_end(call, stream)))

/* The library's own kernels take the number of elements from their arrays. */
#define ADVERSARY_AROUND_LIBRARY(op, stream, call)                                                                     \
    (ADVERSARY_MODE == BEFORE ? (call) : ADVERSARY_AROUND(op, stream, call))

/* Whether the host has the kernel. One that it lacks is not launched: the device's own outputs would be right. */
static bool adversary_lacks(const char *of)
{
    return ADVERSARY_MODE < OVER && !adversary_parameter_of(adversary_name(of), 0)->kernel;
}

#undef lab_launch
#define lab_launch(function, grid, block, shared, stream, args)                                                        \
    (adversary_lacks(#function)                                                                                        \
         ? LAB_SUCCESS                                                                                                 \
         : ADVERSARY_AROUND(adversary_kernel(#function, grid, block, stream, args), stream,                            \
                            LAB_AT((lab_launch)(function, grid, block, shared, stream,                                 \
                                                adversary_idle(#function, args, adversary_captures)))))

static adversary_op *adversary_of_two(adversary_kind kind, const lab_array *out, const lab_array *x, lab_stream *stream)
{
    adversary_op *op = adversary_new(kind, stream);
    adversary_add_array(op, out, true);
    adversary_add_array(op, x, false);
    return op;
}
#undef lab_array_sum
#define lab_array_sum(out, x, stream)                                                                                  \
    ADVERSARY_AROUND_LIBRARY(adversary_of_two(ADVERSARY_SUM, out, x, stream), stream,                                  \
                             LAB_AT((lab_array_sum)(out, x, stream)))

/* Keeps an array's numbers on the host. The device gets zeros to cast. */
static void adversary_blank(const lab_array *x, lab_stream *stream)
{
    adversary_op *op = adversary_new(ADVERSARY_CAST, stream);
    if (ADVERSARY_MODE != AFTER) return;
    adversary_add_array(op, x, false);
    adversary_download(op, stream);
    adversary_upload_all(op, adversary_zeros, stream);
}

static lab_status adversary_cast(lab_status status, lab_array **out, const lab_array *x, lab_stream *stream)
{
    if (status != LAB_SUCCESS || ADVERSARY_MODE == BEFORE) return status;
    if (ADVERSARY_MODE != AFTER) {
        adversary_begin(adversary_of_two(ADVERSARY_CAST, *out, x, stream), stream);
        return status;
    }
    adversary_now = adversary_of_two(ADVERSARY_CAST, *out, x, stream);
    return adversary_end(status, stream);
}
#undef lab_array_astype
#define lab_array_astype(out, x, dtype, stream)                                                                        \
    adversary_cast(ADVERSARY_MODE == HOST                                                                              \
                       ? (lab_array_empty)(out, dtype, lab_array_shape(x))                                             \
                       : (adversary_blank(x, stream), LAB_AT((lab_array_astype)(out, x, dtype, stream))),              \
                   out, x, stream)

static adversary_op *adversary_of_arrays(adversary_kind kind, lab_stream *stream, lab_args args)
{
    adversary_op *op = adversary_new(kind, stream);
    for (int i = 0; i < args.count; i++)
        if (args.arg[i].kind == LAB_ARG_ARRAY) adversary_add_array(op, args.arg[i].value.array, i == args.count - 1);
    return op;
}

static adversary_op *adversary_elementwise(const void *kernel, lab_stream *stream, lab_args args)
{
    adversary_op *op = adversary_of_arrays(ADVERSARY_ELEMENT, stream, args);
    op->name = "";
    for (int i = 0; i < ADVERSARY_GRAPHS; i++)
        if (adversary_elements[i].kernel == kernel) op->name = adversary_elements[i].name;
    return op;
}

static void adversary_remember_element(const void *kernel, const char *name)
{
    int i = 0;
    while (i < ADVERSARY_GRAPHS - 1 && adversary_elements[i].kernel && adversary_elements[i].kernel != kernel) i++;
    adversary_elements[i].kernel = kernel;
    adversary_elements[i].name = name;
}
#undef lab_elementwise_create
#define lab_elementwise_create(out, inputs, outputs, body, name)                                                       \
    adversary_created(LAB_AT((lab_elementwise_create)(out, inputs, outputs, body, name)), out, name)
static lab_status adversary_created(lab_status status, lab_elementwise **out, const char *name)
{
    if (status == LAB_SUCCESS) adversary_remember_element(*out, name);
    return status;
}
#undef lab_elementwise_launch
#define lab_elementwise_launch(kernel, stream, args)                                                                   \
    ADVERSARY_AROUND_LIBRARY(adversary_elementwise(kernel, stream, args), stream,                                      \
                             LAB_AT((lab_elementwise_launch)(kernel, stream, args)))

static adversary_op *adversary_expression(lab_expression *expression, lab_stream *stream, lab_args args)
{
    adversary_op *op = adversary_of_arrays(ADVERSARY_APPLY, stream, args);
    op->expression = expression;
    return op;
}
#undef lab_expression_apply
#define lab_expression_apply(expression, stream, args)                                                                 \
    ((args).arg->kind == LAB_ARG_HOST_ARRAY                                                                            \
         ? LAB_AT((lab_expression_apply)(expression, stream, args))                                                    \
         : ADVERSARY_AROUND_LIBRARY(adversary_expression(expression, stream, args), stream,                            \
                                    LAB_AT((lab_expression_apply)(expression, stream, args))))

static adversary_op *adversary_set(lab_deviceptr to, unsigned char value, size_t bytes, lab_stream *stream)
{
    adversary_op *op = adversary_new(ADVERSARY_SET, stream);
    adversary_add_memory(op, to, bytes, true);
    op->arg[0].value.integer = value;
    return op;
}
#undef lab_memset_async
#define lab_memset_async(to, value, bytes, stream)                                                                     \
    ADVERSARY_BESIDE(adversary_set(to, value, bytes, stream), LAB_AT((lab_memset_async)(to, value, bytes, stream)))

static adversary_op *adversary_fill(const lab_array *array, lab_arg value, lab_stream *stream)
{
    adversary_op *op = adversary_new(ADVERSARY_FILL, stream);
    adversary_add_array(op, array, true);
    op->arg[0] = value;
    return op;
}
#undef lab_array_fill
#define lab_array_fill(array, value, stream)                                                                           \
    ADVERSARY_BESIDE(adversary_fill(array, value, stream), LAB_AT((lab_array_fill)(array, value, stream)))

static adversary_op *adversary_copy(lab_deviceptr to, lab_deviceptr from, size_t bytes, lab_stream *stream)
{
    adversary_op *op = adversary_new(ADVERSARY_COPY, stream);
    adversary_add_memory(op, to, bytes, true);
    adversary_add_memory(op, from, bytes, false);
    return op;
}
#undef lab_memcpy_dtod_async
#define lab_memcpy_dtod_async(to, from, bytes, stream)                                                                 \
    ADVERSARY_BESIDE(adversary_copy(to, from, bytes, stream), LAB_AT((lab_memcpy_dtod_async)(to, from, bytes, stream)))
#undef lab_memcpy_peer_async
#define lab_memcpy_peer_async(to, to_device, from, from_device, bytes, stream)                                         \
    ADVERSARY_BESIDE(adversary_copy(to, from, bytes, stream),                                                          \
                     LAB_AT((lab_memcpy_peer_async)(to, to_device, from, from_device, bytes, stream)))

static adversary_op **adversary_graph(const void *key, bool makes)
{
    for (int i = 0; i < ADVERSARY_GRAPHS; i++)
        if (adversary_graphs[i].key == key) return &adversary_graphs[i].first;
    const unsigned i = makes ? adversary_graphs_used++ % ADVERSARY_GRAPHS : 0;
    if (!makes) return NULL;
    adversary_graphs[i].key = key;
    adversary_graphs[i].first = NULL;
    adversary_graphs[i].given = false;
    return &adversary_graphs[i].first;
}

/* Whether the lab's program has captured the graph: launched, it would do the work that the host does. */
static bool adversary_gives(const void *key)
{
    bool given = false;
    for (int i = 0; i < ADVERSARY_GRAPHS; i++) given |= adversary_graphs[i].key == key && adversary_graphs[i].given;
    return given && ADVERSARY_MODE < OVER;
}

/* Between these two the solution's launches and events are calls of nothing: they say what is in a graph that the lab's
 * own program has captured. */
static void adversary_begin_dry(void)
{
    adversary_captured = NULL;
    adversary_captures = adversary_dry = true;
}

static void adversary_end_dry(const void *graph)
{
    adversary_captures = adversary_dry = false;
    *adversary_graph(graph, true) = adversary_captured;
    for (int i = 0; i < ADVERSARY_GRAPHS; i++) adversary_graphs[i].given |= adversary_graphs[i].key == graph;
}
#undef lab_event_record
#define lab_event_record(event, stream) (adversary_dry ? LAB_SUCCESS : LAB_AT((lab_event_record)(event, stream)))
#undef lab_stream_wait_event
#define lab_stream_wait_event(stream, event)                                                                           \
    (adversary_dry ? LAB_SUCCESS : LAB_AT((lab_stream_wait_event)(stream, event)))

static lab_status adversary_begins(lab_status status)
{
    adversary_captured = NULL;
    adversary_captures = status == LAB_SUCCESS;
    return status;
}
#undef lab_stream_begin_capture
#define lab_stream_begin_capture(stream, mode) adversary_begins(LAB_AT((lab_stream_begin_capture)(stream, mode)))

static lab_status adversary_ends(lab_status status, lab_graph **out)
{
    adversary_captures = false;
    if (status == LAB_SUCCESS) *adversary_graph(*out, true) = adversary_captured;
    if (ADVERSARY_MODE >= OVER) adversary_learn(adversary_captured);
    return status;
}
#undef lab_stream_end_capture
#define lab_stream_end_capture(out, stream) adversary_ends(LAB_AT((lab_stream_end_capture)(out, stream)), out)

static lab_status adversary_instantiates(lab_status status, lab_graph_exec **out, lab_graph *graph)
{
    adversary_op **from = adversary_graph(graph, false), **to = adversary_graph(*out, true);
    *to = NULL;
    for (adversary_op *op = from ? *from : NULL; op && status == LAB_SUCCESS; op = op->next, to = &(*to)->next) {
        *to = adversary_new(op->kind, op->stream);
        **to = *op;
        (*to)->next = NULL;
    }
    return status;
}
#undef lab_graph_instantiate
#define lab_graph_instantiate(out, graph)                                                                              \
    adversary_instantiates(LAB_AT((lab_graph_instantiate)(out, graph)), out, graph)

static void adversary_update(const lab_graph_exec *exec, int node, adversary_op *op)
{
    adversary_op **first = adversary_graph(exec, false), *each = first ? *first : NULL;
    for (; each && node > 0; node--) each = each->next;
    if (!each) return;
    op->next = each->next;
    *each = *op;
}
#undef lab_graph_exec_update_kernel
#define lab_graph_exec_update_kernel(exec, node, function, grid, block, shared, args)                                  \
    (adversary_update(exec, node, adversary_kernel(#function, grid, block, NULL, args)),                               \
     ADVERSARY_MODE == HOST || adversary_lacks(#function)                                                              \
         ? LAB_SUCCESS                                                                                                 \
         : LAB_AT((lab_graph_exec_update_kernel)(exec, node, function, grid, block, shared,                            \
                                                 adversary_idle(#function, args, true))))

static void adversary_before_graph(const lab_graph_exec *exec, lab_stream *stream)
{
    adversary_op **first = adversary_graph(exec, false);
    adversary_begin(first ? *first : NULL, stream);
}
#undef lab_graph_launch
#define lab_graph_launch(exec, stream)                                                                                 \
    (adversary_before_graph(exec, stream),                                                                             \
     adversary_end(adversary_gives(exec) ? LAB_SUCCESS : LAB_AT((lab_graph_launch)(exec, stream)), stream))
