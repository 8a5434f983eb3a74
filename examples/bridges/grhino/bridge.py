"""Lets GRhino, which speaks the Go Text Protocol, play Reversi for the judge.

The whole position is set up before every move, so it does not matter where a game begins, who
passed, or how long this process lives. GRhino knows no pass: where that is the only move, it is
not asked.
"""
import json
import subprocess
import sys

COLUMNS = "ABCDEFGH"
DISCS = str.maketrans("BW", "XO")


class Engine:
    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, command):
        """Gives the answer to one command: lines up to an empty one, the first begins with =."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip():
                lines.append(line.rstrip())
            elif lines:
                break
        if not lines or not lines[0].startswith("="):
            sys.exit(f"the engine answers {command!r} with {lines}")
        return lines[0][1:].strip()


def choose(engine, turn):
    if turn["legal"] == ["pass"]:
        return "pass"
    view = turn["view"]
    colour = view["you"][0]
    engine.ask(f"grhino-setup_board {view['board'].translate(DISCS)} {colour.upper()}")
    field = engine.ask(f"genmove {colour}")
    return COLUMNS.index(field[0].upper()) + 8 * (int(field[1:]) - 1)


def main():
    engine = Engine(sys.argv[1:])
    for line in sys.stdin:
        message = json.loads(line)
        if "turn" in message:
            print(json.dumps({"move": choose(engine, message["turn"])}), flush=True)
        elif "end" not in message:
            print('{"ready": {"legal_moves": true}}', flush=True)
    engine.process.stdin.close()
    engine.process.wait()


main()
