//! Submissions in Python.

use super::Change::{Nothing, Text};
use super::Verdict::{Broken, Faults, Plays};
use super::{Case, FORGED, case};

pub(super) const CASES: &[Case] = &[
    case("good", Nothing, Plays("")),
    case(
        "says",
        Text(
            "bot.py",
            "        return {",
            "        return {\n            \"note\": \"two \\u2603 ways\",\n            \"marks\": [{\"at\": (1, 2), \"strength\": 0.5}],",
        ),
        Plays("-- note two \u{2603} ways\n-- marks [[2,1,50,\"\"]]\n"),
    ),
    case(
        "unsayable",
        Text(
            "bot.py",
            "        return {",
            "        return {\n            \"note\": object(),",
        ),
        Plays("the kit left out the note and the marks: TypeError"),
    ),
    case(
        "prints",
        Text(
            "bot.py",
            "import random",
            "import random\n\nprint('{\"move\":[0,0]}')",
        ),
        Plays(FORGED),
    ),
    case(
        "farewell",
        Text(
            "bot.py",
            "import random",
            "import random\nimport atexit, sys\n\natexit.register(sys.stderr.write, 'the end\\n')",
        ),
        Plays("the end"),
    ),
    case(
        "unwritable",
        Text(
            "bot.py",
            "import random",
            "import random\nimport atexit, io, sys\n\n\nclass Full(io.StringIO):\n    def flush(self):\n        raise OSError('no room')\n\n\n@atexit.register\ndef spoil():\n    sys.stdout = Full()",
        ),
        Plays("OSError: no room"),
    ),
    case(
        "unlisted",
        Text(
            "bot.py",
            "import random",
            "import random\nimport nosuchmodule.part",
        ),
        Broken(
            "bot.py, line 4: nosuchmodule may not be imported; what may: your own modules, the standard library, numpy",
            "",
        ),
    ),
    case(
        "tries",
        Text(
            "bot.py",
            "import random",
            "import random\ntry:\n    import nosuchmodule\nexcept ImportError:\n    nosuchmodule = None\nimport collections.abc, heapq",
        ),
        Plays(""),
    ),
    case(
        "template",
        Text(
            "bot.py",
            "assasin_direction):",
            "assasin_direction, *, print_logs):\n        assert isinstance(spotter_point, tuple)",
        ),
        Plays(""),
    ),
    case(
        "debug",
        Text(
            "bot.py",
            "        return {",
            "        return {\n            \"Debug\": {1, 2},",
        ),
        Plays(""),
    ),
    case(
        "tuples",
        Text(
            "bot.py",
            "        # Begin here",
            "        where = {percepts[\"spotter location\"], percepts[\"assasin location\"]}\n\
             \x20       assert len(where) == 2 and len(percepts) == 9\n\
             \x20       kind = list if hasattr(self, \"old\") else tuple\n\
             \x20       self.old = True\n\
             \x20       assert type(percepts[\"spotter direction\"]) is kind\n        # Begin here",
        ),
        Plays(""),
    ),
    case(
        "stays",
        Text(
            "bot.py",
            "        return {",
            "        spotter_moves, assasin_moves[1] = [(0, 0), [0, -1]], [0, 0]\n        return {",
        ),
        Plays(""),
    ),
    case(
        "blunders",
        Text(
            "bot.py",
            "        return {",
            "        assasin_moves[2] = \"up\"\n        return {",
        ),
        Faults(
            "illegal-move",
            "the assasin's move 3 is not a pair of whole numbers; a move is [0,0] (stay) or one of",
            "",
        ),
    ),
    case(
        "slow",
        Text("bot.py", "# Begin here", "while True: pass\n        #"),
        Faults("time", "", ""),
    ),
    case(
        "crashes",
        Text(
            "bot.py",
            "# Begin here",
            "raise ValueError(\"lost\")\n        #",
        ),
        Faults(
            "malformed",
            "ValueError: lost",
            "  File \"bot.py\", line 17, in step",
        ),
    ),
    case(
        "leaves",
        Text(
            "bot.py",
            "# Begin here",
            "import sys; sys.exit(\"enough\")\n        #",
        ),
        Faults("malformed", "raised SystemExit: enough", "line 17, in step"),
    ),
    case(
        "interrupts",
        Text(
            "bot.py",
            "# Begin here",
            "raise KeyboardInterrupt\n        #",
        ),
        Faults("malformed", "raised KeyboardInterrupt", "line 17, in step"),
    ),
    case(
        "nothing",
        Text("bot.py", "        return {", "        return\n        {"),
        Faults(
            "malformed",
            "step must return a dictionary with a dictionary for Spotter, not None",
            "",
        ),
    ),
    case(
        "data",
        Text(
            "bot.py",
            "class MyBot:\n    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):",
            "from dataclasses import dataclass\n\n\n@dataclass\nclass MyBot:\n\
             \x20   spotter: tuple\n    assasin: tuple\n    one: tuple\n    other: tuple\n\n    def later(self):",
        ),
        Plays(""),
    ),
    case(
        "exits",
        Text(
            "bot.py",
            "\"\"\"Called once a game",
            "raise ValueError(\"never\")\n        \"\"\"Called",
        ),
        Faults("exit", "", "ValueError: never"),
    ),
    case(
        "signature",
        Text("bot.py", "def step(self, percepts)", "def step(self)"),
        Broken(
            "bot.py, line 13: MyBot.step(self) cannot be called; the course asks for def step(self, percepts)",
            "",
        ),
    ),
    case(
        "constructor",
        Text(
            "bot.py",
            "assasin_point, spotter_direction",
            "spotter_direction",
        ),
        Broken(
            "the course asks for def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction)",
            "",
        ),
    ),
    case(
        "unmade",
        Text("bot.py", "def __init__(", "def init("),
        Broken(
            "bot.py, line 9: MyBot cannot be made with 4 arguments; the course asks for def __init__(self, spotter_point",
            "",
        ),
    ),
    case(
        "heir",
        Text(
            "bot.py",
            "class MyBot:",
            "class Base:\n    def step(self, percepts):\n        return {}\n\n\n\
             class MyBot(Base):\n    pass\n\n\nif False:\n  class Unused:",
        ),
        Broken(
            "bot.py, line 14: MyBot cannot be made with 4 arguments; the course asks for def __init__(self, spotter_point",
            "",
        ),
    ),
    case(
        "heir-of-another",
        Text(
            "bot.py",
            "class MyBot:",
            "class Base:\n    def __init__(self, one):\n        pass\n\n    def step(self, percepts):\n        return {}\n\n\n\
             class MyBot(Base):\n    pass\n\n\nif False:\n  class Unused:",
        ),
        Broken(
            "bot.py, line 10: Base.__init__(self, one), which MyBot inherits, cannot be called; the course asks for",
            "",
        ),
    ),
    case(
        "two",
        Text(
            "bot.py",
            "class MyBot:",
            "class Other:\n    def step(self, percepts):\n        pass\n\n\nclass MyBot:",
        ),
        Broken(
            "several classes have a method step: MyBot in bot.py and Other in bot.py",
            "",
        ),
    ),
    case(
        "none",
        Text(
            "bot.py",
            "    def step(self, percepts):",
            "def step(self, percepts):\n    if True:",
        ),
        Broken("no class has a method step(self, percepts)", ""),
    ),
    case(
        "syntax",
        Text("bot.py", "class MyBot:", "class MyBot"),
        Broken("bot.py, line 9: expected ':'", "class MyBot"),
    ),
];
