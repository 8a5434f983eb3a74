// A position in words, for those who do not see the board. It knows where cells lie and no rules.
// The terminal says the same (in_words.rs of the rules); a test compares the two.

const CELLS_TOLD = 80;

/** The neighbours of a cell as [name, columns, rows]; odd rows of hexagons lie half a cell to the right. */
function around(game, row) {
  if (!game.hex) return [["north", 0, -1], ["east", 1, 0], ["south", 0, 1], ["west", -1, 0]];
  const shift = row % 2;
  return [["west", -1, 0], ["east", 1, 0], ["north-west", shift - 1, -1], ["north-east", shift, -1], ["south-west", shift - 1, 1], ["south-east", shift, 1]];
}

function cellName(game, cell) {
  const [columns, rows] = labelsOf(game);
  const [column, row] = [columns[cell % game.w], rows[Math.floor(cell / game.w)]];
  return /^[a-z]/.test(column) ? `${column}${row}` : `${column},${row}`;
}

/** Tells whether a wall lies between a cell and its neighbour. */
function isWalled(game, { edges }, cell, columns, rows) {
  const [column, row] = [(cell % game.w) + Math.min(0, columns), Math.floor(cell / game.w) + Math.min(0, rows)];
  const has = (x, y, kind) => x >= 0 && y >= 0 && (edges.get(y * game.w + x) ?? "").includes(kind);
  return rows ? has(column, row, "H") || has(column - 1, row, "H") : has(column, row, "V") || has(column, row - 1, "V");
}

/** Lists what is next to a cell and free, as far as it is seen; `shown` are the cells of the pieces that are. */
function freeAround(game, position, cell, isSeen, shown) {
  const [column, row] = [cell % game.w, Math.floor(cell / game.w)];
  const free = around(game, row).filter(([, right, down]) => {
    const [x, y] = [column + right, row + down];
    if (x < 0 || y < 0 || x >= game.w || y >= game.h) return false;
    const next = y * game.w + x;
    return !(position.floor.get(next) === "#" && isSeen(next)) && !shown.has(next) && !isWalled(game, position, cell, right, down);
  });
  return free.map(([name]) => name).join(", ") || "none";
}

function listed(names) {
  const more = names.length - CELLS_TOLD;
  return `${names.slice(0, CELLS_TOLD).join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Says which cells the game marks, and why, in the order of seats. */
function markWords(game, position, isSeen, eyes) {
  const cells = new Map();
  for (const [cell, letters] of [...position.marks].sort(([a], [b]) => a - b)) {
    for (const letter of isSeen(cell) ? marksFor(letters, eyes) : "") cells.set(letter, [...(cells.get(letter) ?? []), cell]);
  }
  return inSeats([...cells.keys()]).map((letter) => `${named(game, markOf(letter)[1])}: ${listed(cells.get(letter).map((cell) => cellName(game, cell)))}`);
}

/** Says where pieces, blocked cells and walls are, as one of the seats sees it, or all where `eyes` is null. */
function positionWords(game, t, eyes) {
  const position = game.positions[t];
  const bits = eyes === null ? null : position.seen[eyes];
  const isSeen = (cell) => !bits || sees(bits, cell);
  const pieces = [...position.discs].flatMap(([cell, letters]) => [...letters].map((letter) => ({ cell, kind: kindOf(letter) })));
  const shown = pieces.filter(({ cell, kind }) => isSeen(cell) || kind[0] === eyes).sort((a, b) => a.cell - b.cell);
  const cells = new Set(shown.map(({ cell }) => cell));
  const said = [];
  // Of a seat that has several alike, no one is followed: their cells are enough.
  const alike = (seat) => shown.filter(({ kind }) => kind[0] === seat && !kind[1]).length;
  if (data.roles.every((_, seat) => alike(seat) < 2)) {
    for (const { cell, kind } of shown) {
      const letter = kind[1] ? ` ${kind[1]}` : "";
      said.push(named(game, `${data.roles[kind[0]]}${letter} on ${cellName(game, cell)}`));
      if (isSeen(cell)) said.push(`free neighbours ${freeAround(game, position, cell, isSeen, cells)}`);
    }
  } else {
    data.roles.forEach((role, seat) => {
      const own = shown.filter(({ kind }) => kind[0] === seat);
      if (own.length) said.push(named(game, `${role} on ${listed(own.map(({ cell }) => cellName(game, cell)))}`));
    });
  }
  const blocked = [...position.floor].flatMap(([cell, what]) => (what === "#" && isSeen(cell) ? [cell] : [])).sort((a, b) => a - b);
  const fresh = blocked.filter((cell) => position.fresh.has(cell));
  if (fresh.length) said.push(`new: ${listed(fresh.map((cell) => cellName(game, cell)))} blocked`);
  if (blocked.length) said.push(`blocked in all: ${listed(blocked.map((cell) => cellName(game, cell)))}`);
  const walls = [...position.edges].sort(([a], [b]) => a - b).flatMap(([cell, kinds]) => [...kinds].map((kind) => `${kind === "H" ? "below" : "right of"} ${cellName(game, cell)}`));
  if (walls.length) said.push(`walls ${listed(walls)}`);
  said.push(...markWords(game, position, isSeen, eyes));
  return `${said.join("; ") || "no piece on the board"}.`;
}
