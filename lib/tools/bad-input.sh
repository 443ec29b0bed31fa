#!/usr/bin/env bash
# Checks that the tests of bad input call every function of lab.h. The parameters of a function decide where:
#   bad_input_null_test.c            with NULL, if it has a place for a result
#   bad_input_freed_test.c           if it takes a handle or a device address
#   bad_input_size_test.c            if it takes a size, a shape or extents, or the number of a device
#   bad_input_capture_test.c         if it takes a stream
#   bad_input_host_function_test.c   if it returns a status and does not depend on its arguments alone
# Each function is called in one of them at least. Prints the missing calls, and fails if there are any.
set -u
cd "$(dirname "$0")/../.." || exit 1

! lib/tools/public-functions.sh --parameters | awk '
    # Notes which functions a file calls, and which of those calls have NULL among the arguments.
    function read(file, line, rest, name, call) {
        while ((getline line < file) > 0) {
            if (line ~ /^ *\/?\*/) continue
            rest = pending line
            pending = rest ~ /;[^;]*$/ || rest ~ /\)$/ ? "" : rest
            while (match(rest, /lab_[a-z0-9_]+\(/)) {
                name = substr(rest, RSTART, RLENGTH - 1)
                rest = substr(rest, RSTART + RLENGTH)
                called[file, name]
                any[name]
                call = rest
                sub(/lab_[a-z0-9_]+\(.*/, "", call)
                if (call ~ /(^|[ ,(])NULL/) with_null[file, name]
            }
        }
        close(file)
    }
    function need(condition, file, what) {
        if (condition && !((folder file) SUBSEP name in called)) print name ": " what ", but " folder file " does not call it"
    }
    BEGIN {
        folder = "lib/tests/conformance/bad_input_"
        read(folder "test.c"); read(folder "null_test.c"); read(folder "freed_test.c")
        read(folder "size_test.c"); read(folder "capture_test.c"); read(folder "context_test.c")
        read(folder "host_function_test.c")
        kinds = "context|stream|event|mempool|pinned_mempool|array|module|elementwise|reduction|expression|graph|graph_exec"
    }
    {
        status = $1 == "lab_status"
        name = $2
        sub(/^[^ ]+ /, "")
        gsub(/\([^()]*\)\([^()]*\)/, " function") # a callback and its parameters
        result = handle = size = stream = 0
        count = split(substr($0, length(name) + 2), parameter, /[,)] ?/)
        for (i = 1; i <= count; i++) {
            p = parameter[i]
            is_handle = p ~ "^(const )?lab_(" kinds ") \\*[a-z_]+$"
            if (is_handle || p ~ /^lab_(function|deviceptr) [a-z_]+$/) handle = 1
            else if (p ~ /^(const lab_graph_[a-z]+|lab_[a-z_]+|void) \*\*[a-z]+$/ || p ~ /^(lab_[a-z_]+|int|size_t|float|bool|unsigned|uint64_t) \*[a-z_]+$/) result = 1
            if (p ~ /^lab_stream \*[a-z_]+$/) stream = 1
            if (p ~ /^(size_t|lab_shape|lab_dim) [a-z_]+$/ || p ~ /^int [a-z_]*(device|peer)$/) size = 1
        }
        if (name ~ /_scope_leave$/) result = 0 # its pointer is the result of _enter
        if (!(name in any)) print name ": no test of bad input calls it"
        need(result, "null_test.c", "has a place for a result")
        if (result && ((folder "null_test.c") SUBSEP name in called) && !((folder "null_test.c") SUBSEP name in with_null))
            print name ": has a place for a result, but " folder "null_test.c does not give it NULL"
        need(handle, "freed_test.c", "takes a handle or an address")
        need(size, "size_test.c", "takes a size or a number of a device")
        need(stream, "capture_test.c", "takes a stream")
        need(status && name !~ /^lab_(dtype_parse|cast_as_.*|here_ends)$/, "host_function_test.c", "returns a status")
    }' | grep .
