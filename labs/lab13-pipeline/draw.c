/* Draws a folder of pictures: draw FOLDER SEED writes FOLDER/01.png and so on, the same ones for the same seed. */
#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>

enum { PICTURES = 12, WIDTH = 480, HEIGHT = 320 };

static int draw(const char *folder, int number, uint64_t seed)
{
    static unsigned char pixels[WIDTH * HEIGHT];
    char path[4096];
    png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_GRAY};
    picture_draw(pixels, WIDTH, HEIGHT, picture_number(seed, (uint64_t)number));
    snprintf(path, sizeof path, "%s/%02d.png", folder, number);
    if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) return 0;
    fprintf(stderr, "%s could not be written: %s\n", path, image.message);
    return 1;
}

int main(int arguments, char **argument)
{
    if (arguments != 3) {
        fprintf(stderr, "draw FOLDER SEED\n");
        return 1;
    }
    for (int number = 1; number <= PICTURES; number++)
        if (draw(argument[1], number, strtoull(argument[2], NULL, 0))) return 1;
    return 0;
}
