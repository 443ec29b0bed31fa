/*
 * A source with its definitions and headers, as one text: what options such as -D and -I say is in the text, so no
 * compiler needs to know of it. Includes that name no file here are left to the compiler.
 */
#ifndef LAB_SEAM_SOURCE_HEADERS_H
#define LAB_SEAM_SOURCE_HEADERS_H

#include "lab.h"

#include <stdio.h>

/* A list that owns its texts. */
typedef struct text_list {
    char **text;
    int count;
} text_list;

/* Adds a copy; false if there is no memory. */
bool text_list_add(text_list *list, const char *text);
void text_list_free(text_list *list);

typedef struct source_headers {
    text_list text, name; /* of headers that are given as texts */
    text_list folder;     /* in which others are looked for */
    text_list file;       /* those that were read */
} source_headers;

void source_headers_free(source_headers *headers);

/* Writes a definition, "NAME" or "NAME=VALUE", as a line. */
void source_define(FILE *out, const char *definition);

/* Writes the text with the headers that it includes. */
void source_write(FILE *out, source_headers *headers, const char *text, const char *name);

/* The source with the definitions and include paths of the options. The caller frees *out. */
lab_status source_prepare(char **out, const char *source, const char *name, const lab_module_options *options);

#endif
