from judge_game import serve

class Hands:
    slug, title, version = "hands", "Hands", 1
    roles, plies_max, information = ["left", "right"], 6, "INFORMATION"

    def draw(config, rng):
        return {"first": rng.randrange(3)}
    def __init__(self, setup):
        self.rounds, self.now, self.points = 0, {}, [0, 0]
    def to_move(self):
        return [seat for seat in (0, 1) if seat not in self.now]
    def legal(self, seat):
        return ["rock", "paper", "scissors"]
    def play(self, seat, move):
        self.now[seat] = self.legal(seat).index(move)
        if len(self.now) == 2:
            left, right = self.now[0], self.now[1]
            if left != right:
                self.points[(left - right) % 3 - 1] += 1
            self.rounds, self.now = self.rounds + 1, {}
    def view(self, seat):
        return {"round": self.rounds, "now": sorted(self.now)}
    def outcome(self):
        if self.rounds == 3:
            return self.points, "three rounds are over"

serve(Hands)
