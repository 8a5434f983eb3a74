for line in sys.stdin:
    if first("stuck"): time.sleep(1000)
    play(json.loads(line), "played")
