/* Feeds arbitrary bytes to the reader of objects: no harm may come of them, and every name must end inside. */
#include <stdlib.h>
#include <string.h>

#include "judge/object_scan.h"
#include "judge/allowed_symbols.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char nothing[] = "- getpid: not here\n+ getppid\n";
    const symbol_rules rules = {.allowed = nothing};
    const source_names names = {0};
    text_buffer refusals = {0};
    if (!allowed_symbols_check(&refusals, &rules, data, size, "lab03.c", &names)) abort();
    free(refusals.text);
    return 0;
}
