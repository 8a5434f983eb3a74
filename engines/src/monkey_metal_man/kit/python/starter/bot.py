"""A bot for The Monkey and the Metal Man: both pieces walk at random."""

import random

UP, DOWN, LEFT, RIGHT = [-1, 0], [1, 0], [0, -1], [0, 1]
DIRECTIONS = [UP, DOWN, LEFT, RIGHT]


class MyBot:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):
        """Called once a game, with where the two pieces stand and look, as tuples."""

    def step(self, percepts):
        """Called every turn. What you print reaches you, not the judge."""
        # Locations are tuples. percepts["spotter direction"] and percepts["assasin direction"]
        # are tuples before your first answer, and then what you answered: lists, from here.
        # Begin here: percepts["board"] is what your pieces see, percepts["spotter location"]
        # and percepts["assasin location"] are where they stand.
        spotter_moves = [random.choice(DIRECTIONS) for _ in range(2)]
        assasin_moves = [random.choice(DIRECTIONS) for _ in range(4)]
        # You may add "note": "a line for you", and "marks": [{"at": [row, column], "label": "7"}].
        # You see them beside the replay; nobody else does.
        return {
            "Spotter": {"direction": spotter_moves[-1], "moves": spotter_moves},
            "Assasin": {"direction": assasin_moves[-1], "moves": assasin_moves},
        }
