"""Finding, striking and reaping the processes below this one."""

import collections
import ctypes
import os
import signal
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
PR_SET_CHILD_SUBREAPER = 36


# The commands whose exit codes somebody still waits for.
COMMANDS = set()
Process = collections.namedtuple("Process", "pid parent state start")


def adopt_orphans():
    """Makes whatever is orphaned below this process its child, so that nothing can hide."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes():
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            after_name = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = Process(int(name), int(after_name[1]), after_name[0], int(after_name[19]))
    return found


def descendants(root):
    """Lists the living processes below one, parents first."""
    table = processes()
    children = collections.defaultdict(list)
    for process in table.values():
        children[process.parent].append(process)
    found, look = [], [root]
    for pid in look:
        found += children[pid]
        look += [child.pid for child in children[pid]]
    return [process for process in found if process.state not in "ZX"]


def own_descendants():
    return descendants(os.getpid())


def words_of(process):
    try:
        return Path(f"/proc/{process.pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def victims(kind, coordinator):
    """Lists the processes of a kind below a coordinator."""
    below, kinds = descendants(coordinator), {}
    for process in below:
        words = words_of(process)
        if kinds.get(process.parent) in ("worker", "bot"):
            kinds[process.pid] = "bot"
        elif words[:1] == ["/proc/self/exe"]:
            kinds[process.pid] = words[1]
        elif words:
            kinds[process.pid] = "compiler"
    return [process for process in below if kinds.get(process.pid) == kind]


def strike(process, number=signal.SIGKILL):
    """Sends a signal to this process and no other; returns whether it was there."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        now = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if int(now[19]) != process.start or now[0] in "ZX":
            return False
        signal.pidfd_send_signal(handle, number)
        return True
    except OSError:
        return False
    finally:
        os.close(handle)


def end_all(left):
    for process in left:
        strike(process)
    reap_orphans()


def reap_orphans():
    for process in processes().values():
        if process.parent == os.getpid() and process.state == "Z" and process.pid not in COMMANDS:
            try:
                os.waitpid(process.pid, os.WNOHANG)
            except ChildProcessError:
                pass
