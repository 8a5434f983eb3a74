from judge_game import serve

class Counting:
    slug, title, version = "counting", "Counting", 1
    roles, seats_min, plies_max = ["one", "two", "three", "four"], 2, 10
    information, config = "perfect", {"players": 3}

    def check(config):
        if not 2 <= config["players"] <= 4:
            return f"players {config['players']} is not 2 to 4"
    def draw(config, rng):
        return config
    def __init__(self, setup):
        self.seats, self.seat, self.sum = setup["players"], 0, 0
    def to_move(self):
        return [self.seat]
    def legal(self, seat):
        return [[1], [2]]
    def play(self, seat, move):
        self.sum += move[0]
        self.seat = (seat + 1) % self.seats
    def view(self, seat):
        return self.sum
    def outcome(self):
        if self.sum >= 10:
            winner = (self.seat - 1) % self.seats
            return [int(seat == winner) for seat in range(self.seats)], f"the sum is {self.sum}"

serve(Counting)
