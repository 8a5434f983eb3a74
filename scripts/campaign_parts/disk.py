"""A small disk of one's own, and filling it."""

import ctypes
import json
import os
from pathlib import Path

from .processes import adopt_orphans, libc

TMPFS_BYTES = 400 << 20
TMPFS_INODES = 2000
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_PRIVATE_EVERYWHERE = (1 << 18) | (1 << 14)


class NotHere(Exception):
    """This machine cannot do it."""


def take_room(filler, rng):
    left = rng.choice([0, rng.randrange(16 << 10), rng.randrange(256 << 10)])
    room = os.statvfs(filler)
    wanted = room.f_bavail * room.f_frsize - left
    handle = os.open(filler / "bytes", os.O_CREAT | os.O_WRONLY)
    try:
        while wanted > 0:
            try:
                os.posix_fallocate(handle, 0, wanted)
                break
            except OSError:
                wanted -= 64 << 10
        if not left:
            fill_up(handle)
    finally:
        os.close(handle)


def fill_up(handle):
    os.lseek(handle, 0, os.SEEK_END)
    try:
        while os.write(handle, bytes(4096)):
            pass
    except OSError:
        pass


def take_inodes(filler, rng):
    made = []
    try:
        for number in range(TMPFS_INODES):
            made.append(filler / str(number))
            made[-1].touch()
    except OSError:
        made.pop()
    for path in made[: rng.choice([0, rng.randrange(20)])]:
        path.unlink()


def on_own_disk(folder, function):
    """Calls a function in a process for which `folder` is a small disk, and returns its answer."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        code = 1
        try:
            mount_disk(folder)
            adopt_orphans()
            answer = function()
            code = 0
        except NotHere as reason:
            answer = {"not here": str(reason)}
        except BaseException as error:  # the parent shows it
            answer = {"failed": repr(error)}
        with os.fdopen(writer, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    answer = json.loads(answer)
    if "not here" in answer:
        raise NotHere(answer["not here"])
    if "failed" in answer:
        raise RuntimeError(answer["failed"])
    return answer


def mount_disk(folder):
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS if user == 0 else CLONE_NEWNS | CLONE_NEWUSER):
        raise NotHere(f"no mounts of one's own: {os.strerror(ctypes.get_errno())}")
    if user:  # the same user in a namespace where it may mount; the judge may not, once started
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    libc.mount(None, b"/", None, MS_PRIVATE_EVERYWHERE, None)
    options = f"size={TMPFS_BYTES},nr_inodes={TMPFS_INODES},mode=755"
    if libc.mount(b"campaign", bytes(folder), b"tmpfs", 0, options.encode()):
        raise NotHere(f"no disk of one's own: {os.strerror(ctypes.get_errno())}")
