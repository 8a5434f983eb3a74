// Unfolds a game into positions: it reads what encode.rs writes.

const SIX_BITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Gives a copy of a map of cells with the changes of a text like `AB0a0bC0c`; adds the cells to `fresh`. */
function changed(layer, text, digits, fresh) {
  if (!text) return layer;
  const next = new Map(layer);
  for (const [, what, numbers] of text.matchAll(/([^0-9a-z]+)([0-9a-z]+)/g)) {
    for (let at = 0; at < numbers.length; at += digits) {
      const cell = parseInt(numbers.slice(at, at + digits), 36);
      // What was there already and is only another now is marked more softly.
      fresh.set(cell, layer.has(cell) ? "changed" : "fresh");
      if (what === ".") next.delete(cell);
      else next.set(cell, what);
    }
  }
  return next;
}

/** Gives notes as `[form, numbers]` with the changes of a text like `24.10,,3:7`. */
function renoted(notes, text) {
  if (!text) return notes;
  const next = notes.slice();
  text.split(",").forEach((change, line) => {
    if (!change) return;
    const [numbers, form] = change.split(":").reverse();
    next[line] = [form ?? next[line][0], numbers.split(".")];
  });
  return next;
}

function noteText(game, [form, numbers]) {
  let at = 0;
  const filled = (mark) => (mark === "#" ? numbers[at++] : mark[1]);
  return named(game, data.forms[form].replace(/\\[\\#]|#/g, filled));
}

const indexOf = (letter) => (letter.charCodeAt(0) < 256 ? letter.charCodeAt(0) - 65 : letter.charCodeAt(0) - 256);
/** Gives a kind of piece, `[seat, letter, columns, rows]`, or of mark, `[seat, meaning]`, by its letter in the texts. */
const kindOf = (letter) => data.kinds[indexOf(letter)];
const markOf = (letter) => data.marks[indexOf(letter)];

/** Leaves out the marks of other seats where one looks with the eyes of a seat: it did not know them. */
const marksFor = (letters, eyes) => (eyes === null ? letters : [...letters].filter((letter) => [null, eyes].includes(markOf(letter)[0])).join(""));

/** Lists by piece (its seat and letter) the cells where `one` has it and `other` has not. */
function only(one, other, cells) {
  const found = new Map();
  const names = (layer, cell) => [...(layer.get(cell) ?? "")].map((letter) => kindOf(letter).slice(0, 2).join(" "));
  for (const cell of cells) {
    const there = names(other, cell);
    for (const name of names(one, cell)) {
      if (!there.includes(name)) found.set(name, [...(found.get(name) ?? []), cell]);
    }
  }
  return found;
}

function stepsBetween(before, after, cells) {
  if (before === after) return [];
  const left = only(before, after, cells);
  const come = only(after, before, cells);
  const steps = [];
  for (const [name, [to, ...more]] of come) {
    const [from, ...others] = left.get(name) ?? [];
    if (from !== undefined && !more.length && !others.length) steps.push({ seat: Number.parseInt(name, 10), from, to });
  }
  return steps;
}

function after(game, before, [discs, notes, floor, edges, seen, , counts, marks]) {
  const [fresh, freshEdges, moved] = [new Map(), new Map(), new Map()];
  const eyes = (seen ?? "").split(",");
  const next = {
    discs: changed(before.discs, discs, game.k, moved),
    notes: renoted(before.notes, notes),
    floor: changed(before.floor, floor, game.k, fresh),
    edges: changed(before.edges, edges, game.k, freshEdges),
    marks: changed(before.marks, marks, game.k, new Map()),
    counts: counts ? counts.split(".").map((count) => (count === "-" ? null : Number(count))) : before.counts,
    seen: seen ? Array.from({ length: Math.max(before.seen.length, eyes.length) }, (_, seat) => eyes[seat] || before.seen[seat]) : before.seen,
    fresh,
    freshEdges,
  };
  next.steps = stepsBetween(before.discs, next.discs, [...moved.keys()]);
  // A step is drawn as one; what it left behind needs no mark.
  const origins = next.steps.map(({ from }) => from);
  for (const [cell, mark] of moved) if (!origins.includes(cell)) fresh.set(cell, mark);
  return next;
}

/**
 * Reads a game: its turns as `{ seat, us, move, bank }`, and every position; each shares with
 * the one before what has not changed.
 */
function unfold(game) {
  if (game.turns) return;
  const empty = { floor: new Map(), edges: new Map(), discs: new Map(), marks: new Map(), notes: [], seen: [], counts: [] };
  const first = after(game, empty, game.steps[0].split("|"));
  game.positions = [{ ...first, fresh: new Map(), freshEdges: new Map(), steps: [] }];
  game.turns = [];
  const banks = [];
  let next = 0;
  for (const step of game.steps.slice(1)) {
    const [us, move, bank, ...difference] = step.split("|");
    const seat = difference[5] ? Number(difference[5]) : next;
    next = (seat + 1) % game.e.length;
    if (bank) banks[seat] = Number(bank) * 1000;
    game.turns.push({ seat, us: Number(us), move, bank: banks[seat] });
    game.positions.push(after(game, game.positions[game.positions.length - 1], difference));
  }
}

function sees(bits, cell) {
  return ((SIX_BITS.indexOf(bits[Math.floor(cell / 6)]) >> (5 - (cell % 6))) & 1) === 1;
}
