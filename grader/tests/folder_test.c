/* Private folders, and reading untrusted files. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/folder.h"

/* A private folder, and the path of a file in it. */
static char *folder;
static char *path;

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&folder, "folder-test", &fault), "%s", fault.text);
    path = folder_path(folder, "lab03.c");
}

static void end(void)
{
    folder_remove(folder);
    cr_assert_neq(access(folder, F_OK), 0, "%s is still there", folder);
    free(folder);
    free(path);
}

static folder_found read_at_most(size_t most)
{
    char *bytes;
    size_t count;
    grader_fault fault;
    folder_found found = folder_read(&bytes, &count, path, most, &fault);
    free(bytes);
    return found;
}

Test(folder, private_is_for_this_user_alone)
{
    struct stat status;
    begin();
    stat(folder, &status);
    cr_assert_eq(status.st_mode & 0777, 0700u);
    end();
}

Test(folder, read_gives_what_was_written)
{
    char *bytes;
    size_t count;
    grader_fault fault;
    begin();
    cr_assert(folder_write(path, "a\0b", 3, &fault), "%s", fault.text);
    cr_assert_eq(folder_read(&bytes, &count, path, 3, &fault), FOLDER_FILE);
    cr_assert_eq(count, 3u);
    cr_assert_arr_eq(bytes, "a\0b", 4);
    free(bytes);
    end();
}

Test(folder, read_refuses_a_file_that_is_too_large)
{
    grader_fault fault;
    begin();
    folder_write(path, "abcd", 4, &fault);
    cr_assert_eq(read_at_most(3), FOLDER_TOO_LARGE);
    end();
}

Test(folder, read_tells_a_missing_file_from_one_that_cannot_be_read)
{
    begin();
    cr_assert_eq(read_at_most(3), FOLDER_NOTHING);
    end();
}

/* Opening a pipe would wait for a writer forever; a link may lead to another user's file. */
Test(folder, read_opens_no_pipe_link_or_folder)
{
    begin();
    mkfifo(path, 0600);
    cr_assert_eq(read_at_most(3), FOLDER_NO_FILE);
    unlink(path);
    cr_assert_eq(symlink("/etc/passwd", path), 0);
    cr_assert_eq(read_at_most(1 << 20), FOLDER_NO_FILE);
    unlink(path);
    mkdir(path, 0700);
    cr_assert_eq(read_at_most(3), FOLDER_NO_FILE);
    end();
}

Test(folder, remove_takes_closed_folders_and_leaves_what_links_lead_to)
{
    begin();
    mkdir(path, 0700);
    char *inner = folder_path(path, "inner");
    mkdir(inner, 0);
    char other[] = "/tmp/folder-test-other-XXXXXX";
    cr_assert_not_null(mkdtemp(other));
    char *link = folder_path(path, "link");
    cr_assert_eq(symlink(other, link), 0);
    end();
    cr_assert_eq(rmdir(other), 0, "the linked folder is still there");
    free(inner);
    free(link);
}

/* A file-size limit simulates a full disk. */
Test(folder, write_that_fails_leaves_nothing)
{
    grader_fault fault = {0};
    struct rlimit limit = {2, RLIM_INFINITY};
    begin();
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    bool written = folder_write(path, "abcd", 4, &fault);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_not(written);
    cr_assert_not_null(strstr(fault.text, path), "the fault names the file: %s", fault.text);
    cr_assert_eq(read_at_most(100), FOLDER_NOTHING);
    end();
}

Test(folder, copy_takes_the_named_kind_of_file_only)
{
    grader_fault fault;
    begin();
    char *destination = folder_path(folder, "to"), *kernels = folder_path(folder, "k.cu"),
         *copied = folder_path(destination, "k.cu");
    char *other = folder_path(destination, "lab03.c");
    mkdir(destination, 0700);
    folder_write(path, "c", 1, &fault);
    folder_write(kernels, "cu", 2, &fault);
    cr_assert(folder_copy_files(folder, ".cu", destination, &fault), "%s", fault.text);
    cr_assert_eq(access(copied, R_OK), 0);
    cr_assert_neq(access(other, F_OK), 0);
    free(destination);
    free(kernels);
    free(copied);
    free(other);
    end();
}
