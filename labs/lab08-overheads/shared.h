/* The memory and arguments that checks.c and program.c of lab 08 share. The student's file does not need them. */
#ifndef LAB08_SHARED_H
#define LAB08_SHARED_H

#include "lab08.h"

enum { LAB08_TEXT_BYTES = 1024, LAB08_FILES = 16, LAB08_NUMBERS = 6, LAB08_CONTEXTS = 4 };

/* A request with its texts. */
typedef struct lab08_texts {
    char source[LAB08_TEXT_BYTES], header[LAB08_TEXT_BYTES], options[LAB08_TEXT_BYTES], label[LAB08_TEXT_BYTES];
    int architecture, compiler;
} lab08_texts;

/* Arguments of all calls. */
typedef struct lab08_arguments {
    int context;  /* which of its own contexts the program makes current; 0: the primary context */
    bool ends;    /* "lab08_get": that context ends after the call */
    bool forgets; /* "lab08_get": before the call the table's count becomes 0, and its entries stay */
    bool expects; /* "lab08_get", "lab08_load": the call may fail; its status is in the shared memory */
    bool full;    /* the disk is full */
    bool fixed;   /* lab08_compile gives the same code each time, so that the library compiles it once */
} lab08_arguments;

/* The beginning of the marks of a lap; the cost's number follows. */
#define LAB08_LAP "lab08 lap "

/* A file of the disk. */
typedef struct lab08_stored {
    uint64_t name;
    size_t bytes; /* 0: there is no file */
    lab08_file file;
    char behind[64]; /* room for a file that is too long */
} lab08_stored;

/* The shared memory. */
typedef struct lab08_memory {
    lab08_texts request;
    uint64_t key;               /* what "lab08_key" returned */
    int status;                 /* of "lab08_get" and "lab08_load" */
    bool lacks;                 /* the module of "lab08_load" has no kernel `answer`, where the call may fail */
    bool empty;                 /* the call succeeded and has set no kernel or module */
    lab08_table table;          /* of "lab08_get", after the call */
    int numbers[LAB08_NUMBERS]; /* what the kernel wrote */
    int reads, writes;          /* calls of lab08_disk_read and lab08_disk_write */
    uint64_t read_name;         /* of the last read: its file, and how many bytes there were */
    size_t read_bytes;
    lab08_stored disk[LAB08_FILES];
} lab08_memory;

/* "lab08_keys": the texts of a request of which one has a number of 16 digits, another for each key; or requests whose
 * architecture and compiler are each pair of a grid, in which sums, texts and bits of the two meet. */
typedef enum lab08_part {
    LAB08_IN_SOURCE,
    LAB08_IN_HEADER,
    LAB08_IN_OPTIONS,
    LAB08_IN_VERSIONS,
    LAB08_IN_PARTS
} lab08_part;
enum { LAB08_KEYS = 1 << 18 };
typedef struct lab08_series {
    lab08_part part;
    uint64_t seed; /* of the numbers */
} lab08_series;

/* The shared memory of "lab08_keys". */
typedef struct lab08_keys {
    lab08_memory memory;
    uint64_t key[LAB08_KEYS];
} lab08_keys;

enum { LAB08_ARCHITECTURES = 512, LAB08_STEP_OF_COMPILERS = 5 };
static inline int lab08_architecture(int k) { return k % LAB08_ARCHITECTURES; }
static inline int lab08_compiler(int k) { return k / LAB08_ARCHITECTURES * LAB08_STEP_OF_COMPILERS; }

/* Number k of a series: a step of SplitMix64, which gives no number twice in 2^64 steps, and so rarely one of 16 digits
 * that the check would still find. */
static inline uint64_t lab08_number(const lab08_series *series, int k)
{
    uint64_t number = series->seed + (uint64_t)k * 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return (number ^ number >> 31) % 10000000000000000u;
}

#endif
