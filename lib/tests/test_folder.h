/* A private folder for the files of a test. */
#ifndef LAB_TESTS_TEST_FOLDER_H
#define LAB_TESTS_TEST_FOLDER_H

#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_folder {
    char path[512];
    char file[600]; /* the path of a file in it, which does not exist yet */
} test_folder;

static inline test_folder test_folder_make(const char *file_name)
{
    test_folder folder;
    const char *base = getenv("TMPDIR");
    snprintf(folder.path, sizeof folder.path, "%s/lab-test-XXXXXX", base && *base ? base : P_tmpdir);
    cr_assert_not_null(mkdtemp(folder.path), "no folder for the test's files");
    snprintf(folder.file, sizeof folder.file, "%s/%s", folder.path, file_name);
    return folder;
}

/* Removes the folder and its files; returns the number of files. */
static inline int test_folder_remove(const test_folder *folder)
{
    int files = 0;
    DIR *list = opendir(folder->path);
    cr_assert_not_null(list, "%s", folder->path);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        files++;
        unlinkat(dirfd(list), entry->d_name, 0);
    }
    closedir(list);
    rmdir(folder->path);
    return files;
}

#endif
