/*
 * A program of the playground, as a text: what one host thread calls, a statement a line. A semicolon ends a line too,
 * and # begins a comment.
 *
 *   stream S | blocking S             a stream; the null stream orders a blocking one, and is always there as `null`
 *   event E
 *   graph G
 *   device M BYTES | pinned M BYTES | pageable M BYTES        memory, in bytes, KiB or MiB: "device a 16 MiB"
 *   pooled M BYTES                    device memory that is there between `alloc` and `free`
 *   alloc S M | free S M              takes it from the memory pool, and returns it, in the order of the stream
 *   copy S SOURCE TARGET              enqueues a copy on the stream
 *   copy-now SOURCE TARGET            the synchronous copy between host and device, on the null stream
 *   fill S M
 *   kernel S NAME reads M ... writes M ...
 *   function S NAME reads M ... writes M ...                  a host function, on host memory
 *   record E S                        records the event on the stream
 *   wait S E                          the stream waits for the event
 *   capture S G                       the stream captures: its calls, and those of streams that wait for it, become
 *   end S G                           the graph's nodes, up to here. One capture at a time, one for each graph
 *   launch S G                        launches the graph on the stream
 *   sync S | sync E | sync device     the host waits
 *   host reads M | host writes M      the host's own code uses its memory
 *
 * program.c reads the text, program_questions.c answers about what was read, and run.c makes the calls.
 */
#ifndef LAB_PLAYGROUND_PROGRAM_H
#define LAB_PLAYGROUND_PROGRAM_H

#include "lab.h"

enum { PLAY_NAME_BYTES = 24, PLAY_USES = 8, PLAY_STATEMENTS = 256, PLAY_KERNEL_THREADS = 4096, PLAY_BLOCK = 256 };

typedef enum play_kind {
    PLAY_STREAM, /* these make a thing */
    PLAY_BLOCKING,
    PLAY_EVENT,
    PLAY_GRAPH,
    PLAY_POOLED,
    PLAY_DEVICE,
    PLAY_PINNED,
    PLAY_PAGEABLE,
    PLAY_COPY, /* these are operations */
    PLAY_COPY_NOW,
    PLAY_FILL,
    PLAY_KERNEL,
    PLAY_FUNCTION,
    PLAY_LAUNCH,
    PLAY_ALLOC,
    PLAY_FREE,
    PLAY_CAPTURE,
    PLAY_END,
    PLAY_RECORD,
    PLAY_WAIT,
    PLAY_SYNC,
    PLAY_SYNC_DEVICE,
    PLAY_HOST,
    PLAY_KINDS
} play_kind;

static inline bool play_is_on_device(play_kind memory) { return memory == PLAY_POOLED || memory == PLAY_DEVICE; }
static inline bool play_makes_stream(play_kind kind) { return kind <= PLAY_BLOCKING; }

/* Memory that a statement uses: the number of the statement that made it. */
typedef struct play_use {
    int memory;
    bool reads, writes;
} play_use;

typedef struct play_statement {
    play_kind kind;
    int text_line;              /* from 1 */
    char name[PLAY_NAME_BYTES]; /* of what it makes; of a kernel or host function */
    size_t bytes;               /* of memory that it makes */
    /* The numbers of the statements that made them. PLAY_NULL is the null stream, PLAY_NOTHING none. */
    int stream, event, graph;
    play_use use[PLAY_USES]; /* of a copy: source, target. Of a kernel: what it writes, then what it only reads */
    int uses;
} play_statement;
enum { PLAY_NOTHING = -1, PLAY_NULL = -2 };

typedef struct play_program {
    play_statement statement[PLAY_STATEMENTS];
    int statements;
} play_program;

/* What is wrong with a text, or with a call of the program, and in which line of the text. */
typedef struct play_fault {
    int text_line;
    char text[512];
} play_fault;

/* False if the text is not a program. */
bool play_read(play_program *out, play_fault *fault, const char *text);

/* "copy", "sync-device": a word for the kind, which begins its statements, but for that one. */
const char *play_kind_name(play_kind kind);

/* The kind of copy, by the memory that it uses. */
typedef enum play_direction { PLAY_HTOD, PLAY_DTOH, PLAY_DTOD } play_direction;
play_direction play_direction_of(const play_program *program, const play_statement *copy);

/* The bytes that the statement uses of each of its memories: as many as the smallest has. */
size_t play_bytes_of(const play_program *program, const play_statement *statement);

/* The name of the thing that the statement of this number makes; "null" for PLAY_NULL. */
const char *play_name_of(const play_program *program, int number);

/* The first statement that launches the kernel, or calls the host function, of this one. */
int play_first_of_name(const play_program *program, int number);

/* Writes "kernel produce", "copy in to a", "record of ready", ...: at most `size` bytes. */
void play_describe(char *text, size_t size, const play_program *program, int number);

#endif
