"""The small tournaments, and the commands that play them."""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from .processes import COMMANDS, end_all, own_descendants

ROOT = Path(__file__).resolve().parent.parent.parent
# Longer than anything here takes on a loaded machine; whoever reaches one hangs.
RUN_SECONDS_MAX = 300
PIPE_BYTES = 1 << 18
# Plays the first legal move, and gives up at ply 6: a fault that must stay.
QUITTER = """\
#!/bin/sh
{before}
while read -r line; do
  case $line in
    '{{"hello"'* | '{{"start"'*) echo '{{"ready":{{"legal_moves":true}}}}' ;;
    '{{"turn":{{"ply":'[0-5],*) legal=${{line#*'"legal":['}} && echo "{{\\"move\\":${{legal%%]*}}]}}" ;;
    '{{"turn"'*) exit 3 ;;
  esac
done
"""
CHILD = "sleep 600 </dev/null >/dev/null 2>&1 &"
DESCRIBED = 'build = "sleep {seconds}"\nrun = "./bot.sh"\n'


class Arena:
    """A small tournament: the flags of `judge run`, and its submissions."""

    states = 4

    def __init__(self, name, *flags):
        self.name, self.flags = name, flags
        self.reference, self.not_here = None, None

    def enter(self, folder, build_seconds=0):
        """Makes the folder of submissions; `build_seconds` is how long one of them builds."""
        for name in ("drifter", "script-last"):
            shutil.copytree(ROOT / "examples/catch-the-cat" / name, folder / name, dirs_exist_ok=True)
        quitter = folder / "quitter"
        quitter.mkdir(exist_ok=True)
        (quitter / "judge.toml").write_text(DESCRIBED.format(seconds=build_seconds))
        before = CHILD if "bots.processes=true" in self.flags else ""
        (quitter / "bot.sh").write_text(QUITTER.format(before=before))
        (quitter / "bot.sh").chmod(0o755)

    def command(self, judge, folder):
        command = [judge, "run", "--game", "catch-the-cat", "--submissions", folder / "submissions"]
        command += ["--with", "builtin:random", "--states", str(self.states), "--seed", "7", "--points-per-cpu-second", "0"]
        return [str(word) for word in [*command, *self.flags, "--out", folder / "run"]]


class Judged:
    """A command of `judge run` that goes on or has ended."""

    def __init__(self, command, folder):
        # Each tournament builds its programs: those in the user's cache leave no objects behind.
        own = {"TMPDIR": folder / "tmp", "XDG_CACHE_HOME": folder / "cache"}
        environment = {**os.environ, **{name: str(path) for name, path in own.items()}}
        # Not a file, which a full disk or a limit would cut off.
        self.pipe, writer = os.pipe()
        os.set_blocking(self.pipe, False)
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=writer,
            env=environment,
            start_new_session=True,
            preexec_fn=ignore_file_size_signal,
        )
        os.close(writer)
        self.text = b""
        self.pid = self.process.pid
        COMMANDS.add(self.pid)
        self.began = time.monotonic()

    def ended(self):
        if self.process.returncode is None and self.process.poll() is not None:
            # The next process with this number may be an orphan, which nobody else reaps.
            COMMANDS.discard(self.pid)
        return self.process.returncode is not None

    def wait_until(self, moment_s):
        """Waits for a moment after the start; returns whether the command still runs then."""
        while not self.ended():
            left = self.began + moment_s - time.monotonic()
            if left <= 0:
                return True
            time.sleep(min(left, 0.002))
        return False

    def wait(self):
        """Returns the exit code, or none if it hangs (it is ended then)."""
        if self.wait_until(RUN_SECONDS_MAX):
            end_all([p for p in own_descendants() if p.pid == self.pid])
            self.process.wait()
            COMMANDS.discard(self.pid)
            return None
        return self.process.returncode

    def said(self):
        """Returns what has come on standard error."""
        try:
            while more := os.read(self.pipe, PIPE_BYTES):
                self.text += more
        except BlockingIOError:
            pass
        return self.text.decode(errors="replace")

    def __del__(self):
        os.close(self.pipe)

    def complaint(self):
        """Returns the last line that it said."""
        return ([line for line in self.said().splitlines() if line.strip()] or ["nothing"])[-1]


def ignore_file_size_signal():
    """As a full disk: a write beyond the limit fails, and kills nobody."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
