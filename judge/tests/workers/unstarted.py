for line in sys.stdin:
    fixture = json.loads(line)
    entrants = [seat["entrant"] for seat in fixture["seats"]]
    faults = [fault(entrants.index("ann"), "hello", "exit", None)] if "ann" in entrants else []
    play(fixture, "played", faults=faults)
