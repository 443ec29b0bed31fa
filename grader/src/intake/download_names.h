/*
 * download_names.h: how learning systems name the submissions that a teacher downloads all at once. Reads names and one
 * small metadata file, no folders.
 */
#ifndef GRADER_INTAKE_DOWNLOAD_NAMES_H
#define GRADER_INTAKE_DOWNLOAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Canvas: one folder of files, "lovelacead_LATE_4711_90210_lab03-1.c". If a group gets one grade, the name is the
 * group's and the id is that of one member. If each member gets a grade, each has a file, all with the number of one
 * submission. Texts are views into the name. */
typedef struct canvas_name {
    const char *student;
    size_t student_length;
    long long id;         /* the student's */
    long long submission; /* a later one has a larger number; two students have the same number only if they share it */
    const char *file;     /* "lab03-1.c" */
    bool late;            /* Canvas marked it so */
} canvas_name;

bool download_names_canvas(canvas_name *out, const char *name);

/* What other systems say in the name of a file. Texts are views into the name. */
typedef struct flat_name {
    const char *student, *id; /* the name or login, and the identifier; `id` may be the same */
    size_t student_length, id_length;
    long long order;    /* a later attempt has a larger number */
    char submitted[64]; /* "2026-11-20 23:41:07", by the clocks of the system; "" where nothing says it */
    const char *file;   /* "lab03.c"; NULL for a folder */
    bool late;
} flat_name;

/* Canvas, graded anonymously: "anon_Xy12z_205_lab03.c" and "LATE_anon_Xy12z_206_lab03-1.c". */
bool download_names_anonymous(flat_name *out, const char *name);

/* Blackboard: "Lab 3_ada_attempt_2026-11-20-23-41-07_lab03.c", and with the files of each attempt
 * "Lab 3_ada_attempt_2026-11-20-23-41-07.txt", which describes it. The student is "Lab 3_ada": each of the two names
 * may have a "_", so that one file does not tell where the login begins. */
bool download_names_blackboard(flat_name *out, const char *name);

/* Brightspace: folders "13394-80551 - Ada Lovelace - Nov 20, 2026 1141 PM", or such a name before each file's. The
 * first number is the student's; some have the student's own id before the name. A time in another language than
 * English is not read. */
bool download_names_brightspace(flat_name *out, const char *name);

/* Autolab: "ada@example.edu_3_lab03.c" is version 3. */
bool download_names_autolab(flat_name *out, const char *name);

/* A mark of an attempt at the end of a name ("ada-attempt2", "ada attempt 2") or as the whole name ("attempt_2"): its
 * number, and the length of the rest of the name, which may be 0. */
typedef struct attempt_name {
    size_t rest_length;
    long long number;
} attempt_name;

bool download_names_attempt(attempt_name *out, const char *name);

/* Moodle: one folder per student, "Ada Lovelace_4711_assignsubmission_file_" (newer versions leave out the last "_"),
 * and "..._onlinetext_" for typed text. A second download into the same folder gives "..._file_ (2)", and a mark of an
 * attempt may follow. With group submissions there is one folder per group, "Team A_88_...", and "Default
 * group_assignsubmission_file" for students without a group; before Moodle 4.1 one per member, "Team A-Ada
 * Lovelace_4711_...". */
enum { DOWNLOAD_NAMES_NO_ID = -1 };
typedef struct moodle_name {
    size_t student_length; /* of the name, from its beginning */
    long long id;          /* the participant's or the group's; DOWNLOAD_NAMES_NO_ID if the name has none */
    long long attempt;     /* 0 for none */
    const char *file;      /* "lab03.c", a view into the name; NULL for a folder */
} moodle_name;

bool download_names_moodle(moodle_name *out, const char *name);

/* Without folders, the same before a file's name: "Ada Lovelace_4711_assignsubmission_file_lab03.c". */
bool download_names_moodle_file(moodle_name *out, const char *name);

/* Gradescope: folders "submission_4711" and submission_metadata.yml. From that file only the submitters' names, sids
 * and e-mails and the time of creation are read, in the form that Gradescope writes. Everything else is skipped. */
enum { GRADESCOPE_TEXT = 256, GRADESCOPE_SUBMITTERS = 32 };
typedef struct gradescope_submitter {
    char name[GRADESCOPE_TEXT], sid[GRADESCOPE_TEXT], email[GRADESCOPE_TEXT]; /* "" if missing */
} gradescope_submitter;

typedef struct gradescope_submission {
    long long number;
    gradescope_submitter submitter[GRADESCOPE_SUBMITTERS]; /* the first ones, as many as fit */
    int submitters;                                        /* all of them; several for the work of a group */
    char created[64];                                      /* unchanged from the file */
} gradescope_submission;

/* Reads the next submission at *text and moves *text past it; false at the end. */
bool download_names_gradescope_next(gradescope_submission *out, const char **text);

/* The number in "submission_4711"; -1 for another name. */
long long download_names_gradescope_folder(const char *name);

#endif
