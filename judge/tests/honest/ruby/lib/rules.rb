def first(moves)
  moves[0]
end
