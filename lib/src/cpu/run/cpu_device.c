/* The devices share the machine: its cores, and half of its memory. */
#include "cpu_device.h"

#include "cpu/apart/apart.h"
#include "cpu/engine/capacity.h"
#include "cpu/engine/engine.h"
#include "cpu/engine/schedule_setting.h"
#include "cpu/engine/serial_runner.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As on a current GPU. */
enum { MAX_BLOCK_THREADS = 1024, SHARED_BYTES = 48 * 1024, MOST_MULTIPROCESSORS = 1024 };

static int device_count;
static int multiprocessors[CPU_MOST_DEVICES];
static size_t device_memory; /* bytes of each */
static int priorities = CPU_PRIORITIES;

/* The number in the environment, from 1 to `most`; `absent` if the variable is not set. */
static lab_status read_number(int *number, const char *variable, int most, int absent)
{
    const char *wish = getenv(variable);
    *number = absent;
    if (!wish || !*wish) return LAB_SUCCESS;
    char *end;
    errno = 0;
    long read = strtol(wish, &end, 10);
    if (errno || *end || read < 1 || read > most)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s=%s is not a number from 1 to %d", variable, wish, most);
    *number = (int)read;
    return LAB_SUCCESS;
}

/* Each device has an even share of the cores, the first ones the cores left over, and at least one core. */
lab_status cpu_device_open(int *devices)
{
    int cores = cpu_usable_cores(), asked_for;
    LAB_TRY(cpu_schedule_open());
    LAB_TRY(read_number(&device_count, "LAB_CPU_DEVICES", CPU_MOST_DEVICES, 1));
    LAB_TRY(read_number(&asked_for, "LAB_CPU_MULTIPROCESSORS", MOST_MULTIPROCESSORS, 0));
    LAB_TRY(read_number(&priorities, "LAB_CPU_PRIORITIES", CPU_PRIORITIES, CPU_PRIORITIES));
    for (int i = 0; i < device_count; i++) {
        int share = cores / device_count + (i < cores % device_count ? 1 : 0);
        multiprocessors[i] = asked_for ? asked_for : share > 0 ? share : 1;
    }
    device_memory = cpu_usable_memory() / 2 / (size_t)device_count;
    *devices = device_count;
    int threads = 1; /* that of a schedule */
    for (int i = 0; i < device_count; i++) threads += multiprocessors[i];
    apart_prepare(device_memory * (uint64_t)device_count, threads);
    return LAB_SUCCESS;
}

int cpu_device_priorities(void) { return priorities; }

size_t cpu_device_memory(void) { return device_memory; }

lab_status cpu_device_start(int device)
{
    LAB_TRY(cpu_engine_start(device, multiprocessors[device]));
    return cpu_schedule_is_on() ? cpu_serial_runner_start() : LAB_SUCCESS;
}

/* "AMD EPYC 9355 (2 cores)" */
static void name_device(char *name, size_t bytes, int cores)
{
    char line[512], model[100] = "CPU";
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(model, sizeof model, "%.*s", (int)sizeof model - 1, value);
        break;
    }
    if (file) fclose(file);
    snprintf(name, bytes, "%s (%d core%s)", model, cores, cores == 1 ? "" : "s");
}

/* The machine since it was started, and the number of the device. Where the machine does not say, only the number. */
static void identify_device(unsigned char uuid[16], int device)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    for (int i = 0; file && i < 16; i++) {
        unsigned byte = 0;
        if (fscanf(file, "%2x%*[-]", &byte) < 1) break;
        uuid[i] = (unsigned char)byte;
    }
    if (file) fclose(file);
    uuid[15] ^= (unsigned char)(device + 1);
}

lab_status cpu_device_info(lab_device_info *info, int device)
{
    *info = (lab_device_info){
        .kind = "cpu",
        .multiprocessors = multiprocessors[device],
        .copy_engines = 2,
        .max_block_threads = MAX_BLOCK_THREADS,
        .max_shared_bytes = SHARED_BYTES,
        .total_memory = cpu_device_memory(),
    };
    name_device(info->name, sizeof info->name, multiprocessors[device]);
    identify_device(info->uuid, device);
    snprintf(info->pci_bus_id, sizeof info->pci_bus_id, "0000:%02x:00.0", (unsigned)device & 0xff);
    return LAB_SUCCESS;
}

bool cpu_device_can_access_peer(int device, int peer) { return device != peer; }
