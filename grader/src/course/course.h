/*
 * course.h: the settings of a course, which an instructor writes in a small text file:
 *
 *     # comments and empty lines
 *     name       = GPU concurrency, autumn 2026
 *     time_zone  = Europe/Berlin         # of the times below; UTC without it
 *     seed_file  = /srv/autumn.seed      # a file with the secret seed, a number; the path is relative to this file
 *     seed       = 17                    # or the number itself: then keep this file secret. Without either, a seed is
 *                                        # kept with the grades
 *     penalty    = 10                    # percent of the points, for each calendar day begun after the due time
 *     most       = 50                    # percent that all late days together can cost
 *     grace      = 15                    # minutes after the due time that cost nothing
 *     visibility = after_due             # hidden, after_due or visible: when students see their pages
 *     attempts   = latest                # latest or best: which of a student's attempts counts
 *     release    = held                  # at_once, held until a person releases the results, or the time of release
 *
 *     [lab01]
 *     weight     = 2                     # of the lab in the course; 1 without it
 *     due        = 2026-11-20 23:59
 *
 * Lines before the first [lab] hold for all labs that do not say otherwise. Independent of submissions.
 */
#ifndef GRADER_COURSE_COURSE_H
#define GRADER_COURSE_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Which of a student's attempts counts. */
typedef enum course_attempts { COURSE_LATEST, COURSE_BEST } course_attempts;

typedef enum course_visibility { COURSE_HIDDEN, COURSE_AFTER_DUE, COURSE_VISIBLE } course_visibility;

/* Whether results are held back until a person releases them. */
typedef enum course_release { COURSE_AT_ONCE, COURSE_HELD } course_release;

typedef struct course_lab {
    char name[32];
    double weight;
    int64_t due;          /* seconds since 1970 in UTC; 0 for never */
    double penalty, most; /* percent */
    double grace;         /* minutes */
    course_visibility visibility;
    course_attempts attempts;
    course_release release;
    int64_t release_at; /* of results that are held: seconds since 1970 in UTC; 0 until a person releases them */
} course_lab;

enum { COURSE_MOST_LABS = 64 };

typedef struct course {
    char name[128], time_zone[64], seed_file[1024];
    bool has_seed;
    uint64_t seed; /* secret */
    course_lab lab[COURSE_MOST_LABS];
    size_t labs;
} course;

/* Parses the file's bytes. Faults name the file, the line and the key. */
bool course_parse(course *out, const char *path, const char *bytes, size_t count, grader_fault *fault);

/* Reads and parses the file. */
bool course_read(course *out, const char *path, grader_fault *fault);

/* The lab's settings; NULL if the file has none. Borrowed. */
const course_lab *course_find(const course *settings, const char *lab);

/* How late a time is, in calendar days begun by the clocks of the time zone, and the percentage that it costs. A day
 * ends at the due time of day, so that the one on which the clocks change has 23 or 25 hours. */
typedef struct course_lateness {
    int days;
    double percent;
} course_lateness;
course_lateness course_late(const course_lab *lab, int64_t submitted, const char *time_zone);

/* How many seconds earlier work would have lost less, at most `most`; 0 if that would not have been enough. */
int64_t course_seconds_over(const course_lab *lab, int64_t submitted, const char *time_zone, int64_t most);

/* Reads "2026-11-20 23:59", with or without seconds and a fraction; the time is in the time zone unless "Z" or "+0100"
 * is at its end. */
bool course_time(int64_t *out, const char *text, const char *time_zone);

/* Whether it is a time otherwise, but one that the zone's clocks skip when they are put forward. */
bool course_time_is_skipped(const char *text, const char *time_zone);

/* Whether the zone's clocks show the time twice, when they are put back. course_time() then gives the later one. */
bool course_time_is_repeated(const char *text, const char *time_zone);

/* Writes a time as "2026-11-20T22:59:00Z", or as "2026-11-20 23:59 Europe/Berlin". */
void course_utc(char *text, size_t bytes, int64_t time);
void course_local(char *text, size_t bytes, int64_t time, const char *time_zone);

const char *course_visibility_name(course_visibility visibility);
const char *course_attempts_name(course_attempts attempts);
const char *course_release_name(course_release release);

#endif
