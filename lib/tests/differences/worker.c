/* Lines of a worker: "INDEX CALLS BYTES ORDER FAILURES WRONG MISORDERED FINDINGS", or "INDEX lost REASON". */
#include "worker.h"

#include <inttypes.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- in a worker ---- */

static void say(size_t index, const outcome *noted)
{
    printf("%zu %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %d %d %d %d\n", index, noted->calls, noted->bytes,
           noted->order, noted->failures, noted->wrong, noted->misordered, noted->findings);
    fflush(stdout);
}

/* Changes LAB_SCHEDULE=adversarial to adversarial:SEED before the library reads it. */
static void choose_schedule(const char *schedule, uint64_t seed)
{
    char text[100];
    snprintf(text, sizeof text, "%s:%" PRIu64, schedule, seed);
    setenv("LAB_SCHEDULE", text, 1);
}

static void run_alone(size_t index, seed_entry entry, const char *schedule)
{
    outcome made;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        choose_schedule(schedule, entry.seed);
        alarm(WORKER_SECONDS);
        if (!outcome_of(&made, entry, NULL)) _exit(WORKER_NO_DEVICE);
        say(index, &made);
        _exit(0);
    }
    if (child > 0) waitpid(child, &status, 0);
    if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_NO_DEVICE)) exit(WORKER_NO_DEVICE);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        printf("%zu lost %s %d\n", index, WIFSIGNALED(status) ? "it was ended by signal" : "it ended with status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        fflush(stdout);
    }
}

static bool needs_seed(const char *schedule) { return !strcmp(schedule, "random") || !strcmp(schedule, "adversarial"); }

int worker_main(int count, char **argument)
{
    seed_list seeds = {0};
    if (count < 4) return WORKER_NO_DEVICE;
    const size_t first = strtoul(argument[0], NULL, 10), step = strtoul(argument[1], NULL, 10);
    const char *schedule = argument[2];
    for (int i = 3; i < count; i++)
        if (!seeds_add(&seeds, argument[i])) return WORKER_NO_DEVICE;
    for (size_t index = first; index < seeds.count; index += step) {
        outcome made;
        if (needs_seed(schedule)) {
            run_alone(index, seeds.entry[index], schedule);
            continue;
        }
        if (!outcome_of(&made, seeds.entry[index], NULL)) return WORKER_NO_DEVICE;
        say(index, &made);
    }
    return 0;
}

int details_main(int count, char **argument)
{
    outcome made;
    seed_list seeds = {0};
    if (count != 2 || !seeds_add(&seeds, argument[1])) return WORKER_NO_DEVICE;
    if (needs_seed(argument[0])) choose_schedule(argument[0], seeds.entry->seed);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(WORKER_SECONDS);
    return outcome_of(&made, *seeds.entry, stdout) ? 0 : WORKER_NO_DEVICE;
}

/* ---- running workers ---- */

typedef struct worker {
    pid_t process;
    int lines;   /* its output; -1 if it has ended */
    size_t next; /* the index of its current seed */
    time_t heard;
    char text[1000]; /* the beginning of a line */
    size_t length;
} worker;

/* Starts this program with the arguments and the side's environment; its output can be read from *lines. */
static bool start(pid_t *process, int *lines, const side *runner, char *const *argument)
{
    char device[100], schedule[100], *environment[1000];
    int count = 0, channel[2];
    snprintf(device, sizeof device, "LAB_DEVICE=%s", runner->device);
    snprintf(schedule, sizeof schedule, "LAB_SCHEDULE=%s", needs_seed(runner->schedule) ? "fifo" : runner->schedule);
    environment[count++] = device;
    environment[count++] = schedule;
    for (char **each = environ; *each && count < 999; each++)
        if (strncmp(*each, "LAB_DEVICE=", 11) && strncmp(*each, "LAB_SCHEDULE=", 13) &&
            strncmp(*each, "LAB_ORDER=", 10))
            environment[count++] = *each;
    environment[count] = NULL;
    if (pipe(channel) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, channel[0]);
    posix_spawn_file_actions_addclose(&actions, channel[1]);
    const int error = posix_spawn(process, "/proc/self/exe", &actions, NULL, argument, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(channel[1]);
    *lines = channel[0];
    if (error) close(channel[0]);
    return error == 0;
}

static bool start_worker(worker *made, const side *runner, size_t first, char *const *words)
{
    char number[30], step[30], *argument[100] = {"random_programs", "--work", number, step, (char *)runner->schedule};
    snprintf(number, sizeof number, "%zu", first);
    snprintf(step, sizeof step, "%d", runner->workers);
    for (int i = 0; words[i] && i < 90; i++) argument[5 + i] = words[i];
    *made = (worker){.next = first, .heard = time(NULL), .lines = -1};
    return start(&made->process, &made->lines, runner, argument);
}

static void take_line(side_result *result, worker *sender, const side *runner, size_t count, const char *line)
{
    size_t index;
    side_result made = {.done = true};
    outcome *o = &made.outcome;
    if (sscanf(line, "%zu", &index) != 1 || index >= count) return;
    if (sscanf(line, "%*u lost %79[^\n]", made.lost) != 1 &&
        sscanf(line, "%*u %" SCNx64 " %" SCNx64 " %" SCNx64 " %d %d %d %d", &o->calls, &o->bytes, &o->order,
               &o->failures, &o->wrong, &o->misordered, &o->findings) != 7)
        return;
    result[index] = made;
    sender->next = index + (size_t)runner->workers;
    sender->heard = time(NULL);
}

static void take_text(side_result *result, worker *sender, const side *runner, size_t count)
{
    for (char *end; (end = memchr(sender->text, '\n', sender->length));) {
        const size_t line = (size_t)(end - sender->text) + 1;
        *end = '\0';
        take_line(result, sender, runner, count, sender->text);
        memmove(sender->text, sender->text + line, sender->length - line);
        sender->length -= line;
    }
}

/* Handles the end of a worker. If it ended too early, another one continues after its current seed. False if there is
 * no device. */
static bool end_worker(side_result *result, worker *ended, const side *runner, size_t count, char *const *words)
{
    int status = 0;
    close(ended->lines);
    ended->lines = -1;
    waitpid(ended->process, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_NO_DEVICE) return false;
    if (ended->next >= count) return true;
    side_result *lost = &result[ended->next];
    lost->done = true;
    snprintf(lost->lost, sizeof lost->lost, "the process %s %d",
             WIFSIGNALED(status) ? "was ended by signal" : "ended with status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    const size_t next = ended->next + (size_t)runner->workers;
    return next >= count || start_worker(ended, runner, next, words);
}

/* Reads the workers' output until all have ended. */
static bool hear_all(side_result *result, worker *all, const side *runner, size_t count, char *const *words)
{
    struct pollfd wait[64];
    for (;;) {
        int open = 0;
        for (int i = 0; i < runner->workers; i++) {
            wait[i] = (struct pollfd){.fd = all[i].lines, .events = POLLIN};
            open += all[i].lines >= 0;
        }
        if (!open) return true;
        poll(wait, (nfds_t)runner->workers, 1000);
        for (int i = 0; i < runner->workers; i++) {
            worker *sender = &all[i];
            if (sender->lines < 0) continue;
            if (time(NULL) - sender->heard > WORKER_SECONDS + 10) kill(sender->process, SIGKILL);
            if (!(wait[i].revents & (POLLIN | POLLHUP))) continue;
            const ssize_t got =
                read(sender->lines, sender->text + sender->length, sizeof sender->text - sender->length);
            if (got > 0) {
                sender->length += (size_t)got;
                take_text(result, sender, runner, count);
            } else if (!end_worker(result, sender, runner, count, words)) {
                return false;
            }
        }
    }
}

bool workers_run(side_result *result, const side *runner, const seed_list *seeds, char *const *words)
{
    worker all[64];
    bool good = true;
    for (int i = 0; i < runner->workers; i++) all[i].lines = -1;
    for (int i = 0; i < runner->workers && good; i++)
        if ((size_t)i < seeds->count) good = start_worker(&all[i], runner, (size_t)i, words);
    if (good) good = hear_all(result, all, runner, seeds->count, words);
    for (int i = 0; i < runner->workers; i++) {
        if (all[i].lines < 0) continue;
        kill(all[i].process, SIGKILL);
        close(all[i].lines);
        waitpid(all[i].process, NULL, 0);
    }
    return good;
}

char *workers_details(const side *runner, const char *word)
{
    char *argument[] = {"random_programs", "--details", (char *)runner->schedule, (char *)word, NULL}, *text = NULL;
    size_t size;
    pid_t process;
    int lines;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    if (start(&process, &lines, runner, argument)) {
        char chunk[4096];
        for (ssize_t got; (got = read(lines, chunk, sizeof chunk)) > 0;) fwrite(chunk, 1, (size_t)got, out);
        close(lines);
        waitpid(process, NULL, 0);
    }
    fclose(out);
    return text;
}
