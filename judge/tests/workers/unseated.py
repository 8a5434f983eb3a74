for line in sys.stdin:
    fixture = json.loads(line)
    if all(seat["entrant"] != "ann" for seat in fixture["seats"]): play(fixture, "played")
    else: print(json.dumps({"failed": {"fixture": fixture["id"], "reason": "cannot start it"}}), flush=True)
