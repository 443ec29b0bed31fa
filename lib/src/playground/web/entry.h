/* What the page calls, with texts in the module's memory. */
#ifndef LAB_PLAYGROUND_WEB_ENTRY_H
#define LAB_PLAYGROUND_WEB_ENTRY_H

#include <stddef.h>

/* Room for a text of so many bytes and its zero; NULL if there is none. To be freed with play_free. */
char *play_text(size_t bytes);
void play_free(void *text);

/* play_answer of answer.h. */
char *play_ask(const char *text, const char *language, const char *profile);

#endif
