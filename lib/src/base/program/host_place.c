/* The names are kept as long as the process lives: the order checker keeps them. */
#include "host_place.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

typedef struct host_place {
    struct host_place *next;
    const void *instruction;
    char name[64];
} host_place;
enum { PLACE_LISTS = 1024 };
static host_place *places[PLACE_LISTS];
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_name(host_place *named)
{
    Dl_info object = {0}, program = {0};
    const char *name = "host", *slash;
    dladdr(named->instruction, &object);
    dladdr((const void *)(uintptr_t)getauxval(AT_ENTRY), &program);
    if (object.dli_fbase && object.dli_fbase != program.dli_fbase) {
        slash = strrchr(object.dli_fname, '/');
        name = slash ? slash + 1 : object.dli_fname;
    }
    snprintf(named->name, sizeof named->name, "%.40s+0x%zx", name,
             (size_t)((const char *)named->instruction - (const char *)object.dli_fbase));
}

const char *host_place_name(const void *instruction)
{
    host_place **list = &places[(uintptr_t)instruction / 4 % PLACE_LISTS], *found;
    pthread_mutex_lock(&places_lock);
    for (found = *list; found && found->instruction != instruction;) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        found->instruction = instruction;
        write_name(found);
        found->next = *list;
        *list = found;
    }
    pthread_mutex_unlock(&places_lock);
    return found ? found->name : "";
}
