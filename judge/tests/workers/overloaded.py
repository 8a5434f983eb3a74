overloads = {0: 0, 1: 1, 2: 2, 3: 99}
times = {}
for line in sys.stdin:
    fixture = json.loads(line)
    state = fixture["state"]
    times[state] = times.get(state, 0) + 1
    play(fixture, f"time {times[state]}", times[state] <= overloads[state])
