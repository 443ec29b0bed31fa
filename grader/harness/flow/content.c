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
    BITS_A_SLOT = 16,
};

/* A block of a text, by its number. Short texts are one block, of their size. Most of what the index costs is memory
 * that is used for the first time, so that a block is as small as it can be. */
typedef struct block {
    uint32_t number; /* 0: unused */
    uint32_t tag;    /* the half of its hash that does not choose the slot */
} block;

/* Where the bytes of a block are. */
typedef struct block_place {
    size_t text, offset, size;
} block_place;

struct content_index {
    const content_text *text;
    size_t texts;
    size_t *first; /* of each text, the number of its first block; behind the last one, the end */
    block *block;  /* a hash table */
    size_t slots, stride;
    /* Of each hash in the table, two bits of a word. They tell that most places of the bytes which are searched hold no
     * block, and stay in the processor's caches, where the table does not. */
    uint64_t *known;
    bool has_size[BLOCK + 1]; /* of blocks */
    uint64_t key[2];          /* of the hash: nobody can choose bytes that all fall into one place of the table */
};

/* Of at most BLOCK bytes. What is found by it is compared. It is made at every place of long bytes: where a size is
 * known to the compiler, memcpy of it is one load. */
static uint64_t hash_of(const content_index *index, const unsigned char *bytes, size_t size)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t first = 0, last = 0;
    if (size >= sizeof first) {
        memcpy(&first, bytes, sizeof first);
        memcpy(&last, bytes + size - sizeof last, sizeof last);
    } else {
        memcpy(&first, bytes, size);
        last = first;
    }
    uint64_t hash = (first ^ index->key[0]) * odd;
    hash = ((hash ^ hash >> 32) + (last ^ index->key[1]) + size) * odd;
    hash = (hash ^ hash >> 29) * odd;
    return hash ^ hash >> 32;
}

/* One of `count` places in a table, chosen by the lower half of the hash. Any count will do: a power of two would often
 * be twice the memory. */
static size_t place_in(size_t count, uint64_t hash) { return (hash & UINT32_MAX) * count >> 32; }

static size_t slot_behind(const content_index *index, size_t slot) { return slot + 1 < index->slots ? slot + 1 : 0; }

static size_t known_words(const content_index *index) { return index->slots * BITS_A_SLOT / 64; }

static uint64_t *known_word(const content_index *index, uint64_t hash)
{
    return &index->known[place_in(known_words(index), hash)];
}

static uint64_t known_bits(uint64_t hash) { return UINT64_C(1) << (hash >> 32 & 63) | UINT64_C(1) << (hash >> 58); }

static bool is_known(const content_index *index, uint64_t hash)
{
    return (*known_word(index, hash) & known_bits(hash)) == known_bits(hash);
}

static uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 32); }

static size_t block_size(const content_index *index, size_t text)
{
    return index->text[text].size < BLOCK ? index->text[text].size : BLOCK;
}

static size_t blocks_of(const content_index *index, size_t text)
{
    const size_t size = index->text[text].size;
    return size < BLOCK ? size > 0 : (size - BLOCK) / index->stride + 1;
}

/* Numbers begin with 1. */
static size_t number_texts(content_index *index)
{
    size_t number = 1;
    for (size_t i = 0; i < index->texts; i++) {
        index->first[i] = number;
        number += blocks_of(index, i);
    }
    return index->first[index->texts] = number;
}

static block_place place_of(const content_index *index, size_t number)
{
    size_t low = 0, high = index->texts;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (index->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return (block_place){low, (number - index->first[low]) * index->stride, block_size(index, low)};
}

static bool is_at(const content_index *index, block_place place, const unsigned char *bytes, size_t size)
{
    return place.size == size && memcmp(index->text[place.text].bytes + place.offset, bytes, size) == 0;
}

static void add(content_index *index, size_t number, block_place place)
{
    const unsigned char *bytes = index->text[place.text].bytes + place.offset;
    const uint64_t hash = hash_of(index, bytes, place.size);
    size_t at = place_in(index->slots, hash);
    for (int alike = 0, in_text = 0; index->block[at].number; at = slot_behind(index, at)) {
        if (index->block[at].tag != tag_of(hash)) continue;
        const block_place other = place_of(index, index->block[at].number);
        if (!is_at(index, other, bytes, place.size)) continue;
        in_text += other.text == place.text;
        if (++alike == MOST_ALIKE || in_text == MOST_IN_TEXT) return;
    }
    *known_word(index, hash) |= known_bits(hash);
    index->block[at] = (block){(uint32_t)number, tag_of(hash)};
    index->has_size[place.size] = true;
}

/* Brings near what `add` will look at. */
static void prepare(const content_index *index, block_place place)
{
    const uint64_t hash = hash_of(index, index->text[place.text].bytes + place.offset, place.size);
    __builtin_prefetch(&index->block[place_in(index->slots, hash)], 1);
    __builtin_prefetch(known_word(index, hash), 1);
}

/* The place of the blocks in a text is the same for equal texts. Nearly all the time goes into waiting for memory, so
 * that some blocks are prepared ahead. */
static void add_text(content_index *index, size_t text)
{
    enum { AHEAD = 8 };
    const size_t end = index->first[text + 1];
    block_place place = {.text = text, .size = block_size(index, text)};
    for (size_t number = index->first[text]; number < end; number++) {
        if (number + AHEAD < end) prepare(index, (block_place){text, place.offset + AHEAD * index->stride, place.size});
        add(index, number, place);
        place.offset += index->stride;
    }
}

static bool make_table(content_index *index)
{
    index->first = calloc(index->texts + 1, sizeof *index->first);
    if (!index->first) return false;
    const size_t end = number_texts(index);
    index->slots = 64 + end + end / 2;
    index->block = calloc(index->slots, sizeof *index->block);
    index->known = calloc(known_words(index), sizeof *index->known);
    return index->block && index->known;
}

content_index *content_index_create(const content_text *text, size_t texts)
{
    content_index *made = calloc(1, sizeof *made);
    size_t bytes = 0;
    for (size_t i = 0; i < texts; i++) bytes += text[i].size;
    if (!made) return NULL;
    made->text = text;
    made->texts = texts;
    made->stride = (bytes / BLOCK / MOST_BLOCKS + 1) * BLOCK;
    if (!make_table(made)) {
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
    free(index->first);
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

/* How many of the first bytes are equal, of `most`. */
static size_t equal_bytes(const unsigned char *one, const unsigned char *other, size_t most)
{
    enum { STEP = 256 };
    size_t equal = 0;
    while (equal + STEP <= most && memcmp(one + equal, other + equal, STEP) == 0) equal += STEP;
    while (equal < most && one[equal] == other[equal]) equal++;
    return equal;
}

/* The longest common part around a block that was found at this place. It may begin before `done`: there, equal
 * blocks of other texts were found, and those of this text were left out of the index. So that the search stays
 * linear, only as many bytes are compared again as there are. */
static content_match extend(search *now, block_place found, size_t at)
{
    const content_text *text = &now->index->text[found.text];
    const unsigned char *bytes = now->bytes;
    const size_t least = now->done > BLOCK + now->back ? now->done - BLOCK - now->back : 0;
    size_t before = 0, after = found.size;
    while (at - before > least && before < found.offset &&
           bytes[at - before - 1] == text->bytes[found.offset - before - 1])
        before++;
    if (at - before + BLOCK < now->done) now->back -= now->done - BLOCK - (at - before);
    const size_t left = now->size - at, left_of_text = text->size - found.offset;
    after += equal_bytes(bytes + at + after, text->bytes + found.offset + after,
                         (left < left_of_text ? left : left_of_text) - after);
    return (content_match){found.text, found.offset - before, at - before, before + after};
}

/* The first place, from this one on, whose bytes may be a block. Where none may, the last place at which one fits. The
 * loop for whole blocks is one of its own, which the compiler makes short. */
static size_t first_known(const search *now, size_t at, size_t width)
{
    const content_index *index = now->index;
    const size_t last = now->size - width;
    if (width == BLOCK)
        while (at < last && !is_known(index, hash_of(index, now->bytes + at, BLOCK))) at++;
    else
        while (at < last && !is_known(index, hash_of(index, now->bytes + at, width))) at++;
    return at;
}

/* Takes what is found at this place; *end is where the longest part ends, or this place. False to stop. */
static bool find_at(search *now, size_t at, size_t width, size_t *end)
{
    const content_index *index = now->index;
    const uint64_t hash = hash_of(index, now->bytes + at, width);
    *end = at;
    for (size_t slot = place_in(index->slots, hash); index->block[slot].number; slot = slot_behind(index, slot)) {
        if (index->block[slot].tag != tag_of(hash)) continue;
        const block_place each = place_of(index, index->block[slot].number);
        if (!is_at(index, each, now->bytes + at, width)) continue;
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
            at = first_known(&now, at, width);
            if (!find_at(&now, at, width, &end)) return;
            if (end > at && width == BLOCK) now.done = end;
            at = now.done > at ? now.done : at + 1;
        }
    }
}
