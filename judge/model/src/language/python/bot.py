#!/usr/bin/env python3
"""A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages."""
import json
import random
import sys


def choose(turn, rng):
    """Returns the move to play. Begin here: turn["view"] is what you see."""
    return rng.choice(turn["legal"])


def main():
    seed = 0
    for line in sys.stdin:
        message = json.loads(line)
        if "turn" in message:
            turn = message["turn"]
            # Reseeded for each turn, so that the same position gives the same move.
            rng = random.Random(f"{seed} {turn['ply']}")
            # A line for you, in the replay: add "note": "..." and "marks": [{"at": ..., "label": "7"}].
            answer({"move": choose(turn, rng)})
        elif "end" not in message:
            seed = message.get("hello", message.get("start"))["seed"]
            answer({"ready": {"legal_moves": True}})


def answer(message):
    """Writes one line. For anything else use print(..., file=sys.stderr)."""
    print(json.dumps(message), flush=True)


main()
