class Stays:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):
        pass

    def step(self, percepts):
        return {
            "Spotter": {"direction": percepts["spotter direction"], "moves": [[0, 0], (0, 0)]},
            "Assasin": {"direction": [0, 1], "moves": [[0, 0]]},
        }
