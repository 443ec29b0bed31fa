/*
 * compiler_messages.h: reduces the messages of a compiler or linker to what concerns the student.
 * It knows the form of gcc's, clang's and ld's messages, and runs neither.
 */
#ifndef GRADER_JUDGE_COMPILER_MESSAGES_H
#define GRADER_JUDGE_COMPILER_MESSAGES_H

/* Replaces escapes by letters, in place: the compiler runs in the plain locale and spells names as \U000000f6. */
void compiler_messages_spell_names(char *text);

/* The messages about `file`, each with the source lines below it; without any, the first 40 lines of all messages. An
 * error in a header's macro is shown at the line of the file that uses the macro, and a conflict together with the
 * other declaration. Where no message about the file is an error, the first error elsewhere follows them. A file that
 * is not plain text gets one sentence. `text` is clean text. The caller frees it; NULL only without memory. */
char *compiler_messages_of_compiler(const char *text, const char *file);

/* A function that the file may not use has this before its name when the program is linked. */
#define FORBIDDEN_PREFIX "forbidden."

/* One sentence for each function that is missing, forbidden or defined twice: "lab03.c does not define lab03_run, which
 * lab03.h declares". Without such functions, the first 40 lines as they are. `header` is the name of the lab's header,
 * `declarations` its text. `rules` is the text of what is forbidden, in lines "NAME: why". The caller frees it; NULL
 * only without memory. */
char *compiler_messages_of_linker(const char *text, const char *file, const char *header, const char *declarations,
                                  const char *rules);

/* The first line that is an error; else the first that is neither source text nor a line such as "In function 'f':",
 * which says where the messages below it are; else the first line. Borrowed from `messages`. */
const char *compiler_messages_first_error(const char *messages);

#endif
