/* What an attacker knows of the messages between check and program, with its header. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker/protocol.h"

enum {
    P_CALL = PROTOCOL_CALL,
    P_HELLO = PROTOCOL_HELLO,
    P_READY = PROTOCOL_READY,
    P_DONE = PROTOCOL_DONE,
    P_FAILED = PROTOCOL_FAILED,
    P_CRASH = PROTOCOL_CRASH,
    P_STUCK = PROTOCOL_STUCK
};
typedef protocol_message p_message;

/* The check's latest call: it lies somewhere in the memory of this process. */
__attribute__((unused)) static bool p_find_call(p_message *found)
{
    char line[512], rights[8];
    uintptr_t begin, end;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || strncmp(rights, "rw-p", 4) != 0) continue;
        for (uintptr_t at = begin; at + sizeof *found <= end; at += 16) {
            const p_message *here = (const p_message *)at;
            if (here == found || here->version == 0 || here->version > 20 || here->kind != P_CALL) continue;
            if (here->number < 1000 || !memchr(here->name, 0, 256) || !here->name[0] || here->seconds <= 0) continue;
            *found = *here;
            fclose(maps);
            return true;
        }
    }
    if (maps) fclose(maps);
    return false;
}
