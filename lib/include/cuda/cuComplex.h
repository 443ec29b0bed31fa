/* Complex numbers: cuFloatComplex and cuDoubleComplex, for host and kernels, in C and C++. */
#ifndef CU_COMPLEX_H_ /* by which programs see that the header is there */
#define CU_COMPLEX_H_

#include "vector_functions.h"

#include <math.h>

#include "lab_complex.h"

#endif
