/* What an attacker knows of the messages between check and program, as in grader/harness/protocol.h. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { P_CALL = 1, P_HELLO = 100, P_READY, P_DONE, P_FAILED, P_CRASH, P_STUCK };
typedef struct p_message {
    uint32_t version, kind;
    uint64_t number;
    int32_t status;
    uint32_t data_bytes;
    char name[256];
    _Alignas(16) unsigned char data[2048];
    char text[3072];
    double seconds;
    int32_t waits;
    struct {
        int32_t signal, code;
        uint64_t stack, address, base;
        uint32_t frames;
        uint64_t frame[48];
    } crash;
} p_message;

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
