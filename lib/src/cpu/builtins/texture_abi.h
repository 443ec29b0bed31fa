/*
 * A texture or surface object as a kernel sees it: its handle is the address of one of these. The library compiles this
 * file as C. It is also a part of a CUDA program's built-ins, as C++, so it uses built-in types only.
 */
#ifndef LAB_CPU_BUILTINS_TEXTURE_ABI_H
#define LAB_CPU_BUILTINS_TEXTURE_ABI_H

/* Numbers are CUDA's: cudaTextureAddressMode, cudaChannelFormatKind. */
enum { CPU_ADDRESS_WRAP, CPU_ADDRESS_CLAMP, CPU_ADDRESS_MIRROR, CPU_ADDRESS_BORDER };
enum { CPU_TEXEL_SIGNED, CPU_TEXEL_UNSIGNED, CPU_TEXEL_FLOAT };

typedef struct cpu_texture {
    unsigned long address;
    unsigned long stride[3];  /* bytes from a texel to the next, from a row, and from a layer */
    int extent[3];            /* texels, rows, layers; 1 where there is no such axis */
    int channels, bits, kind; /* of a texel: 1 to 4 channels of 8, 16 or 32 bits */
    int mode[3];              /* what a coordinate outside means */
    int is_normalized;        /* coordinates run from 0 to 1 */
    int is_linear;            /* a fetch is a weighted sum of neighbours */
    int gives_float;          /* integers become numbers from 0 or -1 to 1 */
    unsigned border[4];       /* the texel outside: as texels are, or the bits of floats */
} cpu_texture;

#endif
