/* Runs one check, from its first line to its evidence; see check.h. */
#include "run/check_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plain_text.h"
#include "program/grounds.h"
#include "record/records.h"
#include "run/evidence_line.h"

static uint64_t seed_of_run(void)
{
    uint64_t seed = 0;
    const char *text = getenv("LAB_CHECK_SEED");
    if (text) return strtoull(text, NULL, 10);
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) check_fault("the system gives no random seed");
    return seed;
}

/* A check that computes without end is a fault of the grader, and must not keep the device from others. The kernel
 * ends it (SIGXCPU); programs that it starts have limits of their own. On a GPU the reference of a large lab takes
 * minutes of CPU time, on all cores (check_each). */
static void limit_own_work(void)
{
    enum { SECONDS_A_CORE = 60, MOST_SECONDS = 600 };
    struct rlimit limit;
    struct rusage used;
    const char *asked = getenv("LAB_CHECK_COMPUTING");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    rlim_t most = cores > 0 && cores < MOST_SECONDS / SECONDS_A_CORE ? (rlim_t)cores * SECONDS_A_CORE : MOST_SECONDS;
    if (getrlimit(RLIMIT_CPU, &limit) < 0 || getrusage(RUSAGE_SELF, &used) < 0) return;
    if (asked) most = strtoul(asked, NULL, 10);
    most += (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    if (most < limit.rlim_cur) limit.rlim_cur = most;
    setrlimit(RLIMIT_CPU, &limit);
}

static void begin(const check_definition *definition)
{
    enum { REFERENCE_SECONDS = 120 }; /* enough on any machine, because the reference does not hang */
    const char *limit = getenv("LAB_CHECK_SECONDS");
    double seconds = limit ? strtod(limit, NULL) : 0;
    if (seconds <= 0) seconds = check_seconds(definition);

    /* This process holds the seed and the inputs: no other process may look into it, even of the same user. It also
     * must not outlive the reader of its evidence. */
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    limit_own_work();

    this_check = (check_state){.definition = definition, .started = clock_seconds(), .limit = seconds};
    this_check.seconds_left = seconds;
    this_check.whole_left = CHECK_MOST_LIMITS * seconds;
    this_check.reference_seconds_left = REFERENCE_SECONDS;
    patience_begin(&this_check.patience, seconds);
}

/* Seeds of schedules are short, because people type them. */
static const char *seeded_schedule(const char *schedule, int round)
{
    enum { SEEDS = 1000000 };
    return check_text("%s:%" PRIu64, schedule, (this_check.seed + (uint64_t)round) % SEEDS);
}

static const char *schedule_of_round(const check_definition *definition, int round)
{
    const char *schedule = definition->schedule;
    return strcmp(schedule, "fifo") == 0 ? schedule : seeded_schedule(schedule, round);
}

/* Only this program has schedule and setting, and the CPU device. */
static check_program *start_on_cpu(size_t bytes, const char *schedule, const char *setting)
{
    const char *own = this_check.schedule;
    const check_chosen_device chosen = check_chosen_device_now();
    if (strcmp(check_device()->kind, "cuda") == 0) check_use_cpu_device();
    this_check.schedule = schedule;
    this_check.setting = setting;
    check_program *program = check_start_kept(bytes);
    this_check.schedule = own;
    this_check.setting = NULL;
    check_choose_device(chosen);
    return program;
}

check_program *check_start_unkind(size_t bytes) { return start_on_cpu(bytes, seeded_schedule("adversarial", 0), NULL); }

check_program *check_start_set(size_t bytes, const char *setting)
{
    return start_on_cpu(bytes, this_check.schedule, setting);
}

/* Only the CPU device has adversarial schedules and checks of kernels. They find there, on a machine with a GPU too,
 * what a fast GPU hides: the work of a submission without a wait has ended by luck. The order of the calls is no such
 * question, and is every GPU's. A check for which there are too few GPUs runs on CPU devices as well. Returns whether
 * the check's schedule counts. */
static bool choose_device(const check_definition *definition)
{
    const bool unkind = definition->schedule && strcmp(definition->schedule, "fifo") != 0;
    const bool asks = unkind || definition->checks_kernels || definition->setting;
    if (!asks && !definition->schedule && !definition->devices) return false;
    const bool is_gpu = strcmp(check_device()->kind, "cuda") == 0;
    const bool leaves_gpu = is_gpu && (asks || definition->devices > check_device()->devices);
    if (leaves_gpu) check_use_cpu_device();
    return definition->schedule && (leaves_gpu || !is_gpu);
}

static void run_rounds(const check_definition *definition)
{
    int rounds = definition->seeds > 0 ? definition->seeds : 1;
    const bool has_schedules = choose_device(definition);
    if (!has_schedules) rounds = 1;
    for (int round = 0; round < rounds; round++) {
        programs_end();
        this_check.level = NULL;
        check_builds_on(0);
        this_check.schedule = has_schedules ? schedule_of_round(definition, round) : NULL;
        this_check.called_under = this_check.schedule;
        grounds_begin();
        definition->body();
        grounds_settle();
    }
}

/* Runs the body of the check, which may end early anywhere. */
static void run_body(void *user)
{
    const check_definition *definition = user;
    this_check.timings = json_array();
    this_check.ratios = json_array();
    if (!this_check.timings || !this_check.ratios) check_fault("not enough memory for the tables of times");
    uint64_t seed = seed_of_run();
    this_check.seed = seed ^ lab_text_hash(definition->name, strlen(definition->name));
    run_rounds(definition);
}

/* Whether another schedule may hide such a finding. A leak or a broken rule is in every record. */
static bool is_luck(check_kind kind) { return kind != CHECK_LEAK && kind != CHECK_RULE; }

/* Adds to the finding what is known only when the check has failed, while its programs are still there. */
static void complete(void *user)
{
    check_finding *finding = user;
    const char *schedule = this_check.called_under;
    records_complete(finding);
    if (schedule && strcmp(schedule, "fifo") != 0 && is_luck(finding->kind))
        finding->message = check_text("%s (under LAB_SCHEDULE=%s)", finding->message, schedule);
}

static void end_programs(void *user)
{
    (void)user;
    programs_end();
}

static void release(void)
{
    records_drop(0);
    json_decref(this_check.timings);
    json_decref(this_check.ratios);
    free(this_check.trace);
    free(this_check.timeline_svg);
    free(this_check.timeline_text);
    free(this_check.output);
}

bool check_run(const check_definition *definition, char message[CHECK_MESSAGE])
{
    check_ending ending = {.outcome = CHECK_PASSED}, ignored;
    begin(definition);
    check_catch(&ending, run_body, (void *)definition);
    if (ending.outcome == CHECK_FAILED) check_catch(&ignored, complete, &ending.finding);
    check_catch(&ending, end_programs, NULL);
    bool written = evidence_line_write(&this_check, &ending);
    bool passed = ending.outcome == CHECK_PASSED;
    const char *said = ending.finding.message;
    snprintf(message, CHECK_MESSAGE, "%s%s", ending.outcome == CHECK_FAULTED ? "grader fault: " : "", said ? said : "");
    release();
    check_free_memory();
    prctl(PR_SET_DUMPABLE, 1);
    /* Without evidence the check must not seem to have ended: its reader then finds an error instead of a result. */
    if (!written) abort();
    return passed;
}
