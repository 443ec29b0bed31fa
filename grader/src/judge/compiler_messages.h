/*
 * compiler_messages.h: what a compiler or linker says, reduced to what concerns the student.
 * It knows the form of gcc's, clang's and ld's messages; it runs nothing.
 */
#ifndef GRADER_JUDGE_COMPILER_MESSAGES_H
#define GRADER_JUDGE_COMPILER_MESSAGES_H

/* In place: the compiler, which runs in the plain locale, spells a name \U000000f6; puts the letters back. */
void compiler_messages_spell_names(char *text);

/* The messages about `file` alone, each with the source lines below it; if there are none, all of them, at most 40
 * lines. What is wrong in a header's macro is told of the line of the file that uses the macro, and a conflict shows the
 * declaration that it is with. A file that is no plain text gets one sentence. `text` is clean text. Yours to free; NULL only without memory. */
char *compiler_messages_of_compiler(const char *text, const char *file);

/* One sentence for each function that is missing or defined twice: "lab03.c does not define lab03_run, which lab03.h
 * declares". Anything else as it is, at most 40 lines. `header` is the name of the lab's header, `declarations` its
 * text. Yours to free; NULL only without memory. */
char *compiler_messages_of_linker(const char *text, const char *file, const char *header, const char *declarations);

/* The beginning of the first line that is an error, else of the first line. Borrowed from `messages`. */
const char *compiler_messages_first_error(const char *messages);

#endif
