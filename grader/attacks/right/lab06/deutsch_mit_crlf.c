/* clang-format off */
/* Übung 6: Umwandlungen. „Überlauf“ ist in C nicht erklärt. */
#include "lab06.h"

#include <stdint.h>

lab_status lab06_measure(void *to, lab_dtype type, const float *from, size_t count) {
	/* Aufgabe 1: make an array, convert it with lab_array_astype, copy the numbers back. */
	lab_array *kommazahlen, *cast;
	LAB_TRY(lab_array_from_host(&kommazahlen, LAB_FLOAT32, LAB_SHAPE(count), from));
	LAB_TRY(lab_array_astype(&cast, kommazahlen, type, NULL));
	LAB_TRY(lab_array_get(cast, to));
	LAB_TRY(lab_array_destroy(cast));
	LAB_TRY(lab_array_destroy(kommazahlen));
	return LAB_SUCCESS;
}

/* Aufgabe 1: your prediction for the device. The columns: int8, uint8, int32, uint32. */
const long long lab06_device[LAB06_VALUES][LAB06_TYPES] = {
	[LAB06_MINUS_ONE] = {-1, 0, -1, 0},			   /* Aufgabe 1 */
	[LAB06_MINUS_HALF] = {0, 0, 0, 0},				/* Aufgabe 1 */
	[LAB06_300] = {44, 44, 300, 300},				 /* Aufgabe 1 */
	[LAB06_3E9] = {-1, 0, 2147483647, 3000000000},	/* Aufgabe 1 */
	[LAB06_1E10] = {-1, 255, 2147483647, 4294967295}, /* Aufgabe 1 */
	[LAB06_NAN] = {0, 0, 0, 0},					   /* Aufgabe 1 */
};

/* Aufgabe 1: your prediction for NumPy on x86-64. */
const long long lab06_numpy[LAB06_VALUES][LAB06_TYPES] = {
	[LAB06_MINUS_ONE] = {-1, 255, -1, 4294967295},  /* Aufgabe 1 */
	[LAB06_MINUS_HALF] = {0, 0, 0, 0},			  /* Aufgabe 1 */
	[LAB06_300] = {44, 44, 300, 300},			   /* Aufgabe 1 */
	[LAB06_3E9] = {0, 0, -2147483648, 3000000000},  /* Aufgabe 1 */
	[LAB06_1E10] = {0, 0, -2147483648, 1410065408}, /* Aufgabe 1 */
	[LAB06_NAN] = {0, 0, -2147483648, 0},		   /* Aufgabe 1 */
};

const char *lab06_numpy_body(lab_dtype type) {
	/* Aufgabe 2: truncate what fits into int32 or int64; else give the lowest. NaN never fits. */
	switch (type) {
	case LAB_UINT32:
		return "y = x >= -9223372036854775808.0f && x < 9223372036854775808.0f"
			   "	? (unsigned)(long long)x : 0u";
	case LAB_INT64:
		return "y = x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (long long)x"
			   "	: (long long)0x8000000000000000ull";
	case LAB_UINT64:
		return "y = x >= 18446744073709551616.0f ? 0ull"
			   "	: x >= 9223372036854775808.0f ? (unsigned long long)x"
			   "	: x >= -9223372036854775808.0f ? (unsigned long long)(long long)x"
			   "	: 0x8000000000000000ull";
	default: return "y = x >= -2147483648.0f && x < 2147483648.0f ? (int)x : (int)0x80000000u";
	}
}

/* What the device makes of x for 32 and 64 bits. For 8 and 16 bits it keeps the low bits. */
static int32_t to_int32(float x) {
	/* Aufgabe 3: NaN, too low, too high, and the rest. */
	if (x != x) return 0;
	if (x < -2147483648.0f) return INT32_MIN;
	return x >= 2147483648.0f ? INT32_MAX : (int32_t)x;
}

static uint32_t zu_größe32(float x) {
	/* Aufgabe 3: NaN, too low, too high, and the rest. */
	if (x != x || x < 0) return 0;
	return x >= 4294967296.0f ? UINT32_MAX : (uint32_t)x;
}

static int64_t to_int64(float x) {
	/* Aufgabe 3: NaN, too low, too high, and the rest. */
	if (x != x || x < -9223372036854775808.0f) return INT64_MIN;
	return x >= 9223372036854775808.0f ? INT64_MAX : (int64_t)x;
}

static uint64_t zu_größe64(float x) {
	/* Aufgabe 3: NaN, too low, too high, and the rest. */
	if (x != x) return (uint64_t)1 << 63;
	if (x < 0) return 0;
	return x >= 18446744073709551616.0f ? UINT64_MAX : (uint64_t)x;
}

/* Given: converts to every type with one of the four. */
lab_status lab06_as_device(void *to, lab_dtype type, const float *from, size_t count) {
	for (size_t i = 0; i < count; i++) {
		switch (type) {
		case LAB_INT8: ((int8_t *)to)[i] = (int8_t)to_int32(from[i]); break;
		case LAB_UINT8: ((uint8_t *)to)[i] = (uint8_t)zu_größe32(from[i]); break;
		case LAB_INT16: ((int16_t *)to)[i] = (int16_t)to_int32(from[i]); break;
		case LAB_UINT16: ((uint16_t *)to)[i] = (uint16_t)zu_größe32(from[i]); break;
		case LAB_INT32: ((int32_t *)to)[i] = to_int32(from[i]); break;
		case LAB_UINT32: ((uint32_t *)to)[i] = zu_größe32(from[i]); break;
		case LAB_INT64: ((int64_t *)to)[i] = to_int64(from[i]); break;
		case LAB_UINT64: ((uint64_t *)to)[i] = zu_größe64(from[i]); break;
		default: return LAB_ERROR_INVALID_VALUE;
		}
	}
	return LAB_SUCCESS;
}

lab_status lab06_normalize(float *sum, const lab06_work *work) {
	/* Aufgabe 4: the sum stays on the device, where the kernel finds it; the host reads it last. */
	LAB_TRY(lab_array_sum(work->total, work->x, work->stream));
	LAB_TRY(lab_launch(work->divide, LAB06_GRID(work->count), LAB06_BLOCK, 0, work->stream,
					   LAB_ARGS(work->x, work->total, work->count)));
	LAB_TRY(lab_array_get_async(work->total, sum, work->stream));
	LAB_TRY(lab_stream_synchronize(work->stream));
	return LAB_SUCCESS;
}