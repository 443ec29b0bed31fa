/* The settings change before there are kernels, so that they are read without a lock. */
#include "checks.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool kernel_checks_on[KERNEL_CHECKS];
static kernel_progress own_progress;
static kernel_progress *progress = &own_progress;

void kernel_check_turn_on(kernel_check check) { kernel_checks_on[check] = true; }

static lab_status open_exchange(void)
{
    const char *wish = getenv("LAB_EXCHANGE");
    if (!wish || !*wish || strcmp(wish, "0") == 0) return LAB_SUCCESS;
    const bool shuffles = strcmp(wish, "shuffles") == 0;
    if (!shuffles && strcmp(wish, "shared") != 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_EXCHANGE=%s is not a valid setting; use shared or shuffles",
                        wish);
    kernel_checks_on[KERNEL_CHECK_EXCHANGE] = true;
    kernel_checks_on[KERNEL_CHECK_SHUFFLES] = shuffles;
    return LAB_SUCCESS;
}

lab_status kernel_checks_open(bool *leaks)
{
    static const char *const name[] = {"LAB_MEMCHECK", "LAB_RACECHECK", "LAB_INITCHECK", "LAB_SYNCCHECK",
                                       "LAB_ORDER_MEASURE"};
    *leaks = false;
    for (kernel_check check = 0; check < sizeof name / sizeof *name; check++) {
        const char *wish = getenv(name[check]);
        const bool memory = check == KERNEL_CHECK_MEMORY;
        if (!wish || !*wish || strcmp(wish, "0") == 0) continue;
        if (memory && strcmp(wish, "leaks") == 0)
            *leaks = true;
        else if (strcmp(wish, "1") != 0)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "%s=%s is not a valid setting; use 1%s", name[check], wish,
                            memory ? ", or leaks to also list, at the end of the program, what was never freed" : "");
        kernel_checks_on[check] = true;
    }
    return open_exchange();
}

bool kernel_checks_are_on(void)
{
    for (int check = 0; check < KERNEL_CHECKS; check++)
        if (kernel_checks_on[check]) return true;
    return false;
}

void kernel_progress_keep_at(kernel_progress *place) { progress = place; }

void kernel_progress_note(void) { atomic_fetch_add_explicit(&progress->made, 1, memory_order_relaxed); }

uint64_t kernel_progress_made(void) { return atomic_load_explicit(&progress->made, memory_order_relaxed); }

/* The other process may end while it holds the line: nobody waits for it. */
static bool hold(void) { return atomic_exchange_explicit(&progress->held, 1, memory_order_acquire) == 0; }
static void let_go(void) { atomic_store_explicit(&progress->held, 0, memory_order_release); }

void kernel_progress_note_line(const char *file, unsigned line)
{
    if (!hold()) return;
    progress->line = (int32_t)line;
    snprintf(progress->file, sizeof progress->file, "%s", file);
    let_go();
}

/* What is there is of now only if it has come since the line was taken away. */
bool kernel_progress_see_line(char file[KERNEL_PROGRESS_FILE], int *line)
{
    enum { LOOKS = 200, PAUSE_US = 10000 };
    bool taken = false;
    *line = 0;
    for (int look = 0; look < LOOKS && *line == 0; look++) {
        if (look > 0) usleep(PAUSE_US);
        if (!hold()) continue;
        if (taken) *line = progress->line;
        memcpy(file, progress->file, KERNEL_PROGRESS_FILE);
        progress->line = 0;
        taken = true;
        let_go();
    }
    file[KERNEL_PROGRESS_FILE - 1] = '\0';
    return *line > 0;
}
