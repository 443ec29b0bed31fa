#!/usr/bin/env python3
"""A cluster with Slurm on this machine: munged, slurmctld and one slurmd for each node, all in a folder of their own.
Each daemon is the first process of a PID namespace: when it ends, so does everything that it started. It ends with the
process that started the cluster, however that one ends.

    emulated_cluster.py COMMAND...    runs a command with a cluster of four nodes
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel", "unshare", "setpriv",
            "nsenter")
BOUND = ("setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--mount-proc", "--fork", "--kill-child")

CONFIGURATION = """\
ClusterName=emulated
SlurmctldHost={host}
SlurmctldPort={control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={folder}/task-prolog
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
BatchStartTimeout=10
KillWait=2
MinJobAge=300
OverTimeLimit=0
MessageTimeout=10
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=10000
{nodes}
PartitionName=normal Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=ALL PriorityTier=10 MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster here; "" if there can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if absent:
        return f"{', '.join(absent)} not installed (make setup FOR=everything)"
    if os.geteuid() != 0:
        return "slurmd needs root"
    return ""


def free_port():
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


class Cluster:
    """Nodes n1, n2, ... with so many cores each."""

    def __init__(self, nodes=4, cores=1):
        self.cores = cores
        self.folder = Path(tempfile.mkdtemp(prefix="cluster-"))
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self.running = {}
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")

    # ---- starting and stopping

    def configure(self):
        host = socket.gethostname()
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} "
                          f"CPUs={self.cores} RealMemory=1000 State=UNKNOWN" for name in self.names)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=f"{host}(127.0.0.1)", control=free_port(), folder=self.folder, nodes=nodes))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        # Every node has temporary files of its own.
        prolog = self.folder / "task-prolog"
        prolog.write_text(f'#!/bin/sh\necho "export TMPDIR={self.folder}/tmp-$SLURMD_NODENAME"\n')
        prolog.chmod(0o755)
        for name in self.names:
            (self.folder / f"spool-{name}").mkdir()
            (self.folder / f"tmp-{name}").mkdir()
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def run(self, name, *command):
        with (self.folder / f"{name}.out").open("ab") as said:
            self.running[name] = subprocess.Popen([*BOUND, *command], stdout=said, stderr=said, start_new_session=True)

    def start(self):
        self.configure()
        self.folder.chmod(0o755)
        self.run("munged", "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                 f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid",
                 f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed", "--num-threads=2")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.run("slurmctld", "slurmctld", "-D", "-c", "-f", os.environ["SLURM_CONF"])
        for name in self.names:
            self.start_node(name)
        self.wait(lambda: self.states().count("idle") == len(self.names), "the nodes")

    def wait(self, condition, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}\n"
                               for log in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]))
                raise RuntimeError(f"{what} did not start\n{logs}")
            time.sleep(0.2)

    def states(self):
        return subprocess.run(["sinfo", "-h", "-N", "-p", "normal", "-o", "%t"], capture_output=True, text=True,
                              check=False).stdout.split()

    def start_node(self, name, *wrapper):
        """Starts a node; `wrapper` is a command that slurmd and everything on the node runs in."""
        self.run(name, *wrapper, "slurmd", "-D", "-N", name, "-f", os.environ["SLURM_CONF"])

    def first_process(self, name):
        """The id of the first process of a daemon's namespaces; None while there is none."""
        process = self.running[name]
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return next((int(child) for child in children.read_text().split()), None) if children.exists() else None

    def on_node(self, name, *command):
        """Runs a command in the namespaces of a node: what it mounts, no other node sees."""
        subprocess.run(["nsenter", "--mount", "--pid", "--target", str(self.first_process(name)), *command], check=True)

    def kill_node(self, name):
        """As if the power failed: everything on the node ends at once."""
        first, process = self.first_process(name), self.running.pop(name)
        os.kill(first or process.pid, signal.SIGKILL)
        process.wait()  # for unshare, which waits for the first process, which ends after all others

    def stop(self):
        for name in reversed(list(self.running)):
            self.kill_node(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()


if __name__ == "__main__":
    if missing():
        sys.exit(f"no cluster here: {missing()}")
    with Cluster():
        sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)
