/*
 * The catalogue of the order checker: small programs, some right and some with exactly one mistake, written against
 * lab.h as a student would write them. A wrong program marks the two calls that nothing orders with FIRST and SECOND,
 * and says which bytes they share and what would order them. OWNER marks the call that gave freed bytes to another
 * owner.
 *
 *   RIGHT(name, "what makes it right") { ... }
 *   WRONG(name, "what is missing", .bytes = BYTES, .edge = BY_EVENT) { ... }
 *
 * Programs whose mistake others reported come in pairs, in the files reported_*_test.c.
 *
 * A program works with the objects of `kit`. catalogue_test.c runs all programs and prints the table; playground_test.c
 * has the playground judge those that its language can say; replay/ makes the calls of all of them in WebAssembly.
 */
#ifndef LAB_TESTS_ORDER_CATALOGUE_H
#define LAB_TESTS_ORDER_CATALOGUE_H

#include "lab.h"
#include "lab_trace.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4096, BYTES = COUNT * sizeof(float) };

/* The objects of every program: streams, events, arrays and pinned memory that nothing uses yet. */
typedef struct ground {
    lab_stream *one, *two, *three;  /* non-blocking */
    lab_stream *blocking, *another; /* ordered with the null stream */
    lab_event *event, *other_event;
    lab_array *a, *b, *c; /* COUNT float32 each */
    float *pinned, *pinned_too;
    float pageable[COUNT];
    lab_function increase;  /* (float *x): reads and writes COUNT elements */
    lab_function duplicate; /* (float *to, const float *from) */
    lab_function set;       /* (float *to) */
    lab_function look;      /* (float *x, float *to): only reads x, though it could write */
    lab_function follow;    /* (float *const *list): increases the elements at list[0] */
    lab_function count;     /* (): increases a variable of the module */
    lab_function get_count; /* (float *to): reads it */
    lab_deviceptr calls;    /* that variable, an int */
    lab_function scale;     /* (float *x): multiplies COUNT elements by one of a __constant__ variable, ... */
    lab_deviceptr factor;   /* ... which is four floats */
} ground;

typedef enum missing_edge {
    BY_EVENT,            /* an event between two streams */
    BY_HANDING_OVER,     /* the same, or what one host thread tells another */
    BY_WAIT,             /* a wait of the host */
    IN_CAPTURE,          /* an event between two streams that capture */
    IN_UPDATE,           /* the update of another node of a graph, or an event in the capture */
    BY_MOVING,           /* memory freed too early */
    BY_TELLING,          /* a pool that is told of a stream, or a wait of the host */
    BY_TELLING_OR_EVENT, /* a pool that is told of a stream, or an event */
} missing_edge;

typedef struct program {
    const char *name, *says;
    const char *reported; /* where somebody reported the mistake; NULL if nobody did */
    void (*run)(ground *kit);
    bool wrong;
    size_t offset, bytes; /* the common bytes in their allocation */
    missing_edge edge;
    lab_order_kind kind;
    const char *variable; /* the variable of the module that they are in; NULL if none */
    const char *why;      /* what the text also says; NULL if nothing */
    bool two_devices;     /* it needs two devices */
    struct program *next;
} program;

/* The lines of the program's two calls, and of the call that gave the bytes to another owner; 0 if there is none. */
extern int first_line, second_line, owner_line;

void catalogue_add(program *added);

/* The first program, whose `next` leads to all others. Loads the kernels of the ground, once; then runs a program under
 * the order checker, which is off again afterwards and keeps its findings. */
const program *catalogue_first(void);
void catalogue_load(ground *kit);
void catalogue_run(const program *entry, ground *kit);

#define PROGRAM(program_name, is_wrong, ...)                                                                           \
    static void run_##program_name(ground *kit);                                                                       \
    __attribute__((constructor)) static void add_##program_name(void)                                                  \
    {                                                                                                                  \
        static program added = {.says = __VA_ARGS__};                                                                  \
        added.name = #program_name;                                                                                    \
        added.run = run_##program_name;                                                                                \
        added.wrong = is_wrong;                                                                                        \
        catalogue_add(&added);                                                                                         \
    }                                                                                                                  \
    static void run_##program_name(__attribute__((unused)) ground *kit)
#define RIGHT(program_name, ...) PROGRAM(program_name, false, __VA_ARGS__, .next = NULL)
#define WRONG(program_name, ...) PROGRAM(program_name, true, __VA_ARGS__)

/* A mistake that others ran into, in the fewest calls that have it, and the same program without it:
 *
 *   REPORTED(name, "where", "what is missing", "what is there", .bytes = BYTES, .edge = BY_EVENT) { ... right ... }
 */
#define REPORTED(program_name, where, wrong, right_is, ...)                                                            \
    static void do_##program_name(ground *kit, bool right);                                                            \
    WRONG(program_name, wrong, .reported = where, __VA_ARGS__) { do_##program_name(kit, false); }                      \
    RIGHT(program_name##_made_right, right_is, .reported = where, __VA_ARGS__) { do_##program_name(kit, true); }       \
    static void do_##program_name(ground *kit, bool right)

#define DO(call) cr_assert_eq((call), LAB_SUCCESS, "%s: %s", #call, lab_error_message())
#define FIRST(call)                                                                                                    \
    do {                                                                                                               \
        first_line = __LINE__;                                                                                         \
        DO(call);                                                                                                      \
    } while (0)
#define SECOND(call)                                                                                                   \
    do {                                                                                                               \
        second_line = __LINE__;                                                                                        \
        DO(call);                                                                                                      \
    } while (0)

#define OWNER(call)                                                                                                    \
    do {                                                                                                               \
        owner_line = __LINE__;                                                                                         \
        DO(call);                                                                                                      \
    } while (0)

/* Launch the ground's kernels over all elements. */
#define INCREASE(stream, x) lab_launch(kit->increase, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(x))
#define DUPLICATE(stream, target, source)                                                                              \
    lab_launch(kit->duplicate, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(target, source))
/* Uses the memory on the stream in a way that only the checker is told of. */
#define USE_HIDDEN(stream, memory, writes)                                                                             \
    (lab_next_uses((memory), BYTES, (writes)), lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, (stream), LAB_NO_ARGS))
#define SET(stream, target) lab_launch(kit->set, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(target))

/* `waiting` waits for what was enqueued on `first` so far. */
static inline void chain(ground *kit, lab_stream *first, lab_stream *waiting)
{
    DO(lab_event_record(kit->event, first));
    DO(lab_stream_wait_event(waiting, kit->event));
}

/* Ends the capture; the graph, ready to be launched. */
static inline lab_graph_exec *instantiate(lab_stream *captured)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_stream_end_capture(&graph, captured));
    DO(lab_graph_instantiate(&exec, graph));
    DO(lab_graph_destroy(graph));
    return exec;
}

/* A host function. */
static inline void do_nothing(void *user) { (void)user; }

#endif
