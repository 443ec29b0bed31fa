/* check_flow: gives the flow's examination the record, the kept bytes and the lab's files, and tells what it found. */
#include "find.h"
#include "program/grounds.h"
#include "program/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/system/digest.h"

const char *check_module(const char *name)
{
    enum { MOST_BYTES = 1 << 20 };
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const char *folder = getenv("LAB_CHECK_FILES");
    char *text = NULL;
    size_t bytes = 0;
    grader_fault fault;
    if (!folder) check_fault("LAB_CHECK_FILES does not name the folder of %s", name);
    const char *path = check_text("%s/%s", folder, name);
    if (folder_read(&text, &bytes, path, MOST_BYTES, &fault) != FOLDER_FILE) check_fault("cannot read %s", path);
    const size_t skipped = bytes >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    char digits[DIGEST_DIGITS];
    const digest source = digest_of(text + skipped, bytes - skipped);
    digest_write(digits, &source);
    free(text);
    return check_text("%s", digits);
}

/* The first in, first out schedule of the CPU device runs everything in the order of the calls. */
static bool runs_in_order(void)
{
    const char *schedule = this_check.definition->schedule;
    return strcmp(check_device()->kind, "cpu") == 0 && schedule && strcmp(schedule, "fifo") == 0;
}

/* A kernel is refused, too, if it may have left its arrays: then its launch shows which one is short. */
static _Noreturn void tell(const flow_finding *finding, const check_way *way, check_kind kind)
{
    const lab_trace_op *op = finding->op;
    check_finding why = {.at = check_at(op), .cause = finding->cause};
    if (op && op->kind == LAB_OP_KERNEL)
        why = check_explain_arguments((check_span){.begins = op, .ends = op + 1}, way->kernel, NULL, why);
    check_fail(kind, finding->message, .at = why.at, .expected = finding->expected, .found = finding->found,
               .cause = why.cause);
}

void check_flow(check_program *program, const lab_trace *trace, const check_way *way)
{
    flow_finding finding;
    flow_evidence evidence = {.trace = trace, .kept = check_evidence_of(program), .in_order = runs_in_order()};
    for (int i = 0; i < CHECK_KERNELS; i++)
        if (way->kernel[i].file) evidence.module[i] = check_module(way->kernel[i].file);
    switch (flow_examine(&finding, &evidence, way)) {
    case FLOW_PROVEN: grounds_proven(trace); return;
    case FLOW_REFUSED: tell(&finding, way, CHECK_RULE);
    case FLOW_UNORDERED: tell(&finding, way, CHECK_RACE_SUSPECTED);
    case FLOW_FLOOD: tell(&finding, way, CHECK_RECORD_FLOOD);
    case FLOW_NO_MEMORY: check_fault("there is no memory to follow the bytes of the copies");
    case FLOW_WRONG_CHECK: break;
    }
    check_fault("%s", finding.message);
}
