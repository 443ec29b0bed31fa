/* Copies of texts that live as long as the process. */
#include "base/plain_text.h"
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct kept_text {
    struct kept_text *next;
    uint64_t hash;
    char text[];
} kept_text;

enum { TEXT_LISTS = 512, RECENT_TEXTS = 16 };
static kept_text *texts[TEXT_LISTS];

static const char *keep_text(const char *text)
{
    const size_t length = strlen(text);
    const uint64_t hash = lab_text_hash(text, length);
    kept_text **list = &texts[hash % TEXT_LISTS];
    for (const kept_text *each = *list; each; each = each->next)
        if (each->hash == hash && strcmp(each->text, text) == 0) return each->text;
    kept_text *made = malloc(sizeof *made + length + 1);
    if (!made) return "";
    made->next = *list;
    made->hash = hash;
    memcpy(made->text, text, length + 1);
    *list = made;
    return made->text;
}

/* The same text is mostly at the same address as before; but another text may be there by now. */
const char *order_intern(const char *text)
{
    static struct recent_text {
        const char *text, *kept;
    } recent_texts[RECENT_TEXTS];
    struct recent_text *recent = &recent_texts[(uintptr_t)text / 8 % RECENT_TEXTS];
    if (recent->text == text && strcmp(recent->kept, text) == 0) return recent->kept;
    *recent = (struct recent_text){text, keep_text(text)};
    return recent->kept;
}
