/* Lengths are decimal numbers of a fixed number of digits, so that the header's length is known. */
#include "program_image.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "; labcc 1 ";
enum { DIGITS = 12, HEADER_BYTES = sizeof mark - 1 + 2 * DIGITS + 2 };

/* The lengths in the header, which must be whole. */
static bool read_header(size_t bytes[2], const char *text)
{
    if (strncmp(text, mark, sizeof mark - 1) != 0) return false;
    const char *at = text + sizeof mark - 1;
    for (int i = 0; i < 2; i++, at++) {
        bytes[i] = 0;
        for (int d = 0; d < DIGITS; d++, at++) {
            if (*at < '0' || *at > '9') return false;
            bytes[i] = bytes[i] * 10 + (size_t)(*at - '0');
        }
        if (*at != (i == 0 ? ' ' : '\n')) return false;
    }
    return true;
}

size_t program_image_bytes(const char *text)
{
    size_t bytes[2];
    return read_header(bytes, text) ? HEADER_BYTES + bytes[0] + bytes[1] : 0;
}

bool program_image_read(program_image *image, const char *text)
{
    size_t bytes[2];
    if (!read_header(bytes, text) || strlen(text) != HEADER_BYTES + bytes[0] + bytes[1]) return false;
    const char *cpu = text + HEADER_BYTES;
    *image = (program_image){cpu, cpu + bytes[0], bytes[0], bytes[1]};
    return true;
}

void program_image_write(FILE *out, const program_image *image)
{
    fprintf(out, "%s%0*zu %0*zu\n", mark, DIGITS, image->cpu_bytes, DIGITS, image->gpu_bytes);
    fwrite(image->cpu, 1, image->cpu_bytes, out);
    if (image->gpu_bytes) fwrite(image->gpu, 1, image->gpu_bytes, out);
}

/* The word at *at, up to a space or the end of the line; *at moves behind the space. */
static int next_word(const char **word, const char **at)
{
    *word = *at;
    const size_t length = strcspn(*at, " \n");
    *at += length + ((*at)[length] == ' ');
    return (int)length;
}

bool program_image_next_kernel(program_kernel *kernel, const char **at)
{
    static const char begins[] = "; kernel ";
    if (strncmp(*at, begins, sizeof begins - 1) != 0) return false;
    const char *word = *at + sizeof begins - 1, *line;
    kernel->symbol_length = next_word(&kernel->symbol, &word);
    next_word(&line, &word);
    kernel->line = atoi(line);
    kernel->mangled_length = next_word(&kernel->mangled, &word);
    kernel->name = word;
    kernel->name_length = (int)strcspn(word, "\n");
    *at = word + kernel->name_length + (word[kernel->name_length] == '\n');
    return kernel->name_length > 0;
}
