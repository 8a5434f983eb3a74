def first(moves):
    return moves[0]
