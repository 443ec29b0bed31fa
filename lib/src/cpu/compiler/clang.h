/* Finds the programs clang and ld and runs them. */
#ifndef LAB_CPU_COMPILER_CLANG_H
#define LAB_CPU_COMPILER_CLANG_H

#include "lab.h"

#include "base/processes/fork_server.h"
#include "base/processes/process.h"

#include <limits.h>

/* A run is stopped after so many seconds of processor time, and later one that takes none, as on a dead file system. A
 * busy machine must not look like either: a kernel that is not split in time runs on fibers, which are slower. */
enum { CLANG_PROCESSOR_SECONDS = 60, CLANG_SECONDS = 1800 };

typedef struct cpu_clang {
    char program[PATH_MAX];
    bool splits;                           /* splits kernels at their barriers */
    bool says_why;                         /* names the kernels that it cannot split, and the reasons */
    long long bytes, seconds, nanoseconds; /* the size and the time of the program's file */
    fork_server server;                    /* if it is loaded: runs then begin behind what loading takes */
} cpu_clang;

/* Finds LAB_CLANG from the environment, or else clang on the PATH. */
lab_status cpu_clang_find(cpu_clang *clang);

/* Loads the program for the runs until cpu_clang_unload. If that is not possible, each run loads it as before. */
void cpu_clang_load(cpu_clang *clang);
void cpu_clang_unload(cpu_clang *clang);

/* A text that changes with the program and its options. The caller frees it. NULL when memory runs out. */
char *cpu_clang_identity(const cpu_clang *clang);

/* Runs clang on the input with the options of up to three lists; the others are NULL. `folder` is for temporary files,
 * or NULL if the options make none. The result says how the run ended. The caller frees it whatever the status. */
lab_status cpu_clang_run(lab_process_result *result, const cpu_clang *clang, const char *folder,
                         const char *const *const options[3], const char *input, size_t size);

/* Links an object to a shared object with ld, which is on the PATH, in clang's folder or in /usr/bin. Run by clang, ld
 * would cost two more starts of clang. Its symbols and debug information are left out, unless they are kept. The result
 * is that of cpu_clang_run. */
lab_status cpu_linker_run(lab_process_result *result, const cpu_clang *clang, const char *object, const char *shared,
                          bool keeps_symbols);

#endif
