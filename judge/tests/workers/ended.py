signals = {0: [], 1: [9], 2: [15, 2], 3: [9, 1, 9, 9]}
times = {}
for line in sys.stdin:
    fixture = json.loads(line)
    state = fixture["state"]
    number = times[state] = times.get(state, 0) + 1
    faults = [fault(0, "turn", "crash", {"signal": s}) for s in signals[state][number - 1:number]]
    play(fixture, f"time {number}", faults=faults)
