"""The games of OpenSpiel. The setting `name` chooses one, such as "hex(board_size=7)"."""
import copy
import functools
import random
import re

import pyspiel
from judge_game import serve

load = functools.lru_cache(pyspiel.load_game)
Type = pyspiel.GameType
PLIES_MAX, SCALE_MAX = 10_000, 1000


def notes(text):
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)  # without colours
    lines = [line.expandtabs()[:200] for line in plain.splitlines()[:40]]
    return {"grid": "square", "width": 0, "height": 0, "cells": "", "discs": [], "notes": lines}


class OpenSpiel:
    slug, title, version = "openspiel", "OpenSpiel", 1
    summary = "the games of OpenSpiel; the setting name chooses one"
    roles, seats_min = [f"player {seat}" for seat in range(8)], 1
    # Seats that move at once end their round.
    plies_max = PLIES_MAX + len(roles)
    # The judge asks before it tells the name. Where all is open, the views show the moves.
    information = "hidden"
    config = {"name": "tic_tac_toe", "plies_max": 1000, "scale": 1}

    def check(config):
        try:
            first = OpenSpiel({**config, "chance": 0})
            assert not first.outcome(), f"{config['name']} is over before it begins"
            for seat in first.to_move():
                first.legal(seat), first.view(seat)
        except Exception as error:
            return (str(error) or type(error).__name__).splitlines()[0]

    def draw(config, rng):
        return {**config, "chance": rng.getrandbits(53)}

    def __init__(self, setup):
        name, plies, scale, most = setup["name"], setup["plies_max"], setup["scale"], len(self.roles)
        assert 1 <= plies <= PLIES_MAX, f"plies_max {plies} is not 1 to {PLIES_MAX}"
        assert 1 <= scale <= SCALE_MAX, f"scale {scale} is not 1 to {SCALE_MAX}"
        try:
            self.setup, self.game = setup, load(name)
            self.type, self.seats = self.game.get_type(), self.game.num_players()
            assert self.type.dynamics != Type.Dynamics.MEAN_FIELD, f"{name} is a mean field game, without seats"
            has_own_luck = self.type.chance_mode == Type.ChanceMode.SAMPLED_STOCHASTIC
            assert not has_own_luck, f"{name} draws its luck itself, so that no seed repeats it"
            assert self.seats <= most, f"{name} has {self.seats} seats; at most {most} can play"
            self.is_open = self.type.information == Type.Information.PERFECT_INFORMATION
            self.state, self.plies, self.round, self.moves = self.game.new_initial_state(), 0, {}, {}
            self.luck()
        except pyspiel.SpielError as error:
            reason = str(error).splitlines()[0].removesuffix(" Available games are:")
            raise ValueError(f"pyspiel: {reason}") from error

    def __deepcopy__(self, memo):
        twin = copy.copy(self)
        twin.state, twin.round = self.state.clone(), dict(self.round)
        return twin

    def luck(self):
        while self.state.is_chance_node():
            rng = random.Random(f"{self.setup['chance']} {len(self.state.history())}")
            actions, chances = zip(*self.state.chance_outcomes())
            self.state.apply_action(rng.choices(actions, chances)[0])

    def actions(self, seat):
        """Returns the actions by their moves: texts, or numbers where two actions have the same text."""
        if seat not in self.moves:
            actions = self.state.legal_actions(seat)
            texts = [self.state.action_to_string(seat, action) for action in actions]
            self.moves[seat] = dict(zip(texts if len(set(texts)) == len(texts) else actions, actions))
        return self.moves[seat]

    def to_move(self):
        if not self.state.is_simultaneous_node():
            return [self.state.current_player()]
        return [seat for seat in range(self.seats) if seat not in self.round and self.actions(seat)]

    def legal(self, seat):
        return list(self.actions(seat))

    def play(self, seat, move):
        self.plies += 1
        self.round[seat] = self.actions(seat)[move]
        if not self.state.is_simultaneous_node():
            self.state.apply_action(self.round[seat])
        elif self.to_move():
            return
        else:
            self.state.apply_actions([self.round.get(seat, 0) for seat in range(self.seats)])
        self.round, self.moves = {}, {}
        self.luck()

    def observation(self, seat):
        if self.type.provides_observation_string:
            return self.state.observation_string(seat)
        return self.state.information_state_string(seat)

    def view(self, seat):
        history = {"history": self.state.history()} if self.is_open else {}
        return {"observation": self.observation(seat), **history}

    def outcome(self):
        is_stopped = self.plies >= self.setup["plies_max"] and not self.round
        if self.state.is_terminal() or is_stopped:
            returns = self.state.returns()
            points = [round(self.setup["scale"] * own) for own in returns]
            places = {round(own, 6) for own in returns}
            assert len(set(points)) >= len(places), f"points for returns {returns} need a larger scale"
            why = "" if self.state.is_terminal() else f"stopped after {self.plies} plies; "
            return points, f"{why}returns {', '.join(f'{own + 0:g}' for own in returns)}"

    def forfeit(self, seat, why):
        low, high = self.game.min_utility(), self.game.max_utility()
        others = {Type.Utility.ZERO_SUM: -low / max(1, self.seats - 1), Type.Utility.IDENTICAL: low}
        others = others.get(self.type.utility, high)
        points = [round(self.setup["scale"] * (low if one == seat else others)) for one in range(self.seats)]
        return points, f"{self.roles[seat]} gave no legal move"

    def frame(self):
        return notes(str(self.state))

    def seen(self, seat):
        return notes(self.observation(seat))


serve(OpenSpiel)
