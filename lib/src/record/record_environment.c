/* LAB_TRACE=FILE: a record of the whole program, saved when the program ends. */
#include "base/program/host_function.h"
#include "base/status.h"
#include "record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_once_t environment_read = PTHREAD_ONCE_INIT;
static lab_status environment_status;

static char *save_path; /* absolute: the program may change its directory */
static pid_t saving_process;

static void save_at_exit(void)
{
    if (getpid() != saving_process) return; /* a forked child does not save its parent's record */
    if (host_function_runs) {               /* the device is never done: it waits for that function */
        fprintf(stderr, "LAB_TRACE: no record is saved, since the program ended inside a host function\n");
        return;
    }
    lab_trace *trace;
    if (lab_trace_end(&trace) != LAB_SUCCESS) return;
    if (lab_trace_save(trace, save_path) != LAB_SUCCESS) fprintf(stderr, "LAB_TRACE: %s\n", lab_error_message());
    lab_trace_free(trace);
}

static void read_environment(void)
{
    const char *path = getenv("LAB_TRACE");
    if (!path || !*path) return;
    char *directory = *path == '/' ? NULL : getcwd(NULL, 0);
    if (asprintf(&save_path, "%s%s%s", directory ? directory : "", directory ? "/" : "", path) < 0) save_path = NULL;
    free(directory);
    saving_process = getpid();
    environment_status =
        save_path ? record_start() : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "LAB_TRACE: no host memory for its path");
    if (environment_status == LAB_SUCCESS) atexit(save_at_exit);
}

lab_status record_start_from_environment(void)
{
    pthread_once(&environment_read, read_environment);
    return environment_status;
}
