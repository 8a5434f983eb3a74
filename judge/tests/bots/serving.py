#!/usr/bin/env python3
import json, os, signal, subprocess, sys, time
MARK = "judge-groups-%MARK%"
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def serve(act):
    for line in sys.stdin:
        if line.startswith('{"turn"'):
            act()
            print('{"move":%s}' % json.dumps(json.loads(line)["turn"]["legal"][0]), flush=True)
        elif not line.startswith('{"end"'):
            print('{"ready":{"legal_moves":true}}', flush=True)
