#include "image.h"

#include "seam/program/program_image.h"

#include <stdlib.h>
#include <string.h>

char *image_copy(const char *text)
{
    const size_t bytes = program_image_bytes(text);
    char *copy = bytes ? strndup(text, bytes) : NULL;
    if (!copy || strlen(copy) == bytes) return copy;
    free(copy);
    return NULL;
}

char *image_copy_with_places(const char *text, const char *places)
{
    program_image image;
    char *copy = image_copy(text), *made = NULL;
    size_t bytes = 0;
    FILE *out = copy && program_image_read(&image, copy) ? open_memstream(&made, &bytes) : NULL;
    if (out) {
        image.places = places;
        image.places_bytes = strlen(places);
        program_image_write(out, &image);
        if (fclose(out) != 0) free(made), made = NULL;
    }
    free(copy);
    return made;
}

char *image_kernel_name(const char *text, const char *mangled)
{
    program_image image;
    program_kernel kernel;
    if (!program_image_read(&image, text)) return NULL;
    for (const char *at = image.cpu; program_image_next_kernel(&kernel, &at);)
        if (strlen(mangled) == (size_t)kernel.mangled_length &&
            memcmp(mangled, kernel.mangled, (size_t)kernel.mangled_length) == 0)
            return strndup(kernel.name, (size_t)kernel.name_length);
    return NULL;
}
