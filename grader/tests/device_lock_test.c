/* A device is used by many jobs at once, or by one that measures. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/device_lock.h"

/* Each test has a device of its own, because tests run at the same time. */
static device_info device = {.kind = "cpu"};

static device_lock open_lock(const char *test)
{
    device_lock lock;
    grader_fault fault;
    snprintf(device.name, sizeof device.name, "device of the lock's test, %s", test);
    cr_assert(device_lock_open(&lock, &device, &fault), "%s", fault.text);
    return lock;
}

/* Whether another process could take this lock now. */
static bool is_free(int descriptor, int how)
{
    if (flock(descriptor, how | LOCK_NB) < 0) return false;
    flock(descriptor, LOCK_UN);
    return true;
}

Test(device_lock, jobs_share_the_device)
{
    grader_fault fault;
    device_lock one = open_lock("jobs_share_t"), other = open_lock("jobs_share_t");
    cr_assert(device_lock_share(&one, &fault) && device_lock_share(&other, &fault), "%s", fault.text);
    device_lock third = open_lock("jobs_share_t");
    cr_assert(!is_free(third.device, LOCK_EX), "no other job measures beside them");
    cr_assert(is_free(third.gate, LOCK_EX), "but may ask for it");
    device_lock_close(&one);
    device_lock_close(&other);
    device_lock_close(&third);
}

Test(device_lock, measuring_job_is_alone_and_lets_no_other_begin)
{
    grader_fault fault;
    device_lock one = open_lock("who_measures"), other = open_lock("who_measures");
    cr_assert(device_lock_alone(&one, &fault), "%s", fault.text);
    cr_assert(!is_free(other.device, LOCK_SH));
    cr_assert(!is_free(other.gate, LOCK_SH));
    cr_assert(device_lock_share(&one, &fault), "the measuring job can switch to sharing");
    cr_assert(is_free(other.device, LOCK_SH));
    device_lock_close(&one);
    device_lock_close(&other);
}

Test(device_lock, goes_with_the_process_that_holds_it)
{
    grader_fault fault;
    pid_t child = fork();
    if (child == 0) {
        device_lock lock;
        _exit(device_lock_open(&lock, &device, &fault) && device_lock_alone(&lock, &fault) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    device_lock lock = open_lock("goes_with_th");
    cr_assert(device_lock_alone(&lock, &fault), "%s", fault.text);
    device_lock_close(&lock);
}

static char told[1024];
static int told_times;

/* Keeps the first sentence: by the next the holder may have gone. */
static void hear(const char *sentence)
{
    if (told_times++ == 0) snprintf(told, sizeof told, "%s", sentence);
}

/* The holder is another process, which holds the device a little longer than this one is patient. */
Test(device_lock, long_wait_says_for_what_and_for_whom)
{
    grader_fault fault;
    int ready[2], status;
    char byte, wanted[64];
    device_lock lock = open_lock("says_for_who");
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        device_lock other = open_lock("says_for_who");
        bool taken = device_lock_alone(&other, &fault) && write(ready[1], "x", 1) == 1;
        sleep(2);
        _exit(taken ? 0 : 1);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    lock.waits = hear;
    lock.patience = 1;
    cr_assert(device_lock_share(&lock, &fault), "%s", fault.text);
    snprintf(wanted, sizeof wanted, "is used by process %d (", (int)child);
    cr_assert(told_times >= 1 && strstr(told, wanted), "%d: %s", told_times, told);
    cr_assert_not_null(strstr(told, "the device cpu (device of the lock's test, says_for_who)"), "%s", told);
    cr_assert_not_null(strstr(told, "(1 of at most 30 seconds)"), "how long it has waited, and will: %s", told);
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    device_lock_close(&lock);
}

/* A grader that is stopped, say, holds the device until somebody lets it go on. */
Test(device_lock, wait_without_end_is_a_fault_that_names_the_holder_and_holds_nobody_up)
{
    grader_fault fault;
    device_lock holder = open_lock("without_an_en"), lock = open_lock("without_an_en"),
                third = open_lock("without_an_en");
    cr_assert(device_lock_share(&holder, &fault), "%s", fault.text);
    lock.patience = 1;
    lock.most_waits = 2;
    const double begun = clock_seconds();
    cr_assert_not(device_lock_alone(&lock, &fault));
    cr_assert_geq(clock_seconds() - begun, 1.5);
    cr_assert_not_null(strstr(fault.text, "was not free for 0 minutes: it is used by "), "%s", fault.text);
    third.patience = 5;
    third.most_waits = 1;
    cr_assert(device_lock_share(&third, &fault), "the one that gave up holds the gate: %s", fault.text);
    device_lock_close(&third);
    device_lock_close(&lock);
    device_lock_close(&holder);
}
