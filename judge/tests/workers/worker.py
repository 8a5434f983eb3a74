#!/usr/bin/python3
import json, os, sys, time
folder = os.path.dirname(sys.argv[0])
if "stop()" in open(sys.argv[0]).read(): os.kill(os.getpid(), 19)
order = json.loads(sys.stdin.readline())
def play(fixture, reason, overloaded=False, faults=[]):
    seats = [dict(seat, seed=0, cpu_us=0, off_turn_us=0, wall_us=0, uncharged_us=0, startup_wall_us=0) for seat in fixture["seats"]]
    result = lambda name, place: {"result": name, "placement": place, "points": 0, "tie_break": 0}
    record = {
        "v": 5, "fixture": fixture["id"], "game": "catch-the-cat", "state": fixture["state"],
        "setup": fixture["setup"], "draw": fixture["luck"]["draw"], "seats": seats, "turns": [], "faults": faults,
        "end": {"fault": {"cause": "silence", "seat": 0}},
        "outcome": {"seats": [result("lost", 2), result("won", 1)], "reason": reason},
        "overloaded": overloaded,
    }
    print(json.dumps({"done": {"record": record, "stderr": [{"text": ""}, {"text": ""}]}}, separators=(",", ":")), flush=True)
def fault(seat, phase, cause, exit):
    return {"seat": seat, "ply": 0, "phase": phase, "cause": cause, "detail": "ended", "exit": exit, "cpu_us": 0, "wall_us": 0}
def first(name):
    try: os.mkdir(os.path.join(folder, name)); return True
    except FileExistsError: return False
