/*
 * What a program that labcc compiled registers before main: its images (seam/program/program_image.h), and for each
 * kernel and variable the address by which its host code knows it. A device loads an image when the program first uses
 * one of its kernels or variables there.
 */
#ifndef LAB_CUDART_REGISTER_H
#define LAB_CUDART_REGISTER_H

#include "lab.h"

/* The kernel that a host function stands for, on the current device. LAB_ERROR_NOT_FOUND if it was not registered. */
lab_status cudart_function(lab_function *function, const void *host_function);

/* The device variable that a host variable stands for, on the current device. LAB_ERROR_NOT_FOUND if it was not
 * registered. */
lab_status cudart_symbol(lab_deviceptr *address, size_t *bytes, const void *host_variable);

/* A launch by <<<>>> calls cudaLaunchKernel, which begins with this. Begins a call at the place of the <<<>>>, which
 * lab_cuda_there ends. False if the kernel is launched in another way: the call has its own place. */
bool cudart_launch_begins(void);

#endif
