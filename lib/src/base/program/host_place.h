/* Names for instructions of the program that calls of the library do not name: what the host itself reads and writes.
 */
#ifndef LAB_BASE_HOST_PLACE_H
#define LAB_BASE_HOST_PLACE_H

/* "host+0x1234": the offset in the program of the instruction, for addr2line; "libx.so+0x1234" in a shared library.
 * The text lives as long as the process; "" if memory ran out. */
const char *host_place_name(const void *instruction);

#endif
