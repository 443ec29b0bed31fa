/* A process for each GPU; see work_on_gpus.h. */
#include "work_on_gpus.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_tree.h"

enum { MOST_GPUS = 64, DONE = 0, LEFT = 3, FAILED = 2 };

/* ---- in the process of a GPU ------------------------------------------------------------------------------------- */

/* CUDA shows this process, and all that it starts, this GPU only. */
static _Noreturn void work_on(const char *gpu, const grading_settings *settings, const grading_part *part, pid_t parent)
{
    size_t left = 0;
    grader_fault fault = {0};
    process_tree_forget();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool ok = getppid() == parent && setenv("CUDA_VISIBLE_DEVICES", gpu, 1) == 0 && process_tree_adopt(&fault) &&
              grading_work(settings, part, &left, &fault);
    if (!ok && *fault.text) fprintf(stderr, "labgrade: GPU %s: %s\n", gpu, fault.text);
    fflush(NULL);
    _exit(!ok ? FAILED : left ? LEFT : DONE);
}

/* ---- in the process that starts them ----------------------------------------------------------------------------- */

/* Splits "0,1" at its commas. Returns how many there are; 0 after a fault. */
static size_t read_list(char *gpu[MOST_GPUS], char *list, grader_fault *fault)
{
    size_t count = 0;
    char *rest;
    const bool gap = !*list || *list == ',' || list[strlen(list) - 1] == ',' || strstr(list, ",,");
    for (char *each = strtok_r(list, ",", &rest); each && !gap; each = strtok_r(NULL, ",", &rest)) {
        for (size_t i = 0; i < count; i++) {
            if (strcmp(gpu[i], each) != 0) continue;
            fault_set(fault, "--gpus names GPU %s twice", each);
            return 0;
        }
        if (count == MOST_GPUS) {
            fault_set(fault, "--gpus names more than %d GPUs", MOST_GPUS);
            return 0;
        }
        gpu[count++] = each;
    }
    if (gap) fault_set(fault, "--gpus: GPUs as in CUDA_VISIBLE_DEVICES are needed, such as 0,1,2,3");
    return count;
}

/* Waits for a process; *left says whether it left submissions without a result. */
static bool wait_for(pid_t pid, const char *gpu, bool *left, grader_fault *fault)
{
    int status = 0;
    waitpid(pid, &status, 0);
    process_tree_disown(pid);
    *left = WIFEXITED(status) && WEXITSTATUS(status) == LEFT;
    if (WIFEXITED(status) && WEXITSTATUS(status) != FAILED) return true;
    return fault_set(fault, "the process of GPU %s failed; what it has not graded is left", gpu);
}

bool work_on_gpus(const grading_settings *settings, const grading_part *part, const char *gpus, bool *left,
                  grader_fault *fault)
{
    char *gpu[MOST_GPUS], list[4096];
    pid_t pid[MOST_GPUS], parent = getpid();
    size_t started = 0;
    *left = false;
    if (snprintf(list, sizeof list, "%s", gpus) >= (int)sizeof list) return fault_set(fault, "--gpus is too long");
    const size_t count = read_list(gpu, list, fault);
    if (count == 0) return false;
    bool ok = true;
    fflush(NULL);
    for (size_t i = 0; ok && i < count; i++) {
        const grading_part own = {.part = (part->part - 1) * count + i + 1, .parts = part->parts * count};
        pid[i] = fork();
        if (pid[i] == 0) work_on(gpu[i], settings, &own, parent);
        ok = pid[i] > 0 || fault_errno(fault, "cannot start a process for GPU %s", gpu[i]);
        if (ok) started++;
        ok = ok && process_tree_own(pid[i], fault);
    }
    for (size_t i = 0; i < started; i++) {
        bool own_left;
        grader_fault own_fault;
        if (!wait_for(pid[i], gpu[i], &own_left, &own_fault) && ok) {
            ok = false;
            *fault = own_fault;
        }
        *left = *left || own_left;
    }
    return ok;
}
