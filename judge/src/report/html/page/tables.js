// The tables of the overview: sorting, the head-to-head table, the list of games.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Makes an HTML element; texts among the children stay texts. */
function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const nameOf = (entrant) => make("bdi", {}, data.names[entrant]);

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell?.dataset.v ?? cell?.textContent.trim() ?? "";
  const number = Number.parseFloat(text);
  return text !== "" && Number.isFinite(number) && !cell.querySelector("bdi") ? number : text;
}

/** Sorts a table by a column; numbers go downwards first, but for ranks. */
function sortBy(table, column) {
  const heads = table.tHead.rows[0].cells;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const isNumber = rows.every((row) => typeof valueOf(row, column) === "number");
  const before = heads[column].getAttribute("aria-sort");
  const startsDown = isNumber && heads[column].textContent !== "#";
  const isDown = before ? before === "ascending" : startsDown;
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const compare = (a, b) => {
    const [one, other] = [valueOf(a, column), valueOf(b, column)];
    return isNumber ? one - other : String(one).localeCompare(String(other));
  };
  rows.sort((a, b) => (isDown ? compare(b, a) : compare(a, b)));
  body.append(...rows);
}

document.addEventListener("click", (event) => {
  const head = event.target.closest?.("table.sort thead th");
  if (head && event.target.closest("button")) sortBy(head.closest("table"), head.cellIndex);
});

/** Adds up how the row fared against the column in one role, or in all. */
function pairOf(pairs, one, other, role) {
  const sum = { ahead: 0, level: 0, behind: 0, game: null };
  for (const [, , at, ahead, level, behind, game] of pairs.get(`${one} ${other}`) ?? []) {
    if (role !== "" && at !== Number(role)) continue;
    sum.ahead += ahead;
    sum.level += level;
    sum.behind += behind;
    sum.game ??= game;
  }
  sum.game = shownGame(one, other, role) ?? sum.game;
  return sum;
}

/** Finds a game of two entrants that is on this page, with the first one in a role. */
function shownGame(one, other, role) {
  const isTheirs = ({ e }) => e.includes(one) && e.includes(other) && (role === "" || e[Number(role)] === one);
  return shownBy.get(one)?.find(isTheirs)?.n;
}

const shownBy = new Map();
for (const game of data.games) {
  for (const entrant of game.e) shownBy.set(entrant, [...(shownBy.get(entrant) ?? []), game]);
}

function heatCell(pairs, one, other, role) {
  const { ahead, level, behind, game } = pairOf(pairs, one, other, role);
  const games = ahead + level + behind;
  if (!games) return make("td", { className: "none" });
  const share = (ahead + level / 2) / games;
  const link = make("a", { href: `#g=${game}`, title: `${ahead} before, ${level} level, ${behind} after` });
  link.textContent = share === 1 ? "1" : share.toFixed(2).replace(/^0/, "");
  const cell = make("td", {}, link);
  cell.dataset.v = share;
  const tone = Math.round((share - 0.5) * 10);
  cell.className = tone > 0 ? `up${tone}` : tone < 0 ? `down${-tone}` : "even";
  return cell;
}

function drawHeat() {
  const pairs = new Map();
  for (const pair of data.pairs) {
    const key = `${pair[0]} ${pair[1]}`;
    pairs.set(key, [...(pairs.get(key) ?? []), pair]);
  }
  const role = byId("heat-role")?.value ?? "";
  const all = [...Array(data.paired).keys()];
  const sorted = (...children) => make("th", { scope: "col" }, make("button", { type: "button" }, ...children));
  const head = make("tr", {}, sorted("Entrant"), ...all.map((other) => sorted(nameOf(other))));
  const rows = all.map((one) => {
    const name = make("th", { scope: "row" }, nameOf(one));
    return make("tr", {}, name, ...all.map((other) => heatCell(pairs, one, other, role)));
  });
  const table = make("table", { className: "sort heat" }, make("thead", {}, head), make("tbody", {}, ...rows));
  byId("heat").replaceChildren(table);
}

/** Makes the head of a table; titles of numbers end in `#`. */
function headOf(...titles) {
  const cells = titles.map((title) => {
    const className = title.endsWith("#") ? "n" : "";
    return make("th", { scope: "col", className }, make("button", { type: "button" }, title.replace("#", "")));
  });
  return make("thead", {}, make("tr", {}, ...cells));
}

const count = (number) => make("td", { className: "n" }, `${number}`);

function scrollable(label, className, table) {
  const region = make("div", { className, tabIndex: 0, ariaLabel: label }, table);
  region.setAttribute("role", "region");
  return region;
}

/** Tells how an entrant fared against each other, by its role. */
function drawOpponents(details) {
  const entrant = Number(details.id.slice(2));
  const own = data.pairs.filter(([one]) => one === entrant);
  if (!own.length) return;
  const isForTwo = data.roles.length === 2;
  const rows = own.map(([, other, role, ahead, level, behind, game]) => {
    const name = make("th", { scope: "row" }, nameOf(other));
    const as = isForTwo ? [make("td", {}, data.roles[role])] : [];
    const link = make("td", { className: "n" }, make("a", { href: `#g=${game}` }, `${game}`));
    return make("tr", {}, name, ...as, count(ahead), count(level), count(behind), link);
  });
  const head = headOf("Opponent", ...(isForTwo ? ["As"] : []), "Before#", "Level#", "After#", "Game#");
  const table = make("table", { className: "sort" }, head, make("tbody", {}, ...rows));
  details.querySelector(".opponents").replaceChildren(scrollable("Opponents", "wide tall", table));
}

function listGames() {
  const head = headOf("Game#", "Players", "End", "Turns#", "Shown as");
  const rows = data.games.map((game) => {
    const link = make("a", { href: `#g=${game.n}` }, game.n);
    const players = make("td", {});
    game.e.forEach((entrant, seat) => {
      if (seat) players.append(" – ");
      players.append(game.won[seat] ? make("strong", {}, nameOf(entrant)) : nameOf(entrant));
    });
    const end = game.faults ? make("span", { className: "bad" }, game.faults[0][2].split(":")[0]) : game.end;
    return make("tr", {}, make("td", { className: "n" }, link), players, make("td", {}, end), count(game.steps.length - 1), make("td", {}, game.why));
  });
  const table = make("table", { className: "sort" }, head, make("tbody", {}, ...rows));
  byId("game-list").replaceChildren(scrollable("Games", "wide tall", table));
}

if (!data.single) {
  drawHeat();
  listGames();
  byId("heat-role")?.addEventListener("change", drawHeat);
  for (const details of document.querySelectorAll("details[id]")) {
    details.addEventListener("toggle", () => drawOpponents(details), { once: true });
  }
}
