/* Where the calling thread's calls of the library stand in the program, as lab.h's macros note it. Knows nothing of what
 * the calls do, nor whether they fail. */
#ifndef LAB_BASE_CALL_SITE_H
#define LAB_BASE_CALL_SITE_H

typedef struct call_place {
    const char *file; /* a text of the program's; "" if it is not known, and then the line is 0 */
    int line;
} call_place;

/* Of the call that the thread is in: the innermost, since one call's arguments may hold others. */
call_place call_place_now(void);

#endif
