#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    kind, said = next(iter(json.loads(line).items()))
    if kind in ("hello", "start"): print('{"ready":{"legal_moves":true}}', flush=True)
    elif kind == "turn":
        time.sleep(0.05)
        print(json.dumps({"move": said["legal"][0]}), flush=True)
