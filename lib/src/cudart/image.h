/* Images of modules: what nvrtcGetPTX gives and cuModuleLoadData reads. An image is a text: a first line, and the
 * source with its definitions and headers. */
#ifndef LAB_CUDART_IMAGE_H
#define LAB_CUDART_IMAGE_H

#define IMAGE_FIRST_LINE "// An image of lab's nvrtc, version 1: "

#endif
