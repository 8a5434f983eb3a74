
import ctypes, os
call = ctypes.CDLL(None).syscall
here = os.open('.', os.O_RDONLY)
file = os.open('file', os.O_CREAT | os.O_RDWR, 0o755)
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_RDWR, 0o4755, 0)
for mode in [0o4755, 0o2755, 0o6000]:
    for name, act in {
        'chmod': lambda: os.chmod('file', mode),
        'fchmod': lambda: os.fchmod(file, mode),
        'fchmodat': lambda: os.chmod('file', mode, dir_fd=here),
        'open': lambda: os.open('made-by-open', os.O_CREAT | os.O_RDWR, mode),
        'openat': lambda: os.open('made-by-openat', os.O_CREAT | os.O_RDWR, mode, dir_fd=here),
        'O_TMPFILE': lambda: os.open('.', os.O_TMPFILE | os.O_RDWR, mode),
        'mkdir': lambda: os.mkdir('made-by-mkdir', mode),
        'mkdirat': lambda: os.mkdir('made-by-mkdirat', mode, dir_fd=here),
        'mknod': lambda: os.mknod('made-by-mknod', 0o100000 | mode),
        'xattr': lambda: os.setxattr('file', 'security.capability', bytes(20)),
        'openat2': lambda: call(437, here, b'made-by-openat2', how, 24) >= 0 or os.stat('none'),
        'fchmodat2': lambda: call(452, here, b'file', mode, 0) >= 0 or os.stat('none'),
    }.items():
        try: act(); print(name, oct(mode))
        except OSError: pass
