#!/usr/bin/env python3
"""Runs a command as on a machine where nobody may make mounts or process ids of his own."""
import ctypes, os, platform, struct, sys

CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLONE_NEWNS = 0x20000
EPERM = 1
program = b"".join(
    struct.pack("HBBI", *step)
    for step in [
        (0x20, 0, 0, 0),  # load the call's number
        (0x15, 0, 3, CLONE),
        (0x20, 0, 0, 16),  # load its first argument
        (0x45, 0, 1, CLONE_NEWNS),
        (0x06, 0, 0, 0x0005_0000 | EPERM),  # answer with an error
        (0x06, 0, 0, 0x7FFF_0000),  # allow
    ]
)
text = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxQ", 6, ctypes.addressof(text))
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, filter, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
