/* For programs that include it, but share nothing with OpenGL: its calls are errors when they are compiled. */
#include "cuda_runtime_api.h"
