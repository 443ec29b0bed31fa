/* Version 3 of NVTX has its headers in a folder. */
#include "../nvToolsExtCuda.h"
