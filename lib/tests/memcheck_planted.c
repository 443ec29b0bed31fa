/* The kernel of this test writes behind its memory, and the test passes all the same: `make test-memcheck` runs it
 * to see that compute-sanitizer finds such an access. */
#include "lab.h"
#include "test.h"

enum { COUNT = 64 };

Test(planted, writes_behind_its_memory)
{
    static const char source[] = "extern \"C\" __global__ void planted(float *x, int at) { x[at] = 1; }\n";
    lab_module *module;
    lab_function planted;
    lab_deviceptr memory;
    LAB_CHECK(lab_module_load_source(&module, source, "planted.cu"));
    LAB_CHECK(lab_module_get_function(&planted, module, "planted"));
    LAB_CHECK(lab_mem_alloc(&memory, COUNT * sizeof(float)));
    LAB_CHECK(lab_launch(planted, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(memory, (int)COUNT)));
    lab_stream_synchronize(NULL); /* fails under the sanitizer, which ends the kernel */
}
