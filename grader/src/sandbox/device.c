/* Asking the reference program for its device; see device.h. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/subprocess.h"
#include "base/text.h"

bool device_parse(device_info *out, const char *text)
{
    char name[sizeof out->name];
    *out = (device_info){0};
    if (sscanf(text, "%7[a-z]\n%127[^\n]\n%d\n%d\n%2111[0-9a-f,]", out->kind, name, &out->multiprocessors,
               &out->devices, out->uuids) < 4)
        return false;
    lab_text_clean(out->name, sizeof out->name, name, strlen(name));
    return true;
}

char *device_format(const device_info *device)
{
    return text_make("%s\n%s\n%d\n%d\n", device->kind, device->name, device->multiprocessors, device->devices);
}

bool device_ask(device_info *out, const char *reference, const char *const *environment, grader_fault *fault)
{
    enum { SECONDS = 30, OUTPUT_BYTES = 65536 };
    const char *const arguments[] = {reference, "--device", NULL};
    subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = OUTPUT_BYTES};
    options.separate_errors = true;
    subprocess_result result;
    FAULT_TRY(subprocess_run(&result, &options, SECONDS, fault));
    bool known =
        result.event == SUBPROCESS_EXITED && result.exit.status == 0 && device_parse(out, result.output) && *out->uuids;
    if (!known) {
        char *said = text_clean_line(result.errors, result.error_bytes);
        fault_set(fault, "no device to run on: %s", said && *said ? said : "the reference program does not say which");
        free(said);
    }
    subprocess_result_free(&result);
    return known;
}
