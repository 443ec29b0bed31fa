/* The lines of the program that contain the calling thread's calls of the library, as lab.h's macros note them. */
#ifndef LAB_BASE_CALL_SITE_H
#define LAB_BASE_CALL_SITE_H

typedef struct call_site {
    const char *file; /* the program's text; "" with line 0 if the site is unknown */
    int line;
} call_site;

/* The site of the innermost call that the thread is in: arguments of one call may contain others. */
call_site call_site_now(void);

#endif
