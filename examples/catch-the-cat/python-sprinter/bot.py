#!/usr/bin/env python3
"""The cat runs for the nearest side; the catcher blocks where that run would end."""
import json
import sys


def run(view):
    """The cells on the way that always takes the neighbour nearest to a side."""
    side, (x, y), world = view["side"], view["cat"], view["world"]
    half, way = side // 2, []
    while max(abs(x), abs(y)) < half:
        odd, best = y % 2, None
        for dx, dy in [(-1, 0), (1, 0), (odd - 1, -1), (odd, -1), (odd - 1, 1), (odd, 1)]:
            cell = (x + dx, y + dy)
            if world[(cell[1] + half) * side + cell[0] + half] == "1" or cell in way:
                continue
            ahead = half - max(abs(cell[0]), abs(cell[1]))
            if best is None or ahead < best[0]:
                best = (ahead, cell)
        if best is None:
            break
        x, y = best[1]
        way.append(best[1])
    return way


role = None
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        way = run(message["turn"]["view"])
        cell = way[0] if role == "cat" else next(c for c in reversed(way) if c != tuple(message["turn"]["view"]["cat"]))
        print(json.dumps({"move": cell}), flush=True)
    elif "end" not in message:
        role = message.get("hello", message.get("start"))["role"]
        print('{"ready": {"name": "sprinter"}}', flush=True)
