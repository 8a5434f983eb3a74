// The table of pairs.

/** From so many columns on, their names stand upright; from so many on, cells have their colour only. */
const UPRIGHT_FROM = 5;
const DENSE_FROM = 12;
/** The most games of two whose score is told whole. */
const FEW_GAMES = 9;

const pairs = new Map();
for (const pair of data.pairs ?? []) {
  const key = `${pair[0]} ${pair[1]}`;
  pairs.set(key, [...(pairs.get(key) ?? []), pair]);
}

function pairOf(one, other) {
  const sum = { ahead: 0, level: 0, behind: 0, game: null };
  for (const [, , , ahead, level, behind, game] of pairs.get(`${one} ${other}`) ?? []) {
    sum.ahead += ahead;
    sum.level += level;
    sum.behind += behind;
    sum.game ??= game;
  }
  return sum;
}

/** Makes a link to the games of a pair on this page, or else to one of their games. */
function pairLink([one, other, role], game, properties, ...children) {
  const href = hrefOfPair(one, other, role);
  return href ? make("a", { href, ...properties }, ...children) : gameLink(game, properties, ...children);
}

/** Makes a cell in the colour of a share of games: from 0 (all lost) to 1. */
function shareCell(share, link) {
  const cell = make("td", { className: share < 0.5 ? "share down" : "share up" }, link);
  cell.style.setProperty("--s", Math.abs(share - 0.5));
  cell.dataset.v = share;
  return cell;
}

function shareText(share) {
  return Number.isInteger(share) ? `${share}` : share.toFixed(2).replace(/^0/, "");
}

function heatCell(one, other) {
  if (one === other) return make("td", { className: "self" });
  const { ahead, level, behind, game } = pairOf(one, other);
  const all = ahead + level + behind;
  if (!all) return make("td");
  const share = (ahead + level / 2) / all;
  const words = data.roles.length === 2 ? ["won", "drawn", "lost"] : ["ahead", "level", "behind"];
  const record = [ahead, level, behind].map((games, at) => `${digits(games)} ${words[at]}`);
  const ariaLabel = `${data.names[one]} against ${data.names[other]}: ${record.join(", ")}`;
  const score = [ahead, behind].map((games) => `${games + level / 2}`.replace(/^0?\.5|\.5/, "½"));
  return shareCell(share, pairLink([one, other], game, { ariaLabel, tabIndex: -1 }, all > FEW_GAMES ? shareText(share) : score.join("–")));
}

/** Lists who gets a column: in a gauntlet only those whom everybody meets. */
function columnsOf(all) {
  const met = all.map((one) => all.filter((other) => pairs.has(`${one} ${other}`)).length);
  const most = Math.max(...met);
  return all.filter((one) => met[one] * 2 >= most);
}

function drawHeat() {
  const all = [...Array(data.paired).keys()];
  const columns = columnsOf(all);
  const met = all.filter((one) => columns.some((other) => pairs.has(`${one} ${other}`)));
  const sorted = (className, ...children) => make("th", { scope: "col", className }, make("button", { type: "button" }, ...children));
  const head = make("tr", {}, sorted("", "Entrant"), ...columns.map((other) => sorted("other", nameOf(other))));
  const rows = met.map((one) => make("tr", {}, make("th", { scope: "row" }, linkTo(one)), ...columns.map((other) => heatCell(one, other))));
  const className = `sort heat${columns.length >= UPRIGHT_FROM ? " upright" : ""}${columns.length >= DENSE_FROM ? " dense" : ""}`;
  const table = make("table", { className }, make("thead", {}, head), make("tbody", {}, ...rows));
  table.style.setProperty("--columns", columns.length);
  byId("heat").replaceChildren(table);
  const first = table.querySelector("td a");
  if (first) first.tabIndex = 0;
  byId("heat").parentElement.classList.toggle("long", rows.length >= LONG_FROM);
}

/** Says what a cell means, on hover and on focus. */
for (const type of ["pointerover", "focusin"]) {
  byId("heat")?.addEventListener(type, ({ target }) => {
    const link = target.closest("td a");
    if (link) byId("pair").textContent = `${link.ariaLabel}.`;
  });
}
/** The first tap on a cell says what it means, the second one opens its games. */
let tapped = null;
byId("heat")?.addEventListener("click", (event) => {
  const link = event.target.closest("td a");
  if (!link || event.pointerType !== "touch" || tapped === link) return;
  tapped = link;
  event.preventDefault();
});

/** Moves the focus among links of which only one is a stop of the tabulator. */
function rove(link, next) {
  if (!next) return;
  link.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Finds the next link in a direction, over cells that have none. */
function nextLink(cell, [down, right]) {
  const rows = cell.closest("tbody").rows;
  let [row, column] = [cell.parentElement.sectionRowIndex + down, cell.cellIndex + right];
  for (; rows[row]?.cells[column]; row += down, column += right) {
    const link = rows[row].cells[column].querySelector("a[tabindex]");
    if (link) return link;
  }
  return null;
}

document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  const link = event.target.closest?.(".heat td a, .states a");
  if (!step || !link) return;
  event.preventDefault();
  const cell = link.closest("td");
  if (cell) rove(link, nextLink(cell, step));
  else rove(link, step[0] + step[1] > 0 ? link.nextElementSibling : link.previousElementSibling);
});
