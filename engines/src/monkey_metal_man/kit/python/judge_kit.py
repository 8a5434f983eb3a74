"""The judge's main for The Monkey and the Metal Man: it turns the protocol's lines (protocol.md)
into calls of your class, and is added when your submission is built; do not hand it in. Once a
game it calls the constructor of the class that has step, its own or an inherited one, with the
two pieces' points and directions.

Arguments: the file that has the class, the class, "package" where files import each other
relatively and "file" where not, and "print_logs" where its constructor wants a keyword of that
name. Nothing of the submission is imported before its first turn, so that
all its time is on its own clock.
"""

import atexit
import importlib
import importlib.util
import json
import os
import random
import stat
import sys
import traceback
import types

MESSAGE_CHARS_MAX = 500
NOTE_CHARS_MAX, MARKS_MAX, SAID_CHARS_MAX = 1100, 256, 50_000
PIECES = ["Spotter", "Assasin"]
FILE, CLASS, KIND, *KEYWORDS = sys.argv[1:]
HERE = os.getcwd()


def cage():
    """Returns the module by which the judge forks this program, where it does."""
    if not stat.S_ISSOCK(os.fstat(0).st_mode):
        return None
    # From its text: an import would take a compiled file of the submission's for it.
    with open("judge_cage.py", "rb") as file:
        code = compile(file.read(), "judge_cage.py", "exec")
    before = set(sys.modules)
    module = types.ModuleType("judge_cage")
    exec(code, module.__dict__)
    module.added = set(sys.modules) - before
    return module


def report(error):
    """Shows the author a traceback of the author's own lines, with the names of files as they
    were submitted."""
    trace = error.__traceback__
    ours = (__file__, "<frozen importlib", importlib.__file__)
    while trace and trace.tb_frame.f_code.co_filename.startswith(ours):
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace))
    sys.stdout.flush()
    sys.stderr.write(text.replace(HERE + os.sep, ""))
    sys.stderr.flush()


sys.excepthook = lambda kind, error, trace: report(error)


def streams():
    """Keeps the real standard streams for the protocol: what the submission prints goes to standard
    error, which its author gets to read, and its standard input is empty."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)

    def answer(message):
        sys.stdout.flush()
        line = json.dumps(message, default=plain).encode() + b"\n"
        while line:
            line = line[os.write(answers, line) :]

    return questions, answer


def plain(value):
    """Turns a number or an array of numpy, or any iterable, into what JSON knows."""
    return value.tolist() if hasattr(value, "tolist") else list(value)


def load():
    """Returns the class, with the imports of its module found beside its file."""
    path = os.path.join(HERE, FILE)
    sys.path[:0] = dict.fromkeys([os.path.dirname(path), HERE])
    if KIND == "package":
        # The submission's folder is one, whatever its name was.
        root = sys.modules["submission"] = types.ModuleType("submission")
        root.__path__ = [HERE]
        parts = os.path.splitext(FILE)[0].split(os.sep)
        return getattr(importlib.import_module(".".join(["submission", *parts])), CLASS)
    name = os.path.splitext(os.path.basename(FILE))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, CLASS)


class Player:
    """One game of an object of the submission's class."""

    def __init__(self, bot_class, view):
        percepts = dict(view)
        # Tuples until the first turn; afterwards whatever the bot itself has sent.
        self.directions = {piece: tuple(view[f"{piece.lower()} direction"]) for piece in PIECES}
        self.sent = self.directions
        self.see(percepts)
        names = ["spotter location", "assasin location", "spotter direction", "assasin direction"]
        keywords = {name: False for name in KEYWORDS}
        self.bot = bot_class(*(percepts[name] for name in names), **keywords)

    def see(self, percepts):
        """Makes of the view what the course's program hands over."""
        for piece in PIECES:
            location, direction = f"{piece.lower()} location", f"{piece.lower()} direction"
            percepts[location] = tuple(percepts[location])
            if list(self.sent[piece]) == percepts[direction]:
                self.directions[piece] = self.sent[piece]
            percepts[direction] = self.directions[piece]

    def step(self, percepts):
        """Returns the orders, and what the bot says to its author."""
        self.see(percepts)
        action = self.bot.step(percepts)
        orders = orders_of(action)
        text = json.dumps(orders, default=plain)
        self.sent = {piece: plain_pair(orders[piece].get("direction")) for piece in PIECES}
        return json.loads(text), said_of(action)


def orders_of(action):
    """Returns what the judge takes of an action; bots add keys of their own."""
    for piece in PIECES:
        if not isinstance(action, dict) or not isinstance(action.get(piece), dict):
            shown = repr(action)[:MESSAGE_CHARS_MAX]
            raise TypeError(f"step must return a dictionary with a dictionary for {piece}, not {shown}")
    keys = ["direction", "moves"]
    return {piece: {key: action[piece][key] for key in keys if key in action[piece]} for piece in PIECES}


def said_of(action):
    """Returns an action's note and marks, as far as they can be written. They are for the author, so
    nothing in them is a fault."""
    said = {key: action[key] for key in ("note", "marks") if key in action}
    if not said:
        return said
    try:
        if isinstance(said.get("note"), str):
            said["note"] = said["note"][:NOTE_CHARS_MAX]
        if "marks" in said:
            said["marks"] = list(said["marks"] or ())[:MARKS_MAX]
        text = json.dumps(said, default=plain, allow_nan=False)
        if len(text) > SAID_CHARS_MAX:
            raise ValueError(f"they have {len(text)} characters")
        return json.loads(text)
    except BaseException as error:
        sys.stderr.write(f"the kit left out the note and the marks: {error!r:.{MESSAGE_CHARS_MAX}}\n")
        return {}


def plain_pair(direction):
    return direction if isinstance(direction, (list, tuple)) else ()


def leave():
    """Ends the program at once, for speed only: an interpreter that tidies up its memory takes 5 ms
    for that in a forked process, which shares its pages. What is registered with atexit has run,
    and what was printed is written, or the reason why not and the exit code 120, as otherwise.
    Threads are not waited for, daemons or not: they end with the program."""
    code = 120
    try:
        # Python has no public name for what it does here at its end.
        atexit._run_exitfuncs()
        if all([is_written(stream) for stream in (sys.stdout, sys.stderr)]):
            code = 0
    finally:
        os._exit(code)


def is_written(stream):
    """Writes what a stream still holds; returns whether it could."""
    try:
        if stream and not stream.closed:
            stream.flush()
    except Exception as error:
        # Past whatever the submission has put in its place.
        os.write(2, "".join(traceback.format_exception_only(error)).encode())
        return False
    return True


def read(line):
    """Returns a message's name and content. Ends the program at a line that is not as protocol.md
    has it, and shows the line to the author."""
    try:
        [[name, content]] = json.loads(line).items()
        needed = {"hello": ["seed"], "start": ["seed"], "turn": ["view"], "end": []}[name]
        [content[key] for key in needed]
        return name, content
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        why = "".join(traceback.format_exception_only(error)).strip()
        shown = line.decode(errors="replace").rstrip("\n")
        sys.stderr.write(f"the kit cannot read this line ({why}): {shown}\n")
        sys.exit(2)


def main():
    bot_class, player = None, None
    forked = cage()
    reports = forked.serve() if forked else None
    # What the submission imports is loaded for it, or is its own.
    for module in forked.added if forked else ():
        sys.modules.pop(module, None)
    questions, answer = streams()
    for line in questions:
        name, content = read(line)
        if name == "turn":
            view = content["view"]
            try:
                bot_class = bot_class or load()
                player = player or Player(bot_class, view)
            except BaseException as error:
                # Without an object nothing can be asked: the player is gone.
                report(error)
                sys.exit(1)
            said = {}
            try:
                move, said = player.step(view)
            except BaseException as error:
                # No legal move, also where it meant to end the program: the judge counts a
                # fault, and the game goes on.
                report(error)
                text = "".join(traceback.format_exception_only(error)).strip()
                move = {"exception": text[:MESSAGE_CHARS_MAX]}
            answer({"move": move, **said})
        elif name != "end":
            player = None
            random.seed(content["seed"])
            answer({"ready": {}})
            if reports is not None:
                forked.hand_over(reports)
                reports = None
    leave()


main()
