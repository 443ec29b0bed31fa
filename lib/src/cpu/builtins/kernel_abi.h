/*
 * What the library and a compiled kernel module agree on: how a kernel describes itself, and how its blocks are
 * run. The library compiles this file as C; it is also the first part of every kernel's translation unit, as C++,
 * so it uses built-in types only. It knows nothing of streams, of threads or of how a module comes to be.
 */
#ifndef LAB_CPU_BUILTINS_KERNEL_ABI_H
#define LAB_CPU_BUILTINS_KERNEL_ABI_H

typedef enum cpu_param_kind {
    CPU_PARAM_INTEGER, /* bool, characters, integers, enumerations */
    CPU_PARAM_FLOAT,
    CPU_PARAM_POINTER,
    CPU_PARAM_BYTES, /* a structure by value */
} cpu_param_kind;

/* What a pointer parameter points to. */
typedef enum cpu_element {
    CPU_ELEMENT_UNKNOWN, /* void, a structure, or not a pointer */
    CPU_ELEMENT_INT8,
    CPU_ELEMENT_UINT8,
    CPU_ELEMENT_INT16,
    CPU_ELEMENT_UINT16,
    CPU_ELEMENT_INT32,
    CPU_ELEMENT_UINT32,
    CPU_ELEMENT_INT64,
    CPU_ELEMENT_UINT64,
    CPU_ELEMENT_FLOAT32,
    CPU_ELEMENT_FLOAT64,
} cpu_element;

typedef struct cpu_param {
    const char *name; /* "" if the source gives none */
    const char *type; /* as C++ spells it: "const float *" */
    cpu_param_kind kind;
    unsigned size;
    unsigned align;
    cpu_element element;
    unsigned element_size; /* sizeof what a pointer points to; 0 for void and for what is not a pointer */
    bool pointer_to_const;
} cpu_param;

typedef enum cpu_failure_kind {
    CPU_FAILURE_TRAP,
    CPU_FAILURE_ASSERT,
    CPU_FAILURE_ADDRESS,  /* memory that is not the kernel's, */
    CPU_FAILURE_ALIGNMENT /* or at an address that does not suit its type */
} cpu_failure_kind;

/* A thread that stopped the kernel. */
typedef struct cpu_failure {
    cpu_failure_kind kind;
    const char *what;     /* "Assertion `i < n' failed" */
    const char *file;     /* NULL if the place and the thread are unknown */
    const char *function; /* "" if that says nothing new */
    unsigned line;
    unsigned block[3];
    unsigned thread[3];
} cpu_failure;

/* At what a thread waits for others: a barrier of its block, or an operation with lanes of its warp. */
typedef enum cpu_wait_kind {
    CPU_WAIT_BARRIER, /* __syncthreads; the next three with its predicate in `value` */
    CPU_WAIT_BARRIER_COUNT,
    CPU_WAIT_BARRIER_AND,
    CPU_WAIT_BARRIER_OR,
    CPU_WAIT_SYNCWARP,
    CPU_WAIT_ACTIVEMASK,
    CPU_WAIT_ALL,
    CPU_WAIT_ANY,
    CPU_WAIT_BALLOT,
    CPU_WAIT_SHUFFLE, /* `argument` is the source lane, or the delta, or the lane mask of the next three */
    CPU_WAIT_SHUFFLE_UP,
    CPU_WAIT_SHUFFLE_DOWN,
    CPU_WAIT_SHUFFLE_XOR,
    CPU_WAIT_MATCH_ANY,
    CPU_WAIT_MATCH_ALL,
    CPU_WAIT_REDUCE_AND,
    CPU_WAIT_REDUCE_OR,
    CPU_WAIT_REDUCE_XOR,
    CPU_WAIT_REDUCE_ADD,
    CPU_WAIT_REDUCE_MIN, /* of unsigned numbers, as the next */
    CPU_WAIT_REDUCE_MAX,
} cpu_wait_kind;

/* What a lane asks for in an operation of its warp. */
typedef struct cpu_wait {
    cpu_wait_kind kind;
    const char *file; /* of the call, and its line */
    unsigned line;
    unsigned mask; /* lanes that take part */
    unsigned argument;
    int width; /* of a shuffle's segments */
    unsigned long long value;
    unsigned long long result;
} cpu_wait;

/* What an instruction of a module that is built for checking does with memory, and where it was written. */
typedef enum cpu_site_kind {
    CPU_SITE_READ,
    CPU_SITE_WRITE,
    CPU_SITE_ATOMIC,
} cpu_site_kind;

/* What kind of variable an address was made from, as far as the code shows. */
typedef enum cpu_space {
    CPU_SPACE_UNKNOWN, /* any memory */
    CPU_SPACE_LOCAL,   /* a variable of one thread */
    CPU_SPACE_SHARED,
    CPU_SPACE_GLOBAL, /* __device__ and __constant__ */
} cpu_space;

typedef struct cpu_site {
    const char *file, *function;
    const char *variable; /* its name, "" if unknown */
    unsigned line;
    cpu_site_kind kind;
    cpu_space space;
    unsigned align; /* the address must be a multiple of it */
} cpu_site;

/* Bytes that the thread may use, whatever for. */
typedef struct cpu_window {
    unsigned long address, bytes;
} cpu_window;

enum { CPU_WINDOWS = 4 }; /* that a module looks at itself */

/* An access that is not allowed. */
typedef struct cpu_access {
    const cpu_site *site;
    const void *address;
    unsigned long bytes;
    const void *object; /* the variable that the code names, or NULL */
    unsigned long object_bytes;
    unsigned block[3];
    unsigned thread[3];
} cpu_access;

/* Told of each variable of a module: where it is for the calling host thread. */
typedef void (*cpu_visit)(void *user, const void *address, unsigned long bytes, const char *name, cpu_space space);

typedef struct cpu_launch {
    unsigned grid[3];
    unsigned block[3];
    /* Called by a thread that waits at a barrier of its block; returns when all are there, with the barrier's result if
     * it has one. NULL where the threads of a block run one after another: a kernel that waits must not be run so. */
    void (*syncthreads)(const struct cpu_launch *launch, const char *file, unsigned line);
    unsigned (*barrier)(const struct cpu_launch *launch, cpu_wait_kind kind, unsigned predicate, const char *file,
                        unsigned line);
    /* The same for an operation of the warp; returns when wait->result is there. */
    void (*wait)(const struct cpu_launch *launch, cpu_wait *wait);
    /* Called on the thread that runs the block. It must not return: it leaves by longjmp or ends the process.
     * With NULL the message goes to stderr and the process aborts. */
    void (*failed)(const struct cpu_launch *launch, const cpu_failure *failure);
    /* Of a module that is built for checking: the windows found last; whether an access outside of them is allowed; and
     * the end of a thread whose access is not, which must not return. */
    const cpu_window *window;
    bool (*check)(const struct cpu_launch *launch, const void *address, unsigned long bytes, const cpu_site *site);
    void (*refuse)(const struct cpu_launch *launch, const cpu_access *access);
    void *checker; /* the library's own, as the next */
    void *user;    /* the caller's own, not looked at */
} cpu_launch;

/* Runs blocks [first, first + count) of the grid, in linear order, x fastest, on the calling thread. Each element
 * of `args` points to one argument of the parameter's type. */
typedef void (*cpu_entry)(const void *const *args, const cpu_launch *launch, unsigned long first, unsigned long count);

/* Runs one thread of one block on the calling thread, or fiber. */
typedef void (*cpu_thread_entry)(const void *const *args, const cpu_launch *launch, const unsigned *block,
                                 const unsigned *thread);

/* A kernel whose threads may wait at barriers, cut there into regions: each is run for all threads of a block before the
 * next begins. What is the same for all of them is in a frame, what is each thread's own in the slots and, for
 * variables whose address is taken, in its local memory. */
typedef struct cpu_split_place {
    unsigned kind; /* of the barrier behind which a region begins, a cpu_wait_kind; ~0u if it begins elsewhere */
    unsigned line;
    const char *file;
} cpu_split_place;

typedef struct cpu_split {
    /* A block begins: arguments to the frame. */
    void (*begin)(void *frame, const void *const *args, const cpu_launch *launch, const unsigned *block,
                  const unsigned *thread);
    /* Runs a region for the threads of x [range[0], range[1]), y [range[2], range[3]), z [range[4], range[5]) of a block
     * that is range[6] wide and range[7] high. Reads one frame and writes to another, which may be the same. Returns the
     * region with which they all go on, or CPU_SPLIT_EXITED, or CPU_SPLIT_APART if the slots begin with a byte a thread
     * for that. */
    unsigned (*run)(unsigned region, const void *in, void *out, void *slots, void *local, const unsigned *range);
    void (*sizes)(unsigned long bytes[3]); /* of a frame, of the slots, of each thread's local memory */
    unsigned long regions;
    const cpu_split_place *place; /* where each region begins; the first one where the kernel does */
} cpu_split;

enum {
    CPU_SPLIT_EXITED = 255,
    CPU_SPLIT_APART = 256,
    CPU_SPLIT_STRIDE =
        1088, /* threads that a slot has room for; no power of two, so that slots do not meet in the cache */
};

typedef struct cpu_kernel {
    const char *name;
    int line; /* of the definition, in the source */
    int params;
    const cpu_param *param;
    cpu_entry entry;
    cpu_thread_entry thread_entry;
    const cpu_split *split;     /* NULL if it is not split: then threads that wait have a stack each */
    const char *suspends;       /* a barrier or warp function the kernel may call, "__syncthreads"; else NULL */
    unsigned long shared_bytes; /* of __shared__ variables whose size the source fixes */
    bool dynamic_shared;        /* uses extern __shared__ */
    /* Calls `visit` for each variable of the module; NULL if the module is not built for checking. */
    void (*variables)(cpu_visit visit, void *user);
    const void *code; /* of the whole module, functions that the kernel calls among it */
    unsigned long code_bytes;
    const char
        *access; /* a letter a parameter: n, r, w or b for both, as far as the compiler knows; "" if it does not */
    const char *variable_access; /* the same for each variable of the module */
} cpu_kernel;

/* The dynamic shared memory a block may use; a launch that asks for more must be refused before it starts. */
enum { CPU_DYNAMIC_SHARED_BYTES = 48 * 1024 };

#endif
