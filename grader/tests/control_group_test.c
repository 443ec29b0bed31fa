/* Control groups go away when they are no longer in use, and not before. Where this user may not make groups, a test
 * says so and is skipped. */
#include "test.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sandbox/control_group.h"

enum { MEMORY_BYTES = 64 << 20, PROCESSES = 16 };

/* A grader that makes a group, reports its folder, and ends without removing it. */
static void make_and_die(void *user)
{
    control_group_places places;
    control_group group;
    pid_t *helper = user;
    control_group_find(&places);
    control_group_make(&group, &places, MEMORY_BYTES, PROCESSES);
    if (helper) *helper = fork();
    if (helper && *helper == 0) {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        for (;;) pause();
    }
    printf("%d %s %s", helper ? *helper : 0, group.folder[0] ? group.folder[0] : "-",
           group.folder[1] ? group.folder[1] : "-");
    fflush(stdout);
    if (!helper) raise(SIGKILL);
}

typedef struct left_groups {
    int helper;
    char folder[2][512];
} left_groups;

static left_groups leave_groups(bool with_helper)
{
    char output[2048];
    left_groups left = {0};
    pid_t helper = 0;
    test_in_child(make_and_die, with_helper ? &helper : NULL, output, sizeof output);
    cr_assert_eq(sscanf(output, "%d %511s %511s", &left.helper, left.folder[0], left.folder[1]), 3, "%s", output);
    if (strcmp(left.folder[0], "-") == 0 && strcmp(left.folder[1], "-") == 0) {
        fprintf(stderr, "not run: this user may make no control groups\n");
    }
    return left;
}

static bool is_there(const left_groups *left)
{
    bool there = false;
    for (int i = 0; i < 2; i++) there = there || access(left->folder[i], F_OK) == 0;
    return there;
}

static void start_another_grader(void)
{
    control_group_places places;
    control_group_find(&places);
    control_group_places_free(&places);
}

Test(control_group, next_start_removes_what_a_killed_grader_left)
{
    left_groups left = leave_groups(false);
    /* Another test's grader may remove them as well, and hold one for a moment while it does. */
    for (int i = 0; i < 1000 && (i == 0 || is_there(&left)); i++, usleep(10000)) start_another_grader();
    cr_assert_not(is_there(&left), "%s %s", left.folder[0], left.folder[1]);
}

/* The grader's process has ended, but a process that it started still uses the group. */
Test(control_group, next_start_keeps_what_is_still_held)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    left_groups left = leave_groups(true);
    bool made = is_there(&left);
    start_another_grader();
    cr_assert_eq(is_there(&left), made, "%s %s", left.folder[0], left.folder[1]);
    kill(left.helper, SIGKILL);
    waitpid(left.helper, NULL, 0);
    start_another_grader();
    cr_assert_not(is_there(&left), "%s %s", left.folder[0], left.folder[1]);
}

Test(control_group, next_start_keeps_the_groups_of_a_grader_that_works)
{
    control_group_places places;
    control_group group;
    control_group_find(&places);
    control_group_make(&group, &places, MEMORY_BYTES, PROCESSES);
    start_another_grader();
    for (int i = 0; i < CONTROL_GROUP_FOLDERS; i++) {
        cr_assert(!group.folder[i] || access(group.folder[i], F_OK) == 0, "%s", group.folder[i]);
    }
    control_group_remove(&group);
    control_group_places_free(&places);
}
