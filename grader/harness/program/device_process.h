/*
 * device_process.h: the device process of a program, for the files that start the program and ask what it did.
 *
 * It holds the runtime library whole: devices, pools, the order checker, the record. It is trusted, and runs with a
 * channel to the program (lib/docs/wire.md) and one to the check (wire/control.h).
 */
#ifndef GRADER_HARNESS_DEVICE_PROCESS_H
#define GRADER_HARNESS_DEVICE_PROCESS_H

#include "program/program.h"
#include "wire/control.h"

/* Makes two sockets that are connected, for messages to a process and from it. Both are the caller's. */
void device_process_sockets(int pair[2]);

/* Starts the program's device process, whose private memory is limited to so many bytes; 0 for no limit. Returns the
 * descriptor by which the program will call it. */
int device_process_start(check_program *program, uint64_t data_limit);

/* Sends a request and waits for the answer, which stays valid until the next one. `file` gets the file that comes with
 * it, -1 for none; NULL if none is expected. The device process runs from then on. Anything but an answer ends the
 * check. */
const control_message *device_process_ask(check_program *program, const control_message *request, int *file,
                                          const char *step);

/* Sends a request that has no other content than its kind and status. */
const control_message *device_process_tell(check_program *program, control_kind kind, int32_t status, const char *step);

/* From now on the device's own time is known (program.h). */
void device_process_watch_time(check_program *program);

/* Begins a new record. */
void device_process_begin_record(check_program *program);

/* Ends the check because the device process has ended. */
_Noreturn void device_process_fail_lost(check_program *program, const char *step);

/* Stops the device process until it is asked, or told to go on. */
void device_process_pause(check_program *program);
void device_process_continue(check_program *program);

/* Ends the device process, after its program. */
bool device_process_end(check_program *program, grader_fault *fault);

#endif
