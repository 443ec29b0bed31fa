/* Tries to define functions of the library, so that the calls of the program around it go to the attack: what they copy
 * back for the check, and the marks that they leave in the record. */
#include <string.h>

static const void *answer;
static size_t answer_bytes;

lab_status(lab_array_get)(const lab_array *array, void *host)
{
    (void)array;
    memcpy(host, answer, answer_bytes);
    return LAB_SUCCESS;
}

lab_status(lab_device_synchronize)(void) { return LAB_SUCCESS; }

void lab_trace_mark(const char *name);
void lab_trace_mark(const char *name) { (void)name; }

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)honest, (void)arguments, (void)bytes, (void)out;
    answer = in;
    answer_bytes = (size_t)count * sizeof *in;
    return LAB_SUCCESS;
}
