/* clang-format off */
/* A right answer: no braces, brackets or signs that a keyboard of 1990 might lack. What next ??/
   is a line that goes on. The words asm, #line and ??=include stand in this comment only. */
%:include "lab01.h"
??=define PAIRS 2
%:define TRY(x) LAB_TRY(x)
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room,
                              lab_stream *stream)
<%
        TRY(lab_array_set_async(room->numbers, input, stream));
    TRY(lab_array_sum(room->total, room->numbers, stream));
    TRY(lab_array_get_async(room->total, sum, stream));
    return LAB_SUCCESS;
%>

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
<%
        lab_stream *stream;
    TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    TRY(enqueue_sum(sum, input, room, stream));
    TRY(lab_stream_synchronize(stream));
    TRY(lab_stream_destroy(stream));
    return LAB_SUCCESS;
%>

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
<%
        LAB_WITH_STREAM(first)
    <%
        TRY(step.call(step.user, 1));
        LAB_WITH_STREAM(second) <% TRY(step.call(step.user, 2)); %>
        TRY(step.call(step.user, 3));
    %>
    return LAB_SUCCESS;
%>

lab_status lab01_use(lab_stream *stream, lab01_step step)
<%
        lab_stream *before = lab_stream_current();
    TRY(lab_stream_use(stream));
    lab_status status = step.call(step.user, 1);
    TRY(lab_stream_use(before));
    return status;
%>

lab_status lab01_two_sums(float sum??(PAIRS??), const float *const input??(PAIRS??), const lab01_room room??(PAIRS??))
<%
        lab_stream *stream??(PAIRS??);
    for (int k = 0; k < 2; k++) TRY(lab_stream_create(&stream<:k:>, LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < 2; k++) TRY(enqueue_sum(&sum<:k:>, input<:k:>, &room<:k:>, stream<:k:>));
    for (int k = 0; k < 2; k++) TRY(lab_stream_synchronize(stream<:k:>));
    for (int k = 0; k < 2; k++) TRY(lab_stream_destroy(stream<:k:>));
    return LAB_SUCCESS;
%>

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
<%
        TRY(lab_array_fill(first, LAB_ARG(1.0f), earlier));
    TRY(lab_array_fill(second, LAB_ARG(2.0f), later));
    return LAB_SUCCESS;
%>

const bool lab01_waits<:LAB01_STREAMS:><:LAB01_STREAMS:> = <%
    <:LAB01_NULL:> = <%true, true, true, false%>,                <:LAB01_BLOCKING:> = <%true, true, false, false%>,           <:LAB01_OTHER_BLOCKING:> = <%true, false, true, false%>,     <:LAB01_NON_BLOCKING:> = <%false, false, false, true%>,  %>;
