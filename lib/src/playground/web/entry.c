/* The functions that the module exports. */
#include "entry.h"

#include "playground/answer.h"

#include <stdlib.h>

char *play_text(size_t bytes) { return calloc(bytes + 1, 1); }

void play_free(void *text) { free(text); }

char *play_ask(const char *text, const char *language, const char *profile)
{
    return play_answer(text, language, profile);
}
