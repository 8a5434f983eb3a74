#!/usr/bin/env python3
import json, sys
plies = []
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        plies.append(message["turn"]["ply"])
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    elif "end" in message:
        print("counted on" if plies == list(range(len(plies))) else plies, file=sys.stderr, flush=True)
    else:
        print('{"ready":{"legal_moves":true}}', flush=True)
