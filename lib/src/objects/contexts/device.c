/* Public functions of devices: the list, properties, waiting; and the beginning of records. */
#include "base/status.h"
#include "context_stack.h"
#include "record/submission.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

lab_status lab_device_count(int *count)
{
    if (!count) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_device_count: count is NULL");
    LAB_TRY(runtime_open());
    *count = runtime_devices();
    return LAB_SUCCESS;
}

lab_status lab_device_get_info(lab_device_info *info, int device)
{
    if (!info) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_device_get_info: info is NULL");
    LAB_TRY(runtime_check_device(device, "lab_device_get_info"));
    return runtime_backend()->device_info(info, device);
}

/* A place on the PCI bus. */
typedef struct pci_place {
    unsigned domain, bus, device, function;
} pci_place;

/* Reads hexadecimal digits, at least one and at most `most`. */
static bool read_digits(unsigned *number, const char **text, int most)
{
    const size_t digits = strspn(*text, "0123456789abcdefABCDEF");
    if (digits < 1 || digits > (size_t)most) return false;
    *number = (unsigned)strtoul(*text, NULL, 16);
    *text += digits;
    return true;
}

/* Reads "domain:bus:device.function", "domain:bus:device" or "bus:device.function". */
static bool read_place(pci_place *place, const char *text)
{
    unsigned number[3];
    int numbers = 0;
    *place = (pci_place){0};
    do {
        if (!read_digits(&number[numbers++], &text, 4)) return false;
    } while (numbers < 3 && *text == ':' && text++);
    if (numbers < 2) return false;
    if (numbers == 3) place->domain = number[0];
    place->bus = number[numbers - 2];
    place->device = number[numbers - 1];
    if (*text == '.' && (++text, !read_digits(&place->function, &text, 1))) return false;
    return !*text && place->bus <= 0xff && place->device <= 0xff;
}

lab_status lab_device_by_pci_bus_id(int *device, const char *pci_bus_id)
{
    pci_place wanted, place;
    lab_device_info info;
    if (!device || !pci_bus_id)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_device_by_pci_bus_id: %s is NULL",
                        device ? "pci_bus_id" : "device");
    if (!read_place(&wanted, pci_bus_id))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_device_by_pci_bus_id: '%.32s' is not a place such as \"0000:3b:00.0\"", pci_bus_id);
    LAB_TRY(runtime_open());
    for (int i = 0; i < runtime_devices(); i++) {
        LAB_TRY(runtime_backend()->device_info(&info, i));
        if (!read_place(&place, info.pci_bus_id) || memcmp(&place, &wanted, sizeof place) != 0) continue;
        *device = i;
        return LAB_SUCCESS;
    }
    return lab_fail(LAB_ERROR_INVALID_DEVICE, "lab_device_by_pci_bus_id: no device is at %s", pci_bus_id);
}

lab_status lab_device_can_access_peer(bool *can, int device, int peer)
{
    if (!can) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_device_can_access_peer: can is NULL");
    LAB_TRY(runtime_check_device(device, "lab_device_can_access_peer"));
    LAB_TRY(runtime_check_device(peer, "lab_device_can_access_peer"));
    *can = runtime_backend()->can_access_peer(device, peer);
    return LAB_SUCCESS;
}

lab_status lab_device_synchronize(void)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *current = NULL;
    LAB_TRY(context_hold_current(&current));
    record_entry *entry = record_begin(LAB_OP_DEVICE_SYNC, current->device);
    record_waits_for_context(entry, current->number);
    retire_keep(NULL); /* the context is held */
    lab_status status = runtime_backend()->context_synchronize(current->native);
    record_end(entry, status);
    return status;
}

lab_status lab_trace_begin(void)
{
    LAB_TRY(runtime_open());
    return record_start();
}

void lab_trace_mark(const char *name)
{
    RETIRE_SCOPE;
    if (runtime_open() != LAB_SUCCESS) return;
    const struct context *context = record_is_on() ? context_find_current() : NULL;
    const struct stream *stream = context ? stream_find_current(context) : NULL;
    record_entry *entry = record_begin(LAB_OP_MARK, context ? context->device : 0);
    record_name(entry, name ? name : "");
    record_object(entry, context ? context->number : 0);
    if (stream) record_on_stream(entry, &stream->identity, 0);
    record_bytes(entry, stream && stream_current_is_by_scope(context));
    record_end(entry, LAB_SUCCESS);
}

/* ---- ranges ---- */

static _Thread_local uint64_t open_ranges; /* of the calling thread */

static lab_status push_range(const char *name, uint32_t argb, const char *call)
{
    LAB_TRY(runtime_check());
    if (!name) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the name is NULL", call);
    record_entry *entry = record_begin(LAB_OP_RANGE_PUSH, 0);
    record_name(entry, name);
    record_object(entry, argb);
    record_end(entry, LAB_SUCCESS);
    open_ranges++;
    return LAB_SUCCESS;
}

lab_status lab_range_push(const char *name) { return push_range(name, 0, "lab_range_push"); }

lab_status lab_range_push_color(const char *name, uint32_t argb)
{
    return push_range(name, argb, "lab_range_push_color");
}

lab_status lab_range_pop(void)
{
    LAB_TRY(runtime_check());
    if (!open_ranges)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE,
                        "lab_range_pop: this thread has no open range; each pop ends what a push of the same thread "
                        "began");
    record_end(record_begin(LAB_OP_RANGE_POP, 0), LAB_SUCCESS);
    open_ranges--;
    return LAB_SUCCESS;
}
