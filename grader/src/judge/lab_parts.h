/*
 * lab_parts.h: what grading a lab needs, found once for all its submissions: the lab's folder, the programs built from
 * it, the manifest of its checks, the device. Independent of submissions.
 */
#ifndef GRADER_JUDGE_LAB_PARTS_H
#define GRADER_JUDGE_LAB_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "keys/content_key.h"
#include "base/fault.h"
#include "sandbox/device.h"

typedef struct lab_parts {
    char *name;       /* "lab03" */
    char *title;      /* "200 arrays at once" */
    char *folder;     /* ROOT/labs/lab03-concurrency: the contract, the starter, the kernels */
    char *solution;   /* ROOT/solutions/lab03-concurrency/lab03.c */
    char *starter;    /* ROOT/labs/lab03-concurrency/starter.c: lab03.c as the student finds it */
    char *include;    /* ROOT/lib/include */
    char *file;       /* "lab03.c": what a submission consists of */
    char *checks;     /* BUILD/lab03/checks */
    char *reference;  /* BUILD/lab03/reference */
    char *server;     /* BUILD/bin/labserver: the device process */
    char *kernels;    /* BUILD/bin/labkernels, which it starts */
    char **link;      /* what follows the student's object when the program is linked, one word each; ends with NULL */
    char **contract;  /* the names that the solution defines for the lab's program; ends with NULL */
    char **tables;    /* those of them that are tables of constants */
    char *forbidden;  /* functions that the student's file may not use, in lines "NAME: why" */
    char *compiler;   /* path of the C compiler */
    json_t *manifest; /* the list of checks: name, points, title, hints, seconds, after */
    json_t *given;    /* the definitions of the starter, found once for many submissions; NULL: not yet found */
    char *given_text; /* the starter as the compiler's preprocessor leaves it, likewise (build_know_starter) */
    int max_points;
    device_info device;
} lab_parts;

/* Where a lab's parts are. */
typedef struct lab_parts_places {
    const char *root;   /* the checkout */
    const char *build;  /* where make built it; BUILD/NAME/ holds checks, reference, program.link and
                         * contract */
    const char *name;   /* the lab's */
    const char *folder; /* the lab's folder if it is not ROOT/labs/NAME-*; NULL otherwise */
} lab_parts_places;

/* Opens a lab. For an unknown lab, one that is not built or a missing device the fault says what to do. */
bool lab_parts_open(lab_parts *out, const lab_parts_places *places, grader_fault *fault);

void lab_parts_close(lab_parts *parts);

/* Whether the lab exists, built or not; the fault lists the labs that do. */
bool lab_parts_exists(const lab_parts_places *places, grader_fault *fault);

/* Number `index` of the lab's checks, from 0; NULL past the last. Borrowed. */
const json_t *lab_parts_check(const lab_parts *parts, size_t index);

/* The key of what the lab consists of on every machine: checks, reference, library, the lab's files, the headers, the
 * compiler, this grader. */
bool lab_parts_version(content_key *out, const lab_parts *parts, grader_fault *fault);

/* The key of everything that a result depends on except the submission: the version, and this machine's device. */
bool lab_parts_key(content_key *out, const lab_parts *parts, grader_fault *fault);

/* The folders ("ROOT/labs/lab03-concurrency") or the names ("lab03") of all labs, in order, ending with NULL: yours to
 * free with lab_parts_names_free. */
bool lab_parts_folders(char ***out, const char *root, grader_fault *fault);
bool lab_parts_names(char ***out, const char *root, grader_fault *fault);
void lab_parts_names_free(char **names);

#endif
