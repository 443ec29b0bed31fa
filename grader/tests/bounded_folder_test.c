/* Folders of bounded size. Where this machine allows no mounts, a test says so and is skipped: without root they need a
 * process with a single thread, and Criterion has a second one. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/bounded_folder.h"
#include "base/folder.h"

enum { BYTES = 4 << 20 };

/* A bounded folder in a private one; NULL, with a message, where none can be made. */
static char *begin(char **place)
{
    grader_fault fault;
    if (geteuid() != 0 || !bounded_folders_are_possible()) {
        fprintf(stderr, "not run: no mounts are given to this test\n");
#ifndef LAB_PLAIN_TESTS
        cr_skip_test("no mounts are given to this test");
#endif
        return NULL;
    }
    cr_assert(folder_make_private(place, "bounded-test", &fault), "%s", fault.text);
    char *path = folder_path(*place, "room");
    cr_assert(bounded_folder_make(path, BYTES, &fault), "%s", fault.text);
    return path;
}

static void end(char *place, char *path)
{
    bounded_folder_release(path);
    folder_remove(place);
    cr_assert(access(place, F_OK) < 0, "%s is still there", place);
    free(path);
    free(place);
}

static size_t fill(const char *folder)
{
    static const char block[1 << 16];
    char *path = folder_path(folder, "big");
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    size_t bytes = 0;
    while (bytes < 4 * (size_t)BYTES && write(file, block, sizeof block) == (ssize_t)sizeof block)
        bytes += sizeof block;
    close(file);
    free(path);
    return bytes;
}

Test(bounded_folder, takes_as_much_as_it_holds_and_no_more)
{
    char *place, *path = begin(&place);
    if (!path) return;
    cr_assert_not(bounded_folder_is_full(path));
    size_t bytes = fill(path);
    cr_assert_leq(bytes, (size_t)BYTES);
    cr_assert_geq(bytes, (size_t)BYTES / 2);
    cr_assert(bounded_folder_is_full(path));
    end(place, path);
}

Test(bounded_folder, is_full_of_empty_files_too)
{
    char *place, *path = begin(&place);
    if (!path) return;
    int count = 0;
    for (int file = 0; file >= 0 && count < 1 << 17; count++) {
        char name[16];
        snprintf(name, sizeof name, "%d", count);
        char *one = folder_path(path, name);
        file = open(one, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file >= 0) close(file);
        free(one);
    }
    cr_assert_lt(count, 1 << 17);
    cr_assert(bounded_folder_is_full(path));
    end(place, path);
}

Test(bounded_folder, is_hidden_from_other_processes)
{
    char *place, *path = begin(&place), seen[4096], ours[64], theirs[64];
    if (!path) return;
    ssize_t own = readlink("/proc/self/ns/mnt", ours, sizeof ours - 1);
    ssize_t other = readlink("/proc/1/ns/mnt", theirs, sizeof theirs - 1);
    if (other > 0) cr_assert(own != other || memcmp(ours, theirs, (size_t)own) != 0, "other processes see the mounts");
    FILE *mounts = fopen("/proc/1/mounts", "re");
    while (mounts && fgets(seen, sizeof seen, mounts)) cr_assert_null(strstr(seen, place), "%s", seen);
    if (mounts) fclose(mounts);
    end(place, path);
}
