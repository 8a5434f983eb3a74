import std/[json, strutils]

for line in stdin.lines:
  if line.startsWith("{\"turn\""):
    echo %*{"move": parseJson(line)["turn"]["legal"][0]}
  elif not line.startsWith("{\"end\""):
    echo %*{"ready": {"legal_moves": true}}
  stdout.flushFile()
