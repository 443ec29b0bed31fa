/*
 * solved_code.h: a lab's program without the code that solves a task.
 *
 * What a task builds on comes from the lab's program.c: it has functions that do what an earlier task asks for. A
 * program in which that task is tried must not have their code, because a student's function could find it and call it.
 * The code of each task is between two marks of the program's file (worker.h), and a copy of the file leaves it out.
 * What the student's object has of such marks can only leave out more.
 */
#ifndef GRADER_SOURCE_SOLVED_CODE_H
#define GRADER_SOURCE_SOLVED_CODE_H

#include <stdbool.h>

#include "base/fault.h"

/* Tasks that can be marked are 1 to 4; a set of tasks has bit 1 << TASK. student_code.ld has a section for each. */
enum { SOLVED_CODE_TASKS = 4 };
#define SOLVED_CODE_BEGINS "[here begins the code that solves task " /* TASK ] */
#define SOLVED_CODE_ENDS "[here ends the code that solves task "

/* Leaves the code of all tasks out of the program at `path`. The program as it was remains next to it, for
 * solved_code_copy. */
bool solved_code_take_out(const char *path, grader_fault *fault);

/* Copies the program as it was before solved_code_take_out, with the code of these tasks alone. */
bool solved_code_copy(const char *to, const char *path, unsigned tasks, grader_fault *fault);

#endif
