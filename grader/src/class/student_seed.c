/* Deriving a seed; see student_seed.h. */
#include "student_seed.h"

#include <string.h>

#include "keys/content_key.h"

uint64_t student_seed(uint64_t class_seed, const char *name, const char *group)
{
    uint64_t seed;
    content_key key = content_key_of(&class_seed, sizeof class_seed);
    content_key_add_text(&key, group ? "group" : "student");
    content_key_add_text(&key, group ? group : name);
    memcpy(&seed, key.byte, sizeof seed);
    return seed;
}
