// Draws a position. It reads what moves.js unfolds and knows no rules.

const SVG = "http://www.w3.org/2000/svg";
/** How many of a piece's last steps are drawn, and how many at the end of a game. */
const TRAIL_STEPS = 6;
const TRAIL_STEPS_END = 14;

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const FLOOR = { "#": "wall", "^": "high", "*": "goal" };

function floorClass(what) {
  if (!what) return "cell";
  if (/[A-H]/.test(what)) return `cell goal home s${what.charCodeAt(0) - 65}`;
  return `cell ${FLOOR[what] ?? ""}`;
}

/** The two shapes of boards: where cells are, and what they look like. One cell is 10 wide. */
const GRIDS = {
  square: {
    centre: (column, row) => [column * 10 + 5, row * 10 + 5],
    size: (width, height) => [width * 10, height * 10],
    cell: (x, y, inset) => draw("rect", { x: x - 5 + inset, y: y - 5 + inset, width: 10 - 2 * inset, height: 10 - 2 * inset, rx: inset * 1.6 }),
  },
  hex: {
    centre: (column, row) => [column * 10 + (row % 2 ? 10 : 5), row * 8.66 + 5.774],
    size: (width, height) => [width * 10 + 5, height * 8.66 + 2.887],
    cell: (x, y, inset) => {
      const scale = 1 - inset / 5;
      const points = [[0, -5.774], [5, -2.887], [5, 2.887], [0, 5.774], [-5, 2.887], [-5, -2.887]];
      return draw("polygon", { points: points.map(([a, b]) => `${(x + a * scale).toFixed(2)},${(y + b * scale).toFixed(2)}`).join(" ") });
    },
  },
};

/** Draws a piece: a disc, with a letter and the way it faces where it has them. */
function drawDisc([seat, text, columns, rows], [x, y], place, places, isOpening) {
  const shift = places > 1 ? (place - (places - 1) / 2) * 4 : 0;
  const radius = places > 1 ? 2.8 : 3.7;
  const group = draw("g", { class: `disc ${seatClass(seat)}`, transform: `translate(${x + shift} ${y})` });
  if (columns || rows) {
    const angle = (Math.atan2(rows, columns) * 180) / Math.PI;
    group.append(draw("path", { class: "facing", d: `M${radius - 0.9} -2.2L${radius + 1.6} 0L${radius - 0.9} 2.2z`, transform: `rotate(${angle})` }));
  }
  const isCat = data.look.shapes[seat] === "cat";
  if (isCat) group.append(draw("path", { class: "ears", d: "M-3.3 -1.4L-3.1 -4.9L-0.7 -3.4M3.3 -1.4L3.1 -4.9L0.7 -3.4" }));
  group.append(draw("circle", { r: radius }));
  if (isOpening) group.append(draw("path", { class: "hatch", d: "M-2.8 1L1 -2.8M-2.1 2.1L2.1 -2.1M-1 2.8L2.8 -1" }));
  if (isCat) group.append(draw("path", { class: "face", d: "M-1.3 -0.7v0.3M1.3 -0.7v0.3M-0.9 1Q0 1.9 0.9 1" }));
  if (text) {
    const label = draw("text", { y: radius > 3 ? 1.4 : 1.2, "font-size": radius > 3 ? 4 : 3.4 });
    label.textContent = text;
    group.append(label);
  }
  return group;
}

function drawNotes(game, t) {
  const notes = game.positions[t].notes.map((note) => noteText(game, note)).filter(Boolean);
  return notes.map((note) => make("li", {}, note));
}

/** Draws a position of a game as one of its seats sees it, or whole where `eyes` is null. */
function drawBoard(game, t, eyes) {
  // A game without a picture has facts only.
  if (!game.w) return make("ul", { className: "views" }, ...drawNotes(game, t));
  const position = game.positions[t];
  const grid = GRIDS[game.hex ? "hex" : "square"];
  const [width, height] = grid.size(game.w, game.h);
  const at = (cell) => grid.centre(cell % game.w, Math.floor(cell / game.w));
  const bits = eyes === null ? null : position.seen[eyes];
  const isSeen = (cell) => !bits || sees(bits, cell);
  const [floor, marks, discs, highlights] = ["floor", "marks", "discs", "highlights"].map((name) => draw("g", { class: name }));
  for (let cell = 0; cell < game.w * game.h; cell++) {
    const what = position.floor.get(cell);
    if (what === " ") continue;
    const shape = grid.cell(...at(cell), what === "#" ? 0.25 : 0);
    shape.setAttribute("class", floorClass(what) + (isSeen(cell) ? "" : " fog"));
    floor.append(shape);
    if (what === "^") floor.append(hill(at(cell)));
    if (data.look.holes) floor.append(hole(at(cell)));
    const pieces = [...(position.discs.get(cell) ?? "")].map(kindOf);
    const shown = pieces.filter(([seat]) => isSeen(cell) || seat === eyes);
    if (position.fresh.has(cell) && (isSeen(cell) || shown.length)) {
      const mark = grid.cell(...at(cell), 0.45);
      mark.setAttribute("class", position.fresh.get(cell));
      marks.append(mark);
    }
    const isOpening = data.opening && position.discs.get(cell) === game.positions[0].discs.get(cell);
    discs.append(...shown.map((kind, place) => drawDisc(kind, at(cell), place, shown.length, isOpening)));
    if (isSeen(cell)) highlights.append(...drawMarks(marksFor(position.marks.get(cell) ?? "", eyes), at(cell), shown.length, position.marks));
  }
  const size = Math.min(4, Math.max(2.2, game.w * 0.2));
  const room = 1.6 * size + 0.6;
  const longest = Math.max(1, ...labelsOf(game)[1].map((name) => name.length));
  const left = (0.6 + 0.7 * longest) * size + 0.6;
  const board = draw("svg", { viewBox: `${-left} ${-room} ${width + left + 1} ${height + room + 1}`, class: game.hex ? "hex" : "square", "aria-hidden": "true" });
  board.append(drawLabels(game, at, size), floor, drawWalls(game, position), marks, drawTrails(game, t, eyes, at), discs, highlights, drawSaidMarks(game, t, eyes, at));
  return board;
}

/** Up to so many pieces are marked with a ring each, more of them with a pip. */
const RINGS_MAX = 8;

/** Draws what the game marks in a cell: a ring or a pip on a piece, else a dot for each mark. */
function drawMarks(letters, [x, y], pieces, all) {
  if (pieces === 1 && letters) {
    const meaning = markOf(letters[0])[1];
    const alike = [...all.values()].filter((others) => [...others].some((other) => markOf(other)[1] === meaning)).length;
    const [kind, r] = alike > RINGS_MAX ? ["pip", 0.9] : ["ring", 2.5];
    return [draw("circle", { class: `${kind} ${markClass(letters[0])}`, cx: x, cy: y, r })];
  }
  if (pieces) return [];
  return [...letters].map((letter, place) => draw("circle", { class: markClass(letter), cx: x + (place - (letters.length - 1) / 2) * 3.2, cy: y, r: 1.35 }));
}

function markClass(letter) {
  const [seat] = markOf(letter);
  return seat === null ? "mark" : `mark ${seatClass(seat)}`;
}

/** Orders kinds of marks by their seats, those of nobody last. */
function inSeats(letters) {
  const key = (letter) => [markOf(letter)[0] ?? Number.MAX_SAFE_INTEGER, markOf(letter)[1]];
  return letters.sort((one, other) => {
    const [[a, what], [b, than]] = [key(one), key(other)];
    return a - b || (what < than ? -1 : 1);
  });
}

/** Lists what is marked in a position, as one of its seats sees it. */
function drawMeanings(game, t, eyes) {
  const { marks, seen } = game.positions[t];
  const bits = eyes === null ? null : seen[eyes];
  const shown = [...marks].filter(([cell]) => !bits || sees(bits, cell)).map(([cell, letters]) => [cell, marksFor(letters, eyes)]);
  const meanings = new Map();
  for (const letter of inSeats([...new Set(shown.flatMap(([, letters]) => [...letters]))])) {
    const meaning = markOf(letter)[1];
    meanings.set(meaning, [...(meanings.get(meaning) ?? []), letter]);
  }
  const opening = data.opening ? [make("li", {}, `hatched: ${data.opening} opening plies, drawn`)] : [];
  const items = [...meanings].map(([meaning, letters]) => make("li", {}, ...letters.map((letter) => make("span", { className: `dot ${markClass(letter)}` })), named(game, meaning)));
  return [...items, ...opening];
}

const labelsOf = (game) => data.labels[`${game.w}x${game.h}`] ?? [[], []];

function drawLabels(game, at, size) {
  const labels = draw("g", { class: "labels", "font-size": size });
  const write = (text, x, y, anchor) => {
    const label = draw("text", { x, y, "text-anchor": anchor });
    label.textContent = text;
    labels.append(label);
  };
  const [columns, rows] = labelsOf(game);
  columns.forEach((name, column) => {
    write(name, at(column)[0], -0.4 * size, "middle");
  });
  rows.forEach((name, row) => {
    write(name, -0.5 * size, at(row * game.w)[1] + 0.35 * size, "end");
  });
  return labels;
}

function hole([x, y]) {
  return draw("circle", { class: "hole", cx: x, cy: y, r: 4.1 });
}

function hill([x, y]) {
  return draw("path", { class: "hill", d: `M${x - 2.6} ${y + 1.6}L${x} ${y - 1.8}L${x + 2.6} ${y + 1.6}` });
}

/** Draws where pieces came from; those of others only for who sees everything. */
function drawTrails(game, t, eyes, at) {
  const trails = draw("g", { class: "trails" });
  const steps = t === game.turns.length ? TRAIL_STEPS_END : TRAIL_STEPS;
  for (let back = 0; back < Math.min(steps, t); back++) {
    for (const { seat, from, to } of game.positions[t - back].steps) {
      if (eyes !== null && seat !== eyes) continue;
      const [[x1, y1], [x2, y2]] = [at(from), at(to)];
      trails.prepend(draw("path", { class: seatClass(seat), d: `M${x1} ${y1}L${x2} ${y2}`, opacity: (0.75 * (1 - back / steps)).toFixed(2) }));
    }
  }
  return trails;
}

function drawWalls(game, position) {
  const walls = draw("g", { class: "edges" });
  for (const [cell, kinds] of position.edges) {
    const x = ((cell % game.w) + 1) * 10;
    const y = (Math.floor(cell / game.w) + 1) * 10;
    for (const kind of kinds) {
      const isNew = position.freshEdges.has(cell) ? "new" : "";
      const d = kind === "H" ? `M${x - 8.6} ${y}H${x + 8.6}` : `M${x} ${y - 8.6}V${y + 8.6}`;
      walls.append(draw("path", { d, class: isNew }));
    }
  }
  return walls;
}
