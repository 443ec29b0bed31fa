/*
 * The example 00-first-kernel with another file for its kernel. Without a guard it fails under LAB_MEMCHECK=1.
 *
 *     FILE
 */
#include "slide.h"

int first_kernel(int count, char **argument);
#define main first_kernel
#include "lib/examples/00-first-kernel.c"
#undef main

int main(int argc, char **argv)
{
    slide_open(argc, argv, 1);
    return first_kernel(2, argv + 1);
}
