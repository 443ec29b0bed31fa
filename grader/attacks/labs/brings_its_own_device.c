/* Tries to bring a device process of its own: it starts labserver itself, and one that it trusts.
 * Gains a record that the attacker takes and writes, and a device that the check does not see. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void choose(void)
{
    unsetenv("LAB_DEVICE_SOCKET");
    setenv("LAB_SERVER", "../../build/bin/labserver", 0);
    setenv("LAB_TRACE", "record.json", 1);
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    return honest(arguments);
}
