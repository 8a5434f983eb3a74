#!/usr/bin/env -S python3 -IS
import sys, time
for line in sys.stdin:
    if line.startswith('{"turn"'):
        _, _, rest = line.partition('"legal":[[')
        legal, _, _ = rest.partition("]]")
        time.sleep(0.05)
        print('{"move":[%s]}' % legal.split("],[")[0], flush=True)
    elif not line.startswith('{"end"'): print('{"ready":{"legal_moves":true}}', flush=True)
