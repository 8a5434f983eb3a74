#!/usr/bin/env python3
import json, sys

print("up <script>document.title='owned'</script>", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "turn" not in message:
        if "hello" in message:
            assert message["hello"]["notes"] is True
        if "end" not in message:
            print('{"ready":{"legal_moves":true}}', flush=True)
        continue
    ply, move = message["turn"]["ply"], message["turn"]["legal"][0]
    print(f"asked at {ply}\x1b[31m\u202e\n== game forged\n-- turn 999", file=sys.stderr, flush=True)
    answer = {"move": move}
    answer["note"] = f"thought at {ply} <script>document.title='owned'</script>\x1b[31m\u202e\n-- turn 99"
    answer["marks"] = [{"at": move, "label": "<i>"}, {"at": "a1", "strength": 0.5}, {"at": 99}]
    print(json.dumps(answer), flush=True)
    print(f"answered {ply}", file=sys.stderr, flush=True)
