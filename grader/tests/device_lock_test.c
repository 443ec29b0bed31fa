/* A device is used by many jobs at once, or by one that measures, in the order of asking. */
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "sandbox/device_lock.h"

/* Each test has a device of its own, because tests run at the same time. The others who use it are processes, because
 * a process holds the lock as a whole. */
static const char *uuids_of_others;

/* Ends each UUID: the same test may run at the same time, in another build or of another folder. */
static char of_this_run[16];

/* UUIDs are separated by commas, and each is a device's. */
static device_lock open_lock(const char *uuids)
{
    device_lock lock;
    grader_fault fault;
    device_info device = {.kind = "cpu"};
    if (!*of_this_run) snprintf(of_this_run, sizeof of_this_run, "-%d", (int)getpid());
    uuids_of_others = uuids;
    snprintf(device.name, sizeof device.name, "device of the lock's test, %s", uuids);
    char *name = strdup(uuids), *rest = name;
    for (const char *uuid; (uuid = strsep(&rest, ","));) {
        const size_t length = strlen(device.uuids);
        snprintf(device.uuids + length, sizeof device.uuids - length, "%s%s%s", length ? "," : "", uuid, of_this_run);
    }
    free(name);
    cr_assert(device_lock_open(&lock, &device, &fault), "%s", fault.text);
    return lock;
}

/* Removes the files of the line, too, which are kept for the next grader otherwise. */
static void close_lock(device_lock *lock)
{
    char *command = text_make("rm -f /tmp/labgrade-%u-*%s.line", (unsigned)getuid(), of_this_run);
    device_lock_close(lock);
    cr_assert_eq(system(command), 0);
    free(command);
}

/* Whether the kernel has this process wait for a lock. */
static bool is_blocked(pid_t pid)
{
    char line[256];
    bool found = false;
    FILE *locks = fopen("/proc/locks", "re");
    cr_assert_not_null(locks);
    while (fgets(line, sizeof line, locks)) {
        int waiter;
        found = found || (sscanf(line, "%*d: -> %*s %*s %*s %d", &waiter) == 1 && waiter == pid);
    }
    fclose(locks);
    return found;
}

static bool has_ended(pid_t pid)
{
    siginfo_t ended = {0};
    return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid;
}

static bool can_read(int descriptor)
{
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};
    return poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN);
}

typedef bool take_function(device_lock *lock, grader_fault *fault);

/* Another job, which asks for the device. It writes `number` to `turns` when it has it, and then holds it until it is
 * killed, or ends if `holds` is false. Returns when it has the device or waits for it. */
static pid_t start_job(take_function *take, int turns, unsigned char number, bool holds)
{
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t job = fork();
    if (job == 0) {
        grader_fault fault;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        device_lock own = open_lock(uuids_of_others);
        bool taken = take(&own, &fault) && (turns < 0 || write(turns, &number, 1) == 1);
        taken = taken && write(ready[1], "x", 1) == 1;
        while (taken && holds) pause();
        _exit(taken ? 0 : 1);
    }
    close(ready[1]);
    while (!is_blocked(job) && !has_ended(job) && !(can_read(ready[0]) && read(ready[0], &byte, 1) == 1)) {
        usleep(1000);
    }
    close(ready[0]);
    return job;
}

static void end_job(pid_t job)
{
    kill(job, SIGKILL);
    waitpid(job, NULL, 0);
}

/* Whether another job could take the device now. */
static bool could(take_function *take)
{
    pid_t job = start_job(take, -1, 0, true);
    bool taken = !is_blocked(job) && !has_ended(job);
    end_job(job);
    return taken;
}

Test(device_lock, jobs_share_the_device)
{
    grader_fault fault;
    device_lock lock = open_lock("jobs_share_t");
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    cr_assert(could(device_lock_share));
    cr_assert_not(could(device_lock_alone), "no other job measures beside it");
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    device_lock_release(&lock);
    cr_assert(could(device_lock_alone));
    close_lock(&lock);
}

Test(device_lock, measuring_job_is_alone_and_lets_no_other_begin)
{
    grader_fault fault;
    device_lock lock = open_lock("who_measures");
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    cr_assert_not(could(device_lock_share));
    cr_assert_not(could(device_lock_alone));
    cr_assert(device_lock_share(&lock, &fault), "the measuring job can switch to sharing");
    cr_assert(could(device_lock_share));
    pid_t measures = start_job(device_lock_alone, -1, 0, true);
    cr_assert_not(could(device_lock_share), "it would overtake one that waits to measure");
    end_job(measures);
    close_lock(&lock);
}

/* Equal GPUs of one machine: only their UUIDs differ. */
Test(device_lock, measuring_on_one_of_two_equal_devices_leaves_the_other_free)
{
    grader_fault fault;
    device_lock lock = open_lock("first_of_equals");
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    cr_assert_not(could(device_lock_share));
    uuids_of_others = "second_of_equals";
    cr_assert(could(device_lock_alone));
    close_lock(&lock);
}

/* A program that sees several devices may use each of them. */
Test(device_lock, measuring_takes_every_device_that_programs_see)
{
    grader_fault fault;
    device_lock lock = open_lock("seen_2,seen_1");
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    uuids_of_others = "seen_1";
    cr_assert_not(could(device_lock_share));
    uuids_of_others = "seen_2";
    cr_assert_not(could(device_lock_share));
    device_lock_release(&lock);
    cr_assert(could(device_lock_alone));
    close_lock(&lock);
}

/* One has the first device and asks for the second, and the other could have it the other way around. */
Test(device_lock, order_of_the_list_does_not_matter)
{
    grader_fault fault;
    int turns[2];
    unsigned char turn[2];
    device_lock lock = open_lock("way_1,way_2");
    cr_assert_eq(pipe(turns), 0);
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    start_job(device_lock_alone, turns[1], 0, false);
    uuids_of_others = "way_2,way_1";
    start_job(device_lock_alone, turns[1], 1, false);
    device_lock_release(&lock);
    for (int i = 0; i < 2; i++) cr_assert(read(turns[0], &turn[i], 1) == 1 && turn[i] == i);
    close_lock(&lock);
}

Test(device_lock, device_without_a_uuid_is_a_fault)
{
    grader_fault fault;
    device_lock lock;
    const device_info unknown = {.kind = "cpu", .name = "CPU"};
    cr_assert_not(device_lock_open(&lock, &unknown, &fault));
    cr_assert_not_null(strstr(fault.text, "cpu (CPU) has no UUID"), "%s", fault.text);
}

Test(device_lock, is_shared_in_the_order_of_asking)
{
    enum { WAITERS = 16 };
    grader_fault fault;
    int turns[2];
    unsigned char turn[WAITERS];
    device_lock lock = open_lock("strict order");
    cr_assert_eq(pipe(turns), 0);
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    for (unsigned char i = 0; i < WAITERS; i++) {
        start_job(i % 2 ? device_lock_share : device_lock_alone, turns[1], i, false);
    }
    device_lock_release(&lock);
    for (int i = 0; i < WAITERS; i++) cr_assert_eq(read(turns[0], &turn[i], 1), 1);
    for (int i = 0; i < WAITERS; i++) cr_assert_eq(turn[i], i, "turn %d went to job %d", i, turn[i]);
    close_lock(&lock);
}

Test(device_lock, whoever_asks_again_stands_behind_those_who_wait)
{
    grader_fault fault;
    int turns[2];
    unsigned char turn;
    device_lock lock = open_lock("asks_again");
    cr_assert_eq(pipe(turns), 0);
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    start_job(device_lock_alone, turns[1], 1, false);
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    cr_assert(can_read(turns[0]), "the job that measures had its turn before");
    cr_assert(read(turns[0], &turn, 1) == 1 && turn == 1);
    close_lock(&lock);
}

Test(device_lock, is_free_when_its_holder_or_one_who_waits_is_killed)
{
    grader_fault fault;
    device_lock lock = open_lock("killed_at_any_time");
    pid_t holder = start_job(device_lock_alone, -1, 0, true), waiter = start_job(device_lock_share, -1, 0, true);
    cr_assert(is_blocked(waiter));
    end_job(waiter);
    cr_assert_not(could(device_lock_share));
    end_job(holder);
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    close_lock(&lock);
}

static int lives_on[2];

/* Takes the device, starts a process that lives on after this one, and is killed. */
static bool take_and_leave_a_process(device_lock *lock, grader_fault *fault)
{
    bool taken = device_lock_alone(lock, fault);
    pid_t left = fork();
    if (left == 0) pause();
    taken = taken && write(lives_on[1], &left, sizeof left) == sizeof left;
    kill(getpid(), SIGKILL);
    return taken;
}

Test(device_lock, is_not_held_by_a_process_that_its_holder_leaves_behind)
{
    pid_t left;
    device_lock lock = open_lock("leaves_a_process");
    cr_assert_eq(pipe(lives_on), 0);
    pid_t holder = start_job(take_and_leave_a_process, -1, 0, true);
    waitpid(holder, NULL, 0);
    cr_assert_eq(read(lives_on[0], &left, sizeof left), (ssize_t)sizeof left);
    bool is_free = could(device_lock_alone);
    kill(left, SIGKILL);
    cr_assert(is_free);
    close_lock(&lock);
}

/* ---- long waits -------------------------------------------------------------------------------------------------- */

static char told[1024];
static int told_times;
static pid_t ahead[2]; /* in the line before this process: each is ended when it has been told of once */

static void hear_and_end_the_first(const char *sentence)
{
    if (told_times < 2) end_job(ahead[told_times]);
    if (told_times++ == 0) snprintf(told, sizeof told, "%s", sentence);
}

Test(device_lock, long_wait_says_for_what_for_whom_since_when_and_behind_how_many)
{
    grader_fault fault;
    char wanted[64];
    int hour, minute, second, others;
    device_lock lock = open_lock("says_for_who");
    for (int i = 0; i < 2; i++) ahead[i] = start_job(device_lock_alone, -1, 0, true);
    lock.waits = hear_and_end_the_first;
    lock.patience = 1;
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    snprintf(wanted, sizeof wanted, "is used by process %d (", (int)ahead[0]);
    cr_assert_not_null(strstr(told, wanted), "%d: %s", told_times, told);
    cr_assert_not_null(strstr(told, "the device cpu (device of the lock's test, says_for_who)"), "%s", told);
    cr_assert_not_null(strstr(told, " for 1 seconds: it "), "how long it has waited: %s", told);
    const char *since = strstr(told, ") since ");
    cr_assert_not_null(since, "%s", told);
    cr_assert_eq(sscanf(since, ") since %2d:%2d:%2d; %d other asked", &hour, &minute, &second, &others), 4, "%s", told);
    cr_assert_eq(others, 1, "%s", told);
    close_lock(&lock);
}

Test(device_lock, wait_in_a_line_that_moves_is_no_fault)
{
    grader_fault fault;
    device_lock lock = open_lock("line_moves");
    for (int i = 0; i < 2; i++) ahead[i] = start_job(device_lock_alone, -1, 0, true);
    lock.waits = hear_and_end_the_first;
    lock.patience = 1;
    lock.most_waits = 2;
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    cr_assert_eq(told_times, 2);
    close_lock(&lock);
}

/* A grader that is stopped, say, holds the device until somebody lets it go on. */
Test(device_lock, wait_for_the_same_holder_without_end_is_a_fault_that_names_it_and_holds_nobody_up)
{
    grader_fault fault;
    char wanted[64];
    device_lock lock = open_lock("without_an_en");
    pid_t holder = start_job(device_lock_share, -1, 0, true);
    lock.patience = 1;
    lock.most_waits = 2;
    cr_assert_not(device_lock_alone(&lock, &fault));
    snprintf(wanted, sizeof wanted, "was not free for 0 minutes: it is used by process %d (", (int)holder);
    cr_assert_not_null(strstr(fault.text, wanted), "%s", fault.text);
    cr_assert(could(device_lock_share), "the one that gave up stands in the line");
    end_job(holder);
    close_lock(&lock);
}
