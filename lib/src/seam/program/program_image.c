/* Lengths are decimal numbers of a fixed number of digits, so that the header's length is known. */
#include "program_image.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "; labcc 3 ", part_mark[] = ".file";
enum { PARTS = 4, DIGITS = 12, HEADER_BYTES = sizeof mark - 1 + PARTS * (DIGITS + 1) };

/* The lengths in the header, which must be whole. */
static bool read_header(size_t bytes[PARTS], const char *text)
{
    if (strncmp(text, mark, sizeof mark - 1) != 0) return false;
    const char *at = text + sizeof mark - 1;
    for (int i = 0; i < PARTS; i++, at++) {
        bytes[i] = 0;
        for (int d = 0; d < DIGITS; d++, at++) {
            if (*at < '0' || *at > '9') return false;
            bytes[i] = bytes[i] * 10 + (size_t)(*at - '0');
        }
        if (*at != (i + 1 < PARTS ? ' ' : '\n')) return false;
    }
    return true;
}

size_t program_image_bytes(const char *text)
{
    size_t bytes[PARTS];
    return read_header(bytes, text) ? HEADER_BYTES + bytes[0] + bytes[1] + bytes[2] + bytes[3] : 0;
}

bool program_image_has_ptx(const char *text)
{
    size_t bytes[PARTS];
    return read_header(bytes, text) && bytes[1] > 0;
}

bool program_image_read(program_image *image, const char *text)
{
    return program_image_take(image, &text) && *text == '\0';
}

bool program_images_last(program_image *last, const char *text)
{
    const char *at = text;
    while (*at)
        if (!program_image_take(last, &at)) return false;
    return at > text;
}

bool program_image_take(program_image *image, const char **at)
{
    size_t bytes[PARTS];
    const size_t whole = program_image_bytes(*at);
    if (!whole || strnlen(*at, whole) < whole || !read_header(bytes, *at)) return false;
    const char *cpu = *at + HEADER_BYTES, *ptx = cpu + bytes[0], *link = ptx + bytes[1];
    *image = (program_image){cpu, ptx, link, link + bytes[2], bytes[0], bytes[1], bytes[2], bytes[3]};
    *at += whole;
    return true;
}

bool program_image_has_link(const char *text)
{
    size_t bytes[PARTS];
    return read_header(bytes, text) && bytes[2] > 0;
}

bool program_image_needs_link(const char *text)
{
    size_t bytes[PARTS];
    return read_header(bytes, text) && bytes[2] > 0 &&
           strncmp(text + HEADER_BYTES + bytes[0] + bytes[1], PROGRAM_NEEDS, strlen(PROGRAM_NEEDS)) == 0;
}

void program_image_write(FILE *out, const program_image *image)
{
    fprintf(out, "%s%0*zu %0*zu %0*zu %0*zu\n", mark, DIGITS, image->cpu_bytes, DIGITS, image->ptx_bytes, DIGITS,
            image->link_bytes, DIGITS, image->places_bytes);
    fwrite(image->cpu, 1, image->cpu_bytes, out);
    if (image->ptx_bytes) fwrite(image->ptx, 1, image->ptx_bytes, out);
    if (image->link_bytes) fwrite(image->link, 1, image->link_bytes, out);
    if (image->places_bytes) fwrite(image->places, 1, image->places_bytes, out);
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
    kernel->params = next_word(&kernel->kinds, &word);
    if (*kernel->kinds == '-') kernel->params = 0;
    kernel->name = word;
    kernel->name_length = (int)strcspn(word, "\n");
    *at = word + kernel->name_length + (word[kernel->name_length] == '\n');
    return kernel->name_length > 0;
}

bool program_image_has_managed(const char *text, const char *mangled)
{
    static const char begins[] = "; managed ";
    program_kernel kernel;
    if (!program_image_bytes(text)) return false;
    const char *at = text + HEADER_BYTES;
    while (program_image_next_kernel(&kernel, &at)) continue;
    for (; strncmp(at, begins, sizeof begins - 1) == 0; at += strcspn(at, "\n") + 1) {
        const char *name = at + sizeof begins - 1;
        if (strlen(mangled) == strcspn(name, "\n") && strncmp(mangled, name, strlen(mangled)) == 0) return true;
    }
    return false;
}

bool program_image_next_place(program_place *place, const char **at)
{
    char *end;
    place->mangled_length = next_word(&place->mangled, at);
    place->address = strtoull(*at, &end, 16);
    place->bytes = strtoull(end, &end, 10);
    *at = end + (*end == '\n');
    return place->mangled_length > 0;
}

/* Whether a part of the name, which begins with its "Z", is of something static: "ZL5count", "ZN5spaceL5countE". */
static bool names_static(const char *part)
{
    const char *at = part + 1 + (part[1] == 'N');
    while (part[1] == 'N' && isdigit((unsigned char)*at)) {
        char *name;
        const unsigned long length = strtoul(at, &name, 10);
        if (length >= strlen(name)) return false;
        at = name + length;
    }
    return *at == 'L' && isdigit((unsigned char)at[1]);
}

bool program_name_is_static(const char *mangled)
{
    if (strstr(mangled, "_GLOBAL__N_")) return true;
    for (const char *part = mangled; (part = strchr(part, 'Z')); part++)
        if (names_static(part)) return true;
    return false;
}

char *program_part_name(const char *mangled, int number)
{
    char *made;
    if (!program_name_is_static(mangled)) return strdup(mangled);
    return asprintf(&made, "%s%s%d", mangled, part_mark, number) < 0 ? NULL : made;
}

/* "_ZL5count" is "count"; "_ZL5scalePf" is "_Z5scalePf"; "_ZN5spaceL5countE" is "_ZN5space5countE". */
static void forget_static(char *made)
{
    static const char of_static[] = "_ZL", nested[] = "_ZN";
    if (strncmp(made, of_static, sizeof of_static - 1) == 0) {
        char *name;
        const unsigned long length = strtoul(made + sizeof of_static - 1, &name, 10);
        const bool is_variable = length > 0 && strlen(name) == length;
        char *from = is_variable ? name : made + sizeof of_static - 1;
        memmove(is_variable ? made : made + sizeof of_static - 2, from, strlen(from) + 1);
    } else if (strncmp(made, nested, sizeof nested - 1) == 0) {
        char *at = made + sizeof nested - 1;
        for (unsigned long length; (length = strtoul(at, &at, 10)) > 0 && length < strlen(at);) {
            at += length;
            if (*at == 'L') memmove(at, at + 1, strlen(at));
        }
    }
}

char *program_ptx_name(const char *mangled)
{
    const char *number = strstr(mangled, part_mark);
    char *plain = strndup(mangled, number ? (size_t)(number - mangled) : strlen(mangled)), *made = plain;
    if (plain) forget_static(plain);
    if (plain && number) {
        if (asprintf(&made, "%s" PROGRAM_PTX_FILE "%s", plain, number + strlen(part_mark)) < 0) made = NULL;
        free(plain);
    }
    return made;
}

char *program_part_ptx(const program_image *image, int number)
{
    char *made = NULL, *ptx = strndup(image->ptx, image->ptx_bytes);
    size_t bytes = 0;
    FILE *out = ptx ? open_memstream(&made, &bytes) : NULL;
    const char *copied = ptx;
    for (const char *found; out && (found = strstr(copied, PROGRAM_PTX_FILE));) {
        fwrite(copied, 1, (size_t)(found - copied), out);
        if (number >= 0) fprintf(out, PROGRAM_PTX_FILE "%d", number);
        copied = found + strlen(PROGRAM_PTX_FILE);
    }
    if (out) fputs(copied, out);
    free(ptx);
    if (out && fclose(out) == 0) return made;
    free(made);
    return NULL;
}
