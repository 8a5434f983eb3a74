#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        time.sleep(0.2)
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    elif "end" not in message:
        print('{"ready":{"legal_moves":true}}', flush=True)
