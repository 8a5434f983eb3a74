#!/usr/bin/env python3
"""The cat runs for the nearest side; the catcher blocks the cell that this cat would take."""
import json
import sys


def step(view):
    side, (x, y), world = view["side"], view["cat"], view["world"]
    half, odd = side // 2, y % 2
    best = None
    for dx, dy in [(-1, 0), (1, 0), (odd - 1, -1), (odd, -1), (odd - 1, 1), (odd, 1)]:
        nx, ny = x + dx, y + dy
        if abs(nx) > half or abs(ny) > half or world[(ny + half) * side + nx + half] == "1":
            continue
        ahead = half - max(abs(nx), abs(ny))
        if best is None or ahead < best[0]:
            best = (ahead, [nx, ny])
    return best[1]


for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": step(message["turn"]["view"])}), flush=True)
    elif "end" not in message:
        print('{"ready": {"name": "sprinter"}}', flush=True)
