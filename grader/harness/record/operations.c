/* Operations of a call, one by one; see plan.h. */
#include "plan.h"
#include "program/program.h"

#include <string.h>

int check_count_in(check_span span, lab_op_kind kind)
{
    int count = 0;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) count += op->kind == kind;
    return count;
}

const lab_trace_op *check_op_in(check_span span, lab_op_kind kind, int which)
{
    int left = which < 0 ? check_count_in(span, kind) + which : which;
    for (const lab_trace_op *op = span.begins; op < span.ends && left >= 0; op++)
        if (op->kind == kind && left-- == 0) return op;
    return NULL;
}

int check_waits_in(check_span span, const lab_trace_op *wait[2])
{
    int waits = 0;
    bool works = false;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        works = works || check_is_work(op);
        if (!op->host_waits || !works) continue;
        works = false;
        if (waits < 2) wait[waits] = op;
        waits++;
    }
    return waits;
}

void check_launched(check_span span, const lab_trace_op *kernel, unsigned least, unsigned most, unsigned threads,
                    const char *name)
{
    const unsigned blocks = kernel->grid.x, found = kernel->block.x * kernel->block.y * kernel->block.z;
    const char *asked = most == least ? check_text("%u ", least) : least > 1 ? check_text("at least %u ", least) : "";
    CHECK_THAT(blocks >= least && (!most || blocks <= most) && kernel->block.x == threads && found == threads,
               CHECK_RULE, check_text("%s launches the kernel %s in another shape", span.function, kernel->name),
               .at = check_at(kernel),
               .expected = check_text("%sblocks of %u threads%s%s", asked, threads, name ? ": " : "", name ? name : ""),
               .found = check_text("%u blocks of %u threads", blocks, found),
               .cause = blocks == threads && found != threads
                            ? check_text("the grid comes before the block: it has %u blocks, as many as the block "
                                         "should have threads",
                                         threads)
                            : NULL);
}

void check_own_work(check_span span, const char *mark, const char *given)
{
    const char *word = strrchr(given, '>') ? strrchr(given, '>') + 1 : given;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        CHECK_THAT(!check_is_mark(op, mark), CHECK_RULE, check_text("%s calls %s", span.function, given),
                   .at = check_at_name(check_text("%s in %s", word, span.function)),
                   .expected = check_text("the work enqueued in %s itself", span.function),
                   .found = check_text("a call of %s", given),
                   .cause = "it is given for other tasks, and enqueues nothing in this one");
}
