require "json"
require_relative "lib/rules"

$stdout.sync = true
while (line = gets)
  message = JSON.parse(line)
  if message["turn"]
    puts({ move: first(message["turn"]["legal"]) }.to_json)
  elsif !message["end"]
    puts({ ready: { legal_moves: true } }.to_json)
  end
end
