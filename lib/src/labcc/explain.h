/* Messages of clang's front end and of the linker, with a sentence where they come from something that is not there. */
#ifndef LAB_LABCC_EXPLAIN_H
#define LAB_LABCC_EXPLAIN_H

/* Prints the file's messages. Where some of them are about something that labcc lacks, prints only those, each with the
 * sentence that says so. */
void labcc_explain(const char *file);

/* Prints the messages of the linker: a sentence for each cause of names that nothing defines (link_errors.c), or all as
 * they are if something else went wrong too. */
void labcc_explain_link(const char *file);

/* The sentence about a header, a library or another name that labcc does not have; NULL if it is none of them. */
const char *labcc_why_missing(const char *name);

#endif
