local rules = require("rules")

for line in io.lines() do
  if line:find('^{"turn"') then
    print('{"move":' .. rules.first(line) .. "}")
  elseif not line:find('^{"end"') then
    print('{"ready":{"legal_moves":true}}')
  end
  io.flush()
end
