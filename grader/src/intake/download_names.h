/*
 * download_names.h: how learning systems name what students handed in, when a teacher downloads all of it at once. It knows
 * names and one small file; not folders and not what to do with them.
 */
#ifndef GRADER_INTAKE_DOWNLOAD_NAMES_H
#define GRADER_INTAKE_DOWNLOAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Canvas: one folder of files, "lovelacead_LATE_4711_90210_lab03-1.c". Where a group gets one grade, it is the group's name
 * and the id of one of its members; where each member gets one, each has a file, all with the number of one submission.
 * Texts are views into the name. */
typedef struct canvas_name {
    const char *student;
    size_t student_length;
    long long id;         /* the student's */
    long long submission; /* a later one has a larger number; two students have the same only if they share it */
    const char *file;     /* "lab03-1.c" */
    bool late;            /* Canvas marked it so */
} canvas_name;

bool download_names_canvas(canvas_name *out, const char *name);

/* Where one of several attempts is marked at the end of a name, "ada-attempt2", "ada attempt 2", or is all of it,
 * "attempt_2": the number, and how long the rest of the name is, which may be nothing. */
typedef struct attempt_name {
    size_t rest_length;
    long long number;
} attempt_name;

bool download_names_attempt(attempt_name *out, const char *name);

/* Moodle: a folder a student, "Ada Lovelace_4711_assignsubmission_file_" (without the last "_" in newer ones), and one
 * "..._onlinetext_" for what was typed in. A second download into the same folder makes it "..._file_ (2)", and a mark of
 * an attempt may be behind it. Where students submit in groups it is a folder a group, "Team A_88_...", and "Default
 * group_assignsubmission_file" of those who are in none; before Moodle 4.1 one a member, "Team A-Ada Lovelace_4711_...". */
enum { DOWNLOAD_NAMES_NO_ID = -1 };
typedef struct moodle_name {
    size_t student_length; /* of the name, from its beginning */
    long long id;          /* the participant's, or the group's; or DOWNLOAD_NAMES_NO_ID */
    long long attempt;     /* 0 for none */
    const char *file;      /* "lab03.c", a view into the name; NULL for a folder */
} moodle_name;

bool download_names_moodle(moodle_name *out, const char *name);

/* Without folders, the same before a file's name: "Ada Lovelace_4711_assignsubmission_file_lab03.c". */
bool download_names_moodle_file(moodle_name *out, const char *name);

/* Gradescope: folders "submission_4711" and submission_metadata.yml. Of that file only the submitters' names, sids and
 * e-mails and the time of creation are read, in the form that Gradescope writes; everything else in it is skipped. */
enum { GRADESCOPE_TEXT = 256, GRADESCOPE_SUBMITTERS = 32 };
typedef struct gradescope_submitter {
    char name[GRADESCOPE_TEXT], sid[GRADESCOPE_TEXT], email[GRADESCOPE_TEXT]; /* "" if not there */
} gradescope_submitter;

typedef struct gradescope_submission {
    long long number;
    gradescope_submitter submitter[GRADESCOPE_SUBMITTERS]; /* the first `submitters`, or as many as there is room for */
    int submitters;                                        /* several for the work of a group */
    char created[64];                                      /* as it stands there */
} gradescope_submission;

/* Reads the next submission from `text` on, and moves `text` behind it; false when there are no more. */
bool download_names_gradescope_next(gradescope_submission *out, const char **text);

/* The number in "submission_4711"; -1 for another name. */
long long download_names_gradescope_folder(const char *name);

/* Whether a file that a learning system may have renamed ("lab03-1.c", "lab03 (2).c", "LAB03.C") is `file`. */
bool download_names_is_file(const char *name, const char *file);

#endif
