import json
import sys
from pathlib import Path

ORDER = json.loads((Path(__file__).parent / "data" / "order.json").read_text())


def first(moves):
    return next(move for move in ORDER if move in moves)


for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": first(message["turn"]["legal"])}), flush=True)
    elif "end" not in message:
        print(json.dumps({"ready": {"legal_moves": True}}), flush=True)
