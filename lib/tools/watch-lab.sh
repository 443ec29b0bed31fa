#!/usr/bin/env bash
# Runs a lab's checks whenever its files change: watch-lab.sh LAB FOLDER [FILE]. MAKE is the make to run, in the shell's words.
# It reads the files twice a second, which works on any file system. A file saved while the checks run restarts them.
# Ctrl-C ends the script and the checks.
set -u
cd "$(dirname "$0")/../.." || exit 1

lab=$1
folder=$2
file=${3:-$folder/$lab.c} # the student's
run=''  # the process group of the checks while they run
news='' # what to say when the screen is clear
exec 5>&1
# The signal may come before begin_run has noted what it started. make hears of Ctrl-C too, and says "wait: No child
# processes" if its child ends before it has begun to handle the signal.
trap 'run=${run:-${!:-}}; end_run; sleep 0.2; echo; exit 0' INT TERM HUP

contents() { cat "$file" "$folder"/*.cu "$folder"/*.h 2>/dev/null | cksum; }

# All processes of the group hold the other end of descriptor 3 and write nothing: a read ends with the last process.
begin_run() {
    exec 3< <(eval "exec setsid ${MAKE:-make} --no-print-directory $lab" 4>&1 >&5 5>&- 3<&- </dev/null)
    run=$!
}

# run_ends_within SECONDS: waits for the end of the run; false if it still runs.
run_ends_within() {
    read -r -t "$1" -u 3
    [ $? -le 128 ] || return 1
    run=''
}

# Ends the run with all its processes, and gives them time to tidy up.
end_run() {
    [ "$run" ] || return 0
    kill -TERM "$run" "-$run" 2>/dev/null
    run_ends_within 10 || kill -KILL "-$run" 2>/dev/null
    run=''
}

while true; do
    seen=$(contents)
    [ ! -t 1 ] || clear
    [ ! "$news" ] || echo "$news"
    news=''
    begin_run
    until run_ends_within 0.5 || [ "$(contents)" != "$seen" ]; do :; done
    if [ "$run" ]; then
        end_run
        news="${file##*/} was saved meanwhile: the checks begin again."
        continue
    fi
    echo "Watching $file ($(date +%H:%M:%S)):"
    echo "save it to run again, Ctrl-C to stop."
    while [ "$(contents)" = "$seen" ]; do sleep 0.5; done
done
