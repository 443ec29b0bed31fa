/* The line at which a checked kernel runs: of now, or none. */
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "seam/checks.h"

static atomic_bool stop;

static void *note(void *user)
{
    while (!atomic_load(&stop)) kernel_progress_note_line(user, 41);
    return NULL;
}

/* The line that is seen while two threads note that of this file. */
static int line_in(char seen[KERNEL_PROGRESS_FILE], char *file)
{
    int line = 0;
    pthread_t thread[2];
    atomic_store(&stop, false);
    for (int t = 0; t < 2; t++) cr_assert_eq(pthread_create(&thread[t], NULL, note, file), 0);
    while (!kernel_progress_see_line(seen, &line)) {} /* where other work has all cores */
    atomic_store(&stop, true);
    for (int t = 0; t < 2; t++) pthread_join(thread[t], NULL);
    return line;
}

Test(kernel_progress, line_of_a_kernel_that_runs_is_seen)
{
    char seen[KERNEL_PROGRESS_FILE];
    cr_assert_eq(line_in(seen, "lab07.c"), 41);
    cr_assert_str_eq(seen, "lab07.c");
}

Test(kernel_progress, line_of_a_kernel_that_has_ended_is_not_seen)
{
    char seen[KERNEL_PROGRESS_FILE];
    int line;
    kernel_progress_note_line("lab07.c", 41);
    cr_assert_not(kernel_progress_see_line(seen, &line));
}

Test(kernel_progress, long_name_is_cut)
{
    char seen[KERNEL_PROGRESS_FILE], file[2 * KERNEL_PROGRESS_FILE];
    memset(file, 'a', sizeof file - 1);
    file[sizeof file - 1] = '\0';
    cr_assert_eq(line_in(seen, file), 41);
    cr_assert_eq(strlen(seen), sizeof seen - 1);
}
