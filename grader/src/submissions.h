/*
 * submissions.h: the folder that an instructor grades: one subfolder a submission, in order of name.
 * It knows names and folders, whatever bytes are in them; not what is in a submission.
 */
#ifndef GRADER_SUBMISSIONS_H
#define GRADER_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

typedef struct submission {
    char *name;   /* the subfolder's, any bytes */
    char *folder; /* its path */
    char *safe;   /* a name for files about it, unique among the submissions */
} submission;

typedef struct submission_list {
    submission *entry;
    size_t count;
    size_t skipped; /* entries that are no folders; hidden files do not count */
} submission_list;

/* Lists the subfolders of `folder`, except `out` if it lies there. None at all is a fault that says so. */
bool submissions_list(submission_list *list, const char *folder, const char *out, grader_fault *fault);

void submissions_free(submission_list *list);

#endif
