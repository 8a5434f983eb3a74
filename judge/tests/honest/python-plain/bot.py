#!/usr/bin/env python3
import json
import sys

from rules import first

for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": first(message["turn"]["legal"])}), flush=True)
    elif "end" not in message:
        print(json.dumps({"ready": {"legal_moves": True}}), flush=True)
