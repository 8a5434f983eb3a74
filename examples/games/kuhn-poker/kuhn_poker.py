"""Kuhn poker: each player puts a chip into the pot and gets one of three cards. They may bet one
more. The higher card wins, if nobody has folded. A game is several hands, and the deal changes.
"""
from judge_game import serve

CARDS = "JQK"
# What may follow the actions of a hand so far. A hand without a line here is over.
ACTIONS = {"": ["check", "bet"], "check": ["check", "bet"], "bet": ["fold", "call"], "check bet": ["fold", "call"]}


class KuhnPoker:
    slug, title, version = "kuhn-poker", "Kuhn poker", 1
    summary = "two players bet on one of three hidden cards"
    roles = ["north", "south"]
    plies_max = 60
    points = {"one": "chip", "many": "chips"}
    information = "hidden"  # a view is all that a bot sees
    config = {"hands": 10}

    def check(config):
        if not 1 <= config["hands"] <= 20:
            return f"hands {config['hands']} is not 1 to 20"

    def draw(config, rng):  # all luck is here, also that of later hands
        return {"deals": ["".join(rng.sample(CARDS, 2)) for _ in range(config["hands"])]}

    def __init__(self, setup):
        self.deals, self.chips, self.shown = setup["deals"], [0, 0], None
        assert self.deals and all(len(deal) == 2 and set(deal) <= set(CARDS) for deal in self.deals), "no deals"
        self.hand, self.actions = 0, []

    def first(self):  # who begins this hand
        return self.hand % 2

    def to_move(self):
        return [(self.first() + len(self.actions)) % 2]

    def legal(self, seat):
        return ACTIONS[" ".join(self.actions)]

    def play(self, seat, move):
        self.actions.append(move)
        if " ".join(self.actions) not in ACTIONS:
            self.showdown(seat)

    def showdown(self, last):  # the one who acted last may have folded
        deal = self.deals[self.hand]
        folded = self.actions[-1] == "fold"
        winner = 1 - last if folded else max((0, 1), key=lambda seat: CARDS.index(deal[seat]))
        won = 2 if self.actions[-1] == "call" else 1
        self.chips[winner] += won
        self.chips[1 - winner] -= won
        self.shown = {"actions": self.actions, "cards": None if folded else deal, "winner": self.roles[winner]}
        self.hand, self.actions = self.hand + 1, []

    def view(self, seat):
        card = self.deals[self.hand][seat] if self.hand < len(self.deals) else None
        return {"you": self.roles[seat], "hand": self.hand, "hands": len(self.deals), "card": card,
                "actions": self.actions, "chips": self.chips, "last": self.shown}

    def outcome(self):
        if self.hand == len(self.deals):
            return self.chips, f"{self.hand} hands are over"

    def forfeit(self, seat, why):  # whoever gives no move loses two chips for each hand left
        self.chips[seat] -= 2 * (len(self.deals) - self.hand)
        self.chips[1 - seat] += 2 * (len(self.deals) - self.hand)
        lost = [-1, 1] if seat == 0 else [1, -1]
        return [min(chips, -1) if one < 0 else max(chips, 1) for chips, one in zip(self.chips, lost)], \
            f"{self.roles[seat]} gave no legal move ({why})"


serve(KuhnPoker)
