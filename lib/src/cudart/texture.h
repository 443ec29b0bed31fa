/* Texture and surface objects. */
#ifndef LAB_CUDART_TEXTURE_H
#define LAB_CUDART_TEXTURE_H

#include "cudart.h"

/* Declares for the next launch what is behind the textures among its arguments: the order checker judges the launch as
 * one that reads it. */
void cudart_textures_declare(const lab_raw_args *raw);

/* The device was reset: its objects are gone. */
void cudart_textures_forget(int device);

#endif
