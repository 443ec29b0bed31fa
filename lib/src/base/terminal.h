/*
 * What a file descriptor can display: colour, lines that are rewritten, characters beyond ASCII, and how many columns.
 * Decided from the descriptor and the environment.
 */
#ifndef LAB_BASE_TERMINAL_H
#define LAB_BASE_TERMINAL_H

#include <stdbool.h>

typedef struct lab_terminal {
    bool color;    /* ANSI colours: on a terminal other than "dumb", unless NO_COLOR is set */
    bool rewrites; /* the last line can be erased and rewritten: a terminal other than "dumb" */
    bool utf8;     /* the character set of LC_ALL, else LC_CTYPE, else LANG, is UTF-8 */
    int columns;   /* COLUMNS if it is set, else the terminal's width, else 80; from 40 to 1000 */
} lab_terminal;

/* Describes what this descriptor can display. */
lab_terminal lab_terminal_describe(int descriptor);

#endif
