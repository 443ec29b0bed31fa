/* Tries to call what the program around it has for later tasks. Gains task 1 from a program that holds its solution. */
#include "parts/symbols.h"

lab_status lab11_make(lab_array **out, int device, int count)
{
    lab_status (*found)(lab_array **, int, int) = symbol("make_rightly");
    return found ? found(out, device, count) : LAB_ERROR_NOT_FOUND;
}

lab_status lab11_advance(const lab11_work *work, lab_array *to, lab_array *from)
{
    lab_status (*found)(const lab11_work *, lab_array *, lab_array *) = symbol("advance_rightly");
    return found ? found(work, to, from) : LAB_ERROR_NOT_FOUND;
}
