/*
 * roster_match.h: which student of the roster a submission belongs to, and who it may be of where that is not known. It
 * knows names and identifiers. Independent of files.
 */
#ifndef GRADER_COURSE_ROSTER_MATCH_H
#define GRADER_COURSE_ROSTER_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "intake/submissions.h"
#include "roster.h"

/* The student of a submission: by id, e-mail or another identifier, else by the name, exactly or else by letters and
 * digits in either order, else by the account of GitHub that accounts.h found in a repository's name, or by the part of
 * the e-mail before the "@". NULL if the roster has none, or several whom the name fits. Borrowed. */
const roster_student *roster_find(const roster *students, const submission *entry);

/* Whether the submission has no student because its name fits several. */
bool roster_fits_several(const roster *students, const submission *entry);

/* Whether the student has that name, in either order. */
bool roster_is_name(const roster_student *student, const char *name);

/* Whether only an identifier says that the submission is this student's, and the name says otherwise. */
bool roster_contradicts(const roster_student *student, const submission *entry);

/* The only student whose id is the submission's but for zeros at the beginning; NULL for none or several. Borrowed. */
const roster_student *roster_find_without_zeros(const roster *students, const submission *entry);

/* The students whose names or ids are most like the submission's, at most `most`, the nearest first. Borrowed. */
size_t roster_nearest(const roster_student **near, size_t most, const roster *students, const submission *entry);

/* The student with that account of GitHub, and the one with that login: an id, another identifier, or what stands
 * before the "@" of the address. NULL for none. An account may be NULL, as that of nobody. Borrowed. */
const roster_student *roster_find_github(const roster *students, const char *account);
const roster_student *roster_find_login(const roster *students, const char *login);

/* Whether a student of the roster has an account of GitHub. */
bool roster_has_accounts(const roster *students);

/* The roster's name of the group with this name, compared exactly or else by letters and digits without case, because
 * systems leave other characters out of file names. NULL if none or several fit; `several` tells which. Borrowed; all
 * calls give the same pointer. */
const char *roster_find_group(const roster *students, const char *name, bool *several);

bool roster_is_member(const roster *students, const roster_student *student, const char *group);

#endif
