/*
 * The interface between the library and a compiled kernel module: how a kernel describes itself, and how its blocks are
 * run. The library compiles this file as C. It is also the beginning of every kernel's translation unit, as C++, so it
 * uses built-in types only.
 */
#ifndef LAB_CPU_BUILTINS_KERNEL_ABI_H
#define LAB_CPU_BUILTINS_KERNEL_ABI_H

typedef enum cpu_param_kind {
    CPU_PARAM_INTEGER, /* bool, characters, integers, enumerations */
    CPU_PARAM_FLOAT,
    CPU_PARAM_POINTER,
    CPU_PARAM_BYTES, /* a structure by value */
} cpu_param_kind;

/* The type to which a pointer parameter points. */
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
    CPU_ELEMENT_FLOAT16,
    CPU_ELEMENT_BFLOAT16,
} cpu_element;

typedef struct cpu_param {
    const char *name; /* "" if the source gives none */
    const char *type; /* as C++ spells it: "const float *" */
    cpu_param_kind kind;
    unsigned size;
    unsigned align;
    cpu_element element;
    unsigned element_size; /* the size of that type; 0 for void and for other parameters */
    bool pointer_to_const;
} cpu_param;

typedef enum cpu_failure_kind {
    CPU_FAILURE_TRAP,
    CPU_FAILURE_ASSERT,
    CPU_FAILURE_ADDRESS,   /* an access to memory that is not the kernel's, */
    CPU_FAILURE_ALIGNMENT, /* or at an address that is not aligned for its type */
    CPU_FAILURE_EXCHANGE,  /* a value that is passed to another thread in a way that is not allowed */
    CPU_FAILURE_RACE,      /* an access that nothing orders with another thread's */
    CPU_FAILURE_UNWRITTEN, /* a read of memory that nothing has written */
    CPU_FAILURE_BARRIER    /* a barrier or warp operation that CUDA does not define */
} cpu_failure_kind;

/* A thread that stopped the kernel. */
typedef struct cpu_failure {
    cpu_failure_kind kind;
    const char *what;     /* "Assertion `i < n' failed" */
    const char *file;     /* NULL if the place and the thread are unknown */
    const char *function; /* "" if it adds nothing */
    unsigned line;
    unsigned block[3];
    unsigned thread[3];
} cpu_failure;

/* The kinds of waiting for other threads: a barrier of the block, or an operation of the warp. */
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
    CPU_WAIT_REDUCE_MIN, /* this and the next are of unsigned numbers */
    CPU_WAIT_REDUCE_MAX,
} cpu_wait_kind;

/* The request of a lane in an operation of its warp. */
typedef struct cpu_wait {
    cpu_wait_kind kind;
    const char *file; /* of the call, and its line */
    unsigned line;
    unsigned mask; /* lanes that take part */
    unsigned argument;
    int width; /* the size of a shuffle's segments */
    unsigned long long value;
    unsigned long long result;
} cpu_wait;

/* An access to memory in a module that is compiled for checking: its kind, and its place in the source. */
typedef enum cpu_site_kind {
    CPU_SITE_READ,
    CPU_SITE_WRITE,
    CPU_SITE_ATOMIC,
} cpu_site_kind;

/* The kind of variable that an address was made from, as far as the code shows. */
typedef enum cpu_space {
    CPU_SPACE_UNKNOWN, /* any memory */
    CPU_SPACE_LOCAL,   /* a variable of one thread */
    CPU_SPACE_SHARED,
    CPU_SPACE_GLOBAL, /* __device__ and __constant__ */
} cpu_space;

/* What the source says of an access besides its address. */
typedef enum cpu_strength {
    CPU_ACCESS_PLAIN,
    CPU_ACCESS_VOLATILE,
    CPU_ACCESS_ATOMIC,
    CPU_ACCESS_COPY,         /* of a structure, whose bytes need not all be in use */
    CPU_ACCESS_BLOCK_ATOMIC, /* atomic for the threads of the block alone */
    /* Marks, next to the plain access that does the work: a load of read-only data; a store that is done only when its
     * thread has waited for it. */
    CPU_ACCESS_READ_ONLY,
    CPU_ACCESS_ASYNCHRONOUS,
} cpu_strength;

/* What a thread comes to besides its accesses: a fence for all, or for its block alone; the end of a group of
 * asynchronous copies; a wait for all of its groups but the last ones, whose number is added. */
typedef enum cpu_fence {
    CPU_FENCE_ALL,
    CPU_FENCE_BLOCK,
    CPU_FENCE_COMMIT,
    CPU_FENCE_WAIT,
} cpu_fence;

typedef struct cpu_site {
    const char *file, *function;
    const char *variable; /* its name, "" if unknown */
    unsigned line;
    cpu_site_kind kind;
    cpu_space space;
    cpu_strength strength;
    unsigned align;    /* the address must be a multiple of it */
    unsigned window;   /* of cpu_launch.window, where accesses here look first */
    unsigned followed; /* whether what is read here may be unwritten until it is used */
} cpu_site;

/* Bytes that the thread may read and write, of which nothing else must be noted. */
typedef struct cpu_window {
    unsigned long address, bytes;
    unsigned char *written; /* 1 for each byte that anything has written, else 0; NULL if nobody asks */
} cpu_window;

enum { CPU_WINDOWS = 256 };

typedef struct cpu_known_accesses cpu_known_accesses; /* of race_abi.h */

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

/* Called for each variable of a module, with its address for the calling host thread. */
typedef void (*cpu_visit)(void *user, const void *address, unsigned long bytes, const char *name, cpu_space space);

typedef struct cpu_launch {
    unsigned grid[3];
    unsigned block[3];
    /* Called by a thread that waits at a barrier of its block. Returns when all threads are there, with the barrier's
     * result if it has one. NULL where the threads of a block run one after another, so that none may wait. */
    void (*syncthreads)(const struct cpu_launch *launch, const char *file, unsigned line);
    unsigned (*barrier)(const struct cpu_launch *launch, cpu_wait_kind kind, unsigned predicate, const char *file,
                        unsigned line);
    /* The same for an operation of the warp. Returns when wait->result is set. */
    void (*wait)(const struct cpu_launch *launch, cpu_wait *wait);
    /* Called on the thread that runs the block. It must not return: it leaves by longjmp or ends the process.
     * With NULL the message goes to stderr and the process aborts. */
    void (*failed)(const struct cpu_launch *launch, const cpu_failure *failure);
    /* For a module that is compiled for checking: the windows that its sites found last; whether a thread's access
     * outside them is allowed, which is then about to happen; the end of a thread whose access is not, which must not
     * return. A thread is named by its number in the block. */
    const cpu_window *window;
    bool (*check)(const struct cpu_launch *launch, unsigned thread, const void *address, unsigned long bytes,
                  const cpu_site *site);
    void (*refuse)(const struct cpu_launch *launch, const cpu_access *access);
    /* For the same module, or NULL: an access to a variable that the code names, outside the windows, is about to
     * happen; an atomic or volatile access has; a fence, a cpu_fence. */
    void (*accesses)(const struct cpu_launch *launch, unsigned thread, const void *address, unsigned long bytes,
                     const cpu_site *site);
    cpu_known_accesses *known; /* those that need not be told of; or NULL */
    void (*accessed)(const struct cpu_launch *launch, unsigned thread, const void *address);
    void (*fence)(const struct cpu_launch *launch, unsigned thread, unsigned which);
    /* For the same module, or NULL: a branch that decides whether the thread waits for others is about to be taken, or
     * the thread is where all ways from such branches meet again. */
    void (*way)(const struct cpu_launch *launch, unsigned thread, unsigned meeting, bool met);
    /* For the same module, or NULL: a thread has read bytes of shared memory; which read that is, if nothing has
     * written them, else 0. A lane brings to a shuffle what it has from such a read or shuffle, or another value: 0;
     * which of them its result comes from, or else 0. A thread uses what it has from one, in a line, or `hands_on` to
     * what may discard it; it puts that into memory. A read without an address is one of a local variable. */
    unsigned (*unwritten)(const struct cpu_launch *launch, unsigned thread, const void *address, unsigned long bytes,
                          const cpu_site *site);
    void (*brings)(const struct cpu_launch *launch, unsigned thread, unsigned source);
    unsigned (*gets)(const struct cpu_launch *launch, unsigned thread);
    void (*used)(const struct cpu_launch *launch, unsigned thread, unsigned source, unsigned line, bool hands_on);
    void (*holds)(const struct cpu_launch *launch, unsigned thread, const void *address, unsigned long bytes,
                  unsigned source, unsigned line);
    /* For the same module: the heap of its kernels. False for an address that is not allocated. NULL: the host's
     * heap. */
    void *(*allocate)(unsigned long bytes);
    bool (*release)(void *memory);
    /* Called by one thread of a block in a cooperative launch; NULL in others. Waits until all blocks have called it.
     * False if one of them never will. */
    bool (*grid_wait)(const struct cpu_launch *launch);
    void *grid_of; /* whose blocks wait */
    /* Whether an address lies in the local memory of threads of the block that runs on this host thread. */
    bool (*is_local)(const struct cpu_launch *launch, unsigned long address);
    void *checker; /* the library's own */
    void *user;    /* the caller's own */
} cpu_launch;

/* Runs blocks [first, first + count) of the grid, in linear order, x fastest, on the calling thread. Each element
 * of `args` points to one argument of the parameter's type. */
typedef void (*cpu_entry)(const void *const *args, const cpu_launch *launch, unsigned long first, unsigned long count);

/* Runs one thread of one block on the calling thread or fiber. */
typedef void (*cpu_thread_entry)(const void *const *args, const cpu_launch *launch, const unsigned *block,
                                 const unsigned *thread);

/* A kernel that is split into regions at its barriers and warp functions. Each region runs for all threads of a block,
 * or of a warp, before the next one begins. Values that these threads have in common are in a frame, each thread's own
 * in slots; variables whose address is taken are in local memory. */
typedef struct cpu_split_place {
    unsigned kind; /* the kind of the wait before the region, a cpu_wait_kind; ~0u if there is none */
    unsigned line;
    const char *file;
} cpu_split_place;

typedef struct cpu_split {
    /* Begins a block: puts the arguments into the frame. */
    void (*begin)(void *frame, const void *const *args, const cpu_launch *launch, const unsigned *block,
                  const unsigned *thread);
    /* Runs a region for the threads x in [range[0], range[1]), y in [range[2], range[3]), z in [range[4], range[5]) of
     * a block that is range[6] wide and range[7] high. The two frames may be the same. Returns the next region of all
     * threads, or CPU_SPLIT_EXITED. Returns CPU_SPLIT_APART if they differ: cpu_split_slots.next then has it for each.
     * If they are a whole warp in a row, from thread range[8] on, with the same frames, and x is a multiple of 32, it
     * also goes on through warp functions. For other threads range[8] is CPU_SPLIT_NO_WARP.
     * A region behind a barrier of the block that is to run for no threads, where range[1] is 0, clears what no thread
     * reads any more in the next frame. So the frames of threads that have gone different ways can be compared. */
    unsigned (*run)(unsigned region, const void *frame, void *next_frame, void *slots, void *local,
                    const unsigned *range);
    void (*sizes)(unsigned long bytes[3]); /* of a frame, the slots, each thread's local memory */
    unsigned long regions;
    const cpu_split_place *place; /* where each region begins; region 0 begins with the kernel */
} cpu_split;

enum {
    CPU_SPLIT_EXITED = 255,
    CPU_SPLIT_APART = 256,
    CPU_SPLIT_NO_WARP = -1,
    /* The elements of a slot. Not a power of two, so that slots do not compete for sets of the cache. */
    CPU_SPLIT_STRIDE = 1088,
};

/* What slots begin with: the region to which each thread goes; its predicate at a barrier; and, in a kernel with warp
 * functions, what it brings to one, as in cpu_wait, and has from it. */
typedef struct cpu_split_slots {
    unsigned char next[CPU_SPLIT_STRIDE], predicate[CPU_SPLIT_STRIDE];
    unsigned mask[CPU_SPLIT_STRIDE], argument[CPU_SPLIT_STRIDE];
    int width[CPU_SPLIT_STRIDE];
    unsigned long long value[CPU_SPLIT_STRIDE], result[CPU_SPLIT_STRIDE];
} cpu_split_slots;

typedef struct cpu_kernel {
    const char *name;
    int line; /* of the definition, in the source */
    int params;
    const cpu_param *param;
    cpu_entry entry;
    cpu_thread_entry thread_entry;
    const cpu_split *split;     /* NULL if it is not split: each thread that waits then has a stack */
    const char *suspends;       /* a barrier or warp function the kernel may call, "__syncthreads"; else NULL */
    unsigned long shared_bytes; /* of __shared__ variables of fixed size */
    bool dynamic_shared;        /* uses extern __shared__ */
    /* Calls `visit` for each variable of the module. NULL if the module is not compiled for checking. */
    void (*variables)(cpu_visit visit, void *user);
    const void *code; /* of the whole module */
    unsigned long code_bytes;
    const char *access;          /* a letter for each parameter: r reads, w writes, b both, n neither; "" if unknown */
    const char *variable_access; /* a letter for each variable of the module */
    const void *apart;           /* who it is in the process of kernels; NULL if it runs in this one */
} cpu_kernel;

/* A variable of a module: __device__ memory, or __constant__. */
typedef struct cpu_variable {
    unsigned long address, bytes;
} cpu_variable;

/* The dynamic shared memory that a block may use. A launch that asks for more must fail before it starts. */
enum { CPU_DYNAMIC_SHARED_BYTES = 48 * 1024 };

#endif
