for line in sys.stdin: play(json.loads(line), "played")
