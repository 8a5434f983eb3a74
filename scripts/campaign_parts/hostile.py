"""The catalogue's programs as submissions beside honest ones, and what their rows claim."""

import collections
import csv
import os
import shutil
import statistics
import subprocess

from .arenas import Arena, ROOT
from .results import Finding, parsed, lines_of, tables_of

HOSTILE = ROOT / "judge/tests/hostile"
HONEST = ["honest-first", "honest-second"]
HANDFUL = 3
RUNS = ("game", "burns", "both", "pair", "build", "isolation")
# Why the rows of the other runs do not play.
OTHER_RUNS = {
    "turn": "a process for each turn",
    "thousand": "a process for each turn, and a thousand turns",
    "idle": "a limit of 0.4 s on a bot's silence in a game",
    "start": "a start-up limit of 4 s, which the judge waits for",
    "wide": "a field of 101 by 101, so that a view fills a pipe",
    "bank": "a bank of 0.4 s for the game in the place of a limit for the turn",
    "early": "what they are charged is looked at, and not how their games end",
    "paths": "what it writes is looked at, and not how its games end",
}
ALL_IN_ONE = ("reach.cpp", "message.c")
# The most that a turn's median charge may be off, beside a part of itself: what
# scripts/bench-charging aims at.
CHARGE_NOISE_US = 100

# What a bot reads in the games after its first three, if it became ready in none of them.
NOT_STARTED = "not started again"


class Beside:
    """A program of the catalogue that plays, with its rows; `name` is that of its submission."""

    def __init__(self, name, rows):
        self.name, self.rows, self.program = name, rows, rows[0]["program"]

    def enter(self, folder, programs, token, targets):
        place = folder / self.name
        if self.program == "builds":
            shutil.copytree(HOSTILE / "builds" / self.name, place)
            return
        place.mkdir()
        shutil.copy2(programs.get(self.program), place / "bot")
        (place / "bot").chmod(0o755)
        (place / "mode").write_text(self.name)
        (place / "token").write_text(token)
        if self.program == "message.c":
            (place / "unread").mkdir()
            (place / "unread/note").write_text("unread")
        if self.program == "reach.cpp":
            (place / "targets.txt").write_text("".join(f"{name} {path}\n" for name, path in targets.items()))

    def look(self, run, level):
        """Lists what is not as the rows claim; `level` is that of the isolation, and a column of the table."""
        if self.program in ALL_IN_ONE:
            return self.look_at_words(run, level)
        return self.look_at_build(run) if self.program == "builds" else self.look_at_games(run)

    def look_at_words(self, run, level):
        log = run / f"logs/stderr/{self.name}.txt"
        words = log.read_text(errors="replace") if log.exists() else ""
        claims = {row["mode"]: row[level] for row in self.rows}
        for line in sorted(set(words.splitlines())):
            attempt, _, result = line.rpartition(": ")
            if result == "done" and claims.get(attempt) == "closed" or line.startswith("found: "):
                yield Finding("verdict", self.name, f"{self.name} says {line!r}")

    def look_at_build(self, run):
        (found,) = [row for row in tables_of(run)["submissions"] if row["entrant"] == self.name]
        (row,) = self.rows
        ready = found["plays"] == "yes"
        if ready != (row["end"] == "ready") or not ready and row["end"] not in found["reason"]:
            text = f"{self.name}: plays: {found['plays']}, {found['reason']!r}, and not {row['end']!r}"
            yield Finding("verdict", self.name, text)

    def look_at_games(self, run):
        (row,) = self.rows
        games = [game for game in map(parsed, lines_of(run)) if game and "fixture" in game]
        for game in games:
            names = [seat["entrant"] for seat in game["seats"]]
            if self.name not in names or not set(names) & set(HONEST):
                continue
            faults = game["faults"]
            end = game["end"] if isinstance(game["end"], str) else "fault"
            end = faults[0]["cause"] if faults else end
            charged = [names[fault["seat"]] for fault in faults]
            if end not in row["end"].split("|") or set(charged) - {self.name}:
                yield Finding("verdict", self.name, f"{names}: {end}, {faults}, and not {row['end']}")
            elif faults and not game.get("overloaded") and not any(words in faults[0]["detail"] for words in (row["detail"], NOT_STARTED)):
                yield Finding("verdict", self.name, f"{names}: {faults[0]['detail']!r} has no {row['detail']!r}")


class Programs:
    """The catalogue's programs, compiled when they are first asked for."""

    def __init__(self, folder):
        self.folder = folder

    def get(self, name):
        source = HOSTILE / name
        if source.suffix not in (".c", ".cpp"):
            return source
        program = self.folder / source.stem
        if not program.exists():
            compiler = ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc"]
            subprocess.run([*compiler, "-O1", "-pthread", "-static", "-s", "-w", "-o", program, source], check=True)
        return program


class HostileArena(Arena):
    """Honest bots, and whoever of the catalogue plays beside them."""

    states = 1

    def __init__(self, name, programs, *flags):
        super().__init__(name, *flags)
        self.programs, self.beside = programs, []

    def enter(self, folder, build_seconds=0):
        token, outside = folder.parent.parent.name + folder.parent.name, folder.parent / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "open").mkdir(exist_ok=True)
        (outside / "open").chmod(0o777)
        closed = outside / "closed"
        closed.mkdir(exist_ok=True)
        (closed / "file").write_text("closed")
        closed.chmod(0o700)
        run = folder.parent / "run"
        targets = {
            "submission": folder / HONEST[0] / "bot",
            "run": run,
            "journal": run / "journal.jsonl",
            "secret": run / "staff/keys.json",
            "open": outside / "open",
            "closed": closed / "file",
            "tmp": f"/tmp/judge-{token}",
            "shm": f"/dev/shm/judge-{token}",
            "name": f"/judge-{token}",
            "outsider": os.getpid(),
            "calm": "yes",
        }
        for name in HONEST:  # always the same programs
            Beside(name, [{"program": "bot.c"}]).enter(folder, self.programs, "honest", targets)
        for one in self.beside:
            one.enter(folder, self.programs, token, targets)

    def traces(self, folder):
        """Lists what was written where programs of the catalogue try to."""
        token = folder.parent.name + folder.name
        places = ["/tmp", "/var/tmp", "/dev/shm", os.environ.get("HOME", "/")]
        found = [f"{place}/{name}" for place in places if os.access(place, os.R_OK) for name in os.listdir(place)]
        return [path for path in found if token in path] + list(map(str, (folder / "outside/open").iterdir()))


def catalogue():
    """Returns who can play beside honest bots."""
    with (HOSTILE / "catalogue.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if row["program"] in ALL_IN_ONE or row["run"] in RUNS]
    found = collections.defaultdict(list)
    for row in rows:
        together = row["program"] in ALL_IN_ONE
        found[row["program"].partition(".")[0] if together else row["mode"]].append(row)
    return [Beside(name, rows) for name, rows in found.items()]


def left_out():
    """Returns the rows whose programs cannot play here, by run, as text."""
    with (HOSTILE / "catalogue.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if row["program"] not in ("", *ALL_IN_ONE)]
    by_run = collections.defaultdict(list)
    for row in rows:
        if row["run"] not in RUNS:
            by_run[row["run"]].append(row["mode"])
    return "".join(f"  {run}: {', '.join(modes)}\n      ({OTHER_RUNS[run]})\n" for run, modes in by_run.items())


def charges_of(run, fixtures):
    """Returns the median charge of a turn, in µs, by entrant, in these games."""
    charges = collections.defaultdict(list)
    for game in map(parsed, lines_of(run)):
        if game and game.get("fixture") in fixtures:
            for seat, _, cpu_us, *_ in game["turns"]:
                charges[game["seats"][seat]["entrant"]].append(cpu_us)
    return {name: statistics.median(us) for name, us in charges.items()}


def differing_charges(run, reference):
    """Lists whose turns cost more than without the others."""
    expected = charges_of(reference.run, reference.games)
    for name, us in charges_of(run, reference.games).items():
        if us > 2 * expected[name] + CHARGE_NOISE_US:
            text = f"{name}: a turn is charged {us} µs at the median, and {expected[name]} µs without the others"
            yield Finding("charged", name, text)
