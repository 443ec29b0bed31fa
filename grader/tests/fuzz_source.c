/* Feeds arbitrary bytes to the readers of a student's file, of its preprocessed text, and of a header: they must reach
 * the end without harm. The first zero byte divides file and preprocessed text. */
#include <stdlib.h>
#include <string.h>

#include "judge/source_scan.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const seen[] = {"/usr/include", NULL};
    const unsigned char *zero = memchr(data, 0, size);
    size_t first = zero ? (size_t)(zero - data) : size;
    const source_text file = {(const char *)data, first};
    const source_text rest = {(const char *)data + first, size - first};
    source_names names = {0}, header = {0};
    text_buffer refusals = {0};
    if (!source_scan(&names, &refusals, file, rest, "lab03.c", seen)) abort();
    if (!source_header_names(&header, file)) abort();
    for (size_t i = 0; i < header.count; i++) {
        if (source_line(&header, header.name[i].name) < 1) abort();
    }
    source_names_free(&names);
    source_names_free(&header);
    free(refusals.text);
    return 0;
}
