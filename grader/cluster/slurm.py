#!/usr/bin/env python3
"""Grades a plan (OUT/+plan) on a cluster with Slurm: writes the batch script, submits it, follows it, has the results
merged, and submits again what nodes lost. Slurm decides what runs where and when; labgrade grades and merges. What is
here may be killed at any moment: `labgrade resume --out OUT` starts it again."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ARRAY_SIZE = 100     # tasks, unless the command line says so
FRUITLESS_ROUNDS = 3  # arrays in a row without one more result, after which the rest is given up
BUSY_SHARE = 20      # a step that took a second is done again after so many
LATE_SECONDS = 90    # how long a file system may take to show a result that a node has written
NEW_STATE = {"parts": 0, "job": "", "fruitless": 0, "left": None, "exclude": []}
LEFT = 3             # labgrade's exit status when submissions have no result

SCRIPT = """\
#!/bin/bash
# Written by labgrade: grades the plan in {out}.
# Each task of the array grades one part of the submissions, and may be run again at any time.
# Change what your cluster needs (accounts, modules, limits), then:
#     labgrade resume --out {out}
# submits it and follows it. Keep the number of parts in the last line, and submit nothing else by hand.
#SBATCH --job-name=labgrade
#SBATCH --array=1-{parts}
#SBATCH --nodes=1 --ntasks=1 --cpus-per-task={cores}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={log}/%A_%a.txt
{options}
{exports}exec {labgrade} work {places} --jobs {jobs} --part "$SLURM_ARRAY_TASK_ID/{parts}"{gpus}
"""


class Trouble(Exception):
    """A sentence for the person who grades."""


def call(arguments, **more):
    try:
        return subprocess.run(arguments, capture_output=True, text=True, check=False, **more)
    except FileNotFoundError as missing:
        raise Trouble(f"{arguments[0]} is not in PATH: is this a machine that submits to Slurm?") from missing


def say(text):
    print(f"labgrade: {text}", flush=True)


class Plan:
    """OUT/+plan, as labgrade sees it."""

    def __init__(self, options):
        self.options = options
        self.out = Path(options.out).absolute()
        self.folder = self.out / "+plan"
        self.script = self.folder / "grade.sbatch"
        self.log = self.out / "+slurm"
        self.state_file = self.log / "state.json"
        self.labgrade = str(Path(options.build).absolute() / "bin/labgrade")
        self.places = ["--root", str(Path(options.root).absolute()), "--build", str(Path(options.build).absolute())]

    def count(self):
        return len(json.loads((self.folder / "jobs.json").read_text(encoding="utf-8")))

    def read_state(self):
        if not self.state_file.exists():
            return NEW_STATE | {}
        return json.loads(self.state_file.read_text(encoding="utf-8"))

    def write_state(self, state):
        new = self.state_file.with_suffix(".new")
        new.write_text(json.dumps(state), encoding="utf-8")
        new.replace(self.state_file)

    def merge(self, *more):
        """Takes the results in. Returns how many submissions wait for one."""
        merged = call([self.labgrade, "merge", str(self.out), *more, *self.places])
        sys.stderr.write(merged.stderr)
        lines = [line for line in merged.stdout.splitlines() if not line.endswith("have no result yet")]
        if lines:
            print("\n".join(lines), flush=True)
        if merged.returncode not in (0, LEFT):
            raise Trouble("the results could not be merged; nothing is lost: labgrade resume --out "
                          f"{shlex.quote(str(self.out))} continues")
        left = re.search(r"^(\d+) submissions have no result yet$", merged.stdout, re.MULTILINE)
        return int(left.group(1)) if left else 0

    def parts_left(self, parts):
        """The parts with submissions to grade, as Slurm names tasks; and how many results are late."""
        asked = call([self.labgrade, "status", "--out", str(self.out), "--parts", str(parts)])
        if asked.returncode != 0:
            raise Trouble(asked.stderr.strip())
        lines = asked.stdout.splitlines()
        return lines[0], int(lines[1].split()[0]) if len(lines) > 1 else 0


def gpus_of(gres):
    """How many GPUs a task has: 4 of "gpu:4", "gpu:a100:4" and "gpu:4(S:0)"; 1 where it has none."""
    found = re.search(r"(?:^|,)gpu(?::[^:,]*?)??:(\d+)(?:\(|,|$)", gres or "")
    return max(1, int(found.group(1))) if found else 1


def write_script(plan):
    options = plan.options
    parts = max(1, min(int(options.array_size or ARRAY_SIZE), plan.count()))
    asked = {"partition": options.partition, "gres": options.gres, "time": options.time}
    places = [*plan.places, "--out", str(plan.out)]
    for name in ("memory", "no_sandbox", "sandbox_if_possible", "container_sandbox"):
        if getattr(options, name):
            places += ["--" + name.replace("_", "-"), getattr(options, name)]
    plan.log.mkdir(exist_ok=True)
    jobs, gpus = int(options.jobs or 1), gpus_of(options.gres)
    plan.script.write_text(SCRIPT.format(
        out=shlex.quote(str(plan.out)), parts=parts, jobs=jobs, cores=jobs * gpus, log=plan.log,
        gpus=' --gpus "$CUDA_VISIBLE_DEVICES"' if gpus > 1 else "",
        options="".join(f"#SBATCH --{name}={value}\n" for name, value in asked.items() if value),
        exports=f"export LAB_DEVICE={shlex.quote(options.device)}\n" if options.device else "",
        labgrade=shlex.quote(plan.labgrade), places=shlex.join(places)), encoding="utf-8")
    earlier = plan.read_state()["job"]
    if earlier:
        call(["scancel", "--quiet", earlier])
    plan.write_state(NEW_STATE | {"parts": parts})
    say(f"{plan.script}: {plan.count()} submissions in {parts} tasks")


# ---- Slurm ---------------------------------------------------------------------------------------------------------

ENDED = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
         "TIMEOUT"}


def tasks_of(job):
    """What squeue says of the tasks: {part: (state, reason, node)}; None while it cannot say."""
    asked = call(["squeue", "--noheader", "--array", "--states=all", "--jobs", job, "--format=%K|%T|%r|%N"])
    if asked.returncode != 0:
        return {} if "Invalid job id" in asked.stderr else None
    rows = (line.split("|") for line in asked.stdout.splitlines())
    return {part: (state, reason, node) for part, state, reason, node in rows}


def end_states(job):
    """How the tasks of a job ended that squeue has forgotten; {} where Slurm keeps no accounts."""
    asked = call(["sacct", "--noheader", "--parsable2", "--allocations", "--jobs", job,
                  "--format=JobID,State,NodeList"])
    rows = (line.split("|") for line in asked.stdout.splitlines() if asked.returncode == 0)
    return {name.rpartition("_")[2]: (state.split()[0], "", node) for name, state, node in rows}


def all_nodes(partition):
    asked = call(["sinfo", "--noheader", "--Node", "--format=%N", *(["--partition", partition] if partition else [])])
    return set(asked.stdout.split())


def submit(plan, state, parts):
    command = ["sbatch", "--parsable", f"--array={parts}"]
    exclude = set(state["exclude"])
    if exclude and all_nodes(plan.options.partition) - exclude:
        command.append("--exclude=" + ",".join(sorted(exclude)))
    submitted = call([*command, str(plan.script)])
    if submitted.returncode != 0:
        raise Trouble(f"sbatch: {submitted.stderr.strip()}; {plan.script} is the script: change it, then labgrade "
                      f"resume --out {shlex.quote(str(plan.out))}")
    state["job"] = submitted.stdout.strip().split(";")[0]
    plan.write_state(state)
    say(f"job {state['job']} of Slurm grades parts {parts} of {state['parts']}"
        + (f", not on {', '.join(sorted(exclude))}" if len(command) > 3 else ""))


def counts_text(tasks):
    """"3 running, 5 pending (Resources)"."""
    counts = {}
    for state, reason, _ in tasks.values():
        if state not in ENDED:
            name = state.lower() + (f" ({reason})" if state == "PENDING" and reason != "None" else "")
            counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def release_held(job, tasks):
    """Slurm holds a task whose node failed too often while starting it. This one is submitted again instead."""
    for part, (state, reason, _) in tasks.items():
        if state == "PENDING" and ("requeued held" in reason or reason == "JobHeldAdmin"):
            call(["scancel", f"{job}_{part}"])


# ---- following -----------------------------------------------------------------------------------------------------

def tell_losses(state, seen):
    """Tells which tasks did not end well, and notes on which nodes tasks failed."""
    for part, (how, _, node) in sorted(seen.items(), key=lambda row: row[0].zfill(9)):
        if how in ENDED - {"COMPLETED"}:
            say(f"part {part} on {node or 'no node'}: {how}")
        if how == "FAILED" and node and node not in state["exclude"]:
            state["exclude"].append(node)


def watch(plan, state):
    """Follows a job to its end and merges meanwhile. Returns how many submissions have no result."""
    seen, told, left, merge_next = {}, "", None, 0.0
    while True:
        began = time.monotonic()
        tasks = tasks_of(state["job"])
        asked = time.monotonic()
        if tasks:
            release_held(state["job"], tasks)
            seen.update(tasks)
        ended = tasks is not None and not any(row[0] not in ENDED for row in tasks.values())
        if ended or asked >= merge_next:
            left = plan.merge()
            merged = time.monotonic()
            merge_next = merged + BUSY_SHARE * (merged - asked)
        text = f"{left} submissions left" + (f"; {counts_text(tasks)}" if tasks else "")
        if left and text != told:
            say(text)
            told = text
        if left == 0 or ended:
            tell_losses(state, seen or end_states(state["job"]))
            return left
        time.sleep(max(plan.options.poll, BUSY_SHARE * (asked - began)))


def wait_for_late(plan, state):
    """Waits while results are written and not yet seen here. Returns the parts that have to be graded again."""
    deadline = time.monotonic() + LATE_SECONDS
    parts, late = plan.parts_left(state["parts"])
    while late and time.monotonic() < deadline:
        say(f"{late} results are written and not seen here yet")
        time.sleep(plan.options.poll)
        parts, late = plan.parts_left(state["parts"])
    return parts


def next_round(plan, state, left):
    """Submits what is left; gives up what no round brings further."""
    state["fruitless"] = state["fruitless"] + 1 if state["left"] is not None and left >= state["left"] else 0
    state["left"] = left
    if state["fruitless"] >= FRUITLESS_ROUNDS:
        say(f"{FRUITLESS_ROUNDS} arrays in a row brought no further result: {left} submissions are given up as grader "
            f"faults, which cost no points; {plan.log} has what the tasks said")
        plan.merge("--give-up")
        return False
    parts = wait_for_late(plan, state)
    if parts:
        submit(plan, state, parts)
    return True


def follow(plan):
    state = plan.read_state()
    while True:
        left = watch(plan, state) if state["job"] else plan.merge()
        if left == 0 or not next_round(plan, state, left):
            break
    if state["job"]:
        call(["scancel", "--quiet", state["job"]])


def read_options():
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("what", choices=["grade", "write", "follow"])
    for name in ("root", "build", "out"):
        reader.add_argument("--" + name, required=True)
    for name in ("array-size", "partition", "gres", "time", "jobs", "device", "memory", "no-sandbox",
                 "sandbox-if-possible", "container-sandbox"):
        reader.add_argument("--" + name)
    reader.add_argument("--poll", type=float, default=float(os.environ.get("LABGRADE_POLL_SECONDS", "5")))
    return reader.parse_args()


def main():
    plan = Plan(read_options())
    try:
        if plan.options.what != "follow" and plan.count() > 0:
            write_script(plan)
        if plan.options.what == "write":
            say(f"labgrade resume --out {shlex.quote(str(plan.out))} submits it")
        else:
            follow(plan)
    except Trouble as trouble:
        print(f"labgrade: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say(f"the cluster continues; labgrade resume --out {shlex.quote(str(plan.out))} follows it again")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
