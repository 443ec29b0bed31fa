/* Feeds arbitrary bytes to the reader of figures, and draws each figure that it accepts: a drawing or a message. */
#include "trace/drawing/figure.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lab_figure *figure = NULL;
    char *svg = NULL;
    if (lab_figure_load_bytes(&figure, (const char *)bytes, size, "input") != LAB_SUCCESS) {
        if (figure || *lab_error_message() == '\0') abort();
        return 0;
    }
    if (lab_figure_svg(&svg, figure) != LAB_SUCCESS && *lab_error_message() == '\0') abort();
    free(svg);
    lab_figure_free(figure);
    return 0;
}
