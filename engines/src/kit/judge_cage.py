"""How the judge starts this program for the price of a fork: it runs it once, with a socket as its
standard input, on which orders come in. Each new process finds the pipes of a game in the place of
the socket. Nothing of a submission runs in the process that takes the orders. It is added when
your submission is built; do not hand it in.
"""

import array
import ctypes
import gc
import os
import signal
import socket
import struct
import time

STARTED, REFUSED, READY = 0xCADE0001, 0xCADE0004, 0xCADE0005
PIPES = 3
CLONE_FILES, CLONE_PARENT, CLONE_THREAD = 0x400, 0x8000, 0x10000
CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID = 0x200000, 0x1000000
PR_SET_DUMPABLE, PR_GET_TID_ADDRESS = 4, 40
SET_MODE_FILTER = 1
# The numbers of clone and seccomp.
CLONE, SECCOMP = {"x86_64": (56, 317), "aarch64": (220, 277)}[os.uname().machine]

# The interpreter stays locked while one of its functions runs.
C = ctypes.PyDLL(None, use_errno=True)
C.syscall.restype = ctypes.c_long


def call(number, arguments, key):
    """Makes a system call with a key as its sixth argument, at which the kernel does not look, but
    the filter of system calls does."""
    arguments = [ctypes.c_ulong(argument) for argument in arguments]
    arguments += [ctypes.c_ulong(0)] * (5 - len(arguments))
    return C.syscall(ctypes.c_long(number), *arguments, ctypes.c_ulong(key))


class Program(ctypes.Structure):
    """A filter, as the kernel wants it: how many instructions, and where."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def door():
    """Returns a filter by which only threads are started, and no filter follows."""
    load, mask, equal, answer = 0x20, 0x54, 0x15, 0x06
    allow, refuse = 0x7FFF0000, 0x00050001
    threads = CLONE_THREAD | CLONE_FILES
    steps = [
        (load, 0, 0, 0),  # the call's number
        (equal, 5, 0, SECCOMP),
        (equal, 0, 3, CLONE),
        (load, 0, 0, 16),  # its first argument
        (mask, 0, 0, threads),
        (equal, 0, 1, threads),
        (answer, 0, 0, allow),
        (answer, 0, 0, refuse),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps), len(steps)


STEPS, LENGTH = door()

# Where the C library keeps the number of the thread; it changes with the process.
OWN_NUMBER = ctypes.c_void_p()
C.prctl(PR_GET_TID_ADDRESS, ctypes.byref(OWN_NUMBER), 0, 0, 0)


def take_order(orders):
    """Waits for an order: the key, and a game's pipes; none where none will come."""
    pipes = array.array("i")
    key, beside, _, _ = orders.recvmsg(8, socket.CMSG_SPACE(PIPES * pipes.itemsize))
    for _, _, data in beside:
        pipes.frombytes(data)
    return (int.from_bytes(key, "little"), pipes) if len(pipes) == PIPES else None


def fork(key):
    """Forks, as a child of the judge's."""
    flags, number = CLONE_PARENT | signal.SIGCHLD, OWN_NUMBER.value
    if number:
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID
    ctypes.pythonapi.PyOS_BeforeFork()
    # The kernel takes its last two arguments in an order of the processor's.
    child = call(CLONE, [flags, 0, 0, number or 0, number or 0], key)
    if child == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return child


def become_bot(key, pipes):
    """Makes the new process what it would be if it had been started by itself, and closes the door
    behind it: what this interpreter may have kept of the key is of no use."""
    C.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    program = Program(LENGTH, STEPS)
    if call(SECCOMP, [SET_MODE_FILTER, 0, ctypes.addressof(program)], key) != 0:
        os.write(0, struct.pack("=IiQ", REFUSED, ctypes.get_errno(), 0))
        os._exit(1)
    reports = os.dup(0)
    for wanted, pipe in enumerate(pipes):
        os.dup2(pipe, wanted)
        os.close(pipe)
    return reports


def serve():
    """Forks on every order; returns, in the new processes, where they report."""
    # Who runs under the same user sees nothing of this one.
    C.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    orders = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=0)
    gc.freeze()
    orders.send(struct.pack("=IiQ", READY, 0, 0))
    while order := take_order(orders):
        child = fork(order[0])
        if child == 0:
            orders.detach()
            return become_bot(*order)
        if child < 0:
            orders.send(struct.pack("=IiQ", REFUSED, ctypes.get_errno(), 0))
        for pipe in order[1]:
            os.close(pipe)
    os._exit(0)


def hand_over(reports):
    """Tells the judge that what is used from now on is the submission's."""
    # Until now it ends with the process that has forked it.
    os.setpgid(0, 0)
    os.write(reports, struct.pack("=IiQ", STARTED, 0, time.process_time_ns()))
    os.close(reports)
