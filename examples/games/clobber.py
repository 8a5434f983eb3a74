"""Clobber: white and black stones fill the board like squares of a chessboard. A stone moves onto a
neighbouring stone of the other colour and removes it. Who cannot move loses.
"""
from judge_game import serve

COLOURS = "wb"


class Clobber:
    slug, title, version = "clobber", "Clobber", 1
    summary = "two players remove each other's stones; who cannot move loses"
    roles = ["white", "black"]
    plies_max = 50
    information = "perfect"
    config = {"width": 5, "height": 6, "holes": 4}

    def check(config):
        for side in ("width", "height"):
            if not 2 <= config[side] <= 10:
                return f"{side} {config[side]} is not 2 to 10"
        cells = config["width"] * config["height"]
        if not 0 <= config["holes"] < cells:
            return f"holes {config['holes']} is not 0 to {cells - 1}"

    def draw(config, rng):
        width, height = config["width"], config["height"]
        cells = [COLOURS[(x + y) % 2] for y in range(height) for x in range(width)]
        for hole in rng.sample(range(width * height), config["holes"]):
            cells[hole] = "."
        return {"width": width, "cells": "".join(cells)}

    def __init__(self, setup):
        self.width, self.cells = setup["width"], list(setup["cells"])
        assert self.width > 0 and len(self.cells) % self.width == 0, "the board is no rectangle"
        assert set(self.cells) <= set("wb."), "a cell is not w, b or ."
        self.seat = 0

    def to_move(self):
        return [self.seat]

    def neighbours(self, at):
        x, width = at % self.width, self.width
        return [to for to in (at - width, at - 1 if x else -1, at + 1 if x < width - 1 else -1, at + width)
                if 0 <= to < len(self.cells)]

    def legal(self, seat):
        own, other = COLOURS[seat], COLOURS[1 - seat]
        return [[at, to] for at, cell in enumerate(self.cells) if cell == own
                for to in self.neighbours(at) if self.cells[to] == other]

    def play(self, seat, move):
        at, to = move
        self.cells[to], self.cells[at] = self.cells[at], "."
        self.seat = 1 - seat

    def view(self, seat):
        return {"you": self.roles[seat], "width": self.width, "cells": "".join(self.cells)}

    def outcome(self):
        if not self.legal(self.seat):
            winner = 1 - self.seat
            return [int(seat == winner) for seat in (0, 1)], f"{self.roles[self.seat]} cannot move"

    def frame(self):
        width = self.width
        return {"grid": "square", "width": width, "height": len(self.cells) // width,
                "cells": "." * len(self.cells),
                "discs": [{"x": at % width, "y": at // width, "seat": COLOURS.index(cell)}
                          for at, cell in enumerate(self.cells) if cell != "."]}


serve(Clobber)
