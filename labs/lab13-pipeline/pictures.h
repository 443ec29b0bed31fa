/* Pictures that are drawn by a number, and PNG files of them, for checks, program and page of lab 13. Each picture is
 * grey, with a byte for each pixel. */
#ifndef LAB13_PICTURES_H
#define LAB13_PICTURES_H

#include <png.h>
#include <stdbool.h>
#include <stdint.h>

/* A number for each of a picture's choices (splitmix64). */
static inline uint64_t picture_number(uint64_t seed, uint64_t choice)
{
    uint64_t mixed = seed + (choice + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* From 0 up to but not including `end`. */
static inline int picture_choice(uint64_t seed, uint64_t choice, int end)
{
    return (int)(picture_number(seed, choice) % (uint64_t)end);
}

/* Draws discs and striped boxes on a slope, with some noise: edges of all strengths. */
static inline void picture_draw(unsigned char *pixels, int width, int height, uint64_t seed)
{
    enum { SHAPES = 9, CHOICES = 8, NOISE = 7, NOISES = 1000 };
    const int dx = picture_choice(seed, 900, 90), dy = picture_choice(seed, 901, 90);
    for (int i = 0; i < width * height; i++)
        pixels[i] = (unsigned char)(40 + dx * (i % width) / width + dy * (i / width) / height);
    for (uint64_t shape = 0; shape < SHAPES; shape++) {
        int of[CHOICES];
        for (uint64_t c = 0; c < CHOICES; c++) of[c] = picture_choice(seed, shape * CHOICES + c, 1 << 20);
        const int x = of[0] % width, y = of[1] % height, size = 2 + of[2] % (height / 4 + 1), grey = of[3] % 200;
        const int stripe = 3 + of[4] % 12;
        for (int row = y > size ? y - size : 0; row <= y + size && row < height; row++)
            for (int column = x > size ? x - size : 0; column <= x + size && column < width; column++) {
                const int right = column - x, below = row - y;
                const bool disc = right * right + below * below <= size * size;
                const bool band = (right + size + below + size) / stripe % 2;
                if (shape % 3 ? disc : band) pixels[row * width + column] = (unsigned char)(grey + shape * 5);
            }
    }
    for (int i = 0; i < width * height; i++)
        pixels[i] = (unsigned char)(pixels[i] + picture_choice(seed, NOISES + (uint64_t)i, NOISE));
}

/* Writes a PNG file to memory that has room for *bytes; the file's size is left there. */
static inline bool picture_write_png(void *png, size_t *bytes, const unsigned char *pixels, int width, int height)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_GRAY,
                       .flags = PNG_IMAGE_FLAG_FAST};
    return png_image_write_to_memory(&image, png, bytes, 0, pixels, 0, NULL) != 0;
}

/* Reads a PNG file of that size from memory. */
static inline bool picture_read_png(unsigned char *pixels, int width, int height, const void *png, size_t bytes)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, png, bytes)) return false;
    image.format = PNG_FORMAT_GRAY;
    if (image.width == (png_uint_32)width && image.height == (png_uint_32)height)
        return png_image_finish_read(&image, NULL, pixels, 0, NULL) != 0;
    png_image_free(&image);
    return false;
}

#endif
