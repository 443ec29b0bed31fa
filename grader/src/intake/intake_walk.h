/*
 * intake_walk.h: all files of a submission that could be a lab's file, in an order that does not depend on the file
 * system. A walk that meets more than its limits finds nothing and says so.
 */
#ifndef GRADER_INTAKE_INTAKE_WALK_H
#define GRADER_INTAKE_INTAKE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "file_names.h"

typedef struct walked_file {
    char *path;
    const char *shown; /* within the submission: a view into the path */
    file_name_kind kind;
    bool barred; /* lies in a folder whose files are never taken */
} walked_file;

/* Start with {.file = name}; `accepted` is the path of a file that an instructor takes for it, or NULL. */
typedef struct intake_walk {
    const char *file, *accepted;
    walked_file *found;
    size_t count;
    walked_file *others; /* sources with other names, the first ones, and the accepted file */
    size_t other_count;
    size_t seen;
    char *cut;   /* why the list is not complete: a sentence; NULL if it is */
    bool failed; /* memory ran out */
} intake_walk;

/* Walks through a folder and those in it. Links are not followed, hidden names and ignored folders are left out. */
void intake_walk_folder(intake_walk *walk, const char *folder);

void intake_walk_free(intake_walk *walk);

#endif
