#!/usr/bin/env python3
"""Plays a random legal move, in any game."""
import json
import random
import sys

seed = 0
for line in sys.stdin:
    (kind, message), = json.loads(line).items()
    if kind == "turn":
        # The same turn of the same game has the same move.
        move = random.Random(f"{seed} {message['ply']}").choice(message["legal"])
        print(json.dumps({"move": move}), flush=True)
    elif kind != "end":
        seed = message["seed"]
        print('{"ready":{"legal_moves":true}}', flush=True)
