require "json"

while line = gets
  message = JSON.parse(line)
  if turn = message["turn"]?
    puts({move: turn["legal"][0]}.to_json)
  elsif !message["end"]?
    puts({ready: {legal_moves: true}}.to_json)
  end
  STDOUT.flush
end
