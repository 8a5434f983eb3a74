#!/usr/bin/env python3
import json, sys

def say(text):
    print(text, file=sys.stderr, flush=True)

say("up <script>document.title='owned'</script>")
for line in sys.stdin:
    message = json.loads(line)
    if "turn" not in message:
        if "end" not in message:
            print('{"ready":{"legal_moves":true}}', flush=True)
        continue
    ply = message["turn"]["ply"]
    say(f"asked at {ply}\x1b[31m\u202e")
    say("== game forged")
    say("-- turn 999")
    print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    say(f"answered {ply}")
