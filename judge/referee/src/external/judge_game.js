/* Serves the rules of a game to the judge: the helper for games in JavaScript (node).

The judge puts this file beside a game that has none. A game is a class:

    const { serve } = require("./judge_game.js");

    class Nim {
      static slug = "nim"; static title = "Nim"; static version = 1; // version grows with the rules
      static roles = ["first", "second"];      // the seats, in order
      static plies_max = 20;                   // the longest game with any settings, in turns
      static information = "perfect";          // else bots get only their views
      static config = { stones: 20 };          // the settings and their defaults

      static draw(config, rng) { ... }         // an initial state, as JSON
      constructor(setup) { ... }               // the position of an initial state
      toMove() { ... }                         // the seats that owe a move, as a list
      legal(seat) { ... }                      // a seat's legal moves, as JSON, never empty
      play(seat, move) { ... }                 // plays one of them
      view(seat) { ... }                       // all that a seat sees, as JSON
      outcome() { ... }                        // null, or [points by seat, reason]
    }
    serve(Nim);

rng.below(n) is a whole number below n, rng.shuffle(list) a shuffled copy. Use no other luck.
It may also have check(config) (static; what is wrong with settings), forfeit(seat, why), atLimit()
(the outcome of a game that is not over after plies_max turns; without it, it is drawn) and frame();
judge_game.py and protocol.md describe them, and more facts, which are static members here too. Games for
different numbers of seats are for judge_game.py.
*/
const FACTS = ["information", "moves_listed", "summary", "points", "tie_break", "time", "lifetime", "labels", "at_limit"];
const ENDS = { illegal: "made an illegal move", malformed: "gave no move", time: "ran out of time", gone: "is gone" };

/** Writes a value as the judge does, with sorted keys. Moves are compared as such texts. */
function text(value) {
  const sorted = (_, one) => one && typeof one === "object" && !Array.isArray(one)
    ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one;
  return JSON.stringify(value, sorted);
}

/** Reads a line so that only numbers in JavaScript's own spelling are numbers: 1.0 is not 1. */
function exact(line) {
  const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return JSON.parse(line.replace(token, (one) => one[0] === '"' || String(Number(one)) === one ? one : `"number ${one}"`));
}

class Refused extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.answer = { error: { kind, message, ...more } };
  }
}

/** Luck that a seed decides. */
class Rng {
  constructor(seed) {
    this.state = 2166136261;
    for (const one of `seed ${seed}`) this.state = Math.imul(this.state ^ one.codePointAt(0), 16777619);
  }
  random() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  below(n) {
    return Math.floor(this.random() * n);
  }
  shuffle(list) {
    const left = [...list];
    return list.map(() => left.splice(this.below(left.length), 1)[0]);
  }
}

/** A position, the turns since its setup, and the outcome once the game is over. */
class Session {
  constructor(game, setup) {
    [this.game, this.setup, this.turns, this.ply] = [game, text(setup), [], 0];
    try {
      this.state = new game(JSON.parse(this.setup));
    } catch (error) {
      throw new Refused("setup", String(error));
    }
    this.look();
  }
  look(outcome) {
    const { roles, plies_max } = this.game;
    this.over = this.state.outcome() ?? outcome ?? null;
    this.limited = !this.over && this.ply >= plies_max;
    if (this.limited) {
      const drawn = [roles.map(() => 0), `drawn at the limit of ${this.ply} plies`];
      this.over = this.state.atLimit ? this.state.atLimit() : drawn;
    }
    this.seats = this.over ? [] : [...this.state.toMove()].sort();
  }
  lose(seat, why) {
    const { roles } = this.game;
    return [roles.map((_, i) => (i === seat ? 0 : 1)), `${roles[seat]} ${ENDS[why]}`];
  }
  turn(seat, turn) {
    if (this.over) throw new Refused("over", `the game ended at ply ${this.ply}: ${this.over[1]}`);
    seat ??= this.seats[0];
    const role = this.game.roles[seat];
    if (role === undefined) throw new Refused("wrong-seat", `there is no seat ${seat}`);
    const isToMove = this.seats.includes(seat);
    if (turn.forfeit) {
      const outcome = this.state.forfeit ? this.state.forfeit(seat, turn.forfeit) : this.lose(seat, turn.forfeit);
      this.turns.push([seat, { forfeit: turn.forfeit }]);
      this.ply += isToMove ? 1 : 0;
      this.look(outcome);
      if (this.over && !isToMove) this.ply += 1;
      return;
    }
    if (!isToMove) throw new Refused("wrong-seat", `seat ${seat} is not to move`, { seat });
    const written = text(turn.move);
    if (!this.state.legal(seat).some((known) => text(known) === written)) {
      throw new Refused("illegal-move", `${written} is no legal move of ${role}`, { seat, rule: "illegal" });
    }
    this.state.play(seat, JSON.parse(written));
    this.turns.push([seat, { move: turn.move }]);
    this.ply += 1;
    this.look();
  }
  copy() {
    const copy = new Session(this.game, JSON.parse(this.setup));
    for (const [seat, turn] of this.turns) copy.turn(seat, turn);
    return copy;
  }
  answer(want, head = {}) {
    const { state, game: { roles } } = this;
    const wants = (fact) => want.includes(fact);
    const one = (seat) => ({
      seat, ...(wants("legal") && { legal: state.legal(seat) }), ...(wants("view") && { view: state.view(seat) }),
    });
    const out = { ...head, ply: this.ply, to_move: this.seats.map(one) };
    if (wants("views")) out.views = roles.map((_, seat) => state.view(seat));
    if (wants("outcome") && this.over) {
      const [points, reason] = this.over;
      const [best, worst] = [Math.max(...points), Math.min(...points)];
      const result = (own) => (best === worst ? "drawn" : own === best ? "won" : "lost");
      const place = (own) => 1 + points.filter((other) => other > own).length;
      const seats = points.map((own) => ({ result: result(own), placement: place(own), points: own }));
      out.outcome = { reason, limited: this.limited, seats };
    }
    if (wants("frame") && state.frame) out.frame = state.frame();
    return { position: out };
  }
}

class Service {
  constructor(game) {
    [this.game, this.sessions, this.count] = [game, new Map(), 0];
    this.config = game.config ?? {};
  }
  about() {
    const { slug, title, version, roles, plies_max } = this.game;
    const facts = FACTS.filter((name) => !["undefined", "function"].includes(typeof this.game[name]));
    return { about: {
      protocol: 1, game: slug, title, rules_version: version, roles, plies_max, config: this.config, knows: ["config"],
      ...Object.fromEntries(facts.map((name) => [name, this.game[name]])),
      ...(this.game.prototype.atLimit && { at_limit: "rules" }),
    } };
  }
  configured(settings) {
    for (const [key, value] of Object.entries(settings)) {
      if (!Object.hasOwn(this.config, key)) throw new Refused("config", `unknown setting ${key}; the settings are ${Object.keys(this.config).join(", ") || "none"}`);
      const kind = this.config[key];
      if (typeof value !== typeof kind || (Number.isInteger(kind) && !Number.isInteger(value))) {
        throw new Refused("config", `${key} ${text(value)} is not of the kind of ${text(kind)}`);
      }
    }
    const config = { ...this.config, ...settings };
    const wrong = this.game.check?.(config);
    if (wrong) throw new Refused("config", wrong);
    return config;
  }
  opened(request, moves) {
    let { setup } = request;
    const drawn = setup == null;
    if (drawn) setup = JSON.parse(text(this.game.draw(this.configured(request.config ?? {}), new Rng(moves.seed))));
    const session = new Session(this.game, setup);
    const turns = moves.turns ?? (moves.moves ?? []).map((move) => ({ move }));
    turns.forEach((turn, index) => {
      try {
        session.turn(turn.seat, turn);
      } catch (error) {
        if (error instanceof Refused) error.answer.error.index = index;
        throw error;
      }
    });
    return [session, drawn ? { setup } : {}];
  }
  keep(session) {
    this.sessions.set(++this.count, session);
    return this.count;
  }
  answer(line) {
    const [[kind, request]] = Object.entries(JSON.parse(line));
    const moves = exact(line)[kind];
    const want = request.want ?? ["legal", "view", "outcome"];
    if (kind === "about") return this.about();
    if (kind === "config") return { config: this.configured(request.settings) };
    if (kind === "position" || kind === "new") {
      const [session, drawn] = this.opened(request, moves);
      return session.answer(want, kind === "new" ? { session: this.keep(session), ...drawn } : drawn);
    }
    if (!["close", "copy", "play", "show"].includes(kind)) throw new Refused("malformed", `no request is called ${kind}`);
    let number = request.session;
    let session = this.sessions.get(number);
    if (!session) throw new Refused("session", `no session ${number} is open`);
    if (kind === "close") {
      this.sessions.delete(number);
      return { closed: { session: number } };
    }
    if (kind === "copy") number = this.keep((session = session.copy()));
    if (kind === "play") session.turn(request.seat, moves);
    return session.answer(want, { session: number });
  }
}

/** Answers requests until the input ends. */
function serve(game) {
  const service = new Service(game);
  console.log = console.error; // a game that prints something prints it for its author
  const answered = (line) => {
    let answer;
    try {
      answer = service.answer(line);
    } catch (error) {
      if (!(error instanceof Refused)) {
        // The judge quotes the last three lines.
        const frames = `${error.stack}`.split("\n").filter((frame) => frame.startsWith("    at "));
        const own = frames.filter((frame) => !/judge_game\.js|node:/.test(frame)).slice(0, 2);
        console.error([...own.reverse().map((frame) => frame.replace("    at ", "in ")), error].join("\n"));
        process.exit(1);
      }
      ({ answer } = error);
    }
    process.stdout.write(`${text(answer)}\n`);
  };
  // Not by readline, which ends lines at other characters too.
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    lines.forEach(answered);
  });
}

module.exports = { serve };
