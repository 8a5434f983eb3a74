"""Season after season, each with one disturbance, and the table of what was found."""

import collections
import random
import sys
import time

from .arenas import Arena
from .disk import NotHere, on_own_disk
from .hostile import catalogue, HANDFUL, HostileArena, Programs
from .processes import end_all, own_descendants
from .results import compare, Finding, Reference, remove
from .season import Season

COLUMNS = [
    "missing",
    "doubled",
    "changed",
    "blamed",
    "verdict",
    "charged",
    "processes",
    "groups",
    "files",
    "stopped",
]
EXAMPLES_SHOWN = 3
CATALOGUE_EVERY = 7


class Disturbance:
    def __init__(self, name, arenas, act, own_disk=False):
        self.name, self.arenas, self.act, self.own_disk = name, arenas, act, own_disk
        self.seasons, self.hits, self.exits = 0, 0, collections.Counter()
        self.findings, self.not_here = [], None  # (season, finding) each


def disturbances():
    everywhere = ["turns", "games", "trees"]
    listed = []
    kills = {
        "build": ["coordinator", "compiler", "everything", "Ctrl-C"],
        "play": ["coordinator", "worker", "bot", "everything", "Ctrl-C"],
        "tables": ["coordinator", "Ctrl-C"],
    }
    for stage, killed in kills.items():
        for victim in killed:
            name = victim if victim == "Ctrl-C" else f"kill {victim}"
            listed.append(Disturbance(f"{stage}: {name}", everywhere, lambda s, a=stage, b=victim: s.kill(a, b)))
    for what, name in (("bytes", "disk full"), ("inodes", "no inodes")):
        for stage in kills:
            act = lambda s, a=stage, b=what: s.fill(a, b)
            listed.append(Disturbance(f"{stage}: {name}", ["turns", "games"], act, own_disk=True))
    for stage in ("play", "tables"):
        act = lambda s, a=stage: s.limit_files(a)
        listed.append(Disturbance(f"{stage}: file size limit", ["turns", "games"], act))
    listed.append(Disturbance("journal: flipped bytes", ["games"], Season.flip_some))
    listed.append(Disturbance("journal: strange lines", ["games"], Season.strange_lines))
    for place in ("run.json", "artifacts", "versions", "staff"):
        act = lambda s, a=place: s.damage(a)
        listed.append(Disturbance(f"beside it: {place}", ["games"], act))
    # Among the others, so that a short run comes to some.
    for place, victim in enumerate([None, "worker", "coordinator", "everything"]):
        act = lambda s, v=victim: s.play_beside(v)
        beside = Disturbance(f"catalogue: {f'kill {victim}' if victim else 'play'}", ["hostile"], act)
        listed.insert(CATALOGUE_EVERY * (place + 1) - 1, beside)
    return listed


class Campaign:
    def __init__(self, judge, folder, seed):
        self.judge, self.folder, self.seed = judge, folder, seed
        self.disturbances, self.seasons = disturbances(), 0
        self.chosen = self.disturbances  # the rows of the table
        turns = Arena("turns", "--set", "side=9", "--lifetime", "turn")
        games = Arena("games", "--set", "side=5", "--lifetime", "game")
        trees = Arena("trees", "--set", "side=5", "--lifetime", "game", "--set", "bots.processes=true")
        self.programs = folder / "programs"
        self.programs.mkdir()
        clocks = ["--turn-s", "0.3", "--set", "clock.backstop_s=2", "--jobs", "4"]
        hostile = HostileArena("hostile", Programs(self.programs), "--set", "side=9", "--lifetime", "game", *clocks)
        self.arenas = {arena.name: arena for arena in (turns, games, trees, hostile)}
        self.catalogue = catalogue()
        random.Random(seed).shuffle(self.catalogue)
        self.played = set()  # names of the catalogue

    def refer(self, arena):
        """Plays an arena without any disturbance, twice, and remembers what comes of it."""
        folder = self.folder / f"reference-{arena.name}"
        folder.mkdir()
        season = Season(self.judge, arena, folder, random.Random())
        season.prepare("build")
        fresh = self.time(season)
        tables = self.time(season)
        once = Reference(season.run, {})
        (season.run / "journal.jsonl").unlink()
        play = self.time(season)
        if findings := compare(season.run, once):
            sys.exit(f"campaign: two undisturbed runs of {arena.name} differ: {findings[0].text}")
        build = max(fresh - play, 0.1) + 0.2  # and a little of the games
        arena.reference = Reference(season.run, {"build": build, "play": play, "tables": tables})

    def time(self, season):
        judged = season.start()
        code = season.settle(judged)
        if code == 2 and "bots.processes=true" in season.arena.flags:
            raise NotHere(judged.complaint())
        if code != 0 or season.findings:
            sys.exit(f"campaign: an undisturbed run exited with {code}: {judged.said()}{season.findings}")
        return time.monotonic() - judged.began

    def go_on(self, seconds, only, alone):
        until = time.monotonic() + seconds
        self.chosen = [d for d in self.disturbances if only in d.name]
        if not self.chosen:
            sys.exit(f"campaign: no disturbance has {only!r} in its name")
        # Not always the same ones first: a busy machine comes to few of them in two minutes.
        number = self.seed % len(self.disturbances)
        if alone is not None:
            number, self.chosen = alone, [self.disturbances[alone % len(self.disturbances)]]
        while time.monotonic() < until and not all(d.not_here for d in self.chosen):
            # The order does not depend on --only, so that a season's number says all.
            disturbance = self.disturbances[number % len(self.disturbances)]
            if disturbance in self.chosen:
                self.season(number, disturbance)
            if alone is not None:
                break
            number += 1

    def season(self, number, disturbance):
        rng = random.Random(f"{self.seed}/{number}")
        arena = self.pick_arena(rng, disturbance)
        if not arena:
            return
        folder = self.folder / f"season-{number}"
        folder.mkdir()
        if arena.name == "hostile":
            arena.beside = self.handful(number)
            names = [one.name for one in arena.beside]
            self.played.update(names)
            print(f"season {number}, {disturbance.name}: beside {', '.join(names)}", flush=True)
        season = Season(self.judge, arena, folder, rng)

        def act():
            disturbance.act(season)
            return {"hits": season.hits, "exits": list(season.exits.items()), "findings": season.findings}

        try:
            answer = on_own_disk(folder, act) if disturbance.own_disk else act()
        except NotHere as reason:
            disturbance.not_here = str(reason)
            return
        finally:
            end_all(own_descendants())
            remove(folder)
        self.seasons += 1
        disturbance.seasons += 1
        disturbance.hits += answer["hits"]
        disturbance.exits.update(dict(answer["exits"]))
        shown = set()
        for column, sort, text in answer["findings"]:
            disturbance.findings.append((number, Finding(column, sort, text)))
            if (column, sort) not in shown:  # the report counts them
                print(f"season {number}, {disturbance.name} ({arena.name}): {column}: {text}", flush=True)
            shown.add((column, sort))

    def handful(self, number):
        """Returns who of the catalogue plays in a season: in the order of the seasons, all of it."""
        own = [n for n, d in enumerate(self.disturbances) if d.arenas == ["hostile"]]
        rounds, place = divmod(number, len(self.disturbances))
        at = (rounds * len(own) + own.index(place)) * HANDFUL
        return [self.catalogue[(at + n) % len(self.catalogue)] for n in range(HANDFUL)]

    def pick_arena(self, rng, disturbance):
        name = rng.choice(disturbance.arenas)
        for arena in (self.arenas[name], *(self.arenas[other] for other in disturbance.arenas)):
            if not arena.reference and not arena.not_here:
                try:
                    self.refer(arena)
                except NotHere as reason:
                    arena.not_here = str(reason)
            if arena.reference:
                return arena
        disturbance.not_here = self.arenas[name].not_here
        return None

    def flip_all(self, seconds):
        """Flips every byte of a journal once, one in each line at a time."""
        until = time.monotonic() + seconds
        arena, rng = self.arenas["games"], random.Random(self.seed)
        self.refer(arena)
        every = Disturbance("journal: every byte", ["games"], None)
        self.disturbances = self.chosen = [every]
        folder = self.folder / "flips"
        folder.mkdir()
        season = Season(self.judge, arena, folder, rng)
        season.prepare("tables")
        lines = arena.reference.journal.splitlines(keepends=True)
        batches = [
            [(n, offset, 1 << rng.randrange(8)) for n, line in enumerate(lines) if offset < len(line) - 1]
            for offset in range(max(map(len, lines)) - 1)
        ]
        # Newlines: every other one at a time, so that two lines become one and not all of them.
        batches += [[(n, len(lines[n]) - 1, 1) for n in range(half, len(lines), 2)] for half in (0, 1)]
        done = 0
        try:
            while done < len(batches) and time.monotonic() < until:
                season.flip(batches[done])
                done += 1
        finally:
            flipped, bytes_all = sum(map(len, batches[:done])), len(arena.reference.journal)
            print(f"{flipped} of {bytes_all} bytes flipped in {done} of {len(batches)} runs", flush=True)
            every.seasons, every.hits, every.exits = 1, season.hits, season.exits
            every.findings = [(0, finding) for finding in season.findings]

    def report(self):
        """Prints the table; returns whether anything was found."""
        print(f"\n{'disturbance':<26}{'seasons':>8}{'hit':>7}" + "".join(f"{c:>10}" for c in COLUMNS) + "   exits")
        for row in self.chosen:
            self.print_row(row)
        for arena in self.arenas.values():
            if arena.not_here:
                print(f"not here: bots that start processes: {arena.not_here}")
        if self.played:
            print(f"of the catalogue {len(self.played)} of {len(self.catalogue)} programs and modes have played")
        self.print_findings()
        found = sum(len(row.findings) for row in self.disturbances)
        hits, what = sum(row.hits for row in self.chosen), f"{found} findings" if found else "nothing found"
        print(f"\nseed {self.seed}: {hits} hits in {self.seasons} seasons, {what}")
        if found and self.seasons:
            print(f"to repeat a season: scripts/campaign --seed {self.seed} --season K")
        return bool(found)

    def print_row(self, row):
        if row.not_here:
            print(f"{row.name:<26}not here: {row.not_here}")
        elif not row.seasons:
            print(f"{row.name:<26}not tried")
        elif not row.hits:
            print(f"{row.name:<26}{row.seasons:8}      0  not hit")
        else:
            counts = collections.Counter(finding.column for _, finding in row.findings)
            exits = " ".join(f"{code}×{count}" for code, count in sorted(row.exits.items(), key=str))
            cells = "".join(f"{counts[column] or '·':>10}" for column in COLUMNS)
            print(f"{row.name:<26}{row.seasons:8}{row.hits:7}{cells}   {exits}")

    def print_findings(self):
        for row in self.disturbances:
            sorts = collections.defaultdict(list)
            for number, finding in row.findings:
                sorts[finding.column, finding.sort].append((number, finding.text))
            for (column, sort), found in sorted(sorts.items()):
                print(f"\n{row.name}: {column}: {sort}: {len(found)} times")
                for number, text in found[:EXAMPLES_SHOWN]:
                    print(f"  season {number}: {text}")
