
while True:
    line = sys.stdin.readline()
    if not line: end(); continue
    message = json.loads(line)
    if "turn" in message: answer(message["turn"])
    elif "end" not in message: begin(message)
