/* Feeds arbitrary bytes to the decoder of requests: every call reads its arguments from them, and stops before it calls
 * the library. The first four bytes choose the call. */
#include "base/program/host_memory.h"
#include "served/served.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
bool __wrap_served_may_call(wire *in, bool only_trusted);
bool __real_served_may_call(wire *in, bool only_trusted);

/* Linked in place of served_may_call: no call is made. */
bool __wrap_served_may_call(wire *in, bool only_trusted)
{
    __real_served_may_call(in, only_trusted);
    return false;
}

/* The program's memory: it has none at odd addresses. */
static void *local(uint64_t address, size_t bytes) { return (void)address, (void)bytes, NULL; }

static bool read_program(void *into, uint64_t address, size_t bytes)
{
    memset(into, (int)(address >> 8), bytes);
    return address % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const host_memory_access access = {.local = local, .read = read_program};
    static wire_message reply;
    const char *file = NULL;
    uint32_t number;
    if (size < sizeof number || size - sizeof number > WIRE_BYTES) return 0;
    host_memory_use(&access);
    memcpy(&number, bytes, sizeof number);
    /* Exactly as long as the message, so that the sanitizer sees a read behind it. */
    wire_message *request = malloc(offsetof(wire_message, bytes) + size - sizeof number);
    request->number = number % (served_call_count + 1);
    request->length = size - sizeof number;
    memcpy(request->bytes, bytes + sizeof number, request->length);
    served_execute(request, &reply, &file);
    free(request);
    return 0;
}
