/* labcc's command line: nvcc's options, and what becomes of each. */
#ifndef LAB_LABCC_OPTIONS_H
#define LAB_LABCC_OPTIONS_H

#include "arguments.h"

typedef enum labcc_action {
    LABCC_LINK,
    LABCC_COMPILE,      /* -c */
    LABCC_PREPROCESS,   /* -E */
    LABCC_DEPENDENCIES, /* -M, -MM */
    LABCC_DEVICE_LINK,  /* -dlink: an object for the linker, as nvcc makes */
    LABCC_IMAGE,        /* -ptx, -cubin, -fatbin: kernels alone, for cuModuleLoad */
    LABCC_VERSION,
    LABCC_HELP,
} labcc_action;

typedef enum labcc_language { LABCC_CUDA, LABCC_CXX, LABCC_C, LABCC_OBJECT, LABCC_LINKER_OPTION } labcc_language;

/* A file, or an option of the linker, whose place among the files matters. */
typedef struct labcc_item {
    const char *text;
    labcc_language language;
} labcc_item;

/* What -M, -MD and their companions ask for. */
typedef struct labcc_depends {
    const char *option; /* -M, -MM, -MD, -MMD, or NULL */
    const char *file;   /* -MF, or NULL */
    arguments more;     /* -MP, and -MT or -MQ with their targets */
    bool names_target;
} labcc_depends;

typedef struct labcc_options {
    labcc_action action;
    const char *ending;      /* of what -c or LABCC_IMAGE makes */
    bool shows;              /* -v: the commands, and options that have no effect */
    const char *output;      /* -o, or NULL */
    const char *host;        /* -ccbin: the compiler of C++ files, and linker */
    arguments all;           /* for each compiler */
    const char *standard;    /* -std=..., for CUDA and C++, or NULL */
    arguments device;        /* for kernels only */
    arguments gpu_compiler;  /* for nvcc, with --gpu */
    arguments host_compiler; /* for host code, also when it is linked; without -fopenmp */
    bool openmp;             /* -fopenmp: for host code */
    bool links_openmp;       /* so does -lgomp, when it is linked */
    labcc_depends depends;
    bool links_device_code; /* -rdc=true, -dc: kernels use what other files define */
    bool gpu;               /* --gpu: code for a GPU too */
    bool host_accesses;     /* --host-accesses: host code of CUDA files tells what it reads and writes */
    labcc_item *item;
    int items;
    int sources; /* items that are compiled */
} labcc_options;

/* Reads the command line. False, after a message, for an option that is unknown, or for something that labcc cannot
 * do. */
bool labcc_options_read(labcc_options *options, int count, char **argument);

/* Adds "-o FILE" for a compiler: the object, or what is preprocessed. */
void labcc_add_output(arguments *command, const labcc_options *options, const char *object);

#endif
