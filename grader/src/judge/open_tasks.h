/* open_tasks.h: which of a lab's tasks a student's file still has open. It knows the marker that starters carry. */
#ifndef GRADER_JUDGE_OPEN_TASKS_H
#define GRADER_JUDGE_OPEN_TASKS_H

/* The numbers of the TODO(n) markers in a source text, "1, 2", each once, in the order they stand; "" if there are
 * none. Yours to free; NULL only without memory. */
char *open_tasks_list(const char *source);

#endif
