/*
 * lesson.h: the place in a lab's lesson to read after a check has failed. It knows headings and the tasks that
 * titles and hints name; the lesson has the texts.
 */
#ifndef GRADER_PAGE_LESSON_H
#define GRADER_PAGE_LESSON_H

#include <jansson.h>

/* The section of FOLDER/README.md about the task that the check's title or its hints name first, else how to read a
 * result: "FOLDER/README.md#task-1-order-two-streams". The caller frees it. NULL if the lesson has no such section.
 * `check` is the check's entry in the manifest. */
char *lesson_place(const char *folder, const json_t *check);

/* The address of a place "labs/FOLDER/README.md#SECTION" on the workbook's published pages, whose address is `site`
 * with or without a slash or index.html at its end. The caller frees it. */
char *lesson_address(const char *site, const char *place);

#endif
