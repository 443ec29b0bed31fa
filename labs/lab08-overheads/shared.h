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

/* The marks around the student's function, and the beginning of those of a lap; the cost's number follows. */
#define LAB08_BEGINS "lab08 begins"
#define LAB08_ENDS "lab08 ends"
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
    bool empty;                 /* the call succeeded and has set no kernel or module */
    lab08_table table;          /* of "lab08_get", after the call */
    int numbers[LAB08_NUMBERS]; /* what the kernel wrote */
    lab08_stored disk[LAB08_FILES];
} lab08_memory;

#endif
