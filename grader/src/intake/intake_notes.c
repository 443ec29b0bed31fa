/* Keeping notes; see intake_notes.h. */
#include "intake_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 2000 };

void intake_notes_add(intake_notes *notes, const char *name, const char *format, ...)
{
    if (notes->count == MOST_NOTES) {
        notes->more++;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    intake_note note = {.name = strdup(name)};
    if (vasprintf(&note.reason, format, arguments) < 0) note.reason = NULL;
    va_end(arguments);
    intake_note *larger = realloc(notes->note, (notes->count + 1) * sizeof *larger);
    if (larger) notes->note = larger;
    if (larger && note.name && note.reason) {
        notes->note[notes->count++] = note;
        return;
    }
    notes->failed = true;
    free(note.name);
    free(note.reason);
}

void intake_notes_free(intake_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->note[i].name);
        free(notes->note[i].reason);
    }
    free(notes->note);
    *notes = (intake_notes){0};
}
