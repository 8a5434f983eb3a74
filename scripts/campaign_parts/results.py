"""What a run has left: its games and tables without times, and how they differ."""

import collections
import csv
import io
import json
import os
import re
import shutil
import stat

Finding = collections.namedtuple("Finding", "column sort text")


def lines_of(run):
    return (run / "journal.jsonl").read_bytes().split(b"\n")[:-1]


def parsed(line):
    try:
        game = json.loads(line)
    except ValueError:
        return None
    return game if isinstance(game, dict) else None


def without_times(value):
    """Returns a part of a game's record without what another run of the game may change."""
    if isinstance(value, list):
        return [without_times(part) for part in value]
    if not isinstance(value, dict):
        return value
    aside = ("overloaded", "suspended", "detail", "machine", "after", "mac")
    kept = {k: without_times(v) for k, v in value.items() if not k.endswith("_us") and k not in aside}
    if isinstance(value.get("turns"), list):
        kept["turns"] = [turn[:2] if isinstance(turn, list) else turn for turn in value["turns"]]
    return kept


def games_of(run):
    """Returns the recorded games by fixture, each a list of what stands there; lines that name
    no fixture are no games, and what cannot be read is under `None`."""
    games = collections.defaultdict(list)
    for line in lines_of(run):
        game = parsed(line)
        if game is None or "fixture" in game:
            games[game and game["fixture"]].append(game and without_times(game))
    return games


def table_of(path):
    """Returns a table without the columns that hold times."""
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    aside = ("overloaded", "detail", "received", "version")
    return [{k: v for k, v in row.items() if not k.endswith("_us") and k not in aside} for row in rows]


TABLES = ["standings", "games", "faults", "submissions", "cats_vs_catchers"]


def tables_of(run):
    return {name: table_of(run / f"{name}.csv") for name in TABLES if (run / f"{name}.csv").exists()}


def tree_of(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def level_of(run):
    """Returns the column of the catalogue for what isolated the bots of a run."""
    *_, machine = (line["about"]["machine"] for line in map(parsed, lines_of(run)) if "about" in line)
    return machine["isolation"]["level"]


class Reference:
    """What an undisturbed run of an arena has left, and how long its parts take."""

    def __init__(self, run, spans):
        self.run, self.spans = run, spans  # seconds by stage
        self.games, self.tables, self.tree = games_of(self.run), tables_of(self.run), tree_of(self.run)
        self.journal = (self.run / "journal.jsonl").read_bytes()
        self.level = level_of(self.run)


def compare(run, reference, others=()):
    """Lists what differs from the undisturbed run; `others` play besides."""
    if not (run / "journal.jsonl").exists():
        return [Finding("missing", "journal", "there is no journal")]
    games, findings = games_of(run), refused_submissions(run, reference)
    for fixture, (expected,) in reference.games.items():
        found = games.pop(fixture, [])
        if not found:
            findings.append(Finding("missing", "game", f"game {fixture} is missing"))
        if len(found) > 1:
            findings.append(Finding("doubled", "game", f"game {fixture} stands there {len(found)} times"))
        for game in found:
            if game != expected:
                findings.append(difference(fixture, expected, game))
    for fixture, found in games.items():
        if len(found) == 1 and found[0] and any(seat["entrant"] in others for seat in found[0]["seats"]):
            continue
        findings.append(Finding("changed", "strange line", f"{len(found)} lines of no game: {fixture}"))
    if not others and not findings:
        findings += differing_tables(run, reference)
    return findings


def difference(fixture, expected, game):
    was, now = expected["faults"], game.get("faults")
    new = [fault for fault in now if fault not in was] if isinstance(now, list) else []
    if new and isinstance(new[0], dict):
        entrant = game["seats"][new[0].get("seat", 0)]["entrant"]
        sort = f"{new[0].get('cause')} in a game"
        return Finding("blamed", sort, f"{entrant} in game {fixture}: {json.dumps(new[0])}")
    path, old, other = first_difference(expected, game)
    return Finding("changed", field(path), f"game {fixture}: {path} was {old!r}, is {other!r}")


def differing_tables(run, reference):
    tables = tables_of(run)
    for name, expected in reference.tables.items():
        table = tables.get(name)
        if table is None:
            yield Finding("missing", f"{name}.csv", f"{name}.csv is missing")
        elif table != expected:
            path, old, other = first_difference(expected, table)
            yield Finding("changed", f"{name}.csv", f"{name}.csv: {path} was {old!r}, is {other!r}")


def refused_submissions(run, reference):
    """Lists who does not play, and did without a disturbance."""
    played = {row["entrant"] for row in reference.tables["submissions"] if row["plays"] == "yes"}
    rows = tables_of(run).get("submissions", [])
    out = [row for row in rows if row["plays"] != "yes" and row["entrant"] in played]
    return [Finding("blamed", "does not play", f"{row['entrant']} does not play: {row['reason']}") for row in out]


def first_difference(one, other, path=""):
    """Returns the path to the first difference, and both values there."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(k for k in other if k not in one)]:
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{path}.{key}" if path else key)
    if isinstance(one, list) and isinstance(other, list):
        for index, (left, right) in enumerate(zip(one, other)):
            if left != right:
                return first_difference(left, right, f"{path}[{index}]")
    return path, one, other


def field(path):
    return re.sub(r"\[\d+\]", "[]", path)


def remove(folder):
    """Removes a folder, also where a program has closed a part of it to us."""
    for place, _, _ in os.walk(folder):
        os.chmod(place, stat.S_IMODE(os.stat(place).st_mode) | 0o700)
    shutil.rmtree(folder)


def line_starts(content):
    starts = [0]
    for line in content.splitlines(keepends=True)[:-1]:
        starts.append(starts[-1] + len(line))
    if b"\r" in content or len(starts) != content.count(b"\n") + (not content.endswith(b"\n")):
        starts = [0, *(i + 1 for i, byte in enumerate(content[:-1]) if byte == 10)]
    return starts


def describe_flip(original, damaged, starts, flip):
    """Returns where a flip is and what it did, and the field that it changed."""
    line, offset, _ = flip
    at = starts[line] + offset
    place = f"byte {at} of the journal (line {line + 1}, offset {offset}): {bytes([original[at]])} became {bytes([damaged[at]])}"
    end = original.index(b"\n", starts[line])
    one, other = parsed(original[starts[line] : end]), parsed(damaged[starts[line] : end])
    if other is None:
        return place, "not JSON"
    path, was, now = first_difference(one, other)
    return f"{place}; {path} was {was!r}, is {now!r}", field(path)
