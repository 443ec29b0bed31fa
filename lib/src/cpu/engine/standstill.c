/* While blocks that have not begun are left, a kernel that stands still is the one whose blocks began last: no other
 * gets a thread. */
#include "standstill.h"

#include "base/monotonic.h"
#include "engine_lock.h"
#include "seam/checks.h"

enum { LOOK_EVERY_MS = 250 };

/* What began last, and how often something began. */
static struct {
    cpu_op *op; /* NULL if none of its blocks runs */
    uint64_t first, all;
} latest;

/* The same as it was seen first, and then. */
static struct {
    uint64_t all, begun, progress;
    int64_t since_ns;
} seen;

void cpu_standstill_note(cpu_op *op, uint64_t first)
{
    latest.op = op;
    latest.first = first;
    latest.all++;
}

void cpu_standstill_forget(const cpu_op *op)
{
    if (latest.op == op) latest.op = NULL;
}

static void look(void)
{
    cpu_op *op = latest.op;
    const uint64_t begun = op ? cpu_op_begun(op) : 0, progress = kernel_progress_made();
    const int64_t now = monotonic_ns();
    if (seen.all != latest.all || seen.begun != begun || seen.progress != progress) {
        seen.all = latest.all;
        seen.begun = begun;
        seen.progress = progress;
        seen.since_ns = now;
    }
    if (now - seen.since_ns < STANDSTILL_SECONDS * INT64_C(1000000000)) return;
    if (!op || !op->stands || op->stood || begun == op->blocks) return;
    op->stood = true;
    op->stands(op, begun, op->divided ? begun - 1 : latest.first);
}

void cpu_standstill_sleep(pthread_cond_t *condition)
{
    if (cpu_engine_sleep_for(condition, LOOK_EVERY_MS)) look();
}
