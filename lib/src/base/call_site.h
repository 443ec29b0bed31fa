/* The lines of the program that contain the calling thread's calls of the library, as lab.h's macros note them. */
#ifndef LAB_BASE_CALL_SITE_H
#define LAB_BASE_CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct call_site {
    const char *file; /* the program's text; "" with line 0 if the site is unknown */
    int line;
    uint64_t caller; /* where the program's own code called what made the call; 0 if unknown */
} call_site;

/* Begins a call at this site, which lab_here_ends ends. */
void call_site_begin(call_site site);

/* Finds the caller of the call that the thread begins; NULL: the program does not say. It is an address for addr2line.
 * With `has_line` the site itself is known, and the caller is that of the function around it. */
extern uint64_t (*call_site_find_caller)(bool has_line);

/* The file of a site that `caller` names; NULL: the file that it names. For a program whose word for it does not count.
 */
extern const char *(*call_site_file)(const char *named, const void *caller);

/* The site of the innermost call that the thread is in: arguments of one call may contain others. */
call_site call_site_now(void);

#endif
