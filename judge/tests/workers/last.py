if first("dies"):
    while os.path.exists(sys.argv[0]): time.sleep(0.01)
    sys.exit(0)
os.unlink(sys.argv[0])
while not os.path.exists(os.path.join(folder, "again")): time.sleep(0.01)
for line in sys.stdin: play(json.loads(line), "played")
