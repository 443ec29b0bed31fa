/* Tries to call what the program around it has for later tasks. Gains task 1 from a program that holds its solution. */
#include "parts/symbols.h"

lab_status lab10_record(lab_graph **out, const lab10_work *work)
{
    lab_status (*found)(lab_graph **) = symbol("capture");
    (void)work;
    return found ? found(out) : LAB_ERROR_NOT_FOUND;
}
