/* Names of files, in a table by content. */
#include "intern.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096, MOST_NAMES = SLOTS / 2, LONGEST = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *slot[SLOTS];
static int names;

static uint32_t hash(const char *name)
{
    uint32_t value = 2166136261u;
    for (; *name; name++) value = (value ^ (unsigned char)*name) * 16777619u;
    return value;
}

const char *intern_file(const char *name)
{
    if (!name || !*name || strlen(name) > LONGEST) return "";
    uint32_t index = hash(name) % SLOTS;
    pthread_mutex_lock(&lock);
    while (slot[index] && strcmp(slot[index], name) != 0) index = (index + 1) % SLOTS;
    if (!slot[index] && names < MOST_NAMES && (slot[index] = strdup(name))) names++;
    const char *kept = slot[index];
    pthread_mutex_unlock(&lock);
    return kept ? kept : "";
}
