// Draws a position. It reads what encode.rs writes and knows no rules.

const SVG = "http://www.w3.org/2000/svg";
const SIX_BITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Makes an SVG element with attributes and children. */
function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Gives a copy of a map of cells with the changes of a text like `AB0a0bC0c`. */
function changed(layer, text, digits, cells) {
  if (!text) return layer;
  const next = new Map(layer);
  for (const [, what, numbers] of text.matchAll(/([^0-9a-z]+)([0-9a-z]+)/g)) {
    for (let at = 0; at < numbers.length; at += digits) {
      const cell = parseInt(numbers.slice(at, at + digits), 36);
      if (what === ".") next.delete(cell);
      else next.set(cell, what);
      cells.add(cell);
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

function noteText([form, numbers], forms) {
  let at = 0;
  return forms[form].replace(/#/g, () => numbers[at++]);
}

function after(game, before, [discs, notes, floor, edges, seen]) {
  const fresh = new Set();
  const eyes = (seen ?? "").split(",");
  return {
    discs: changed(before.discs, discs, game.k, fresh),
    notes: renoted(before.notes, notes),
    floor: changed(before.floor, floor, game.k, fresh),
    edges: changed(before.edges, edges, game.k, new Set()),
    seen: seen ? Array.from({ length: Math.max(before.seen.length, eyes.length) }, (_, seat) => eyes[seat] || before.seen[seat]) : before.seen,
    fresh,
  };
}

/**
 * Reads a game: its turns as `{ seat, us, move, bank }`, and every position; each shares with
 * the one before what has not changed.
 */
function unfold(game) {
  if (game.turns) return;
  const empty = { floor: new Map(), edges: new Map(), discs: new Map(), notes: [], seen: [] };
  const first = after(game, empty, game.steps[0].split("|"));
  first.fresh = new Set();
  game.faults ??= [];
  game.positions = [first];
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

const FLOOR = { "#": "wall", "^": "high", "*": "goal" };

function floorClass(what) {
  if (!what) return "cell";
  if (/[A-H]/.test(what)) return `cell goal home${what.charCodeAt(0) - 65}`;
  return `cell ${FLOOR[what] ?? ""}`;
}

/** The two shapes of boards: where cells are, and what they look like. One cell is 10 wide. */
const GRIDS = {
  square: {
    centre: (column, row) => [column * 10 + 5, row * 10 + 5],
    size: (width, height) => [width * 10, height * 10],
    cell: (x, y) => draw("rect", { x: x - 5, y: y - 5, width: 10, height: 10 }),
  },
  hex: {
    centre: (column, row) => [column * 10 + (row % 2 ? 10 : 5), row * 8.66 + 5.774],
    size: (width, height) => [width * 10 + 5, height * 8.66 + 2.887],
    cell: (x, y) => {
      const points = [[0, -5.774], [5, -2.887], [5, 2.887], [0, 5.774], [-5, 2.887], [-5, -2.887]];
      return draw("polygon", { points: points.map(([a, b]) => `${(x + a).toFixed(2)},${(y + b).toFixed(2)}`).join(" ") });
    },
  },
};

function kindOf(kinds, letter) {
  const code = letter.charCodeAt(0);
  return kinds[code < 256 ? code - 65 : code - 256];
}

function drawDisc({ kinds, roles }, [x, y], letter, place, places) {
  const [seat, text, columns, rows] = kindOf(kinds, letter);
  const shift = places > 1 ? (place - (places - 1) / 2) * 3.6 : 0;
  const radius = places > 1 ? 2.9 : 3.7;
  const group = draw("g", { class: `disc s${seat} role-${roles[seat].replace(/ /g, "-")}`, transform: `translate(${x + shift} ${y})` });
  if (columns || rows) {
    const angle = (Math.atan2(rows, columns) * 180) / Math.PI;
    group.append(draw("path", { class: "facing", d: `M${radius - 0.6} -2L${radius + 1.7} 0L${radius - 0.6} 2z`, transform: `rotate(${angle})` }));
  }
  group.append(draw("circle", { r: radius }));
  if (text) {
    const label = draw("text", { y: 1.35 });
    label.textContent = text;
    group.append(label);
  }
  return group;
}

/** Draws a position of a game as one of its seats sees it, or whole where `eyes` is null. */
function drawBoard(data, game, position, eyes) {
  const grid = GRIDS[game.hex ? "hex" : "square"];
  const [width, height] = grid.size(game.w, game.h);
  const board = draw("svg", { viewBox: `-1 -1 ${width + 2} ${height + 2}`, class: game.hex ? "hex" : "square" });
  const floor = draw("g", {});
  const marks = draw("g", {});
  const discs = draw("g", {});
  const bits = eyes === null ? null : position.seen[eyes];
  for (let cell = 0; cell < game.w * game.h; cell++) {
    const at = grid.centre(cell % game.w, Math.floor(cell / game.w));
    const shape = grid.cell(...at);
    const isSeen = !bits || sees(bits, cell);
    shape.setAttribute("class", floorClass(position.floor.get(cell)) + (isSeen ? "" : " fog"));
    floor.append(shape);
    const pieces = [...(position.discs.get(cell) ?? "")];
    const shown = pieces.filter((letter) => isSeen || kindOf(data.kinds, letter)[0] === eyes);
    if (position.fresh.has(cell) && (isSeen || shown.length)) {
      const mark = grid.cell(...at);
      mark.setAttribute("class", "fresh");
      marks.append(mark);
    }
    shown.forEach((letter, place) => discs.append(drawDisc(data, at, letter, place, shown.length)));
  }
  board.append(floor, marks, drawWalls(game, position), discs);
  return board;
}

function drawWalls(game, position) {
  const walls = draw("g", { class: "edges" });
  for (const [cell, kinds] of position.edges) {
    const x = ((cell % game.w) + 1) * 10;
    const y = (Math.floor(cell / game.w) + 1) * 10;
    for (const kind of kinds) {
      const d = kind === "H" ? `M${x - 9} ${y}H${x + 9}` : `M${x} ${y - 9}V${y + 9}`;
      walls.append(draw("path", { d }));
    }
  }
  return walls;
}
