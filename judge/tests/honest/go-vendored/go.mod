module example.org/bot

go 1.19

require example.com/rules v0.1.0
