/* Which place of a lesson a failed check leads to. */
#include "test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "page/lesson.h"

static char *folder;

/* Each test begins with it, and ends with end(): the builds of the sanitizers know no options of a suite. */
static void begin(void)
{
    static const char text[] = "# Lab 77\n\n## The idea\n\n## Task 1: order, and `wait`\n\n## Task 2: time\n\n"
                               "## How to read your result\n\nText.\n";
    grader_fault fault;
    cr_assert(folder_make_private(&folder, "lesson-test", &fault), "%s", fault.text);
    char *path = folder_path(folder, "README.md");
    cr_assert(folder_write(path, text, sizeof text - 1, &fault), "%s", fault.text);
    free(path);
}

static void end(void)
{
    folder_remove(folder);
    free(folder);
}

static void assert_titled(const char *title, const char *first, const char *second, const char *anchor)
{
    json_t *check = json_pack("{s:s, s:[s, s]}", "title", title, "hints", first, second);
    char *place = lesson_place(folder, check);
    json_decref(check);
    if (!anchor) {
        cr_assert_null(place, "%s", place);
        return;
    }
    cr_assert_not_null(place);
    cr_assert_eq(strncmp(place, folder, strlen(folder)), 0);
    cr_assert_str_eq(place + strlen(folder), anchor);
    free(place);
}

static void assert_place(const char *first, const char *second, const char *anchor)
{
    assert_titled("The numbers are right", first, second, anchor);
}

Test(lesson, place_is_the_section_of_the_first_task_in_the_title)
{
    begin();
    assert_titled("Task 2: timed", "Task 1 comes before.", "", "/README.md#task-2-time");
    assert_titled("Tasks 1 and 2: in any order", "What runs first?", "", "/README.md#task-1-order-and-wait");
    end();
}

Test(lesson, place_is_the_section_of_the_task_that_a_hint_names)
{
    begin();
    assert_place("Task 1: which stream?", "Task 2 is next.", "/README.md#task-1-order-and-wait");
    assert_place("Which stream?", "Task 2 is in lab77_time.", "/README.md#task-2-time");
    end();
}

Test(lesson, place_of_a_numbered_program_is_the_section_of_its_task)
{
    begin();
    assert_titled("Program 2: timed", "Program 1 comes before.", "", "/README.md#task-2-time");
    assert_titled("Programs 1 to 2: timed", "", "", "/README.md#task-1-order-and-wait");
    assert_titled("Program 2: timed", "Task 1 comes before.", "", "/README.md#task-2-time");
    assert_titled("Programs are timed", "Task 1 comes before.", "", "/README.md#task-1-order-and-wait");
    end();
}

Test(lesson, place_of_a_check_without_a_task_says_how_to_read_a_result)
{
    begin();
    assert_place("Who learns of a failure?", "LAB_TRY returns it.", "/README.md#how-to-read-your-result");
    end();
}

Test(lesson, place_is_nowhere_if_the_lesson_lacks_the_section_or_is_missing)
{
    begin();
    assert_place("Task 9: more", "", NULL);
    char *path = folder_path(folder, "README.md");
    remove(path);
    free(path);
    assert_place("Task 1: which stream?", "", NULL);
    end();
}

Test(lesson, address_is_on_the_site_however_its_own_is_written)
{
    static const char *const site[] = {"https://example.org/book", "https://example.org/book/",
                                       "https://example.org/book/index.html"};
    for (size_t i = 0; i < sizeof site / sizeof *site; i++) {
        char *address = lesson_address(site[i], "labs/lab77-title/README.md#task-2-time");
        cr_assert_str_eq(address, "https://example.org/book/labs/lab77-title/index.html#task-2-time");
        free(address);
    }
}

/* A page with a link to each place that a title can name; `make lint` checks links by the same program. */
static void write_links(FILE *out, const char *root)
{
    size_t links = 0;
    glob_t labs;
    cr_assert_eq(glob("labs/lab[0-9][0-9]-*", 0, NULL, &labs), 0);
    for (size_t i = 0; i < labs.gl_pathc; i++) {
        for (int task = 0; task < 10; task++) {
            json_t *check = json_pack("{s:o}", "title", json_sprintf("Task %d: as asked", task));
            char *place = lesson_place(labs.gl_pathv[i], check);
            json_decref(check);
            links += place != NULL;
            if (place) fprintf(out, "[a place](%s/%s)\n", root, place);
            free(place);
        }
    }
    cr_assert_gt(links, 2 * labs.gl_pathc);
    globfree(&labs);
}

Test(lesson, place_in_every_lab_is_a_heading_that_a_link_can_name)
{
    begin();
    char *path = folder_path(folder, "places.md"), *root = realpath(".", NULL), command[4096];
    FILE *out = fopen(path, "w");
    cr_assert_not_null(out);
    write_links(out, root);
    cr_assert_eq(fclose(out), 0);
    snprintf(command, sizeof command, "lib/tools/python.sh lib/tools/links.py '%s'", path);
    cr_assert_eq(system(command), 0);
    free(path);
    free(root);
    end();
}
