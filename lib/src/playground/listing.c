/* Listings: a text, and the language that it is written in. */
#include "listing_writer.h"

#include <stdlib.h>

bool play_list(play_listing *out, const play_program *program, play_language language)
{
    static void (*const write[PLAY_LANGUAGES])(listing_writer *) = {listing_write_lab, listing_write_cuda,
                                                                    listing_write_cupy};
    static const char *const file[PLAY_LANGUAGES] = {"play.c", "play.cu", "play.py"};
    size_t size;
    *out = (play_listing){.language = language, .file = file[language], .lines = program->statements};
    FILE *text = open_memstream(&out->text, &size);
    if (!text) return false;
    listing_writer writer = {.out = text, .line = 1, .program = program, .listing = out};
    write[language](&writer);
    const bool failed = ferror(text);
    if (fclose(text) == 0 && !failed) return true;
    play_listing_clear(out);
    return false;
}

void play_listing_clear(play_listing *listing)
{
    free(listing->text);
    listing->text = NULL;
}
