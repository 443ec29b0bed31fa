/* The names of the program's files, kept for as long as the process, since records name them. */
#ifndef LAB_SERVED_INTERN_H
#define LAB_SERVED_INTERN_H

/* A copy of the name, the same for equal names; "" for NULL, a name that is too long, and one too many. */
const char *intern_file(const char *name);

#endif
