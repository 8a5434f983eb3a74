from judge_game import serve

class Trap:
    slug, title, version = "trap", "Trap", 1
    roles, plies_max, information = ["first", "second"], 2, "perfect"

    def draw(config, rng):
        return rng.randrange(100)
    def __init__(self, setup):
        self.moves = []
    def to_move(self):
        return [len(self.moves)]
    def legal(self, seat):
        return [[0], [1]]
    def play(self, seat, move):
        self.moves.append(move)
        assert self.moves != [[1], [1]], "there are no rules for this"
    def view(self, seat):
        return {}
    def outcome(self):
        if len(self.moves) == 2:
            return [self.moves[1][0], self.moves[0][0]], "both have moved"

serve(Trap)
