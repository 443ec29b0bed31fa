/* Programs without the code that solves a task. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "source/solved_code.h"
#include "base/text.h"

#define FIRST SOLVED_CODE_BEGINS "1]code of task 1" SOLVED_CODE_ENDS "1]"
#define SECOND SOLVED_CODE_BEGINS "2]code of task 2" SOLVED_CODE_ENDS "2]"

/* The file after solved_code_take_out, or its copy with the code of these tasks; the caller frees it. */
static char *taken(const char *contents, unsigned tasks, mode_t *mode)
{
    grader_fault fault;
    struct stat status;
    char *folder, *found;
    size_t bytes;
    cr_assert(folder_make_private(&folder, "solved-code-test", &fault), "%s", fault.text);
    char *path = folder_path(folder, "program"), *copy = folder_path(folder, "copy");
    cr_assert(folder_write(path, contents, strlen(contents), &fault), "%s", fault.text);
    cr_assert_eq(chmod(path, S_IRWXU | S_IXGRP), 0);
    cr_assert(solved_code_take_out(path, &fault), "%s", fault.text);
    if (tasks) cr_assert(solved_code_copy(copy, path, tasks, &fault), "%s", fault.text);
    const char *result = tasks ? copy : path;
    cr_assert_eq(folder_read(&found, &bytes, result, 4096, &fault), FOLDER_FILE);
    cr_assert_eq(bytes, strlen(contents), "addresses have changed");
    cr_assert_eq(stat(result, &status), 0);
    *mode = status.st_mode & 0777;
    folder_remove(folder);
    free(path);
    free(copy);
    free(folder);
    return found;
}

static bool has(const char *contents, unsigned tasks, const char *text)
{
    mode_t mode;
    char *found = taken(contents, tasks, &mode);
    const bool there = strstr(found, text) != NULL;
    cr_assert_eq(mode, tasks ? S_IRWXU : S_IRWXU | S_IXGRP);
    free(found);
    return there;
}

Test(solved_code, program_has_no_code_that_solves_a_task)
{
    static const char program[] = "before" FIRST SECOND "behind";
    cr_assert(!has(program, 0, "code of task 1"));
    cr_assert(!has(program, 0, "code of task 2"));
    cr_assert(has(program, 0, "before"));
    cr_assert(has(program, 0, "behind"));
}

Test(solved_code, copy_has_the_code_of_the_tasks_that_it_builds_on)
{
    static const char program[] = FIRST "between" SECOND;
    cr_assert(has(program, 1u << 1, "code of task 1"));
    cr_assert(!has(program, 1u << 1, "code of task 2"));
    cr_assert(has(program, 1u << 1 | 1u << 2, "code of task 2"));
}

/* The student's object is part of the program, and may have any bytes, before the lab's part or behind it. */
Test(solved_code, marks_of_the_students_file_keep_no_code)
{
    cr_assert(!has(SOLVED_CODE_ENDS "1]" FIRST, 0, "code of task 1"));
    cr_assert(!has(SOLVED_CODE_BEGINS "1]" SOLVED_CODE_ENDS "1]" FIRST, 0, "code of task 1"));
    cr_assert(!has(FIRST SOLVED_CODE_BEGINS "1]", 0, "code of task 1"));
    cr_assert(!has(FIRST SOLVED_CODE_BEGINS "1]" SOLVED_CODE_ENDS "1]", 0, "code of task 1"));
}

Test(solved_code, program_without_marks_stays_as_it_is) { cr_assert(has("a program", 0, "a program")); }

/* What it leads to is not this job's to change. */
Test(solved_code, link_in_place_of_the_program_is_a_fault)
{
    grader_fault fault;
    struct stat status;
    char *folder, *found;
    size_t bytes;
    cr_assert(folder_make_private(&folder, "solved-code-test", &fault), "%s", fault.text);
    char *path = folder_path(folder, "program"), *other = folder_path(folder, "other");
    cr_assert(folder_write(other, FIRST, strlen(FIRST), &fault), "%s", fault.text);
    cr_assert_eq(chmod(other, S_IRWXU | S_IRWXG), 0);
    cr_assert_eq(symlink("other", path), 0);
    cr_assert(!solved_code_take_out(path, &fault));
    cr_assert(strstr(fault.text, "is not a plain file"), "%s", fault.text);
    cr_assert_eq(lstat(path, &status), 0);
    cr_assert(S_ISLNK(status.st_mode));
    cr_assert_eq(stat(other, &status), 0);
    cr_assert_eq(status.st_mode & 0777, S_IRWXU | S_IRWXG);
    cr_assert_eq(folder_read(&found, &bytes, other, 4096, &fault), FOLDER_FILE);
    cr_assert(bytes == strlen(FIRST) && memcmp(found, FIRST, bytes) == 0);
    folder_remove(folder);
    free(found), free(path), free(other), free(folder);
}

Test(solved_code, missing_program_is_a_fault_that_names_it)
{
    grader_fault fault;
    cr_assert(!solved_code_take_out("/nowhere/program", &fault));
    cr_assert(strstr(fault.text, "/nowhere/program"), "%s", fault.text);
    cr_assert(!solved_code_copy("/nowhere/copy", "/nowhere/program", 2, &fault));
    cr_assert(strstr(fault.text, "/nowhere/program.whole"), "%s", fault.text);
}
