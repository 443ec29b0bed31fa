/* On the CPU device, a kernel's arguments survive the creation of its thread-local variables at a thread's first
 * launch from a module. The C library fills the variables through vector registers that the kernel's compiler
 * believes untouched. With M_PERTURB it fills them with a pattern, so that a lost argument shows. */
#include "lab.h"
#include "test.h"

#include <malloc.h>
#include <stdio.h>

Test(thread_storage, its_creation_leaves_the_arguments_alone)
{
    lab_array *out;
    LAB_CHECK(lab_array_empty(&out, LAB_FLOAT32, LAB_SHAPE(4)));
    mallopt(M_PERTURB, 0x41);
    for (int i = 0; i < 12; i++) {
        char source[256];
        lab_module *module;
        lab_function function;
        float host[4];
        snprintf(source, sizeof source,
                 "extern \"C\" __global__ void store_%d(float v, float *out) { out[threadIdx.x] = v; }", i % 3);
        LAB_CHECK(lab_module_load_source(&module, source, NULL));
        snprintf(source, sizeof source, "store_%d", i % 3);
        LAB_CHECK(lab_module_get_function(&function, module, source));
        LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(4), 0, NULL, LAB_ARGS(3.5f + (float)i, out)));
        LAB_CHECK(lab_array_get(out, host));
        for (int k = 0; k < 4; k++) cr_assert_eq(host[k], 3.5f + (float)i, "module %d, element %d: %g", i, k, host[k]);
    }
}
