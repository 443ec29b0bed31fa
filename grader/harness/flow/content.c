/* A hash table of blocks of the texts. The bytes are searched at every place for a block, and a block that is found is
 * extended to both sides. */
#include "content.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    BLOCK = 16,
    MOST_BLOCKS = 1 << 20, /* of all texts; with more, blocks are left out */
    MOST_ALIKE = 16,       /* blocks with the same bytes that are kept, ... */
    MOST_IN_TEXT = 2,      /* ... and of each text */
    BITS_A_SLOT = 8,
};

/* A block of a text. Short texts are one block, of their size. */
typedef struct block {
    uint64_t hash; /* 0: unused */
    uint32_t text;
    uint32_t size;
    uint64_t offset;
} block;

struct content_index {
    const content_text *text;
    block *block; /* a hash table */
    size_t mask, stride;
    /* Of each hash in the table, a bit. It tells that most places of the bytes which are searched hold no block, and
     * stays in the processor's caches, where the table does not. */
    uint64_t *known;
    bool has_size[BLOCK + 1]; /* of blocks */
    uint64_t key[2];          /* of the hash: nobody can choose bytes that all fall into one place of the table */
};

/* Of at most BLOCK bytes. What is found by it is compared. */
static uint64_t hash_of(const content_index *index, const unsigned char *bytes, size_t size)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    const size_t half = size < 8 ? size : 8;
    uint64_t first = 0, last = 0;
    memcpy(&first, bytes, half);
    memcpy(&last, bytes + size - half, half);
    uint64_t hash = (first ^ index->key[0]) * odd;
    hash = ((hash ^ hash >> 32) + (last ^ index->key[1]) + size) * odd;
    hash = (hash ^ hash >> 29) * odd;
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

/* The bit of a hash. Its lowest bits choose the slot. */
static uint64_t *known_word(const content_index *index, uint64_t hash)
{
    return &index->known[(hash >> 6) & (index->mask >> 3)];
}

static uint64_t known_bit(uint64_t hash) { return UINT64_C(1) << (hash & 63); }

static void add(content_index *index, size_t text, size_t offset, size_t size)
{
    const uint64_t hash = hash_of(index, index->text[text].bytes + offset, size);
    size_t at = hash & index->mask;
    for (int alike = 0, in_text = 0; index->block[at].hash; at = (at + 1) & index->mask) {
        if (index->block[at].hash != hash) continue;
        in_text += index->block[at].text == text;
        if (++alike == MOST_ALIKE || in_text == MOST_IN_TEXT) return;
    }
    *known_word(index, hash) |= known_bit(hash);
    index->block[at] = (block){hash, (uint32_t)text, (uint32_t)size, offset};
    index->has_size[size] = true;
}

/* The place of the blocks in a text is the same for equal texts. */
static void add_text(content_index *index, size_t text)
{
    const size_t size = index->text[text].size;
    if (size > 0 && size < BLOCK) add(index, text, 0, size);
    for (size_t offset = 0; offset + BLOCK <= size; offset += index->stride) add(index, text, offset, BLOCK);
}

content_index *content_index_create(const content_text *text, size_t texts)
{
    content_index *made = calloc(1, sizeof *made);
    size_t bytes = 0, slots = 64;
    for (size_t i = 0; i < texts; i++) bytes += text[i].size;
    if (!made) return NULL;
    made->text = text;
    made->stride = (bytes / BLOCK / MOST_BLOCKS + 1) * BLOCK;
    while (slots < 2 * (bytes / made->stride + texts + 1)) slots *= 2;
    made->mask = slots - 1;
    made->block = calloc(slots, sizeof *made->block);
    made->known = calloc(slots * BITS_A_SLOT / 64, sizeof *made->known);
    if (!made->block || !made->known) {
        content_index_free(made);
        return NULL;
    }
    (void)!getrandom(made->key, sizeof made->key, 0); /* without it the search is right, and can be made slow */
    for (size_t i = 0; i < texts; i++) add_text(made, i);
    return made;
}

void content_index_free(content_index *index)
{
    if (!index) return;
    free(index->block);
    free(index->known);
    free(index);
}

/* A search of bytes. */
typedef struct search {
    const content_index *index;
    const unsigned char *bytes;
    size_t size, done; /* what was found so far ends at `done` */
    size_t back;       /* how many bytes before `done` may still be compared again */
    bool (*take)(void *user, const content_match *match);
    void *user;
} search;

/* The longest common part around a block that was found at this place. It may begin before `done`: there, equal
 * blocks of other texts were found, and those of this text were left out of the index. So that the search stays
 * linear, only as many bytes are compared again as there are. */
static content_match extend(search *now, const block *found, size_t at)
{
    const content_text *text = &now->index->text[found->text];
    const unsigned char *bytes = now->bytes;
    const size_t least = now->done > BLOCK + now->back ? now->done - BLOCK - now->back : 0;
    size_t before = 0, after = found->size;
    while (at - before > least && before < found->offset &&
           bytes[at - before - 1] == text->bytes[found->offset - before - 1])
        before++;
    if (at - before + BLOCK < now->done) now->back -= now->done - BLOCK - (at - before);
    while (at + after < now->size && found->offset + after < text->size &&
           bytes[at + after] == text->bytes[found->offset + after])
        after++;
    return (content_match){found->text, found->offset - before, at - before, before + after};
}

/* Takes what is found at this place; *end is where the longest part ends, or this place. False to stop. */
static bool find_at(search *now, size_t at, size_t width, size_t *end)
{
    const content_index *index = now->index;
    const uint64_t hash = hash_of(index, now->bytes + at, width);
    *end = at;
    if (!(*known_word(index, hash) & known_bit(hash))) return true;
    for (size_t slot = hash & index->mask; index->block[slot].hash; slot = (slot + 1) & index->mask) {
        const block *each = &index->block[slot];
        if (each->hash != hash || each->size != width ||
            memcmp(index->text[each->text].bytes + each->offset, now->bytes + at, width) != 0)
            continue;
        const content_match match = extend(now, each, at);
        if (!now->take(now->user, &match)) return false;
        if (match.at + match.size > *end) *end = match.at + match.size;
    }
    return true;
}

void content_find(const content_index *index, const unsigned char *bytes, size_t size,
                  bool (*take)(void *user, const content_match *match), void *user)
{
    for (size_t width = 1; width <= BLOCK; width++) {
        search now = {index, bytes, size, 0, size, take, user};
        for (size_t at = 0, end; index->has_size[width] && at + width <= size;) {
            if (!find_at(&now, at, width, &end)) return;
            if (end > at && width == BLOCK) now.done = end;
            at = now.done > at ? now.done : at + 1;
        }
    }
}
