/*
 * environment.h: the environment variables that a started process may see.
 *
 * Kept: PATH, HOME, LANG, LC_ALL, LC_CTYPE, TMPDIR, XDG_CACHE_HOME, TZDIR, CUDA_VISIBLE_DEVICES, CUDA_PATH, CUDA_HOME;
 * where compilers and programs find libraries in unusual places: CPATH, C_INCLUDE_PATH, LIBRARY_PATH and the absolute
 * folders of LD_LIBRARY_PATH; and the LAB_ variables, except LAB_TRACE (the checks make their own records) and those
 * that begin with LAB_CHECK_, which hold the checks' secrets. Everything else, LD_PRELOAD first of all, is left out.
 */
#ifndef GRADER_BASE_ENVIRONMENT_H
#define GRADER_BASE_ENVIRONMENT_H

/* A list of "NAME=value" that ends with NULL: `extra` (which ends with NULL, or is NULL), then the kept variables that
 * are not in `extra`. The caller frees it with environment_free; NULL only if memory runs out. */
char **environment_make(const char *const *extra);
void environment_free(char **environment);

#endif
