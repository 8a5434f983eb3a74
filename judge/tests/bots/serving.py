#!/usr/bin/env -S python3 -IS
import os, sys, time, _signal as signal
MARK = "judge-groups-%MARK%"
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def serve(act):
    for line in sys.stdin:
        if line.startswith('{"turn"'):
            act()
            move = line.split('"legal":[[')[1].split("]")[0]
            print('{"move":[%s]}' % move, flush=True)
        elif not line.startswith('{"end"'):
            print('{"ready":{"legal_moves":true}}', flush=True)
