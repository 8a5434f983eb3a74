#!/usr/bin/env python3
"""Tries each legal move with a few random games, and plays the one with the best mean return. Where
the view has no history, because information is hidden, it plays a random move.
"""
import json
import random
import sys

import pyspiel

PLAYOUTS, PLIES_MAX = 4, 60


def at(game, history):
    """Returns the state after these actions."""
    state, rest = game.new_initial_state(), list(history)
    while rest:
        if state.is_simultaneous_node():
            state.apply_actions(rest[:game.num_players()])
            del rest[:game.num_players()]
        else:
            state.apply_action(rest.pop(0))
    return state


def step(state, rng, seat=None, action=None):
    """Plays a random action for everybody; in this seat the given one."""
    if state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes())
        state.apply_action(rng.choices(actions, chances)[0])
    elif state.is_simultaneous_node():
        legal = [state.legal_actions(one) for one in range(state.num_players())]
        joint = [rng.choice(actions or [0]) for actions in legal]
        if seat is not None:
            joint[seat] = action
        state.apply_actions(joint)
    else:
        state.apply_action(rng.choice(state.legal_actions()) if seat is None else action)


def worth(state, seat, action, rng):
    """Returns the sum of a seat's returns over some random games after an action."""
    total = 0
    for _ in range(PLAYOUTS):
        after = state.clone()
        step(after, rng, seat, action)
        for _ in range(PLIES_MAX):
            if after.is_terminal():
                break
            step(after, rng)
        total += after.returns()[seat]
    return total


game, seat, seed = None, 0, 0
for line in sys.stdin:
    (kind, message), = json.loads(line).items()
    if kind == "turn":
        rng = random.Random(f"{seed} {message['ply']}")
        move = rng.choice(message["legal"])
        if "history" in message["view"]:
            state = at(game, message["view"]["history"])
            try:
                # Moves are listed in the order of OpenSpiel's actions.
                worths = [worth(state, seat, action, rng) for action in state.legal_actions(seat)]
                move = message["legal"][worths.index(max(worths))]
            except (pyspiel.SpielError, IndexError):
                # Some games list an action and then refuse it, or list none.
                pass
        print(json.dumps({"move": move}), flush=True)
    elif kind != "end":
        if kind == "hello":
            game = pyspiel.load_game(message["config"]["name"])
        seat, seed = message["seat"], message["seed"]
        print('{"ready":{"legal_moves":true}}', flush=True)
