"""One disturbed tournament: each disturbance, and what must be true after it."""

import collections
import os
import re
import resource
import shutil
import signal
import stat
import tempfile
import time
from pathlib import Path

from .arenas import Judged, RUN_SECONDS_MAX
from .disk import take_inodes, take_room
from .processes import (
    descendants,
    end_all,
    own_descendants,
    reap_orphans,
    strike,
    victims,
    words_of,
)
from .hostile import differing_charges
from .results import compare, describe_flip, Finding, line_starts, lines_of, parsed, remove, tree_of

END_SECONDS_MAX = 10
RUNS_TO_FINISH_MAX = 3
# As long as most tournaments with programs of the catalogue take.
BESIDE_SECONDS = 8
# Of all commands so many start every process from scratch.
COLD_SHARE = 0.25
UNTIL_THE_END = ["coordinator", "everything", "Ctrl-C"]
# Longer than a compiler may outlive the coordinator.
SLOW_BUILD_SECONDS = 100


class Season:
    """One disturbed tournament in a folder of its own."""

    def __init__(self, judge, arena, folder, rng):
        self.judge, self.arena, self.folder, self.rng = judge, arena, folder, rng
        self.run = folder / "run"
        self.hits, self.exits, self.findings = 0, collections.Counter(), []
        self.coordinators, self.slow = set(), False
        self.beside = getattr(arena, "beside", [])

    def find(self, column, sort, text):
        self.add([Finding(column, sort, text)])

    def add(self, findings):
        """Remembers what was found; what is still the same after the next run counts once."""
        self.findings += [finding for finding in findings if finding not in self.findings]

    def prepare(self, stage):
        """Makes the folder: nothing in it, all built and some games played, or all of them."""
        for name in ("submissions", "tmp"):
            (self.folder / name).mkdir(parents=True)
        self.arena.enter(self.folder / "submissions")
        if stage == "build":
            return
        shutil.copytree(self.arena.reference.run, self.run)
        if stage == "play":
            lines = self.arena.reference.journal.splitlines(keepends=True)
            kept = self.rng.choice([0, self.rng.randrange(len(lines))])
            (self.run / "journal.jsonl").write_bytes(b"".join(lines[:kept]))

    def start(self):
        # A run may go on by the other road; what starts from scratch is a filter for the kernel
        # each time, and too many of them are more than some bear.
        road = ["--cold"] if self.rng.random() < COLD_SHARE else []
        judged = Judged([*self.arena.command(self.judge, self.folder), *road], self.folder)
        self.coordinators.add(judged.pid)
        return judged

    def settle(self, judged):
        """Waits for the end of a command and of all that it started; returns its exit code."""
        code = judged.wait()
        self.exits["hung" if code is None else code] += 1
        if code is None:
            self.find("stopped", "hang", f"it did not end within {RUN_SECONDS_MAX} s: {judged.complaint()}")
        if "panicked" in judged.said():
            self.find("stopped", "panic", re.search(r".*panicked.*(?:\n.*)?", judged.said())[0])
        self.expect_no_process()
        return code

    def expect_no_process(self):
        until = time.monotonic() + END_SECONDS_MAX
        while left := own_descendants():
            if time.monotonic() > until:
                for process in left:
                    words = " ".join(words_of(process))
                    sort = Path(words.split(" ")[0]).name
                    self.find("processes", sort, f"{words[:120]} was left after {END_SECONDS_MAX} s")
                end_all(left)
                break
            # The first process of a namespace ends when all in it have been reaped, orphans by us.
            reap_orphans()
            time.sleep(0.005)
        reap_orphans()

    def finish(self):
        """Repeats the command until it exits with 0, and looks at what there is then."""
        for _ in range(RUNS_TO_FINISH_MAX):
            judged = self.start()
            if self.settle(judged) == 0:
                self.inspect()
                return True
        sort = re.sub(r"[0-9a-f]{32}|\d+|/\S+", "…", judged.complaint())
        self.find("stopped", sort, f"{RUNS_TO_FINISH_MAX} times the same command did not go on: {judged.complaint()}")
        return False

    def inspect(self):
        """Compares all that there is with the undisturbed run."""
        self.inspect_result()
        self.expect_no_file()
        self.expect_no_group()

    def inspect_result(self, before=""):
        """Looks at the games and tables only; `before` says that more is to come."""
        found = compare(self.run, self.arena.reference, [one.name for one in self.beside])
        self.add(Finding(f.column, before + f.sort, before + f.text) for f in found)

    def expect_no_file(self):
        now, expected = tree_of(self.run), self.arena.reference.tree
        for path in sorted(now - expected):
            # A submission that took long to build has left a version, and others have theirs.
            places = ("versions/", "artifacts/", "executables/")
            versions = (self.slow or self.beside) and path.startswith(places) and "/." not in path
            if not (versions or path == "journal.damaged" or path.startswith("logs/")):
                self.find("files", re.sub(r"-\w+$", "-…", Path(path).name), f"{path} was left in the run folder")
        for path in sorted(expected - now):
            if not path.startswith("logs/"):
                self.find("files", "missing", f"{path} is missing in the run folder")
        for path in sorted((self.folder / "tmp").iterdir()):
            self.find("files", re.sub(r"-\w+$", "-…", path.name), f"{path.name} was left in the temporary folder")

    def expect_no_group(self):
        until = time.monotonic() + END_SECONDS_MAX
        while groups := [path for path in groups_of_judges() if int(path.name.split("-")[1]) in self.coordinators]:
            if time.monotonic() > until:
                for path in groups:
                    self.find("groups", str(path.relative_to("/sys/fs/cgroup")).split("/")[0], f"{path} was left")
                return
            time.sleep(0.05)

    # --- kills ---

    def kill(self, stage, victim):
        """Disturbs some runs in a row, each at a moment of its own, and continues."""
        self.prepare(stage)
        # A compiler or a worker that is not there any more cannot be hit.
        span = self.arena.reference.spans[stage] * (1 if victim in UNTIL_THE_END else 0.7)
        self.slow = stage == "build" and victim in UNTIL_THE_END and self.rng.random() < 0.5
        if self.slow:
            self.arena.enter(self.folder / "submissions", SLOW_BUILD_SECONDS)
        for _ in range(self.rng.randint(1, 3)):
            judged = self.start()
            if judged.wait_until(self.rng.uniform(0, span)):
                self.hits += self.hit(victim, judged)
            code = self.settle(judged)
            if self.slow:  # from here on it builds at once
                self.arena.enter(self.folder / "submissions")
            if code == 0:
                self.inspect_result("at once, ")
            elif code == 2:
                self.find("stopped", "exit 2", f"after a kill it exited with 2: {judged.complaint()}")
            if code == 0 and stage != "tables":
                break
        self.finish()

    def hit(self, victim, judged):
        if victim == "coordinator":
            judged.process.kill()
            return 1
        if victim == "everything":
            return self.cut_power(judged)
        if victim == "Ctrl-C":
            return self.interrupt(judged)
        while not judged.ended():
            found = victims(victim, judged.pid)
            if found and strike(self.rng.choice(found)):
                return 1
        return 0

    def cut_power(self, judged):
        below = descendants(judged.pid)
        self.rng.shuffle(below)
        judged.process.kill()
        # Nothing outlives a power cut, nor what was being started meanwhile.
        while below:
            end_all(below)
            # The first process of a namespace ends when all in it have been reaped, orphans by us.
            reap_orphans()
            below = own_descendants()
        return 1

    def interrupt(self, judged):
        times = self.rng.randint(1, 3)
        for _ in range(times):
            if not judged.ended():
                try:
                    os.killpg(judged.pid, signal.SIGINT)
                except OSError:
                    break
            judged.wait_until(time.monotonic() - judged.began + self.rng.uniform(0, 0.05))
        return 1

    # --- the catalogue ---

    def play_beside(self, victim):
        """Lets programs of the catalogue play too, and kills something meanwhile."""
        self.prepare("build")
        for _ in range(self.rng.randint(1, 2) if victim else 0):
            judged = self.start()
            if judged.wait_until(self.rng.uniform(0, BESIDE_SECONDS)):
                self.hits += self.hit(victim, judged)
            if self.settle(judged) == 0:
                break
        if self.finish():
            self.hits += 0 if victim else 1
            for one in self.beside:
                self.add(one.look(self.run, self.arena.reference.level))
            self.add(differing_charges(self.run, self.arena.reference))
        for path in self.arena.traces(self.folder):
            self.find("files", "outside", f"{path} was written")

    # --- no room ---

    def fill(self, stage, what):
        """Takes the last room on the disk at some moment, and gives it back."""
        self.prepare(stage)
        filler = self.folder / "filler"
        moment = self.rng.choice([0, self.rng.uniform(0, self.arena.reference.spans[stage])])
        judged = self.start()
        if judged.wait_until(moment):
            filler.mkdir()
            (take_room if what == "bytes" else take_inodes)(filler, self.rng)
            self.hits += 1
            if self.rng.random() < 0.3:
                judged.wait_until(time.monotonic() - judged.began + self.rng.uniform(0, 0.5))
                shutil.rmtree(filler)
        self.after_no_room(self.settle(judged), judged, filler)

    def after_no_room(self, code, judged, filler):
        if code == 0:
            self.inspect_result("at once, ")
        elif code != 1 or not one_sentence(judged):
            self.find("stopped", "no room", f"exit {code}, said: {judged.said()[-400:]!r}")
        if filler.exists():
            shutil.rmtree(filler)
        self.finish()

    def limit_files(self, stage):
        """Makes writes fail beyond some length of a file, from some moment on."""
        self.prepare(stage)
        judged = self.start()
        if judged.wait_until(self.rng.uniform(0, self.arena.reference.spans[stage])):
            journal = self.run / "journal.jsonl"
            length = journal.stat().st_size if journal.exists() else 0
            limit = self.rng.choice([length + self.rng.randrange(2000), int(10 ** self.rng.uniform(1, 5.5))])
            try:
                _, hard = resource.prlimit(judged.pid, resource.RLIMIT_FSIZE)
                resource.prlimit(judged.pid, resource.RLIMIT_FSIZE, (limit, hard))
                self.hits += 1
            except ProcessLookupError:
                pass
        self.after_no_room(self.settle(judged), judged, self.folder / "filler")

    # --- the journal ---

    def restore(self):
        """Puts everything but the programs back as the undisturbed run has left it."""
        for path in self.run.iterdir():
            if path.name != "artifacts":
                remove(path) if path.is_dir() else path.unlink()
        for path in self.arena.reference.run.iterdir():
            if path.is_dir() and path.name != "artifacts":
                shutil.copytree(path, self.run / path.name)
            elif path.is_file():
                shutil.copy2(path, self.run / path.name)

    def flip_some(self):
        """Flips bytes: one, one in some lines, or one in each."""
        self.prepare("tables")
        lines = self.arena.reference.journal.splitlines(keepends=True)
        for _ in range(4):
            count = self.rng.choice([1, self.rng.randrange(1, len(lines)), len(lines)])
            chosen = sorted(self.rng.sample(range(len(lines)), count))
            self.flip([(n, self.rng.randrange(len(lines[n])), 1 << self.rng.randrange(8)) for n in chosen])
        self.finish()

    def flip(self, flips):
        """Flips bits of the journal, `(line, offset, mask)` each, continues and looks."""
        self.restore()
        original = self.arena.reference.journal
        starts = line_starts(original)
        damaged = bytearray(original)
        for line, offset, mask in flips:
            damaged[starts[line] + offset] ^= mask
        (self.run / "journal.jsonl").write_bytes(damaged)
        judged = self.start()
        code = self.settle(judged)
        if code == 0:
            self.hits += len(flips)
            self.look_for_believed(bytes(damaged), flips)
        elif len(flips) > 1:
            half = len(flips) // 2
            self.flip(flips[:half])
            self.flip(flips[half:])
        else:
            self.hits += 1
            place, where = describe_flip(original, damaged, starts, flips[0])
            self.find("stopped", f"refused: {where}", f"{place}: exit {code}: {judged.complaint()}")
        self.restore()

    def look_for_believed(self, damaged, flips):
        original, starts = self.arena.reference.journal, line_starts(self.arena.reference.journal)
        now, believed = lines_of(self.run), set()
        present, old = set(now), set(original.split(b"\n"))
        for start, line in zip(line_starts(damaged), damaged.split(b"\n")):
            if line in present and line not in old and line:
                numbers = {n for n, _ in enumerate(starts) if start <= starts[n] < start + len(line)}
                numbers |= {max(n for n, s in enumerate(starts) if s <= start)}
                believed |= numbers
        for flip in flips:
            if flip[0] in believed:
                place, where = describe_flip(original, damaged, starts, flip)
                self.find("changed", f"believed: {where}", place)
        if not believed:
            self.inspect_result()
            touched = {n + i for n, offset, _ in flips for i in (0, 1) if i == 0 or original[starts[n] + offset] == 10}
            self.expect_untouched(original, now, touched)
        self.expect_no_process()

    def expect_untouched(self, original, now, touched):
        """Lines that nothing was done to stay as they are; how they are chained may change."""

        def content(line):
            game = parsed(line) or {}
            return {key: value for key, value in game.items() if key not in ("after", "mac")}

        kept = {game.get("fixture"): game for game in map(content, now) if "fixture" in game}
        for number, line in enumerate(original.split(b"\n")[:-1]):
            game = content(line)
            if "fixture" not in game:
                continue
            if number not in touched and kept.get(game["fixture"]) != game:
                self.find("changed", "untouched line", f"line {number + 1} was played again or changed, untouched")

    def strange_lines(self):
        """Puts lines into the journal that do not belong there, or takes a part of it away."""
        self.prepare("tables")
        lines = self.arena.reference.journal.splitlines(keepends=True)
        rng, path = self.rng, self.run / "journal.jsonl"
        for _ in range(3):
            self.restore()
            what = rng.choice(["blank", "doubled", "changed twin", "other run", "swapped", "cut", "zeros", "binary"])
            now, at = list(lines), rng.randrange(len(lines))
            if what == "blank":
                now[at:at] = [b"\n"] * rng.randint(1, 3)
            elif what == "doubled":
                now.insert(rng.randrange(len(now)), now[at])
            elif what == "changed twin":
                now.insert(rng.randrange(len(now)), re.sub(rb'"points":(\d)', rb'"points":9\1', now[at]))
            elif what == "other run" and "fixture" in parsed(now[at]):
                fixture = parsed(now[at])["fixture"].encode()
                now.insert(at, now[at].replace(fixture, fixture[::-1]))
            elif what == "swapped":
                other = rng.randrange(len(now))
                now[at], now[other] = now[other], now[at]
            elif what == "binary":
                now[at] = rng.randbytes(len(now[at])) + b"\n"
            content = b"".join(now)
            if what == "cut":
                content = content[: rng.randrange(len(content))]
            if what == "zeros":  # as some file systems leave the end of a file after a power cut
                length = rng.randrange(1, 5000)
                content = content[:-length] + bytes(length)
            path.write_bytes(content)
            self.hits += 1
            judged = self.start()
            if (code := self.settle(judged)) == 0:
                found = compare(self.run, self.arena.reference)
                self.add(Finding(f.column, f"{what}: {f.sort}", f"{what} at line {at + 1}: {f.text}") for f in found)
                self.expect_no_file()
            else:
                self.find("stopped", what, f"{what} at line {at + 1}: exit {code}: {judged.complaint()}")

    # --- the files beside it ---

    def damage(self, place):
        """Damages a file of the run; either nothing comes of it, or the judge says which."""
        self.prepare(self.rng.choice(["play", "tables"]))
        journal = (self.run / "journal.jsonl").read_bytes()
        top = self.run / place
        below = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
        # Not by size: the copy of a built-in bot is much longer than all others.
        path = self.rng.choice(below)
        action = self.rng.choice(["flip", "cut", "empty", "delete", "delete all"])
        with tempfile.TemporaryDirectory(dir=self.folder) as backup:
            saved = Path(backup, "saved")
            shutil.copytree(top, saved) if top.is_dir() else shutil.copy2(top, saved)
            harm(path, top, action, self.rng)
            self.hits += 1
            judged = self.start()
            code = self.settle(judged)
            what = f"{action} {place if action == 'delete all' else path.relative_to(self.run)}"
            sort = f"{place}, {action}: "
            if code == 0:
                found = compare(self.run, self.arena.reference)
                # A warning is how staff hear of it.
                found = [f for f in found if not (f.sort == "submissions.csv" and ".warnings" in f.text)]
                self.add(Finding(f.column, sort + f.sort, f"{what}: {f.text}") for f in found)
                if (place, action) == ("staff", "delete all") and journal:
                    self.find("stopped", sort + "went on", f"{what}: it must stop, and went on")
                return
            names = {place, path.name, *path.relative_to(self.run).parts} if place != "run.json" else {place}
            said = judged.complaint()
            if code not in (1, 2) or not one_sentence(judged) or not any(name in said for name in names):
                self.find("stopped", sort + "unclear", f"{what}: exit {code}: {said}")
            if not (self.run / "journal.jsonl").read_bytes().startswith(journal):
                self.find("changed", sort + "journal", f"{what}: refused, and the journal is not as it was")
            if top.exists():
                remove(top) if top.is_dir() else top.unlink()
            shutil.copytree(saved, top) if saved.is_dir() else shutil.copy2(saved, top)
        self.finish()


def harm(path, top, action, rng):
    if action == "delete all":
        remove(top) if top.is_dir() else top.unlink()
        return
    content = path.read_bytes()
    mode = path.stat().st_mode
    path.unlink()
    if action == "delete":
        return
    at = rng.randrange(len(content)) if content else 0
    if action == "flip" and content:
        content = content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
    path.write_bytes({"flip": content, "cut": content[:at], "empty": b""}[action])
    path.chmod(stat.S_IMODE(mode))


def one_sentence(judged):
    return sum(line.startswith(("judge: ", "judge error: ")) for line in judged.said().splitlines()) == 1


def groups_of_judges():
    for place, folders, _ in os.walk("/sys/fs/cgroup"):
        for name in folders:
            if re.fullmatch(r"judge-\d+-\d+-\d+", name):
                yield Path(place, name)
