"""@TITLE@: one player puts upright dominoes on the board, the other one lying ones. Who cannot
move loses. Begin here: change the rules, then run `judge game check`.
"""
from judge_game import serve


class Game:
    slug, title, version = "@SLUG@", "@TITLE@", 1  # version grows when a rule changes
    summary = "two players put dominoes on a board; who cannot move loses"
    roles = ["upright", "lying"]  # the seats, in order of play
    plies_max = 32  # the longest game, in turns
    information = "perfect"  # both see everything
    config = {"side": 6, "holes": 4}  # the settings and their defaults

    def check(config):
        if not 2 <= config["side"] <= 8 or not 0 <= config["holes"] <= 9:
            return "side is 2 to 8, and holes 0 to 9"

    def draw(config, rng):  # the initial state; all luck is here
        cells = ["."] * config["side"] ** 2
        for hole in rng.sample(range(len(cells)), min(config["holes"], len(cells))):
            cells[hole] = "#"
        return {"side": config["side"], "cells": "".join(cells)}

    def __init__(self, setup):  # the position of an initial state
        self.side, self.cells, self.seat = setup["side"], list(setup["cells"]), 0
        assert len(self.cells) == self.side**2, "the board is no square"

    def to_move(self):
        return [self.seat]

    def ends(self, seat, at):  # the two cells of a domino, by its first one
        return (at, at + 1) if seat else (at, at + self.side)

    def legal(self, seat):
        last = self.side - 1
        fits = [at for at in range(len(self.cells)) if (at % self.side < last if seat else at // self.side < last)]
        return [at for at in fits if all(self.cells[end] == "." for end in self.ends(seat, at))]

    def play(self, seat, move):
        for end in self.ends(seat, move):
            self.cells[end] = str(seat)
        self.seat = 1 - seat

    def view(self, seat):
        return {"you": self.roles[seat], "side": self.side, "cells": "".join(self.cells)}

    def outcome(self):  # None, or the points of each seat and the reason
        if not self.legal(self.seat):
            return [self.seat, 1 - self.seat], f"{self.roles[self.seat]} cannot move"

    def frame(self):  # a picture
        side, cells = self.side, self.cells
        return {"grid": "square", "width": side, "height": side,
                "cells": "".join("#" if cell == "#" else "." for cell in cells),
                "discs": [{"x": at % side, "y": at // side, "seat": int(cell)}
                          for at, cell in enumerate(cells) if cell in "01"]}


serve(Game)
