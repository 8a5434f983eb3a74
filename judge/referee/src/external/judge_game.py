"""Serves the rules of a game to the judge: the helper for games in Python.

The judge puts this file beside a game that has none. A game is a class:

    from judge_game import serve

    class Nim:
        slug, title, version = "nim", "Nim", 1   # version grows when a rule changes
        roles = ["first", "second"]              # the seats, in order
        plies_max = 20                           # the longest game with any settings, in turns
        information = "perfect"                  # else bots get only their views
        config = {"stones": 20}                  # the settings and their defaults

        def draw(config, rng):                   # an initial state, as JSON; rng is random.Random
            return {"stones": config["stones"]}
        def __init__(self, setup): ...           # the position of an initial state
        def to_move(self): ...                   # the seats that owe a move, as a list
        def legal(self, seat): ...               # a seat's legal moves, as JSON, never empty
        def play(self, seat, move): ...          # plays one of them
        def view(self, seat): ...                # all that a seat sees, as JSON
        def outcome(self): ...                   # None, or (points by seat, reason)

    serve(Nim)

It may also have:

        def check(config): ...                   # returns what is wrong with settings, or None
        def forfeit(self, seat, why): ...        # a missing move: an outcome, or None after it has
                                                 # moved on. Needed unless points are 0 and 1
        def at_limit(self): ...                  # the outcome of a game that is not over after
                                                 # plies_max turns. Without it, it is drawn
        def frame(self): ...                     # a picture, as protocol.md describes it
        def seen(self, seat): ...                # a picture of what a seat sees

A game for different numbers of seats names all roles and has `seats_min`, the smallest number. Its
positions have an attribute `seats`.

More facts about the game (time, lifetime, labels, points, summary, as protocol.md lists them) are
attributes of the class.
"""
import copy
import json
import random
import sys

FACTS = ("seats_min", "information", "moves_listed", "summary", "points", "tie_break", "time", "lifetime", "labels",
         "at_limit")


def text(value):
    """Writes a value as the judge does. Moves are compared as such texts: True is not 1."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)


def plain(value):
    """Reads a value back, so that a position never shares a list with its caller."""
    return json.loads(text(value))


class Refused(Exception):
    def __init__(self, kind, message, **more):
        super().__init__(message)
        self.answer = {"error": {"kind": kind, "message": message, **more}}


class Session:
    """A position, the number of turns since its setup, and the outcome once the game is over."""

    def __init__(self, game, setup):
        self.game, self.ply = game, 0
        try:
            self.state = game(plain(setup))
        except Exception as error:
            raise Refused("setup", f"{type(error).__name__}: {error}") from error
        self.roles = game.roles[:self.state.seats] if hasattr(game, "seats_min") else game.roles
        self.look()

    def look(self, outcome=None):
        self.over = self.state.outcome() or outcome
        self.limited = not self.over and self.ply >= self.game.plies_max
        if self.limited:
            decide = getattr(self.state, "at_limit", None)
            drawn = [0] * len(self.roles), f"drawn at the limit of {self.ply} plies"
            self.over = decide() if callable(decide) else drawn
        self.seats = [] if self.over else sorted(self.state.to_move())

    def lose(self, seat, why):
        """The outcome of a missing move: this seat loses, and the others win."""
        words = {"illegal": "made an illegal move", "malformed": "gave no move",
                 "time": "ran out of time", "gone": "is gone"}[why]
        return [0 if i == seat else 1 for i in range(len(self.roles))], f"{self.roles[seat]} {words}"

    def turn(self, seat, turn):
        if self.over:
            raise Refused("over", f"the game ended at ply {self.ply}: {self.over[1]}")
        seat = self.seats[0] if seat is None else seat
        if not 0 <= seat < len(self.roles):
            raise Refused("wrong-seat", f"there is no seat {seat}")
        why = turn.get("forfeit")
        if why is not None:
            decide = getattr(self.state, "forfeit", None)
            outcome = decide(seat, why) if decide else self.lose(seat, why)
            was_to_move = seat in self.seats
            self.ply += was_to_move
            self.look(outcome)
            if self.over and not was_to_move:
                self.ply += 1
            return
        if seat not in self.seats:
            raise Refused("wrong-seat", f"seat {seat} is not to move", seat=seat)
        move = turn["move"]
        legal = {text(known): known for known in self.state.legal(seat)}
        if text(move) not in legal:
            raise Refused("illegal-move", f"{text(move)} is no legal move of {self.roles[seat]}",
                          seat=seat, rule="illegal")
        self.state.play(seat, plain(legal[text(move)]))
        self.ply += 1
        self.look()

    def answer(self, want, **head):
        state = self.state
        to_move = []
        for seat in self.seats:
            one = {"seat": seat}
            if "legal" in want:
                one["legal"] = list(state.legal(seat))
            if "view" in want:
                one["view"] = state.view(seat)
            to_move.append(one)
        out = {**head, "ply": self.ply, "to_move": to_move}
        if "views" in want:
            out["views"] = [state.view(seat) for seat in range(len(self.roles))]
        if "seats" in want:
            out["seats"] = len(self.roles)
        if "outcome" in want and self.over:
            points, reason = self.over
            best, worst = max(points), min(points)
            def result(own):
                return "drawn" if best == worst else "won" if own == best else "lost"
            out["outcome"] = {"reason": reason, "limited": self.limited, "seats": [
                {"result": result(own), "placement": 1 + sum(other > own for other in points), "points": own}
                for own in points]}
        if "frame" in want and hasattr(state, "frame"):
            out["frame"] = state.frame()
        if "seen" in want and hasattr(state, "seen"):
            out["seen"] = [state.seen(seat) for seat in range(len(self.roles))]
        return {"position": out}


class Service:
    def __init__(self, game):
        self.game, self.sessions, self.count = game, {}, 0
        self.config = dict(getattr(game, "config", {}))

    def about(self):
        game = self.game
        facts = {name: getattr(game, name) for name in FACTS if hasattr(game, name)}
        facts = {name: fact for name, fact in facts.items() if not callable(fact)}
        if callable(getattr(game, "at_limit", None)):
            facts["at_limit"] = "rules"
        knows = ["config", "seats", *(["seen"] if hasattr(game, "seen") else [])]
        return {"about": {"protocol": 1, "game": game.slug, "title": game.title,
                          "rules_version": game.version, "roles": list(game.roles),
                          "plies_max": game.plies_max, "config": self.config,
                          "knows": knows, **facts}}

    def configured(self, settings):
        for key, value in settings.items():
            if key not in self.config:
                raise Refused("config", f"unknown setting {key}; the settings are {', '.join(self.config) or 'none'}")
            kinds = (int, float) if type(self.config[key]) is float else (type(self.config[key]),)
            if type(value) not in kinds:
                raise Refused("config", f"{key} {text(value)} is not of the kind of {text(self.config[key])}")
        config = {**self.config, **settings}
        wrong = self.game.check(config) if hasattr(self.game, "check") else None
        if wrong:
            raise Refused("config", wrong)
        return config

    def opened(self, request):
        """Returns the position of an opening, and its setup where that was drawn."""
        drawn, setup = {}, request.get("setup")
        if setup is None:
            config = self.configured(request.get("config") or {})
            setup = plain(self.game.draw(config, random.Random(request["seed"])))
            drawn = {"setup": setup}
        session = Session(self.game, setup)
        turns = request.get("turns") or [{"move": move} for move in request.get("moves") or []]
        for index, turn in enumerate(turns):
            try:
                session.turn(turn.get("seat"), turn)
            except Refused as refused:
                refused.answer["error"]["index"] = index
                raise
        return session, drawn

    def keep(self, session):
        self.count += 1
        self.sessions[self.count] = session
        return self.count

    def answer(self, kind, request):
        want = request.get("want")
        want = ["legal", "view", "outcome"] if want is None else want
        if kind == "about":
            return self.about()
        if kind == "config":
            return {"config": self.configured(request["settings"])}
        if kind == "position":
            session, drawn = self.opened(request)
            return session.answer(want, **drawn)
        if kind == "new":
            session, drawn = self.opened(request)
            return session.answer(want, session=self.keep(session), **drawn)
        if kind not in ("close", "copy", "play", "show"):
            raise Refused("malformed", f"no request is called {kind}")
        number = request.get("session")
        session = self.sessions.get(number)
        if session is None:
            raise Refused("session", f"no session {number} is open")
        if kind == "close":
            del self.sessions[number]
            return {"closed": {"session": number}}
        if kind == "copy":
            number, session = self.keep(copy.deepcopy(session)), self.sessions[number]
        elif kind == "play":
            session.turn(request.get("seat"), request)
        return session.answer(want, session=number)


def serve(game):
    """Answers requests until the input ends."""
    service = Service(game)
    # A game that prints something prints it for its author.
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        (kind, request), = json.loads(line).items()
        try:
            answer = service.answer(kind, request)
        except Refused as refused:
            answer = refused.answer
        out.write(text(answer) + "\n")
        out.flush()
