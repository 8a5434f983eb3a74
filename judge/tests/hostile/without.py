#!/usr/bin/env python3
"""Runs a command as on another machine: without `landlock` its first call does not exist, and
without `namespaces` nobody may make mounts or process ids of his own."""
import ctypes, os, platform, struct, sys

LANDLOCK_CREATE_RULESET, ENOSYS = 444, 38  # on every architecture
CLONE = {"x86_64": 56}.get(platform.machine(), 220)
CLONE_NEWNS, EPERM = 0x20000, 1
LOAD, IS, HAS_BIT, ANSWER = 0x20, 0x15, 0x45, 0x06
ERROR, ALLOW = 0x0005_0000, 0x7FFF_0000
NUMBER, FIRST_ARGUMENT = 0, 16
FILTERS = {
    "landlock": [
        (LOAD, 0, 0, NUMBER),
        (IS, 0, 1, LANDLOCK_CREATE_RULESET),
        (ANSWER, 0, 0, ERROR | ENOSYS),
        (ANSWER, 0, 0, ALLOW),
    ],
    "namespaces": [
        (LOAD, 0, 0, NUMBER),
        (IS, 0, 3, CLONE),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (HAS_BIT, 0, 1, CLONE_NEWNS),
        (ANSWER, 0, 0, ERROR | EPERM),
        (ANSWER, 0, 0, ALLOW),
    ],
}
steps = FILTERS[sys.argv[1]]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
filter = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(program))
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, filter, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[2], sys.argv[2:])
