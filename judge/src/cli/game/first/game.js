// @TITLE@: one player puts upright dominoes on the board, the other one lying ones. Who cannot move
// loses. Begin here: change the rules, then run `judge game check`.
const { serve } = require("./judge_game.js");

class Game {
  static slug = "@SLUG@"; static title = "@TITLE@"; static version = 1; // version grows when a rule changes
  static summary = "two players put dominoes on a board; who cannot move loses";
  static roles = ["upright", "lying"]; // the seats, in order of play
  static plies_max = 32; // the longest game, in turns
  static information = "perfect"; // both see everything
  static config = { side: 6, holes: 4 }; // the settings and their defaults

  static check({ side, holes }) {
    return side >= 2 && side <= 8 && holes >= 0 && holes <= 9 ? null : "side is 2 to 8, and holes 0 to 9";
  }
  static draw({ side, holes }, rng) { // the initial state; all luck is here
    const all = rng.shuffle([...Array(side * side).keys()]);
    const isHole = new Set(all.slice(0, holes));
    return { side, cells: all.map((_, at) => (isHole.has(at) ? "#" : ".")).join("") };
  }
  constructor(setup) { // the position of an initial state
    [this.side, this.cells, this.seat] = [setup.side, [...setup.cells], 0];
    if (this.cells.length !== this.side ** 2) throw new Error("the board is no square");
  }
  toMove() {
    return [this.seat];
  }
  ends(seat, at) { // the two cells of a domino, by its first one
    return seat ? [at, at + 1] : [at, at + this.side];
  }
  legal(seat) {
    const { side, cells } = this;
    const fits = (at) => (seat ? at % side : Math.floor(at / side)) < side - 1;
    return [...cells.keys()].filter((at) => fits(at) && this.ends(seat, at).every((end) => cells[end] === "."));
  }
  play(seat, move) {
    for (const end of this.ends(seat, move)) this.cells[end] = String(seat);
    this.seat = 1 - seat;
  }
  view(seat) {
    return { you: Game.roles[seat], side: this.side, cells: this.cells.join("") };
  }
  outcome() { // null, or the points of each seat and the reason
    return this.legal(this.seat).length ? null : [[this.seat, 1 - this.seat], `${Game.roles[this.seat]} cannot move`];
  }
  frame() { // a picture
    const { side, cells } = this;
    const discs = [...cells.keys()].filter((at) => "01".includes(cells[at]));
    return {
      grid: "square", width: side, height: side, cells: cells.map((cell) => (cell === "#" ? "#" : ".")).join(""),
      discs: discs.map((at) => ({ x: at % side, y: Math.floor(at / side), seat: Number(cells[at]) })),
    };
  }
}

serve(Game);
