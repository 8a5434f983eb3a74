#!/usr/bin/env python3
import json, os, signal, sys
def say(text): print(text, flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if "turn" not in m:
        if "end" not in m: say('{"ready":{"legal_moves":true}}')
        continue
    ply = m["turn"]["ply"]
    print("thinking at ply", ply, file=sys.stderr)
    first = json.dumps({"move": m["turn"]["legal"][0]})
