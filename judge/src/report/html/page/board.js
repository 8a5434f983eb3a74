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

/** Gives a copy of a map of cells with the changes of a text like `00aAB,01c,`. */
function changed(layer, text, cells) {
  if (!text) return layer;
  const next = new Map(layer);
  for (const change of text.slice(0, -1).split(",")) {
    const cell = parseInt(change.slice(0, 3), 36);
    const what = change.slice(3);
    if (what) next.set(cell, what);
    else next.delete(cell);
    cells.add(cell);
  }
  return next;
}

/** Gives every position of a game; each shares with the one before what has not changed. */
function positions(game) {
  const empty = { floor: new Map(), edges: new Map(), discs: new Map(), notes: [], seen: [], fresh: new Set() };
  const after = (before, difference) => {
    if (!difference) return { ...before, fresh: new Set() };
    const fresh = new Set();
    const next = {
      floor: changed(before.floor, difference.f, fresh),
      edges: changed(before.edges, difference.e, new Set()),
      discs: changed(before.discs, difference.d, fresh),
      notes: before.notes,
      seen: before.seen,
      fresh,
    };
    if (difference.n) {
      next.notes = before.notes.slice();
      for (const [line, form, ...numbers] of difference.n) {
        next.notes[line] = game.forms[form].replace(/#/g, () => numbers.shift());
      }
    }
    if (difference.v) {
      next.seen = before.seen.slice();
      for (const [seat, bits] of difference.v) next.seen[seat] = bits;
    }
    return next;
  };
  const first = after(empty, game.first);
  first.fresh = new Set();
  const all = [first];
  for (const step of game.steps) all.push(after(all[all.length - 1], step[3]));
  return all;
}

function sees(bits, cell) {
  return ((SIX_BITS.indexOf(bits[Math.floor(cell / 6)]) >> (5 - (cell % 6))) & 1) === 1;
}

const FLOOR = { "#": "wall", "^": "high", "*": "goal" };

function floorClass(what) {
  if (!what) return "cell";
  if (/\d/.test(what)) return `cell goal home${what}`;
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

function kindOf(game, letter) {
  const code = letter.charCodeAt(0);
  return game.kinds[code < 256 ? code - 65 : code - 256];
}

function drawDisc(game, roles, [x, y], letter, place, places) {
  const [seat, text, columns, rows] = kindOf(game, letter);
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
function drawBoard(game, roles, position, eyes) {
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
    const shown = pieces.filter((letter) => isSeen || kindOf(game, letter)[0] === eyes);
    if (position.fresh.has(cell) && (isSeen || shown.length)) {
      const mark = grid.cell(...at);
      mark.setAttribute("class", "fresh");
      marks.append(mark);
    }
    shown.forEach((letter, place) => discs.append(drawDisc(game, roles, at, letter, place, shown.length)));
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
      const d = kind === "h" ? `M${x - 9} ${y}H${x + 9}` : `M${x} ${y - 9}V${y + 9}`;
      walls.append(draw("path", { d }));
    }
  }
  return walls;
}
