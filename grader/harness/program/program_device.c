/* The device that programs run on, for checks whose sizes depend on it. labcheck and labgrade pass on the reference's
 * answer; checks that run by hand ask the reference themselves. */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "sandbox/device.h"

static device_info ask_reference(void)
{
    grader_fault fault;
    device_info device;
    const char *reference = getenv("LAB_CHECK_REFERENCE");
    if (!reference) check_fault("LAB_CHECK_REFERENCE does not say which program to ask for the device");
    char **environment = environment_make(NULL);
    if (!environment) check_fault("not enough memory for an environment");
    bool answered = device_ask(&device, reference, (const char *const *)environment, &fault);
    environment_free(environment);
    if (!answered) check_fault("%s", fault.text);
    return device;
}

const check_device_info *check_device(void)
{
    device_info device;
    const char *known = getenv("LAB_CHECK_DEVICE");
    if (!known || !device_parse(&device, known)) device = ask_reference();
    check_device_info *info = check_alloc(sizeof *info);
    memcpy(info->kind, device.kind, sizeof info->kind);
    memcpy(info->name, device.name, sizeof info->name);
    info->multiprocessors = device.multiprocessors;
    info->devices = device.devices;
    return info;
}

bool check_is_on_cpu_device(void)
{
    device_info device;
    const char *known = getenv("LAB_CHECK_DEVICE");
    return known && device_parse(&device, known) && strcmp(device.kind, "cpu") == 0;
}

void check_use_cpu_device(void)
{
    setenv("LAB_DEVICE", "cpu", 1);
    const device_info device = ask_reference();
    char *told = device_format(&device);
    if (!told) check_fault("not enough memory for the name of the device");
    setenv("LAB_CHECK_DEVICE", told, 1);
    free(told);
}

static const char *owned_variable(const char *name)
{
    const char *value = getenv(name);
    return value ? check_text("%s", value) : NULL;
}

check_chosen_device check_chosen_device_now(void)
{
    return (check_chosen_device){owned_variable("LAB_DEVICE"), owned_variable("LAB_CHECK_DEVICE")};
}

static void set_variable(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

void check_choose_device(check_chosen_device device)
{
    set_variable("LAB_DEVICE", device.chosen);
    set_variable("LAB_CHECK_DEVICE", device.known);
}
