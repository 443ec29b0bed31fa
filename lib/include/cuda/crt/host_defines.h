/* The words of CUDA C++. */
#include "../host_defines.h"
