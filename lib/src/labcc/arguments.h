/* A command line that grows, and programs that are run with one. Memory lasts until labcc ends; a program of the
 * compiler's kind ends when memory runs out. */
#ifndef LAB_LABCC_ARGUMENTS_H
#define LAB_LABCC_ARGUMENTS_H

#include <stdbool.h>

typedef struct arguments {
    const char **list; /* NULL after the last */
    int count, capacity;
} arguments;

/* Each adds what follows, up to NULL. The texts are borrowed. */
void arguments_add(arguments *to, const char *first, ...) __attribute__((sentinel));
void arguments_add_all(arguments *to, const arguments *from);
void arguments_add_list(arguments *to, const char *const *list);

/* A new text, as printf makes it. */
char *arguments_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs the program and waits for it; list[0] is looked up on the PATH. Standard output and errors go to the files, if
 * they are not NULL. `shows` prints the command first. Returns the exit status; 127 if it cannot be started. */
int arguments_run(const arguments *command, const char *output, const char *errors, bool shows);

/* From here on a signal that would end labcc ends the program that arguments_run waits for. arguments_run then returns
 * 128 and the signal's number, and starts nothing more. */
void arguments_catch_signals(void);

/* Ends labcc with the signal that came, if one did. */
void arguments_end_if_caught(void);

#endif
