/* The file of a student's progress, and the hints that come one after another. */
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "page/progress.h"

static char *folder;
static char *path;

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&folder, "progress-test", &fault), "%s", fault.text);
    path = folder_path(folder, "progress.json");
}

static void end(void)
{
    folder_remove(folder);
    free(folder);
    free(path);
}

static void note(const char *lab, int points)
{
    grader_fault fault;
    grading_result result = {.lab_name = (char *)lab, .points = points, .max_points = 100};
    snprintf(result.started, sizeof result.started, "2026-01-02T03:04:05Z");
    cr_assert(progress_note(path, &result, &fault), "%s", fault.text);
}

/* The table as it is printed on a page without colour. Free it. */
static char *table(int columns)
{
    static const char *const folders[] = {"labs/lab01-streams", "labs/lab03-concurrency", NULL};
    grader_fault fault;
    char *text = NULL;
    size_t bytes;
    text_page page = {.file = open_memstream(&text, &bytes), .terminal = {.columns = columns}};
    cr_assert(progress_print(&page, path, folders, &fault), "%s", fault.text);
    fclose(page.file);
    return text;
}

static void assert_table(const char *line)
{
    char *text = table(80);
    cr_assert_not_null(strstr(text, line), "no \"%s\" in:\n%s", line, text);
    free(text);
}

static int next_hint(const char *check)
{
    grader_fault fault;
    int level = 0;
    cr_assert(progress_next_hint(&level, path, "lab03", check, 3, &fault), "%s", fault.text);
    return level;
}

Test(progress, nothing_done_is_a_table_of_labs_not_begun)
{
    begin();
    assert_table("lab01   streams                     -        -              not begun\n");
    assert_table("0 of 2 solved");
    end();
}

Test(progress, table_fits_a_narrow_terminal)
{
    begin();
    note("lab03", 100);
    char *text = table(60);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) cr_assert_leq(strcspn(line, "\n"), 60u, "%s", text);
    free(text);
    end();
}

Test(progress, the_best_points_stay_when_a_later_run_has_fewer)
{
    begin();
    note("lab03", 40);
    note("lab03", 100);
    note("lab03", 85);
    assert_table("lab03   concurrency           100/100   85/100  2026-01-02  solved\n");
    assert_table("1 of 2 solved");
    end();
}

Test(progress, a_lab_that_has_passed_is_solved_without_the_points_of_an_extra_task)
{
    begin();
    grading_result passed = {.verdict = RESULT_PASSED, .points = 95, .max_points = 100};
    passed.lab_name = (char[]){"lab03"};
    strcpy(passed.started, "2026-01-02T10:00:00Z");
    grader_fault fault;
    cr_assert(progress_note(path, &passed, &fault), "%s", fault.text);
    note("lab03", 60);
    assert_table("lab03   concurrency            95/100   60/100  2026-01-02  solved\n");
    end();
}

Test(progress, a_run_without_points_is_a_beginning)
{
    begin();
    note("lab01", 0);
    assert_table("lab01   streams                 0/100    0/100  2026-01-02  begun\n");
    end();
}

Test(progress, a_damaged_file_is_put_aside_and_a_new_one_begun)
{
    grader_fault fault;
    begin();
    cr_assert(folder_write(path, "{\"schema\"", 9, &fault));
    note("lab03", 10);
    assert_table("10/100");
    char *aside = folder_path(folder, "progress.json.damaged");
    cr_assert_eq(access(aside, F_OK), 0);
    free(aside);
    end();
}

Test(progress, two_damaged_files_are_both_put_aside)
{
    grader_fault fault;
    begin();
    for (int i = 0; i < 2; i++) {
        cr_assert(folder_write(path, "{\"schema\"", 9, &fault));
        note("lab03", 10);
    }
    char *aside = folder_path(folder, "progress.json.damaged-2");
    cr_assert_eq(access(aside, F_OK), 0);
    free(aside);
    end();
}

Test(progress, a_folder_that_is_not_there_is_a_fault)
{
    grader_fault fault;
    grading_result result = {.lab_name = (char *)"lab03"};
    cr_assert_not(progress_note("/nowhere/progress.json", &result, &fault));
    cr_assert_not_null(strstr(fault.text, "/nowhere"), "%s", fault.text);
}

Test(progress, hints_come_one_after_another_and_the_last_one_again)
{
    begin();
    cr_assert_eq(next_hint("one"), 1);
    cr_assert_eq(next_hint("one"), 2);
    cr_assert_eq(next_hint("other"), 1);
    cr_assert_eq(next_hint("one"), 3);
    cr_assert_eq(next_hint("one"), 3);
    end();
}

static void *note_many(void *unused)
{
    for (int i = 0; i < 20; i++) note("lab01", i);
    return unused;
}

Test(progress, several_programs_at_once_lose_no_run)
{
    begin();
    pthread_t other;
    cr_assert_eq(pthread_create(&other, NULL, note_many, NULL), 0);
    for (int i = 0; i < 20; i++) note("lab03", i);
    pthread_join(other, NULL);
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *labs = json_object_get(file, "labs");
    cr_assert_eq(result_integer(json_object_get(labs, "lab01"), "runs"), 20);
    cr_assert_eq(result_integer(json_object_get(labs, "lab03"), "runs"), 20);
    json_decref(file);
    end();
}
