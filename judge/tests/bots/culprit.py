#!/usr/bin/env -S python3 -IS
import os, sys, _signal as signal
def say(text): print(text, flush=True)
for line in sys.stdin:
    if not line.startswith('{"turn"'):
        if not line.startswith('{"end"'): say('{"ready":{"legal_moves":true}}')
        continue
    ply = int(line.split('"ply":')[1].split(",")[0])
    print("thinking at ply", ply, file=sys.stderr)
    first = '{"move":[%s]}' % line.split('"legal":[[')[1].split("]")[0]
