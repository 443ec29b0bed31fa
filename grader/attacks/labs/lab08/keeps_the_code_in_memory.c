/* Tries to keep the code in the program instead of on the disk. Gains task 3. */
#include <string.h>

lab_status lab08_load(lab_module **module, const lab08_request *request)
{
    static char code[LAB08_CODE_BYTES], source[LAB08_CODE_BYTES];
    if (strcmp(source, request->source) != 0) {
        LAB_TRY(lab08_compile(code, request));
        strncpy(source, request->source, sizeof source - 1);
    }
    return lab_module_load_source(module, code, request->label);
}
