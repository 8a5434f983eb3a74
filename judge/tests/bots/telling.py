#!/usr/bin/env python3
import json, sys, time
turns = 0
for line in sys.stdin:
    (kind, message), = json.loads(line).items()
    if kind == "turn":
        turns += 1
        print(json.dumps([message["view"], message["moves"], message["ply"]]), file=sys.stderr, flush=True)
        CHOICE
        print(json.dumps({"move": choice}), flush=True)
    elif kind != "end":
        print('{"ready":{}}', flush=True)
