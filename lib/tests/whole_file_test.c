/* Files that appear completely or not at all. */
#include "test_folder.h"
#include "base/system/whole_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static lab_whole_file *create(const char *path)
{
    lab_whole_file *file = NULL;
    cr_assert_eq(lab_whole_file_create(&file, path), LAB_SUCCESS, "%s", lab_error_message());
    return file;
}

static void write_whole(const char *path, const char *text)
{
    lab_whole_file *file = create(path);
    cr_assert_eq(lab_whole_file_write(file, text, strlen(text)), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_whole_file_finish(file), LAB_SUCCESS, "%s", lab_error_message());
}

static void assert_holds(const char *path, const char *text)
{
    char content[64] = "";
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(content, text);
}

Test(whole_file, appears_when_it_is_finished)
{
    test_folder folder = test_folder_make("out");
    lab_whole_file *file = create(folder.file);
    cr_assert_eq(lab_whole_file_write(file, "text", 4), LAB_SUCCESS);
    cr_assert_neq(access(folder.file, F_OK), 0, "not there before");
    cr_assert_eq(lab_whole_file_finish(file), LAB_SUCCESS);
    assert_holds(folder.file, "text");
    cr_assert_eq(test_folder_remove(&folder), 1);
}

Test(whole_file, replaces_the_one_before)
{
    test_folder folder = test_folder_make("out");
    write_whole(folder.file, "a longer text");
    write_whole(folder.file, "text");
    assert_holds(folder.file, "text");
    cr_assert_eq(test_folder_remove(&folder), 1);
}

Test(whole_file, leaves_nothing_when_it_is_abandoned)
{
    test_folder folder = test_folder_make("out");
    lab_whole_file *file = create(folder.file);
    cr_assert_eq(lab_whole_file_write(file, "text", 4), LAB_SUCCESS);
    lab_whole_file_abandon(file);
    lab_whole_file_abandon(NULL);
    cr_assert_eq(test_folder_remove(&folder), 0);
}

Test(whole_file, may_be_larger_than_any_buffer)
{
    test_folder folder = test_folder_make("out");
    size_t size = 1000003;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 7 % 251);
    lab_whole_file *file = create(folder.file);
    for (size_t at = 0, part = 1; at < size; at += part, part = part * 3 % 70001 + 1) {
        if (part > size - at) part = size - at;
        cr_assert_eq(lab_whole_file_write(file, bytes + at, part), LAB_SUCCESS);
    }
    cr_assert_eq(lab_whole_file_finish(file), LAB_SUCCESS);

    char *again = malloc(size + 1);
    FILE *read = fopen(folder.file, "r");
    cr_assert_eq(fread(again, 1, size + 1, read), size);
    fclose(read);
    cr_assert_arr_eq(again, bytes, size);
    free(again);
    free(bytes);
    test_folder_remove(&folder);
}

Test(whole_file, has_the_permissions_of_any_new_file)
{
    test_folder folder = test_folder_make("out");
    umask(027);
    write_whole(folder.file, "text");
    struct stat about;
    cr_assert_eq(stat(folder.file, &about), 0);
    cr_assert_eq(about.st_mode & 0777, 0640);
    test_folder_remove(&folder);
}

Test(whole_file, replaces_only_regular_files)
{
    test_folder folder = test_folder_make("pipe");
    lab_whole_file *file = NULL;
    cr_assert_eq(mkfifo(folder.file, 0600), 0);
    cr_assert_eq(lab_whole_file_create(&file, folder.file), LAB_ERROR_IO);
    cr_assert_null(file);
    cr_assert_eq(test_folder_remove(&folder), 1, "the pipe is still there");
}

Test(whole_file, that_cannot_take_its_place_leaves_nothing)
{
    test_folder folder = test_folder_make("out");
    lab_whole_file *file = create(folder.file);
    cr_assert_eq(mkdir(folder.file, 0700), 0, "a folder takes the name meanwhile");
    cr_assert_eq(lab_whole_file_finish(file), LAB_ERROR_IO);
    cr_assert_not_null(strstr(lab_error_message(), "cannot write"), "%s", lab_error_message());
    cr_assert_eq(rmdir(folder.file), 0);
    cr_assert_eq(test_folder_remove(&folder), 0);
}
